"""Re-pair a published round so that as few of its tables change as possible."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from math import comb
from typing import Any, Unpack

from pairopt.common.budget import Budget
from pairopt.engines import DEFAULT, abilities_of, engine_of
from pairopt.engines.base import EngineOptions
from pairopt.engines.feasible_pairing import find_feasible_pairing
from pairopt.event.event import Event
from pairopt.messages import join_notes, message
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import SolveKeywords
from pairopt.problem.options import ModelLike, Pair, SolveOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.round.solve import pair, solve
from pairopt.rules.constraints.requested import ForcedPairs
from pairopt.rules.repair_criteria import ChangedMatches

MOST_WAYS = 40
"""Most sets of kept tables that a system pairs with, to see which pairing comes first."""
MOST_SETS = 2000
"""Most sets of tables of which it is tried whether they can be kept."""


@show_keywords(SolveOptions)
def repair(
    event: Event, model: ModelLike | None = None, **options: Unpack[SolveKeywords]
) -> Result:
    """Re-pair a published round, and change as few tables as possible.

    `repair` first minimises the number of changed tables. `repair` proves that this
    number is minimal. Some models pair by a procedure. If the model has a procedure,
    `repair` uses the criteria of this procedure.

    A pairing system, for example the Dutch System, has its own order of pairings. Under
    such a system, `repair` looks for the smallest sets of tables that can change.
    `repair` pairs each of these sets by the system, and takes the pairing that comes
    first in the system's order. A note in the result of `repair` says what is proven.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, Path or Model, optional
        The model of the round.
    **options
        Options of the round, as for `solve`. `fixed` are matches that must stay, for
        example matches with a result. `published` are matches that may change, also
        those of players who have withdrawn.

    Returns
    -------
    Result
        The new pairing.

    Raises
    ------
    UsageError
        If an option does not fit the event, model or engine.
    InputError
        If the event's earlier rounds are not finished, or the model file is faulty.

    Examples
    --------
    >>> repair(event, published=[("Ada", "Bo")], drop=["Bo"])  # doctest: +SKIP
    """
    published_pairs = [*options.get("published", ())]
    solve_options: dict[str, Any] = {**options, "published": ()}
    problem, budget = build_problem_with_budget(
        event, model, SolveOptions, solve_options, "repair"
    )
    if problem.system is not None:
        return _repair_by_system(
            problem, event, published_pairs, model, solve_options, budget
        )
    if not abilities_of(engine_of(problem, problem.asked)).exact:
        solve_options["engine"] = DEFAULT
    return solve(event, model, **{**solve_options, "published": published_pairs})


def find_solve_options(result: Result, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for `solve` that give the pairing which `repair` has found.

    `options` are those of the re-pairing, and `result` is what it returned. Under a
    system the published tables that were kept become `fixed` ones.
    """
    solve_options = {**options, "engine": result.engine}
    if result.problem.system is None:
        return solve_options
    new_matches = {frozenset(result_pair) for result_pair in result.pairs}
    kept_pairs = [
        published_pair
        for published_pair in options.get("published", ())
        if frozenset(published_pair) in new_matches
    ]
    fixed_pairs = [*options.get("fixed", ()), *kept_pairs]
    return {**solve_options, "fixed": fixed_pairs, "published": ()}


def find_tables_to_open(
    event: Event,
    model: ModelLike | None = None,
    *,
    openable: Sequence[Pair],
    **options: Unpack[SolveKeywords],
) -> list[Pair]:
    """Return the fewest fixed tables that must be opened so that there is a pairing.

    They are among the `openable` ones, pairs of identifiers, in their order. The list
    is empty if opening all of these is not enough, if nothing needs to be opened, or if
    the time is up. `options` are those of the re-pairing, with the `fixed` tables.
    Raises UsageError if an option does not fit, and InputError if earlier rounds are
    not finished or the model file is faulty.
    """
    fixed_pairs = [
        fixed_pair
        for fixed_pair in options.get("fixed", ())
        if fixed_pair not in openable
    ]
    allowed_pairs = [*options.get("allow", ()), *openable]
    solve_options = {
        **options,
        "fixed": fixed_pairs,
        "allow": allowed_pairs,
        "published": (),
    }
    problem, budget = build_problem_with_budget(
        event, model, SolveOptions, solve_options, "repair"
    )
    position_pairs = tuple(
        (event.position(first_identifier), event.position(second_identifier))
        for first_identifier, second_identifier in openable
    )
    fewest_changes_problem = problem.with_criteria((ChangedMatches(position_pairs),))
    fewest_changes_result = pair(
        fewest_changes_problem, DEFAULT, EngineOptions(budget=budget)
    )
    if not fewest_changes_result.proven:
        return []
    new_matches = {frozenset(new_match) for new_match in fewest_changes_result.pairs}
    return [
        openable_table
        for openable_table in openable
        if frozenset(openable_table) not in new_matches
    ]


