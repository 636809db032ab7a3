"""The files of proofs of version 3, read and written from docs/proof.md alone.

Nothing here is shared with `pairopt.proof`: a table of costs is a dict from ordered arcs (first
side first, numbers of players, in an odd field the bye the last) to a list of whole numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

File = dict[str, Any]
Cost = tuple[int, ...]
Table = dict[tuple[int, int], Cost]
"""Ordered arcs that are legal, with their costs."""
Pairs = list[list[int]]


# ---------------------------------------------------------------------- text


def text_of(file: File) -> bytes:
    """A file as the page says that it is written: a key a line, no blanks."""
    parts = []
    for key, value in file.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"{_json(k)}:{_held(k, v)}" for k, v in value.items())
            parts.append(f"{_json(key)}:{{{inner}}}")
        else:
            parts.append(f"{_json(key)}:{_json(value)}")
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _held(key: str, value: Any) -> str:
    if key == "settings" and isinstance(value, dict):
        return (
            "{" + ",\n".join(f"{_json(k)}:{_json(v)}" for k, v in value.items()) + "}"
        )
    if (
        key == "steps"
        and isinstance(value, list)
        and all(isinstance(s, dict) for s in value)
    ):
        return "[" + ",\n".join(_json(step) for step in value) + "]"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# ---------------------------------------------------------------------- rows and kinds


def vertices(claim: File) -> int:
    """Players, and the bye in an odd field."""
    return len(claim["players"]) + len(claim["players"]) % 2


def _runs(row: Sequence[int]) -> list[int]:
    out: list[int] = []
    for entry in row:
        out += [out[-1]] * -entry if entry < 0 else [entry]
    return out


def _shorter(cells: Sequence[int]) -> list[int]:
    out: list[int] = []
    last: int | None = None
    for cell in cells:
        if cell == last:
            if out[-1] < 0:
                out[-1] -= 1
            else:
                out.append(-1)
        else:
            out.append(cell)
            last = cell
    return out


def table_of(claim: File) -> Table:
    """All legal ordered arcs of a claim with their costs."""
    n, table = vertices(claim), Table()
    above: dict[int, int] = {}
    for one, row in enumerate(claim["rows"]):
        for two, entry in zip(range(one + 1, n), _runs(row), strict=True):
            above[two] = entry or above.get(two, 1)
            if above[two] > 1:
                kind = claim["kinds"][above[two] - 2]
                both = (kind[0], kind[-1])
                for arc, cost in zip(((one, two), (two, one)), both, strict=True):
                    if cost is not None:
                        table[arc] = tuple(cost)
    return table


def put_table(claim: File, table: Table) -> None:
    """Writes `kinds` and `rows` of a claim anew."""
    n = vertices(claim)
    kind_of: dict[tuple[int, int], tuple[Cost | None, Cost | None]] = {}
    for pair in combinations(range(n), 2):
        both = table.get(pair), table.get(pair[::-1])
        if both != (None, None):
            kind_of[pair] = both

    def order(kind: tuple[Cost | None, Cost | None]) -> Any:
        return [(cost is None, cost or ()) for cost in kind]

    kinds = sorted(set(kind_of.values()), key=order)
    claim["kinds"] = [
        [
            list(c) if c is not None else None
            for c in (kind if kind[0] != kind[1] else kind[:1])
        ]
        for kind in kinds
    ]
    number = {kind: 2 + k for k, kind in enumerate(kinds)}
    rows, above = [], dict.fromkeys(range(n), 1)
    for one in range(n - 1):
        cells = []
        for two in range(one + 1, n):
            entry = number[kind_of[one, two]] if (one, two) in kind_of else 1
            cells.append(0 if entry == above[two] else entry)
            above[two] = entry
        rows.append(_shorter(cells))
    claim["rows"] = rows


def runs_of(players: Sequence[int]) -> list[int]:
    """A set of players as lengths of runs."""
    out, at = [], 0
    for player in sorted(players):
        if out and player == at:
            out[-1] += 1
        else:
            out += [player - at, 1]
        at = player + 1
    return out


# ---------------------------------------------------------------------- steps of systems


def step_table(n: int, step: File, asked: set[tuple[int, int]]) -> Table:
    """Costs of the pairs in question in a step, the lower number first."""
    table = {pair: tuple(step["kinds"][0]) for pair in asked}
    seen: set[int] = set()
    for row in step["rows"]:
        player, entries = row[0], _runs(row[1:])
        others = [
            k
            for k in range(n)
            if k not in seen
            and k != player
            and (min(k, player), max(k, player)) in asked
        ]
        for other, entry in zip(others, entries, strict=True):
            table[min(other, player), max(other, player)] = tuple(step["kinds"][entry])
        seen.add(player)
    return table


def put_step(n: int, step: File, table: Table, single: bool) -> None:
    """Writes `kinds` and `rows` of a step; `single` where all levels are about single players."""
    width = len(step["levels"])
    nothing = (0,) * width
    kinds = [nothing, *sorted({cost for cost in table.values() if cost != nothing})]
    step["kinds"] = [list(kind) for kind in kinds]
    paying = {
        p: sum(1 for pair, cost in table.items() if p in pair and cost != nothing)
        for p in range(n)
    }
    order = sorted((p for p in range(n) if paying[p]), key=lambda p: (-paying[p], p))
    order = sorted(order) if single else order
    seen: set[int] = set()
    rows = []
    for player in order:
        others = [
            k
            for k in range(n)
            if k not in seen
            and k != player
            and (min(k, player), max(k, player)) in table
        ]
        cells = [kinds.index(table[min(k, player), max(k, player)]) for k in others]
        if single or any(cells):
            rows.append([player, *_shorter(cells)])
            seen.add(player)
    step["rows"] = rows


# ---------------------------------------------------------------------- every pairing


def pairings(
    n: int, arcs: Sequence[tuple[int, int]] | Table
) -> Iterator[list[tuple[int, int]]]:
    """All perfect matchings by ordered arcs."""
    there: dict[int, list[tuple[int, int, int]]] = {}
    for one, two in arcs:
        low, high = min(one, two), max(one, two)
        there.setdefault(low, []).append((high, one, two))

    def rest(left: frozenset[int]) -> Iterator[list[tuple[int, int]]]:
        if not left:
            yield []
            return
        first = min(left)
        for high, one, two in there.get(first, ()):
            if high in left:
                for more in rest(left - {first, high}):
                    yield [(one, two), *more]

    yield from rest(frozenset(range(n)))


def total(table: Table, pairing: Sequence[Sequence[int]], width: int) -> Cost:
    """What a pairing costs, level by level."""
    costs = [table[one, two] for one, two in pairing]
    return tuple(sum(cost[k] for cost in costs) for k in range(width))


def ordered(pairing: Sequence[Sequence[int]]) -> Pairs:
    """Matches in ascending order of the lower number."""
    return [list(arc) for arc in sorted(pairing, key=min)]


# ---------------------------------------------------------------------- is the arithmetic right?


def true_by_itself(file: File) -> str:
    """certified, open or none: whether a file is right about its own numbers, by all pairings.

    Only for small fields. Says nothing about the witness: what it claims is to be true.
    """
    claim, witness = file["claim"], file["witness"]
    n, width = vertices(claim), len(claim["levels"])
    table = table_of(claim)
    if claim["pairing"] is None:
        return "certified" if next(pairings(n, table), None) is None else "none"
    pairing = [tuple(pair) for pair in claim["pairing"]]
    if sorted(p for pair in pairing for p in pair) != list(range(n)):
        return "none"
    if any(arc not in table for arc in pairing):
        return "none"
    met = [frozenset(arc) for each in (pairing, *claim["further"]) for arc in each]
    if (
        len(set(met)) < len(met)
        or len(claim["further"]) != claim["settings"]["lookahead"]
    ):
        return "none"
    for each in claim["further"]:
        if sorted(p for pair in each for p in pair) != list(range(n)):
            return "none"
    if claim["system"] is not None:
        return _chain(claim, witness, table, pairing)
    for level, sum_ in zip(claim["levels"], total(table, pairing, width), strict=True):
        if level[3] != sum_ + level[4]:
            return "none"
    shown = witness["shown"]
    best = min(total(table, each, width)[:shown] for each in pairings(n, table))
    mine = total(table, pairing, width)
    if mine[:shown] != best:
        return "none"
    if shown == width:
        return "certified"
    counter = [tuple(pair) for pair in witness["counter"]]
    theirs = total(table, counter, width)
    fits = theirs[:shown] == best and theirs[shown] < mine[shown]
    return "open" if claim["settings"]["lookahead"] and fits else "none"


def _chain(
    claim: File, witness: File, table: Table, pairing: Sequence[tuple[int, int]]
) -> str:
    """A system: of all legal pairings those that are best in each step."""
    n = vertices(claim)
    left = [{(min(a), max(a)) for a in each} for each in pairings(n, table)]
    mine = {(min(a), max(a)) for a in pairing}
    asked = {(min(a), max(a)) for a in table}
    stood = 0
    for step in witness["steps"]:
        new = [k for k in step["levels"] if k >= stood]
        if not new or new != list(range(stood, stood + len(new))):
            return "none"
        stood += len(new)
        costs = step_table(n, step, asked)
        width = len(step["levels"])
        sums = [total(costs, list(each), width) for each in left]
        best = min(sums)
        if total(costs, list(mine), width) != best:
            return "none"
        for k, sum_ in zip(step["levels"], best, strict=True):
            if claim["levels"][k][3] != sum_ + claim["levels"][k][4]:
                return "none"
        left = [each for each, sum_ in zip(left, sums, strict=True) if sum_ == best]
        asked = in_question(n, step, costs)
    return "certified" if stood == len(claim["levels"]) else "none"


def in_question(n: int, step: File, costs: Table) -> set[tuple[int, int]]:
    """Those that cost as much as the prices of a step say."""
    width = len(step["levels"])
    price = dict.fromkeys(range(n), (0,) * width)
    for amount, runs in step["prices"]:
        for p in members(runs):
            price[p] = tuple(amount)
    sets = [(tuple(amount), members(runs)) for amount, runs in step["sets"]]
    kept = set()
    for (one, two), cost in costs.items():
        r = [
            2 * c - a - b for c, a, b in zip(cost, price[one], price[two], strict=True)
        ]
        for amount, who in sets:
            if (one in who) != (two in who):
                r = [x - y for x, y in zip(r, amount, strict=True)]
        if not any(r):
            kept.add((one, two))
    return kept


def members(runs: Sequence[int]) -> set[int]:
    """The players of runs."""
    out, at = set[int](), 0
    for k, length in enumerate(runs):
        if k % 2:
            out |= set(range(at, at + length))
        at += length
    return out
