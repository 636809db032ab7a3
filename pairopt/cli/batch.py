"""Check many events at once: a line per round, and counts at the end."""

from collections.abc import Iterable, Mapping, Sequence
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
from pairopt.event.event import Event
from pairopt.event.round_robin_check import check_round_robin
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

    `number` is the event's place among the arguments, from 0. `text` are the lines on
    its rounds, `notes` those for stderr, and `content` is for JSON. `code` is the exit
    code: 0 if all agree, 1 if rounds or standings differ, otherwise that of the error.
    """

    number: int
    text: str
    notes: tuple[str, ...]
    content: Mapping[str, Any]
    code: int


def check_file(number: int, path: str, options: Mapping[str, Any]) -> CheckedFile:
    """Check each round of an event, and its standings if the file states some.

    `number` is the event's place among the arguments. `options` are those of the
    command, with "solve" and "why" (whether to compare with an optimal pairing, and to
    search for causes). A fault of the files does not raise: it becomes a part of the
    result, after the rounds that were checked before it.
    """
    round_contents: list[dict[str, Any]] = []
    event_notes: tuple[str | AnyMessage, ...] = ()
    first_round_by_note: dict[str | AnyMessage, int] = {}
    stated_standings: StandingsComparison | None = None
    fault_text = ""
    exit_status = 0
    round_lines = ""
    berger_record: dict[str, Any] = {}
    try:
        reading_options = {
            option_name: option_value
            for option_name, option_value in options.items()
            if option_name not in ("solve", "why")
        }
        event, check_options = read_event_options(
            path, None, reading_options, unfinished=True, noted=False
        )
        event_notes = event.notes
        stated_standings = compare_stated_standings(event)
        round_lines, berger_record = _check_berger_table(path, event)
        # A round robin has no rounds that a solver could pair.
        checked_rounds: Iterable[Check] = ()
        if not berger_record:
            checked_rounds = check_all(
                event,
                solve=options["solve"],
                paired_with=read_options_by_round(path),
                **check_options,
            )
        for checked_round in checked_rounds:
            cause_search = search_causes(checked_round, options["why"])
            round_lines += _format_round_line(path, checked_round, cause_search)
            round_content = to_record(
                checked_round, "round", "model", "legal", "agrees", "difference"
            )
            round_contents.append(round_content | causes_content(cause_search))
            for note in checked_round.notes:
                first_round_by_note.setdefault(note, checked_round.round)
    except (InputError, UsageError) as error:
        fault_text = error.format_with(TERMINAL)
        exit_status = EXIT_INPUT if isinstance(error, InputError) else EXIT_USAGE

    note_lines = [
        f"note: {path}: {TERMINAL.format_message(note)}" for note in event_notes
    ]
    note_lines += [
        f"note: {path}, from round {first_round} on: {TERMINAL.format_message(note)}"
        for note, first_round in first_round_by_note.items()
    ]
    if fault_text:
        note_lines += fault_text.split("\n")
    rounds_agree = all(round_content["agrees"] for round_content in round_contents)
    rounds_agree = rounds_agree and berger_record.get("agrees", True)
    standings_agree = stated_standings is None or stated_standings.agrees
    if not exit_status and not (rounds_agree and standings_agree):
        exit_status = EXIT_INFEASIBLE
    return CheckedFile(
        number=number,
        text=round_lines + standings_text(stated_standings, f"{path}, "),
        notes=tuple(note_lines),
        content={
            "file": path,
            "fault": fault_text or None,
            "standings": stated_standings and stated_standings.to_dict(),
            "rounds": round_contents,
            **({"berger": berger_record} if berger_record else {}),
        },
        code=exit_status,
    )


def _check_berger_table(path: str, event: Event) -> tuple[str, dict[str, Any]]:
    """Return the check of a round robin against the Berger table: lines, and for JSON.

    The lines are one text, and begin with `path`. Both are empty for other events, and
    for a round robin that is not paired yet.
    """
    if not event.settings.is_round_robin or not len(event.matches):
        return "", {}
    berger_check = check_round_robin(event)
    note_lines = (f"{path}: {note}" for note in berger_check.notes)
    return "".join(
        f"{escape_hidden(note_line)}\n" for note_line in note_lines
    ), berger_check.to_dict()


def _format_round_line(path: str, checked: Check, search: CauseSearch) -> str:
    """Return the line about one round: path, round, verdict, broken rules and causes.

    `checked` is the check of the round. `search` is whether causes of a difference were
    searched, and what was found. The line ends with a line break.
    """
    detail_texts = [
        f" {broken_rule}." for broken_rule in describe_broken_rules(checked)
    ]
    detail_texts += [f" {causes_line}" for causes_line in causes_lines(search)]
    verdict_text = f"{short_verdict(checked)}{''.join(detail_texts)}"
    return f"{escape_hidden(path)}, round {checked.round}: {verdict_text}\n"


def make_output(files: Sequence[CheckedFile]) -> CommandOutput:
    """Write the notes on all events to stderr, and return the output of the command.

    `files` are the checked events, in the order of the output. It has the lines of each
    event, and counts at the end. The exit code is the highest one of all events.
    """
    for checked_file in files:
        say(*checked_file.notes)
    file_contents = [checked_file.content for checked_file in files]
    round_agreements = [
        (
            round_content["agrees"],
            f"{file_content['file']} round {round_content['round']}",
        )
        for file_content in file_contents
        for round_content in file_content["rounds"]
    ]
    differing_rounds = [
        round_name for round_agrees, round_name in round_agreements if not round_agrees
    ]
    agree_count = len(round_agreements) - len(differing_rounds)
    differ_count = len(differing_rounds)

    summary_sentence = (
        f"{count_noun(len(file_contents), 'event', 'events')}, "
        f"{count_noun(len(round_agreements), 'round', 'rounds')}: {agree_count} as they should be"
    )
    if differ_count:
        summary_sentence += f", {count_noun(differ_count, 'differs', 'differ')}: {_join_shown_names(differing_rounds)}"
    wrong_standings = [
        file_content["file"]
        for file_content in file_contents
        if file_content["standings"] and not file_content["standings"]["agrees"]
    ]
    if wrong_standings:
        summary_sentence += (
            f"; standings that differ: {_join_shown_names(wrong_standings)}"
        )
    faulty_files = [
        file_content["file"] for file_content in file_contents if file_content["fault"]
    ]
    if faulty_files:
        summary_sentence += (
            f"; not checked to the end: {_join_shown_names(faulty_files)}"
        )
    return CommandOutput(
        text=lambda: "".join(
            [*(checked_file.text for checked_file in files), summary_sentence, "\n"]
        ),
        content=lambda: {
            "files": file_contents,
            "agree": agree_count,
            "differ": differ_count,
        },
        code=max(checked_file.code for checked_file in files),
    )


def _join_shown_names(names: Sequence[str]) -> str:
    """Return names with commas between them, only the first ones if there are many.

    Characters that could control a terminal are escaped.
    """
    return escape_hidden(join_names(names))
