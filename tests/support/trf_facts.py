"""TRFs by lot, and what they say, by code that shares none with what reads and writes them.

Pairs are drawn, not paired: these are files with all in them that a TRF26 can say.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

USUAL = {
    "W": "1",
    "D": "0.5",
    "L": "0",
    "FW": "1",
    "FL": "0",
    "HPB": "0.5",
    "FPB": "1",
    "ZPB": "0",
    "PAB": "1",
}
OF_LETTER = {
    "1": "W",
    "W": "W",
    "=": "D",
    "D": "D",
    "0": "L",
    "L": "L",
    "+": "FW",
    "-": "FL",
    "H": "HPB",
    "F": "FPB",
    "Z": "ZPB",
    "U": "PAB",
    "": "ZPB",
}
BY_299 = {
    "W": "W",
    "D": "D",
    "L": "L",
    "F": "FPB",
    "H": "HPB",
    "Z": "ZPB",
    "+": "FW",
    "-": "FL",
}
OF_162 = {
    "W": ("W", "FW", "FPB", "PAB"),
    "D": ("D", "HPB"),
    "L": ("L",),
    "A": ("ZPB", "FL"),
    "P": ("PAB",),
}
GAMES = (
    "1 0",
    "0 1",
    "= =",
    "W L",
    "L W",
    "D D",
    "+ -",
    "- +",
    "- -",
    "0 0",
    "= 0",
    "0 =",
)
OFTEN = (30, 25, 25, 2, 2, 2, 3, 3, 1, 1, 1, 1)
SYSTEMS = (
    {},
    {},
    {"P": "0.5"},
    {"P": "0.0"},
    {"W": "3.0", "D": "1.0"},
    {"W": "2.0", "D": "1.0"},
    {"W": "3.0", "D": "2.0", "L": "1.0", "P": "2.0"},
    {"A": "0.5"},
    {"W": "3.0", "D": "1.5", "P": "0.25"},
)
BESIDE = (
    "022 Graz",
    "032 AUT",
    "042 2026/02/14",
    "052 2026/02/20",
    "072 3",
    "082 0",
    "092 Individual: Swiss-System",
    "102 IA Ann Doe (1600000)",
    "112 FA Bo Roe",
    "122 90 min",
    "132" + " " * 88 + "26/02/14  26/02/15",
    "172 AUT FIDON",
    "182 somebody",
    "222 5400+30",
    "352 WBWB",
    "362  TW 2.0    TD 1.0    TL 0.0",
    "### round 3: changed by hand",
    "### another remark",
    "013 Team A                              1    2",
    "310   1 Team A",
    "300   1   1   2    1    2",
    "320  1.0  2.0   1",
    "801   1 Team A",
    "AUT    1 m    Doe, Ann                          2001 AUT",
    "XXB 1 2",
)
LISTS = ("", "202 BH/C1,SB", "212 PTS,BH,SB", "212 PTS,DE,KEIZER", "202 WIN,BPG")


def made(seed: int, most: int = 14) -> str:
    """A TRF26 with everything by lot; one in four with the older lines for some of it."""
    lots = random.Random(f"facts {seed}")
    n, last = lots.randint(2, most), lots.randint(0, 6)
    rounds, older = last + lots.randint(last == 0, 3), lots.random() < 0.25
    numbers = (
        [*range(1, n + 1)]
        if lots.random() < 0.8
        else sorted(lots.sample(range(1, 99), n))
    )
    cells: dict[int, list[str]] = {each: [] for each in numbers}
    for _ in range(last):
        absent = {p for p in numbers[1:] if lots.random() < 0.1}
        here = [p for p in numbers if p not in absent]
        lots.shuffle(here)
        for p in absent:
            cells[p].append(
                lots.choice(["0000 - Z", "0000 - H", "0000 - F", "        "])
            )
        while len(here) > 1:
            one, two = here.pop(), here.pop()
            first, second = lots.choices(GAMES, OFTEN)[0].split()
            cells[one].append(f"{two:>4} w {first}")
            cells[two].append(f"{one:>4} b {second}")
        if here:
            cells[here[0]].append("0000 - U")
    lines = [f"012 Open {seed}", f"062 {n}"]
    lines.append(f"XXR {rounds}" if older else f"142 {rounds}")
    if lots.random() < 0.7:
        side = lots.randint(0, 1)
        lines.append(
            f"XXC {['white1', 'black1'][side]}" if older else f"152 {'WB'[side]}"
        )
    symbols = lots.choice(SYSTEMS)
    if symbols:
        lines.append("162  " + "    ".join(f"{s}{p:>4}" for s, p in symbols.items()))
    if lots.random() < 0.15 and "A" not in symbols:
        letter, amount = lots.choice(
            ["F 2.0", "H 0.0", "H 0.5", "Z 0.5", "+ 0.5", "- 0.5"]
        ).split()
        lines.append(f"299 {letter}{'':7}{amount:>5}")
    if lots.random() < 0.6:
        lines.append(
            f"192 {lots.choice(['FIDE_DUTCH', 'FIDE_DUTCH_2026', 'FIDE_BURSTEIN'])}"
        )
    lines += filter(None, [lots.choice(LISTS)])
    lines += [line for line in BESIDE if lots.random() < 0.15]
    for _ in range(lots.choice([0, 0, 1, 2, 4])):
        turn, who = lots.randint(0, rounds), lots.sample(numbers, lots.randint(1, 2))
        letter = lots.choice(" " * 4 + "WDL")
        amount = lots.choice(
            ["0.5", "1.0", "2.0"] if letter != " " else ["-1.0", "-0.5", "0.5"]
        )
        shown = (
            lots.choice([f"{turn:03}", f"{turn:>3}"])
            if turn
            else lots.choice(["000", "   "])
        )
        told = " ".join(f"{each:>4}" for each in who)
        if turn or letter == " ":
            lines.append(f"299 {letter}{'':7}{amount:>5}  {shown} {told}")
    for _ in range(lots.choice([0, 0, 1, 2]) if rounds else 0):
        first = lots.randint(1, rounds)
        low, high = sorted(lots.choices(numbers, k=2))
        amount, end = lots.choice(["1.0", "0.5"]), lots.randint(first, rounds)
        lines.append(f"250      {amount:>4} {first:03} {end:03} {low:04} {high:04}")
    for _ in range(lots.choice([0, 0, 1, 3])):
        first = lots.randint(1, rounds)
        who = lots.sample(numbers, min(n, lots.randint(2, 3)))
        end = lots.randint(first, rounds)
        told = " ".join(f"{each:>4}" for each in who)
        lines.append(f"XXP {told}" if older else f"260 {first:>3} {end:>3} {told}")
    away = {p for p in numbers if lots.random() < 0.1}
    for letter in "FHZ":
        own = sorted(p for p in away if lots.random() < 0.4)
        away -= {*own}
        if own and last < rounds:
            told = " ".join(f"{each:>4}" for each in own)
            lines.append(f"240 {letter} {last + 1 + (lots.random() < 0.2):>3} {told}")
    players = []
    for p in numbers:
        title, name = lots.choice(["   ", " GM", "WFM"]), f"Player, {p}"
        rating = lots.choice([f"{2500 - p}", "    ", "   0"])
        austrian = f"AUT     {1600000 + p:>7} 1990/01/02"
        extra = lots.choice([" " * 26, austrian, "GER             1985"])
        head = (
            f"001 {p:>4} {lots.choice('mw ')}{title} {name:<33} {rating:>4} {extra:<26}"
        )
        players.append((p, f"{head:<79}"))
    text = "\n".join(
        [*lines, *(f"{head} {'':9}  {'  '.join(cells[p])}" for p, head in players)]
    )
    points = facts(text)["points after"]
    order = sorted(numbers, key=lambda p: -points[p])
    shown = [
        f"{head} {float(points[p]):>4.1f} {order.index(p) + 1:>4}  {'  '.join(cells[p])}"
        for p, head in players
    ]
    lots.shuffle(lines)
    lines.sort(key=lambda line: line[:3] != "012")
    cut = lots.randint(1, len(lines))
    return "\n".join(
        [*lines[:cut], *(line.rstrip() for line in shown), *lines[cut:], ""]
    )


def facts(text: str) -> dict[str, Any]:
    """What a TRF says, in values that are equal where two say the same."""
    lines = text.splitlines()
    rows = {int(line[4:8]): line for line in lines if line[:3] == "001"}
    said: dict[str, Any] = {"title": "", "rounds": None, "side": "", "system": ""}
    worth = {name: Fraction(value) for name, value in USUAL.items()}
    cells: dict[tuple[int, int], tuple[str, str, str]] = {}
    virtual: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    forbidden, breaks, beside = set(), {}, Counter[str]()
    byes, assigned, symbols = [], [], {}
    for p, line in rows.items():
        for turn, at in enumerate(range(91, len(line), 10), 1):
            cell = line[at : at + 8].ljust(8)
            if cell.strip() and cell[7] != " ":
                cells[p, turn] = (
                    cell[:4].strip().strip("0"),
                    cell[5].strip("- "),
                    cell[7],
                )
    last = max(
        (turn for (_, turn), cell in cells.items() if cell[0] or cell[2] == "U"),
        default=0,
    )
    for line in lines:
        code, words = line[:3], line[4:].split()
        if code in ("001", "062"):
            continue
        if code == "012":
            said["title"] = " ".join(words)
        elif code in ("142", "XXR"):
            said["rounds"] = int(words[0])
        elif code in ("152", "XXC"):
            said["side"] = "B" if words[0] in ("B", "black1") else "W"
        elif code == "162":
            symbols |= {
                line[at]: Fraction(line[at + 1 : at + 5].strip())
                for at in range(5, len(line), 9)
            }
        elif code == "XXS":
            raise AssertionError("a TRF26 has no XXS unless points are too long")
        elif code == "192":
            said["system"] = words[0]
        elif code in ("202", "212"):
            breaks[code] = line[4:]
        elif code == "240":
            numbers = [
                int(line[at : at + 4]) for at in range(10, len(line.rstrip()), 5)
            ]
            byes += [(int(line[6:9]), p, line[4]) for p in numbers]
        elif code == "250":
            first, end, low, high = (
                int(line[at:to]) for at, to in ((14, 17), (18, 21), (22, 26), (27, 31))
            )
            for p in (p for p in rows if low <= p <= high):
                for turn in range(first, end + 1):
                    virtual[p, turn] += Fraction(line[9:13].strip())
        elif code in ("260", "XXP"):
            first, end = (
                (1, None) if code == "XXP" else (int(line[4:7]), int(line[8:11]))
            )
            numbers = [*map(int, words if code == "XXP" else line[12:].split())]
            forbidden |= {
                (min(a, b), max(a, b), first, end)
                for a in numbers
                for b in numbers
                if a != b
            }
        elif code == "299":
            numbers = [
                int(line[at : at + 4]) for at in range(23, len(line.rstrip()), 5)
            ]
            turn, amount = int(line[19:22].strip() or 0), Fraction(line[12:17].strip())
            assigned.append((line[4].strip(), amount, turn, numbers))
        elif line.strip():
            beside[line.rstrip()] += 1
    for symbol in sorted(symbols, key=lambda each: each == "P"):
        worth |= dict.fromkeys(OF_162[symbol], symbols[symbol])
    for letter, amount, turn, numbers in assigned:
        if letter and not turn and not numbers:
            worth[BY_299[letter]] = amount
    for p in rows:  # a blank stands for Z
        for turn in range(1, last + 1):
            cells.setdefault((p, turn), ("", "", "Z"))
    for turn, p, letter in byes:
        if turn > last:
            cells.setdefault((p, turn), ("", "", letter))
    more: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    instead = {}
    for letter, amount, turn, numbers in assigned:
        for p in numbers:
            if letter:
                instead[turn, p] = amount
            else:
                more[turn, p] += amount
    given = {key: worth[OF_LETTER[cell[2].strip()]] for key, cell in cells.items()}
    for (turn, p), amount in instead.items():
        more[turn, p] += amount - given.get((p, turn), 0)
    after = {
        p: sum(
            (v for (q, turn), v in given.items() if q == p and turn <= last),
            Fraction(0),
        )
        + sum(v for (turn, q), v in more.items() if q == p and turn <= last)
        for p in rows
    }
    total = said["rounds"]
    return {
        **said,
        "breaks": breaks,
        "beside": beside,
        "cells": cells,
        "last": last,
        "players": {
            p: tuple(
                line[a:b].strip()
                for a, b in (
                    (9, 10),
                    (10, 13),
                    (14, 47),
                    (48, 52),
                    (53, 56),
                    (57, 68),
                    (69, 79),
                )
            )
            for p, line in rows.items()
        },
        "worth": given,
        "besides": {key: value for key, value in more.items() if value},
        "virtual": {key: value for key, value in virtual.items() if value},
        "forbidden": {
            (a, b, first, total if end is None else min(end, total))
            for a, b, first, end in forbidden
        },
        "points": {p: line[80:84].strip() for p, line in rows.items()},
        "points after": after,
    }
