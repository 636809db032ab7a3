"""Explain each match in a sentence, and what another pairing would have cost.

A cause is named only if it is a fact of the round, such as an odd score group. Otherwise the
proof is the reason: no pairing is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import json_value, to_record
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions, Status
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.messages import (
    AND,
    BECAUSE,
    FULL,
    REASON,
    SPOKEN,
    Message,
    Note,
    Passage,
    Value,
    as_note,
    join_notes,
    message,
    pair_value,
    player_value,
    with_heading,
)
from pairopt.messages.formatting import amount_text
from pairopt.problem.build import active_position, build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import (
    ModelLike,
    Pair,
    RoundOptions,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level
from pairopt.proof.proving import build_proof, require_provable
from pairopt.round.level_reasons import MOST_REASONS, LevelReason, list_reasons
from pairopt.round.pairing_facts import (
    describe_meetings,
    explain_no_bye,
    explain_no_mates,
    explain_no_meeting,
    find_legal_opponents,
    grouping_points,
)
from pairopt.round.result import LevelDeviation, Result, find_deviation
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import (
    ForbiddenBye,
    ForbiddenPairs,
    ForcedBye,
    ForcedPairs,
)

MOST_NAMED = 2
"""So many matches that change are named one by one."""
SIDE_CRITERIA = frozenset({"same_side", "side_difference", "side_streak"})
"""Criteria on sides, whose examples name the side."""
Kind = Literal["impossible", "free", "worse", "unknown"]


@dataclass(frozen=True, slots=True)
class LevelShare:
    """What a match or a bye adds to a level.

    `value` is in units of 1/scale of `level`.
    """

    level: Level
    value: int


@dataclass(frozen=True, slots=True)
class ExplainedMatch:
    """A match or a bye, with its shares of the levels and an explanation.

    `player1` and `player2` are identifiers, the first side first; `player2` is None for
    a bye. `shares` has only levels to which the match adds something. `said` is the
    explanation.
    """

    player1: str
    player2: str | None
    shares: tuple[LevelShare, ...]
    said: Passage

    @property
    def sentence(self) -> str:
        """Text of the explanation, in English."""
        return str(self.said)


@dataclass(frozen=True, slots=True)
class Alternative:
    """The answer to a question about another pairing.

    `said` is the question and the answer as a message. By its `kind` the other pairing
    is impossible, free (equally good), worse or unknown. If it is worse, `level` is the
    index of the first worse level, and `optimum` and `value` are the level's values in
    the best and in the other pairing, in units of 1/scale of that level.
    """

    said: Passage
    kind: Kind
    level: int | None = None
    optimum: int | None = None
    value: int | None = None

    @property
    def question(self) -> str:
        """Text of the question alone, without the answer."""
        return str(self.said.messages[0])

    @property
    def sentence(self) -> str:
        """Text of the question and the answer: that of `said`."""
        return str(self.said)


@dataclass(frozen=True)
class Explanation:
    """A paired round with a reason for each match, and answers to questions.

    Attributes
    ----------
    result : Result
        The paired round.
    matches : tuple of ExplainedMatch
        Each match with a sentence that explains it.
    answers : tuple of Alternative
        The answers to the questions, for example why two players do not meet.
    brackets : tuple of messages
        A sentence for each bracket, if the model is a pairing system with brackets.
    reasons : tuple of LevelReason
        Reasons why the value of a level can't be smaller.
    """

    result: Result
    matches: tuple[ExplainedMatch, ...]
    answers: tuple[Alternative, ...]
    brackets: tuple[str | Note, ...] = ()
    reasons: tuple[LevelReason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON.

        It has the round, the model and the status, the matches, answers, brackets,
        reasons of levels, and the conflicts of a round that cannot be paired.
        """
        return {
            **to_record(self.result, "round", "model", "status"),
            "matches": [
                _match_to_dict(explained_match) for explained_match in self.matches
            ],
            "answers": [
                _answer_to_dict(question_answer) for question_answer in self.answers
            ],
            "brackets": [str(bracket_note) for bracket_note in self.brackets],
            "reasons": [
                self._reason_to_dict(level_reason) for level_reason in self.reasons
            ],
            "conflicts": [
                str(conflict_note) for conflict_note in self.result.conflicts
            ],
        }

    def _reason_to_dict(self, reason: LevelReason) -> dict[str, Any]:
        """Return the reason of a level for JSON, with the players' identifiers.

        It has the message's own keys, `level` (an index), `clause` and `players`.
        """
        identifiers = self.result.problem.state.names
        return {
            **reason.said.to_dict(),
            "level": reason.level,
            "clause": str(reason.said),
            "players": sorted(
                identifiers[seat_of_player] for seat_of_player in reason.players
            ),
        }


def _match_to_dict(match: ExplainedMatch) -> dict[str, Any]:
    """Return an explained match for JSON.

    It has both players' identifiers and the shares, each with its value and its level's
    criterion, label and scale. The explanation comes both as text (`sentence`) and as a
    message (`said`).
    """
    share_records = [
        {
            "criterion": level_share.level.criterion,
            "level": level_share.level.label,
            "value": json_value(level_share.value),
            "scale": level_share.level.scale,
        }
        for level_share in match.shares
    ]
    return {
        **to_record(match, "player1", "player2"),
        "shares": share_records,
        "sentence": match.sentence,
        "said": match.said.to_dict(),
    }


