"""What faults do to a folder: no result of its own is lost, none of another event's comes in.

Everything here is a law over the files before and after, read with the csv and zipfile modules and
by nothing of what is tested. `pytest -m slow tests/folder/test_faults.py` is the whole sweep.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import random
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from organiser import client, fields, said
from organiser import founded as event
from sampled import one_in
from telling import said_by
from test_killed import Killed, cut

from pairopt import PairoptError, UsageError
from pairopt.cli import main
from pairopt.folder import (
    bye,
    drop,
    enter,
    mend,
    new,
    pair,
    preview_mend,
    repair,
    result,
    undo,
)

Facts = frozenset[tuple[str, ...]]
KEPT = ("round", "player1", "player2", "side1", "score1", "score2", "status")
STEPS = Path(".pairopt", "steps")
NAMES = ("event.toml", "players.csv", "matches.csv", "log.csv")


def results(raw: bytes) -> Facts:
    """The played matches in a matches.csv: round, players, side, scores, status.

    Harmless: a line above the heading is passed over, as a title is.
    """
    text = raw.decode("utf-8", "replace")
    _, _, rest = text.partition("\n")
    if rest.startswith("round,"):
        text = rest
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return frozenset(
        tuple(row.get(name) or "" for name in KEPT)
        for row in rows
        if row.get("player2") and row.get("score1") and row.get("score2")
    )


def written(folder: Path) -> Facts:
    """Those in a folder."""
    path = folder / "matches.csv"
    return results(path.read_bytes()) if path.is_file() else Facts()


def of_zip(path: Path) -> Facts:
    with zipfile.ZipFile(path) as pack:
        return (
            results(pack.read("matches.csv"))
            if "matches.csv" in pack.namelist()
            else Facts()
        )


def everything(folder: Path) -> dict[str, bytes]:
    """All that lies in a folder, but for the lock and what waited to be put in its place."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock" and path.suffix != ".new"
    }


def lost(source: Facts, after: Facts) -> Facts:
    """What of a source is not there after, though nobody in it plays another match of its round."""
    seats = {(fact[0], player) for fact in after for player in fact[1:3]}
    return frozenset(
        fact
        for fact in source - after
        if seats.isdisjoint({(fact[0], fact[1]), (fact[0], fact[2])})
    )


# ---------------------------------------------------------------------- events


def played(folder: Path, rng: random.Random, names: str) -> Path:
    """An event of some rounds with most of their results, and steps of other kinds between."""
    chess = rng.random() < 0.4
    scores = ("1-0", "0.5-0.5", "0-1") if chess else ("3-0", "1-1", "0-3", "3F-0F")
    how = (
        {"points": "1-0.5-0", "sides": ["white", "black"]}
        if chess
        else {"points": "3-1-0"}
    )
    folder.parent.mkdir(parents=True)
    event(folder, [f"{names}{k}" for k in range(rng.randint(4, 9))], seed=0, **how)
    for number in range(rounds := rng.randint(1, 3)):
        pair(folder, sure=True)  # somebody who was away may get the bye
        tables = sum(row["player2"] != "" for row in of_round(folder, number + 1))
        order = rng.sample(range(1, tables + 1), tables)
        for table in order[: tables if number < rounds - 1 else rng.randint(0, tables)]:
            result(folder, table, rng.choice(scores))
            if rng.random() < 0.1:
                undo(folder)
                result(folder, table, rng.choice(scores))
    if rng.random() < 0.4:
        enter(folder, f"{names}late")
    if rng.random() < 0.3:
        drop(folder, f"{names}0")
    if rng.random() < 0.2:
        steps = len([*(folder / STEPS).glob("*.zip")])
        undo(folder, min(rng.randint(1, 2), steps - 1))
    return folder


def of_round(folder: Path, number: int) -> list[dict[str, str]]:
    with (folder / "matches.csv").open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["round"] == str(number)]


