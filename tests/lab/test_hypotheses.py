"""Hypotheses: those that ask the same of the same numbers are one when p-values are corrected."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from places import ROOT

from pairopt.lab.metrics.rounds import HISTOGRAMS, PAIRING, RANKING
from pairopt.lab.studies.hypotheses import ClaimResult, evaluate_claims
from pairopt.lab.studies.run import read_tournament_table
from pairopt.lab.studies.study_file import StudyDesign, read_study

STUDIES = {
    "orders": (48, 22),
    "luck": (8, 6),
    "formats": (20, 16),
    "compromise": (8, 7),
}
"""Hypotheses, and how many different ones there are."""


@cache
def published(name: str) -> tuple[StudyDesign, pd.DataFrame, pd.DataFrame]:
    """A study, what it published of its tournaments, and a table of one round that gives this."""
    design = read_study(ROOT / "studies" / name / "study.toml")
    table = read_tournament_table(ROOT / "studies" / name)
    names = [column for column in table if column.startswith("world_")]
    sizes = pd.DataFrame([*(vars(world) for world in design.worlds)])
    keys = table[names].drop_duplicates().reset_index(drop=True)
    of = (
        table[names]
        .apply(tuple, axis=1)
        .map({row: k for k, row in enumerate(keys.apply(tuple, axis=1))})
        if names
        else 0
    )
    assert len(keys) == len(design.worlds) or not names
    frame = table.assign(
        players=sizes["players"].to_numpy()[of],
        round=sizes["rounds"].to_numpy()[of],
        status="optimal",
    )
    if "unbalanced" in frame:  # which is made of these
        frame["side_difference_2"] = frame.pop("unbalanced")
    missing = {*RANKING, *PAIRING, *HISTOGRAMS} - {*frame}
    return design, table, frame.assign(**dict.fromkeys(sorted(missing), np.nan))


@cache
def told_of(name: str) -> list[ClaimResult]:
    design, _, frame = published(name)
    return [each for each in evaluate_claims(design, frame) if each.asked.hypothesis]


def questions(name: str) -> list[tuple[object, ...]]:
    """What each hypothesis asks, from the published tables alone: differences by tournament, with
    the side that is claimed to be more in front where a side is claimed."""
    design, table, _ = published(name)
    names = [column for column in table if column.startswith("world_")]
    worlds = (
        [own for _, own in table.groupby(names, sort=False, dropna=False)]
        if names
        else [table]
    )
    found: list[tuple[object, ...]] = []
    for asked in design.asked:
        if not asked.hypothesis:
            continue
        claim, own = asked.claim, worlds[asked.world]
        one = own[own["model"] == claim.model].set_index("replicate")[claim.metric]
        other = asked.than
        if isinstance(other, str):
            other = own[own["model"] == other].set_index("replicate")[claim.metric]
        apart = [float(x) for x in (one - other).dropna()]
        if claim.claim == "less":
            found.append(("more", claim.margin, tuple(-x for x in apart)))
        elif claim.claim == "more":
            found.append(("more", claim.margin, tuple(apart)))
        else:
            both = sorted([tuple(apart), tuple(-x for x in apart)])
            found.append((claim.claim, claim.margin, both[0]))
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", STUDIES)
def test_identical_data_are_counted_once(name: str) -> None:
    """Holm's correction by hand, over the different questions that the published tables have."""
    told, asked = told_of(name), questions(name)
    assert (len(asked), len({*asked})) == STUDIES[name]
    p: dict[object, float] = {}
    for question, each in zip(asked, told, strict=True):
        p[question] = max(p.get(question, 0), each.p)
    adjusted, before = {}, 0.0
    for rank, question in enumerate(sorted(p, key=lambda one: p[one])):
        before = max(before, min((len(p) - rank) * p[question], 1))
        adjusted[question] = before
    for question, each in zip(asked, told, strict=True):
        assert each.p <= p[question]
        assert each.p_holm == pytest.approx(adjusted[question])


@pytest.mark.long
def test_they_have_the_difference_that_was_published() -> None:
    """So that the test above is of the same numbers."""
    for name in STUDIES:
        rows = pd.read_csv(ROOT / "studies" / name / "hypotheses.csv")
        rows = rows[rows["asked"] == "hypothesis"]
        means = [each.found.mean for each in told_of(name)]
        assert means == pytest.approx(rows["difference"].tolist(), rel=1e-4, abs=1e-6)
