"""A hypothesis of equivalence has a negative control, which its margin is compared with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from lab.test_hypotheses import published
from places import ROOT
from scipy import stats

from pairopt.cli import main
from pairopt.errors import InputError
from pairopt.lab.statistics.estimate import Estimate
from pairopt.lab.studies.hypotheses import ClaimResult, ControlEffect, evaluate_claims
from pairopt.lab.studies.power import SampleSizePlan, require_small_margins
from pairopt.lab.studies.schema import StudyClaim
from pairopt.lab.studies.study_file import (
    ClaimInWorld,
    StudyDesign,
    read_study,
    require_control,
)

NEAR = """
[[hypotheses]]
model = "monrad"
metric = "floats"
claim = "near"
margin = 1.2
"""
STUDY = """
title = "Floats of Monrad"
models = ["excalibur", "monrad", "random"]
control = "random"
replicates = 12
seed = 3
[world]
players = 8
rounds = 3
"""
NO_CONTROL = STUDY.replace('control = "random"\n', "")
REGISTERED = '[registration]\ndate = {}\nsha256 = "{}"\n'


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def study(folder: Path, text: str) -> Path:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


def claim_result(
    effect: float, margin: float = 0.01, reason: str | None = None, p_holm: float = 0.01
) -> ClaimResult:
    """A claim `near` with a small p-value, and a control with the given effect."""
    claim = StudyClaim(
        model="a", metric="kendall", claim="near", margin=margin, margin_reason=reason
    )
    control = ControlEffect("random", Estimate(effect, 0.001, 500, 400), (-0.1, 0.0))
    return ClaimResult(
        ClaimInWorld(claim, "b", 0, True),
        "",
        Estimate(0.001, 0.002, 500, 400),
        (-0.002, 0.004),
        0.001,
        p_holm,
        control,
    )


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_margin_above_a_third_of_the_control_is_not_accepted(sign: int) -> None:
    assert claim_result(sign * 0.0301).shown
    assert not claim_result(sign * 0.0299).shown
    assert not claim_result(0.0).shown
    assert not claim_result(float("nan")).shown
    assert claim_result(sign * 0.0299, reason="A federation asked.").shown
    assert not claim_result(sign * 0.0301, p_holm=0.06).shown


def test_the_sentence_has_the_control_beside_the_margin() -> None:
    sentence = claim_result(-0.02).sentence
    assert ": not shown. Negative control random: difference -0.02 " in sentence
    assert "the margin 0.01 is 50% of this difference; a margin above" in sentence
    sentence = claim_result(-0.02, reason="A federation asked.").sentence
    assert sentence.endswith("50% of this difference; reason: A federation asked.")
    assert claim_result(-0.05).sentence.endswith(
        "the margin 0.01 is 20% of this difference"
    )


def test_the_control_is_measured_in_the_tournaments_of_the_claim(
    tmp_path: Path,
) -> None:
    done = run("run", study(tmp_path, STUDY + NEAR), "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "out" / "tournaments.csv")
    floats = table.pivot_table("floats", "replicate", "model")
    differences = (floats["random"] - floats["excalibur"]).to_numpy()
    row = pd.read_csv(tmp_path / "out" / "hypotheses.csv").loc[0]
    assert row["control"] == "random"
    assert row["control_difference"] == pytest.approx(differences.mean(), rel=1e-5)
    # at least as wide as Student's interval
    student = stats.t.interval(
        0.9, 11, differences.mean(), differences.std(ddof=1) / 12**0.5
    )
    assert row["control_low"] <= student[0] + 1e-5
    assert row["control_high"] >= student[1] - 1e-5
    (claim,) = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))[
        "claims"
    ]
    assert claim["control_difference"] == row["control_difference"]
    assert claim["sentence"] in (tmp_path / "out" / "sentences.md").read_text("utf-8")
    assert run("check", tmp_path / "out").exit_code == 0


def test_a_changed_effect_of_the_control_is_found(tmp_path: Path) -> None:
    run("run", study(tmp_path, STUDY + NEAR), "-o", tmp_path / "out")
    path = tmp_path / "out" / "hypotheses.csv"
    table = pd.read_csv(path, dtype=str)
    table["control_difference"] = "9.5"
    table.to_csv(path, index=False, lineterminator="\n")
    done = run("check", tmp_path / "out", "--replay", 0)
    assert done.exit_code == 1
    assert "hypotheses.csv" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("plan",),
        ("plan", "--pin"),
        ("run",),
        ("run", "--first", "0", "--count", "10"),
    ],
)
def test_a_new_hypothesis_near_without_control_is_refused(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = study(tmp_path, NO_CONTROL + NEAR)
    done = run(*words, path)
    assert done.exit_code == 3, done.output
    assert "needs a negative control" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["study.toml"]


def test_only_an_older_registration_needs_no_control(tmp_path: Path) -> None:
    path = study(tmp_path, NO_CONTROL + NEAR)
    digest = read_study(path).registered
    for day, is_refused in (("2026-11-28", False), ("2026-11-29", True)):
        path = study(tmp_path, NO_CONTROL + NEAR + REGISTERED.format(day, digest))
        if is_refused:
            with pytest.raises(InputError):
                require_control(read_study(path))
        else:
            require_control(read_study(path))
    study(tmp_path, NO_CONTROL + NEAR + "[registration]\ndate = 2026-11-28\n")
    with pytest.raises(InputError):
        require_control(read_study(path))


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("studies/*/study.toml")), ids=lambda path: path.parent.name
)
def test_every_study_in_the_repository_has_a_control_or_is_older(path: Path) -> None:
    require_control(read_study(path))


def test_a_finished_study_without_control_still_checks(tmp_path: Path) -> None:
    """A user's study of version 1.0 has no registration."""
    path = study(tmp_path, STUDY + NEAR)
    run("run", path, "-o", tmp_path / "out")
    exploratory = NEAR.replace("hypotheses", "exploratory")
    path = study(tmp_path, NO_CONTROL + exploratory)
    assert run("run", path, "-o", tmp_path / "old").exit_code == 0
    assert run("check", tmp_path / "old").exit_code == 0
    columns = pd.read_csv(tmp_path / "old" / "hypotheses.csv").columns
    assert not [column for column in columns if column.startswith("control")]


