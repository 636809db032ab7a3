"""The door for programs: random requests, hostile ones, and how many a second; see README.md here.

python tests/benchmarks/door.py -o tests/benchmarks/results/door.csv [--requests N] [--hostile N]
"""

from __future__ import annotations

import csv
import http.client
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import jsonschema

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import asking  # noqa: E402

PLAYERS, WARM, PATIENCE = 32, 50, 30.0
STATUSES = (200, 400, 411, 413, 422)
"""What an answer, or an error by kind, comes with; no request here may find it busy or broken."""


@contextmanager
def door() -> Iterator[tuple[str, int, int]]:
    """`pairopt serve --api` in a process of its own: its host, port and number."""
    call = [sys.executable, "-m", "pairopt", "serve", "--api"]
    own = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=own) as process:
        assert process.stderr is not None
        host, port = process.stderr.readline().split("//")[1].split("/")[0].split(":")
        try:
            yield host, int(port), process.pid
            assert process.poll() is None, "it has ended"
        finally:
            process.terminate()


class Asking:
    """One program that keeps its connection, as long as the door does."""

    def __init__(self, host: str, port: int, process: int) -> None:
        self.place, self.process = (host, port), process
        self.open = http.client.HTTPConnection(host, port, timeout=PATIENCE)

    def processor(self) -> float:
        """Seconds of the processor that the door has had: what waits for Ctrl-C, and its child."""
        tasks = (
            Path(f"/proc/{self.process}/task/{self.process}/children")
            .read_text()
            .split()
        )
        words = [
            Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
            for each in tasks
        ]
        return sum(int(ticks) for each in words for ticks in each[11:13]) / os.sysconf(
            "SC_CLK_TCK"
        )

    def ask(self, body: bytes) -> tuple[int, bytes]:
        """Status and text; what is refused before it is read may come while it is still sent."""
        for again in (True, False):
            try:
                with suppress(BrokenPipeError, ConnectionResetError):
                    self.open.request("POST", "/pair", body)
                answer = self.open.getresponse()
                return answer.status, answer.read()
            except (http.client.HTTPException, ConnectionError):
                self.open = http.client.HTTPConnection(*self.place, timeout=PATIENCE)
                if not again:
                    raise
        raise AssertionError


def told(status: int, text: bytes, schema: Any) -> dict[str, Any]:
    """An answer or an error by kind, and nothing else."""
    answer: dict[str, Any] = json.loads(text)
    assert status in STATUSES, (status, text[:300])
    assert b"Traceback" not in text
    schema.validate(answer)
    assert ("errors" in answer) == (status != 200), status
    assert all(error["kind"] and error["text"] for error in answer.get("errors", ()))
    return answer


def ordinary(asked: Asking, schema: Any, many: int) -> dict[str, Any]:
    found, slowest = Counter[str](), 0.0
    for seed in range(many):
        wish, start = asking.wish(seed), time.monotonic()
        body = json.dumps(wish.content).encode()
        schema.validate(json.loads(body))
        answer = told(*asked.ask(body), schema)
        slowest = max(slowest, time.monotonic() - start)
        if wrong := asking.wrong(wish, answer):
            raise AssertionError(f"seed {seed}: {wrong}")
        found[answer["status"]] += 1
        found["tried by brute force"] += wish.tried
    return {
        "what": "random requests",
        "requests": many,
        **found,
        "slowest": round(slowest, 2),
    }


def hostile(asked: Asking, schema: Any, many: int) -> dict[str, Any]:
    found, kinds, slowest = Counter[str](), Counter[str](), 0.0
    for seed in range(many):
        body, refuse = asking.hostile(seed)
        start = time.monotonic()
        answer = told(*asked.ask(body), schema)
        slowest = max(slowest, time.monotonic() - start)
        assert "errors" in answer or not refuse, f"seed {seed} is not refused"
        found["refused" if "errors" in answer else "answered"] += 1
        kinds.update({error["kind"] for error in answer.get("errors", ())})
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    return {
        "what": "hostile requests",
        "requests": many,
        **found,
        "kinds": len(kinds),
        "slowest": round(slowest, 2),
    }


def field(seed: int) -> bytes:
    """32 players after five rounds by lot, with sides."""
    import random

    rnd = random.Random(seed)
    players, rounds = [f"Player {k}" for k in range(PLAYERS)], []
    for _ in range(5):
        order = rnd.sample(players, PLAYERS)
        rounds.append(
            [
                {
                    "player1": one,
                    "player2": two,
                    "side1": "corp",
                    "score1": won,
                    "score2": lost,
                }
                for one, two in zip(order[::2], order[1::2], strict=True)
                for won, lost in [rnd.choice([(3, 0), (0, 3), (1, 1)])]
            ]
        )
    return json.dumps(
        {"version": 1, "players": [{"player": p} for p in players], "rounds": rounds}
    ).encode()


def speed(asked: Asking, many: int, also: list[str]) -> dict[str, Any]:
    """Requests a second by one connection that is kept, each another event."""
    bodies = [field(seed) for seed in range(WARM + many)]
    if also:
        bodies = [
            json.dumps({**json.loads(each), "also": also}).encode() for each in bodies
        ]
    for body in bodies[:WARM]:
        assert asked.ask(body)[0] == 200
    seconds, before = list[float](), asked.processor()
    for body in bodies[WARM:]:
        start = time.perf_counter()
        assert asked.ask(body)[0] == 200
        seconds.append(time.perf_counter() - start)
    seconds.sort()
    own = asked.processor() - before
    return {
        "what": f"{PLAYERS} players" + "".join(f", {each}" for each in also),
        "requests": many,
        "a second": round(many / sum(seconds), 1),
        "a second of its processor": round(many / own, 1),
        "median ms": round(1e3 * seconds[many // 2], 2),
        "slowest": round(seconds[-1], 2),
        "load": round(os.getloadavg()[0], 1),
    }


@click.command()
@click.option("-o", "output", required=True, type=click.Path(path_type=Path))
@click.option("--requests", default=10_000)
@click.option("--hostile", "against", default=2_000)
@click.option("--rounds", default=1_000, help="Requests of 32 players that are timed.")
def main(output: Path, requests: int, against: int, rounds: int) -> None:
    """Ask, and write what was told; the first answer that is wrong ends it."""
    content = json.loads((ROOT / "docs" / "door.json").read_text(encoding="utf-8"))
    schema = jsonschema.Draft202012Validator(content)
    with door() as place:
        asked = Asking(*place)
        rows = [
            speed(asked, rounds, []),
            speed(asked, max(rounds // 5, 1), ["reasons", "proof"]),
        ]
        for row in rows:
            print(row, flush=True)
        rows += [ordinary(asked, schema, requests)]
        print(rows[-1], flush=True)
        rows += [hostile(asked, schema, against)]
        print(rows[-1], flush=True)
    columns = dict.fromkeys(key for row in rows for key in row)
    with output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*columns], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
