"""The exercises of chapter 02."""
