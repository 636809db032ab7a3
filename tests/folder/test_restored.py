"""An event goes on from the zip of its files; what is none is refused, and nothing written."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from organiser import client, event, scored
from places import ROOT

from pairopt import read_event
from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.folder import bracket, new, pair, undo
from pairopt.folder.create import restore_from_zip

NAME = "friday.zip"


def kept(folder: Path) -> bytes:
    """The zip that the page gives."""
    page = client(folder)
    found = [
        line for line in page.get("/files").text.split('"') if line.endswith(".zip")
    ]
    return page.get(found[0]).content


def packed(files: Mapping[str, bytes | str], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return out.getvalue()


def unpacked(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


@pytest.fixture
def friday(tmp_path: Path) -> Path:
    return event(tmp_path / "friday", "ABCDE", 2, title="Friday")


@pytest.mark.long
def test_it_goes_on_where_it_was(friday: Path, tmp_path: Path) -> None:
    files = unpacked(kept(friday))
    done = restore_from_zip(tmp_path / "again", kept(friday), NAME)
    assert str(done.said[0]).startswith(
        "The event in friday.zip, with 5 players, continues here. The event's earlier log is kept next to the event's files."
    )
    for name in ("event.toml", "players.csv", "matches.csv"):
        assert (
            (tmp_path / "again" / name).read_bytes()
            == files[name]
            == (friday / name).read_bytes()
        )
    assert (tmp_path / "again" / "log-before.csv").read_bytes() == files["log.csv"]
    assert (tmp_path / "again" / "log.csv").read_text().count("\n") == 2
    for folder in (friday, tmp_path / "again"):
        scored(folder)
        pair(folder)
    assert [
        (folder / "matches.csv").read_bytes() for folder in (friday, tmp_path / "again")
    ] == [(friday / "matches.csv").read_bytes()] * 2
    undo(tmp_path / "again", to=1)
    assert (tmp_path / "again" / "matches.csv").read_bytes() == files["matches.csv"]


def test_with_a_cut_and_rules_of_its_own(tmp_path: Path) -> None:
    own = tmp_path / "club.toml"
    text = (
        (ROOT / "models" / "standard.toml").read_text().replace("standard", "club", 1)
    )
    own.write_text(text)
    folder = event(tmp_path / "open", "ABCD", 1, model=str(own))
    scored(folder)
    bracket(folder, 2, by_lot=True)
    restore_from_zip(tmp_path / "again", kept(folder), NAME)
    assert (tmp_path / "again" / "bracket.csv").read_bytes() == (
        folder / "bracket.csv"
    ).read_bytes()
    assert (tmp_path / "again" / "club.toml").read_bytes() == own.read_bytes()
    assert read_event(tmp_path / "again", unfinished=True).settings.model is not None


def linked(files: Mapping[str, bytes]) -> bytes:
    """players.csv is a link to a file of this machine."""
    out = io.BytesIO(
        packed({name: raw for name, raw in files.items() if name != "log.csv"})
    )
    with zipfile.ZipFile(out, "a") as pack:
        link = zipfile.ZipInfo("log.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        pack.writestr(link, "/etc/passwd")
    return out.getvalue()


def twice(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO(packed(files))
    with (
        zipfile.ZipFile(out, "a") as pack,
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        pack.writestr("event.toml", 'title = "other"\n')
    return out.getvalue()


OWN = (ROOT / "models" / "standard.toml").read_bytes().replace(b"standard", b"club", 1)
RULES: dict[str, dict[str, bytes]] = {
    "/etc/pairopt/own.toml": {},
    "missing.toml": {},
    "../again.toml": {"../again.toml": OWN},
    "Event.toml": {"Event.toml": OWN},
    "own.toml": {"own.toml": b"levels = 3"},
}
"""Rules of its own that an event names, and what its zip has of them."""


def of(files: Mapping[str, bytes], case: str) -> bytes:
    """The zip of an event, made hostile."""
    if case == "a link":
        return linked(files)
    if case == "twice":
        return twice(files)
    if case == "a bomb":
        return packed({**files, "log.csv": b"0" * 400_000_000})
    if case == "another way of packing":
        return packed(files, zipfile.ZIP_LZMA)
    if case == "a lie about its size":
        honest = packed({**files, "log.csv": b"0" * 40_000_000})
        size = (40_000_000).to_bytes(4, "little")
        return honest.replace(size, (4_000).to_bytes(4, "little"))
    if case == "cut off":
        return packed(files)[:-30]
    if case == "no zip":
        return b"player\nAnn\n"
    if case == "nothing":
        return packed({})
    if case == "no rules":
        return packed(
            {name: raw for name, raw in files.items() if name != "event.toml"}
        )
    if case in RULES:
        said = files["event.toml"].replace(
            b'model = "standard"', f'model = "{case}"'.encode()
        )
        return packed({**files, "event.toml": said, **RULES[case]})
    if case in BRACKETS:
        return packed({**files, "bracket.csv": BRACKETS[case]})
    if case == "players twice":
        return packed({**files, "players.csv": b"player\nA\nA\n"})
    return packed({**files, case: b"x"})


BRACKETS = {
    "a bracket of nobody": b"match,bracket,round,seed1,player1,seed2,player2,score1,score2,status\n"
    b"B1,main,1,1,Nobody,2,No one,,,\n"
}
CASES = (
    "../event.csv",
    "../../log.csv",
    "/etc/cron.d/log.csv",
    "C:\\log.csv",
    "..\\log.csv",
    "friday/",
    "friday/event.toml",
    ".pairopt/steps/1.zip",
    ".toml",
    "EVENT.toml",
    "event .toml",
    "other.toml",
    "event.toml\x00.csv",
    "log.csv\n",
    "x" * 300 + ".toml",
    "a link",
    "twice",
    "a bomb",
    "another way of packing",
    "a lie about its size",
    "cut off",
    "no zip",
    "nothing",
    "no rules",
    "players twice",
    *RULES,
    *BRACKETS,
)


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[:20])
def test_what_is_no_event_of_ours_is_refused_and_nothing_written(
    friday: Path, tmp_path: Path, case: str
) -> None:
    raw = of(unpacked(kept(friday)), case)
    there = sorted(tmp_path.rglob("*"))
    with pytest.raises(PairoptError) as caught:
        restore_from_zip(tmp_path / "again", raw, NAME)
    assert isinstance(caught.value, UsageError | InputError)
    called = (
        "bracket.csv"
        if case in BRACKETS
        else "own.toml"
        if case == "own.toml"
        else NAME
    )
    assert str(caught.value).startswith(called)
    assert len(str(caught.value).splitlines()) <= 2
    assert len(str(caught.value)) < 300
    assert sorted(tmp_path.rglob("*")) == there


def test_a_folder_that_is_there_stays(friday: Path) -> None:
    raw, before = kept(friday), (friday / "matches.csv").read_bytes()
    with pytest.raises(UsageError, match="already exists"):
        restore_from_zip(friday, raw, NAME)
    assert (friday / "matches.csv").read_bytes() == before


def test_without_an_id_as_of_before(friday: Path, tmp_path: Path) -> None:
    files = unpacked(kept(friday))
    lines = files["event.toml"].splitlines(keepends=True)
    files["event.toml"] = b"".join(line for line in lines if not line.startswith(b"id"))
    restore_from_zip(tmp_path / "again", packed(files), NAME)
    scored(tmp_path / "again")
    assert pair(tmp_path / "again").step
    new(tmp_path / "next", tmp_path / "again")
