"""The exercises of chapter 11."""
