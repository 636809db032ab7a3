"""Verify a proof that pairopt wrote: python verify.py round6.proof.json

The file lists the players (in an odd field the bye is one more, the last), who may meet whom, and
what that costs: whole numbers, one a level, the most important first. Players of one type are
alike: arcs[a][b - a] is the kind of match of any of type a with any of type b, unless `special`
says otherwise of the two; -1 where they may not meet. `kinds` has the costs, which are compared
level by level, as Python compares lists. No pairing is better than `pairing`, because
1. every player has a price, that of their type. Some sets with an odd number of players have one
   too, which is not below 0;
2. no match costs less than the prices of its two players and of the sets that it leaves, those
   that hold one of the two and not the other;
3. a pairing holds every player once, and leaves each set at least once, as an odd number of
   players cannot all meet each other. So no pairing costs less than all prices together;
4. that is what `pairing` costs: `totals`.
Or there is no pairing, because no match joins two of the `components`, and more of these are odd
than there are players outside of them: each would need one of those for itself.

Whether the matches and costs are those of the event is for `pairopt check EVENT --proof FILE`.
Exit code 0: the proof holds; 1: it does not; 3: the file is malformed.
"""

import json
import re
import sys
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

DIGITS, PRICE = re.compile("-?[0-9]{1,200}"), re.compile("-?[0-9]{1,200}(/[1-9][0-9]{0,12})?")


class Wrong(Exception):  # noqa: N818
    """The proof does not hold. (That a file is malformed is a ValueError.)"""


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


def rows(data: Any, key: str, kind: type, width: int | None = None,
         among: range | None = None) -> list[Any]:  # fmt: skip
    """A list of lists of one kind, all of one width, numbers among these, where that is given."""
    found = data.get(key)
    good = isinstance(found, list) and all(isinstance(row, list) for row in found)
    need(good and all(width in (None, len(row)) for row in found), f"{key}: expected lists")
    for each in (each for row in found for each in row):
        need(type(each) is kind and (among is None or each in among), f"{key}: found {each!r:.60}")
    return list(found)


def places(parts: list[list[int]], count: int, key: str) -> list[int]:
    """The number of the part that each of so many is in."""
    part_of = {each: k for k, part in enumerate(parts) for each in part}
    need(len(part_of) == sum(map(len, parts)) == count, f"{key}: expected each of {count} once")
    return [part_of[each] for each in range(count)]


def verify(data: Any) -> str:
    """What a proof shows. Raises Wrong, or ValueError where it is malformed."""
    need(isinstance(data, dict) and data.get("format") == "pairopt-proof", "expected a proof")
    need(repr(data.get("version")) == "1", "version: expected 1")
    players = rows(data, "players", str, 2)
    need(players and len({name for name, _ in players}) == len(players), "players: a name twice")
    count = len(players) + len(players) % 2  # with the bye
    types, kinds = rows(data, "types", int, None, range(count)), rows(data, "kinds", int)
    need(len({len(kind) for kind in kinds}) <= 1, "kinds: expected as many levels in each")
    type_of, size = places(types, count, "types"), [len(members) for members in types]
    arcs = rows(data, "arcs", int, None, range(-1, len(kinds)))
    need([*map(len, arcs)] == [*range(len(types), 0, -1)], "arcs: expected ever shorter lists")
    special = {(i, j): kind for i, j, kind in rows(data, "special", int, 3)}
    need(len(special) == len(data["special"]), "special: a pair twice")
    matches = [(a, a + k, kind) for a, row in enumerate(arcs) for k, kind in enumerate(row)]
    for (i, j), kind in special.items():
        need(0 <= i < j < count and -1 <= kind < len(kinds), f"special: found {i}, {j}, {kind}")
        matches.append((type_of[i], type_of[j], kind))
    matches = [match for match in matches if match[2] >= 0]
    if "components" in data:
        return impossible(data, size, matches)
    pairs = [sorted(pair) for pair in rows(data, "pairing", int, 2, range(count))]
    places(pairs, count, "pairing")
    ends = [sorted((type_of[i], type_of[j])) for i, j in pairs]
    used = [special.get((*p,), arcs[a][b - a]) for p, (a, b) in zip(pairs, ends, strict=True)]
    need(min(used) >= 0, "two are paired who may not meet", Wrong)
    costs = [sum(level) for level in zip(*(kinds[kind] for kind in used), strict=True)]
    need(repr(data.get("totals")) == repr(costs), f"the pairing costs {costs}", Wrong)
    need(least(data, size, matches, kinds) == costs, "the prices are together no totals", Wrong)
    return f"The proof holds: no pairing of these {len(players)} players is better."


def impossible(data: Any, size: list[int], matches: Any) -> str:
    parts = rows(data, "components", int, None, range(len(size)))
    outside = [*{*range(len(size))}.difference(*parts)]
    part_of = places([outside, *parts], len(size), "components")
    joined = [(a, b) for a, b, _ in matches if 0 != part_of[a] != part_of[b] != 0]
    need(not joined, f"matches join two components: of types {joined[:1]}", Wrong)
    odd = sum(sum(size[t] for t in part) % 2 for part in parts)
    need(odd > sum(size[t] for t in outside), f"only {odd} components are odd", Wrong)
    return "The proof holds: there is no pairing."


def least(data: Any, size: list[int], matches: Any, kinds: Any) -> list[Any]:
    """All prices together, which no pairing costs less than."""
    n, levels, unit = len(size), len(kinds[0]), 1
    sets = rows(data, "sets", int, None, range(n))
    texts = [row for key in ("prices", "set_prices") for row in rows(data, key, str, levels)]
    need(n <= len(texts) == n + len(sets) <= 2 * n, "prices: expected one a type, and one a set")
    need(all(PRICE.fullmatch(text) for row in texts for text in row), "prices: expected fractions")
    exact = [[Fraction(text) for text in row] for row in texts]
    for below in {price.denominator for row in exact for price in row}:
        need((unit := lcm(unit, below)) < 10**12, "prices: expected smaller denominators")
    prices = [[int(unit * price) for price in row] for row in exact]  # whole from here on
    costs = [[unit * cost for cost in kind] for kind in kinds]
    inside = [0] * n  # the sets that a type is in, as bits of a number
    left = {0: [0] * levels}  # what sets cost that are left
    for s, members in enumerate(sets):
        odd = sum(size[t] for t in members) % 2 and len({*members}) == len(members)
        need(odd and prices[n + s] >= left[0], f"set {s} is even, or its price is below 0", Wrong)
        for t in members:
            inside[t] |= 1 << s
    for a, b, kind in matches:
        if (leaves := inside[a] ^ inside[b]) not in left:
            chosen = [prices[n + s] for s in range(len(sets)) if leaves >> s & 1]
            left[leaves] = [sum(level) for level in zip(*chosen, strict=True)]
        paid = [sum(level) for level in zip(prices[a], prices[b], left[leaves], strict=True)]
        need(costs[kind] >= paid, f"types {a} and {b}: a match costs less than prices", Wrong)
    every = [*zip([*size, *[1] * len(sets)], exact, strict=True)]
    return [sum(many * row[level] for many, row in every) for level in range(levels)]


if __name__ == "__main__":
    try:
        print(verify(read(Path(*sys.argv[1:2]).read_text("utf-8"))))
    except (Wrong, OSError, RecursionError, ValueError) as error:
        print(f"No proof: {error!a}")
        sys.exit(1 if isinstance(error, Wrong) else 3)
