"""Document: a certificate with all that it takes to verify it, as a file for `verify`.

Vertices are numbered from 0: the active players as the event lists them, then the bye in an odd
field. Of one type are those who are alike to the rules, and to the certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from pairopt.engines.types import types_of
from pairopt.errors import UsageError
from pairopt.event.arcs import IntArray
from pairopt.event.event import Event
from pairopt.problem.levels import LevelValue
from pairopt.problem.model import Model
from pairopt.problem.problem import Problem
from pairopt.proof.arc_table import ArcTable
from pairopt.proof.certificate import Certificate, TutteSet

FORMAT, VERSION = "pairopt-proof", 1


@dataclass(frozen=True)
class Proof:
    """Why no pairing of a round is better, or why there is none, for anybody to verify.

    `content` is what the file holds, see `pairopt.proof.verify`.
    """

    content: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The file: JSON, a line an entry of each list."""
        parts = []
        for key, value in self.content.items():
            said = json.dumps(value, ensure_ascii=False)
            if isinstance(value, list) and len(value) > 1:
                lines = [json.dumps(each, ensure_ascii=False) for each in value]
                said = "[\n  " + ",\n  ".join(lines) + "\n ]"
            parts.append(f' "{key}": {said}')
        return "{\n" + ",\n".join(parts) + "\n}\n"

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def require_sums(problem: Problem) -> None:
    """Raises UsageError for a system or a lookahead: levels that are no sums over matches."""
    if problem.system is not None:
        raise UsageError(
            f"system {problem.system.kind} has no proof of this kind: what a match adds to a "
            "bracket's levels depends on the brackets before"
        )
    if problem.lookahead:
        raise UsageError(
            "a round with a lookahead has no proof of this kind: what it leaves for later rounds "
            "is no sum over its matches"
        )


def listing(problem: Problem) -> IntArray:
    """The active players' positions in the state, in the order of the event."""
    return np.argsort(problem.state.player)


def vertex_of(problem: Problem) -> IntArray:
    """The number of each vertex of the state, that of the bye last."""
    n = len(problem)
    place = np.full(n + n % 2, n)
    place[listing(problem)] = np.arange(n)
    return place


def legal_only(problem: Problem) -> Problem:
    """The problem without criteria: whether there is a pairing at all."""
    return replace(problem, criteria=(), labels=())


def written(
    problem: Problem,
    levels: Sequence[LevelValue],
    found: Certificate | TutteSet,
    pairing: list[list[int]],
    table: ArcTable,
) -> Proof:
    """The document of a certificate; all of it has the players in the order of `listing`."""
    if isinstance(found, TutteSet):
        sets = found.components
    else:
        sets = tuple(members for members, _ in found.odd_sets)
    type_of = _types(problem, found, sets)
    members = _members(type_of)
    unions = [sorted({int(type_of[v]) for v in each}) for each in sets]
    listed, special = compressed(table, type_of)
    content = {
        **heading(problem, levels),
        "types": [each.tolist() for each in members],
        "kinds": [list(kind) for kind in table.kinds],
        "arcs": listed,
        "special": special,
    }
    if isinstance(found, TutteSet):
        return Proof({**content, "components": unions})
    prices = [found.prices[int(each[0])] for each in members]
    content["prices"] = [list(map(str, price)) for price in prices]
    content["sets"] = unions
    content["set_prices"] = [list(map(str, price)) for _, price in found.odd_sets]
    content["pairing"] = pairing
    content["totals"] = list(found.values)
    return Proof(content)


def heading(problem: Problem, levels: Sequence[LevelValue]) -> dict[str, Any]:
    """What a document says of the event, the rules and the levels that decide."""
    state, model = problem.state, problem.model
    order = listing(problem)
    return {
        "format": FORMAT,
        "version": VERSION,
        "round": state.event.round,
        "event": _digest(_history(state.event)),
        "model": model.name,
        "rules": _digest(_rules(model)),
        "seed": problem.seed,
        "levels": [
            {"criterion": level.criterion, "level": level.level, "words": level.words,
             "value": level.value, "scale": level.scale}
            for level in levels
        ],
        "players": [[state.names[p], state.event.names[state.player[p]]] for p in order.tolist()],
    }  # fmt: skip


def compressed(table: ArcTable, type_of: IntArray) -> tuple[list[list[int]], list[list[int]]]:
    """The kinds between types, from each on, and the pairs that are of another kind.

    That of two types is the one that most of their pairs are of, -1 where that is none.
    """
    count, arcs, special = len(table.kinds) + 1, [], []
    for a, members in enumerate(_members(type_of)):
        row, two = np.nonzero((type_of >= a) & (members[:, None] != np.arange(len(type_of))))
        one, b = members[row], type_of[two] - a
        kind = table.number[one, two]
        keys, times = np.unique(b * count + kind + 1, return_counts=True)
        order = np.lexsort((keys, -times, keys // count))
        blocks, first = np.unique(keys[order] // count, return_index=True)
        usual = np.full(type_of.max() + 1 - a, -1, np.int64)
        usual[blocks] = keys[order][first] % count - 1
        other = (kind != usual[b]) & ((b > 0) | (one < two))  # each pair once
        ends = np.sort([one[other], two[other]], axis=0)
        arcs.append(usual.tolist())
        special += np.column_stack([*ends, kind[other]]).tolist()
    return arcs, sorted(special)


def _types(
    problem: Problem, found: Certificate | TutteSet, sets: Iterable[frozenset[int]]
) -> IntArray:
    """The type of each vertex, by the first of each; shape (vertices,)."""
    n, order = len(problem), listing(problem)
    vertices = n + n % 2
    alike = np.full(vertices, n)
    coarse = problem.coarse == len(problem.criteria)
    alike[:n] = types_of(problem.attributes(), n)[order] if coarse else order
    rows = [alike, *(np.isin(np.arange(vertices), list(members)) for members in sets)]
    if isinstance(found, Certificate):
        numbers: dict[Any, int] = {}
        rows.append(np.array([numbers.setdefault(p, len(numbers)) for p in found.prices]))
    code = types_of(rows, vertices)
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def type_of_each(members: Sequence[Sequence[int]], vertices: int) -> IntArray:
    """The type of each vertex, by the members of each type."""
    type_of = np.empty(vertices, np.int64)
    for t, each in enumerate(members):
        type_of[each] = t
    return type_of


def _members(type_of: IntArray) -> list[IntArray]:
    return np.split(np.argsort(type_of, kind="stable"), np.cumsum(np.bincount(type_of))[:-1])


def _history(event: Event) -> list[Any]:
    """What is known of the players before the round, whatever else a file of it may hold."""
    rows, names = event.before, (*event.players, None)
    columns = "round", "first", "second", "side", "score1", "score2", "status"
    arrays = [getattr(rows, name).tolist() for name in columns]
    played = [
        [number, names[one], names[two], side, *map(event.points_text, scores), status]
        for number, one, two, side, *scores, status in zip(*arrays, strict=True)
    ]
    active = [
        [names[p], event.points_text(int(event.brought[p])), int(event.byes_brought[p])]
        for p in np.flatnonzero(event.active).tolist()
    ]
    return [event.round, event.sides, sorted(active), sorted(played, key=repr)]


def _rules(model: Model) -> list[Any]:
    """What a model says, whatever it is called."""
    rules = [
        [rule.kind, {f.name: repr(getattr(rule, f.name)) for f in fields(rule)}]  # type: ignore[arg-type]
        for rule in (*model.constraints, *model.criteria)
    ]
    if model.weights is None:
        return rules
    return [*rules, model.objective, *map(str, model.weights)]


def _digest(content: list[Any]) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
