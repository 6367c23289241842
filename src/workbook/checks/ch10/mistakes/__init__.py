"""Right and wrong solutions of chapter 10's exercises, loaded when a check looks for a cause."""
