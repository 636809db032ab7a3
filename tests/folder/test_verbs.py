"""The verbs of an event folder, one by one."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from filelock import FileLock
from places import DATA
from telling import said_by

import pairopt.folder.journal
from pairopt import InputError, UsageError, read_event, standings
from pairopt.cli import main
from pairopt.folder import table as seat
from pairopt.folder import undo
from pairopt.folder.create import new
from pairopt.folder.journal import Journal
from pairopt.folder.open_folder import Done, Folder, read_folder_state
from pairopt.folder.pair_round import pair
from pairopt.folder.repair_round import repair
from pairopt.folder.results import result
from pairopt.folder.roster import back, bye, drop, enter
from pairopt.folder.top_cut import bracket

FILES = ("event.toml", "players.csv", "matches.csv")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def content(folder: Path) -> dict[str, bytes]:
    """The files of an event."""
    return {
        name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()
    }


def rows(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)


def last(folder: Path) -> pd.DataFrame:
    frame = rows(folder)
    number = frame["round"][frame["status"] != "requested"].astype(int).max()
    return frame[frame["round"] == str(number)]


def finish(folder: Path, score: str = "3-0") -> None:
    """A result for every open table of the last round."""
    here = last(folder)
    for table in here[(here["player2"] != "") & (here["score1"] == "")]["table"]:
        result(folder, int(table), score)


def made(
    folder: Path, players: str = "ABCDEF", more: str = "", **options: object
) -> Path:
    """A new event of players with these letters; `more` is added to event.toml."""
    folder.parent.mkdir(exist_ok=True)
    listed = folder.parent / f"{folder.name}.csv"
    pd.DataFrame({"player": list(players)}).to_csv(listed, index=False)
    new(folder, listed, **{"id": "made", **options})  # type: ignore[arg-type]
    if more:
        toml = folder / "event.toml"
        toml.write_text(more + toml.read_text())
    return folder


def points_of(folder: Path) -> dict[str, float]:
    table = standings(read_event(folder, unfinished=True))
    return dict(zip(table["name"], table["points"].astype(float), strict=True))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# ---------------------------------------------------------------------- new


def test_new_says_what_it_took_from_where(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player,rating\nAnn,1500\nBob,1400\n")
    done = new(tmp_path / "weekly", listed, rounds=3, points="1-½-0")
    assert said_by(done)[0] == f"Players: 2 (from {listed})"
    assert "Model: standard (the default; change the model with --model)" in said_by(
        done
    )
    assert done.event is not None
    assert str(done.event.settings.points) == "1-0.5-0"
    assert done.event.settings.sides == ("white", "black")
    assert done.event.settings.title == "weekly"


def test_new_takes_an_event_in_full(tmp_path: Path) -> None:
    given = tmp_path / "matches.csv"
    given.write_text(
        "round,table,player1,player2,score1,score2,status\n"
        "1,1,Ann,Bob,3,0,\n1,2,Cat,Dan,1,1,\n2,,Ann,,0,,requested\n"
    )
    folder = tmp_path / "event"
    new(folder, given)
    event = read_event(folder)
    assert event.round == 2
    assert event.declared_active is not None
    assert event.declared_active.all()  # Ann has not left: she asked for a bye
    assert not event.active[event.position("Ann")]


def test_new_keeps_pairs_who_may_not_meet(tmp_path: Path) -> None:
    given = Path(shutil.copy(DATA / "byes_and_forfeits.trf", tmp_path / "event.trf"))
    given.write_text(given.read_text() + "\nXXP 1 2\n")
    forbidden = read_event(given).forbidden
    assert forbidden
    done = new(tmp_path / "event", given)
    assert any("Pairs that may not meet: 1 " in line for line in said_by(done))
    assert read_event(tmp_path / "event").forbidden == forbidden


def test_new_does_not_touch_a_folder_that_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        made(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".txt"] == [
        "notes.txt"
    ]
    made(tmp_path / "event")
    with pytest.raises(UsageError, match="already"):
        made(tmp_path / "event")


def test_a_model_file_is_copied(tmp_path: Path) -> None:
    model = tmp_path / "mine.toml"
    model.write_text(
        'name = "mine"\ntitle = "t"\nsource = "s"\n[[criteria]]\nkind = "rematches"\n'
    )
    folder = made(tmp_path / "event", model=str(model))
    model.unlink()
    assert pair(folder).result is not None
    assert "mine, seed" in (folder / "log.csv").read_text()


def test_a_title_of_any_characters_comes_back(tmp_path: Path) -> None:
    title = 'A "quoted" \\ title, ½ ☃ with\nlines\tand = [signs]'
    assert read_event(made(tmp_path / "event", title=title)).settings.title == title


# ---------------------------------------------------------------------- pair and result


@pytest.mark.long
def test_the_weekly_loop(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDE", rounds=3, points="3-1-0")
    for number in (1, 2, 3):
        done = pair(folder)
        assert said_by(done)[0].startswith(
            f"Round {number} is paired: 2 matches, bye: "
        )
        if number < 3:
            with pytest.raises(InputError, match="Enter the missing results first"):
                pair(folder)
        finish(folder)
    assert sum(points_of(folder).values()) == 27
    with pytest.raises(
        UsageError, match="Round 3 is the last round, and it is already paired"
    ):
        pair(folder)


@pytest.mark.long
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (made(tmp_path / name / "event", "ABCDEFGHI") for name in "12")
    for folder in (one, two):
        pair(folder, seed=3)
        finish(folder)
        pair(folder, seed=4)
    assert content(one) == content(two)


@pytest.mark.long
@pytest.mark.parametrize(
    ("typed", "cells"),
    [
        ("1-0", ("1", "0", "")),
        ("0.5-0.5", ("0.5", "0.5", "")),
        ("½-½", ("0.5", "0.5", "")),
        ("1/2-1/2", ("0.5", "0.5", "")),
        ("0:1", ("0", "1", "")),
        *(
            (f"½{dash}½", ("0.5", "0.5", ""))
            for dash in "\u2010\u2011\u2013\u2014\u2212"
        ),
        ("1F-0F", ("1", "0", "forfeit")),
        ("0F-1F", ("0", "1", "forfeit")),
        ("0F-0F", ("0", "0", "forfeit")),
        ("+--", ("1", "0", "forfeit")),
        ("--+", ("0", "1", "forfeit")),
        ("---", ("0", "0", "forfeit")),
        *((word, ("0.5", "0.5", "")) for word in ("=", "remis", "Draw")),
    ],
)
def test_scores(tmp_path: Path, typed: str, cells: tuple[str, str, str]) -> None:
    folder = made(tmp_path / "event", points="1-0.5-0")
    pair(folder)
    result(folder, 1, typed)
    assert tuple(rows(folder).loc[0, ["score1", "score2", "status"]]) == cells
    again = result(folder, 1, typed)
    assert again.step is None
    assert "already" in said_by(again)[0]


@pytest.mark.long
@pytest.mark.parametrize("typed", ["0.5-0.5", "½-½", "1/2-1/2", "0,5:0,5", ".5-.5"])
@pytest.mark.parametrize(
    ("points", "cells", "how"),
    [
        ("3-1-0", ("1", "1", ""), {}),
        ("1-0.5-0x2", ("0.5", "0.5", ""), {}),  # one game is not played
        ("3-1-0x2", ("3", "3", ""), {}),
        ("3-1-0", ("1", "1", ""), {"best_of": 3}),
    ],
)
def test_a_half_each_is_a_draw_whatever_that_gives(
    tmp_path: Path,
    typed: str,
    points: str,
    cells: tuple[str, str, str],
    how: dict[str, Any],
) -> None:
    folder = made(tmp_path / "event", points=points, **how)
    pair(folder)
    result(folder, 1, typed)
    assert tuple(rows(folder).loc[0, ["score1", "score2", "status"]]) == cells


@pytest.mark.parametrize(
    "typed", ["30-0", "0.5-0", "1", "1-0-0", "a-b", "1F-0", "1F-1F", "-1-0", ""]
)
def test_scores_that_no_result_gives(tmp_path: Path, typed: str) -> None:
    folder = made(tmp_path / "event", points="1-0.5-0")
    pair(folder)
    before = content(folder)
    with pytest.raises(UsageError, match=r"^Score "):
        result(folder, 1, typed)
    assert content(folder) == before


def test_a_win_by_forfeit_is_worth_a_win(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", points="3-1-0")
    pair(folder)
    result(folder, 1, "1F-0F")
    assert tuple(rows(folder).loc[0, ["score1", "score2", "status"]]) == (
        "3",
        "0",
        "forfeit",
    )


def test_tables_and_rounds_that_are_not_there(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    with pytest.raises(UsageError, match="No round has been paired"):
        result(folder, 1, "3-0")
    pair(folder)
    with pytest.raises(UsageError, match="Round 1 has no table 9"):
        result(folder, 9, "3-0")
    with pytest.raises(UsageError, match="Round 2 has not been paired yet"):
        result(folder, 1, "3-0", round=2)


@pytest.mark.long
def test_a_correction_names_the_rounds_that_would_have_been_others(
    tmp_path: Path,
) -> None:
    folder = made(tmp_path / "event", "ABCDEFGH")
    for _ in range(2):
        pair(folder)
        finish(folder)
    pair(folder)
    drop(folder, "A")  # which changes nothing of what is paired
    said = said_by(result(folder, 1, "0-3", round=1))
    assert said[0].endswith("(before: 3-0)")
    assert said[1].startswith(
        "With this result, round 2 would have been paired differently ("
    )
    back_again = said_by(result(folder, 1, "3-0", round=1))
    assert back_again[1:] == (
        "After this result, the later rounds are still as good as possible.",
    )


@pytest.mark.long
def test_a_correction_where_decimals_have_commas(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEFGH", points="1-½-0", sides=())
    pair(folder)
    matches = folder / "matches.csv"
    matches.write_text(matches.read_text().replace(",", ";"))
    for table in (1, 2, 3, 4):
        result(folder, table, "½-½")
    matches.write_text(matches.read_text().replace("0.5", "0,5"))
    pair(folder)
    said = said_by(result(folder, 1, "0F-0F", round=1))
    assert len(said) == 2
    assert ";0,5;0,5;" in matches.read_text()


def test_a_broken_file_is_one_error(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    pair(folder)
    change(folder / "matches.csv", "1,2,", "one,2,")
    for call in (("result", folder, 1, "3-0"), ("drop", folder, "A"), ("pair", folder)):
        done = run(*call)
        assert done.exit_code == 3, done.output
        assert "row 3, column round" in done.stderr
    assert run("undo", folder).exit_code == 0  # what was edited by hand
    assert run("result", folder, 1, "3-0").exit_code == 0


# ---------------------------------------------------------------------- the roster


@pytest.mark.long
def test_a_drop_stays_a_drop(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    drop(folder, "A")
    for _ in range(2):
        pair(folder)
        assert "A" not in {*last(folder)["player1"], *last(folder)["player2"]}
        finish(folder)
    assert drop(folder, "A").step is None
    assert said_by(back(folder, "A")) == (
        "A is reinstated and plays again from round 3 on.",
    )
    assert back(folder, "A").step is None
    pair(folder)
    assert "A" in {*last(folder)["player1"], *last(folder)["player2"]}


@pytest.mark.long
def test_a_drop_takes_the_byes_to_come_away(tmp_path: Path) -> None:
    toml = '[[byes]]\nplayer = "A"\nround = 2\npoints = 1\n'
    folder = made(tmp_path / "event")
    (folder / "event.toml").write_text((folder / "event.toml").read_text() + toml)
    bye(folder, "A", round=3, points="1")
    assert said_by(drop(folder, "A"))[1] == "The player's bye in round 3 is cancelled."
    for _ in range(3):
        pair(folder)
        finish(folder)
    assert points_of(folder)["A"] == 0


def test_a_drop_names_the_match_that_waits(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    pair(folder)
    player = rows(folder).loc[1, "player1"]
    assert "Table 2 of round 1 still has no result" in said_by(drop(folder, player))[1]


@pytest.mark.long
def test_who_comes_late_gets_what_an_absence_is_worth_before_the_round_is_paired(
    tmp_path: Path,
) -> None:
    folder = made(tmp_path / "event", "ABCD", points="1-½-0")
    change(folder / "event.toml", "absent = 0", "absent = 1")
    pair(folder)
    finish(folder, "1-0")
    enter(folder, "Eve", {"Rating": "1500"})
    drop(
        folder,
        next(
            p for p, points in points_of(folder).items() if points == 0 and p != "Eve"
        ),
    )
    done = pair(folder)
    assert points_of(folder)["Eve"] == 1
    assert done.result is not None
    state = done.result.problem.state
    assert state.score[state.names.index("Eve")] == state.scale


@pytest.mark.parametrize("name", ["Ann", " ann ", "ANN"])
def test_a_player_enters_once(tmp_path: Path, name: str) -> None:
    folder = made(tmp_path / "event")
    enter(folder, "Ann")
    with pytest.raises(UsageError, match="'Ann' is already in this event"):
        enter(folder, name)
    with pytest.raises(UsageError, match="The name is empty"):
        enter(folder, "  ")


def test_byes_that_are_asked_for(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", rounds=3)
    assert said_by(bye(folder, "A")) == ("A has a bye in round 1 for 0 points.",)
    bye(folder, "B", round=2, points="1")
    with pytest.raises(UsageError, match="A already has a bye in round 1"):
        bye(folder, "A")
    with pytest.raises(UsageError, match="The event has 3"):
        bye(folder, "A", round=4)
    pair(folder)
    with pytest.raises(UsageError, match="Round 1 is already paired"):
        bye(folder, "C", round=1)
    assert "A" not in {*last(folder)["player2"]}
    finish(folder)
    pair(folder)
    assert points_of(folder)["B"] >= 1
    drop(folder, "C")
    with pytest.raises(UsageError, match="C has dropped"):
        bye(folder, "C")


def test_a_list_without_a_column_active(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEF")
    (folder / "players.csv").write_text("player\n" + "\n".join("ABCDEF") + "\n")
    bye(folder, "A")
    drop(folder, "B")
    listed = pd.read_csv(folder / "players.csv", dtype=str).set_index("player")[
        "active"
    ]
    assert dict(listed) == {p: str(p != "B").lower() for p in "ABCDEF"}


# ---------------------------------------------------------------------- repair


@pytest.mark.long
def test_repair_keeps_results_and_pinned_tables(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEFGHIJ")
    pair(folder)
    result(folder, 2, "3-0")
    before = rows(folder)
    gone = before.loc[3, "player1"]
    drop(folder, gone)
    enter(folder, "Late")
    done = repair(folder, keep=[5])
    after = rows(folder)
    key = ["table", "player1", "player2", "score1"]
    for table in ("2", "5"):
        old, new = (
            frame[frame["table"] == table][key].to_numpy().tolist()
            for frame in (before, after)
        )
        assert old == new
    there = [p for p in (*after["player1"], *after["player2"]) if p]
    assert sorted(there) == sorted([*(set("ABCDEFGHIJ") - {gone}), "Late"])
    assert sorted(after["table"]) == list("12345")
    assert "4 matches stay" in said_by(done)[0]
    assert said_by(done)[2] == "1 table changes, 4 stay as published:"


def test_repair_reads_a_status_however_it_is_spelled(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDE", rounds=3)
    bye(folder, "A")
    pair(folder)
    change(folder / "matches.csv", "requested", "Requested")
    repair(folder)
    assert list(rows(folder)["status"]) == ["Requested", "", ""]
    first = last(folder)["table"].iloc[-1]
    result(folder, int(first), "3F-0F")
    change(folder / "matches.csv", "forfeit", "Forfeit")
    assert "already" in said_by(result(folder, int(first), "3F-0F"))[0]


def test_repair_leaves_fixed_tables_fixed(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player,table\nA,7\nB,\nC,\nD,\nE,\nF,\n")
    folder = tmp_path / "event"
    new(folder, listed)
    pair(folder)
    enter(folder, "G")
    enter(folder, "H")
    repair(folder)
    here = rows(folder)
    at = here[(here["player1"] == "A") | (here["player2"] == "A")]
    assert list(at["table"]) == ["7"]


def test_repair_gives_a_fixed_table_that_is_taken_to_nobody_else(
    tmp_path: Path,
) -> None:
    folder = made(tmp_path / "event")
    pair(folder)
    result(folder, 1, "3-0")
    before = rows(folder)
    late = before.loc[1, "player1"]
    seat(folder, late, 1)  # where two others have played already
    repair(folder)
    after = rows(folder)
    assert sorted(after["table"]) == ["1", "2", "3"]
    assert after.loc[after["score1"] != "", "table"].tolist() == ["1"]


def test_repair_asks_what_cannot_be(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "AB")
    with pytest.raises(UsageError, match="No round is open"):
        repair(folder)
    pair(folder)
    with pytest.raises(UsageError, match="Round 1 has no table 4"):
        repair(folder, keep=[4])
    drop(folder, "A")
    drop(folder, "B")
    with pytest.raises(UsageError, match="There is nobody to re-pair"):
        repair(folder)


# ---------------------------------------------------------------------- undo


@pytest.mark.long
def test_undo_gives_back_the_bytes_of_any_step(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    states = [content(folder)]
    for verb in (
        lambda: pair(folder),
        lambda: finish(folder),
        lambda: drop(folder, "A"),
        lambda: enter(folder, "Ann"),
        lambda: pair(folder),
        lambda: (folder / "players.csv").write_bytes(
            content(folder)["players.csv"] + b"Zoe,true\n"
        ),
        lambda: bye(folder, "Zoe", round=3),
    ):
        verb()
        states.append(content(folder))
    undo(folder)
    assert content(folder) == states[-2]
    undo(folder, 2)
    assert content(folder) == states[-4]
    undo(folder, 6)  # of which three are results
    assert content(folder) == states[0]
    with pytest.raises(UsageError, match="no step to undo"):
        undo(folder)
    pair(folder)
    undo(folder)
    assert content(folder) == states[0]


def test_what_was_edited_by_hand_is_a_step_of_its_own(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    change(folder / "event.toml", 'title = "event"', 'title = "mine"')
    edited = content(folder)
    drop(folder, "A")
    assert said_by(undo(folder))[0].endswith("A dropped")
    assert content(folder) == edited
    assert "files edited by hand: event.toml" in said_by(undo(folder))[0]
    assert read_event(folder).settings.title == "event"


def test_files_put_together_by_hand_are_an_event_too(tmp_path: Path) -> None:
    made(tmp_path / "event")
    other = tmp_path / "other"
    other.mkdir()
    for name, data in content(tmp_path / "event").items():
        (other / name).write_bytes(data)
    before = content(other)
    pair(other)
    undo(other)
    assert content(other) == before
    with pytest.raises(UsageError, match="no step to undo"):
        undo(other)


# ---------------------------------------------------------------------- the folder itself


def test_no_folder(tmp_path: Path) -> None:
    for call in (("pair",), ("drop", "A"), ("result", 1, "3-0"), ("undo",)):
        done = run(call[0], tmp_path / "none", *call[1:])
        assert done.exit_code == 2
        assert "event folder" in done.stderr
        assert "pairopt new" in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_second_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "event")
    monkeypatch.setattr(pairopt.folder.journal, "PATIENCE", 0.05)
    with FileLock(folder / ".pairopt" / "lock"):
        done = run("pair", folder)
    assert done.exit_code == 2
    assert "Another pairopt program is working on the event" in done.stderr
    assert run("pair", folder).exit_code == 0


@pytest.mark.long
def test_a_second_process_waits(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    lock = FileLock(folder / ".pairopt" / "lock", thread_local=False)
    lock.acquire()
    release = threading.Timer(0.3, lock.release)
    release.start()
    assert pair(folder).step == 2
    assert not release.is_alive()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    pair(folder)
    before = content(folder)
    steps = folder / ".pairopt" / "steps"
    steps.rename(tmp_path / "steps")
    steps.write_text("in the way")
    done = run("drop", folder, "A")
    assert done.exit_code == 2
    assert "can't write to" in done.stderr
    assert content(folder) == before


@pytest.mark.long
def test_a_log_edited_by_hand(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    for text in ("", "step", "step,time,who,verb", "1,,new,\r\n"):
        (folder / "log.csv").write_bytes(text.encode())
        pair(folder)
        undo(folder)
        assert (folder / "log.csv").read_bytes().startswith(text.encode())


# ---------------------------------------------------------------------- the command line


@pytest.mark.long
def test_every_verb_on_the_command_line(tmp_path: Path) -> None:
    listed, folder = tmp_path / "list.csv", tmp_path / "event"
    listed.write_text("player\n" + "\n".join("ABCDEF"))

    def says(said: str, *arguments: object) -> str:
        done = run(*arguments)
        assert done.exit_code == 0, done.output
        assert said in done.stderr
        return done.stdout

    says(
        "Players: 6 (from ",
        "new",
        folder,
        "--players",
        listed,
        "--rounds",
        3,
        "--points",
        "3-1-0",
    )
    says("F has dropped and will not be paired from round 1 on.", "drop", folder, "F")
    says(
        "F is reinstated and plays again from round 1 on.", "drop", folder, "F", "--off"
    )
    says("A has a bye in round 1", "bye", folder, "A")
    says("Zoe plays from round 1 on.", "enter", folder, "Zoe", "--set", "rating=1700")
    assert "Round 1, by standard" in says(
        "Round 1 is paired: 3 matches", "pair", folder
    )
    says("3-0", "result", folder, 1, "3-0")
    says("B has dropped", "drop", folder, "B")
    says("Round 1 is re-paired, and 3 matches stay", "pair", folder, "--again")
    says("Undone: step", "undo", folder, "--steps", 2)
    says("Round 1 has been played", "solve", folder, "--round", 1)
    assert run("enter", folder, "Yan", "--set", "rating").exit_code == 2


# ---------------------------------------------------------------------- rehearsals


@pytest.mark.long
def test_a_rehearsal_says_what_would_be_done(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEFGH", rounds=3)
    for _ in range(2):
        pair(folder)
        finish(folder)
    verbs: list[Callable[[Folder], Done]] = [
        pair,
        lambda at: result(at, 1, "0-3", round=1),
        lambda at: drop(at, "A"),
        lambda at: enter(at, "Zoe"),
        lambda at: bye(at, "B"),
        lambda at: undo(at, 2),
        lambda at: bracket(at, 4, by_lot=True),
    ]
    start = Journal(folder).steps()[-1].number
    for verb in verbs:
        before, log = content(folder), (folder / "log.csv").read_bytes()
        told = verb(read_folder_state(folder))
        assert (content(folder), (folder / "log.csv").read_bytes()) == (before, log)
        done = verb(folder)
        assert (said_by(told), told.step) == (said_by(done), done.step)
        undo(folder, to=start)
    said = said_by(result(read_folder_state(folder), 1, "0-3", round=1))
    assert any("round 2 would have been paired differently" in line for line in said)


# ---------------------------------------------------------------------- an open round


@pytest.mark.long
def test_an_open_round_is_said_by_its_tables_a_hole_before_it_by_its_rows(
    tmp_path: Path,
) -> None:
    folder = made(tmp_path / "event", "ABCDEF")
    pair(folder)
    result(folder, 2, "3-0")
    names = [
        f"{one} - {two}" for one, two in rows(folder)[["player1", "player2"]].to_numpy()
    ]
    said = (
        f"Round 1 is not finished. Results are missing at table 1 ({names[0]}), table 3 ({names[2]}). "
        "Enter the missing results first."
    )
    for verb in (pair, lambda path: bracket(path, 2), read_event):
        with pytest.raises(InputError) as told:
            verb(folder)
        assert str(told.value) == said
    for words in (
        ["pair", folder],
        ["bracket", folder, "--cut", "2"],
        ["solve", folder],
        ["explain", folder],
    ):
        done = run(*words)
        assert done.exit_code == 3
        assert (
            done.stderr.split("\n")[0]
            == f"{said[:-1]}: pairopt result {folder} TABLE SCORE"
        )
    matches = folder / "matches.csv"
    with pytest.raises(
        InputError, match=r"matches\.csv: row 2, column score1: .* has no result"
    ):
        read_event(matches)  # a file by itself has no verbs
    finish(folder)
    pair(folder)
    matches.write_text(matches.read_text().replace(",3,0,", ",,,", 1))
    with pytest.raises(
        InputError, match=r"matches\.csv: row [234], column score1: .* has no result"
    ):
        pair(folder)


def test_an_open_round_can_be_asked_for(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD")
    pair(folder)
    for command in (("explain", folder), ("check", folder, folder / "matches.csv")):
        refused = run(*command)
        assert refused.exit_code == 3
        assert refused.stderr.splitlines()[-1].endswith(
            "To treat the open round as if it were not paired yet, add --round 1."
        )
        assert run(*command, "--round", 1).exit_code == 0
    assert "--round" not in run("pair", folder).stderr


@pytest.mark.parametrize(
    ("players", "rounds", "told"), [(8, 7, 0), (8, 8, 1), (9, 9, 0), (9, 12, 1)]
)
def test_more_rounds_than_opponents_are_told(
    tmp_path: Path, players: int, rounds: int, told: int
) -> None:
    """Eight meet seven others; of nine one has the bye in each round, so there are nine."""
    file = tmp_path / "players.csv"
    file.write_text(
        "player\n" + "\n".join(f"P{k}" for k in range(players)) + "\n", "utf-8"
    )
    said = new(tmp_path / "event", file, rounds=rounds).said
    assert [each.kind for each in said].count("new.many_rounds") == told
