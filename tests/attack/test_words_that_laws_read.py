"""The laws of the attack read some words: each is one that the program prints today.

A law whose pattern never matches protects nothing. The catalogue of messages is read as a file.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import fewest
import laws
import machine
import pytest
import trial
import values

CATALOGUE = Path(__file__).parents[2] / "pairopt" / "messages"
READ: tuple[tuple[re.Pattern[str] | str, tuple[str, ...]], ...] = (
    (laws.STAY, ("change.tables", "change.no_table", "change.no_table_but")),
    (laws.TURNED, ("change.moved", "change.turned", "change.turned_and_moved")),
    (machine.ASKED, ("bye.in_or_out",)),
    (machine.AGAINST, ("mode.breaks", "mode.leaves")),
    (machine.GONE, ("fact.gone",)),
    (machine.BEGUN, ("step.begun", "step.done_now")),
    (machine.INTACT, ("mend.nothing",)),
    (machine.ADVISED, ("mend.two_events", "mend.whose")),
    (trial.BLAMES, ("file.correct", "file.correct_or_mend", "file.mend")),
    (values.NO_ROOM, ("trf.two_points",)),
    (
        values.LOSES,
        ("lost.forfeits", "lost.byes", "lost.results", "lost.matches"),
    ),
)
"""What a law reads, and the messages that it has to find."""


def printed(key: str) -> str:
    """A message as a terminal prints it, with 1 in place of each field."""
    file, name = key.split(".")
    for folder in ("interfaces/terminal", "english"):
        path = CATALOGUE / folder / f"{file}.toml"
        found = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
        if name in found:
            text = re.sub(r"\{\w+:([^|{}]*)\|[^{}]*\}", r"\1", found[name])
            return re.sub(r"\{[^{}]*\}", "1", text)
    raise KeyError(key)


@pytest.mark.parametrize(("words", "keys"), READ, ids=[keys[0] for _, keys in READ])
def test_what_a_law_reads_is_printed(
    words: re.Pattern[str] | str, keys: tuple[str, ...]
) -> None:
    pattern = re.compile(re.escape(words)) if isinstance(words, str) else words
    unread = [printed(key) for key in keys if not pattern.search(printed(key))]
    assert not unread


def test_constraints_are_read_from_the_description_of_a_model() -> None:
    """The last round has others, and a model that proves nothing is left out."""
    early, last = (dict(fewest.constraints("fide-dutch", each)) for each in (0, 1))
    strict = "no_equal_absolute_preference"
    assert {"no_rematch", "no_repeat_bye", strict} <= early.keys()
    assert {"no_rematch", f"{strict}_below_topscorers"} <= last.keys() - {strict}
    assert dict(fewest.constraints("fide-basic", False))["max_side_streak"] == 2
    assert "aesops-by-hand" not in machine.exact_models()
    assert "standard" in machine.exact_models()
