"""Untold: what rooms say in texts of the command line, as long as they tell no kinds.

A room that does has its sentences for pages in `show/words/page`, and needs none of this.
"""

from __future__ import annotations

import re

from pairopt.rules.constraints import CONSTRAINTS

_KIND = "|".join(sorted(CONSTRAINTS, key=len, reverse=True))
TEXTS = {
    r"^.*row \d+, column score\d: no score for .* (in round \d+): (finish .*)":
        r"results are missing \1: \2",
    rf"^(?:{_KIND}|lookahead): (.+?) \((.+)\)$": r"\1: \2",
    rf"\b(?:{_KIND}) \(((?:[^()]|\([^()]*\))*)\)": r"the rule “\1”",
    r"--[a-z-]+ (?=\S+: expected)": "",
    r" \(--[a-z-]+(?:, or [^)]*)?\)": "",
    r"--force\b(?: \(.*\))?": "what is kept",
    r"--fixed\b(?: \(.*\))?": "the tables that stay",
    r"--bye\b(?: \(.*\))?": "the bye that is kept",
    r"--forbid\b(?: \(.*\))?": "what may not be",
    r"--no-bye\b(?: \(.*\))?": "who may not have the bye",
    r"with --relax ": "without the rule ",
    r"pairopt mend .* goes on with what is whole": "the Log leads back to what was whole",
}  # fmt: skip
"""What the command line calls things, and what the page does."""
WITHOUT = re.compile(rf"without the rule ({_KIND})\b")


def reworded(text: str) -> str:
    """A text of such a room in the words of the page."""
    for command, words in TEXTS.items():
        text = re.sub(command, words, text)
    return WITHOUT.sub(lambda found: f"without the rule “{_rule(found[1])}”", text)


def _rule(kind: str) -> str:
    """A constraint in words."""
    return " ".join((CONSTRAINTS[kind].__doc__ or kind).split("\n\n")[0].split()).rstrip(".")
