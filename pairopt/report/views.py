"""Prepare a round, its levels and the standings for people, in any medium."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.event.points import Score
from pairopt.event.score_checks import points_of
from pairopt.event.settings import LISTS, PAIRING, EventSettings
from pairopt.event.standings import (
    standings_cells,
    standings_columns,
    standings_headings,
    standings_lines,
    tie_breaks_of,
)
from pairopt.messages import Note, message
from pairopt.messages.formatting import alphabetical_key, amount_text, count_noun

if TYPE_CHECKING:
    from pairopt.problem.levels import LevelValue
    from pairopt.round.check import Check, LevelComparison
    from pairopt.round.compare_models import Comparison, MeasuredLevel
    from pairopt.round.result import Match, Result

BYE, ON_REQUEST = "has the bye", "bye on request"
NAMES = ("criterion", "level", "counts")
"""The headings of a level's names."""


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match with the first side's player first, or a bye of one player.

    `names` are those shown, `players` identifiers, and `points` those before the round
    as texts. `bye` says why there is a bye, "" for a match. `plays` is where the
    opponent of the first player is in the standings: "down" or "up", "" for equal
    points. `met` counts earlier meetings. `score` is "" without a result. A match that
    `is_adjourned` has the score of a draw until it is finished. `sentence` says why the
    match was made, if that is known.
    """

    table: str
    names: tuple[str, ...]
    players: Match = ()
    points: tuple[str, ...] = ()
    plays: str = ""
    bye: str = ""
    met: int = 0
    score: str = ""
    sentence: str = ""
    is_adjourned: bool = False

    @property
    def one(self) -> str:
        """The name of the first player, or of the player with the bye."""
        return self.names[0]

    @property
    def two(self) -> str:
        """The name of the opponent, "" for a bye."""
        return "".join(self.names[1:])

    @property
    def open(self) -> bool:
        """Whether the match has no score yet; False for a bye."""
        return not (self.bye or self.score)


class SeatView(NamedTuple):
    """A player's seat in a round, for lists by name.

    `side` is "" without sides. `opponent` is a name, or why there is a bye; `other` is
    the opponent's identifier. `score` has the player's own points first; these are
    `gained`, and `ending` is the score in a word. All three are "" without a result.
    `plays` is where the opponent is in the standings: "down", "up" or "". `line` is the
    match.
    """

    name: str
    table: str = ""
    side: str = ""
    opponent: str = ""
    score: str = ""
    ending: str = ""
    gained: str = ""
    plays: str = ""
    other: str = ""
    line: MatchView | None = None


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round for people: the lines of its matches by table, then of its byes.

    `lines` are matches and byes. `sides` are the headings of the two players, two empty
    texts without sides. It also gives the matches alone, the numbers of rematches,
    floats and byes in words, and the seats of all players by name.
    """

    sides: tuple[str, str]
    lines: tuple[MatchView, ...]

    @property
    def matches(self) -> tuple[MatchView, ...]:
        """The lines without the byes, in the order of the tables."""
        return tuple(round_line for round_line in self.lines if not round_line.bye)

    @property
    def told(self) -> list[str]:
        """The numbers of matches, rematches, floats and byes in words.

        Numbers that are zero are left out. A match between players with unequal points
        counts as one float.
        """
        rematch_count = sum(round_line.met > 0 for round_line in self.lines)
        float_count = sum(round_line.plays != "" for round_line in self.lines)
        bye_count = len(self.lines) - len(self.matches)
        counts_with_nouns = (
            (len(self.matches), "table", "tables"),
            (rematch_count, "rematch", "rematches"),
            (float_count, "float", "floats"),
            (bye_count, "bye", "byes"),
        )
        return [
            count_noun(thing_count, singular, plural)
            for thing_count, singular, plural in counts_with_nouns
            if thing_count
        ]

    @property
    def seats(self) -> list[SeatView]:
        """The seats of all players in alphabetical order, one per player."""
        seats = [
            seat for round_line in self.lines for seat in self._seats_of(round_line)
        ]
        return sorted(seats, key=lambda seat: alphabetical_key(seat.name))

    def _seats_of(self, line: MatchView) -> Iterator[SeatView]:
        """Yield one seat per player of a line: two for a match, one for a bye.

        In the second player's seat the score and the direction are swapped.
        """
        if line.bye:
            yield SeatView(line.one, line.table, opponent=line.bye, line=line)
            return

        score_texts = (line.score, swap_score(line.score))
        opposite_direction = {"down": "up", "up": "down", "": ""}
        directions = (line.plays, opposite_direction[line.plays])
        for seat_index in (0, 1):
            yield SeatView(
                line.names[seat_index],
                line.table,
                self.sides[seat_index],
                line.names[1 - seat_index],
                score_texts[seat_index],
                ending_of(score_texts[seat_index]),
                score_texts[seat_index].split("-")[0],
                directions[seat_index],
                line.players[1 - seat_index],
                line,
            )


