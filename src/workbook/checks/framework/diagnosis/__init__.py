"""Why a check failed: asked in an order that begins with what can be known for certain.

1. the kind of answer: nothing, a list for a tuple, a float for an int, other dtype or shape;
2. a known mistake that has the same outcome in every case;
3. the words of an error that a library raised;
4. a known mistake with the same outcome in the failing case;
5. how the answer is related to the right one: off by one, reversed, another order;
6. else the case's own why, which is a law and never a guess.
"""

from workbook.checks.framework.diagnosis.cause import cause
from workbook.checks.framework.diagnosis.second_look import second_look

__all__ = ["cause", "second_look"]
