"""Export: the program of a round for solvers and checkers of others.

The Booleans are the legal matches, each way round where there are sides, then those of further
rounds; `Program` has the same in CP-SAT's model. All levels are one total, a unit of each above all
that later ones can hold. Levels of a system are sums among pairings that are as good in all levels
before; so of the total, too, none has less where no pairing is better.
"""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions
from pairopt.engines.further import further_of
from pairopt.engines.single_pairs import legal_arcs
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import Event
from pairopt.files.binary_program import BinaryProgram, LinearConstraint, parse_solution
from pairopt.files.text_source import read_source
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import level_sums
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.problem.system import Level
from pairopt.proof.certificate import NotOptimalError, find_certificate, find_tutte_set
from pairopt.proof.claim import heading, index_vertices, list_matches, order_players
from pairopt.proof.proving import require_provable
from pairopt.proof.veripb import VeripbContradiction, format_refutation
from pairopt.round.result import Result
from pairopt.round.solve import pair

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.problem.system import Exact

MOST_PLAYERS, MOST_BITS, LETTERS = 1000, 14_000, 8
"""Half a million matches each way; a total of 4,300 digits; of a player's name in a match's."""
Stated = tuple[Level, IntArray, int]
"""A level, what each match adds to it, and how often a unit of it counts in the total."""


