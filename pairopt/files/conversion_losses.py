"""Conversion losses: what an event lacks after it was written and read again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, NamedTuple

from pairopt.event.arcs import IntArray
from pairopt.event.column_layout import RATING_RESULT, RESERVED_COLUMNS
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
MatchKey = tuple[int, int, int]
"""The round and the two players of a match, the second -1 in a bye."""


def find_losses(event: Event, again: Event) -> tuple[Message, ...]:
    """Return a message for each kind of information that `again` lacks.

    `event` is the original, and `again` the event as it was read from the converted
    file. If it has another number of players, that is the only message. The result is
    empty if nothing is lost.
    """
    if len(event.players) != len(again.players):
        return (
            message("lost.players", was=len(event.players), now=len(again.players)),
        )
    loss_messages = [
        message(loss_kind)
        for loss_kind, get_fact in FACTS.items()
        if get_fact(event) != get_fact(again)
    ]
    comparison_functions = (
        _compare_matches,
        _compare_annulled_games,
        _compare_names,
        _compare_sides,
        _compare_columns,
        _compare_settings,
        _compare_origin_facts,
        _compare_cuts,
    )
    return (
        *loss_messages,
        *(
            loss_message
            for compare_part in comparison_functions
            for loss_message in compare_part(event, again)
        ),
    )


def _list_points(event: Event, scaled_points: IntArray) -> list[list[Fraction]]:
    """Return the points of each player by round, without zeros at the end of a list.

    `scaled_points` are whole numbers on the scale of the event, with shape (players,)
    or (players, rounds).
    """
    points_by_player: list[list[int]] = scaled_points.reshape(
        len(event.players), -1
    ).tolist()
    round_counts = [
        max(
            (
                round_number
                for round_number, scaled_value in enumerate(player_points, 1)
                if scaled_value
            ),
            default=0,
        )
        for player_points in points_by_player
    ]
    return [
        [
            Fraction(scaled_value, event.scale)
            for scaled_value in player_points[:round_count]
        ]
        for player_points, round_count in zip(
            points_by_player, round_counts, strict=True
        )
    ]


def _list_forbidden_meetings(event: Event) -> set[tuple[object, object]]:
    """Return the set of forbidden meetings, as (frozenset of two players, rounds).

    The rounds are (first, last), or None if they are all rounds of the event.
    """
    all_rounds = (1, event.settings.rounds or event.round)
    pairs_and_rounds: set[tuple[object, object]] = set()
    for forbidden_meeting in event.prohibited:
        player_pair = frozenset((forbidden_meeting.one, forbidden_meeting.two))
        round_range = (
            None if forbidden_meeting.rounds == all_rounds else forbidden_meeting.rounds
        )
        pairs_and_rounds.add((player_pair, round_range))
    return pairs_and_rounds


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


class _MatchCells(NamedTuple):
    """The cells of a match that a conversion may lose.

    `status` is the code of `Matches`. Points are integers on the common scale of two
    events. `side` is the index of the first player's side, `row` the position of the
    match in its file. Games are -1 if not known. `is_turned` is whether the file has
    the second player first.
    """

    status: int
    first_points: int
    second_points: int
    is_scored: bool
    side: int
    table: int
    row: int
    first_games: int
    second_games: int
    drawn_games: int
    is_turned: bool = False

    @property
    def result(self) -> tuple[int, int, bool]:
        """The points of both players, and whether the match has a result."""
        return self.first_points, self.second_points, self.is_scored

    @property
    def games(self) -> tuple[int, int, int]:
        """The games won by each player, and drawn games; -1 for each if not known."""
        return self.first_games, self.second_games, self.drawn_games


def _index_matches(event: Event, other_event: Event) -> dict[MatchKey, _MatchCells]:
    """Return the matches of `event` by round and players, on a common scale of points.

    Points are multiplied by the scale of `other_event`, so that both events can be
    compared. The player with the lower index comes first in a key, and in its cells.
    """
    event_matches = event.matches
    match_arrays = (
        event_matches.round,
        event_matches.first,
        event_matches.second,
        event_matches.status,
        event_matches.score1 * other_event.scale,
        event_matches.score2 * other_event.scale,
        event_matches.scored,
        event_matches.side,
        event_matches.table,
        event_matches.row,
        *event_matches.games.T,
    )
    cells_by_match: dict[MatchKey, _MatchCells] = {}
    for match_row in zip(
        *(match_array.tolist() for match_array in match_arrays), strict=True
    ):
        round_number, first_player, second_player, *cell_values = match_row
        match_cells = _MatchCells(*cell_values)
        match_key = (round_number, first_player, second_player)
        if 0 <= second_player < first_player:
            match_key = (round_number, second_player, first_player)
            match_cells = match_cells._replace(
                first_points=match_cells.second_points,
                second_points=match_cells.first_points,
                side=1 - match_cells.side if match_cells.side >= 0 else -1,
                first_games=match_cells.second_games,
                second_games=match_cells.first_games,
                is_turned=True,
            )
        cells_by_match[match_key] = match_cells
    return cells_by_match


def _compare_matches(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on lost matches, byes, results, sides, tables and cells.

    `event` is the original, and `again` the event as it was read from the converted
    file. There is one message per kind of loss, with the number of matches. Requested
    byes that only `again` has are reported, too; other matches that only it has are
    not.
    """
    cells_by_match = _index_matches(event, again)
    converted_cells_by_match = _index_matches(again, event)
    loss_counts: Counter[str] = Counter()
    damaged_columns: set[str] = set()
    for match_key, original_match in cells_by_match.items():
        converted_match = converted_cells_by_match.get(match_key)
        _, _, second_player = match_key
        loss_counts.update(
            _list_match_losses(original_match, converted_match, second_player >= 0)
        )
        for column_name in event.origin.cells:
            original_cell = _read_cell(event, column_name, original_match)
            converted_cell = ""
            if converted_match is not None:
                converted_cell = _read_cell(again, column_name, converted_match)
            if _normalize_cell(original_cell) != _normalize_cell(converted_cell):
                damaged_columns.add(column_name)

    for loss_kind, loss_count in sorted(loss_counts.items()):
        yield message(loss_kind, number=loss_count)
    if damaged_columns:
        yield message("lost.cells", names=sorted(damaged_columns))
    matches_only_again = (
        match_cells
        for match_key, match_cells in converted_cells_by_match.items()
        if match_key not in cells_by_match
    )
    if any(match_cells.status == REQUESTED for match_cells in matches_only_again):
        yield message("lost.left", round=event.round)


