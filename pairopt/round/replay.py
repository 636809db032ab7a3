"""Replay: every round of an event checked as if it were about to be paired."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Unpack

from pairopt.errors import InputError, UsageError
from pairopt.event.event import REQUESTED, Event
from pairopt.event.fide import side_shown
from pairopt.problem.options import (
    ModelLike,
    RoundKeywords,
    RoundOptions,
    options_text,
    spelled_out,
)  # fmt: skip
from pairopt.round.check import Check, check_played
from pairopt.words import Said, tell


@spelled_out(RoundOptions)
def check_all(
    event: Event, model: ModelLike | None = None, *, solve: bool = True,
    paired_with: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
    **options: Unpack[RoundKeywords],
) -> Iterator[Check]:  # fmt: skip
    """Check each round of an event against the rounds before it, the first one first.

    Who is in a round is who was paired in it; the side drawn for round 1 is the one it shows unless
    the event says it. With `last_round` the latest one is the last of the event, as an event that
    knows its number of rounds says by itself. `paired_with` has the model and options of single
    rounds, by number, where `options` say nothing else: an event folder keeps them. Raises
    UsageError for an event without rounds, or an option that belongs to one round, InputError for a
    round that is no pairing of its players."""
    rounds = every_round(event, {"last_round": False, **options})
    for before, given in rounds:
        number = given["round"]
        own = {name: value for name, value in paired_with.get(number, {}).items()
               if not {**given, "model": model}.get(name)}  # fmt: skip
        try:
            found = check_played(before, solve=solve, **{"model": model, **given, **own})
        except InputError as error:
            raise InputError(f"{event.source}, round {number}", error.faults) from None
        notes = [*new_notes(before, number, found.notes)]
        notes += [tell("checked.as_paired", options=text) for text in [options_text(own)] if text]
        latest = given is rounds[-1][1]
        if latest and event.settings.rounds is None and not given["last_round"]:
            notes.append(tell("checked.rounds_unknown"))
        yield replace(found, notes=tuple(notes))


def new_notes(before: Event, number: int, notes: Iterable[str | Said]) -> tuple[str | Said, ...]:
    """The notes on a round but that it was played, and who came later."""
    known = before.at_round(number).notes
    return tuple(note for note in notes if note not in known)


def every_round(event: Event, options: Mapping[str, Any]) -> list[tuple[Event, dict[str, Any]]]:
    """Each round of an event: the event with those active who were paired in it, and its options.
    Raises UsageError for an event without rounds, or an option that belongs to one round."""
    if any(options.get(name) for name in ("round", "drop", "request_bye", "force", "fixed", "bye")):
        raise UsageError("checked.one_round")
    rows = event.matches
    rounds = sorted(set(rows.round[rows.status != REQUESTED].tolist()))
    if not rounds:
        raise UsageError("checked.no_rounds", source=event.source)
    if event.initial_side is None:
        event = replace(event, initial_side=side_shown(event))
    last = bool(options.get("last_round"))
    return [
        (replace(event, declared_active=rows.paired(number).seen(len(event.players)), notes=()),
         {**options, "round": number, "last_round": last and number == rounds[-1]})
        for number in rounds
    ]  # fmt: skip
