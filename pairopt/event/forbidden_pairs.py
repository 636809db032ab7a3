"""Forbidden pairs: players who may not meet, and in which rounds."""

from collections.abc import Iterable
from dataclasses import dataclass

Rounds = tuple[int, int]  # the first and the last of them


@dataclass(frozen=True, slots=True)
class ForbiddenMeeting:
    """Two players, by position, who may not meet in these rounds; None is for all."""

    one: int
    two: int
    rounds: Rounds | None = None


def pairs_forbidden_in(
    given: Iterable[ForbiddenMeeting], number: int
) -> tuple[tuple[int, int], ...]:
    """Return the pairs that may not meet in a round, each once."""
    there = (
        p for p in given if p.rounds is None or p.rounds[0] <= number <= p.rounds[1]
    )
    return tuple(dict.fromkeys((each.one, each.two) for each in there))


def rounds_text(rounds: Rounds) -> str:
    """Return rounds as text: 2-4, or 3."""
    first, last = rounds
    return str(first) if first == last else f"{first}-{last}"


def when_text(rounds: Rounds | None) -> str:
    """Return "in round 3", "in rounds 2-4", or "" for all rounds."""
    if rounds is None:
        return ""
    return f"in round{'s' * (rounds[0] < rounds[1])} {rounds_text(rounds)}"
