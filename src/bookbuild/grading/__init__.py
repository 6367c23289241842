"""Grade a class's notebooks: each exercise alone, so that a fault costs that exercise and no other.

An answer is found by the name that it defines, never by a file's name, a cell's id or its place. It
runs in a process of its own, after those cells of the edition and of the learner that it needs, and
a fresh check counts the cases that it passes. This is no sandbox: learners' code runs with the
rights of whoever grades.
"""