@dataclass(frozen=True)
class Exported(RoundAnalysis):
    """The program of a round. Its vertices are the players by score, as in a proof, and in an odd
    field the bye; its Booleans whether two of them meet. With a `stage`, from 1, that level alone
    is minimised. What has to be solved for it, see `export`, is when it is asked for.
    """

    problem: Problem
    stage: int | None
    _budget: Budget = field(repr=False)

    def text(self, form: str = ".opb") -> str:
        """The program as the text of an .opb, .lp, .mps or .pb.txt file. Raises UsageError."""
        return self.program.text(form)

    @cached_property
    def solved(self) -> Result:
        """The round as pairopt pairs it. Raises what `solve` does, TimeUpError."""
        engine, how = (
            engine_of(self.problem, self.problem.asked),
            self.problem.model.objective,
        )
        require_provable(self.problem, engine)
        result = pair(self.problem, engine, EngineOptions(how, budget=self._budget))
        if result.status not in ("optimal", "infeasible"):
            raise TimeUpError
        return result

    @cached_property
    def needs_solving(self) -> bool:
        """Whether a pairing says what is minimised."""
        return self.stage is not None or self.problem.system is not None

    @cached_property
    def _order(self) -> IntArray:
        return order_players(self.problem)

    @cached_property
    def _arcs(self) -> Arcs:
        """The legal matches of this round, the first Booleans."""
        return legal_arcs(self.problem, self._order)

    @cached_property
    def matches(self) -> list[tuple[int, int, int]]:
        """The round of each Boolean, 0 or that of a further one, and its vertices, in this round
        the first side first.
        """
        place, ahead = index_vertices(self._order), further_of(self.problem)
        turns = [(place[self._arcs.first], place[self._arcs.second])]
        if ahead is not None:
            turns += [(place[ahead.first], place[ahead.second])] * ahead.rounds
        return [
            (turn, one, two)
            for turn, ends in enumerate(turns)
            for one, two in np.column_stack(ends).tolist()
        ]

    @cached_property
    def _players(self) -> list[str]:
        """Safe names of the vertices, which say who they are."""
        state, names = self.problem.state, self.problem.event.names
        plain = [
            unicodedata.normalize("NFKD", names[p]) for p in state.player[self._order]
        ]
        letters = ([c for c in name if c.isascii() and c.isalnum()] for name in plain)
        made = [f"p{k}{''.join(each[:LETTERS])}" for k, each in enumerate(letters)]
        return made + ["bye"] * state.odd

    @cached_property
    def names(self) -> list[str]:
        every = (
            (turn, self._players[a], self._players[b]) for turn, a, b in self.matches
        )
        return [f"{one}_{two}" + f"_in{turn}" * (turn > 0) for turn, one, two in every]

    @cached_property
    def levels(self) -> list[Stated]:
        """The levels of the total, up to the stage, of a system those of its best pairing. Raises
        UsageError for a stage that there is not.
        """
        best = self.solved.arcs if self.needs_solving else self._arcs
        made, weight, found = list[tuple[Level, IntArray, int]](), 1, list[Stated]()
        for some in (
            level_sums(self.problem, self.problem.model.objective, best) if best else ()
        ):
            costs = some.costs(self._arcs)
            if some.weights is not None:
                costs = (costs.astype(object) @ np.array(some.weights, object))[:, None]
            most = (
                (len(self._order) + 1) // 2 if some.own is None else 1
            )  # matches that count
            made += [
                (level, each, most)
                for level, each in zip(some.levels, costs.T, strict=True)
            ]
        if self.stage is not None and not 1 <= self.stage <= len(made):
            raise UsageError("program.no_stage", stage=self.stage, levels=len(made))
        for level, costs, most in reversed(made[: self.stage]):
            found.insert(0, (level, costs, weight))
            weight *= most * (int(costs.max()) - int(costs.min())) + 1
        if weight.bit_length() > MOST_BITS:
            raise UsageError("program.too_large", bits=MOST_BITS)
        return found

    @cached_property
    def _total(self) -> "Exact":
        """What each match of this round adds to the sum of levels by their weights."""
        total = np.zeros(len(self._arcs), object)
        for _, costs, weight in self.levels:
            some = np.flatnonzero(costs)
            total[some] += weight * costs[some].astype(object)
        return total

    @cached_property
    def _on(self) -> list[int]:
        """The Booleans of the pairing and of its further rounds."""
        place, on = index_vertices(self._order), set[tuple[int, int, int]]()
        for turn, arcs in enumerate(
            [*filter(None, [self.solved.arcs]), *self.solved.further]
        ):
            on |= {(turn, one, two) for one, two in list_matches(place, arcs)}
            if turn or not self.problem.state.sided:
                on |= {(turn, two, one) for one, two in list_matches(place, arcs)}
        return [k for k, match in enumerate(self.matches) if match in on]

    def _rows(self) -> Iterator[LinearConstraint]:
        """Everybody is in one match a round, no two meet twice, levels before the stage stand."""
        who, ahead, met = (
            self._players,
            self.problem.lookahead,
            dict[tuple[int, int], list[int]](),
        )
        own = {
            (turn, v): list[int]() for turn in range(ahead + 1) for v in range(len(who))
        }
        for k, (turn, one, two) in enumerate(self.matches):
            own[turn, one].append(k)
            own[turn, two].append(k)
            met.setdefault((min(one, two), max(one, two)), []).append(k)
        for (turn, v), of in own.items():
            yield LinearConstraint(
                f"{f'in{turn}' if turn else 'now'}_{who[v]}", of, [1] * len(of), 1
            )
        for (one, two), of in met.items() if ahead else ():
            yield LinearConstraint(
                f"once_{who[one]}_{who[two]}", of, [-1] * len(of), -1, exact=False
            )
        for k, (_, costs, _) in enumerate(self.levels[:-1] if self.stage else (), 1):
            value = sum(
                costs[[each for each in self._on if each < len(costs)]].tolist()
            )
            yield LinearConstraint(
                f"level{k}", range(len(costs)), costs.tolist(), value
            )

    @cached_property
    def program(self) -> BinaryProgram:
        """It without a form. Its remarks say of which round it is, who is who, and the levels."""
        told = heading(self.problem, self._order) | {"stage": self.stage}
        both = zip(self._players, told.pop("players"), strict=False)
        told |= {f"player {name}": each for name, each in both}
        for number, (level, _, weight) in enumerate(self.levels, 1):
            said = [
                level.criterion,
                level.label,
                level.words,
                level.offset,
                level.scale,
            ]
            told[f"level {number}"] = said if self.stage else [*said, weight]
        remarks = (f"{key} {json.dumps(value)}" for key, value in told.items())
        costs = (self.levels[-1][1] if self.stage else self._total).tolist()
        costs += [0] * (len(self.names) - len(costs))
        return BinaryProgram(
            self.names, [*self._rows()], costs, ["pairopt-program 1", *remarks]
        )

    def proof(self, veripb: str = "1") -> str:
        """Why no pairing has less of the total, or why there is none, in the syntax of a version of
        VeriPB. Raises what `solved` does, UsageError where a lookahead leaves that to an engine.
        """
        try:
            reason = self._reason()
        except NotOptimalError:
            if not self.problem.lookahead:
                raise
            reason = None
        if reason is None:
            raise UsageError("program.no_proof")
        return format_refutation(self.program, reason, veripb)

    def _reason(self) -> VeripbContradiction | None:
        """Prices of the levels packed into one number, or a Tutte set."""
        place, best = index_vertices(self._order), self.solved.arcs
        ends, last = (
            (place[self._arcs.first], place[self._arcs.second]),
            len(self.program.rows),
        )
        kinds, kind = np.unique(self._total, return_inverse=True)
        number = np.full((len(place), len(place)), len(kinds))
        for both in (ends, ends[::-1]):  # the cheaper way round
            np.minimum.at(number, both, kind)
        number[number == len(kinds)] = -1
        if best is None:
            if (found := find_tutte_set(number >= 0, self._budget)) is None:
                return None
            odd = [(sorted(part), 1) for part in found.components if len(part) % 2]
            return VeripbContradiction(
                dict.fromkeys(sorted(found.players), -1), odd, None
            )
        one, two, partner = (
            place[best.first],
            place[best.second],
            np.zeros(len(place), np.int64),
        )
        partner[one], partner[two] = two, one
        costs, odd_field = [(cost,) for cost in kinds.tolist()], self.problem.state.odd
        priced = find_certificate(costs, number, partner, odd_field, self._budget)
        rows = {v: int(2 * price) for v, (price,) in enumerate(priced.prices)}
        fixed = self.levels[:-1] if self.stage else ()
        rows |= {
            k: -2 * weight for k, (*_, weight) in enumerate(fixed, last - len(fixed))
        }
        sets = [
            (sorted(members), int(2 * price)) for members, (price,) in priced.odd_sets
        ]
        return VeripbContradiction(rows, sets, {*self._on})


