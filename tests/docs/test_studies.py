"""The published studies: folders that their study.toml makes, and what the pages quote of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pages
import pandas as pd
import pytest
from places import ROOT

from pairopt.lab.studies.data_package import DICTIONARY
from pairopt.lab.studies.run import GAMES, RESULTS, SUMS
from pairopt.lab.studies.study_file import NAME, all_versions, read_study

QUESTIONS = sorted((ROOT / "studies").glob(f"*/{NAME}"))
STUDIES = [path.parent for path in QUESTIONS if (path.parent / RESULTS).is_file()]
"""Those that have been played; a question is written down before."""
WHOLE = [folder for folder in STUDIES if (folder / DICTIONARY).is_file()]
"""Those that keep their games."""


def listed(folder: Path) -> dict[str, str]:
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    return {
        name: digest for digest, _, name in (line.partition("  ") for line in lines)
    }


def test_there_is_one() -> None:
    assert STUDIES


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.parent.name)
def test_every_question_can_be_asked(path: Path) -> None:
    """Also side by side: modules of plug-ins have names of their own."""
    assert read_study(path).file.hypotheses


@pytest.mark.parametrize("folder", WHOLE, ids=lambda folder: folder.name)
def test_what_is_stored_is_what_was_written(folder: Path) -> None:
    sums, design = listed(folder), read_study(folder / NAME)
    results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    assert GAMES in sums
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name
    assert results["study_sha256"] == design.sha256
    assert results["registered_sha256"] == design.registered


def test_the_page_has_its_claims() -> None:
    """A study of many claims has rows at least for those that are not supported.

    Each row has the words and numbers of the published sentence.
    """
    words = {"shown": "supported", "not shown": "**not supported**"}
    for folder in STUDIES:
        claims = json.loads((folder / RESULTS).read_text(encoding="utf-8"))["claims"]
        page = next(
            text
            for path in pages.PAGES
            if f"<!-- study {folder.name}: " in (text := pages.text(path))
        )
        own = page.split(f"<!-- study {folder.name}: ")[1].split("<!-- end -->")[0]
        rows = [line for line in own.splitlines() if line.startswith("| ")]
        told = set()
        for claim in claims:
            claimed, _, numbers = claim["sentence"].partition(": difference ")
            difference, _, rest = numbers.partition(" (")
            interval = rest.partition("interval ")[2].partition(")")[0]
            p = rest.partition(", p ")[2].partition(" corrected")[0].partition(":")[0]
            verdict = words.get(claim["verdict"], p)
            wanted = [
                claimed,
                difference,
                f"{interval} (",
                f"| {p} |",
                f"| {verdict} |",
            ]
            if any(all(each in row for each in wanted) for row in rows):
                told.add(claim["sentence"])
        asked = {claim["sentence"] for claim in claims if claim["verdict"] != "shown"}
        assert asked <= told, folder.name
        assert asked < told or not any(claim["verdict"] == "shown" for claim in claims)


@pytest.mark.slow
@pytest.mark.parametrize("folder", WHOLE, ids=lambda folder: folder.name)
def test_its_one_command_makes_it_again(folder: Path, tmp_path: Path) -> None:
    done = pages.run(
        f"pairopt study run {folder / NAME} -o {tmp_path / 'again'} --jobs 2", ROOT
    )
    assert done.returncode == 0, done.stderr
    made, stored = listed(tmp_path / "again"), listed(folder)
    results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    tables = [name for name in stored if name.endswith((".csv", ".md"))]
    same = stored if results["versions"] == all_versions() else tables
    if "tournament-values.parquet" in stored:
        # an older folder, made smaller: its sentences have the words of their time
        same = [name for name in tables if name.endswith(".csv")]
    assert {name: made[name] for name in same} == {name: stored[name] for name in same}
    done = pages.run(f"pairopt study check {tmp_path / 'again'} --jobs 2", ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def claims_of(name: str) -> dict[tuple[str, str, str], dict[str, float]]:
    """The claims of a published study by model, metric and kind."""
    results = json.loads(
        (ROOT / "studies" / name / RESULTS).read_text(encoding="utf-8")
    )
    return {
        (each["model"], each["metric"], each["claim"]): each
        for each in results["claims"]
    }


def test_the_prose_on_orders_has_the_numbers_of_the_results() -> None:
    text = " ".join(pages.text(ROOT / "docs/studies/orders.md").split())
    wide = claims_of("orders-wide")
    control = wide["random", "kendall", "less"]
    assert f"random pairing differs by {-control['difference']:.3f}" in text
    near = {model: each for (model, _, kind), each in wide.items() if kind == "near"}
    assert len(near) == 5
    assert all(each["verdict"] == "shown" for each in near.values())
    assert all(each["margin"] * 4 < -control["difference"] for each in near.values())
    sides_first = near.pop("excalibur/1-2-3-4-6-5-7")
    assert (
        f"is {-sides_first['difference']:.3f} lower (90% interval "
        f"{-sides_first['high']:.3f} to {-sides_first['low']:.3f})" in text
    )
    assert max(max(-each["low"], each["high"]) for each in near.values()) < 0.005
    floats = wide["excalibur/1-2-3-4-6-5-7", "floats", "more"]
    assert f"makes {floats['difference']:.0f} more floats" in text
    again = [
        each
        for each in json.loads(
            (ROOT / "studies/orders-again" / RESULTS).read_text(encoding="utf-8")
        )["claims"]
        if each["claim"] == "near"
    ]
    assert not any(each["verdict"] == "shown" for each in again)
    assert f"None of the {len(again)} hypotheses of equivalence is supported" in text


def test_the_prose_on_weights_has_the_numbers_of_the_results() -> None:
    text = " ".join(pages.text(ROOT / "docs/studies/literature.md").split())
    tau = claims_of("weights-again")["fold-weights", "kendall", "more"]
    assert (
        f"in the world of *weights* is {tau['difference']:.3f} "
        f"({tau['low']:.3f} to {tau['high']:.3f})" in text
    )
    earlier = claims_of("weights")["fold-weights", "kendall", "more"]
    assert f"found {earlier['difference']:.3f} with {earlier['n']} tournaments" in text
    assert earlier["difference"] > tau["high"]
    for name in ("weights-again", "weights-elo", "weights-opens"):
        results = json.loads(
            (ROOT / "studies" / name / RESULTS).read_text(encoding="utf-8")
        )
        for each in results["claims"]:
            if each["model"] == "fold-weights" and each["claim"] == "more":
                assert each["metric"] != "kendall" or each["low"] > 0


def means_of(name: str) -> pd.DataFrame:
    """The means of a published study."""
    return pd.read_csv(ROOT / "studies" / name / "means.csv")


def prose_of(name: str) -> str:
    """The text of a page of studies without its tables, on one line."""
    lines = pages.text(ROOT / "docs" / "studies" / f"{name}.md").splitlines()
    return " ".join(" ".join(line for line in lines if line[:1] != "|").split())


def span(values: pd.Series) -> tuple[str, str]:
    """The least and the largest of shares, in percent."""
    return f"{100 * values.min():.0f}%", f"{100 * values.max():.0f}%"


def test_the_prose_on_tie_breaks_has_the_numbers_of_the_results() -> None:
    text = prose_of("tie-breaks")
    rows = means_of("tie-breaks-opens").set_index(["world_base", "metric"])["mean"]
    right = {
        order: rows.xs(f"tied_right_{order}", level="metric")
        for order in ("BH", "PS", "APRO", "ARO", "TPR")
    }
    low, high = span(right["BH"])
    assert f"Buchholz puts the stronger player first in {low} to {high}" in text
    low, high = span(right["PS"])
    assert f"scores put the stronger player first in {low} to {high}" in text
    low, high = span(right["APRO"])
    assert f"the average performance of the opponents in {low} to {high}" in text
    for order, words in (
        ("ARO", "the average rating of the opponents"),
        ("TPR", "the performance rating"),
    ):
        below = right[order][right[order] < 0.5]
        assert len(below) == 2
        first, second = span(below)
        assert f"{words} ({first} and {second})" in text
    assert (right["PS"] > right["BH"]).all()
    gains = [
        (
            rows.xs(f"tau_{order}", level="metric")
            - rows.xs("tau_points", level="metric")
        ).mean()
        for order in ("APRO", "BH")
    ]
    assert (
        f"raises Kendall's tau by {gains[0]:.3f}, and Buchholz raises it by {gains[1]:.3f}"
        in text
    )
    sos = means_of("tie-breaks-netrunner").query("metric == 'tied_right_sos'")["mean"]
    low, high = span(sos)
    assert f"is right in {low} to {high} of the cases" in text


def test_the_prose_on_gambits_has_the_numbers_of_the_results() -> None:
    text = prose_of("gambit")
    rows = means_of("gambit").set_index(["model", "metric"])["mean"]
    shares = {
        name: span(rows.xs(name, level="metric"))
        for name in ("draw_pays", "draw_costs", "loss_pays", "exact_pays")
    }
    low, high = shares["draw_pays"]
    assert f"finishes at a better rank in {low} to {high} of the cases" in text
    low, high = shares["draw_costs"]
    assert f"at a worse rank in {low} to {high}" in text
    low, high = shares["loss_pays"]
    assert f"in only {low} to {high} of the cases, the player's final rank" in text
    low, high = shares["exact_pays"]
    assert (
        f"no better: the final rank is better in only {low} to {high} of the cases"
        in text
    )
    ranks = means_of("gambit")
    ranks = ranks[ranks["metric"].str.endswith("_ranks")]
    assert (ranks["mean"] < 0).all()
    assert f"in all {len(ranks)} rows" in text
    assert f"below 0 in {(ranks['high'] < 0).sum()} of them" in text
    for name in ("draw", "two", "loss", "exact"):
        assert rows.xs(f"{name}_pays", level="metric").idxmin() == "monrad"
    both = means_of("agreed-draws").query("metric == 'both_in'")["mean"]
    low, high = span(both)
    assert f"in {low} to {high} of the agreed pairs" in text
