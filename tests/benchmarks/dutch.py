"""The Dutch System: pairopt beside py4swiss and bbpPairings, in turn, on the same rounds.

python tests/benchmarks/dutch.py [-o FILE.csv] [--players 32,128,300,1000] [--repeats N]
                                  [--bbp EXECUTABLE]
"""

from __future__ import annotations

import argparse
import csv
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from pairopt import load_model, solve
from pairopt.event.event import Event
from pairopt.files.formats.trf.writing import write16
from pairopt.lab import World
from pairopt.lab.play import play_each_round
from pairopt.lab.world import Field

ROUNDS = 9
COLUMNS = ("players", "round", "program", "seconds", "same_pairs")
SLOW = 400
"""Above so many players the other programs are left out."""
Pairs = set[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--players", default="32,128,300,1000")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--bbp", type=Path, help="an executable of bbpPairings 6")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for event in _rounds(20):
        [*_timed(event, 20, None)]  # loads what is loaded when it is used
    for players in map(int, given.players.split(",")):
        for event in _rounds(players):
            for _ in range(given.repeats):
                rows += _timed(event, players, given.bbp)
        _summary(rows, players)
    if given.output:
        with given.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)


def _rounds(players: int) -> Iterator[Event]:
    """The rounds of a tournament of 30% draws in which 2% leave after each round."""
    world = World(
        players=players,
        rounds=ROUNDS,
        draws=0.3,
        drops=0.02,
        rating_error=0.0,
        win=Fraction(1),
        draw=Fraction(1, 2),
        sides=("white", "black"),
    )
    field = Field(world, 1, 0)
    event = replace(field.opening, initial_side=0)
    yield event
    for _, after in play_each_round(field, load_model("fide-dutch")):
        if after.round <= ROUNDS:
            yield replace(after, initial_side=0)


def _timed(event: Event, players: int, bbp: Path | None) -> Iterator[dict[str, Any]]:
    """Each program's time of a round, and whether it pairs as pairopt does."""
    programs: dict[str, Callable[[], Callable[[], Pairs]]] = {
        "pairopt": lambda: _pairopt(event)
    }
    if players <= SLOW:
        programs["py4swiss"] = lambda: _py4swiss(event)
        if bbp is not None:
            programs["bbpPairings"] = lambda: _bbp(event, bbp)
    own: Pairs | None = None
    for name, ready in programs.items():
        job = ready()
        start = _processor()
        pairs = job()
        seconds = _processor() - start
        own = pairs if own is None else own
        yield {
            "players": players,
            "round": event.round,
            "program": name,
            "seconds": f"{seconds:.4f}",
            "same_pairs": pairs == own,
        }


def _processor() -> float:
    """Processor time so far, other programs' included: it says more than the clock."""
    spent = [
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def _pairopt(event: Event) -> Callable[[], Pairs]:
    """The event in memory to the checked pairing."""

    def job() -> Pairs:
        result = solve(event, "fide-dutch")
        assert result.proven
        return {
            (str(row["player1"]), str(row["player2"] or "")) for row in result.matches
        }

    return job


def _py4swiss(event: Event) -> Callable[[], Pairs]:
    """A ready report to pairs, by the rules until January 2026."""
    from py4swiss.engines import DutchEngine
    from py4swiss_peer import pairs_of, report_of

    report = report_of(event)

    def job() -> Pairs:
        found = pairs_of(event, DutchEngine.generate_pairings(report))
        return {(pair[0], pair[1] if len(pair) > 1 else "") for pair in found}

    return job


def _bbp(event: Event, program: Path) -> Callable[[], Pairs]:
    """A ready file to a file of pairs, the start of the program included."""
    folder = Path(tempfile.mkdtemp())
    marked = write16(replace(event, declared_active=event.active)).text.splitlines()
    text = "\n".join(line for line in marked if not line.startswith("XXR"))
    (folder / "in.trf").write_text(f"{text}\nXXR {ROUNDS}\nXXC white1\n")

    numbers = map(str, event.start_numbers.tolist())
    name = dict(zip(numbers, event.players, strict=True)) | {"0": ""}

    def job() -> Pairs:
        subprocess.run(
            [program, "--dutch", "in.trf", "-p", "out"], cwd=folder, check=True
        )
        lines = (folder / "out").read_text().split("\n")[1:]
        both = [line.split() for line in lines if line.strip()]
        return {(name[one], name[two]) for one, two in both}

    return job


def _summary(rows: list[dict[str, Any]], players: int) -> None:
    own = [row for row in rows if row["players"] == players]
    for program in dict.fromkeys(row["program"] for row in own):
        mine = [row for row in own if row["program"] == program]
        seconds = [float(row["seconds"]) for row in mine]
        same = sum(row["same_pairs"] for row in mine)
        print(
            f"{players:5} players  {program:12} mean {statistics.mean(seconds):7.3f} s  median "
            f"{statistics.median(seconds):7.3f} s  worst {max(seconds):7.3f} s  "
            f"same pairs {same}/{len(mine)}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
