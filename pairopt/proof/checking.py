"""Checking: whether a proof is one of this event's round. No solver is needed, nor imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.errors import InputError
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.event.event import Event
from pairopt.files.source import read_source
from pairopt.problem.levels import LevelValue, decisive, level_values
from pairopt.problem.options import ModelLike, RoundOptions, options_of, spelled_out
from pairopt.problem.problem import OfRound, Problem
from pairopt.problem.ready import problem_for
from pairopt.problem.verifier import inspect
from pairopt.proof.arc_table import ArcTable, arc_table
from pairopt.proof.document import compressed, heading, legal_only, require_sums, type_of_each
from pairopt.proof.verify import Wrong, read, verify
from pairopt.records import record
from pairopt.wording import listed, pair_text, plain, quoted

if TYPE_CHECKING:
    from typing import Unpack

    from pairopt.problem.options import RoundKeywords


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
        UsageError: for a round with a system or a lookahead.
    """
    chosen = options_of(RoundOptions, options, "check")
    problem = problem_for(event, model, chosen)
    require_sums(problem)
    name, data = ("proof", proof) if isinstance(proof, Mapping) else (str(proof), read_proof(proof))
    try:
        said = verify(data)
    except Wrong as error:
        return CheckedProof(problem, "", (str(error),))
    except ValueError as error:
        raise InputError(name, f"no proof: {error}") from None
    faults = _differences(problem, data)
    said = f"{said} Who may meet whom, and at what cost, is as the rules have it."
    return CheckedProof(problem, "" if faults else said, tuple(faults))


def _differences(problem: Problem, data: Mapping[str, Any]) -> list[str]:
    """What a file whose arithmetic is right says otherwise than the event and the rules."""
    names, own = dict(data["players"]), problem.state.names
    if {*names} != {*own}:
        return [f"these players are in one of round and proof only: {_some({*names} ^ {*own})}"]
    position = {name: p for p, name in enumerate(own)}
    order = np.array([position[name] for name, _ in data["players"]], np.int64)
    faults: list[str] = []
    levels: tuple[LevelValue, ...] = ()
    if "components" in data:
        problem = legal_only(problem)
    else:
        verdict = inspect(problem, _arcs(order, data["pairing"]))
        faults += [violation.message for violation in verdict.violations]
        levels = decisive(level_values(problem, problem.model.objective, verdict.values))
    here = heading(problem, levels)
    if names != dict(here["players"]):
        faults.append("players: their names are others")
    for key in ("round", "model", "rules", "event"):
        if repr(data.get(key)) != repr(here[key]):  # true is not 1
            faults.append(f"{key}: found {quoted(data.get(key))}, expected {here[key]}")
    if repr(_amounts(data.get("levels"))) != repr(_amounts(here["levels"])):
        faults.append("levels: they, or their values, are others than those of the pairing")
    if not faults:
        table = arc_table(problem, problem.model.objective, order)
        faults += _other_matches(problem, order, table, data, levels)
    if faults and data.get("seed") != problem.seed:
        faults.append(f"seed: found {quoted(data.get('seed'))}, checked with {problem.seed}")
    return faults


def _other_matches(
    problem: Problem,
    order: IntArray,
    table: ArcTable,
    data: Mapping[str, Any],
    levels: Sequence[LevelValue],
) -> list[str]:
    """Matches whose legality or cost is another by the rules."""
    scales = [each["scale"] for each in data["levels"]], [level.scale for level in levels]
    theirs = [_exact(kind, scales[0]) for kind in data["kinds"]]
    ours = [_exact(kind, scales[1]) for kind in table.kinds]
    number = {kind: k for k, kind in enumerate(ours)}
    kinds = np.array([*(number.get(kind, -2) for kind in theirs), -1])
    type_of = type_of_each(data["types"], len(table.number))
    types = len(data["types"])
    block = np.full((types, types), -1, np.int64)
    for a, row in enumerate(data["arcs"]):
        block[a, a:] = block[a:, a] = row
    found = block[type_of[:, None], type_of]
    for i, j, kind in data["special"]:
        found[i, j] = kind
    differs = np.argwhere(np.triu(kinds[found] != table.number, 1))
    if len(differs):
        shown = [*(problem.state.shown[p] for p in order), None]
        pairs = [pair_text(shown[i] or "", shown[j]) for i, j in differs.tolist()]
        return [f"not as the rules have them, legal or at this cost: {listed(pairs)}"]
    if (data["arcs"], data["special"]) != compressed(table, type_of) or len(theirs) != len(ours):
        return ["arcs: more is listed than there is"]
    return []


def _exact(kind: Sequence[int], scales: Sequence[int]) -> tuple[Fraction, ...]:
    """Costs in points or matches: a half point in a later round changes the scale."""
    return tuple(Fraction(cost, scale) for cost, scale in zip(kind, scales, strict=True))


def _amounts(levels: Any) -> list[Any]:
    """Levels with their values in points or matches; None for what is none."""
    return [_amount(level) for level in levels] if isinstance(levels, list) else [None]


def _amount(level: Any) -> Any:
    if not isinstance(level, dict):
        return None
    value, scale = level.get("value"), level.get("scale")
    if type(value) is not int or type(scale) is not int or scale < 1:
        return None
    return {**level, "value": Fraction(value, scale), "scale": 1}


def _arcs(order: IntArray, pairing: list[list[int]]) -> Arcs:
    """The pairing of a file, in positions of the state."""
    seats = np.append(order, BYE)
    first, second = seats[np.array(pairing, np.int64).T]
    bye = first == BYE
    return arcs_of(np.where(bye, second, first), np.where(bye, BYE, second))


def _some(players: set[str]) -> str:
    return listed(sorted(players))
