"""A folder made of a file whose rounds have no tables has them: its results can be corrected."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from organiser import event, scored
from places import REAL
from test_verbs import run

from pairopt import read_event, write_event
from pairopt.folder import new, pair, result

OPENS = sorted(REAL.glob("dutch/published/*.trf"))[:3]
COLUMNS = [
    "round",
    "table",
    "player1",
    "player2",
    "side1",
    "score1",
    "score2",
    "status",
]


def by_the_book(folder: Path) -> dict[int, list[tuple[str, str]]]:
    """Boards once more, in plain Python: higher score, sum of scores, smaller start number."""
    frame = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    start = dict(zip(*boards_of(folder), strict=True))
    points = dict.fromkeys(start, 0.0)
    made: dict[int, list[tuple[str, str]]] = {}
    for number, rows in sorted(frame.groupby(frame["round"].astype(int))):

        def key(row):  # type: ignore[no-untyped-def]
            one, two = points[row.player1], points[row.player2]
            return (
                -max(one, two),
                -(one + two),
                min(start[row.player1], start[row.player2]),
            )

        matches = [row for row in rows.itertuples() if row.player2]
        made[int(number)] = [(r.player1, r.player2) for r in sorted(matches, key=key)]
        for row in rows.itertuples():
            points[row.player1] += float(row.score1 or 0)
            if row.player2:
                points[row.player2] += float(row.score2 or 0)
    return made


def boards_of(folder: Path) -> tuple[list[str], list[int]]:
    found = read_event(folder, unfinished=True)
    return list(found.players), found.start_numbers.tolist()


def in_file(folder: Path) -> dict[int, list[tuple[str, str]]]:
    frame = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    frame = frame[frame["player2"] != ""]
    made: dict[int, list[tuple[str, str]]] = {}
    for number, rows in frame.groupby(frame["round"].astype(int)):
        rows = rows.assign(at=rows["table"].astype(int)).sort_values("at")
        assert rows["at"].tolist() == [*range(1, len(rows) + 1)]
        made[int(number)] = list(zip(rows["player1"], rows["player2"], strict=True))
    return made


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A TRF of three rounds of seven, with byes."""
    made = event(tmp_path / "made", "ABCDEFG", points="1-½-0", model="fide-dutch")
    for _ in range(3):
        pair(made)
        scored(made, "1-0")
    write_event(read_event(made), tmp_path / "open.trf")
    return tmp_path / "open.trf"


@pytest.mark.long
def test_boards_by_score_and_start_number(report: Path, tmp_path: Path) -> None:
    new(tmp_path / "open", report)
    assert in_file(tmp_path / "open") == by_the_book(tmp_path / "open")
    assert len(in_file(tmp_path / "open")) == 3


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize("path", OPENS, ids=lambda path: path.name)
def test_real_opens(path: Path, tmp_path: Path) -> None:
    found = read_event(path, unfinished=True)
    if len(found.unscored) or found.acceleration.any() or found.adjusted.any():
        pytest.skip("with virtual points, or in the middle of a round")
    new(tmp_path / "open", path)
    assert in_file(tmp_path / "open") == by_the_book(tmp_path / "open")


@pytest.mark.long
def test_and_a_result_of_them_can_be_corrected(report: Path, tmp_path: Path) -> None:
    folder = tmp_path / "open"
    new(folder, report)
    one, two = in_file(folder)[2][1]
    done = run("result", folder, "2", "½-½", "--round", 2, "--against-fide")
    assert done.exit_code == 0, done.stderr
    called = read_event(folder).called
    assert f"Result of round 2, table 2: {called[one]} ½-½ {called[two]}" in done.stderr
    assert pair(folder).step


def test_tables_that_are_there_stay(tmp_path: Path) -> None:
    rows = [
        (1, 7, "A", "B", "", 3, 0, ""),
        (1, "", "C", "D", "", 3, 0, ""),
        (2, "", "A", "C", "", 3, 0, ""),
        (2, "", "B", "D", "", 0, 3, ""),
    ]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(tmp_path / "matches.csv", index=False)
    new(tmp_path / "event", tmp_path / "matches.csv")
    lines = (tmp_path / "event" / "matches.csv").read_text().splitlines()
    found = [",".join(line.split(",")[:4]) for line in lines[1:]]
    assert found == ["1,7,A,B", "1,,C,D", "2,1,A,C", "2,2,B,D"]
    result(tmp_path / "event", 1, "0-3", round=2)