def ending_of(score: str) -> str:
    """Return how a match ended for the player whose points come first in the score.

    The answer is "won", "lost" or "drew", and "won by forfeit" or "lost by forfeit" for
    a score such as "1F-0F". It is "" for no score. Both players of a double forfeit
    lost.
    """
    if not score:
        return ""

    points1, points2 = (
        float(points_text.removesuffix("F")) for points_text in score.split("-")[:2]
    )
    if score.endswith("F"):
        return "won by forfeit" if points1 > points2 else "lost by forfeit"
    if points1 == points2:
        return "drew"
    return "won" if points1 > points2 else "lost"


def swap_score(score: str) -> str:
    """Return a score from the opponent's view: "2-1-0" becomes "1-2-0".

    The third number counts drawn games and stays last. The empty score stays empty.
    """
    return re.sub("^([^-]+)-([^-]+)", r"\2-\1", score)


def sides_of(event: Event) -> tuple[str, str]:
    """Return the headings of the two sides, such as ("White", "Black").

    Both are "" in an event without sides.
    """
    first_side, second_side = event.sides or ("", "")
    return first_side.capitalize(), second_side.capitalize()


def _count_meetings(event: Event) -> Counter[frozenset[int]]:
    """Count the matches of each pair of positions before the event's round.

    Forfeits and byes do not count.
    """
    match_rows = event.matches
    is_meeting = (
        (match_rows.round < event.round)
        & (match_rows.second >= 0)
        & (match_rows.status != FORFEIT)
    )
    first_players = match_rows.first[is_meeting].tolist()
    second_players = match_rows.second[is_meeting].tolist()
    return Counter(map(frozenset, zip(first_players, second_players, strict=True)))


def paired_round(result: Result, sentences: Iterable[str] = ()) -> RoundView:
    """Return the view of a round that pairopt has paired, from its result.

    The round need not be in the event. `sentences` are one per match and bye, in the
    order of the result; lines for which none is left have "". No line has a score.
    """
    event = result.event
    points_of_players = points_of(event).tolist()
    meetings = _count_meetings(event)
    remaining_sentences = iter(sentences)
    match_views = []
    for paired_row in result.matches:
        player_names = [paired_row["player1"], paired_row["player2"]]
        player_positions = [
            event.index[str(player_name)]
            for player_name in player_names
            if player_name is not None
        ]
        bye_text = ""
        if paired_row["player2"] is None:
            bye_text = BYE if paired_row["status"] == "bye" else ON_REQUEST
        match_view = _match_view(
            event,
            points_of_players,
            meetings,
            paired_row["table"],
            player_positions,
            bye_text,
        )
        match_views.append(replace(match_view, sentence=next(remaining_sentences, "")))
    return RoundView(sides_of(event), tuple(match_views))


