"""The cut of an event folder, as NRTM JSON has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pairopt.event.elimination import BracketMatch, Elimination
from pairopt.event.event import Event
from pairopt.files.bracket import bracket_of
from pairopt.files.formats.nrtm_json.filed import SEATS, Game, cut_in, games_of

Tables = list[dict[str, object]]
PARTS = ("main", "winners", "losers", "final")
"""The parts of a bracket, in the order of their tables."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Its players as they are ranked, its rounds as far as they are played, and what is lost.

    `begun` where it goes on with that of the file the event was made from.
    """

    players: Tables
    rounds: list[Tables]
    notes: list[str]
    begun: bool


def cut_of(event: Event, numbers: Sequence[int]) -> Cut | None:
    """The cut of an event whose players have these numbers, None without another than its file's.

    A match is there when it is played: readers take each to have a winner, and each round to have
    a match. Raises InputError for a fault in bracket.csv.
    """
    made = bracket_of(event)
    if made is None:
        return None
    filed = cut_in(event)
    ids = dict(zip(event.players, numbers, strict=True))
    if made == filed and all(str(number) == player for player, number in ids.items()):
        return None
    called = dict(zip(event.players, event.names, strict=True))
    ranking = [(seed, made.players[seed - 1]) for seed in made.ranking]
    players: Tables = [
        {"id": ids[player], "name": called[player], "rank": rank, "seed": seed}
        for rank, (seed, player) in enumerate(ranking, 1)
    ]
    played = sorted(
        (match for match in made.matches if match.score),
        key=lambda match: (made.stages[match.fixture.number], PARTS.index(match.fixture.part)),
    )
    rounds: dict[int, Tables] = {}
    left = [*chain(*games_of(event))]
    for number, match in enumerate(played, 1):
        table = _table(made, match, number, left)
        for seat in (table[key] for key in SEATS):
            seat["id"] = ids[str(seat["id"])]
        rounds.setdefault(made.stages[match.fixture.number], []).append(table)
    begun = filed is not None and filed.players == made.players
    return Cut(players, [*rounds.values()], _notes(made, played), begun)


def _table(made: Elimination, match: BracketMatch, number: int, left: list[Game]) -> dict[str, Any]:
    """A table with players instead of their numbers: the file's own, which is left no more."""
    players = [made.players[(seed or 0) - 1] for seed in match.seeds]
    winner = made.players[(match.winner or 0) - 1]
    for game in left:
        if {*game.players} == {*players} and game.winner == winner:
            left.remove(game)
            return {**game.table, **{key: {**game.table[key]} for key in SEATS}}
    seats = {key: {"id": player, "winner": player == winner}
             for key, player in zip(SEATS, players, strict=True)}  # fmt: skip
    return {"table": number, **seats, "intentionalDraw": False, "eliminationGame": True}


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
