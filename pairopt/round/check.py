"""Check a given pairing of a round, level by level, and compare it with an optimal one."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from pairopt.common.budget import Budget
from pairopt.common.serialization import to_data_frame, to_record, to_records
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions, Status
from pairopt.errors import Fault, InputError, Place, UsageError
from pairopt.event.arcs import BYE, Arcs, BoolArray, arcs_of
from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.files.csv_schema import NOWHERE, MatchRow
from pairopt.files.read import Input, read_round
from pairopt.messages import Message, Note, message, with_heading
from pairopt.messages.formatting import pair_text
from pairopt.problem.build import build_problem, build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import (
    LevelValue,
    difference_message,
    level_values,
    worse_text,
)
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.problem.verifier import Violation, verify_pairing
from pairopt.round.given_pairing import check_lookahead_room, choose_better_sides
from pairopt.round.pairing_facts import order_violations
from pairopt.round.result import LevelDeviation, Result, find_deviation
from pairopt.round.solve import pair
from pairopt.rules.base import Label

if TYPE_CHECKING:
    import pandas as pd

AWAY = -2
LEVEL = ("criterion", "level", "value", "optimum", "scale")
"""What tables and JSON have of a `CheckedLevel`."""
DIFFERS = ("checked.differs_from_found", "checked.differs")
BESIDE = ("checked.beside_found", "checked.beside")
OTHERWISE = ("checked.found_beside", "checked.optimal_beside")
"""Message kinds about another pairing, by whether it is proven to be optimal."""


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """A level with its value in the checked pairing, and in an optimal one.

    `criterion` and `level` (its label) identify the level, and `words` describe it for
    people. `value` and `optimum` are in units of 1/`scale`; `optimum` is None if
    nothing was solved, or if no optimal pairing was found.
    """

    criterion: str
    level: Label
    value: int
    optimum: int | None
    scale: int
    words: str


@dataclass(frozen=True)
class Check(RoundAnalysis):
    """A pairing that pairopt has compared with an optimal pairing of the same round.

    Attributes
    ----------
    problem : Problem
        The round: players, permitted matches and their costs.
    arcs : Arcs
        The matches of the checked pairing, in the given order.
    level_values : tuple of LevelValue
        The value of each level in the checked pairing. In a weighted model, the
        weighted sum comes first.
    violations : tuple of Violation
        The constraints that the pairing breaks.
    free : array of bool
        Whether the sides of the match are unknown.
    options : EngineOptions
        The options with which the optimal pairing was computed.
    optimum : Result or None
        An optimal pairing of the same round. None if the check did not solve the round.
    deviation : LevelDeviation or None
        The first level in which the optimal pairing is better.
    notes : tuple of messages
        What you should know about the result.
    """

    problem: Problem
    arcs: Arcs
    level_values: tuple[LevelValue, ...]
    violations: tuple[Violation, ...]
    free: BoolArray
    options: EngineOptions
    optimum: Result | None = None
    deviation: LevelDeviation | None = None
    notes: tuple[str | Note, ...] = ()

    @cached_property
    def shares(self) -> tuple[tuple[int, ...], ...]:
        """What each match adds to each level, in units of 1/scale of the level.

        One row for each match, in the order of `arcs`, with one number for each of
        `level_values`. For a weighted model the weighted sum comes first. The offsets
        of levels are not included.
        """
        costs_by_match = self.problem.costs(self.arcs).tolist()
        weights = self.problem.weights(self.problem.model.objective)
        if weights is not None:
            weighted_sums = [
                sum(
                    level_weight * level_cost
                    for level_weight, level_cost in zip(
                        weights, match_costs, strict=True
                    )
                )
                for match_costs in costs_by_match
            ]
            costs_by_match = [
                [weighted_sum, *match_costs]
                for weighted_sum, match_costs in zip(
                    weighted_sums, costs_by_match, strict=True
                )
            ]
        return tuple(map(tuple, costs_by_match))

    @property
    def legal(self) -> bool:
        """Whether the pairing breaks no constraint.

        It says nothing about the levels: a legal pairing may still be worse than the
        optimal one.
        """
        return not self.violations

    @property
    def checked(self) -> tuple[LevelComparison, ...]:
        """The levels, each with its value in the pairing and in the optimal one.

        The optimal value is None if nothing was solved, or if no optimal pairing was
        found. A value that is unknown in the pairing counts as 0.
        """
        optimal_values: Sequence[int | None] = [None] * len(self.level_values)
        if self.optimum is not None and self.optimum.arcs is not None:
            optimal_values = [
                level_value.value for level_value in self.optimum.level_values
            ]
        return tuple(
            LevelComparison(
                level_value.criterion,
                level_value.level,
                level_value.value or 0,
                optimum,
                level_value.scale,
                level_value.words,
            )
            for level_value, optimum in zip(
                self.level_values, optimal_values, strict=True
            )
        )

    @property
    def better(self) -> int | None:
        """Index of the first level in which an optimal pairing is better.

        It is an index of `level_values`; None if none is better, or if nothing was
        solved.
        """
        return None if self.deviation is None else self.deviation.index

    @property
    def agrees(self) -> bool:
        """Whether the pairing is legal, and no better one was found.

        Also True for a legal pairing if nothing was solved.
        """
        return self.legal and self.better is None

    @property
    def difference(self) -> str | None:
        """Text on the first level that an optimal pairing improves; None without one.

        Under a system the first broken rule comes before it, or stands alone if no
        level is worse.
        """
        return str(self.told) if self.told else None

    @property
    def told(self) -> Note | None:
        """Message on the first level in which an optimal pairing is better.

        None if there is no such level, and without a system also if only constraints
        are broken. Under a system the message begins with the first violation, if there
        is one, as FIDE's articles on constraints come first; it is the violation alone
        if no level is worse. Without a system violations are left out.
        """
        difference_note = self._level_difference
        if self.problem.system is None or self.legal:
            return difference_note
        violation = self.violations[0].message
        if difference_note is None:
            return violation
        return with_heading(violation, difference_note, mark=". ")

    @property
    def _level_difference(self) -> Note | None:
        """Message on the first level in which the optimal pairing is better.

        None if there is no such level, or no optimal pairing. Under a system the
        message compares the matches of both pairings; otherwise only the two values.
        """
        deviation, optimum = self.deviation, self.optimum
        if deviation is None or optimum is None or optimum.arcs is None:
            return None
        level_index = deviation.index
        checked_level, optimal_level = (
            deviation.level,
            optimum.level_values[level_index],
        )
        if self.problem.system is None:
            return difference_message(
                DIFFERS[optimum.proven], optimal_level, checked_level
            )

        checked_pairing = (checked_level, deviation.arcs)
        optimal_pairing = (optimal_level, optimum.arcs)
        if (checked_level.value or 0) > (optimal_level.value or 0):
            heading_note = message(BESIDE[optimum.proven])
            return with_heading(
                heading_note,
                worse_text(self.problem, level_index, checked_pairing, optimal_pairing),
            )
        heading_note = message(OTHERWISE[optimum.proven])
        return with_heading(
            heading_note,
            worse_text(self.problem, level_index, optimal_pairing, checked_pairing),
        )

    @property
    def blame(self) -> tuple[str, ...]:
        """Texts of the matches that add to the first level that the optimum improves.

        Each has the displayed names of the players; byes may be among them. Empty if no
        optimal pairing is better.
        """
        level_index = self.better
        if level_index is None:
            return ()
        return self._list_titles(
            [
                match_index
                for match_index, match_costs in enumerate(self.shares)
                if match_costs[level_index]
            ]
        )

    @property
    def changed(self) -> tuple[str, ...]:
        """Texts of the checked matches that the optimal pairing does not have.

        They have displayed names, such as "Ada - Bob". Which player has the first side
        makes no difference. Empty if there is no optimal pairing.
        """
        if self.optimum is None or self.optimum.arcs is None:
            return ()
        optimal_pairs = {
            frozenset(position_pair) for position_pair in self.optimum.arcs.pairs
        }
        return self._list_titles(
            [
                match_index
                for match_index, position_pair in enumerate(self.arcs.pairs)
                if frozenset(position_pair) not in optimal_pairs
            ]
        )

    def _list_titles(self, indices: Sequence[int]) -> tuple[str, ...]:
        """Return texts of matches, such as "Ada - Bob", by their indices in `arcs`.

        Each has the two players' displayed names, first side first, or one name for a
        bye. They are in the order of `indices`.
        """
        shown_names = self.problem.state.shown
        match_titles = []
        for match_index in indices:
            first_seat, second_seat = self.arcs.pairs[match_index]
            second_name = None if second_seat == BYE else shown_names[second_seat]
            match_titles.append(pair_text(shown_names[first_seat], second_name))
        return tuple(match_titles)

    @property
    def status(self) -> Status | None:
        """The status of the optimal pairing's result, None if nothing was solved.

        It does not say whether the checked pairing is legal or optimal.
        """
        return None if self.optimum is None else self.optimum.status

    @property
    def levels(self) -> "pd.DataFrame":
        """One row for each level, most important first, as a DataFrame.

        Its columns are criterion, level, value, optimum and scale.
        """
        return to_data_frame(self.checked, *LEVEL)

    def to_dict(self) -> dict[str, Any]:
        """Return the check for JSON.

        The keys are `round`, `model`, `legal`, `status` (of the optimal pairing, None
        if nothing was solved), `levels`, `difference` (a text or None) and
        `violations`. A level has `criterion`, `level`, `value`, `optimum` and `scale`;
        a violation has `rule`, `players` and `message`. The matches and the notes are
        left out.
        """
        violations = [
            {
                **to_record(violation, "rule", "players"),
                "message": str(violation.message),
            }
            for violation in self.violations
        ]
        return {
            **to_record(self, "round", "model", "legal", "status"),
            "levels": to_records(self.checked, *LEVEL),
            "difference": self.difference,
            "violations": violations,
        }


@show_keywords(RoundOptions)
def check(
    event: Event,
    pairings: Input,
    model: ModelLike | None = None,
    *,
    solve: bool = True,
    **options: Unpack[RoundKeywords],
) -> Check:
    """Check a pairing's levels and constraints, and compare it with an optimal pairing.

    Some models have other rules for the last round. If you do not say whether the round
    is the last one, `check` tries both sets of rules. If only one set of rules fits the
    pairing, `check` returns the result under these rules, and a note names them.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    pairings : str, Path, DataFrame or rows
        The round's matches, in the columns of matches.csv. Rows of other rounds are skipped;
        rows with the status `requested` take players out of the round.
    model : str, Path or Model, optional
        The model of the round.
    solve : bool
        Whether to compare the pairing with an optimal one.
    **options
        Options of the round, as for `solve`.

    Returns
    -------
    Check
        The level values and the broken constraints of the pairing, and how the pairing
        differs from an optimal one.

    Raises
    ------
    InputError
        If `pairings` is not a pairing of the event's next round.

    Examples
    --------
    >>> check(event, "round6.csv", "standard").agrees  # doctest: +SKIP
    True
    """
    round_options = parse_options(event, RoundOptions, options, "check")
    event_before = event.at_round(round_options.round)
    source_name, match_rows = read_round(pairings, event_before.round)
    requested_players = [
        match_row.player1
        for match_row in match_rows
        if match_row.status == "requested"
        and event_before.has_player(match_row.player1)
        and event_before.active[event_before.position(match_row.player1)]
    ]
    round_options = replace(
        round_options, request_bye=(*round_options.request_bye, *requested_players)
    )
    match_rows = [
        match_row for match_row in match_rows if match_row.status != "requested"
    ]

    def check_as(is_last: bool) -> Check:
        """Check the rows by the rules of the last round, or of an earlier one.

        The budget starts anew with each call.
        """
        budget = round_options.budget(time.monotonic())
        options_with_last_round = replace(round_options, last_round=is_last)
        checked_problem = build_problem(event_before, model, options_with_last_round)
        return _check_rows(checked_problem, match_rows, budget, source_name, solve)

    closest_check, last_round_note = check_either_way(
        check_as,
        is_last=round_options.last_round,
        is_latest=_is_latest(event, event_before.round),
    )
    return (
        closest_check
        if last_round_note is None
        else replace(closest_check, notes=(*closest_check.notes, last_round_note))
    )


def _is_latest(event: Event, number: int) -> bool:
    """Return whether an event has no matches and byes after the round `number`.

    The round itself need not exist. Byes that are only requested for later rounds don't
    count.
    """
    event_rows = event.matches
    return not ((event_rows.round > number) & (event_rows.status != REQUESTED)).any()


def check_either_way(
    check_as: Callable[[bool], Check], *, is_last: bool, is_latest: bool
) -> tuple[Check, Message | None]:
    """Check a round by the rules of earlier rounds, of the last round, or both.

    `check_as(True)` checks the round as the last one, `check_as(False)` as an earlier
    one. The round is checked once, as `is_last` says, and the message is None, if
    `is_last`, if it is not the latest round, if the event gives its number of rounds,
    or if the model has no rules of its own for the last round.

    Otherwise nobody knows whether it is the last one, and it is checked both ways. The
    check that agrees is returned with a message that says which one it is. If both
    agree, or neither does, the check as an earlier round is returned with a message.
    """
    check_as_given = check_as(is_last)
    checked_problem = check_as_given.problem
    is_last_round_known = (
        is_last or not is_latest or checked_problem.event.settings.rounds is not None
    )
    if is_last_round_known or checked_problem.model.last_round is None:
        return check_as_given, None
    check_as_last = check_as(True)
    if check_as_given.agrees and check_as_last.agrees:
        return check_as_given, message("checked.either_round")
    if check_as_given.agrees:
        return check_as_given, message("checked.only_earlier_round")
    if check_as_last.agrees:
        return check_as_last, message("checked.only_last_round")
    return check_as_given, message("checked.rounds_unknown")


def check_played(
    event: Event, model: ModelLike | None = None, *, solve: bool = True, **options: Any
) -> Check:
    """Check the matches that the event itself has for its next round.

    The option `round` names an earlier round to check instead. `model` and the other
    `options` are those of a round. With `solve` the matches are compared with an
    optimal pairing. Raises InputError if these are not a pairing of the active players,
    and UsageError if an option does not fit.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "check"
    )
    event = problem.event
    return _check_rows(problem, _played_rows(event), budget, event.source, solve)


