"""Lists of players as people have them: each is understood, or refused with one sentence."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st
from notes import notes_of

from pairopt import InputError, read_event
from pairopt.cli import main

openpyxl = pytest.importorskip("openpyxl")
Rows = Sequence[Sequence[Any]]
FOUR = [
    ["Ann Lee", 1900, "Riga"],
    ["Bo Berg", 1800, "Oslo"],
    ["Cy Dahl", 1700, "Riga"],
    ["Di Eng", 1600, "Bonn"],
]
NAMES = tuple(str(row[0]) for row in FOUR)
LAST_FIRST = ("Lee, Ann", "Berg, Bo", "Dahl, Cy", "Eng, Di")
ELO = ("1900", "1800", "1700", "1600")
CLUBS = ("Riga", "Oslo", "Riga", "Bonn")
USUAL = {"rating": ELO, "club": CLUBS}


def csv_of(
    rows: Rows, separator: str = ";", encoding: str = "utf-8", end: str = "\n"
) -> bytes:
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator=end).writerows(rows)
    return made.getvalue().encode(encoding)


def raw(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding)


def book_of(**sheets: Rows) -> bytes:
    return changed(merged(), **sheets)


def changed(change: Callable[[Any], None], **sheets: Rows) -> bytes:
    """A workbook, with what somebody did to it."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    change(book)
    book.save(out)
    return out.getvalue()


def merged(*ranges: str) -> Callable[[Any], None]:
    def change(book: Any) -> None:
        for each in ranges:
            book.active.merge_cells(each)

    return change


def apart(rows: Rows, *order: int) -> list[list[Any]]:
    """The rows with last and first name in columns of their own, in this order of columns."""
    made = [[*reversed(str(row[0]).split()), *row[1:]] for row in rows]
    return [[row[k] for k in order] for row in made]


@dataclass(frozen=True)
class Listed:
    """A file, and what is to be understood of it."""

    content: bytes
    players: tuple[str, ...] = NAMES
    columns: dict[str, tuple[str, ...]] | None = None
    kept: tuple[str, ...] = ()
    left_out: str = ""


