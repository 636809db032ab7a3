"""A forger of proofs: whole files for worse pairings, with prices of its own.

    python tests/attack_proofs/forger.py --files 5000 --seed 0

prints how many files of each lie had which verdict at both doors, and every breach.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

if __name__ == "__main__":
    HERE = Path(__file__).resolve().parent
    sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "support")]

from proofs_codec import (
    Cost,
    File,
    Table,
    in_question,
    ordered,
    pairings,
    put_step,
    put_table,
    runs_of,
    step_table,
    table_of,
    text_of,
    total,
    true_by_itself,
    vertices,
)
from proofs_duals import witness_of
from proofs_world import MODELS, SYSTEMS, World, door_a, door_b, fault, small

import pairopt
from pairopt.errors import PairoptError

Forged = tuple[str, bytes]
Pairing = list[tuple[int, int]]

# ---------------------------------------------------------------------- lies about costs


def lies(
    claim: File, table: Table, rng: Random, other: Table | None
) -> Iterator[tuple[str, Table]]:
    """Tables of costs that are not the event's."""
    n, width = vertices(claim), len(claim["levels"])
    odd = len(claim["players"]) % 2
    nothing = (0,) * width

    def each(change: Any) -> Table:
        return {arc: tuple(change(arc, cost)) for arc, cost in table.items()}

    blind = {}
    for one, two in table:
        both = [table[arc] for arc in ((one, two), (two, one)) if arc in table]
        blind[one, two] = min(both)
        if two < n - odd:
            blind[two, one] = min(both)
    yield "side-blind", blind
    yield "the cheaper way", {arc: blind[arc] for arc in table}
    bye = n - 1 if odd else n
    yield (
        "turned",
        {(a, b) if b == bye else (b, a): cost for (a, b), cost in table.items()},
    )
    yield "all zero", dict.fromkeys(table, nothing)
    if width:
        k = rng.randrange(width)
        yield "first levels", each(lambda _, c: (*c[:k], *nothing[k:]))
        yield "last levels", each(lambda _, c: (*nothing[:k], *c[k:]))
        yield "a level left out", each(lambda _, c: (*c[:k], 0, *c[k + 1 :]))
        most = max(cost[k] for cost in table.values())
        yield (
            "a level the other way",
            each(lambda _, c: (*c[:k], most - c[k], *c[k + 1 :])),
        )
        yield "a level doubled", each(lambda _, c: (*c[:k], 2 * c[k], *c[k + 1 :]))
        yield "a level shifted", each(lambda _, c: (*c[:k], c[k] + 1, *c[k + 1 :]))
        order = rng.sample(range(width), width)
        yield "levels in another order", each(lambda _, c: [c[i] for i in order])
        weights = [rng.randint(1, 9) for _ in range(width)]
        yield (
            "one weighted sum",
            each(
                lambda _, c: (
                    sum(w * x for w, x in zip(weights, c, strict=True)),
                    *nothing[1:],
                )
            ),
        )
        yield "noise", each(lambda _, c: [x + (rng.random() < 0.2) for x in c])
        yield "rises with the number", each(lambda a, c: (abs(a[0] - a[1]), *c[1:]))
    swap = rng.sample(range(n - odd), 2)
    seat = {swap[0]: swap[1], swap[1]: swap[0]}
    yield (
        "two exchanged",
        {(seat.get(a, a), seat.get(b, b)): cost for (a, b), cost in table.items()},
    )
    every = dict.fromkeys(combinations(range(n), 2), nothing) | table
    yield "everybody may meet", every
    arc = rng.choice(sorted(table))
    yield (
        "one forced",
        {k: c for k, c in table.items() if arc == k or not {*arc} & {*k}},
    )
    yield "some forbidden", {k: c for k, c in table.items() if rng.random() < 0.8}
    if other is not None:
        yield "another model", {k: (*c, *nothing)[:width] for k, c in other.items()}


# ---------------------------------------------------------------------- files of models


def put(file: File, pairing: Pairing, values: Cost | None) -> None:
    """The pairing and the values of a file."""
    claim = file["claim"]
    claim["pairing"] = ordered(pairing)
    if values is not None:
        for level, value in zip(claim["levels"], values, strict=True):
            level[3] = value + level[4]


