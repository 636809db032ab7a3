"""Export: the program of a round for solvers and checkers of others.

The Booleans are the legal matches, each way round where there are sides, then those of further
rounds; `Program` has the same in CP-SAT's model. All levels are one total, a unit of each above all
that later ones can hold. Levels of a system are sums among pairings that are as good in all levels
before; so of the total, too, none has less where no pairing is better."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines import engine_of
from pairopt.engines.base import Options
from pairopt.engines.cpsat.further import further_of
from pairopt.engines.pairs import legal_arcs
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import Event
from pairopt.files.source import read_source
from pairopt.files.zero_one import LinearRow, ZeroOne, chosen
from pairopt.problem.levels import summed
from pairopt.problem.options import ModelLike, RoundKeywords, RoundOptions, spelled_out
from pairopt.problem.problem import OfRound, Problem
from pairopt.problem.ready import posed
from pairopt.problem.system import Level
from pairopt.proof.certifying import NotOptimalError, certificate_of, tutte_set
from pairopt.proof.claim import heading, matches_of, ranked, vertices
from pairopt.proof.proving import require_provable
from pairopt.proof.veripb import Contradiction, refutation
from pairopt.round.result import Result
from pairopt.round.solve import pair

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.problem.system import Exact

MOST_PLAYERS, MOST_BITS, LETTERS = 1000, 14_000, 8
"""Half a million matches each way round; a total that Python writes, in 4,300 digits; of a player's
name in that of a match."""
Stated = tuple[Level, IntArray, int]
"""A level, what each match adds to it, and how often a unit of it counts in the total."""


@dataclass(frozen=True)
class _Booleans:
    """The matches of a round, each of two vertices: players by score, as in a proof, and in an odd
    field the bye. `arcs` are the legal ones of this round, the first side first."""

    problem: Problem

    @cached_property
    def order(self) -> IntArray:
        return ranked(self.problem)

    @cached_property
    def arcs(self) -> Arcs:
        return legal_arcs(self.problem, self.order)

    @cached_property
    def matches(self) -> list[tuple[int, int, int]]:
        """The round of each, 0 or that of a further one, and its vertices."""
        place, ahead = vertices(self.order), further_of(self.problem)
        turns = [(place[self.arcs.first], place[self.arcs.second])]
        if ahead is not None:
            turns += [(place[ahead.first], place[ahead.second])] * ahead.rounds
        return [(turn, one, two) for turn, ends in enumerate(turns)
                for one, two in np.column_stack(ends).tolist()]  # fmt: skip

    @cached_property
    def players(self) -> list[str]:
        """Safe names of the vertices, which say who they are."""
        state, names = self.problem.state, self.problem.event.names
        plain = [unicodedata.normalize("NFKD", names[p]) for p in state.player[self.order]]
        letters = ([c for c in name if c.isascii() and c.isalnum()] for name in plain)
        made = [f"p{k}{''.join(each[:LETTERS])}" for k, each in enumerate(letters)]
        return made + ["bye"] * state.odd

    @cached_property
    def names(self) -> list[str]:
        every = ((turn, self.players[a], self.players[b]) for turn, a, b in self.matches)
        return [f"{one}_{two}" + f"_in{turn}" * (turn > 0) for turn, one, two in every]

    def rows(self) -> Iterator[LinearRow]:
        """Everybody is in one match a round, and no two meet twice."""
        who, ahead, met = self.players, self.problem.lookahead, dict[tuple[int, int], list[int]]()
        own = {(turn, v): list[int]() for turn in range(ahead + 1) for v in range(len(who))}
        for k, (turn, one, two) in enumerate(self.matches):
            own[turn, one].append(k)
            own[turn, two].append(k)
            met.setdefault((min(one, two), max(one, two)), []).append(k)
        for (turn, v), of in own.items():
            yield LinearRow(f"{f'in{turn}' if turn else 'now'}_{who[v]}", of, [1] * len(of), 1)
        for (one, two), of in met.items() if ahead else ():
            yield LinearRow(f"once_{who[one]}_{who[two]}", of, [-1] * len(of), -1, exact=False)

    def of(self, result: Result) -> list[int]:
        """Those of a pairing and of its further rounds."""
        place, on = vertices(self.order), set[tuple[int, int, int]]()
        for turn, arcs in enumerate([*filter(None, [result.arcs]), *result.further]):
            on |= {(turn, one, two) for one, two in matches_of(place, arcs)}
            if turn or not self.problem.state.sided:
                on |= {(turn, two, one) for one, two in matches_of(place, arcs)}
        return [k for k, match in enumerate(self.matches) if match in on]

    def levels(self, best: Arcs | None, stage: int | None) -> list[Stated]:
        """The levels of the total, of a system those of its best pairing."""
        if self.problem.system is not None and best is None:
            return []
        made = list[tuple[Level, IntArray, int]]()
        for some in summed(self.problem, self.problem.model.objective, best or self.arcs):
            costs = some.costs(self.arcs)
            if some.weights is not None:
                costs = (costs.astype(object) @ np.array(some.weights, object))[:, None]
            most = (len(self.order) + 1) // 2 if some.own is None else 1  # matches that count
            made += [(level, each, most) for level, each in zip(some.levels, costs.T, strict=True)]
        weight, found = 1, list[Stated]()
        for level, costs, most in reversed(made[:stage]):
            found.insert(0, (level, costs, weight))
            weight *= most * (int(costs.max()) - int(costs.min()) if len(costs) else 0) + 1
        if weight.bit_length() > MOST_BITS:
            raise UsageError("program.too_large", bits=MOST_BITS)
        return found


@dataclass(frozen=True)
class Exported(OfRound):
    """The program of a round. `levels` are those of its total, up to `stage` if that one alone is
    minimised. `result` is None where nothing had to be solved for it."""

    problem: Problem
    program: ZeroOne
    levels: list[Stated]
    stage: int | None
    result: Result | None
    _matches: _Booleans = field(repr=False)
    _budget: Budget = field(repr=False)

    def text(self, form: str = ".opb") -> str:
        """The program as the text of an .opb, .lp, .mps or .pb.txt file. Raises UsageError."""
        return self.program.text(form)

    @cached_property
    def solved(self) -> Result:
        """The round as pairopt pairs it. Raises what `export` does."""
        return self.result or _solved(self.problem, self._budget)

    def proof(self, veripb: str = "1") -> str:
        """Why no pairing has less of the total, or why there is none, in the syntax of a version of
        VeriPB. Raises what `export` does, UsageError where a lookahead leaves that to an engine."""
        with suppress(*[NotOptimalError] * bool(self.problem.lookahead)):
            if (reason := self._reason()) is not None:
                return refutation(self.program, reason, veripb)
        raise UsageError("program.no_proof")

    def _reason(self) -> Contradiction | None:
        """Prices of the levels packed into one number, or a Tutte set."""
        place, arcs = vertices(self._matches.order), self._matches.arcs
        ends, best = (place[arcs.first], place[arcs.second]), self.solved.arcs
        kinds, kind = np.unique(_total(self.levels, len(arcs)), return_inverse=True)
        number = np.full((len(place), len(place)), len(kinds))
        for both in (ends, ends[::-1]):  # the cheaper way round
            np.minimum.at(number, both, kind)
        number[number == len(kinds)] = -1
        if best is None:
            if (found := tutte_set(number >= 0, self._budget)) is None:
                return None
            odd = [(sorted(part), 1) for part in found.components if len(part) % 2]
            return Contradiction(dict.fromkeys(sorted(found.players), -1), odd, None)
        one, two, partner = place[best.first], place[best.second], np.zeros(len(place), np.int64)
        partner[one], partner[two] = two, one
        costs, odd_field = [(cost,) for cost in kinds.tolist()], self.problem.state.odd
        priced = certificate_of(costs, number, partner, odd_field, self._budget)
        rows = {v: int(2 * price) for v, (price,) in enumerate(priced.prices)}
        if self.stage is not None:
            fixed = enumerate(self.levels[:-1], len(self.program.rows) - self.stage + 1)
            rows |= {k: -2 * weight for k, (*_, weight) in fixed}
        sets = [(sorted(members), int(2 * price)) for members, (price,) in priced.odd_sets]
        return Contradiction(rows, sets, {*self._matches.of(self.solved)})


@spelled_out(RoundOptions)
def export(
    event: Event, model: ModelLike | None = None, *, stage: int | None = None,
    **options: Unpack[RoundKeywords],
) -> Exported:  # fmt: skip
    """The event's next round as a program for solvers and checkers of others.

    All levels are minimised as one total of whole numbers, or with `stage`, from 1, that one alone,
    those before it at their least. For a stage, and for a system, whose levels follow from a
    pairing, the round is solved first. Raises what `solve` does; UsageError for a stage that there
    is not, and for more than 1,000 players; TimeUpError."""
    problem, budget = posed(event, model, RoundOptions, options, "export")
    if len(problem) > MOST_PLAYERS:
        raise UsageError("program.too_many", most=MOST_PLAYERS)
    result = _solved(problem, budget) if stage is not None or problem.system is not None else None
    made = _Booleans(problem)
    levels, count = made.levels(None if result is None else result.arcs, stage), len(made.arcs)
    rows, total = [*made.rows()], _total(levels, count).tolist()
    if stage is not None and result is not None:
        if not 1 <= stage <= len(levels):
            raise UsageError("program.no_stage", stage=stage, levels=len(levels))
        on, total = [k for k in made.of(result) if k < count], levels[-1][1].tolist()
        rows += [
            LinearRow(f"level{k}", range(count), each.tolist(), sum(each[on].tolist()))
            for k, (_, each, _) in enumerate(levels[:-1], 1)
        ]
    costs = total + [0] * (len(made.names) - count)
    program = ZeroOne(made.names, rows, costs, _remarks(made, levels, stage))
    return Exported(problem, program, levels, stage, result, made, budget)


@spelled_out(RoundOptions)
def read_solution(
    event: Event, answer: str | Path, model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> pd.DataFrame:  # fmt: skip
    """The matches of a solver's answer to the program of the event's next round, in columns of
    matches.csv, for `check`; those of further rounds are left out. `answer` is a file of `v` lines,
    or of names and values; see `chosen`. Raises InputError."""
    import pandas as pd

    made = _Booleans(posed(event, model, RoundOptions, options, "check")[0])
    state, found = made.problem.state, chosen(read_source(answer), made.names)
    who, sides = [*(state.names[p] for p in made.order), None], made.problem.event.sides or [""]
    some = [match[1:] for k, match in enumerate(made.matches) if k in found and not match[0]]
    rows = [(made.problem.event.round, who[one], who[two],
             sides[0] if state.sided and who[two] else None) for one, two in some]  # fmt: skip
    return pd.DataFrame(rows, columns=["round", "player1", "player2", "side1"])


def _solved(problem: Problem, budget: Budget) -> Result:
    engine = engine_of(problem, problem.asked)
    require_provable(problem, engine)
    result = pair(problem, engine, Options(problem.model.objective, budget=budget))
    if result.status not in ("optimal", "infeasible"):
        raise TimeUpError
    return result


def _total(levels: list[Stated], count: int) -> Exact:
    """What each match adds to the sum of levels by their weights."""
    total = np.zeros(count, object)
    for _, costs, weight in levels:
        some = np.flatnonzero(costs)
        total[some] += weight * costs[some].astype(object)
    return total


def _remarks(made: _Booleans, levels: list[Stated], stage: int | None) -> list[str]:
    """What the file says of itself, in JSON: of which round it is, who is who, and the levels."""
    told = heading(made.problem, made.order) | {"stage": stage}
    both = zip(made.players, told.pop("players"), strict=False)
    told |= {f"player {tag}": each for tag, each in both}
    for number, (level, _, weight) in enumerate(levels, 1):
        said = [level.criterion, level.label, level.words, level.offset, level.scale]
        told[f"level {number}"] = said if stage else [*said, weight]
    return ["pairopt-program 1", *(f"{key} {json.dumps(value)}" for key, value in told.items())]
