"""Build an `Event` from parsed rows, and find faults between rows."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from math import lcm

import numpy as np

from pairopt.common.limits import MOST_PLAYERS
from pairopt.errors import Fault, InputError, Place
from pairopt.event.arcs import IntArray
from pairopt.event.column_layout import ColumnLayout
from pairopt.event.event import KNOWN_SIDES, NO_RATING, Event, set_round
from pairopt.event.fide_data import find_fide_data_faults
from pairopt.event.matches import BYE_ROW, FORFEIT, PLAYED, REQUESTED, Matches
from pairopt.event.name_search import normalize_name
from pairopt.event.source_info import SourceInfo
from pairopt.files.csv_schema import MatchRow, PlayerRow
from pairopt.files.invariants import find_faults_of_matches, find_faults_of_players
from pairopt.files.text_tables import ONE_BY_ONE
from pairopt.messages import Message, Note, message, with_heading

MOST_POINTS = 2**50
BYE_WORDS = ("bye", "-")  # what people type for no opponent


@dataclass(frozen=True, slots=True)
class PlayerTable:
    """The parsed rows of players.csv.

    Attributes
    ----------
    name : str
        The name of the file in messages.
    players : Sequence[PlayerRow]
        The rows.
    columns : Mapping[str, Sequence[str]]
        The cells of each column except `player`, as text, including columns that
        pairopt does not know.
    layout : ColumnLayout
        How numbers are written in the file.
    notes : tuple[Note, ...]
        Notes on how the file was read.
    called : Mapping[str, str]
        The headings of renamed columns in the file, by their names in `columns`.
    """

    name: str
    players: Sequence[PlayerRow]
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    layout: ColumnLayout = field(default_factory=ColumnLayout)
    notes: tuple[Note, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options for reading a file; see `pairopt.read_event`.

    Attributes
    ----------
    roster : PlayerTable or None
        players.csv, if it was given.
    round : int or None
        The round to pair: the event is seen as before it. None is the round after the last one.
    sides : tuple[str, str] or None
        The labels of the two sides, if pairopt does not know them.
    history : bool
        Refuse scores without opponents.
    rounds_over : int
        The number of rounds that are over even if nobody was paired in the last of them.
    all_rounds_open : bool
        Accept missing results in every round, as in a round robin.
    columns : Mapping[str, str]
        Headings of the file by what they mean.
    model_sides : tuple[str, str] or None
        Further labels of sides that the file may contain.
    any_results : bool
        Accept results of several point systems.
    any_byes : bool
        Accept several byes in a round.
    fide_data : str
        Whether impossible FIDE data are "errors", "notes", or ignored ("").
    penalties : bool
        Accept points below 0 that players bring in.
    """

    roster: PlayerTable | None = None
    round: int | None = None
    sides: tuple[str, str] | None = None
    history: bool = True
    rounds_over: int = 0
    all_rounds_open: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    model_sides: tuple[str, str] | None = None
    any_results: bool = False
    any_byes: bool = False
    fide_data: str = "notes"
    penalties: bool = False


