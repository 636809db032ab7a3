"""Results: how the matches of a round ended, one key or tap a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.event.points import Points, Score
from pairopt.files.folder import BRACKET
from pairopt.folder import Done, bracket, result
from pairopt.folder.desk import Desk
from pairopt.show.shown import Line, Round, known_round
from pairopt.show.web.view import SURE, Asked, AskError, Context, View, number, number_of, text_of

LETTERS = ("w", "d", "l")
"""Further keys where there are a win, a draw and a loss, besides 1, 2 and 3."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A score that a match can end with, from the first player's side, and the keys for it."""

    score: str
    words: str
    keys: str


def context(asked: Asked) -> Context:
    """The tables of a round, or the bracket, and what each can end with."""
    desk, query = asked.desk, asked.query
    cut = BRACKET in desk.files
    shown = number(query["round"], "round") if "round" in query else None if cut else desk.rounds()
    known = _known(desk, shown)
    lines = known.matches
    return {
        "round": shown,
        "rounds": range(1, desk.rounds() + 1),
        "cut": cut,
        "missing": sum(line.open for line in lines),
        "every": len(lines),
        "only": "missing" in query,
        "lines": [line for line in lines if line.open or "missing" not in query],
        "focus": _following(lines, query.get("at", "")),
        "outcomes": outcomes(desk.points(), draws=shown is not None),
        "heads": [known.sides[0] or "Player", known.sides[1] or "Opponent"],
    }


def outcomes(points: Points | None, draws: bool = True) -> list[Ending]:
    """The scores of a match, the best for the first player first, then forfeits."""
    if points is None:
        return []
    played = [each for each in points.results if draws or each[0] != each[1]]
    played.sort(key=lambda each: (-each[0], each[1]))
    letters = LETTERS if len(played) == len(LETTERS) else [""] * len(played)
    made = []
    for k, ((one, two), letter) in enumerate(zip(played, letters, strict=True), 1):
        words = "draw" if one == two else "wins" if one > two else "loses"
        made.append(Ending(str(Score(one, two)), words, f"{k} {letter}".strip()))
    win, nothing = points.win, points.win * 0
    forfeits = [("wins by forfeit", "f", win, nothing), ("loses by forfeit", "g", nothing, win)]
    forfeits += [("both lose by forfeit", "x", nothing, nothing)] * draws
    return made + [
        Ending(str(Score(one, two, forfeit=True)), words, key) for words, key, one, two in forfeits
    ]


def _known(desk: Desk, round: int | None) -> Round:
    """The matches of a round, or those of the bracket whose players are known."""
    if round is not None:
        return known_round(desk.event, round, listed=True)
    made = bracket(desk).bracket
    assert made is not None
    matches = [match for match in made.needed if match.known]
    players = [made.players[seed - 1] for match in matches for seed in match.seeds if seed]
    names = map(desk.event.called.__getitem__, players)
    lines = [
        Line(match.fixture.name, (next(names), next(names)), score=str(match.score or ""))
        for match in matches
    ]
    return Round(("", ""), tuple(lines))


def _following(lines: Sequence[Line], at: str) -> str:
    """The table to go on with after this one: the next that is open, else the first."""
    names = [line.table for line in lines]
    past = names.index(at) if at in names else 0
    return next((line.table for line in (*lines[past:], *lines) if line.open), at)


def scored(desk: Desk, form: FormData) -> Done:
    """Write down a result; forfeits and corrections ask first."""
    table, score, turn = text_of(form, "table"), text_of(form, "score"), number_of(form, "round")
    if table is None or score is None:
        raise UsageError("expected a table and a score")
    told = result(desk.rehearsed(), table, score, round=turn)
    there = any(line.table == table and line.score for line in _known(desk, turn).matches)
    if told.step is not None and (there or score.endswith("F")) and SURE not in form:
        raise AskError("\n".join(told.said))
    return result(desk, table, score, round=turn)


VIEW = View("results", "Results", context, {"score": scored}, place=3)
