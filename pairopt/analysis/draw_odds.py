"""Compute the odds of a cup draw, uniform and by the mechanism that UEFA uses.

Clubs of one pot are drawn one after another. For each of them, the possible opponents
are listed: those who may meet the club, and who leave a valid draw for the rest. One of
the possible opponents is drawn. So draws are not equally likely.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, Final, Unpack

import numpy as np

from pairopt.analysis.chances import OddsStatus
from pairopt.common.budget import Budget, TimeUpError
from pairopt.errors import UsageError
from pairopt.event.arcs import arcs_of
from pairopt.event.event import Event
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.sampling.choose_optimal import require_choosable

MOST_MECHANISM = 10
"""The most matches for which the odds of the mechanism are computed."""
MOST_UNIFORM = 16
"""The most matches for which valid draws are counted."""
STATES_PER_CHECK = 4096
"""How many states of a draw are examined before the time is checked again."""
NO_LIMIT = Budget()
COLUMNS: Final = (
    "event",
    "round",
    "model",
    "drawn_first",
    "opponent",
    "draws",
    "uniform",
    "mechanism",
    "uniform_fraction",
    "mechanism_fraction",
    "bias",
)
"""Columns of the table of odds, which has one row per pair of clubs that may meet."""


@dataclass(frozen=True, slots=True)
class DrawPair:
    """The probabilities that two clubs meet, as fractions.

    The field `drawn_first` is a club of the pot that is drawn first. The field
    `opponent` is a club of the other pot. The field `draws` counts the valid draws that
    contain this match. The field `uniform` is the probability if all valid draws are
    equally likely. The field `mechanism` is the probability by UEFA's mechanism, or
    None if the draw is too large.
    """

    drawn_first: str
    opponent: str
    draws: int
    uniform: Fraction
    mechanism: Fraction | None

    @property
    def bias(self) -> Fraction | None:
        """The probability by the mechanism minus the uniform probability.

        None if the draw is too large for the mechanism.
        """
        return None if self.mechanism is None else self.mechanism - self.uniform


@dataclass(frozen=True)
class DrawOdds:
    """The probabilities of all pairs in a draw: uniform, and by UEFA's mechanism.

    The field `pot` is the pot that is drawn first. The field `draws` is the number of
    valid draws. If no draw is valid, the object has no pairs, and its status is
    "infeasible". If the time limit was reached, the status is "unknown".
    """

    event: str
    round: int
    model: str
    status: OddsStatus
    pot: str
    draws: int = 0
    pairs: tuple[DrawPair, ...] = ()

    @property
    def most_biased(self) -> DrawPair | None:
        """The pair whose two probabilities differ most; None if no bias is known."""
        known_pairs = [
            draw_pair for draw_pair in self.pairs if draw_pair.bias is not None
        ]
        if not known_pairs:
            return None
        return max(
            known_pairs, key=lambda draw_pair: abs(draw_pair.bias or Fraction(0))
        )

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row of the table of odds per pair of clubs that may meet.

        The cells are event, round, model, drawn_first, opponent, draws, uniform,
        mechanism, both as fractions, and bias. Probabilities are texts with 12
        decimals, and as fractions; unknown ones are "".
        """
        for draw_pair in self.pairs:
            yield (
                self.event,
                self.round,
                self.model,
                draw_pair.drawn_first,
                draw_pair.opponent,
                draw_pair.draws,
                *map(_format_probability, (draw_pair.uniform, draw_pair.mechanism)),
                str(draw_pair.uniform),
                "" if draw_pair.mechanism is None else str(draw_pair.mechanism),
                _format_probability(draw_pair.bias),
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with one entry per pair of clubs that may meet.

        Probabilities have a value and a text such as "1/3"; an unknown one is None.
        """
        pair_records = [
            {
                "drawn_first": draw_pair.drawn_first,
                "opponent": draw_pair.opponent,
                "draws": draw_pair.draws,
                "uniform": _fraction_to_dict(draw_pair.uniform),
                "mechanism": _fraction_to_dict(draw_pair.mechanism),
            }
            for draw_pair in self.pairs
        ]
        return {
            "event": self.event,
            "round": self.round,
            "model": self.model,
            "status": self.status,
            "pot": self.pot,
            "draws": self.draws,
            "pairs": pair_records,
        }


def _format_probability(value: Fraction | None) -> str:
    """Return a probability as text with 12 decimals; "" for None."""
    return "" if value is None else f"{float(value):.12f}"


def _fraction_to_dict(value: Fraction | None) -> dict[str, Any] | None:
    """Return the JSON form of a probability: value and fraction; None for None."""
    if value is None:
        return None
    return {"value": float(value), "fraction": str(value)}


@show_keywords(RoundOptions)
def draw_odds(
    event: Event,
    model: ModelLike | None = "draw",
    *,
    first: str | None = None,
    **options: Unpack[RoundKeywords],
) -> DrawOdds:
    """Compute the probabilities of a cup draw: uniform and by UEFA's mechanism.

    In a uniform draw, each valid draw has the same probability. In UEFA's mechanism,
    the first ball is a club of the first pot. The second ball is a possible opponent of
    this club, and so on.

    Parameters
    ----------
    event : Event
        The clubs, with the columns `pot`, `group` and `federation` of players.csv.
    model : str, path or Model
        The model whose constraints hold for the draw. It has no criteria.
    first : str, optional
        The pot that is drawn first; by default the last one in alphabetical order.
    **options
        The options of `pairopt.solve` that concern the round. Matches in `force` are
        already drawn.

    Returns
    -------
    DrawOdds
        The number of valid draws, and both probabilities of each pair.

    Raises
    ------
    UsageError
        If there are not exactly two pots of equal size, if a match within a pot is
        possible, if the model has criteria, if there are more than 16 matches to draw,
        or if `pairopt.solve` would raise it.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/cup-draw/players.csv")
    >>> pairopt.draw_odds(event).draws
    4781
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "draw"
    )
    require_choosable(problem)
    if problem.criteria or problem.system is not None:
        raise UsageError("lot.draw_criteria", model=problem.model.name)
    first_pot, first_pot_clubs, second_pot_clubs = _split_pots(problem, first)
    is_allowed = _list_allowed_matches(problem, first_pot_clubs, second_pot_clubs)

    # Matches that are already drawn leave the pots.
    drawn_matches = _find_drawn_matches(problem, first_pot_clubs, second_pot_clubs)
    remaining_first_clubs = [
        club_index
        for club_index in range(len(first_pot_clubs))
        if club_index not in drawn_matches
    ]
    remaining_second_clubs = [
        club_index
        for club_index in range(len(second_pot_clubs))
        if club_index not in drawn_matches.values()
    ]
    if len(remaining_first_clubs) > MOST_UNIFORM:
        raise UsageError(
            "lot.draw_large", most=MOST_UNIFORM, matches=len(remaining_first_clubs)
        )
    remaining_allowed = [
        [
            is_allowed[first_club_index][second_club_index]
            for second_club_index in remaining_second_clubs
        ]
        for first_club_index in remaining_first_clubs
    ]
    empty_result = DrawOdds(
        event.source, problem.event.round, problem.model.name, "unknown", first_pot
    )
    mechanism_probabilities: list[list[Fraction]] | None = None
    try:
        draws_with_pair, draw_count = count_draws(remaining_allowed, budget)
        if draw_count and len(remaining_allowed) <= MOST_MECHANISM:
            mechanism_probabilities = mechanism_odds(remaining_allowed, budget)
    except TimeUpError:
        return empty_result
    if not draw_count or not all(
        is_allowed[first_club_index][second_club_index]
        for first_club_index, second_club_index in drawn_matches.items()
    ):
        return replace(empty_result, status="infeasible")

    club_names = problem.state.names
    draw_pairs = [
        DrawPair(
            club_names[first_pot_clubs[first_club_index]],
            club_names[second_pot_clubs[second_club_index]],
            draw_count,
            Fraction(1),
            Fraction(1),
        )
        for first_club_index, second_club_index in drawn_matches.items()
    ]
    for remaining_first_index, first_club_index in enumerate(remaining_first_clubs):
        for remaining_second_index, second_club_index in enumerate(
            remaining_second_clubs
        ):
            if draws_with_pair[remaining_first_index][remaining_second_index]:
                draw_pair = DrawPair(
                    club_names[first_pot_clubs[first_club_index]],
                    club_names[second_pot_clubs[second_club_index]],
                    draws_with_pair[remaining_first_index][remaining_second_index],
                    Fraction(
                        draws_with_pair[remaining_first_index][remaining_second_index],
                        draw_count,
                    ),
                    None
                    if mechanism_probabilities is None
                    else mechanism_probabilities[remaining_first_index][
                        remaining_second_index
                    ],
                )
                draw_pairs.append(draw_pair)
    return replace(
        empty_result, status="optimal", draws=draw_count, pairs=tuple(draw_pairs)
    )