def build_event(
    source: str, rows: Sequence[MatchRow], roster: PlayerTable, how: ReadOptions
) -> Event:
    """Build an event from rows of matches and players.

    Parameters
    ----------
    source : str
        The name of the file in messages.
    rows : Sequence[MatchRow]
        The matches and byes, in the order of the file.
    roster : PlayerTable
        The players.
    how : ReadOptions
        The round to pair, and what is accepted. Its roster is not used.

    Returns
    -------
    Event
        The event as before the round in `how`, or before the first round that is not in `rows`.

    Raises
    ------
    InputError
        All faults of the players or, if they have none, of the matches. Also if there are
        too many players or points.
    """
    player_rows = roster.players
    if len(player_rows) > MOST_PLAYERS:
        too_many_reason = message("roster.too_many", most=MOST_PLAYERS)
        raise InputError(
            roster.name, [Fault(too_many_reason, player_rows[MOST_PLAYERS].place)]
        )
    fide_data_faults = list(_find_fide_data_faults(roster))
    player_faults = find_faults_of_players(player_rows, how.penalties)
    if how.fide_data == "errors":
        player_faults += fide_data_faults
    if player_faults:
        raise InputError(roster.name, player_faults)

    position_of_player = {
        player_row.player: player_position
        for player_position, player_row in enumerate(player_rows)
    }
    identifier_by_name = {
        normalize_name(identifier): identifier for identifier in position_of_player
    }
    faults = list(_find_row_faults(rows, identifier_by_name, position_of_player))
    side_labels, side_faults = _choose_side_labels(rows, how.sides, how.model_sides)
    faults += side_faults
    faults += find_faults_of_matches(rows, how.any_results, how.any_byes)
    if faults:
        raise InputError(source, faults)

    point_scale = _find_common_denominator(_list_all_points(rows, player_rows))
    match_arrays = _build_matches(rows, position_of_player, side_labels, point_scale)
    brought_points = _scale_values(
        [player_row.score for player_row in player_rows], point_scale
    )
    virtual_points = _scale_points_by_round(
        [player_row.virtual for player_row in player_rows], point_scale
    )
    adjusted_points = _scale_points_by_round(
        [player_row.adjusted for player_row in player_rows], point_scale
    )
    point_arrays = (
        match_arrays.score1,
        match_arrays.score2,
        brought_points,
        adjusted_points.ravel(),
    )
    if (
        sum(
            abs(int(scaled_points))
            for point_array in point_arrays
            for scaled_points in point_array
        )
        > MOST_POINTS
    ):
        raise InputError(source, "cell.scores_too_large")

    is_active_by_row = np.array(
        [player_row.active is not False for player_row in player_rows], np.bool_
    )
    first_round_byes = (bool(player_row.first_round_bye) for player_row in player_rows)
    byes_brought = (
        getattr(player_row, "byes", None) or 0 for player_row in player_rows
    )
    source_info = SourceInfo(
        source,
        tuple(match_row.place for match_row in rows),
        rounds_over=how.rounds_over,
        all_rounds_open=how.all_rounds_open,
        called={
            heading_in_file: column_in_pairopt
            for column_in_pairopt, heading_in_file in roster.called.items()
        },
    )
    event = Event(
        players=tuple(position_of_player),
        matches=match_arrays,
        round=1,
        active=np.ones(len(player_rows), np.bool_),
        scale=point_scale,
        sides=side_labels,
        brought=brought_points,
        acceleration=virtual_points,
        adjusted=adjusted_points,
        names=tuple(player_row.name or player_row.player for player_row in player_rows),
        rating=_scale_ratings(player_rows),
        rating_scale=_find_common_denominator(
            [player_row.rating for player_row in player_rows]
        ),
        byes_brought=_to_integers(byes_brought),
        fixed_table=_to_integers(player_row.table or 0 for player_row in player_rows),
        first_round_bye=_to_integers(first_round_byes) > 0,
        start_numbers=_assign_start_numbers(player_rows),
        declared_active=is_active_by_row if "active" in roster.columns else None,
        columns={
            column_name: tuple(column_cells)
            for column_name, column_cells in roster.columns.items()
        },
        origin=source_info,
    )
    event = set_round(event, how.round)
    if how.fide_data != "notes":
        return event
    fide_notes = []
    for fault in fide_data_faults:
        note_heading = message(
            "fide_data.in_list", source=roster.name, place=str(fault.place)
        )
        fide_notes.append(with_heading(note_heading, fault.said))
    return replace(event, notes=(*event.notes, *fide_notes)) if fide_notes else event


def _list_all_points(
    rows: Iterable[MatchRow], players: Iterable[PlayerRow]
) -> list[Decimal | None]:
    """List all points of an event: scores of matches, and points of players.

    Points of players are those that they bring in, virtual and adjusted points. None
    stands for an empty cell. The scores of all rows come first.
    """
    all_points: list[Decimal | None] = []
    for match_row in rows:
        all_points += (match_row.score1, match_row.score2)
    for player_row in players:
        all_points.append(player_row.score)
        all_points += player_row.virtual
        all_points += player_row.adjusted
    return all_points


