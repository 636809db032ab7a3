"""Planted faults that are known: those of `planted_faults.toml`, noticed by the tests they name.

    bash tests/mutants.sh planted                  all of them
    bash tests/mutants.sh planted lots twice       those that have one of these words

Each is planted in a copy of the checkout, and its tests but the slow ones run there; what none of
them notices is named, and so are tests that fail without a fault. `mutants.py` draws faults nobody
knows yet.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile", "mutants")
LIMIT = 900
"""Seconds the tests may take: a fault that hangs them is noticed."""
NOT_COPIED = shutil.ignore_patterns(".*", "_build", "dist", "__pycache__")


@dataclass(frozen=True)
class Fault:
    """`old` stands once in a file, `new` is the fault; `tests` are files, `what` is its name."""

    what: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    def find(self, code: str) -> list[re.Match[str]]:
        """Find `old` in a file, however the formatter breaks its lines."""
        return [*_any_layout(self.old).finditer(code)]

    def planted(self, code: str) -> str:
        """The file with the fault. Raises ValueError where it is another by now."""
        matches = self.find(code)
        if len(matches) != 1:
            raise ValueError(
                f"{self.path} does not have this once any more: {self.old}"
            )
        start, end = matches[0].span()
        return code[:start] + self.new + code[end:]


def _any_layout(snippet: str) -> re.Pattern[str]:
    """Return a pattern for a snippet of code, with any white space between its words."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", snippet)
    parts = []
    for piece in pieces:
        if piece.isspace() and 0 < len(parts) < len(pieces) - 1:
            parts.append(r"\s+")
        elif piece in ")]}" and parts:
            parts.append(r"\s*,?\s*" + re.escape(piece))
        elif piece in "([{" and len(parts) < len(pieces) - 1:
            parts.append(re.escape(piece) + r"\s*")
        else:
            parts.append(re.escape(piece))
    return re.compile("".join(parts))


def known() -> list[Fault]:
    """All faults of the list."""
    rows = tomllib.loads(LIST.read_text("utf-8"))["fault"]
    return [Fault(**{**row, "tests": tuple(row["tests"])}) for row in rows]


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the checkout."""
    with TemporaryDirectory() as made:
        folder = Path(made, "copy")
        shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
        yield folder


def passes(folder: Path, tests: Iterable[str]) -> bool:
    """Whether these tests, but the slow ones, pass there; that there are none is no pass."""
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    call = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
    try:
        done = subprocess.run(
            call, cwd=folder, env=env, capture_output=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode > 1:
        raise RuntimeError(done.stdout.decode(errors="replace"))
    return done.returncode == 0


def noticed(fault: Fault, folder: Path) -> bool:
    """Whether a test fails with the fault planted in the copy, which is mended again."""
    planted = folder / fault.path
    sound = planted.read_text("utf-8")
    try:
        planted.write_text(fault.planted(sound), "utf-8")
        return not passes(folder, fault.tests)
    finally:
        planted.write_text(sound, "utf-8")


def main(words: Sequence[str]) -> int:
    """Plant those that have one of the words; how many are not noticed."""
    chosen = [
        each
        for each in known()
        if not words or any(word in each.what for word in words)
    ]
    left = 0
    with copied() as folder:
        tests = sorted({name for each in chosen for name in each.tests})
        if not passes(folder, tests):
            raise SystemExit(f"fails without any fault: pytest {' '.join(tests)}")
        for fault in chosen:
            alive = not noticed(fault, folder)
            left += alive
            print(
                f"{'NOT NOTICED' if alive else 'noticed'}: {fault.what} ({fault.path})",
                flush=True,
            )
    print(f"{len(chosen)} faults: {len(chosen) - left} noticed, {left} not")
    return left


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
