"""The families of the library: each round from its family and number, drawn without pairopt's part
in what was played (but for `ordinary`, whose rounds it has paired)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import foreign_fields
from events import event_of
from foreign_fields import (
    History,
    clubs,
    distinct,
    late,
    mixed,
    monrad,
    never_twice,
    shared,
)
from larger_fields import system_round, tight
from simulation import rounds

from pairopt import Event

EXACT = ("excalibur", "standard", "top-first", "fide-basic", "monrad", "leaguevine")
HARD = ("monrad", "fide-basic", "leaguevine")
SIDES = ("standard", "top-first", "fide-basic", "excalibur")


@dataclass(frozen=True)
class Made:
    """A round: an event and its model, with the options it is paired with, or a report."""

    said: str
    model: str
    event: Event | None = None
    trf: str = ""
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """How many rounds are stored, whether one has to have a pairing, and how one is drawn.

    `wanted` is the status that is asked of a stored one; numbers that have another are passed over.
    """

    count: int
    about: str
    draw: Callable[[int], Made]
    wanted: str = "optimal"


def _size(chance: Random, most: int, least: int = 6) -> int:
    """Any size, small ones more often: a proof grows with the square."""
    return least + int((most - least + 1) * chance.random() ** 3)


def _chance(family: str, number: int) -> Random:
    return Random(f"library {family} {number}")


def _of(field_: foreign_fields.Field, model: str, **options: Any) -> Made:
    return Made(field_.name, field_.model or model, field_.event, options=options)


def ordinary(number: int) -> Made:
    chance = _chance("ordinary", number)
    players, played = _size(chance, 160, 8), chance.randint(1, 6)
    model = chance.choice(("excalibur", "standard", "top-first"))
    events = [event for event, _ in rounds(players, played + 1, number, model)]
    return Made(
        f"{players} players at the start, {played} rounds paired by {model}",
        model,
        events[-1],
    )


def foreign(number: int) -> Made:
    chance = _chance("foreign", number)
    size = 400 if number == 7 else _size(chance, 120)
    return _of(mixed(chance, (size, size), (1, 9)), EXACT[number % len(EXACT)])


def scarce(number: int) -> Made:
    chance = _chance("scarce", number)
    size = chance.randint(6, 24)
    return _of(late(chance, (size, size)), HARD[number % len(HARD)])


def three_clubs(number: int) -> Made:
    chance = _chance("clubs", number)
    size = _size(chance, 90, 8)
    return _of(clubs(chance, (size, size)), EXACT[number % len(EXACT)])


def all_distinct(number: int) -> Made:
    chance = _chance("distinct", number)
    size = _size(chance, 50, 8)
    model = ("excalibur", "top-first", "monrad", "leaguevine", "double-sided")[
        number % 5
    ]
    return _of(distinct(chance, (size, size)), model)


def sided(number: int) -> Made:
    """Sides by coin, or always the first one's: out of balance."""
    chance = _chance("sides", number)
    players, played = _size(chance, 60), chance.randint(2, 7)
    sides = chance.choice(("by coin", "all equal"))
    event = History(never_twice(), sides, shared(0.2)).event(players, played, chance)
    said = f"{players} players, {played} rounds by lot without a rematch, sides {sides}"
    return Made(said, SIDES[number % len(SIDES)], event)


def double_sided(number: int) -> Made:
    """Matches of two games, one with each side, so that the match has none."""
    chance = _chance("double-sided", number)
    players, played = _size(chance, 90), chance.randint(2, 8)
    history = History(monrad, "none", shared(0.35), chance.choice((0, 0.1)))
    event = history.event(players, played, chance)
    bare = replace(event.matches, side=event.matches.side * 0 - 1)
    said = (
        f"{players} players, {played} rounds of neighbours in the standings, no sides"
    )
    return Made(said, "double-sided", replace(event, matches=bare, sides=None))


