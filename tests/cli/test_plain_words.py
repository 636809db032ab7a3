"""What the commands of an evening say first is in an organiser's words."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from organiser import event, scored
from places import ROOT

from pairopt.cli import main
from pairopt.messages import ENGLISH, MessageFormatter
from pairopt.messages.interfaces import PAGE, TERMINAL
from pairopt.problem.options import options_text
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

EVENING = (
    "new friday --players players.csv --rounds 5 --points 3-1-0 --seed 1",
    "pair friday",
    "result friday 1 3-0",
    "result friday 1 --off",
    "result friday 1 0-3",
    "result friday 2 1-1",
    "result friday 3 3-0",
    "result friday 4 3-0",
    "undo friday",
    "result friday 4 3-0",
    "standings friday",
    "enter friday Zoe",
    "bye friday Ida --points 1",
    "forbid friday Ann Bob",
    "drop friday Bob",
    "pair friday",
    "drop friday Cid",
    "pair friday --again --preview",
    "pair friday --again",
    "edit friday Ann --name Anna",
    "set friday title Weekly",
    "solve friday",
    "check friday",
    "check friday --all",
    "explain friday",
    "compare friday --models standard,excalibur",
    "convert friday out.trf",
    "convert friday out.json",
    "convert friday out.csv",
    "mend friday",
    "bracket friday --cut 4",
    "pair nothing",
    "result friday 99 3-0",
    "result friday 1 7-9",
    "drop friday Nobody",
    "new small --players few.csv --rounds 12 --points 3-1-0 --seed 1",
    "pair small",
    "result small 1 3-0",
    "pair small",
    "undo friday --to 3",
    "models",
    "models standard",
)
WORDS = (
    "seeds?",
    "levels?",
    "arcs?",
    "proven_by",
    "constraints?",
    "optimal",
    "objective",
    "cpsat",
)
"""What is behind "details" on the page, and here in tables and JSON."""
SAID = re.compile(rf"\b({'|'.join(WORDS)}|seeded|[a-z]+_[a-z_]+)\b")
PLAIN = (
    "bracket",
    "bye",
    "cause",
    "change",
    "clash",
    "folder",
    "headline",
    "key",
    "lost",
    "mend",
    "new",
    "player",
    "question",
    "round",
    "score",
    "sure",
    "table",
    "upload",
    "verdict",
    "way",
    "wish",
)
"""Subjects of which all that is told can be the first line of an answer, or stand on a page."""
ENGLISH_FILES = sorted((ROOT / "pairopt" / "messages" / "english").glob("*.toml"))
PLACES = {"bracket.seed", "bracket.no_seed", "bracket.other_seed"}
"""Of a place in a bracket, as that column of its file is called."""


def first_lines(output: str) -> list[str]:
    """What each part of an answer begins with: its first line, and each note or error."""
    lines = [line for line in output.splitlines() if line]
    return lines[:1] + [
        line for line in lines[1:] if line.startswith(("note:", "Error:"))
    ]


@pytest.mark.parametrize(
    "door", [ENGLISH, PAGE, TERMINAL], ids=["python", "page", "terminal"]
)
def test_no_sentence_of_an_evening_has_a_word_of_the_program(
    door: MessageFormatter,
) -> None:
    """Fields are not told yet; an option may stand behind a sentence."""
    every = {
        f"{path.stem}.{what}"
        for path in ENGLISH_FILES
        for what in tomllib.loads(path.read_text())
    }
    said = {
        kind: re.sub(
            r"\{[^}|]*(\|[^}]*)?\}|--[a-z-]+", r"\1", str(door.find_sentence(kind))
        )
        for kind in every - PLACES
        if kind.split(".")[0] in PLAIN or kind.startswith("proof.h")
    }
    assert len(said) > 250
    found = {kind: sentence for kind, sentence in said.items() if SAID.search(sentence)}
    assert found == {}


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Gus", "Ida")
    Path("players.csv").write_text("player\n" + "\n".join(names) + "\n", "utf-8")
    Path("few.csv").write_text("player\nAnn\nBob\n", "utf-8")


@pytest.mark.long
@pytest.mark.usefixtures("evening")
def test_no_first_line_has_a_word_of_the_program() -> None:
    names = {*CONSTRAINTS, *CRITERIA} - {"conflicts", "rematches"}
    words = re.compile(rf"\b({'|'.join([*WORDS, *names])})\b")
    said = {
        call: first_lines(CliRunner().invoke(main, call.split()).output)
        for call in EVENING
    }
    found = {
        call: [line for line in lines if words.search(line.lower())]
        for call, lines in said.items()
    }
    assert {call: lines for call, lines in found.items() if lines} == {}
    assert all(said[call] for call in EVENING)


@pytest.mark.long
@pytest.mark.usefixtures("evening")
def test_an_open_round_is_said_first_and_by_its_tables() -> None:
    """Whatever a command would have of it; no file and no row."""
    for call in EVENING[:3]:
        CliRunner().invoke(main, call.split())
    for call in (
        "pair friday",
        "bracket friday --cut 4",
        "solve friday",
        "explain friday",
        "compare friday --models standard,excalibur",
    ):
        done = CliRunner().invoke(main, call.split())
        line = done.output.splitlines()[0]
        assert re.match(
            r"Round 1 is not finished\. Results are missing at table 2 \(\w+ - \w+\), table 3",
            line,
        )
        assert line.endswith(
            "Enter the missing results first: pairopt result friday TABLE SCORE"
        )
        assert ".csv" not in done.output


@pytest.mark.long
def test_the_ways_out_of_a_round_are_said_without_rules_names(tmp_path: Path) -> None:
    """All have had the bye, and have met all."""
    folder = event(tmp_path / "event", "ABC", 3, model="standard")
    scored(folder)
    done = CliRunner().invoke(main, ["pair", str(folder)])
    assert done.exit_code == 1
    assert not re.search("|".join(CONSTRAINTS), done.output)
    (way,) = [line for line in done.output.splitlines() if line.startswith("way out: ")]
    assert re.match(
        r"way out: give [ABC] a second bye \(--allow-bye [ABC]\); cost: 1 rematch; "
        r"1 second bye;",
        way,
    ), way


def test_the_options_of_a_round_are_told_without_the_seed() -> None:
    assert options_text({"seed": 4, "lookahead": 2}) == "lookahead 2"
    assert options_text({"seed": 4}) == ""