def filled_by_hand(folder: Path, rng: random.Random) -> bool:
    """Results typed into matches.csv itself, newer than any step; whether there were open ones."""
    path = folder / "matches.csv"
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows, heads = list(reader), reader.fieldnames
    win = (
        "1"
        if "1-0.5-0" in str(rows) or any(row["side1"] == "white" for row in rows)
        else "3"
    )
    waiting = [row for row in rows if row["player2"] and not row["score1"]]
    for row in waiting[: rng.randint(1, 3)]:
        row["score1"], row["score2"] = (win, "0") if rng.random() < 0.5 else ("0", win)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, heads or (), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return bool(waiting)


# ---------------------------------------------------------------------- faults


@dataclass
class Case:
    """A folder, another event's, and what is known of it: which of its sources are whole."""

    folder: Path
    other: Path
    rng: random.Random
    roster: bool
    hurt: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    done: list[str] = field(default_factory=list)

    def named(self) -> list[str]:
        """The files that may be hurt."""
        steps = [str(path.relative_to(self.folder)) for path in self.steps()]
        return [
            name
            for name in (*NAMES * 4, *steps[-3:], *steps)
            if (self.folder / name).exists()
        ]

    def steps(self) -> list[Path]:
        return sorted((self.folder / STEPS).glob("*.zip"))


def _damage(case: Case, name: str) -> None:
    path = case.folder / name
    raw = path.read_bytes()
    at = case.rng.randrange(len(raw) + 1)
    made = case.rng.choice(
        [
            b"\0" * len(raw),
            b"",
            raw[:at] + b"\0" + raw[at:],
            raw[:at] + b"\xff\xfe\0\n" + raw[at:],
            raw + b'\n"garbage,,,\n',
            b"garbage\n" + raw,
        ]
    )
    path.write_bytes(made)
    case.hurt.add(name)


def _cut(case: Case, name: str) -> None:
    path = case.folder / name
    raw = path.read_bytes()
    lines = [k + 1 for k, byte in enumerate(raw) if byte == 10] or [0]
    at = case.rng.choice([case.rng.randrange(len(raw) + 1), case.rng.choice(lines)])
    path.write_bytes(raw[:at])
    if at < len(raw):
        case.hurt.add(name)


def _delete(case: Case, name: str) -> None:
    (case.folder / name).unlink()
    case.hurt.add(name)


def _folder(case: Case, name: str) -> None:
    (case.folder / name).unlink()
    (case.folder / name).mkdir()
    case.hurt.add(name)


def _copied(case: Case, name: str) -> None:
    """The other event's file of that name, or any step of it."""
    source = case.other / name
    if name.endswith(".zip") and (not source.exists() or case.rng.random() < 0.5):
        source = case.rng.choice(sorted((case.other / STEPS).glob("*.zip")))
    if source.exists():
        shutil.copy(source, case.folder / name)
        case.hurt.add(name)
        case.foreign.add(name)


def _swapped(case: Case, _: str) -> None:
    """Two steps in each other's places; a folder in the place of a step stays."""
    steps = [path for path in case.steps() if path.is_file()]
    if not steps:
        return
    one, two = case.rng.choices(steps, k=2)
    if one == two:
        return
    first = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(first)

    # What is known of a step goes with it.
    names = {str(each.relative_to(case.folder)) for each in (one, two)}
    for known in (case.hurt, case.foreign):
        if len(names & known) == 1:
            known ^= names


def _journal(case: Case, _: str) -> None:
    """The other event's journal for its own."""
    shutil.rmtree(case.folder / ".pairopt")
    shutil.copytree(case.other / ".pairopt", case.folder / ".pairopt")
    names = {str(path.relative_to(case.folder)) for path in case.steps()}
    case.hurt |= names | {"every step"}
    case.foreign |= names


def _joined(case: Case, _: str) -> None:
    """A later step of the other event after its own."""
    steps = sorted((case.other / STEPS).glob("*.zip"))
    number = int(case.steps()[-1].stem) + 1 if case.steps() else 1
    made = case.folder / STEPS / f"{number:04d}.zip"
    later = [path for path in steps if int(path.stem) == number]
    shutil.copy(later[0] if later else steps[-1], made)
    case.hurt.add(str(made.relative_to(case.folder)))
    case.foreign.add(str(made.relative_to(case.folder)))


