"""The exercises of chapter 05."""
