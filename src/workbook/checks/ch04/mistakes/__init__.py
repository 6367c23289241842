"""Right and wrong solutions of chapter 04's exercises, loaded when a check looks for a cause."""
