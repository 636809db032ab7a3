"""Rounds of 10 to 60 players, drawn by a number: what was played could have been played.

Rounds of the past are played by lot, by scores, between halves of the field; then some more as
they are paired by whoever is tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from random import Random
from typing import Any

from burstein_round import burstein
from dutch_random import RESULTS, random_round
from dutch_round import Cell, Round
from events import POINTS, Case, Points, Style, played, shipped
from neighbours import Pairs, UsedUpError, turns, without
from oracle import Arc, Model, Pairing, Row

SMALLEST, LARGEST = 10, 60
PAST: tuple[Style, ...] = (
    "swiss",
    "swiss",
    "swiss",
    "random",
    "fresh",
    "across",
    "again",
)
WEIGHTED = (
    "standard",
    "excalibur",
    "double-sided",
    "top-first",
    "monrad",
    "fide-basic",
)
"""Models whose criteria have the magnitudes of counts and points, to be weighted here."""


def size(chance: Random, largest: int = LARGEST, smallest: int = SMALLEST) -> int:
    """Any size, small ones more often."""
    return smallest + int((largest - smallest + 1) * chance.random() ** 1.7)


@dataclass(frozen=True)
class Drawn:
    """A round of a model, and the points and sides of its event."""

    case: Case
    points: Points
    sided: bool

    @property
    def number(self) -> int:
        """The round to be paired."""
        past = (
            int(str(row["round"]))
            for row in self.case.rows
            if row["status"] != "requested"
        )
        return 1 + max(past, default=0)

    def after(self, pairing: Pairing, chance: Random) -> Drawn:
        """The round after this one; some stay away, some leave, some come late."""
        number = self.number
        rows = [*self.case.rows, *(self._row(arc, number, chance) for arc in pairing)]
        players = [dict(player) for player in self.case.players]
        quiet = chance.random() < 0.5
        for player in players:
            if player["active"] and not quiet and chance.random() < 0.06:
                if chance.random() < 0.5:
                    player["active"] = False
                else:
                    given = chance.choice(["0", self.points.draw, self.points.win])
                    rows.append(_row(number + 1, player["player"], given, "requested"))
        if not quiet and chance.random() < 0.2:
            late = {"player": f"late{number}", "active": True, "rating": "1700"}
            players.append(dict.fromkeys(players[0]) | late)
        model = self.case.model
        away = {row["player1"] for row in rows if row["round"] == number + 1}
        names = [
            p["player"] for p in players if p["active"] and p["player"] not in away
        ]
        options = _options(chance, names) if len(names) > 3 else {}
        return replace(
            self, case=Case(rows, players, model, options, self.case.seed + 1)
        )

    def _row(self, arc: Arc, number: int, chance: Random) -> Row:
        one, two = arc
        points, side = self.points, self.points.sides[0] if self.sided else None
        if two is None:
            return _row(number, one, points.win, "bye")
        usual = [
            (points.win, points.loss),
            (points.loss, points.win),
            (points.draw, points.draw),
        ]
        score1, score2 = chance.choice([*usual[:2], *usual, *points.others])
        forfeit = chance.random() < 0.04
        if forfeit:
            score1, score2 = chance.choice(
                [(points.win, "0"), ("0", points.win), ("0", "0")]
            )
        return {
            "round": number,
            "table": None,
            "player1": one,
            "player2": two,
            "side1": side,
            "score1": score1,
            "score2": score2,
            "status": "forfeit" if forfeit else "",
        }


def _row(number: int, player: str, score: str, status: str) -> Row:
    return {
        "round": number,
        "table": None,
        "player1": player,
        "player2": None,
        "side1": None,
        "score1": score,
        "score2": None,
        "status": status,
    }


def drawn(
    number: int,
    model: str,
    weighted: bool = False,
    largest: int = LARGEST,
    smallest: int = SMALLEST,
) -> Drawn:
    """The round of this number under a shipped model, often with clubs kept apart."""
    chance = Random(f"{model} {number} {weighted}")
    points, sided = chance.choice(POINTS), chance.random() < 0.8
    style, rounds = chance.choice(PAST), chance.randint(0, 8)
    many = size(chance, largest, smallest)
    field = played(
        chance,
        many,
        rounds,
        points,
        sided,
        chance.random() < 0.4,
        chance.random() < 0.15,
        chance.random() < 0.2,
        style,
    )
    rules = shipped(model, last_round=chance.random() < 0.2)
    criteria = list(rules.get("criteria") or [])
    apart = chance.random()
    if apart < 0.15:
        rules["constraints"] = {
            **rules.get("constraints", {}),
            "conflicts": ["club"],
        }
    elif apart < 0.35:
        criteria.insert(
            chance.randint(0, len(criteria)), {"kind": "conflicts", "column": "club"}
        )
    if weighted:
        weights = [0, 1, 2, 3, 7, Decimal("0.25"), Decimal("1.5"), 100, 10**12]
        criteria = [{**row, "weight": chance.choice(weights)} for row in criteria]
        rules["objective"] = "weighted"
    rules["criteria"] = criteria
    case = Case(
        field.rows, field.players, rules, _options(chance, field.active), number % 4
    )
    return Drawn(case, points, sided)


def _options(chance: Random, active: Sequence[str]) -> dict[str, Any]:
    """Pairs that are forced or forbidden, and who has the bye or not; often none."""
    made: dict[str, Any] = {}
    if chance.random() < 0.5:
        return made
    if chance.random() < 0.3:
        made["force"] = [tuple(chance.sample(list(active), 2))]
    if chance.random() < 0.6:
        many = chance.randint(1, 2 * len(active))
        made["forbid"] = [tuple(chance.sample(list(active), 2)) for _ in range(many)]
        made["forbid"] = [
            p for p in made["forbid"] if {*p} not in map(set, made.get("force", ()))
        ]
    if len(active) % 2 and chance.random() < 0.4:
        free = [name for name in active if name not in sum(made.get("force", []), ())]
        if chance.random() < 0.3:
            made["bye"] = chance.choice(free)
        else:
            made["no_bye"] = chance.sample(free, chance.randint(1, 4))
    return made


def tight(number: int) -> tuple[Case, int]:
    """A field that hardly has pairs left, as some may have dropped, and a lookahead."""
    chance = Random(f"tight {number}")
    players = chance.choice((10, 10, 11, 12, 12, 13, 14, 16, 18, 20, 24, 30, 40))
    names = [f"p{k}" for k in range(players)]
    seats = players + players % 2  # the last one is the bye in odd fields
    left = [{*range(seats)} - {seat} for seat in range(seats)]
    wanted, sided, rows, played = (
        chance.randint(2, 5),
        chance.random() < 0.5,
        list[Row](),
        0,
    )
    while played < seats - 1 - wanted and (turn := _turn(left, chance)):
        left, played = without(left, turn), played + 1
        for a, b in sorted(turn):
            if b == players:
                rows.append(_row(played, names[a], "3", "bye"))
                continue
            one, two = chance.sample((names[a], names[b]), 2)
            score1, score2 = chance.choice((("3", "0"), ("0", "3"), ("1", "1")))
            rows.append(
                {
                    "round": played,
                    "table": None,
                    "player1": one,
                    "player2": two,
                    "side1": "corp" if sided else None,
                    "score1": score1,
                    "score2": score2,
                    "status": "",
                }
            )
    gone = chance.sample(names, chance.choice((0, 0, 1, 2, 3, 4)))
    listed = [
        {"player": name, "active": name not in gone, "rating": None} for name in names
    ]
    model: Model = shipped(
        chance.choice(("monrad", "excalibur", "standard", "double-sided"))
    )
    most = (
        3 if players <= 20 else min(3, wanted - 1)
    )  # else one round takes half a minute
    return Case(rows, listed, model, {}, number % 4), chance.randint(1, most)


def _turn(partners: list[set[int]], chance: Random) -> Pairs:
    """A round by lot among those who have not met; empty where none is found."""
    try:
        return next(
            turns(partners, {*range(len(partners))}, iter(range(2000)), chance), []
        )
    except UsedUpError:
        return []


# ---------------------------------------------------------------------- FIDE's systems


def system_round(number: int, system: str) -> Round:
    """A round of the Dutch or the Burstein System, now and then with players of clubs apart."""
    chance = Random(f"{system} {number}")
    players = size(chance)
    made = random_round(
        chance.randrange(10**9), players, players, chance.choice((5, 7, 9, 11))
    )
    if chance.random() < 0.15:
        clubs = {player: chance.choice("abcdef------") for player in made.cells}
        pairs = combinations(sorted(made.cells), 2)
        same = {frozenset(p) for p in pairs if clubs[p[0]] == clubs[p[1]] != "-"}
        made = replace(made, forbidden=made.forbidden | same)
    return burstein(made) if system == "fide-burstein" else made


def system_after(
    given: Round, pairs: Sequence[tuple[int, int]], chance: Random
) -> Round:
    """The round after, White first in each pair, the bye as (player, 0)."""
    new: dict[int, Cell] = {}
    for white, black in pairs:
        results = chance.choice(RESULTS)
        if chance.random() < 0.04:
            results = chance.choice((("+", "-"), ("-", "+"), ("-", "-")))
        new[white] = Cell(black, "w", results[0]) if black else Cell(result="U")
        if black:
            new[black] = Cell(white, "b", results[1])
    cells = {}
    for player, row in given.cells.items():
        cells[player] = (*row, new[player]) if player in new else row
        if chance.random() < 0.03:
            cells[player] += (Cell(result=chance.choice("ZH")),)
    return replace(given, cells=cells)
