"""Verify a proof that pairopt wrote: python verify.py round6.proof.json

The file lists the players (in an odd field the bye is one more, the last), a `pairing` of all, who
has the first side (White) first, and `steps`. A step has `levels`, each with the `value` that the
pairing has there, and says what each match costs that is still in question: whole numbers, one a
level, compared level by level, as Python compares lists. Players of one type are alike to a step
(who is in none of its `types` is of one more, the last): arcs[a][b - a] is the kind of match of any
of type a with any of type b, unless `special` lists the two; -1 where they may not meet. A kind is
[what it costs] or [if the first of the two has the first side, if the second has], null where that
may not be; the first is the one of type a, or the lower number where both are of one type.

In each step no pairing of matches in question is better than `pairing`, because
1. every player has a price, that of their type. Some sets with an odd number of players have one
   too, which is not below 0;
2. no match costs less, either way round, than the prices of its two players and of the sets that
   it leaves, those that hold one of the two and not the other;
3. a pairing holds every player once, and leaves each set at least once, as an odd number of
   players cannot all meet each other. So no pairing costs less than all prices together;
4. that is what `pairing` costs, and what the values of the levels, without their offset, say.
A match that costs more than prices is in no pairing that is as good: from then on it is out of
question. So all steps together say what one with all levels would; a level may come again.

Or there is no pairing, because no match joins two of the `components`, and more of these are odd
than there are players outside of them: each would need one of those for itself.

`further` are rounds that the pairing has to leave room for: in all of them no two meet twice. Of
levels that are `open` nothing is shown.

Whether matches, costs and levels are those of the event is for `pairopt check EVENT --proof FILE`.
Exit code 0: the proof holds; 1: it does not; 3: the file is malformed.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from math import lcm
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
        for (i, j), (kind, straight) in self.special.items():
            if straight:
                yield self.type_of[i], self.type_of[j], kind, [(i, j)]


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

    hooks: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), whole)
    return json.loads(text, object_pairs_hook=once, **hooks)


def several(data: Any, key: str, kind: type) -> list[Any]:
    found = data.get(key) if isinstance(data, dict) else None
    need(isinstance(found, list) and all(type(each) is kind for each in found), f"{key}: no list")
    return list(found or [])


def rows(data: Any, key: str, kind: type, width: int | None = None,
         among: range | None = None) -> list[Any]:  # fmt: skip
    """A list of lists of one kind, all of one width, numbers among these, where that is given."""
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
    for each in (level.get(key) for level in levels for key in ("value", "offset", "scale")):
        need(type(each) is int, f"levels: found {each!r:.60}, expected a whole number")
    types.append(sorted({*range(count)}.difference(*types)))
    kinds = several(data, "kinds", list)
    ways = [way for kind in kinds for way in kind if way is not None]
    rows({"kinds": ways}, "kinds", int, len(levels))
    need(all(0 < len(kind) <= 2 and any(w is not None for w in kind) for kind in kinds), "kinds")
    arcs, number = rows(data, "arcs", int, None, range(-1, len(kinds))), range(count)
    need([*map(len, arcs)] == [*range(len(types), 0, -1)], "arcs: expected ever shorter lists")
    special = dict[tuple[int, int], tuple[int, bool]]()
    for i, j, kind in rows(data, "special", int, 3):
        good = i in number and j in number and i != j and (i, j) not in special
        need(good and -1 <= kind < len(kinds), f"special: found {i}, {j}, {kind}")
        special[i, j], special[j, i] = (kind, True), (kind, False)
    return Step(levels, types, places(types, count, "types"), kinds, arcs, special)


def walked(data: Any) -> Iterator[tuple[Step, list[int]]]:
    """Each step, with the matches in question before it: of each player the others', as bits.

    Raises Wrong, or ValueError where a step is malformed.
    """
    count, steps = len(data["players"]), several(data, "steps", dict)
    need(steps and (len(steps) == 1 or "components" not in data), "steps: expected one or more")
    alive = [(1 << count + count % 2) - 1 - (1 << i) for i in range(count + count % 2)]
    for k, at in enumerate(steps):
        step = step_of(at, len(alive))
        yield step, [*alive]
        if "components" not in data:
            narrow(data["pairing"], at, step, alive, k == 0, k + 1 == len(steps))


def narrow(pairing: Any, at: Any, step: Step, alive: list[int], first: bool, last: bool) -> None:
    """Check the prices of a step, and take what costs more out of question."""
    total = [sum(level) for level in zip(*(step.cost(i, j) for i, j in pairing), strict=True)]
    values = [level["value"] - level["offset"] for level in step.levels]
    need(values == total, f"levels: the pairing has {total}, without their offset", Wrong)
    unit, paid = priced(at, step, total)
    ways = ([[unit * n for n in way] for way in kind if way is not None] for kind in step.kinds)
    cheaper = [*map(min, ways), [0]]
    for a, b, kind, pair in step.matches():
        price = paid(a, b) if kind >= 0 else [-1 if first else 1]  # must be out of question
        if (less := price > cheaper[kind]) or (price < cheaper[kind] and not last):
            both = ((i, j) for i in step.types[a] for j in step.types[b])
            for i, j in pair or [ends for ends in both if ends not in step.special]:
                need(not less or not alive[i] >> j & 1, f"{i}, {j}: costs less than prices", Wrong)
                alive[i], alive[j] = alive[i] & ~(1 << j), alive[j] & ~(1 << i)


def priced(at: Any, step: Step, total: list[int]) -> Any:
    """A number by which all prices are whole, and what a match of two types has to pay by it."""
    n, levels, unit = len(step.types), len(step.levels), 1
    sets, size = rows(at, "sets", int, None, range(n)), [*map(len, step.types)]
    texts = [row for key in ("prices", "set_prices") for row in rows(at, key, str, levels)]
    need(len(texts) == n + len(sets) <= 3 * n, "prices: expected one a type, and one a set")
    need(all(PRICE.fullmatch(text) for row in texts for text in row), "prices: expected fractions")
    exact = [[Fraction(text) for text in row] for row in texts]
    for below in {price.denominator for row in exact for price in row}:
        need((unit := lcm(unit, below)) < 10**12, "prices: expected smaller denominators")
    prices = [[int(unit * price) for price in row] for row in exact]  # whole from here on
    inside = [0] * n  # the sets that a type is in, as bits of a number
    left = {0: [0] * levels}  # what sets cost that are left
    for s, members in enumerate(sets):
        odd = sum(size[t] for t in members) % 2 and len({*members}) == len(members)
        need(odd and prices[n + s] >= left[0], f"set {s} is even, or its price is below 0", Wrong)
        for t in members:
            inside[t] |= 1 << s
    every = [*zip([*size, *[1] * len(sets)], prices, strict=True)]
    least = [sum(many * row[level] for many, row in every) for level in range(levels)]
    need(least == [unit * each for each in total], "all prices together are not the values", Wrong)

    def paid(a: int, b: int) -> list[int]:
        if (leaves := inside[a] ^ inside[b]) not in left:
            chosen = [prices[n + s] for s in range(len(sets)) if leaves >> s & 1]
            left[leaves] = [sum(level) for level in zip(*chosen, strict=True)]
        return [sum(level) for level in zip(prices[a], prices[b], left[leaves], strict=True)]

    return unit, paid


def verify(data: Any) -> str:
    """What a proof shows. Raises Wrong, or ValueError where it is malformed."""
    need(isinstance(data, dict) and data.get("format") == "pairopt-proof", "expected a proof")
    need(repr(data.get("version")) == "2", "version: expected 2 (write the proof anew)")
    players = rows(data, "players", str, 2)
    need(players and len({name for name, _ in players}) == len(players), "players: a name twice")
    if "components" in data:
        return impossible(data, next(walked(data))[0])
    met = list[frozenset[int]]()
    for paired in [data.get("pairing"), *several(data, "further", list)]:
        met += map(frozenset, rows({"pairing": paired}, "pairing", int, 2))
        places(paired, len(players) + len(players) % 2, "pairing")
    need(len({*met}) == len(met), "two meet twice in this round and the further ones", Wrong)
    shown, more = sum(len(step.levels) for step, _ in walked(data)), several(data, "open", dict)
    text = f"The proof holds: no pairing of these {len(players)} players is better"
    return text + (
        f" in the first {shown} levels; of {len(more)} nothing is shown." if more else "."
    )


def impossible(data: Any, step: Step) -> str:
    parts = rows(data, "components", int, None, range(len(step.types)))
    outside = [*{*range(len(step.types))}.difference(*parts)]
    part_of = places([outside, *parts], len(step.types), "components")
    for a, b, kind, _ in step.matches():
        joined = kind >= 0 and 0 != part_of[a] != part_of[b] != 0
        need(not joined, f"matches of types {a} and {b} join two components", Wrong)
    odd = sum(sum(len(step.types[t]) for t in part) % 2 for part in parts)
    need(odd > sum(len(step.types[t]) for t in outside), f"only {odd} components are odd", Wrong)
    return "The proof holds: there is no pairing."


if __name__ == "__main__":
    try:
        content = Path(*sys.argv[1:2]).read_bytes()
        print(verify(read(content.decode("utf-8-sig"))), hashlib.sha256(content).hexdigest())
    except (Wrong, OSError, RecursionError, ValueError) as error:
        print(f"No proof: {error!a}")
        sys.exit(1 if isinstance(error, Wrong) else 3)