@show_keywords(RoundOptions)
def export(
    event: Event,
    model: ModelLike | None = None,
    *,
    stage: int | None = None,
    **options: Unpack[RoundKeywords],
) -> Exported:
    """The event's next round as a program for solvers and checkers of others.

    All levels are minimised as one total of whole numbers, or with `stage`, from 1, that one alone,
    those before it at their least. For a stage, and for a system, whose levels follow from a
    pairing, the round is solved first. Raises what `solve` does; UsageError for a stage that there
    is not, and for more than 1,000 players; TimeUpError.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "export"
    )
    if len(problem) > MOST_PLAYERS:
        raise UsageError("program.too_many", most=MOST_PLAYERS)
    made = Exported(problem, stage, budget)
    assert made.levels is not None  # there is such a stage
    return made


@show_keywords(RoundOptions)
def read_solution(
    event: Event,
    answer: str | Path,
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> "pd.DataFrame":
    """The matches of a solver's answer to the program of the event's next round, in columns of
    matches.csv, for `check`; those of further rounds are left out. `answer` is a file of `v` lines,
    or of names and values; see `chosen`. Raises InputError.
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "check"
    )
    made, state = Exported(problem, None, budget), problem.state
    found, sides = (
        parse_solution(read_source(answer), made.names),
        problem.event.sides or [""],
    )
    who = [*(state.names[p] for p in order_players(problem)), None]
    some = [
        match[1:] for k, match in enumerate(made.matches) if k in found and not match[0]
    ]
    rows = [
        (
            problem.event.round,
            who[one],
            who[two],
            sides[0] if state.sided and who[two] else None,
        )
        for one, two in some
    ]
    return pd.DataFrame(rows, columns=["round", "player1", "player2", "side1"])
