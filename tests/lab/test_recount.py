"""What is made again from a study's games is what was measured while it was played, and what a
reader of the two Parquet files finds by counting."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from rounds_alike import require_alike

from pairopt.lab.comparison import play
from pairopt.lab.metrics.rounds import PAIRING, RANKING
from pairopt.lab.studies.game_archive import PLAYED_ROUNDS
from pairopt.lab.studies.run import read_rounds, run_study
from pairopt.lab.studies.study_file import read_study
from pairopt.lab.task_cache import NOTHING_KEPT

WORLDS = {
    "odd and leaving": "players = 9\nrounds = 4\ndrops = 0.1\nlate = 0.2\nabsent = 0.1\n"
    "forfeits = 0.1\nsides = ['white', 'black']",
    "by score": "base = 'open-2026-1500'\nplayers = 12\nrounds = 4",
    "no sides": "players = 8\nrounds = 3\nsides = []\nwin = 3\ndraw = 1\ndraws = 0.4",
    "two games": "players = 8\nrounds = 3\ngames = 2",
    "no pairing is left": "players = 4\nrounds = 5",
    "a cut": "players = 8\nrounds = 3\ncut = 4",
}


def study(folder: Path, world: str, replicates: int = 8) -> Path:
    path = folder / "study.toml"
    path.write_text(
        "models = ['fide-basic', 'excalibur', 'random', 'knockout', 'monrad']\n"
        f"replicates = {replicates}\n"
        f"metrics = ['strength_gap']\n[world]\n{world}\n",
        "utf-8",
    )
    return path


@pytest.mark.sweep
@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize("world", WORLDS)
def test_the_rounds_of_a_folder_are_those_that_were_played(
    tmp_path: Path, world: str
) -> None:
    design = read_study(study(tmp_path, WORLDS[world]))
    run_study(design, tmp_path / "study")
    made = read_rounds(tmp_path / "study")
    played = play(design.studies, NOTHING_KEPT, design.file.replicates)
    paired = played[played["kendall"].notna() | played["floats"].notna()].reset_index(
        drop=True
    )
    again = made[made["status"] == "played"].reset_index(drop=True)
    require_alike(
        again[["model", "replicate", "round", *RANKING, *PAIRING]],
        paired[["model", "replicate", "round", *RANKING, *PAIRING]],
    )


@pytest.mark.sweep
@pytest.mark.usefixtures("sketched")
def test_a_limit_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole tournaments, the same of each model; all tables are as without one."""
    from pairopt.lab.studies import game_archive
    from pairopt.lab.studies.check import check_study

    design = read_study(study(tmp_path, WORLDS["odd and leaving"]))
    run_study(design, tmp_path / "whole")
    whole, by_seed = (tmp_path / "whole" / "games.parquet").stat().st_size, []
    for limit in (3_000_000, whole - 1, 0):
        part = tmp_path / f"part{limit}"
        monkeypatch.setattr(game_archive, "LIMIT", limit)
        run_study(design, part)
        name = "tournaments.csv"
        assert (part / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        for name in ("means.csv", "differences.csv"):  # of values with 6 digits
            one, two = (pd.read_csv(each / name) for each in (part, tmp_path / "whole"))
            value = [
                "model",
                "metric",
                "mean" if name == "means.csv" else "difference",
                "n",
            ]
            pd.testing.assert_frame_equal(one[value], two[value], rtol=1e-4, atol=1e-5)
        games = pq.read_table(part / "games.parquet").to_pandas()
        counts = games.groupby("model", observed=True)["replicate"].nunique()
        assert len({*counts}) <= 1
        assert (part / "games.parquet").stat().st_size <= max(limit, whole // 2)
        found = check_study(part, "all")
        assert not found.faults
        assert found.replayed == 40 == found.tournaments + found.by_seed
        by_seed.append(found.by_seed)
    assert by_seed[0] == 0 < by_seed[1] < by_seed[2] == 40


@pytest.mark.long
@pytest.mark.usefixtures("sketched")
def test_a_reader_counts_the_same(tmp_path: Path) -> None:
    """Rematches, floats, side differences and points by dicts, from the file alone."""
    design = read_study(
        study(tmp_path, "players = 7\nrounds = 4\nsides = ['white', 'black']")
    )
    run_study(design, tmp_path / "study")
    rows = pq.read_table(tmp_path / "study" / "games.parquet").to_pylist()
    told = pd.read_csv(tmp_path / "study" / "tournaments.csv").set_index(
        ["model", "replicate"]
    )
    tournaments = defaultdict(list)
    for row in rows:
        tournaments[row["model"], row["replicate"]].append(row)
    assert len(tournaments) == 40
    for key, games in tournaments.items():
        points, side, met = Counter[int](), Counter[int](), set[frozenset[int]]()
        rematches = floats = 0
        for number in range(1, 5):
            now = [row for row in games if row["round"] == number and row["player1"]]
            before = dict(points)
            for row in now:
                one, two = row["player1"], row["player2"]
                points[one] += row["score1"] or 0
                if two is None:
                    continue
                points[two] += row["score2"]
                rematches += frozenset((one, two)) in met
                floats += before.get(one, 0) != before.get(two, 0)
                side[one] += 1 - 2 * row["side1"]
                side[two] -= 1 - 2 * row["side1"]
                if row["status"] == "played":
                    met.add(frozenset((one, two)))
        own = told.loc[key]
        if own[PLAYED_ROUNDS] < 4:
            continue
        assert own["rematches"] == rematches
        assert own["floats"] == floats
        assert own["unbalanced"] == sum(abs(value) >= 2 for value in side.values())
