"""The rules that a chapter keeps for its readers, each a function of a page."""

from bookbuild.rules import code, exercises, opening, outputs, prose, questions, registered
from bookbuild.rules.page import Page, Problem, Rule

__all__ = ["OUTPUT_RULES", "SOURCE_RULES", "Page", "Problem", "Rule"]

SOURCE_RULES: tuple[Rule, ...] = (
    opening.opening,
    opening.minutes,
    prose.length,
    prose.sections,
    prose.described_pictures,
    code.short_cells,
    code.known_tags,
    code.reasons,
    code.no_absolute_paths,
    code.no_fetching,
    exercises.enough,
    exercises.specs,
    exercises.parts,
    exercises.two_hints,
    exercises.folded_solutions,
    exercises.answers,
    questions.multiple_choice,
    questions.guesses,
    registered.agrees,
)
OUTPUT_RULES: tuple[Rule, ...] = (
    outputs.alt_text,
    outputs.no_machine_in_outputs,
    outputs.measurements,
    outputs.promised_errors,
)
