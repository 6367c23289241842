"""Right and wrong solutions of chapter 01's exercises, loaded when a check looks for a cause."""
