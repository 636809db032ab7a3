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

    `drawn_first` is of the pot that is drawn first. `draws` counts the valid draws with
    this match. `mechanism` is None in a draw that is too large.
    """

    drawn_first: str
    opponent: str
    draws: int
    uniform: Fraction
    mechanism: Fraction | None

    @property
    def bias(self) -> Fraction | None:
        """The probability by the mechanism less the uniform probability."""
        return None if self.mechanism is None else self.mechanism - self.uniform


@dataclass(frozen=True)
class DrawOdds:
    """The probabilities of a draw: uniform, and by UEFA's mechanism.

    `pot` is the pot that is drawn first, and `draws` the number of valid draws. Without
    a valid draw there are no pairs, and the status is "infeasible". It is "unknown" if
    the time limit was reached.
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
        """The pair whose two probabilities differ most, None if they are unknown."""
        known_pairs = [pair for pair in self.pairs if pair.bias is not None]
        if not known_pairs:
            return None
        return max(known_pairs, key=lambda pair: abs(pair.bias or Fraction(0)))

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield one row per pair, with the columns `COLUMNS`."""
        for pair in self.pairs:
            yield (
                self.event,
                self.round,
                self.model,
                pair.drawn_first,
                pair.opponent,
                pair.draws,
                *map(_decimals, (pair.uniform, pair.mechanism)),
                str(pair.uniform),
                "" if pair.mechanism is None else str(pair.mechanism),
                _decimals(pair.bias),
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; fractions are texts such as "1/3"."""
        pairs = [
            {
                "drawn_first": pair.drawn_first,
                "opponent": pair.opponent,
                "draws": pair.draws,
                "uniform": _record(pair.uniform),
                "mechanism": _record(pair.mechanism),
            }
            for pair in self.pairs
        ]
        return {
            "event": self.event,
            "round": self.round,
            "model": self.model,
            "status": self.status,
            "pot": self.pot,
            "draws": self.draws,
            "pairs": pairs,
        }


def _decimals(value: Fraction | None) -> str:
    """Return a probability with 12 decimals, "" for None."""
    return "" if value is None else f"{float(value):.12f}"


