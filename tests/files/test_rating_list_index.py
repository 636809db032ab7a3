"""Stored rating lists: what a search finds, and what a killed build leaves."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interrupts import hear_interrupts
from places import ROOT
from rating_files import (
    CLUB_LIST,
    GERMAN_LIST,
    PERSONS,
    Invented,
    text_list,
    write,
    xml_list,
)

from pairopt import InputError, UsageError
from pairopt.files.rating_lists import index, store
from pairopt.files.rating_lists.name_folding import fold_spellings, fold_words
from pairopt.files.rating_lists.store import (
    RatingList,
    add_list,
    choose_list,
    list_rating_lists,
    remove_list,
)


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for lists."""
    folder = tmp_path / "lists"
    monkeypatch.setenv("PAIROPT_LISTS", str(folder))
    return folder


@pytest.fixture(params=["FTS5", "LIKE"])
def search_form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With FTS5, and as if SQLite had none."""
    if request.param == "LIKE":
        monkeypatch.setattr(index, "has_fts5", lambda: False)
    return str(request.param)


def stored(
    folder: Path, persons: Sequence[Invented] = PERSONS, month: str = "2026-11"
) -> RatingList:
    path = write(folder, "list.txt", text_list(persons))
    return add_list(path, month=month)


FOUND = {
    "mull": ["Muller, Jorn", "Mullerin, Ada"],
    "mull j": ["Muller, Jorn"],
    "MU JU": ["Mueller, Jule"],
    "müller": ["Muller, Jorn", "Mueller, Jule", "Mullerin, Ada"],
    "Müller, Jörn": ["Muller, Jorn"],
    "mueller": ["Mueller, Jule"],
    "jorn muller": ["Muller, Jorn"],
    "łukasz": ["Sorensen, Lukasz"],
    "sørensen": ["Sorensen, Lukasz"],
    "straße": ["Strasse, Udo"],
    "odrenn": ["O'Drenn, Cira"],
    "o'dr": ["O'Drenn, Cira"],
    "o\N{RIGHT SINGLE QUOTATION MARK}drenn": ["O'Drenn, Cira"],
    "klast van": ["van der Klast, Timo"],
    "twin": ["Twin, Dano", "Twin, Dano"],
    "91000008": ["Twin, Dano"],
    " 91000005 ": ["Sorensen, Lukasz"],
    "xi": ["Xi"],
    "uller": [],
    "x": [],
    "": [],
    "91": [],
    '" OR "': [],
    "%%": [],
    "mull* NOT j": [],
}


@pytest.mark.usefixtures("lists", "search_form")
@pytest.mark.parametrize("typed", FOUND)
def test_what_is_typed_finds_these_persons(tmp_path: Path, typed: str) -> None:
    found = stored(tmp_path).search(typed)
    assert [person.name for person in found] == FOUND[typed]


@pytest.mark.usefixtures("lists", "search_form")
@pytest.mark.parametrize("typed", ["muller", "mueller", "müller", "MÜLLER"])
def test_a_name_with_an_umlaut_is_found_in_each_spelling(
    tmp_path: Path, typed: str
) -> None:
    path = write(tmp_path, "dwz.csv", GERMAN_LIST)
    found = add_list(path, month="2026-11").search(typed)
    assert [person.name for person in found] == ["Müller, Jörn"]


@pytest.mark.usefixtures("lists", "search_form")
def test_the_highest_rated_of_many_come_first(tmp_path: Path) -> None:
    many = [
        Invented(92000000 + k, f"Same, A{k}", ratings=(0, 1000 + k * 7 % 101, 0))
        for k in range(101)
    ]
    found = stored(tmp_path, many).search("same")
    assert [person.fide.rapid for person in found] == [*range(1100, 1080, -1)]


@pytest.mark.usefixtures("lists", "search_form")
def test_all_data_of_a_person_are_found_again(tmp_path: Path) -> None:
    found = stored(tmp_path).find("91000002")
    assert [
        (
            each.name,
            each.federation,
            each.sex,
            each.title,
            each.birth_year,
            tuple(each.fide),
        )
        for each in found
    ] == [("Mueller, Jule", "GER", "w", "WFM", 2001, (2110, 0, 2090))]


@given(st.text())
def test_folded_words_are_plain(text: str) -> None:
    for word in fold_words(text):
        assert word
        assert fold_words(word.upper()) in ([word], fold_words(word))
        assert not set(word) & set(" '\"%*-(),")
    assert [spellings[0] for spellings in fold_spellings(text)] == fold_words(text)


@pytest.mark.parametrize("apostrophe", [*"\u00b4\uff07\u2019\u02bc`"])
def test_every_apostrophe_belongs_to_its_word(apostrophe: str) -> None:
    """An acute accent that stands alone decomposes into a blank and an accent."""
    assert fold_spellings(f"O{apostrophe}Neill, Zoë") == [("oneill",), ("zoe",)]


@pytest.mark.usefixtures("lists")
def test_there_is_one_file_for_each_list_and_month(lists: Path, tmp_path: Path) -> None:
    stored(tmp_path, month="2026-10")
    stored(tmp_path)
    add_list(write(tmp_path, "rapid_rating_list.txt", text_list(kind=1)))
    add_list(write(tmp_path, "club.csv", CLUB_LIST), month="2026-09")
    found = [(each.name, each.month) for each in list_rating_lists()]
    assert found == [
        ("club", "2026-09"),
        ("fide", "2026-11"),
        ("fide", "2026-10"),
        ("fide-rapid", "2026-10"),
    ]
    assert {path.name for path in lists.glob("*.sqlite")} == {
        f"{name}-{month}.sqlite" for name, month in found
    }
    assert choose_list(None, "standard").month == "2026-11"
    assert choose_list("fide-2026-10", "standard").month == "2026-10"
    assert choose_list("club", "standard").person_count == 2
    assert remove_list("fide-2026-11").month == "2026-11"
    assert choose_list(None, "rapid").month == "2026-10"


@pytest.mark.usefixtures("lists")
def test_a_list_of_the_same_month_is_replaced(tmp_path: Path) -> None:
    stored(tmp_path)
    stored(tmp_path, PERSONS[:3])
    assert [each.person_count for each in list_rating_lists()] == [3]


@pytest.mark.usefixtures("lists")
def test_the_month_is_asked_for_with_that_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "list.txt", text_list())
    os.utime(path, (1789000000, 1789000000))
    with pytest.raises(UsageError) as caught:
        add_list(path)
    assert caught.value.kind == "rating_list.which_month"
    assert "2026-09" in str(caught.value)


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("name", "content", "options", "kind"),
    [
        ("a.txt", text_list(kind=0), {}, "which_kind"),
        ("rapid.txt", text_list(kind=1), {"month": "2026-11"}, "other_month"),
        ("a.xml", xml_list(), {"month": "2026-13"}, "no_month"),
        ("a.xml", xml_list(), {"month": "November"}, "no_month"),
        ("a.xml", xml_list(), {"month": "2026-11", "name": "../x"}, "no_name"),
        ("a.txt", text_list([]), {"month": "2026-11"}, "nobody"),
    ],
)
def test_an_unclear_list_is_refused_and_nothing_written(
    tmp_path: Path,
    lists: Path,
    name: str,
    content: bytes,
    options: dict[str, str],
    kind: str,
) -> None:
    with pytest.raises((UsageError, InputError)) as caught:
        add_list(write(tmp_path, name, content), **options)  # type: ignore[arg-type]
    assert caught.value.kind == f"rating_list.{kind}"
    assert not list_rating_lists()
    assert [path.name for path in lists.glob("*")] in ([], ["lists.lock"])


@pytest.mark.usefixtures("lists")
def test_a_damaged_file_leaves_the_list_of_the_month(
    tmp_path: Path, lists: Path
) -> None:
    first = stored(tmp_path)
    before = first.path.read_bytes()
    damaged = text_list()[:-400] + b"x" * 400
    with pytest.raises(InputError):
        add_list(write(tmp_path, "list.txt", damaged), month="2026-11")
    assert first.path.read_bytes() == before
    assert {path.name for path in lists.glob("*")} == {first.path.name, "lists.lock"}
    assert first.search("twin")


def test_without_a_list_the_next_step_is_named(lists: Path) -> None:
    assert list_rating_lists() == []
    with pytest.raises(UsageError) as caught:
        choose_list(None, "standard")
    assert caught.value.kind == "rating_list.none_stored"
    assert not lists.exists()


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" * 99])
def test_a_damaged_index_asks_for_the_file_again(
    tmp_path: Path, content: bytes
) -> None:
    damaged = stored(tmp_path)
    damaged.path.write_bytes(content)
    for read in (
        lambda: damaged.search("twin"),
        lambda: damaged.find("91000001"),
        lambda: damaged.person_count,
    ):
        with pytest.raises(InputError) as caught:
            read()
        assert caught.value.kind == "rating_list.damaged_index"


@pytest.mark.usefixtures("lists")
def test_an_index_of_another_version_asks_for_the_file_again(tmp_path: Path) -> None:
    other = stored(tmp_path)
    connection = sqlite3.connect(other.path)
    connection.execute("UPDATE property SET value = '0' WHERE key = 'form'")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="another version"):
        other.search("twin")


BUILDER = """
import sys, time
from pathlib import Path
from pairopt.files.rating_lists import store

