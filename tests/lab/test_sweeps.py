"""Figures of a sweep, one-line plots, and the progress of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from pairopt import UsageError
from pairopt.cli import main
from pairopt.lab import (
    World,
    compare_models,
    differences,
    figures,
    means,
    plot_differences,
    plot_sweep,
    plot_trade_off,
    progress,
    sweep_figures,
)
from pairopt.lab.grid import grid

MODELS = ["excalibur", "random"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def swept() -> pd.DataFrame:
    """Two models in four worlds: 3 or 4 rounds, rated or unrated players."""
    worlds = grid(World(players=6), rounds=[4, 3], rating_error=[0, None])
    return compare_models(MODELS, worlds, replicates=9, seed=1)


@pytest.fixture(scope="module")
def by_rounds(swept: pd.DataFrame) -> pd.DataFrame:
    rated = swept[swept["world_rating_error"] == "0"]
    return rated.drop(columns="world_rating_error")


def lines_of(ax: object) -> dict[str, np.ndarray]:
    """The points of each named line."""
    return {
        line.get_label(): line.get_xydata()  # type: ignore[attr-defined]
        for line in ax.get_lines()  # type: ignore[attr-defined]
        if not line.get_label().startswith("_")
    }


def test_a_line_goes_through_the_means_in_the_order_of_the_values(
    by_rounds: pd.DataFrame,
) -> None:
    ax = sweep_figures.sweep_curve(by_rounds, "floats", ax=Figure().subplots())
    lines = lines_of(ax)
    assert [*lines] == MODELS
    table = means(by_rounds, ["floats"]).set_index(["model", "world_rounds"])["mean"]
    for model, points in lines.items():
        assert points.tolist() == [[k, table[model, k]] for k in (3, 4)]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["3", "4"]
    assert ax.get_xlabel() == "rounds"
    assert "pointwise 95 %" in ax.get_title()


def test_a_band_ends_at_the_limits_of_the_interval(by_rounds: pd.DataFrame) -> None:
    ax = sweep_figures.sweep_curve(by_rounds, "kendall", ax=Figure().subplots())
    limits = means(by_rounds, ["kendall"])
    limits = limits[limits["model"] == "random"].sort_values("world_rounds")
    vertical = [each for each in ax.collections if hasattr(each, "get_segments")]
    segments = np.array(vertical[1].get_segments())
    assert segments[:, :, 1].tolist() == limits[["low", "high"]].to_numpy().tolist()


def test_other_settings_are_averaged_and_said(swept: pd.DataFrame) -> None:
    ax = sweep_figures.sweep_curve(swept, "floats", "rounds", ax=Figure().subplots())
    part = swept[swept["world_rounds"] == 3]
    table = means(part, ["floats"], merge=True).set_index("model")["mean"]
    assert lines_of(ax)["random"][0].tolist() == [3, table["random"]]
    assert "mean over rating error 0, unrated" in ax.get_xlabel()
    texts = sweep_figures.sweep_curve(
        swept, "floats", "rating_error", ax=Figure().subplots()
    )
    assert [t.get_text() for t in texts.get_xticklabels()] == ["0", "unrated"]


def test_differences_leave_the_baseline_out(by_rounds: pd.DataFrame) -> None:
    ax = sweep_figures.sweep_curve(
        by_rounds, "floats", baseline="excalibur", ax=Figure().subplots()
    )
    table = differences(by_rounds, "excalibur", ["floats"]).set_index("world_rounds")
    assert lines_of(ax)["random"][:, 1].tolist() == [
        table["difference"][k] for k in (3, 4)
    ]
    assert "difference to excalibur" in ax.get_ylabel().replace("\n", " ")


def test_an_interval_of_few_tournaments_is_not_drawn(by_rounds: pd.DataFrame) -> None:
    """Excalibur never leaves a side difference: its interval would be the metric's range."""
    few = by_rounds[by_rounds["replicate"] < 4]
    ax = sweep_figures.sweep_curve(few, "violations", ax=Figure().subplots())
    hollow = [line for line in ax.get_lines() if line.get_markerfacecolor() == "w"]
    assert any(len(line.get_xdata()) for line in hollow)
    assert "hollow points" in ax.get_title()


def test_more_models_than_colours_are_named_together(by_rounds: pd.DataFrame) -> None:
    parts = [
        by_rounds.assign(model=f"m{k}", floats=by_rounds["floats"] + k)
        for k in range(10)
    ]
    ax = sweep_figures.sweep_curve(pd.concat(parts), "floats", ax=Figure().subplots())
    names = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert names == [*(f"m{k}" for k in range(7)), "3 other models"]
    named = {line.get_label(): line.get_color() for line in ax.get_lines()}
    assert to_hex(named["3 other models"]) == to_hex("0.75")


def test_a_table_without_a_sweep_and_unknown_settings_are_refused(
    swept: pd.DataFrame,
) -> None:
    one = compare_models(MODELS, World(players=6, rounds=2), replicates=2)
    with pytest.raises(UsageError, match="can't show the effect of a setting"):
        plot_sweep(one)
    for setting in (None, "draws"):
        with pytest.raises(
            UsageError, match="Choose one of these settings: rounds, rating_error"
        ):
            plot_sweep(swept, setting=setting)


