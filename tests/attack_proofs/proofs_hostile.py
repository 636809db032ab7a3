"""Files of up to 10 MB that want time or memory of who reads them, and what they got."""

# ruff: noqa: ARG005 what is called has the arguments of its kind

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import steps
from proofs_codec import File, text_of

import pairopt

SIZE = 10_000_000
Made = Callable[[File, bytes], bytes]


def _claim(**keys: object) -> Made:
    def made(file: File, text: bytes) -> bytes:
        new = copy.deepcopy(file)
        for key, value in keys.items():
            new["claim"][key] = value() if callable(value) else value
        return text_of(new)[:SIZE]

    return made


def _witness(**keys: object) -> Made:
    def made(file: File, text: bytes) -> bytes:
        new = copy.deepcopy(file)
        new["witness"] = {**new["witness"], **keys}
        return text_of(new)

    return made


def _raw(key: str, value: bytes) -> Made:
    """The raw text of a value in place of `key`'s, up to the end of its line."""

    def made(file: File, text: bytes) -> bytes:
        start = text.index(b'"%s":' % key.encode()) + len(key) + 3
        end = text.index(b"\n", start)
        return text[:start] + value + b"," + text[end:]

    return made


def _large(sets: str, players: int = 3000) -> Made:
    """The largest field: everybody may meet everybody for nothing, as the arithmetic has it."""

    def made(file: File, text: bytes) -> bytes:
        new = copy.deepcopy(file)
        claim = new["claim"]
        claim["players"] = [[f"p{k}", f"p{k}"] for k in range(players)]
        claim["pairing"] = [[k, k + 1] for k in range(0, players, 2)]
        claim["levels"] = [["rematches", 1, "matches", 0, 0, 1]]
        claim["kinds"] = [[[0]]]
        claim["rows"] = [[2, -(players - 2)]] + [
            [0, -(players - k - 1)] if players - k > 1 else [0]
            for k in range(2, players)
        ]
        # two sets, one price up and one down, cost time and show nothing
        odd: list[object] = []
        for k in range(players - 1):
            if sets == "wide":
                runs = (
                    [1, 1] * (players // 2 - 1)
                    if players < 500
                    else [k % 7, players // 2 | 1]
                )
            elif sets == "holes":
                runs = [1, 1] * 101
            else:
                runs = [k % (players - 5), 3]
            odd.append([[0], runs])
        new["witness"] = {
            "shown": 1,
            "prices": [],
            "sets": odd if sets != "none" else [],
        }
        return text_of(new)[:SIZE]

    return made


def _levels(count: int) -> Made:
    def made(file: File, text: bytes) -> bytes:
        new = copy.deepcopy(file)
        claim = new["claim"]
        claim["levels"] = [["rematches", k, "x", 0, 0, 1] for k in range(count)]
        claim["kinds"] = [[[0] * count]]
        n = len(claim["players"]) + len(claim["players"]) % 2
        claim["rows"] = [[2, *([2 - n] if n > 2 else [])], *[[0] for _ in range(n - 2)]]
        new["witness"] = {"shown": count, "prices": [], "sets": []}
        return text_of(new)[:SIZE]

    return made


STEP = {"levels": [0], "kinds": [[0]], "rows": [], "prices": [], "sets": []}

HOSTILE: dict[str, Made] = {
    "deep lists": lambda f, t: b"[" * SIZE,
    "deep objects": lambda f, t: b'{"a":' * (SIZE // 5),
    "deep lists that close": lambda f, t: b"[" * (SIZE // 2) + b"]" * (SIZE // 2),
    "deep in the claim": _raw("players", b"[" * (SIZE // 2) + b"]" * (SIZE // 2)),
    "a long number": _raw("round", b"9" * (SIZE - 5000)),
    "many long numbers": _raw(
        "round", b"[" + b"9" * 4000 + (b"," + b"9" * 4000) * 2400 + b"]"
    ),
    "a long exponent": _raw("round", b"1e" + b"9" * 1_000_000),
    "a long string": lambda f, t: b'"' + b"x" * (SIZE - 2) + b'"',
    "a long name": _raw("players", b'[["' + b"x" * (SIZE - 5000) + b'","y"]]'),
    "escapes": _raw("players", b'[["' + b"\\u0041" * (SIZE // 6 - 1000) + b'","y"]]'),
    "one key again and again": lambda f, t: b"{" + b'"a":0,' * (SIZE // 6) + b'"a":0}',
    "other keys": lambda f, t: (
        b"{" + b",".join(b'"%d":0' % k for k in range(800_000)) + b"}"
    ),
    "empty lists": lambda f, t: b"[" + b"[]," * (SIZE // 3 - 2) + b"[]]",
    "empty objects": lambda f, t: b"[" + b"{}," * (SIZE // 3 - 2) + b"{}]",
    "zeros": lambda f, t: b"[" + b"0," * (SIZE // 2 - 2) + b"0]",
    "blanks": lambda f, t: b" " * SIZE,
    "NULs": lambda f, t: b"\0" * SIZE,
    "half a character": lambda f, t: b"\xf0" * SIZE,
    "large characters": lambda f, t: (
        b'"' + "\U0001f600".encode() * (SIZE // 4 - 1) + b'"'
    ),
    "60,000 players": _claim(
        players=lambda: [[f"p{k}", f"p{k}"] for k in range(60_000)]
    ),
    "60,000 players in pairs": _claim(
        players=lambda: [["p", "p"]] * 60_000,
        pairing=lambda: [[k, k + 1] for k in range(0, 60_000, 2)],
    ),
    "a million kinds": _claim(kinds=lambda: [[[k]] for k in range(900_000)]),
    "long runs": _claim(rows=lambda: [[2, -(10**9)]]),
    "longer runs": _claim(rows=lambda: [[2, -(10**18)]]),
    "a million runs": _claim(rows=lambda: [[2] + [-2999] * 900_000]),
    "many rows": _claim(rows=lambda: [[0]] * 2_000_000),
    "many rounds": _claim(further=lambda: [[[0, 1]]] * 900_000),
    "many levels": _claim(levels=lambda: [["rematches", 1, "x", 0, 0, 1]] * 300_000),
    "as many levels, all right": _levels(100_000),
    "100 levels": _levels(100),
    "many prices": _witness(prices=[[[0], [0, 1]]] * 500_000),
    "many sets": _witness(sets=[[[2], [0, 3]]] * 500_000),
    "sets of long runs": _witness(sets=[[[2], [0, 10**9]]] * 5),
    "sets of many runs": _witness(sets=[[[2], [1] * 3_000_001]]),
    "sets of no runs": _witness(sets=[[[2], [0] * 3_000_001]]),
    "long prices": _witness(prices=[[[10**4000] * 5, [0, 1]]] * 400),
    "many steps": _witness(steps=[STEP] * 100_000),
    "components": _witness(components=[[0, 1]] * 900_000),
    "3,000 players": _large("none"),
    "3,000 players and sets": _large("narrow"),
    "3,000 players and wide sets": _large("wide"),
    "3,000 players and sets with holes": _large("holes"),
}


PLAYERS = "player,rating\nA,2000\nB,1990\nC,1980\nD,1970\nE,1960\n"
MATCHES = """round,table,player1,player2,side1,score1,score2,status
1,1,A,B,corp,3,0,
1,2,C,D,corp,0,3,
1,,E,,,3,,bye
"""


def written(name: str, folder: Path, model: str) -> tuple[list[str], Path]:
    """Write a small event and a hostile proof of its round.

    Returns the arguments of `pairopt check` for the event, and the file of the proof.
    """
    matches, players = folder / "matches.csv", folder / "players.csv"
    matches.write_text(MATCHES)
    players.write_text(PLAYERS)
    true = pairopt.solve(
        pairopt.read_event(matches, players), model
    ).proof.text.encode()
    path = folder / "hostile.json"
    path.write_bytes(HOSTILE[name](json.loads(true), true))
    return [str(matches), "--players", str(players), "--model", model], path


MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)
"""


def measured(command: list[str]) -> tuple[int, float, int, str]:
    """Exit code, CPU seconds, the most memory in MB, and standard error of a process of its own.

    A small process starts it: a child counts what its parent held when it was born.
    """
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, *command],
        capture_output=True,
        text=True,
        check=True,
    )
    code, seconds, most = ran.stdout.split()
    return int(code), float(seconds), int(most), ran.stderr


def counted(command: list[str], most: int) -> tuple[int, int, int]:
    """Exit code, steps and memory in MB of a command, which is ended after `most` steps."""
    code, _, memory, said = measured(
        [sys.executable, steps.__file__, str(most), *command]
    )
    return code, most + 1 if code == steps.TOO_MANY else int(said.split()[-1]), memory


def doors(event: list[str], file: Path) -> dict[str, list[str]]:
    """The command of each door, as `steps.py` and `python -m` know it."""
    return {
        "A": ["pairopt.proof.verify", str(file)],
        "B": ["pairopt.cli:main", "check", *event, "--proof", str(file)],
    }
