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
        The cells of each column but `player`, as text, also of columns that pairopt does not know.
    layout : ColumnLayout
        How numbers are written in the file.
    notes : tuple[Note, ...]
        Notes on how the file was read.
    called : Mapping[str, str]
        The names that columns have in the file, where they have other names here.
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
        The labels of the two sides, if they are not well known.
    history : bool
        Refuse scores without opponents.
    rounds_over : int
        The number of rounds that are over even if nobody was paired in the last of them.
    columns : Mapping[str, str]
        Headings of the file by what they mean.
    model_sides : tuple[str, str] or None
        Labels of sides that are known besides the usual ones.
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
        The round to pair, and what is accepted.

    Returns
    -------
    Event
        The event as before the round in `how`, or before the first round that is not in `rows`.

    Raises
    ------
    InputError
        All faults of the players or, if they have none, of the matches.
    """
    players = roster.players
    if len(players) > MOST_PLAYERS:
        reason = message("roster.too_many", most=MOST_PLAYERS)
        raise InputError(roster.name, [Fault(reason, players[MOST_PLAYERS].place)])
    fide_faults = list(_find_fide_data_faults(roster))
    player_faults = find_faults_of_players(players, how.penalties)
    if how.fide_data == "errors":
        player_faults += fide_faults
    if player_faults:
        raise InputError(roster.name, player_faults)

    index = {player.player: position for position, player in enumerate(players)}
    identifier_by_name = {normalize_name(player): player for player in index}
    faults = list(_find_row_faults(rows, identifier_by_name, index))
    labels, side_faults = _choose_side_labels(rows, how.sides, how.model_sides)
    faults += side_faults
    faults += find_faults_of_matches(rows, how.any_results, how.any_byes)
    if faults:
        raise InputError(source, faults)

    scale = _find_common_denominator(_list_all_points(rows, players))
    matches = _build_matches(rows, index, labels, scale)
    brought = _scale_values([player.score for player in players], scale)
    virtual = _scale_points_by_round([player.virtual for player in players], scale)
    adjusted = _scale_points_by_round([player.adjusted for player in players], scale)
    point_arrays = (matches.score1, matches.score2, brought, adjusted.ravel())
    if sum(abs(int(value)) for array in point_arrays for value in array) > MOST_POINTS:
        raise InputError(source, "cell.scores_too_large")

    is_active = np.array([player.active is not False for player in players], np.bool_)
    first_round_byes = (bool(player.first_round_bye) for player in players)
    byes_brought = (getattr(player, "byes", None) or 0 for player in players)
    origin = SourceInfo(
        source,
        tuple(row.place for row in rows),
        rounds_over=how.rounds_over,
        called={original: column for column, original in roster.called.items()},
    )
    event = Event(
        players=tuple(index),
        matches=matches,
        round=1,
        active=np.ones(len(players), np.bool_),
        scale=scale,
        sides=labels,
        brought=brought,
        acceleration=virtual,
        adjusted=adjusted,
        names=tuple(player.name or player.player for player in players),
        rating=_scale_ratings(players),
        rating_scale=_find_common_denominator([player.rating for player in players]),
        byes_brought=_to_integers(byes_brought),
        fixed_table=_to_integers(player.table or 0 for player in players),
        first_round_bye=_to_integers(first_round_byes) > 0,
        start_numbers=_assign_start_numbers(players),
        declared_active=is_active if "active" in roster.columns else None,
        columns={name: tuple(cells) for name, cells in roster.columns.items()},
        origin=origin,
    )
    event = set_round(event, how.round)
    if how.fide_data != "notes":
        return event
    notes = []
    for fault in fide_faults:
        heading = message(
            "fide_data.in_list", source=roster.name, place=str(fault.place)
        )
        notes.append(with_heading(heading, fault.said))
    return replace(event, notes=(*event.notes, *notes)) if notes else event


def _list_all_points(
    rows: Iterable[MatchRow], players: Iterable[PlayerRow]
) -> list[Decimal | None]:
    """Return all points in rows of matches and players, None where there are none."""
    points: list[Decimal | None] = []
    for row in rows:
        points += (row.score1, row.score2)
    for player in players:
        points.append(player.score)
        points += player.virtual
        points += player.adjusted
    return points


def _find_fide_data_faults(roster: PlayerTable) -> Iterator[Fault]:
    """Yield a fault for each cell of FIDE's columns that cannot be right."""
    ratings = [
        None if player.rating is None else Fraction(player.rating)
        for player in roster.players
    ]
    for player, column, reason in find_fide_data_faults(roster.columns, ratings):
        yield Fault(reason, roster.players[player].place.at(column))


