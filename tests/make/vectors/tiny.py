"""Tiny events drawn by a number, and what the oracle says of their next round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from oracle import Oracle, Pairing, Row

LABELS = ("white", "black")
POINTS = (("3", "1", "0"), ("1", "0.5", "0"))
NAMES = "ABCDEFGH"
Rules = Mapping[str, Any]
"""A model's constraints and criteria, in order."""


@dataclass(frozen=True)
class Tiny:
    """An event and the rules of its next round, as the oracle takes them."""

    rows: tuple[Row, ...]
    players: tuple[dict[str, Any], ...]
    rules: Rules
    points: tuple[str, str, str]
    forbid: tuple[tuple[str, str], ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    def oracle(self) -> Oracle:
        model = {**self.rules, "win": self.points[0]}
        return Oracle(self.rows, self.players, model, forbid=self.forbid, **self.more)

    @property
    def sided(self) -> bool:
        return any(row["side1"] for row in self.rows)

    def optima(self) -> list[Pairing]:
        return sorted(map(self.normal, self.oracle().optima()), key=str)

    def legal(self) -> list[Pairing]:
        return sorted(map(self.normal, self.oracle().pairings()), key=str)

    def normal(self, pairing: Pairing) -> Pairing:
        """Matches in order; where there are no sides, players in order too."""
        arcs = (
            pairing
            if self.sided
            else [(min(a, b), max(a, b)) if b else (a, b) for a, b in pairing]
        )
        return sorted(arcs, key=str)

    def without(self, kind: str) -> Tiny:
        """The same with a constraint or all criteria of a kind left out."""
        rules = dict(self.rules)
        rules["constraints"] = {
            k: v for k, v in rules["constraints"].items() if k != kind
        }
        rules["criteria"] = [row for row in rules["criteria"] if row["kind"] != kind]
        return replace(self, rules=rules)


def row(
    number: int,
    one: str,
    two: str | None,
    scores: tuple[str | None, str | None],
    status: str = "",
    side: str | None = None,
) -> Row:
    """A row of a list of matches."""
    return {
        "round": number,
        "player1": one,
        "player2": two,
        "side1": side if two else None,
        "score1": scores[0],
        "score2": scores[1],
        "status": status,
    }


@dataclass(frozen=True)
class Chances:
    """How often something happens in a tiny event."""

    sided: float = 0.0
    odd: float = 0.5
    forfeit: float = 0.0
    away: float = 0.0
    late: float = 0.0
    clubs: bool = False
    rounds: tuple[int, int] = (1, 4)
    players: tuple[int, int] = (4, 6)


def tiny(chance: Random, rules: Rules, often: Chances) -> Tiny:
    """Rounds played by lot, with what may happen; who meets has mostly not met before."""
    many = chance.randint(*often.players)
    if (many % 2 == 1) != (chance.random() < often.odd):
        many += 1 if many < often.players[1] else -1
    names, points = NAMES[:many], chance.choice(POINTS)
    sided = chance.random() < often.sided
    starts = dict.fromkeys(names, 1)
    if chance.random() < often.late:
        starts[names[-1]] = chance.randint(2, 3)
    rows: list[Row] = []
    met: set[frozenset[str]] = set()
    played = chance.randint(*often.rounds)
    for number in range(1, played + 1):
        there = [name for name in names if starts[name] <= number]
        for name in [name for name in there if chance.random() < often.away]:
            there.remove(name)
            given = chance.choice(("0", points[1], points[0]))
            rows.append(row(number, name, None, (given, None), "requested"))
        rows += _round(chance, number, there, met, points, sided, often.forfeit)
    players = [
        {
            "player": name,
            "active": True,
            "rating": str(2000 - 50 * k),
            "club": chance.choice("xyz") if often.clubs else None,
        }
        for k, name in enumerate(names)
    ]
    return Tiny(tuple(rows), tuple(players), rules, points)


def _round(
    chance: Random,
    number: int,
    there: list[str],
    met: set[frozenset[str]],
    points: tuple[str, str, str],
    sided: bool,
    forfeit: float,
) -> list[Row]:
    """A round by lot; of ten lots the one with the fewest who have met."""
    win, draw, loss = points
    lots = [chance.sample(there, len(there)) for _ in range(10)]
    order = min(
        lots,
        key=lambda lot: sum(
            frozenset(pair) in met for pair in zip(lot[::2], lot[1::2], strict=False)
        ),
    )
    rows = []
    for one, two in zip(order[::2], order[1::2], strict=False):
        scores = chance.choice(((win, loss), (win, loss), (loss, win), (draw, draw)))
        status = ""
        if chance.random() < forfeit:
            scores, status = (
                chance.choice(((win, loss), (loss, win), (loss, loss))),
                "forfeit",
            )
        else:
            met.add(frozenset((one, two)))
        rows.append(row(number, one, two, scores, status, LABELS[0] if sided else None))
    if len(order) % 2:
        rows.append(row(number, order[-1], None, (win, None), "bye"))
    return rows