def _check_rows(
    problem: Problem, rows: Sequence[MatchRow], budget: Budget, name: str, solve: bool
) -> Check:
    """Check the pairing that rows of matches.csv describe.

    Sides that are not given become the better ones. With `solve` the round is also
    paired within the `budget`, for comparison, and a pairing of the lookahead rounds is
    searched. Without it, a note says that the lookahead was not searched, if the model
    has one. Error messages call the source of the rows `name`. Raises InputError if the
    rows are not a pairing of the active players.
    """
    arcs, lacks_sides = _build_arcs(problem, name, rows)
    arcs = choose_better_sides(problem, arcs, lacks_sides)
    pairing_verdict = verify_pairing(problem, arcs)
    if pairing_verdict.faults:
        raise InputError(
            name, [Fault(pairing_fault) for pairing_fault in pairing_verdict.faults]
        )

    room_violations, room_notes = check_lookahead_room(
        problem, arcs, budget if solve else None
    )
    engine_options = EngineOptions(problem.model.objective, budget=budget)
    levels = level_values(problem, engine_options.objective, pairing_verdict.values)
    optimum = None
    if solve:
        engine = engine_of(problem, problem.asked)
        optimum = pair(problem, engine, engine_options)
    first_deviation = None
    if optimum is not None and optimum.arcs is not None:
        first_deviation = find_deviation(
            optimum.problem,
            (levels, arcs),
            (optimum.level_values, optimum.arcs),
            optimum.engine,
            engine_options,
        )
    return Check(
        problem=problem,
        arcs=arcs,
        level_values=levels,
        violations=(
            *order_violations(problem, pairing_verdict.violations),
            *room_violations,
        ),
        free=lacks_sides,
        options=engine_options,
        optimum=optimum,
        deviation=first_deviation,
        notes=(*problem.notes, *room_notes),
    )