def _find_row_faults(
    rows: Sequence[MatchRow],
    identifier_by_name: Mapping[str, str],
    players: Collection[str],
) -> Iterator[Fault]:
    """Yield faults of single rows: unknown or repeated players, and impossible scores.

    `players` are the identifiers, `identifier_by_name` has them by their normalized
    names.
    """
    place_of_player: dict[tuple[int, str], Place] = {}
    for row in rows:
        place = row.place
        for column, player in (("player1", row.player1), ("player2", row.player2)):
            if player and player not in players:
                similar_identifier = identifier_by_name.get(normalize_name(player))
                reason = message(
                    "row.nearly" if similar_identifier else "row.no_player",
                    found=player,
                    player=similar_identifier,
                )
                if normalize_name(player) in BYE_WORDS and column == "player2":
                    reason = message("row.bye_word", found=player)
                yield Fault(reason, place.at(column))
            earlier_place = (
                place_of_player.setdefault((row.round, player), place)
                if player
                else place
            )
            if earlier_place is not place:
                reason = message(
                    "row.again",
                    player=player,
                    round=row.round,
                    place=str(earlier_place),
                )
                yield Fault(reason, place.at(column))
        if row.player1 == row.player2:
            yield Fault(message("row.alone", player=row.player1), place.at("player2"))
        if score_fault := _find_score_fault(row):
            yield Fault(score_fault[1], place.at(score_fault[0]))


def find_similar_names(players: Iterable[str], places: Iterable[Place]) -> list[Fault]:
    """Return a fault for each name that differs from another only in case or signs."""
    player_by_name: dict[str, tuple[str, Place]] = {}
    faults = []
    for player, place in zip(players, places, strict=True):
        similar_player, earlier_place = player_by_name.setdefault(
            normalize_name(player), (player, place)
        )
        if similar_player != player:
            reason = message(
                "roster.nearly",
                found=player,
                player=similar_player,
                place=str(earlier_place),
            )
            faults.append(Fault(reason, place.at("player")))
    return faults


def _find_score_fault(row: MatchRow) -> tuple[str, Message] | None:
    """Return the column and message of the first fault in a row's scores, or None."""
    has_score1 = row.score1 is not None
    has_score2 = row.score2 is not None
    has_opponent = bool(row.player2)
    is_forfeit = row.status == "forfeit"
    is_bye = row.status in ("bye", "requested")
    has_games1 = row.games1 is not None
    has_games2 = row.games2 is not None
    has_any_games = has_games1 or has_games2 or row.games_drawn is not None
    has_both_games = has_games1 and has_games2

    column = ""
    if is_forfeit and not has_opponent:
        column, kind = "player2", "row.forfeit_alone"
    elif row.score2 and not has_opponent:
        column, kind = "score2", "row.score_of_bye"
    elif has_opponent and is_bye:
        column, kind = "player2", "row.bye_of_two"
    elif has_opponent and has_score1 != has_score2:
        column, kind = "score2" if has_score1 else "score1", "row.one_score"
    elif is_forfeit and not has_score1:
        column, kind = "score1", "row.forfeit_open"
    elif has_any_games and not (has_both_games and has_score1 and has_score2):
        column, kind = "games1", "row.games"
    if not column:
        return None
    fields = {"player": row.player2, "score": str(row.score2), "status": row.status}
    return column, message(kind, **fields)