def lookahead(number: int) -> Made:
    case, ahead = tight(number)
    said = f"{len(case.players)} players who hardly have anybody left, {ahead} more rounds in hand"
    return Made(
        said,
        str(case.model["name"]),
        event_of(case.rows, case.players),
        options={"lookahead": ahead},
    )


def dutch(number: int) -> Made:
    made = system_round(number, "fide-dutch")
    return Made(
        f"{len(made.cells)} players of a tournament report",
        "fide-dutch",
        trf=f"192 FIDE_DUTCH\n{made.trf()}",
    )


def burstein(number: int) -> Made:
    made = system_round(number, "fide-burstein")
    return Made(
        f"{len(made.cells)} players of a tournament report",
        "fide-burstein",
        trf=f"192 FIDE_BURSTEIN\n{made.trf()}",
    )


def infeasible(number: int) -> Made:
    """Nearly everybody has met, or is forbidden to meet."""
    chance = _chance("infeasible", number)
    if number % 2:
        made = late(chance, (6, 20))
        return _of(made, "fide-basic")
    size = chance.randint(6, 24)
    return _of(
        foreign_fields.forbidden(chance, (size, size)),
        ("monrad", "fide-basic")[number % 4 // 2],
    )


FAMILIES: dict[str, Family] = {
    "ordinary": Family(
        25, "tournaments that pairopt has paired itself, round by round", ordinary
    ),
    "foreign": Family(
        30,
        "histories that pairopt did not pair: random, neighbours, halves, by hand",
        foreign,
    ),
    "scarce": Family(30, "few possible opponents are left: nearly infeasible", scarce),
    "clubs": Family(20, "three large clubs whose players are kept apart", three_clubs),
    "distinct": Family(20, "nearly all scores are different", all_distinct),
    "sides": Family(20, "sides are far out of balance", sided),
    "double-sided": Family(15, "matches of two games, without sides", double_sided),
    "lookahead": Family(
        15, "one to three further rounds must remain possible", lookahead
    ),
    "fide-dutch": Family(10, "FIDE's Dutch System of 2026", dutch),
    "fide-burstein": Family(5, "FIDE's Burstein System of 2026", burstein),
    "infeasible": Family(
        10, "there is no pairing; the proof shows why", infeasible, "infeasible"
    ),
}


def large() -> Iterator[tuple[str, Made]]:
    """Thirty rounds of 300 to 10,000 players that are not stored, by name."""
    for number, players in enumerate(
        (300, 500, 1000, 2000, 3000, 4000, 5000, 6000, 8000, 10_000)
    ):
        model = ("excalibur", "standard")[number % 2]
        events = [event for event, _ in rounds(players, 4, 100 + number, model)]
        yield (
            f"large-ordinary-{players:05}",
            Made(
                f"{players} players at the start, 3 rounds paired by {model}",
                model,
                events[-1],
            ),
        )
    for number, players in enumerate(
        (300, 500, 700, 1000, 1300, 1600, 2000, 2500, 3000, 4000)
    ):
        chance = _chance("large foreign", number)
        field_ = mixed(chance, (players, players), (2, 7))
        model = ("excalibur", "top-first", "monrad", "standard")[number % 4]
        yield f"large-foreign-{players:05}", _of(field_, model)
    for number, players in enumerate((300, 400, 500, 600, 800, 1000)):
        chance = _chance("large clubs", number)
        field_ = clubs(chance, (players, players))
        yield (
            f"large-clubs-{players:05}",
            _of(field_, ("excalibur", "monrad")[number % 2]),
        )
    for number, players in enumerate((300, 1000, 3000, 6000)):
        chance = _chance("large double-sided", number)
        event = History(monrad, "none", shared(0.35)).event(players, 5, chance)
        bare = replace(event.matches, side=event.matches.side * 0 - 1)
        said = f"{players} players, 5 rounds of neighbours in the standings, no sides"
        yield (
            f"large-double-sided-{players:05}",
            Made(said, "double-sided", replace(event, matches=bare, sides=None)),
        )
