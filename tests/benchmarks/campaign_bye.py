"""Why bbpPairings pairs rounds of campaign.csv otherwise where a bye is worth 0; README.md here.

    python tests/benchmarks/campaign_bye.py --bbp EXECUTABLE

Each tournament of which a round differs is made again, and checked by pairopt once more, in which
an allocated bye without points is no downfloat now (1.4.3). By that the rounds that bbpPairings
pairs otherwise have to be others than pairopt's own, and its own tournaments right, all of them.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from unittest.mock import patch

import campaign
import click
import numpy as np
import pandas as pd

from pairopt import check_all, read_event
from pairopt.event import fide
from pairopt.event.arcs import IntArray
from pairopt.event.event import BYE_ROW, Event
from pairopt.event.matches import Turns

RESULT = campaign.RESULT.with_name("campaign-bye.csv")
FLOATS = fide._floats


def without_byes(event: Event, turns: Turns) -> IntArray:
    """The floats, none of them by an allocated bye without points."""
    nothing = (turns.status == BYE_ROW) & (turns.points == 0)
    padded = np.hstack([np.zeros((len(nothing), 2), np.bool_), nothing])[:, :-3:-1]
    return np.where(padded, 0, FLOATS(event, turns))


@click.command()
@click.option("--bbp", type=click.Path(exists=True, path_type=Path), required=True)
def main(bbp: Path) -> None:
    """Write how many rounds differ, and of how many that is the only cause."""
    program, rows = campaign.bbp(bbp.resolve()), []
    every = pd.read_csv(campaign.RESULT, keep_default_na=False)
    ways = campaign.ways("bbpPairings", campaign.NOTHING)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.trf"
        for direction in ways:
            cells = " ".join(every.loc[every["direction"] == direction, "differ"]).split()
            said = [tuple(map(int, cell.split("/"))) for cell in cells]
            caused = 0
            for seed in dict.fromkeys(seed for seed, _ in said):
                turns = {turn for k, turn in said if k == seed}
                if direction.startswith("pairopt"):
                    campaign.made(program, seed, path, campaign.NOTHING)
                    wanted = turns
                else:
                    points = campaign.counted_by(seed, campaign.NOTHING)
                    program.make(campaign.Size.of(seed), path, points)
                    campaign.forbid(path, random.Random(seed))
                    wanted = set()
                with patch.object(fide, FLOATS.__name__, without_byes):
                    checks = check_all(read_event(path), model="fide-dutch")
                    differ = {each.round for each in checks if not each.agrees}
                caused += len(turns) * (differ == wanted)
            rows.append([direction, len(said), "1.4.3", caused])
            click.echo(rows[-1])
    columns = ["direction", "rounds", "articles", "caused"]
    pd.DataFrame(rows, columns=columns).to_csv(RESULT, index=False)


if __name__ == "__main__":
    main()