def of_model(
    world: World, file: File, rng: Random, other: Table | None
) -> Iterator[Forged]:
    """Forged files of a model."""
    claim = file["claim"]
    table, n, width = table_of(claim), vertices(claim), len(claim["levels"])
    every = list(pairings(n, table))
    best = min((total(table, each, width) for each in every), default=None)
    if best is None:
        return
    worse = [each for each in every if total(table, each, width) != best]
    for name, lied in lies(claim, table, rng, other):
        found = list(pairings(n, lied))
        if not found:
            empty = copy.deepcopy(file)
            put_table(empty["claim"], lied)
            empty["claim"]["pairing"], empty["claim"]["further"] = None, []
            empty["witness"] = {"components": [runs_of([p]) for p in range(n)]}
            yield name + ": none", text_of(empty)
            continue
        sums = [total(lied, each, width) for each in found]
        least = min(sums)
        first = [each for each, sum_ in zip(found, sums, strict=True) if sum_ == least]
        wrong = [
            e
            for e in first
            if any(a not in table for a in e) or total(table, e, width) != best
        ]
        pairing = rng.choice(wrong or first)
        yield from _three_ways(name, file, table, lied, pairing, width)
    # prices of no lie at all, that show nothing
    if worse:
        pairing = rng.choice(worse)
        sets = {
            "no players": [frozenset[int]()],
            "all players": [frozenset(range(n))],
            "twos": [frozenset(some) for some in combinations(range(n), 2)],
            "fours": [frozenset(some) for some in combinations(range(n), 4)],
            "ones": [frozenset([p]) for p in range(n)],
        }
        for name, some in sets.items():
            witness = witness_of(n, table, pairing, width, some)
            if witness is not None:
                yield f"sets of {name}", _with(file, pairing, table, witness)
        for name, some in [*sets.items(), ("odd", None)]:
            witness = witness_of(n, table, pairing, width, some, negative=True)
            if witness is not None:
                yield f"negative sets of {name}", _with(file, pairing, table, witness)
        yield from _open(file, table, pairing, every, width, rng)
        yield from _structure(file, table, pairing, every, width, rng)


def _with(file: File, pairing: Pairing, table: Table, witness: File) -> bytes:
    new = copy.deepcopy(file)
    width = len(file["claim"]["levels"])
    put(new, pairing, total(table, pairing, width))
    new["witness"] = {"shown": width, **witness}
    return text_of(new)


def _three_ways(
    name: str, file: File, table: Table, lied: Table, pairing: Pairing, width: int
) -> Iterator[Forged]:
    """The lie stated; the lie in the prices alone; the lie with true values."""
    n = vertices(file["claim"])
    witness = witness_of(n, lied, pairing, width)
    if witness is None:
        return
    new = copy.deepcopy(file)
    put_table(new["claim"], lied)
    put(new, pairing, total(lied, pairing, width))
    new["witness"] = {"shown": width, **witness}
    yield name, text_of(new)
    if all(arc in table for arc in pairing):
        yield name + ", prices alone", _with(file, pairing, table, witness)
        put(new, pairing, total(table, pairing, width))
        yield name + ", true values", text_of(new)


def _open(
    file: File,
    table: Table,
    pairing: Pairing,
    every: list[Pairing],
    width: int,
    rng: Random,
) -> Iterator[Forged]:
    """Levels left open, and further rounds."""
    n = vertices(file["claim"])
    mine = total(table, pairing, width)
    for shown in range(width):
        counters = [
            each
            for each in every
            if total(table, each, width)[:shown] == mine[:shown]
            and total(table, each, width)[shown] < mine[shown]
        ]
        for ahead in sorted({0, 1, file["claim"]["settings"]["lookahead"]}):
            new = copy.deepcopy(file)
            put(new, pairing, mine)
            new["claim"]["settings"]["lookahead"] = ahead
            if ahead and not file["claim"]["options"].get("lookahead"):
                new["claim"]["options"] = {"lookahead": ahead}
            seats = [
                k
                for k in every
                if not {frozenset(a) for a in k} & {frozenset(a) for a in pairing}
            ]
            new["claim"]["further"] = [
                sorted([sorted(a) for a in rng.choice(seats or every)])
                for _ in range(ahead)
            ]
            best = min(total(table, each, width)[:shown] for each in every)
            if counters and best == mine[:shown]:
                witness = witness_of(n, table, pairing, shown)
                if witness is not None:
                    new["witness"] = {
                        "shown": shown,
                        **witness,
                        "counter": ordered(counters[0]),
                        "components": None,
                    }
                    yield f"open with lookahead {ahead}", text_of(new)
            new["witness"] = {"shown": shown, "prices": [], "sets": []}
            new["witness"]["counter"] = ordered((counters or every)[0])
            yield f"open at random with lookahead {ahead}", text_of(new)