def _find_fide_data_faults(roster: PlayerTable) -> Iterator[Fault]:
    """Yield a fault for each impossible cell in FIDE's columns of players.csv.

    `roster` has the parsed rows and all columns of players.csv. FIDE's columns hold for
    example titles, federations and ratings. There are no faults if players.csv has none
    of these columns.
    """
    ratings = [
        None if player_row.rating is None else Fraction(player_row.rating)
        for player_row in roster.players
    ]
    for row_index, column_name, reason in find_fide_data_faults(
        roster.columns, ratings
    ):
        yield Fault(reason, roster.players[row_index].place.at(column_name))


def _find_row_faults(
    rows: Sequence[MatchRow],
    identifier_by_name: Mapping[str, str],
    players: Collection[str],
) -> Iterator[Fault]:
    """Yield faults in rows of matches: unknown players, repeats and impossible scores.

    A repeat is a second row of a player in the same round, or a player who meets
    themself. `players` are the identifiers. `identifier_by_name` maps normalized names
    to them, so that a fault can suggest the identifier that differs only in case,
    blanks or invisible characters.
    """
    place_by_round_and_player: dict[tuple[int, str], Place] = {}
    for match_row in rows:
        row_location = match_row.place
        for column_name, stated_player in (
            ("player1", match_row.player1),
            ("player2", match_row.player2),
        ):
            if stated_player and stated_player not in players:
                similar_identifier = identifier_by_name.get(
                    normalize_name(stated_player)
                )
                fault_reason = message(
                    "row.nearly" if similar_identifier else "row.no_player",
                    found=stated_player,
                    player=similar_identifier,
                )
                if (
                    normalize_name(stated_player) in BYE_WORDS
                    and column_name == "player2"
                ):
                    fault_reason = message("row.bye_word", found=stated_player)
                yield Fault(fault_reason, row_location.at(column_name))
            first_place = (
                place_by_round_and_player.setdefault(
                    (match_row.round, stated_player), row_location
                )
                if stated_player
                else row_location
            )
            if first_place is not row_location:
                fault_reason = message(
                    "row.again",
                    player=stated_player,
                    round=match_row.round,
                    place=str(first_place),
                )
                yield Fault(fault_reason, row_location.at(column_name))
        if match_row.player1 == match_row.player2:
            yield Fault(
                message("row.alone", player=match_row.player1),
                row_location.at("player2"),
            )
        if column_and_reason := _find_score_fault(match_row):
            yield Fault(column_and_reason[1], row_location.at(column_and_reason[0]))


def find_similar_names(players: Iterable[str], places: Iterable[Place]) -> list[Fault]:
    """Return a fault for each name that is nearly equal to an earlier one.

    Nearly equal names differ only in case, blanks, invisible characters, or how a
    letter is encoded. `players` are the names, and `places` the locations of their rows
    in the file, equally many. Identical names are no faults here.
    """
    first_seen_by_name: dict[str, tuple[str, Place]] = {}
    faults = []
    for player_name, row_location in zip(players, places, strict=True):
        earlier_name, earlier_place = first_seen_by_name.setdefault(
            normalize_name(player_name), (player_name, row_location)
        )
        if earlier_name != player_name:
            reason = message(
                "roster.nearly",
                found=player_name,
                player=earlier_name,
                place=str(earlier_place),
            )
            faults.append(Fault(reason, row_location.at("player")))
    return faults


