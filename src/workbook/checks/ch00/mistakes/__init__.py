"""Right and wrong solutions of chapter 00's exercises, loaded when a check looks for a cause."""
