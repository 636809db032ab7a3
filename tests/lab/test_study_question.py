"""A study's question: when it was put down, orders by labels, levels in words, a gap's sign."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairopt import InputError, load_model
from pairopt.lab import World, compare_models
from pairopt.lab.studies.run import run_study
from pairopt.lab.studies.study_file import StudyDesign, program, read_study
from pairopt.lab.worlds import Games

HEAD = "models = ['excalibur', 'random']\nreplicates = 3\nseed = 4\n"
WORLD = "[world]\nplayers = 6\nrounds = 2\n"


def read(folder: Path, text: str) -> StudyDesign:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return read_study(folder / "study.toml")


class TestRegistration:
    @pytest.mark.long
    @pytest.mark.usefixtures("sketched")
    def test_it_stands_in_the_results_and_changes_no_question(
        self, tmp_path: Path
    ) -> None:
        plain = read(tmp_path, HEAD + WORLD)
        text = (
            f"{HEAD}{WORLD}[registration]\ndate = 2026-11-28\nsha256 = '{plain.registered}'\n"
            "doi = '10.5281/zenodo.1234567'\nosf = 'ab3de'\n"
        )
        design = read(tmp_path, text)
        assert design.registered == plain.registered
        run_study(design, tmp_path)
        told = json.loads((tmp_path / "results.json").read_text("utf-8"))
        assert told["registration"] == {
            "date": datetime.date(2026, 11, 28).isoformat(),
            "sha256": plain.registered,
            "doi": "10.5281/zenodo.1234567",
            "osf": "ab3de",
        }
        assert told["program"] == program()
        assert told["choose"] == "uniform"
        assert {"pyarrow", "numpy", "ortools"} <= {*told["versions"]}

    @pytest.mark.long
    @pytest.mark.parametrize(
        "change",
        [
            ("seed = 4", "seed = 5"),
            ("replicates = 3", "replicates = 4"),
            ("players = 6", "players = 7"),
            ("'random'", "'monrad'"),
            ("seed = 4", "seed = 4\nchoose = 'any'"),
        ],
    )
    def test_a_question_that_was_changed_since_is_refused(
        self, tmp_path: Path, change: tuple[str, str]
    ) -> None:
        sha = read(tmp_path, HEAD + WORLD).registered
        text = f"{HEAD}{WORLD}[registration]\nsha256 = '{sha}'\n"
        with pytest.raises(InputError, match=r"registration\.sha256"):
            read(tmp_path, text.replace(*change))

    @pytest.mark.parametrize(
        "line",
        [
            "date = '28.11.2026'",
            "date = 2026-11-28T10:00:00",
            "date = 3",
            "doi = 'zenodo'",
            "osf = 'x'",
            "sha256 = 'abc'",
            "url = 'x'",
        ],
    )
    def test_what_none_can_be(self, tmp_path: Path, line: str) -> None:
        with pytest.raises(InputError, match="registration"):
            read(tmp_path, f"{HEAD}{WORLD}[registration]\n{line}\n")


class TestOrders:
    def test_by_labels(self, tmp_path: Path) -> None:
        orders = (
            "orders = {'far apart last' = ['side_difference', 'rematches'], own = []}\n"
        )
        kinds = [rule.kind for rule in load_model("excalibur").criteria]
        assert kinds.index("rematches") < kinds.index("side_difference")
        design = read(tmp_path, HEAD + orders + WORLD)
        assert design.names == [
            "excalibur",
            "excalibur/far apart last",
            "excalibur/own",
            "random",
        ]
        named = [
            k
            for k, kind in enumerate(kinds)
            if kind in ("rematches", "side_difference")
        ]
        wanted, first = [*kinds], kinds.count("side_difference")
        for number, place in enumerate(named):
            wanted[place] = "side_difference" if number < first else "rematches"
        assert wanted != kinds
        made = design.contenders[1]
        assert [rule.kind for rule in made.criteria] == wanted  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        "orders",
        [
            "orders = {x = ['nosuch']}",
            "orders = {x = ['rematches', 'rematches']}",
            "orders = {x = ['rematches']}\npermute = ['rematches']",
        ],
    )
    def test_what_none_can_be(self, tmp_path: Path, orders: str) -> None:
        with pytest.raises(InputError, match="orders"):
            read(tmp_path, f"{HEAD}{orders}\n{WORLD}")


@pytest.mark.sweep
@pytest.mark.usefixtures("sketched")
def test_no_level_of_a_grid_is_an_empty_cell(tmp_path: Path) -> None:
    """What groups rows by it has all of them."""
    grid = "[grid]\nrating_error = [0, 80, 'unrated']\n"
    run_study(read(tmp_path, HEAD + WORLD + grid), tmp_path)
    for name in ("tournaments.csv", "means.csv", "differences.csv"):
        table = pd.read_csv(tmp_path / name)
        assert {*table["world_rating_error"]} == {"0", "80", "unrated"}
        sizes = table.groupby(["world_rating_error", "model"]).size()
        assert sizes.sum() == len(table)
    games = pd.read_parquet(tmp_path / "games.parquet")
    assert {*games["world_rating_error"]} == {"0", "80", "unrated"}
    assert games["status"].notna().all()


@pytest.mark.long
@pytest.mark.parametrize("sides", [(), ("white", "black")])
def test_a_gap_is_by_how_much_the_second_is_stronger(sides: tuple[str, ...]) -> None:
    """As docs/laboratory.md says of what a world sees."""
    seen: list[Games] = []

    def watched(met: Games) -> tuple[np.ndarray, np.ndarray]:
        seen.append(met)
        return np.full(len(met.one), 0.5), np.zeros(len(met.one))

    strengths = (1000.0, 1400.0, 1800.0, 2200.0)
    world = World(
        players=4,
        rounds=3,
        results=watched,
        strengths=strengths,
        sides=sides,
        first_side=30.0 if sides else 0.0,
    )
    compare_models(["random"], world, replicates=2)
    assert seen
    for met in seen:
        for one, two, side, gap, expected in zip(
            met.one, met.two, met.side, met.gap, met.expected, strict=True
        ):
            assert one < two
            ahead = met.strength[two] - met.strength[one] - 30 * side * bool(sides)
            assert gap == pytest.approx(ahead)
            assert (expected > 0.5) == (gap < 0)