def _split_pots(
    problem: Problem, first: str | None
) -> tuple[str, list[int], list[int]]:
    """Return the name of the pot that is drawn first, and the players of both pots.

    The first list is that of this pot. Players are positions in the state, in the order
    of the event. If `first` is None, the first pot is the last one in alphabetical
    order. Raises UsageError if there is no column `pot`, if there are not two pots of
    equal size, or if `first` is not one of them.
    """
    state = problem.state
    if "pot" not in {column_name.lower() for column_name in state.event.columns}:
        raise UsageError("lot.draw_no_pot")
    pot_cells = state.event.cells("pot")
    listed_positions = np.argsort(state.player).tolist()
    members_by_pot: dict[str, list[int]] = {}
    for member_position in listed_positions:
        members_by_pot.setdefault(pot_cells[state.player[member_position]], []).append(
            member_position
        )
    pot_names = sorted(members_by_pot)
    if len(pot_names) != 2 or len(members_by_pot[pot_names[0]]) != len(
        members_by_pot[pot_names[1]]
    ):
        pot_sizes = [
            f"{len(members_by_pot[pot_name])} in pot {pot_name or '(empty)'}"
            for pot_name in pot_names
        ]
        raise UsageError("lot.draw_pots", found=pot_sizes)
    if first is None:
        first = pot_names[1]
    if first not in members_by_pot:
        raise UsageError("lot.draw_first", found=first, pots=pot_names)
    (other_pot,) = (pot_name for pot_name in pot_names if pot_name != first)
    return first, members_by_pot[first], members_by_pot[other_pot]


