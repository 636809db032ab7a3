"""The promises of an evening: laws over files before and after, played from outside.

`python tests/attack/machine.py --law twodesks --steps 2000 --seed 1` plays one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random

from laws import Breach
from trial import Trial

PLAYED = (
    "values",
    "naming",
    "founding",
    "zips",
    "twodesks",
    "leagues",
    "sheets",
    "sayings",
)
"""Each is a module with a function `play`, which plays one event and yields what was broken."""
SAID = {
    "words",
    "words of models",
    "first lines",
    "who did it",
    "identifiers",
    "entities",
}
"""Laws of what is said; the event goes on after a breach."""


@dataclass
class Broken:
    """A breach, with all that was typed before it."""

    breach: Breach
    trail: list[str]

    def __str__(self) -> str:
        return "\n    ".join((str(self.breach), *self.trail[-20:]))


def play(
    law: str,
    steps: int,
    seed: int,
    home: Path,
    heard: Callable[[Broken], None] | None = None,
) -> tuple[Counter[str], list[Broken]]:
    """So many steps of events under one law: counts, and what was broken."""
    trial = Trial(Random(seed), home)
    events = import_module(law).play
    found: list[Broken] = []
    while trial.counts["steps"] < steps:
        trial.begin()
        trial.counts["events"] += 1
        for breach in events(trial):
            found.append(Broken(breach, list(trial.trail)))
            if heard:
                heard(found[-1])
            if breach.law not in SAID:
                break  # what follows from a breach is none
    return trial.counts, found
