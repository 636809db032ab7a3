"""Killed at any moment, a folder is as before the step or as after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from places import ROOT
from sampled import some_of
from test_verbs import content, finish, made

from pairopt import InputError, UsageError, read_event
from pairopt.folder import undo
from pairopt.folder.create import new
from pairopt.folder.pair_round import pair
from pairopt.folder.roster import bye, drop, enter


class Killed(BaseException):
    """Stands for a process that ends here: nothing after it is done."""


def cut(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """End the process after so many file operations that change anything."""
    seen = 0

    def counted(name: str) -> None:
        real = getattr(Path, name)

        def call(self: Path, *arguments: object, **named: object) -> object:
            nonlocal seen
            if name != "open" or "wb" in arguments:
                seen += 1
                if seen > after:
                    raise Killed
            return real(self, *arguments, **named)

        monkeypatch.setattr(Path, name, call)

    for name in ("replace", "unlink", "open"):
        counted(name)


VERBS: dict[str, Callable[[Path], object]] = {
    "pair": pair,
    "drop": lambda folder: drop(folder, "A"),
    "enter": lambda folder: enter(folder, "Zoe"),
    "bye": lambda folder: bye(folder, "B", round=3),
    "undo": lambda folder: undo(folder, 6),
    "edited": lambda folder: (
        (folder / "event.toml").write_bytes(
            content(folder)["event.toml"] + b"# by hand\n"
        ),
        pair(folder),
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("verb", some_of(["pair", "undo", "edited"], VERBS))
def test_every_operation_of_a_verb(tmp_path: Path, verb: str) -> None:
    states = {}
    for after in range(100):
        folder = made(tmp_path / str(after) / "event")
        enter(folder, "Ann")  # so that undoing it changes two files
        drop(folder, "F")
        pair(folder)
        finish(folder)
        before = content(folder)
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                VERBS[verb](folder)
            except Killed:
                ended = False
            else:
                ended = True
        seen = read_event(folder, unfinished=True)  # what any reader finds
        hand = {**before, "event.toml": content(folder)["event.toml"]}
        bye(folder, "C", round=4)  # finishes what was begun
        now = read_event(folder, unfinished=True)
        assert now.players == seen.players
        assert len(now.matches) == len(seen.matches) + 1
        undo(folder)
        states[after] = content(folder)
        if ended:
            break
    done = states[max(states)]
    assert len(states) > 3
    for state in states.values():
        assert state in (before, hand, done)


@pytest.mark.long
def test_a_new_folder(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    pd.DataFrame({"player": list("ABCD")}).to_csv(listed, index=False)
    model = tmp_path / "mine.toml"
    model.write_text(
        'name = "mine"\ntitle = "t"\nsource = "s"\n[[criteria]]\nkind = "rematches"\n'
    )
    for after in range(100):
        folder = tmp_path / str(after)
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                new(folder, listed, model=str(model))
            except Killed:
                ended = False
            else:
                ended = True
        if ended:
            break
        try:
            pair(folder)  # it is an event
        except UsageError:
            new(folder, listed, model=str(model))  # it is none
            pair(folder)
        assert read_event(folder, unfinished=True).round == 2
    assert 3 < after < 100


@pytest.mark.long
def test_a_process_that_is_killed(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD")
    before = content(folder)
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from pairopt.folder.pair_round import pair\n"
        "real = Path.replace\n"
        "def replace(self, to):\n"
        "    if Path(to).name == 'matches.csv': os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return real(self, to)\n"
        "Path.replace = replace\n"
        "pair(sys.argv[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, folder],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert content(folder) == before  # the step is whole, but not in place
    assert read_event(folder, unfinished=True).round == 2  # readers see it all the same
    with pytest.raises(InputError, match="Enter the missing results first"):
        pair(folder)
    assert content(folder) != before
    undo(folder)
    assert content(folder) == before


@pytest.mark.long
def test_what_is_edited_by_hand_after_a_kill_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "event", "ABCD")
    with monkeypatch.context() as patch:
        cut(patch, 5)  # it is begun, and nothing is in place
        with pytest.raises(Killed):
            pair(folder)
    assert (folder / ".pairopt" / "pending.zip").exists()
    edited = (folder / "matches.csv").read_bytes() + b"1,,A,,,0,,requested\n"
    (folder / "matches.csv").write_bytes(edited)
    drop(folder, "B")
    assert (folder / "matches.csv").read_bytes() == edited
