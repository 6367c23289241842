"""Right and wrong solutions of chapter 02's exercises, loaded when a check looks for a cause."""
