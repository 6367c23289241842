"""How traces and pictures speak: sentences with blanks, the names in them, the story of a trace.

The pictures' module fills the same sentences in the reader's browser (``widgets/common``).
"""
