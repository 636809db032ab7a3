"""How easily an organiser's pages read is measured as it is said, and each in plain English."""

from __future__ import annotations

import pages
import pandas as pd
import pytest
from reading import PAGES, ease, prose, syllables

PLAIN = 60
"""Flesch's "plain English" begins here."""


def test_flesch_of_known_sentences() -> None:
    """By hand: 6 words of 6 syllables in a sentence; 3 words of 3, 3 and 5 in one."""
    assert ease("The cat sat on the mat.") == pytest.approx(206.835 - 1.015 * 6 - 84.6)
    assert ease("Tournament director examination.") == pytest.approx(
        206.835 - 1.015 * 3 - 84.6 * 11 / 3
    )
    counts = {
        "table": 2,
        "name": 1,
        "played": 1,
        "started": 2,
        "free": 1,
        "player": 2,
        "bye": 1,
    }
    assert {word: syllables(word) for word in counts} == counts


def test_what_is_no_prose_is_left_out() -> None:
    page = "# A head\n\n```sh\npairopt pair\n```\n\n| a |\n\n`-w`\n: Read [this](x.md), `why`.\n"
    assert prose(page + "- One more\n") == "Read this, it.\nOne more."


def test_the_results_are_of_the_pages_as_they_are() -> None:
    table = pd.read_csv(pages.RESULTS / "reading.csv")
    now = table[table["checkout"] == "now"].set_index("page")
    assert [*now.index] == [*PAGES]
    for path in PAGES:
        text = pages.text(pages.ROOT / path)
        assert now.loc[path, "words"] == pytest.approx(len(text.split()), rel=0.05), (
            path
        )
        assert now.loc[path, "ease"] == pytest.approx(ease(prose(text)), abs=2), path
    assert now["ease"].min() >= PLAIN
