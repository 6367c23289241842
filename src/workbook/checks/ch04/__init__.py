"""The exercises of chapter 04."""
