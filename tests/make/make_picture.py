"""Draw docs/solve.svg, the README's picture, from the real output on the sample event.

python tests/make/make_picture.py
"""

from __future__ import annotations

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

from pairopt.show.cli import main

PICTURE = ROOT / "docs" / "solve.svg"
COMMAND = "pairopt solve examples/weekly/matches.csv --players examples/weekly/players.csv"


def drawn() -> str:
    """The picture: the command, the first tables, and the levels with their proof."""
    lines = output().splitlines()
    levels = next(k for k, line in enumerate(lines) if line.startswith("criterion"))
    text = [f"$ {COMMAND}", "", *lines[:12], "  ...", "", *lines[levels:]]
    console = Console(record=True, width=110, file=io.StringIO(), color_system="truecolor")
    console.print(Text("\n".join(text)))
    picture = console.export_svg(title="pairopt", unique_id="pairopt")
    return re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # none from the network


def words(picture: str) -> list[str]:
    """The text in a picture, which does not depend on how it is drawn."""
    return [html.unescape(text).strip() for text in re.findall(r"<text[^>]*>(.*?)</text>", picture)]


def output() -> str:
    """What the command prints."""
    arguments = [str(ROOT / a) if a.startswith("examples/") else a for a in COMMAND.split()[1:]]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