def read_slowly(list_file, read=store.read_persons):
    for person in read(list_file):
        yield person
    print("built half", flush=True)
    time.sleep(60)

store.read_persons = read_slowly
store.add_list(sys.argv[1], month="2026-11")
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_a_killed_build_leaves_nothing(
    tmp_path: Path, lists: Path, signal_name: str
) -> None:
    before = stored(tmp_path, PERSONS[:4])
    content = before.path.read_bytes()
    path = write(tmp_path, "list.txt", text_list(PERSONS * 100))
    process = subprocess.Popen(
        [sys.executable, "-c", BUILDER, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=hear_interrupts,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "built half\n"
    with pytest.raises(UsageError, match="Another process"):
        stored(tmp_path)
    process.send_signal(getattr(signal, signal_name))
    process.wait()
    process.stdout.close()

    assert [each.month for each in list_rating_lists()] == ["2026-11"]
    assert before.path.read_bytes() == content
    assert {each.name for each in lists.iterdir()} == {before.path.name, "lists.lock"}


def test_a_build_under_way_is_not_removed_by_others(
    tmp_path: Path, lists: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []
    read_all = store.read_persons

    def read_and_look(list_file: object) -> object:
        yield from read_all(list_file)  # type: ignore[arg-type]
        list_rating_lists()
        seen.append({each.name for each in lists.iterdir()})

    monkeypatch.setattr(store, "read_persons", read_and_look)
    assert stored(tmp_path).person_count == len(PERSONS)
    assert ".fide-2026-11.sqlite.unfinished" in seen[0]