def _list_allowed_matches(
    problem: Problem, lines: list[int], columns: list[int]
) -> list[list[bool]]:
    """Return which matches between the pots no constraint forbids.

    `lines` and `columns` are the players of the two pots, as positions in the state;
    the result is a matrix with a row per player of the first and a column per player of
    the other pot. A match counts as allowed if one of the two sides is. Raises
    UsageError if a match inside a pot is allowed.
    """
    for pot_players in (lines, columns):
        lower_indices, upper_indices = np.triu_indices(len(pot_players), 1)
        inside_matches = arcs_of(
            np.array(pot_players)[lower_indices], np.array(pot_players)[upper_indices]
        )
        if problem.legal(inside_matches).any():
            raise UsageError("lot.draw_inside", model=problem.model.name)
    first_players = np.repeat(lines, len(columns))
    second_players = np.tile(columns, len(lines))
    is_allowed = problem.legal(arcs_of(first_players, second_players)) | problem.legal(
        arcs_of(second_players, first_players)
    )
    allowed_matrix: list[list[bool]] = is_allowed.reshape(
        len(lines), len(columns)
    ).tolist()
    return allowed_matrix


def _find_drawn_matches(
    problem: Problem, lines: list[int], columns: list[int]
) -> Mapping[int, int]:
    """Return the matches that the option `force` names, as already drawn.

    `lines` and `columns` are the players of the two pots, as positions in the state.
    The keys are indices in `lines`, the values indices in `columns`. Forced pairs
    inside one pot are left out.
    """
    seats = problem.state.seats
    drawn_matches = {}
    for first_club, second_club in problem.asked.force:
        club_positions = [
            int(seats[problem.event.position(player)])
            for player in (first_club, second_club)
        ]
        for first_pot_position, second_pot_position in (
            club_positions,
            club_positions[::-1],
        ):
            if first_pot_position in lines and second_pot_position in columns:
                drawn_matches[lines.index(first_pot_position)] = columns.index(
                    second_pot_position
                )
    return drawn_matches


def count_draws(
    allowed: list[list[bool]], budget: Budget = NO_LIMIT
) -> tuple[list[list[int]], int]:
    """Count the valid draws, and those with each pair.

    Parameters
    ----------
    allowed : list of list of bool
        Whether the club of each line may meet the club of each column, shape (n, n).
    budget : Budget, optional
        The time that is left.

    Returns
    -------
    tuple
        How many valid draws have each pair, shape (n, n), and the number of draws.

    Raises
    ------
    TimeUpError
        The time is over.

    Examples
    --------
    >>> count_draws([[True, True], [True, True]])
    ([[1, 1], [1, 1]], 2)
    """
    line_count = len(allowed)
    allowed_columns = [_to_bits(line_choices) for line_choices in allowed]
    # before[k] has the ways to match the first k lines, by the set of their opponents.
    ways_before: list[dict[int, int]] = [{0: 1}]
    for line_choices in allowed_columns:
        budget.check()
        ways_by_used_columns: dict[int, int] = {}
        for used_columns, way_count in ways_before[-1].items():
            for column_bit in _split_bits(line_choices & ~used_columns):
                ways_by_used_columns[used_columns | column_bit] = (
                    ways_by_used_columns.get(used_columns | column_bit, 0) + way_count
                )
        ways_before.append(ways_by_used_columns)
    all_columns = (1 << line_count) - 1
    draw_count = ways_before[-1].get(all_columns, 0)

    draws_with_pair = [[0] * line_count for _ in range(line_count)]
    ways_after = {all_columns: 1}
    for line_index in range(line_count - 1, -1, -1):
        budget.check()
        ways_from_line: dict[int, int] = {}
        for used_columns, way_count in ways_before[line_index].items():
            completion_count = 0
            for column_bit in _split_bits(allowed_columns[line_index] & ~used_columns):
                completions = ways_after.get(used_columns | column_bit, 0)
                draws_with_pair[line_index][column_bit.bit_length() - 1] += (
                    way_count * completions
                )
                completion_count += completions
            if completion_count:
                ways_from_line[used_columns] = completion_count
        ways_after = ways_from_line
    return draws_with_pair, draw_count


