"""A trial of one law: what is done is kept as it is typed, so that a breach can be done again."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hands import Said, apart, command
from laws import Breach
from outside import Seen, look

BLAMES = re.compile("Correct the file|last intact state")
"""How an answer sends its reader to a damaged file."""


@dataclass
class Trial:
    """Dice, a place of its own, and what has been done in it."""

    dice: Random
    home: Path
    counts: Counter[str] = field(default_factory=Counter)
    trail: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        apart(self.home)

    def begin(self) -> None:
        """An empty place."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.trail.clear()

    def path(self, name: str) -> Path:
        return self.home / name

    def file(self, name: str, content: str | bytes) -> Path:
        """Write a file of this place, and keep what was written."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.trail.append(f"write {name}: {content!r}")
        return path

    def run(self, verb: str, *args: str | Path) -> Said:
        """A command, with paths of this place."""
        given = [str(each) for each in args]
        self.trail.append(
            " ".join(["pairopt", verb, *(self.short(each) for each in given)])
        )
        self.counts["steps"] += 1
        self.counts[verb] += 1
        said = command(verb, *given)
        if said.code:
            self.trail[-1] += f"  # exit {said.code}: {said.err.strip()[:120]}"
        return said

    def file_blamed(self, said: Said) -> bool:
        """Whether an answer sends its reader to a file that nobody has damaged."""
        return BLAMES.search(said.text) is not None

    def short(self, text: str) -> str:
        text = text.replace(f"{self.home}/", "")
        return (
            text
            if text and all(c.isalnum() or c in "-_./=,:½" for c in text)
            else repr(text)
        )

    def seen(self, name: str = "event") -> Seen:
        return look(self.path(name)) if self.path(name).is_dir() else Seen({})

    def clean(self, said: Said) -> Iterator[Breach]:
        """Whatever was asked, the answer has an exit code and no traceback."""
        if said.code not in (0, 1, 2, 3, 4) or "Traceback" in said.text:
            yield Breach("clean answer", f"exit {said.code}: {said.text[-500:]}")


def quoted(cell: object) -> str:
    """A cell as CSV has it."""
    text = str(cell)
    return (
        '"' + text.replace('"', '""') + '"'
        if any(c in text for c in ',;"\n\r\t')
        else text
    )


def csv_text(rows: list[list[object]], cut: str = ",") -> str:
    return "".join(cut.join(map(quoted, row)) + "\n" for row in rows)
