"""Mistakes with the exercises of chapter 11, as readers make them."""
