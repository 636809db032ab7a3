"""Standings: all players by points and tie-breaks; equal players share a rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.errors import UsageError
from pairopt.event import tie_breaks as kinds
from pairopt.event.arcs import IntArray
from pairopt.event.event import PLAYED, Event
from pairopt.event.mcmahon import is_go, lacks_start_scores
from pairopt.event.name_search import find_twin_names
from pairopt.event.score_checks import points_shown_by_results
from pairopt.event.tie_breaks.base import history_of, to_common_denominator
from pairopt.messages import Message, Note, message, with_heading
from pairopt.messages.formatting import decimal_text, pair_text

if TYPE_CHECKING:
    import pandas as pd

MCMAHON_SCORE = "MMS"
"""The tie-break that comes before the points if it is the first one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's line in the standings; points and tie-breaks are exact.

    `rank` counts from 1 and is shared by equal players. `player` is the identifier,
    `name` the name for people. `tie_breaks` has values by name, in the event's own
    points. `bias` is games as the first side minus games as the second; `games` counts
    matches played, without byes and forfeits. `active` is False for a player who has
    dropped out; a player with a requested bye in the next round is active.
    """

    rank: int
    player: str
    name: str
    points: Fraction
    tie_breaks: Mapping[str, Fraction]
    bias: int
    games: int
    active: bool


def rank_players(
    event: Event, tie_breaks: Sequence[str] | None = None, *, lot: int | None = None
) -> tuple[Standing, ...]:
    """Return a line for each player, best first, by points and then by tie-breaks.

    If the first tie-break is the McMahon score MMS, it comes before the points, which
    may have halves in contrast to MMS. None for `tie_breaks` takes the usual ones of
    such an event; an empty list ranks by points alone. Equal players share a rank, in
    players.csv order; with `lot`, a seed, they are ordered by a random draw. Players
    who have dropped out are ranked, too. Raises UsageError for a tie-break that is
    unknown, or that the event has no data for.
    """
    if tie_breaks is None:
        tie_breaks = default_tie_breaks(event)
    parsed_tie_breaks = kinds.tie_breaks_named(tie_breaks)
    history = history_of(event)
    values_by_tie_break: dict[str, Sequence[Fraction]] = {}
    tied_groups = [list(range(len(event.players)))]
    if not parsed_tie_breaks or parsed_tie_breaks[0].kind != MCMAHON_SCORE:
        tied_groups = _split(tied_groups, history.score)
    for tie_break in parsed_tie_breaks:
        _require_data(tie_break, event)
        values_by_tie_break[tie_break.name] = tie_break.values(history, tied_groups)
        tied_groups = _split(
            tied_groups, tie_break.keys(values_by_tie_break[tie_break.name])
        )
    if lot is not None:
        random_order = np.random.default_rng([lot, 0]).permutation(len(event.players))
        tied_groups = _split(tied_groups, random_order.tolist())

    is_active_by_player = (event.active | event.away).tolist()
    side_bias_by_player = event.turns.bias.tolist()
    played_count_by_player = event.turns.played.sum(axis=1).tolist()
    standing_lines: list[Standing] = []
    for tied_group in tied_groups:
        shared_rank = len(standing_lines) + 1
        for player_position in tied_group:
            standing = Standing(
                rank=shared_rank,
                player=event.players[player_position],
                name=event.shown[player_position],
                points=Fraction(history.score[player_position], event.scale),
                tie_breaks={
                    tie_break_name: tie_break_values[player_position]
                    for tie_break_name, tie_break_values in values_by_tie_break.items()
                },
                bias=side_bias_by_player[player_position],
                games=played_count_by_player[player_position],
                active=is_active_by_player[player_position],
            )
            standing_lines.append(standing)
    return tuple(standing_lines)


def standings(
    event: Event,
    *,
    tie_breaks: Sequence[str] | None = None,
    cut: int | None = None,
    by_lot: bool = False,
    seed: int | None = None,
) -> pd.DataFrame:
    """Return the standings as a table: rank, name, points, tie-breaks, bias, status.

    You can compute standings in the middle of a round: read the event with
    `read_event(..., unfinished=True)`.

    Parameters
    ----------
    event : Event
        The event.
    tie_breaks : Sequence[str], optional
        Names of tie-breaks, or FIDE's codes with modifiers, for example "BH/C1". By
        default the tie-breaks of the event, otherwise the usual ones.
    cut : int, optional
        Return only this number of players, the best ones who are still active.
    by_lot : bool
        Whether a random draw orders players who are equal in points and all tie-breaks.
    seed : int, optional
        The seed of this random draw. By default the seed of the event, otherwise 0.

    Returns
    -------
    pd.DataFrame
        One row per player, with the best player first.

    Raises
    ------
    UsageError
        If the cut is larger than the number of active players, if the last place of the
        cut is tied and `by_lot` is False, if a tie-break is unknown, or if the event
        lacks the data for a tie-break.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("matches.csv", "players.csv")  # doctest: +SKIP
    >>> pairopt.standings(event, tie_breaks=["BH/C1", "BH"])  # doctest: +SKIP
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    tie_break_names = tie_breaks_of(event, tie_breaks)
    standing_lines, _ = standings_lines(
        event, tie_break_names, cut, event.settings.seeded(seed) if by_lot else None
    )
    return pd.DataFrame(
        [standings_cells(event, standing) for standing in standing_lines],
        columns=list(standings_columns(tie_break_names)),
    )


