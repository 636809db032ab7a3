"""Test whether a played pairing looks like a random draw from those as good as it.

If each pairing with the same value at every level is equally likely, how extreme are
the sums of the played one? They show a procedure that prefers some pairings for
ratings, ranks or the order of a list.
"""

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.analysis.spreads import (
    Spread,
    exact_distributions,
    sampled_distributions,
    sum_of,
)
from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.holm import correct_by_holm
from pairopt.common.serialization import read_package_toml, to_record, to_records
from pairopt.engines import require_exact
from pairopt.engines.allowed_arcs import LISTED_FIRST
from pairopt.engines.player_types import legal_ways
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import NO_RATING, Event
from pairopt.files.read import Input
from pairopt.messages import Note, message, with_heading
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.round.check import Check, check
from pairopt.sampling.choose_optimal import require_choosable
from pairopt.sampling.drawing import ChainDiagnostics, chains
from pairopt.sampling.optimal_pairings import optima_of

Lot = Literal["optimal", "same levels"]
"""The pairings to draw from: the optimal ones, or those with the played levels."""

DRAWS = 999
"""The default number of draws where pairings cannot be enumerated."""
WORDS = read_package_toml("pairopt.round", "typical.toml")
"""The sums over the matches of a pairing that are tested, and what they are called."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A sum over the matches of a played pairing, and its random distribution.

    Attributes
    ----------
    name : str
        The name of the statistic, for example "rank_gaps".
    value : float
        The value in the played pairing.
    mean : float
        The mean over the random pairings.
    low : float
        The lower end of the central 95% of the random pairings.
    high : float
        The upper end of the central 95% of the random pairings.
    p : float
        The two-sided p-value: twice the smaller tail probability, including the played
        value.
    p_holm : float
        The p-value, Holm-adjusted for all statistics of the round (Holm 1979).
    """

    name: str
    value: float
    mean: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Typical:
    """A played round, compared with random draws of equally good pairings.

    Attributes
    ----------
    event : str
        The name of the event.
    round : int
        The number of the round, from 1.
    model : str
        The name of the model.
    lot : Lot or None
        The pairings that were drawn from: "optimal" ones, or pairings with the "same
        levels" if the played pairing is not optimal. None if there was nothing to draw
        from.
    reason : message or None
        Why there was nothing to draw from.
    statistics : tuple of Statistic
        The sums over the matches that differ among these pairings.
    draws : int
        The number of random pairings. 0 if all pairings were counted.
    chained : tuple of ChainDiagnostics
        Parts of the field that were sampled by a Markov chain, which is approximate.
    complete : bool
        Whether the computation ended before the time limit.
    notes : tuple of messages
        What you should know about the result.
    """

    event: str
    round: int
    model: str
    lot: Lot | None = None
    reason: Note | None = None
    statistics: tuple[Statistic, ...] = ()
    draws: int = 0
    chained: tuple[ChainDiagnostics, ...] = ()
    complete: bool = True
    notes: tuple[str | Note, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the notes.

        "reason" is "" if there are pairings to draw from; "chains" has the diagnostics
        of Markov chains.
        """
        return {
            **to_record(self, "event", "round", "model", "lot", "complete", "draws"),
            "reason": str(self.reason or ""),
            "chains": chains(self.chained, "players"),
            "statistics": to_records(self.statistics),
        }


def typical_rows(result: Typical) -> tuple[list[str], list[list[object]]]:
    """Return the column names of the CSV table, and one row of cells per statistic.

    Without statistics there is one row whose cells of the statistic are None, and which
    has the reason if nothing could be drawn.
    """
    field_names = Statistic.__slots__
    column_names = ["event", "round", "model", "lot", "draws", "reason", *field_names]
    round_cells = [
        result.event,
        result.round,
        result.model,
        result.lot,
        result.draws,
        str(result.reason or ""),
    ]
    statistic_rows = [
        [getattr(statistic, field_name) for field_name in field_names]
        for statistic in result.statistics
    ]
    if not statistic_rows:
        statistic_rows = [[None] * len(field_names)]
    return column_names, [
        [*round_cells, *statistic_row] for statistic_row in statistic_rows
    ]


@show_keywords(RoundOptions)
def typical(
    event: Event,
    pairings: Input,
    model: ModelLike | None = None,
    *,
    draws: int = DRAWS,
    **options: Unpack[RoundKeywords],
) -> Typical:
    """Test whether a pairing looks like a random draw from equally good pairings.

    A component is a group of players who can meet only each other. If pairopt can list
    all pairings of each component, the p-values are exact. If a component is too large
    for this, pairopt draws random pairings, and the p-values are (k + 1) / (draws + 1).
    Here k is the number of random draws that are at least as extreme as the played
    pairing (Davison and Hinkley 1997, section 4.2).

    Parameters
    ----------
    event : Event
        The event before the round.
    pairings : path or DataFrame
        The played pairing, as for `pairopt.check`.
    model : str, path or Model, optional
        The model that says what is good; by default the event's own, otherwise
        "standard".
    draws : int
        How many random pairings to draw if there are too many to list.
    **options
        The options of `pairopt.solve` that concern the round.

    Returns
    -------
    Typical
        Sums over the played matches, for example of rating differences, with their
        distributions and p-values. If there are no pairings to compare with, or no time
        to draw them, the result has no sums. In this case, the field `reason` says why.

    Raises
    ------
    UsageError
        If the model has a lookahead, if the engine cannot prove an optimum, or if
        `draws` is below 1.
    InputError
        If `pairings` is not a pairing of the event's next round.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/weekly").at_round(4)
    >>> typical = pairopt.typical(event, "examples/weekly/matches.csv")
    >>> [(sum_.name, round(sum_.p, 3)) for sum_ in typical.statistics[:2]]
    [('rank_gaps', 0.738), ('list_gaps', 0.005)]
    """
    if draws < 1:
        raise UsageError("lot.no_draws")

    time_limit = options.get("time_limit")
    round_check = check(event, pairings, model, **options)
    problem = round_check.problem
    optimal_result = round_check.optimum
    assert optimal_result is not None
    require_exact(
        optimal_result.engine, "a comparison with random draws needs an exact engine."
    )
    require_choosable(problem)

    empty_result = Typical(
        problem.event.source,
        round_check.round,
        round_check.model,
        notes=round_check.notes,
    )
    if not optimal_result.proven:
        return replace(empty_result, reason=message("lot.time_up"), complete=False)
    no_lot_reason = _reason_for_no_lot(round_check)
    if no_lot_reason:
        return replace(empty_result, reason=no_lot_reason)

    lot: Lot = "optimal" if round_check.better is None else "same levels"
    budget = Budget(
        optimal_result.seed, deadline=time_limit and time.monotonic() + time_limit
    )
    try:
        result_fields = _compare_with_draws(problem, round_check.arcs, draws, budget)
    except TimeUpError:
        return replace(empty_result, reason=message("lot.time_up"), complete=False)
    return replace(empty_result, lot=lot, **result_fields)


def _reason_for_no_lot(checked: Check) -> Note | None:
    """Return the message why there are no pairings to compare with; None if there are.

    `checked` is the check of the played round. The reasons are a pairing system, a
    pairing that breaks a rule, and matches whose sides are worse than they could be.
    """
    problem = checked.problem
    if problem.system is not None:
        return message("lot.one_pairing")
    if checked.violations:
        return with_heading(message("lot.illegal"), checked.violations[0].message)

    weights = problem.weights(problem.model.objective)
    allowed_sides, _ = legal_ways(problem, checked.arcs, weights)
    has_worse_sides = ((allowed_sides & LISTED_FIRST) == 0) & checked.arcs.match
    if has_worse_sides.any():
        return message("lot.turned", matches=int(has_worse_sides.sum()))
    return None


def _compare_with_draws(
    problem: Problem, arcs: Arcs, draws: int, budget: Budget
) -> dict[str, Any]:
    """Return the fields of `Typical` that the distributions of the sums decide.

    `arcs` is the played pairing. If the pairings with its levels cannot all be listed,
    `draws` of them are drawn. The fields are `draws` (0 if all pairings were counted),
    `chained` and `statistics`. Statistics that are equal in all pairings are left out.
    Raise TimeUpError when the deadline passes.
    """
    statistic_tables = _statistic_tables(problem)
    played_sums = {
        statistic_name: int(sum_of(statistic_table, arcs))
        for statistic_name, statistic_table in statistic_tables.items()
    }
    optimal_pairings = optima_of(problem, arcs, problem.model.objective, budget)
    chain_diagnostics: tuple[ChainDiagnostics, ...] = ()
    spread_of_statistic = exact_distributions(
        optimal_pairings, statistic_tables, budget
    )
    if spread_of_statistic is None:
        spread_of_statistic, chain_diagnostics = sampled_distributions(
            optimal_pairings, statistic_tables, draws, budget
        )
    else:
        draws = 0

    # Statistics with the played value in all pairings say nothing.
    spread_of_statistic = {
        statistic_name: spread
        for statistic_name, spread in spread_of_statistic.items()
        if {*spread} != {played_sums[statistic_name]}
    }
    is_drawn = bool(draws)
    p_values = {
        statistic_name: _two_sided_p(spread, played_sums[statistic_name], is_drawn)
        for statistic_name, spread in spread_of_statistic.items()
    }
    holm_p_values = correct_by_holm(np.array([*p_values.values()])).tolist()
    corrected_p_values = dict(zip(p_values, holm_p_values, strict=True))

    statistics = []
    for statistic_name, spread in spread_of_statistic.items():
        value_scale = (
            problem.event.rating_scale if statistic_name == "rating_gaps" else 1
        )
        mean_of_draws, low_quantile, high_quantile = (
            float(unscaled_quantity / value_scale)
            for unscaled_quantity in _mean_and_quantiles(spread)
        )
        played_value = played_sums[statistic_name] / value_scale
        statistics.append(
            Statistic(
                statistic_name,
                played_value,
                mean_of_draws,
                low_quantile,
                high_quantile,
                p_values[statistic_name],
                corrected_p_values[statistic_name],
            )
        )
    return {
        "draws": draws,
        "chained": chain_diagnostics,
        "statistics": tuple(statistics),
    }


def _statistic_tables(problem: Problem) -> dict[str, IntArray]:
    """Return what each match adds to each statistic, shape (n, n + 1) per statistic.

    Rows are the players with the first side, columns their opponents; the last column
    is the bye. `rank_gaps`, `list_gaps` and `rating_gaps` have the absolute differences
    of ranks, of positions in the event, and of ratings, which all players need.
    `higher_first` is 1 if the better-ranked player has the first side, if there are
    sides. `down_ranks` has the rank of a player who floats down. `bye_rank`, that of
    the player with the bye, needs an odd number of players.
    """
    state = problem.state
    player_count = len(problem)
    ranks = state.overall_rank
    keys_of_statistic = {"rank_gaps": ranks, "list_gaps": state.player}
    if (state.rating != NO_RATING).all():
        keys_of_statistic = {"rating_gaps": state.rating, **keys_of_statistic}

    # shape (n, n) each
    match_tables = {
        statistic_name: np.abs(player_keys[:, None] - player_keys[None])
        for statistic_name, player_keys in keys_of_statistic.items()
    }
    if state.sided:
        match_tables["higher_first"] = (ranks[:, None] < ranks[None]).astype(np.int64)
    # the rank of the player with more points, who floats down
    float_direction = np.sign(state.score[:, None] - state.score[None])
    down_rank_of_second = np.where(float_direction < 0, ranks[None], 0)
    match_tables["down_ranks"] = np.where(
        float_direction > 0, ranks[:, None], down_rank_of_second
    )

    zero_bye_column = np.zeros(player_count, np.int64)
    table_of_statistic = {
        statistic_name: np.column_stack([match_table, zero_bye_column])
        for statistic_name, match_table in match_tables.items()
    }
    if state.odd:
        table_of_statistic["bye_rank"] = np.column_stack(
            [np.zeros((player_count, player_count), np.int64), ranks]
        )
    return table_of_statistic


def _two_sided_p(spread: Spread, value: int, is_drawn: bool) -> float:
    """Return the two-sided p-value: twice the smaller tail, at most 1.

    `spread` counts the pairings by their sum, and `value` is the played sum. If the
    spread was drawn, the played pairing counts as one more draw.
    """
    draw_count = sum(spread.values()) + is_drawn
    tail_counts = [
        sum(
            pairings_with_sum
            for possible_sum, pairings_with_sum in spread.items()
            if tail_sign * possible_sum >= tail_sign * value
        )
        + is_drawn
        for tail_sign in (1, -1)
    ]
    return float(min(Fraction(1), Fraction(2 * min(tail_counts), draw_count)))


def _mean_and_quantiles(spread: Spread) -> tuple[Fraction, int, int]:
    """Return the mean, and the 2.5 % and 97.5 % quantiles, of a distribution.

    `spread` counts the pairings by their sum. Both quantiles are values that occur;
    more than 1/40 of the total lies at or beyond each.
    """
    pairing_count = sum(spread.values())
    exact_mean = Fraction(
        sum(
            possible_sum * pairings_with_sum
            for possible_sum, pairings_with_sum in spread.items()
        ),
        pairing_count,
    )
    quantiles = []
    for ordered_values in (sorted(spread), sorted(spread, reverse=True)):
        cumulative_counts = accumulate(
            spread[possible_sum] for possible_sum in ordered_values
        )
        # the first value whose tail is above 1/40 of the total
        quantile = next(
            possible_sum
            for possible_sum, cumulative_count in zip(
                ordered_values, cumulative_counts, strict=True
            )
            if 40 * cumulative_count > pairing_count
        )
        quantiles.append(quantile)
    return exact_mean, quantiles[0], quantiles[1]