def mechanism_odds(
    allowed: list[list[bool]], budget: Budget = NO_LIMIT
) -> list[list[Fraction]]:
    """Return the probability of each pair by UEFA's mechanism, as exact fractions.

    A line is drawn, each remaining one with equal chance. The possible opponents are the
    columns that it may meet and that leave a valid draw for the rest. One of them is
    drawn with equal chance, and so on.

    Parameters
    ----------
    allowed : list of list of bool
        Whether the club of each line may meet the club of each column, shape (n, n).
        There is a valid draw.
    budget : Budget, optional
        The time that is left.

    Returns
    -------
    list of list of Fraction
        The probabilities, shape (n, n).

    Raises
    ------
    TimeUpError
        The time is over.

    Examples
    --------
    >>> mechanism_odds([[True, True], [True, True]])[0]
    [Fraction(1, 2), Fraction(1, 2)]
    """
    line_count = len(allowed)
    allowed_columns = [_to_bits(line_choices) for line_choices in allowed]
    all_bits = (1 << line_count) - 1
    is_possible = _possible_draws(allowed_columns)

    # A state has the lines and the columns that remain. All states after k matches have
    # probabilities with the same denominator, so that their sums are sums of integers.
    state_weights = {(all_bits, all_bits): 1}
    denominator = 1
    probabilities = [[Fraction(0)] * line_count for _ in range(line_count)]
    for remaining_count in range(line_count, 0, -1):
        denominator_factor = remaining_count * lcm(*range(1, remaining_count + 1))
        denominator *= denominator_factor
        pair_weights = [[0] * line_count for _ in range(line_count)]
        weight_after_draw: dict[tuple[int, int], int] = {}
        for state_number, ((free_lines, free_columns), weight_of_state) in enumerate(
            state_weights.items()
        ):
            if state_number % STATES_PER_CHECK == 0:
                budget.check()
            for line_bit in _split_bits(free_lines):
                line_club_index = line_bit.bit_length() - 1
                other_free_lines = free_lines ^ line_bit
                opponent_bits = [
                    column_bit
                    for column_bit in _split_bits(
                        allowed_columns[line_club_index] & free_columns
                    )
                    if is_possible(other_free_lines, free_columns ^ column_bit)
                ]
                pair_weight = weight_of_state * (
                    denominator_factor // remaining_count // len(opponent_bits)
                )
                for column_bit in opponent_bits:
                    pair_weights[line_club_index][column_bit.bit_length() - 1] += (
                        pair_weight
                    )
                    next_state = other_free_lines, free_columns ^ column_bit
                    weight_after_draw[next_state] = (
                        weight_after_draw.get(next_state, 0) + pair_weight
                    )
        for line_club_index in range(line_count):
            for column_club_index in range(line_count):
                probabilities[line_club_index][column_club_index] += Fraction(
                    pair_weights[line_club_index][column_club_index], denominator
                )
        state_weights = weight_after_draw
    return probabilities


def _possible_draws(choices: list[int]) -> Callable[[int, int], bool]:
    """Return a cached function that says whether remaining lines have a valid draw.

    `choices` has the columns that each line may meet, as bits. The function takes the
    lines and the columns that remain, each as the bits of an integer.
    """

    @cache
    def is_possible(lines: int, columns: int) -> bool:
        """Return whether these lines can all meet different ones of these columns.

        Both are sets, as the bits of integers.
        """
        if not lines:
            return True
        line_bit = lines & -lines
        possible_columns = choices[line_bit.bit_length() - 1] & columns
        return any(
            is_possible(lines ^ line_bit, columns ^ column_bit)
            for column_bit in _split_bits(possible_columns)
        )

    return is_possible


def _to_bits(line: list[bool]) -> int:
    """Convert a line of truth values to an integer, whose bit k is the k-th value."""
    return sum(
        1 << column_number
        for column_number, is_allowed in enumerate(line)
        if is_allowed
    )


def _split_bits(mask: int) -> Iterator[int]:
    """Yield the bits of the integer `mask`, each as a power of 2, the lowest first."""
    while mask:
        lowest_bit = mask & -mask
        yield lowest_bit
        mask ^= lowest_bit
