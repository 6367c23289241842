"""The exercises of chapter 08."""