LAST = [[", ".join(reversed(str(row[0]).split())), *row[1:]] for row in FOUR]
SWISS_MANAGER = [
    [k, title, name, fide, fed, elo, club]
    for k, (title, (name, elo, club), fide, fed) in enumerate(
        zip(
            ["GM", "", "WFM", ""],
            LAST,
            [101, 102, 103, 104],
            ["LAT", "NOR", "LAT", "GER"],
            strict=True,
        ),
        1,
    )
]
FULL = {
    **USUAL,
    "title": ("GM", "", "WFM", ""),
    "fide_id": ("101", "102", "103", "104"),
    "federation": ("LAT", "NOR", "LAT", "GER"),
}
UNDERSTOOD = {
    "Swiss-Manager's own words": Listed(
        csv_of([["Name", "Rtg", "Club"], *FOUR]), columns=USUAL
    ),
    "Swiss-Manager's starting list": Listed(
        book_of(
            Sheet1=[
                ["Spring Open 2026"],
                ["Starting rank list"],
                [],
                ["No.", None, "Name", "FideID", "FED", "Rtg", "Club/City"],
                *SWISS_MANAGER,
            ]
        ),
        LAST_FIRST,
        FULL,
        kept=("no.",),
    ),
    "a rating list with both ratings": Listed(
        csv_of([["Name", "RtgI", "RtgN"], *([n, e, e + 50] for n, e, _ in FOUR)]),
        columns={"rating": ELO, "national_rating": ("1950", "1850", "1750", "1650")},
    ),
    "national ratings alone": Listed(
        csv_of([["Name", "Rtg Nat", "Club"], *FOUR]), columns=USUAL
    ),
    "a registration form": Listed(
        csv_of(
            [
                [
                    "Timestamp",
                    "First name",
                    "Last name",
                    "E-mail",
                    "FIDE rating",
                    "Club",
                ],
                *(
                    ["2026-01-02", *name.split(), "a@b.c", elo, club]
                    for name, elo, club in FOUR
                ),
            ],
            ",",
        ),
        columns=USUAL,
        kept=("timestamp", "e-mail"),
    ),
    "last before first": Listed(
        csv_of(
            [["Last name", "First name", "Elo", "Club"], *apart(FOUR, 0, 1, 2, 3)], "\t"
        ),
        columns=USUAL,
    ),
    "a German club": Listed(
        csv_of(
            [["Name", "Vorname", "DWZ", "Verein"], *apart(FOUR, 0, 1, 2, 3)],
            encoding="cp1252",
        ),
        columns=USUAL,
    ),
    "umlauts of an old spreadsheet": Listed(
        csv_of(
            [
                ["Spieler", "Wertungszahl", "Verein"],
                ["Jürgen Müller", 1500, "Köln"],
                ["Åsa Öberg", 1600, "Malmö"],
            ],
            encoding="cp1252",
        ),
        ("Jürgen Müller", "Åsa Öberg"),
        {"rating": ("1500", "1600"), "club": ("Köln", "Malmö")},
    ),
    "a German title and a total": Listed(
        raw(
            "Stadtmeisterschaft 2026, Köln, offen\n\nNr.;Teilnehmer;Elo;Verein\n"
            "1;Ann Lee;1900;Riga\n2;Bo Berg;1800;Oslo\n3;Cy Dahl;1700;Riga\n4;Di Eng;1600;Bonn\n"
            ";;;\nSumme;4\nDurchschnitt;;1750,0\n"
        ),
        columns=USUAL,
        kept=("nr.",),
        left_out="Summe; 4",
    ),
    "a French list": Listed(
        csv_of(
            [["Nom", "Prénom", "Elo", "Club"], *apart(FOUR, 0, 1, 2, 3)],
            encoding="cp1252",
        ),
        columns=USUAL,
    ),
    "a French list of whole names": Listed(
        csv_of([["Nom et prénom", "Classement Elo", "Club"], *LAST]), LAST_FIRST, USUAL
    ),
    "a Spanish list": Listed(
        csv_of(
            [
                ["Apellidos", "Nombre", "Elo FIDE", "Club", "País"],
                *([*row, "ESP"] for row in apart(FOUR, 0, 1, 2, 3)),
            ]
        ),
        columns={**USUAL, "federation": ("ESP",) * 4},
    ),
    "an Italian list": Listed(
        csv_of(
            [["Cognome", "Nome", "Punteggio Elo", "Circolo"], *apart(FOUR, 0, 1, 2, 3)]
        ),
        columns=USUAL,
    ),
    "a Polish list": Listed(
        csv_of(
            [
                ["Lp.", "Nazwisko i imię", "Ranking", "Klub"],
                *([k, *row] for k, row in enumerate(LAST, 1)),
            ]
        ),
        LAST_FIRST,
        USUAL,
        kept=("lp.",),
    ),
    "a Polish list in two columns": Listed(
        csv_of(
            [
                ["Imię", "Nazwisko", "Ranking", "Klub", "Płeć"],
                *([*row, "K"] for row in apart(FOUR, 1, 0, 2, 3)),
            ],
            encoding="utf-16",
        ),
        columns={**USUAL, "sex": ("K",) * 4},
    ),
    "a Dutch list": Listed(
        csv_of(
            [
                ["Voornaam", "Achternaam", "KNSB-rating", "Vereniging", "Geboortejaar"],
                *([*row, 1990] for row in apart(FOUR, 1, 0, 2, 3)),
            ]
        ),
        columns={**USUAL, "birth": ("1990",) * 4},
    ),
    "UTF-16 with tabs, as Unicode text is saved": Listed(
        csv_of([["Name", "Elo", "Club"], *FOUR], "\t", "utf-16"), columns=USUAL
    ),
    "a line sep=;": Listed(
        raw("sep=;\r\n") + csv_of([["Name", "Rtg", "Club"], *FOUR], end="\r\n"),
        columns=USUAL,
    ),
    "UTF-8 with a mark": Listed(
        csv_of([["Joueur", "Elo", "Cercle"], *FOUR], ",", "utf-8-sig"), columns=USUAL
    ),
    "names with a comma and no quotes": Listed(
        raw(
            "Name,Rtg,Club\nLee, Ann,1900,Riga\nBerg, Bo,1800,Oslo\nDahl, Cy,1700,Riga\n"
            "Eng, Di,1600,Bonn\n"
        ),
        LAST_FIRST,
        USUAL,
    ),
    "a heading Last, First": Listed(
        csv_of([["Last, First", "Rating", "Club"], *LAST], ","), LAST_FIRST, USUAL
    ),
    "pasted as Last, First": Listed(
        raw("Lee, Ann\nBerg, Bo\nDahl, Cy\nEng, Di\n"), LAST_FIRST
    ),
    "pasted under a heading": Listed(
        raw("Teilnehmer\nAnn Lee\nBo Berg\nCy Dahl\nDi Eng\n"), left_out="Teilnehmer"
    ),
    "pasted with a total": Listed(
        raw("Ann Lee\nBo Berg\nCy Dahl\nDi Eng\nTotal 4\n"), left_out="Total 4"
    ),
    "numbered": Listed(raw("1. Ann Lee\n2. Bo Berg\n3. Cy Dahl\n4. Di Eng\n")),
    "titles of one cell above": Listed(
        book_of(
            Sheet1=[
                ["Open 2026"],
                [None, "Riga, 3 May"],
                ["Players: 4"],
                [],
                ["Player", "Rating", "Club"],
                *FOUR,
            ]
        ),
        columns=USUAL,
    ),
    "facts above in two columns": Listed(
        csv_of(
            [
                ["Name", "Spring Open"],
                ["Place", "Riga"],
                ["Rounds", 5],
                [],
                ["Rank", "Name", "Elo", "Club"],
                *([k, *row] for k, row in enumerate(FOUR, 1)),
            ]
        ),
        columns=USUAL,
        kept=("rank",),
    ),
    "a heading over merged cells": Listed(
        changed(
            merged("A1:B1"),
            Sheet1=[
                ["Player", None, "Data", None],
                ["Last name", "First name", "Rtg", "Club"],
                *apart(FOUR, 0, 1, 2, 3),
            ],
        ),
        columns=USUAL,
    ),
    "a heading of two rows": Listed(
        changed(
            merged("A1:A2", "B1:C1", "D1:D2"),
            Sheet1=[
                ["Name", "Rating", None, "Club"],
                [None, "Int", "Nat", None],
                *([n, e, e + 50, c] for n, e, c in FOUR),
            ],
        ),
        columns={**USUAL, "national_rating": ("1950", "1850", "1750", "1650")},
    ),
    "totals as formulas": Listed(
        book_of(
            Sheet1=[["Name", "Elo", "Club"], *FOUR, [], ["Total", "=COUNT(B2:B5)"]]
        ),
        columns=USUAL,
        left_out="Total; =COUNT(B2:B5)",
    ),
    "a total whose number stands in the column of first names": Listed(
        csv_of(
            [
                ["Vorname", "Nachname", "Elo", "Verein"],
                *apart(FOUR, 1, 0, 2, 3),
                ["4", "Summe", "", ""],
            ]
        ),
        columns=USUAL,
        left_out="4 Summe",
    ),
    "a total of two words in two columns": Listed(
        csv_of(
            [
                ["First", "Last", "Rating", "Club"],
                *apart(FOUR, 1, 0, 2, 3),
                ["Grand", "Total", "7200", ""],
            ],
            ",",
        ),
        columns=USUAL,
        left_out="Grand Total; 7200",
    ),
    "pasted with a total, its number first": Listed(
        raw("Ann Lee\nBo Berg\nCy Dahl\nDi Eng\n4 Total\n"), left_out="4 Total"
    ),
    "a list printed on two pages": Listed(
        csv_of(
            [["Name", "Elo", "Club"], *FOUR[:2], ["Name", "Elo", "Club"], *FOUR[2:]]
        ),
        columns=USUAL,
        left_out="Name; Elo; Club",
    ),
    "whole numbers as 1900.0, and dates of birth": Listed(
        book_of(
            Sheet1=[
                ["Name", "Elo", "Club", "Born"],
                *([n, float(e), c, datetime.datetime(1990, 5, 3)] for n, e, c in FOUR),
            ]
        ),
        columns={**USUAL, "birth": ("1990-05-03",) * 4},
    ),
    "ratings as text, and those who have none": Listed(
        book_of(
            Players=[
                ["Name", "Elo"],
                ["Ann Lee", "1900"],
                ["Bo Berg", "-"],
                ["Cy Dahl", "unrated"],
                ["Di Eng", None],
            ]
        ),
        columns={"rating": ("1900", "", "", "")},
    ),
    "one list among other sheets": Listed(
        book_of(
            Info=[["Spring Open"], ["entry fee", 20]],
            Spieler=[["Name", "Elo", "Club"], *FOUR],
            Kasse=[["paid", 80]],
        ),
        columns=USUAL,
    ),
    "an identifier beside the name": Listed(
        csv_of([["Player", "Name", "Elo"], ["p1", "Ann", 1900], ["p2", "Ann", 1800]]),
        ("p1", "p2"),
        {"name": ("Ann", "Ann"), "rating": ("1900", "1800")},
    ),
    "two columns of one meaning": Listed(
        csv_of(
            [["Name", "Elo", "Rating", "Club"], *([n, e + 1, e, c] for n, e, c in FOUR)]
        ),
        columns=USUAL,
        kept=("elo",),
    ),
    "words of no meaning": Listed(
        csv_of(
            [
                ["Name", "Elo", "Club", "T-shirt", "Paid?"],
                *([*row, "L", "x"] for row in FOUR),
            ]
        ),
        columns=USUAL,
        kept=("t-shirt", "paid?"),
    ),
    "spaces everywhere": Listed(
        raw(
            " Name ; ELO ; Club \n Ann Lee ; 1900 ; Riga \n Bo Berg;1800;Oslo\n"
            "Cy Dahl;1700;Riga\n;;\nDi Eng;1600;Bonn\n"
        ),
        columns=USUAL,
    ),
}
REFUSED = {
    "points, but not who met whom": (
        csv_of(
            [
                ["Rk.", "Name", "Rtg", "Pts."],
                [1, "Ann", 1900, "2,5"],
                [2, "Bo", 1800, "2"],
                [3, "Cy", 1700, "1"],
            ]
        ),
        "row 2, column pts.: The player has 2.5 points, but there is no column opponents",
    ),
    "several sheets of players": (
        book_of(
            Open=[["Name", "Elo"], ["Ann", 1]], Juniors=[["Name", "Elo"], ["Bo", 1]]
        ),
        "Several sheets of the workbook contain such a table: 'Open', 'Juniors'. To choose a sheet, write list#Open as the file name.",
    ),
    "names as formulas": (
        book_of(Sheet1=[["Name", "Elo"], ['=A9&" "&B9', 1900], ['=A10&" "&B10', 1800]]),
        "row 2, column name: Found the formula '=A9&\" \"&B9' in place of its value, and in 1 more row",
    ),
    "identifiers that became dates": (
        book_of(
            Sheet1=[
                ["Participant", "Elo"],
                [datetime.datetime(2026, 2, 1), 1900],
                [datetime.datetime(2026, 2, 2), 1800],
            ]
        ),
        "row 2, column participant: Found the date '2026-02-01' in place of a player, and in 1 more row",
    ),
    "another column in the place of ratings": (
        csv_of([["Name", "Elo"], *([n, c] for n, _, c in FOUR)]),
        "row 2, column elo: Found 'Riga'. Write a number, for example 3 or 0.5. All 4 filled cells",
    ),
    "rows that are all too wide": (
        csv_of([["Name", "Elo"], *([*row, "x"] for row in FOUR)]),
        "row 2: This row has 4 cells, but the heading has 2. All 4 rows have too many cells.",
    ),
    "the same name twice": (
        csv_of([["Spieler", "Elo"], ["Ann", 1900], ["Ann", 1800]]),
        "row 3, column spieler: 'Ann' is already in row 2. Remove or rename one of the two players.",
    ),
    "a name twice but for its case": (
        csv_of([["Name", "Elo"], ["Ann", 1900], ["ANN", 1800]]),
        "row 3, column name: 'ANN' is nearly the same as 'Ann' in row 2",
    ),
    "a pasted name twice but for its case": (
        raw("Ann Lee\nBo Berg\nann lee\n"),
        "line 3: 'ann lee' is already in line 1. If the two lines are one person, remove one of the lines.",
    ),
    "a player twice but for blanks": (
        csv_of([["Player", "Elo"], ["Ann Lee", 1900], ["Ann  Lee", 1800]]),
        "row 3, column player: 'Ann  Lee' is nearly the same as 'Ann Lee' in row 2",
    ),
    "a heading twice": (
        csv_of([["Name", "Elo", "Elo"], ["Ann", 1900, 1800]]),
        "row 1: Two columns have the heading 'elo'",
    ),
    "no name": (
        csv_of([["Name", "Elo"], ["Ann", 1900], ["", 1800]]),
        "row 3, column name: Found",
    ),
    "a web page": (
        raw("<html><table><tr><td>Ann"),
        "a web page (HTML), not a table",
    ),
    "an old workbook": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64),
        "an old workbook (.xls)",
    ),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "pairopt can't read a PDF"),
}


