"""Step: levels that come together, what arcs cost there, and prices, as `verify` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from pairopt.engines.types import types_of
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.problem.summed import Summed
from pairopt.problem.system import Level
from pairopt.proof.arc_table import ArcKind, ArcTable
from pairopt.proof.certificate import Certificate, TutteSet

Record = dict[str, Any]
"""A part of the file."""


def level_record(level: Level, total: int) -> Record:
    """A level with its value, of which `offset` does not come from matches."""
    return {
        "criterion": level.criterion, "level": level.label, "words": level.words,
        "value": total + level.offset, "offset": level.offset, "scale": level.scale,
    }  # fmt: skip


def step_of(
    levels: Sequence[Level],
    table: ArcTable,
    found: Certificate | TutteSet,
    alike: IntArray,
    alive: BoolArray | None = None,
) -> Record:
    """The record of a step, of all arcs or of those `alive`.

    Players with the same number in `alike`, shape (vertices,), are of one type where prices and
    sets do not tell them apart.
    """
    certificate = found if isinstance(found, Certificate) else None
    type_of = split_types(alike, found)
    arcs, special = compressed(table.number, type_of, alive)
    used = sorted({*chain.from_iterable(arcs), *(kind for _, _, kind in special)} - {-1})
    place = {kind: k for k, kind in enumerate([-1, *used], -1)}
    values = certificate.values if certificate else ()
    made = {
        "levels": [level_record(*each) for each in zip(levels, values, strict=True)],
        "types": [each.tolist() for each in members_of(type_of)[:-1]],
        "kinds": [_ways(table.kinds[kind]) for kind in used],
        "arcs": [[place[kind] for kind in row] for row in arcs],
        "special": [[one, two, place[kind]] for one, two, kind in special],
    }
    return {**made, **prices_of(certificate, type_of)} if certificate else made


def _ways(kind: ArcKind) -> list[list[int] | None]:
    one, other = (None if way is None else list(way) for way in kind)
    return [one] if one == other else [one, other]


def alike_of(levels: Sequence[Summed], order: IntArray, odd: bool) -> IntArray:
    """Who is alike in what levels read, shape (vertices,), but for the player that one is about.

    The bye is alike to nobody, nor is anybody where a level about all does not say what it reads.
    """
    n = len(order)
    rows = [column[order] for some in levels for column in some.attributes]
    if any(some.own is None and not some.attributes for some in levels):
        rows.append(np.arange(n))
    return np.append(types_of(rows, n), np.full(int(odd), n))


def prices_of(found: Certificate, type_of: IntArray) -> Record:
    """The prices of types and sets."""
    return {
        "prices": [[*map(str, found.prices[int(each[0])])] for each in members_of(type_of)],
        "sets": unions([members for members, _ in found.odd_sets], type_of),
        "set_prices": [[*map(str, price)] for _, price in found.odd_sets],
    }


def unions(sets: Iterable[frozenset[int]], type_of: IntArray) -> list[list[int]]:
    """Sets of vertices as sets of types."""
    return [sorted({int(type_of[v]) for v in each}) for each in sets]


def split_types(alike: IntArray, found: Certificate | TutteSet) -> IntArray:
    """The type of each vertex, by the first of each, but the largest is the last.

    Types are told apart by `alike`, prices and sets; shape (vertices,).
    """
    rows = [alike]
    if isinstance(found, Certificate):
        sets: Iterable[frozenset[int]] = [members for members, _ in found.odd_sets]
        numbers: dict[tuple[Fraction, ...], int] = {}
        rows.append(np.array([numbers.setdefault(p, len(numbers)) for p in found.prices]))
    else:
        sets = found.components
    rows += [np.isin(np.arange(len(alike)), [*members]).astype(np.int64) for members in sets]
    code = types_of(rows, len(alike))
    _, first, inverse, size = np.unique(
        code, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(first), np.int64)
    rank[np.lexsort((first, np.arange(len(first)) == size.argmax()))] = np.arange(len(first))
    return rank[inverse]


def compressed(
    number: IntArray, type_of: IntArray, alive: BoolArray | None = None
) -> tuple[list[list[int]], list[list[int]]]:
    """The kinds between types, from each on, and the pairs that are of another kind.

    That of two types is the one that most of their pairs are of, -1 where that is none. Only
    arcs that are `alive` count.
    """
    count, arcs, special = int(number.max(initial=-1)) + 2, list[list[int]](), list[list[int]]()
    types = int(type_of.max()) + 1
    for a, members in enumerate(members_of(type_of)):
        there = (type_of >= a) & (members[:, None] != np.arange(len(type_of)))
        row, two = np.nonzero(there if alive is None else there & alive[members])
        one, b = members[row], type_of[two] - a
        pair = (b > 0) | (one < two)  # each once, the lower number first
        one, two, b = one[pair], two[pair], b[pair]
        kind = number[one, two]
        keys, times = np.unique(b * count + kind + 1, return_counts=True)
        ordered = np.lexsort((keys, -times, keys // count))
        blocks, first = np.unique(keys[ordered] // count, return_index=True)
        usual = np.full(types - a, -1, np.int64)
        usual[blocks] = keys[ordered][first] % count - 1
        other = kind != usual[b]
        arcs.append(usual.tolist())
        special += np.column_stack([one[other], two[other], kind[other]]).tolist()
    return arcs, sorted(special)


def members_of(type_of: IntArray) -> list[IntArray]:
    return np.split(np.argsort(type_of, kind="stable"), np.cumsum(np.bincount(type_of))[:-1])


def type_of_each(types: Sequence[Sequence[int]], vertices: int) -> IntArray:
    """The type of each vertex, by the types that a record names; the last is of all others."""
    type_of = np.full(vertices, len(types))
    for t, each in enumerate(types):
        type_of[each] = t
    return type_of
