"""Rating list files: every format gives the same persons, and hostile files are refused."""

from __future__ import annotations

import re
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from places import REAL
from rating_files import (
    CLUB_LIST,
    ENGLISH_LIST,
    GERMAN_LIST,
    OVERFLOWING,
    PERSONS,
    Invented,
    text_list,
    write,
    xml_list,
    zipped,
)

from pairopt import InputError
from pairopt.files.rating_lists import list_file
from pairopt.files.rating_lists.list_file import inspect_list_file, read_persons
from pairopt.files.rating_lists.person import ListedPerson, Ratings
from pairopt.files.rating_lists.xml_file import CHUNK, read_xml_list

SAMPLES = REAL / "lists"
NUL, HUGE = b"\0", b"A" * 100_000


def persons_in(path: Path) -> list[ListedPerson]:
    return [*read_persons(inspect_list_file(path))]


def as_listed(person: Invented) -> ListedPerson:
    return ListedPerson(
        person.number,
        person.name,
        person.fed,
        {"M": "m", "F": "w"}[person.sex],
        person.title,
        person.born,
        "",
        Ratings(*person.ratings),
        coefficients=Ratings(*person.coefficients),
    )


ALL = [as_listed(person) for person in PERSONS]
COMBINED = {
    "text": ("list.txt", text_list()),
    "text without the column FOA": ("list.txt", text_list(foa=False)),
    "XML": ("list.xml", xml_list()),
    "text with a byte order mark": ("list.txt", b"\xef\xbb\xbf" + text_list()),
    "text with line ends of Unix": ("list.txt", text_list().replace(b"\r\n", b"\n")),
}


@pytest.mark.parametrize("form", COMBINED)
def test_each_form_of_the_combined_list_has_the_same_persons(
    tmp_path: Path, form: str
) -> None:
    assert persons_in(write(tmp_path, *COMBINED[form])) == ALL


@pytest.mark.parametrize("form", ["text", "XML"])
def test_a_list_in_a_zip_has_the_same_persons(tmp_path: Path, form: str) -> None:
    name, content = COMBINED[form]
    path = zipped(tmp_path, "list.zip", {name: content, "readme.pdf": b"%PDF"})
    assert persons_in(path) == ALL
    assert inspect_list_file(path).file_month == "2026-09"


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("form", ["txt", "xml"])
def test_a_list_of_one_kind_has_its_ratings(
    tmp_path: Path, kind: int, form: str
) -> None:
    name = f"{('standard', 'rapid', 'blitz')[kind]}_rating_list.{form}"
    content = text_list(kind=kind) if form == "txt" else xml_list(kind=kind)
    path = write(tmp_path, name, content)
    expected = [
        person._replace(
            fide=Ratings(*(r if k == kind else 0 for k, r in enumerate(person.fide))),
            coefficients=Ratings(
                *(c if k == kind else 0 for k, c in enumerate(person.coefficients))
            ),
        )
        for person in ALL
        if person.fide[kind]
    ]
    assert persons_in(path) == expected
    assert inspect_list_file(path).month == ("2026-10" if form == "txt" else "")


@pytest.mark.parametrize(("foa", "length"), [(True, 163), (False, 159)])
def test_a_line_with_long_other_titles_is_read_whole(
    tmp_path: Path, foa: bool, length: int
) -> None:
    content = text_list([OVERFLOWING], foa=foa)
    assert len(content.splitlines()[1]) == length
    person = persons_in(write(tmp_path, "list.txt", content))[0]
    assert person == as_listed(PERSONS[6])


def test_a_line_of_164_characters_is_refused(tmp_path: Path) -> None:
    content = text_list([OVERFLOWING]).replace(b"SLI,NA", b"SLI,NAA")
    with pytest.raises(InputError, match="line 2: pairopt can't read this line"):
        persons_in(write(tmp_path, "list.txt", content))


