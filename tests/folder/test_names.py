"""Players are named by an identifier or a unique name, wherever that is."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from notes import notes_of
from telling import said_by

from pairopt import Event, UsageError, check, explain, read_event, solve
from pairopt.cli import main
from pairopt.errors import ConfirmationError, InputError
from pairopt.folder.commands import load_commands
from pairopt.folder.create import new
from pairopt.folder.edit_player import edit
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result
from pairopt.folder.roster import back, bye, drop, enter, enter_all

NAMES = ["Ann", "Bob", "Cat", "Dan", "Eve", "Ann"]
"""Of players 1 to 6."""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def players(tmp_path: Path) -> Path:
    path = tmp_path / "players.csv"
    pd.DataFrame({"player": range(1, 7), "name": NAMES}).to_csv(path, index=False)
    return path


@pytest.fixture
def folder(tmp_path: Path, players: Path) -> Path:
    new(tmp_path / "event", players)
    return tmp_path / "event"


ASKED = {
    "--force": ("Bob:Cat", "2:3"),
    "--forbid": ("Bob:4", "2:4"),
    "--drop": ("Bob", "2"),
    "--request-bye": ("Bob", "2"),
}


@pytest.mark.parametrize("option", ASKED)
def test_options(players: Path, option: str) -> None:
    more = ["--drop", "Eve"] if option in ("--drop", "--request-bye") else []
    named, by_number = (
        run("solve", players, option, asked, *more, "--format", "csv")
        for asked in ASKED[option]
    )
    assert named.exit_code == 0, named.output
    assert named.stdout == by_number.stdout


def test_options_of_byes(players: Path) -> None:
    done = run("solve", players, "--drop", "Dan", "--bye", "Bob", "--format", "csv")
    assert "\n1,,2,,,3,,bye,Bob," in done.stdout
    done = run("solve", players, "--drop", "Dan", "--no-bye", "Bob", "--bye", "Bob")
    assert done.exit_code != 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--force", "Ann:Bob"),
        ("--forbid", "Bob:Ann"),
        ("--bye", "Ann"),
        ("--no-bye", "Ann"),
        ("--request-bye", "Ann"),
        ("--drop", "Ann"),
    ],
)
def test_a_name_of_two(players: Path, arguments: tuple[str, str]) -> None:
    done = run("solve", players, *arguments)
    assert done.exit_code == 2
    assert "Several players match 'Ann'. Type the identifier: 1 or 6." in done.stderr


@pytest.mark.parametrize("question", ["--why", "--why-not"])
def test_questions(players: Path, question: str) -> None:
    done = run("explain", players, question, "Bob:3")
    assert done.exit_code == 0, done.output
    assert "Bob - Cat" in done.stdout
    assert (
        "Type the identifier: 1 or 6"
        in run("explain", players, question, "Bob:Ann").stderr
    )


def test_a_question_about_a_bye(players: Path) -> None:
    event = read_event(players).without(["Dan"])
    sentence = explain(event, why_bye=["Bob"]).answers[0].sentence
    assert "Bob" in sentence
    with pytest.raises(UsageError, match="'Dan' has dropped or has a bye"):
        explain(event, why_bye=["4"])
    with pytest.raises(UsageError, match="Type the identifier: 1 or 6"):
        explain(event, why_bye=["Ann"])


def test_a_pairing_to_check(players: Path, tmp_path: Path) -> None:
    path = tmp_path / "pairing.csv"
    path.write_text("round,player1,player2\n1,Bob,Cat\n1,4,Eve\n1,1,6\n")
    done = run("check", players, path, "--sides", "none")
    assert done.exit_code == 0, done.output
    path.write_text("round,player1,player2\n1,Bob,Cat\n1,4,Zoe\n1,Ann,6\n")
    with pytest.raises(InputError) as caught:
        check(read_event(players).with_sides([]), path, sides=[])
    assert [str(fault) for fault in caught.value.faults] == [
        "row 3, column player2: 'Zoe' is not a player of this event. Check the spelling.",
        "row 4, column player1: Several players match 'Ann'. Type the identifier: 1 or 6.",
    ]


def test_who_asked_for_a_bye_in_a_pairing_to_check(
    players: Path, tmp_path: Path
) -> None:
    path = tmp_path / "pairing.csv"
    path.write_text(
        "round,player1,player2,status\n1,Bob,,requested\n1,Dan,,requested\n1,1,Cat,\n1,6,Eve,\n"
    )
    assert run("check", players, path, "--sides", "none").exit_code == 0


VERBS: dict[str, Callable[[Path, str], object]] = {
    "drop": drop,
    "bye": bye,
    "back": back,
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs(folder: Path, verb: str) -> None:
    off = ("--off",) if verb == "back" else ()
    if off:
        drop(folder, "2")
    name = "drop" if off else verb
    assert run(name, folder, "Bob", *off).stderr.startswith("Bob ")
    done = run(name, folder, "Ann", *off)
    assert done.exit_code == 2
    assert "Several players match 'Ann'. Type the identifier: 1 or 6" in done.stderr
    assert "Ann (6)" in run(name, folder, "6", *off).stderr


def test_verbs_show_names(folder: Path) -> None:
    drop(folder, "Dan")
    said = said_by(pair(folder))[0]
    lucky = next(row["player1"] for row in rows(folder) if not row["player2"])
    shown = dict(
        zip(map(str, range(1, 7)), ["Ann (1)", *NAMES[1:5], "Ann (6)"], strict=True)
    )
    assert said.endswith(f"bye: {shown[lucky]}")
    first = rows(folder)[0]
    line = said_by(result(folder, 1, "3-0"))[0]
    assert (
        line
        == f"Result of round 1, table 1: {shown[first['player1']]} 3-0 {shown[first['player2']]}"
    )


def rows(folder: Path) -> list[dict[str, str]]:
    frame = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    return frame.to_dict("records")  # type: ignore[return-value]


def test_a_second_player_of_a_name(folder: Path) -> None:
    with pytest.raises(UsageError, match="'Bob' is already in this event"):
        enter(folder, "Bob")
    enter(folder, "7", {"name": "Bob"})
    with pytest.raises(UsageError, match="Type the identifier: 2 or 7"):
        drop(folder, "Bob")


def test_event_toml(folder: Path) -> None:
    toml = folder / "event.toml"
    text = toml.read_text()
    byes = '[[byes]]\nplayer = "Cat"\nround = 1\n'
    toml.write_text('forbid = [["Bob", "4"]]\n' + text + byes)
    event: Event = read_event(folder)
    assert event.forbidden == ((1, 3),)
    assert not event.active[2]
    toml.write_text('forbid = [["Ann", "4"]]\n' + text + byes.replace("Cat", "Ann"))
    with pytest.raises(InputError) as caught:
        read_event(folder)
    assert [str(fault) for fault in caught.value.faults] == [
        "byes[0].player: 'Ann' is the name of several players. Write the identifier instead: 1 or 6.",
        "forbid[0]: 'Ann' is the name of several players. Write the identifier instead: 1 or 6.",
    ]


def test_notes_and_errors_show_names(tmp_path: Path, players: Path) -> None:
    matches = tmp_path / "matches.csv"
    matches.write_text(
        "round,player1,player2,score1,score2\n1,1,2,3,0\n1,3,4,,\n1,5,6,3,0\n"
    )
    with pytest.raises(InputError, match="Cat - Dan in round 1 has no result"):
        read_event(matches, players)
    matches.write_text("round,player1,player2,score1,score2\n1,1,2,3,0\n1,3,4,3,0\n")
    assert notes_of(read_event(matches, players)) == ()
    matches.write_text(matches.read_text() + "2,1,3,3,0\n")
    assert notes_of(read_event(matches, players)) == (
        "These players have no match and no bye in round 2, so these players count as dropped: Bob, Dan.",
    )


def test_the_api_takes_names(players: Path) -> None:
    found = solve(read_event(players), force=[("Bob", "Cat")], drop=["Dan", "Eve"])
    assert {"2", "3"} in [{row["player1"], row["player2"]} for row in found.matches]
    with pytest.raises(UsageError, match="'Bob' can't meet themselves"):
        solve(read_event(players), force=[("Bob", "2")])


@pytest.mark.skipif(os.name != "posix", reason="shells quote in other ways")
def test_a_command_that_is_suggested_can_be_pasted(
    tmp_path: Path, players: Path
) -> None:
    folder = tmp_path / "Bob's Größe, $HOME & more"
    made = run("new", folder, "--players", players).stderr
    command = shlex.split(made[made.index("next: pairopt ") :])[2:]
    assert command == ["pair", str(folder)]
    paired = run(*command)
    assert paired.exit_code == 0
    taken = shlex.split(paired.stderr[paired.stderr.index("pairopt undo") :])
    assert taken[1:3] == ["undo", str(folder)]


def test_who_is_left_out_twice_is_named_once(folder: Path) -> None:
    done = run("pair", folder, "--drop", "Bob", "--drop", "2")
    assert done.exit_code == 0
    assert "left out of this round only: Bob." in done.stderr


def test_one_player_has_the_bye(players: Path) -> None:
    """The other options that name players are taken more than once."""
    done = run("solve", players, "--drop", "Eve", "--bye", "Bob", "--bye", "Cat")
    assert done.exit_code == 2
    assert "Name only one player. Found Bob, Cat." in done.stderr
    twice = run("solve", players, "--drop", "Eve", "--bye", "Bob", "--bye", "Bob")
    assert twice.exit_code == 0
    assert "Bob        bye" in " ".join(twice.stdout.split("\n"))


def test_byes_of_who_has_left_are_none(tmp_path: Path) -> None:
    """event.toml goes on to name the bye; it is a row of the round only while they are here."""
    byes = "".join(
        f'[[byes]]\nplayer = "{name}"\nround = 1\n' for name in ("Ann", "Cat")
    )
    folder = tmp_path / "event"
    folder.mkdir()
    (folder / "event.toml").write_text(byes)
    players = "player,active\nAnn,{}\nBob,yes\nCat,yes\nDan,yes\nEve,yes\n"
    for active, away in (("yes", {"Ann", "Cat"}), ("no", {"Cat"})):
        (folder / "players.csv").write_text(players.format(active))
        event = read_event(folder)
        assert {event.players[p] for p in event.matches.first} == away
        paired = {name for pair in solve(event).pairs for name in pair}
        assert paired == {"Bob", "Dan", "Eve"}


BY_NAME: dict[str, tuple[str, ...]] = {
    "drop": (),
    "remove": (),
    "bye": (),
    "edit": ("--set", "rating=1500"),
    "forbid": ("Krause, Lothar",),
}


@pytest.mark.long
@pytest.mark.parametrize("verb", BY_NAME)
def test_a_verb_finds_a_name_and_takes_nobody_for_another(
    verb: str, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        'name\n"Weber, Hans"\n"Krause, Lothar"\n"Weber, Anna"\n"Müller, José"\n'
    )
    folder = tmp_path / "friday"
    new(folder, path)
    before = {
        each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()
    }
    for typed, said in (
        ("webr hans", "Did you mean Weber, Hans?"),
        ("weber", "Weber, Hans; or"),
        ("Xaver", "'Xaver' is not a player of this event. Check the spelling.\n"),
    ):
        done = run(verb, folder, typed, *BY_NAME[verb])
        assert done.exit_code == 2
        assert said in done.stderr
        assert before == {
            each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()
        }
    for typed in ("weber, hans", "Hans  WEBER", "Weber Hans"):
        done = run(verb, folder, typed, *BY_NAME[verb])
        assert done.exit_code == 0, done.stderr
        assert "Weber, Hans" in done.stderr
        run("undo", folder)
    assert run(verb, folder, "jose MULLER", *BY_NAME[verb]).exit_code == 0


def test_each_verb_on_a_player_is_tried_by_name() -> None:
    asked = {
        name: [each.name for each in verb.params]
        for name, verb in load_commands().items()
    }
    assert {name for name, params in asked.items() if "player" in params} == {
        *BY_NAME,
        "enter",
        "ratings",  # needs a stored list: tests/folder/test_listed_players.py
    }


def content(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


@pytest.mark.long
def test_who_may_be_in_already_is_asked_about(tmp_path: Path) -> None:
    path, folder = tmp_path / "list.csv", tmp_path / "friday"
    path.write_text('name\n"Krause, Lothar"\nAnn\n')
    new(folder, path)
    before = content(folder)
    done = run("enter", folder, "LOTHAR Krause")
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: 'LOTHAR Krause' may be the same person as 'Krause, Lothar', who is already in the event. If 'LOTHAR Krause' and 'Krause, Lothar' are two people, add --sure."
        "\n"
    )
    assert content(folder) == before
    assert run("enter", folder, "Krause Lothar", "--sure").exit_code == 0
    assert len(read_event(folder).players) == 3
    assert (
        run("enter", folder, "krause, lothar", "--sure").exit_code == 2
    )  # who is in already
    with pytest.raises(ConfirmationError):
        enter(folder, "4711", {"name": "Lothar  Krause."})
    enter(folder, "4711", {"name": "Krause, Lothar"})  # told apart by the identifier


@pytest.mark.long
def test_a_list_in_which_two_may_be_one_is_asked_about(tmp_path: Path) -> None:
    path, folder = tmp_path / "list.csv", tmp_path / "friday"
    path.write_text('name\n"Krause, Lothar"\nAnn\nLothar Krause\nJosé Li\nLi José\n')
    done = run("new", folder, "--players", path)
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: These names may belong to one person: Krause, Lothar - Lothar Krause; José Li - Li José. "
        "If the names belong to different people, add --sure.\n"
    )
    assert not folder.exists()
    done = run("new", folder, "--players", path, "--sure")
    assert done.exit_code == 0
    assert (
        "These names may belong to one person: Krause, Lothar - Lothar Krause; José Li - Li José."
        in done.stderr
    )


@pytest.mark.long
def test_a_list_with_who_may_be_in_already_is_asked_about(tmp_path: Path) -> None:
    path, folder = tmp_path / "list.csv", tmp_path / "friday"
    path.write_text('name\n"Krause, Lothar"\nAnn\n')
    new(folder, path)
    more = read_event(pd.DataFrame({"player": ["Ann", "Lothar Krause", "Bob"]}))
    with pytest.raises(
        ConfirmationError, match=r"one person: Krause, Lothar - Lothar Krause\."
    ):
        enter_all(folder, more)
    assert len(read_event(folder).players) == 2
    told = said_by(enter_all(folder, more, sure=True))
    assert (
        "These names may belong to one person: Krause, Lothar - Lothar Krause." in told
    )


def made(tmp_path: Path, *names: str) -> Path:
    """A folder with these players, of nothing but names."""
    new(tmp_path / "friday", read_event(pd.DataFrame({"player": names})), sure=True)
    return tmp_path / "friday"


def test_another_name_is_asked_about_as_a_new_player_is(tmp_path: Path) -> None:
    """By `edit` in either way and by the page, as by `enter`; who is meant themselves is not."""
    folder = made(tmp_path, "Krause, Lothar", "Hans Weber", "Weber, Anna")
    before = (folder / "players.csv").read_bytes()
    for words in (("--name", "Lothar Krause"), ("--set", "name=Lothar Krause")):
        done = run("edit", folder, "Hans Weber", *words)
        said = "'Lothar Krause' may be the same person as 'Krause, Lothar', who is already in the event. If 'Lothar Krause' and 'Krause, Lothar' are two people, add --sure"
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
    assert (folder / "players.csv").read_bytes() == before
    edit(folder, "Krause, Lothar", {"name": "Lothar Krause"})
    edit(folder, "Hans Weber", {"name": "Anna Weber"}, sure=True)
    with pytest.raises(UsageError, match="There is already a player 'Anna Weber'"):
        edit(folder, "Krause, Lothar", {"name": "anna weber"})


def test_a_name_that_was_somebodys_says_so(tmp_path: Path) -> None:
    folder = made(tmp_path, "Hans Weber", "Anna Weber", "Bob")
    edit(folder, "Hans Weber", {"name": "Zed"})
    with pytest.raises(
        UsageError, match="'Hans Weber' is the identifier of 'Zed' in the files"
    ):
        edit(folder, "Anna Weber", {"name": "Hans Weber"})


@pytest.mark.parametrize("other", ["lothar krause", "Lothar  Krause", "LOTHAR KRAUSE"])
@pytest.mark.parametrize("more", ["", ",1500"])
def test_names_that_differ_in_case_or_blanks_are_asked_about_in_a_list(
    tmp_path: Path, other: str, more: str
) -> None:
    listed = tmp_path / "list.csv"
    head = "player,rating" if more else "player"
    listed.write_text(f"{head}\nLothar Krause{more}\n{other}{more}\nBob{more}\n")
    folder = tmp_path / "event"
    done = run("new", folder, "--players", listed)
    assert (
        done.exit_code,
        "These names may belong to one person: Lothar Krause - " in done.stderr,
    ) == (
        2,
        True,
    )
    assert not folder.exists()
    with pytest.raises(ConfirmationError):
        enter_all(made(tmp_path, "Ann"), read_event(listed))
    assert run("new", folder, "--players", listed, "--sure").exit_code == 0
    assert len(read_event(folder).players) == 3


def test_namesakes_with_identifiers_are_not_asked_about(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player,name\n1,Ann Lee\n2,Ann Lee\n")
    assert run("new", tmp_path / "event", "--players", listed).exit_code == 0
