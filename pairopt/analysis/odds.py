"""Compute the odds of a round in which every optimal pairing is equally likely.

Probabilities are exact in components of the field whose optimal pairings can be counted
by a table. Elsewhere they are estimated from draws, with 95 % intervals.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from pairopt.analysis.chances import (
    Measure,
    MeetingProbability,
    Odds,
    PlayerProbabilities,
    measure_of,
    strengths,
)
from pairopt.analysis.marginals import (
    PairProbabilities,
    compute_probabilities,
    confidence_intervals,
)
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import engine_of, require_exact
from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST
from pairopt.engines.base import EngineOptions
from pairopt.engines.single_pairs import allowed_sides
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import Event
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.model_file import Objective
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.round.solve import pair
from pairopt.sampling.choose_optimal import require_choosable
from pairopt.sampling.drawing import ChainDiagnostics
from pairopt.sampling.optimal_pairings import OptimalPairings, optima_of

DRAWS = 2000
"""The default number of draws where pairings cannot be counted."""
MOST_PLAYERS = 1000
"""The largest field: memory holds a row for each two players who can meet."""
HALF = Fraction(1, 2)


@show_keywords(RoundOptions)
def odds(
    event: Event,
    model: ModelLike | None = None,
    *,
    draws: int = DRAWS,
    by: Measure | None = None,
    **options: Unpack[RoundKeywords],
) -> Odds:
    """Compute probabilities of the next round if optimal pairings are equally likely.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, path or Model, optional
        The model that pairs the round; by default the event's own, otherwise
        "standard".
    draws : int
        How many random pairings to draw if a part of the field has too many pairings to
        count.
    by : {"rating", "score"}, optional
        What measures the strength of opponents. By default the rating, if everybody has
        one.
    **options
        The options of `pairopt.solve` that concern the round.

    Returns
    -------
    Odds
        Each player's possible opponents, and the probabilities of the bye, of floating
        and of the first side.

    Raises
    ------
    UsageError
        If `draws` is less than 1, if the model has a lookahead, if the engine cannot
        prove an optimum, if the event has more than 1,000 players, if ratings are
        missing, or if `solve` would raise it.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/weekly")
    >>> player = pairopt.odds(event).players[0]
    >>> player.chances[0].opponent, player.chances[0].shown
    ('Kaia Tamm', '23.1 %')
    """
    if draws < 1:
        raise UsageError("lot.no_draws")

    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "odds"
    )
    engine_name = engine_of(problem, problem.asked)
    require_exact(engine_name, "odds need an exact engine.")
    require_choosable(problem)
    if len(problem) > MOST_PLAYERS:
        raise UsageError("lot.too_many", most=MOST_PLAYERS, players=len(problem))

    by = measure_of(problem, by)
    engine_options = EngineOptions(problem.model.objective, budget=budget)
    model_result = pair(problem, engine_name, engine_options)
    event = problem.event
    unknown_odds = Odds(
        event.source,
        event.round,
        problem.model.name,
        "unknown",
        by,
        notes=model_result.notes,
    )
    if model_result.status == "infeasible":
        return replace(unknown_odds, status="infeasible")
    if model_result.status != "optimal" or model_result.arcs is None:
        return unknown_odds

    try:
        odds_fields = _compute_fields(
            problem, model_result.arcs, model_result.objective, draws, by, budget
        )
    except TimeUpError:
        return unknown_odds
    return replace(unknown_odds, status="optimal", **odds_fields)


@dataclass(frozen=True)
class _MeetingPair:
    """Two players who can meet, and the probability that they do.

    `player` and `opponent` are positions in the state; the opponent is n for the bye.
    `low` and `high` are the ends of its confidence interval, equal to `probability` if
    that is exact. `first` is the probability that `player` has the first side if they
    meet.
    """

    player: int
    opponent: int
    probability: Fraction | float
    low: float
    high: float
    first: Fraction


def _compute_fields(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    draws: int,
    by: Measure,
    budget: Budget,
) -> dict[str, Any]:
    """Return the fields of `Odds` that depend on the optimal pairings.

    `arcs` is one of these, and `objective` says how levels are compared. The fields are
    `players`, `draws` and `chained`; for a pairing system, which has one optimal
    pairing, only `players`. `draws` is 0 if nothing had to be drawn. `by` is the
    measure of opponents' strength. Raise TimeUpError when the deadline passes.
    """
    # The levels of a pairing system leave one pairing.
    if problem.system is not None:
        return {
            "players": _all_player_probabilities(
                problem, _certain_pairs(problem, arcs), by
            )
        }

    optimal_pairings = optima_of(problem, arcs, objective, budget)
    meeting_pairs = list[_MeetingPair]()
    is_estimated = False
    chain_diagnostics = list[ChainDiagnostics]()
    for component in optimal_pairings.components:
        pair_probabilities = compute_probabilities(component, draws, budget)
        first_players = component.players[pair_probabilities.first]
        second_players = component.players[pair_probabilities.second]
        if pair_probabilities.exact is None:
            is_estimated = True
            if pair_probabilities.chained:
                chain_diagnostics.append(pair_probabilities.chained)

        pairs_with_probabilities = zip(
            first_players.tolist(),
            second_players.tolist(),
            _with_intervals(pair_probabilities),
            _first_sides(optimal_pairings, first_players, second_players),
            strict=True,
        )
        for player, opponent, (
            probability,
            interval_low,
            interval_high,
        ), first_side_probability in pairs_with_probabilities:
            if interval_high:
                meeting_pairs.append(
                    _MeetingPair(
                        player,
                        opponent,
                        probability,
                        interval_low,
                        interval_high,
                        first_side_probability,
                    )
                )

    return {
        "players": _all_player_probabilities(problem, meeting_pairs, by),
        "draws": draws if is_estimated else 0,
        "chained": tuple(chain_diagnostics),
    }


def _certain_pairs(problem: Problem, arcs: Arcs) -> list[_MeetingPair]:
    """Return the matches of the only optimal pairing, each with probability 1.

    The opponent in a bye is n, the number of players. The player of the first seat has
    the first side for certain.
    """
    first_players = arcs.first.tolist()
    opponents_or_bye = np.where(arcs.bye, len(problem), arcs.second).tolist()
    return [
        _MeetingPair(player, opponent, Fraction(1), 1.0, 1.0, Fraction(1))
        for player, opponent in zip(first_players, opponents_or_bye, strict=True)
    ]


def _with_intervals(
    shares: PairProbabilities,
) -> list[tuple[Fraction | float, float, float]]:
    """Return each pair's probability, with the low and high end of its 95 % interval.

    `shares` has the probabilities, exact or estimated. Exact probabilities are
    fractions, whose intervals have no width; others are floats.
    """
    if shares.exact is not None:
        return [
            (exact_share, float(exact_share), float(exact_share))
            for exact_share in shares.exact
        ]

    assert shares.seen is not None
    mean_shares = shares.seen.sum(axis=0) / (shares.draws_per_run * len(shares.seen))
    lower_ends, upper_ends = confidence_intervals(shares)
    return list(
        zip(mean_shares.tolist(), lower_ends.tolist(), upper_ends.tolist(), strict=True)
    )


def _first_sides(
    optima: OptimalPairings, first_players: IntArray, second_players: IntArray
) -> list[Fraction]:
    """Return the probability that the first player of each pair has the first side.

    It is 1, 0, or one half if both choices of sides are optimal. `optima` are the
    optimal pairings. Players are positions in the state, n for the bye, and each first
    player must be listed above the second one.
    """
    probability_of_bits = {
        LISTED_FIRST: Fraction(1),
        OTHER_FIRST: Fraction(0),
        LISTED_FIRST | OTHER_FIRST: HALF,
    }
    side_bits = allowed_sides(
        optima.columns,
        first_players,
        second_players,
        optima.number[first_players, second_players],
    )
    return [probability_of_bits[bits_of_pair] for bits_of_pair in side_bits.tolist()]


_Meeting = tuple[int, _MeetingPair, Fraction]
"""An opponent of a player, the pair, and the player's probability of the first side."""


