"""Conversion losses: what an event lacks after it was written and read again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from pairopt.event.arcs import IntArray
from pairopt.event.column_layout import OWN
from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.event.points import CHESS, Points
from pairopt.event.settings import EventSettings
from pairopt.event.tie_breaks import tie_break_of
from pairopt.files.bracket_csv import load_bracket
from pairopt.files.formats.nrtm_json.top_cut import FACTS_KEY, OF_CUT, has_cut, read_cut
from pairopt.files.formats.trf.records import is_written_from_event
from pairopt.messages import Message, message

SEXES = {
    **dict.fromkeys(("m", "male", "man"), "m"),
    **dict.fromkeys(("w", "f", "female"), "w"),
}
Row = tuple[Any, ...]
"""Status, points of both, whether they are known, first side, table, row of the file, games won by
each, and drawn games."""


def find_losses(event: Event, again: Event) -> tuple[Message, ...]:
    """Return a message for each kind of information that `again` lacks."""
    if len(event.players) != len(again.players):
        return (
            message("lost.players", was=len(event.players), now=len(again.players)),
        )
    messages = [
        message(kind) for kind, fact in FACTS.items() if fact(event) != fact(again)
    ]
    comparisons = (
        _compare_matches,
        _compare_names,
        _compare_sides,
        _compare_columns,
        _compare_settings,
        _compare_facts,
        _compare_cuts,
    )
    return (
        *messages,
        *(loss for compare in comparisons for loss in compare(event, again)),
    )


def _list_points(event: Event, scaled_points: IntArray) -> list[list[Fraction]]:
    """Return points by player and round, without the zeros at the end of each list.

    `scaled_points` are whole numbers on the scale of the event, by player or by player and
    round.
    """
    lists: list[list[int]] = scaled_points.reshape(len(event.players), -1).tolist()
    list_ends = [
        max(
            (number for number, points in enumerate(player_points, 1) if points),
            default=0,
        )
        for player_points in lists
    ]
    return [
        [Fraction(points, event.scale) for points in player_points[:end]]
        for player_points, end in zip(lists, list_ends, strict=True)
    ]


def _list_forbidden_meetings(event: Event) -> set[tuple[object, object]]:
    """Return the forbidden meetings: both players, and the rounds or None for all."""
    all_rounds = (1, event.settings.rounds or event.round)
    meetings: set[tuple[object, object]] = set()
    for meeting in event.prohibited:
        players = frozenset((meeting.one, meeting.two))
        rounds = None if meeting.rounds == all_rounds else meeting.rounds
        meetings.add((players, rounds))
    return meetings


FACTS: Mapping[str, Callable[[Event], object]] = {
    "lost.identifiers": lambda event: event.players,
    "lost.round": lambda event: event.round,
    "lost.brought": lambda event: _list_points(event, event.brought),
    "lost.byes_brought": lambda event: event.byes_brought.tolist(),
    "lost.adjusted": lambda event: _list_points(event, event.adjusted),
    "lost.virtual": lambda event: _list_points(event, event.acceleration),
    "lost.fixed_tables": lambda event: event.fixed_table.tolist(),
    "lost.first_round_byes": lambda event: event.first_round_bye.tolist(),
    "lost.order": lambda event: event.start_numbers.argsort(kind="stable").tolist(),
    "lost.initial_side": lambda event: event.initial_side,
    "lost.active": lambda event: event.active.tolist(),
    "lost.forbidden": _list_forbidden_meetings,
}
"""Functions that return a part of an event for comparison, by the message id of its loss."""


def _index_matches(event: Event, other_event: Event) -> Mapping[Row, Row]:
    """Return the matches by round and players, with points on a common scale.

    The player with the lower index comes first in a key, and in its row.
    """
    rows = event.matches
    match_index: dict[Row, Row] = {}
    first_games, second_games, drawn_games = rows.games.T.tolist()
    # (matches, 2) each
    players_by_match = zip(rows.first.tolist(), rows.second.tolist(), strict=True)
    points_by_match = zip(
        (rows.score1 * other_event.scale).tolist(),
        (rows.score2 * other_event.scale).tolist(),
        strict=True,
    )
    games_by_match = zip(first_games, second_games, strict=True)
    pairs_by_match = zip(players_by_match, points_by_match, games_by_match, strict=True)
    columns = (rows.round, rows.side, rows.status, rows.scored, rows.table, rows.row)
    cells_by_match = zip(*(column.tolist() for column in columns), strict=True)
    for k, (pairs, cells) in enumerate(
        zip(pairs_by_match, cells_by_match, strict=True)
    ):
        players, points, games = pairs
        round_number, side, status, is_scored, table, row = cells
        if 0 <= players[1] < players[0]:
            players = players[::-1]
            points = points[::-1]
            games = games[::-1]
            side = 1 - side if side >= 0 else -1
        key = (round_number, *players)
        head = (status, *points, int(is_scored), side, table, row)
        match_index[key] = (*head, *games, drawn_games[k])
    return match_index


def _compare_matches(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on lost matches, byes, results, sides, tables and cells."""
    rows_originally = _index_matches(event, again)
    rows_again = _index_matches(again, event)
    loss_counts = Counter[str]()
    cell_losses = Counter[str]()
    for key, row in rows_originally.items():
        row_again = rows_again.get(key)
        if row[0] == REQUESTED and (row_again is None or row_again[0] != REQUESTED):
            loss_counts["lost.byes"] += 1
        elif row[0] == FORFEIT and row_again is not None and row_again[0] != FORFEIT:
            loss_counts["lost.forfeits"] += 1
        elif row_again is None or row_again[0] != row[0]:
            loss_counts["lost.matches"] += 1
        if row_again is not None:
            loss_counts["lost.results"] += row[1:4] != row_again[1:4]
            loss_counts["lost.seats"] += key[2] >= 0 and row[4] != row_again[4]
            loss_counts["lost.tables"] += row[5] != row_again[5]
            loss_counts["lost.games"] += row[7:] != row_again[7:]
        for name in event.origin.cells:
            cell = event.origin.cell(name, row[6])
            cell_losses[name] += _normalize_cell(cell) != _normalize_cell(
                again.origin.cell(name, row_again[6]) if row_again else ""
            )
    yield from (
        message(kind, number=number)
        for kind, number in sorted(loss_counts.items())
        if number
    )
    if names := sorted(+cell_losses):
        yield message("lost.cells", names=names)
    if any(
        row[0] == REQUESTED
        for key, row in rows_again.items()
        if key not in rows_originally
    ):
        yield message("lost.left", round=event.round)


