"""Right and wrong solutions of chapter 08's exercises, loaded when a check looks for a cause."""
