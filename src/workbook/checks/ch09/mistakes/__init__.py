"""Right and wrong solutions of chapter 09's exercises, loaded when a check looks for a cause."""
