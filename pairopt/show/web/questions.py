"""Questions: what is played, and what matters in it, settle all that a new event has to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pairopt.records import packaged

SAID = packaged("pairopt.show.web", "questions.toml")
FEWEST_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and its answers in words by what they are called in forms."""

    name: str
    words: str
    answers: Mapping[str, str]

    def answered(self, answers: Mapping[str, object]) -> str:
        """The answer in words, "" for none."""
        return self.answers.get(str(answers.get(self.name)), "")


QUESTIONS = tuple(Question(**each) for each in SAID["questions"])
GAME = QUESTIONS[0]


def settled_by(answers: Mapping[str, object]) -> dict[str, str]:
    """The settings for these answers, as they would be typed; none where nobody has given any."""
    given = {each.name: answers.get(each.name) for each in QUESTIONS if each.answered(answers)}
    fitting = (each["model"] for each in SAID["models"] if each["given"].items() <= given.items())
    return {**SAID["games"].get(given.get(GAME.name), {}), "model": next(fitting)} if given else {}


def proposed_rounds(players: int) -> int:
    """So many that only one can have won all, three at least; fewer where all have met before."""
    everybody = players - 1 + players % 2
    return max(1, min(everybody, max(FEWEST_ROUNDS, (players - 1).bit_length())))