def rank_league(events: Sequence[Event], drop: int = 0) -> list[tuple[Any, ...]]:
    """Return the players of several events, best first, by the sums of their points.

    Each row has rank, name, sum, and the points in each event, None for an event
    missed. The `drop` lowest results of each player do not count; an event missed is a
    result of 0. Players with equal sums share a rank, in the order in which the events
    first name them. The same name is the same player. Points are exact fractions.
    """
    points_by_name: dict[str, list[Fraction | None]] = {}
    for event_index, event in enumerate(events):
        for standing in rank_players(event, ()):
            points_by_name.setdefault(standing.name, [None] * len(events))[
                event_index
            ] = standing.points

    sum_by_name = {}
    for player_name, points_or_none_by_event in points_by_name.items():
        points_that_count = sorted(
            event_points_or_none or Fraction(0)
            for event_points_or_none in points_or_none_by_event
        )[drop:]
        sum_by_name[player_name] = sum(points_that_count, Fraction(0))
    names_best_first = sorted(
        sum_by_name, key=lambda player_name: -sum_by_name[player_name]
    )
    # Equal sums share the first of their ranks.
    first_rank_by_sum = {
        sum_by_name[player_name]: league_rank
        for league_rank, player_name in reversed([*enumerate(names_best_first, 1)])
    }
    return [
        (
            first_rank_by_sum[sum_by_name[player_name]],
            player_name,
            sum_by_name[player_name],
            *points_by_name[player_name],
        )
        for player_name in names_best_first
    ]


def league_notes(events: Sequence[Event], names: Sequence[str]) -> list[Note]:
    """Return notes on a league: events with other points, and names of one person.

    `names` has the name of each event. At most one note lists the points of all events
    that have any, and one the pairs of names that look like one person's.
    """
    points_by_event = [
        event.settings.points or points_shown_by_results(event)[0] for event in events
    ]
    notes_on_league: list[Note] = []
    if (
        len(
            {
                str(points_of_event)
                for points_of_event in points_by_event
                if points_of_event is not None
            }
        )
        > 1
    ):
        notes_on_event_points = [
            message(
                "standing.league_event", points=str(points_of_event), event=event_name
            )
            for points_of_event, event_name in zip(points_by_event, names, strict=True)
            if points_of_event
        ]
        notes_on_league.append(
            with_heading(message("standing.league_points"), *notes_on_event_points)
        )

    all_names = (event_name for event in events for event_name in event.names)
    texts_of_twin_names = [
        pair_text(*twin_names)
        for twin_names in dict.fromkeys(find_twin_names(all_names))
    ]
    if texts_of_twin_names:
        notes_on_league.append(message("player.alike", pairs=texts_of_twin_names))
    return notes_on_league


def tie_breaks_of(event: Event, given: Sequence[str] | None = None) -> Sequence[str]:
    """Return the tie-breaks to use: the `given` ones, otherwise the event's.

    If the event names none, they are the usual ones of its game, such as Buchholz in
    chess. An empty list counts as given: points alone rank. Names are not checked.
    """
    if given is not None:
        return given
    if event.settings.tie_breaks is not None:
        return event.settings.tie_breaks
    return default_tie_breaks(event)


def default_tie_breaks(event: Event) -> Sequence[str]:
    """Return the tie-breaks of an event that names none.

    A round robin has its own. If matches are best of several games, and the games of
    all are known, they are those of matches and games won. In chess they are Buchholz
    and what follows it, unless the event has standings without results. In Go they are
    the McMahon score, SOS and SOSOS. Otherwise they are strength of schedule.
    """
    if event.settings.is_round_robin:
        return kinds.EVERYBODY
    if event.settings.best_of and not len(_matches_without_games(event)):
        return kinds.BY_GAMES
    if event.sides == ("white", "black") and _has_tie_break_data(event):
        return kinds.CHESS
    if is_go(event) and _has_tie_break_data(event):
        return kinds.GO
    return kinds.SCHEDULE


