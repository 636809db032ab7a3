"""Checking: whether a proof is one of this event's round. No solver is needed, nor imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from pairopt.errors import InputError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.event.event import Event
from pairopt.files.source import read_source
from pairopt.problem.levels import LevelValue, decisive, level_values
from pairopt.problem.options import ModelLike, RoundKeywords, RoundOptions, options_of, spelled_out
from pairopt.problem.problem import OfRound, Problem
from pairopt.problem.ready import problem_for
from pairopt.problem.summed import Summed, legality, summed
from pairopt.problem.system import Level
from pairopt.problem.verifier import inspect
from pairopt.proof.arc_table import ArcTable, arc_table, table_of_one
from pairopt.proof.document import heading
from pairopt.proof.verify import Step, Wrong, read, verify, walked
from pairopt.records import record
from pairopt.wording import listed, pair_text, plain, quoted

OTHER_LEVELS = "levels: they, or their values, are others than those of the pairing"
Ways = tuple[Sequence[int] | None, Sequence[int] | None]
"""What a match costs either way round, None where that may not be."""


@dataclass(frozen=True)
class CheckedProof(OfRound):
    """What a proof shows of this round (`said`), or what does not hold (`faults`)."""

    problem: Problem
    said: str
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether it is a proof of this round."""
        return not self.faults

    def text(self) -> str:
        """What was found, in lines."""
        said = [f"no proof: {plain(fault)}" for fault in self.faults] or [self.said]
        return "\n".join([f"Round {self.round}, model {self.model}", "", *said])

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return record(self, "round", "model", "holds", "faults")


def read_proof(file: str | Path) -> dict[str, Any]:
    """What a file holds that `solve --proof` wrote. Raises InputError where it is none."""
    try:
        data = read(read_source(file).text)
    except (ValueError, RecursionError) as error:
        raise InputError(str(file), f"no proof: {error}") from None
    if not isinstance(data, dict):
        raise InputError(str(file), "no proof: expected an object")
    return data


