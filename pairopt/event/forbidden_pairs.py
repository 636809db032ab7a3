"""Forbidden pairs: players who may not meet, and in which rounds."""

from collections.abc import Iterable
from dataclasses import dataclass

Rounds = tuple[int, int]
"""The first and the last of several rounds."""


@dataclass(frozen=True, slots=True)
class ForbiddenMeeting:
    """Two players who may not meet in some rounds.

    `one` and `two` are their positions in the event, `rounds` the first and the last of
    these rounds; None means all rounds.
    """

    one: int
    two: int
    rounds: Rounds | None = None


def pairs_forbidden_in(
    meetings: Iterable[ForbiddenMeeting], number: int
) -> tuple[tuple[int, int], ...]:
    """Return the pairs, by position, that may not meet in round `number`.

    They keep the order of the given meetings. A pair that is given twice in the same
    order is there once. Meetings that are forbidden in other rounds only are left out.
    """
    forbidden_pairs = []
    for meeting in meetings:
        forbidden_rounds = meeting.rounds
        if (
            forbidden_rounds is None
            or forbidden_rounds[0] <= number <= forbidden_rounds[1]
        ):
            forbidden_pairs.append((meeting.one, meeting.two))
    return tuple(dict.fromkeys(forbidden_pairs))


def rounds_text(rounds: Rounds) -> str:
    """Return the first and the last round as text: "2-4", or "3" for one round."""
    first_round, last_round = rounds
    return (
        str(first_round) if first_round == last_round else f"{first_round}-{last_round}"
    )


def when_text(rounds: Rounds | None) -> str:
    """Return "in round 3" or "in rounds 2-4"; "" for None, which is all rounds."""
    if rounds is None:
        return ""
    round_noun = "rounds" if rounds[0] < rounds[1] else "round"
    return f"in {round_noun} {rounds_text(rounds)}"
