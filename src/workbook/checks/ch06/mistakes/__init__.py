"""Mistakes with the exercises of chapter 06, as readers make them."""