def kept(folder: Path, content: bytes, name: str = "list") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_there_are_enough() -> None:
    assert len(UNDERSTOOD) + len(REFUSED) >= 50


@pytest.mark.long
@pytest.mark.parametrize("what", UNDERSTOOD)
def test_it_is_understood(tmp_path: Path, what: str) -> None:
    told = UNDERSTOOD[what]
    event = read_event(kept(tmp_path, told.content))
    assert event.players == told.players
    for column, cells in (told.columns or {}).items():
        assert event.columns[column] == cells, column
    for column in told.kept:
        assert any(
            f"{column} " in note.lower() and "-> kept" in note
            for note in notes_of(event)
        )
    out = [note for note in notes_of(event) if "because it is not a player" in note]
    assert any(told.left_out in note for note in out) if told.left_out else not out


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_with_one_sentence(tmp_path: Path, what: str) -> None:
    content, expected = REFUSED[what]
    path = kept(tmp_path, content)
    done = run("new", tmp_path / "event", "--players", path)
    assert done.exit_code == 3
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert expected in lines[0]
    assert not (tmp_path / "event").exists()


def test_a_table_says_what_was_understood(tmp_path: Path) -> None:
    rows = [["A title"], ["Name", "Rtg", "T-shirt"], ["Ann", 1900, "L"], ["Bo", "", ""]]
    path = kept(tmp_path, csv_of(rows), "list.csv")
    said = [
        f"{path} has 2 players in these columns:",
        "  Name    -> player 2 of 2 filled",
        "  Rtg     -> rating 1 of 2 filled",
        "  T-shirt -> kept   1 of 2 filled",
    ]
    assert notes_of(read_event(path)) == tuple(said)
    solved = run("solve", path, "--format", "json")
    assert all(f"note: {line}\n" in solved.stderr for line in said)
    made = run("new", tmp_path / "event", "--players", path)
    assert all(f"{line}\n" in made.stderr for line in said)


