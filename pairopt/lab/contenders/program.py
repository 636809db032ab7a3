"""Contender `program`: another program that pairs, by way of files."""

import hashlib
import shutil
import subprocess
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.points import CHESS
from pairopt.files.formats.trf.writing import choose_starting_numbers, write16
from pairopt.lab.contenders import Pairs

TRF, PAIRS = "{trf}", "{pairs}"


@dataclass(frozen=True)
class ExternalProgram:
    """A program that reads a TRF and writes pairs: how many, then two starting numbers a line.

    The first has the first side, 0 is the bye. In `command` {trf} and {pairs} stand for the files.
    It finds no pairing where it ends with `no_pairing`; other codes than 0, and more than
    `seconds`, are errors. Games have to be white and black.
    """

    name: str
    command: tuple[str, ...]
    no_pairing: int | None = None
    seconds: float = 60.0

    @property
    def found(self) -> str | None:
        """Where the program is, None where it is not installed."""
        return shutil.which(self.command[0])

    def fingerprint(self) -> str:
        """What tells it from other versions: the bytes of all files that its command names."""
        files = [self.found, *self.command[1:]]
        read = [
            Path(part).read_bytes() for part in files if part and Path(part).is_file()
        ]
        return hashlib.sha256(b"\0".join(read)).hexdigest()

    def __call__(self, event: Event, seed: int, /) -> Pairs | None:
        program, name = self.found, self.name
        if program is None:
            raise UsageError(
                "contender.not_installed", contender=name, program=self.command[0]
            )
        numbers, text = _trf(event)
        with TemporaryDirectory() as folder:
            trf, pairs = Path(folder, "event.trf"), Path(folder, "pairs.txt")
            trf.write_text(text, encoding="utf-8")
            files = {TRF: str(trf), PAIRS: str(pairs)}
            call = [program, *(files.get(part, part) for part in self.command[1:])]
            try:
                done = subprocess.run(call, capture_output=True, timeout=self.seconds)  # noqa: S603
            except (OSError, subprocess.TimeoutExpired) as error:
                raise UsageError(
                    "contender.failed", contender=name, error=str(error)
                ) from None
            code = done.returncode
            if code == self.no_pairing:
                return None
            if code:
                said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
                raise UsageError(
                    "contender.exit_code", contender=name, code=code, said=said
                )
            if not pairs.is_file():
                raise UsageError("contender.wrote_nothing", contender=name)
            return self._pairs(
                pairs.read_text(encoding="utf-8", errors="replace"), numbers
            )

    def _pairs(self, text: str, players: dict[int, str]) -> Pairs:
        lines = [line.split() for line in text.splitlines()[1:] if line.strip()]
        seats = [tuple(int(part) for part in line if part.isdigit()) for line in lines]
        if not seats or any(len(seat) != 2 for seat in seats):
            raise UsageError("contender.lines_unfit", contender=self.name)
        if strange := [n for seat in seats for n in seat if n and n not in players]:
            raise UsageError(
                "contender.no_player", contender=self.name, player=strange[0]
            )
        return [tuple(players[n] for n in seat if n) for seat in seats]


def _trf(event: Event) -> tuple[dict[int, str], str]:
    """The event as a TRF of the round to pair, and the players by their numbers in it."""
    plain = replace(
        event, initial_side=0 if event.initial_side is None else event.initial_side
    )
    text = write16(plain).text
    numbers = dict(zip(choose_starting_numbers(plain), event.players, strict=True))
    lines = [line for line in text.splitlines() if not line.startswith("XXS")]
    away = [
        f"{n:>4}"
        for n, player in numbers.items()
        if not event.active[event.index[player]]
    ]
    lines += [f"XXZ {' '.join(away)}"] * bool(away)
    points = event.settings.points or CHESS
    if (points.win, points.draw, points.loss) != (CHESS.win, CHESS.draw, CHESS.loss):
        told = {
            "BBW": points.win,
            "BBD": points.draw,
            "BBL": points.loss,  # of bbpPairings
            "BBZ": Fraction(0),
            "BBF": points.loss,
            "BBU": points.allocated_bye,
        }
        lines += [f"{code} {float(value):>4.1f}" for code, value in told.items()]
    return numbers, "\n".join([*lines, ""])


NAMES = ("bbpPairings", "bbpPairings.exe", "bbp")
"""What the program is called, in the order in which it is looked for."""


@dataclass(frozen=True)
class Bbp(ExternalProgram):
    """The Dutch System by bbpPairings (github.com/BieremaBoyzProgramming/bbpPairings)."""

    kind: ClassVar[str] = "bbp"

    name: str = "bbp"
    command: tuple[str, ...] = (NAMES[0], "--dutch", TRF, "-p", PAIRS)
    no_pairing: int | None = 1

    @property
    def found(self) -> str | None:
        return next(filter(None, map(shutil.which, NAMES)), None)