def _repair_by_system(
    problem: Problem,
    event: Event,
    published: Sequence[Pair],
    model: ModelLike | None,
    options: dict[str, Any],
    budget: Budget,
) -> Result:
    """Re-pair by a system: return its first pairing that changes the fewest tables.

    `published` are the tables that may change, and `problem` is the round without them.
    `event`, `model` and `options` are what `solve` is called with to pair the round. A
    note says how many tables change, and whether that, and the choice, are proven; the
    `budget` may end before. If there is no pairing with tables kept, or none is found
    in time, the round is paired without keeping any, and without a note.
    """
    position_pairs = tuple(
        (event.position(first_identifier), event.position(second_identifier))
        for first_identifier, second_identifier in published
    )
    fewest_changes_problem = problem.with_criteria((ChangedMatches(position_pairs),))
    fewest_changes_result = pair(
        fewest_changes_problem, DEFAULT, EngineOptions(budget=budget)
    )
    if fewest_changes_result.arcs is None:
        return solve(event, model, **options)

    # tables of which both players are in the round
    keepable_table_indices = [
        table_index
        for table_index, published_table in enumerate(position_pairs)
        if (problem.state.seats[list(published_table)] >= 0).all()
    ]
    new_matches = {
        frozenset(paired_players) for paired_players in fewest_changes_result.pairs
    }
    kept_table_indices = [
        table_index
        for table_index in keepable_table_indices
        if frozenset(published[table_index]) in new_matches
    ]
    table_index_sets = [kept_table_indices]
    is_order_proven = False
    if (
        fewest_changes_result.proven
        and comb(len(keepable_table_indices), len(kept_table_indices)) <= MOST_SETS
    ):
        feasible_index_subsets = _iterate_feasible_subsets(
            fewest_changes_problem,
            position_pairs,
            keepable_table_indices,
            len(kept_table_indices),
        )
        first_index_subsets = list(islice(feasible_index_subsets, MOST_WAYS + 1))
        if len(first_index_subsets) <= MOST_WAYS:
            table_index_sets = first_index_subsets
            is_order_proven = True

    candidate_results: list[tuple[tuple[int, ...], Result, list[int]]] = []
    for table_index_set in table_index_sets:
        fixed_pairs = [
            *options.get("fixed", ()),
            *(published[table_index] for table_index in table_index_set),
        ]
        seconds_left = budget.seconds_left()
        time_limit = None if seconds_left is None else max(seconds_left, 0.01)
        system_result = solve(
            event, model, **{**options, "fixed": fixed_pairs, "time_limit": time_limit}
        )
        if system_result.arcs is None:
            continue
        is_order_proven = is_order_proven and system_result.proven
        decisive_values = tuple(level.value or 0 for level in system_result.decisive)
        candidate_results.append((decisive_values, system_result, table_index_set))
    if not candidate_results:
        return solve(event, model, **options)

    _, system_result, kept_table_indices = min(
        candidate_results, key=lambda candidate: candidate[0]
    )
    changes_note = message(
        "repaired.fewest" if fewest_changes_result.proven else "repaired.changed",
        tables=len(position_pairs) - len(kept_table_indices),
    )
    order_note = message("repaired.first" if is_order_proven else "repaired.first_here")
    return system_result.noted(
        join_notes([changes_note, order_note], name="repaired.told")
    )


def _iterate_feasible_subsets(
    problem: Problem,
    tables: Sequence[tuple[int, int]],
    keepable: Sequence[int],
    size: int,
) -> Iterator[list[int]]:
    """Yield all sets of `size` published tables, by index, that can be kept together.

    `keepable` are the indices from which they are taken, in this order, and `tables`
    has both players of each table as positions in the event. Each set is tested when it
    is asked for, without a time limit.
    """
    for table_index_subset in combinations(keepable, size):
        forced_pairs = ForcedPairs(
            tuple(tables[table_index] for table_index in table_index_subset)
        )
        problem_with_tables = replace(
            problem, constraints=(*problem.constraints, forced_pairs)
        )
        if (
            find_feasible_pairing(problem_with_tables, EngineOptions().budget)
            is not None
        ):
            yield [*table_index_subset]
