"""Verify a proof that pairopt wrote: python verify.py round6.proof.json

The file lists the players (in an odd field the bye is one more, the last), the `pairing`, first
sides (White) first, and `steps`. A step has `levels` with the pairing's `value` in each, and what
matches in question cost: whole numbers, one a level, compared as lists in Python. Players of a type
are alike (who is in none of `types` is of one more, the last): arcs[a][b - a] is the kind of match
of any of type a with any of type b, unless `special` lists the two; -1 where they may not meet. A
kind is [cost], or [cost if the first of the two has the first side, if the second has it], null for
never; the first is of type a, or has the lower number. No pairing of them is better in a step, as
1. every player has a price, that of their type, and some sets of an odd number have one, not < 0;
2. no match costs less, either way, than the prices of its players and of sets that hold only one;
3. a pairing holds every player once, and leaves each set at least once, as an odd number of
   players cannot all meet each other. So no pairing costs less than all prices together;
4. that is what `pairing` costs, and what the values of the levels, without their offset, say.
A match that costs more than prices is in no pairing that is as good: from then on it is out of
question. So all steps together say what one with all levels would; a level may come again.
Or there is no pairing, because no match joins two of the `components`, and more of these are odd
than there are players outside of them: each would need one of those for itself.
It leaves room for `further` rounds, in which no two meet twice; of `open` levels nothing is shown.
Whether all this is as the event has it, `pairopt check EVENT --proof FILE` says, not this file.
Exit code 0: the proof holds; 1: it does not; 3: the file is malformed.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, product
from math import lcm
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

DIGITS, PRICE = re.compile("-?[0-9]{1,200}"), re.compile("-?[0-9]{1,200}(/[1-9][0-9]{0,12})?")


class Wrong(Exception):  # noqa: N818
    """The proof does not hold. (That a file is malformed is a ValueError.)"""


class Step(NamedTuple):
    """What a step says of matches; `special` has each pair both ways round."""

    levels: list[dict[str, Any]]
    types: list[list[int]]
    type_of: list[int]
    kinds: list[list[list[int] | None]]
    arcs: list[list[int]]
    special: dict[tuple[int, int], tuple[int, bool]]

    def cost(self, first: int, second: int) -> list[int]:
        """What the match costs in which these have the sides."""
        (a, i), (b, _) = sorted([(self.type_of[first], first), (self.type_of[second], second)])
        kind, straight = self.special.get((first, second), (self.arcs[a][b - a], i == first))
        cost = self.kinds[kind][0 if straight else -1] if kind >= 0 else None
        need(cost is not None, f"{first} and {second} are paired, who may not meet so", Wrong)
        return cost or []

    def matches(self) -> Iterator[tuple[int, int, int, list[tuple[int, int]]]]:
        """Any two types with the kind of their matches, and each special pair, which is listed."""
        for a, row in enumerate(self.arcs):
            yield from ((a, b, kind, []) for b, kind in enumerate(row, a))
        once = ((pair, kind) for pair, (kind, straight) in self.special.items() if straight)
        yield from ((self.type_of[i], self.type_of[j], kind, [(i, j)]) for (i, j), kind in once)


def need(good: object, said: str, error: type[Exception] = ValueError) -> None:
    if not good:
        raise error(said)


def read(text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), "expected each key once")
        return dict(pairs)

    def whole(digits: str) -> int:
        need(DIGITS.fullmatch(digits), f"found {digits[:20]}, expected a whole number, or shorter")
        return int(digits)

    return json.loads(text, object_pairs_hook=once, parse_int=whole, parse_float=whole,
                      parse_constant=whole)  # fmt: skip


def several(data: Any, key: str, kind: type) -> list[Any]:
    good = isinstance(data.get(key), list) and all(type(each) is kind for each in data[key])
    need(good, f"{key}: expected a list")
    return list(data[key])


def rows(data: Any, key: str, kind: type, width: Any = None, among: Any = None) -> list[Any]:
    """A list of lists of one kind, all of one width and numbers among these, where it is given."""
    found = several(data, key, list)
    need(all(width in (None, len(row)) for row in found), f"{key}: expected {width} in each")
    for each in chain.from_iterable(found):
        need(type(each) is kind and (among is None or each in among), f"{key}: found {each!r:.60}")
    return found


def places(parts: list[list[int]], count: int, key: str) -> list[int]:
    """The number of the part that each of so many is in."""
    part_of = {each: k for k, part in enumerate(parts) for each in part}
    need(len(part_of) == sum(map(len, parts)) == count, f"{key}: expected each of {count} once")
    return [part_of[each] for each in range(count)]


def step_of(data: Any, count: int) -> Step:
    """A step about so many players. Raises ValueError where it is malformed."""
    levels, types = several(data, "levels", dict), rows(data, "types", int, None, range(count))
    rows({"levels": [[*map(at.get, ("value", "offset", "scale"))] for at in levels]}, "levels", int)
    types.append(sorted({*range(count)}.difference(*types)))
    kinds, special = several(data, "kinds", list), dict[tuple[int, int], tuple[int, bool]]()
    ways = [[way for way in kind if way is not None] for kind in kinds]
    need(all(ways) and all(len(kind) <= 2 for kind in kinds), "kinds: expected one way or two")
    rows({"kinds": [*chain.from_iterable(ways)]}, "kinds", int, len(levels))
    arcs, number = rows(data, "arcs", int, None, range(-1, len(kinds))), range(count)
    need([*map(len, arcs)] == [*range(len(types), 0, -1)], "arcs: expected ever shorter lists")
    for i, j, kind in rows(data, "special", int, 3):
        good = i in number and j in number and i != j and (i, j) not in special
        need(good and -1 <= kind < len(kinds), f"special: found {i}, {j}, {kind}")
        special[i, j], special[j, i] = (kind, True), (kind, False)
    used = {*chain.from_iterable(arcs), *(kind for kind, _ in special.values())}
    need(used | {-1} == {*range(-1, len(kinds))}, "kinds: expected those that there are")
    return Step(levels, types, places(types, count, "types"), kinds, arcs, special)


def walked(data: Any) -> Iterator[tuple[Step, list[int]]]:
    """Each step, with the matches in question before it: of each player the others', as bits."""
    steps, count = several(data, "steps", dict), len(data["players"]) + len(data["players"]) % 2
    need(steps and (len(steps) == 1 or "components" not in data), "steps: expected one, or more")
    alive = [(1 << count) - 1 - (1 << i) for i in range(count)]
    for k, at in enumerate(steps):
        step = step_of(at, len(alive))
        yield step, [*alive]
        if "components" not in data:
            narrow(data["pairing"], at, step, alive, k == 0, k + 1 == len(steps))


