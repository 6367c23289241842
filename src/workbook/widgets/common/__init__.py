"""What pictures have in common: a frame with steps, cells, links, the page's own engine.

Each of the folders beside this one is a picture, whole: how it is made and drawn still
(``picture.py``), what its buttons call (``desk.py``), what it says (``words.json``), how the page
draws it (``view.js``, ``model.js``, ``style.css``). What they share of style is in ``style/`` here.
"""