def _choose_side_labels(
    rows: Sequence[MatchRow],
    sides: tuple[str, str] | None,
    model_sides: tuple[str, str] | None = None,
) -> tuple[tuple[str, str] | None, list[Fault]]:
    """Return the two side labels in use, None without sides, and faults in the rows.

    If `sides` is given, only these labels are known. Otherwise the usual ones are, and
    those of the model. Unknown labels and missing sides are faults.
    """
    used_labels = [row.side1 for row in rows if row.side1]
    if not used_labels:
        return None, []

    known_pairs = [] if sides else list(KNOWN_SIDES)
    extra_pair = sides or model_sides
    if extra_pair:
        known_pairs.insert(0, (extra_pair[0].lower(), extra_pair[1].lower()))
    fitting_pairs = (pair for pair in known_pairs if used_labels[0] in pair)
    labels = next(fitting_pairs, None)
    expected_labels: Sequence[str] = labels or [
        side for pair in known_pairs for side in pair
    ]
    if labels is None:
        labels = known_pairs[0]

    unknown_rows = [row for row in rows if row.side1 and row.side1 not in labels]
    is_all_unknown = len(unknown_rows) == len(used_labels) >= ONE_BY_ONE
    kind = "row.sides" if is_all_unknown else "row.side"
    count = len(used_labels) if is_all_unknown else 0
    faults = []
    for row in unknown_rows[:1] if is_all_unknown else unknown_rows:
        reason = message(kind, found=row.side1, named=expected_labels, rows=count)
        faults.append(Fault(reason, row.place.at("side1")))

    for row in rows:
        is_played = bool(row.player2) and not row.status and row.score1 is not None
        if is_played and not row.side1:
            faults.append(Fault(message("row.no_side"), row.place.at("side1")))
    return (labels[0], labels[1]), faults


def _build_matches(
    rows: Sequence[MatchRow],
    index: Mapping[str, int],
    labels: tuple[str, str] | None,
    scale: int,
) -> Matches:
    """Build the arrays of all matches; points are multiplied by `scale`."""

    def status(row: MatchRow) -> int:
        """Return the code of a row's status: played, forfeit, bye or requested bye."""
        if row.status == "requested":
            return REQUESTED
        if not row.player2:
            return BYE_ROW
        return FORFEIT if row.status == "forfeit" else PLAYED

    scored = (row.score1 is not None or row.status == "requested" for row in rows)
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
        scored=_to_integers(scored) > 0,
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
    """Return the start numbers; players without one follow by rating.

    Returns an empty array if nobody has one.
    """
    starts = [player.start for player in players]
    if not any(starts):
        return np.zeros(0, np.int64)
    numbers = np.array([start or 0 for start in starts], np.int64)
    unnumbered = np.flatnonzero(numbers == 0)
    order = unnumbered[np.argsort(-_scale_ratings(players)[unnumbered], kind="stable")]
    numbers[order] = numbers.max() + 1 + np.arange(len(order))
    return numbers


def _scale_points_by_round(lists: Sequence[Sequence[Decimal]], scale: int) -> IntArray:
    """Return points by player and round, times `scale`, as an array.

    Rounds after the end of a player's list have 0 points.
    """
    rounds = max(map(len, lists), default=0)
    scaled_lists = [
        _scale_values([*points_list, *[None] * (rounds - len(points_list))], scale)
        for points_list in lists
    ]
    return np.array(scaled_lists, np.int64).reshape(len(lists), rounds)


def _scale_ratings(players: Sequence[PlayerRow]) -> IntArray:
    """Return the ratings as whole numbers on their common scale.

    Players without a rating have NO_RATING.
    """
    values = [player.rating for player in players]
    scaled = _scale_values(values, _find_common_denominator(values))
    return np.where([value is None for value in values], NO_RATING, scaled)


def _to_integers(values: Iterable[int]) -> IntArray:
    """Return the values as an array of 64-bit integers."""
    return np.array([*values], np.int64)


def _find_common_denominator(values: Sequence[Decimal | None]) -> int:
    """Return the least common denominator of the values that are not None."""
    return lcm(
        *{Fraction(value).denominator for value in set(values) if value is not None}
    )


def _scale_values(values: Sequence[Decimal | None], scale: int) -> IntArray:
    """Return each value times `scale` as a whole number; 0 for None."""
    return np.array(
        [int(value * scale) if value is not None else 0 for value in values], np.int64
    )
