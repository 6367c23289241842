"""The exercises of chapter 03."""
