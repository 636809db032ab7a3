"""Compare pairings and tie-breaks with other programs, in both directions; README.md here.

    python tests/benchmarks/fide_campaign.py --bbp EXECUTABLE -o FILE.csv
        [--program bbpPairings] [--tournaments 50000] [--first-seed 0] [--block 100] [--jobs 1]

Stop the command at any time. The same command goes on where FILE.csv ends.
"""

from __future__ import annotations

import csv
import importlib.util
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
from campaign import Program, brought, made, programs
from tie_breaks import CODES, differing, gacrux_values, our_values

from pairopt import check_all, read_event

COLUMNS = (
    "direction",
    "first_seed",
    "seeds",
    "tournaments",
    "rounds",
    "matches",
    "rounds_differ",
    "tie_breaks",
    "tie_breaks_differ",
)
MADE_BY_PAIROPT, MADE_BY_OTHER = "made by pairopt", "made by the other program"
DIRECTIONS = (MADE_BY_PAIROPT, MADE_BY_OTHER)
TIE_BREAKS_BY = "gacrux"
"""The program that also computes the tie-breaks of all tournaments."""


@dataclass(frozen=True)
class Comparison:
    """The comparison of one tournament.

    `rounds_differ` has the numbers of the rounds that two programs pair differently, and
    `tie_breaks_differ` the codes whose values differ for some player. `tie_breaks` is the
    number of compared values.
    """

    rounds: int
    matches: int
    rounds_differ: tuple[int, ...]
    tie_breaks: int
    tie_breaks_differ: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """The tournaments of some seeds in one direction: one row of the file."""

    program: str
    direction: str
    first_seed: int
    seeds: int

    @property
    def title(self) -> str:
        """The two programs, as the column `direction` has them."""
        if self.direction == MADE_BY_PAIROPT:
            return f"made by pairopt, checked by {self.program}"
        return f"made by {self.program}, checked by pairopt"


def compare_tournament(
    program: Program, direction: str, seed: int, path: Path
) -> Comparison | None:
    """Compare one tournament, None if the other program finds no pairing for it.

    The report goes to each program as its maker has written it. Raises RuntimeError if
    a program's caller changes the report.
    """
    if direction == MADE_BY_PAIROPT:
        made(program, seed, path)
    elif not brought(program, seed, path):
        return None
    text = path.read_text("utf-8")
    event = read_event(path)

    if direction == MADE_BY_PAIROPT:
        checked = program.check(path)
        if path.read_text("utf-8") != text:
            raise RuntimeError(f"The report of seed {seed} was changed.")
    else:
        checks = check_all(event, model="fide-dutch")
        checked = [(each.problem.event.round, not each.agrees) for each in checks]

    last_round = event.round - 1
    values = our_values(event, CODES)
    their_values = gacrux_values(text, last_round, CODES)
    codes_differ = [
        code for code in CODES if differing(values[code], their_values[code], code)
    ]
    return Comparison(
        len(checked),
        int((event.matches.second >= 0).sum()),
        tuple(number for number, is_different in checked if is_different),
        len(CODES) * len(event.players),
        tuple(codes_differ),
    )


def compare_block(executable: Path | None, block: Block) -> dict[str, str]:
    """Return the row of a block."""
    program = programs(executable)[block.program]
    comparisons: dict[int, Comparison] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.trf"
        for seed in range(block.first_seed, block.first_seed + block.seeds):
            comparison = compare_tournament(program, block.direction, seed, path)
            if comparison is not None:
                comparisons[seed] = comparison
    compared = [*comparisons.values()]
    rounds_differ = [
        f"{seed}/{number}"
        for seed, comparison in comparisons.items()
        for number in comparison.rounds_differ
    ]
    tie_breaks_differ = [
        f"{seed}/{code}"
        for seed, comparison in comparisons.items()
        for code in comparison.tie_breaks_differ
    ]
    values: tuple[object, ...] = (
        block.title,
        block.first_seed,
        block.seeds,
        len(compared),
        sum(comparison.rounds for comparison in compared),
        sum(comparison.matches for comparison in compared),
        " ".join(rounds_differ),
        sum(comparison.tie_breaks for comparison in compared),
        " ".join(tie_breaks_differ),
    )
    return dict(zip(COLUMNS, map(str, values), strict=True))


def plan_blocks(
    names: Iterable[str], first_seed: int, tournaments: int, seeds: int
) -> Iterator[Block]:
    """Yield all blocks of a campaign in the order of the file."""
    for first in range(first_seed, first_seed + tournaments, seeds):
        for name in names:
            for direction in DIRECTIONS:
                yield Block(name, direction, first, seeds)


def read_rows(path: Path, blocks: Iterable[Block]) -> list[dict[str, str]]:
    """Return the rows that the file has: the first ones of the campaign.

    Raises ClickException if the file has rows of another campaign.
    """
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    for row, block in zip(rows, blocks, strict=False):
        expected = (block.title, str(block.first_seed), str(block.seeds))
        found = tuple(row.get(column, "") for column in COLUMNS[:3])
        if found != expected:
            raise click.ClickException(
                f"{path}: the file has another campaign. Its row is {found}, but"
                f" {expected} is next. Choose another file with -o."
            )
    return rows


def write_rows(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write all rows at once: a killed command leaves the file before or after."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    unfinished.replace(path)


@click.command()
@click.option(
    "--bbp",
    type=click.Path(exists=True, path_type=Path),
    help="The executable of bbpPairings.",
)
@click.option("--program", multiple=True, help="Compare with this program only.")
@click.option("--tournaments", default=50_000, show_default=True, help="Each way.")
@click.option("--first-seed", default=0, show_default=True)
@click.option("--block", default=100, show_default=True, help="Seeds of a row.")
@click.option("--jobs", default=1, show_default=True, help="Number of processes.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def main(
    bbp: Path | None,
    program: tuple[str, ...],
    tournaments: int,
    first_seed: int,
    block: int,
    jobs: int,
    output: Path,
) -> None:
    """Compare tournaments in both directions, with all tie-breaks of C.07.

    Differences are named SEED/ROUND and SEED/CODE.
    """
    if importlib.util.find_spec(TIE_BREAKS_BY) is None:
        raise click.ClickException(
            f"{TIE_BREAKS_BY} is not installed, and it computes the tie-breaks."
        )
    if tournaments % block:
        raise click.ClickException(f"--tournaments: write a multiple of {block}.")
    executable = bbp and bbp.resolve()
    names = program or tuple(programs(executable))
    blocks = [*plan_blocks(names, first_seed, tournaments, block)]
    rows = read_rows(output, blocks)
    missing = blocks[len(rows) :]
    compare = partial(compare_block, executable)

    if jobs == 1:
        for each in missing:
            rows.append(compare(each))
            write_rows(output, rows)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            for row in pool.map(compare, missing):
                rows.append(row)
                write_rows(output, rows)
    click.echo(f"{sum(int(row['tournaments']) for row in rows)} tournaments compared")


if __name__ == "__main__":
    main()
