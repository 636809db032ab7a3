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
    """Return whether a table has a column `player`, and scores, opponents or byes.

    One of the columns `score`, `opponents` and `byes` is enough.
    """
    return "player" in table.columns and not HISTORY.isdisjoint(table.columns)


def read(table: TextTable, how: ReadOptions) -> Event:
    """Read standings.csv, and build the matches from the lists of opponents.

    The event is marked as without complete history, because results are not known. Byes
    beyond those listed as opponents are kept as a number. `how` has the reading
    options; its `history` refuses scores without opponents. Raises UsageError if `how`
    names a round, and InputError for lists that do not agree or such scores.
    """
    if how.round is not None:
        raise UsageError("standing.round")
    standings_rows = parse_rows(table, StandingsRow, ["player"])
    faults = find_player_faults(table, standings_rows)
    if not faults:
        # Without opponents, pairings would repeat matches that pairopt does not know.
        if how.history and "opponents" not in table.columns:
            faults += _find_scores_without_history(standings_rows)
        faults += _find_list_faults(standings_rows)
    if faults:
        raise InputError(table.name, faults)

    players_with_byes = []
    for standings_row in standings_rows:
        listed_byes = sum(
            opponent_name.lower() in NO_OPPONENT
            for opponent_name in standings_row.opponents
        )
        unlisted_byes = max((standings_row.byes or 0) - listed_byes, 0)
        players_with_byes.append(replace(standings_row, byes=unlisted_byes))
    player_table = build_player_table(table, players_with_byes)
    match_rows = _build_match_rows(standings_rows)
    event = build_event(
        table.name, match_rows, player_table, replace(how, any_byes=True)
    )
    return replace(event, complete_history=False)


def _find_scores_without_history(players: Sequence[StandingsRow]) -> list[Fault]:
    """Return a fault for the first player whose score is not 0, or an empty list."""
    for standings_row in players:
        if standings_row.score:
            reason = message("standing.no_history", score=str(standings_row.score))
            return [Fault(reason, standings_row.place.at("score"))]
    return []


def _find_list_faults(players: Sequence[StandingsRow]) -> Iterator[Fault]:
    """Yield faults in lists of opponents and sides.

    They are unknown opponents, meetings with oneself or that the opponent's list does
    not have, equal sides of both players, and lists of sides that are too short or too
    long. Each meeting with equal sides has one fault. Lists of a player with a wrong
    number of sides are not checked further.
    """
    row_by_player = {standings_row.player: standings_row for standings_row in players}
    for standings_row in players:
        sides_of_rounds = _list_sides(standings_row)
        if sides_of_rounds is None:
            reason = message("standing.sides", sides=len(standings_row.sides))
            yield Fault(reason, standings_row.place.at("sides"))
            continue
        for round_position, opponent_name in enumerate(standings_row.opponents):
            if opponent_name.lower() in NO_OPPONENT:
                continue
            opponent_row = row_by_player.get(opponent_name)
            message_kind = ""
            if opponent_row is None:
                message_kind = "standing.no_player"
            elif opponent_row.opponents[round_position : round_position + 1] != (
                standings_row.player,
            ):
                message_kind = "standing.one_sided"
            elif opponent_name == standings_row.player:
                message_kind = "standing.alone"
            elif (
                sides_of_rounds[round_position]
                and standings_row.player < opponent_name
                and sides_of_rounds[round_position]
                in (_list_sides(opponent_row) or [])[
                    round_position : round_position + 1
                ]
            ):
                message_kind = "standing.same_side"
            if message_kind:
                faulty_column = (
                    "sides" if message_kind == "standing.same_side" else "opponents"
                )
                reason = message(
                    message_kind,
                    found=opponent_name,
                    player=standings_row.player,
                    round=round_position + 1,
                    side=sides_of_rounds[round_position],
                )
                yield Fault(reason, standings_row.place.at(faulty_column))


def _list_sides(player: StandingsRow) -> list[str] | None:
    """Return a player's side in each round, in small letters; "" for no side or a bye.

    The list of sides may be empty, or have one entry per round, or one per round with
    an opponent. Returns None if it has another length.
    """
    round_opponents = player.opponents
    listed_sides = [side_cell.lower() for side_cell in player.sides]
    if not listed_sides:
        return [""] * len(round_opponents)
    positions_of_played_rounds = [
        round_position
        for round_position, opponent_name in enumerate(round_opponents)
        if opponent_name.lower() not in NO_OPPONENT
    ]
    if len(listed_sides) == len(round_opponents):
        return [
            "" if side_cell in NO_OPPONENT else side_cell for side_cell in listed_sides
        ]
    if len(listed_sides) != len(positions_of_played_rounds):
        return None
    side_by_position = dict(zip(positions_of_played_rounds, listed_sides, strict=True))
    return [
        side_by_position.get(round_position, "")
        for round_position in range(len(round_opponents))
    ]


def _build_match_rows(players: Sequence[StandingsRow]) -> list[MatchRow]:
    """Build the rows of matches.csv that the lists of opponents stand for.

    `players` are the rows of standings.csv, without faults. There is one row per match
    and per bye, and all scores are 0. A player's first rounds without an opponent are
    pairing-allocated byes, as many as the cell `byes` says; further ones are requested
    byes. If `byes` is None, all are pairing-allocated.
    """
    match_rows = []
    position_by_player = {
        standings_row.player: player_position
        for player_position, standings_row in enumerate(players)
    }
    for player_position, standings_row in enumerate(players):
        remaining_bye_count = (
            len(standings_row.opponents)
            if standings_row.byes is None
            else standings_row.byes
        )
        sides_of_rounds = _list_sides(standings_row) or []
        for round_position, opponent_name in enumerate(standings_row.opponents):
            if opponent_name.lower() in NO_OPPONENT:
                bye_status = "bye" if remaining_bye_count > 0 else "requested"
                remaining_bye_count -= 1
                match_rows.append(
                    _build_row(round_position, standings_row, "", "", bye_status)
                )
            elif player_position < position_by_player[opponent_name]:
                match_rows.append(
                    _build_row(
                        round_position,
                        standings_row,
                        opponent_name,
                        sides_of_rounds[round_position],
                        "",
                    )
                )
    return match_rows


def _build_row(
    turn: int, player: StandingsRow, opponent: str, side: str, status: str
) -> MatchRow:
    """Build the row of matches.csv for a player's round, with scores of 0.

    `turn` counts rounds from 0. `side` is the player's side, "" for none. In a bye,
    `opponent` is "", only the player has a score, and `status` is "bye" or "requested";
    in a match it is "".
    """
    row_cells = {
        "round": str(turn + 1),
        "player1": player.player,
        "player2": opponent,
        "side1": side,
        "score1": "0",
        "score2": "0" if opponent else "",
        "status": status,
    }
    return parse_row(MatchRow, row_cells, place=replace(player.place))


FORMAT = Format(
    name="standings",
    of=TextTable,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
    expected="standings.csv (player, score, and any of opponents, sides, byes, rating, club)",
)