def _pending(case: Case, _: str) -> None:
    """A step begun by the other event, or by nobody."""
    made = case.folder / ".pairopt" / "pending.zip"
    steps = sorted((case.other / STEPS).glob("*.zip"))
    made.write_bytes(
        case.rng.choice(steps).read_bytes() if case.rng.random() < 0.7 else b"PK"
    )
    case.foreign.add("pending.zip")


FAULTS = (
    _damage,
    _damage,
    _cut,
    _cut,
    _delete,
    _copied,
    _copied,
    _copied,
    _folder,
    _swapped,
    _journal,
    _joined,
    _pending,
)


def whole_steps(case: Case) -> list[tuple[int, Path]]:
    """The own steps that nothing has happened to, with their numbers, in their order."""
    paths = [
        path
        for path in case.steps()
        if str(path.relative_to(case.folder)) not in case.hurt
    ]
    return sorted((number_of(path), path) for path in paths)


def number_of(path: Path) -> int:
    with zipfile.ZipFile(path) as pack:
        return int(json.loads(pack.read("step.json"))["number"])


def mended(case: Case, before: Facts, steps: list[Facts], log: list[bytes]) -> str:
    """Mends a folder, and holds it to the law; what came of it in a word."""
    there = everything(case.folder)
    file_whole = "matches.csv" not in case.hurt
    whole = whole_steps(case)

    # event.toml or the log say whose folder this is, with a step of its event: here both are the
    # other's. Harmless: then its results may come in, but none of this event's may go.
    foreign_steps = {name for name in case.foreign if name.endswith(".zip")}
    taken_over = bool({"event.toml", "log.csv"} & case.foreign) and bool(foreign_steps)
    own = set(before).union(*steps)
    if (
        case.roster and "matches.csv" in case.foreign
    ):  # the same players: as good as by hand
        own |= results((case.other / "matches.csv").read_bytes())
    if not own and {"players.csv", "matches.csv"} <= case.foreign:
        # This event has no result that could go, and its lists agree with each other.
        own |= results((case.other / "matches.csv").read_bytes())
    number, last = (whole[-1][0], of_zip(whole[-1][1])) if whole else (0, Facts())
    if {
        "event.toml",
        "log.csv",
    } <= case.foreign:  # all that says whose it is, is the other's
        return "another's"

    here = results(there.get("matches.csv", b""))
    shown: object = None
    try:
        shown = said_by(preview_mend(case.folder))
    except PairoptError as error:
        shown = str(error)
    assert everything(case.folder) == there, "a preview writes"
    try:
        done = mend(case.folder)
    except PairoptError as error:
        why = str(error)
    else:
        why = ""
    if why:
        assert shown == why
        assert everything(case.folder) == there, "it failed, and did something"
        vouched = not {"event.toml", "log.csv"} <= case.hurt
        if vouched and whole and file_whole and here == before:
            assert "have different results" in why or len(case.hurt) > 1, (
                case.done,
                why,
            )
        return "refused"

    assert said_by(done) == shown, "the preview says what is done"
    after = written(case.folder)
    if not taken_over:
        assert after <= own, (case.done, after - own)
    if file_whole:
        assert not lost(before, after), (case.done, lost(before, after))
    if whole and not ("event.toml" in case.hurt and "log.csv" in case.hurt):
        undone = any(
            line[:1].isdigit()
            and int(line.split(b",")[0]) > number
            and line.split(b",")[3:4] == [b"undo"]
            for line in log
        )
        if not undone:
            assert not lost(last, after), (case.done, lost(last, after))
    first, *more = said_by(mend(case.folder))
    assert first == "The folder is intact. There is nothing to recover.", (
        case.done,
        first,
        more,
    )
    # Harmless: where the step of an undo is lost, what it took looks as if a hand had taken it.
    # Harmless: a hand has corrected a result since the last step, and that is said once more.
    assert all(line.startswith("Someone edited ") for line in more), (case.done, more)
    enter(case.folder, "Somebody new")
    assert written(case.folder) == after
    return (
        "mended"
        if said_by(done)[0] != "The folder is intact. There is nothing to recover."
        else "whole"
    )


