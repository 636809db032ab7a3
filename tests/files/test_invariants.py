"""What no event can hold: each is an error with its place, whatever file it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pairopt import Event, InputError, read_event
from pairopt.api.response import reply_to
from pairopt.cli import main
from pairopt.event.event import REQUESTED
from pairopt.files.invariants import normalize_look
from pairopt.folder import new

HEADING = "round,table,player1,player2,side1,score1,score2,status\n"
ZOE, ZOE_APART = (
    "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}",
    "Zoe\N{COMBINING DIAERESIS}",
)
UNSEEN = "\N{ZERO WIDTH SPACE}"


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(
    folder: Path, matches: str = "", players: str = "", relax: tuple[str, ...] = ()
) -> Event:
    listed = written(folder, players, "players.csv") if players else None
    if not matches:
        assert listed is not None
        return read_event(listed, relax=("history", *relax))
    return read_event(
        written(folder, HEADING + matches, "matches.csv"), listed, relax=relax
    )


PLAYERS = {
    "points below 0": ("player,score\nAnn,-3\nBob,2\n", "cell.below_0_brought"),
    "a name of a space of no width": (
        f"player,name\n1,{UNSEEN}\n2,Bob\n",
        "roster.unseen",
    ),
    "an identifier that nobody sees": (f"player\n{UNSEEN}\nBob\n", "roster.unseen"),
    "a space of no width": (f"player\nAnn\nAnn{UNSEEN}\n", "roster.looks_alike"),
    "letters in two forms": (f"player\n{ZOE}\n{ZOE_APART}\n", "roster.looks_alike"),
    "a blank that does not break": (
        "player\nAnn B\nAnn\N{NO-BREAK SPACE}B\n",
        "roster.looks_alike",
    ),
}
MATCHES = {
    "two matches at a table": (
        "1,1,Ann,Bob,,1,0,\n1,1,Cy,Dee,,1,0,\n",
        "row.table_again",
    ),
    "two byes in a round": (
        "1,1,Ann,Bob,,1,0,\n1,2,Cy,Dee,,1,0,\n2,1,Ann,Cy,,1,0,\n2,,Bob,,,1,,bye\n2,,Dee,,,1,,\n",
        "row.second_bye",
    ),
    "both win": ("1,1,Ann,Bob,,3,3,\n1,2,Cy,Dee,,0,3,\n", "row.both_win"),
    "both win in chess": ("1,1,Ann,Bob,,1,1,\n1,2,Cy,Dee,,0,1,\n", "row.both_win"),
    "a result below 0": ("1,1,Ann,Bob,,3,-1,\n", "row.below_0"),
}


@pytest.mark.parametrize("name", PLAYERS)
def test_players_that_no_event_has(tmp_path: Path, name: str) -> None:
    text, kind = PLAYERS[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, players=text)
    assert caught.value.kind == kind
    assert str(caught.value.faults[0].place).startswith("row ")


@pytest.mark.parametrize("name", MATCHES)
def test_matches_that_no_event_has(tmp_path: Path, name: str) -> None:
    rows, kind = MATCHES[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, rows)
    assert caught.value.kind == kind
    assert str(caught.value.faults[0].place).startswith("row ")


@pytest.mark.parametrize("name", MATCHES)
def test_an_event_folder_has_them_no_more_than_a_file(
    tmp_path: Path, name: str
) -> None:
    players = written(tmp_path, "player\nAnn\nBob\nCy\nDee\n", "list.csv")
    folder = tmp_path / "event"
    new(folder, read_event(players), sure=True)
    written(folder, HEADING + MATCHES[name][0], "matches.csv")
    with pytest.raises(InputError) as caught:
        read_event(folder)
    assert caught.value.kind in (MATCHES[name][1], "score.strange")


@pytest.mark.parametrize("name", PLAYERS)
def test_a_new_event_does_not_begin_with_them(tmp_path: Path, name: str) -> None:
    players = written(tmp_path, PLAYERS[name][0], "players.csv")
    run = CliRunner().invoke(
        main, ["new", str(tmp_path / "event"), "--players", str(players)]
    )
    assert run.exit_code == 3
    assert not (tmp_path / "event").exists()


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    rows = "1,1,Ann,Bob,,3,3,\n1,1,Cy,Dee,,0,3,\n1,2,Eve,Fay,,-1,3,\n"
    with pytest.raises(InputError) as caught:
        read(tmp_path, rows)
    kinds = [fault.said.kind for fault in caught.value.faults]
    assert kinds == ["row.table_again", "row.below_0", "row.both_win"]


def test_a_request_is_refused_in_the_same_way() -> None:
    asked = b'{"version": 1, "rounds": [], "players": [{"player": "A"}, {"player": "A\\u200b"}]}'
    reply = reply_to(asked)
    assert "roster.looks_alike" in str(reply)


def test_seeds_may_all_have_a_bye_in_round_1(tmp_path: Path) -> None:
    rows = "1,1,Ann,Bob,,3,0,\n1,,Cy,,,3,,bye\n1,,Dee,,,3,,bye\n"
    assert read(tmp_path, rows).round == 2


def test_a_bye_that_a_player_asked_for_is_another(tmp_path: Path) -> None:
    rows = "1,1,Ann,Bob,,3,0,\n1,2,Cy,Dee,,3,0,\n2,1,Ann,Cy,,3,0,\n2,,Bob,,,3,,bye\n"
    event = read(tmp_path, rows + "2,,Dee,,,0,,requested\n")
    assert (event.matches.status == REQUESTED).sum() == 1


@pytest.mark.parametrize(
    "rows",
    [
        "1,1,Ann,Bob,,3,3,\n1,2,Cy,Dee,,6,0,\n1,3,Eve,Fay,,3,0,\n",  # one game is still to be played
        "1,1,Ann,Bob,,1,1,\n1,2,Cy,Dee,,3,0,\n",
        "1,1,Ann,Bob,,0,0,\n1,2,Cy,Dee,,1,0,\n",
        "1,1,Ann,Bob,,3,3,forfeit\n1,2,Cy,Dee,,3,0,\n",
    ],
)
def test_results_that_go_together(tmp_path: Path, rows: str) -> None:
    assert len(read(tmp_path, rows).matches)


def test_what_is_meant_all_the_same_is_read_when_it_is_said(tmp_path: Path) -> None:
    assert (
        read(
            tmp_path, players=PLAYERS["points below 0"][0], relax=("penalties",)
        ).brought[0]
        < 0
    )
    assert read(tmp_path, MATCHES["both win"][0], relax=("results",)).round == 2
    assert read(tmp_path, MATCHES["two byes in a round"][0], relax=("byes",)).round == 3
    assert read(tmp_path, MATCHES["both win"][0], relax=("results",)).round == 2
    path = str(tmp_path / "matches.csv")
    run = CliRunner().invoke(main, ["solve", path])
    assert "--relax results" in run.stderr
    run = CliRunner().invoke(main, ["solve", path, "--relax", "results"])
    assert run.exit_code == 0, run.stderr


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("Ann", "Ann" + UNSEEN, True),
        (ZOE, ZOE_APART, True),
        ("Ann", "ann", False),
        ("Ann B", "Ann  B", False),
        ("Bob", "Bob 2", False),
    ],
)
def test_what_looks_the_same(one: str, two: str, alike: bool) -> None:
    assert (normalize_look(one) == normalize_look(two)) == alike


@pytest.mark.parametrize("other", [ZOE_APART, ZOE + UNSEEN])
def test_names_that_look_the_same_are_asked_about(tmp_path: Path, other: str) -> None:
    players = written(tmp_path, f"player,name\n1,{ZOE}\n2,{other}\n", "players.csv")
    words = ["new", str(tmp_path / "event"), "--players", str(players)]
    run = CliRunner().invoke(main, words)
    assert run.exit_code == 2
    assert "may belong to one person" in run.stderr
    assert CliRunner().invoke(main, [*words, "--sure"]).exit_code == 0