def _record(value: Fraction | None) -> dict[str, Any] | None:
    """Return the JSON form of a probability, None for None."""
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
    """Compute the odds of a draw between two pots, uniform and by UEFA's mechanism.

    In the uniform lottery each valid draw is equally likely. In the mechanism, a club of
    the first pot is drawn, then one of its possible opponents, and so on.

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
        If there are not two pots of equal size with matches between them only, if the
        model has criteria, or if there are more than 16 matches to draw; and where
        `pairopt.solve` raises it.

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
    first_pot, lines, columns = _split_pots(problem, first)
    allowed = _allowed(problem, lines, columns)

    # Matches that are already drawn leave the pots.
    drawn = _drawn_before(problem, lines, columns)
    left_lines = [k for k in range(len(lines)) if k not in drawn]
    left_columns = [k for k in range(len(columns)) if k not in drawn.values()]
    if len(left_lines) > MOST_UNIFORM:
        raise UsageError("lot.draw_large", most=MOST_UNIFORM, matches=len(left_lines))
    table = [[allowed[i][j] for j in left_columns] for i in left_lines]
    found = DrawOdds(
        event.source, problem.event.round, problem.model.name, "unknown", first_pot
    )
    mechanism: list[list[Fraction]] | None = None
    try:
        counts, draws = count_draws(table, budget)
        if draws and len(table) <= MOST_MECHANISM:
            mechanism = mechanism_odds(table, budget)
    except TimeUpError:
        return found
    if not draws or not all(allowed[i][j] for i, j in drawn.items()):
        return replace(found, status="infeasible")

    names = problem.state.names
    pairs = [
        DrawPair(names[lines[i]], names[columns[j]], draws, Fraction(1), Fraction(1))
        for i, j in drawn.items()
    ]
    for a, i in enumerate(left_lines):
        for b, j in enumerate(left_columns):
            if counts[a][b]:
                pair = DrawPair(
                    names[lines[i]],
                    names[columns[j]],
                    counts[a][b],
                    Fraction(counts[a][b], draws),
                    None if mechanism is None else mechanism[a][b],
                )
                pairs.append(pair)
    return replace(found, status="optimal", draws=draws, pairs=tuple(pairs))


def _split_pots(
    problem: Problem, first: str | None
) -> tuple[str, list[int], list[int]]:
    """Return the name of the pot that is drawn first, and the players of both pots.

    Players are positions in the state, in the order of the list. Raises UsageError if
    there are not two pots of equal size, or if `first` is not one of them.
    """
    state = problem.state
    if "pot" not in {name.lower() for name in state.event.columns}:
        raise UsageError("lot.draw_no_pot")
    pot_cells = state.event.cells("pot")
    in_order = np.argsort(state.player).tolist()
    members: dict[str, list[int]] = {}
    for position in in_order:
        members.setdefault(pot_cells[state.player[position]], []).append(position)
    pots = sorted(members)
    if len(pots) != 2 or len(members[pots[0]]) != len(members[pots[1]]):
        sizes = [f"{len(members[pot])} in pot {pot or '(empty)'}" for pot in pots]
        raise UsageError("lot.draw_pots", found=sizes)
    if first is None:
        first = pots[1]
    if first not in members:
        raise UsageError("lot.draw_first", found=first, pots=pots)
    (other,) = (pot for pot in pots if pot != first)
    return first, members[first], members[other]


def _allowed(
    problem: Problem, lines: list[int], columns: list[int]
) -> list[list[bool]]:
    """Return which matches between the pots no constraint forbids.

    Matches inside a pot must be forbidden, otherwise a UsageError is raised.
    """
    for pot in (lines, columns):
        one, two = np.triu_indices(len(pot), 1)
        inside = arcs_of(np.array(pot)[one], np.array(pot)[two])
        if problem.legal(inside).any():
            raise UsageError("lot.draw_inside", model=problem.model.name)
    first = np.repeat(lines, len(columns))
    second = np.tile(columns, len(lines))
    ways = problem.legal(arcs_of(first, second)) | problem.legal(arcs_of(second, first))
    allowed: list[list[bool]] = ways.reshape(len(lines), len(columns)).tolist()
    return allowed


def _drawn_before(
    problem: Problem, lines: list[int], columns: list[int]
) -> Mapping[int, int]:
    """Return the matches that are already drawn, by their indices in both pots."""
    seats = problem.state.seats
    drawn = {}
    for one, two in problem.asked.force:
        positions = [
            int(seats[problem.event.position(player)]) for player in (one, two)
        ]
        for line, column in (positions, positions[::-1]):
            if line in lines and column in columns:
                drawn[lines.index(line)] = columns.index(column)
    return drawn


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
    size = len(allowed)
    choices = [_mask(line) for line in allowed]
    # before[k] has the ways to match the first k lines, by the set of their opponents.
    before: list[dict[int, int]] = [{0: 1}]
    for line in choices:
        budget.check()
        ways: dict[int, int] = {}
        for used, number in before[-1].items():
            for bit in _bits(line & ~used):
                ways[used | bit] = ways.get(used | bit, 0) + number
        before.append(ways)
    everyone = (1 << size) - 1
    draws = before[-1].get(everyone, 0)

    counts = [[0] * size for _ in range(size)]
    after = {everyone: 1}
    for k in range(size - 1, -1, -1):
        budget.check()
        earlier: dict[int, int] = {}
        for used, number in before[k].items():
            total = 0
            for bit in _bits(choices[k] & ~used):
                completions = after.get(used | bit, 0)
                counts[k][bit.bit_length() - 1] += number * completions
                total += completions
            if total:
                earlier[used] = total
        after = earlier
    return counts, draws


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
    size = len(allowed)
    choices = [_mask(line) for line in allowed]
    everyone = (1 << size) - 1
    is_possible = _possible_draws(choices)

    # A state has the lines and the columns that remain. All states after k matches have
    # probabilities with the same denominator, so that their sums are sums of integers.
    weights = {(everyone, everyone): 1}
    denominator = 1
    totals = [[Fraction(0)] * size for _ in range(size)]
    for left in range(size, 0, -1):
        step = left * lcm(*range(1, left + 1))
        denominator *= step
        pair_weights = [[0] * size for _ in range(size)]
        next_weights: dict[tuple[int, int], int] = {}
        for examined, ((lines, columns), weight) in enumerate(weights.items()):
            if examined % STATES_PER_CHECK == 0:
                budget.check()
            for line_bit in _bits(lines):
                line = line_bit.bit_length() - 1
                other_lines = lines ^ line_bit
                opponents = [
                    bit
                    for bit in _bits(choices[line] & columns)
                    if is_possible(other_lines, columns ^ bit)
                ]
                share = weight * (step // left // len(opponents))
                for bit in opponents:
                    pair_weights[line][bit.bit_length() - 1] += share
                    state = other_lines, columns ^ bit
                    next_weights[state] = next_weights.get(state, 0) + share
        for line in range(size):
            for column in range(size):
                totals[line][column] += Fraction(
                    pair_weights[line][column], denominator
                )
        weights = next_weights
    return totals


def _possible_draws(choices: list[int]) -> Callable[[int, int], bool]:
    """Return a function that says whether remaining lines have a valid draw.

    `choices` has the columns that each line may meet. The function takes the lines and
    the columns that remain, as the bits of integers.
    """

    @cache
    def is_possible(lines: int, columns: int) -> bool:
        """Return whether these lines can all meet different ones of these columns."""
        if not lines:
            return True
        line_bit = lines & -lines
        options = choices[line_bit.bit_length() - 1] & columns
        return any(
            is_possible(lines ^ line_bit, columns ^ bit) for bit in _bits(options)
        )

    return is_possible


def _mask(line: list[bool]) -> int:
    """Return a line of truth values as the bits of an integer."""
    return sum(1 << column for column, is_allowed in enumerate(line) if is_allowed)


def _bits(mask: int) -> Iterator[int]:
    """Yield the bits of an integer, each as a power of 2, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
