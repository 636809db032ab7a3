"""Write NRTM JSON."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from pairopt.event.event import REQUESTED, Event
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.column_headings import find_meanings
from pairopt.files.csv_schema import parse_number
from pairopt.files.formats.base import EventText, choose_player_numbers
from pairopt.files.formats.nrtm_json import top_cut
from pairopt.files.write import json_text


def write(event: Event) -> EventText:
    """Format an event as NRTM JSON: players, Swiss rounds and the cut.

    Without a cut, the number of Swiss rounds is the planned one if that is higher.
    Facts of the JSON file that the event came from are included if they are still true.
    The text is returned; no file is written.
    """
    player_numbers = choose_player_numbers(event, 10**9)
    tables_by_round = _build_rounds(event, player_numbers)
    bracket_cut = top_cut.build_cut(event, player_numbers)
    kept_facts, cut_tables_by_round = _keep_facts(event, player_numbers, bracket_cut)
    swiss_count = len(tables_by_round)
    if not bracket_cut and not cut_tables_by_round:
        swiss_count = max(swiss_count, event.settings.rounds or 0)
    if bracket_cut is not None:
        cut_players, cut_rounds = bracket_cut
        empty_round: top_cut.Tables = []
        cut_tables_by_round = [empty_round] * swiss_count + cut_rounds
        kept_facts = {
            **kept_facts,
            "cutToTop": len(cut_players),
            "eliminationPlayers": cut_players,
        }

    for round_position, round_tables in enumerate(cut_tables_by_round):
        if round_position >= len(tables_by_round):
            tables_by_round.append([])
        tables_by_round[round_position] = tables_by_round[round_position] + round_tables
    event_values = {
        "name": event.settings.title,
        "preliminaryRounds": swiss_count,
        "players": _build_players(event, player_numbers),
    }
    file_content = {
        **top_cut.USUAL,
        **kept_facts,
        **event_values,
        "rounds": tables_by_round,
    }
    return EventText(json_text(file_content))


def _build_players(event: Event, numbers: Sequence[int]) -> list[dict[str, object]]:
    """Build the entry of each player, with identities, points and rank.

    The entries are in the order of the event; their ranks are by strength of schedule.
    `numbers` are the ids of the players in the file.
    """
    column_names = list(event.columns)
    column_by_meaning = dict(
        zip(find_meanings(column_names), column_names, strict=True)
    )
    empty_cells = ("",) * len(event.players)
    identities = [
        event.columns.get(
            column_by_meaning.get(identity_column, identity_column), empty_cells
        )
        for identity_column in top_cut.IDENTITIES
    ]
    corp_identities, runner_identities = identities
    standing_by_player = {
        standing.player: standing for standing in rank_players(event, SCHEDULE)
    }
    player_entries: list[dict[str, object]] = []
    for player_position, identifier in enumerate(event.players):
        standing = standing_by_player[identifier]
        schedule_strength = float(standing.tie_breaks["sos"])
        extended_schedule_strength = float(standing.tie_breaks["esos"])
        player_entry: dict[str, object] = {
            "id": numbers[player_position],
            "name": event.names[player_position],
            "rank": standing.rank,
            "corpIdentity": corp_identities[player_position] or None,
            "runnerIdentity": runner_identities[player_position] or None,
            "matchPoints": _make_json_number(standing.points),
            "strengthOfSchedule": f"{schedule_strength:.4f}",
            "extendedStrengthOfSchedule": f"{extended_schedule_strength:.4f}",
        }
        player_entries.append(player_entry)
    return player_entries


def _build_rounds(event: Event, numbers: Sequence[int]) -> list[top_cut.Tables]:
    """Build the tables of the Swiss rounds before the round to pair.

    `numbers` are the ids of the players in the file. Requested byes without points are
    left out, unless a round has no other table.
    """
    matches = event.matches
    tables_by_round: list[top_cut.Tables] = [[] for _ in range(event.round - 1)]
    is_written = (matches.status != REQUESTED) | (matches.score1 != 0)
    is_in_empty_round = ~np.isin(matches.round, matches.round[is_written])
    for match_position in np.flatnonzero(is_written | is_in_empty_round).tolist():
        round_number = int(matches.round[match_position])
        if round_number < event.round:
            tables_by_round[round_number - 1].append(
                _build_table(event, match_position, numbers)
            )
    return tables_by_round


def _keep_facts(
    event: Event, numbers: Sequence[int], bracket_cut: top_cut.Cut | None
) -> tuple[Mapping[str, object], list[top_cut.Tables]]:
    """Return further facts of the source file that are still true, and its cut.

    `numbers` are the ids of the players in the new file, and `bracket_cut` is the cut
    of the event's own bracket, None without one. If players have other ids now, facts
    that name them are left out. The cut is a list of tables by round, and is empty if
    the ids differ or the event has its own cut.
    """
    stored_facts = event.origin.facts.get(top_cut.FACTS_KEY, {})
    kept_facts = {
        fact_key: fact_value
        for fact_key, fact_value in stored_facts.items()
        if fact_key not in {*top_cut.OF_EVENT, top_cut.CUT}
    }
    stored_cut = stored_facts.get(top_cut.CUT, [])
    is_list_of_lists = isinstance(stored_cut, list) and all(
        isinstance(round_tables, list) for round_tables in stored_cut
    )
    if bracket_cut is None and [*map(str, numbers)] == [*event.players]:
        return kept_facts, stored_cut if is_list_of_lists else []
    if bracket_cut is None:
        kept_facts.pop("eliminationPlayers", None)
    return kept_facts, []


def _build_table(event: Event, k: int, numbers: Sequence[int]) -> dict[str, object]:
    """Build the table of the match at position `k` of the event's matches.

    `numbers` are the ids of the players in the file. In an event with sides, a match
    without one gets the first side.
    """
    matches = event.matches
    first_side = int(matches.side[k])
    if event.sided and matches.second[k] >= 0:
        first_side = max(
            first_side, 0
        )  # a forfeit may lack it; as a match it needs one
    second_side = 1 - first_side if first_side >= 0 else -1
    file_row = int(matches.row[k])
    is_draw, is_two_for_one = (
        event.origin.cell(mark_column, file_row) == "true"
        for mark_column in top_cut.MARKS
    )
    return {
        "table": int(matches.table[k]) or None,
        "player1": _build_seat(event, k, numbers, True, first_side),
        "player2": _build_seat(event, k, numbers, False, second_side),
        "intentionalDraw": is_draw,
        "twoForOne": is_two_for_one,
        "eliminationGame": False,
    }


def _build_seat(
    event: Event, k: int, numbers: Sequence[int], is_first: bool, side: int
) -> dict[str, object]:
    """Build the seat of the first or second player of the match at position `k`.

    `numbers` are the ids of the players in the file, in the order of the event. In a
    bye, the second seat has the id None. `side` is 0 for corp, 1 for runner, -1 if the
    player played both. Points are None if the match has no result, and for the empty
    seat.
    """
    matches = event.matches
    player_position = int(matches.first[k] if is_first else matches.second[k])
    scaled_score = int(matches.score1[k] if is_first else matches.score2[k])
    game_columns = top_cut.GAMES[:2] if is_first else top_cut.GAMES[2:]
    json_points = None
    if matches.scored[k] and player_position >= 0:
        json_points = _make_json_number(Fraction(scaled_score, event.scale))
    json_seat: dict[str, object] = {
        "id": numbers[player_position] if player_position >= 0 else None
    }
    if side >= 0:
        json_seat["role"] = ("corp", "runner")[side]
        json_seat["runnerScore"] = json_points if side else None
        json_seat["corpScore"] = None if side else json_points
    else:
        corp_score, runner_score = _list_game_scores(
            event, k, game_columns, json_points
        )
        json_seat["corpScore"] = corp_score
        json_seat["runnerScore"] = runner_score
    json_seat["combinedScore"] = json_points
    return json_seat


def _list_game_scores(
    event: Event, k: int, names: Sequence[str], points: int | float | None
) -> list[int | float | None]:
    """Return a player's scores in the two games of the match at position `k`.

    `names` are the two further columns that have them: as corp, then as runner. If they
    are not known, or their sum is not `points`, the player's points in the match, both
    are 0, as in old files. Both are None if `points` is None.
    """
    if points is None:
        return [None, None]
    try:
        parsed_scores = [
            parse_number(event.origin.cell(score_column, int(event.matches.row[k])))
            for score_column in names
        ]
    except ValueError:
        return [0, 0]
    game_scores = [
        _make_json_number(Fraction(parsed_score))
        for parsed_score in parsed_scores
        if parsed_score is not None
    ]
    return (
        [*game_scores]
        if len(game_scores) == 2 and sum(game_scores) == points
        else [0, 0]
    )


def _make_json_number(points: Fraction) -> int | float:
    """Return points as an int if they are whole, otherwise as a float."""
    return int(points) if points.denominator == 1 else float(points)
