"""Metrics of pairings and standings that are the same for every model."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pairopt.common.serialization import read_package_toml
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.lab.grid import Value
from pairopt.lab.order import Floats, compute_order, kendall, spearman, top_hits
from pairopt.lab.play import join_arcs, join_states
from pairopt.problem.levels import notable_levels
from pairopt.round.result import Result
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.byes import NoByeAfterForfeitWin, NoRepeatBye
from pairopt.rules.constraints.meetings import NoRematch
from pairopt.rules.constraints.side_limits import MaxSideDifference, MaxSideStreak

ABSOLUTE: Final[Mapping[str, tuple[Constraint, ...]]] = {
    "no_rematch": (NoRematch(),),
    "no_repeat_bye": (NoRepeatBye(), NoByeAfterForfeitWin()),
    "max_side_difference": (MaxSideDifference(2),),
    "max_side_streak": (MaxSideStreak(2),),
}
"""FIDE's absolute rules (C.04.1): matches and byes that break them are counted for any model.

Those on sides count in the last round too, in which C.04.1 lets a system make exceptions."""
# the last class of the side histograms counts all values from here on
MOST_SIDES = 4

RANKING: Final = ("kendall", "spearman", "top_hits", "sos_spread")
HISTOGRAMS: Final = tuple(
    f"{kind}_{k}"
    for kind in ("side_difference", "side_streak")
    for k in range(MOST_SIDES + 1)
)
PAIRING: Final = (
    "rematches",
    "bye_points",
    "bye_groups",
    "floats",
    "group_distance",
    "violations",
    *(f"broken_{name}" for name in ABSOLUTE),
    *HISTOGRAMS,
)


def look_up_metric(metric: str) -> Mapping[str, Any]:
    """Look up a column in metrics.toml: its range, its direction, and words for it.

    The keys of the mapping are those of the file, for example "range", "higher" and
    "axis". The mapping is empty for a metric that pairopt does not know.
    """
    facts_by_metric = read_package_toml(__package__ or "", "metrics.toml")
    metric_facts: Mapping[str, Any] = facts_by_metric.get(metric, {})
    return metric_facts


def resolve_bounds(
    bounds: Sequence[float | str], players: int, rounds: int
) -> tuple[float, float]:
    """Return a range's least and largest value in a tournament of this size.

    `bounds` are the two ends. Each is a number, or one of the words `players`,
    `rounds`, `tables` (of all rounds together) and `rules` (all absolute rules broken
    at all tables). Raises ValueError for another word, or for more or fewer ends.
    """
    table_count = (players + 1) // 2 * rounds
    value_of_word: dict[float | str, float] = {
        "players": players,
        "rounds": rounds,
        "tables": table_count,
        "rules": len(ABSOLUTE) * table_count,
    }
    least_value, largest_value = (
        float(value_of_word.get(bound, bound)) for bound in bounds
    )
    return least_value, largest_value


def measure_pairing(state: State, arcs: Arcs) -> dict[str, Value]:
    """Return the pairing metrics of one round of one tournament, by column.

    `state` has the players before the round, `arcs` their matches and byes. The columns
    are rematches, bye_points, bye_groups (both only with a bye), floats,
    group_distance, violations, one `broken_...` per absolute rule, and with sides
    `side_difference_k` and `side_streak_k` for k from 0 to 4.
    """
    return measure_pairings(state.event, [(state, arcs)])[0]


def measure_pairings(
    event: Event, pairings: Sequence[tuple[State, Arcs]]
) -> list[dict[str, Value]]:
    """Return the pairing metrics of a round in each of several tournaments.

    `event` joins the tournaments. `pairings` has for each the state of its players
    before the round, and the arcs of its matches and byes. Returns one mapping per
    tournament. `rematches` counts matches between players who have met. `bye_points`
    are the points of the player with the bye, `bye_groups` the number of score groups
    below theirs; both are left out without a bye. `floats` counts matches across score
    groups, `group_distance` is the mean distance of all matches in groups. `broken_...`
    count matches and byes that break one of FIDE's absolute rules, `violations` is
    their sum. `side_difference_k` and `side_streak_k` are the numbers of players with
    the value k after the round (4: or more); they are there only if the game has sides.
    """
    states_before = [state for state, _ in pairings]
    joined_state = join_states(event, states_before)
    arcs, tournament_of_arc = join_arcs(pairings)
    tournament_of_player = np.repeat(
        np.arange(len(pairings)), [*map(len, states_before)]
    )

    values_by_tournament = _split_rows(
        compute_pairing_columns(
            joined_state, arcs, tournament_of_player, tournament_of_arc
        )
    )
    for tournament_values in values_by_tournament:
        for bye_column in ("bye_points", "bye_groups"):
            # nan: no bye
            if tournament_values[bye_column] != tournament_values[bye_column]:
                del tournament_values[bye_column]
    return values_by_tournament


def compute_pairing_columns(
    state: State, arcs: Arcs, owner: IntArray, arc_owner: IntArray
) -> dict[str, IntArray | Floats]:
    """Compute the pairing metrics of a round, as arrays with one entry per tournament.

    `state` joins the players of all tournaments, `arcs` their matches and byes. `owner`
    has the tournament of each player, in ascending order, `arc_owner` that of each arc.
    The columns are rematches, bye_points, bye_groups, floats, group_distance,
    violations, one `broken_...` per absolute rule, and with sides `side_difference_k`
    and `side_streak_k`. Values of the bye are nan without one, and those of the first
    if there are several; the mean distance is nan without matches. The state stays as
    it is.
    """
    tournament_count = int(owner[-1]) + 1
    group_of_player, last_group_of_tournament = _number_score_groups(owner, state.score)
    arc_distances = np.abs(group_of_player[arcs.first] - group_of_player[arcs.second])
    match_distances = arc_distances[arcs.match]
    match_tournaments = arc_owner[arcs.match]

    violation_counts = {}
    for rule_name, absolute_rules in ABSOLUTE.items():
        if state.sided or not any(
            absolute_rule.needs_sides for absolute_rule in absolute_rules
        ):
            is_legal_arc = np.logical_and.reduce(
                [absolute_rule.legal(state, arcs) for absolute_rule in absolute_rules]
            )
            violation_counts[f"broken_{rule_name}"] = np.bincount(
                arc_owner[~is_legal_arc], minlength=tournament_count
            )

    match_counts = np.bincount(match_tournaments, minlength=tournament_count)
    total_distances = np.bincount(match_tournaments, match_distances, tournament_count)
    values_by_column: dict[str, IntArray | Floats] = {
        "rematches": violation_counts["broken_no_rematch"],
        "floats": np.bincount(
            match_tournaments[match_distances > 0], minlength=tournament_count
        ),
        "group_distance": total_distances
        / np.where(match_counts, match_counts, np.nan),
        "violations": np.sum([*violation_counts.values()], axis=0),
        **violation_counts,
    }
    if state.sided:
        side_differences, side_streaks = _compute_sides_after(state, arcs)
        values_by_column |= _count_by_value(
            "side_difference", side_differences, owner, tournament_count
        )
        values_by_column |= _count_by_value(
            "side_streak", side_streaks, owner, tournament_count
        )

    # reversed: with several byes in a tournament its first one stays
    bye_players = arcs.first[arcs.bye][::-1]
    bye_tournaments = arc_owner[arcs.bye][::-1]
    bye_points = np.full(tournament_count, np.nan)
    bye_points[bye_tournaments] = state.score[bye_players] / state.scale
    bye_groups = np.full(tournament_count, np.nan)
    bye_groups[bye_tournaments] = (
        last_group_of_tournament[owner[bye_players]] - group_of_player[bye_players]
    )
    values_by_column["bye_points"] = bye_points
    values_by_column["bye_groups"] = bye_groups
    return values_by_column


def _number_score_groups(owner: IntArray, score: IntArray) -> tuple[IntArray, IntArray]:
    """Assign numbers to the score groups of all tournaments, from the highest score.

    The numbers go on from one tournament to the next. Returns the group of each player,
    and the last group of each tournament. `score` is each player's score. `owner` is
    the tournament of each player, in ascending order.
    """
    score_range = int(np.ptp(score)) + 1
    sort_keys_of_players = owner * score_range + score.max() - score
    sort_keys_of_groups, group_of_player = np.unique(
        sort_keys_of_players, return_inverse=True
    )
    sort_key_ends = score_range * np.arange(1, int(owner[-1]) + 2)
    return group_of_player, sort_keys_of_groups.searchsorted(sort_key_ends) - 1


def _compute_sides_after(state: State, arcs: Arcs) -> tuple[IntArray, IntArray]:
    """Return each player's side difference and side streak after the round.

    `arcs` are its matches and byes. The difference has no sign; the streak is the
    number of matches in a row on the last side. A player without a match keeps both
    values. The state stays as it is.
    """
    side_bias, side_streak = state.bias.copy(), state.streak.copy()
    for side_number, players_of_side in enumerate(
        (arcs.first[arcs.match], arcs.second[arcs.match])
    ):
        side_bias[players_of_side] += 1 - 2 * side_number
        side_streak[players_of_side] = np.where(
            state.last_side[players_of_side] == side_number,
            side_streak[players_of_side] + 1,
            1,
        )
    return np.abs(side_bias), side_streak


def _count_by_value(
    name: str, values: IntArray, owner: IntArray, count: int
) -> dict[str, IntArray]:
    """Count the players of each of `count` tournaments by value, one column per value.

    Columns are `<name>_0` to `<name>_4`, the last of which has all values from 4
    (`MOST_SIDES`) on. `values` has one value per player, and `owner` the tournament of
    each player.
    """
    value_class_count = MOST_SIDES + 1
    class_of_player = owner * value_class_count + np.minimum(values, MOST_SIDES)
    counts_by_tournament = np.bincount(
        class_of_player, minlength=count * value_class_count
    ).reshape(count, -1)
    return {
        f"{name}_{side_value}": class_counts
        for side_value, class_counts in enumerate(counts_by_tournament.T)
    }


def measure_standings(
    after: Event, active: BoolArray, strength: Floats
) -> list[dict[str, Value]]:
    """Measure the standings after a round in each tournament joined in `after`.

    Returns one mapping per tournament, with the columns kendall, spearman, top_hits
    (agreement with true strength) and sos_spread. A value that is not defined is nan.
    `strength` is true strength. Only players count whom `active` marks; `active` and
    `strength` have shape (tournaments, players).
    """
    return _split_rows(compute_standings_columns(after, active, strength))


def compute_standings_columns(
    after: Event, active: BoolArray, strength: Floats
) -> dict[str, Floats]:
    """Compute how the standings of several tournaments agree with true strength.

    The columns kendall, spearman, top_hits and sos_spread each have one entry per
    tournament. `after` joins the tournaments after a round. `active` marks the players
    that count; it and `strength` have shape (tournaments, players).
    """
    standings = compute_order(after)
    places_by_tournament = standings.place.reshape(active.shape)
    return {
        "kendall": kendall(places_by_tournament, strength, active),
        "spearman": spearman(places_by_tournament, strength, active),
        "top_hits": top_hits(places_by_tournament, strength, active),
        "sos_spread": standings.spread(active),
    }


def _split_rows(columns: Mapping[str, IntArray | Floats]) -> list[dict[str, Value]]:
    """Convert columns of equal length to one mapping from column to cell per row."""
    cell_rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row_cells, strict=True)) for row_cells in cell_rows]


def format_level_values(result: Result) -> str:
    """Format the values of all levels as text, for example "rematches 1=0; floats 1=2".

    The number after a criterion is its level; a level without a value has nothing after
    "=". For a pairing system these are only the values that are not 0.
    """
    shown_levels, _ = notable_levels(result.problem, result.level_values)
    level_texts = []
    for level in shown_levels:
        if level.value is None:
            value_text = ""
        elif level.scale > 1:
            value_text = f"{level.value / level.scale:g}"
        else:
            value_text = f"{level.value}"
        level_texts.append(f"{level.criterion} {level.level}={value_text}")
    return "; ".join(level_texts)