def _all_player_probabilities(
    problem: Problem, pairs: Iterable[_MeetingPair], by: Measure
) -> tuple[PlayerProbabilities, ...]:
    """Return the probabilities of all players, in the order of the event.

    `pairs` are all pairs that can meet, each once. Byes are pairs, too. `by` is the
    measure of opponents' strength.
    """
    meetings_by_player: list[list[_Meeting]] = [[] for _ in range(len(problem) + 1)]
    for meeting_pair in pairs:
        meetings_by_player[meeting_pair.player].append(
            (meeting_pair.opponent, meeting_pair, meeting_pair.first)
        )
        meetings_by_player[meeting_pair.opponent].append(
            (meeting_pair.player, meeting_pair, 1 - meeting_pair.first)
        )

    strength_by_position = strengths(problem, by)
    positions_in_event_order = np.argsort(problem.state.player).tolist()
    return tuple(
        _player_probabilities(
            problem, player, meetings_by_player[player], strength_by_position
        )
        for player in positions_in_event_order
    )


def _player_probabilities(
    problem: Problem,
    player: int,
    meetings: Sequence[_Meeting],
    strength: Sequence[Fraction],
) -> PlayerProbabilities:
    """Return the probabilities of one player, whose likeliest opponents come first.

    `player` is a position in the state, and `strength` has all players' strengths. The
    mean strength of opponents is None if only the bye is possible. `meetings` are the
    player's possible ones: the opponent (n for the bye), the pair, and the probability
    that the player has the first side in it.
    """
    state = problem.state
    bye_position = len(problem)
    group_by_position = state.group.tolist()
    # The bye comes after opponents of the same probability.
    rank_by_position = [*state.overall_rank.tolist(), bye_position + 1]
    meetings = sorted(
        meetings,
        key=lambda meeting_entry: (
            -meeting_entry[1].probability,
            rank_by_position[meeting_entry[0]],
        ),
    )

    possible_matches = [
        (opponent, meeting.probability, side_probability)
        for opponent, meeting, side_probability in meetings
        if opponent < bye_position
    ]
    match_probability = _add_amounts(
        probability for _, probability, _ in possible_matches
    )
    weighted_strength = _add_amounts(
        probability * strength[opponent]
        for opponent, probability, _ in possible_matches
    )
    first_side_probability = None
    if state.sided:
        first_side_probability = _add_amounts(
            probability * side_probability
            for _, probability, side_probability in possible_matches
        )

    float_down_probability = _add_amounts(
        probability
        for opponent, probability, _ in possible_matches
        if group_by_position[opponent] > group_by_position[player]
    )
    float_up_probability = _add_amounts(
        probability
        for opponent, probability, _ in possible_matches
        if group_by_position[opponent] < group_by_position[player]
    )
    bye_probability = _add_amounts(
        meeting.probability
        for opponent, meeting, _ in meetings
        if opponent == bye_position
    )
    meeting_probabilities = [
        _meeting_probability(problem, player, opponent, meeting)
        for opponent, meeting, _ in meetings
    ]
    return PlayerProbabilities(
        player=state.names[player],
        bye=bye_probability,
        floats_down=float_down_probability,
        floats_up=float_up_probability,
        first_side=first_side_probability,
        strength=weighted_strength / match_probability if match_probability else None,
        chances=tuple(meeting_probabilities),
    )


def _meeting_probability(
    problem: Problem, player: int, opponent: int, meeting: _MeetingPair
) -> MeetingProbability:
    """Convert a pair of positions to a `MeetingProbability` from the view of `player`.

    `meeting` is the pair, and `opponent` is n for the bye. Positions become names, the
    bye becomes None. An estimated probability has no fraction.
    """
    player_names = problem.state.names
    is_bye = opponent == len(problem)
    probability = meeting.probability
    return MeetingProbability(
        player_names[player],
        None if is_bye else player_names[opponent],
        float(probability),
        meeting.low,
        meeting.high,
        probability if isinstance(probability, Fraction) else None,
    )


def _add_amounts(amounts: Iterable[Fraction | float]) -> Fraction | float:
    """Add amounts; the sum is a fraction if all of them are, and 0 without any."""
    return sum(amounts, Fraction(0))