def _structure(
    file: File,
    table: Table,
    pairing: Pairing,
    every: list[Pairing],
    width: int,
    rng: Random,
) -> Iterator[Forged]:
    """Claims of another form."""
    n = vertices(file["claim"])

    def made(change: Any) -> bytes:
        new = copy.deepcopy(file)
        put(new, pairing, total(table, pairing, width))
        change(new)
        return text_of(new)

    def no_levels(new: File) -> None:
        new["claim"]["levels"] = []
        put_table(new["claim"], dict.fromkeys(table, ()))
        new["witness"] = {"shown": 0, "prices": [], "sets": []}

    def fewer_levels(new: File) -> None:
        k = rng.randrange(width)
        new["claim"]["levels"] = new["claim"]["levels"][:k]
        put_table(new["claim"], {arc: cost[:k] for arc, cost in table.items()})
        new["witness"] = {
            "shown": k,
            **(witness_of(n, table, pairing, k) or {"prices": [], "sets": []}),
        }

    def fewer_shown(new: File) -> None:
        new["witness"] = {"shown": 0, "prices": [], "sets": []}

    def nothing_fits(new: File) -> None:
        new["claim"]["pairing"], new["claim"]["further"] = None, []
        new["witness"] = {"components": [runs_of([p]) for p in range(n)]}

    def nobody_left(new: File) -> None:
        new["claim"]["pairing"], new["claim"]["further"] = None, []
        new["witness"] = {"components": [runs_of([p]) for p in range(0, n, 2)]}

    def system(new: File) -> None:
        new["claim"]["system"] = "dutch"
        steps = [
            {"levels": [k], "kinds": [[0]], "rows": [], "prices": [], "sets": []}
            for k in range(width)
        ]
        new["witness"] = {"steps": steps}

    def doubled_player(new: File) -> None:
        new["claim"]["players"][0] = new["claim"]["players"][1]

    def doubled_match(new: File) -> None:
        new["claim"]["pairing"][-1] = new["claim"]["pairing"][0]

    def other_order(new: File) -> None:
        players = len(new["claim"]["players"])
        seat = [*rng.sample(range(players), players), *range(players, n)]
        new["claim"]["players"] = [
            new["claim"]["players"][seat.index(k)] for k in range(players)
        ]
        moved = {(seat[a], seat[b]): cost for (a, b), cost in table.items()}
        put_table(new["claim"], moved)
        new["claim"]["pairing"] = ordered([(seat[a], seat[b]) for a, b in pairing])

    def offset(new: File) -> None:
        best = min(total(table, each, width) for each in every)
        for level, own, least in zip(
            new["claim"]["levels"], total(table, pairing, width), best, strict=True
        ):
            level[4] += own - least

    def own_offset(new: File) -> None:
        for level in new["claim"]["levels"]:
            level[3] = level[4]

    for change in (
        no_levels,
        fewer_shown,
        nothing_fits,
        nobody_left,
        system,
        doubled_player,
        doubled_match,
        other_order,
        offset,
        own_offset,
        *([fewer_levels] if width else []),
    ):
        yield change.__name__.replace("_", " "), made(change)
    if file["claim"]["further"]:
        for name, further in {
            "no further round": [],
            "the same again": [sorted(map(sorted, pairing))]
            * len(file["claim"]["further"]),
            "too many": file["claim"]["further"] * 2,
        }.items():
            new = copy.deepcopy(file)
            new["claim"]["further"] = further
            yield name, text_of(new)


# ---------------------------------------------------------------------- files of systems


