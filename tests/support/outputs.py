"""What the commands of a page print: the pages show it, and a test compares.

A page shows the output of the commands above by a comment and a block:

    <!-- output: 1-3,-1 -->
    ```text
    ```

The numbers choose lines of what the last command of the block above printed, or with `output of all` of
what all its commands printed; negative ones count from the end.
Lines that are left out are shown as `…`. A comment `<!-- exit code 1 -->` above a block of commands says
how they end, if not with 0. `python tests/make/make_outputs.py` fills the blocks."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pages
from click.testing import CliRunner
from places import DATA, ROOT, SAMPLE

from pairopt.cli import main

PARTS = re.compile(
    r"(?:^<!-- exit code (?P<code>\d) -->\n)?^```sh\n(?P<commands>.*?)^```$"
    r"|^<!-- output(?P<all> of all)?: (?P<lines>[-\d,]+) -->\n```text\n.*?^```$",
    flags=re.DOTALL | re.MULTILINE,
)
PARTS_SHOWN = re.compile(r"^<!-- output(?: of all)?: ", flags=re.MULTILINE)
RANGE = re.compile(r"(-?\d+)(?:-(-?\d+))?$")
os.environ.setdefault("PAIROPT_LISTS", "no-lists")  # in the folder of the sample
DRAWN = 7
"""What is drawn for a new event, so that the same players meet in each run."""

OTHERS = {
    "melee.csv": DATA / "exports" / "melee.csv",
    "startgg.csv": DATA / "exports" / "startgg.csv",
    "challonge.csv": DATA / "exports" / "challonge.csv",
    "topdeck.csv": DATA / "exports" / "topdeck.csv",
    "vega.csv": DATA / "exports" / "vega.csv",
    "lichess.csv": DATA / "exports" / "lichess_games.csv",
    "small.csv": DATA / "small_event.csv",
    "event.json": DATA / "cobra_double_sided_2020.json",
    "report.trf": ROOT / "examples" / "fide" / "bye.trf",
}
"""Files of other programs that pages name."""


def pages_with_outputs() -> list[Path]:
    """List the pages that show what their commands print."""
    return [path for path in pages.PAGES if PARTS_SHOWN.search(pages.text(path))]


def copy_sample(folder: Path) -> None:
    """Make the folder that a reader has: the sample event and the examples."""
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", folder / "examples")
    (own,) = pages.blocks(pages.page("how-to/own-rules"), "toml")
    (folder / "mine.toml").write_text(own, encoding="utf-8")
    for name, source in OTHERS.items():
        shutil.copy(source, folder / name)


def choose_lines(output: str, wanted: str) -> str:
    """Choose lines by their numbers, with `…` for those left out between them."""
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    chosen: list[int] = []
    for part in wanted.split(","):
        found = RANGE.match(part)
        assert found, part
        first, last = (
            int(each) if int(each) > 0 else len(lines) + 1 + int(each)
            for each in (found[1], found[2] or found[1])
        )
        chosen += range(max(first, 1), min(last, len(lines)) + 1)
    shown: list[str] = []
    previous = 0
    for number in sorted({*chosen}):
        if number > previous + 1 and shown:
            shown.append("…")
        shown.append(lines[number - 1])
        previous = number
    return "\n".join(shown)


def run_block(commands: str, code: int) -> list[str]:
    """Run a block of commands here, which end with this code, and return their prints."""
    printed = []
    for line in commands.strip().splitlines():
        name, *words = shlex.split(line)
        assert name == "pairopt", line
        done = CliRunner().invoke(main, words)
        assert done.exit_code == code, (line, done.output)
        printed.append(done.output)
    return printed


@contextlib.contextmanager
def sample_folder() -> Iterator[None]:
    """Be in a new folder with the sample event, where draws come out alike."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        copy_sample(Path(place))
        os.chdir(place)
        try:
            # Tests draw seeds in a way of their own, so both functions are replaced.
            module = "pairopt.folder.create"
            with (
                mock.patch(f"{module}.secrets.randbelow", return_value=DRAWN),
                mock.patch(f"{module}.draw_seed", return_value=DRAWN),
            ):
                yield
        finally:
            os.chdir(before)


def with_outputs(page: str) -> str:
    """Run the commands of a page in order, and return the page with what they print."""
    printed: list[str] = []

    def fill(found: re.Match[str]) -> str:
        nonlocal printed
        if found["commands"] is None:
            wanted = printed if found["all"] else printed[-1:]
            text = choose_lines("".join(wanted), found["lines"])
            comment = f"<!-- output{found['all'] or ''}: {found['lines']} -->"
            return f"{comment}\n```text\n{text}\n```"
        if " serve " not in found["commands"]:
            printed = run_block(found["commands"], int(found["code"] or 0))
        return found[0]

    with sample_folder():
        for name, content in pages.named_files(page).items():
            Path(name).write_text(content, encoding="utf-8")
        return PARTS.sub(fill, page)
