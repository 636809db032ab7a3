"""Counts for FIDE's tournament report (IT3), with the names behind each number."""

from __future__ import annotations

from collections.abc import Sequence

from pairopt.event.fide_counts import ClassCount, count_classes
from pairopt.messages import Message, message
from pairopt.report.printed_lists.base import (
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)


def count_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return the columns for counts of players: class, numbers, federations and names.

    A column for the players from the host federation is there only if the event has
    one. Rows are `ClassCount`. `source` has the event.
    """
    shown_names = source.event.shown

    def named(count: ClassCount) -> str:
        """Return the names of the players of the class `count`, joined by semicolons."""
        return "; ".join(shown_names[player] for player in count.players)

    host_columns = []
    if host_federation(source):
        host_columns = [
            ListColumn(
                "from_host",
                "Host",
                lambda count: count.from_host,
                "number",
                f"From the host federation, {host_federation(source)}",
            )
        ]
    return [
        ListColumn("class", "Class", lambda count: count.name),
        ListColumn("players", "Players", lambda count: len(count.players), "number"),
        ListColumn(
            "federations",
            "FED",
            lambda count: len(count.federations),
            "number",
            "Number of federations",
        ),
        *host_columns,
        ListColumn("codes", "Codes", lambda count: " ".join(count.federations)),
        ListColumn("names", "Names", named),
    ]


def host_federation(source: ListSource) -> str:
    """Return the code of the host federation in the settings, "" if there is none.

    `source` has the event.
    """
    return source.event.settings.federation


def by_class(source: ListSource) -> Sequence[ListSection]:
    """Return one section with a row per class of players.

    Rows are `ClassCount`: the number of players, their federations, and how many are
    from the host federation. The classes are all players, those with and without a
    rating, and those of each title. Players who were never paired don't count once a
    round is paired. `source` has the event.
    """
    return [ListSection("", count_classes(source.event, host_federation(source)))]


def find_other_game(source: ListSource) -> Message | None:
    """Return a message if the event is not chess; None if the list can be made.

    `source` has the event.
    """
    return None if source.event.chess else message("list.no_chess")


LISTS = (
    PrintedList(
        "fide-counts",
        "Counts for FIDE's tournament report (IT3)",
        "players by rating and title, with their names; not FIDE's form",
        count_columns,
        by_class,
        find_lack=find_other_game,
        published=False,
    ),
)
