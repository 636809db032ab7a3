"""FIDE numbers: they identify players, also of one name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pairopt.errors import UsageError
from pairopt.event.name_search import find_twin_names, sorted_words_of
from pairopt.messages import message

if TYPE_CHECKING:
    from pairopt.event.event import Event

FIDE_ID = "fide_id"
"""The column of players.csv with FIDE numbers."""


def are_two_numbers(first_number: str, second_number: str) -> bool:
    """Return whether two normalized FIDE numbers are those of two different persons.

    It is False if `first_number` and `second_number` are equal, or if either is "",
    because that number is unknown.
    """
    return bool(first_number and second_number) and first_number != second_number


def find_twins_without_numbers(
    names: Sequence[str],
    numbers: Sequence[str],
    earlier_names: Sequence[str] = (),
    earlier_numbers: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Return pairs of different names with the same words: they may be one person.

    Words are compared without case, accents and order. Names are left out if all
    persons with these words have FIDE numbers of their own. `numbers` are the
    normalized FIDE numbers of `names`, in the same order, "" for none.
    `earlier_numbers` belong to `earlier_names`, which are compared with `names`, not
    with each other. The earlier name of a pair comes first. Raises ValueError if names
    and numbers are not equally many.
    """
    numbers_by_words: dict[tuple[str, ...], list[str]] = {}
    names_of_all_players = (*earlier_names, *names)
    numbers_of_all_players = (*earlier_numbers, *numbers)
    for player_name, fide_number in zip(
        names_of_all_players, numbers_of_all_players, strict=True
    ):
        numbers_by_words.setdefault(tuple(sorted_words_of(player_name)), []).append(
            fide_number
        )
    return [
        twin_names
        for twin_names in find_twin_names(names, earlier_names)
        if not are_all_distinct(numbers_by_words[tuple(sorted_words_of(twin_names[0]))])
    ]


def are_all_distinct(numbers: Iterable[str]) -> bool:
    """Return whether normalized FIDE numbers are all known and all different.

    It is True without any number.
    """
    number_list = [*numbers]
    return all(number_list) and len({*number_list}) == len(number_list)


def find_repeated_numbers(event: Event) -> list[tuple[str, int, int]]:
    """Return each FIDE number that two players have, with the players' positions.

    An entry is (number, first position, later position) for each later player with the
    number; the first position is that of its first player. Entries are in the order of
    the later players. Players without a number are skipped.
    """
    first_position_by_number: dict[str, int] = {}
    repeated_numbers = []
    for player_position, fide_number in enumerate(event.fide_numbers):
        if not fide_number:
            continue
        earlier_position = first_position_by_number.setdefault(
            fide_number, player_position
        )
        if earlier_position != player_position:
            repeated_numbers.append((fide_number, earlier_position, player_position))
    return repeated_numbers


def require_distinct_numbers(old_event: Event, new_event: Event) -> None:
    """Raise UsageError if players of the new event share a FIDE number.

    The error names the number and both players of each such pair. A later player who
    shared the number in the old event already is accepted.
    """
    repeats_in_old_event = {
        (fide_number, old_event.players[later_position])
        for fide_number, _, later_position in find_repeated_numbers(old_event)
    }
    sharing_notes = [
        message(
            "fide_data.number_of_two",
            number=fide_number,
            first=new_event.shown[earlier_position],
            second=new_event.shown[later_position],
        )
        for fide_number, earlier_position, later_position in find_repeated_numbers(
            new_event
        )
        if (fide_number, new_event.players[later_position]) not in repeats_in_old_event
    ]
    if sharing_notes:
        raise UsageError(*sharing_notes)
