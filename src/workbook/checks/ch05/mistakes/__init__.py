"""Right and wrong solutions of chapter 05's exercises, loaded when a check looks for a cause."""
