"""A small simulator of tournaments, for tests and benchmarks: same seed, same event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pairopt import Event, Model, Result, solve
from pairopt.event.arcs import IntArray
from pairopt.event.event import BYE_ROW, PLAYED, Matches
from pairopt.event.table_assignment import PairedRow

WIN, DRAW = 3, 1


def opening(n: int, sides: tuple[str, str] | None = ("corp", "runner")) -> Event:
    """An event of n players p0, p1, ... before its first round."""
    none = np.zeros(n, np.int64)
    return Event(
        players=tuple(f"p{k}" for k in range(n)),
        matches=Matches.empty(),
        round=1,
        active=np.ones(n, np.bool_),
        sides=sides,
        rating=none,
        brought=none,
        byes_brought=none,
        fixed_table=none,
        first_round_bye=none.astype(np.bool_),
    )


def played(
    event: Event,
    rows: Sequence[PairedRow],
    rng: np.random.Generator,
    strength: np.ndarray[tuple[int], np.dtype[np.float64]],
    *,
    draws: float = 0.03,
    drops: float = 0.03,
) -> Event:
    """The event after a round: results by Elo's logistic curve, then some players drop."""
    seats = [(row["player1"], row["player2"]) for row in rows]
    positions = [
        [-1 if who is None else event.index[str(who)] for who in seat] for seat in seats
    ]
    first, second = np.array(positions, np.int64).T
    return _after(event, first, second, rng, strength, draws, drops)


def _after(
    event: Event,
    first: IntArray,
    second: IntArray,
    rng: np.random.Generator,
    strength: np.ndarray[tuple[int], np.dtype[np.float64]],
    draws: float,
    drops: float,
) -> Event:
    """The same from positions of players, -1 as second for a bye."""
    bye, count = second < 0, len(first)
    expected = 1 / (1 + 10 ** ((strength[second] - strength[first]) / 400))
    drawn, won = rng.random(count) < draws, rng.random(count) < expected
    score1 = np.where(drawn, DRAW, np.where(won, WIN, 0))
    score2 = np.where(drawn, DRAW, WIN - score1)
    none = np.zeros(count, np.int64)
    side = np.where(bye, -1, 0 if event.sided else -1)
    matches = Matches(
        round=none + event.round,
        table=none,
        first=first,
        second=second,
        side=side.astype(np.int64),
        score1=np.where(bye, WIN, score1).astype(np.int64),
        score2=np.where(bye, 0, score2).astype(np.int64),
        status=np.where(bye, BYE_ROW, PLAYED).astype(np.int64),
        scored=np.ones(count, np.bool_),
        row=none,
    )
    stays: IntArray = rng.random(len(event.players)) >= drops
    return replace(
        event,
        matches=event.matches.concatenate(matches),
        round=event.round + 1,
        active=event.active & stays,
    )


def after(
    event: Event,
    result: Result,
    rng: np.random.Generator,
    strength: np.ndarray[tuple[int], np.dtype[np.float64]],
    *,
    draws: float = 0.03,
    drops: float = 0.03,
) -> Event:
    """The event after a round that was just paired; fast for a million players too."""
    assert result.arcs is not None
    player = np.append(result.problem.state.player, -1)  # the last for -1, the bye
    first, second = player[result.arcs.first], player[result.arcs.second]
    return _after(event, first, second, rng, strength, draws, drops)


def rounds(
    n: int,
    count: int,
    seed: int,
    model: str | Model = "excalibur",
    *,
    draws: float = 0.03,
    drops: float = 0.03,
    **options: Any,
) -> Iterator[tuple[Event, Result]]:
    """Each round of a tournament: the event before it, and its pairing."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 200, n)
    event = opening(n)
    for _ in range(count):
        result = solve(event, model, seed=seed, **options)
        yield event, result
        event = after(event, result, rng, strength, draws=draws, drops=drops)
