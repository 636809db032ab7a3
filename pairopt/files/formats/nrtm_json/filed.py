"""The cut that a file of NRTM JSON has, as a bracket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from pairopt.event.elimination import Elimination
from pairopt.event.event import Event
from pairopt.event.points import Score
from pairopt.event.standings import ranked
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.formats.nrtm_json.words import CUT, FORM

SEATS = ("player1", "player2")


@dataclass(frozen=True, slots=True)
class Game:
    """A match of the cut: its table in the file, who met, and the winner if there is one."""

    table: Mapping[str, Any]
    players: tuple[str, str]
    winner: str | None


def has_cut(event: Event) -> bool:
    """Whether the file of an event names players of a cut, or has rounds of one."""
    return bool(_dicts(_said(event).get("eliminationPlayers")) or games_of(event))


def cut_in(event: Event) -> Elimination | None:
    """The cut in the file of an event; None without one, or where it is another kind of bracket.

    One of which only the first round is there could be single or double: from four players on it
    is double, as these programs make it.
    """
    rounds = games_of(event)
    games = [*chain(*rounds)]
    players = _seeds(event, games)
    if len(players) < 2:
        return None
    lost = [{*game.players} - {game.winner} if game.winner else set() for game in games]
    again = any({*game.players} & {*chain(*lost[:k])} for k, game in enumerate(games))
    made = Elimination(players, again or (len(rounds) < 2 and len(players) > 3))
    for game in games:
        seeds = {players.index(name) + 1 for name in game.players if name in players}
        match = next((each for each in made.matches if each.open and {*each.seeds} == seeds), None)
        if match is None:
            return None
        if game.winner is not None:
            won = Fraction(match.seeds[0] == players.index(game.winner) + 1)
            made = made.with_result(match.fixture.number, Score(won, 1 - won))
    return made


def games_of(event: Event) -> list[list[Game]]:
    """The rounds of the cut in the file of an event."""
    rounds = _said(event).get(CUT)
    each = rounds if isinstance(rounds, list) else []
    found = [[game for table in _dicts(tables) if (game := _game(table))] for tables in each]
    return [games for games in found if games]


def _game(table: Mapping[str, Any]) -> Game | None:
    """The match at a table, None where there are not two players."""
    seats = _dicts([table.get(key) for key in SEATS])
    if [("id" in seat) for seat in seats] != [True, True]:
        return None
    one, two = (str(seat["id"]) for seat in seats)
    ahead = _points(seats[0]) - _points(seats[1])
    return Game(table, (one, two), (one if ahead > 0 else two) if ahead else None)


def _points(seat: Mapping[str, Any]) -> float:
    """What a player made of a match; older files have it in combinedScore alone."""
    if "winner" in seat:
        return seat["winner"] is True
    keys = ("combinedScore",) if "combinedScore" in seat else ("corpScore", "runnerScore")
    values = [seat.get(key) for key in keys]
    return sum(value for value in values if isinstance(value, int | float))


def _seeds(event: Event, games: Sequence[Game]) -> tuple[str, ...]:
    """The players of the cut by seed; none where they are not known.

    While it is played these programs name only who is out: all are seeded by the standings.
    """
    said = _dicts(_said(event).get("eliminationPlayers"))
    seeds = {each["seed"]: str(each.get("id")) for each in said
             if isinstance(each.get("seed"), int)}  # fmt: skip
    playing = {*chain(*(game.players for game in games))}
    if {*seeds} == {*range(1, len(said) + 1)}:
        made = tuple(seeds[seed] for seed in sorted(seeds))
    else:
        made = tuple(line.player for line in ranked(event, SCHEDULE) if line.player in playing)
        if len(made) != _said(event).get("cutToTop"):
            return ()
    fits = all(made[seed - 1 : seed] == (name,) for seed, name in seeds.items())
    return made if fits and len({*made} & {*event.players}) == len(made) else ()


def _said(event: Event) -> Mapping[str, Any]:
    said = event.origin.facts.get(FORM, {})
    return said if isinstance(said, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