def test_moved_columns_are_found_by_the_header(tmp_path: Path) -> None:
    lines = text_list().splitlines()
    moved = b"\n".join(line[:76] + b"     " + line[76:] for line in lines)
    assert persons_in(write(tmp_path, "list.txt", moved)) == ALL


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"SRtng", b"SRate"), (b"Flag", b"Info"), (b"Name", b"Nome"), (b"SGm ", b"SK  ")],
)
def test_an_unknown_header_is_refused_and_shown(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    content = text_list().replace(old, new, 1)
    if old == b"SGm ":
        content = text_list().replace(b"RRtng", b"SRtng", 1)
        new = b"SRtng"
    with pytest.raises(InputError) as caught:
        persons_in(write(tmp_path, "list.txt", content))
    assert caught.value.kind == "rating_list.unknown_header"
    assert new.decode().strip() in str(caught.value)
    assert "ID Number" in str(caught.value)


def test_the_german_list_is_read(tmp_path: Path) -> None:
    path = zipped(
        tmp_path,
        "LV-0-csv_v2.zip",
        {
            "spieler.csv": GERMAN_LIST,
            "vereine.csv": b"ZPS,LV,Verband,Vereinname\n60101,6,601,SK Oddheim\n",
        },
    )
    assert persons_in(path) == [
        ListedPerson(
            91000001,
            "Müller, Jörn",
            "GER",
            "m",
            "GM",
            1985,
            "",
            Ratings(2510),
            Ratings(2301, 2301, 2301),
        ),
        ListedPerson(
            91000006,
            "Straße, Udo",
            "GER",
            "m",
            "",
            1966,
            "",
            Ratings(1801),
            Ratings(1777, 1777, 1777),
        ),
    ]


def test_the_english_list_has_ratings_of_each_kind(tmp_path: Path) -> None:
    first, second = persons_in(write(tmp_path, "ecf.csv", ENGLISH_LIST))
    assert first.national == Ratings(1920, 1888, 0)
    assert second.national == Ratings(1500, 1444, 0)
    assert (first.fide_number, first.club, first.title) == (91000020, "Oddham", "CM")
    assert (second.fide_number, second.sex) == (0, "w")


def test_the_rating_of_a_club_list_is_its_own(tmp_path: Path) -> None:
    first, second = persons_in(write(tmp_path, "club.csv", CLUB_LIST))
    assert (first.name, first.fide, first.national.rapid) == (
        "Nilsson, Åsa",
        Ratings(),
        1432,
    )
    assert second.national == Ratings()


HOSTILE = {
    "an empty file": (b"", "file.empty"),
    "NULs alone": (NUL * 1000, "rating_list.no_text"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "rating_list.no_text"),
    "one huge line": (HUGE * 20, "rating_list.no_text"),
    "a huge line among persons": (text_list() + HUGE, "rating_list.long_line"),
    "a NUL in a line": (
        text_list().replace(b"Xi ", b"X\0 "),
        "rating_list.no_ascii_line",
    ),
    "an accent in a text file": (
        text_list().replace(b"Xi ", b"X\xed "),
        "rating_list.no_ascii_line",
    ),
    "a rating of letters": (
        text_list().replace(b"2510", b"25l0"),
        "rating_list.unreadable_line",
    ),
    "a number of letters": (
        text_list().replace(b"91000001", b"9100000l"),
        "rating_list.unreadable_line",
    ),
    "a rating too high": (
        text_list().replace(b"2510", b"9510"),
        "rating_list.unreadable_line",
    ),
    "XML with a document type": (
        b'<!DOCTYPE x [<!ENTITY a "b">]>' + xml_list(),
        "rating_list.xml_entities",
    ),
    "XML with an outer entity": (
        b'<!DOCTYPE x SYSTEM "file:///etc/passwd">' + xml_list(),
        "rating_list.xml_entities",
    ),
    "XML with an unknown entity": (
        xml_list().replace(b"Xi", b"&lol;"),
        "rating_list.no_xml",
    ),
    "XML that ends early": (xml_list()[:-20], "rating_list.no_xml"),
    "XML of something else": (b"<svg><path/></svg>", "rating_list.xml_element"),
    "XML nested deep": (b"<playerslist>" + b"<player>" * 9, "rating_list.xml_element"),
    "XML with a long value": (
        xml_list().replace(b"Xi", b"X" * 300),
        "rating_list.long_value",
    ),
    "XML with a wrong number": (
        xml_list().replace(b"<fideid>91000010", b"<fideid>9x"),
        "rating_list.unreadable_person",
    ),
    "a CSV without names": (b"a,b\n1,2\n", "rating_list.unknown_columns"),
    "a CSV with a rating of letters": (
        b"Name,Rating\nAnn,12x4\n",
        "rating_list.unreadable_cell",
    ),
    "a CSV with NULs": (b"Name,Rating\nAnn\0,1234\n", "file.nul"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_one_clear_error(
    tmp_path: Path, name: str
) -> None:
    content, kind = HOSTILE[name]
    with pytest.raises(InputError) as caught:
        persons_in(write(tmp_path, "list", content))
    assert caught.value.faults[0].said.kind == kind
    assert "list" in str(caught.value)


def test_an_entity_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    entities = "".join(
        f'<!ENTITY l{k} "{f"&l{k - 1};" * 10 if k else "lol"}">' for k in range(10)
    )
    bomb = f"<!DOCTYPE x [{entities}]><playerslist><player><name>&l9;</name>".encode()
    tracemalloc.start()
    with pytest.raises(InputError):
        persons_in(write(tmp_path, "list.xml", bomb))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**22


def _distinct_elements() -> bytes:
    return b"".join(b"<x%d>1</x%d>" % (k, k) for k in range(100_000))


def _distinct_attributes() -> bytes:
    return b"".join(b'<x y%d="1"/>' % k for k in range(100_000))


GROWING = {
    "names of elements": (_distinct_elements(), "rating_list.xml_names"),
    "names of attributes": (_distinct_attributes(), "rating_list.xml_names"),
    "a name without end": (b"<" + b"x" * 2_000_000, "rating_list.xml_tag"),
    "a tag without end": (b"<x " + b'a="1"\n' * 300_000, "rating_list.xml_tag"),
    "a comment without end": (b"<!--" + b"x" * 2_000_000, "rating_list.xml_tag"),
}


@pytest.mark.parametrize("name", GROWING)
def test_names_and_tags_of_xml_do_not_fill_the_memory(name: str) -> None:
    """The file is refused after few chunks, whatever follows."""
    content, kind = GROWING[name]
    stream = BytesIO(b"<playerslist><player>" + content)
    with pytest.raises(InputError) as caught:
        list(read_xml_list(stream, "list.xml", None))
    assert caught.value.kind == kind
    assert stream.tell() <= 4 * CHUNK < len(content)


def test_a_long_value_that_is_not_read_is_skipped(tmp_path: Path) -> None:
    content = xml_list().replace(b"<flag>", b"<flag>" + b"f" * 300_000)
    assert persons_in(write(tmp_path, "list.xml", content)) == ALL


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("list.txt", "w") as member,
    ):
        member.write(text_list())
        for _ in range(64):
            member.write(b" " * 2**20)
    assert path.stat().st_size < 2**18
    tracemalloc.start()
    with pytest.raises(InputError, match="longer than"):
        persons_in(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**23


def test_a_list_larger_than_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_file, "LARGEST_LIST", 1000)
    with pytest.raises(InputError, match="larger than"):
        persons_in(write(tmp_path, "list.txt", text_list()))


def test_more_persons_than_the_limit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_file, "MOST_PERSONS", 3)
    with pytest.raises(InputError, match="more than 3 persons"):
        persons_in(write(tmp_path, "list.txt", text_list()))


ZIPS = {
    "two lists": ({"a.txt": text_list(), "b.xml": xml_list()}, "several_in_zip"),
    "no list": ({"a.pdf": b"%PDF"}, "no_list_in_zip"),
    "a list of another form": ({"a.txt": b"Some Other List\n"}, "unknown_header"),
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_needs_one_list(tmp_path: Path, name: str) -> None:
    files, kind = ZIPS[name]
    with pytest.raises(InputError) as caught:
        inspect_list_file(zipped(tmp_path, "list.zip", files))
    assert caught.value.kind == f"rating_list.{kind}"


def test_a_damaged_zip_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, "list.zip", {"list.txt": text_list()})
    whole = path.read_bytes()
    for damaged in (whole[:-30], whole[:60] + b"\xff" * 40 + whole[100:]):
        with pytest.raises(InputError):
            persons_in(write(tmp_path, "damaged.zip", damaged))


def test_all_faults_of_a_file_are_named_up_to_ten(tmp_path: Path) -> None:
    content = re.sub(rb"M    ", b"M 9  ", text_list(PERSONS * 3))
    content = content.replace(b" 1985", b" 19x5").replace(b" 2001", b" 20x1")
    with pytest.raises(InputError) as caught:
        persons_in(write(tmp_path, "list.txt", content))
    lines = [str(fault.place) for fault in caught.value.faults]
    assert lines == ["line 2", "line 3", "line 12", "line 13", "line 22", "line 23"]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample lists")
def test_the_sample_lists_are_equal_across_formats() -> None:
    combined = persons_in(SAMPLES / "players_list_foa.txt")
    assert len(combined) == 200
    for name in ("players_list.txt", "players_list_xml_foa.xml"):
        assert persons_in(SAMPLES / name) == combined
    for kind, rating_kind in enumerate(("standard", "rapid", "blitz")):
        rated = [
            (each.fide_number, each.fide[kind]) for each in combined if each.fide[kind]
        ]
        singles = persons_in(SAMPLES / f"{rating_kind}_rating_list.txt")
        assert [(each.fide_number, each.fide[kind]) for each in singles] == rated
    assert persons_in(SAMPLES / "standard_rating_list.xml") == persons_in(
        SAMPLES / "standard_rating_list.txt"
    )


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample lists")
def test_the_sample_with_a_long_line_is_read_whole() -> None:
    overflow = {
        each.fide_number: each
        for each in persons_in(SAMPLES / "overflow" / "players_list_foa.txt")
    }
    usual = {
        each.fide_number: each for each in persons_in(SAMPLES / "players_list_foa.txt")
    }
    assert overflow == usual
