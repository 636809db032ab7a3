"""The reports (TRF) that `pairopt-fide` is given, the files that it writes, and what it says.

Exit codes are those of bbpPairings.
"""

import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path

from pairopt.common.limits import LARGEST_FILE
from pairopt.errors import InputError, UsageError
from pairopt.event.event import Event
from pairopt.event.score_checks import (
    baku_acceleration,
    players_of_round_one,
    players_with_virtual_points,
)
from pairopt.files.build_event import ReadOptions
from pairopt.files.formats.trf import FORMAT
from pairopt.files.formats.trf.reading import OTHER_POINTS, OTHER_SYSTEM, read
from pairopt.files.text_source import TextSource, decode_text
from pairopt.files.write import write_all
from pairopt.messages.formatting import escape_hidden
from pairopt.problem.build import prepare
from pairopt.problem.model import Model, load_model, model_names

EXIT_DONE, EXIT_NO_PAIRING, EXIT_UNEXPECTED, EXIT_REQUEST, EXIT_TOO_LARGE, EXIT_FILE = (
    range(6)
)
EXIT_DIFFERS = EXIT_NO_PAIRING
"""Of a check: points or ranks are stated that are not those of the results."""
STDIN = "(stdin)"
REFUSED = (OTHER_POINTS, OTHER_SYSTEM)
"""What the programs refuse, and pairopt otherwise says in a note."""


class FileAccessError(Exception):
    """A file that cannot be read, or written."""


@dataclass(frozen=True, slots=True)
class TrfReport:
    """A report that was read: its event, the model of its system, and its path."""

    path: str
    source: TextSource
    event: Event
    model: Model

    @property
    def name(self) -> str:
        """What the programs call it: the file's name without its suffix."""
        return Path(self.path).stem


def resolve_output_path(near: str, name: str) -> Path:
    """Where a file goes: one without a folder into that of another."""
    path = Path(name)
    return Path(near).with_name(name) if near and path.parent == Path() else path


def read_report(path: str, system: str, refused: Sequence[str] = REFUSED) -> TrfReport:
    """A report, and the model of `system`, by default of its own system, else the Dutch one.
    `refused` are the kinds of notes that it may not have. Raises FileAccessError, InputError for a
    report that does not agree with itself, and UsageError for a system that is not here, or is
    another one than the report's.
    """
    source = decode_text(path, read_bytes(path))
    if not FORMAT.recognises(source):
        raise InputError(path, f"expected {FORMAT.expected}")
    event = read(source, ReadOptions())
    if wrong := [note for note in event.notes if note.kind.startswith(tuple(refused))]:
        raise InputError(path, wrong[0])
    own = event.settings.model
    asked = f"fide-{system}" if system else own or "fide-dutch"
    model = load_model(asked) if asked in model_names() else None
    if model is None or model.system is None:
        raise UsageError(f"there is no system --{system}")
    if own not in (None, asked):
        raise UsageError(f"{path} is of the system {own}, not of {asked}")
    return TrfReport(path, source, event, model)


def with_baku_points(report: TrfReport) -> TrfReport:
    """The report with Baku Acceleration in the round to pair, unless it has virtual points there.
    Those of the rounds before are what the report says (as -b of JaVaFo).
    """
    event = report.event
    now = event.round - 1
    if event.settings.rounds is None:
        raise InputError(
            report.path, "Baku Acceleration takes the number of rounds (142, XXR)"
        )
    if event.acceleration[:, now : now + 1].any():
        return report
    win = prepare(event, report.model).state.win
    _, line = baku_acceleration(0, event.settings.rounds, Decimal(str(float(win))))
    best = players_with_virtual_points(event.start_numbers, players_of_round_one(event))
    more = [
        f"250 {'':4} {line[now]:>4.1f} {now + 1:>3} {now + 1:>3} {number:>4} {number:>4}"
        for number, first in zip(event.players, best, strict=True)
        if first and now < len(line)
    ]
    source = replace(report.source, text="\n".join([report.source.text, *more]))
    return replace(report, source=source, event=read(source, ReadOptions()))


def read_bytes(path: str) -> bytes:
    """What is in a file, or comes from the standard input. Raises FileAccessError."""
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(LARGEST_FILE + 1)
        with Path(path).open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise FileAccessError(f"{path} cannot be read: {error.strerror}") from None


def write(path: Path, text: str) -> None:
    """Write a file, over one that is there. Raises FileAccessError."""
    try:
        write_all({path: text})
    except UsageError as error:
        raise FileAccessError(str(error)) from None


def say(text: str) -> None:
    for line in text.split("\n"):
        print(escape_hidden(line), file=sys.stderr)


def out(text: str) -> None:
    sys.stdout.write(text)


def of_each(paths: Sequence[str], work: Callable[[str], int]) -> int:
    return max(run_with_exit_code(partial(work, path)) for path in paths or (STDIN,))


def run_with_exit_code(work: Callable[[], int]) -> int:
    """The exit code of what is tried; what goes wrong is said."""
    try:
        return work()
    except (InputError, UsageError, FileAccessError) as error:
        say(str(error))
        return EXIT_FILE if isinstance(error, FileAccessError) else EXIT_REQUEST
    except MemoryError:
        say("the memory does not suffice")
        return EXIT_TOO_LARGE
    except Exception:
        say(f"Unexpected error, please report it:\n{traceback.format_exc()}")
        return EXIT_UNEXPECTED
