"""The zip of an event in the form for a new one: the page offers to go on with that event."""

from __future__ import annotations

from pathlib import Path

import pytest
from organiser import client, event, founding, said, scored

from pairopt import read_event
from pairopt.files.zip_archive import zip_files

NEW = "/new/event"


def kept(tmp_path: Path) -> bytes:
    folder = event(tmp_path / "before", rounds=1, title="Friday")
    scored(folder)
    files = {
        each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()
    }
    return zip_files(files)


@pytest.mark.parametrize("name", ["friday.zip", "friday"])
def test_a_zip_of_an_event_is_offered_and_goes_on_with_yes(
    tmp_path: Path, name: str
) -> None:
    raw, folder = kept(tmp_path), tmp_path / "event"
    page = client(folder)
    asked = page.post(NEW, files={"file": (name, raw)}).text
    assert not folder.exists()
    assert f"{name} holds the event Friday, with 6 players and 1 round" in said(asked)
    done = page.post(NEW, data=founding(asked))
    assert "continues here" in said(done.text)
    assert (folder / "matches.csv").read_bytes() == (
        tmp_path / "before/matches.csv"
    ).read_bytes()
    assert read_event(folder).settings.title == "Friday"


def test_a_zip_of_something_else_is_refused_beside_the_field(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    raw = zip_files({"event.toml": b"x", "../evil": b"y"})
    answer = client(folder).post(NEW, files={"file": ("a.zip", raw)})
    assert answer.status_code == 422
    assert "Choose a zip that you downloaded under Backup and export" in answer.text
    assert not folder.exists()
