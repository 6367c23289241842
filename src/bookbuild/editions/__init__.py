"""Sets for a class, made from the book's one text: one for learners, one for whoever teaches."""
