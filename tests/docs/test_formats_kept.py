"""The table of what each format keeps: whatever it does not keep, it names."""

from __future__ import annotations

import kept
import pages
import pytest
from from_code import PARTS, filled

FORMS = (*kept.formats_read_again(), kept.FOLDER)


@pytest.mark.sweep
@pytest.mark.parametrize("what", kept.FACTS)
def test_nothing_is_lost_without_a_word(what: str) -> None:
    """The folder keeps it; an event without it says something else, or the table would prove
    nothing."""
    fact = kept.FACTS[what]
    found = {form: kept.kept(form, fact) for form in FORMS}
    assert found.pop(kept.FOLDER) == kept.KEPT
    assert {*found.values()} <= {kept.KEPT, kept.NAMED}, found
    plain = kept.made([(1, "1", "2", "", 0, 1, "")], name=["W", "X", "Y", "Z"])
    assert fact.said(fact.event()) != fact.said(plain)


def test_the_page_of_files_has_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARTS, "formats", lambda: "the table")  # type: ignore[misc]
    assert "the table" in filled(pages.page("files"))
