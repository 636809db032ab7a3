"""`pairopt serve` killed at any moment: what was answered is there, all else is as before."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

import pytest
from interrupts import PATIENCE
from organiser import client, founding
from test_serving import running

from pairopt import UsageError
from pairopt.files.event_folder import EVENT
from pairopt.folder import preview, preview_repair, undo
from pairopt.folder.journal import LOG
from pairopt.folder.open_folder import open_folder, read_folder_state
from pairopt.web.views.round import format_match

pytestmark = pytest.mark.long
Form = list[tuple[str, str]]
ORDINARY = {"content-type": "application/x-www-form-urlencoded"}
SEE_OTHER = 303
NEW = "/new/event"
RANDOM_ID = re.compile(rb'^id = "([0-9a-f]{16})"\n', re.MULTILINE)
Contents = dict[str, bytes] | None


@dataclass(frozen=True)
class Step:
    """A change by the page: where it is sent, and the fields for the event as it is then."""

    path: str
    fields: Callable[[Path], Form]

    def form(self, folder: Path) -> Form:
        state = state_of(folder)
        sure = [("sure", "yes")] * (self.path != NEW)
        return [("state", state or ""), *sure, *self.fields(folder)]


def step(path: str, **fields: str) -> Step:
    return Step(path, lambda _: [*fields.items()])


def publish(folder: Path) -> Form:
    return [("match", format_match(match)) for match in preview(folder).result.pairs]


def again(folder: Path) -> Form:
    pairs = preview_repair(folder, [1]).result.pairs
    return [("keep", "1"), *(("match", format_match(match)) for match in pairs)]


def first_event() -> list[Step]:
    """An event of eight from an empty folder to the bracket."""
    players = "\n".join(["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"])
    first = {"players": players, "title": "Cup", "rounds": "3", "points": "3-1-0"}

    def asked(folder: Path) -> Form:
        return [*founding(client(folder).post(NEW, data=first).text).items()]

    script = [Step(NEW, asked)]
    script += [step("/players/enter", name=name) for name in ("Gus", "Hal")]
    script += [step("/players/apart", player="Ann", other="Bob")]
    script += [step("/players/table", player="Cid", table="7")]
    for turn in (1, 2):
        tables = ["1", "2", "3", "7"]
        script += [Step("/round/draft/publish", publish)]
        script += [
            step("/results/score", table=table, score="3-0", round=str(turn))
            for table in tables
        ]
        script += [step("/results/score", table="1", score="0-3", round=str(turn))]
    script += [step("/players/out", player="Hal"), step("/players/bye", player="Gus")]
    script += [step("/players/in", player="Hal"), step("/log/undo", step="10")]
    script += [
        Step("/round/draft/publish", publish),
        step("/players/out", player="Hal"),
    ]
    script += [step("/players/in", player="Hal"), Step("/round/again/publish", again)]
    script += [
        step("/results/score", table=table, score="1-1", round="2")
        for table in ("1", "2", "3", "7")
    ]
    script += [step("/standings/cut", cut="4", by_lot="yes")]
    return script + [
        step("/results/score", table=match, score="3-0") for match in ("B1", "B2", "B3")
    ]


SCRIPT = first_event()


def state_of(folder: Path) -> str | None:
    """The state that any reader finds; None for no event."""
    try:
        return read_folder_state(folder).state
    except UsageError:
        return None


def contents_of(folder: Path) -> Contents:
    """The event's files that any reader finds, without the id, which is drawn at random.

    None for no event.
    """
    try:
        files = dict(read_folder_state(folder).files)
    except UsageError:
        return None
    files[EVENT], ids = RANDOM_ID.subn(b"", files[EVENT])
    assert ids == 1
    return files


def id_of(folder: Path) -> bytes | None:
    """The id of an event, which never changes; None for no event."""
    try:
        found = RANDOM_ID.search(read_folder_state(folder).files[EVENT])
    except UsageError:
        return None
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> list[Contents]:
    """The event's files if nobody is killed: before the first step, and after each."""
    folder = tmp_path_factory.mktemp("whole") / "event"
    page, found = client(folder), [contents_of(folder)]
    for each in SCRIPT:
        form: dict[str, list[str]] = {}
        for name, value in each.form(folder):
            form.setdefault(name, []).append(value)
        answer = page.post(each.path, data=form, follow_redirects=False)
        assert answer.status_code == SEE_OTHER, (each.path, answer.text)
        found.append(contents_of(folder))
    # Nearly each step leaves files of its own.
    assert len({*map(repr, found)}) > len(SCRIPT) - 5
    return found


def sent(address: str, each: Step, folder: Path) -> bool:
    """Whether a step is answered with success."""
    host = address.removeprefix("http://")
    door = HTTPConnection(host, timeout=PATIENCE)
    body = urlencode(each.form(folder))
    try:
        door.request("POST", each.path, body, {**ORDINARY, "origin": address})
        return door.getresponse().status == SEE_OTHER
    except (HTTPException, OSError):
        return False
    finally:
        door.close()


def killed(folder: Path, states: list[Contents], luck: random.Random, done: int) -> int:
    """Send more steps of the script, and kill the process in the middle of the last.

    Returns how many steps are done then. `states` are the event's files after each step.
    """
    took = 0.3  # what the first answer takes, then the latest
    with running(folder) as (process, address):
        for each in SCRIPT[done : done + luck.randrange(8)]:
            begun = time.monotonic()
            assert sent(address, each, folder)
            took = time.monotonic() - begun
            done += 1
            assert contents_of(folder) == states[done]
        if done == len(SCRIPT):
            return done
        answers: list[bool] = []
        id_before = id_of(folder)
        last = threading.Thread(
            target=lambda: answers.append(sent(address, SCRIPT[done], folder))
        )
        last.start()
        time.sleep(luck.uniform(0, 1.2) * took)
        process.kill()
        process.wait(PATIENCE)
        last.join(PATIENCE)
    (answered,) = answers
    state, after = state_of(folder), contents_of(folder)
    assert after in ([states[done + 1]] if answered else states[done : done + 2])
    if after is None:
        return done
    assert id_before in (id_of(folder), None)
    with open_folder(folder) as desk:  # which finishes what was begun
        assert desk.state == state
        numbers = [each.number for each in desk.journal.steps()]
        assert (
            undo(desk.rehearsed(), to=numbers[-1]).step is None
        )  # the files are those of a step
    assert numbers == [*range(1, len(numbers) + 1)]
    log = (folder / LOG).read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in log] == [*map(str, numbers)]
    assert not [each.name for each in folder.iterdir() if each.name.endswith(".new")]
    return done + (after == states[done + 1])


def many_killed(folder: Path, states: list[Contents], kills: int, seed: int) -> None:
    luck, done, events = random.Random(seed), 0, 0
    for _ in range(kills):
        done = killed(folder / str(events), states, luck, done)
        if done == len(SCRIPT):
            done, events = 0, events + 1


@pytest.mark.slow
def test_six_are_killed(tmp_path: Path, states: list[Contents]) -> None:
    many_killed(tmp_path, states, 6, seed=1)


@pytest.mark.slow
def test_two_hundred_are_killed(tmp_path: Path, states: list[Contents]) -> None:
    many_killed(tmp_path, states, 200, seed=2)