def narrow(pairing: Any, at: Any, step: Step, alive: list[int], first: bool, last: bool) -> None:
    """Check the prices of a step, and take what costs more out of question."""
    total = [sum(level) for level in zip(*(step.cost(i, j) for i, j in pairing), strict=True)]
    same = [level["value"] - level["offset"] for level in step.levels] == total
    need(same, f"levels: the pairing has {total}, without their offset", Wrong)
    unit, paid = priced(at, step, total)
    low = [*(min([unit * c for c in w] for w in kind if w is not None) for kind in step.kinds), [0]]
    for a, b, kind, pair in step.matches():
        price = paid(a, b) if kind >= 0 else [-1 if first else 1]  # once in question, always listed
        if (less := price > low[kind]) or (price < low[kind] and not last):
            both = pair or product(step.types[a], step.types[b])
            for i, j in [(i, j) for i, j in both if alive[i] >> j & 1]:
                if pair or (i, j) not in step.special:
                    need(not less, f"{i}, {j}: a match in question costs less than prices", Wrong)
                    alive[i], alive[j] = alive[i] & ~(1 << j), alive[j] & ~(1 << i)


def priced(at: Any, step: Step, total: list[int]) -> Any:
    """A number by which all prices are whole, and what a match of two types has to pay by it."""
    size, n = [*map(len, step.types)], len(step.types)
    sets = rows(at, "sets", int, None, range(n))
    texts = [row for key in ("prices", "set_prices") for row in rows(at, key, str, len(total))]
    need(len(texts) == n + len(sets) <= 3 * n, "prices: expected one a type, and one a set")
    need(all(PRICE.fullmatch(text) for row in texts for text in row), "prices: expected fractions")
    exact = [[Fraction(text) for text in row] for row in texts]
    need((unit := lcm(*(p.denominator for row in exact for p in row))) < 10**12, "prices: too fine")
    prices = [[int(unit * price) for price in row] for row in exact]  # whole from here on
    least = [sum(map(mul, [*size, *[1] * len(sets)], level)) for level in zip(*prices, strict=True)]
    need(least == [unit * each for each in total], "all prices together are not the values", Wrong)
    inside = [0] * n  # the sets that a type is in, as bits of a number
    left = {0: [0] * len(total)}  # what sets cost that are left
    for s, members in enumerate(sets):
        odd = sum(size[t] for t in members) % 2 and len({*members}) == len(members)
        need(odd and prices[n + s] >= left[0], f"set {s} is even, or its price is below 0", Wrong)
        for t in members:
            inside[t] |= 1 << s

    def paid(a: int, b: int) -> list[int]:
        if (leaves := inside[a] ^ inside[b]) not in left:
            chosen = [prices[n + s] for s in range(len(sets)) if leaves >> s & 1]
            left[leaves] = [sum(level) for level in zip(*chosen, strict=True)]
        return [sum(level) for level in zip(prices[a], prices[b], left[leaves], strict=True)]

    return unit, paid