def _build_arcs(
    problem: Problem, name: str, rows: Sequence[MatchRow]
) -> tuple[Arcs, BoolArray]:
    """Return the arcs of rows, and a mask of those whose sides are not given.

    In an event with sides only forfeits may lack them; in one without sides the mask is
    False everywhere. Raises one InputError with all faults: players who are unknown or
    not active, and missing or unknown sides. It calls the source of the rows `name`.
    """
    event, side_names = problem.event, problem.event.sides
    row_faults: list[Fault] = []

    def add_fault(note: Note, row_place: Place, column: str) -> None:
        """Append a fault to `row_faults`, with the place of a cell if it is known.

        `note` says what is wrong. The cell is that of `column` in the row at
        `row_place`.
        """
        row_faults.append(
            Fault(note, None if row_place is NOWHERE else row_place.at(column))
        )

    def find_seat(player: str, row_place: Place, column: str) -> int:
        """Return the position in the state of a player.

        For a player who is unknown or not active, add a fault and return a negative
        number. `row_place` and `column` say where the name stands.
        """
        try:
            seat_in_state = int(problem.state.seats[event.position(player)])
        except UsageError as error:
            add_fault(error.reason, row_place, column)
            return AWAY
        if seat_in_state < 0:
            add_fault(message("checked.not_active", found=player), row_place, column)
        return seat_in_state

    seat_pairs, reversed_flags, missing_side_flags = [], [], []
    for match_row in rows:
        opponent_name, row_place = match_row.player2, match_row.place
        first_seat = find_seat(match_row.player1, row_place, "player1")
        opponent_seat = (
            find_seat(opponent_name, row_place, "player2") if opponent_name else BYE
        )
        seat_pairs.append((first_seat, opponent_seat))

        lacks_side = (
            side_names is not None
            and match_row.status == "forfeit"
            and not match_row.side1
        )
        missing_side_flags.append(lacks_side)
        has_second_side = (
            side_names is not None
            and bool(opponent_name)
            and match_row.side1 == side_names[1]
        )
        reversed_flags.append(has_second_side)
        if (
            side_names
            and opponent_name
            and match_row.side1 not in side_names
            and not lacks_side
        ):
            no_side_fields = {
                "found": match_row.side1,
                "one": side_names[0],
                "two": side_names[1],
            }
            add_fault(message("checked.no_side", **no_side_fields), row_place, "side1")
    if row_faults:
        raise InputError(name, row_faults)

    first_seats, second_seats = np.array(seat_pairs, np.int64).reshape(-1, 2).T
    arcs = arcs_of(first_seats, second_seats).turned(np.array(reversed_flags, np.bool_))
    return arcs, np.array(missing_side_flags, np.bool_)


def _played_rows(event: Event) -> list[MatchRow]:
    """Return the event's matches in its next round as rows of matches.csv.

    Byes are among them, but requested ones are not. The status is "forfeit" or empty;
    results are left out. A missing second player or side is "". Each row has its place
    in the source, if that is known.
    """
    round_rows, places_by_file_row = (
        event.matches.paired_rows(event.round),
        event.origin.places,
    )
    # the last entries are for -1: nobody, or no side
    names_by_position = (*event.players, "")
    side_label_by_code = (*(event.sides or ("", "")), "")
    status_texts = np.where(round_rows.status == FORFEIT, "forfeit", "")
    row_columns = (
        round_rows.first,
        round_rows.second,
        round_rows.side,
        status_texts,
        round_rows.row,
    )
    return [
        MatchRow(
            event.round,
            names_by_position[first_position],
            names_by_position[second_position],
            side1=side_label_by_code[side_of_first],
            status=row_status,
            place=places_by_file_row[file_row] if places_by_file_row else NOWHERE,
        )
        for first_position, second_position, side_of_first, row_status, file_row in zip(
            *(row_column.tolist() for row_column in row_columns), strict=True
        )
    ]