def test_a_list_in_our_words_is_read_without_a_word(tmp_path: Path) -> None:
    path = kept(tmp_path, csv_of([["player", "rating", "team"], ["Ann", 1900, "A"]]))
    assert notes_of(read_event(path)) == ()


def test_what_is_understood_goes_into_the_folder(tmp_path: Path) -> None:
    told = UNDERSTOOD["Swiss-Manager's starting list"]
    run("new", tmp_path / "event", "--players", kept(tmp_path, told.content))
    event = read_event(tmp_path / "event")
    assert event.players == LAST_FIRST
    assert {name: event.columns[name] for name in FULL} == FULL
    assert notes_of(event) == ()


def test_a_sheet_is_chosen(tmp_path: Path) -> None:
    sheets = {
        "Open A": [["Name", "Elo"], ["Ann", 1]],
        "Juniors": [["Name", "Elo"], ["Bo", 1]],
    }
    path = kept(tmp_path, book_of(**sheets), "list.xlsx")
    assert read_event(f"{path}#Juniors").players == ("Bo",)
    assert run("solve", f"{path}#Open A").exit_code == 0
    assert run("new", tmp_path / "event", "--players", f"{path}#Juniors").exit_code == 0
    missing = run("solve", f"{path}#Seniors")
    assert missing.exit_code == 3
    assert (
        "There is no sheet 'Seniors'. The workbook has 'Open A', 'Juniors'."
        in missing.stderr
    )