def _find_score_fault(row: MatchRow) -> tuple[str, Message] | None:
    """Return the column and message of the first fault in a row's scores.

    Returns None if scores, status and games fit each other. The checks are, in this
    order: a forfeit without an opponent, points for a missing opponent, a bye with an
    opponent, a match with one score, a forfeit without scores, and games without both
    counts and both scores.
    """
    has_score1 = row.score1 is not None
    has_score2 = row.score2 is not None
    has_opponent = bool(row.player2)
    is_forfeit = row.status == "forfeit"
    is_bye = row.status in ("bye", "requested")
    has_games1 = row.games1 is not None
    has_games2 = row.games2 is not None
    has_any_games = has_games1 or has_games2 or row.games_drawn is not None
    has_both_games = has_games1 and has_games2

    faulty_column = ""
    if is_forfeit and not has_opponent:
        faulty_column, message_kind = "player2", "row.forfeit_alone"
    elif row.score2 and not has_opponent:
        faulty_column, message_kind = "score2", "row.score_of_bye"
    elif has_opponent and is_bye:
        faulty_column, message_kind = "player2", "row.bye_of_two"
    elif has_opponent and has_score1 != has_score2:
        faulty_column, message_kind = (
            "score2" if has_score1 else "score1",
            "row.one_score",
        )
    elif is_forfeit and not has_score1:
        faulty_column, message_kind = "score1", "row.forfeit_open"
    elif has_any_games and not (has_both_games and has_score1 and has_score2):
        faulty_column, message_kind = "games1", "row.games"
    if not faulty_column:
        return None
    fault_fields = {
        "player": row.player2,
        "score": str(row.score2),
        "status": row.status,
    }
    return faulty_column, message(message_kind, **fault_fields)


def _choose_side_labels(
    rows: Sequence[MatchRow],
    sides: tuple[str, str] | None,
    model_sides: tuple[str, str] | None = None,
) -> tuple[tuple[str, str] | None, list[Fault]]:
    """Return the two side labels in use, and faults about sides in the rows.

    The first label in the rows decides; there are no labels (None) and no faults if no
    row has a side. If `sides` is given, only its labels are known. Otherwise the usual
    labels and `model_sides` are. If the first label is unknown, the first known pair is
    returned. Each row whose label is not in the returned pair is a fault, and so is a
    played match without a side. If there are at least ONE_BY_ONE labels and all are
    unknown, one fault stands for all of them.
    """
    used_labels = [match_row.side1 for match_row in rows if match_row.side1]
    if not used_labels:
        return None, []

    known_label_pairs = [] if sides else list(KNOWN_SIDES)
    declared_pair = sides or model_sides
    if declared_pair:
        known_label_pairs.insert(
            0, (declared_pair[0].lower(), declared_pair[1].lower())
        )
    matching_label_pairs = (
        label_pair for label_pair in known_label_pairs if used_labels[0] in label_pair
    )
    labels_in_use = next(matching_label_pairs, None)
    expected_labels: Sequence[str] = labels_in_use or [
        side_label for label_pair in known_label_pairs for side_label in label_pair
    ]
    if labels_in_use is None:
        labels_in_use = known_label_pairs[0]

    rows_with_unknown_label = [
        match_row
        for match_row in rows
        if match_row.side1 and match_row.side1 not in labels_in_use
    ]
    is_all_unknown = len(rows_with_unknown_label) == len(used_labels) >= ONE_BY_ONE
    message_kind = "row.sides" if is_all_unknown else "row.side"
    unknown_label_count = len(used_labels) if is_all_unknown else 0
    faults = []
    for match_row in (
        rows_with_unknown_label[:1] if is_all_unknown else rows_with_unknown_label
    ):
        reason = message(
            message_kind,
            found=match_row.side1,
            named=expected_labels,
            rows=unknown_label_count,
        )
        faults.append(Fault(reason, match_row.place.at("side1")))

    for match_row in rows:
        is_played = (
            bool(match_row.player2)
            and not match_row.status
            and match_row.score1 is not None
        )
        if is_played and not match_row.side1:
            faults.append(Fault(message("row.no_side"), match_row.place.at("side1")))
    return (labels_in_use[0], labels_in_use[1]), faults


