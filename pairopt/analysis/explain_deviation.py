"""Find the single changes, or pairs of changes, that explain a deviating round.

A cause is a change of the event under which the played pairing would be the right one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pairopt.analysis.what_if import (
    KINDS,
    Hypothetical,
    PlayedRound,
    apply_alone,
    what_ifs,
)
from pairopt.engines import abilities_of, agreement_with_system, solve_by
from pairopt.errors import PairoptError
from pairopt.event.arcs import BYE
from pairopt.event.event import in_scale
from pairopt.event.score_checks import infer_points
from pairopt.messages import Note, join_notes, message, with_heading
from pairopt.problem.levels import decisive_levels, level_values
from pairopt.problem.system import SystemAgreement
from pairopt.problem.verifier import verify_pairing
from pairopt.round.check import Check
from pairopt.round.given_pairing import check_lookahead_room

FIRST_OF_TWO = 5
"""How many of the best changes are tried together with a second one."""
MOST, MOST_MATCHES = 3000, 90_000
"""The most changes that are tried, and the most matches in all the rounds tried."""
PRESENCE, SIDES = ("late", "withdrawn"), "allocated_sides"
MOST_NAMED = 3
"""The most causes that a sentence names."""
LIKELY = {
    "side": "cause.why_side",
    "late": "cause.why_late",
    "withdrawn": "cause.why_withdrawn",
    "result": "cause.why_result",
    "start": "cause.why_start",
    "forbidden": "cause.why_forbidden",
}
"""The kinds of changes and why each is likely.

First come those that happen often, or that seldom explain a round by chance.
"""


@dataclass(frozen=True, slots=True)
class DeviationCause:
    """Changes of an event under which the played round agrees, and a sentence.

    Several changes explain the round only together. `sentence` says what was changed,
    and how far the round then agrees.
    """

    changes: tuple[Hypothetical, ...]
    sentence: Note

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the changes with their players, and the sentence."""
        change_records = [
            {
                "kind": change.kind,
                "words": str(change.sentence),
                "players": [*change.players],
            }
            for change in self.changes
        ]
        return {"changes": change_records, "sentence": str(self.sentence)}


