"""Incentive: whom players may meet after a win, a draw or a loss, and whether less is better.

One match's result is exchanged at a time. After each the next round has a set of optimal pairings,
and so a player a set of possible opponents: a worse result helps `certainly` if every one after it
is weaker than every one after the better result, `never` if none is weaker than any, `possibly` in
between. Points are not weighed against it.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, Unpack, get_args

import numpy as np

from pairopt.analysis.chances import Measure, measure_of
from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_record
from pairopt.engines import EXACT, engine_of, require_exact, solve_by
from pairopt.engines.base import EngineError, EngineOptions
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.event.event import PLAYED, Event, in_scale
from pairopt.event.score_checks import infer_points
from pairopt.messages import Note
from pairopt.problem.build import build_problem
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.model_file import Objective
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.round.check_event import every_round, new_notes
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForcedBye, ForcedPairs
from pairopt.sampling.choose_optimal import require_choosable
from pairopt.sampling.markov_chain import cheapest_optimum
from pairopt.sampling.optimal_pairings import PairingComponent, optima_of

Opponents = dict[int, frozenset[int]]
"""Of each player asked about, whom they meet in some optimal pairing (BYE for the bye)."""


def opponents_of(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    players: Iterable[int],
    budget: Budget,
) -> Opponents:
    """Whom these players meet in some optimal pairing, `arcs` being one; positions in the state.

    Optimal pairings are perfect matchings of the pairs that proven prices leave. Among them one is
    looked for that shows as many new opponents as can be, until the best shows none: then there
    are no others. Raises TimeUpError.
    """
    wanted = [*players]
    if problem.system is not None:  # its levels leave one pairing
        meets = {a: b for pair in arcs.pairs for a, b in (pair, pair[::-1])}
        return {player: frozenset({meets[player]}) for player in wanted}
    found: Opponents = {}
    for component in optima_of(problem, arcs, objective, budget).components:
        inside = np.flatnonzero(np.isin(component.players, wanted))
        if len(inside):
            met = _met(component, inside, budget)
            for place in inside.tolist():
                others = component.players[np.flatnonzero(met[place])].tolist()
                found[int(component.players[place])] = frozenset(
                    BYE if other == len(problem) else other for other in others
                )
    return found


def _met(component: PairingComponent, wanted: IntArray, budget: Budget) -> IntArray:
    """1 where a pairing of the component holds the pair, shape (k, k), in rows `wanted`."""
    one, two = np.nonzero(np.triu(component.code))
    ends = np.isin(one, wanted) * 1 + np.isin(two, wanted)
    met = np.zeros((len(component),) * 2, np.int64)
    while True:
        budget.check()
        known, partner = cheapest_optimum(component, met[one, two] * ends, budget)
        if known == len(wanted):  # everybody's opponent was known
            return met
        met[np.arange(len(component)), partner] = 1


def certify(
    problem: Problem, arcs: Arcs, options: EngineOptions, engine: str, found: Opponents
) -> None:
    """Force each of these players to meet everybody in turn: is the optimum still reached? Raises
    EngineError where that says otherwise than `found`, TimeUpError when the deadline passes.
    """
    best = _worth(problem, arcs, options.objective)
    number, others = (
        problem.state.player,
        [*range(len(problem)), *[BYE] * problem.state.odd],
    )
    for player, met in found.items():
        for other in (place for place in others if place != player):
            rule: Constraint = ForcedBye(int(number[player]))
            if other != BYE:
                rule = ForcedPairs(((int(number[player]), int(number[other])),))
            forced = replace(problem, constraints=(*problem.constraints, rule))
            solution = solve_by(engine, forced, options)
            if solution.status not in ("optimal", "infeasible"):
                raise TimeUpError
            reached = (
                solution.arcs is not None
                and _worth(problem, solution.arcs, options.objective) == best
            )
            if reached != (other in met):
                names = problem.state.names
                who = f"{names[player]} - {'bye' if other == BYE else names[other]}"
                kind = (
                    "incentive.forced_reaches"
                    if reached
                    else "incentive.forced_falls_short"
                )
                raise EngineError(kind, engine=engine, who=who)


def _worth(problem: Problem, arcs: Arcs, objective: Objective) -> list[int]:
    """The levels of a pairing, or their weighted sum."""
    values = problem.totals(arcs)
    if (weights := problem.weights(objective)) is None:
        return values
    return [sum(w * value for w, value in zip(weights, values, strict=True))]


Outcome = Literal["win", "draw", "loss"]
Helps = Literal["certainly", "possibly", "never", "unknown"]
ByeCounts = Literal["weakest", "strongest"]
OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
CHANGES: tuple[tuple[Outcome, Outcome], ...] = tuple(combinations(OUTCOMES, 2))
"""A better result, and a worse one."""
COLUMNS = (
    "event",
    "round",
    "model",
    "by",
    "table",
    "player",
    "opponent",
    "result",
    *(f"after_{outcome}" for outcome in OUTCOMES),
    *(f"{worse}_for_{better}" for better, worse in CHANGES),
)
"""Columns of the table of prospects; `round` is the one whose results are exchanged."""
FAR = 2**62  # beyond any rating and any score
MIRRORED: Mapping[Outcome, Outcome] = {"win": "loss", "draw": "draw", "loss": "win"}


@dataclass(frozen=True, slots=True)
class NextOpponents:
    """The next opponents that a player may have after a result, weakest first; None is the bye.
    `known` is False where the deadline came before it, or there is no pairing.
    """

    opponents: tuple[str | None, ...] = ()
    strengths: tuple[int, ...] = ()
    known: bool = False


@dataclass(frozen=True)
class PlayerProspect:
    """A player in a match of the last round, and what may come after each result of it."""

    table: int
    player: str
    opponent: str
    result: str
    after: Mapping[Outcome, NextOpponents]

    def helps(self, better: Outcome, worse: Outcome) -> Helps:
        """Whether the worse result of two makes for a weaker next opponent."""
        high, low = self.after[better], self.after[worse]
        if not (high.known and low.known):
            return "unknown"
        if low.strengths[-1] < high.strengths[0]:
            return "certainly"
        return "possibly" if low.strengths[0] < high.strengths[-1] else "never"


@dataclass(frozen=True)
class Incentives:
    """The prospects of all who played a match in the round before `round`, which is paired. After
    `impossible` results no pairing satisfies the constraints.
    """

    event: str
    round: int
    model: str
    by: Measure
    bye_counts: ByeCounts
    prospects: tuple[PlayerProspect, ...]
    complete: bool
    impossible: int
    notes: tuple[str | Note, ...] = ()

    def counts(self, better: Outcome, worse: Outcome) -> dict[Helps, int]:
        """How many players the worse result of two helps certainly, possibly, never."""
        said = Counter(one.helps(better, worse) for one in self.prospects)
        return {verdict: said[verdict] for verdict in get_args(Helps)}

    def to_dict(self) -> dict[str, Any]:
        return {
            **to_record(
                self, "event", "round", "model", "by", "bye_counts", "complete"
            ),
            "players": [
                {
                    **to_record(one, "table", "player", "opponent", "result"),
                    "after": {
                        outcome: list(after.opponents) if after.known else None
                        for outcome, after in one.after.items()
                    },
                    "helps": {
                        f"{worse} for {better}": one.helps(better, worse)
                        for better, worse in CHANGES
                    },
                }
                for one in self.prospects
            ],
        }


def prospect_rows(found: Incentives) -> Iterator[list[object]]:
    """A row a player with the columns `COLUMNS`; opponents as a list, the weakest first."""
    for one in found.prospects:
        after = (one.after[outcome] for outcome in OUTCOMES)
        yield [
            found.event,
            found.round - 1,
            found.model,
            found.by,
            one.table or None,
            one.player,
            one.opponent,
            one.result,
            *(
                ";".join(name or "BYE" for name in each.opponents)
                if each.known
                else None
                for each in after
            ),
            *(one.helps(better, worse) for better, worse in CHANGES),
        ]


AfterResults = dict[tuple[int, Outcome], Mapping[int, NextOpponents] | None]
"""What may come after each result of a row's first player, by player; None without a pairing."""


