"""Why a check failed: asked in an order that begins with what can be known for certain.

1. nothing was answered where an answer is wanted, or an error was returned instead of raised;
2. the known mistake that has the same outcome in every case and probe; of up to three that nothing
   tells apart, each; of a kernel, whose later cases take long, one that alone has its numbers here;
3. another kind of answer: a list for a tuple, a float for an int, other dtype or shape;
4. one or two small changes of a right solution with the same outcome in every case and probe (a
   guard left out, `<` for `<=`), and the law: for mistakes that nobody listed;
5. the words of an error that a library raised, unless the case knows the error;
6. a question to which the answers in all cases are right ones, or one change of every right answer;
7. the law, and "perhaps" a known mistake with the same outcome in this case but not in another;
8. what the case itself knows of this answer;
9. how the answer is related to the right one (off by one, reversed, another order), and the law;
10. else the case's own why, which is that law, and never a guess.

Whoever passes every case is looked at once more, for the kind of each answer and for the probes.
"""

from workbook.checks.framework.diagnosis.cause import cause
from workbook.checks.framework.diagnosis.second_look import second_look

__all__ = ["cause", "second_look"]
