"""The cut of an event folder, as NRTM JSON has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pairopt.event.elimination import BracketMatch, Elimination
from pairopt.event.event import Event
from pairopt.files.bracket import bracket_of

Tables = list[dict[str, object]]
PARTS = ("main", "winners", "losers", "final")
"""The parts of a bracket, in the order of their tables."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Its players as they are ranked, its rounds as far as they are played, and what is lost."""

    players: Tables
    rounds: list[Tables]
    notes: list[str]


def cut_of(event: Event, numbers: Sequence[int]) -> Cut | None:
    """The cut of an event whose players have these numbers, None without one.

    A match is there when it is played: readers take each to have a winner, and each round to have
    a match. Raises InputError for a fault in bracket.csv.
    """
    made = bracket_of(event)
    if made is None:
        return None
    place = {player: k for k, player in enumerate(event.players)}
    seeds = [place[player] for player in made.players]
    players: Tables = [
        {"id": numbers[seeds[seed - 1]], "name": event.names[seeds[seed - 1]],
         "rank": rank, "seed": seed}
        for rank, seed in enumerate(made.ranking, 1)
    ]  # fmt: skip
    played = sorted(
        (match for match in made.matches if match.score),
        key=lambda match: (made.stages[match.fixture.number], PARTS.index(match.fixture.part)),
    )
    rounds: dict[int, Tables] = {}
    for table, match in enumerate(played, 1):
        seats = {
            f"player{k}": {"id": numbers[seeds[(seed or 0) - 1]], "winner": seed == match.winner}
            for k, seed in enumerate(match.seeds, 1)
        }
        rounds.setdefault(made.stages[match.fixture.number], []).append(
            {"table": table, **seats, "intentionalDraw": False, "eliminationGame": True}
        )
    return Cut(players, [*rounds.values()], _notes(made, played))


def _notes(made: Elimination, played: Sequence[BracketMatch]) -> list[str]:
    """What it says that is not so, and what it cannot say."""
    more = [score for match in played if (score := match.score)
            and (score.forfeit or {score.one, score.two} != {0, 1})]  # fmt: skip
    notes = {
        "the cut is not finished: those still in it are ranked by their seeds":
            made.champion is None,
        f"lost: scores and forfeits of the cut ({len(more)} of them), but for who won": more,
    }  # fmt: skip
    return [note for note, there in notes.items() if there]