WRONG = {
    "unknown": (
        'control = "nobody"',
        "",
        "control: The study has no model 'nobody'. Choose one of these models: excalibur",
    ),
    "the baseline": ('control = "excalibur"', "", "is the baseline model itself"),
    "compared with the control": (
        'control = "random"',
        'than = "random"\n',
        "`than` names the negative control",
    ),
    "an empty reason": ('control = "random"', 'margin_reason = ""\n', "margin_reason"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_control(tmp_path: Path, name: str) -> None:
    control, claim_line, expected = WRONG[name]
    text = STUDY.replace('control = "random"', control) + NEAR + claim_line
    done = run("plan", study(tmp_path, text))
    assert done.exit_code == 3
    assert expected in " ".join(done.stderr.split())


def test_only_a_claim_near_has_a_reason(tmp_path: Path) -> None:
    claim = NEAR.replace('"near"', '"more"') + 'margin_reason = "why"\n'
    done = run("plan", study(tmp_path, STUDY + claim))
    assert done.exit_code == 3
    assert "Only a claim `near` can have a margin_reason" in " ".join(
        done.stderr.split()
    )


def test_the_registration_has_the_control_and_the_reason(tmp_path: Path) -> None:
    texts = [
        NO_CONTROL + NEAR,
        STUDY + NEAR,
        STUDY.replace('control = "random"', 'control = "monrad"') + NEAR,
        STUDY + NEAR + 'margin_reason = "one"\n',
        STUDY + NEAR + 'margin_reason = "two"\n',
    ]
    digests = [read_study(study(tmp_path, text)).registered for text in texts]
    assert len({*digests}) == len(texts)


class TestPlan:
    def test_the_effect_is_beside_the_margin(self, tmp_path: Path) -> None:
        done = run("plan", study(tmp_path, STUDY + NEAR), "--pilot", 12)
        assert done.exit_code == 0, done.output
        assert "Negative control random: difference +" in done.stdout
        assert "in the pilot; the margin 1.2 is " in done.stdout

    def test_a_margin_that_is_certainly_too_large_is_refused(
        self, tmp_path: Path
    ) -> None:
        text = STUDY + NEAR.replace("1.2", "4")
        done = run("plan", study(tmp_path, text), "--pilot", 12)
        assert done.exit_code == 3
        assert "Negative control random" in done.stdout
        assert "hypotheses[0].margin: The margin is 4. In the pilot" in done.stderr
        text += 'margin_reason = "Four floats do not matter."\n'
        assert run("plan", study(tmp_path, text), "--pilot", 12).exit_code == 0

    @pytest.mark.parametrize(("margin", "is_refused"), [(0.32, False), (0.34, True)])
    def test_the_end_of_the_interval_decides(
        self, tmp_path: Path, margin: float, is_refused: bool
    ) -> None:
        """A pilot knows the effect only roughly."""
        design = read_study(study(tmp_path, STUDY + NEAR.replace("1.2", f"{margin}")))
        control = ControlEffect("random", Estimate(0.5, 0.3, 12, 12), (0.0, 1.0))
        plans = [SampleSizePlan(design.asked[0], "", 12, 9, 9, None, control)]
        if is_refused:
            with pytest.raises(InputError):
                require_small_margins(design, plans, "study.toml")
        else:
            require_small_margins(design, plans, "study.toml")

    @pytest.mark.parametrize(
        ("needed", "at_most", "words"),
        [
            (9, 12, ": 9 tournaments, at most 12, with power"),
            (9, None, ": 9 tournaments, possibly more than 1,000,000, with power"),
            (None, None, ": more than 1,000,000 tournaments, with power"),
        ],
    )
    def test_too_many_tournaments_are_named_once(
        self, tmp_path: Path, needed: int | None, at_most: int | None, words: str
    ) -> None:
        design = read_study(study(tmp_path, STUDY + NEAR))
        plan = SampleSizePlan(design.asked[0], "", 12, needed, at_most, None)
        assert words in plan.sentence(0.9, 100)


def with_control(design: StudyDesign, control: str) -> StudyDesign:
    return replace(design, file=design.file.model_copy(update={"control": control}))


@pytest.mark.long
def test_the_first_study_of_orders_could_not_detect_its_control() -> None:
    """Its margin of 0.015 is more than a third of what random pairing changes in 7 rounds."""
    design, table, frame = published("orders")
    results = [
        each
        for each in evaluate_claims(with_control(design, "random"), frame)
        if each.asked.claim.claim == "near"
    ]
    assert len(results) == 46
    assert not any(each.shown for each in results)
    tau = table.pivot_table("kendall", "replicate", ["world_rounds", "model"])
    for each in results:
        assert each.control is not None
        rounds = 7 + each.asked.world
        effect = np.mean(tau[rounds, "random"] - tau[rounds, "excalibur"])
        assert each.control.found.mean == pytest.approx(effect, abs=1e-6)
        assert each.asked.claim.margin > abs(effect)


class TestOptions:
    ASKED = ("--players", 8, "--rounds", 2, "--replicates", 4, "--margin", "floats:1")

    def design(self, folder: Path, *more: object) -> StudyDesign:
        path = folder / "made.toml"
        done = run(*self.ASKED, *more, "--toml", path)
        assert done.exit_code == 0, done.output
        design = read_study(path)
        require_control(design)
        return design

    def test_random_pairing_is_added(self, tmp_path: Path) -> None:
        design = self.design(tmp_path, "--models", "excalibur,monrad")
        assert design.names == ["excalibur", "monrad", "random"]
        assert design.file.control == "random"
        assert [each.claim.model for each in design.asked] == ["monrad"]

    def test_another_one_is_named(self, tmp_path: Path) -> None:
        models = ("--models", "excalibur,monrad,cobra", "--control", "cobra")
        design = self.design(tmp_path, *models)
        assert design.file.control == "cobra"
        assert design.names == ["excalibur", "monrad", "cobra"]

    def test_random_pairing_is_there(self, tmp_path: Path) -> None:
        design = self.design(tmp_path, "--models", "excalibur,random")
        assert design.names == ["excalibur", "random"]
        assert design.file.control == "random"

    def test_random_pairing_is_the_baseline(self, tmp_path: Path) -> None:
        done = run(
            *self.ASKED, "--models", "random,monrad", "--toml", tmp_path / "x.toml"
        )
        assert done.exit_code == 2
        assert "--control" in done.stderr
