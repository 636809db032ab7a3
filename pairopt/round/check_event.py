"""Check every round of an event as if it were about to be paired."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
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
from pairopt.round.played_differently import (
    PlayedRemark,
    describe_remarks,
    find_remarks,
    list_rating_notes,
    with_published_pairs,
)


@show_keywords(RoundOptions)
def check_all(
    event: Event,
    model: ModelLike | None = None,
    *,
    solve: bool = True,
    paired_with: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
    **options: Unpack[RoundKeywords],
) -> Iterator[Check]:
    """Yield a check of each round of an event against the rounds before it, in order.

    The players of a round are those who were paired in it. The side drawn for round 1 is the one
    that its matches show, unless the event gives it. If nobody says whether the latest round is
    the last one, it is checked by the rules of the last round and by those of earlier rounds: it
    agrees if it follows either, and a note says which.

    Parameters
    ----------
    event : Event
        The event with its matches.
    model : str, Path or Model, optional
        The model of all rounds.
    solve : bool
        Whether to compare each round with an optimal pairing.
    paired_with : Mapping
        The model and options of single rounds, by number, where `options` say nothing else. An
        event folder keeps them.
    **options
        Options of all rounds. With `last_round` the latest round is the last of the event, as it
        is if the event gives its number of rounds.

    Yields
    ------
    Check
        The check of each round.

    Raises
    ------
    UsageError
        If the event has no rounds, or an option belongs to one round.
    InputError
        If a round is not a pairing of its players.

    Examples
    --------
    >>> [checked.agrees for checked in check_all(event)]  # doctest: +SKIP
    [True, True]
    """
    events_and_options = list_rounds(event, {"last_round": False, **options})
    round_numbers = [round_options["round"] for _, round_options in events_and_options]
    options_of_all = {"model": model, **options}
    yield from _check_rounds(event, round_numbers, options_of_all, paired_with, solve)


def check_one_round(
    event: Event,
    number: int | None,
    *,
    solve: bool = True,
    paired_with: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
    **options: Any,
) -> Check:
    """Check one round that an event has against the rounds before it.

    `number` None stands for the latest round. With `solve` the round is compared with
    an optimal pairing. `options` are the model and the options of the round;
    `paired_with` has further options by round, which are used where `options` leave
    them unset. Raises UsageError if the event has no rounds, or if `options` have one
    that is not for all rounds, such as `drop`. Raises InputError if the event does not
    have the round, or if it is not a pairing of its players.
    """
    rounds_with_options = list_rounds(event, {"last_round": False, **options})
    round_numbers = [round_options["round"] for _, round_options in rounds_with_options]
    chosen_round = round_numbers[-1] if number is None else number
    if chosen_round not in round_numbers:
        raise InputError(event.source, "row.no_round", round=chosen_round)
    round_checks = _check_rounds(event, [chosen_round], options, paired_with, solve)
    return next(round_checks)


def _check_rounds(
    event: Event,
    numbers: Collection[int],
    options: Mapping[str, Any],
    paired_with: Mapping[int, Mapping[str, Any]],
    solve: bool,
) -> Iterator[Check]:
    """Yield a check of each of these rounds against the rounds before it, in order.

    `numbers` are those of the rounds, and `options` the model and the options of all
    rounds. `paired_with` has the options of single rounds by number; each is used only
    if `options` leave it unset. With `solve` each round is compared with an optimal
    pairing. The notes of each check are those of the round alone. Raises UsageError if
    the event has no rounds, and InputError, which names the round, if one is not a
    pairing of its players.
    """
    events_and_options = list_rounds(event, {"last_round": False, **options})
    latest_round = events_and_options[-1][1]["round"]
    played_remarks = find_remarks(event)
    for event_before, given_options in events_and_options:
        round_number = given_options["round"]
        if round_number not in numbers:
            continue
        round_options = {**given_options}
        stored_options = {
            option_name: option_value
            for option_name, option_value in paired_with.get(round_number, {}).items()
            if not round_options.get(option_name)
        }
        round_options |= stored_options
        try:
            round_check, last_round_note, published_note = _check_as_published(
                event_before,
                round_options,
                [remark for remark in played_remarks if remark.round <= round_number],
                latest=round_number == latest_round,
                solve=solve,
            )
        except InputError as error:
            raise InputError(
                f"{event.source}, round {round_number}", error.faults
            ) from None

        round_notes = [*select_new_notes(event_before, round_number, round_check.notes)]
        stored_options_text = options_text(stored_options)
        if stored_options_text:
            round_notes.append(
                message("checked.as_paired", options=stored_options_text)
            )
        if last_round_note is not None:
            round_notes.append(last_round_note)
        if published_note is not None:
            round_notes.append(published_note)
        if not event.origin.breaches:
            round_notes += describe_remarks(
                [remark for remark in played_remarks if remark.round == round_number]
            )
        round_notes += list_rating_notes(event, round_number)
        round_notes += [
            breach.said
            for breach in event.origin.breaches
            if breach.kind == "mode.as_played" and breach.round == round_number
        ]
        yield replace(round_check, notes=tuple(round_notes))


MOST_SETS_OF_REMARKS = 16
"""The most sets of remarks for which a round that does not agree is checked again."""


def _check_as_published(
    before: Event,
    options: Mapping[str, Any],
    remarks: Sequence[PlayedRemark],
    *,
    latest: bool,
    solve: bool,
) -> tuple[Check, Message | None, Message | None]:
    """Check a round as it was played; if that does not agree, as it was published.

    `before` has the round's matches, and `options` its model and options. `latest` says
    whether it is the event's latest round; with `solve` it is compared with an optimal
    pairing. `remarks` are those of the round and of earlier rounds. Those of the round
    are all restored; of the earlier ones, at most `MOST_SETS_OF_REMARKS` sets are
    tried.

    Returns the check, a message on whether it was checked as the last round (None if
    that was known), and a message with the rounds that were restored. If no set makes
    the round agree, the check is that of the round as played, and the last message is
    None.
    """
    round_check, last_round_note = check_paired(
        before, options, latest=latest, solve=solve
    )
    if round_check.agrees or not remarks:
        return round_check, last_round_note, None

    round_number = options["round"]
    remarks_of_round = [remark for remark in remarks if remark.round == round_number]
    earlier_remarks = [remark for remark in remarks if remark.round < round_number]
    earlier_remark_sets = [
        remark_set
        for set_size in range(len(earlier_remarks) + 1)
        for remark_set in combinations(earlier_remarks, set_size)
    ][: MOST_SETS_OF_REMARKS - 1]
    for remark_set in (*earlier_remark_sets, tuple(earlier_remarks)):
        restored_remarks = (*remark_set, *remarks_of_round)
        published_event = with_published_pairs(before, restored_remarks)
        published_check, published_check_note = check_paired(
            published_event, options, latest=latest, solve=solve
        )
        if published_check.agrees:
            remarked_rounds = sorted({remark.round for remark in restored_remarks})
            published_note = message("checked.as_published", rounds=remarked_rounds)
            return published_check, published_check_note, published_note
    return round_check, last_round_note, None


def check_paired(
    before: Event, options: Mapping[str, Any], *, latest: bool, solve: bool = True
) -> tuple[Check, Message | None]:
    """Check a round of an event as it was paired.

    `before` has the round's matches, and `options` its model and options. If it is the
    `latest` round, and nobody knows whether it is the last one, it is checked as both.
    With `solve` it is compared with an optimal pairing. Returns the check that agrees,
    and a message on whether it was checked as the last round, None if that was known.
    Raises InputError if the matches are not a pairing of the active players.
    """

    def check_as(is_last_round: bool) -> Check:
        """Check the round by the rules of the last round, or of an earlier one.

        Raises InputError if the matches are not a pairing of the active players, and
        UsageError if an option does not fit.
        """
        return check_played(
            before, solve=solve, **{**options, "last_round": is_last_round}
        )

    is_last_round = bool(options.get("last_round"))
    return check_either_way(check_as, is_last=is_last_round, is_latest=latest)


def select_new_notes(
    before: Event, number: int, notes: Iterable[str | Note]
) -> tuple[str | Note, ...]:
    """Return the notes on a round, except those that the event itself has.

    `number` is the round, and `before` the event with it. The event's notes say, for
    example, that the round was played, or who joined later. Order is kept.
    """
    event_notes = before.at_round(number).notes
    return tuple(check_note for check_note in notes if check_note not in event_notes)


def list_rounds(
    event: Event, options: Mapping[str, Any]
) -> list[tuple[Event, dict[str, Any]]]:
    """Return an event and options for each round that has been paired, in order.

    Each event holds all matches, and its active players are those who were paired in
    the round. An unset initial side is taken from the results. The options have the
    number of the round as `round`; `last_round` is True at most for the latest round.
    Requested byes make no round. Raises UsageError if there are no rounds, or if an
    option belongs to a single round.
    """
    single_round_options = ("round", "drop", "request_bye", "force", "fixed", "bye")
    if any(options.get(option_name) for option_name in single_round_options):
        raise UsageError("checked.one_round")
    event_rows = event.matches
    round_numbers = sorted(
        set(event_rows.round[event_rows.status != REQUESTED].tolist())
    )
    if not round_numbers:
        raise UsageError("checked.no_rounds", source=event.source)
    if event.initial_side is None:
        event = replace(event, initial_side=initial_side_of_results(event))
    has_last_round = bool(options.get("last_round"))
    rounds_with_options = []
    for round_number in round_numbers:
        is_paired_player = event_rows.paired_rows(round_number).player_mask(
            len(event.players)
        )
        round_event = replace(event, declared_active=is_paired_player, notes=())
        is_last_round = has_last_round and round_number == round_numbers[-1]
        round_options = {**options, "round": round_number, "last_round": is_last_round}
        rounds_with_options.append((round_event, round_options))
    return rounds_with_options
