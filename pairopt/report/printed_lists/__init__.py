"""Printed lists: what hangs on the wall, each declared once in a module of its own.

To add a list, add a module with `LISTS` and its name to `MODULES`.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.messages import Message, message
from pairopt.messages.formatting import find_nearest
from pairopt.report.printed_lists.base import (
    FilledList,
    ListSource,
    PrintedList,
    fill_list,
)

MODULES = (
    "starting",
    "pairings",
    "ranking",
    "cross_table",
    "everybody",
    "prizes",
    "rating_change",
    "fide_report",
)
"""The modules with the lists, in the order of the menu."""


@cache
def printed_lists() -> Mapping[str, PrintedList]:
    """Return the declarations of all printed lists by name, in the order of the menu.

    The first call imports the modules of the lists; the result is cached.
    """
    return {
        printed_list.name: printed_list
        for module_name in MODULES
        for printed_list in import_module(f"{__name__}.{module_name}").LISTS
    }


def available_lists(event: Event) -> list[PrintedList]:
    """Return the lists that can be made of an event, in the order of the menu.

    Lists of a round are among them if a round is paired. An event without players has
    none.
    """
    list_source = ListSource(event, event.round - 1)
    return [
        printed_list
        for printed_list in printed_lists().values()
        if _find_lack(printed_list, list_source) is None
    ]


def _find_lack(printed_list: PrintedList, source: ListSource) -> Message | None:
    """Return the message about what an event lacks for a list; None if it can be made.

    `source` has the event, and `printed_list` is the declaration of the list. The event
    lacks players, or what the list itself needs.
    """
    if not source.event.players:
        return message("roster.nobody")
    return printed_list.find_lack(source)


def find_list(name: str) -> PrintedList:
    """Return the declaration of the list of this name.

    Raises UsageError if there is none; the message names the nearest one.
    """
    list_by_name = printed_lists()
    if name not in list_by_name:
        near_name = find_nearest(name, list_by_name)
        raise UsageError(
            "list.unknown", name=name, near=near_name, known=[*list_by_name]
        )
    return list_by_name[name]


def make_list(
    event: Event, name: str, round_number: int | None = None, public: bool = False
) -> FilledList:
    """Return a printed list of an event with its cells.

    Parameters
    ----------
    event : Event
        The event, whose last round may be open.
    name : str
        The name of the list, for example "cross-table".
    round_number : int, optional
        The round of a list of pairings; by default the one that is played now. Other
        lists count all results.
    public : bool
        Whether the list is published: by default it has no sex and no year of birth.

    Raises
    ------
    UsageError
        There is no such list or round, or the event lacks what the list needs.
    """
    printed_list = find_list(name)
    list_source = ListSource(
        event, event.current_round if round_number is None else round_number, public
    )
    lack_message = _find_lack(printed_list, list_source)
    if lack_message is not None:
        raise UsageError(lack_message)
    return fill_list(printed_list, list_source)
