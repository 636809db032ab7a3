"""Verify a proof that pairopt wrote: python verify.py round6.proof.json

The file has a `claim` and a `witness`. The claim lists the players (in an odd field the bye is one
more, the last), the `pairing`, first sides (White) first, the `levels` with their values, and by
`rows` the kind of match of any two: what it costs, a whole number a level, compared as lists in
Python; the first of `kinds` is if the lower number has the first side, null is never.
No pairing is better in a step, as the witness shows:
1. every player has a price, 0 or one of `prices`, and `sets` of an odd number have one, not < 0;
2. no match costs less, either way, than the prices of its players and of sets that hold only one;
3. a pairing holds every player once, and leaves each set at least once, as an odd number of
   players cannot all meet each other. So no pairing costs less than all prices together;
4. that is what `pairing` costs, and what the values of the levels, without their offset, say.
Prices are in halves. A model is one step with all its levels, as far as they are `shown`: the rest
is open, with a `counter` that is better there, but leaves no room for `further` rounds: of the
matches that are `unplayed` yet it leaves too few between the `components`, as below.
A system is several `steps`, which have what a match costs if the levels before are as good. A match
that costs more than prices is in no pairing that is as good: from then on it is out of question.
Or there is no pairing: each odd one of the `components` needs a match with a player outside of
them, or with another one, and of both there are too few, a match between two saving two at most.
Whether the claim is what event and rules say, `pairopt check EVENT --proof FILE` says, not this.
Exit code 0: certified; 4: levels are open; 1: no proof; 3: the file is malformed.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, chain, combinations_with_replacement, repeat
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

DIGITS, PROGRAM = (
    re.compile("-?[0-9]{1,200}"),
    re.compile("pairopt [0-9A-Za-z.+-]{1,40}"),
)
MOST_BYTES, MOST_PLAYERS, MOST_LISTS, MOST_OBJECTS = 2**26, 3000, 1_500_000, 30_000
FILE = ["format", "version", "program", "claim", "witness"]
CLAIM = [
    "round",
    "model",
    "system",
    "seed",
    "options",
    "settings",
    "made_by",
    "rules",
    "event",
    "players",
    "pairing",
    "further",
    "levels",
    "kinds",
    "rows",
]
MODEL, STEP = ["shown", "prices", "sets"], ["levels", "kinds", "rows", "prices", "sets"]
AS_WRITTEN = "expected a file byte by byte as it is written"
OTHERS = "rows: the costs of a step are others by the rules"
ASKED = {
    "force": "{} forced",
    "forbid": "{} forbidden",
    "bye": "the bye for {}",
    "no_bye": "no bye for {}",
    "relax": "{} left out",
    "allow": "{} allowed",
    "allow_bye": "the bye allowed for {}",
    "published": "as few changes as can be to {}",
}
MOST_WORK = 100_000_000
"""How many numbers a verification may look at. Without this limit a small file could take days, by
sets that cross each other or by very many steps."""
Cost = list[int]
Costs = Callable[[list[int], list[int]], tuple[list[Cost], list[list[int]]]]
"""The kinds and rows of a step of these levels with these matches in question, by the rules."""


class InvalidProof(Exception):  # noqa: N818
    """The proof does not hold. (That a file is malformed is a ValueError.)"""


class Work:
    """Count the numbers that a verification looks at, so that there is an end."""

    def __init__(self, most: int = MOST_WORK) -> None:
        self.most = most
        self.done = 0

    def add(self, numbers: int) -> None:
        """Count some numbers before they are looked at. Raises ValueError above the limit."""
        self.done += numbers
        need(
            self.done <= self.most,
            f"expected a proof that takes fewer than {self.most} numbers",
        )


class ProofStatement(NamedTuple):
    """What a proof shows, in words, and of how many levels nothing."""

    said: str
    open: int


class Claim(NamedTuple):
    """What a claim says; `table` has the kind plus 2 of any two, the lower first, 1 for none.

    `ahead` is how many further rounds there have to be, `unplayed` the table of their matches.
    """

    players: dict[str, str]
    levels: list[list[Any]]
    kinds: list[list[Cost | None]]
    table: list[list[int]]
    ahead: int
    unplayed: list[list[int]]

    def cost(self, first: int, second: int) -> Cost:
        """What the match costs in which these have the sides."""
        low, high = sorted((first, second))
        code = self.table[low][high - low - 1]
        cost = self.kinds[code - 2][0 if first == low else -1] if code > 1 else None
        need(
            cost is not None,
            f"{first} and {second} are paired, who may not meet so",
            InvalidProof,
        )
        return cost or []

    def total(self, pairing: list[list[int]]) -> Cost:
        """What a pairing costs."""
        return [
            sum(level)
            for level in zip(*(self.cost(i, j) for i, j in pairing), strict=True)
        ]

    def matches(self, alike: list[int]) -> Counter[tuple[int, int, int]]:
        """Two classes of players, and what a match of theirs has in the table; how many have."""
        found = Counter[tuple[int, int, int]]()
        for i, row in enumerate(self.table):
            found.update(zip(repeat(alike[i]), alike[i + 1 :], row, strict=False))
        return found


def need(good: object, said: str, error: type[Exception] = ValueError) -> None:
    if not good:
        raise error(said)


def read(text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), "expected each key once")
        return dict(pairs)

    def whole(digits: str) -> int:
        need(
            DIGITS.fullmatch(digits),
            f"found {digits[:20]}, expected a whole number, or shorter",
        )
        return int(digits)

    need(len(text) <= MOST_BYTES, "expected a smaller file")
    need(
        text.count("[") <= MOST_LISTS and text.count("{") <= MOST_OBJECTS,
        "expected fewer lists",
    )
    return json.loads(
        text,
        object_pairs_hook=once,
        parse_int=whole,
        parse_float=whole,
        parse_constant=whole,
    )


def text_of(content: Any, key: str = "") -> str:
    """JSON without blanks, each key and step in its line, but for those of options."""
    if isinstance(content, dict) and key != "options":
        parts = (
            f"{text_of(name)}:{text_of(each, name)}" for name, each in content.items()
        )
        return "{" + ",\n".join(parts) + "}"
    if isinstance(content, list) and key == "steps":
        return (
            "["
            + ",\n".join(json.dumps(step, separators=(",", ":")) for step in content)
            + "]"
        )
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def keyed(data: Any, keys: list[str], what: str) -> Any:
    found = [*data] if isinstance(data, dict) else []
    wrong = sorted({*keys} ^ {*found}) or ["keys in another order"]
    need(found == keys, f"{what}: expected {', '.join(wrong)}")
    return data


def several(
    data: Any, key: str, kind: type = list, width: int | None = None
) -> list[Any]:
    """A list of things of one kind, each of so many."""
    good = isinstance(data, list) and all(type(each) is kind for each in data)
    need(
        good and (width is None or {*map(len, data)} <= {width}),
        f"{key}: expected a list",
    )
    return list(data)


def numbers(data: Any, key: str, width: int | None = None) -> list[int]:
    """A list of so many whole numbers."""
    found = several(data, key, int)
    need(width in (None, len(found)), f"{key}: expected {width} numbers")
    return found


def expanded(codes: list[int], count: int, most: int, key: str) -> list[int]:
    """So many numbers from 0 to the most, -k being k more as the last."""
    found = list[int]()
    for code in numbers(codes, key):
        need(
            code <= most and len(found) + max(1, -code) <= count, f"{key}: found {code}"
        )
        need(found or code >= 0, f"{key}: found {code} first")
        found += [code] if code >= 0 else [found[-1]] * -code
    need(len(found) == count, f"{key}: expected {count} numbers")
    return found


def members(lengths: list[int], count: int, key: str) -> list[int]:
    """The players of a set by the lengths of runs, of those not in it and those who are."""
    need(min(numbers(lengths, key), default=0) >= 0, f"{key}: expected lengths")
    ends = [*accumulate(lengths)]
    need(not ends or ends[-1] <= count, f"{key}: expected no more than {count}")
    return [*chain.from_iterable(map(range, ends[::2], ends[1::2]))]


def matched(data: Any, count: int, key: str) -> list[list[int]]:
    """Matches that hold each player once."""
    found = several(data, key, list, 2)
    seats = numbers([*chain.from_iterable(found)], key)
    need(sorted(seats) == [*range(count)], f"{key}: expected each of {count} once")
    return found


def read_claim(data: Any) -> Claim:
    """What is claimed of matches. Raises ValueError where it is malformed."""
    names, system = several(data["players"], "players", list, 2), data["system"]
    several([*chain.from_iterable(names)], "players", str)
    players, count = dict(names), len(names) + len(names) % 2
    need(0 < len(names) <= MOST_PLAYERS, f"players: expected at most {MOST_PLAYERS}")
    need(len(players) == len(names), "players: a name twice")
    need(system is None or type(system) is str, "system: expected a name")
    levels = several(data["levels"], "levels", list, 6)
    numbers([*chain.from_iterable(level[3:] for level in levels)], "levels")
    kinds, width = several(data["kinds"], "kinds"), 0 if system else len(levels)
    for kind in kinds:
        ways = [way for way in kind if way is not None]
        need(ways and len(kind) <= 2, "kinds: expected one way or two")
        for way in several(ways, "kinds"):
            numbers(way, "kinds", width)
    table, ahead = table_of(data["rows"], count, len(kinds) + 1, "rows"), ahead_of(data)
    unplayed = table_of(data["unplayed"], count, 2, "unplayed") if ahead else []
    return Claim(players, levels, kinds, table, ahead, unplayed)


def ahead_of(data: Any) -> int:
    """How many further rounds a claim is about."""
    need(isinstance(data, dict), f"claim: expected {', '.join(CLAIM)}")
    need(
        isinstance(settings := data.get("settings"), dict),
        "settings: expected an object",
    )
    (ahead,) = numbers([settings.get("lookahead")], "settings")
    need(ahead >= 0, "settings: expected a number of rounds")
    return ahead


def table_of(rows: Any, count: int, most: int, key: str) -> list[list[int]]:
    """What is in rows of any two players, the lower first."""
    table, above = list[list[int]](), [1] * count
    need(len(several(rows, key)) == count - 1, f"{key}: expected one a player")
    for i, row in enumerate(rows, 1):
        codes = expanded(row, count - i, most, key)
        above = [code or last for code, last in zip(codes, above[1:], strict=True)]
        table.append(above)
    return table


class StepDuals(NamedTuple):
    """Prices of a step, twice as much: `alike` are players of one price and the same sets.

    `inside` has the sets of a class of players, as bits. `pays` is what a class pays for itself and
    for all its sets; `shared` what some sets together cost, by their bits.
    """

    alike: list[int]
    own: list[Cost]
    inside: list[int]
    sets: list[Cost]
    pays: list[Cost]
    shared: dict[int, Cost]
    work: Work

    def paid(self, a: int, b: int) -> Cost:
        """Return what a match of two classes has to pay: a set that holds both is not left."""
        total = [*map(add, self.pays[a], self.pays[b])]
        both = self.inside[a] & self.inside[b]
        if not both:
            return total
        return [
            paid - 2 * within
            for paid, within in zip(total, self.together(both), strict=True)
        ]

    def together(self, some: int) -> Cost:
        """Return what some sets cost together.

        Sets that do not cross each other have no more intersections than there are sets, so each
        sum is made once.
        """
        if some not in self.shared:
            members = bits(some)
            self.work.add((1 + len(members)) * len(self.own[0]))
            rows = [self.sets[k] for k in members]
            self.shared[some] = [sum(level) for level in zip(*rows, strict=True)]
        return self.shared[some]


def prices_of(at: Any, count: int, total: Cost, work: Work | None = None) -> StepDuals:
    """Read the prices of a step in which the pairing costs so much."""
    work = work or Work()
    nothing, least = [0] * len(total), [2 * cost for cost in total]
    own, inside, sets = [nothing] * count, [0] * count, list[Cost]()
    for key in ("prices", "sets"):
        for price, lengths in several(at[key], key, list, 2):
            some = members(lengths, count, key)
            work.add(1 + len(some) + len(total))
            numbers(price, key, len(total))
            times = len(some) if key == "prices" else 1
            least = [
                rest - times * each for rest, each in zip(least, price, strict=True)
            ]
            if key == "sets":
                good = len(some) % 2 and price >= nothing
                need(
                    good,
                    f"set {len(sets)} is even, or its price is below 0",
                    InvalidProof,
                )
                need(len(sets) < count, "sets: expected no more than players")
                sets.append(price)
            for v in some:
                if key == "sets" and price != nothing:
                    inside[v] |= 1 << len(sets) - 1
                elif key == "prices":
                    need(own[v] is nothing, f"prices: player {v} twice")
                    own[v] = price
    need(
        least == nothing,
        "all prices together are not what the pairing costs",
        InvalidProof,
    )

    named = dict[tuple[int, int], int]()
    alike = [
        named.setdefault((id(own[v]), inside[v]), len(named)) for v in range(count)
    ]
    first = dict[int, int]()
    for v, a in enumerate(alike):
        first.setdefault(a, v)
    own, inside = [own[v] for v in first.values()], [inside[v] for v in first.values()]
    prices = StepDuals(alike, own, inside, sets, [], {0: nothing}, work)
    for price, within in zip(own, inside, strict=True):
        prices.pays.append([*map(add, price, prices.together(within))])
    return prices


def proven(
    claim: Claim, pairing: list[list[int]], at: Any, work: Work
) -> tuple[int, str]:
    """Check the one step of a model; how many levels are open, and what is said of these."""
    total, count = claim.total(pairing), 2 * len(pairing)
    agree(claim.levels, total)
    (shown,) = numbers([at.get("shown") if isinstance(at, dict) else None], "shown")
    need(0 <= shown <= len(total), "shown: expected a number of levels")
    left = len(total) - shown
    keyed(at, [*MODEL, "counter", "components"] if left else MODEL, "witness")
    prices = prices_of(at, count, total[:shown], work)
    matches = claim.matches(prices.alike)
    work.add(len(matches) * (1 + shown))
    for a, b, code in matches:
        if code > 1:
            ways = [way[:shown] for way in claim.kinds[code - 2] if way is not None]
            least = [2 * cost for cost in min(ways)]
            need(
                prices.paid(a, b) <= least,
                "a match costs less than prices",
                InvalidProof,
            )
    if not left:
        return 0, ""
    need(claim.ahead, "open levels, but no further rounds are asked for", InvalidProof)
    counter = matched(at["counter"], count, "counter")
    other = claim.total(counter)
    good = other[:shown] == total[:shown] and other[shown] < total[shown]
    need(
        good,
        "counter: expected a pairing that is better in the first open level",
        InvalidProof,
    )
    where = f" in the first {shown} levels; of the other {left} nothing is shown"
    if claim.ahead > 1 and at["components"] is None:
        return (
            left,
            f"{where}, and that the counter-pairing leaves no room is the engine's word",
        )
    unplayed = [[*row] for row in claim.unplayed]
    for i, j in map(sorted, counter):
        unplayed[i][j - i - 1] = 1
    impossible(claim._replace(table=unplayed), at["components"], count, claim.ahead)
    return left, f"{where} but that a better pairing leaves no room for further rounds"


def agree(levels: list[list[Any]], total: Cost) -> None:
    same = [value - offset for *_, value, offset, _ in levels] == total
    need(same, f"levels: the pairing has {total}, without their offset", InvalidProof)


def walked(
    claim: Claim,
    pairing: list[list[int]],
    steps: list[Any],
    costs: Costs | None,
    work: Work,
) -> None:
    """Check each step; `alive` are the matches in question: of each player the others, as bits."""
    count, done = 2 * len(pairing), 0
    alive = [0] * count
    for i, row in enumerate(claim.table):
        for j in [j for j, code in enumerate(row, i + 1) if code > 1]:
            alive[i] |= 1 << j
            alive[j] |= 1 << i
    for at in steps:
        keyed(at, STEP, "step")
        levels = numbers(at["levels"], "levels")
        new, done = done, max(levels, default=-1) + 1
        good = (
            levels == sorted({*levels})
            and levels[:1] >= [0]
            and new < done <= len(claim.levels)
        )
        need(
            good and levels[new - done :] == [*range(new, done)],
            "levels: not in order",
            InvalidProof,
        )
        if costs is not None:
            need(
                costs(levels, alive) == (at["kinds"], at["rows"]), OTHERS, InvalidProof
            )
        narrow([claim.levels[k] for k in levels], pairing, at, alive, work)
    need(done == len(claim.levels), "steps: expected all levels", InvalidProof)


def narrow(
    levels: list[list[Any]],
    pairing: list[list[int]],
    at: Any,
    alive: list[int],
    work: Work,
) -> None:
    """Check the prices of a step, and take what costs more out of question."""
    kinds, listed = several(at["kinds"], "kinds"), dict[int, dict[int, int]]()
    nothing = [0] * len(levels)
    twice = [
        [2 * cost for cost in numbers(kind, "kinds", len(levels))] for kind in kinds
    ]
    need(twice[:1] == [nothing], "kinds: expected the first to cost nothing")
    had = read_rows(at["rows"], len(kinds), alive, listed, work)
    mine = [listed.get(i, {}).get(j, listed.get(j, {}).get(i, 0)) for i, j in pairing]
    total = [
        sum(level) // 2 for level in zip(*map(twice.__getitem__, mine), strict=True)
    ]
    agree(levels, total)
    prices = prices_of(at, len(alive), total, work)

    def settle(i: int, others: int, b: int, code: int) -> None:
        """Matches of a player with others of a class, which are of a kind."""
        paid = prices.paid(prices.alike[i], b)
        if others and paid != twice[code]:
            need(
                paid < twice[code],
                f"a match in question of {i} costs less than prices",
                InvalidProof,
            )
            alive[i] &= ~others
            for j in bits(others):
                alive[j] &= ~(1 << i)

    for i, row in listed.items():
        groups = dict[tuple[int, int], int]()
        for j, code in row.items():
            key = prices.alike[j], code
            groups[key] = groups.get(key, 0) | 1 << j
        work.add(len(groups) * len(levels))
        for (b, code), others in groups.items():
            settle(i, others, b, code)

    rest, players = [0] * len(prices.own), [list[int]() for _ in prices.own]
    for i, a in enumerate(prices.alike):
        if not had >> i & 1:
            rest[a] |= 1 << i
            players[a].append(i)
    work.add(len(rest) * (len(rest) + 1) // 2 * len(levels))
    for a, b in combinations_with_replacement([*range(len(rest))], 2):
        some = players[a] if prices.paid(a, b) != nothing else []
        work.add(len(some) * len(levels))
        for i in some:
            settle(i, alive[i] & rest[b], b, 0)


def read_rows(
    rows: Any,
    kinds: int,
    alive: list[int],
    listed: dict[int, dict[int, int]],
    work: Work,
) -> int:
    """Read of which kinds the matches of some players are that are in question.

    They go into `listed`, by players and opponents. Returns these players, as bits.
    """
    had = 0
    for each in several(rows, "rows"):
        need(each, "rows: expected players")
        v, *codes = numbers(each, "rows")
        need(
            0 <= v < len(alive) and not had >> v & 1,
            "rows: expected players, each once",
        )
        ends = bits(alive[v] & ~had)
        work.add(1 + len(ends))
        read = expanded(codes, len(ends), kinds - 1, "rows")
        listed[v] = dict(zip(ends, read, strict=True))
        had |= 1 << v
    return had


def bits(mask: int) -> list[int]:
    if 8 * mask.bit_count() > mask.bit_length():
        return [k for k, digit in enumerate(reversed(bin(mask))) if digit == "1"]
    found = list[int]()
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return found


def impossible(claim: Claim, components: Any, count: int, rounds: int = 1) -> None:
    """Check that there are not so many pairings without a match in common."""
    parts = [
        members(part, count, "components") for part in several(components, "components")
    ]
    part_of = [0] * count
    for k, v in [(k, v) for k, part in enumerate(parts, 1) for v in part]:
        need(not part_of[v], f"components: player {v} twice")
        part_of[v] = k
    between = sum(
        times
        for (a, b, code), times in claim.matches(part_of).items()
        if code > 1 and a != b and a and b
    )
    odd = sum(len(part) % 2 for part in parts)
    good = 2 * between < rounds * (odd - part_of.count(0))
    need(
        good, f"too few components are odd, as {between} matches join two", InvalidProof
    )


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def asked(claim: Any, names: dict[str, str]) -> str:
    """What was asked for, in words."""
    need(isinstance(options := claim["options"], dict), "options: expected an object")
    said = []
    for key, value in options.items():
        every = [*map(listed, listed(value))]
        told = [" - ".join(names.get(str(p), str(p)) for p in one) for one in every]
        said.append(
            ASKED.get(key, f"{key.replace('_', ' ')} {{}}").format(", ".join(told))
        )
    return f" among those with {'; '.join(said)}" if said else ""


def verify(
    data: Any, costs: Costs | None = None, work: Work | None = None
) -> ProofStatement:
    """What a proof shows. Raises Wrong, or ValueError where it is malformed, or takes too long."""
    work = work or Work()
    need(
        isinstance(data, dict) and data.get("format") == "pairopt-proof",
        "expected a proof",
    )
    if repr(data.get("version")) in ("1", "2"):
        need(False, f"version {data['version']} names no claim: write the proof anew")
    keyed(data, FILE, "the file")
    need(repr(data["version"]) == "3", "version: expected 3")
    need(
        PROGRAM.fullmatch(str(data["program"])),
        "program: expected its name and version",
    )
    keys = [*CLAIM, "unplayed"] if ahead_of(data["claim"]) else CLAIM
    stated, witness = keyed(data["claim"], keys, "claim"), data["witness"]
    claim, pairing = read_claim(stated), stated["pairing"]
    count, further = len(claim.table) + 1, several(stated["further"], "further")
    among = asked(stated, claim.players)
    if pairing is None:
        keyed(witness, ["components"], "witness")
        need(not further and not claim.levels, "levels: of no pairing")
        impossible(claim, witness["components"], count)
        return ProofStatement(f"There is no pairing{among}.", 0)
    claim.total(matched(pairing, count, "pairing"))
    need(
        pairing == sorted(pairing, key=min),
        "pairing: expected the order of the lower numbers",
    )
    need(
        len(further) == claim.ahead,
        f"further: expected {claim.ahead} rounds",
        InvalidProof,
    )
    rounds = [sorted(map(sorted, matched(turn, count, "further"))) for turn in further]
    need(further == sorted(rounds), "further: expected ascending order")
    later = [(i, j) for turn in rounds for i, j in turn]
    met = {*later, *((min(pair), max(pair)) for pair in pairing)}
    need(2 * len(met) == count * (1 + len(further)), "two meet twice", InvalidProof)
    new = all(claim.unplayed[i][j - i - 1] > 1 for i, j in later)
    need(new, "further: two have met before", InvalidProof)
    left, where = 0, ""
    if stated["system"] is None:
        left, where = proven(claim, pairing, witness, work)
    else:
        steps = several(keyed(witness, ["steps"], "witness")["steps"], "steps", dict)
        walked(claim, pairing, steps, costs, work)
    return ProofStatement(
        f"No pairing of these {len(claim.players)} players is better{among}{where}.",
        left,
    )


def verify_file(content: bytes) -> ProofStatement:
    """The same of a file, which has to be as it was written, byte by byte."""
    found = verify(data := read(text := content.decode()))
    need(f"{text_of(data)}\n" == text, AS_WRITTEN)
    return found


if __name__ == "__main__":
    try:
        content = Path(*sys.argv[1:2]).read_bytes()
        found = verify_file(content)
        print(
            "The proof holds:",
            ascii(found.said)[1:-1],
            hashlib.sha256(content).hexdigest(),
        )
    except (InvalidProof, OSError, RecursionError, ValueError) as error:
        print(f"No proof: {error!a}")
        sys.exit(1 if isinstance(error, InvalidProof) else 3)
    sys.exit(4 if found.open else 0)
