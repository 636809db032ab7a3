"""TRF: small files by hand, files with one fault each, and the real ones."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from notes import notes_of
from places import REAL

from pairopt import Event, InputError, read_event, solve, write_event
from pairopt.cli import main
from pairopt.event.score_checks import points_of
from pairopt.event.state import state_of
from pairopt.folder.create import new

DATA = REAL


def line(start: int, name: str, rating: int, points: float, *cells: str) -> str:
    """A player line; cells as "   2 w 1"."""
    head = f"001 {start:>4}      {name:<33} {rating:>4} {'NOR':<3} {'':<11} {'':<10} {points:>4} "
    return f"{head:<89}" + "".join(f"  {cell}" for cell in cells)


SMALL = [
    "012 A small event",
    line(1, "Ann", 1900, 2.5, "   2 w 1", "   3 b =", "0000 - F"),
    line(2, "Bob", 1800, 1.0, "   1 b 0", "0000 - U", "   3 - -"),
    line(3, "Cid", 0, 2.0, "0000 - H", "   1 w =", "   2 - +"),
    line(4, "Dee", 1600, 0.0),
    "XXR 5",
]


def read(folder: Path, lines: list[str], end: str = "\n") -> Event:
    path = folder / "event.trf"
    path.write_bytes(end.join([*lines, ""]).encode())
    return read_event(path)


def points(event: Event) -> dict[str, float]:
    return dict(
        zip(event.players, (points_of(event) / event.scale).tolist(), strict=True)
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "   \n"])
def test_a_small_file(tmp_path: Path, end: str) -> None:
    event = read(tmp_path, SMALL, end)
    assert event.round == 4
    assert event.sides == ("white", "black")
    assert event.names == ("Ann", "Bob", "Cid", "Dee")
    assert points(event) == {"1": 2.5, "2": 1, "3": 2, "4": 0}
    assert event.columns["federation"] == ("NOR",) * 4
    state = state_of(event)
    at = {name: k for k, name in enumerate(state.names)}
    assert state.byes[at["2"]] == 1
    assert state.byes[at["1"]] == state.byes[at["3"]] == 0  # theirs were asked for
    assert state.bias[at["1"]] == 0
    assert state.bias[at["3"]] == 1  # the forfeit is no game
    assert state.unplayed_win[[at["1"], at["2"], at["3"]]].all()


def test_other_points_and_absent_players(tmp_path: Path) -> None:
    lines = [*SMALL, "XXS WW=3 BW=3 WD=1 BD=1 PAB=3 FPB=2", "XXZ 4", "XXA 1 0.5"]
    event = read(tmp_path, lines)
    assert points(event) == {"1": 3 + 1 + 2, "2": 3, "3": 0.5 + 1 + 1, "4": 0}
    assert event.active.tolist() == [True, True, True, False]
    assert (event.acceleration / event.scale).tolist() == [[0.5], [0], [0], [0]]


def test_absent_players_who_have_a_bye_already(tmp_path: Path) -> None:
    asked = line(4, "Dee", 1600, 0.0, *[" " * 8] * 3, "0000 - H")
    event = read(tmp_path, [*SMALL[:4], asked, "XXZ 4 3"])
    assert points(event)["4"] == 0  # not yet: the bye is one of the next round
    rows = [int(k) for k in (event.matches.round == 4).nonzero()[0]]
    assert [event.matches.first[k] for k in rows] == [3, 2]  # no second row for Dee
    assert event.active.tolist() == [True, True, False, False]


def test_a_first_round_has_white_and_black(tmp_path: Path) -> None:
    event = read(tmp_path, [line(1, "Ann", 1900, 0), line(2, "Bob", 1800, 0)])
    assert event.round == 1
    assert event.sides == ("white", "black")
    assert solve(event, "fide-basic").proven


FAULTS = {
    "code": ([*SMALL, "101    5 X"], "line 7, column 1-3: '101' is not a code"),
    "number": ([*SMALL, "001  abc"], "line 7, column 5-8"),
    "twice": ([*SMALL, line(4, "Eve", 1, 0)], "already in line 5"),
    "rating": ([SMALL[1].replace("1900", "good")], "line 1, column 49-52"),
    "shifted": (
        [SMALL[1].replace(" 1900", "  1900")],
        "1 of 1 player lines are shifted to the right by 1 column, from column 49 or earlier. Remove the extra blank.",
    ),
    "shifted back": (
        [SMALL[1].replace(" 1900", "1900 ")],
        "line 1, column 48: '1' can't be here",
    ),
    "colour": (
        [SMALL[1].replace("w 1", "x 1")],
        "line 1, column 92-99: 'x' is not a colour",
    ),
    "result": (
        [SMALL[1].replace("w 1", "w 7")],
        "line 1, column 92-99: '7' is not the result of a game",
    ),
    "bye result": (
        [SMALL[1].replace("- F", "- W")],
        "line 1, column 112-119: 'W' is not the code of a bye",
    ),
    "opponent": (
        [SMALL[1].replace("   2 w", "   x w")],
        "is not an opponent's starting number",
    ),
    "unknown opponent": (
        [SMALL[1]],
        "Player 1 has the opponent 2 in round 1, but 2 does not have 1. Correct one of the two lines.",
    ),
    "both white": (
        [s.replace("b 0", "w 0") for s in SMALL],
        "Both players of a match have white in round 1. Correct one of the two sides.",
    ),
    "both won": (
        [s.replace("b 0", "b 1") for s in SMALL],
        "results 1 and 1 in round 1 contradict",
    ),
    "result missing": (
        [s.replace("b 0", "b  ") for s in SMALL],
        "Only one player of this match has a result in round 1",
    ),
    "points": ([*SMALL, "XXS WW=three"], "line 7, column 5-12: Found 'WW=three'"),
    "absent": ([*SMALL, "XXZ 9"], "line 7, column 5-5: '9' is not the starting number"),
    "nobody": (["012 Empty"], "no player lines"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_have_line_and_column(tmp_path: Path, name: str) -> None:
    lines, said = FAULTS[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, lines)
    assert said in str(caught.value)


@pytest.mark.parametrize("pair", ["11", "1+", "++", "+1", "1=", "=1", "WW", "W+"])
def test_results_that_do_not_fit(tmp_path: Path, pair: str) -> None:
    one, two = pair
    lines = [
        line(1, "Ann", 1900, 1, f"   2 w {one}"),
        line(2, "Bob", 1800, 1, f"   1 b {two}"),
    ]
    with pytest.raises(
        InputError, match=f"results {re.escape(one)} and {re.escape(two)} in round"
    ):
        read(tmp_path, lines)


@pytest.mark.parametrize("pair", ["10", "==", "00", "+-", "--", "WL"])
def test_results_that_fit(tmp_path: Path, pair: str) -> None:
    worth = {"1": 1.0, "+": 1.0, "W": 1.0, "=": 0.5}
    one, two = (worth.get(each, 0.0) for each in pair)
    lines = [
        line(1, "Ann", 1900, one, f"   2 w {pair[0]}"),
        line(2, "Bob", 1800, two, f"   1 b {pair[1]}"),
    ]
    assert points(read(tmp_path, lines)) == {"1": one, "2": two}


def real(folder: str) -> list[Path]:
    found = (DATA / folder).rglob("*") if DATA.is_dir() else iter(())
    return sorted(path for path in found if path.suffix in (".trf", ".input"))


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the real files are not here")
def test_real_files() -> None:
    for path in real("trf"):
        event = read_event(path)
        lines = path.read_text(encoding="utf-8").splitlines()
        stated = {
            str(int(s[4:8])): float(s[80:84]) for s in lines if s.startswith("001")
        }
        assert points(event) == stated, path.name
        result = solve(event, "fide-basic")
        assert result.proven, path.name
    assert len(real("trf")) == 32


@pytest.mark.skipif(not DATA.is_dir(), reason="the real files are not here")
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("comments", 0, ""),
        ("javafo_example", 0, ""),
        ("incompatible_color", 3, "line 2, column 132-139"),
        ("invalid_code", 3, "line 7, column 1-3"),
        ("missing_result", 3, "line 2, column 132-139"),
        ("no_legal_pairings", 1, "Nobody meets the same opponent twice"),
    ],
)
def test_malformed_files(name: str, code: int, said: str) -> None:
    path = DATA / "trf-malformed" / f"{name}.trf"
    done = CliRunner().invoke(main, ["solve", str(path), "--model", "fide-basic"])
    assert done.exit_code == code
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_pairs_as_chess_engines_print_them(tmp_path: Path) -> None:
    path = tmp_path / "event.trf"
    path.write_text("\n".join([*SMALL, line(5, "Eve", 1500, 0.0)]), encoding="utf-8")
    arguments = ["solve", str(path), "--model", "fide-basic", "--format", "trf-pairs"]
    done = CliRunner().invoke(main, [*arguments, "--request-bye", "4", "--drop", "1"])
    assert done.exit_code == 0
    count, *pairs = done.stdout.splitlines()
    assert int(count) == len(pairs) == 2
    assert "5 0" in pairs  # the others have had a bye or points without playing
    assert {number for pair in pairs for number in pair.split()} == {"0", "2", "3", "5"}
    named = tmp_path / "players.csv"
    named.write_text("player\nAnn\nBob\n", encoding="utf-8")
    out = (
        CliRunner().invoke(main, ["solve", str(named), "--format", "trf-pairs"]).stdout
    )
    assert sorted(out.split()) == ["1", "1", "2"]


def test_forbidden_pairs(tmp_path: Path) -> None:
    players = [line(k, f"P{k}", 2000 - k, 0.0) for k in range(1, 5)]
    event = read(tmp_path, [*players, "XXP 0002 1", "XXP 1 3"])
    assert event.forbidden == ((0, 1), (0, 2))
    for seed in range(4):
        rows = solve(event, "fide-basic", seed=seed).matches
        pairs = {frozenset((row["player1"], row["player2"])) for row in rows}
        assert pairs == {frozenset("14"), frozenset("23")}
    both = solve(event, "fide-basic", forbid=[("2", "3")])
    assert both.status == "infeasible"
    listed = read(tmp_path, [*players, "XXP 1 2 3"])
    assert listed.forbidden == (
        (0, 1),
        (0, 2),
        (1, 2),
    )  # nobody of a list meets another
    again = read_event(write_event(listed, tmp_path / "again.trf").files[0])
    assert again.forbidden == listed.forbidden
    written = write_event(listed, tmp_path / "out.json")
    assert (
        "The file leaves out the forbidden pairs. When you pair from this file, name the forbidden pairs with --forbid."
        in notes_of(written)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "XXP 1 9",
            "'9' is not the starting number of a player in this file. Correct the number.",
        ),
        ("XXP 1 1", "two or more starting numbers"),
    ],
)
def test_forbidden_pairs_that_cannot_be(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read(tmp_path, [*SMALL, text])


# what other programs read, and what they do not find

CHESS = [
    (1, "A", "B", "white", 1, 0, ""),
    (1, "C", "D", "white", 0.5, 0.5, ""),
    (2, "A", "C", "black", 1, 0, ""),
    (2, "B", "D", "white", 1, 0, "forfeit"),
    (3, "A", "D", "white", 1, 0, ""),
    (3, "B", None, None, 1, None, "bye"),
    (3, "C", None, None, 0.5, None, "requested"),
]
FOOTBALL = [
    (*row[:4], 3 * row[4] if row[4] == 1 else 1, row[5] and 1, row[6]) for row in CHESS
]


@pytest.mark.parametrize("rows", [CHESS, FOOTBALL])
def test_py4swiss_reads_what_is_written(
    tmp_path: Path, rows: list[tuple[object, ...]]
) -> None:
    trf = pytest.importorskip("py4swiss.trf")
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns))
    written = write_event(event, tmp_path / "event.trf", form="trf16")
    found = trf.TrfParser.parse(written.files[0])
    tenths = [player.points_times_ten / 10 for player in found.player_sections]
    assert tenths == list(points(event).values())
    assert found.x_section.number_of_rounds == 4
    assert points(read_event(written.files[0])) == dict(
        zip("1234", tenths, strict=True)
    )
    assert "The number of rounds is not known, so the file says 4." in notes_of(written)


def test_titles_numbers_and_dates_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "event.trf"
    one = line(1, "Ann", 1900, 0)
    path.write_text(
        one[:9] + "m GM" + one[13:57] + "    1503014 1990/11/30" + one[79:] + "\n"
    )
    done = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.csv")])
    assert done.exit_code == 0, done.stderr
    assert "lost" not in done.stderr
    kept = read_event(tmp_path / "out-players.csv").columns
    said = {"sex": "m", "title": "GM", "fide_id": "1503014", "birth": "1990/11/30"}
    assert {name: kept[name] for name in said} == {
        name: (cell,) for name, cell in said.items()
    }
    json = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.json")])
    assert (
        "columns of the players: birth, federation, fide_id, sex, title." in json.stderr
    )
    assert "lost" not in CliRunner().invoke(main, ["solve", str(path)]).stderr


@pytest.mark.parametrize(
    ("win", "draw", "bye", "said"),
    [
        (3, 1, 3, "162  W 3.0    D 1.0    L 0.0    P 3.0"),
        (2, 1, 1, "162  W 2.0    D 1.0    L 0.0    P 1.0"),
        (2, 1, 2, "162  W 2.0    D 1.0    L 0.0    P 2.0"),
        (100, 50, 100, None),  # too wide for its columns
        (1, 0.5, 1, None),
    ],
)
def test_points_are_written_for_programs_that_read_no_xxs(
    tmp_path: Path, win: float, draw: float, bye: float, said: str | None
) -> None:
    """The symbols are in columns 6, 15 and so on, the points in the four behind each."""
    rows = [
        (1, 1, "A", "B", win, 0, ""),
        (1, 2, "C", "D", draw, draw, ""),
        (1, None, "E", "", bye, 0, "bye"),
    ]
    columns = ["round", "table", "player1", "player2", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns))
    path = tmp_path / "event.trf"
    write_event(event, path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("162")] == (
        [said] if said else []
    )
    if said:
        without = [line for line in lines if not line.startswith("XXS")]
        path.write_text("\n".join([*without, ""]), encoding="utf-8")
    again = read_event(path)
    assert again.matches.score1.tolist() == event.matches.score1.tolist()
    assert again.matches.score2.tolist() == event.matches.score2.tolist()


def test_points_of_forfeits_that_162_cannot_say(tmp_path: Path) -> None:
    rows = [(1, 1, "A", "B", 3, 0, ""), (1, 2, "C", "D", 2, 0, "forfeit")]
    columns = ["round", "table", "player1", "player2", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns))
    write_event(event, tmp_path / "event.trf")
    text = (tmp_path / "event.trf").read_text(encoding="utf-8")
    assert "\n162  W 3.0    L 0.0\n" in text
    assert "\n299 +         2.0\n" in text
    write_event(event, tmp_path / "event.trf16")
    assert "XXS WW=3.0 BW=3.0 FW=2.0" in (tmp_path / "event.trf16").read_text()
    assert read_event(tmp_path / "event.trf16").matches.score1.tolist() == [3, 2]
    assert read_event(tmp_path / "event.trf").matches.score1.tolist() == [3, 2]


def test_an_event_folders_title_is_written(tmp_path: Path) -> None:
    players = tmp_path / "players.csv"
    players.write_text("player\nA\nB\n", encoding="utf-8")
    new(tmp_path / "event", players, title="Open of Köln")
    write_event(read_event(tmp_path / "event"), tmp_path / "event.trf")
    text = (tmp_path / "event.trf").read_text(encoding="utf-8")
    assert text.startswith("012 Open of Köln\n")