@spelled_out(RoundOptions)
def check_proof(
    event: Event,
    proof: str | Path | Mapping[str, Any],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> CheckedProof:
    """Verify a proof: who may meet whom and at what cost, by the rules; then the arithmetic.

    Args:
        event: the event before the round.
        proof: what `solve --proof` wrote: the file, or what it holds.
        options: the fields of `RoundOptions`, as they were for the pairing.

    Raises:
        InputError: where the file is no proof.
    """
    chosen = options_of(event, RoundOptions, options, "check")
    problem = problem_for(event, model, chosen)
    name, data = ("proof", proof) if isinstance(proof, Mapping) else (str(proof), read_proof(proof))
    beside = _Beside(problem)
    try:
        said = verify(data, beside.walked)
    except Wrong as error:
        return CheckedProof(problem, "", (str(error),))
    except ValueError as error:
        raise InputError(name, f"no proof: {error}") from None
    faults = beside.ended(data)
    said = f"{said} Who may meet whom, and at what cost, is as the rules have it."
    return CheckedProof(problem, "" if faults else said, tuple(faults))


class _Column(NamedTuple):
    """A level of the rules: the number `at` of those that it comes with."""

    level: Level
    of: Summed
    at: int

    def is_in(self, found: Mapping[str, Any]) -> bool:
        """Whether this is the level that a file names; the scale of points may be another."""
        level = self.level
        said = tuple(found.get(key) for key in ("criterion", "level", "words"))
        same = repr(said) == repr((level.criterion, level.label, level.words))
        return same and _amount(found, "offset") == Fraction(level.offset, level.scale)


class _Beside:
    """What an event and the rules say, beside the steps of a file as they are walked; `faults` are
    what the file says otherwise."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.faults: list[str] = []
        self._order = np.zeros(0, np.int64)
        self._ahead: list[_Column] = []
        self._known: dict[str, _Column] = {}
        self._values: tuple[LevelValue, ...] = ()

    def walked(self, data: Mapping[str, Any]) -> Iterator[tuple[Step, list[int]]]:
        """The steps for the verifier, each compared before its prices are."""
        self._begin(data)
        last = len(data["steps"]) - 1 if isinstance(data.get("steps"), list) else 0
        for k, (step, alive) in enumerate(walked(data)):
            if not self.faults:
                columns = [self._column(level) for level in step.levels]
                known = [column for column in columns if column is not None]
                if len(known) < len(columns):
                    self.faults.append(OTHER_LEVELS)
                elif said := self._fault(step, known, _matrix(alive), k == 0, k == last):
                    self.faults.append(said)
            yield step, alive

    def ended(self, data: Mapping[str, Any]) -> list[str]:
        """All faults, when the arithmetic was seen to be right."""
        if not self.faults and not self._open(data.get("open", [])):
            self.faults.append(OTHER_LEVELS)
        if self.faults and data.get("seed") != self.problem.seed:
            said = f"seed: found {quoted(data.get('seed'))}, checked with {self.problem.seed}"
            self.faults.append(said)
        return self.faults

    def _begin(self, data: Mapping[str, Any]) -> None:
        """The players, what is said of event and rules, and the pairing."""
        problem, names, own = self.problem, dict(data["players"]), self.problem.state.names
        if {*names} != {*own}:
            both = _some({*names} ^ {*own})
            self.faults.append(f"these players are in one of round and proof only: {both}")
            return
        position = {name: p for p, name in enumerate(own)}
        self._order = np.array([position[name] for name, _ in data["players"]], np.int64)
        here = heading(problem)
        if names != dict(here["players"]):
            self.faults.append("players: their names are others")
        self.faults += [
            f"{key}: found {quoted(data.get(key))}, expected {here[key]}"
            for key in ("round", "model", "rules", "event")
            if repr(data.get(key)) != repr(here[key])  # true is not 1
        ]
        levels = [legality(problem)]
        if "components" not in data:
            arcs, *further = (
                _arcs(self._order, each) for each in (data["pairing"], *data["further"])
            )
            verdict = inspect(problem, arcs, further)
            self.faults += [violation.message for violation in verdict.violations]
            levels = [*summed(problem, problem.model.objective, arcs)]
            self._values = level_values(problem, problem.model.objective, verdict.values)
        self._ahead = [
            _Column(level, some, k) for some in levels for k, level in enumerate(some.levels)
        ][::-1]

    def _column(self, found: Mapping[str, Any]) -> _Column | None:
        """The next level of the rules, or one that comes again; None where a file names another."""
        name = repr((found.get("criterion"), found.get("level")))
        if self._ahead and self._ahead[-1].is_in(found):
            self._known[name] = self._ahead.pop()
        column = self._known.get(name)
        return column if column is not None and column.is_in(found) else None

    def _open(self, found: Any) -> bool:
        """Whether levels of which nothing is shown are those that a lookahead leaves."""
        left = self._ahead[::-1]
        if (
            not isinstance(found, list)
            or len(found) != len(left)
            or (left and not self.problem.lookahead)
        ):
            return False
        values = decisive(self._values)[-len(left) :] if left else ()
        return all(
            column.is_in(level) and _amount(level, "value") == Fraction(own.value or 0, own.scale)
            for column, level, own in zip(left, found, values, strict=True)
        )

    def _fault(
        self, step: Step, columns: Sequence[_Column], alive: BoolArray, first: bool, last: bool
    ) -> str:
        """What is wrong with a step: matches whose legality or cost is another by the rules."""
        table = self._table(columns, alive, first, last)
        scales = [level["scale"] for level in step.levels], [each.level.scale for each in columns]
        number = {_exact(kind, scales[1]): k for k, kind in enumerate(table.kinds)}
        ways: list[Ways] = [(kind[0], kind[-1]) for kind in step.kinds]
        found = _numbers(
            step,
            np.array([*(number.get(_exact(kind, scales[0]), -2) for kind in ways), -1]),
            np.array([*(number.get(_exact(kind[::-1], scales[0]), -2) for kind in ways), -1]),
        )
        differs = np.argwhere((found != table.number) & alive)
        if not len(differs):
            return ""
        shown = [*(self.problem.state.shown[p] for p in self._order), None]
        pairs = dict.fromkeys(tuple(sorted(pair)) for pair in differs.tolist())
        texts = [pair_text(shown[i] or "", shown[j]) for i, j in pairs]
        return f"not as the rules have them, legal or at this cost: {listed(texts)}"

    def _table(
        self, columns: Sequence[_Column], alive: BoolArray, first: bool, last: bool
    ) -> ArcTable:
        """The arcs by the rules; who has which side is for the last step."""
        levels = [_chosen([*some]) for _, some in groupby(columns, lambda column: id(column.of))]
        if last or self.problem.system is None:
            return arc_table(self.problem, levels, self._order)
        if first:
            alive = arc_table(self.problem, [], self._order).number >= 0
        elif len(levels) == 1 and levels[0].own is not None:
            seats = self._order.tolist()
            own = len(alive) - 1 if levels[0].own == BYE else seats.index(levels[0].own)
            return table_of_one(levels[0], self._order, own, alive)
        return arc_table(self.problem, levels, self._order, alive)


def _chosen(columns: list[_Column]) -> Summed:
    """Some of the levels that come together."""
    some, at = columns[0].of, [column.at for column in columns]
    if at == [*range(len(some.levels))]:
        return some
    return some._replace(levels=(), costs=lambda arcs: some.costs(arcs)[:, at])


def _numbers(step: Step, straight: IntArray, turned: IntArray) -> IntArray:
    """What kinds of the file are by the rules, for any two players, the first the first."""
    type_of, types = np.array(step.type_of), len(step.types)
    block = np.empty((types, types), np.int64)
    for a, row in enumerate(step.arcs):
        block[a:, a], block[a, a:] = turned[row], straight[row]
    found: IntArray = block[type_of[:, None], type_of]
    same = np.tril(type_of[:, None] == type_of)
    own = turned[[row[0] for row in step.arcs]]
    found[same] = np.broadcast_to(own[type_of], found.shape)[same]
    for (i, j), (kind, first) in step.special.items():
        found[i, j] = straight[kind] if first else turned[kind]
    return found


def _matrix(alive: Sequence[int]) -> BoolArray:
    """Sets of players as bits, as a matrix."""
    size = (len(alive) + 7) // 8
    rows = np.frombuffer(b"".join(each.to_bytes(size, "little") for each in alive), np.uint8)
    bits = np.unpackbits(rows.reshape(len(alive), size), axis=1, bitorder="little")
    return np.asarray(bits[:, : len(alive)].astype(np.bool_), np.bool_)


def _amount(level: Mapping[str, Any], key: str) -> Fraction | None:
    """A level's value or offset in points or matches, None for what is none."""
    value, scale = level.get(key), level.get("scale")
    if type(value) is not int or type(scale) is not int or scale < 1:
        return None
    return Fraction(value, scale)


def _exact(kind: Ways, scales: Sequence[int]) -> tuple[tuple[Fraction, ...] | None, ...]:
    """Costs in points or matches: a half point in a later round changes the scale."""
    return tuple(None if way is None else tuple(map(Fraction, way, scales)) for way in kind)


def _arcs(order: IntArray, pairing: list[list[int]]) -> Arcs:
    """The pairing of a file, in positions of the state."""
    seats = np.append(order, BYE)
    first, second = seats[np.array(pairing, np.int64).T]
    bye = first == BYE
    return arcs_of(np.where(bye, second, first), np.where(bye, BYE, second))


def _some(players: set[str]) -> str:
    return listed(sorted(players))