def _compare_annulled_games(event: Event, again: Event) -> Iterator[Message]:
    """Yield a message if the numbers of annulled games differ after a conversion.

    `event` is the original, and `again` the event as it was read again. Annulled games
    count for nobody, because a player withdrew early. Nothing is yielded if `event` has
    none.
    """
    annulled_count = int(event.annulled.sum())
    if annulled_count and annulled_count != int(again.annulled.sum()):
        yield message("lost.annulled", number=annulled_count)


def _read_cell(event: Event, column: str, match: _MatchCells) -> str:
    """Return the cell of a match in a column that only the file has.

    In the column of results for ratings, the two scores are swapped if the file has the
    match's second player first. The cell is "" if the event has no such column.
    """
    cell = event.origin.cell(column, match.row)
    if column == RATING_RESULT and match.is_turned:
        return "-".join(reversed(cell.split("-")))
    return cell


def _list_match_losses(
    match: _MatchCells, match_again: _MatchCells | None, has_opponent: bool
) -> Iterator[str]:
    """Yield the message id of each loss in a match.

    `match` has the original cells. `match_again` has those after the conversion; it is
    None if the match itself is lost, and then that is the only loss. Sides count only
    if `has_opponent`, which is False for a bye.
    """
    status_again = None if match_again is None else match_again.status
    if match.status == REQUESTED and status_again != REQUESTED:
        yield "lost.byes"
    elif match.status == FORFEIT and status_again not in (None, FORFEIT):
        yield "lost.forfeits"
    elif status_again != match.status:
        yield "lost.matches"
    if match_again is None:
        return
    if match.result != match_again.result:
        yield "lost.results"
    if has_opponent and match.side != match_again.side:
        yield "lost.seats"
    if match.table != match_again.table:
        yield "lost.tables"
    if match.games != match_again.games:
        yield "lost.games"


