"""Replay: every round of an event checked as if it were about to be paired."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Unpack

from pairopt.errors import InputError, UsageError
from pairopt.event.event import REQUESTED, Event
from pairopt.event.fide_attributes import initial_side_of_results
from pairopt.messages import Message, Note, message
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    options_text,
    show_keywords,
)
from pairopt.round.check import Check, check_either_way, check_played


@show_keywords(RoundOptions)
def check_all(
    event: Event,
    model: ModelLike | None = None,
    *,
    solve: bool = True,
    paired_with: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
    **options: Unpack[RoundKeywords],
) -> Iterator[Check]:
    """Check each round of an event against the rounds before it, the first one first.

    Who is in a round is who was paired in it; the side drawn for round 1 is the one it shows unless
    the event says it. With `last_round` the latest one is the last of the event, as an event that
    knows its number of rounds says by itself. Otherwise the latest one is checked by the rules of
    the last round and by those of earlier rounds: it agrees if it follows either, and a note says
    which. `paired_with` has the model and options of single
    rounds, by number, where `options` say nothing else: an event folder keeps them. Raises
    UsageError for an event without rounds, or an option that belongs to one round, InputError for a
    round that is no pairing of its players.
    """
    rounds = every_round(event, {"last_round": False, **options})
    latest = rounds[-1][1]["round"]
    for before, given in rounds:
        number = given["round"]
        asked = {"model": model, **given}
        kept = {
            name: value
            for name, value in paired_with.get(number, {}).items()
            if not asked.get(name)
        }
        chosen = {**asked, **kept}
        try:
            found, said = check_paired(
                before, chosen, latest=number == latest, solve=solve
            )
        except InputError as error:
            raise InputError(f"{event.source}, round {number}", error.faults) from None
        notes = [*new_notes(before, number, found.notes)]
        if text := options_text(kept):
            notes.append(message("checked.as_paired", options=text))
        if said is not None:
            notes.append(said)
        notes += [
            each.said
            for each in event.origin.breaches
            if each.kind == "mode.as_played" and each.round == number
        ]
        yield replace(found, notes=tuple(notes))


def check_paired(
    before: Event, options: Mapping[str, Any], *, latest: bool, solve: bool = True
) -> tuple[Check, Message | None]:
    """Check a round of an event as it was paired, the `latest` one as `check_either_way` does."""

    def check_as(is_last: bool) -> Check:
        return check_played(before, solve=solve, **{**options, "last_round": is_last})

    is_last = bool(options.get("last_round"))
    return check_either_way(check_as, is_last=is_last, is_latest=latest)


def new_notes(
    before: Event, number: int, notes: Iterable[str | Note]
) -> tuple[str | Note, ...]:
    """The notes on a round but that it was played, and who came later."""
    known = before.at_round(number).notes
    return tuple(note for note in notes if note not in known)


def every_round(
    event: Event, options: Mapping[str, Any]
) -> list[tuple[Event, dict[str, Any]]]:
    """Each round of an event: the event with those active who were paired in it, and its options.
    Raises UsageError for an event without rounds, or an option that belongs to one round.
    """
    if any(
        options.get(name)
        for name in ("round", "drop", "request_bye", "force", "fixed", "bye")
    ):
        raise UsageError("checked.one_round")
    rows = event.matches
    rounds = sorted(set(rows.round[rows.status != REQUESTED].tolist()))
    if not rounds:
        raise UsageError("checked.no_rounds", source=event.source)
    if event.initial_side is None:
        event = replace(event, initial_side=initial_side_of_results(event))
    last = bool(options.get("last_round"))
    return [
        (
            replace(
                event,
                declared_active=rows.paired_rows(number).player_mask(
                    len(event.players)
                ),
                notes=(),
            ),
            {**options, "round": number, "last_round": last and number == rounds[-1]},
        )
        for number in rounds
    ]
