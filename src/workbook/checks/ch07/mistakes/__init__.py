"""Right and wrong solutions of chapter 07's exercises, loaded when a check looks for a cause."""