def has_adjourned_end(event: Event) -> bool:
    """Return whether games are still adjourned after the last round.

    Without a number of rounds, no round is the last one. All rounds of a round robin
    are paired at once, so its end comes only when no result is missing.
    """
    is_last_round_paired = event.round > (event.settings.rounds or event.round)
    are_all_rounds_over = is_last_round_paired and not (
        event.origin.all_rounds_open and len(event.unscored)
    )
    return len(event.adjourned) > 0 and are_all_rounds_over


def standings_lines(
    event: Event,
    tie_breaks: Sequence[str],
    cut: int | None,
    lot: int | None,
    is_provisional: bool = False,
) -> tuple[tuple[Standing, ...], tuple[Message, ...]]:
    """Return the standings to show, all or the best active players, and notes.

    `tie_breaks` rank after the points. `cut` keeps the best so many active players,
    None all players. `lot` is the seed that draws the order of players who are equal in
    everything, None for no draw; a note then names those who were drawn. An event
    without players has no lines, and a note says so. Raises UsageError if adjourned
    games remain after the last round, unless `is_provisional`; if players tie for the
    last places of the cut, and there is no `lot`; for a cut of 0, or above the number
    of active players; and for a tie-break that is unknown or lacks data.
    """
    if not event.players:
        if cut is not None:
            raise UsageError("roster.nobody")
        return (), (message("roster.nobody"),)
    if not is_provisional and has_adjourned_end(event):
        raise UsageError("standing.adjourned", count=len(event.adjourned))
    all_standings = rank_players(event, tie_breaks)
    active_standings = tuple(standing for standing in all_standings if standing.active)
    if cut is not None and not 1 <= cut <= len(active_standings):
        raise UsageError("standing.cut", cut=cut, active=len(active_standings))

    tied_at_cut = _find_tie_at_cut(active_standings, cut)
    lot_notes: tuple[Message, ...] = ()
    if lot is not None:
        rank_counts = Counter(standing.rank for standing in all_standings)
        equal_standings = (
            [standing for standing in all_standings if rank_counts[standing.rank] > 1]
            if cut is None
            else tied_at_cut
        )
        message_id = "standing.by_lot" if cut is None else "standing.cut_by_lot"
        names_of_equal_players = [standing.name for standing in equal_standings]
        if names_of_equal_players:
            lot_notes = (
                message(message_id, cut=cut, seed=lot, names=names_of_equal_players),
            )
        all_standings = rank_players(event, tie_breaks, lot=lot)
        active_standings = tuple(
            standing for standing in all_standings if standing.active
        )
    elif tied_at_cut:
        places_to_fill = sum(
            standing in active_standings[:cut] for standing in tied_at_cut
        )
        message_id = (
            "standing.tied" if places_to_fill == 1 else "standing.tied_for_places"
        )
        names_of_equal_players = [standing.name for standing in tied_at_cut]
        raise UsageError(
            message_id,
            cut=cut,
            players=len(names_of_equal_players),
            places=places_to_fill,
            names=names_of_equal_players,
        )
    notes_on_standings = (*_notes_of_go(event, tie_breaks), *lot_notes)
    return (
        all_standings if cut is None else active_standings[:cut]
    ), notes_on_standings


def _notes_of_go(event: Event, tie_breaks: Sequence[str]) -> tuple[Message, ...]:
    """Return a note if tie-breaks of Go should count start scores that nobody has.

    `tie_breaks` are names or codes. The tuple has one note, or is empty.
    """
    kinds_of_go = {"MMS", "SOSM", "SOSOSM", "SODOSM"}
    needs_start_scores = any(
        tie_break.kind in kinds_of_go
        for tie_break in kinds.tie_breaks_named(tie_breaks)
    )
    if needs_start_scores and lacks_start_scores(event):
        return (message("standing.go_swiss"),)
    return ()