def test_a_list_in_other_words_is_not_replaced(tmp_path: Path) -> None:
    path = kept(
        tmp_path, csv_of([["Spieler", "Elo"], ["Ann", 1900], ["Bo", 1800]]), "list.csv"
    )
    other = kept(tmp_path, raw("Ann\nBo\n"))
    done = run("solve", other, "-o", path)
    assert done.exit_code == 2
    assert "already contains players" in done.stderr


def test_players_of_a_list_of_matches(tmp_path: Path) -> None:
    matches = kept(
        tmp_path, raw("round,player1,player2,score1,score2\n"), "matches.csv"
    )
    players = kept(tmp_path, csv_of([["Spieler", "Elo"], ["Ann", 1900], ["Bo", 1800]]))
    event = read_event(matches, players)
    assert event.columns["rating"] == ("1900", "1800")


def test_sides_in_other_words_are_one_fault(tmp_path: Path) -> None:
    rows = [
        ["round", "player1", "player2", "side1", "score1", "score2"],
        *([1, f"A{k}", f"B{k}", "weiss", 1, 0] for k in range(44)),
    ]
    done = run("solve", kept(tmp_path, csv_of(rows)))
    assert done.exit_code == 3
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Write corp or runner or white or black" in done.stderr
    assert "and neither is any other value in these 44 rows" in done.stderr


