"""The web book: built from the committed notebooks, checked, served, audited."""
