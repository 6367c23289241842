"""Small changes of a right solution: mutants, as mutation testing makes them.

Nobody can list every mistake. But many are one step away from what is right: a guard left out, `<`
for `<=`, two statements in the other order. ``expressions`` and ``statements`` make such changes of
a right solution's syntax tree, ``making`` turns each into a mutant, and ``agreement`` says which
mutant ends as the reader's solution does, in every case.
"""

from workbook.checks.framework.diagnosis.mutants.agreement import like

__all__ = ["like"]
