"""Contender `program`: another program that pairs, called with files."""

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
    """A contender that runs another program, which reads a TRF file and writes pairs.

    In `command`, {trf} and {pairs} stand for the two files. The first line of the file
    of pairs has their number, each further line two starting numbers: the first has the
    first side, 0 is the bye. The exit code `no_pairing` means that there is no pairing;
    other codes than 0, and more than `seconds`, are errors. Games have to be white and
    black. A call pairs the next round of an event.
    """

    name: str
    command: tuple[str, ...]
    no_pairing: int | None = None
    seconds: float = 60.0

    @property
    def found(self) -> str | None:
        """The path of the program in `command`; None if it is not installed."""
        return shutil.which(self.command[0])

    def fingerprint(self) -> str:
        """Return the SHA-256 of the files in the command, to identify versions.

        They are the program and those parts of the command that are paths of files;
        without any it is the digest of nothing.
        """
        command_parts = [self.found, *self.command[1:]]
        file_contents = [
            Path(command_part).read_bytes()
            for command_part in command_parts
            if command_part and Path(command_part).is_file()
        ]
        return hashlib.sha256(b"\0".join(file_contents)).hexdigest()

    def __call__(self, event: Event, seed: int, /) -> Pairs | None:
        """Run the program on the event, and return its pairs of the next round.

        Returns None if the exit code is `no_pairing`. The seed is not used. Raises
        UsageError if the program is not installed or fails.
        """
        program_path, program_name = self.found, self.name
        if program_path is None:
            raise UsageError(
                "contender.not_installed",
                contender=program_name,
                program=self.command[0],
            )

        player_of_number, trf_text = _build_trf(event)
        with TemporaryDirectory() as temporary_folder:
            trf_path, pairs_path = (
                Path(temporary_folder, "event.trf"),
                Path(temporary_folder, "pairs.txt"),
            )
            trf_path.write_text(trf_text, encoding="utf-8")
            path_of_placeholder = {TRF: str(trf_path), PAIRS: str(pairs_path)}
            command_line = [
                program_path,
                *(
                    path_of_placeholder.get(command_part, command_part)
                    for command_part in self.command[1:]
                ),
            ]
            try:
                finished_process = subprocess.run(  # noqa: S603
                    command_line, capture_output=True, timeout=self.seconds
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise UsageError(
                    "contender.failed", contender=program_name, error=str(error)
                ) from None

            exit_code = finished_process.returncode
            if exit_code == self.no_pairing:
                return None
            if exit_code:
                error_output = finished_process.stderr.decode(errors="replace")
                last_error_line = error_output.strip().split("\n")[-1]
                raise UsageError(
                    "contender.exit_code",
                    contender=program_name,
                    code=exit_code,
                    said=last_error_line,
                )
            if not pairs_path.is_file():
                raise UsageError("contender.wrote_nothing", contender=program_name)
            return self._read_pairs(
                pairs_path.read_text(encoding="utf-8", errors="replace"),
                player_of_number,
            )

    def _read_pairs(self, text: str, players: dict[int, str]) -> Pairs:
        """Read the pairs in the text of the program's file, as names of players.

        `players` has the names by starting number. A bye is one name alone. The first
        line, the number of pairs, is not used, and words that are no numbers are
        skipped. Raises UsageError for a line without exactly two numbers, for a number
        that no player has, or if there are no pairs.
        """
        words_by_line = [
            file_line.split()
            for file_line in text.splitlines()[1:]
            if file_line.strip()
        ]
        starting_number_pairs = [
            tuple(int(line_word) for line_word in line_words if line_word.isdigit())
            for line_words in words_by_line
        ]
        if not starting_number_pairs or any(
            len(starting_number_pair) != 2
            for starting_number_pair in starting_number_pairs
        ):
            raise UsageError("contender.lines_unfit", contender=self.name)

        unknown_numbers = [
            starting_number
            for starting_number_pair in starting_number_pairs
            for starting_number in starting_number_pair
            if starting_number and starting_number not in players
        ]
        if unknown_numbers:
            raise UsageError(
                "contender.no_player", contender=self.name, player=unknown_numbers[0]
            )
        return [
            tuple(
                players[starting_number]
                for starting_number in starting_number_pair
                if starting_number
            )
            for starting_number_pair in starting_number_pairs
        ]


def _build_trf(event: Event) -> tuple[dict[int, str], str]:
    """Return the players by starting number, and a TRF that asks for the next round.

    The TRF is a text, not a file. Points other than those of chess are in it with the
    codes of bbpPairings, absent players in a line XXZ. An event without a drawn initial
    side gets the first side, and lines XXS are left out.
    """
    initial_side = 0 if event.initial_side is None else event.initial_side
    event_with_initial_side = replace(event, initial_side=initial_side)
    trf_text = write16(event_with_initial_side).text
    player_of_number = dict(
        zip(
            choose_starting_numbers(event_with_initial_side), event.players, strict=True
        )
    )
    trf_lines = [
        trf_line for trf_line in trf_text.splitlines() if not trf_line.startswith("XXS")
    ]
    absent_numbers = [
        f"{starting_number:>4}"
        for starting_number, player in player_of_number.items()
        if not event.active[event.index[player]]
    ]
    if absent_numbers:
        trf_lines.append(f"XXZ {' '.join(absent_numbers)}")

    event_points = event.settings.points or CHESS
    if (event_points.win, event_points.draw, event_points.loss) != (
        CHESS.win,
        CHESS.draw,
        CHESS.loss,
    ):
        # codes of bbpPairings
        points_of_code = {
            "BBW": event_points.win,
            "BBD": event_points.draw,
            "BBL": event_points.loss,
            "BBZ": Fraction(0),
            "BBF": event_points.loss,
            "BBU": event_points.allocated_bye,
        }
        trf_lines += [
            f"{points_code} {float(points_value):>4.1f}"
            for points_code, points_value in points_of_code.items()
        ]
    return player_of_number, "\n".join([*trf_lines, ""])


NAMES = ("bbpPairings", "bbpPairings.exe", "bbp")
"""Names of the program, in the order in which they are tried."""


@dataclass(frozen=True)
class Bbp(ExternalProgram):
    """The contender `bbp`: the Dutch System as the program bbpPairings pairs it.

    The program has to be installed: github.com/BieremaBoyzProgramming/bbpPairings.
    """

    kind: ClassVar[str] = "bbp"

    name: str = "bbp"
    command: tuple[str, ...] = (NAMES[0], "--dutch", TRF, "-p", PAIRS)
    no_pairing: int | None = 1

    @property
    def found(self) -> str | None:
        """The path of the program; None if it is not installed.

        It is tried as bbpPairings, bbpPairings.exe and bbp, in this order.
        """
        return next(filter(None, map(shutil.which, NAMES)), None)