def test_a_player_is_no_total(tmp_path: Path) -> None:
    rows = [["Name", "Elo", "Club"], ["Ann", 1900, "Riga"], ["Total", 1800, "Oslo"]]
    assert read_event(kept(tmp_path, csv_of(rows))).players == ("Ann", "Total")


@pytest.mark.long
@pytest.mark.parametrize(
    ("cells", "rated", "said"),
    [
        (("1", "2", "3"), 3, ". 3 of 3 players have a rating."),
        (
            ("1", "2", ""),
            2,
            ", and 2 of 3 players have a rating. Players without a rating follow at the end, in the order of the list.",
        ),
        (
            ("0", "", "-"),
            0,
            ", but 0 of 3 players have a rating, so the players are ranked in the order of the list.",
        ),
    ],
)
@pytest.mark.parametrize(
    "model", ["fide-dutch", "fide-burstein", "monrad", "leaguevine"]
)
def test_a_model_that_ranks_by_rating_says_who_has_one(
    tmp_path: Path, model: str, cells: Sequence[str], rated: int, said: str
) -> None:
    rows = [["Name", "Rtg"], *zip(("Ann", "Bo", "Cy"), cells, strict=True)]
    path = kept(tmp_path, csv_of(rows))
    line = f"{model} ranks players by rating{said}\n"
    if model.startswith("fide"):
        line = (
            f"{model} ranks players by rating, then title, then name. "
            f"{rated} of 3 players have a rating.\n"
        )
    made = run(
        "new", tmp_path / "e", "--players", path, "--model", model, "--rounds", "5"
    )
    assert line in made.stderr
    assert f"note: {line}" in run("solve", tmp_path / "e", "--no-verify").stderr
    assert "ranks players by rating" not in run("solve", path, "--no-verify").stderr


