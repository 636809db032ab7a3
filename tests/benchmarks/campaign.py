"""Tournaments of pairopt checked by bbpPairings, and its by pairopt; README.md here.

    python tests/benchmarks/campaign.py --bbp EXECUTABLE [--tournaments N] [--jobs N]

Goes on where results/campaign.csv ends, a block of seeds a row, until there are N each way.
"""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click
import pandas as pd

from pairopt import check_all, read_event
from pairopt.lab.random_report import Rates, random_entrants, random_report

RESULT = Path(__file__).parent / "results" / "campaign.csv"
BLOCK = 100
COLUMNS = ["direction", "first_seed", "tournaments", "rounds", "matches", "differ"]
Differing = tuple[int, int, list[int]]
"""Rounds, matches, and the rounds that the other program pairs otherwise."""


def ours(bbp: Path, seed: int, path: Path) -> Differing:
    """A tournament of pairopt's with all that happens, checked by bbpPairings."""
    lots = random.Random(seed)
    players, rounds = lots.randint(6, 40), lots.randint(4, 9)
    entrants = random_entrants(players, 2500, 1200, seed)
    rates = Rates(entrants, rounds=min(rounds, players // 2), accelerated=seed % 4 == 0)
    path.write_text(random_report(rates, seed).text, encoding="utf-8")
    done = subprocess.run([bbp, "--dutch", path, "-c"], capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(f"bbpPairings, seed {seed}: {done.stderr.strip()}")
    said = re.split(r"^.*: Round #(\d+)$", done.stdout, flags=re.MULTILINE)[1:]
    told = [int(number) for number, text in zip(said[::2], said[1::2], strict=True) if text.strip()]
    return len(said) // 2, _matches(path), told


def theirs(bbp: Path, seed: int, path: Path) -> Differing:
    """A tournament of bbpPairings' own generator, checked by pairopt."""
    lots = random.Random(seed)
    players, rounds = lots.randint(6, 40), lots.randint(4, 9)
    config = path.with_suffix(".cfg")
    config.write_text(f"PlayersNumber={players}\nRoundsNumber={min(rounds, players // 2)}\n"
                      f"DrawPercentage={lots.randint(0, 60)}\n"
                      f"ForfeitRate={lots.randint(5, 60)}\n"
                      f"RetiredRate={lots.randint(10, 200)}\n"
                      f"HalfPointByeRate={lots.randint(10, 200)}\n", "utf-8")  # fmt: skip
    command = [bbp, "--dutch", "-g", config, "-o", path, "-s", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "No valid pairing exists" in done.stderr + done.stdout:
        return 0, 0, []
    if done.returncode:
        raise click.ClickException(f"bbpPairings, seed {seed}: {done.stderr.strip()}")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"142 {min(rounds, players // 2)}\n")  # which round is the last one
    checks = [*check_all(read_event(path), model="fide-dutch")]
    told = [each.problem.event.round for each in checks if not each.agrees]
    return len(checks), _matches(path), told


def _matches(path: Path) -> int:
    event = read_event(path)
    return int((event.matches.second >= 0).sum())


WAYS: dict[str, Callable[[Path, int, Path], Differing]] = {
    "pairopt's by bbpPairings": ours,
    "bbpPairings' by pairopt": theirs,
}


def block(bbp: Path, asked: tuple[str, int]) -> dict[str, object]:
    """A row: so many tournaments from a seed on."""
    direction, first = asked
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.trf"
        found = [WAYS[direction](bbp, seed, path) for seed in range(first, first + BLOCK)]
    differ = [f"{first + k}/{number}" for k, (*_, told) in enumerate(found) for number in told]
    sizes = [sum(each[k] for each in found) for k in (0, 1)]
    return dict(zip(COLUMNS, [direction, first, BLOCK, *sizes, " ".join(differ)], strict=True))


def left(done: pd.DataFrame, tournaments: int) -> Iterator[tuple[str, int]]:
    """Blocks that are not played yet, of both directions in turn."""
    known = set(zip(done["direction"], done["first_seed"], strict=True))
    for first in range(0, tournaments, BLOCK):
        yield from ((way, first) for way in WAYS if (way, first) not in known)


@click.command()
@click.option("--bbp", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--tournaments", default=5000, show_default=True, help="Each way.")
@click.option("--jobs", default=1, show_default=True)
def main(bbp: Path, tournaments: int, jobs: int) -> None:
    """Check tournaments both ways; a discrepancy is named as SEED/ROUND."""
    done = pd.read_csv(RESULT, keep_default_na=False) if RESULT.exists() else pd.DataFrame(
        columns=COLUMNS)  # fmt: skip
    with ProcessPoolExecutor(jobs) as pool:
        for row in pool.map(partial(block, bbp.resolve()), [*left(done, tournaments)]):
            done = pd.concat([done, pd.DataFrame([row])], ignore_index=True)
            done.sort_values(["direction", "first_seed"]).to_csv(RESULT, index=False)
            click.echo(" ".join(map(str, row.values())))


if __name__ == "__main__":
    main()
