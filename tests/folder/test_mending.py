"""What is damaged in a folder is set aside, what is whole goes on, and each of it is said."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from crossings import JOURNAL, content
from organiser import client, event, scored
from telling import said_by
from test_killed import Killed, cut

from pairopt import InputError, UsageError, read_event, solve
from pairopt.cli import main
from pairopt.cli.folder_commands import mend as mend_command
from pairopt.folder import (
    back,
    check_proofs,
    drop,
    enter,
    mend,
    new,
    pair,
    preview_mend,
    result,
    undo,
)
from pairopt.folder.journal import Journal, read_log_lines
from pairopt.folder.recovery import NOTHING_TO_RECOVER


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rounds with all results: 9 steps."""
    folder = event(tmp_path_factory.mktemp("made") / "event", rounds=2)
    scored(folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "event"))


def rows(folder: Path) -> set[str]:
    """The matches with their results."""
    return {*(folder / "matches.csv").read_text().splitlines()}


@pytest.mark.long
def test_a_folder_that_is_whole_stays_as_it_is(folder: Path) -> None:
    before = content(folder)
    done = run("mend", folder, "--yes")
    assert (done.exit_code, done.stdout, done.stderr) == (
        0,
        "",
        "The folder is intact. There is nothing to recover.\n",
    )
    assert content(folder) == before
    shutil.rmtree(folder / ".pairopt")
    (folder / "log.csv").unlink()
    before = content(folder)
    assert said_by(mend(folder)) == (
        "The folder is intact. There is nothing to recover.",
    )
    assert [*folder.glob(".*")] == []
    assert content(folder) == before


@pytest.mark.parametrize("yes", [True, False])
def test_mend_asks_nothing_of_a_closed_stdin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, yes: bool
) -> None:
    """`pairopt mend event --yes <&-` does it; without --yes it says what to type."""
    folder = event(tmp_path / "event", rounds=1)
    (folder / "matches.csv").write_text("damaged")
    with click.Context(click.Command("mend")):
        # Python has no stdin if it was closed when the program started.
        monkeypatch.setattr(sys, "stdin", None)
        if yes:
            mend_command(str(folder), yes=True)
        else:
            with pytest.raises(click.exceptions.Exit) as stopped:
                mend_command(str(folder), yes=False)
            assert stopped.value.exit_code == 1
    assert ((folder / "matches.csv").read_text() == "damaged") != yes


@pytest.mark.long
def test_a_damaged_step_begun_blocks_nobody_for_ever(folder: Path) -> None:
    pending = folder / ".pairopt" / "pending.zip"
    step = (folder / ".pairopt" / "steps" / "0009.zip").read_bytes()
    for raw in (b"PK\x03\x04", b"", step[: len(step) // 2]):
        pending.write_bytes(raw)
        for words in (
            ["standings", folder],
            ["solve", folder],
            ["pair", folder],
            ["undo", folder],
        ):
            done = run(*words)
            assert done.exit_code == 3
            assert (
                "pending.zip: This file does not contain an intact step" in done.stderr
            )
            assert f"pairopt mend {folder}" in done.stderr
        done = run("mend", folder, "--yes")
        assert done.exit_code == 0
        assert (
            ".pairopt/pending.zip is damaged. pairopt renames the file, with .damaged in the new name."
            in done.stderr
        )
        assert run("standings", folder).exit_code == 0
    kept = sorted(
        path.read_bytes() for path in folder.glob(".pairopt/pending.damaged*.zip")
    )
    assert len(kept) == 3
    pair(folder)


@pytest.mark.long
def test_the_page_says_in_words_what_to_do(folder: Path) -> None:
    page = client(folder)
    with (folder / "matches.csv").open("a") as file:
        file.write("garbage,,,\n")
    for path in ("/results", "/results?round=1", "/round", "/print/tables"):
        answer = page.get(path)
        assert answer.status_code == 422
        assert "Found &#39;garbage&#39;" in answer.text
        assert "Correct the file" in answer.text
    mend(folder)  # while the page is open
    assert page.get("/results?round=1").status_code == 200


def test_a_log_that_was_deleted_is_written_again_whole(folder: Path) -> None:
    before = read_log_lines(folder)
    (folder / "log.csv").unlink()
    drop(folder, "A")
    assert read_log_lines(folder)[:-1] == before
    assert len(read_log_lines(folder)) == 10


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw[:200],
        lambda raw: raw + raw,
        lambda raw: raw[:0],
        lambda raw: raw.replace(b"result", b"\xff\0"),
        lambda raw: raw + b"11,2026-01-0",
    ],
)
def test_the_log_is_that_of_the_steps(
    folder: Path, change: Callable[[bytes], bytes]
) -> None:
    whole = (folder / "log.csv").read_bytes()
    (folder / "log.csv").write_bytes(change(whole))
    assert said_by(mend(folder))[0].startswith("log.csv has ")
    assert (folder / "log.csv").read_bytes() == whole
    aside = folder / "log.damaged.csv"
    assert aside.exists() == bool(change(whole))
    if aside.exists():
        assert aside.read_bytes() == change(whole)
    assert said_by(mend(folder)) == (
        "The folder is intact. There is nothing to recover.",
    )


