"""Right and wrong solutions of chapter 03's exercises, loaded when a check looks for a cause."""
