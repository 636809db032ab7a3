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
    """Write an event as NRTM JSON: players, Swiss rounds and the cut."""
    numbers = choose_player_numbers(event, 10**9)
    rounds = _build_rounds(event, numbers)
    bracket_cut = top_cut.build_cut(event, numbers)
    facts, cut = _keep_facts(event, numbers, bracket_cut)
    swiss = len(rounds)
    if not bracket_cut and not cut:
        swiss = max(swiss, event.settings.rounds or 0)
    if bracket_cut is not None:
        cut_players, cut_rounds = bracket_cut
        no_tables: top_cut.Tables = []
        cut = [no_tables] * swiss + cut_rounds
        facts = {
            **facts,
            "cutToTop": len(cut_players),
            "eliminationPlayers": cut_players,
        }

    for number, tables in enumerate(cut):
        if number >= len(rounds):
            rounds.append([])
        rounds[number] = rounds[number] + tables
    event_values = {
        "name": event.settings.title,
        "preliminaryRounds": swiss,
        "players": _build_players(event, numbers),
    }
    content = {**top_cut.USUAL, **facts, **event_values, "rounds": rounds}
    return EventText(json_text(content))


def _build_players(event: Event, numbers: Sequence[int]) -> list[dict[str, object]]:
    """Build the entries of the players, with their standings by strength of schedule."""
    columns = list(event.columns)
    column_by_meaning = dict(zip(find_meanings(columns), columns, strict=True))
    nobody = ("",) * len(event.players)
    identities = [
        event.columns.get(column_by_meaning.get(name, name), nobody)
        for name in top_cut.IDENTITIES
    ]
    corp_identities, runner_identities = identities
    line_by_player = {line.player: line for line in rank_players(event, SCHEDULE)}
    entries: list[dict[str, object]] = []
    for k, player in enumerate(event.players):
        line = line_by_player[player]
        schedule = float(line.tie_breaks["sos"])
        extended_schedule = float(line.tie_breaks["esos"])
        entry: dict[str, object] = {
            "id": numbers[k],
            "name": event.names[k],
            "rank": line.rank,
            "corpIdentity": corp_identities[k] or None,
            "runnerIdentity": runner_identities[k] or None,
            "matchPoints": _make_json_number(line.points),
            "strengthOfSchedule": f"{schedule:.4f}",
            "extendedStrengthOfSchedule": f"{extended_schedule:.4f}",
        }
        entries.append(entry)
    return entries


def _build_rounds(event: Event, numbers: Sequence[int]) -> list[top_cut.Tables]:
    """Build the tables of the Swiss rounds before the round to pair.

    Requested byes without points are left out, unless a round has no other table.
    """
    rows = event.matches
    rounds: list[top_cut.Tables] = [[] for _ in range(event.round - 1)]
    is_written = (rows.status != REQUESTED) | (rows.score1 != 0)
    is_in_empty_round = ~np.isin(rows.round, rows.round[is_written])
    for k in np.flatnonzero(is_written | is_in_empty_round).tolist():
        round_number = int(rows.round[k])
        if round_number < event.round:
            rounds[round_number - 1].append(_build_table(event, k, numbers))
    return rounds


def _keep_facts(
    event: Event, numbers: Sequence[int], bracket_cut: top_cut.Cut | None
) -> tuple[Mapping[str, object], list[top_cut.Tables]]:
    """Return further facts of the event's source file that are still true, and its cut.

    If players have other ids now, facts that name them are left out. So is the cut if
    the event has its own.
    """
    stored_facts = event.origin.facts.get(top_cut.FACTS_KEY, {})
    facts = {
        key: value
        for key, value in stored_facts.items()
        if key not in {*top_cut.OF_EVENT, top_cut.CUT}
    }
    cut = stored_facts.get(top_cut.CUT, [])
    is_list_of_lists = isinstance(cut, list) and all(
        isinstance(tables, list) for tables in cut
    )
    if bracket_cut is None and [*map(str, numbers)] == [*event.players]:
        return facts, cut if is_list_of_lists else []
    if bracket_cut is None:
        facts.pop("eliminationPlayers", None)
    return facts, []


def _build_table(event: Event, k: int, numbers: Sequence[int]) -> dict[str, object]:
    """Build the table of match `k`.

    Without sides, the scores of its two games are not known.
    """
    rows = event.matches
    side = int(rows.side[k])
    if event.sided and rows.second[k] >= 0:
        side = max(side, 0)  # a forfeit may lack it; as a match it needs one
    other_side = 1 - side if side >= 0 else -1
    row = int(rows.row[k])
    is_draw, is_two_for_one = (
        event.origin.cell(column, row) == "true" for column in top_cut.MARKS
    )
    return {
        "table": int(rows.table[k]) or None,
        "player1": _build_seat(event, k, numbers, True, side),
        "player2": _build_seat(event, k, numbers, False, other_side),
        "intentionalDraw": is_draw,
        "twoForOne": is_two_for_one,
        "eliminationGame": False,
    }


def _build_seat(
    event: Event, k: int, numbers: Sequence[int], is_first: bool, side: int
) -> dict[str, object]:
    """Build the entry of a player of match `k`, or of nobody in a bye.

    `side` is 0 for corp, 1 for runner, -1 if the player played both.
    """
    rows = event.matches
    player = int(rows.first[k] if is_first else rows.second[k])
    score = int(rows.score1[k] if is_first else rows.score2[k])
    columns = top_cut.GAMES[:2] if is_first else top_cut.GAMES[2:]
    points = None
    if rows.scored[k] and player >= 0:
        points = _make_json_number(Fraction(score, event.scale))
    seat: dict[str, object] = {"id": numbers[player] if player >= 0 else None}
    if side >= 0:
        seat["role"] = ("corp", "runner")[side]
        seat["runnerScore"] = points if side else None
        seat["corpScore"] = None if side else points
    else:
        corp_score, runner_score = _list_game_scores(event, k, columns, points)
        seat["corpScore"] = corp_score
        seat["runnerScore"] = runner_score
    seat["combinedScore"] = points
    return seat


def _list_game_scores(
    event: Event, k: int, names: Sequence[str], points: int | float | None
) -> list[int | float | None]:
    """Return a player's scores in the two games, if known and adding up to `points`.

    Otherwise 0 for both, as in old files, or None for both if the match has no result.
    """
    if points is None:
        return [None, None]
    try:
        games = [
            parse_number(event.origin.cell(name, int(event.matches.row[k])))
            for name in names
        ]
    except ValueError:
        return [0, 0]
    scores = [_make_json_number(Fraction(game)) for game in games if game is not None]
    return [*scores] if len(scores) == 2 and sum(scores) == points else [0, 0]


def _make_json_number(points: Fraction) -> int | float:
    """Return points as an int if they are whole, otherwise as a float."""
    return int(points) if points.denominator == 1 else float(points)
