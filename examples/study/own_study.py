"""A complete study in one file: python own_study.py [RESULTS.csv] [TOURNAMENTS]

Three decks beat each other in a circle. Does pairing by age find fewer of the four strongest
players than a model does?
"""

from __future__ import annotations

import sys

import numpy as np

from pairopt.lab import World, compare_models, differences


def decks(met):
    """Return the results of a world in which each of three decks beats the next one in 70%."""
    ahead = (met.two - met.one) % 3
    expected = np.where(ahead == 0, met.expected, np.where(ahead == 1, 0.7, 0.3))
    return expected, np.zeros(len(expected))


def by_age(event, seed):
    """Pair in order of points, and of the player list among equal points."""
    rows = event.before
    points = np.bincount(rows.first, rows.score1, len(event.players))
    met = rows.second >= 0
    points += np.bincount(rows.second[met], rows.score2[met], len(event.players))
    order = sorted(np.flatnonzero(event.active), key=lambda p: (-points[p], p))
    names = [event.players[p] for p in order]
    bye = [(names.pop(),)] if len(names) % 2 else []
    return [*zip(names[::2], names[1::2], strict=True), *bye]


def four_of_four(played):
    """Count the four strongest players who are among the first four."""
    best = np.argsort(-played.strength)[:4]
    first = np.argsort(-played.points, kind="stable")[:4]
    return len({*best.tolist()} & {*first.tolist()})


if __name__ == "__main__":
    frame = compare_models(
        ["excalibur", by_age, "round_robin"],
        World(players=12, rounds=4, results=decks, draws=0),
        replicates=int(sys.argv[2]) if len(sys.argv) > 2 else 40,
        seed=1,
        metrics=[four_of_four, "winner"],
        jobs=2,
        output=sys.argv[1] if len(sys.argv) > 1 else "results.csv",
    )
    print(differences(frame).to_string())
