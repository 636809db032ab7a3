"""Export: the program of a round for solvers and checkers of others.

The Booleans are the legal matches, each way round where there are sides, then those of further
rounds; `Program` has the same in CP-SAT's model. All levels are one total, a unit of each above all
that later ones can hold. Levels of a system are sums among pairings that are as good in all levels
before; so of the total, too, none has less where no pairing is better."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np

from pairopt.bounds import MOST_NUMBER, MOST_ROUNDS, whole_number
from pairopt.budget import Budget, TimeUpError
from pairopt.engines import engine_of
from pairopt.engines.base import Options
from pairopt.engines.cpsat.further import further_of
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of, everybody
from pairopt.event.event import Event
from pairopt.files.source import read_source
from pairopt.files.write import write_all
from pairopt.files.zero_one import Row, ZeroOne, chosen, form_of
from pairopt.problem.levels import summed
from pairopt.problem.options import ModelLike, RoundKeywords, RoundOptions, spelled_out
from pairopt.problem.problem import OfRound, Problem
from pairopt.problem.ready import posed
from pairopt.problem.system import Level
from pairopt.proof.certifying import NotOptimalError, certificate_of, tutte_set
from pairopt.proof.claim import heading, matches_of, ranked, vertices
from pairopt.proof.proving import require_provable
from pairopt.proof.veripb import VERSIONS, Reason, refutation
from pairopt.round.result import Result
from pairopt.round.solve import pair

if TYPE_CHECKING:
    import pandas as pd

MOST_PLAYERS, MOST_BITS, LETTERS = 1000, 14_000, 8
"""Half a million matches each way round; a total that Python writes, in 4,300 digits; of a player's
name in that of a match."""
SAYS = re.compile(r"^\S+ (round|stage) ([0-9]+)$", re.MULTILINE)
Match = tuple[int, int, int]
"""Two vertices that meet in this round, 0, or in a further one. Vertices are players in the order
of a proof, and in an odd field the bye; the first of two has the first side."""


class StatedLevel(NamedTuple):
    """A level, what each match adds to it, and how often a unit of it counts in the total."""

    level: Level
    costs: IntArray
    weight: int


@dataclass(frozen=True)
class Exported(OfRound):
    """The program of a round; its Booleans are `matches`. `levels` are those of its total, up to
    `stage` if that one alone is minimised. `result` is None where nothing had to be solved."""

    problem: Problem
    program: ZeroOne
    matches: Sequence[Match]
    levels: Sequence[StatedLevel]
    stage: int | None
    result: Result | None
    _budget: Budget = field(repr=False)

    def text(self, form: str = ".opb") -> str:
        """The program as the text of an .opb, .lp, .mps or .pb.txt file. Raises UsageError."""
        return self.program.text(form)

    def write(self, path: str | Path, proof: str | Path | None = None, veripb: str = "1") -> None:
        """Write it, in the form of the path's suffix, and its proof: both or none. Raises
        UsageError, also where there is no such proof."""
        contents = {Path(path): self.text(form_of(str(path)))}
        if proof is not None:
            contents[Path(proof)] = self.proof(veripb)
        write_all(contents)

    @cached_property
    def solved(self) -> Result:
        """The round as pairopt pairs it. Raises what `export` does."""
        return self.result or _solved(self.problem, self._budget)

    def proof(self, veripb: str = "1") -> str:
        """Why no pairing has less of the total, or why there is none, in the syntax of a version of
        VeriPB. Raises what `export` does, UsageError where a lookahead leaves that to an engine."""
        if veripb not in VERSIONS:
            raise UsageError("program.versions", versions=[*VERSIONS], found=veripb)
        try:
            reason = self._reason(self.solved)
        except NotOptimalError:
            if not self.problem.lookahead:
                raise
            reason = None
        if reason is None:
            raise UsageError("program.no_proof")
        return refutation(self.program, reason, veripb)

    def _reason(self, result: Result) -> Reason | None:
        """Prices of the levels packed into one number, or a Tutte set."""
        ends = np.array([each[1:] for each in self.matches if not each[0]], np.int64).reshape(-1, 2)
        total, count = _total(self.levels, len(ends)), len(self.problem) + self.problem.state.odd
        kinds = {cost: k for k, cost in enumerate(sorted({*total}))}
        number = np.full((count, count), len(kinds))
        for both in (ends.T, ends.T[::-1]):  # the cheaper way round
            np.minimum.at(number, tuple(both), np.array([kinds[cost] for cost in total], np.int64))
        number[number == len(kinds)] = -1
        if result.arcs is None:
            if (found := tutte_set(number >= 0, self._budget)) is None:
                return None
            odd = [(sorted(part), 1) for part in found.components if len(part) % 2]
            return Reason(dict.fromkeys(sorted(found.players), -1), odd, None)
        partner, on = np.zeros(count, np.int64), _numbers(self.problem, self.matches, result)
        for turn, one, two in (self.matches[k] for k in on):
            if not turn:
                partner[one], partner[two] = two, one
        costs, odd_field = [(cost,) for cost in kinds], self.problem.state.odd
        priced = certificate_of(costs, number, partner, odd_field, self._budget)
        rows = {v: int(2 * price) for v, (price,) in enumerate(priced.prices)}
        if self.stage is not None:
            fixed = enumerate(self.levels[:-1], len(self.program.rows) - self.stage + 1)
            rows |= {k: -2 * each.weight for k, each in fixed}
        sets = [(sorted(members), int(2 * price)) for members, (price,) in priced.odd_sets]
        return Reason(rows, sets, on)


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
    solved = stage is not None or problem.system is not None
    result = _solved(problem, budget) if solved else None
    arcs, matches = _matches(problem)
    levels = _levels(problem, arcs, None if result is None else result.arcs, stage)
    if stage is not None and not 1 <= stage <= len(levels):
        raise UsageError("program.no_stage", stage=stage, levels=len(levels))
    tags, names = _names(problem, matches)
    rows = [*_rows(matches, tags, problem.lookahead)]
    if stage is not None and result is not None:
        on = [k for k in _numbers(problem, matches, result) if k < len(arcs)]
        for number, each in enumerate(levels[:-1], 1):
            value = sum(each.costs[on].tolist())
            rows.append(Row(f"level{number}", range(len(arcs)), each.costs.tolist(), value))
    total = levels[-1].costs.tolist() if stage else _total(levels, len(arcs))
    program = ZeroOne(names, rows, total + [0] * (len(names) - len(arcs)),
                      _remarks(problem, tags, levels, stage))  # fmt: skip
    return Exported(problem, program, matches, levels, stage, result, budget)


@spelled_out(RoundOptions)
def read_solution(
    event: Event, answer: str | Path, model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> pd.DataFrame:  # fmt: skip
    """The matches of a solver's answer to the program of the event's next round, in columns of
    matches.csv, for `check`; those of further rounds are left out. `answer` is a file of `v` lines,
    or of names and values; see `chosen`. Raises InputError."""
    import pandas as pd

    problem, _ = posed(event, model, RoundOptions, options, "check")
    state, order, (_, matches) = problem.state, ranked(problem).tolist(), _matches(problem)
    who = [*(state.names[p] for p in order), None]
    side = event.sides[0] if state.sided and event.sides else None
    found = sorted(chosen(read_source(answer), _names(problem, matches)[1]))
    some = [matches[k][1:] for k in found if not matches[k][0]]
    rows = [(problem.event.round, who[one], who[two], side if who[two] else None)
            for one, two in some]  # fmt: skip
    return pd.DataFrame(rows, columns=["round", "player1", "player2", "side1"])


@spelled_out(RoundOptions)
def check_program(
    event: Event, file: str | Path, model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> int | None:  # fmt: skip
    """The first line in which a program is not that of the event's round, None where there is none:
    it is made anew from event and options, and compared. It says itself of which round and stage it
    is. Raises what `export` does, InputError."""
    text = read_source(file).text
    said = dict(SAYS.findall(text[:100_000]))
    options = {"round": whole_number(said.get("round", ""), MOST_ROUNDS), **options}
    made = export(event, model, stage=whole_number(said.get("stage", ""), MOST_NUMBER), **options)
    lines = made.text(form_of(str(file))).split("\n"), text.split("\n")
    both = enumerate(zip_longest(*lines), 1)
    return next((number for number, (own, found) in both if own != found), None)


def _solved(problem: Problem, budget: Budget) -> Result:
    engine = engine_of(problem, problem.asked)
    require_provable(problem, engine)
    result = pair(problem, engine, Options(problem.model.objective, budget=budget))
    if result.status not in ("optimal", "infeasible"):
        raise TimeUpError
    return result


def _matches(problem: Problem) -> tuple[Arcs, list[Match]]:
    """The legal matches of this round, and after them those of further rounds."""
    place, seats = vertices(ranked(problem)), np.append(ranked(problem), BYE)
    every = everybody(len(problem))
    arcs = arcs_of(seats[every.first], seats[every.second])  # the seat of the bye, -1, is the last
    if problem.state.sided:
        arcs = arcs.both_ways.take(np.flatnonzero(np.append(arcs.bye | True, arcs.match)))
    arcs = arcs.take(np.flatnonzero(problem.legal(arcs)))
    turns = [(place[arcs.first], place[arcs.second])]
    if (ahead := further_of(problem)) is not None:
        turns += [(place[ahead.first], place[ahead.second])] * ahead.rounds
    return arcs, [(turn, one, two) for turn, ends in enumerate(turns)
                  for one, two in np.column_stack(ends).tolist()]  # fmt: skip


def _rows(matches: Sequence[Match], tags: Sequence[str], ahead: int) -> Iterator[Row]:
    """Everybody is in one match a round, and no two meet twice."""
    own = {(turn, v): list[int]() for turn in range(ahead + 1) for v in range(len(tags))}
    label = ["now", *(f"in{turn}" for turn in range(1, ahead + 1))]
    met: dict[tuple[int, int], list[int]] = {}
    for k, (turn, one, two) in enumerate(matches):
        own[turn, one].append(k)
        own[turn, two].append(k)
        met.setdefault((min(one, two), max(one, two)), []).append(k)
    yield from (
        Row(f"{label[turn]}_{tags[v]}", of, [1] * len(of), 1) for (turn, v), of in own.items()
    )
    for (one, two), of in met.items() if ahead else ():
        yield Row(f"once_{tags[one]}_{tags[two]}", of, [-1] * len(of), -1, exact=False)


def _numbers(problem: Problem, matches: Sequence[Match], result: Result) -> set[int]:
    """The Booleans of a pairing and of its further rounds."""
    assert result.arcs is not None
    place, on = vertices(ranked(problem)), set[Match]()
    for turn, arcs in enumerate([result.arcs, *result.further]):
        on |= {(turn, one, two) for one, two in matches_of(place, arcs)}
        if turn or not problem.state.sided:
            on |= {(turn, two, one) for one, two in matches_of(place, arcs)}
    return {k for k, match in enumerate(matches) if match in on}


def _levels(
    problem: Problem, arcs: Arcs, best: Arcs | None, stage: int | None
) -> tuple[StatedLevel, ...]:
    """The levels of the total, of a system those of its best pairing."""
    if problem.system is not None and best is None:
        return ()
    made = list[tuple[Level, IntArray, int]]()
    for some in summed(problem, problem.model.objective, best or arcs):
        costs = some.costs(arcs)
        if some.weights is not None:
            costs = (costs.astype(object) @ np.array(some.weights, object))[:, None]
        most = (len(problem) + 1) // 2 if some.own is None else 1  # matches that count
        made += [(level, column, most) for level, column in zip(some.levels, costs.T, strict=True)]
    weight, found = 1, list[StatedLevel]()
    for level, column, most in reversed(made[:stage]):
        found.append(StatedLevel(level, column, weight))
        apart = int(column.max()) - int(column.min()) if len(column) else 0
        weight *= most * apart + 1
    if weight.bit_length() > MOST_BITS:
        raise UsageError("program.too_large", bits=MOST_BITS)
    return tuple(found[::-1])


def _total(levels: Sequence[StatedLevel], count: int) -> list[int]:
    """What each match adds to the sum of levels by their weights."""
    total = [0] * count
    for _, costs, weight in levels:
        for k in np.flatnonzero(costs).tolist():
            total[k] += weight * int(costs[k])
    return total


def _names(problem: Problem, matches: Sequence[Match]) -> tuple[list[str], list[str]]:
    """Safe names of the vertices, which say who they are, and of the matches."""
    tags = []
    for k, p in enumerate(ranked(problem).tolist()):
        plain = unicodedata.normalize("NFKD", problem.event.names[problem.state.player[p]])
        letters = [c for c in plain if c.isascii() and c.isalnum()]
        tags.append(f"p{k}{''.join(letters[:LETTERS])}")
    tags += ["bye"] * problem.state.odd
    return tags, [f"{tags[a]}_{tags[b]}{f'_in{turn}' if turn else ''}" for turn, a, b in matches]


def _remarks(
    problem: Problem, tags: Sequence[str], levels: Sequence[StatedLevel], stage: int | None
) -> list[str]:
    """What the file says of itself, in JSON: of which round it is, who is who, and the levels."""
    head = heading(problem, ranked(problem))
    told = {key: value for key, value in head.items() if key != "players"} | {"stage": stage}
    told |= {f"player {tag}": each for tag, each in zip(tags, head["players"], strict=False)}
    for number, (level, _, weight) in enumerate(levels, 1):
        said = [level.criterion, level.label, level.words, level.offset, level.scale]
        told[f"level {number}"] = said if stage else [*said, weight]
    return ["pairopt-program 1", *(f"{key} {json.dumps(value)}" for key, value in told.items())]
