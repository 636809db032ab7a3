"""Read the reports (TRF) of `pairopt-fide`, write its files and print its messages.

Exit codes are those of bbpPairings.
"""

import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
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
"""The exit code of a check if the stated standings differ from the results."""
STDIN = "(stdin)"
REFUSED = (OTHER_POINTS, OTHER_SYSTEM)
"""The notes about reports that JaVaFo and bbpPairings refuse."""


class FileAccessError(Exception):
    """Raised for a file that cannot be read or written."""


class OutputClosedError(Exception):
    """Raised if stdout cannot be written, so that no further answer can be given."""


@dataclass(frozen=True, slots=True)
class TrfReport:
    """A report that was read: its event, the model of its system, and its path.

    `source` is its text.
    """

    path: str
    source: TextSource
    event: Event
    model: Model

    @property
    def name(self) -> str:
        """The report's name in messages: the file's name without folder and suffix."""
        return Path(self.path).stem


def resolve_output_path(near: str, name: str) -> Path:
    """Return the path of an output file.

    A `name` without a folder means the folder of the file `near`, or the current one if
    `near` is "".
    """
    output_path = Path(name)
    if near and output_path.parent == Path():
        return Path(near).with_name(name)
    return output_path


def read_report(path: str, system: str, refused: Sequence[str] = REFUSED) -> TrfReport:
    """Read a report, with the model of a pairing system.

    `system` is a name such as "dutch"; if it is "", the system is the report's own,
    otherwise the Dutch one. `refused` are the kinds of notes for which a report is
    refused. Raise FileAccessError, InputError for a file that is no report or is
    refused, and UsageError for an unknown system, or another one than the report's.
    """
    report_source = decode_text(path, read_bytes(path))
    if not FORMAT.recognises(report_source):
        raise InputError(path, f"expected {FORMAT.expected}")

    event = read(report_source, ReadOptions())
    refused_notes = [
        note for note in event.notes if note.kind.startswith(tuple(refused))
    ]
    if refused_notes:
        raise InputError(path, refused_notes[0])

    report_model = event.settings.model
    model_name = f"fide-{system}" if system else report_model or "fide-dutch"
    system_model = load_model(model_name) if model_name in model_names() else None
    if system_model is None or system_model.system is None:
        raise UsageError(f"there is no system --{system}")
    if report_model not in (None, model_name):
        raise UsageError(f"{path} is of the system {report_model}, not of {model_name}")
    return TrfReport(path, report_source, event, system_model)


def with_baku_points(report: TrfReport) -> TrfReport:
    """Return the report with Baku Acceleration in the round to pair.

    A report with virtual points in that round stays as it is. Otherwise lines for
    players with virtual points are added to the text, which is read again. Virtual
    points of earlier rounds are those of the report (like -b of JaVaFo). Raise
    InputError if the report does not have the number of rounds.
    """
    event = report.event
    # the index of the round to pair
    round_index = event.round - 1
    if event.settings.rounds is None:
        raise InputError(
            report.path, "Baku Acceleration takes the number of rounds (142, XXR)"
        )
    if event.acceleration[:, round_index : round_index + 1].any():
        return report

    win_points = prepare(event, report.model).state.win
    _, virtual_points = baku_acceleration(
        0, event.settings.rounds, Decimal(str(float(win_points)))
    )
    is_in_first_group = players_with_virtual_points(
        event.start_numbers, players_of_round_one(event)
    )
    record_lines = list[str]()
    if round_index < len(virtual_points):
        round_points = virtual_points[round_index]
        round_number = round_index + 1
        record_lines = [
            f"250 {'':4} {round_points:>4.1f} {round_number:>3} {round_number:>3} {start_number:>4} {start_number:>4}"
            for start_number, has_points in zip(
                event.players, is_in_first_group, strict=True
            )
            if has_points
        ]
    accelerated_text = "\n".join([report.source.text, *record_lines])
    accelerated_source = replace(report.source, text=accelerated_text)
    return replace(
        report, source=accelerated_source, event=read(accelerated_source, ReadOptions())
    )


def read_bytes(path: str) -> bytes:
    """Return the content of a file, or of the standard input for `STDIN`.

    At most one byte above the largest file size is read, so that readers can refuse
    larger files. Raise FileAccessError if the file cannot be read.
    """
    if not path:
        raise FileAccessError("The path of a report is empty. Write its path.")
    if "\0" in path:
        raise FileAccessError(f"{path} cannot be read: The path has a NUL character.")
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(LARGEST_FILE + 1)
        with Path(path).open("rb") as binary_file:
            return binary_file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise FileAccessError(f"{path} cannot be read: {error.strerror}") from None


def write(path: Path, text: str) -> None:
    """Write a file, replacing an old one; raise FileAccessError if that fails."""
    try:
        write_all({path: text})
    except UsageError as error:
        raise FileAccessError(str(error)) from None


def print_error(text: str) -> None:
    """Print the lines of a text on stderr, with hidden characters made visible.

    If stderr cannot be written, the text is lost, but the work goes on.
    """
    with suppress(OSError):
        for error_line in text.split("\n"):
            print(escape_hidden(error_line), file=sys.stderr)


def print_text(text: str) -> None:
    """Write a text to stdout and flush it, without a line break after it.

    Raise OutputClosedError if that fails, for example because nobody reads stdout.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        error_text = f"stdout cannot be written: {error.strerror}"
        raise OutputClosedError(error_text) from None


def run_for_each(paths: Sequence[str], work: Callable[[str], int]) -> int:
    """Do some work for each path, and return the largest exit code.

    Without paths the work is done for `STDIN`. `work` takes a path and returns an exit
    code.
    """
    return max(
        run_with_exit_code(partial(work, report_path))
        for report_path in paths or (STDIN,)
    )


def run_with_exit_code(work: Callable[[], int]) -> int:
    """Call `work` and return its exit code, or the exit code that stands for an error.

    The message of an error is printed on stderr. Raise OutputClosedError, and no other
    error.
    """
    try:
        return work()
    except OutputClosedError:
        raise
    except (InputError, UsageError, FileAccessError) as error:
        print_error(str(error))
        return EXIT_FILE if isinstance(error, FileAccessError) else EXIT_REQUEST
    except MemoryError:
        print_error("the memory does not suffice")
        return EXIT_TOO_LARGE
    except Exception:
        print_error(f"Unexpected error, please report it:\n{traceback.format_exc()}")
        return EXIT_UNEXPECTED