def _answer_to_dict(answer: Alternative) -> dict[str, Any]:
    """Return the answer to a question for JSON.

    The answer comes as a message (`said`), and as text in three wordings: `sentence`,
    `spoken` and `full`.
    """
    return {
        **to_record(
            answer, "question", "kind", "level", "optimum", "value", "sentence"
        ),
        "said": answer.said.to_dict(),
        "spoken": SPOKEN.format_message(answer.said),
        "full": FULL.format_message(answer.said),
    }


@show_keywords(RoundOptions)
def explain(
    event: Event,
    model: ModelLike | None = None,
    *,
    why: Sequence[Pair] = (),
    why_not: Sequence[Pair] = (),
    why_bye: Sequence[str] = (),
    why_float: Sequence[str] | None = None,
    **options: Unpack[RoundKeywords],
) -> Explanation:
    """Pair the round, and explain each match and why other matches are worse.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, Path or Model, optional
        The model of the round.
    why : sequence of pairs
        Pairs of players: why do they meet, that is, what would it cost if they did not?
    why_not : sequence of pairs
        Pairs of players: why do they not meet?
    why_bye : sequence of str
        Players: why do they have the bye, or not have it?
    why_float : sequence of str, optional
        Players: why do they meet somebody with other points? If a system pairs by brackets, the
        default is all players who float down.
    **options
        Options of the round, as for `solve`. The time limit holds for all pairings
        together.

    Returns
    -------
    Explanation
        The paired round, a sentence for each match, and the answers to the questions.

    Raises
    ------
    UsageError
        If a player is not in the round.

    Examples
    --------
    >>> explain(event, why_bye=["Ada"]).answers[0].sentence  # doctest: +SKIP
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "explain"
    )
    engine_options = EngineOptions(problem.model.objective, budget=budget)
    paired_result = pair(problem, engine_of(problem, problem.asked), engine_options)
    return explain_result(
        paired_result, engine_options, why, why_not, why_bye, why_float
    )


def explain_result(
    result: Result,
    how: EngineOptions,
    why: Sequence[Pair] = (),
    why_not: Sequence[Pair] = (),
    why_bye: Sequence[str] = (),
    why_float: Sequence[str] | None = None,
) -> Explanation:
    """Explain a round that is already paired, and answer questions about it.

    `why` and `why_not` are pairs of players: what would it cost if they did not meet,
    or met? `why_bye` are players: if they had the bye, or did not have it? `why_float`
    are players: why do they meet somebody with other points? If `why_float` is None and
    there are no other questions, it is asked of all players who float down under a
    system.

    Answers are in this order. Further pairings are solved with the options `how`.
    Without a pairing the explanation is empty. Raises UsageError if a player is not in
    the round.
    """
    if not result.matches:
        return Explanation(result, (), ())

    counterfactual_solver = CounterfactualSolver(result, how)
    question_answers = [
        counterfactual_solver.about_pair(asked_pair, meets=True) for asked_pair in why
    ]
    question_answers += [
        counterfactual_solver.about_pair(asked_pair, meets=False)
        for asked_pair in why_not
    ]
    question_answers += [
        counterfactual_solver.about_bye(player_identifier)
        for player_identifier in why_bye
    ]
    if why_float is None:
        why_float = [] if question_answers else _list_floaters(result)
    question_answers += [
        counterfactual_solver.about_float(player_identifier)
        for player_identifier in why_float
    ]

    level_reasons = find_reasons(result, how.budget)
    pairing_system, arcs, state = (
        result.problem.system,
        result.arcs,
        result.problem.state,
    )
    bracket_descriptions: tuple[str, ...] = ()
    if pairing_system is not None and arcs is not None:
        bracket_descriptions = tuple(pairing_system.brackets(state, arcs))
    explained_matches = explain_matches(result, level_reasons)
    return Explanation(
        result,
        explained_matches,
        tuple(question_answers),
        bracket_descriptions,
        level_reasons,
    )


@dataclass(frozen=True)
class CounterfactualSolver:
    """Solves a round again under more constraints, to tell what a change would cost.

    `result` is the pairing to compare with, and `options` are those of the engine, with
    the time budget of all questions. Nothing is kept between questions.
    """

    result: Result
    options: EngineOptions

    @property
    def problem(self) -> Problem:
        """The round that the result is a pairing of, with its own constraints."""
        return self.result.problem

    def solve_with(self, rules: Sequence[Constraint]) -> Result:
        """Solve the round again with the constraints `rules` added to its own.

        The engine is that of the result. The answer may be "infeasible", or unproven if
        the time is up.
        """
        constraints = (*self.problem.constraints, *rules)
        constrained_problem = replace(self.problem, constraints=constraints)
        return pair(constrained_problem, self.result.engine, self.options)

    def about_pair(self, players: Pair, *, meets: bool) -> Alternative:
        """Answer what it would cost if two players met, or if they did not.

        The first is answered for players who do not meet in the result, the second for
        players who do. `players` are two identifiers. `meets` only changes the wording
        of the first question. If the rules forbid the players to meet, the answer says
        why, and nothing is solved. Raises UsageError for a player who is not in the
        round, or for the same player twice.
        """
        event = self.problem.event
        first_position, second_position = (
            active_position(event, player_identifier) for player_identifier in players
        )
        if first_position == second_position:
            raise UsageError("question.themselves", name=event.shown[first_position])
        pair_names = pair_value(
            event.shown[first_position], event.shown[second_position]
        )
        if frozenset((first_position, second_position)) in _list_meetings(self.result):
            forbidden_pair: Constraint = ForbiddenPairs(
                ((first_position, second_position),)
            )
            question = message("question.without", pair=pair_names)
            return self.answer(question, forbidden_pair, players=players)

        question_kind = "question.together_instead" if meets else "question.together"
        question = message(question_kind, pair=pair_names)
        pair_seats = self.problem.state.seats[
            [first_position, second_position]
        ].tolist()
        no_meeting_fact = explain_no_meeting(self.problem, *pair_seats)
        if no_meeting_fact:
            return _answer_by_fact(question, no_meeting_fact)
        forced_pair = ForcedPairs(((first_position, second_position),))
        meetings_fact = describe_meetings(self.problem, *pair_seats)
        return self.answer(question, forced_pair, fact=meetings_fact, players=players)

    def about_bye(self, player: str) -> Alternative:
        """Answer what it would cost if a player had the bye, or did not have it.

        The second is asked of a player who has the bye in the result, the first of all
        others. If nobody can have the bye, in an even field, or if the rules forbid it
        to the player, the answer says so, and nothing is solved. Raises UsageError for
        a player who is not in the round.
        """
        event, state = self.problem.event, self.problem.state
        player_position = active_position(event, player)
        player_name = event.shown[player_position]
        if frozenset((player_position,)) in _list_meetings(self.result):
            question = message("question.without_bye", name=player_name)
            forbidden_bye = ForbiddenBye((player_position,))
            return self.answer(question, forbidden_bye, players=[player])

        question = message("question.with_bye", name=player_name)
        no_bye_fact: Note | None = message("fact.even_field", players=len(self.problem))
        if state.odd:
            no_bye_fact = explain_no_bye(
                self.problem, int(state.seats[player_position])
            )
        if no_bye_fact:
            return _answer_by_fact(question, no_bye_fact)
        return self.answer(question, ForcedBye(player_position), players=[player])

    def about_float(self, player: str) -> Alternative:
        """Answer why a player meets somebody with other points, or has the bye.

        If the opponent has more points, the round is solved again without all opponents
        who have more points than the player. Otherwise it is solved without all who
        have fewer points, and without the bye. For a player whose opponent has the same
        points the answer says that there is no float. Raises UsageError for a player
        who is not in the round.
        """
        result, state = self.result, self.problem.state
        player_position = active_position(result.event, player)
        player_seat = int(self.problem.state.seats[player_position])
        assert result.arcs is not None
        opponent_seat = int(result.arcs.partners[player_seat])
        points_by_seat = grouping_points(result.problem)
        player_with_points = _make_player_value(state, player_seat)
        if (
            opponent_seat != BYE
            and points_by_seat[player_seat] == points_by_seat[opponent_seat]
        ):
            question = message("question.float", name=player_with_points)
            opponent_name = state.shown[opponent_seat]
            no_float_note = message(
                "question.no_float", name=player_with_points, other=opponent_name
            )
            return Alternative(
                with_heading(question, no_float_note, name=no_float_note.kind), "free"
            )

        is_upfloat = (
            opponent_seat != BYE
            and points_by_seat[opponent_seat] > points_by_seat[player_seat]
        )
        is_barred_opponent = (
            points_by_seat > points_by_seat[player_seat]
            if is_upfloat
            else points_by_seat < points_by_seat[player_seat]
        )
        forbidden_pairs = tuple(
            (player_position, int(state.player[barred_seat]))
            for barred_seat in np.flatnonzero(is_barred_opponent)
        )
        added_constraints: list[Constraint] = []
        if forbidden_pairs:
            added_constraints.append(ForbiddenPairs(forbidden_pairs))
        if not is_upfloat:
            added_constraints.append(ForbiddenBye((player_position,)))
        question_kind = "question.if_not_up" if is_upfloat else "question.if_not_down"
        question = message(question_kind, name=player_with_points)
        no_mates_fact = explain_no_mates(self.problem, player_seat)
        return self.answer(
            question, *added_constraints, fact=no_mates_fact, players=[player]
        )

    def answer(
        self,
        question: Message,
        *rules: Constraint,
        fact: Note | None = None,
        players: Sequence[str] = (),
    ) -> Alternative:
        """Solve the round under more constraints, and compare it with the result.

        `rules` are the constraints, and `question` is repeated in the answer, which
        says whom else the `players` of the question (identifiers) would meet. A `fact`
        that explains the answer comes before it. If no pairing satisfies the
        constraints, the answer is the fact alone, or without one the conflict of rules.
        If the result or the other pairing is not proven, the kind of the answer is
        "unknown".
        """
        result, other_result = self.result, self.solve_with(rules)
        if other_result.status == "infeasible" and fact:
            return _answer_by_fact(question, fact)
        if other_result.status == "infeasible":
            impossible_note: Note = message("question.impossible_so")
            if other_result.conflicts:
                impossible_note = with_heading(
                    message("question.impossible_so"),
                    *map(as_note, other_result.conflicts),
                )
            answer_passage = with_heading(
                question, impossible_note, name="question.impossible"
            )
            return Alternative(answer_passage, "impossible")

        def join(answer: Note, kind: str, kind_with_fact: str) -> Passage:
            """Join the question, the fact if there is one, and the answer.

            The message is of the `kind`, or with a fact of `kind_with_fact`.
            """
            if fact is None:
                return with_heading(question, answer, name=kind)
            return with_heading(question, fact, answer, name=kind_with_fact)

        if not (result.proven and other_result.proven):
            unproven_note = message("question.unknown")
            answer_passage = join(
                unproven_note, unproven_note.kind, "question.unknown_besides"
            )
            return Alternative(answer_passage, "unknown")

        assert other_result.arcs is not None
        assert result.arcs is not None
        deviation = find_deviation(
            self.problem,
            (other_result.level_values, other_result.arcs),
            (result.level_values, result.arcs),
            result.engine,
            self.options,
        )
        event = self.problem.event
        player_positions = [
            active_position(event, player_identifier) for player_identifier in players
        ]
        asked_seats = self.problem.state.seats[player_positions].tolist()
        alternative_matches = describe_alternative(
            self.problem, result.arcs, other_result.arcs, asked_seats
        )
        if deviation is None:
            free_notes: list[Note] = [message("question.free")]
            if alternative_matches is not None:
                free_notes.insert(0, alternative_matches)
            answer_passage = join(
                join_notes(free_notes), "question.free", "question.free_besides"
            )
            return Alternative(answer_passage, "free")

        worse_note = deviation.worse(self.problem, result.arcs)
        example_notes = describe_worse_match(
            self.problem, deviation, result.arcs, asked_seats
        )
        worse_notes = [worse_note, *example_notes]
        # a level that looks ahead is explained by another pairing than this one
        is_of_other_pairing = deviation.arcs is other_result.arcs
        if (
            alternative_matches is not None
            and is_of_other_pairing
            and not _has_match(worse_note, alternative_matches)
        ):
            worse_notes.insert(0, alternative_matches)
        return Alternative(
            join(join_notes(worse_notes), "question.worse", "question.worse_besides"),
            "worse",
            deviation.index,
            deviation.best.value,
            deviation.level.value,
        )


def describe_alternative(
    problem: Problem, best: Arcs, other: Arcs, asked_seats: Sequence[int]
) -> Message | None:
    """Say whom the players of a question, or their opponents, meet in another pairing.

    `best` is the pairing of the result, `other` the other one. `asked_seats` are the
    players of the question, as positions in the state. At most two new matches are
    named, and with more changes the number of all that change. A match of the two
    players themselves is what the question is about, so it is not named. None if there
    is nothing to name.
    """
    best_partners, other_partners = best.partners.tolist(), other.partners.tolist()
    opponents = [best_partners[affected_seat] for affected_seat in asked_seats]
    bye_seats = best.first[best.bye].tolist()

    named_matches: list[tuple[int, int]] = []
    for affected_seat in (*asked_seats, *opponents, *bye_seats):
        if affected_seat == BYE:
            continue
        other_partner = other_partners[affected_seat]
        if other_partner in (BYE, best_partners[affected_seat]):
            continue
        new_match = {affected_seat, other_partner}
        is_named = any(new_match == {*named_match} for named_match in named_matches)
        if not is_named and new_match != {*asked_seats}:
            named_matches.append((affected_seat, other_partner))
    if not named_matches:
        return None

    change_count = sum(
        second_seat != BYE and other_partners[first_seat] != second_seat
        for first_seat, second_seat in best.pairs
    )
    shown_names = problem.state.shown
    first_named_match, *further_matches = named_matches
    name_fields: dict[str, str | int] = {
        "one": shown_names[first_named_match[0]],
        "two": shown_names[first_named_match[1]],
        "changed": change_count,
    }
    if not further_matches:
        return message("reason.pairs_one", **name_fields)
    name_fields["three"], name_fields["four"] = (
        shown_names[affected_seat] for affected_seat in further_matches[0]
    )
    are_all_named = change_count <= MOST_NAMED
    return message(
        "reason.pairs_two" if are_all_named else "reason.pairs_many", **name_fields
    )


def _has_match(worse_note: Note, instead: Message) -> bool:
    """Return whether a note already says that two players would meet.

    `instead` is a message on the matches of another pairing. False if it names more
    than one match. Only the parts of `worse_note` on an article or on an order count:
    one of them must name the same two players.
    """
    if instead.kind != "reason.pairs_one":
        return False
    worse_parts = (
        worse_note.messages if isinstance(worse_note, Passage) else (worse_note,)
    )
    new_match = {str(instead.fields["one"]), str(instead.fields["two"])}
    for worse_part in worse_parts:
        if not isinstance(worse_part, Message):  # plain text of a plug-in's system
            continue
        named_players = set[str]()
        for field_name in ("one", "two"):
            field_value = worse_part.fields.get(field_name)
            named_players |= (
                {*map(str, field_value)}
                if isinstance(field_value, list)
                else {str(field_value)}
            )
        if (
            worse_part.kind.startswith(("article.", "order."))
            and new_match == named_players
        ):
            return True
    return False


def describe_worse_match(
    problem: Problem,
    deviation: LevelDeviation,
    best: Arcs,
    asked_seats: Sequence[int],
) -> list[Message]:
    """Name a match or a bye that makes a pairing worse than the best one in a level.

    `deviation` has the worse pairing and the level, and `best` is the best pairing.
    Matches of the players of the question (`asked_seats`, positions in the state) come
    first, then those that add most. The list has one message; a criterion on sides adds
    what is wrong with the side of a player. It is empty under a system, whose note
    names the players itself, for a weighted sum of criteria, and if no new match adds
    to the level.
    """
    if problem.system is not None or len(problem.levels) <= deviation.index:
        return []
    worse_level = problem.levels[deviation.index]
    if worse_level.criterion != deviation.level.criterion:
        return []

    arcs, state = deviation.arcs, problem.state
    amounts_by_match = problem.costs(arcs)[:, deviation.index].tolist()
    best_pairs = {*best.pairs}
    adding_pairs = [
        (len({*seat_pair} & {*asked_seats}), added_amount, seat_pair)
        for seat_pair, added_amount in zip(arcs.pairs, amounts_by_match, strict=True)
        if added_amount > 0 and seat_pair not in best_pairs
    ]
    if not adding_pairs:
        return []

    first_seat, second_seat = max(adding_pairs)[2]
    first_player_value = _make_player_value(state, first_seat)
    if second_seat == BYE:
        return [message("reason.with_bye", one=first_player_value)]
    second_player_value = _make_player_value(state, second_seat)
    if worse_level.criterion not in SIDE_CRITERIA or state.event.sides is None:
        return [
            message(
                "reason.with_match", one=first_player_value, two=second_player_value
            )
        ]

    side_label = state.event.sides[0].capitalize()
    worse_notes = [
        message(
            "reason.with_side",
            one=first_player_value,
            two=second_player_value,
            side=side_label,
        )
    ]
    for side_clause in _describe_sides(state, first_seat, second_seat):
        is_example_by_criterion = {
            "side_difference": side_clause.fields["more"] == worse_level.label,
            "side_streak": side_clause.fields["times"] == worse_level.label,
            "same_side": side_clause.kind != "match.side_uneven",
        }
        if not is_example_by_criterion[worse_level.criterion]:
            continue
        clause_kind = "reason.side_again"
        if worse_level.criterion == "side_difference":
            clause_kind = "reason.side_uneven"
        worse_notes.append(Message(clause_kind, side_clause.fields))
    return worse_notes


def describe_swapped_sides(result: Result, match_index: int) -> Message | None:
    """Say what the round would lose if a match had its sides the other way round.

    `match_index` is that of the result's arcs, which must exist. The message names the
    first level that would be worse; if all levels stay equal, it says that nothing
    would be lost. None if the first level that changes would be better. Also None for a
    bye, in a game without sides, under a system, for a weighted objective, and if the
    rules forbid the other way round.
    """
    problem, arcs = result.problem, result.arcs
    assert arcs is not None
    state = problem.state
    first_seat, second_seat = arcs.pairs[match_index]
    is_weighted = len(result.decisive) != len(problem.levels)
    if not state.sided or state.event.sides is None or second_seat == BYE:
        return None
    if problem.system is not None or is_weighted:
        return None

    arc = arcs.take(slice(match_index, match_index + 1))
    swapped_arc = arc.reversed()
    if not problem.legal(swapped_arc).all():
        return None
    message_fields = {
        "name": state.shown[first_seat],
        "other": state.shown[second_seat],
        "side": state.event.sides[0].capitalize(),
    }
    increases_by_level = (problem.costs(swapped_arc) - problem.costs(arc))[0].tolist()
    for level, level_increase in zip(result.decisive, increases_by_level, strict=True):
        if level_increase < 0:
            return None
        if level_increase > 0:
            assert level.value is not None
            return message(
                "side.swapped_worse",
                **message_fields,
                level=level.words,
                value=amount_text(level.value + level_increase, level.scale),
                best=amount_text(level.value, level.scale),
            )
    return message("side.swapped_equal", **message_fields)


def _answer_by_fact(question: Message, fact: Note) -> Alternative:
    """Build the answer that what a question asks about is impossible, by a fact.

    `question` says what is asked about, and `fact` why it is impossible. Nothing is
    solved.
    """
    passage = with_heading(question, fact, name="question.known")
    return Alternative(passage, "impossible")


def find_reasons(result: Result, budget: Budget = Budget()) -> tuple[LevelReason, ...]:
    """Return the reasons why levels could not be lower, from the duals of a proof.

    The proof is built for it, within the `budget`. There are none if the result is not
    proven optimal, if it cannot have a proof, or if the time is up before the proof is
    built. Raises EngineError if the duals prove nothing.
    """
    try:
        require_provable(result.problem, result.engine)
        if not result.proven:
            return ()
        proof = build_proof(result.problem, result.arcs, result.further, budget)
    except (TimeUpError, UsageError):
        return ()
    return () if proof is None else list_reasons(result.problem, proof)


def describe_reasons(
    result: Result, level_reasons: Sequence[LevelReason]
) -> list[Note]:
    """Return one note for each level that has reasons, in order of their first reason.

    A note gives the level's value and at most `MOST_REASONS` reasons.
    """
    clauses_by_level: dict[int, list[Message]] = {}
    for level_reason in level_reasons:
        clauses_by_level.setdefault(level_reason.level, []).append(level_reason.said)
    reason_notes: list[Note] = []
    for level_index, clauses in clauses_by_level.items():
        level_value = result.level_values[level_index]
        value_text = amount_text(level_value.value, level_value.scale)
        heading_note = message(
            "reason.level", words=level_value.words, value=value_text
        )
        reason_notes.append(with_heading(heading_note, *clauses[:MOST_REASONS]))
    return reason_notes


def _list_meetings(result: Result) -> set[frozenset[int]]:
    """Return the matches and the bye of a result, as sets of positions in the event.

    A match is a set of two positions, a bye a set of one. The result must have a
    pairing.
    """
    assert result.arcs is not None
    # the last entry is that of BYE, which is -1
    positions_of_seats = [*result.problem.state.player.tolist(), None]
    return {
        frozenset(
            {positions_of_seats[first_seat], positions_of_seats[second_seat]} - {None}
        )
        for first_seat, second_seat in result.arcs.pairs
    }


def _list_floaters(result: Result) -> list[str]:
    """Return the identifiers of players who float down or have the bye.

    Those with the most points come first. Empty without a pairing, or without a system
    that pairs by brackets.
    """
    if result.problem.system is None or result.arcs is None:
        return []
    points_by_seat, arcs = grouping_points(result.problem), result.arcs
    first_seats, second_seats = arcs.first[arcs.match], arcs.second[arcs.match]
    upper_seats = np.where(
        points_by_seat[first_seats] > points_by_seat[second_seats],
        first_seats,
        second_seats,
    )
    floater_seats = upper_seats[
        points_by_seat[first_seats] != points_by_seat[second_seats]
    ].tolist()
    bye_seats = arcs.first[arcs.bye].tolist()
    floaters_by_points = sorted(
        [*floater_seats, *bye_seats],
        key=lambda floater_seat: -points_by_seat[floater_seat],
    )
    return [
        result.problem.state.names[floater_seat] for floater_seat in floaters_by_points
    ]


def list_highlights(result: Result) -> list[Note]:
    """Return notes on the rematches, byes and floats of a round, at most one of each.

    If it is proven that there cannot be fewer rematches, the note says so. The list is
    empty without a pairing.
    """
    arcs, state = result.arcs, result.problem.state
    if arcs is None:
        return []
    points_by_seat = grouping_points(result.problem)
    bye_player_values = list[Value]()
    float_notes = list[Message]()
    rematch_notes = list[Message]()
    for first_seat, second_seat in arcs.pairs:
        if second_seat == BYE:
            bye_player_values.append(_make_player_value(state, first_seat))
            continue
        if points_by_seat[first_seat] != points_by_seat[second_seat]:
            upper_seat, lower_seat = (
                (first_seat, second_seat)
                if points_by_seat[first_seat] > points_by_seat[second_seat]
                else (second_seat, first_seat)
            )
            upper_player_value, lower_player_value = (
                _make_player_value(state, upper_seat),
                _make_player_value(state, lower_seat),
            )
            float_notes.append(
                message("match.meets", one=upper_player_value, two=lower_player_value)
            )
        meetings_note = describe_meetings(result.problem, first_seat, second_seat)
        if meetings_note:
            player_names = {
                "one": state.shown[first_seat],
                "two": state.shown[second_seat],
            }
            rematch_notes.append(
                Message("headline.rematch", {**meetings_note.fields, **player_names})
            )

    highlight_notes: list[Note] = []
    if rematch_notes:
        heading_kind = "headline.rematches"
        if _has_fewest_rematches(result):
            heading_kind = "headline.fewest_rematches"
        heading_note = message(heading_kind, many=len(rematch_notes))
        highlight_notes.append(with_heading(heading_note, *rematch_notes, end="."))
    if bye_player_values:
        highlight_notes.append(
            message("headline.byes", many=len(bye_player_values), who=bye_player_values)
        )
    if float_notes:
        heading_note = message("headline.floats", many=len(float_notes))
        highlight_notes.append(with_heading(heading_note, *float_notes, end="."))
    return highlight_notes


def _has_fewest_rematches(result: Result) -> bool:
    """Return whether it is proven that there cannot be fewer rematches.

    For that the result must be proven, and rematches must be the first level and the
    only one of their criterion. No match or bye may be forced or forbidden; in an odd
    field nobody may have a second bye. Otherwise it is False, even if there could not
    be fewer.
    """
    constraints = result.problem.constraints
    request_types = (ForcedPairs, ForbiddenPairs, ForcedBye, ForbiddenBye)
    if not result.proven or any(
        isinstance(constraint, request_types) for constraint in constraints
    ):
        return False
    forbids_second_byes = any(
        constraint.kind == "no_repeat_bye" for constraint in constraints
    )
    if result.problem.state.odd and not forbids_second_byes:
        return False
    decisive_criteria = [level.criterion for level in result.decisive]
    return (
        decisive_criteria[:1] == ["rematches"]
        and decisive_criteria.count("rematches") == 1
    )


def explain_matches(
    result: Result, level_reasons: Sequence[LevelReason] = ()
) -> tuple[ExplainedMatch, ...]:
    """Return each match of a result with its shares of the levels and a sentence.

    They are in the order of the result's arcs; empty without a pairing. Levels to which
    a match adds nothing have no share; the share of a bye includes the level's offset.
    A sentence may quote one of the `level_reasons` of a proof; without them it gives
    only facts.
    """
    problem, arcs = result.problem, result.arcs
    if arcs is None:
        return ()
    costs_by_match, identifiers = problem.costs(arcs).tolist(), problem.state.names
    bye_seats = {int(bye_seat) for bye_seat in arcs.first[arcs.bye]}
    explained_matches = []
    for match_index, (first_seat, second_seat) in enumerate(arcs.pairs):
        level_shares = tuple(
            LevelShare(level, added_value + (level.offset if second_seat == BYE else 0))
            for level, added_value in zip(
                problem.levels, costs_by_match[match_index], strict=True
            )
            if added_value
        )
        # the match crosses an odd set, and adds to its level
        reasons_of_match = [
            level_reason.said
            for level_reason in level_reasons
            if level_reason.odd
            and costs_by_match[match_index][level_reason.level]
            and len({first_seat, second_seat} & level_reason.players) == 1
        ]
        system_remarks = None
        if problem.system is not None:
            system_remarks = problem.system.remarks(problem.state, arcs, match_index)
        arc = Arcs(
            arcs.first[match_index : match_index + 1],
            arcs.second[match_index : match_index + 1],
        )
        match_sentence = _describe_match(
            problem, arc, bye_seats, result.status, reasons_of_match, system_remarks
        )
        second_identifier = None if second_seat == BYE else identifiers[second_seat]
        explained_matches.append(
            ExplainedMatch(
                identifiers[first_seat],
                second_identifier,
                level_shares,
                match_sentence,
            )
        )
    return tuple(explained_matches)


def _describe_match(
    problem: Problem,
    arc: Arcs,
    bye_players: set[int],
    status: Status,
    reasons_of_match: Sequence[Message],
    remarks: Sequence[str | Note] | None,
) -> Passage:
    """Describe a match or a bye in plain sentences.

    `arc` has one match, and `bye_players` are the players with a bye, as positions in
    the state. The `status` of the result decides how sure reasons are, and
    `reasons_of_match` are those that a proof gives. `remarks` are what a system says
    about the match; they replace the clauses on floats and sides. None means that there
    is no system.
    """
    state = problem.state
    first_seat, second_seat = int(arc.first[0]), int(arc.second[0])
    if second_seat == BYE:
        heading_note = message(
            "match.bye", player=_make_player_value(state, first_seat)
        )
        return with_heading(
            heading_note, *_explain_bye(problem, first_seat, status), end="."
        )

    clauses: list[Note] = [
        message(
            "match.meets",
            one=_make_player_value(state, first_seat),
            two=_make_player_value(state, second_seat),
        )
    ]
    meeting_count = int(state.meetings.met(arc)[0])
    if meeting_count:
        rematch_kinds = {1: "match.again_once", 2: "match.again_twice"}
        rematch_kind = rematch_kinds.get(meeting_count, "match.again_often")
        rematch_note = message(rematch_kind, times=meeting_count)
        clauses.append(
            with_heading(rematch_note, _describe_certainty(status), mark=AND)
        )
    if remarks is not None:
        return _join_clauses([*clauses, *map(as_note, remarks)])
    if state.group[first_seat] != state.group[second_seat]:
        clauses += _explain_float(
            problem, first_seat, second_seat, bye_players, status, reasons_of_match
        )
    if state.sided:
        clauses += _describe_sides(state, first_seat, second_seat)
    return _join_clauses(clauses)


def _join_clauses(clauses: Sequence[Note]) -> Passage:
    """Join clauses about a match to one text, each as a sentence.

    The first clause names the match. The text is a message of the kind "match.told".
    """
    passage, *detail_clauses = clauses
    for detail_clause in detail_clauses:
        passage = with_heading(passage, detail_clause, mark=". ")
    return with_heading(passage, name="match.told", end=".")


def _describe_certainty(status: Status) -> Message:
    """Say how sure it is that no pairing is better, by the status of a result.

    The message says for "optimal" that it is proven, for "heuristic" that it is not;
    for all others, that the pairing is the best one found.
    """
    certainty_kinds = {"heuristic": "match.unproven", "optimal": "match.best"}
    return message(certainty_kinds.get(status, "match.best_found"))


def _make_player_value(state: State, p: int) -> Value:
    """Return a value for messages with the name and points of a player.

    `p` is the player's position in the state.
    """
    return player_value(state.shown[p], _points_of(state, p))


def _points_of(state: State, p: int) -> Fraction:
    """Return the points of the player at position `p` in the state, as a fraction.

    Virtual points are left out.
    """
    return Fraction(int(state.score[p]), state.scale)


def _explain_bye(problem: Problem, p: int, status: Status) -> list[Message]:
    """Return one or two clauses on why a player has the bye.

    A clause says if it is not the first bye. Then follows that nobody who may have the
    bye has fewer points, or otherwise, by the `status` of the result, how sure it is
    that no pairing is better. `p` is a position in the state.
    """
    state = problem.state
    all_seats = np.arange(len(state))
    is_bye_allowed = problem.legal(arcs_of(all_seats, np.full(len(state), BYE)))
    clauses = []
    if state.byes[p]:
        clauses.append(message("match.bye_again", times=int(state.byes[p]) + 1))

    # In a round changed by hand, the bye may be one that the rules forbid. If it is
    # also pinned, nobody at all may have it.
    if is_bye_allowed[p] and state.score[p] == state.score[is_bye_allowed].min():
        return [*clauses, message("match.bye_fewest")]
    return [*clauses, _describe_certainty(status)]


def _explain_float(
    problem: Problem,
    first_player: int,
    second_player: int,
    bye_players: set[int],
    status: Status,
    reasons_of_match: Sequence[Message],
) -> list[Note]:
    """Return a list of one clause on why a match crosses score groups.

    Both players are positions in the state, in different groups. The clause says by how
    many groups the lower player moves up. It gives the first reason that is a fact: one
    of the groups is odd without the players who have a bye; a player has met the whole
    group, or may meet nobody in it. Otherwise it gives the first reason from the proof,
    or how sure the result is by its `status`.
    """
    state = problem.state
    upper_seat, lower_seat = (
        (first_player, second_player)
        if state.group[first_player] < state.group[second_player]
        else (second_player, first_player)
    )
    group_distance = int(state.group[lower_seat] - state.group[upper_seat])
    player_name = state.shown[lower_seat]
    heading_note = message("match.up_one", name=player_name)
    if group_distance > 1:
        heading_note = message("match.up_many", name=player_name, groups=group_distance)

    for seat_of_player in (upper_seat, lower_seat):
        group_members = np.flatnonzero(
            state.group == state.group[seat_of_player]
        ).tolist()
        group_size = len({*group_members} - bye_players)
        if group_size % 2:
            odd_group_note = message(
                "match.up_odd",
                points=_points_of(state, seat_of_player),
                players=group_size,
            )
            return [with_heading(heading_note, odd_group_note, mark=BECAUSE)]

    for seat_of_player in (upper_seat, lower_seat):
        group_seats = np.flatnonzero(state.group == state.group[seat_of_player])
        group_mates = np.setdiff1d(group_seats, [seat_of_player])
        if not len(group_mates):
            continue
        has_met = (
            state.meetings.met(
                arcs_of(np.full(len(group_mates), seat_of_player), group_mates)
            )
            > 0
        )
        player_name, group_points = (
            state.shown[seat_of_player],
            _points_of(state, seat_of_player),
        )
        if has_met.all():
            met_group_note = message(
                "match.up_met", name=player_name, points=group_points
            )
            return [with_heading(heading_note, met_group_note, mark=BECAUSE)]
        if not find_legal_opponents(problem, seat_of_player, group_mates).any():
            apart_note = message(
                "match.up_apart", name=player_name, points=group_points
            )
            return [with_heading(heading_note, apart_note, mark=BECAUSE)]

    if reasons_of_match:
        return [with_heading(heading_note, reasons_of_match[0], mark=REASON)]
    return [with_heading(heading_note, _describe_certainty(status), mark=AND)]


def _describe_sides(
    state: State, first_player: int, second_player: int
) -> list[Message]:
    """Return a clause for each player whose side is repeated or uneven.

    The first player gets the first side in this match; both are positions in the state.
    Repeated means the side of the player's last match. Uneven means that the player has
    had this side at least two times more than the other, with this match counted. The
    list may be empty.
    """
    assert state.event.sides is not None
    clauses = []
    for seat_of_player, side_index, bias_change in (
        (first_player, 0, 1),
        (second_player, 1, -1),
    ):
        side_imbalance = abs(int(state.bias[seat_of_player]) + bias_change)
        is_repeated_side = int(state.last_side[seat_of_player]) == side_index
        is_uneven_side = side_imbalance >= 2
        if not (is_repeated_side or is_uneven_side):
            continue
        if is_repeated_side and is_uneven_side:
            clause_kind = "match.side_both"
        elif is_uneven_side:
            clause_kind = "match.side_uneven"
        else:
            clause_kind = "match.side_again"
        clauses.append(
            message(
                clause_kind,
                name=state.shown[seat_of_player],
                side=state.event.sides[side_index].capitalize(),
                times=int(state.streak[seat_of_player]) + 1,
                more=side_imbalance,
            )
        )
    return clauses