def standings_columns(tie_breaks: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of standings: rank, name, points and so on.

    `tie_breaks` are names or codes. Each has a column between the points and the side
    bias. `status` stays the last column, because pages and the terminal read it by its
    position. Raises UsageError for an unknown tie-break.
    """
    tie_break_names = (
        tie_break.name for tie_break in kinds.tie_breaks_named(tie_breaks)
    )
    return ("rank", "name", "points", *tie_break_names, "side_bias", "status")


def standings_headings(tie_breaks: Sequence[str]) -> tuple[str, ...]:
    """Return the column headings of the standings for people, in columns' order.

    `tie_breaks` are names or codes; their headings stand after "Points". Raises
    UsageError for an unknown tie-break.
    """
    column_headings = (
        tie_break.heading for tie_break in kinds.tie_breaks_named(tie_breaks)
    )
    return ("Rank", "Name", "Points", *column_headings, "Side Bias", "Status")


def standings_cells(event: Event, line: Standing) -> list[object]:
    """Return a line's cells as organisers write them, in the order of the columns.

    They are rank, name, points, tie-breaks, bias and status. Points and tie-breaks are
    texts, the rank is a number. The bias reads "Corp +1", "Balanced", or "" without
    sides; the status is "dropped", or "" for an active player.
    """
    value_texts = (
        kinds.tie_break_of(tie_break_name).shown(tie_break_value)
        for tie_break_name, tie_break_value in line.tie_breaks.items()
    )
    return [
        line.rank,
        line.name,
        decimal_text(line.points),
        *value_texts,
        _bias_text(event, line.bias),
        "" if line.active else "dropped",
    ]


def _split(
    groups: Sequence[list[int]], values: Sequence[Fraction | int]
) -> list[list[int]]:
    """Split groups of players by their values, larger first; equals keep their order.

    `groups` hold positions, and `values` has one entry for each player of the event.
    Each returned group has equal values, and lies inside one of the given groups, whose
    order stays.
    """
    _, value_numerators = to_common_denominator(values)
    sorted_groups = (
        sorted(
            tied_group, key=lambda player_position: -value_numerators[player_position]
        )
        for tied_group in groups
    )
    return [
        [*equal_players]
        for tied_group in sorted_groups
        for _, equal_players in groupby(tied_group, value_numerators.__getitem__)
    ]


def _require_data(tie_break: kinds.TieBreak, event: Event) -> None:
    """Raise UsageError if the event lacks what a tie-break needs.

    `tie_break` says whether it needs results, sides, ratings or games of matches.
    Nothing is missing before the first match has been played.
    """
    has_played_matches = bool((event.before.status == PLAYED).any())
    if tie_break.needs_results and not _has_tie_break_data(event):
        raise UsageError("standing.needs_matches", tie_break=tie_break.name)
    if tie_break.needs_sides and event.sides is None and has_played_matches:
        raise UsageError("standing.needs_sides", tie_break=tie_break.name)
    if tie_break.needs_ratings and has_played_matches and not event.rated.any():
        raise UsageError("standing.needs_ratings", tie_break=tie_break.name)
    if tie_break.needs_games and len(
        indices_without_games := _matches_without_games(event)
    ):
        first_round_without_games, tie_break_name = (
            int(event.before.round[indices_without_games[0]]),
            tie_break.name,
        )
        raise UsageError(
            "standing.needs_games",
            tie_break=tie_break_name,
            matches=len(indices_without_games),
            round=first_round_without_games,
        )


def _matches_without_games(event: Event) -> IntArray:
    """Return the indices, among the rows before the round, of matches without games.

    These are played matches of which only the score is known.
    """
    return np.flatnonzero((event.before.status == PLAYED) & ~event.before.by_games)


def _has_tie_break_data(event: Event) -> bool:
    """Whether the event has the results of all matches that were played.

    An event read from standings alone does not have them, unless no match was played.
    """
    return event.complete_history or not (event.before.status == PLAYED).any()


def _find_tie_at_cut(active: Sequence[Standing], cut: int | None) -> list[Standing]:
    """Return the active players who tie for the last places of a cut, [] if none do.

    `active` are all active players, best first. Those who tie share a rank, and some of
    them are above the cut and others below. There is no such tie without a cut, or if
    nobody is below it.
    """
    if cut is None or cut >= len(active) or active[cut - 1].rank != active[cut].rank:
        return []
    return [
        active_standing
        for active_standing in active
        if active_standing.rank == active[cut].rank
    ]


def _bias_text(event: Event, bias: int) -> str:
    """Return a side bias as text: "Corp +1" for the side with more games.

    A positive `bias` stands for the event's first side. The text is "Balanced" for 0,
    and "" in a game without sides.
    """
    if event.sides is None:
        return ""
    if bias == 0:
        return "Balanced"
    side_played_more = event.sides[1] if bias < 0 else event.sides[0]
    return f"{side_played_more.capitalize()} +{abs(bias)}"
