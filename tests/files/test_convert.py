"""Writing what was read: every format gives the same event back, or says what it loses."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from events import REPEATABLE, Field, event_of, events
from hypothesis import given, settings
from hypothesis import strategies as st
from notes import notes_of
from places import REAL, SAMPLE, last_rounds

from pairopt import Event, InputError, UsageError, read_event, solve, write_event
from pairopt.cli import main
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, REQUESTED
from pairopt.event.score_checks import points_of
from pairopt.folder import forbid
from pairopt.folder.create import new

DATA = REAL
# A name that begins with "=" is refused as the formula of a spreadsheet.
NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=12
).filter(lambda name: not name.strip().startswith("="))
ODD = [
    "@home",
    'a "quoted" name',
    "comma, name",
    "semi;colon",
    "Žofie Ščasná",
    "<script>",
    "'",
]
Canonical = tuple[int, int, int, int, Fraction, Fraction, int, bool]


def rows_of(event: Event) -> Counter[Canonical]:
    """The rows without their order: the earlier player of the list first."""
    rows, made = event.matches, Counter[Canonical]()
    for k in range(len(rows)):
        a, b, side = int(rows.first[k]), int(rows.second[k]), int(rows.side[k])
        one, two = (
            Fraction(int(s[k]), event.scale) for s in (rows.score1, rows.score2)
        )
        if b >= 0 and a > b:
            a, b, one, two, side = b, a, two, one, (1 - side if side >= 0 else -1)
        made[
            int(rows.round[k]),
            a,
            b,
            side,
            one,
            two,
            int(rows.status[k]),
            bool(rows.scored[k]),
        ] += 1
    return made


def same(one: Event, two: Event) -> None:
    """Every field of two events, but the order of rows and where they came from."""
    assert rows_of(one) == rows_of(two)
    assert one.players == two.players
    assert one.names == two.names
    assert (one.round, one.sides, one.requested) == (
        two.round,
        two.sides,
        two.requested,
    )
    for name in ("active", "rating", "fixed_table", "first_round_bye"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert [Fraction(int(b), one.scale) for b in one.brought] == [
        Fraction(int(b), two.scale) for b in two.brought
    ]
    if one.declared_active is not None or two.declared_active is not None:
        assert np.array_equal(one.declared_active, two.declared_active)


@st.composite
def rich(draw: st.DrawFn) -> Event:
    """Events with names, ratings, tables, byes asked for, columns of their own."""
    field: Field = draw(events(2, 7))
    text = st.sampled_from(ODD) | NAMES
    players: list[dict[str, Any]] = [dict(player) for player in field.players]
    rows: list[dict[str, Any]] = [dict(row) for row in field.rows]
    for k, player in enumerate(players):
        if draw(st.booleans()):
            player["name"] = draw(text)
        player["table"] = str(k + 50) if draw(st.integers(0, 4)) == 0 else None
        player["first_round_bye"] = draw(st.sampled_from(["", "true", "false"]))
        player["city"] = draw(st.sampled_from(["", "Oslo", "a,b"]))
    for k, row in enumerate(rows):
        if draw(st.booleans()):
            row["table"] = str(k + 1)
    return event_of(rows, players)


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=70)
@given(rich())
def test_csv_gives_the_same_event_back(event: Event) -> None:
    with TemporaryDirectory() as folder:
        written = write_event(event, Path(folder) / "out.csv")
        assert not notes_of(written)
        again = read_event(*written.files)
        same(event, again)
        assert event.columns.keys() - again.columns.keys() == set()
        assert all(
            tuple(again.columns[name]) == cells for name, cells in event.columns.items()
        )
        assert np.array_equal(event.matches.table, again.matches.table)


def plain_rows(event: Event) -> Counter[Canonical]:
    """What NRTM JSON can say of the rows: forfeits are matches, byes asked for are byes."""
    made = Counter[Canonical]()
    for (turn, a, b, side, one, two, status, scored), count in rows_of(event).items():
        if status == REQUESTED and (one == 0 or turn >= event.round):
            continue
        kind = {FORFEIT: PLAYED, REQUESTED: BYE_ROW}.get(status, status)
        made[turn, a, b, side, one, two, kind, scored] += count
    return made


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=70)
@given(rich())
def test_json_gives_the_same_matches_back(event: Event) -> None:
    with TemporaryDirectory() as folder:
        written = write_event(event, Path(folder) / "out.json")
        rows = event.matches
        empty = [
            turn
            for turn in range(1, event.round)
            if not any(key[0] == turn for key in plain_rows(event))
        ]
        if empty:  # nothing but absent players: no round
            return
        again = read_event(written.files[0])
        for wanted, found in zip(event.names, again.names, strict=True):
            assert not wanted or found == wanted
        lost_sides = event.sides not in (None, ("corp", "runner"))
        sideless_forfeit = (rows.status == FORFEIT).any() and (rows.side < 0).any()
        if not sideless_forfeit:
            assert rows_of(again) == plain_rows(event)
        said = " ".join(notes_of(written))
        assert ("Forfeits" in said) == bool((rows.status == FORFEIT).any())
        assert ("a player asked for a bye" in said) == bool(
            (rows.status == REQUESTED).any()
        )
        assert ("the sides are called" in said) == lost_sides


@pytest.mark.sweep
def test_trf_gives_the_same_event_back_or_says_why_not() -> None:
    seen = Counter[str]()

    def compare(event: Event) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "out.trf"
            try:
                written = write_event(event, path)
            except UsageError:
                assert not path.exists()
                seen["refused"] += 1
                return
            again = read_event(path)
            gone = rows_of(again) - rows_of(
                event
            )  # marked as absent in the round to come
            assert not rows_of(event) - rows_of(again)
            assert all(row[0] == event.round and row[6] == REQUESTED for row in gone)
            assert bool(gone) <= any("have left" in note for note in notes_of(written))
            assert again.round == event.round
            if event.declared_active is None:
                assert np.array_equal(event.active, again.active)
            ratings = [text.strip() for text in event.columns.get("rating", ())]
            whole = [
                text if text.isdigit() and len(text) <= 4 else "" for text in ratings
            ]
            assert [str(r) if r >= 0 else "" for r in again.rating.tolist()] == (
                whole or [""] * len(event.players)
            )
            assert any("ratings" in note for note in notes_of(written)) == (
                whole != ratings
            )
            brought = [each.brought / each.scale for each in (event, again)]
            lost = any(
                "points that players started with" in note for note in notes_of(written)
            )
            assert lost == (brought[0].tolist() != brought[1].tolist())
            seen["written"] += 1

    settings(REPEATABLE, max_examples=250)(given(rich())(compare))()
    assert min(seen["refused"], seen["written"]) >= 30, seen


@pytest.mark.sweep
@pytest.mark.skipif(not DATA.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    "path",
    last_rounds(
        [
            *DATA.glob("nrtm/*.json"),
            *DATA.glob("trf/*/*.trf"),
            *DATA.glob("trf/*.input"),
            *DATA.glob("trf/*.trf"),
        ]
    ),
)
def test_a_real_file_gives_the_same_event_back(path: Path, tmp_path: Path) -> None:
    event = read_event(path)
    own = "json" if path.suffix == ".json" else "trf"
    (copy,) = write_event(event, tmp_path / f"copy.{own}").files
    same(event, read_event(copy))
    table = read_event(
        *write_event(event, tmp_path / "copy.csv").files, sides=event.sides
    )
    same(event, table)
    assert points_of(event).tolist() == points_of(table).tolist()


def test_no_two_results_of_one_kind_in_a_trf(tmp_path: Path) -> None:
    rows = pd.DataFrame(
        [(1, "A", "B", 6, 0), (1, "C", "D", 4, 1)],
        columns=["round", "player1", "player2", "score1", "score2"],
    )
    with pytest.raises(UsageError, match="one number of points per result"):
        write_event(read_event(rows), tmp_path / "x.trf")
    assert not list(tmp_path.iterdir())


def test_standings_are_not_converted(tmp_path: Path) -> None:
    path = tmp_path / "standings.csv"
    path.write_text("player,score,opponents\nA,3,B\nB,0,A\n", encoding="utf-8")
    run = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.csv")])
    assert run.exit_code == 2
    assert "contain no results of matches" in run.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.long
def test_standings_with_points_only_are_converted_on_request(tmp_path: Path) -> None:
    path, out = tmp_path / "standings.csv", tmp_path / "players.csv"
    path.write_text(SASS, encoding="utf-8")
    words = ["convert", str(path), str(tmp_path / "out.csv"), "--players-out", str(out)]
    assert CliRunner().invoke(main, words).exit_code == 3
    run = CliRunner().invoke(main, [*words, "--relax", "history"])
    assert run.exit_code == 0, run.stderr
    assert points_of(read_event(out, relax=["history"])).tolist() == [3, 0]


@pytest.mark.long
def test_convert_on_the_command_line(tmp_path: Path) -> None:
    event = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    out = tmp_path / "event.json"
    run = CliRunner().invoke(main, ["convert", event[0], str(out), *event[1:]])
    assert run.exit_code == 0, run.stderr
    assert f"written to {out}" in run.stderr
    back = CliRunner().invoke(main, ["convert", str(out), str(tmp_path / "event.csv")])
    assert back.exit_code == 0, back.stderr
    assert {p.name for p in tmp_path.iterdir()} == {
        "event.json",
        "event.csv",
        "event-players.csv",
    }
    over = ["convert", str(out), str(tmp_path / "event.csv"), "--overwrite"]
    kept = CliRunner().invoke(main, over[:-1])
    assert kept.exit_code == 2
    assert "--overwrite" in kept.stderr
    blocked = CliRunner().invoke(main, over)
    assert blocked.exit_code == 2
    assert "--players-out" in blocked.stderr
    said = ["--players-out", str(tmp_path / "event-players.csv")]
    again = CliRunner().invoke(main, [*over, *said])
    assert again.exit_code == 0, again.stderr
    first = read_event(*event[::2])
    last = read_event(tmp_path / "event.csv", tmp_path / "event-players.csv")
    assert points_of(first).tolist() == points_of(last).tolist()
    assert (
        len(last.matches) == len(first.matches) - 1
    )  # a bye asked for, without points
    assert "Forfeits are written as played matches (1)." in run.stderr


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "event.csv"
    path.write_bytes((SAMPLE / "matches.csv").read_bytes())
    run = CliRunner().invoke(main, ["convert", str(path), str(path)])
    assert run.exit_code == 2
    assert "Choose another file name" in run.stderr


def test_decimal_ratings_keep_their_size(tmp_path: Path) -> None:
    players = tmp_path / "players.csv"
    players.write_text("player,rating\nA,1500\nB,1650.5\nC,\n", encoding="utf-8")
    written = write_event(read_event(players), tmp_path / "out.trf")
    assert read_event(written.files[0]).rating.tolist()[0] == 1500
    lines = [
        line for line in written.files[0].read_text().splitlines() if line[:3] == "001"
    ]
    assert [line[48:52] for line in lines] == [
        "1500",
        "    ",
        "    ",
    ]
    assert any("ratings" in note for note in notes_of(written))


@pytest.mark.parametrize("name", ["matches.csv", "players.csv"])
def test_what_is_read_is_not_written_over_by_players_out(
    name: str, tmp_path: Path
) -> None:
    for file in ("matches.csv", "players.csv"):
        (tmp_path / file).write_bytes((SAMPLE / file).read_bytes())
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    words = [str(tmp_path / "matches.csv"), str(tmp_path / "new.csv")]
    words += [
        "--players",
        str(tmp_path / "players.csv"),
        "--players-out",
        str(tmp_path / name),
    ]
    run = CliRunner().invoke(main, ["convert", *words])
    assert run.exit_code == 2
    assert "Choose another file name" in run.stderr
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_both_files_or_none(tmp_path: Path) -> None:
    out, players = tmp_path / "new.csv", tmp_path / "nowhere" / "players.csv"
    with pytest.raises(UsageError, match="can't be written"):
        write_event(read_event(SAMPLE / "matches.csv"), out, players=players)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("out", ["x.pdf", "no/such/folder/x.csv", "event"])
def test_where_it_cannot_be_written(out: str, tmp_path: Path) -> None:
    run = CliRunner().invoke(
        main, ["convert", str(SAMPLE / "matches.csv"), str(tmp_path / out)]
    )
    assert run.exit_code == 2
    assert not list(tmp_path.iterdir())


# standings of other sites

SASS = (
    "Name,ID,Score,SoS,Ext. SoS,Side Balance,Corp ID,Runner ID\n"
    "Ann,7,3,1.5,1.0,1,Haas,Noise\nBob,9,0,2.0,1.0,-1,Jinteki,Kate\n"
)
LICHESS = (
    "Rank,Title,Username,Rating,Points,Tie Break,Performance\n1,FM,ann,2300,2,3,2400\n"
    "2,,bob,,1,1,\n"
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "column", "players"),
    [(SASS, "score", ("Ann", "Bob")), (LICHESS, "points", ("ann", "bob"))],
)
def test_other_standings(
    text: str, column: str, players: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "standings.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_event(path)
    assert f"row 2, column {column}" in str(error.value)
    assert "there is no column opponents" in str(error.value)
    event = read_event(path, relax=["history"])
    assert event.players == players
    assert points_of(event).tolist() in ([3, 0], [2, 1])
    assert any("exports no history" in note for note in notes_of(event))
    assert solve(event, "standard").proven


@pytest.mark.long
def test_other_standings_before_the_first_round(tmp_path: Path) -> None:
    path = tmp_path / "standings.csv"
    path.write_text(SASS.replace(",3,1.5", ",0,0"), encoding="utf-8")
    event = read_event(path)
    assert (event.round, event.players) == (1, ("Ann", "Bob"))
    assert np.array_equal(
        read_event_of(
            LICHESS.replace(",2,3,", ",0,0,").replace(",1,1,", ",0,0,"), tmp_path
        ).active,
        [True, True],
    )


def read_event_of(text: str, folder: Path) -> Event:
    path = folder / "other.csv"
    path.write_text(text, encoding="utf-8")
    return read_event(path)


MELEE = (
    "Rank,FirstName,LastName,MatchWins,MatchLoses,MatchDraws,Points\n"
    "1,Ann,Smith,3,0,0,9\n2,Bo,Jones,2,1,0,6\n"
)
START_GG = (
    "Id,GamerTag,Short GamerTag,Admin Notes,Checked In,Total Owed\n"
    "11,Club | Ann,Ann,,Yes,0\n12,Bo,Bo,,No,0\n"
)


@pytest.mark.long
def test_standings_of_melee_are_a_list_with_points(tmp_path: Path) -> None:
    path = tmp_path / "melee.csv"
    path.write_text(MELEE, encoding="utf-8")
    with pytest.raises(InputError, match="there is no column opponents"):
        read_event(path)
    event = read_event(path, relax=["history"])
    assert event.players == ("Ann Smith", "Bo Jones")
    assert points_of(event).tolist() == [9, 6]
    path.write_text(MELEE + MELEE.split("\n", 1)[1], encoding="utf-8")  # a second phase
    with pytest.raises(InputError, match="'Ann Smith' is already in row 2"):
        read_event(path, relax=["history"])


@pytest.mark.long
def test_attendees_of_start_gg(tmp_path: Path) -> None:
    event = read_event_of(START_GG, tmp_path)
    assert event.players == ("Club | Ann", "Bo")
    named = START_GG.replace("Total Owed", "First Name,Last Name").replace(
        ",0", ",A,Lee"
    )
    assert read_event_of(named.replace("No,A", "No,B"), tmp_path).players == (
        "A Lee",
        "B Lee",
    )


def test_one_round_of_sass_is_no_event(tmp_path: Path) -> None:
    path = tmp_path / "pairings.csv"
    path.write_text("Table,Corp Player,Runner Player\n1,Ann,Bob\n", encoding="utf-8")
    with pytest.raises(InputError, match="SASS file has the pairing of one round"):
        read_event(path)


def test_columns_of_the_matches_are_kept_or_named_as_lost(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    path.write_text(
        "round,player1,player2,score1,score2,deck\n1,A,B,3,0,x\n", encoding="utf-8"
    )
    run = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "out.csv")])
    assert "lost" not in run.stderr
    assert "status,deck\n1,,A,B,,3,0,,x\n" in (tmp_path / "out.csv").read_text(
        encoding="utf-8"
    )
    for name in ("out.json", "out.trf"):
        run = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / name)])
        assert "columns of the matches: deck." in run.stderr


@pytest.mark.long
def test_an_event_folder_is_converted_with_what_it_knows(tmp_path: Path) -> None:
    players = tmp_path / "players.csv"
    players.write_text("player\nA\nB\nC\nD\n", encoding="utf-8")
    new(tmp_path / "event", players, title="Club evening", rounds=3)
    forbid(tmp_path / "event", "A", "D")
    done = CliRunner().invoke(
        main, ["convert", str(tmp_path / "event"), str(tmp_path / "event.trf")]
    )
    assert done.exit_code == 0, done.stderr
    lines = (tmp_path / "event.trf").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "012 Club evening"
    assert lines[1:5] == [
        "062 4",
        "142 3",
        "162  W 3.0    D 1.0    L 0.0    P 3.0",
        "260   1   3    1    4",
    ]
    older = tmp_path / "event.trf16"
    CliRunner().invoke(main, ["convert", str(tmp_path / "event"), str(older)])
    points = [
        "XXS WW=3.0 BW=3.0 WD=1.0 BD=1.0 PAB=3.0",
        "162  W 3.0    D 1.0    L 0.0    P 3.0",
    ]
    assert older.read_text().splitlines()[-4:] == ["XXR 3", *points, "XXP 1 4"]


@pytest.mark.parametrize(("roster", "more"), [("", False), ("Cid\n", True)])
def test_players_are_written_where_matches_do_not_say_them(
    roster: str, more: bool, tmp_path: Path
) -> None:
    """Ann and Bob are in the matches, in this order; Cid has not played."""
    rows = "round,player1,player2,score1,score2,status\n1,Ann,Bob,3,0,\n"
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "players.csv").write_text(
        f"player\nAnn\nBob\n{roster}", encoding="utf-8"
    )
    event = read_event(tmp_path / "a.csv", tmp_path / "players.csv")
    write_event(event, tmp_path / "b.csv")
    assert (tmp_path / "b-players.csv").exists() == more