def verify(data: Any, walk: Any = walked) -> str:
    """What a proof shows. Raises Wrong, or ValueError where it is malformed."""
    need(isinstance(data, dict) and data.get("format") == "pairopt-proof", "expected a proof")
    need(repr(data.get("version")) == "2", "version: expected 2 (write the proof anew)")
    players, met = rows(data, "players", str, 2), list[frozenset[int]]()
    need(players and len(dict(players)) == len(players), "players: a name twice")
    if "components" in data:
        step = next(walk(data))[0]
        parts = rows(data, "components", int, None, range(len(step.types)))
        outside = [*{*range(len(step.types))}.difference(*parts)]
        part_of = places([outside, *parts], len(step.types), "components")
        for a, b, kind, _ in step.matches():
            good = kind < 0 or part_of[a] == part_of[b] or 0 in (part_of[a], part_of[b])
            need(good, f"matches of types {a} and {b} join two components", Wrong)
        few, *sizes = (sum(len(step.types[t]) for t in part) for part in (outside, *parts))
        need(sum(size % 2 for size in sizes) > few, "too few components are odd", Wrong)
        return "The proof holds: there is no pairing."
    count = len(players) + len(players) % 2
    for paired in [data.get("pairing"), *several(data, "further", list)]:
        met += map(frozenset, rows({"pairing": paired}, "pairing", int, 2, range(count)))
        places(paired, count, "pairing")
    need(len({*met}) == len(met), "two meet twice in this round and the further ones", Wrong)
    shown, more = sum(len(step.levels) for step, _ in walk(data)), several(data, "open", dict)
    where = f" in {shown} levels; of {len(more)} more nothing is shown" if more else ""
    return f"The proof holds: no pairing of these {len(players)} players is better{where}."


if __name__ == "__main__":
    try:
        content = Path(*sys.argv[1:2]).read_bytes()
        print(verify(read(content.decode("utf-8-sig"))), hashlib.sha256(content).hexdigest())
    except (Wrong, OSError, RecursionError, ValueError) as error:
        print(f"No proof: {error!a}")
        sys.exit(1 if isinstance(error, Wrong) else 3)
