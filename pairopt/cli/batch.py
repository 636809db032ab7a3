"""Many events checked at once: a line a round, and a count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pairopt.cli import EXIT_INFEASIBLE, EXIT_INPUT, EXIT_USAGE
from pairopt.cli.check_text import (
    asked_for,
    broken_rules,
    explained_by,
    explanation,
    standings_text,
    verdict,
)
from pairopt.cli.console import say
from pairopt.cli.options import CommandOutput
from pairopt.cli.round_options import read
from pairopt.common.serialization import to_record
from pairopt.errors import InputError, UsageError
from pairopt.event.stated_standings import compare_stated_standings
from pairopt.folder.stored_proofs import options_by_round
from pairopt.messages import AnyMessage
from pairopt.messages.formatting import count_noun, escape_hidden, join_names
from pairopt.messages.interfaces import TERMINAL
from pairopt.round.check_event import check_all


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What is said of an event's rounds, in the place that it was given in; `content` is for JSON.
    `code` is 0 where all agree, 1 where rounds or standings differ, else what is wrong with it.
    """

    number: int
    text: str
    notes: tuple[str, ...]
    content: Mapping[str, Any]
    code: int


def checked_file(number: int, path: str, options: Mapping[str, Any]) -> CheckedFile:
    """Check each round of an event; faults are told, not raised."""
    rounds, notes = list[dict[str, Any]](), dict[str | AnyMessage, int]()
    whole: tuple[str | AnyMessage, ...] = ()
    stated, fault, code, text = None, None, 0, ""
    try:
        solve, why = options["solve"], options["why"]
        asked = {
            name: value
            for name, value in options.items()
            if name not in ("solve", "why")
        }
        given, chosen = read(path, None, asked, unfinished=True, noted=False)
        whole, stated = given.notes, compare_stated_standings(given)
        for found in check_all(
            given, solve=solve, paired_with=options_by_round(path), **chosen
        ):
            causes = explained_by(found, why)
            more = [
                *(f" {line}." for line in broken_rules(found)),
                *(f" {line}" for line in explanation(causes)),
            ]
            said = f"{verdict(found)}{''.join(more)}"
            text += f"{escape_hidden(path)}, round {found.round}: {said}\n"
            told = to_record(found, "round", "model", "legal", "agrees", "difference")
            rounds.append(told | asked_for(causes))
            for note in found.notes:
                notes.setdefault(note, found.round)
    except (InputError, UsageError) as error:
        fault = error.format_with(TERMINAL)
        code = EXIT_INPUT if isinstance(error, InputError) else EXIT_USAGE
    agree = all(each["agrees"] for each in rounds) and (stated is None or stated.agrees)
    noted = [f"note: {path}: {TERMINAL.format_message(note)}" for note in whole]
    noted += [
        f"note: {path}, from round {turn} on: {TERMINAL.format_message(note)}"
        for note, turn in notes.items()
    ] + (fault.split("\n") if fault else [])
    content = {
        "file": path,
        "fault": fault or None,
        "standings": stated and stated.to_dict(),
        "rounds": rounds,
    }
    text += standings_text(stated, f"{path}, ")
    return CheckedFile(
        number, text, tuple(noted), content, code or EXIT_INFEASIBLE * (not agree)
    )


def make_output(files: Sequence[CheckedFile]) -> CommandOutput:
    for each in files:
        say(*each.notes)
    told = [each.content for each in files]
    rounds = [
        (each["agrees"], f"{file['file']} round {each['round']}")
        for file in told
        for each in file["rounds"]
    ]
    differing = [where for agrees, where in rounds if not agrees]
    agree, differ = len(rounds) - len(differing), len(differing)
    line = f"{count_noun(len(told), 'event', 'events')}, {count_noun(len(rounds), 'round', 'rounds')}"
    line += f": {agree} as they should be"
    if differ:
        line += f", {count_noun(differ, 'differs', 'differ')}: {escape_hidden(join_names(differing))}"
    if wrong := [
        file["file"]
        for file in told
        if file["standings"] and not file["standings"]["agrees"]
    ]:
        line += f"; standings that differ: {escape_hidden(join_names(wrong))}"
    if faulty := [file["file"] for file in told if file["fault"]]:
        line += f"; not checked to the end: {escape_hidden(join_names(faulty))}"
    return CommandOutput(
        text=lambda: "".join([*(each.text for each in files), line, "\n"]),
        content=lambda: {"files": told, "agree": agree, "differ": differ},
        code=max(each.code for each in files),
    )
