"""Contender `alphabet`: pair players with equal points in alphabetical order."""

from __future__ import annotations

import numpy as np

from pairopt.extend import Event


def alphabet(event: Event, seed: int) -> list[tuple[str, ...]]:
    """Pair neighbours in the order of points, then of names; the last one has the bye."""
    played = event.before
    points = np.bincount(played.first, played.score1, len(event.players))
    has_opponent = played.second >= 0
    points += np.bincount(
        played.second[has_opponent], played.score2[has_opponent], len(event.players)
    )
    active = np.flatnonzero(event.active)
    order = sorted(active, key=lambda k: (-points[k], event.players[k]))
    names = [event.players[k] for k in order]
    bye = [(names.pop(),)] if len(names) % 2 else []
    return [*zip(names[::2], names[1::2], strict=True), *bye]
