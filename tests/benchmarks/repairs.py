"""How many results repairs lose, turn or move: none may be; see README.md beside this file.

python tests/benchmarks/repairs.py [--repairs N] [--first SEED]

Events of 4 to 14 players under all shipped models, by the verbs and by the page's posts, rounds 1
to 6 with half of the results in: somebody leaves, comes late, comes back, a result is corrected,
two may not meet; then the round is paired again. The files are compared before and after, by a
reading of their own, and where at most 8 are to be paired with every pairing that there is.
"""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import count
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from repairs import Evening, Tally


@click.command()
@click.option("--repairs", default=10_000, help="So many at least.")
@click.option("--first", default=0, help="The seed of the first event.")
def main(repairs: int, first: int) -> None:
    """Repair, and say what was counted; the first that is wrong ends it."""
    tally, start = Tally(), time.monotonic()
    for seed in count(first):
        if tally.counts["repairs"] >= repairs:
            break
        with tempfile.TemporaryDirectory() as home:
            Evening(Path(home) / "event", seed, tally).play()
        if seed % 50 == 0:
            click.echo(f"seed {seed}: {tally.counts['repairs']} repairs", err=True)
    for what, many in tally.counts.most_common():
        click.echo(f"{many:9,d} {what}")
    click.echo(
        ", ".join(f"{model} {many}" for model, many in sorted(tally.models.items()))
    )
    click.echo(f"{time.monotonic() - start:.0f} s, seeds {first} to {seed - 1}")


if __name__ == "__main__":
    main()