def _build_matches(
    rows: Sequence[MatchRow],
    index: Mapping[str, int],
    labels: tuple[str, str] | None,
    scale: int,
) -> Matches:
    """Build the arrays of all matches, with one entry per row in the same order.

    `index` has the position of each player by identifier. `labels` are the two side
    labels, None without sides. `scale` is the number by which points are multiplied.
    Where a row has no opponent, side or games, the arrays have -1; without a table or a
    score they have 0. `scored` is true for a row with a score or a requested bye.
    """

    def status(row: MatchRow) -> int:
        """Return a row's status code: REQUESTED, BYE_ROW, FORFEIT or PLAYED."""
        if row.status == "requested":
            return REQUESTED
        if not row.player2:
            return BYE_ROW
        return FORFEIT if row.status == "forfeit" else PLAYED

    has_score = (row.score1 is not None or row.status == "requested" for row in rows)
    return Matches(
        round=_to_integers(row.round for row in rows),
        table=_to_integers(row.table or 0 for row in rows),
        first=_to_integers(index[row.player1] for row in rows),
        second=_to_integers(index[row.player2] if row.player2 else -1 for row in rows),
        side=_to_integers(
            labels.index(row.side1) if labels and row.side1 else -1 for row in rows
        ),
        score1=_scale_values([row.score1 for row in rows], scale),
        score2=_scale_values([row.score2 for row in rows], scale),
        status=_to_integers(map(status, rows)),
        scored=_to_integers(has_score) > 0,
        row=np.arange(len(rows)),
        games=np.array(
            [
                (-1, -1, -1)
                if row.games1 is None or row.games2 is None  # not known
                else (row.games1, row.games2, row.games_drawn or 0)
                for row in rows
            ],
            np.int64,
        ).reshape(-1, 3),
    )


def _assign_start_numbers(players: Sequence[PlayerRow]) -> IntArray:
    """Return the start number of each player; those without one follow by rating.

    The numbers that are added begin after the highest one, for the highest rating.
    Returns an empty array if no player has a start number.
    """
    stated_numbers = [player_row.start for player_row in players]
    if not any(stated_numbers):
        return np.zeros(0, np.int64)
    start_numbers = np.array(
        [stated_number or 0 for stated_number in stated_numbers], np.int64
    )
    unnumbered_players = np.flatnonzero(start_numbers == 0)
    unnumbered_by_rating = unnumbered_players[
        np.argsort(-_scale_ratings(players)[unnumbered_players], kind="stable")
    ]
    start_numbers[unnumbered_by_rating] = (
        start_numbers.max() + 1 + np.arange(len(unnumbered_by_rating))
    )
    return start_numbers


def _scale_points_by_round(lists: Sequence[Sequence[Decimal]], scale: int) -> IntArray:
    """Return points times `scale`, as an array with shape (players, rounds).

    `lists` has the points of each player round by round. Rounds after the end of a
    player's list have 0 points; the longest list decides how many rounds there are.
    """
    round_count = max(map(len, lists), default=0)
    scaled_points = [
        _scale_values(
            [*player_points, *[None] * (round_count - len(player_points))], scale
        )
        for player_points in lists
    ]
    return np.array(scaled_points, np.int64).reshape(len(lists), round_count)


def _scale_ratings(players: Sequence[PlayerRow]) -> IntArray:
    """Return each rating times the common denominator of all ratings.

    Players without a rating have NO_RATING.
    """
    ratings = [player_row.rating for player_row in players]
    scaled_ratings = _scale_values(ratings, _find_common_denominator(ratings))
    return np.where([rating is None for rating in ratings], NO_RATING, scaled_ratings)


def _to_integers(values: Iterable[int]) -> IntArray:
    """Return the values as an array of 64-bit integers."""
    return np.array([*values], np.int64)


def _find_common_denominator(values: Sequence[Decimal | None]) -> int:
    """Return the least common denominator of all values; None is skipped.

    Returns 1 if there are no values.
    """
    return lcm(
        *{
            Fraction(decimal_value).denominator
            for decimal_value in set(values)
            if decimal_value is not None
        }
    )


def _scale_values(values: Sequence[Decimal | None], scale: int) -> IntArray:
    """Return each value times `scale` as an array of integers, with 0 for None.

    `scale` is a common denominator of the values, so nothing is rounded.
    """
    return np.array(
        [
            int(unscaled_value * scale) if unscaled_value is not None else 0
            for unscaled_value in values
        ],
        np.int64,
    )
