"""Questions: three of them find the model that somebody wants who does not know models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CHESS, SIDES, EVEN, GAMES = "chess", "sides", "even", "games"
RATED, FREE = "rated", "free"
EQUALS, LEADERS, ORDER, FACES = "equals", "leaders", "order", "faces"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and its answers in words by what they are called in forms."""

    name: str
    words: str
    answers: Mapping[str, str]


QUESTIONS = (
    Question("game", "What is played?", {
        CHESS: "Chess, or what is paired like it",
        SIDES: "One game a match, with two sides or a first player",
        GAMES: "Two games a match, each player on both sides",
        EVEN: "A game without sides",
    }),
    Question("rules", "Must it be by FIDE's rules?", {
        RATED: "Yes, the games are rated, or an arbiter asks for it",
        FREE: "No",
    }),
    Question("aim", "What matters most?", {
        EQUALS: "That equals meet, and sides and byes are fair",
        LEADERS: "That the best meet each other soon: a short event, one winner",
        ORDER: "Neighbours in the standings, as people know it from pairing by hand",
        FACES: "New faces; the score does not matter",
    }),
)  # fmt: skip
"""The first answer of each is taken where none is given."""


def model_of(answers: Mapping[str, object]) -> str | None:
    """The model for these answers, None where nobody has given any."""
    given = {
        each.name: answers.get(each.name)
        for each in QUESTIONS
        if answers.get(each.name) in each.answers
    }
    if not given:
        return None
    if given.get("rules") == RATED:
        return "fide-dutch"
    aim = given.get("aim", EQUALS)
    if aim == FACES:
        return "random"
    if given.get("game") == GAMES:
        return "double-sided"
    return {LEADERS: "top-first", ORDER: "monrad"}.get(str(aim), "standard")
