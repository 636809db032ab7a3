"""Draw docs/solve.svg and docs/check.svg from the real output on the samples.

python tests/make/make_picture.py
"""

from __future__ import annotations

import contextlib
import html
import io
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from click.testing import CliRunner
from places import ROOT
from rich.console import Console
from rich.text import Text

from pairopt.cli import main

COMMANDS = {
    "solve": "pairopt solve examples/weekly/matches.csv --players examples/weekly/players.csv",
    "check": "pairopt check --all examples/fide/limbo.trf",
}


def stored(name: str) -> Path:
    """Where a picture is kept."""
    return ROOT / "docs" / f"{name}.svg"


def drawn(name: str) -> str:
    """A picture: the command, and what it prints; of a round the first tables and the levels."""
    lines = output(COMMANDS[name]).splitlines()
    if name == "solve":
        levels = next(k for k, line in enumerate(lines) if line.startswith("criterion"))
        lines = [*lines[:12], "  ...", "", *lines[levels:]]
    console = Console(
        record=True, width=110, file=io.StringIO(), color_system="truecolor"
    )
    console.print(Text("\n".join([f"$ {COMMANDS[name]}", "", *lines])))
    picture = console.export_svg(title="pairopt", unique_id="pairopt")
    return re.sub(
        r"@font-face \{.*?\}", "", picture, flags=re.DOTALL
    )  # none from the network


def words(picture: str) -> list[str]:
    """The text in a picture, which does not depend on how it is drawn."""
    return [
        html.unescape(text).strip()
        for text in re.findall(r"<text[^>]*>(.*?)</text>", picture)
    ]


def output(command: str) -> str:
    """What a command prints, in the folder of the project."""
    with contextlib.chdir(ROOT):
        result = CliRunner().invoke(main, command.split()[1:])
    assert result.exit_code == (command != COMMANDS["solve"]), result.stderr
    return result.stdout


if __name__ == "__main__":
    for name in COMMANDS:
        stored(name).write_text(drawn(name), encoding="utf-8")