def round_view(event: Event, number: int, *, listed: bool = False) -> RoundView:
    """Return the view of a round that is in the event, with its scores.

    `number` is the round. Lines are by table, then matches without a table, then byes.
    The player with the first side comes first in a match. With `listed`, players stay
    in the order of the event's rows instead; the headings of the sides are then empty
    unless all first players have the first side.
    """
    match_rows = event.matches.take(event.matches.round == number)
    # by table, then matches without a table, then byes
    row_order = np.lexsort(
        (match_rows.row, match_rows.table == 0, match_rows.table, match_rows.second < 0)
    )
    match_rows = match_rows.take(row_order)
    event_before = replace(event, round=number)
    points_before = points_of(event_before).tolist()
    meetings_before = _count_meetings(event_before)
    if event.settings.is_round_robin:
        # Floats and rematches mean nothing where everybody meets everybody.
        meetings_before = Counter()

    match_columns = (
        match_rows.row,
        match_rows.table,
        match_rows.first,
        match_rows.second,
        match_rows.side,
        match_rows.status,
        match_rows.scored,
        match_rows.games,
        match_rows.score1,
        match_rows.score2,
    )
    adjourned_rows = {*event.adjourned.row.tolist()}
    match_views = []
    values_by_row = zip(
        *(match_column.tolist() for match_column in match_columns), strict=True
    )
    for (
        row_number,
        table_number,
        first_player_position,
        second_player_position_or_bye,
        side_code,
        status_code,
        has_score,
        game_points,
        score1,
        score2,
    ) in values_by_row:
        if second_player_position_or_bye < 0:
            bye_text = ON_REQUEST if status_code == REQUESTED else BYE
            match_views.append(
                _match_view(
                    event,
                    points_before,
                    meetings_before,
                    table_number,
                    [first_player_position],
                    bye_text,
                )
            )
            continue

        score_text = ""
        if has_score:
            points1 = Fraction(score1, event.scale)
            points2 = Fraction(score2, event.scale)
            known_games = tuple(game_points) if game_points[0] >= 0 else None
            score_text = str(
                Score(points1, points2, status_code == FORFEIT, known_games)
            )
        player_positions = [first_player_position, second_player_position_or_bye]
        if side_code == 1 and not listed:
            player_positions = [second_player_position_or_bye, first_player_position]
            score_text = swap_score(score_text)
        match_view = _match_view(
            event, points_before, meetings_before, table_number, player_positions
        )
        is_adjourned = row_number in adjourned_rows
        match_views.append(
            replace(match_view, score=score_text, is_adjourned=is_adjourned)
        )

    has_mixed_sides = listed and bool(
        (match_rows.side[match_rows.second >= 0] != 0).any()
    )
    side_headings = ("", "") if has_mixed_sides else sides_of(event)
    return RoundView(side_headings, tuple(match_views))


def _match_view(
    event: Event,
    points: Sequence[int],
    meetings: Counter[frozenset[int]],
    table: object,
    seats: Sequence[int],
    bye: str = "",
) -> MatchView:
    """Return the view of a match or bye without a score.

    `points` are all players' scaled points before the round, `seats` the positions of
    two players, or one for a bye. `meetings` has the number of earlier matches by the
    pair of positions, and `bye` is why there is a bye, "" for a match. A `table` of 0
    or None is shown as "".
    """
    points_gap = points[seats[0]] - points[seats[-1]]
    float_direction = ""
    if points_gap and not event.settings.is_round_robin:
        float_direction = "down" if points_gap > 0 else "up"

    shown_names = [event.shown[player_position] for player_position in seats]
    player_identifiers = [event.players[player_position] for player_position in seats]
    point_texts = [
        event.points_text(points[player_position]) for player_position in seats
    ]
    return MatchView(
        str(table or ""),
        tuple(shown_names),
        players=tuple(player_identifiers),
        points=tuple(point_texts),
        plays=float_direction,
        bye=bye,
        met=meetings[frozenset(seats)],
    )