@show_keywords(RoundOptions)
def incentive(
    event: Event,
    model: ModelLike | None = None,
    *,
    by: Measure | None = None,
    bye_counts: ByeCounts = "weakest",
    verify: bool = False,
    **options: Unpack[RoundKeywords],
) -> Incentives:
    """Whether losing a match of the last round makes for a weaker opponent in the next one.

    The results of the round before the one that is paired are exchanged, one match at a time. Byes
    and forfeits stay. The time limit is for all matches together.

    An opponent is weaker `by` a lower "rating", or a lower "score" before the round that is paired,
    by default the rating where everybody has one. `verify` forces each player to meet everybody in
    turn, with both exact engines. Raises UsageError before round 2, for a lookahead, an engine that
    proves nothing, or ratings that are not there.
    """
    if bye_counts not in get_args(ByeCounts):
        raise UsageError("incentive.bye_counts_unfit", found=bye_counts)
    chosen = parse_options(event, RoundOptions, options, "incentive")
    budget, event = chosen.budget(time.monotonic()), event.at_round(chosen.round)
    base = build_problem(event, model, chosen)
    engine = engine_of(base, chosen)
    require_exact(engine, "opponents are not certain")
    require_choosable(base)
    by = measure_of(base, by)
    exchanged = (event.matches.round == event.round - 1) & (
        event.matches.status == PLAYED
    )
    rows = np.flatnonzero(exchanged).tolist()
    if not rows:
        raise UsageError("incentive.nothing_played", round=event.round - 1)
    points = infer_points(base.state.event, base.model.games)
    if base.model.win is None:
        event = replace(event, settings=replace(event.settings, points=points))
    exact = {outcome: getattr(points, outcome) for outcome in OUTCOMES}
    event = in_scale(event, exact.values())
    worths = {outcome: int(value * event.scale) for outcome, value in exact.items()}
    asked = _ResultQuestion(model, chosen, engine, by, bye_counts, verify, budget)
    known, complete = _every_result(asked, event, worths, rows)
    return Incentives(
        event.source,
        event.round,
        base.model.name,
        by,
        bye_counts,
        tuple(_prospects(event, base, known, rows)),
        complete,
        sum(after is None for after in known.values()),
        base.notes,
    )


