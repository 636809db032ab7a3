"""Programs of small rounds and their proofs for VeriPB, true and forged; what is so of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pandas as pd
from events import model_of
from programs import read_opb
from simulation import rounds

import pairopt
from pairopt import Event, export, read_event


def round_of(players: int, number: int, seed: int, model: str = "standard") -> Event:
    *_, (event, _) = rounds(players, number, seed, model)
    return event


def least(opb: str) -> int | None:
    program = read_opb(opb)
    return min(map(program.value, program.solutions()), default=None)


def three_clubs() -> pairopt.Exported:
    """Three odd clubs, whose players may meet others at a cost."""
    rows = [
        {"player": f"{club}{k}", "club": club, "score": "0"}
        for club in "ABC"
        for k in range(3)
    ]
    rows.append({"player": "last", "club": "D", "score": "0"})
    same = {"kind": "score_groups"}
    model = {"name": "clubs", "constraints": {}, "criteria": [same]}
    points = {"A": "9", "B": "6", "C": "3", "D": "0"}
    event = read_event(
        pd.DataFrame([{**row, "score": points[str(row["club"])]} for row in rows]),
        relax=["history"],
    )
    return export(event, model_of(model))


def forged(opb: str, proof: str, rng: Random) -> Iterator[tuple[str, str, str]]:
    """A program and its proof with one thing changed."""
    lines, steps = opb.splitlines(), proof.splitlines()
    program = read_opb(opb)

    def with_line(of: list[str], at: int, line: str) -> str:
        return "".join(f"{each}\n" for each in [*of[:at], line, *of[at + 1 :]])

    total = next(k for k, line in enumerate(lines) if line.startswith("min:"))
    words = lines[total].split()
    for _ in range(3):
        at = rng.randrange(1, len(words) - 1, 2)
        cost = int(words[at]) + rng.choice((-1, 1, 2**70))
        changed = [*words[:at], f"{cost:+d}", *words[at + 1 :]]
        yield "objective", with_line(lines, total, " ".join(changed)), proof
    better = next((k for k, line in enumerate(steps) if line[:2] == "o "), None)
    if better is not None:
        on = {word for word in steps[better].split()[1:] if word[0] != "~"}
        for _ in range(4):
            other = set(on)
            one, two = rng.sample(sorted(on), 2) if len(on) > 1 else (*on, *on)
            ends = [*one.split("_"), *two.split("_")]
            rng.shuffle(ends)
            for name in (one, two):
                other.discard(name)
            for a, b in (ends[:2], ends[2:]):
                other.add(f"{a}_{b}" if f"{a}_{b}" in program.names else f"{b}_{a}")
            said = " ".join(
                name if name in other else f"~{name}" for name in program.names
            )
            if other != on:
                yield "opponents", opb, with_line(steps, better, f"o {said}")
    last = max(k for k, line in enumerate(steps) if line.startswith("pol"))
    for k in [last, *(k for k, line in enumerate(steps) if " d 2 *" in line)][:3]:
        found = list(re.finditer(r" ([0-9]+) \*", steps[k]))
        for match in rng.sample(found, min(3, len(found))):
            number = int(match[1]) + rng.choice((1, 2, 5))
            new = steps[k][: match.start(1)] + str(number) + steps[k][match.end(1) :]
            yield "price" if k == last else "set", opb, with_line(steps, k, new)
        ids = list(re.finditer(r"(?<= )([0-9]+)(?= (?:[0-9]+ \*|\+))", steps[k]))
        if ids:
            match = rng.choice(ids)
            new = (
                steps[k][: match.start()]
                + str(int(match[1]) + 1)
                + steps[k][match.end() :]
            )
            yield "row", opb, with_line(steps, k, new)
    for _ in range(2):
        name = rng.choice(program.names)
        gone = re.sub(rf" [+-][0-9]+ {name}(?= )", "", opb)
        gone = re.sub(rf"(?m)^[+-][0-9]+ {name} ", "", gone)
        width = re.sub(
            r"#variable= \d+", f"#variable= {len(program.names) - 1}", gone, count=1
        )
        yield "match", width, re.sub(rf" ~?{name}(?![0-9A-Za-z_])", "", proof)
    rows = [k for k, line in enumerate(lines) if line.endswith("= 1 ;")]
    at = rng.choice(rows)
    cut = lines[at].split()
    yield (
        "constraint",
        with_line(lines, at, " ".join([*cut[:-3][2:], "=", "1", ";"])),
        proof,
    )
    yield "constraint", with_line(lines, at, lines[at].replace(" = 1", " >= 1")), proof


def rounds_to_forge(many: int) -> Iterator[pairopt.Exported]:
    for seed in range(many):
        if seed % 6 == 5:
            yield three_clubs()
            continue
        players = 5 + seed % 4
        model = ("standard", "fide-dutch", "double-sided", "standard")[seed % 4]
        options: dict[str, Any] = {}
        event = round_of(players, 3, seed, model)
        if seed % 4 == 3:  # nobody may meet these two, who so cannot both be paired
            names = [str(name) for name in event.players]
            options["forbid"] = [
                (one, two) for one in names[:3] for two in names if one != two
            ]
        yield export(event, model, **options)


def holds(opb: str, proof: str) -> bool:
    """Whether what a proof says of its program is true: so it may be taken."""
    found = re.search(r"(?m)^o (.*)$", proof)
    program = read_opb(opb)
    best = least(opb)
    if found is None:
        return best is None
    ones = {word for word in found[1].split() if word[0] != "~"}
    return program.fits(ones) and program.value(ones) == best
