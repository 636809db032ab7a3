"""True tournaments and planted faults before the checker, paired by bbpPairings; README.md here.

    python tests/benchmarks/fair_checker.py [--bbp EXECUTABLE] [--tournaments N] [--planted N]

The tournaments are those of tests/support/whole_tournaments.py. bbpPairings counts no bye worth 0
as a downfloat (1.4.3), and does not read 299 (it gets virtual points instead): tournaments with
such a bye are paired by pairopt, as all are without an executable.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click
import pandas as pd

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("support", "fide")]
from test_fair_checker import by_pairopt, found, planted  # noqa: E402
from whole_tournaments import SYSTEMS, Pair, Pairs, tournament  # noqa: E402

RESULT = Path(__file__).parent / "results" / "fair-checker.csv"


def by_bbp(executable: Path, folder: Path) -> Pair:
    """What pairs, by bbpPairings."""

    def pair(text: str) -> Pairs | None:
        path, out = folder / "request.trfx", folder / "pairs.txt"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [executable, "--dutch", path, "-p", out], capture_output=True, text=True
        )
        if done.returncode == 1:
            return None
        if done.returncode:
            raise click.ClickException(f"bbpPairings: {done.stderr.strip()}")
        lines = out.read_text(encoding="utf-8").split("\n")[1:]
        return [
            (int(line.split()[0]), int(line.split()[1]))
            for line in lines
            if line.strip()
        ]

    return pair


def one(
    executable: Path | None, plants: int, seed: int
) -> tuple[int, Counter[str], list[str]]:
    """A tournament: what happened, and what the checker said wrongly."""
    with tempfile.TemporaryDirectory() as place:
        folder, seen, wrong = Path(place), Counter[str](), list[str]()
        systems = [*SYSTEMS]
        system = systems[seed % len(systems)]
        own = executable is None or "PAB 0" in system
        pair = by_pairopt(folder) if own else by_bbp(executable, folder)
        made = tournament(seed, pair, system=system)
        if made is None:
            return seed, Counter(no_pairing=1), []
        seen[f"paired by {'pairopt' if own else 'bbpPairings'}"] += 1
        seen["rounds"] += made.rounds
        seen[system] += 1
        seen["with ranges of 260"] += any(
            last - first + 1 < made.rounds for first, last, *_ in made.forbidden
        )
        seen["with 299"] += bool(made.adjusted or made.assigned)
        if (said := found(made.text(), folder)) != ([], [], None):
            wrong.append(f"{seed}: accused {said}")
        if seed < plants:
            for kind, right in planted(made, seed, folder):
                seen[f"planted {kind}"] += 1
                seen[f"found {kind}"] += right
                wrong += [f"{seed}: {kind} not found"] * (not right)
        return seed, seen, wrong


@click.command()
@click.option(
    "--bbp", type=click.Path(exists=True, path_type=Path), help="Its executable."
)
@click.option("--tournaments", default=2000, show_default=True)
@click.option("--planted", "plants", default=500, show_default=True)
@click.option("--jobs", default=1, show_default=True)
def main(bbp: Path | None, tournaments: int, plants: int, jobs: int) -> None:
    """Write how many there were of what, and name each that is accused or not found."""
    total, every = Counter[str](), list[str]()
    work = partial(one, bbp and bbp.resolve(), plants)
    with ProcessPoolExecutor(jobs) as pool:
        for _, seen, wrong in pool.map(work, range(tournaments), chunksize=5):
            total += seen
            every += wrong
            for line in wrong:
                click.echo(line)
    rows = [["tournaments", tournaments], ["wrong", len(every)], *sorted(total.items())]
    frame = pd.DataFrame(rows, columns=["what", "number"])
    frame.to_csv(RESULT, index=False)
    click.echo(frame.to_string(index=False))


if __name__ == "__main__":
    main()
