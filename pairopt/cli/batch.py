"""Check many events at once: a line per round, and counts at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pairopt.cli.check_text import (
    CauseSearch,
    causes_content,
    causes_lines,
    describe_broken_rules,
    search_causes,
    short_verdict,
    standings_text,
)
from pairopt.cli.console import say
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_INPUT, EXIT_USAGE
from pairopt.cli.options import CommandOutput
from pairopt.cli.round_options import read_event_options
from pairopt.common.serialization import to_record
from pairopt.errors import InputError, UsageError
from pairopt.event.stated_standings import StandingsComparison, compare_stated_standings
from pairopt.folder.stored_proofs import read_options_by_round
from pairopt.messages import AnyMessage
from pairopt.messages.formatting import count_noun, escape_hidden, join_names
from pairopt.messages.interfaces import TERMINAL
from pairopt.round.check import Check
from pairopt.round.check_event import check_all


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The checks of an event's rounds, as texts.

    `number` is the event's place among the arguments, `content` is for JSON. `code` is the
    exit code: 0 if all agree, 1 if rounds or standings differ, otherwise that of the error.
    """

    number: int
    text: str
    notes: tuple[str, ...]
    content: Mapping[str, Any]
    code: int


def check_file(number: int, path: str, options: Mapping[str, Any]) -> CheckedFile:
    """Check each round of an event, and its standings if the file states some.

    `number` is the event's place among the arguments. A fault of its files does not
    raise, but becomes a part of the result, after the rounds that were checked before
    it.
    """
    rounds: list[dict[str, Any]] = []
    event_notes: tuple[str | AnyMessage, ...] = ()
    first_rounds: dict[str | AnyMessage, int] = {}
    stated: StandingsComparison | None = None
    fault = ""
    code = 0
    text = ""
    try:
        reading_options = {
            name: value
            for name, value in options.items()
            if name not in ("solve", "why")
        }
        event, check_options = read_event_options(
            path, None, reading_options, unfinished=True, noted=False
        )
        event_notes = event.notes
        stated = compare_stated_standings(event)
        for checked in check_all(
            event,
            solve=options["solve"],
            paired_with=read_options_by_round(path),
            **check_options,
        ):
            search = search_causes(checked, options["why"])
            text += _round_line(path, checked, search)
            content = to_record(
                checked, "round", "model", "legal", "agrees", "difference"
            )
            rounds.append(content | causes_content(search))
            for note in checked.notes:
                first_rounds.setdefault(note, checked.round)
    except (InputError, UsageError) as error:
        fault = error.format_with(TERMINAL)
        code = EXIT_INPUT if isinstance(error, InputError) else EXIT_USAGE

    notes = [f"note: {path}: {TERMINAL.format_message(note)}" for note in event_notes]
    notes += [
        f"note: {path}, from round {turn} on: {TERMINAL.format_message(note)}"
        for note, turn in first_rounds.items()
    ]
    if fault:
        notes += fault.split("\n")
    rounds_agree = all(content["agrees"] for content in rounds)
    standings_agree = stated is None or stated.agrees
    if not code and not (rounds_agree and standings_agree):
        code = EXIT_INFEASIBLE
    return CheckedFile(
        number=number,
        text=text + standings_text(stated, f"{path}, "),
        notes=tuple(notes),
        content={
            "file": path,
            "fault": fault or None,
            "standings": stated and stated.to_dict(),
            "rounds": rounds,
        },
        code=code,
    )


def _round_line(path: str, checked: Check, search: CauseSearch) -> str:
    """Return the line about one round: event, verdict, broken rules and causes."""
    details = [f" {line}." for line in describe_broken_rules(checked)]
    details += [f" {line}" for line in causes_lines(search)]
    line = f"{short_verdict(checked)}{''.join(details)}"
    return f"{escape_hidden(path)}, round {checked.round}: {line}\n"


def make_output(files: Sequence[CheckedFile]) -> CommandOutput:
    """Write the notes on all events, and return their lines with counts at the end.

    The exit code is the highest one of all events.
    """
    for file in files:
        say(*file.notes)
    contents = [file.content for file in files]
    rounds = [
        (checked["agrees"], f"{content['file']} round {checked['round']}")
        for content in contents
        for checked in content["rounds"]
    ]
    differing = [place for agrees, place in rounds if not agrees]
    agree_count = len(rounds) - len(differing)
    differ_count = len(differing)

    summary = (
        f"{count_noun(len(contents), 'event', 'events')}, "
        f"{count_noun(len(rounds), 'round', 'rounds')}: {agree_count} as they should be"
    )
    if differ_count:
        summary += (
            f", {count_noun(differ_count, 'differs', 'differ')}: {_join(differing)}"
        )
    wrong_standings = [
        content["file"]
        for content in contents
        if content["standings"] and not content["standings"]["agrees"]
    ]
    if wrong_standings:
        summary += f"; standings that differ: {_join(wrong_standings)}"
    faulty = [content["file"] for content in contents if content["fault"]]
    if faulty:
        summary += f"; not checked to the end: {_join(faulty)}"
    return CommandOutput(
        text=lambda: "".join([*(file.text for file in files), summary, "\n"]),
        content=lambda: {
            "files": contents,
            "agree": agree_count,
            "differ": differ_count,
        },
        code=max(file.code for file in files),
    )


def _join(names: Sequence[str]) -> str:
    """Join names with commas, without characters that could control a terminal."""
    return escape_hidden(join_names(names))
