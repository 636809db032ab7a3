"""Event: the players and the rounds played so far, one immutable value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from pairopt.common.limits import MOST_NUMBER, MOST_ROUNDS, parse_digits
from pairopt.errors import InputError, UsageError
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.column_layout import (
    ADJOURNED,
    GAMES,
    RESERVED_COLUMNS,
    STATUS,
    CellValue,
    TableColumns,
    cells_where,
    data_frame_of,
)
from pairopt.event.forbidden_pairs import ForbiddenMeeting, pairs_forbidden_in
from pairopt.event.matches import BYE_ROW as BYE_ROW
from pairopt.event.matches import FORFEIT as FORFEIT
from pairopt.event.matches import PLAYED as PLAYED
from pairopt.event.matches import REQUESTED as REQUESTED
from pairopt.event.matches import Matches as Matches
from pairopt.event.matches import PlayerRounds, player_rounds_of
from pairopt.event.name_search import (
    find_exact_names,
    find_near_names,
    normalize_fide_number,
    normalize_name,
    search_names,
)
from pairopt.event.settings import EventSettings
from pairopt.event.source_info import SourceInfo
from pairopt.messages import Note, Value, join_notes, message
from pairopt.messages.formatting import (
    alphabetical_key,
    decimal_text,
    escape_hidden,
    quote_for_shell,
)

if TYPE_CHECKING:
    import pandas as pd

NO_RATING = -(2**62)
"""The rating of an unrated player: below every rating, and it can be negated."""
TITLES = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM")
NOTHING: Mapping[str, tuple[int, ...]] = {
    "rating": (),
    "brought": (),
    "byes_brought": (),
    "fixed_table": (),
    "first_round_bye": (),
    "acceleration": (0,),
    "adjusted": (0,),
}
"""The arrays that an event may leave out, with their further dimensions."""
KNOWN_SIDES = (("corp", "runner"), ("white", "black"))


@dataclass(frozen=True)
class Event:
    """A tournament: its players, the rounds that were played, and the round to pair.

    The arrays of an event have one entry per player, in the order of `players`. The
    points in an event are exact integers: the points of the players times `scale`. If
    you leave out a field, it is empty for every player.

    Attributes
    ----------
    players : tuple of str
        The identifiers of the players.
    matches : Matches
        All matches and byes, as arrays with one entry per row of matches.csv.
    round : int
        The round to pair, from 1.
    active : array of bool
        Whether the player takes part in the round to pair.
    scale : int
        The integer that makes all points integers, for example 2 for half points.
    sides : tuple of str or None
        The labels of the first and the second side. None in a game without sides.
    names : tuple of str
        The names of the players as people read them.
    rating : array of int
        The ratings, times `rating_scale`.
    rating_scale : int
        The integer that makes all ratings integers.
    brought : array of int
        Points that players had before the first round of the event.
    byes_brought : array of int
        The number of byes that players had before the first round of the event.
    fixed_table : array of int
        The fixed table of each player, 0 without one.
    first_round_bye : array of bool
        Whether the player requested a bye for round 1.
    start_numbers : array of int
        The order of players with equal scores. By default the order of `by_strength`.
    acceleration : array of int, shape (players, rounds)
        Virtual points by round, from round 1 on.
    adjusted : array of int, shape (players, rounds)
        Points by round that no result explains. They count from the end of their round.
    initial_side : int or None
        The side of the first player in round 1, drawn by lot: 0 for the first side, 1
        for the second side, None if it was not drawn.
    declared_active : array of bool or None
        The column `active` of players.csv. None without this column.
    columns : mapping of str to tuple of str
        Further columns of players.csv, one cell per player.
    complete_history : bool
        False if only scores are known, and not who has met whom.
    requested : tuple of int
        Positions of players with a requested bye in the round to pair.
    prohibited : tuple of ForbiddenMeeting
        Pairs of players who may not meet, with the rounds in which they may not.
    notes : tuple of messages
        What pairopt concluded from the files.
    settings : EventSettings
        The rules that hold for all rounds.
    origin : SourceInfo
        The file, row and column from which each value was read.

    Raises
    ------
    ValueError
        If an array does not have one entry per player.
    UsageError
        If `round` is not a possible number of a round.
    """

    players: tuple[str, ...]
    matches: Matches
    round: int
    active: BoolArray
    scale: int = 1
    sides: tuple[str, str] | None = None
    names: tuple[str, ...] = ()
    rating: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    rating_scale: int = 1
    brought: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    byes_brought: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    fixed_table: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    first_round_bye: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))
    start_numbers: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    acceleration: IntArray = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    adjusted: IntArray = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    initial_side: int | None = None
    declared_active: BoolArray | None = None
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    complete_history: bool = True
    requested: tuple[int, ...] = ()
    prohibited: tuple[ForbiddenMeeting, ...] = ()
    notes: tuple[Note, ...] = ()
    settings: EventSettings = field(default_factory=EventSettings)
    origin: SourceInfo = field(default_factory=SourceInfo)

    def __post_init__(self) -> None:
        """Fill in fields that were left out, then check the round and the lengths.

        Without names the identifiers are the names, and without start numbers players
        are numbered by strength. Other arrays that are empty are filled with 0, or with
        no rating. Raises UsageError for a round number that is negative or too large,
        and ValueError for a field of a wrong length.
        """
        if not 0 <= self.round <= MOST_ROUNDS + 1:
            raise UsageError("event.too_long", round=self.round, most=MOST_ROUNDS)

        player_count = len(self.players)
        if not self.names:
            object.__setattr__(self, "names", self.players)
        for field_name, further_dimensions in NOTHING.items():
            given_array = getattr(self, field_name)
            if not len(given_array):
                default_value = NO_RATING if field_name == "rating" else 0
                default_array = np.full(
                    (player_count, *further_dimensions),
                    default_value,
                    given_array.dtype,
                )
                object.__setattr__(self, field_name, default_array)

        for field_name in ("active", "names", *NOTHING):
            if len(getattr(self, field_name)) != player_count:
                raise ValueError(f"Expected {player_count} entries in {field_name}.")
        if not len(self.start_numbers):
            object.__setattr__(self, "start_numbers", np.argsort(self.by_strength) + 1)
        elif len(self.start_numbers) != player_count:
            raise ValueError(f"Expected {player_count} entries in start_numbers.")

    @property
    def source(self) -> str:
        """The name of the file or folder that the event was read from, for messages."""
        return self.origin.name

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The position in `players` of each identifier."""
        return {
            identifier: player_position
            for player_position, identifier in enumerate(self.players)
        }

    @cached_property
    def by_strength(self) -> IntArray:
        """The positions of all players, strongest first, by FIDE's C.04.2, article 2.2.

        The highest rating comes first and unrated players last, then FIDE titles in
        their order, then names in alphabetical order. Shape (players,).
        """
        rank_of_title = {
            player_title: title_rank - len(TITLES)
            for title_rank, player_title in enumerate(TITLES)
        }
        title_by_player = self.columns.get("title", ("",) * len(self.players))
        title_rank_by_player = [
            rank_of_title.get(title_cell.strip().upper(), 0)
            for title_cell in title_by_player
        ]
        sort_keys_by_player = [
            *zip(
                (-self.rating).tolist(),
                title_rank_by_player,
                map(alphabetical_key, self.names),
                strict=True,
            )
        ]
        return np.array(
            sorted(
                range(len(sort_keys_by_player)), key=sort_keys_by_player.__getitem__
            ),
            np.int64,
        )

    @cached_property
    def annulled(self) -> BoolArray:
        """True for rows of `matches` that count for nobody's score, shape (rows,).

        In a round robin these are all rows of a player who withdrew, by the column
        `active`, before playing half of their games (FIDE Tournament Rules on
        withdrawals). A forfeit is not played. In any other event no row is annulled.
        """
        match_rows = self.matches
        if not self.origin.all_rounds_open or self.declared_active is None:
            return np.zeros(len(match_rows), np.bool_)

        player_count = len(self.players)
        is_match_of_two = match_rows.second >= 0
        game_count_by_player = _count_rows(
            match_rows.take(is_match_of_two), player_count
        )
        played_count_by_player = _count_rows(
            match_rows.take(
                is_match_of_two & match_rows.scored & (match_rows.status == PLAYED)
            ),
            player_count,
        )
        has_annulled_games = ~self.declared_active & (
            2 * played_count_by_player < game_count_by_player
        )
        return has_annulled_games[match_rows.first] | (
            is_match_of_two & has_annulled_games[match_rows.second]
        )

    @cached_property
    def before(self) -> Matches:
        """The matches and byes with scores, from all rounds before the one to pair.

        Annulled rows are left out.
        """
        counts_before_round = (
            (self.matches.round < self.round) & self.matches.scored & ~self.annulled
        )
        return (
            self.matches
            if np.count_nonzero(counts_before_round) == len(counts_before_round)
            else self.matches.take(counts_before_round)
        )

    @cached_property
    def forbidden(self) -> tuple[tuple[int, int], ...]:
        """The pairs, by position, that may not meet in the round to pair.

        A pair is (position, position), in the order in which `prohibited` has it.
        """
        return pairs_forbidden_in(self.prohibited, self.round)

    @cached_property
    def besides(self) -> IntArray:
        """Each player's points without a result before each round, times `scale`.

        Shape (players, rounds so far + 1): column r is before round r + 1, and the last
        one before the round to pair. These are points brought in and adjusted ones,
        which count from the end of their round.
        """
        earlier_round_count = max(self.round - 1, 0)
        points_without_results: IntArray = self.brought[:, None].repeat(
            1 + earlier_round_count, axis=1
        )
        for round_number, round_points in enumerate(
            self.adjusted.T[:earlier_round_count], 1
        ):
            points_without_results[:, round_number:] += round_points[:, None]
        return points_without_results

    @cached_property
    def turns(self) -> PlayerRounds:
        """What each player did in each round before the one to pair.

        Annulled rows, and rows without scores, are left out.
        """
        return player_rounds_of(self.before, len(self.players), max(self.round - 1, 0))

    @cached_property
    def unscored(self) -> Matches:
        """The rows of an unfinished last round that have no scores yet.

        In a round robin they are of all rounds.
        """
        return self.matches.take(
            (self.matches.round < self.round) & ~self.matches.scored
        )

    @cached_property
    def adjourned(self) -> Matches:
        """The rows of adjourned games, which count as draws until they are played on.

        Those are the rows with "true" in the column `adjourned` of matches.csv.
        """
        adjourned_cells = self.origin.cells.get(ADJOURNED, ())
        is_adjourned = np.array(
            [*(adjourned_cell == "true" for adjourned_cell in adjourned_cells), False],
            np.bool_,
        )
        return self.matches.take(
            is_adjourned[np.minimum(self.matches.row, len(adjourned_cells))]
        )

    def cells(self, column: str) -> tuple[str, ...]:
        """Return a column of players.csv, one cell per player.

        The name may be in any case, or as the list that was read calls it. Raises
        UsageError if there is no such column. Cells are texts as in the file, "" where
        a player has none.
        """
        cells_by_lowercase_name = {
            stored_name.lower(): cells for stored_name, cells in self.columns.items()
        }
        cells_by_name_in_list = {
            list_name: cells_by_lowercase_name[column_name]
            for list_name, column_name in self.origin.called.items()
            if column_name in cells_by_lowercase_name
        }
        cells_by_lowercase_name = {**cells_by_name_in_list, **cells_by_lowercase_name}
        if column.lower() not in cells_by_lowercase_name:
            raise UsageError(
                "rule.no_column",
                column=column,
                columns=sorted(cells_by_lowercase_name) or ["none"],
            )
        return cells_by_lowercase_name[column.lower()]

    def points_text(self, score: int) -> str:
        """Return points as text, such as "1.5"; `score` is times the event's scale."""
        return decimal_text(Fraction(score, self.scale))

    def rating_text(self, player: int) -> str:
        """Return the rating of the player at a position as text, "" for none.

        The rating is in points, exact, such as "1850" or "1850.5".
        """
        scaled_rating = int(self.rating[player])
        return (
            ""
            if scaled_rating == NO_RATING
            else decimal_text(Fraction(scaled_rating, self.rating_scale))
        )

    def shown_rating(self, player: int) -> str:
        """Return a player's rating to display, "" without one; `player` is a position.

        Lists give unrated players 0, too, so that 0 is shown as "".
        """
        return self.rating_text(player) if self.rating[player] else ""

    @property
    def chess(self) -> bool:
        """Whether the game is chess, judged by the file's format, or the sides' labels.

        An arbiter of chess may decide 0-0 or ½-0.
        """
        return self.origin.chess or self.sides == ("white", "black")

    @property
    def sided(self) -> bool:
        """Whether the game has sides.

        In chess these are White and Black.
        """
        return self.sides is not None

    @property
    def rated(self) -> BoolArray:
        """True for players with a rating, shape (players,)."""
        return np.asarray(self.rating != NO_RATING, np.bool_)

    @property
    def matches_frame(self) -> pd.DataFrame:
        """The matches as a DataFrame, with the columns of matches.csv.

        `round` and `table` are Int64, `score1` and `score2` float64, all else string.
        `read_event(event.matches_frame, event.players_frame, round=event.round)` is an
        event of which the same round is paired in the same way. It does not have what
        these files cannot hold (forbidden pairs, settings, byes brought in). An event
        of standings has no results: its meetings have no scores, and `players_frame`
        alone is to be read. The frame is built again at each use.
        """
        missing_cells = [None] * len(self.matches)
        blank_score_columns = (
            {}
            if self.complete_history
            else {"score1": missing_cells, "score2": missing_cells}
        )
        return data_frame_of({**self.match_columns, **blank_score_columns})

    @property
    def players_frame(self) -> pd.DataFrame:
        """The players as a DataFrame, without columns that only have default values.

        `rating` and `score` are float64 (they have at most 13 digits), `table` and
        `start` Int64, `first_round_bye` and `active` boolean, everything else (`name`,
        `virtual`, `club`, …) string. The frame is built again at each use.
        """
        return data_frame_of({"player": self.players, **self.player_columns})

    @property
    def match_columns(self) -> TableColumns:
        """The columns of matches.csv by name, each with one cell per row.

        Cells that the row does not have are None: the opponent in a bye, scores of an
        open match, the side in a game without sides. Scores are points, not scaled. The
        columns of games are left out unless a row has them.
        """
        match_rows = self.matches
        # Side -1, of a match without sides, takes the last label.
        side_labels = (*(self.sides or (None, None)), None)
        has_opponent = match_rows.second >= 0
        opponent_by_row = [
            self.players[player_position] for player_position in match_rows.second
        ]
        cells_by_column: dict[str, Sequence[CellValue]] = {
            "round": match_rows.round.tolist(),
            "table": [
                table_number or None for table_number in match_rows.table.tolist()
            ],
            "player1": [
                self.players[player_position]
                for player_position in match_rows.first.tolist()
            ],
            "player2": cells_where(opponent_by_row, has_opponent),
            "side1": [
                side_labels[side_number] for side_number in match_rows.side.tolist()
            ],
            "score1": cells_where(
                self._to_points(match_rows.score1), match_rows.scored
            ),
            "score2": cells_where(
                self._to_points(match_rows.score2), match_rows.scored & has_opponent
            ),
            "status": [
                STATUS[status_code] for status_code in match_rows.status.tolist()
            ],
        }
        if match_rows.by_games.any():
            for game_column_index, games_column in enumerate(GAMES):
                cells_by_column[games_column] = cells_where(
                    match_rows.games[:, game_column_index].tolist(), match_rows.by_games
                )
        return cells_by_column

    @property
    def player_columns(self) -> TableColumns:
        """The columns of players.csv by name, without `player` and all-default columns.

        A column whose cells are the default of every player is left out, for example
        `name` if all names are the identifiers, unless the file had it. Cells without a
        value are None; columns that pairopt does not know come last.
        """
        exact_ratings = [
            Fraction(scaled_rating, self.rating_scale)
            for scaled_rating in self.rating.tolist()
        ]
        are_start_numbers_default = (
            np.argsort(self.start_numbers) == self.by_strength
        ).all()
        fixed_table_or_none_by_player = [
            table_number or None for table_number in self.fixed_table.tolist()
        ]
        declared_active = self.declared_active
        active_cells = [] if declared_active is None else declared_active.tolist()

        # Each column with whether its cells say something.
        is_filled_and_cells_by_column: dict[str, tuple[object, Iterable[CellValue]]] = {
            "name": (self.names != self.players, self.names),
            "rating": (self.rated.any(), cells_where(exact_ratings, self.rated)),
            "score": (self.brought.any(), self._to_points(self.brought)),
            "table": (self.fixed_table.any(), fixed_table_or_none_by_player),
            "first_round_bye": (
                self.first_round_bye.any(),
                self.first_round_bye.tolist(),
            ),
            "start": (not are_start_numbers_default, self.start_numbers.tolist()),
            "virtual": (self.acceleration.any(), self._round_points(self.acceleration)),
            "adjusted": (self.adjusted.any(), self._round_points(self.adjusted)),
            "active": (declared_active is not None, active_cells),
        }
        player_columns = {
            column_name: list(column_cells)
            for column_name, (
                is_filled,
                column_cells,
            ) in is_filled_and_cells_by_column.items()
            if is_filled or column_name in self.columns
        }
        for column_name, column_cells in self.columns.items():
            if column_name not in RESERVED_COLUMNS:
                player_columns[column_name] = list(column_cells)
        return player_columns

    def _round_points(self, scores: IntArray) -> list[str]:
        """Return each player's points by round as one text, with blanks between rounds.

        `scores`, shape (players, rounds), are scaled. A player's text reads "1 0.5 0".
        """
        return [
            " ".join(map(self.points_text, round_scores_of_player))
            for round_scores_of_player in scores.tolist()
        ]

    def _to_points(self, scores: IntArray) -> list[Fraction]:
        """Return scaled points, `scores` of shape (k,), as exact fractions of points.

        They are divided by the event's scale.
        """
        return [
            Fraction(scaled_points, self.scale) for scaled_points in scores.tolist()
        ]

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Each player's name to display, with hidden characters made visible.

        Players whose names look the same have their identifiers beside them, or their
        FIDE numbers if the name is the identifier.
        """
        escaped_names = [*map(_name_for_people, self.names)]
        escaped_name_counts = Counter(map(normalize_name, escaped_names))
        fide_numbers = self.columns.get("fide_id") or ("",) * len(self.players)
        marked_or_plain_names = [
            escaped_name
            if escaped_name_counts[normalize_name(escaped_name)] == 1
            else _name_with_mark(
                escaped_name, fide_number if player_name == identifier else identifier
            )
            for escaped_name, player_name, identifier, fide_number in zip(
                escaped_names, self.names, self.players, fide_numbers, strict=True
            )
        ]
        # The name of a player may look like the marked name of another player.
        shown_name_counts = Counter(map(normalize_name, marked_or_plain_names))
        return tuple(
            shown_name
            if shown_name_counts[normalize_name(shown_name)] == 1
            else _name_with_mark(escaped_name, identifier)
            for shown_name, escaped_name, identifier in zip(
                marked_or_plain_names, escaped_names, self.players, strict=True
            )
        )

    @cached_property
    def called(self) -> Mapping[str, str]:
        """Each player's name to display, by identifier.

        Hidden characters are visible. Names that look the same have an identifier or a
        FIDE number beside them.
        """
        return dict(zip(self.players, self.shown, strict=True))

    def find_players(self, player: str) -> list[int]:
        """Return the positions of all players that an identifier or a name may mean.

        The first of these that fits decides: an identifier; a name, in any spelling
        that differs in case, blanks, accents or order; the FIDE number of one player; a
        name as it is shown, such as "Ann (ann2)"; a start number from the list of
        players, also as "#5", if no identifier is a number. The list is empty if none
        fits, and has several positions if players share a name. An identifier has to be
        typed exactly.
        """
        if player in self.index:
            return [self.index[player]]
        matching_positions = (
            self._find_same_texts(player)
            or find_exact_names(player, self.players, self.names)
            or self._find_fide_number(player)
            or self._find_shown_names(player)
        )
        if matching_positions:
            return matching_positions

        start_number = parse_digits(player.strip().lstrip("#"), MOST_NUMBER)
        if not start_number or "start" not in self.columns:
            return []
        if self._has_numbers_as_identifiers:
            return []
        return np.flatnonzero(self.start_numbers == start_number).tolist()

    def find_typed_players(self, typed: str) -> list[int]:
        """Return the positions of the players whom a person may mean by a typed text.

        They are those whom the text means as an identifier, a name, or a FIDE or start
        number; the first of these that fits decides. If that is one player, others
        whose name or FIDE number is this text are there, too. Their own identifier does
        not count as such a name. Positions are ascending. The list is empty if nobody
        is meant.
        """
        matching_positions = self.find_players(typed)
        if len(matching_positions) != 1:
            return matching_positions
        further_positions = [
            further_position
            for further_position in self._find_same_texts(typed)
            if self.names[further_position] != self.players[further_position]
        ]
        further_positions += self._find_fide_number(typed)
        return sorted({*matching_positions, *further_positions})

    def _find_same_texts(self, typed: str) -> list[int]:
        """Return the positions of players whose name or identifier is the typed text.

        A letter with an accent is the same in one character and in two; case and blanks
        count. The list is empty if no text fits.
        """
        return self._positions_by_text.get(normalize("NFC", typed), [])

    @cached_property
    def _positions_by_text(self) -> Mapping[str, list[int]]:
        """The positions of the players with each name or identifier, composed (NFC).

        A player whose name is the identifier is there once.
        """
        positions_by_composed_text: dict[str, list[int]] = {}
        for player_position, identifier_and_name in enumerate(
            zip(self.players, self.names, strict=True)
        ):
            for composed_text in {
                normalize("NFC", composed_text) for composed_text in identifier_and_name
            }:
                positions_by_composed_text.setdefault(composed_text, []).append(
                    player_position
                )
        return positions_by_composed_text

    def _find_shown_names(self, typed: str) -> list[int]:
        """Return the positions of players whose names are typed as they are shown.

        This is with the code of a hidden character, or with a mark: the player's
        identifier or FIDE number in brackets.
        """
        return [
            player_position
            for player_position in range(len(self.players))
            if typed in self._list_shown_names(player_position)
        ]

    def _list_shown_names(self, position: int) -> list[str]:
        """Return texts that show a player: the name with each mark, then without.

        Marks are the FIDE number, if there is one, and the identifier, in this order,
        each in brackets. Hidden characters are visible. `position` is the player's.
        """
        visible_name = _name_for_people(self.names[position])
        distinguishing_marks = (self.fide_numbers[position], self.players[position])
        marked_names = [
            _name_with_mark(visible_name, distinguishing_mark)
            for distinguishing_mark in distinguishing_marks
            if distinguishing_mark
        ]
        return [*marked_names, visible_name]

    @cached_property
    def _has_numbers_as_identifiers(self) -> bool:
        """Whether an identifier is a number, but not the FIDE number of its player."""
        return any(
            identifier.isdecimal()
            and (not fide_number or normalize_fide_number(identifier) != fide_number)
            for identifier, fide_number in zip(
                self.players, self.fide_numbers, strict=True
            )
        )

    @cached_property
    def fide_numbers(self) -> list[str]:
        """The normalized FIDE number of each player, "" for those without one.

        All are "" if the list of players has no column `fide_id`.
        """
        number_cells = self.columns.get("fide_id") or ("",) * len(self.players)
        return [normalize_fide_number(number_cell) for number_cell in number_cells]

    def _find_fide_number(self, typed: str) -> list[int]:
        """Return the position of the one player with a typed FIDE number, as a list.

        The list is empty for text that is no FIDE number, and for one that no player or
        several players have.
        """
        typed_number = normalize_fide_number(typed)
        if not typed_number:
            return []
        fide_numbers = self.fide_numbers
        if fide_numbers.count(typed_number) != 1:
            return []
        return [fide_numbers.index(typed_number)]

    def has_player(self, player: str) -> bool:
        """Whether exactly one player is meant by an identifier, a name, or a number.

        It is False for a name that nobody or several players have.
        """
        return len(self.find_players(player)) == 1

    def position(self, player: str) -> int:
        """Return the position of the one player that a typed name means.

        Raises UsageError if none or several do. For several the message says what to
        type for each of them; for none it names similar players, or all players if
        nobody is similar. A name with one wrong letter is never accepted.
        """
        if len(matching_positions := self.find_players(player)) == 1:
            return matching_positions[0]
        if matching_positions:
            raise self._ambiguous_name_error(player, matching_positions)
        if similar_names := find_near_names(player, self.shown):
            raise UsageError("event.player_mistyped", player=player, near=similar_names)
        raise UsageError("event.no_player", player=player, players=self.names)

    def find_typed_player(self, typed: str) -> int:
        """Return the position of the one player whom a person means by a typed text.

        Raises UsageError if none or several players are meant. For several the message
        says what to type for each of them; for none it names similar players, if there
        are any.
        """
        matching_positions = self.find_typed_players(typed)
        if len(matching_positions) > 1:
            raise self._ambiguous_name_error(typed, matching_positions)
        return self.position(typed)

    def _ambiguous_name_error(self, typed: str, positions: Sequence[int]) -> UsageError:
        """Build, not raise, the error for a text that means several players.

        `typed` is that text. The error says what to type for each of the players at
        `positions`.
        """
        texts_to_type = [*map(self.text_to_type, positions)]
        return UsageError("event.which_player", player=typed, choices=texts_to_type)

    def text_to_type(self, position: int) -> str:
        """Return what a person can type to mean only the player at a position.

        It is the identifier, unless it is also the name or the FIDE number of another
        player. Then it is the player's own FIDE number, the name with one of these in
        brackets, or the name, whichever first means nobody else; the identifier if none
        does.
        """
        identifier = self.players[position]
        candidate_texts = [
            identifier,
            self.fide_numbers[position],
            *self._list_shown_names(position),
        ]
        return next(
            (
                candidate_text
                for candidate_text in candidate_texts
                if self.find_typed_players(candidate_text) == [position]
            ),
            identifier,
        )

    def search_players(self, typed: str) -> tuple[list[int], bool]:
        """Return the positions of players whom part of a name, or a number, may mean.

        The second value says whether the names contain what was typed, each word at the
        beginning of a word. If none does, it is False, and the positions are those of
        players whom the whole text means as an identifier, a name or a number. If there
        are none either, they are those of similar names, possibly none.
        """
        matching_positions, do_names_contain_text = search_names(typed, self.shown)
        return (
            (matching_positions, do_names_contain_text)
            if matching_positions and do_names_contain_text
            else (self.find_players(typed) or matching_positions, do_names_contain_text)
        )

    # Extensions of version 1.0 use these names.
    meant = find_players
    knows = has_player
    sought = search_players

    def positions(self, players: Iterable[str]) -> list[int]:
        """Return the position of each of these players, in their order.

        A player is given by identifier, name, FIDE number or start number. Raises
        UsageError for the first text that means no player or several.
        """
        return [self.position(typed_player) for typed_player in players]

    def at_round(self, number: int | None) -> Event:
        """Return the event as it was before round `number`; None returns it unchanged.

        If the round has results, its players are active. Otherwise those whom
        players.csv declares active are. If it declares nobody, those with a row in the
        round and new players are, or, if the round is not paired, all who have not
        dropped out. The notes are those on this round. Raises UsageError for a round
        that cannot be paired yet, InputError if an earlier one is not finished or
        missing.
        """
        event_at_round = self if number is None else set_round(self, number)
        if number is not None and not self.origin.all_rounds_open:
            require_finished(event_at_round)
        return event_at_round

    def without(
        self, dropped: Iterable[str] = (), requested: Iterable[str] = ()
    ) -> Event:
        """Return the event with these players left out of the round to pair.

        Players in `dropped` have left; those in `requested` have a requested bye in
        this round. Both are identifiers or names. Raises UsageError for an unknown
        player, and for a bye of a player who is not active.
        """
        return self.without_positions(
            self.positions(dropped), self.positions(requested)
        )

    def without_positions(
        self, dropped: Sequence[int], requested: Sequence[int]
    ) -> Event:
        """Return the event with the players at these positions left out of the round.

        Positions in `dropped` are of players who have left, those in `requested` of
        players with a requested bye in this round. Raises UsageError for a bye of a
        player who is not active.
        """
        if not dropped and not requested:
            return self

        is_active_by_player = self.active.copy()
        for position_with_bye in requested:
            if not is_active_by_player[position_with_bye]:
                raise UsageError("event.no_bye", player=self.shown[position_with_bye])
        is_active_by_player[[*dropped, *requested]] = False
        return replace(
            self, active=is_active_by_player, requested=(*self.requested, *requested)
        )

    @property
    def current_round(self) -> int:
        """The round that is played now, 0 before round 1 is paired.

        It is the last round that is paired. In a round robin, where all are, it is the
        first round with a missing result, otherwise the last one.
        """
        last_paired_round = self.round - 1
        if not self.origin.all_rounds_open:
            return last_paired_round
        return int(self.unscored.round.min(initial=last_paired_round))

    def public(self) -> Event:
        """Return the event as it may be published, without personal data.

        Identifiers become names, or start numbers if two names are the same. Ratings
        and results stay. Columns that pairopt does not know, further cells of
        matches.csv and facts of its file are dropped.
        """
        public_columns = {
            column_name: column_cells
            for column_name, column_cells in self.columns.items()
            if column_name in RESERVED_COLUMNS
        }
        has_equal_names = len({*map(normalize_name, self.names)}) < len(self.names)
        public_identifiers = (
            tuple(map(str, self.start_numbers.tolist()))
            if has_equal_names
            else self.names
        )
        public_origin = replace(self.origin, cells={}, facts={})
        return replace(
            self,
            players=public_identifiers,
            columns=public_columns,
            origin=public_origin,
        )

    @property
    def present(self) -> BoolArray:
        """True for players who have not left, shape (players,).

        These are the active players, and those with a requested bye in this round.
        """
        return (
            self.active | self.away
            if self.declared_active is None
            else self.declared_active
        )

    @property
    def away(self) -> BoolArray:
        """True for players with a requested bye in the round to pair, shape (players,).

        The bye may be a row of matches.csv, or one in `requested`.
        """
        is_requested_bye_of_round = (self.matches.round == self.round) & (
            self.matches.status == REQUESTED
        )
        is_away_by_player = self.matches.take(is_requested_bye_of_round).player_mask(
            len(self.players)
        )
        is_away_by_player[list(self.requested)] = True
        return is_away_by_player

    def with_sides(self, labels: Iterable[str]) -> Event:
        """Return the event with the labels of its sides, if it has none yet.

        The event is returned unchanged if it has sides, if its settings say that it has
        none, if a match has been played, or if `labels` are not two.
        """
        new_side_labels = tuple(labels)
        has_sides = self.sides is not None or self.settings.sides == ()
        if (
            has_sides
            or len(new_side_labels) != 2
            or (self.matches.status == PLAYED).any()
        ):
            return self
        return replace(self, sides=(new_side_labels[0], new_side_labels[1]))

    def with_other_sides(self, labels: Sequence[str]) -> Event:
        """Return the event with these labels of sides instead of its own.

        No labels, or any number but two, make it a game without sides. Once a match has
        been played, the sides stay as they are.
        """
        has_same_sides = self.settings.sides is None and tuple(labels) == (
            self.sides or ()
        )
        if has_same_sides or (self.matches.status == PLAYED).any():
            return self.with_sides(labels)
        settings_without_sides = replace(self.settings, sides=None)
        return replace(self, sides=None, settings=settings_without_sides).with_sides(
            labels
        )


def _count_rows(matches: Matches, player_count: int) -> IntArray:
    """Return how many of these matches of two players each player has.

    `matches` must have no byes. `player_count` is the number of players of the event,
    and the result has shape (player_count,).
    """
    player_positions = np.concatenate([matches.first, matches.second])
    return np.asarray(np.bincount(player_positions, minlength=player_count), np.int64)


def _name_with_mark(name: str, mark: str) -> str:
    """Return a name with a mark behind it in parentheses.

    Hidden characters of the mark are made visible. With an empty mark the name is
    returned as it is.
    """
    return f"{name} ({_name_for_people(mark)})" if mark else name


def _name_for_people(name: str) -> str:
    """Return a name with each hidden character shown as its code, such as ⟨U+202E⟩.

    If the name itself contains "⟨U+", that sign ⟨ is shown as a code, too. So nobody
    can type a name that looks like another one with a hidden character.
    """
    return escape_hidden(name.replace("\u27e8U+", "\u27e8U+27E8\u27e9U+"))


def set_round(event: Event, number: int | None = None) -> Event:
    """Return the event with the round to pair, and the players who are active in it.

    `number` is the round to pair; None is the one after the last that was paired. Only
    the rounds before it count.

    If round `number` has results, the players who have a row in it are active.
    Otherwise those are whom players.csv declares active. If it declares nobody, and the
    round is paired already, those with a row in it and new players are. If it is not
    paired either, all players are but those who have dropped out: they have earlier
    rows, but none in the last round. Players with a requested bye are never active, nor
    is somebody whom the list of players gives a bye in round 1, until that round has
    results.

    The event's notes are replaced by those on missing scores, on dropped players, and
    on a round that the file already has. Raises UsageError for a round that cannot be
    paired yet, InputError when a match before the last round has no scores, or a round
    is missing.
    """
    all_rows, player_count = event.matches, len(event.players)
    round_of_each_paired_row = all_rows.round[all_rows.status != REQUESTED]
    last_paired_round = max(
        int(round_of_each_paired_row.max(initial=0)), event.origin.rounds_over
    )
    number = last_paired_round + 1 if number is None else number
    if not 1 <= number <= last_paired_round + 1:
        raise UsageError("event.no_round", round=number, rounds=last_paired_round)
    if not event.origin.all_rounds_open:
        require_finished(event, min(number, last_paired_round))
    _require_all_rounds(event, number)

    is_row_before_round = all_rows.round < number
    rows_of_round = all_rows.take(all_rows.round == number)
    has_requested_bye = rows_of_round.take(
        rows_of_round.status == REQUESTED
    ).player_mask(player_count)
    has_row_in_round = all_rows.paired_rows(number).player_mask(player_count)
    has_round_results = bool((rows_of_round.scored & (rows_of_round.second >= 0)).any())
    is_dropped_by_player = np.zeros(player_count, np.bool_)
    has_no_row_yet = ~all_rows.take(all_rows.round <= number).player_mask(player_count)
    round_notes: list[Note] = []
    unscored_count = int((is_row_before_round & ~all_rows.scored).sum())
    if unscored_count and not event.origin.all_rounds_open:
        round_notes.append(
            message("event.unfinished", round=number - 1, missing=unscored_count)
        )

    if has_round_results:
        is_active_by_player = has_row_in_round
    elif event.declared_active is not None:
        is_active_by_player = event.declared_active & ~has_requested_bye
    elif has_row_in_round.any():
        is_active_by_player = (has_row_in_round | has_no_row_yet) & ~has_requested_bye
    else:
        had_earlier_row = all_rows.take(is_row_before_round).player_mask(player_count)
        had_row_in_last_round = all_rows.take(all_rows.round == number - 1).player_mask(
            player_count
        )
        is_dropped_by_player = (
            had_earlier_row & ~had_row_in_last_round & ~has_requested_bye
        )
        is_active_by_player = ~is_dropped_by_player & ~has_requested_bye
    has_bye_in_round_one = (
        event.first_round_bye
        & is_active_by_player
        & (number == 1 and not has_round_results)
    )
    is_active_by_player = is_active_by_player & ~has_bye_in_round_one

    if has_row_in_round.any():
        round_notes.append(
            _conclude_next_round(
                event,
                number,
                has_round_results,
                has_row_in_round,
                is_active_by_player,
                has_no_row_yet,
            )
        )
    if is_dropped_by_player.any():
        names_of_dropped = _player_names(event, is_dropped_by_player)
        round_notes.append(
            message("event.dropped", round=number - 1, players=names_of_dropped)
        )
    return replace(
        event,
        round=number,
        active=is_active_by_player,
        requested=tuple(np.flatnonzero(has_bye_in_round_one).tolist()),
        notes=tuple(round_notes),
    )


def _require_all_rounds(event: Event, number: int) -> None:
    """Raise InputError if a round before round `number` has no rows at all.

    The error names the first such round. A round after the last one with rows is not
    noticed.
    """
    rounds_of_rows = event.matches.round[event.matches.round < number]
    empty_rounds = np.flatnonzero(np.bincount(rounds_of_rows)[1:] == 0)
    if len(empty_rounds):
        raise InputError(event.source, "event.gap", round=int(empty_rounds[0]) + 1)


def _conclude_next_round(
    event: Event,
    number: int,
    played: bool,
    paired: BoolArray,
    active: BoolArray,
    is_new: BoolArray,
) -> Note:
    """Return a note on who is taken to play round `number`, which the file has already.

    `played` says whether the round has results; `paired`, `active` and `is_new`, shape
    (players,), mark players with a row in it, those who will be paired, and those
    without any row so far. The note lists players only where these differ.
    """
    if played:
        heading_note = message("event.played", round=number)
        is_listed_by_message_id = {"event.later": is_new}
    else:
        is_declared = event.declared_active is not None
        message_id = "event.open_declared" if is_declared else "event.open"
        heading_note = message(message_id, round=number)
        is_listed_by_message_id = {
            "event.not_yet": active & ~paired,
            "event.no_longer": paired & ~active,
        }
    player_notes = [
        message(message_id, players=_player_names(event, is_listed_by_player))
        for message_id, is_listed_by_player in is_listed_by_message_id.items()
        if is_listed_by_player.any()
    ]
    return join_notes(
        [heading_note, *player_notes], name="event.again" if player_notes else ""
    )


def _player_names(event: Event, who: BoolArray) -> list[str]:
    """Return the names for people of the players marked by `who`, shape (players,).

    They are in the order of the event's players.
    """
    return [event.shown[player_position] for player_position in np.flatnonzero(who)]


def require_finished(event: Event, number: int | None = None) -> None:
    """Raise InputError if a match before round `number` has no scores.

    None stands for the round to pair. If all rounds of the event are open at once, in a
    round robin, the error counts the open matches. If the event is kept in a folder and
    each open match has a table, the error names these tables. Otherwise it has a fault
    for each row without scores, with its place in the file.
    """
    number = event.round if number is None else number
    is_open_by_row = ~event.matches.scored & (event.matches.round < number)
    if not is_open_by_row.any():
        return
    if event.origin.all_rounds_open:
        raise InputError(
            "",
            "round_robin.open",
            missing=int(is_open_by_row.sum()),
            round=event.current_round,
        )

    open_matches = event.matches.take(is_open_by_row)
    faults_of_open_rows = []
    values_of_open_tables: list[Value] = []
    for match_index in range(len(open_matches)):
        first_player_name = event.shown[open_matches.first[match_index]]
        opponent_name = (
            event.shown[open_matches.second[match_index]]
            if open_matches.second[match_index] >= 0
            else ""
        )
        message_id = "event.no_score" if opponent_name else "event.no_score_of_bye"
        fault_message = message(
            message_id,
            one=first_player_name,
            two=opponent_name,
            round=int(open_matches.round[match_index]),
        )
        faults_of_open_rows.append(
            event.origin.fault(fault_message, open_matches.row[match_index], "score1")
        )
        fields_of_table = {
            "table": int(open_matches.table[match_index]),
            "one": first_player_name,
            "two": opponent_name,
        }
        values_of_open_tables.append(Value("table.whose", fields_of_table))

    folder_path = event.origin.folder
    # Reading a folder reports open rows of earlier rounds, so these are of the last one.
    if folder_path and open_matches.table.all():
        raise InputError(
            "",
            "round.open",
            round=event.round - 1,
            tables=values_of_open_tables,
            folder=quote_for_shell(folder_path),
        )
    raise InputError(event.source, faults_of_open_rows)


def in_scale(event: Event, values: Iterable[Fraction]) -> Event:
    """Return the event in a scale that makes these points whole, too.

    `values` are points, not scaled. All scores, points brought in, virtual and adjusted
    points are multiplied to fit the new scale; ratings stay as they are.
    """
    common_scale = lcm(
        event.scale, *(exact_points.denominator for exact_points in values)
    )
    scale_factor = common_scale // event.scale
    rescaled_score1 = event.matches.score1 * scale_factor
    rescaled_score2 = event.matches.score2 * scale_factor
    return replace(
        event,
        scale=common_scale,
        matches=replace(event.matches, score1=rescaled_score1, score2=rescaled_score2),
        brought=event.brought * scale_factor,
        acceleration=event.acceleration * scale_factor,
        adjusted=event.adjusted * scale_factor,
    )
