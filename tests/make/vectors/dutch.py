"""Vectors of FIDE's Dutch System (C.04.3, 2026): rounds that one criterion decides, C1 to C21.

The numbers of `dutch_global`, each with the criterion that it belongs to: the answer without a
criterion is the least of all pairings by the other numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import dutch_global
from dutch_global import Arc, Arcs
from dutch_literal import Literal
from dutch_random import RESULTS, random_round
from dutch_round import POINTS, Cell, Round

MOST, LEGAL = 8, 60
"""Players of a vector, and legal pairings."""
ABSOLUTE = ("C1", "C2", "C3", "C4")
RULES = {
    "C1": "two players do not meet twice",
    "C2": "a player who has had the bye, or a win's points without playing, does not get the bye",
    "C3": "two players, neither a topscorer, with the same absolute preference do not meet",
    "C4": "the remaining players can be paired with those below",
    "C5": "the score of the player with the bye is as low as possible",
    "C6": "as few downfloaters as possible",
    "C7": "downfloaters with scores as low as possible",
    "C8": "the next bracket can have its fewest and lowest downfloaters",
    "C9": "the player who is to get the bye has as few unplayed games as possible",
    "C10": "in as few pairs of topscorers as possible, a colour difference becomes more than two",
    "C11": "in as few pairs of topscorers as possible, a player gets the same colour three times in a row",
    "C12": "as few colour preferences as possible are refused",
    "C13": "as few strong colour preferences as possible are refused",
    "C14": "as few residents as possible float down again after one round",
    "C15": "as few opponents of moved-down players as possible floated up one round before",
    "C16": "as few residents as possible float down again after two rounds",
    "C17": "as few opponents of moved-down players as possible floated up two rounds before",
    "C18": "players who float down again after one round have scores as low as possible",
    "C19": "players who meet an upfloater of one round before have scores as low as possible",
    "C20": "players who float down again after two rounds have scores as low as possible",
    "C21": "players who meet an upfloater of two rounds before have scores as low as possible",
    "4.2": "transpositions: opponents in the order of the list",
    "4.3": "exchanges: as few and as small as possible",
    "4.4": "the moved-down players who are paired are the highest",
}
TOGETHER = {"C6": ("C6", "C7", "C8"), "C15": ("C15", "C19"), "C17": ("C17", "C21")}
"""What is left out with a criterion."""
LOOKS = {"C6": "C8", "C7": "C8"}
"""Where else the same numbers come first: C8 looks for those of the bracket below."""
ARTICLES = ("4.4", "4.2", "4.3", "4.3", "4.3", "4.3", "4.2")
"""Which article each part of a place in the sequence of candidates belongs to."""


@dataclass(frozen=True)
class Part:
    """A number of a pairing: the criterion it belongs to, of which bracket, and the number."""

    rule: str
    score: int
    value: Any


def parts(given: Round, arcs: Arcs) -> list[Part]:
    """What is compared, part by part."""
    scores = sorted({given.score(n) for n in given.here}, reverse=True)
    bye = max((arc.high for arc in arcs if not arc.lower), default=dutch_global.BELOW)
    made = [Part("C5", bye, bye)]
    for at, score in enumerate(scores):
        made += _bracket(given, arcs, scores, at, bye, score)
    return made


def _bracket(
    given: Round, arcs: Arcs, scores: list[int], at: int, bye: int, score: int
) -> Iterator[Part]:
    blocks = [*dutch_global.bracket(given, arcs, scores, at, bye)]
    floats, *rest = blocks
    yield Part("C6", score, floats[0])
    yield Part("C7", score, floats[1:])
    if len(rest) == 3:
        yield Part("C8", score, rest.pop(0))
    quality, place = rest
    for rule, value in zip(_names(at), quality, strict=True):
        yield Part(rule, score, value)
    for rule, value in zip(ARTICLES, place, strict=True):
        yield Part(rule, score, value)


def _names(above: int) -> list[str]:
    """The criteria of the numbers from C9 on, below so many scores."""
    last = (name for name in ("C18", "C19", "C20", "C21") for _ in range(above))
    return [f"C{k}" for k in range(9, 18)] + [*last]


@dataclass(frozen=True)
class Answer:
    """What a round's pairings are, and what comes out where a criterion is left out."""

    given: Round
    pairings: list[Arcs]
    best: Arcs | None

    @cached_property
    def parts(self) -> list[list[Part]]:
        return [parts(self.given, arcs) for arcs in self.pairings]

    def without(self, rule: str) -> Arcs | None:
        """The pairing by all criteria but one."""
        if rule in ABSOLUTE:
            return _best(_lifted(self.given, rule))
        order = [(_left(mine, rule), at) for at, mine in enumerate(self.parts)]
        return self.pairings[min(order)[1]] if order else None


