"""standings.csv: one row per player, for exports without matches.

The rounds are built from each player's list of opponents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairopt.errors import Fault, InputError, UsageError
from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions, build_event
from pairopt.files.csv_schema import MatchRow, StandingsRow, parse_row, parse_rows
from pairopt.files.formats.base import Format
from pairopt.files.formats.players_csv import (
    HISTORY,
    build_player_table,
    find_player_faults,
)
from pairopt.files.text_tables import TextTable
from pairopt.messages import message

NO_OPPONENT = ("bye", "-")


def recognises(table: TextTable) -> bool:
    """Return whether a table lists players with a score or a history."""
    return "player" in table.columns and not HISTORY.isdisjoint(table.columns)


def read(table: TextTable, how: ReadOptions) -> Event:
    """Read standings.csv. The matches are those that both players' lists agree on."""
    if how.round is not None:
        raise UsageError("standing.round")
    players = parse_rows(table, StandingsRow, ["player"])
    faults = find_player_faults(table, players)
    if not faults:
        # without opponents, pairings would repeat matches that pairopt does not know
        if how.history and "opponents" not in table.columns:
            faults += _find_scores_without_history(players)
        faults += _find_list_faults(players)
    if faults:
        raise InputError(table.name, faults)

    players_with_byes = []
    for player in players:
        listed_byes = sum(name.lower() in NO_OPPONENT for name in player.opponents)
        further_byes = max((player.byes or 0) - listed_byes, 0)
        players_with_byes.append(replace(player, byes=further_byes))
    roster = build_player_table(table, players_with_byes)
    rows = _build_match_rows(players)
    event = build_event(table.name, rows, roster, replace(how, any_byes=True))
    return replace(event, complete_history=False)


def _find_scores_without_history(players: Sequence[StandingsRow]) -> list[Fault]:
    """Return a fault for the first player with a score; no fault if none has one."""
    for player in players:
        if player.score:
            reason = message("standing.no_history", score=str(player.score))
            return [Fault(reason, player.place.at("score"))]
    return []


def _find_list_faults(players: Sequence[StandingsRow]) -> Iterator[Fault]:
    """Yield faults of the lists: unknown opponents, one-sided meetings, equal sides."""
    by_name = {player.player: player for player in players}
    for player in players:
        sides = _list_sides(player)
        if sides is None:
            reason = message("standing.sides", sides=len(player.sides))
            yield Fault(reason, player.place.at("sides"))
            continue
        for index, name in enumerate(player.opponents):
            if name.lower() in NO_OPPONENT:
                continue
            opponent = by_name.get(name)
            kind = ""
            if opponent is None:
                kind = "standing.no_player"
            elif opponent.opponents[index : index + 1] != (player.player,):
                kind = "standing.one_sided"
            elif name == player.player:
                kind = "standing.alone"
            elif (
                sides[index]
                and player.player < name
                and sides[index] in (_list_sides(opponent) or [])[index : index + 1]
            ):
                kind = "standing.same_side"
            if kind:
                column = "sides" if kind == "standing.same_side" else "opponents"
                reason = message(
                    kind,
                    found=name,
                    player=player.player,
                    round=index + 1,
                    side=sides[index],
                )
                yield Fault(reason, player.place.at(column))


def _list_sides(player: StandingsRow) -> list[str] | None:
    """Return a player's side in each round, "" for none.

    Returns None if lists differ in length.
    """
    rounds = player.opponents
    side_cells = [side.lower() for side in player.sides]
    if not side_cells:
        return [""] * len(rounds)
    games = [
        index for index, name in enumerate(rounds) if name.lower() not in NO_OPPONENT
    ]
    if len(side_cells) == len(rounds):
        return ["" if side in NO_OPPONENT else side for side in side_cells]
    if len(side_cells) != len(games):
        return None
    sides = dict(zip(games, side_cells, strict=True))
    return [sides.get(index, "") for index in range(len(rounds))]


def _build_match_rows(players: Sequence[StandingsRow]) -> list[MatchRow]:
    """Build the rows of matches.csv that the lists stand for, with scores of 0."""
    rows = []
    index_by_player = {player.player: k for k, player in enumerate(players)}
    for k, player in enumerate(players):
        byes = len(player.opponents) if player.byes is None else player.byes
        sides = _list_sides(player) or []
        for index, name in enumerate(player.opponents):
            if name.lower() in NO_OPPONENT:
                status = "bye" if byes > 0 else "requested"
                byes -= 1
                rows.append(_build_row(index, player, "", "", status))
            elif k < index_by_player[name]:
                rows.append(_build_row(index, player, name, sides[index], ""))
    return rows


def _build_row(
    turn: int, player: StandingsRow, opponent: str, side: str, status: str
) -> MatchRow:
    """Build a row for a round of a player; `turn` counts rounds from 0."""
    cells = {
        "round": str(turn + 1),
        "player1": player.player,
        "player2": opponent,
        "side1": side,
        "score1": "0",
        "score2": "0" if opponent else "",
        "status": status,
    }
    return parse_row(MatchRow, cells, place=replace(player.place))


FORMAT = Format(
    name="standings",
    of=TextTable,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
    expected="standings.csv (player, score, and any of opponents, sides, byes, rating, club)",
)
