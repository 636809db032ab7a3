"""Untold: what rooms say in texts of the command line, as long as they tell no kinds.

A room that does has its sentences for pages in `show/words/page`, and needs none of this."""

from __future__ import annotations

import re

from pairopt.rules.constraints import CONSTRAINTS

_KIND = "|".join(sorted(CONSTRAINTS, key=len, reverse=True))
TEXTS = {
    r"^.*row \d+, column score\d: no score for .* (in round \d+): (finish .*)":
        r"results are missing \1: \2",
    rf"^(?:{_KIND}|lookahead): (.+?) \((.+)\)$": r"\1: \2",
    r"--cut (?=\S+: expected)": "",
    r"pairopt mend .* goes on with what is whole": "the Log leads back to what was whole",
}  # fmt: skip
"""What the command line calls things, and what the page does."""


def reworded(text: str) -> str:
    """A text of such a room in the words of the page."""
    for command, words in TEXTS.items():
        text = re.sub(command, words, text)
    return text