def _left(mine: list[Part], rule: str) -> list[Any]:
    """The numbers without those of a criterion. Where only scores were left, the number would
    still be in them: C7 goes with C6, C19 with C15, C21 with C17. C8 looks for C6 and C7 of
    the bracket below: it goes with C6, and its scores with C7."""
    gone = TOGETHER.get(rule, (rule,))
    kept = [part for part in mine if part.rule not in gone]
    return [
        part.value[:1] if rule == "C7" and part.rule == "C8" else part.value
        for part in kept
    ]


class _Lifted(Round):
    """A round without one of the rules that are never broken."""

    rule = ""

    def may_bye(self, number: int) -> bool:
        return self.rule == "C2" or super().may_bye(number)

    def may_meet(self, one: int, two: int) -> bool:
        met = any(cell.played and cell.opponent == two for cell in self.past(one))
        wants = self.preference(one)
        clash = wants == self.preference(two) and wants.strength == 3
        clash = clash and not (self.topscorer(one) or self.topscorer(two))
        return (
            frozenset((one, two)) not in self.forbidden
            and (self.rule == "C1" or not met)
            and (self.rule == "C3" or not clash)
        )


def _lifted(given: Round, rule: str) -> Round:
    made = _Lifted(
        given.cells, given.rounds, given.initial, given.forbidden, given.virtual
    )
    object.__setattr__(made, "rule", rule)
    return made


def _best(given: Round) -> Arcs | None:
    every = [*dutch_global._pairings(given, given.here)]
    return min(every, key=lambda arcs: dutch_global.key(given, arcs), default=None)


def answer(given: Round) -> Answer:
    every = [*dutch_global._pairings(given, given.here)]
    return Answer(
        given,
        every,
        min(every, key=lambda arcs: dutch_global.key(given, arcs), default=None),
    )


def decided(
    given: Round, rules: Iterable[str] = RULES
) -> Iterator[tuple[str, Answer, Arcs | None]]:
    """The criteria that decide a round: left out, another pairing comes out."""
    found = answer(given)
    if (
        not 4 <= len(given.here) <= MOST
        or not found.best
        or len(found.pairings) > LEGAL
    ):
        return
    for rule in rules:
        if rule == "C4":
            oracle = Literal(given)
            oracle.pairs()
            if "completion" in oracle.seen:
                yield rule, found, None
            continue
        other = found.without(rule)
        if other is None or set(other) == set(found.best):
            continue
        if rule in ABSOLUTE or _first_worse(found, other)[0].rule in (
            rule,
            LOOKS.get(rule),
        ):
            yield rule, found, other


def _first_worse(found: Answer, other: Arcs) -> tuple[Part, Part]:
    """The first number in which the best pairing and another differ."""
    assert found.best is not None
    both = zip(parts(found.given, found.best), parts(found.given, other), strict=True)
    return next((one, two) for one, two in both if one.value != two.value)


def of_seed(kind: str, number: int) -> Round:
    """The round of a number: "played" as it could have been, or "by lot"."""
    return (
        random_round(number, largest=MOST)
        if kind == "played"
        else _by_lot(Random(number))
    )


def _by_lot(chance: Random) -> Round:
    """Who has not met meets by lot, sides by coin: floats, and colours out of balance."""
    players = range(1, chance.randint(6, MOST) + 1)
    turns = chance.randint(2, 4)
    cells: dict[int, tuple[Cell, ...]] = dict.fromkeys(players, ())
    for _ in range(turns):
        there = chance.sample(players, len(players))
        new = dict.fromkeys(players, Cell(result=chance.choice("ZHH")))
        if len(there) % 2:
            new[there.pop()] = Cell(result="U")
        while len(there) > 1:
            one = there.pop()
            free = [n for n in there if all(n != cell.opponent for cell in cells[one])]
            if not free:
                continue
            two = chance.choice(free)
            there.remove(two)
            mine, theirs = chance.choice(RESULTS)
            new[one], new[two] = Cell(two, "w", mine), Cell(one, "b", theirs)
        cells = {n: (*row, new[n]) for n, row in cells.items()}
    return Round(cells, turns + chance.choice((1, 1, 3)), chance.choice("wb"))