@pytest.mark.long
def test_a_study_with_a_grid_has_one_figure_per_setting(tmp_path: Path) -> None:
    options = ["--players", 6, "--models", "excalibur,random", "--replicates", 5]
    options += ["--grid", "rounds=2,3"]
    assert run("study", *options, "-o", tmp_path / "a").exit_code == 0
    drawn = {path.name for path in (tmp_path / "a" / "figures").iterdir()}
    assert drawn == {"sweep-rounds.svg", "sweep-rounds.pdf"}
    text = (tmp_path / "a" / "figures" / "sweep-rounds.svg").read_text("utf-8")
    assert "Means by rounds" in text
    assert run("study", "check", tmp_path / "a", "--replay", 2).exit_code == 0

    both = run("study", *options, "--world-figures", "-o", tmp_path / "b")
    assert both.exit_code == 0, both.output
    drawn = {path.name for path in (tmp_path / "b" / "figures").iterdir()}
    assert {"sweep-rounds.svg", "heat_map-1.svg", "heat_map-2.svg"} <= drawn
    assert run("study", "check", tmp_path / "b", "--replay", 2).exit_code == 0

    assert run("plot", tmp_path / "a", "-o", tmp_path / "c").exit_code == 0
    drawn = {path.name for path in (tmp_path / "c").iterdir()}
    assert drawn == {"sweep-rounds.svg", "sweep-rounds.png"}


@pytest.mark.long
def test_the_panels_leave_out_what_is_equal_everywhere(by_rounds: pd.DataFrame) -> None:
    equal = by_rounds.assign(violations=0)
    first = sweep_figures.sweep_panels(equal, "rounds", ["floats", "violations"])
    figure = first.get_figure(root=True)
    assert figure is not None
    shown = [ax.get_title().replace("\n", " ") for ax in figure.axes if ax.axison]
    assert shown == [figures.describe_metric("floats")]


class TestPlots:
    @pytest.fixture(autouse=True)
    def without_a_window(self) -> None:
        mpl.use("agg")

    def test_differences(self, by_rounds: pd.DataFrame) -> None:
        ax = plot_differences(by_rounds, "floats", margin=0.5)
        names = [text.get_text() for text in ax.get_yticklabels()]
        assert [name.split("%")[0] for name in names] == [
            "random, rounds 4, 95",
            "random, rounds 3, 95",
        ]
        assert ax.get_title() == "Paired differences to excalibur"

    def test_sweep(self, by_rounds: pd.DataFrame) -> None:
        assert [*lines_of(plot_sweep(by_rounds, "floats"))] == MODELS

    def test_trade_off(self, by_rounds: pd.DataFrame) -> None:
        one = by_rounds[by_rounds["world_rounds"] == 3]
        ax = plot_trade_off(one.drop(columns="world_rounds"))
        assert ax.get_ylabel() == figures.describe_metric("kendall")

    @pytest.mark.parametrize("plot", [plot_differences, plot_sweep, plot_trade_off])
    def test_no_tournament(
        self, plot: Callable[[pd.DataFrame], object], by_rounds: pd.DataFrame
    ) -> None:
        with pytest.raises(UsageError, match="No tournament in these results"):
            plot(by_rounds.iloc[:0])

    def test_a_trade_off_names_the_metrics_that_have_no_values(
        self, by_rounds: pd.DataFrame
    ) -> None:
        without_ranks = by_rounds.drop(columns="world_rounds").assign(kendall=np.nan)
        sentence = "These results have no values of floats and kendall."
        with pytest.raises(UsageError, match=sentence):
            plot_trade_off(without_ranks)

    def test_no_model_but_the_baseline(self, by_rounds: pd.DataFrame) -> None:
        alone = by_rounds[by_rounds["model"] == "random"]
        with pytest.raises(UsageError, match="All models in these results are random"):
            plot_differences(alone, "floats")
        with pytest.raises(UsageError, match="All models in these results are random"):
            plot_sweep(alone, "floats", baseline="random")


def test_a_table_has_no_column_of_texts_on_levels() -> None:
    world = World(players=6, rounds=2)
    plain = compare_models(["standard"], world, replicates=2)
    assert "levels" not in plain
    assert not [c for c in plain if isinstance(plain[c].dtype, pd.CategoricalDtype)]
    told = compare_models(["standard"], world, replicates=2, levels=True)
    assert told.drop(columns="levels").equals(plain)


def test_the_progress_of_a_run_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    seen = list[tuple[int, int]]()
    world = World(players=6, rounds=2)
    compare_models(
        ["standard"],
        world,
        replicates=2,
        display=True,
        watch=lambda *numbers: seen.append(numbers),
    )
    assert seen[-1] == (1, 1)
    assert "1/1" in capsys.readouterr().err
    compare_models(["standard"], world, replicates=2)
    assert capsys.readouterr().err == ""
    with progress.show_progress(is_shown=False) as report:
        report(1, 2)
    assert capsys.readouterr().err == ""
