"""Cross tables of chess-results.com and Swiss-Manager: real events in that form, and faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner
from notes import notes_of
from places import REAL

from pairopt import Event, InputError, read_event, solve
from pairopt.cli import main
from pairopt.event.event import BYE_ROW, FORFEIT, NO_RATING, PLAYED, REQUESTED
from pairopt.event.standings import rank_players
from pairopt.folder import new, pair

OPENS = sorted(REAL.glob("dutch/published/*.trf"))
SIGNS = {2: "1", 1: "½", 0: "0"}
TITLES = [
    ["From the Tournament-Database of Chess-Results https://chess-results.com"],
    ["Spring Open"],
    ["Last update 13.02.2026 18:17:32"],
    ["Ranking crosstable"],
]
BELOW = [
    [
        "You find all details to this tournament under  https://chess-results.com/tnr1.aspx"
    ],
    ["Chess-Tournament-Results-Server: Chess-Results"],
]
HEAD = ["Rk.", "", "Name", "Rtg", "FED", "1.Rd", "2.Rd", "3.Rd", "Pts. ", "TB1"]
SMALL = [
    ["1", "GM", "Adams, Ann", "2500", "LAT", "  3w1", "  2b½", "-1", "2,5", "4"],
    ["2", "", "Brown, Bo", "2300", "LAT", "  4b1", "  1w½", "  3w-", "1,5", "5"],
    ["3", "", "Cole, Cy", "2200", "EST", "  1b0", "  4w0", "  2b+", "1", "3"],
    ["4", "WIM", "Dale, Di", "2100", "EST", "  2w0", "  3b1", "  -½", "1,5", "4"],
]


def crosstable(event: Event, *, by_rank: bool) -> list[list[str]]:
    """An event of chess as chess-results.com has it, by rank or by start number."""
    place = {player: k for k, player in enumerate(event.players)}
    order = [place[line.player] for line in rank_players(event)]
    if not by_rank:
        order = sorted(order, key=lambda k: int(event.start_numbers[k]))
    number = {k: n for n, k in enumerate(order, 1)}
    rows, scale = event.matches, event.scale
    last = int(rows.round.max())
    cells = [[""] * last for _ in event.players]
    points = [0] * len(event.players)
    for k in range(len(rows)):
        one, two, turn = int(rows.first[k]), int(rows.second[k]), int(rows.round[k]) - 1
        for me, other, score, white in (
            (one, two, int(rows.score1[k]), int(rows.side[k]) == 0),
            (two, one, int(rows.score2[k]), int(rows.side[k]) == 1),
        ):
            sign = SIGNS[2 * score // scale]
            points[me] += score
            if me >= 0 and other < 0:
                cells[me][turn] = (
                    f"-{sign}" if score or rows.status[k] != REQUESTED else "0"
                )
            elif me >= 0:
                sign = ("+" if score else "-") if rows.status[k] == FORFEIT else sign
                cells[me][turn] = f"{number[other]:>3}{'w' if white else 'b'}{sign}"
    first = "Rk." if by_rank else "No."
    table = [
        [
            first,
            "",
            "Name",
            "Rtg",
            "FED",
            *(f"{k}.Rd" for k in range(1, last + 1)),
            "Pts. ",
        ]
    ]
    for k in order:
        rating = (
            ""
            if event.rating[k] == NO_RATING
            else str(event.rating[k] // event.rating_scale)
        )
        total = f"{points[k] / scale:g}"
        table.append([str(number[k]), "", event.names[k], rating, "", *cells[k], total])
    return [*TITLES, *table, [], *BELOW]


def workbook(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(
            [int(cell) if cell.lstrip("-").isdecimal() else cell for cell in row]
        )
    book.save(path)
    return path


def met(event: Event) -> set[tuple[Any, ...]]:
    """Who met whom by name, with which side and which points."""
    rows = event.matches
    return {
        (
            int(rows.round[k]),
            int(rows.status[k]),
            *sorted(
                (event.names[player], side, score / event.scale)
                for player, side, score in (
                    (int(rows.first[k]), int(rows.side[k]), int(rows.score1[k])),
                    (int(rows.second[k]), 1 - int(rows.side[k]), int(rows.score2[k])),
                )
                if player >= 0
            ),
        )
        for k in range(len(rows))
        if rows.score1[k] or rows.second[k] >= 0
    }


@pytest.mark.sweep
@pytest.mark.skipif(not OPENS, reason="the real events are not here")
@pytest.mark.parametrize("by_rank", [True, False])
@pytest.mark.parametrize("path", OPENS[7::9], ids=lambda path: path.stem)
def test_real_opens(path: Path, by_rank: bool, tmp_path: Path) -> None:
    event = read_event(path)
    names = [
        name if len(name) > 1 else f"{name} {k}" for k, name in enumerate(event.names)
    ]
    event = replace(event, names=tuple(names))  # some are hidden
    file = workbook(tmp_path / "table.xlsx", crosstable(event, by_rank=by_rank))
    read = read_event(file)
    assert met(read) == met(event)
    assert read.round == event.round
    assert read.sides == ("white", "black")
    assert {*read.names} == {*event.names}
    assert not [note for note in notes_of(read) if "other points" in note]
    if not by_rank:
        assert read.start_numbers.tolist() == sorted(event.start_numbers.tolist())


def small(tmp_path: Path, rows: Sequence[Sequence[str]] = SMALL) -> Path:
    path = tmp_path / "table.csv"
    lines = [";".join(row) for row in (*TITLES, HEAD, *rows, [""] * len(HEAD), *BELOW)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.long
def test_what_a_small_one_says(tmp_path: Path) -> None:
    event = read_event(small(tmp_path))
    assert event.players == ("Adams, Ann", "Brown, Bo", "Cole, Cy", "Dale, Di")
    assert event.rating.tolist() == [2500, 2300, 2200, 2100]
    assert event.columns["title"] == ("GM", "", "", "WIM")
    assert event.columns["federation"] == ("LAT", "LAT", "EST", "EST")
    assert not event.brought.any()
    assert met(event) == {
        (1, PLAYED, ("Adams, Ann", 0, 1.0), ("Cole, Cy", 1, 0.0)),
        (1, PLAYED, ("Brown, Bo", 1, 1.0), ("Dale, Di", 0, 0.0)),
        (2, PLAYED, ("Adams, Ann", 1, 0.5), ("Brown, Bo", 0, 0.5)),
        (2, PLAYED, ("Cole, Cy", 0, 0.0), ("Dale, Di", 1, 1.0)),
        (3, BYE_ROW, ("Adams, Ann", -1, 1.0)),
        (3, FORFEIT, ("Brown, Bo", 0, 0.0), ("Cole, Cy", 1, 1.0)),
        (3, REQUESTED, ("Dale, Di", -1, 0.5)),
    }
    notes = "\n".join(notes_of(event))
    assert "2.Rd  -> round 2" in notes
    assert "The file has no start numbers" in notes
    assert "other points" not in notes


@pytest.mark.long
def test_the_next_round_is_paired_as_chess(tmp_path: Path) -> None:
    assert solve(read_event(small(tmp_path))).problem.model.name == "fide-dutch"
    new(tmp_path / "event", small(tmp_path), rounds=5)
    made = pair(tmp_path / "event")
    assert made.result is not None
    assert {frozenset(each[:2]) for each in made.result.pairs}


@pytest.mark.long
def test_swiss_manager_has_three_columns_a_round(tmp_path: Path) -> None:
    head = [
        "Rank",
        "SNo.",
        "",
        "Name",
        "Rtg",
        "FED",
        "1.Rd",
        "",
        "",
        "2.Rd",
        "",
        "",
        "Pts",
    ]
    rows = [
        ["1", "2", "", "Ann", "2100", "LAT", "4", "w", "1", "2", "b", "1", "2"],
        ["2", "1", "", "Bo", "2200", "LAT", "3", "b", "1", "1", "w", "0", "1"],
        ["2", "3", "", "Cy", "2000", "LAT", "2", "w", "0", "4", "b", "1", "1"],
        ["4", "4", "", "Di", "1900", "LAT", "1", "b", "0", "3", "w", "0", "0"],
    ]
    event = read_event(
        workbook(tmp_path / "table.xlsx", [["Spring Open"], head, *rows])
    )
    assert {each[2:] for each in met(event) if each[0] == 2} == {
        (("Ann", 1, 1.0), ("Bo", 0, 0.0)),
        (("Cy", 1, 1.0), ("Di", 0, 0.0)),
    }
    assert event.start_numbers.tolist() == [2, 1, 3, 4]


@pytest.mark.long
def test_an_alphabetical_one_goes_by_its_numbers(tmp_path: Path) -> None:
    turned = [*reversed(SMALL)]
    assert met(read_event(small(tmp_path, turned))) == met(read_event(small(tmp_path)))


@pytest.mark.long
def test_a_round_that_is_being_played(tmp_path: Path) -> None:
    rows = [
        [
            cell[:-1] if k == 7 and cell[-1] in "+-" else cell
            for k, cell in enumerate(row)
        ]
        for row in SMALL
    ]
    event = read_event(small(tmp_path, rows), unfinished=True)
    assert not event.matches.scored.all()
    done = CliRunner().invoke(main, ["solve", str(small(tmp_path, rows))])
    assert done.exit_code == 3
    assert (
        "row 7, column 3.Rd: Brown, Bo - Cole, Cy in round 3 has no result"
        in done.stderr
    )


FAULTS: dict[str, tuple[Callable[[list[list[str]]], object], str]] = {
    "no game": (
        lambda rows: rows[0].__setitem__(5, "3w2"),
        "row 6, column 1.Rd: found '3w2'",
    ),
    "other": (
        lambda rows: rows[0].__setitem__(5, "4w1"),
        "row 6, column 1.Rd: found '4w1'",
    ),
    "colour": (
        lambda rows: rows[0].__setitem__(5, "3b1"),
        "row 6, column 1.Rd: found '3b1'",
    ),
    "nobody": (
        lambda rows: rows[0].__setitem__(5, "9w1"),
        "row 6, column 1.Rd: found '9w1'",
    ),
    "oneself": (
        lambda rows: rows[0].__setitem__(5, "1w1"),
        "row 6, column 1.Rd: found '1w1'",
    ),
    "one result": (
        lambda rows: rows[0].__setitem__(5, "3w"),
        "row 6, column 1.Rd: found '3w'",
    ),
    "a name twice": (
        lambda rows: rows[1].__setitem__(2, "Adams, Ann"),
        "is already in row 6",
    ),
    "no name": (
        lambda rows: rows[1].__setitem__(2, ""),
        "row 7, column Name: found ''",
    ),
    "a formula": (lambda rows: rows[1].__setitem__(2, "=A1"), "in place of its value"),
}


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(tmp_path: Path, fault: str) -> None:
    rows = [[*row] for row in SMALL]
    FAULTS[fault][0](rows)
    with pytest.raises(InputError) as error:
        read_event(small(tmp_path, rows))
    assert FAULTS[fault][1].lower() in str(error.value).lower()


@pytest.mark.long
def test_points_of_other_rules_are_said(tmp_path: Path) -> None:
    rows = [[*row] for row in SMALL]
    rows[0][8] = "7"
    notes = notes_of(read_event(small(tmp_path, rows)))
    assert (
        "The column Pts. disagrees with the results of the rounds for Adams, Ann. pairopt uses the results."
        in notes
    )
