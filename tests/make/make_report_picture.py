"""Draw docs/report.png, the guide's picture of the report of the sample event.

python tests/make/make_report_picture.py
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser
from click.testing import CliRunner
from places import ROOT

from pairopt.cli import main

EVENT = ["examples/weekly/matches.csv", "--players", "examples/weekly/players.csv"]


def draw() -> None:
    """Open the report, expand an explanation, and take the picture."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        run = CliRunner().invoke(main, ["solve", *EVENT, "--report", str(path)])
        assert run.exit_code == 0, run.stderr
        size = {"width": 760, "height": 640}
        with (
            browser.launched() as chromium,
            browser.page(chromium, viewport=size) as page,
        ):
            page.goto(path.as_uri())
            page.locator("summary").nth(3).click()
            page.screenshot(path=str(ROOT / "docs" / "report.png"))


if __name__ == "__main__":
    draw()