def of_system(world: World, file: File, rng: Random) -> Iterator[Forged]:
    """Forged files of one of FIDE's systems."""
    claim = file["claim"]
    table, n = table_of(claim), vertices(claim)
    if "steps" not in file["witness"]:
        return
    every = list(pairings(n, table))
    mine = {tuple(pair) for pair in claim["pairing"]}
    worse = [each for each in every if set(each) != mine]
    a, b = rng.choice(sorted(mine))
    turned = [pair if pair != (a, b) else (b, a) for pair in sorted(mine)]
    targets = [("worse", each) for each in rng.sample(worse, min(2, len(worse)))]
    for name, pairing in [*targets, ("turned", turned)]:
        legal = all(arc in table for arc in pairing)
        same = copy.deepcopy(file)
        same["claim"]["pairing"] = ordered(pairing)
        yield f"{name}: the true chain", text_of(same)
        if not legal:
            wider = dict(table)
            for arc in pairing:
                wider.setdefault(arc, ())
            put_table(same["claim"], wider)
            yield f"{name}: made legal", text_of(same)
            table_used = wider
        else:
            table_used = table
        for how in ("zero", "cheap", "zero from there", "cheap, values of the best"):
            new = _chain(file, table_used, pairing, how)
            if new is not None:
                yield f"{name}: {how}", text_of(new)
        one = copy.deepcopy(file)
        put(one, pairing, None)
        width = len(one["claim"]["levels"])
        one["witness"]["steps"] = [
            {
                "levels": [*range(width)],
                "kinds": [[0] * width],
                "rows": [],
                "prices": [],
                "sets": [],
            }
        ]
        yield f"{name}: all levels in one step", text_of(one)
        for change in ("last", "none", "again", "order", "late"):
            new = _chain(file, table_used, pairing, "zero from there")
            if new is None:
                continue
            steps = new["witness"]["steps"]
            k = rng.randrange(len(steps))
            if change == "last":
                steps.pop()
            elif change == "none":
                steps.pop(k)
            elif change == "again":
                steps.insert(k, copy.deepcopy(steps[k]))
            elif change == "order":
                rng.shuffle(steps)
            else:
                steps.append(
                    {"levels": [], "kinds": [[]], "rows": [], "prices": [], "sets": []}
                )
            yield f"{name}: steps, {change}", text_of(new)
        gone = copy.deepcopy(file)
        gone["claim"]["system"] = None
        gone["claim"]["pairing"] = ordered(pairing)
        width = len(gone["claim"]["levels"])
        put_table(gone["claim"], dict.fromkeys(table_used, (0,) * width))
        for level in gone["claim"]["levels"]:
            level[3] = level[4]
        gone["witness"] = {"shown": width, "prices": [], "sets": []}
        yield f"{name}: as a model", text_of(gone)
    new = copy.deepcopy(file)
    new["claim"]["pairing"] = None
    new["witness"] = {"components": [runs_of([p]) for p in range(n)]}
    yield "nothing fits", text_of(new)
    steps = file["witness"]["steps"]
    for k in range(len(steps)):
        new = copy.deepcopy(file)
        new["witness"]["steps"][k] |= {"prices": [], "sets": []}
        yield "a step without prices", text_of(new)
        if k:
            new = copy.deepcopy(file)
            both = new["witness"]["steps"]
            both[k - 1 : k + 1] = both[k - 1 : k + 1][::-1]
            yield "two steps exchanged", text_of(new)


def _chain(file: File, table: Table, pairing: Pairing, how: str) -> File | None:
    """A chain of its own, that says that `pairing` is the best."""
    new = copy.deepcopy(file)
    claim, n = new["claim"], vertices(new["claim"])
    put_table(claim, table)
    claim["pairing"] = ordered(pairing)
    asked = {(min(a), max(a)) for a in table}
    lost = False
    mine = [(min(a), max(a)) for a in pairing]
    for step in new["witness"]["steps"]:
        width = len(step["levels"])
        nothing = (0,) * width
        try:
            costs = step_table(n, step, asked)
        except (ValueError, IndexError):
            lost = True  # rows are of other matches in question from here on
            costs = {}
        costs = {pair: costs.get(pair, nothing) for pair in asked}
        if how == "zero" or (how == "zero from there" and lost):
            costs = dict.fromkeys(asked, nothing)
        left = list(pairings(n, sorted(asked)))
        best = min(total(costs, each, width) for each in left)
        if total(costs, mine, width) != best:
            lost = True
            if how == "zero from there":
                costs = dict.fromkeys(asked, nothing)
            else:
                costs = {
                    pair: nothing if pair in mine else cost
                    for pair, cost in costs.items()
                }
        single = all(claim["levels"][k][0].startswith("4.") for k in step["levels"])
        witness = witness_of(
            n, {**costs, **{p[::-1]: c for p, c in costs.items()}}, mine, width
        )
        if witness is None:
            return None
        put_step(n, step, costs, single)
        step |= witness
        if how != "cheap, values of the best":
            for k, value in zip(step["levels"], total(costs, mine, width), strict=True):
                claim["levels"][k][3] = value + claim["levels"][k][4]
        asked = in_question(n, step, costs)
    return new


