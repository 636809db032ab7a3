"""The arbiter's manual: what it quotes is what is said, and it speaks to arbiters."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pages
import pytest
from places import ROOT

MANUAL = pages.page("arbiter")
SHOWN = re.compile(r"^```(sh|text)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


@pytest.mark.long
def test_what_is_quoted_is_said_by_the_commands_above(
    weekly: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(weekly)
    said, quoted = "", 0
    for language, block in SHOWN.findall(MANUAL):
        if language == "text":
            # lines that are left out are shown as …
            for part in block.split("…\n"):
                assert " ".join(part.split()) in " ".join(said.split())
            quoted += 1
            continue
        said = ""
        for command in block.strip().splitlines():
            if " serve " not in command:
                code, text = pages.run_here(command, capsys)
                assert code == 0, (command, text)
                said += text
    assert quoted >= 4


@pytest.mark.slow
def test_each_command_of_the_checklist_runs(
    weekly: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(weekly)
    examples = weekly / "examples" / "fide"
    shutil.copy(examples / "spring.csv", "players.csv")
    shutil.copy(examples / "players_list_foa.txt", ".")
    table = MANUAL.partition("## 15. Checklist for the wall")[2]
    commands = [*dict.fromkeys(re.findall(r"`(pairopt [^`]*)`", table))]
    assert len(commands) >= 20
    for command in commands:
        if " serve " in command:
            continue
        if command == "pairopt print spring-open prizes":
            prizes = "pairopt set spring-open prizes.main 100,50"
            assert pages.run_here(prizes, capsys)[0] == 0
        code, text = pages.run_here(command, capsys)
        assert code == 0, (command, text)


def test_its_pictures_are_there_and_it_is_of_ten_pages() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([\w.-]+)\)", MANUAL)
    assert len(pictures) >= 5
    assert all((ROOT / "docs" / name).is_file() for name in pictures)
    assert 3000 < len(MANUAL.split()) < 5600


@pytest.mark.parametrize(
    "word", ["Python", "function", "JSON", "TOML", "API", "solver", "module"]
)
def test_nothing_is_about_programming(word: str) -> None:
    assert word not in MANUAL