@show_keywords(RoundOptions)
def incentives(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Iterator[Incentives]:
    """The same of each round of an event that has a round before it; see `incentive`. After the
    last round played there is one more where the event may have one.
    """
    for before, given in every_round(event, options):
        if given["round"] > 1:
            found = incentive(before, model, **given)
            yield replace(found, notes=new_notes(before, found.round, found.notes))
    if not len(event.unscored) and event.round - 1 != event.settings.rounds:
        yield incentive(event, model, **options)


@dataclass(frozen=True)
class _ResultQuestion:
    """What is asked of each result."""

    model: ModelLike | None
    options: RoundOptions
    engine: str
    by: Measure
    bye_counts: ByeCounts
    verify: bool
    budget: Budget

    def after(
        self, event: Event, players: Sequence[int]
    ) -> Mapping[int, NextOpponents] | None:
        """The next opponents of players, those who are active; None where there is no pairing."""
        problem = build_problem(event, self.model, self.options)
        how = EngineOptions(problem.model.objective, budget=self.budget)
        best = pair(problem, self.engine, how)
        if best.status == "infeasible":
            return None
        if best.arcs is None or not best.proven:
            raise TimeUpError
        wanted = [k for k in problem.state.seats[list(players)].tolist() if k >= 0]
        met = opponents_of(problem, best.arcs, how.objective, wanted, self.budget)
        for engine in EXACT if self.verify else ():
            certify(problem, best.arcs, how, engine, met)
        return {
            int(problem.state.player[k]): self._sorted(problem, met[k]) for k in wanted
        }

    def _sorted(self, problem: Problem, met: Iterable[int]) -> NextOpponents:
        strength = problem.state.rating if self.by == "rating" else problem.state.score
        of_bye, names = (
            -FAR if self.bye_counts == "weakest" else FAR,
            problem.state.names,
        )
        found = sorted(
            (of_bye, "", None) if k == BYE else (int(strength[k]), names[k], names[k])
            for k in met
        )
        return NextOpponents(
            tuple(each[2] for each in found), tuple(each[0] for each in found), True
        )


def _every_result(
    asked: _ResultQuestion,
    event: Event,
    worths: Mapping[Outcome, int],
    rows: Sequence[int],
) -> tuple[AfterResults, bool]:
    """What may come after each result of each match; and whether the time sufficed."""
    matches, known = event.matches, AfterResults()
    both = {row: (int(matches.first[row]), int(matches.second[row])) for row in rows}
    try:
        actual = asked.after(
            event, [player for players in both.values() for player in players]
        )
        for row in rows:
            for outcome in OUTCOMES:
                scores = worths[outcome], worths[MIRRORED[outcome]]
                if scores == (matches.score1[row], matches.score2[row]):
                    known[row, outcome] = actual
                    continue
                one, two = matches.score1.copy(), matches.score2.copy()
                one[row], two[row] = scores
                other = replace(event, matches=replace(matches, score1=one, score2=two))
                known[row, outcome] = asked.after(other, both[row])
    except TimeUpError:
        return known, False
    return known, True


def _prospects(
    event: Event, base: Problem, known: AfterResults, rows: Sequence[int]
) -> Iterator[PlayerProspect]:
    """Both players of each match, in the order of its rows, as far as they play on."""
    matches, active = event.matches, {*base.state.player.tolist()}
    for row in rows:
        one, two = int(matches.first[row]), int(matches.second[row])
        scores = [
            event.points_text(int(s[row])) for s in (matches.score1, matches.score2)
        ]
        for player, other, said in ((one, two, scores), (two, one, scores[::-1])):
            if player in active:
                told = {o: o if player == one else MIRRORED[o] for o in OUTCOMES}
                after = {
                    o: (known.get((row, told[o])) or {}).get(player) for o in OUTCOMES
                }
                yield PlayerProspect(
                    int(matches.table[row]),
                    event.players[player],
                    event.players[other],
                    "-".join(said),
                    {o: each or NextOpponents() for o, each in after.items()},
                )