# ---------------------------------------------------------------------- tricks of writing


def tricks(world: World, file: File, rng: Random) -> Iterator[Forged]:
    """A worse pairing, or the true file, written otherwise."""
    text = text_of(file)
    claim = file["claim"]
    if claim["pairing"] is None:
        return
    n, table = vertices(claim), table_of(claim)
    true = json.dumps(claim["pairing"], separators=(",", ":")).encode()
    every = list(pairings(n, table))
    other = ordered(rng.choice(every))
    worse = json.dumps(other, separators=(",", ":")).encode()
    key = b'"pairing":'
    yield (
        "key twice, worse first",
        text.replace(key + true, key + worse + b',\n"pairing":' + true),
    )
    yield (
        "key twice, worse last",
        text.replace(key + true, key + true + b',\n"pairing":' + worse),
    )
    yield "claim twice", text.replace(b'"claim":', b'"claim":{},\n"claim":', 1)
    yield "witness twice", text.replace(b'"witness":', b'"witness":{},\n"witness":', 1)
    yield (
        "key escaped",
        text.replace(key + true, key + true + b',\n"pairin\\u0067":' + worse),
    )
    yield "BOM", b"\xef\xbb\xbf" + text
    yield "UTF-16", text.decode().encode("utf-16")
    yield "trailing blank", text + b" "
    yield "trailing line", text + b"\n"
    yield "trailing object", text + b"{}\n"
    yield "trailing NUL", text + b"\0"
    yield "no last line break", text[:-1]
    yield "CRLF", text.replace(b"\n", b"\r\n")
    yield "CR", text.replace(b"\n", b"\r")
    yield "LINE SEPARATOR", text.replace(b"\n", "\u2028".encode())
    yield "one line", text.replace(b"\n", b"")
    yield "leading blank", b" " + text
    yield "comment", b"// a proof\n" + text
    yield "empty", b""
    yield "a list", b"[" + text + b"]"
    for word in (
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e2",
        b"2.0",
        b"true",
        b"null",
        b'"2"',
        b"-0",
        b"02",
        b"+2",
        b"0x2",
        "٢".encode(),
        b"2" * 400,
        b"2" * 5000,
        b"[2]",
    ):
        yield (
            f"round {word[:9]!r}",
            text.replace(b'"round":%d' % claim["round"], b'"round":' + word),
        )
        yield (
            f"first player {word[:9]!r}",
            text.replace(key + true, key + b"[[" + word + true[true.index(b",") :]),
        )
    for one, two in (
        ("p", "\u0440"),
        ("p", "P"),
        ("p", "p\u200b"),
        ("p", "\\u0070"),
        ("p", "p\u0301"),
        ("1", "\uff11"),
        ("1", "1 "),
        ("1", "\\u0031"),
    ):
        start = text.index(b'"players":')
        end = text.index(b"\n", start)
        yield (
            f"name {one!r} as {two!r}",
            (
                text[:start]
                + text[start:end].replace(one.encode(), two.encode(), 1)
                + text[end:]
            ),
        )
    new = copy.deepcopy(file)
    new["claim"]["pairing"] = [pair[::-1] for pair in claim["pairing"]]
    yield "all turned", text_of(new)
    new = copy.deepcopy(file)
    new["claim"]["pairing"] = claim["pairing"][::-1]
    yield "pairing in another order", text_of(new)
    for k in range(len(claim["pairing"])):
        new = copy.deepcopy(file)
        new["claim"]["pairing"][k].reverse()
        yield "one turned", text_of(new)
    for runs in ([], [0], [0, 0], [0, 1], [0, -1], [0, 3, 0, 1], [1, 3, -3, 2], [0, 10**9],
                 [n, 1], [-3, 3], [0, n - 1], [0, 2**70], [0, True], [0, 1.0]):  # fmt: skip
        new = copy.deepcopy(file)
        steps = new["witness"].get("steps", [new["witness"]])
        if "sets" in steps[0]:
            width = new["witness"].get("shown", len(steps[0].get("levels", [])))
            steps[0]["sets"].append([[2] + [0] * (width - 1) if width else [], runs])
            yield f"a set of runs {runs}", text_of(new)
            steps[0]["sets"][-1][0] = [0] * width
            yield f"a set at no price, runs {runs}", text_of(new)
            steps[0]["sets"].pop()
            steps[0]["prices"].append([[2] + [0] * (width - 1) if width else [], runs])
            yield f"a price of runs {runs}", text_of(new)