def pool(place: Path, seed: int, many: int) -> list[tuple[Path, Path, bool]]:
    """Events, each with another one, and whether that has the same players."""
    rng, made = random.Random(seed), []
    for k in range(many):
        same = rng.random() < 0.3
        one = played(place / f"{k}a" / "event", rng, "p")
        two = played(place / f"{k}b" / "event", rng, "p" if same else "q")
        made.append((one, two, same))
    return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps a second apart, as people take them: no two events have the same log."""
    from datetime import datetime, timedelta

    now = [datetime(2026, 1, 1)]

    class Clock(datetime):
        @classmethod
        def now(cls, _: object = None) -> datetime:  # type: ignore[override]
            now[0] += timedelta(seconds=1)
            return now[0]

    monkeypatch.setattr("pairopt.folder.journal.datetime", Clock)


def swept(place: Path, seed: int, events: int, each: int) -> Counter[str]:
    """Random faults on random events; how many of which ended how."""
    rng, found = random.Random(seed), Counter[str]()
    for k, (one, two, same) in enumerate(pool(place, seed, events)):
        for n in range(each):
            folder = Path(shutil.copytree(one, place / "cases" / f"{k}-{n}"))
            case = Case(folder, two, rng, same)
            if rng.random() < 0.4 and filled_by_hand(folder, rng):
                case.done.append("filled by hand")
            before = written(folder)
            steps = [of_zip(path) for path in case.steps()]
            log = (folder / "log.csv").read_bytes().splitlines()[1:]
            for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
                fault, name = rng.choice(FAULTS), rng.choice(case.named() or ["?"])
                if name != "?" and (folder / name).is_file():
                    fault(case, name)
                    case.done.append(f"{fault.__name__} {name}")
            found[mended(case, before, steps, log)] += 1
            shutil.rmtree(folder)
    return found


@pytest.mark.sweep
@pytest.mark.usefixtures("clock")
def test_no_result_is_lost_and_none_comes_in(tmp_path: Path) -> None:
    found = swept(tmp_path, 1, 3, 8)
    assert found["mended"] > found.total() / 2


@pytest.mark.slow
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("seed", range(2, 22))
def test_thousands_of_faults(tmp_path: Path, seed: int) -> None:
    found = swept(tmp_path, seed, 25, 20)
    print(seed, dict(found))
    assert found["mended"] > found.total() / 2


# ---------------------------------------------------------------------- a disk that fails


@contextmanager
def failing(after: int, why: int, *, once: bool) -> Iterator[list[str]]:
    """A disk that takes so many operations and no more, or all but one; those that it refused."""
    count, refused = 0, list[str]()

    def asked(what: str) -> None:
        nonlocal count
        count += 1
        if count == after + 1 or (count > after and not once):
            refused.append(what)
            raise OSError(why, os.strerror(why))

    def operation(name: str) -> Callable[..., Any]:
        real = getattr(Path, name)

        def call(self: Path, *given: Any, **named: Any) -> Any:
            if name != "open" or "w" in (given or ("r",))[0]:
                asked(f"{name} {self.name}")
            return real(self, *given, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("open", "replace", "unlink", "mkdir"):
            patch.setattr(Path, name, operation(name))
        patch.setattr(os, "fsync", lambda _: asked("fsync"))
        yield refused


VERBS: dict[str, Callable[[Path], Any]] = {
    "pair": pair,
    "result": lambda folder: result(folder, 1, "0-3"),
    "repair": lambda folder: repair(folder, seed=9),
    "enter": lambda folder: enter(folder, "Zoe"),
    "bye": lambda folder: bye(folder, "p1", round=5),
    "undo": lambda folder: undo(folder, 3),
    "by hand": lambda folder: (
        (folder / "players.csv").write_bytes(
            (folder / "players.csv").read_bytes() + b"Yan,true\n"
        ),
        drop(folder, "p1"),
    )[-1],
}


def ready(folder: Path, verb: str) -> Path:
    """An event on which a verb can be done."""
    event(folder, [f"p{k}" for k in range(6)], rounds=2, seed=0)
    for table in (1, 2, 3) if verb in ("pair", "undo") else (2,):
        result(folder, table, "3-0")
    return folder


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("verb", "once"),
    one_in(2, [[verb, once] for once in (True, False) for verb in VERBS]),
)
def test_a_verb_that_fails_has_done_nothing_or_says_that_it_is_begun(
    tmp_path: Path, verb: str, once: bool
) -> None:
    whole, found = ready(tmp_path / "whole", verb), Counter[str]()
    done = Path(shutil.copytree(whole, tmp_path / "done"))
    VERBS[verb](done)
    for after in range(100):
        folder = Path(shutil.copytree(whole, tmp_path / str(after)))
        why = random.Random(after).choice(
            [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO]
        )
        try:
            with failing(after, why, once=once) as refused:
                VERBS[verb](folder)
        except UsageError as error:
            told = str(error)
        else:
            if not refused:
                break
            found["all the same"] += (
                1  # as where what was left behind could not be removed
            )
            continue
        begun = (folder / ".pairopt" / "pending.zip").exists()
        assert ("has begun" in told) == begun, (refused, told)
        now, before = written(folder), written(whole)
        assert begun or now == before
        if not begun and verb != "by hand":
            assert everything(folder) == everything(whole), refused
        found["begun" if begun else "nothing"] += 1
        line = said_by(enter(folder, "Another"))[0]
        assert ("This step had begun earlier and is finished now." in line) == begun, (
            line,
            refused,
        )
        if begun and verb != "by hand":
            assert written(folder) == written(done)
        shutil.rmtree(folder)
    assert 8 < found.total() < 100, found
    assert found["nothing"] > found["begun"]


@pytest.mark.sweep
@pytest.mark.parametrize("once", [True, False])
def test_no_half_folder_is_made(tmp_path: Path, once: bool) -> None:
    listed, model = tmp_path / "list.csv", tmp_path / "mine.toml"
    listed.write_text("player\nA\nB\nC\n")
    model.write_text(
        'name = "mine"\ntitle = "t"\nsource = "s"\n[[criteria]]\nkind = "rematches"\n'
    )
    for after in range(100):
        folder = tmp_path / str(after)
        with failing(after, errno.ENOSPC, once=once) as refused:
            try:
                new(folder, listed, model=str(model))
            except UsageError as error:
                told = str(error)
            else:
                break
        if "has begun" not in told:
            gone = (
                once or "unlink mine.toml" not in refused
            )  # else the disk let it not go
            assert not (gone and folder.exists()), refused
            new(folder, listed, model=str(model))
        pair(folder)
    assert after > 8


@pytest.mark.long
def test_a_step_that_is_killed_is_finished_aloud(tmp_path: Path) -> None:
    whole, told = ready(tmp_path / "whole", "pair"), Counter[bool]()
    for after in range(20):
        folder = Path(shutil.copytree(whole, tmp_path / str(after)))
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                pair(folder)
            except Killed:
                pass
            else:
                break
        begun = (folder / ".pairopt" / "pending.zip").exists()
        if after % 3 == 2:
            with pytest.raises(PairoptError) as error:
                enter(folder, "p1")
            line = str(error.value)
        elif after % 3:
            page = client(folder)
            form = fields(page.get("/players").text, "/players/enter")
            line = said(page.post("/players/enter", data={**form, "name": "Zoe"}).text)
        else:
            line = " ".join(said_by(enter(folder, "Zoe")))
        assert ("This step had begun earlier and is finished now." in line) == begun, (
            line
        )
        told[begun] += 1
    assert min(told.values()) > 2


# ---------------------------------------------------------------------- by hand


@pytest.mark.long
def test_results_that_a_hand_took_are_named_with_the_way_back(tmp_path: Path) -> None:
    rng = random.Random(5)
    whole = played(tmp_path / "a" / "event", rng, "p")
    other = played(tmp_path / "b" / "event", rng, "p")
    while not written(whole) or not written(other) - written(whole):
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        whole = played(tmp_path / "a" / "event", rng, "p")
        other = played(tmp_path / "b" / "event", rng, "p")
    raw = (whole / "matches.csv").read_bytes()
    lines = raw.splitlines(keepends=True)
    rows = [k for k, line in enumerate(lines) if results(lines[0] + line)]
    last = max(int(path.stem) for path in (whole / STEPS).glob("*.zip"))
    hands = {
        "a row": b"".join(lines[: rows[0]] + lines[rows[0] + 1 :]),
        "the end": b"".join(lines[: rows[-1]]),
        "nothing left": lines[0],
        "a score": raw.replace(lines[rows[0]], _turned(lines[rows[0]])),
        "another event's": (other / "matches.csv").read_bytes(),
    }
    for what, hand in hands.items():
        folder = Path(
            shutil.copytree(whole, tmp_path / re.sub(r"\W", "-", what) / "event")
        )
        (folder / "matches.csv").write_bytes(hand)
        gone = written(whole) - results(hand)
        try:
            told = said_by(enter(folder, "Zoe"))[0]
        except PairoptError:
            continue  # it is no event: another event's, of others
        for fact in gone:
            assert re.search(rf"round {fact[0]}\b", told), (what, told, fact)
            assert fact[1] in told
            assert fact[2] in told
        assert f"pairopt undo {folder} --to {last}" in told
        undo(folder, to=last)
        assert (folder / "matches.csv").read_bytes() == raw
        assert not any("by hand" in line for line in said_by(drop(folder, "p1")))


def _turned(line: bytes) -> bytes:
    """The other player wins; after a draw the first one loses."""
    cells = line.decode().rstrip("\n").split(",")
    win = {"1": "3", "0.5": "1"}
    same = cells[5] == cells[6]
    cells[5:7] = ["0", win.get(cells[5], "3")] if same else [cells[6], cells[5]]
    return (",".join(cells) + "\n").encode()


@pytest.mark.long
def test_the_page_names_what_a_hand_took(tmp_path: Path) -> None:
    folder = ready(tmp_path / "event", "pair")
    raw = (folder / "matches.csv").read_bytes()
    gone = raw.splitlines(keepends=True)[-1]
    (folder / "matches.csv").write_bytes(raw.replace(gone, b""))
    page = client(folder)
    form = fields(page.get("/players").text, "/players/enter")
    told = said(page.post("/players/enter", data={**form, "name": "Zoe"}).text)
    _, table, one, two, *_ = gone.decode().split(",")
    assert f"round 2, table {table}: {one} 3-0 {two} was removed" in told
    assert "open Log." in told


# ---------------------------------------------------------------------- whose it is


@pytest.mark.long
def test_a_copied_folder_is_the_same_event_and_no_two_are(tmp_path: Path) -> None:
    one, two = (event(tmp_path / name, rounds=1, seed=0) for name in ("one", "two"))
    copy = Path(shutil.copytree(one, tmp_path / "copy"))
    result(copy, 1, "3-0")
    undo(copy)
    shutil.copy(two / STEPS / "0002.zip", one / STEPS / "0003.zip")
    for verb in (lambda: drop(one, "A"), lambda: undo(one), lambda: undo(one, to=3)):
        before = everything(one)
        with pytest.raises(
            PairoptError,
            match=r"0003\.zip: This file does not contain an intact step of the event: The file belongs to another",
        ):
            verb()
        assert everything(one) == before
    shutil.copy(two / STEPS / "0002.zip", one / ".pairopt" / "pending.zip")
    (one / STEPS / "0003.zip").unlink()
    for words in (["standings", one], ["drop", one, "A"]):
        answer = CliRunner().invoke(main, [*map(str, words)])
        assert answer.exit_code == 3
        assert (
            "pending.zip: This file does not contain an intact step of the event: The file belongs to another event"
            in answer.stderr
        )
    assert (
        said_by(mend(one))[0]
        == ".pairopt/pending.zip belongs to another event. pairopt renames the file, with .damaged in the new name."
    )
    drop(one, "A")


@pytest.mark.long
def test_a_folder_of_before_gets_an_id_with_its_next_step(tmp_path: Path) -> None:
    whole = event(tmp_path / "whole", rounds=1, seed=0)
    line = re.compile(rb'id = ".*"\n')
    for path in (whole / STEPS).glob("*.zip"):
        with zipfile.ZipFile(path) as pack:
            content = {name: pack.read(name) for name in pack.namelist()}
        step = json.loads(content["step.json"])
        del step["event"]
        content |= {
            "step.json": json.dumps(step).encode(),
            "event.toml": line.sub(b"", content["event.toml"]),
        }
        with zipfile.ZipFile(path, "w") as pack:
            for name, raw in content.items():
                pack.writestr(name, raw)
    raw = line.sub(b"", (whole / "event.toml").read_bytes())
    (whole / "event.toml").write_bytes(raw)
    assert said_by(mend(whole)) == (
        "The folder is intact. There is nothing to recover.",
    )
    for after in range(60):
        folder = Path(shutil.copytree(whole, tmp_path / str(after)))
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                drop(folder, "A")
            except Killed:
                ended = False
            else:
                ended = True
        enter(folder, "Zoe")
        found = line.search((folder / "event.toml").read_bytes())
        assert found
        assert (folder / "event.toml").read_bytes() == found[0] + raw
        assert said_by(mend(folder)) == (
            "The folder is intact. There is nothing to recover.",
        )
        undo(folder, to=2)
        undo(folder, to=1)
        assert (folder / "event.toml").read_bytes() == found[0] + raw
        enter(folder, "Yan")
        if ended:
            break
    assert after > 10


@pytest.mark.long
def test_a_link_is_written_through_and_kept(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, seed=0)
    there = tmp_path / "elsewhere.csv"
    shutil.move(folder / "matches.csv", there)
    (folder / "matches.csv").symlink_to(there)
    result(folder, 1, "3-0")
    assert (folder / "matches.csv").is_symlink()
    assert results(there.read_bytes())


@pytest.mark.long
def test_the_line_that_says_what_separates_is_read(tmp_path: Path) -> None:
    for separator in ",;\t":
        folder = event(tmp_path / f"{ord(separator)}", rounds=1, seed=0)
        for name in ("matches.csv", "players.csv"):
            text = (folder / name).read_text().replace(",", separator)
            (folder / name).write_text(f"sep={separator}\r\n{text}")
        result(folder, 1, "3-0")
        pairs = (folder / "matches.csv").read_text().replace(separator, ",").encode()
        assert len(results(pairs.removeprefix(b"sep=,\n"))) == 1
        (folder / "matches.csv").write_text(
            f"sep={separator}\nround{separator}table\nx"
        )
        with pytest.raises(PairoptError, match="row"):
            pair(folder)


@pytest.mark.long
def test_mend_is_named_only_where_it_helps(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, seed=0)
    (folder / "matches.csv").unlink()
    (folder / "matches.csv").mkdir()
    with pytest.raises(UsageError, match="Recover the last intact state"):
        pair(folder)
    assert "is a folder where pairopt needs a file" in said_by(mend(folder))[0]
    assert len(of_round(folder, 1)) == 3
    shutil.rmtree(folder / ".pairopt")
    (folder / "matches.csv").write_text("garbage\n")
    with pytest.raises(PairoptError) as error:
        pair(folder)
    assert not re.search("pairopt mend|last intact state", str(error.value))


@pytest.mark.long
def test_mend_loses_no_result_that_reads_on_either_side(tmp_path: Path) -> None:
    folder = ready(tmp_path / "event", "result")
    raw = (folder / "matches.csv").read_bytes()
    row = next(
        line for line in raw.splitlines(keepends=True) if line.startswith(b"2,2,")
    )
    empty = row.replace(b",3,0,", b",,,")
    (folder / "matches.csv").write_bytes(raw.replace(row, empty))
    assert "matches.csv" in said_by(mend(folder))[0]
    assert (folder / "matches.csv").read_bytes() == raw
    other = next(
        line for line in raw.splitlines(keepends=True) if line.startswith(b"2,1,")
    )
    both = raw.replace(row, empty).replace(other, other.replace(b",,,,", b",,0,3,"))
    assert len(results(both)) == len(results(raw))
    (folder / "matches.csv").write_bytes(both)
    with pytest.raises(PairoptError, match="have different results"):
        mend(folder)
    assert (folder / "matches.csv").read_bytes() == both
