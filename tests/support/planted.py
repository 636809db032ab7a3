"""Rounds that differ by one thing that their file does not say: a change is planted in it.

A random tournament is made; the pairing of one of its rounds is that of the rules under what was
true, and the event that goes with it says something else in one place.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairopt import Event, Result, check, read_event, solve
from pairopt.analysis.explain_deviation import DeviationCause
from pairopt.cli.fide.random_tournament import (
    EventRates,
    random_entrants,
    random_report,
)
from pairopt.event.arcs import IntArray
from pairopt.event.event import FORFEIT, PLAYED, Matches
from pairopt.event.score_checks import infer_points

KINDS = ("result", "forfeit", "start", "late", "withdrawn", "forbidden", "side")
PAIRS = (
    "result + result",
    "result + forfeit",
    "result + start",
    "start + result",
    "result + late",
    "result + withdrawn",
    "result + forbidden",
    "start + forbidden",
)


@dataclass(frozen=True)
class Planted:
    """A round as it was published, the event as its file has it, and what was planted."""

    event: Event
    published: pd.DataFrame
    kind: str
    players: frozenset[str]
    scores: tuple[bytes, ...] = ()
    parts: frozenset[tuple[str, frozenset[str]]] = frozenset()

    def found_in(self, cause: DeviationCause) -> bool:
        """Whether a cause says just what was planted, and nothing else; of two changes that were
        planted it may be one, where that is enough."""
        if self.parts:
            return {
                (each.kind, frozenset(each.players)) for each in cause.changes
            } <= self.parts
        if len(cause.changes) != 1:
            return False
        (change,) = cause.changes
        kind = {"forfeit": "result", "starts": "start"}.get(self.kind, self.kind)
        if self.kind == "starts":  # fewer may do, where one was moved past another
            return change.kind == kind and {*change.players} <= self.players
        if change.kind != kind or frozenset(change.players) != self.players:
            return False
        return not self.scores or _scores(change.case.event) == self.scores


def tournament(
    players: int, rounds: int, seed: int, folder: Path, system: str = "fide-dutch"
) -> Event:
    """A random tournament with byes, forfeits, late entries and withdrawals."""
    entrants = random_entrants(players, 2500, 1200, seed)
    rates = EventRates(
        entrants,
        rounds=rounds,
        system=system,
        draws=0.35,
        forfeits=0.02,
        zero_byes=0.02,
        half_byes=0.03,
        late=0.02,
        withdrawn=0.03,
    )
    path = folder / f"{seed}.trf"
    path.write_text(random_report(rates, seed).text, encoding="utf-8")
    return read_event(path)


def before(event: Event, number: int) -> Event:
    """The event as its file was when a round was to be paired."""
    rows = event.matches
    here = rows.paired_rows(number).player_mask(len(event.players))
    return replace(
        event,
        matches=rows.take(rows.round < number),
        round=number,
        active=here,
        declared_active=here,
        notes=(),
    )


def plant(
    event: Event, kind: str, seed: int, model: str = "fide-dutch"
) -> Planted | None:
    """A round of the event that differs by a change of this kind; None where none was found."""
    rng = random.Random(f"{kind} {seed}")
    last = int(event.matches.round.max())
    least = 1 if kind in ("start", "forbidden", "late", "withdrawn", "side") else 2
    for _ in range(40):
        given = before(
            event, 1 if kind in ("side", "starts") else rng.randint(least, last)
        )
        made = (
            _two(kind, given, rng, model)
            if kind in PAIRS
            else PLANTS[kind](given, rng, model)
        )
        if made is not None and not check(made.event, made.published, model).agrees:
            return made
    return None


def _result(given: Event, rng: random.Random, model: str) -> Planted | None:
    rows = given.matches
    k = rng.choice(np.flatnonzero(rows.status == PLAYED).tolist())
    now = int(rows.score1[k]), int(rows.score2[k])
    others = [
        (int(a * given.scale), int(b * given.scale))
        for a, b in infer_points(given).results
    ]
    one, two = rng.choice(sorted(other for other in others if other != now))
    false = replace(
        rows, score1=_with(rows.score1, k, one), score2=_with(rows.score2, k, two)
    )
    return _rewritten(given, model, false, k, "result")


def _forfeit(given: Event, rng: random.Random, model: str) -> Planted | None:
    rows = given.matches
    decided = np.flatnonzero(
        (rows.status == PLAYED) & (rows.score1 != rows.score2)
    ).tolist()
    if not decided:
        return None
    k = rng.choice(decided)
    return _rewritten(
        given, model, replace(rows, status=_with(rows.status, k, FORFEIT)), k, "forfeit"
    )


def _rewritten(
    given: Event, model: str, false: Matches, k: int, kind: str
) -> Planted | None:
    rows, made = given.matches, solve(given, model)
    players = frozenset(
        given.players[p] for p in (int(rows.first[k]), int(rows.second[k]))
    )
    if not made.matches:
        return None
    event = replace(given, matches=false)
    return Planted(event, made.pairings, kind, players, _scores(given))


def _scores(event: Event) -> tuple[bytes, ...]:
    rows = event.matches
    scores = (rows.score1 / event.scale, rows.score2 / event.scale, rows.status)
    return tuple(np.ascontiguousarray(column).tobytes() for column in scores)


def _two(kinds: str, given: Event, rng: random.Random, model: str) -> Planted | None:
    """Two changes, the second in the event that the first one leaves; with one alone of them mended
    the round still differs."""
    first, second = kinds.split(" + ")
    two = PLANTS[second](given, rng, model)
    one = two and PLANTS[first](two.event, rng, model)
    if not two or not one or check(two.event, two.published, model).agrees:
        return None
    parts = frozenset(
        (kind.replace("forfeit", "result"), each.players)
        for kind, each in ((first, one), (second, two))
    )
    players = one.players | two.players
    return Planted(one.event, two.published, kinds, players, parts=parts)


def _start(given: Event, rng: random.Random, model: str) -> Planted | None:
    order = np.argsort(given.start_numbers).tolist()
    one = rng.choice(np.flatnonzero(given.active).tolist())
    moved = [p for p in order if p != one]
    moved.insert(rng.randrange(len(order)), one)
    numbers = given.start_numbers.copy()
    numbers[moved] = given.start_numbers[order]
    made = solve(given, model)
    false = replace(given, start_numbers=numbers)
    players = frozenset({given.players[one]})
    return Planted(false, made.pairings, "start", players) if made.matches else None


def _starts(given: Event, rng: random.Random, model: str) -> Planted | None:
    """Five of the second half had other start numbers of that half."""
    if given.round > 1:
        return None
    made, order = solve(given, model), np.argsort(given.start_numbers).tolist()
    here = [p for p in order if given.active[p]]
    moved = rng.sample(here[len(here) // 2 :], 5)
    after = [p for p in order if p not in moved]
    for one in moved:
        after.insert(
            rng.randint(after.index(here[len(here) // 2 - 1]) + 1, len(after)), one
        )
    numbers = given.start_numbers.copy()
    numbers[after] = given.start_numbers[order]
    players = frozenset(given.players[p] for p in moved)
    return Planted(
        replace(given, start_numbers=numbers), made.pairings, "starts", players
    )


def _late(given: Event, rng: random.Random, model: str) -> Planted | None:
    """The round was paired without somebody who then met who had the bye, or had it."""
    one = given.players[rng.choice(np.flatnonzero(given.active).tolist())]
    made = solve(given, model, drop=[one])
    if not made.matches:
        return None
    return Planted(given, _met_by(made, one), "late", frozenset({one}))


def _withdrawn(given: Event, rng: random.Random, model: str) -> Planted | None:
    """Somebody left after the round was paired; their opponent met who had the bye, or had it."""
    made = solve(given, model)
    if not made.matches:
        return None
    one = given.players[rng.choice(np.flatnonzero(given.active).tolist())]
    rows = made.pairings
    own = (rows["player1"] == one) | (rows["player2"] == one)
    (row,) = rows[own].to_dict("records")
    left = [
        row[name] for name in ("player1", "player2") if row[name] not in (one, None)
    ]
    kept = rows[~own]
    active = given.active.copy()
    active[given.index[one]] = False
    event = replace(given, active=active, declared_active=active)
    published = kept if not left else _joined(kept, left[0], given.round)
    return Planted(event, published, "withdrawn", frozenset({one}))


def _met_by(made: Result, one: str) -> pd.DataFrame:
    return _joined(made.pairings, one, made.round)


def _joined(rows: pd.DataFrame, one: str, number: int) -> pd.DataFrame:
    """The matches with one player more, who meets whoever had the bye, or has it."""
    byes = rows[rows["status"] == "bye"]["player1"].tolist()
    new: dict[str, Any] = {
        "round": number,
        "player1": one,
        "status": "bye",
        "player2": None,
        "side1": None,
    }
    if byes:
        new |= {"player2": byes[0], "status": "forfeit"}
    return pd.concat(
        [rows[rows["status"] != "bye"], pd.DataFrame([new])], ignore_index=True
    )


def _forbidden(given: Event, rng: random.Random, model: str) -> Planted | None:
    free = solve(given, model)
    pairs = [pair for pair in free.pairs if len(pair) == 2]
    if not pairs:
        return None
    one, two = rng.choice(pairs)
    made = solve(given, model, forbid=[(one, two)])
    players = frozenset({one, two})
    return Planted(given, made.pairings, "forbidden", players) if made.matches else None


def _side(given: Event, rng: random.Random, model: str) -> Planted | None:
    made = solve(replace(given, initial_side=0), model)
    return Planted(replace(given, initial_side=1), made.pairings, "side", frozenset())


def _with(column: IntArray, k: int, value: int) -> IntArray:
    made = column.copy()
    made[k] = value
    return made


PLANTS: dict[str, Callable[[Event, random.Random, str], Planted | None]] = {
    "result": _result,
    "forfeit": _forfeit,
    "start": _start,
    "starts": _starts,
    "late": _late,
    "withdrawn": _withdrawn,
    "forbidden": _forbidden,
    "side": _side,
}
"""What plants a change of each kind."""
