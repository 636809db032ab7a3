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
    lines = {line.player: line for line in rank_players(event, SCHEDULE)}
    nobody = ("",) * len(event.players)
    column_by_meaning = dict(
        zip(find_meanings([*event.columns]), event.columns, strict=True)
    )
    identities = [
        event.columns.get(column_by_meaning.get(name, name), nobody)
        for name in top_cut.IDENTITIES
    ]
    players = [
        {
            "id": numbers[k],
            "name": event.names[k],
            "rank": line.rank,
            "corpIdentity": identities[0][k] or None,
            "runnerIdentity": identities[1][k] or None,
            "matchPoints": _make_json_number(line.points),
            "strengthOfSchedule": f"{float(line.tie_breaks['sos']):.4f}",
            "extendedStrengthOfSchedule": f"{float(line.tie_breaks['esos']):.4f}",
        }
        for k, line in enumerate(lines[player] for player in event.players)
    ]
    rows = event.matches
    rounds: list[list[dict[str, object]]] = [[] for _ in range(event.round - 1)]
    is_played = (rows.status != REQUESTED) | (rows.score1 != 0)
    is_only_table = ~np.isin(
        rows.round, rows.round[is_played]
    )  # no round is without a table
    for k in np.flatnonzero(is_played | is_only_table):
        if rows.round[k] < event.round:
            rounds[rows.round[k] - 1].append(_build_table(event, int(k), numbers))
    bracket_cut = top_cut.build_cut(event, numbers)
    facts, cut = _keep_facts(event, numbers, bracket_cut)
    swiss = (
        len(rounds)
        if bracket_cut or cut
        else max(len(rounds), event.settings.rounds or 0)
    )
    if bracket_cut is not None:
        of_cut, played = bracket_cut
        cut = [*[[]] * swiss, *played]
        facts = {**facts, "cutToTop": len(of_cut), "eliminationPlayers": of_cut}
    for number, tables in enumerate(cut):
        rounds += [[]] * (number >= len(rounds))
        rounds[number] = [*rounds[number], *tables]
    event_values = {
        "name": event.settings.title,
        "preliminaryRounds": swiss,
        "players": players,
    }
    return EventText(
        json_text({**top_cut.USUAL, **facts, **event_values, "rounds": rounds})
    )


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
    scored = bool(rows.scored[k])
    if event.sided and rows.second[k] >= 0:
        side = max(side, 0)  # a forfeit may lack it; as a match it needs one

    def seat(
        player: int, score: int, side: int, names: Sequence[str]
    ) -> dict[str, object]:
        """Build the entry of a player, or of nobody in a bye."""
        points = (
            _make_json_number(Fraction(score, event.scale))
            if scored and player >= 0
            else None
        )
        games = dict(
            zip(
                ("corpScore", "runnerScore"),
                _list_game_scores(event, k, names, points),
                strict=True,
            )
        )
        entry: dict[str, object] = {"id": numbers[player] if player >= 0 else None}
        if side >= 0:
            entry["role"] = ("corp", "runner")[side]
            games = {
                "runnerScore": points if side else None,
                "corpScore": None if side else points,
            }
        return entry | games | {"combinedScore": points}

    return {
        "table": int(rows.table[k]) or None,
        "player1": seat(
            int(rows.first[k]), int(rows.score1[k]), side, top_cut.GAMES[:2]
        ),
        "player2": seat(
            int(rows.second[k]),
            int(rows.score2[k]),
            1 - side if side >= 0 else -1,
            top_cut.GAMES[2:],
        ),
        **{
            name: event.origin.cell(column, int(rows.row[k])) == "true"
            for name, column in zip(
                ("intentionalDraw", "twoForOne"), top_cut.MARKS, strict=True
            )
        },
        "eliminationGame": False,
    }


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