def _compare_names(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on names that are lost or cut, and on ratings that changed.

    `event` is the original, and `again` the event as it was read from the converted
    file. Changed ratings are counted. No rating and the rating 0 are the same here.
    """
    if event.names != again.names:
        is_shortened = all(
            " ".join(original_name.split()).startswith(converted_name)
            for original_name, converted_name in zip(
                event.names, again.names, strict=True
            )
        )
        message_kind = "lost.names_cut" if is_shortened else "lost.names"
        yield message(message_kind, most=max(map(len, again.names)))
    changed_rating_count = 0
    for player_position in range(len(event.names)):
        original_rating = event.rating_text(player_position) or "0"
        converted_rating = again.rating_text(player_position) or "0"
        if original_rating != converted_rating:
            changed_rating_count += 1
    if changed_rating_count:
        yield message(
            "lost.ratings", number=changed_rating_count, all=int(event.rated.sum())
        )


def _compare_sides(event: Event, again: Event) -> Iterator[Message]:
    """Yield a message if the labels of the sides are lost or have changed.

    `event` is the original, and `again` the event as it was read from the converted
    file. Labels that only `again` has are no loss.
    """
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
    """Return a cell in the form in which cells are compared.

    Numbers become Decimals, so 1.0 equals 1. Words for a sex become m or w, and / in
    other texts becomes -.
    """
    plain_cell = SEXES.get(cell.strip().casefold(), " ".join(cell.split()))
    try:
        return Decimal(plain_cell)
    except InvalidOperation:
        return plain_cell.replace("/", "-")


def _compare_columns(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on further columns of players that are lost or have changed.

    `event` is the original, and `again` the event as it was read from the converted
    file. One message names all columns that are lost or empty in `again`, another all
    changed ones. Columns with a meaning in pairopt are skipped, because other checks
    compare them.
    """
    lost_columns: list[str] = []
    damaged_columns: list[str] = []
    for column_name, original_cells in event.columns.items():
        if column_name in RESERVED_COLUMNS:
            continue
        empty_cells = [""] * len(original_cells)
        original_values = [_normalize_cell(cell) for cell in original_cells]
        converted_values = [
            _normalize_cell(cell)
            for cell in again.columns.get(column_name, empty_cells)
        ]
        if original_values != converted_values:
            has_any_value = any(
                converted_value != "" for converted_value in converted_values
            )
            (damaged_columns if has_any_value else lost_columns).append(column_name)
    if lost_columns:
        yield message("lost.columns", names=sorted(lost_columns))
    if damaged_columns:
        yield message("lost.in_part", names=sorted(damaged_columns))


def _compare_settings(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on settings that are lost, and on an added number of rounds.

    `event` is the original, and `again` the event as it was read from the converted
    file. Settings with their default value cannot be lost; sides and FIDE mode are not
    compared. If `again` has no points and is a FIDE report, it has those of chess. If
    it has no number of rounds, it has those before the next round.
    """
    original_settings = _normalize_round_robin(event.settings, again)
    converted_settings = again.settings
    default_settings = EventSettings()
    setting_names = [setting_field.name for setting_field in fields(EventSettings)]
    lost_settings = []
    for setting_name in setting_names:
        if setting_name in ("sides", "fide"):
            continue
        original_value = getattr(original_settings, setting_name)
        converted_value = getattr(converted_settings, setting_name)
        if setting_name == "points" and converted_value is None and again.origin.chess:
            converted_value = CHESS
        if setting_name == "rounds" and converted_value is None:
            # All rounds of the event are played.
            converted_value = again.round - 1
        if original_value == getattr(default_settings, setting_name):
            continue
        if setting_name == "tie_breaks" and converted_value is not None:
            original_value = _list_tie_break_codes(original_value)
            converted_value = _list_tie_break_codes(converted_value)
        if _normalize_setting(original_value) != _normalize_setting(converted_value):
            lost_settings.append(setting_name)
    if lost_settings:
        yield message("lost.settings", names=lost_settings)
    if original_settings.rounds is None and converted_settings.rounds is not None:
        yield message("lost.rounds", rounds=converted_settings.rounds)


def _normalize_round_robin(settings: EventSettings, again: Event) -> EventSettings:
    """Return the settings without values that mean the same as none.

    `cycles` is 2 or None, and `reversed` True or None. If `again`, the event as it was
    read again, is a round robin with matches, how players got their start numbers does
    not matter, so `numbers` is None.
    """
    start_number_order = settings.numbers
    if again.settings.is_round_robin and len(again.matches):
        start_number_order = None
    return replace(
        settings,
        cycles=2 if settings.cycles == 2 else None,
        reversed=settings.reversed or None,
        numbers=start_number_order,
    )


def _normalize_setting(value: Any) -> object:
    """Return a setting in the form in which settings are compared.

    Points become a tuple, and texts have single blanks.
    """
    if isinstance(value, Points):
        points_of_absence = value.requested_bye, value.absent, str(value)
        return value.win, value.draw, value.loss, value.allocated_bye, points_of_absence
    return " ".join(value.split()) if isinstance(value, str) else value


def _list_tie_break_codes(names: Sequence[str]) -> list[str]:
    """Return the codes of tie-breaks, which may be given by several names."""
    return [tie_break_of(tie_break_name).code for tie_break_name in names]


def _compare_origin_facts(event: Event, again: Event) -> Iterator[Message]:
    """Yield a message for each file format whose stored facts are lost.

    `event` is the original, and `again` the event as it was read from the converted
    file. The facts are in `event.origin.facts`, by format. Keys of the top cut are left
    out if the event has a bracket.
    """
    for format_key, facts in event.origin.facts.items():
        indexed_facts = _index_facts(facts)
        indexed_facts_again = _index_facts(again.origin.facts.get(format_key, ()))
        ignored_keys = (
            OF_CUT if format_key == FACTS_KEY and event.origin.bracket else ()
        )
        if isinstance(indexed_facts, Counter):
            indexed_facts -= Counter(indexed_facts_again)  # more lines are no loss
        if lost_keys := [
            fact_key
            for fact_key in indexed_facts
            if fact_key not in ignored_keys
            and indexed_facts[fact_key] != indexed_facts_again.get(fact_key)
        ]:
            yield message("lost.facts", keys=lost_keys, source=format_key)


def _index_facts(facts: Mapping[str, Any] | Iterable[str]) -> Mapping[str, Any]:
    """Return facts by their keys; for lines of a TRF, count the lines by their code.

    A mapping is returned as it is. The result is a Counter for lines of a TRF. Lines
    that are written from the event itself do not count.
    """
    if isinstance(facts, Mapping):
        return facts
    return Counter(
        trf_line[:3] for trf_line in facts if not is_written_from_event(trf_line)
    )


def _compare_cuts(event: Event, again: Event) -> Iterator[Message]:
    """Yield messages on what is lost of the top cut: seeds, scores, or its form.

    `event` is the original, and `again` the event as it was read from the converted
    file. If the seeds differ, scores and form are not compared. A message also says if
    the bracket replaces the cut of the source file. Yields nothing if the event has no
    bracket.
    """
    original_cut = load_bracket(event)
    if original_cut is None:
        return
    source_cut = read_cut(event)
    converted_cut = load_bracket(again) or read_cut(again)
    if has_cut(event) and (
        source_cut is None or source_cut.players != original_cut.players
    ):
        yield message("lost.cut_before")
    seeded_players = [
        [some_event.index.get(cut_player) for cut_player in some_cut.players]
        if some_cut
        else None
        for some_event, some_cut in ((event, original_cut), (again, converted_cut))
    ]
    if converted_cut is None or seeded_players[0] != seeded_players[1]:
        yield message("lost.cut")
        return
    if original_cut.double != converted_cut.double:
        yield message("lost.single_cut")
    if matches_with_lost_score := [
        match_number
        for match_number, match_score in original_cut.results.items()
        if converted_cut.results.get(match_number) != match_score
    ]:
        yield message("lost.scores_of_cut", number=len(matches_with_lost_score))
