"""Why caissify-pairings pairs rounds of campaign.csv otherwise; README.md here.

    python tests/benchmarks/campaign_causes.py [--bbp EXECUTABLE]

Each of its rounds in results/campaign.csv is made again. Of its own tournaments: whether only sides
differ, and by article 5.2.4. Of pairopt's: whether the round still differs once byes asked for are
neither counted as the bye that is allocated (C2) nor, without points, as downfloats (1.4.3).
Beside it what bbpPairings says of the same tournaments.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import campaign
import click
import pandas as pd
from caissify_pairings import fpc

from pairopt import check_all, read_event
from pairopt.round.check import Check

RESULT = campaign.RESULT.with_name("campaign-causes.csv")
NAME = "caissify-pairings"
AS_IT_IS = fpc._build_engine_players
BYES = {"U": "down", "F": "down", "H": "down"}
"""Byes that are downfloats; of U and F the first is allocated, and the other counts as it does."""


def differing(direction: str) -> Mapping[int, set[int]]:
    """The rounds that differ by the seed of the tournament."""
    rows = pd.read_csv(campaign.RESULT, keep_default_na=False)
    found: dict[int, set[int]] = defaultdict(set)
    for cell in rows.loc[rows["direction"] == direction, "differ"]:
        for seed, turn in (each.split("/") for each in cell.split()):
            found[int(seed)].add(int(turn))
    return found


def wrong(program: campaign.Program, path: Path) -> set[int]:
    """The rounds that a program pairs otherwise."""
    return {turn for turn, differs in program.check(path) if differs}


def by_rank(found: Check) -> bool:
    """Whether sides alone differ, each between two of one preference and the same sides before,
    of whom the one with more points has the larger number (5.2.4)."""
    fide, names = found.problem.state.fide, found.problem.state.names
    if found.difference or {each.rule for each in found.violations} != {
        "allocated_sides"
    }:
        return False
    for each in found.violations:
        one, two = (names.index(player) for player in each.players)
        before = [
            [side for side in fide.latest[k].tolist() if side >= 0] for k in (one, two)
        ]
        last = min(map(len, before))
        same = (fide.preferred[one], fide.strength[one]) == (
            fide.preferred[two],
            fide.strength[two],
        )
        alike = (
            same
            and before[0][len(before[0]) - last :] == before[1][len(before[1]) - last :]
        )
        if not alike or (fide.rank[one] < fide.rank[two]) == (
            fide.number[one] < fide.number[two]
        ):
            return False
    return True


def read_rightly(players: dict[int, Any], turn: int) -> list[dict[str, Any]]:
    """What caissify's checker reads of a report, with byes asked for as the articles have them."""
    made = AS_IT_IS(players, turn)
    for each in made:
        own = players[each["starting_number"]].get("results", {})
        cells = [own[k] for k in range(1, turn) if k in own]
        byes = [
            cell.get("result", "-") if cell.get("opponent") is None else ""
            for cell in cells
        ]
        both = zip(byes, each["float_history"], strict=True)
        each["float_history"] = [
            BYES.get(bye, "none") if bye else old for bye, old in both
        ]
        each["bye_count"] = sum(bye in ("U", "F") for bye in byes)
    return made


@click.command()
@click.option(
    "--bbp", type=click.Path(exists=True, path_type=Path), help="Its executable."
)
def main(bbp: Path | None) -> None:
    """Write how many rounds differ, how many for the cause named, and how many say so besides."""
    every = campaign.programs(bbp and bbp.resolve())
    own, other = every[NAME], every.get("bbpPairings")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.trf"
        for direction, way in campaign.ways(NAME).items():
            rounds = caused = agreed = 0
            for seed, turns in differing(direction).items():
                rounds += len(turns)
                if way is campaign.ours:
                    campaign.made(own, seed, path)
                    before = wrong(own, path)
                    with patch.object(fpc, AS_IT_IS.__name__, read_rightly):
                        caused += len((turns & before) - wrong(own, path))
                else:
                    own.make(campaign.Size.of(seed), path, None)
                    checks = check_all(read_event(path), model="fide-dutch")
                    caused += sum(
                        by_rank(each) for each in checks if each.round in turns
                    )
                if other is not None:
                    said = wrong(other, path)
                    agreed += (
                        len(turns - said) if way is campaign.ours else len(turns & said)
                    )
            cause = "C2, 1.4.3" if way is campaign.ours else "5.2.4"
            rows.append([direction, rounds, cause, caused, agreed])
            click.echo(rows[-1])
    columns = ["direction", "rounds", "articles", "caused", "bbpPairings_as_pairopt"]
    pd.DataFrame(rows, columns=columns).to_csv(RESULT, index=False)


if __name__ == "__main__":
    main()
