"""How the book is made: texts in, executed notebooks out, and the rules that chapters keep."""
