"""The log of a round that was published with a rule set aside says which rule, and for whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from against import against_fide
from test_mode import open_of, played
from test_verbs import made, run

from pairopt.folder import pair, preview, publish, repair, result
from pairopt.folder.journal import Journal


def step(folder: Path) -> str:
    """The last line of the log."""
    return (folder / "log.csv").read_text().splitlines()[-1]


def three(path: Path) -> Path:
    """Three players who have all met, and each had a bye."""
    folder = made(path, "ABC", model="monrad", points="3-1-0")
    for _ in range(3):
        pair(folder)
        result(folder, 1, "3-0")
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {"relax": ["no_rematch"]},
        {"allow": [("A", "B"), ("A", "C"), ("B", "C")], "allow_bye": ["A", "B", "C"]},
    ],
)
def test_rematches_are_named(tmp_path: Path, options: dict[str, object]) -> None:
    folder = three(tmp_path / "event")
    done = pair(folder, **options)  # type: ignore[arg-type]
    assert done.result is not None
    one, two = done.result.pairs[0]
    said = f"monrad, seed 0, you allowed pairopt to break these rules: {one} - {two} breaks the rule no_rematch"
    assert said in step(folder).replace("seed 1", "seed 0")
    assert "breaks the rule no_rematch" in str(Journal(folder).steps()[-1].did)
    repair(folder, again=True)
    assert "breaks the rule no_rematch" in step(folder)


def test_a_round_without_such_options_says_nothing(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", model="monrad", points="3-1-0")
    pair(folder)
    assert "set aside" not in step(folder)


def test_an_option_that_nobody_needed_is_named_too(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", model="monrad", points="3-1-0")
    pair(folder, relax=["no_rematch"])
    assert "you allowed exceptions (relax no_rematch), but no match needed one" in step(
        folder
    )


@pytest.mark.long
def test_a_second_bye_by_fide_rules_as_it_was_shown(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    rows = (folder / "matches.csv").read_text().splitlines()
    (alone,) = (row.split(",")[2] for row in rows if row.endswith("bye"))
    played(folder)
    options = {"allow_bye": [alone], "bye": alone}
    shown = preview(folder, **options)  # type: ignore[arg-type]
    with against_fide(2):
        publish(folder, shown.result.pairs, allow_bye=[alone])
    assert "you allowed pairopt to break these rules: " in step(folder)
    assert alone in step(folder).split("you allowed pairopt to break these rules: ")[1]
    assert "breaks the rule no_repeat_bye" in step(folder)


@pytest.mark.long
def test_by_the_command_line(tmp_path: Path) -> None:
    folder = three(tmp_path / "event")
    assert run("pair", folder, "--relax", "no_rematch").exit_code == 0
    assert "breaks the rule no_rematch" in step(folder)
