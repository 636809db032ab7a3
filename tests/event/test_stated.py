"""Points and ranks that a report states, beside those of its results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from engine_calls import Called
from notes import notes_of

from pairopt import InputError, check_all, read_event, solve, write_event
from pairopt.cli import main
from pairopt.event.state import state_of
from pairopt.event.stated_standings import compare_stated_standings

ROUND = (
    ("   3 w 1", 1),
    ("   4 b 1", 1),
    ("   1 b 0", 0),
    ("   2 w 0", 0),
    ("0000 - U", 1),
)
"""Five players after round 1 with their points: 1 and 2 have won, 5 has the bye."""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Called:
    return Called(capsys)


def line(number: int, points: object, rank: object, *cells: str) -> str:
    head = f"001 {number:>4}      {f'Player {number}':<33} {2500 - number:>4} {'':<27}"
    return f"{head}{points:>4} {rank:>4}" + "".join(f"  {cell}" for cell in cells)


def report(
    folder: Path,
    ranks: str,
    *more: str,
    points: str = "1 1 0 0 1",
    cells: tuple[str, ...] = (),
) -> Path:
    path = folder / "event.trf"
    first = [cell for cell, _ in ROUND] if not cells else [*cells]
    rows = zip(points.split(), ranks.replace("_", " ").split(","), first, strict=True)
    lines = [line(k, *row) for k, row in enumerate(rows, 1)]
    path.write_text("\n".join([*lines, "142 3", "152 W", *more, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("ranks", "more", "said"),
    [  # after round 1: 1, 2 and 5 have a point; WON: 1, 1, 0, 0, 0; TPN: as they are numbered
        ("1,1,4,4,1", (), ""),
        ("3,1,5,4,2", (), ""),  # no tie-breaks are named: any order of equals
        ("1,2,4,4,2", (), ""),
        ("1,3,4,4,1", (), ""),
        (
            "1,2,4,4,1",
            (),
            "rank in the file is at place 1: Player 1, Player 2, Player 5 are equal, but have the ranks "
            "1, 2, 1",
        ),
        (
            "1,1,4,4,4",
            (),
            "first wrong rank in the file is at place 1: Player 5 (line 5, column 86-89) has rank 4, but "
            "should have a rank from 1 to 3. By points, Player 5 has 1, and Player 3 has 0.",
        ),
        (
            "1,1,4,4,99",
            (),
            "Player 5 (line 5, column 86-89) has rank 99, but should have a rank from 1 to 3",
        ),
        ("1,1,4,4,3", ("212 PTS,WON",), ""),
        ("1,1,4,4,3", ("202 WON",), ""),
        ("1,2,4,5,3", ("212 PTS,WON",), ""),  # as they are numbered, all of them
        ("2,1,4,5,3", ("212 PTS,WON",), ""),  # by lot, all of them
        (
            "1,2,4,4,3",
            ("212 PTS,WON",),
            "rank in the file is at place 1: Player 1, Player 2 are equal, but have the ranks 1, 2.",
        ),
        (
            "3,1,4,4,1",
            ("212 PTS,WON",),
            "rank in the file is at place 1: Player 1 (line 1, column 86-89) has rank 3, "
            "but should have a rank from 1 to 2. By WON, Player 1 has 1, and Player 5 has 0.",
        ),
        (
            "3,1,4,4,1",
            ("212 PTS,KEIZER,WON",),
            "",
        ),  # what nobody knows may break ties first
        ("3,1,4,4,1", ("212 WON,PTS",), "the file does not rank by points first"),
        (
            "2,1,5,4,3",
            ("212 PTS,WON,TPN",),
            "rank in the file is at place 1: Player 1 (line 1, column 86-89) has rank "
            "2, but should have rank 1. By TPN",
        ),
        ("_,_,_,_,_", (), "Ranks were not compared: the file contains no ranks"),
        ("0,0,0,0,0", (), "Ranks were not compared: the file contains no ranks"),
        ("1,1,4,4,_", (), "Ranks were not compared: 1 player has no rank"),
        (
            "1,2,3,4,5",
            (),
            "Ranks were not compared: the ranks in the file are the starting numbers",
        ),
        ("2,3,4,5,1", (), ""),
    ],
)
def test_ranks(tmp_path: Path, ranks: str, more: tuple[str, ...], said: str) -> None:
    found = compare_stated_standings(read_event(report(tmp_path, ranks, *more)))
    assert found is not None
    assert found.agrees == ("wrong rank" not in str(found.sentence)), found
    wanted = (
        said
        or f"The ranks agree with points{', WON' if any('WON' in m for m in more) else ''}"
    )
    assert wanted.split(", WON")[0] in str(found.sentence), found.sentence


def test_json_has_the_sentences_about_ranks(tmp_path: Path) -> None:
    wrong = compare_stated_standings(read_event(report(tmp_path, "1,1,4,4,99")))
    assert wrong is not None
    content = wrong.to_dict()
    assert "Player 5 (line 5, column 86-89) has rank 99" in content["rank"]
    assert content["not_compared"] is None

    missing = compare_stated_standings(read_event(report(tmp_path, "1,1,4,4,_")))
    assert missing is not None
    content = missing.to_dict()
    assert content["rank"] is None
    assert "1 player has no rank" in content["not_compared"]


def test_before_round_1_and_in_the_middle_of_a_round(tmp_path: Path) -> None:
    before = report(
        tmp_path, "1,2,3,4,9", points="0 0 0 0 0", cells=("", "", "", "", "")
    )
    found = compare_stated_standings(read_event(before))
    assert found is not None
    assert "no round has been played yet" in str(found.apart)
    cells = ("   3 w 1", "   4 b  ", "   1 b 0", "   2 w  ", "0000 - U")
    middle = read_event(
        report(tmp_path, "1,9,2,2,2", cells=cells, points="9 0 0 0 1"), unfinished=True
    )
    found = compare_stated_standings(middle)
    assert found is not None
    assert (
        str(found.sentence)
        == "Points and ranks were not compared: round 1 is not finished"
    )
    assert "a later round" in str(
        compare_stated_standings(
            read_event(report(tmp_path, "1,1,4,4,1"), round=1)
        ).apart
    )


@pytest.mark.parametrize(
    ("points", "more", "wrong"),
    [
        ("1 1 0 0 1", (), []),
        (
            "1 1 0 0 0.5",
            (),
            ["Player 5 (line 5, column 81-84) has 0.5, but the results give 1."],
        ),
        (
            "1 1 0.5 0.5 1",
            ("240 H   2    3    4",),
            [],
        ),  # byes of the round to come, of all
        (
            "1 1 0.5 0 1",
            ("240 H   2    3    4",),
            ["Player 3 (line 3, column 81-84) has 0.5, but the results give 0."],
        ),
        ("2 2 0 0 1", ("250       1.0   2   2    1    2",), []),  # virtual points
        (
            "2 1 0 0 1",
            ("250       1.0   2   2    1    2",),
            ["Player 1 (line 1, column 81-84) has 2, but the results give 1."],
        ),
        ("1 1 -1.0 0 1", ("299          -1.0    1    3",), []),
        (
            "1 1 0 0 1",
            ("299          -1.0    1    3",),
            ["Player 3 (line 3, column 81-84) has 0, but the results give -1."],
        ),
    ],
)
def test_points(
    tmp_path: Path, points: str, more: tuple[str, ...], wrong: list[str]
) -> None:
    found = compare_stated_standings(
        read_event(report(tmp_path, "_,_,_,_,_", *more, points=points))
    )
    assert found is not None
    assert [*map(str, found.points)] == wrong


@pytest.mark.parametrize(("points", "column"), [("X0.0", "81-84"), ("1.x", "81-84")])
def test_points_that_are_no_number_pair_nothing(
    tmp_path: Path, points: str, column: str, call: Called
) -> None:
    path = report(tmp_path, "1,1,4,4,1", points=f"1 1 {points} 0 1")
    with pytest.raises(
        InputError,
        match=f"line 3, column {column}: '{points}' is not a number of points",
    ):
        read_event(path)
    done = call(path, "-p", tmp_path / "pairs.txt")
    assert done.code == 3
    assert not (tmp_path / "pairs.txt").exists()


@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.parametrize(
    ("ranks", "points", "code"),
    [
        ("1,1,4,4,3", "1 1 0 0 1", 0),
        ("1,1,4,4,2", "1 1 0 0 1", 1),
        ("1,1,4,4,3", "9 1 0 0 1", 1),
    ],
)
def test_check_all_says_so_once(
    tmp_path: Path, ranks: str, points: str, code: int, many: int
) -> None:
    """Also what reading noticed, here a tie-break that is not known."""
    (tmp_path / "other").mkdir()
    path = report(tmp_path, ranks, "212 PTS,WON,KEIZER", points=points)
    more = [report(tmp_path / "other", "1,1,4,4,3", "212 PTS,WON")] * (many - 1)
    asked = [
        "check",
        "--all",
        str(path),
        *map(str, more),
        "--model",
        "fide-dutch",
        "--no-solve",
    ]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == code, done.output
    assert done.stderr.count("leaves them out: KEIZER") == 1
    assert done.stdout.count("Standings: ") == many
    lines = [line for line in done.stdout.splitlines() if "Standings: " in line]
    assert all(line.endswith(".") and not line.endswith("..") for line in lines)
    content = json.loads(CliRunner().invoke(main, [*asked, "--format", "json"]).stdout)
    stated = content["standings"] if many == 1 else content["files"][0]["standings"]
    assert stated["agrees"] == (code == 0)
    assert (stated["place"], stated["tie_break"]) == (
        (3, "WON") if ranks.endswith("2") else (None, None)
    )


def test_the_command_of_other_engines(tmp_path: Path, call: Called) -> None:
    path = report(tmp_path, "1,1,4,4,3", "212 PTS,WON,KEIZER")
    done = call(path, "-c")
    assert done.code == 0
    assert done.out.startswith("event: Round #1\n")
    assert done.err.count("KEIZER") == 1
    assert "The ranks agree with points, WON." in done.err
    assert call(report(tmp_path, "1,1,4,4,2", "212 PTS,WON"), "-c").code == 1
    wrong = report(tmp_path, "1,1,4,4,3", points="1 1 0 0 2")
    done = call(wrong, "-c")
    assert done.code == 1
    assert "Player 5 (line 5, column 81-84) has 2, but the results give 1." in done.err
    assert call(wrong, "-p", "out.txt").code == 3  # what is wrong is not paired


def test_the_number_of_players_is_that_of_the_file(tmp_path: Path) -> None:
    event = read_event(report(tmp_path, "1,1,4,4,3", "062 4", "072 3"))
    assert "The file states '4' players (062), but has 5 player lines." in notes_of(
        event
    )
    text = write_event(event, tmp_path / "again.trf").files[0].read_text("utf-8")
    assert "\n062 5\n" in text
    assert "\n072 3\n" in text


def test_points_of_no_result_make_score_groups(tmp_path: Path) -> None:
    """By hand: 5 has floated down by the bye, so 2 floats to 3 (C14). With half a point less 5 is
    below 1 and 2, who meet."""
    away = "240 Z   2    4"
    for more, points, wanted in (
        ((), "1 1 0 0 1", {(1, 5), (2, 3)}),
        (("299          -0.5  001    5",), "1 1 0 0 0.5", {(1, 2), (3, 5)}),
    ):
        event = read_event(report(tmp_path, "_,_,_,_,_", away, *more, points=points))
        assert not any("81-84" in note for note in notes_of(event))
        found = solve(event, "fide-dutch")
        assert found.arcs is not None
        names = [*map(int, found.problem.state.names)]
        pairs = {
            (min(names[a], names[b]), max(names[a], names[b]))
            for a, b in found.arcs.pairs
        }
        assert pairs == wanted


def test_what_was_forbidden_in_other_rounds_is_no_matter(tmp_path: Path) -> None:
    """1 and 3 met in round 1: forbidden in round 2 they are right, in round 1 they are not."""
    for said, right in (
        ("260   2   3    1    3", True),
        ("260   1   1    1    3", False),
    ):
        path = report(tmp_path, "_,_,_,_,_", said)
        assert [each.legal for each in check_all(read_event(path), "fide-dutch")] == [
            right
        ]
        event = read_event(path)
        assert event.forbidden == (
            ((0, 2),) if right else ()
        )  # round 2 is to be paired


def test_points_of_no_result_make_floats(tmp_path: Path) -> None:
    """1 and 2 have 1 point each, then meet: by half a point more, from round 1 on, 1 floats down.

    Of round 2 it comes too late for that.
    """
    cells = (
        "   3 w 1     2 b =",
        "   4 b 1     1 w =",
        "   1 b 0     4 w 1",
        "   2 w 0     3 b 0",
        "0000 - U  0000 - Z",
    )
    for turn, down, up in ((0, "1", "2"), (1, "1", "2"), (2, "", "")):
        path = report(
            tmp_path,
            "_,_,_,_,_",
            f"299           0.5  {turn:>3}    1",
            cells=cells,
            points="2.0 1.5 1 0 1",
        )
        event = read_event(path)
        assert not any("81-84" in note for note in notes_of(event))
        state = state_of(event)
        for floats in (state.fide.floats[:, 0], state.floats[:, 1]):
            by = dict(zip(state.names, floats.tolist(), strict=True))
            assert {name for name, way in by.items() if way > 0 and name in "1234"} == {
                *down
            }
            assert {name for name, way in by.items() if way < 0} == {*up}