@dataclass(frozen=True, slots=True)
class DeviationCauses:
    """The causes that explain a deviating round, the likeliest first; perhaps none.

    `tried` is the number of changes of the event that were tried.
    """

    causes: tuple[DeviationCause, ...]
    tried: int

    @property
    def sentence(self) -> Note:
        """The note that names the likeliest causes, or says that there is none.

        At most 3 (`MOST_NAMED`) causes are named, and further ones are counted. Several
        causes are followed by why the first is likely.
        """
        if not self.causes:
            return message("cause.none", tried=self.tried)

        cause_sentences: list[Note] = [
            cause.sentence for cause in self.causes[:MOST_NAMED]
        ]
        if len(cause_sentences) == 1:
            return cause_sentences[0]

        unnamed_count = len(self.causes) - len(cause_sentences)
        likelihood_reason = message(LIKELY[self.causes[0].changes[0].kind])
        # The fields are those of version 1.0, for readers of the message's JSON form.
        several_causes_message = message(
            "cause.found_several",
            causes=[*map(str, cause_sentences)],
            more=unnamed_count,
            why=str(likelihood_reason),
        )
        message_kind = several_causes_message.kind
        if unnamed_count:
            more_causes_message = message(
                "cause.found_and_more", **several_causes_message.fields
            )
            cause_sentences.append(more_causes_message)
            message_kind = more_causes_message.kind
        return join_notes(
            [*cause_sentences, with_heading(several_causes_message, likelihood_reason)],
            name=message_kind,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the causes, and how many changes were tried."""
        cause_records = [cause.to_dict() for cause in self.causes]
        return {"tried": self.tried, "found": cause_records}


def find_causes(checked: Check) -> DeviationCauses | None:
    """Find the changes of the event that would make a checked round agree.

    `checked` is the check of a played round. Each single change is tried by itself. If
    none explains the round, and sides are violated, changes are tried once more without
    comparing sides. Pairs of changes are tried last. Return the causes, the likeliest
    first and perhaps none, or None if the round agrees as it is, or if there is no
    proven optimum to compare it with.
    """
    if checked.agrees or checked.optimum is None or not checked.optimum.proven:
        return None

    played_round = _played_round_of(checked)
    most_changes = min(MOST, MOST_MATCHES // len(played_round.matches))
    single_changes, improving_changes, tried_count = _try_changes(
        played_round, most_changes
    )

    # Corrected numbers may lead to other sides than those that were played.
    round_without_sides = replace(
        played_round, free=tuple(BYE not in match for match in played_round.matches)
    )
    violated_rules = {violation.rule for violation in checked.violations}
    if (
        not single_changes
        and SIDES in violated_rules
        and not _measure_agreement(round_without_sides).whole
    ):
        single_changes, _, further_count = _try_changes(
            round_without_sides, most_changes - tried_count
        )
        tried_count += further_count
        if single_changes:
            played_round = round_without_sides

    change_combinations = [[change] for change in single_changes]
    if not single_changes:
        change_combinations, tried_count = _try_two_changes(
            played_round, improving_changes[:FIRST_OF_TWO], most_changes, tried_count
        )

    kinds_by_likelihood = [*LIKELY]
    change_combinations.sort(
        key=lambda changes: [
            (kinds_by_likelihood.index(change.kind), len(change.players))
            for change in changes
        ]
    )
    has_sides = played_round is not round_without_sides
    deviation_causes = [
        _make_cause(played_round, changes, sides=has_sides)
        for changes in _without_duplicates(change_combinations)
    ]
    return DeviationCauses(tuple(deviation_causes), tried_count)


def _try_two_changes(
    case: PlayedRound, first_changes: Sequence[Hypothetical], most: int, tried: int
) -> tuple[list[list[Hypothetical]], int]:
    """Try pairs of changes, and return those under which a round agrees.

    `case` is the played round. Each of `first_changes` is combined with a second change
    about something else. Then the second changes of the first 5 pairs are tried as
    first changes, each with a change of who was present; so not all pairs begin with
    one of `first_changes`. At most `most` changes are tried in all, of which `tried`
    already were; the second value is the number tried in all.
    """
    change_combinations = list[list[Hypothetical]]()
    tried_subjects = {*map(_subject, first_changes)}
    for first_change in first_changes:
        second_changes, _, further_count = _try_changes(first_change.case, most - tried)
        change_combinations += [
            [first_change, change]
            for change in second_changes
            if _subject(change) != _subject(first_change)
        ]
        tried += further_count

    # A second change may be explained by another first one than those tried.
    for _, change in change_combinations[:FIRST_OF_TWO]:
        if _subject(change) in tried_subjects:
            continue
        alone_change = apply_alone(case, change)
        if alone_change is None:
            continue
        tried_subjects.add(_subject(change))
        second_changes, _, further_count = _try_changes(
            alone_change.case, most - tried, PRESENCE
        )
        change_combinations += [
            [alone_change, second_change] for second_change in second_changes
        ]
        tried += further_count
    return change_combinations, tried


def _try_changes(
    case: PlayedRound, most: int, kinds: Iterable[str] = KINDS
) -> tuple[list[Hypothetical], list[Hypothetical], int]:
    """Try single changes of a round of these kinds, at most `most` in all.

    Return the changes under which the whole round agrees; those under which more of it
    agrees than without them, the best first and one per subject; and how many were
    tried. `case` is the played round.
    """
    base_agreement = _measure_agreement(case, _measure_agreement(case).score)
    tried_count = 0
    explaining_changes = list[Hypothetical]()
    ranked_improvements = list[tuple[int, int, Hypothetical]]()
    for change in islice(what_ifs(case, kinds), most):
        tried_count += 1
        changed_agreement = _measure_agreement(change.case, base_agreement.score)
        if changed_agreement.whole:
            explaining_changes.append(change)
        elif changed_agreement.matches > base_agreement.matches:
            ranked_improvements.append(
                (-changed_agreement.matches, tried_count, change)
            )

    ranked_improvements.sort(key=lambda entry: entry[:2])
    ranked_combinations = ([change] for _, _, change in ranked_improvements)
    improving_changes = [
        change for (change,) in _without_duplicates(ranked_combinations)
    ]
    return explaining_changes, improving_changes, tried_count


def _played_round_of(checked: Check) -> PlayedRound:
    """Convert a check to the played round that changes are tried on.

    `checked` is the check, which needs an optimum, whose engine the round gets. The
    event's points are fixed in its settings. Otherwise points that are inferred from
    results would change with the results that are tried. `extra_constraints` are those
    that the model does not have.
    """
    problem = checked.problem
    optimal_result = checked.optimum
    assert optimal_result is not None

    event = problem.event
    points_per_game = infer_points(event, problem.model.games)
    event = replace(event, settings=replace(event.settings, points=points_per_game))
    player_of_seat = [*problem.state.player.tolist(), BYE]
    matches = tuple(
        (player_of_seat[first_seat], player_of_seat[second_seat])
        for first_seat, second_seat in checked.arcs.pairs
    )
    model_constraints = [
        constraint
        for constraint in problem.model.constraints
        if constraint in problem.constraints
    ]
    extra_constraints = problem.constraints[len(model_constraints) :]
    return PlayedRound(
        event=in_scale(event, [points_per_game.draw]),
        model=problem.model,
        extra_constraints=extra_constraints,
        matches=matches,
        free=tuple(checked.free.tolist()),
        engine=optimal_result.engine,
        options=checked.options,
    )


def _measure_agreement(case: PlayedRound, start: int | None = None) -> SystemAgreement:
    """Return how far the played matches agree with an optimal pairing.

    `case` is the played round. `whole` says whether the round is optimal, `matches`
    counts the agreeing matches of a pairing system, bracket by bracket, of which the
    bracket of the score `start` is compared first; for other models it counts the first
    levels with equal values. With an engine that proves nothing, a round agrees only if
    the pairings are equal. A case that cannot be paired, or in which the round is not
    allowed, agrees in nothing.
    """
    no_agreement = SystemAgreement(0, False)
    try:
        problem = case.problem
        arcs = case.arcs
        is_legal = bool(problem.legal(arcs).all())
        if problem.system is not None:
            system_agreement = agreement_with_system(
                case.engine, problem, case.options, arcs, start
            )
            return system_agreement._replace(whole=system_agreement.whole and is_legal)
        if not is_legal:
            return no_agreement
        optimal_solution = solve_by(case.engine, problem, case.options)
    # A change under which the round cannot be paired explains nothing.
    except PairoptError:
        return no_agreement

    if optimal_solution.arcs is None:
        return no_agreement
    if not abilities_of(case.engine).exact:
        return SystemAgreement(0, case.alike(optimal_solution.arcs))

    played_levels, levels_of_optimum = (
        decisive_levels(
            level_values(
                problem,
                case.options.objective,
                verify_pairing(problem, compared_arcs).values,
            )
        )
        for compared_arcs in (arcs, optimal_solution.arcs)
    )
    equal_levels = [
        played_level.value == optimal_level.value
        for played_level, optimal_level in zip(
            played_levels, levels_of_optimum, strict=True
        )
    ]
    agreed_level_count = [*equal_levels, False].index(False)
    is_optimal = optimal_solution.status == "optimal" and all(equal_levels)
    return SystemAgreement(
        agreed_level_count,
        is_optimal
        and not any(check_lookahead_room(problem, arcs, case.options.budget)),
    )


def _subject(change: Hypothetical) -> tuple[object, ...]:
    """Return a key for what a change is about: changes with equal keys count as one.

    It is the kind, the players and the sentence. The new start number does not count.
    """
    change_sentence = str(change.sentence) if change.kind != "start" else ""
    return (change.kind, change.players, change_sentence)


def _without_duplicates(
    combinations: Iterable[list[Hypothetical]],
) -> list[list[Hypothetical]]:
    """Return the combinations without those about the same things as an earlier one.

    Two combinations are about the same things if their changes have equal subjects, in
    any order.
    """
    unique_combinations: dict[frozenset[object], list[Hypothetical]] = {}
    for combination in combinations:
        unique_combinations.setdefault(
            frozenset(map(_subject, combination)), combination
        )
    return [*unique_combinations.values()]


def _make_cause(
    case: PlayedRound, changes: Sequence[Hypothetical], *, sides: bool
) -> DeviationCause:
    """Combine changes that explain a round to one cause, with a sentence about them.

    `changes` explain the round together. Each one is tried on top of those before it,
    so the case of the last one has all of them. For a pairing system the sentence
    counts the matches that agree with that case. `sides` is False if their sides were
    not compared. `case` is the played round.
    """
    changes_sentence = join_notes([change.sentence for change in changes])
    # Version 1.0 had the changes as a field of the conclusion, whose kind was the kind
    # of the sentence.
    change_texts = [str(change.sentence) for change in changes]
    if case.problem.system is None:
        none_better_message = message("cause.none_better", changes=change_texts)
        cause_sentence = with_heading(
            changes_sentence, none_better_message, name=none_better_message.kind
        )
        return DeviationCause(tuple(changes), cause_sentence)

    common_matches = case.met & changes[-1].case.met
    pair_count = sum(BYE not in common_pair for common_pair in common_matches)
    # Some matches cannot be compared.
    has_excused = any(change.excused for change in changes)
    agreement_message = message(
        "cause.agree",
        changes=change_texts,
        pairs=pair_count,
        other=int(has_excused),
        bye=len(common_matches) - pair_count,
        apart=int(not sides),
    )
    cause_sentence = with_heading(
        changes_sentence, agreement_message, name=agreement_message.kind
    )
    return DeviationCause(tuple(changes), cause_sentence)
