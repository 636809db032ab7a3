"""Define `pairopt lists` and its subcommands, on the rating lists of this computer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from pairopt.cli.console import say, table_text
from pairopt.cli.options import (
    FILE,
    LISTS_FOLDER_OPTION,
    CommandOutput,
    answering,
)
from pairopt.common.lists_folder import find_lists_folder
from pairopt.event.report_head import RatingKind
from pairopt.files.rating_lists.person import RATING_KINDS, ListedPerson
from pairopt.messages import message

if TYPE_CHECKING:
    from pairopt.files.rating_lists.store import RatingList

FIND_COLUMNS = (
    "number",
    "name",
    "title",
    "fed",
    "born",
    "standard",
    "rapid",
    "blitz",
    "national",
    "club",
)
NUMBER_COLUMNS = "number,born,standard,rapid,blitz,national"
LIST_COLUMNS = ("list", "month", "persons", "file")
KIND = click.option(
    "--kind",
    type=click.Choice(RATING_KINDS),
    help="Kind of games of a FIDE list with one rating. You need this option only if the name of FILE does not say the kind of games.",
)


@click.command()
@LISTS_FOLDER_OPTION
@answering("table", "csv", "json", output=False)
def lists() -> CommandOutput:
    """Show the rating lists that are stored on this computer.

    Examples:
      pairopt lists                                  what is stored
      pairopt lists add players_list.zip --month 2026-11
      pairopt lists find "mull ju"

    The commands pairopt lists add, lists find and lists remove change or search these
    lists. Events use the newest stored list. To enter a player from a rating list, use
    pairopt enter FOLDER --fide NUMBER. To compare all players with a rating list, use
    pairopt ratings FOLDER.
    """
    from pairopt.files.rating_lists.store import list_rating_lists

    list_rows = [
        (
            stored_list.name,
            stored_list.month,
            stored_list.person_count,
            stored_list.source,
        )
        for stored_list in list_rating_lists()
    ]
    lists_folder = find_lists_folder()

    def format_table() -> str:
        """Return the stored lists as a table for people, "" if there are none."""
        if not list_rows:
            return ""
        shown_rows = [
            (list_name, list_month, f"{person_count:,}", source_name)
            for list_name, list_month, person_count, source_name in list_rows
        ]
        return table_text(LIST_COLUMNS, shown_rows, "persons")

    folder_message = message("rating_list.folder", path=str(lists_folder))
    empty_message = message("rating_list.none_stored")
    return CommandOutput(
        text=format_table,
        content=lambda: {
            "folder": str(lists_folder),
            "lists": [
                dict(zip(LIST_COLUMNS, list_row, strict=True)) for list_row in list_rows
            ],
        },
        table=lambda: (LIST_COLUMNS, list_rows),
        after=[folder_message] if list_rows else [empty_message, folder_message],
    )


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--month",
    metavar="YYYY-MM",
    help="Month of the list, for example 2026-11. You need this option only if the list does not state its month.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the list, for example dwz. Default: fide for FIDE's lists, otherwise the name of FILE.",
)
@KIND
@LISTS_FOLDER_OPTION
def add(
    file: str, month: str | None, name: str | None, kind: RatingKind | None
) -> None:
    """Store a rating list of FIDE or another federation.

    Examples:
      pairopt lists add players_list.zip --month 2026-11
      pairopt lists add standard_rating_list.txt
      pairopt lists add spieler.csv --name dwz --month 2026-11

    FILE is a file that you have downloaded: FIDE's text or XML file, or a CSV file with
    names and ratings, also in a zip archive. Reading a large list takes about a minute.
    A new list replaces the stored list of the same month. pairopt never downloads a
    list.
    """
    from pairopt.files.rating_lists.store import add_list

    stored_list = add_list(file, name=name, month=month, kind=kind)
    say(
        message(
            "rating_list.added",
            title=stored_list.title,
            persons=stored_list.person_count,
        ),
        message("rating_list.folder", path=str(find_lists_folder())),
    )


@click.command()
@click.argument("text")
@click.option(
    "--list",
    "list_name",
    metavar="NAME",
    help="Rating list, for example fide-2026-11. Default: the newest list of FIDE.",
)
@LISTS_FOLDER_OPTION
@answering("table", "csv", "json", output=False)
def find(text: str, list_name: str | None) -> CommandOutput:
    """Find persons in a rating list.

    Examples:
      pairopt lists find "mull ju"
      pairopt lists find 91009999
      pairopt lists find smith --list ecf

    TEXT is a FIDE number, or the beginnings of words of a name. The search ignores
    accents and capital letters. pairopt shows at most 20 persons, the highest rated
    ones first.
    """
    from pairopt.files.rating_lists.store import MOST_FOUND, choose_list

    searched_list = choose_list(list_name, "standard")
    found_persons = searched_list.search(text)
    person_rows = [_format_cells(person) for person in found_persons]
    count_message = _describe_search(searched_list, len(found_persons), MOST_FOUND)
    return CommandOutput(
        text=lambda: (
            table_text(FIND_COLUMNS, person_rows, NUMBER_COLUMNS) if person_rows else ""
        ),
        content=lambda: {
            "list": searched_list.name,
            "month": searched_list.month,
            "persons": [_build_json(person) for person in found_persons],
        },
        table=lambda: (FIND_COLUMNS, person_rows),
        after=[count_message],
    )


def _describe_search(stored: RatingList, count: int, most: int) -> Any:
    """Return the message about the number of persons that a search found.

    `stored` is the list that was searched, `count` that number, and `most` the most
    that a search returns. If the two are equal, the message says that there may be
    more.
    """
    if not count:
        return message("rating_list.nobody_found", title=stored.title)
    message_kind = "rating_list.many_found" if count == most else "rating_list.found"
    return message(message_kind, title=stored.title, count=count)


def _format_cells(person: ListedPerson) -> tuple[object, ...]:
    """Return a person as the cells of FIND_COLUMNS, in their order.

    Unknown numbers are "".
    """
    fide_ratings = [fide_rating or "" for fide_rating in person.fide]
    return (
        person.fide_number or "",
        person.name,
        person.title,
        person.federation,
        person.birth_year or "",
        *fide_ratings,
        person.national.standard or "",
        person.club,
    )


def _build_json(person: ListedPerson) -> Mapping[str, object]:
    """Return a person as a dict for JSON, with the ratings of each kind of games.

    Ratings are under "fide" and "national".
    """
    return {
        **person._asdict(),
        "fide": person.fide._asdict(),
        "national": person.national._asdict(),
    }


@click.command()
@click.argument("name")
@LISTS_FOLDER_OPTION
def remove(name: str) -> None:
    """Remove a stored rating list.

    Examples:
      pairopt lists remove fide-2026-10
      pairopt lists remove dwz-2026-09

    NAME is the name of the list with its month, as pairopt lists shows it. Events keep
    the players and ratings that they took from the list.
    """
    from pairopt.files.rating_lists.store import remove_list

    say(message("rating_list.removed", title=remove_list(name).title))