@dataclass(frozen=True, slots=True)
class LevelsView:
    """A table of objective levels, one row per level.

    `heads` are the headings of all columns. A row has the level's names, then its
    cells, all texts. `more` is a sentence on the levels that are not in the table, ""
    if all are.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str


def levels_of(result: Result) -> LevelsView:
    """Return the table of a result's levels: values, and whether they are proven.

    Levels of a pairing system that are 0 and proven are left out, and the sentence
    `more` counts them.
    """
    # Standings are shown without models and problems.
    from pairopt.problem.levels import notable_levels

    shown_levels, other_levels_note = notable_levels(
        result.problem, result.level_values
    )
    level_rows = [
        _level_row(level, amount_text(level.value, level.scale), _proof_cell(level))
        for level in shown_levels
    ]
    return LevelsView((*NAMES, "value", "proof"), tuple(level_rows), other_levels_note)


def checked_levels(check: Check) -> LevelsView:
    """Return the table of a checked pairing's levels, next to those of an optimal one.

    `check` is the check. For a pairing system, levels that are 0 in both are left out,
    and the sentence `more` counts them.
    """
    levels_to_show = list(check.checked)
    # A pairing system has many levels: only those that count for something are shown.
    if check.problem.system is not None:
        levels_to_show = [
            level for level in check.checked if level.value or level.optimum
        ]
    level_rows = [
        _level_row(
            level,
            amount_text(level.value, level.scale),
            amount_text(level.optimum, level.scale),
        )
        for level in levels_to_show
    ]
    # Standings are shown without models and problems.
    from pairopt.problem.levels import zeros_text

    zeros_note = zeros_text(len(check.checked) - len(levels_to_show))
    return LevelsView((*NAMES, "this", "optimum"), tuple(level_rows), zeros_note)


def compared_levels(
    comparison: Comparison, heads: Sequence[str], *, zeros: bool = True
) -> LevelsView:
    """Return the table of levels of several models, with one column per pairing.

    `comparison` has the pairings, and `heads` are these columns' headings. With `zeros`
    False, levels that are 0 in all pairings are left out. The sentence `more` counts
    levels that are not notable.
    """
    levels_to_show = [
        level for level in comparison.notable if zeros or any(level.amounts)
    ]
    level_rows = []
    for level in levels_to_show:
        amount_texts = [
            amount_text(level_value, level.scale) for level_value in level.amounts
        ]
        level_rows.append(_level_row(level, *amount_texts))
    # Standings are shown without models and problems.
    from pairopt.problem.levels import zeros_text

    zeros_note = zeros_text(len(comparison.measured) - len(comparison.notable))
    return LevelsView((*NAMES, *heads), tuple(level_rows), zeros_note)


def _level_row(
    level: LevelValue | LevelComparison | MeasuredLevel, *cells: str
) -> tuple[str, ...]:
    """Return a row of a table of levels: criterion, level and words, then the cells."""
    return (level.criterion, str(level.level), level.words, *cells)


def _proof_cell(level: LevelValue) -> str:
    """Return "proven", or the lower bound of a level that is not proven.

    The cell is "not proven" if there is no bound, and "" for parts of a weighted sum,
    which are not proven one by one.
    """
    if level.proven:
        return "proven"
    if level.proven is None:
        return ""
    if level.bound is None:
        return "not proven"
    return f"at least {amount_text(level.bound, level.scale)}"


@dataclass(frozen=True, slots=True)
class StandingsView:
    """The standings as a table, one row per player.

    `columns` are the names of the columns, `heads` their headings, `players` the
    players' identifiers by row. `notes` tell about ties that were broken at random.
    """

    columns: tuple[str, ...]
    heads: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    notes: tuple[Note, ...]
    players: Sequence[str]


def standings_of(
    event: Event,
    tie_breaks: Sequence[str] | None = None,
    cut: int | None = None,
    lot: int | None = None,
    *,
    bias: bool = True,
) -> StandingsView:
    """Return the standings as a table, by some tie-breaks or by default the event's.

    With `cut`, only that many active players are shown; by default all players are.
    `lot` seeds the random order of players who are still tied, None leaves them tied.
    With `bias` False, chess and events without sides have no column for the side bias.
    Raise UsageError if standings cannot be made, for example for an unknown tie-break,
    or if players tie for the last place of the cut.
    """
    tie_break_names = tie_breaks_of(event, tie_breaks)
    standings, tie_notes = standings_lines(event, tie_break_names, cut, lot)
    column_names = standings_columns(tie_break_names)
    is_bias_shown = bias or (event.sided and not event.chess)
    is_column_shown = [
        is_bias_shown or column_name != "side_bias" for column_name in column_names
    ]
    column_headings = standings_headings(tie_break_names)
    standing_rows = [
        tuple(compress(standings_cells(event, standing), is_column_shown))
        for standing in standings
    ]
    players = [standing.player for standing in standings]
    return StandingsView(
        tuple(compress(column_names, is_column_shown)),
        tuple(compress(column_headings, is_column_shown)),
        tuple(standing_rows),
        tie_notes,
        tuple(players),
    )


def progress_text(event: Event) -> str:
    """Return after which round standings are, and how many results are missing.

    For example "after round 3 (1 result is missing)". Adjourned matches are counted
    separately, and zeros are left out.
    """
    is_single_result = len(event.unscored) == 1
    unscored_words = "result is missing" if is_single_result else "results are missing"
    open_rows = {unscored_words: event.unscored, "adjourned": event.adjourned}
    counts_text = ", ".join(
        f"{len(open_matches)} {count_description}"
        for count_description, open_matches in open_rows.items()
        if len(open_matches)
    )

    progress_words = "before round 1"
    if event.settings.is_round_robin:
        progress_words = "of the round robin"
    elif event.round > 1:
        progress_words = f"after round {event.round - 1}"
    return f"{progress_words} ({counts_text})" if counts_text else progress_words


def match_records(event: Event) -> Mapping[str, str]:
    """Return each player's matches won, drawn and lost by identifier, such as "3-1-0".

    A forfeit counts as a match. Byes and matches without a score do not count.
    """
    match_rows = event.matches
    match_rows = match_rows.take(match_rows.scored & (match_rows.second >= 0))
    # shape (players, 3): won, drawn, lost
    record_counts = np.zeros((len(event.players), 3), np.int64)
    for player_positions, points_gaps in (
        (match_rows.first, match_rows.score1 - match_rows.score2),
        (match_rows.second, match_rows.score2 - match_rows.score1),
    ):
        np.add.at(record_counts, (player_positions, 1 - np.sign(points_gaps)), 1)

    record_texts = (
        "-".join(map(str, player_counts)) for player_counts in record_counts.tolist()
    )
    return dict(zip(event.players, record_texts, strict=True))


def loss_warnings(lost: Iterable[Note]) -> Iterator[Note]:
    """Yield those notes about losses that matter to the receiver of a file.

    `lost` are notes about everything that the file does not hold. Notes about numbers
    of tables are left out. A note about settings is replaced by one without those for
    pairing, printed lists and proofs, and left out if no name remains.
    """
    own_settings = {
        setting.name
        for setting in fields(EventSettings)
        if setting.metadata["settings"][0].group in (PAIRING, LISTS)
    }
    for loss_note in lost:
        if loss_note.kind == "lost.tables":
            continue
        if loss_note.kind != "lost.settings":
            yield loss_note
            continue

        setting_names = loss_note.fields.get("names", ())
        if not isinstance(setting_names, list | tuple):
            setting_names = ()
        missed_names = [
            str(setting_name).replace("_", " ")
            for setting_name in setting_names
            if setting_name not in own_settings and setting_name != "proofs"
        ]
        if missed_names:
            yield message(loss_note.kind, names=missed_names)
