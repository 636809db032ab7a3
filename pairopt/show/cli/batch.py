"""Many events checked at once: a line a round, and a count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pairopt.errors import InputError, UsageError
from pairopt.event.stated import Compared, compared
from pairopt.folder.kept import paired_with
from pairopt.round.check import Check
from pairopt.round.replay import check_all
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_INPUT, EXIT_USAGE
from pairopt.show.cli.check import (
    asked_for,
    broken_rules,
    explained_by,
    explanation,
    standings_text,
    verdict,
)
from pairopt.show.cli.rounds import read
from pairopt.show.words import TERMINAL
from pairopt.wording import counted, listed, plain
from pairopt.words import Said


@dataclass(frozen=True, slots=True)
class CheckedRound:
    """A round of an event: whether it is as the model pairs it, or what is said of it."""

    round: int
    model: str
    legal: bool
    agrees: bool
    difference: str | None
    line: str
    causes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """An event's rounds, in the place that it was given in; or what is wrong with it."""

    number: int
    path: str
    rounds: tuple[CheckedRound, ...]
    notes: tuple[str, ...]
    stated: Compared | None
    fault: str
    code: int


def checked_file(number: int, path: str, options: Mapping[str, Any]) -> CheckedFile:
    """Check each round of an event; faults are told, not raised."""
    rounds: list[CheckedRound] = []
    notes: dict[str | Said, int] = {}
    whole: tuple[str | Said, ...] = ()
    stated, fault, code = None, "", 0
    try:
        solve, why = options["solve"], options["why"]
        asked = {name: value for name, value in options.items() if name not in ("solve", "why")}
        given, chosen = read(path, None, asked, unfinished=True, noted=False)
        whole, stated = given.notes, compared(given)
        for found in check_all(given, solve=solve, paired_with=paired_with(path), **chosen):
            rounds.append(_round(path, found, why))
            for note in found.notes:
                notes.setdefault(note, found.round)
    except (InputError, UsageError) as error:
        fault, code = (
            error.drawn(TERMINAL),
            EXIT_INPUT if isinstance(error, InputError) else EXIT_USAGE,
        )
    agree = all(each.agrees for each in rounds) and (stated is None or stated.agrees)
    code = code or EXIT_INFEASIBLE * (not agree)
    said = [f"note: {path}: {TERMINAL.draw(note)}" for note in whole]
    said += [
        f"note: {path}, from round {turn} on: {TERMINAL.draw(note)}" for note, turn in notes.items()
    ]
    return CheckedFile(number, path, tuple(rounds), tuple(said), stated, fault, code)


def _round(path: str, found: Check, why: bool) -> CheckedRound:
    asked = explained_by(found, why)
    more = [*(f" {line}." for line in broken_rules(found)), *(f" {e}" for e in explanation(asked))]
    line = f"{plain(path)}, round {found.round}: {verdict(found)}{''.join(more)}"
    return CheckedRound(found.round, found.model, found.legal, found.agrees, found.difference,
                        line, asked_for(asked))  # fmt: skip


@dataclass(frozen=True)
class Batch:
    """The events that were checked."""

    files: tuple[CheckedFile, ...]

    @property
    def code(self) -> int:
        """0 where all agree, 1 where rounds or standings differ, else what is wrong with a file."""
        return max(each.code for each in self.files)

    @property
    def notes(self) -> list[str]:
        """What is to be said besides."""
        said = (
            each.notes + tuple(each.fault.split("\n") * bool(each.fault)) for each in self.files
        )
        return [note for notes in said for note in notes]

    def text(self) -> str:
        """A line a round, and the count."""
        lines = ["".join(f"{each.line}\n" for each in file.rounds)
                 + standings_text(file.stated, f"{file.path}, ")
                 for file in self.files]  # fmt: skip
        return "".join([*lines, self._summary(), "\n"])

    def to_dict(self) -> dict[str, Any]:
        names = ("round", "model", "legal", "agrees", "difference")
        return {
            "files": [
                {"file": file.path, "fault": file.fault or None,
                 "standings": file.stated and file.stated.to_dict(),
                 "rounds": [{**{name: getattr(each, name) for name in names}, **each.causes}
                            for each in file.rounds]}
                for file in self.files
            ],
            **dict(zip(("agree", "differ"), self._counts(), strict=True)),
        }  # fmt: skip

    def _counts(self) -> tuple[int, int]:
        rounds = [each.agrees for file in self.files for each in file.rounds]
        return sum(rounds), len(rounds) - sum(rounds)

    def _summary(self) -> str:
        agree, differ = self._counts()
        events = counted(len(self.files), "event", "events")
        line = f"{events}, {counted(agree + differ, 'round', 'rounds')}: {agree} as they should be"
        if differ:
            which = [f"{file.path} round {each.round}" for file in self.files
                     for each in file.rounds if not each.agrees]  # fmt: skip
            line += f", {counted(differ, 'differs', 'differ')}: {plain(listed(which))}"
        if wrong := [file.path for file in self.files if file.stated and not file.stated.agrees]:
            line += f"; standings that differ: {plain(listed(wrong))}"
        faulty = [file.path for file in self.files if file.fault]
        return f"{line}; not checked to the end: {plain(listed(faulty))}" if faulty else line
