"""Worded: what verbs and errors say, in the words of the page: no command, file or code name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pairopt.errors import PairoptError
from pairopt.event.event import Event
from pairopt.folder.desk import Desk
from pairopt.folder.journal import Step, trail
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.show.shown import known_round
from pairopt.show.words import PAGE
from pairopt.words import Said

COMMANDS = {
    r"^.*row \d+, column score\d: no score for .* (in round \d+): (finish .*)":
        r"results are missing \1: \2",
    r"--[a-z-]+ (?=\S+: expected)": "",
    r" \(--[a-z-]+(?:, or [^)]*)?\)": "",
    r"--force\b(?: \(.*\))?": "what is kept",
    r"--fixed\b(?: \(.*\))?": "the tables that stay",
    r"--bye\b(?: \(.*\))?": "the bye that is kept",
    r"--forbid\b(?: \(.*\))?": "what may not be",
    r"--no-bye\b(?: \(.*\))?": "who may not have the bye",
    r"with --relax ": "without the rule ",
    r"pairopt result for a forfeit, or pairopt repair to pair the round again":
        "a forfeit under Results, or the round paired again under Round",
    r"; for (round \d+): pairopt repair": r"; \1 can be paired again under Round",
    r": pairopt back$": "",
    r"; see pairopt drop": "",
    r"pairopt repair pairs it again": "it can be paired again under Round",
    r"pairopt result for what is open in (\d+)": r"enter what is open in round \1 under Results",
    r"with pairopt undo or in bracket\.csv": "under Log",
    r"(?: \(bracket\.csv\))?; to go back, pairopt undo takes back .*": "; the Log leads back",
    r"no bracket yet: pairopt bracket .*": "the cut is not made yet: see Standings",
    r"for more, change rounds in event\.toml": "its number of rounds is a setting of the event",
    r"pairopt mend .* goes on with what is whole": "the Log leads back to what was whole",
    r"; to go back to before that: pairopt undo .* --to (\d+)": r"; the Log leads back to step \1",
    r"proof: kept as [\w/]*round-0*(\d+)\.json": r"the proof of round \1 is kept",
}  # fmt: skip
"""What the command line calls things, and what the page does."""
STEPS = {
    r"new (.*)": r"The event is made, with \1",
    r"found": "The event is taken as it was found",
    r"(?:pair|repair) round (\d+) by (.*), seed (\d+)(, as it was shown)?":
        r"Paired: round \1 (rules \2, seed \3\4)",
    r"enter (.*)": r"New: \1",
    r"table (.*)": r"\1",
    r"forbid (.*), off": r"\1 may meet again",
    r"forbid (.*), (in rounds? [\d-]+)": r"\1 may not meet \2",
    r"forbid (.*)": r"\1 may not meet",
    r"edit (.*)": r"Changed: \1",
    r"set (.*)": r"Settings: \1",
    r"check-in (.*)": r"Check-in: \1",
    r"bracket (.*)": r"The cut: \1",
    r"result (B\d+) (.*)": r"Match \1: \2",
    r"mend (.*)": "What was damaged is mended",
    r"edited by hand (.*)": r"Changed in the files by hand: \1",
}  # fmt: skip
"""Steps as the log has them, and as sentences."""
OF_PLAYERS = {"drop": "is out", "back": "is in again", "bye": "has a bye in round "}
RESULT = re.compile(r"result round (\d+) table (\S+) (\S+)(.*)")
SCORE = re.compile(r"(?<!\S)\d+(?:\.5)?F?-\d+(?:\.5)?F?(?![\w.-])")
UNDONE = re.compile(r"(undone|again): step (\d+), .*")
_KIND = "|".join(sorted(CONSTRAINTS, key=len, reverse=True))
RULE = re.compile(rf"^({_KIND}|lookahead): (.+?) \((.+)\)$")
BECAUSE = re.compile(rf"\b({_KIND}) \(((?:[^()]|\([^()]*\))*)\)")
WITHOUT = re.compile(rf"without the rule ({_KIND})\b")


def halves(said: str) -> str:
    """The same with ½ in its scores, as ½-½ for 0.5-0.5."""
    return SCORE.sub(lambda score: re.sub(r"\b0?(\d*)\.5", r"\1½", score[0]), said)


@dataclass(frozen=True)
class Words:
    """How a page says things; `desk` is the event as it is, None where there is none."""

    folder: Path
    desk: Desk | None = None

    @property
    def title(self) -> str:
        """The event's title, the folder's name where it has none that can be read."""
        title = self._event.settings.title if self._event is not None else None
        return title or self.folder.resolve().name

    def every(self, lines: Iterable[str | Said]) -> list[str]:
        """The sentences of a verb or an error, each once."""
        return [*dict.fromkeys(map(self.said, lines))]

    def said(self, line: str | Said) -> str:
        """A sentence of a verb or an error."""
        line = PAGE.draw(line).replace(f"{self.folder}{os.sep}", "").replace(f"{self.folder}: ", "")
        line = RULE.sub(lambda found: f"{found[2]}: {found[3]}", line)
        line = BECAUSE.sub(lambda found: f"the rule “{found[2]}”", line)
        for command, words in COMMANDS.items():
            line = re.sub(command, words, line)
        line = WITHOUT.sub(lambda found: f"without the rule “{_rule(found[1])}”", line)
        return halves(line)

    def step(self, step: Step) -> str:
        """A step as a sentence, with names."""
        return halves(self._step(step))

    def _step(self, step: Step) -> str:
        said = f"{step.verb} {step.what}".rstrip()
        for command, words in STEPS.items():
            if found := re.fullmatch(command, said):
                return found.expand(words)
        if step.verb == "undo":
            return f"Back to step {step.at}"
        if step.verb in OF_PLAYERS:
            player, turn = step.what, ""
            if step.verb == "bye":
                player, _, turn = step.what.rpartition(" round ")
            return f"{self._called(player)} {OF_PLAYERS[step.verb]}{turn}"
        if found := RESULT.fullmatch(said):
            number, table, score, rest = found.groups()
            names = self._tables.get((int(number), table)) if step.number in self._made else None
            who = f"{names[0]} {score} {names[1]}" if names else score
            return f"Round {number}, table {table}: {who}{rest}"
        return said

    def undone(self, line: str) -> str:
        """A step that an undo names, as a sentence."""
        found = UNDONE.fullmatch(line)
        if found is None or int(found[2]) not in self._steps:
            return line
        return f"{found[1]}: step {found[2]}, {self._step(self._steps[int(found[2])])}"

    def _called(self, player: str) -> str:
        return player if self._event is None else self._event.called.get(player, player)

    @cached_property
    def _event(self) -> Event | None:
        with suppress(PairoptError):
            return self.desk.event if self.desk else None
        return None

    @cached_property
    def _steps(self) -> Mapping[int, Step]:
        with suppress(PairoptError):
            return {each.number: each for each in self.desk.journal.steps()} if self.desk else {}
        return {}

    @cached_property
    def _made(self) -> frozenset[int]:
        """The steps whose rounds are those of the event as it is now."""
        return frozenset(step.number for step in trail([*self._steps.values()]))

    @cached_property
    def _tables(self) -> Mapping[tuple[int, str], tuple[str, ...]]:
        """Who met at which table, as results are written down."""
        event = self._event
        if event is None:
            return {}
        return {
            (number, line.table): line.names
            for number in range(1, event.round)
            for line in known_round(event, number, listed=True).matches
        }


def _rule(kind: str) -> str:
    """A constraint in words."""
    return " ".join((CONSTRAINTS[kind].__doc__ or kind).split("\n\n")[0].split()).rstrip(".")