@pytest.mark.long
def test_lines_of_steps_that_are_lost_stay_in_the_log(folder: Path) -> None:
    whole = (folder / "log.csv").read_bytes()
    (folder / ".pairopt" / "steps" / "0004.zip").write_bytes(b"PK")
    (folder / "log.csv").write_bytes(whole + b"?\n")
    said = said_by(mend(folder))
    assert (
        said[0]
        == ".pairopt/steps/0004.zip is damaged. pairopt renames the file, with .damaged in the new name."
    )
    assert said[1].endswith("pairopt keeps step 5.")
    assert (folder / "log.csv").read_bytes() == whole
    assert [step.number for step in Journal(folder).steps()] == [1, 2, 3, 5, 6, 7, 8, 9]
    undo(folder, to=3)
    undo(folder, to=9)


def test_a_lost_step_keeps_its_line_if_another_did_the_same_within_a_second(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drops twice in one second: the two lines of the log differ in their numbers alone."""

    class Clock(datetime):
        @classmethod
        def now(cls, _: object = None) -> datetime:  # type: ignore[override]
            return datetime(2100, 1, 1)

    monkeypatch.setattr("pairopt.folder.journal.datetime", Clock)
    drop(folder, "A")
    back(folder, "A")
    drop(folder, "A")
    whole = (folder / "log.csv").read_bytes()
    lines = read_log_lines(folder)
    assert [line.step for line in lines if line[1:] == lines[-1][1:]] == [10, 12]
    (folder / ".pairopt" / "steps" / "0010.zip").write_bytes(b"PK")
    mend(folder)
    assert (folder / "log.csv").read_bytes() == whole


def test_a_number_is_never_given_twice(folder: Path) -> None:
    (folder / ".pairopt" / "steps" / "0009.zip").unlink()
    enter(folder, "Zoe")
    assert [line.step for line in read_log_lines(folder)] == [*range(1, 12)]
    shutil.rmtree(folder / ".pairopt")
    enter(folder, "Zoe B")
    assert [line.step for line in read_log_lines(folder)] == [*range(1, 14)]


@pytest.mark.long
def test_a_line_that_is_damaged_is_not_guessed(folder: Path) -> None:
    path = folder / "matches.csv"
    before = rows(folder)
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = "1,2,garbage\n"  # lost here
    lines.append("3,1,A,B,,3,0,\n")  # since the last step
    path.write_text("".join(lines))
    damaged = path.read_bytes()
    done = mend(folder)
    assert said_by(done) == (
        "matches.csv is damaged or out of date. pairopt restores the file as it was after step 9.",
    )
    assert rows(folder) == before
    assert (folder / "matches.damaged.csv").read_bytes() == damaged
    assert Journal(folder).steps()[-1].verb == "mend"
    undo(folder)  # to what was whole before
    assert rows(folder) == before


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["event.toml", "players.csv", "matches.csv"])
@pytest.mark.parametrize("raw", [None, b"", b"\0" * 90, b"garbage,,,\n", 0.5, 0.97])
def test_each_file_comes_back(
    folder: Path, name: str, raw: bytes | float | None
) -> None:
    before, path = content(folder), folder / name
    whole = path.read_bytes()
    if raw is None:
        path.unlink()
    else:
        path.write_bytes(
            raw if isinstance(raw, bytes) else whole[: int(raw * len(whole))]
        )
    done = run("mend", folder, "--yes")
    assert done.exit_code == 0
    assert name in done.stderr
    after = content(folder)
    for each in ("event.toml", "players.csv", "matches.csv"):
        assert after[each] == before[each]
    assert {each for each in after if each.startswith("proofs/")} >= {
        each for each in before if each.startswith("proofs/")
    }
    assert all(proof.holds for proof in check_proofs(folder))
    assert said_by(mend(folder)) == (
        "The folder is intact. There is nothing to recover.",
    )
    undo(folder)
    read_event(folder, unfinished=True)


@pytest.mark.long
def test_a_proof_comes_back(folder: Path) -> None:
    path = folder / "proofs" / "round-01.json"
    whole = path.read_bytes()
    path.write_bytes(b"{}")
    assert said_by(mend(folder)) == (
        "proofs/round-01.json is missing or has been changed. pairopt restores the proof from its own copy.",
    )
    assert path.read_bytes() == whole
    assert (folder / "proofs" / "round-01.damaged.json").read_bytes() == b"{}"


def test_too_little_is_whole(folder: Path) -> None:
    shutil.rmtree(folder / ".pairopt")
    (folder / "event.toml").write_bytes(b"title = ")
    (folder / "log.csv").write_bytes(b"?")
    before = content(folder)
    done = run("mend", folder, "--yes")
    assert done.exit_code == 3
    assert "event.toml: This is not a valid TOML file" in done.stderr
    assert content(folder) == before
    with pytest.raises(UsageError, match="is not an event folder"):
        mend(folder / "proofs")


@pytest.mark.long
def test_a_step_begun_on_one_that_is_lost(folder: Path) -> None:
    steps = folder / ".pairopt" / "steps"
    before = content(folder)
    enter(folder, "Zoe")
    entered = content(folder)
    (steps / "0010.zip").replace(folder / ".pairopt" / "pending.zip")
    (steps / "0009.zip").unlink()
    (folder / "players.csv").write_bytes(before["players.csv"])
    with pytest.raises(
        InputError,
        match=r"0009\.zip: This file does not contain an intact step of the event: it is not there",
    ):
        drop(folder, "A")
    assert run("mend", folder, "--yes").exit_code == 0
    assert content(folder)["players.csv"] == entered["players.csv"]
    assert said_by(mend(folder)) == (
        "The folder is intact. There is nothing to recover.",
    )


def test_a_step_that_was_begun_is_said(folder: Path) -> None:
    steps = folder / ".pairopt" / "steps"
    label = "step 9, result of round 2, table 3: D 3-0 F"
    (steps / "0009.zip").replace(folder / ".pairopt" / "pending.zip")
    done = mend(folder)
    assert said_by(done) == (
        f"{label}: This step had begun earlier and is finished now.",
    )

    # Readers of the JSON form find the step by its number or, as in 1.0, its label.
    [note] = done.to_dict()["said"]
    assert (note["kind"], note["number"], note["step"]) == ("step.done_now", 9, label)


@pytest.mark.parametrize("number", [1, 9])
def test_a_pending_step_without_the_folder_of_steps_is_finished(
    folder: Path, number: int
) -> None:
    """The first step has no earlier one; the step before a later one is lost."""
    steps = folder / ".pairopt" / "steps"
    (steps / f"{number:04d}.zip").replace(folder / ".pairopt" / "pending.zip")
    shutil.rmtree(steps)
    before = (folder / "matches.csv").read_bytes()
    kinds = [note["kind"] for note in mend(folder).to_dict()["said"]]
    assert kinds[0] == {1: "step.done_now", 9: "mend.parent_lost"}[number]
    assert [path.name for path in steps.iterdir()] == [f"{number:04d}.zip"]
    assert (folder / "matches.csv").read_bytes() == before
    assert not (folder / ".pairopt" / "pending.zip").exists()
    assert mend(folder).said[0] == NOTHING_TO_RECOVER


def test_json_names_the_steps_that_were_mended(folder: Path) -> None:
    """Notes on steps have their number and, as in version 1.0, their label."""
    steps = folder / ".pairopt" / "steps"
    label = "step 9, result of round 2, table 3: D 3-0 F"
    shutil.copy(steps / "0009.zip", steps / "0012.zip")
    (steps / "0007.zip").write_bytes(b"")
    notes = {note["kind"]: note for note in mend(folder).to_dict()["said"]}
    assert (notes["mend.second"]["number"], notes["mend.second"]["step"]) == (9, label)
    assert notes["mend.parent_lost"]["number"] == 8
    assert notes["mend.parent_lost"]["step"].startswith("step 8, ")

    (steps / "0009.zip").replace(steps / "0010.zip")
    [note] = mend(folder).to_dict()["said"]
    assert (note["kind"], note["number"]) == ("mend.misplaced", 9)
    assert note["step"] == label


@pytest.mark.sweep
@pytest.mark.parametrize("what", ["matches", "journal", "begun"])
def test_killed_while_it_mends(tmp_path: Path, what: str) -> None:
    whole = event(tmp_path / "whole", "ABCD", rounds=2)
    scored(whole)
    steps = whole / ".pairopt" / "steps"
    before = rows(whole)
    if what == "begun":
        JOURNAL["begun"](whole / ".pairopt")
    else:
        (steps / "0004.zip").write_bytes(b"PK")
        (whole / "log.csv").write_bytes(b"?")
    if what == "matches":
        (whole / "matches.csv").write_text(
            "garbage\n" + "".join((whole / "matches.csv").read_text()[40:])
        )
    for after in range(100):
        folder = Path(shutil.copytree(whole, tmp_path / str(after)))
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                mend(folder)
            except Killed:
                ended = False
            else:
                ended = True
        mend(folder)
        assert rows(folder) >= before
        assert said_by(mend(folder)) == (
            "The folder is intact. There is nothing to recover.",
        )
        if ended:
            break
    assert 2 < after < 100


@pytest.mark.long
@pytest.mark.parametrize("name", JOURNAL)
def test_whatever_happens_to_the_journal(folder: Path, name: str) -> None:
    before = rows(folder)
    JOURNAL[name](folder / ".pairopt")
    mend(folder)
    assert said_by(mend(folder)) == (
        "The folder is intact. There is nothing to recover.",
    )
    assert rows(folder) == before
    result(folder, 1, "0-3")
    undo(folder)
    assert rows(folder) == before


def test_two_events_side_by_side(folder: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    (folder / "log.csv").unlink()
    before = content(other)
    mend(folder)
    assert content(other) == before


def test_the_zip_of_a_step_may_be_anything(folder: Path) -> None:
    path = folder / ".pairopt" / "pending.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as pack:
        pack.writestr("event.toml", b"x" * 200)
    raw = path.read_bytes()
    for k in range(0, len(raw), 3):
        path.write_bytes(raw[:k] + bytes([raw[k] ^ 0x55]) + raw[k + 1 :])
        with pytest.raises(InputError, match="Recover the last intact state"):
            solve(read_event(folder))


@pytest.mark.long
def test_matches_that_are_gone_come_back_though_an_undo_is_lost(folder: Path) -> None:
    """No undo takes matches.csv away: where it is not there, it is damaged."""
    known = rows(folder)
    drop(folder, read_event(folder).players[0])
    undo(folder)
    (folder / ".pairopt" / "steps" / "0011.zip").unlink()
    (folder / "matches.csv").unlink()
    mend(folder)
    assert rows(folder) == known
    assert said_by(mend(folder)) == (
        "The folder is intact. There is nothing to recover.",
    )


# ---------------------------------------------------------------------- whose folder it is


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another event with the same players and other results."""
    folder = event(tmp_path_factory.mktemp("others") / "event", rounds=1, seed=3)
    scored(folder)
    return folder


def new_times(folder: Path) -> None:
    """Let the log be of another day: two events of a test begin in the same second."""
    path = folder / "log.csv"
    path.write_bytes(path.read_bytes().replace(b",20", b",19"))


def steps_of(folder: Path) -> dict[str, bytes]:
    """The step files that have a number for a name."""
    paths = (folder / ".pairopt" / "steps").glob("*.zip")
    return {path.name: path.read_bytes() for path in paths if path.stem.isdecimal()}


def with_other_log(folder: Path, others: Path) -> None:
    shutil.copy(others / "log.csv", folder)
    new_times(folder)


@pytest.mark.long
def test_a_log_of_another_event_costs_no_result(folder: Path, others: Path) -> None:
    whole, log, steps = (
        rows(folder),
        (folder / "log.csv").read_bytes(),
        steps_of(folder),
    )
    with_other_log(folder, others)
    (folder / "matches.csv").unlink()
    done = run("mend", folder, "--yes")
    assert done.exit_code == 0
    assert (
        "log.csv belongs to another event. pairopt renames the file, with .damaged in the new name."
        in done.stderr
    )
    assert rows(folder) == whole
    assert (folder / "log.csv").read_bytes().startswith(log)
    assert steps_of(folder).items() >= steps.items()
    assert (folder / "log.damaged.csv").exists()


def test_a_step_begun_under_the_log_of_another_event_is_finished(
    folder: Path, others: Path
) -> None:
    """First the log is replaced, because no step is written below foreign lines."""
    whole, log = rows(folder), (folder / "log.csv").read_bytes()
    (folder / ".pairopt" / "steps" / "0009.zip").replace(
        folder / ".pairopt" / "pending.zip"
    )
    with_other_log(folder, others)

    finished, renamed, rewritten = said_by(mend(folder))

    assert finished.startswith(
        "step 9, result of round 2, table 3: D 3-0 F: This step had begun"
    )
    assert renamed.startswith("log.csv belongs to another event.")
    assert rewritten.startswith("log.csv has 0 of 9 steps")
    assert rows(folder) == whole
    assert (folder / "log.csv").read_bytes() == log
    assert len(steps_of(folder)) == 9


@pytest.mark.long
def test_lines_of_another_event_in_the_log_are_not_trusted(
    folder: Path, others: Path
) -> None:
    """They go on after its own, and know of an undo: what was cut off comes back all the same."""
    whole, log = rows(folder), (folder / "log.csv").read_bytes()
    other = Path(shutil.copytree(others, folder.parent / "other"))
    for name in ("A", "B", "C", "D"):
        drop(other, name)
        undo(other)
    new_times(other)
    lines = (other / "log.csv").read_bytes().splitlines(keepends=True)
    (folder / "log.csv").write_bytes(log + b"".join(lines[1:]))
    path = folder / "matches.csv"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    mend(folder)
    assert rows(folder) == whole
    assert [line.step for line in read_log_lines(folder)] == [*range(1, 11)]


def test_a_cut_line_that_runs_together_with_another_is_no_step(folder: Path) -> None:
    """What was left of line 9 is its number, and line 3 stands after it: "93,…"."""
    path = folder / "log.csv"
    whole = path.read_bytes()
    heading, *lines = whole.splitlines(keepends=True)
    path.write_bytes(heading + lines[0] + b"9" + b"".join(lines[2:8]) + lines[1])
    assert max(line.step for line in read_log_lines(folder)) == 93
    mend(folder)
    assert path.read_bytes() == whole
    drop(folder, "A")
    assert [line.step for line in read_log_lines(folder)] == [*range(1, 11)]


@pytest.mark.long
def test_undo_works_after_the_log_was_of_another_event(
    folder: Path, others: Path
) -> None:
    before, log = content(folder), (folder / "log.csv").read_bytes()
    with_other_log(folder, others)
    mend(folder)
    assert (folder / "log.csv").read_bytes() == log
    assert content(folder) == before | {
        "log.damaged.csv": content(folder)["log.damaged.csv"]
    }
    undo(folder, to=5)
    undo(folder, to=9)
    assert content(folder)["matches.csv"] == before["matches.csv"]


def test_no_command_writes_into_a_log_of_another_event(
    folder: Path, others: Path
) -> None:
    with_other_log(folder, others)
    before = content(folder)
    for verb in (lambda: drop(folder, "A"), lambda: undo(folder), lambda: pair(folder)):
        with pytest.raises(
            InputError,
            match=r"log\.csv: The file belongs to another event.*Recover the last",
        ):
            verb()
        assert content(folder) == before


@pytest.mark.long
def test_the_advice_is_never_what_is_there_already(folder: Path, others: Path) -> None:
    """matches.csv is cut inside a line, and the log is of another event."""
    whole = rows(folder)
    with_other_log(folder, others)
    path = folder / "matches.csv"
    path.write_bytes(path.read_bytes()[:-9])
    done = run("mend", folder, "--yes")
    assert (done.exit_code, "id =" in done.stderr) == (0, False)
    assert rows(folder) == whole


def test_an_event_toml_of_another_event_comes_back(folder: Path, others: Path) -> None:
    own, before = (folder / "event.toml").read_bytes(), rows(folder)
    shutil.copy(others / "event.toml", folder)
    assert said_by(mend(folder)) == (
        "event.toml belongs to another event. pairopt restores the file as it was after step 9.",
    )
    assert (folder / "event.toml").read_bytes() == own
    assert rows(folder) == before
    undo(folder, to=3)


@pytest.mark.parametrize("cut_at", [0.5, 0.7, 0.9])
def test_a_log_that_was_cut_still_outvotes_an_event_toml(
    folder: Path, others: Path, cut_at: float
) -> None:
    own, steps = (folder / "event.toml").read_bytes(), steps_of(folder)
    shutil.copy(others / "event.toml", folder)
    log = (folder / "log.csv").read_bytes()
    (folder / "log.csv").write_bytes(log[: int(cut_at * len(log))])
    mend(folder)
    assert (folder / "event.toml").read_bytes() == own
    assert steps_of(folder).items() >= steps.items()
    undo(folder, to=3)


def test_an_id_that_was_deleted_comes_back(folder: Path) -> None:
    own = (folder / "event.toml").read_bytes()
    (folder / "event.toml").write_bytes(re.sub(rb'id = ".*"\n', b"", own))
    (line,) = said_by(mend(folder))
    assert re.fullmatch(
        r'event\.toml has lost the id of its event. pairopt adds the line id = "\w+" again.',
        line,
    )
    assert read_event(folder, unfinished=True)
    assert re.findall(rb'id = ".*"', (folder / "event.toml").read_bytes()) == (
        re.findall(rb'id = ".*"', own)
    )


@pytest.mark.long
@pytest.mark.parametrize("kept", ["event.toml", "matches.csv"])
def test_two_of_three_that_are_of_another_event_take_no_result_away(
    folder: Path, kept: str
) -> None:
    """Either the log and the steps are of another event, or event.toml and a step of its own.

    With that event's points the results cannot be read.
    """
    other = event(
        folder.parent / "other", rounds=1, points="1-0.5-0", sides=["white", "black"]
    )
    scored(other, "1-0")
    pair(other)
    scored(other, "1-0")
    if kept == "event.toml":
        shutil.rmtree(folder / ".pairopt")
        shutil.copytree(other / ".pairopt", folder / ".pairopt")
        shutil.copy(other / "log.csv", folder)
    else:
        shutil.copy(other / "event.toml", folder)
        later = sorted((other / ".pairopt" / "steps").glob("*.zip"))[-1]
        shutil.copy(later, folder / ".pairopt" / "steps")
    before = content(folder)
    with pytest.raises(InputError, match=r"belong to (different events|another event)"):
        mend(folder)
    assert content(folder) == before


def test_a_single_line_of_the_log_does_not_make_steps_the_own_ones(
    tmp_path: Path, others: Path
) -> None:
    """Two events that began in the same second have the same first line."""
    folder = event(tmp_path / "event", rounds=0)
    shutil.rmtree(folder / ".pairopt")
    shutil.copytree(others / ".pairopt", folder / ".pairopt")
    first, line, *_ = (others / "log.csv").read_text("utf-8").splitlines(keepends=True)
    (folder / "log.csv").write_text(first + line, "utf-8")

    run("mend", folder, "--yes")

    assert not read_event(folder).matches.round.size


@pytest.mark.long
def test_the_id_in_a_damaged_event_toml_counts(folder: Path, others: Path) -> None:
    """The log is of another event, and event.toml ends in zeros: it still has its id."""
    before, whole = content(folder), (folder / "event.toml").read_bytes()
    (folder / "event.toml").write_bytes(whole[:-30] + bytes(30))
    with_other_log(folder, others)
    mend(folder)
    after = content(folder)
    assert all(after[name] == before[name] for name in ("event.toml", "matches.csv"))
    undo(folder, to=3)


def test_it_asks_whose_folder_it_is_where_results_would_be_lost(
    folder: Path, others: Path
) -> None:
    """event.toml and the log are of another event with the same players; the results are here."""
    whole = rows(folder)
    shutil.copy(others / "event.toml", folder)
    with_other_log(folder, others)
    (folder / "matches.csv").unlink()
    before = content(folder)
    with pytest.raises(
        InputError, match="If these steps belong to the event in this folder"
    ) as error:
        mend(folder)
    assert content(folder) == before
    found = re.search(r'id = "\w+"', str(error.value))
    assert found
    text = re.sub(r'id = "\w+"', found[0], (folder / "event.toml").read_text())
    (folder / "event.toml").write_text(text)
    mend(folder)
    assert rows(folder) == whole


@pytest.mark.long
def test_steps_in_the_place_of_others_are_put_in_their_own(folder: Path) -> None:
    whole, steps = rows(folder), folder / ".pairopt" / "steps"
    (steps / "0009.zip").replace(steps / "x")
    (steps / "0008.zip").replace(steps / "0009.zip")
    (steps / "x").replace(steps / "0008.zip")
    (folder / "matches.csv").unlink()
    assert [line.partition(" holds")[0] for line in said_by(mend(folder))[:2]] == [
        ".pairopt/steps/0009.zip",
        ".pairopt/steps/0008.zip",
    ]
    assert rows(folder) == whole
    assert [step.number for step in Journal(folder).steps()] == [*range(1, 11)]
    undo(folder, to=7)


@pytest.mark.long
def test_killed_while_steps_change_places(folder: Path, tmp_path: Path) -> None:
    whole, steps = rows(folder), folder / ".pairopt" / "steps"
    (steps / "0009.zip").replace(steps / "x")
    (steps / "0008.zip").replace(steps / "0009.zip")
    (steps / "x").replace(steps / "0008.zip")
    (folder / "matches.csv").unlink()
    for after in range(100):
        copy = Path(shutil.copytree(folder, tmp_path / str(after)))
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                mend(copy)
            except Killed:
                ended = False
            else:
                ended = True
        mend(copy)
        assert rows(copy) == whole
        assert len(steps_of(copy)) >= len(steps_of(folder))
        if ended:
            break
    assert after > 4


def test_a_step_begun_takes_nothing_of_one_that_is_done(
    folder: Path, others: Path
) -> None:
    """event.toml and a step begun are of another event: step 1 stays what it was."""
    steps = steps_of(folder)
    shutil.copy(others / "event.toml", folder)
    shutil.copy(
        others / ".pairopt" / "steps" / "0001.zip", folder / ".pairopt" / "pending.zip"
    )
    with pytest.raises(InputError):
        drop(folder, "A")
    assert steps_of(folder) == steps
    mend(folder)
    assert steps_of(folder).items() >= steps.items()


@pytest.mark.long
@pytest.mark.parametrize("name", ["event", "an event", "it's 5 o'clock", "a/b c/d"])
def test_a_preview_names_the_folder_and_not_its_copy(
    folder: Path, tmp_path: Path, name: str
) -> None:
    """A result was changed by hand, which is said with the way back; and files are of no event."""
    (tmp_path / "named" / name).parent.mkdir(parents=True)
    folder = folder.rename(tmp_path / "named" / name)
    path = folder / "matches.csv"
    path.write_text(path.read_text().replace(",3,0,", ",0,3,", 1))
    shown = preview_mend(folder)
    assert said_by(shown) == said_by(mend(folder))
    assert (
        f"pairopt undo {shlex.quote(str(folder))} --to 9" in run("mend", folder).stderr
    )

    shutil.rmtree(folder / ".pairopt")
    (folder / "log.csv").unlink()
    path.write_text("garbage\n")
    with pytest.raises(InputError) as error:
        preview_mend(folder)
    with pytest.raises(InputError) as other:
        mend(folder)
    assert str(error.value) == str(other.value)
    assert error.value.source == other.value.source


# ------------------------------------------------------------------- what the log alone knows


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another event with other players."""
    folder = tmp_path_factory.mktemp("strangers") / "event"
    return event(folder, "UVWX", rounds=1)


def with_steps_of(folder: Path, strangers: Path) -> None:
    """Put the steps of another event, on another day, in the place of the own ones."""
    new_times(folder)
    shutil.rmtree(folder / ".pairopt")
    shutil.copytree(strangers / ".pairopt", folder / ".pairopt")


def forfeited(folder: Path) -> Path:
    """Let the last row of matches.csv be a forfeit, and return the file."""
    path = folder / "matches.csv"
    result(folder, 3, off=True)
    result(folder, 3, "3F-0F")
    assert path.read_text("utf-8").endswith(",3,0,forfeit\n")
    return path


@pytest.mark.parametrize("right", ["log.csv", "matches.csv"])
def test_it_asks_if_a_cut_row_is_another_result_than_in_the_log(
    folder: Path, strangers: Path, right: str
) -> None:
    """Without its last cell, a forfeit is a match that was played."""
    path = forfeited(folder)
    whole = path.read_text("utf-8")
    path.write_text(whole.removesuffix("forfeit\n"), "utf-8")
    with_steps_of(folder, strangers)
    before = content(folder)

    with pytest.raises(InputError, match=r"3F-0F \w, but") as error:
        mend(folder)
    assert "If the files are right, move log.csv out of the folder" in str(error.value)
    assert content(folder) == before

    if right == "log.csv":
        path.write_text(whole, "utf-8")
    else:
        (folder / "log.csv").rename(folder.parent / "log.csv")
    known = rows(folder)
    mend(folder)
    assert rows(folder) == known


def test_results_stay_if_only_a_step_of_other_players_is_intact(
    tmp_path: Path,
) -> None:
    """event.toml and a step are those of an event without sides, and no log confirms them."""
    own, other = tmp_path / "own", tmp_path / "other"
    own_list, other_list = tmp_path / "own.csv", tmp_path / "other.csv"
    own_list.write_text("player\nAnn\nBob\nCid\nDan\n")
    other_list.write_text("player\nUma\nVic\nWen\nXia\n")
    new(own, own_list, sides="white,black", points="1-0.5-0", seed=1)
    pair(own)
    new(other, other_list, sides="none", points="3-1-0", seed=1)
    pair(other)
    result(other, 1, "3-0")
    result(other, 2, "3-0")

    # Somebody types the results into the file, and the folders of two events are mixed.
    matches = own / "matches.csv"
    matches.write_text(matches.read_text("utf-8").replace(",white,,", ",white,0,1"))
    known = rows(own)
    assert len([row for row in known if ",0,1" in row]) == 2
    shutil.copy(other / "event.toml", own)
    steps = own / ".pairopt" / "steps"
    (steps / "0001.zip").write_bytes(b"damaged")
    shutil.copy(other / ".pairopt" / "steps" / "0004.zip", steps / "0002.zip")

    with pytest.raises(InputError, match="belong to different events"):
        mend(own)
    assert rows(own) == known


@pytest.mark.parametrize("is_cut", [False, True])
def test_what_was_played_differently_unsettles_its_own_tables_alone(
    folder: Path, strangers: Path, is_cut: bool
) -> None:
    """Tables 1 and 2 exchange opponents; the log still knows the result of table 3."""
    path = forfeited(folder)
    event = read_event(folder, unfinished=True)
    is_second_table = (event.matches.round == 2) & (event.matches.table == 2)
    (opponent,) = event.matches.first[is_second_table].tolist()
    result(folder, 1, opponent=event.players[opponent])
    if is_cut:
        whole = path.read_text("utf-8")
        path.write_text(whole.removesuffix("forfeit\n"), "utf-8")
    known = rows(folder)
    with_steps_of(folder, strangers)

    if is_cut:
        with pytest.raises(InputError, match=r"3F-0F \w, but"):
            mend(folder)
    else:
        notes = mend(folder).said
        assert not [note for note in notes if "only_in_log" in str(note.to_dict())]
    assert rows(folder) == known


def test_it_asks_if_the_step_of_a_cut_result_is_lost(folder: Path) -> None:
    """The step before it has no result of this match: the cut row would be the only one."""
    path = forfeited(folder)
    path.write_text(path.read_text("utf-8").removesuffix(",forfeit\n"), "utf-8")
    (folder / ".pairopt" / "steps" / "0011.zip").write_bytes(b"damaged")

    with pytest.raises(InputError, match=r"log\.csv has other results"):
        mend(folder)


def test_a_result_that_was_undone_is_not_asked_about(
    folder: Path, strangers: Path
) -> None:
    """The line of the undo says which step's files came back."""
    result(folder, 3, "0-3")
    undo(folder)
    known = rows(folder)
    with_steps_of(folder, strangers)

    mend(folder)

    assert rows(folder) == known


def test_a_result_that_was_edited_by_hand_is_not_asked_about(
    folder: Path, strangers: Path
) -> None:
    """The edit has a line of its own in the log."""
    path = folder / "matches.csv"
    text = path.read_text("utf-8")
    assert text.endswith(",3,0,\n")
    path.write_text(text.removesuffix("3,0,\n") + "0,3,\n", "utf-8")
    drop(folder, "A")
    known = rows(folder)
    with_steps_of(folder, strangers)

    mend(folder)

    assert rows(folder) == known


def test_results_that_only_the_log_has_are_named(folder: Path, strangers: Path) -> None:
    """No file is made from the log, but somebody can enter the results again."""
    path = folder / "matches.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), "utf-8")
    with_steps_of(folder, strangers)

    notes = said_by(mend(folder))

    assert re.fullmatch(
        r"log\.csv contains results that are in no intact file\. Enter these results again: "
        r"round 2, table 3: \w 3-0 \w",
        notes[-1],
    )


def without_last_step(folder: Path) -> None:
    """Lose the latest step; its line stays in the log."""
    max((folder / ".pairopt" / "steps").glob("*.zip")).unlink()


def test_a_lost_correction_for_the_rating_contradicts_no_result(folder: Path) -> None:
    """Its line has a mark, because the result in matches.csv stays as it was."""
    result(folder, 1, "0-3")
    result(folder, 1, "3-0", rating_only=True)
    known = rows(folder)
    assert read_log_lines(folder)[-1].value == "3-0 (rating only)"
    without_last_step(folder)

    mend(folder)

    assert rows(folder) == known


@pytest.mark.parametrize(
    ("score", "options"), [("3-0", {"unrated": True}), ("adjourned", {})]
)
def test_a_marked_result_lets_the_log_keep_earlier_ones(
    folder: Path, strangers: Path, score: str, options: dict[str, bool]
) -> None:
    """Such a line is of one table; only exchanged opponents change another one."""
    path = forfeited(folder)
    result(folder, 1, score, **options)  # type: ignore[arg-type]
    text = path.read_text("utf-8")
    assert text.count("forfeit") == 1
    path.write_text(text.replace("forfeit", ""), "utf-8")
    with_steps_of(folder, strangers)

    with pytest.raises(InputError, match=r"3F-0F \w, but"):
        mend(folder)