# ---------------------------------------------------------------------- the sweep


def forgeries(world: World, rng: Random) -> Iterator[Forged]:
    """All forged files of one round."""
    try:
        proof = world.solved()
    except PairoptError:
        return  # a model that says nothing of this event
    if proof is None:
        return
    file = json.loads(proof.text)
    if file["claim"]["system"] is not None:
        yield from of_system(world, file, rng)
    else:
        yield from of_model(world, file, rng, _other(world, file, rng))
    yield from tricks(world, file, rng)


def _other(world: World, file: File, rng: Random) -> Table | None:
    """What the matches cost under another model, players in the order of this file."""
    model = rng.choice(["standard", "monrad", "excalibur"])
    proof = pairopt.solve(world.event, model).proof
    if proof is None:
        return None
    claim = json.loads(proof.text)["claim"]
    names = [*map(tuple, file["claim"]["players"]), None]
    seat = {k: names.index(tuple(p)) for k, p in enumerate(claim["players"])}
    seat[len(claim["players"])] = len(names) - 1
    return {(seat[a], seat[b]): cost for (a, b), cost in table_of(claim).items()}


def tried(world: World, name: str, text: bytes) -> tuple[str, str, list[str]]:
    """The verdicts of both doors, and what is wrong with them."""
    breaches = []
    try:
        a = door_a(text)
    except Exception as error:
        a = f"A fell: {type(error).__name__} {error}"[:80]
    try:
        b = door_b(world, text)
    except Exception as error:
        b = f"B fell: {type(error).__name__} {error}"[:80]
    breaches += [
        v for v in (a, b) if v not in ("certified", "open", "none", "malformed")
    ]
    if wrong := fault(world, text, b):
        breaches.append(f"B accepts ({b}): {wrong}")
    if a in ("certified", "open"):
        try:
            own = true_by_itself(json.loads(text.decode("utf-8-sig")))
        except (ValueError, KeyError, IndexError, TypeError) as error:
            own = f"not read: {type(error).__name__} {error}"
        if own != a:
            breaches.append(f"A says {a}, all pairings say {own}")
    if b in ("certified", "open") and a != b:
        breaches.append(f"B says {b}, A {a}")
    return a, b, breaches


def sweep(
    files: int, seed: int, keep: Path | None = None, only: Sequence[str] | None = None
) -> tuple[Counter[tuple[str, str, str]], list[str]]:
    """So many files; counts by lie and verdicts, and breaches."""
    counts: Counter[tuple[str, str, str]] = Counter()
    found: list[str] = []
    at = seed
    done = 0
    while done < files:
        for name in only or (*MODELS, *SYSTEMS):
            rng = Random(f"{at} {name}")
            world = small(at, name)
            small.cache_clear()
            for lie, text in forgeries(world, rng):
                a, b, breaches = tried(world, name, text)
                counts[lie, a, b] += 1
                done += 1
                for breach in breaches:
                    found.append(f"{name} {at} {lie}: {breach} {world.options}")
                    if keep:
                        (keep / f"{name}-{at}-{len(found)}.json").write_bytes(text)
            if done >= files:
                break
        at += 1
    return counts, found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    if asked.keep:
        asked.keep.mkdir(exist_ok=True)
    counts, found = sweep(asked.files, asked.seed, asked.keep)
    for (lie, a, b), times in sorted(counts.items()):
        print(f"{times:6}  A {a:10} B {b:10} {lie}")
    print("\n".join(found))
    print(f"{sum(counts.values())} files, {len(found)} breaches")


if __name__ == "__main__":
    main()
