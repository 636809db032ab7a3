"""Causes: which single change would make a played round the one that is asked for, or which two."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pairopt.analysis.what_if import (
    KINDS,
    Hypothetical,
    PlayedRound,
    by_itself,
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
from pairopt.round.given_pairing import room_left

FIRST_OF_TWO = (
    5  # so many changes, those that explain the most, are tried with a second one
)
MOST, MOST_MATCHES = 3000, 90_000
"""So many changes are tried in all, of large rounds fewer: with so many matches in all."""
THERE, SIDES = ("late", "withdrawn"), "allocated_sides"
MOST_SAID = 3
LIKELY = {
    "side": "cause.why_side",
    "late": "cause.why_late",
    "withdrawn": "cause.why_withdrawn",
    "result": "cause.why_result",
    "start": "cause.why_start",
    "forbidden": "cause.why_forbidden",
}
"""The kinds of changes, those first that happen often, or explain little by chance, and why."""


@dataclass(frozen=True, slots=True)
class DeviationCause:
    """Changes under which the round agrees, and a sentence that says so."""

    changes: tuple[Hypothetical, ...]
    said: Note

    def to_dict(self) -> dict[str, Any]:
        made = [
            {"kind": each.kind, "words": str(each.said), "players": [*each.players]}
            for each in self.changes
        ]
        return {"changes": made, "sentence": str(self.said)}


@dataclass(frozen=True, slots=True)
class DeviationCauses:
    """What explains a round that differs, the likeliest first; so many changes were `tried`."""

    found: tuple[DeviationCause, ...]
    tried: int

    @property
    def said(self) -> Note:
        """What explains the round, or that nothing was found."""
        if not self.found:
            return message("cause.none", tried=self.tried)
        said: list[Note] = [cause.said for cause in self.found[:MOST_SAID]]
        more = len(self.found) - len(said)
        if len(said) == 1:
            return said[0]
        if more:
            said.append(message("cause.found_and_more", more=more))
        why = message(LIKELY[self.found[0].changes[0].kind])
        return join_notes([*said, with_heading(message("cause.found_several"), why)])

    def to_dict(self) -> dict[str, Any]:
        return {"tried": self.tried, "found": [each.to_dict() for each in self.found]}


def causes(found: Check) -> DeviationCauses | None:
    """Which single changes of the event would make a checked round agree, else which two, each of
    them tried. None where the round agrees as it is, or nothing is proven to compare it with.
    """
    if found.agrees or found.optimum is None or not found.optimum.proven:
        return None
    case = _case_of(found)
    most = min(MOST, MOST_MATCHES // len(case.matches))
    single, closer, tried = _try_changes(case, most)
    apart = replace(case, free=tuple(BYE not in pair for pair in case.matches))
    sides = (
        SIDES in {each.rule for each in found.violations} and not _verdict(apart).whole
    )
    if (
        sides and not single
    ):  # numbers put right may leave other sides than those that were played
        single, _, more = _try_changes(apart, most - tried)
        case, tried = apart if single else case, tried + more
    both = [[change] for change in single]
    if not single:
        both, tried = _try_two_changes(case, closer[:FIRST_OF_TWO], most, tried)
    likely = [*LIKELY]
    both.sort(
        key=lambda made: [(likely.index(each.kind), len(each.players)) for each in made]
    )
    said = [
        _cause(case, changes, sides=case is not apart)
        for changes in _without_duplicates(both)
    ]
    return DeviationCauses(tuple(said), tried)


def _try_two_changes(
    case: PlayedRound, firsts: Sequence[Hypothetical], most: int, tried: int
) -> tuple[list[list[Hypothetical]], int]:
    """Pairs of changes under which a round agrees, and how many were tried now."""
    both, known = list[list[Hypothetical]](), {*map(_about, firsts)}
    for first in firsts:
        second, _, more = _try_changes(first.case, most - tried)
        both += [
            [first, change] for change in second if _about(change) != _about(first)
        ]
        tried += more
    for _, change in both[:FIRST_OF_TWO]:
        if _about(change) not in known and (alone := by_itself(case, change)):
            known.add(_about(change))
            second, _, more = _try_changes(alone.case, most - tried, THERE)
            both += [[alone, other] for other in second]
            tried += more
    return both, tried


def _try_changes(
    case: PlayedRound, most: int, kinds: Iterable[str] = KINDS
) -> tuple[list[Hypothetical], list[Hypothetical], int]:
    """The changes under which a round agrees, else more of it, and how many were tried."""
    base, tried = _verdict(case, _verdict(case).score), 0
    whole, closer = list[Hypothetical](), list[tuple[int, int, Hypothetical]]()
    for change in islice(what_ifs(case, kinds), most):
        tried += 1
        seen = _verdict(change.case, base.score)
        if seen.whole:
            whole.append(change)
        elif seen.matches > base.matches:
            closer.append((-seen.matches, tried, change))
    ranked = ([change] for *_, change in sorted(closer, key=lambda each: each[:2]))
    return whole, [change for (change,) in _without_duplicates(ranked)], tried


def _case_of(found: Check) -> PlayedRound:
    """The checked round, with its points as they are, whatever another result would show."""
    problem, optimum = found.problem, found.optimum
    assert optimum is not None
    event, player = problem.event, [*problem.state.player.tolist(), BYE]
    points = infer_points(event, problem.model.games)
    event = replace(event, settings=replace(event.settings, points=points))
    own = sum(rule in problem.constraints for rule in problem.model.constraints)
    return PlayedRound(
        event=in_scale(event, [points.draw]),
        model=problem.model,
        asked=problem.constraints[own:],
        free=tuple(found.free.tolist()),
        matches=tuple((player[one], player[two]) for one, two in found.arcs.pairs),
        engine=optimum.engine,
        options=found.options,
    )


def _verdict(case: PlayedRound, start: int | None = None) -> SystemAgreement:
    """How far the round agrees in this case, the bracket of the score `start` looked at first."""
    try:
        problem, arcs = case.problem, case.arcs
        legal = bool(problem.legal(arcs).all())
        if problem.system is not None:
            found = agreement_with_system(
                case.engine, problem, case.options, arcs, start
            )
            return found._replace(whole=found.whole and legal)
        if not legal:
            return SystemAgreement(0, False)
        solution = solve_by(case.engine, problem, case.options)
    except PairoptError:  # what cannot be paired so is no explanation
        return SystemAgreement(0, False)
    if solution.arcs is None:
        return SystemAgreement(0, False)
    if not abilities_of(case.engine).exact:
        return SystemAgreement(0, case.alike(solution.arcs))
    mine, best = (
        decisive_levels(
            level_values(
                problem, case.options.objective, verify_pairing(problem, each).values
            )
        )
        for each in (arcs, solution.arcs)
    )
    alike = [one.value == other.value for one, other in zip(mine, best, strict=True)]
    agreed = [*alike, False].index(False)
    whole = solution.status == "optimal" and all(alike)
    return SystemAgreement(
        agreed, whole and not any(room_left(problem, arcs, case.options.budget))
    )


def _about(change: Hypothetical) -> tuple[object, ...]:
    """What a change is about: of several start numbers for a player one is enough."""
    return (
        change.kind,
        change.players,
        str(change.said) if change.kind != "start" else "",
    )


def _without_duplicates(
    found: Iterable[list[Hypothetical]],
) -> list[list[Hypothetical]]:
    first: dict[frozenset[object], list[Hypothetical]] = {}
    for changes in found:
        first.setdefault(frozenset(map(_about, changes)), changes)
    return [*first.values()]


def _cause(
    case: PlayedRound, found: Sequence[Hypothetical], *, sides: bool
) -> DeviationCause:
    changes = join_notes([change.said for change in found])
    if case.problem.system is None:
        return DeviationCause(
            tuple(found), with_heading(changes, message("cause.none_better"))
        )
    alike = case.met & found[-1].case.met
    pairs = sum(BYE not in pair for pair in alike)
    other = any(change.excused for change in found)  # what cannot be compared
    told = message(
        "cause.agree",
        pairs=pairs,
        other=int(other),
        bye=len(alike) - pairs,
        apart=int(not sides),
    )
    return DeviationCause(tuple(found), with_heading(changes, told))