# ---------------------------------------------------------------------- as JSON


def _pairs(given: Round, arcs: Arcs) -> list[list[str | None]]:
    made = []
    for arc in arcs:
        white = given.white(arc.upper, arc.lower) if arc.lower else arc.upper
        other = arc.upper + arc.lower - white
        made.append([str(white), str(other) if other else None])
    return sorted(made, key=lambda pair: int(pair[0]))


def vector(name: str, rule: str, found: Answer, other: Arcs | None) -> dict[str, Any]:
    """The round of a criterion, as the schema has it."""
    given = found.given
    assert found.best is not None
    return {
        "id": name,
        "decides": rule,
        "why": _why(rule, found, other),
        "facts": facts(given),
        "legal": sorted((_pairs(given, arcs) for arcs in found.pairings), key=str),
        "best": [_pairs(given, found.best)],
        "without": None if other is None else [_pairs(given, other)],
    }


def facts(given: Round) -> dict[str, Any]:
    """Players by start number, matches, and the same as a tournament report."""
    return {
        "round": given.played + 1,
        "rounds": given.rounds if given.rounds < 99 else None,
        "rules": {"system": "fide-dutch-2026"},
        "sides": ["white", "black"],
        "first_side": "white" if given.initial == "w" else "black",
        "points": {"win": "1", "draw": "0.5", "loss": "0"},
        "players": [{"id": str(n)} for n in sorted(given.cells)],
        "active": [str(n) for n in sorted(given.here)],
        "matches": [*_matches(given)],
        "forbidden": sorted(sorted(map(str, pair)) for pair in given.forbidden),
        "accelerated": {
            str(n): [str(half / 2) for half in points]
            for n, points in given.virtual.items()
        },
        "trf": given.trf(),
    }


def _matches(given: Round) -> Iterator[dict[str, Any]]:
    for turn in range(1, given.played + 2):
        for number in sorted(given.cells):
            cell = given.cell(number, turn)
            if cell.opponent:
                if cell.side == "w":
                    two = given.cell(cell.opponent, turn)
                    yield _match(turn, number, cell, two)
            elif cell.result not in ("", "Z"):
                status = "bye" if cell.result == "U" else "requested"
                scores = [_points(cell), None]
                yield {
                    "round": turn,
                    "first": str(number),
                    "second": None,
                    "scores": scores,
                    "status": status,
                }


def _match(turn: int, number: int, one: Cell, two: Cell) -> dict[str, Any]:
    status = "played" if one.played else "forfeit"
    return {
        "round": turn,
        "first": str(number),
        "second": str(one.opponent),
        "scores": [_points(one), _points(two)],
        "status": status,
    }


def _points(cell: Cell) -> str:
    return {0: "0", 1: "0.5", 2: "1"}[POINTS[cell.result]]


def _why(rule: str, found: Answer, other: Arcs | None) -> str:
    """Which number decides, in words."""
    given, best = found.given, found.best
    assert best is not None
    said = f"{rule}: {RULES[rule]}. "
    if rule == "C4":
        return said + "A candidate of as many pairs left a rest that cannot be paired."
    assert other is not None
    left = f"Without it {_said(_pairs(given, other))} would be paired, "
    if rule in ABSOLUTE:
        broken = [arc for arc in other if not _stands(given, arc)]
        return said + left + f"but {_said(_pairs(given, broken))} is against it."
    mine, theirs = _first_worse(found, other)
    where = f"in the bracket of {mine.score / 2:g}" if rule != "C5" else "for the round"
    own, their = (_value(rule, part.value) for part in (mine, theirs))
    return said + left + f"which has {their} where {own} is possible {where}."


def _value(rule: str, value: Any) -> str:
    """A number of a criterion, or numbers, as the sentence has it."""
    if rule == "C5":
        return f"{value / 2:g} points"
    if isinstance(value, list) and rule.startswith("C"):
        many, *by_score = value
        return f"{many} downfloaters ({', '.join(map(str, by_score))} by score from the top)"
    if isinstance(value, list):
        return f"the numbers {', '.join(map(str, value))}"
    return str(int(value))


def _stands(given: Round, arc: Arc) -> bool:
    return (
        given.may_meet(arc.upper, arc.lower) if arc.lower else given.may_bye(arc.upper)
    )


def _said(pairs: list[list[str | None]]) -> str:
    return ", ".join(
        f"{one}\N{EN DASH}{two}" if two else f"{one} bye" for one, two in pairs
    )