def _compare_names(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on names and ratings that are lost or cut."""
    pairs = list(zip(event.names, again.names, strict=True))
    if event.names != again.names:
        is_shortened = all(
            " ".join(name.split()).startswith(name_again) for name, name_again in pairs
        )
        yield message(
            "lost.names_cut" if is_shortened else "lost.names",
            most=max(map(len, again.names)),
        )
    players = range(len(pairs))
    ratings = [
        [some_event.rating_text(player) or "0" for player in players]
        for some_event in (event, again)
    ]
    if changed_count := sum(
        rating != rating_again for rating, rating_again in zip(*ratings, strict=True)
    ):
        yield message("lost.ratings", number=changed_count, all=int(event.rated.sum()))


def _compare_sides(event: Event, again: Event) -> Iterator[Message]:
    """Yield a message if the labels of the sides are lost or others."""
    if event.sides is not None and again.sides is None:
        yield message("lost.sides", sides=",".join(event.sides))
    elif event.sides and again.sides and event.sides != again.sides:
        first_label, second_label = again.sides
        yield message(
            "lost.other_sides",
            was=event.sides[0],
            first=first_label,
            second=second_label,
        )


def _normalize_cell(cell: str) -> object:
    """Return a cell as it is compared: numbers by value, words in one form."""
    text = SEXES.get(cell.strip().casefold(), " ".join(cell.split()))
    try:
        return Decimal(text)
    except InvalidOperation:
        return text.replace("/", "-")


def _compare_columns(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on columns of players that are lost, in whole or in part."""
    lost_columns: list[str] = []
    damaged_columns: list[str] = []
    for name, cells in event.columns.items():
        if name in OWN:
            continue
        empty_cells = [""] * len(cells)
        values = [_normalize_cell(cell) for cell in cells]
        values_again = [
            _normalize_cell(cell) for cell in again.columns.get(name, empty_cells)
        ]
        if values != values_again:
            has_cells = any(value != "" for value in values_again)
            (damaged_columns if has_cells else lost_columns).append(name)
    if lost_columns:
        yield message("lost.columns", names=sorted(lost_columns))
    if damaged_columns:
        yield message("lost.in_part", names=sorted(damaged_columns))


def _compare_settings(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on settings that are lost, and on an added number of rounds.

    A FIDE report that names no points has the usual ones of chess.
    """
    settings = event.settings
    settings_again = again.settings
    usual_settings = EventSettings()
    names = [setting.name for setting in fields(EventSettings)]
    lost = []
    for name in names:
        if name in ("sides", "fide"):
            continue
        value = getattr(settings, name)
        value_again = getattr(settings_again, name)
        if name == "points" and value_again is None and again.origin.chess:
            value_again = CHESS
        if name == "rounds" and value_again is None:
            value_again = again.round - 1  # all are played
        if value == getattr(usual_settings, name):
            continue
        if _normalize_setting(value) != _normalize_setting(value_again):
            lost.append(name)
    if lost:
        yield message("lost.settings", names=lost)
    if settings.rounds is None and settings_again.rounds is not None:
        yield message("lost.rounds", rounds=settings_again.rounds)


def _normalize_setting(value: Any) -> object:
    """Return a setting as it is compared: points, tie-breaks and texts in one form."""
    if isinstance(value, Points):
        further_points = value.requested_bye, value.absent, str(value)
        return value.win, value.draw, value.loss, value.allocated_bye, further_points
    if isinstance(value, tuple):
        return [
            tie_break_of(code).code if isinstance(code, str) else code for code in value
        ]
    return " ".join(value.split()) if isinstance(value, str) else value


def _compare_facts(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on further facts of the source file that are lost."""
    for source, facts in event.origin.facts.items():
        own_facts = _index_facts(facts)
        facts_again = _index_facts(again.origin.facts.get(source, ()))
        bracket_keys = OF_CUT if source == FACTS_KEY and event.origin.bracket else ()
        if isinstance(own_facts, Counter):
            own_facts -= Counter(facts_again)  # more lines are no loss
        if lost := [
            key
            for key in own_facts
            if key not in bracket_keys and own_facts[key] != facts_again.get(key)
        ]:
            yield message("lost.facts", keys=lost, source=source)


def _index_facts(facts: Mapping[str, Any] | Iterable[str]) -> Mapping[str, Any]:
    """Return facts by their keys, or for the lines of a TRF their number by code."""
    if isinstance(facts, Mapping):
        return facts
    return Counter(line[:3] for line in facts if not is_written_from_event(line))


def _compare_cuts(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on lost players, scores and the form of the top cut."""
    cut = load_bracket(event)
    if cut is None:
        return
    cut_in_file = read_cut(event)
    cut_again = load_bracket(again) or read_cut(again)
    if has_cut(event) and (cut_in_file is None or cut_in_file.players != cut.players):
        yield message("lost.cut_before")
    seeds = [
        [some_event.index.get(player) for player in some_cut.players]
        if some_cut
        else None
        for some_event, some_cut in ((event, cut), (again, cut_again))
    ]
    if cut_again is None or seeds[0] != seeds[1]:
        yield message("lost.cut")
        return
    if cut.double != cut_again.double:
        yield message("lost.single_cut")
    if lost := [
        match_number
        for match_number, score in cut.results.items()
        if cut_again.results.get(match_number) != score
    ]:
        yield message("lost.scores_of_cut", number=len(lost))
