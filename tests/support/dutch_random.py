"""Random rounds of the Dutch System for 4 to 10 players: histories that could have been played.

Players come late, stay away, ask for byes, win by forfeit; pairs are drawn among the legal ones,
sides as article 5 gives them. One seed, one round.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from dutch_round import NEVER, Cell, Round

RESULTS = (("1", "0"), ("=", "="), ("0", "1"))


def random_round(
    seed: int, largest: int = 10, smallest: int = 4, longest: int = 7
) -> Round:
    """A round to pair; about one in four is the last one, and so has topscorers."""
    rng = random.Random(seed)
    players = range(1, rng.randint(smallest, largest) + 1)
    rounds = rng.randint(2, longest)
    late = {n: rng.randint(1, 3) if rng.random() < 0.08 else 0 for n in players}
    accelerated = rng.random() < 0.15
    half = len(players) // 2
    made = Round(
        cells=dict.fromkeys(players, ()),
        rounds=rounds,
        initial=rng.choice("wb"),
        forbidden=frozenset(
            frozenset(rng.sample(players, 2))
            for _ in range(rng.choice((0, 0, 0, 1, 2)))
        ),
        virtual=dict.fromkeys(players[:half], (2, 2, 1, 1)[: rounds - 1])
        if accelerated
        else {},
    )
    before = rounds - 1 if rng.random() < 0.25 else rng.randint(0, rounds - 1)
    for _ in range(before):
        made = _with_absences(rng, made, late)
        following = _after(rng, made)
        if following is None:
            break
        made = following
    made = _with_absences(rng, made, late)
    return made if rng.random() < 0.9 else replace(made, rounds=NEVER)


def covered(given: Round) -> set[str]:
    """What a round has of: absences, forfeits, byes, topscorers, late entries, acceleration."""
    past = [cell for n in given.cells for cell in given.past(n)]
    there = {
        "absences": any(cell.result == "Z" for cell in past)
        or len(given.here) < len(given.cells),
        "forfeits": any(
            cell.result in "+-" and cell.opponent for cell in past if cell.result
        ),
        "byes": any(cell.result == "U" for cell in past) or len(given.here) % 2 == 1,
        "requested byes": any(cell.result in ("H", "F") for cell in past),
        "topscorers": any(map(given.topscorer, given.here)),
        "acceleration": any(given.virtual.values()),
        "forbidden": bool(given.forbidden),
    }
    return {name for name, found in there.items() if found}


def _with_absences(rng: random.Random, given: Round, late: Mapping[int, int]) -> Round:
    """The round with byes asked for, in its own column."""
    cells = {}
    for number, row in given.cells.items():
        away = late[number] > given.played or rng.random() < 0.06
        mark = "Z" if late[number] > given.played else rng.choice("ZZHHF")
        cells[number] = (*row, Cell(result=mark)) if away else row
    return replace(given, cells=cells)


def _after(rng: random.Random, given: Round) -> Round | None:
    """The next round, this one paired at random and played; None without a legal pairing."""
    left = sorted(
        given.here,
        key=lambda n: (-given.score(n) + rng.choice((0, 0, 1)), rng.random()),
    )
    pairs = _drawn(given, left)
    if not pairs:
        return None
    new: dict[int, Cell] = {}
    for one, two in pairs:
        if not two:
            new[one] = Cell(result="U")
            continue
        white = given.white(one, two)
        black = one + two - white
        results = rng.choice(RESULTS)
        if rng.random() < 0.08:
            results = rng.choice((("+", "-"), ("-", "+"), ("-", "-")))
        new[white] = Cell(black, "w", results[0])
        new[black] = Cell(white, "b", results[1])
    cells = {
        n: row if n not in new else (*row, new[n]) for n, row in given.cells.items()
    }
    return replace(given, cells=cells)


def _drawn(given: Round, left: list[int]) -> list[tuple[int, int]]:
    """The first legal pairing in this order; empty where there is none."""
    if not left:
        return []
    first, *others = left
    for second in others:
        if given.may_meet(first, second):
            rest = [n for n in others if n != second]
            more = _drawn(given, rest)
            if more or not rest:
                return [(first, second), *more]
    if len(left) % 2 and given.may_bye(first):
        more = _drawn(given, others)
        if more or not others:
            return [(first, 0), *more]
    return []
