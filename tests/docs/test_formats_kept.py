"""The table of what each format keeps: whatever it does not keep, it names."""

from __future__ import annotations

import kept
import pages
import pytest
from from_code import PARTS, filled

from pairopt.files.formats import writers

FORMS = (*writers(), kept.FOLDER)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", kept.FACTS)
def test_nothing_is_lost_without_a_word(form: str, what: str) -> None:
    found = kept.kept(form, kept.FACTS[what])
    assert found == kept.KEPT if form == kept.FOLDER else found in (kept.KEPT, kept.NAMED)


@pytest.mark.parametrize("what", kept.FACTS)
def test_some_format_keeps_it(what: str) -> None:
    assert kept.KEPT in [kept.kept(form, kept.FACTS[what]) for form in FORMS]


@pytest.mark.parametrize("what", kept.FACTS)
def test_it_says_something(what: str) -> None:
    """An event without it says something else, or the table would prove nothing."""
    fact = kept.FACTS[what]
    plain = kept.made([(1, "1", "2", "", 0, 1, "")], name=["W", "X", "Y", "Z"])
    assert fact.said(fact.event()) != fact.said(plain)


def test_the_guide_has_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARTS, "formats", lambda: "the table")  # type: ignore[misc]
    assert "the table" in filled(pages.page("guide"))