@pytest.mark.parametrize("numbers", [(2, 1), (1, 2)])
def test_start_numbers_rank_without_ratings(
    tmp_path: Path, numbers: tuple[int, int]
) -> None:
    """Also those that are by rating, as most reports have them."""
    one, two = numbers
    path = kept(tmp_path, raw(f"player,start,rating\nAnn,{one},1900\nBo,{two},1800\n"))
    trf = tmp_path / "list.trf"
    lines = [
        f"001 {k:4} m    {name:<33} {rating}"
        for k, name, rating in ((one, "Ann", 1900), (two, "Bo", 1800))
    ]
    trf.write_text("\n".join([*sorted(lines), "XXR 5", ""]))
    for source in (path, trf):
        folder = tmp_path / f"event{source.suffix[1:]}"
        made = run(
            "new", folder, "--players", source, "--model", "fide-dutch", "--rounds", "5"
        )
        done = run("solve", source, "--model", "fide-dutch", "--no-verify")
        for said in (made.stderr, done.stderr):
            assert "fide-dutch ranks players by start number.\n" in said
            assert "ranks players by rating" not in said


CELL = st.one_of(
    st.sampled_from(
        [
            "Name",
            "Elo",
            "Vorname",
            "Summe",
            "Rtg",
            "player",
            "",
            "=A1",
            "½",
            "Ann",
            "Pts",
            "\x00",
            '"',
            "Lee, Ann",
            "1900",
            "2026-02-01",
            "Ranking",
            "Nom",
        ]
    ),
    st.text(max_size=6),
)


@pytest.mark.sweep
@settings(deadline=None, max_examples=50)
@given(
    rows=st.lists(st.lists(CELL, max_size=5), max_size=6),
    separator=st.sampled_from(",;\t"),
)
@example(rows=[["0000"], ["player", ""], ["Lee, Ann"]], separator=";")
def test_whatever_comes_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], separator: str
) -> None:
    path = tmp_path_factory.mktemp("lists") / "list.csv"
    path.write_bytes("\n".join(separator.join(row) for row in rows).encode())
    done = run("standings", path)
    assert done.exit_code in (0, 3)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    if done.exit_code:
        assert all(str(path) in line for line in done.stderr.splitlines())


AGAIN: dict[str, list[list[Any]]] = {
    "two names": [
        ["First name", "Last name", "Elo"],
        ["Ann", "Lee", 1900],
        ["First name", "Last name", "Elo"],
        ["Bo", "Ek", 1800],
    ],
    "no rating": [
        ["First name", "Last name"],
        ["Ann", "Lee"],
        ["First name", "Last name"],
        ["Bo", "Ek"],
    ],
    "titles": [
        ["No.", "", "Name", "Rtg"],
        [1, "GM", "Ann Lee", 1900],
        ["No.", "", "Name", "Rtg"],
        [2, "", "Bo Ek", 1800],
    ],
    "no heading": [
        ["No.", "", "Name", "Rtg"],
        [1, "x", "Ann Lee", 1900],
        ["No.", "", "Name", "Rtg"],
        [2, "", "Bo Ek", 1800],
    ],
    "cross table": [
        ["Rk.", "", "Name", "Rtg", "1.Rd"],
        [1, "GM", "Ann Lee", 1900, "2w1"],
        ["Rk.", "", "Name", "Rtg", "1.Rd"],
        [2, "", "Bo Ek", 1800, "1b0"],
    ],
}


@pytest.mark.parametrize("what", AGAIN)
def test_headings_that_come_again_are_no_player(tmp_path: Path, what: str) -> None:
    event = read_event(kept(tmp_path, csv_of(AGAIN[what])))
    assert event.players == ("Ann Lee", "Bo Ek")
    assert (
        len(
            [
                note
                for note in notes_of(event)
                if "left out row 3, because it is not a player" in note
            ]
        )
        == 1
    )


@pytest.mark.long
def test_a_list_of_very_many_columns_is_refused(tmp_path: Path) -> None:
    raw = csv_of(
        [["Name", *[""] * 2000, "x"], *([f"P{k}", *"y" * 2001] for k in range(5))]
    )
    with pytest.raises(InputError, match="2002 columns"):
        read_event(kept(tmp_path, raw))


def test_a_long_heading_makes_no_long_lines(tmp_path: Path) -> None:
    event = read_event(
        kept(tmp_path, csv_of([["Name", "Rtg", "h" * 5000], ["Ann", 1900, "x"]]))
    )
    assert max(map(len, notes_of(event))) < 300
