"""Rating lists on the page: find a person, and update ratings before round 1."""

from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams

from pairopt.common.limits import LARGEST_LIST_UPLOAD
from pairopt.errors import ConfirmationError, InputError, UsageError
from pairopt.event.settings import EventSettings
from pairopt.files.rating_lists.person import RATING_KINDS, ListedPerson
from pairopt.files.rating_lists.store import (
    MOST_FOUND,
    RatingList,
    choose_list,
    is_list_being_built,
    list_rating_lists,
    remove_list,
)
from pairopt.folder import Done, compare_ratings, update_ratings
from pairopt.folder.listed_players import (
    build_cells,
    find_first_month,
    find_listed_player,
    find_rating_kind,
    renumber_players,
    select_lists,
)
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.pairing_numbers import (
    FROZEN_FROM_ROUND,
    is_ranked_by_start_number,
)
from pairopt.messages import message
from pairopt.web.view import CELL, SURE, Context, PageRequest, View, read_text

LIST, FIDE, CHANGE = "list", "fide", "change"
"""The parameters of addresses and forms: a list, a FIDE number, a changed value."""
ADDED = "add."
"""The prefix of address parameters that are cells of a person without a FIDE number."""


def find_shown_list(
    settings: EventSettings, query: Mapping[str, str]
) -> RatingList | None:
    """Return the rating list in the address, otherwise the one for the event.

    For the latter `settings` decide by the kind of ratings and the first month. None if
    no list is stored at all. Raises UsageError if the address asks for a list that is
    not stored.
    """
    if not list_rating_lists():
        return None
    return choose_list(
        query.get(LIST) or None,
        find_rating_kind(settings),
        find_first_month(settings),
    )


def read_listed_cells(settings: EventSettings, query: QueryParams) -> dict[str, str]:
    """Return the cells of the form for a new player, from a rating list, by column.

    `query` has a person's FIDE number, or the cells of a person without one. `settings`
    decide which list and which rating count. There are no cells without either, or if
    nobody has the number.
    """
    fide_number = query.get(FIDE, "")
    if not fide_number:
        return {
            parameter_name.removeprefix(ADDED): cell_text
            for parameter_name, cell_text in query.items()
            if parameter_name.startswith(ADDED)
        }
    listed_player = find_listed_player(
        fide_number, select_lists(settings, query.get(LIST) or None)
    )
    if listed_player is None:
        return {}
    return {
        "name": listed_player.person.name,
        **build_cells(listed_player.person, settings),
    }


def _build_address(
    person: ListedPerson, stored: RatingList, settings: EventSettings
) -> str:
    """Return the query of the Players page that fills in a person's data.

    It has the FIDE number and the list (`stored`). For a person without a number it has
    all cells, with the rating that counts by the event's `settings`.
    """
    if person.fide_number:
        address_parameters = {
            FIDE: str(person.fide_number),
            LIST: f"{stored.name}-{stored.month}",
        }
    else:
        cell_by_column = {"name": person.name, **build_cells(person, settings)}
        address_parameters = {
            f"{ADDED}{column_name}": cell_text
            for column_name, cell_text in cell_by_column.items()
        }
    return urlencode(address_parameters)


def find_context(request: PageRequest) -> Context:
    """Return at most 20 persons of the rating list whom the typed text may mean.

    "found" has them, each with the rating that counts, "" for none, and the query that
    fills in the data. "q" is the typed text, "stored" the list (None without a stored
    one; then nobody is found), "stored_lists" all lists, "most" the 20, and "kind" the
    kind of ratings. Raises UsageError for a list that is not stored.
    """
    event_settings = request.desk.event.settings
    typed_text = request.query.get("q", "")
    searched_list = find_shown_list(event_settings, request.query)
    rating_kind = find_rating_kind(event_settings)
    found_persons = []
    if searched_list is not None:
        for person in searched_list.search(typed_text):
            cell_by_column = build_cells(person, event_settings)
            form_query = _build_address(person, searched_list, event_settings)
            found_persons.append((person, cell_by_column.get("rating", ""), form_query))
    return {
        "q": typed_text,
        "stored": searched_list,
        "stored_lists": list_rating_lists(),
        "found": found_persons,
        "most": MOST_FOUND,
        "kind": rating_kind,
    }


def ratings_context(request: PageRequest) -> Context:
    """Return old and new values of the event's players, from a rating list.

    "stored" is the list in the address, otherwise the one for the event, and
    "stored_lists" are all lists. "comparison" has the values; it and "stored" are None
    if no list is stored. "before" says whether no round is paired yet, and "renumbers"
    whether pairing numbers can still follow new ratings. Raises UsageError for a list
    that is not stored.
    """
    compared_list = find_shown_list(request.desk.event.settings, request.query)
    rating_comparison = None
    if compared_list is not None:
        list_name = f"{compared_list.name}-{compared_list.month}"
        rating_comparison = compare_ratings(request.desk, list_name=list_name)
    return {
        "stored": compared_list,
        "stored_lists": list_rating_lists(),
        "comparison": rating_comparison,
        "before": request.desk.rounds() == 0,
        "renumbers": request.desk.rounds() < FROZEN_FROM_ROUND
        and not request.desk.event.settings.is_round_robin
        and is_ranked_by_start_number(request.desk.event),
    }


def apply_ratings(desk: OpenFolder, form: FormData) -> Done:
    """Write the values of the rating list that are ticked in the form.

    Return what was done. Raises UsageError if players or the list have changed since
    the comparison, and ConfirmationError if round 1 is paired, unless the form is a
    confirmation.
    """
    list_name = read_text(form, LIST)
    chosen_keys = {str(change_key) for change_key in form.getlist(CHANGE)}
    rating_comparison = compare_ratings(desk, list_name=list_name)
    chosen_changes = [
        rating_change
        for rating_change in rating_comparison.changes
        if rating_change.key in chosen_keys
    ]
    if len(chosen_changes) < len(chosen_keys):
        raise UsageError("rating_list.compare_again")
    list_title = rating_comparison.stored.title
    return update_ratings(desk, chosen_changes, sure=SURE in form, title=list_title)


def renumber(desk: OpenFolder, form: FormData) -> Done:
    """Give all players new pairing numbers by their ratings.

    Return what was done. Raises UsageError once round 4 is paired, and
    ConfirmationError if round 1 is paired, unless the form is a confirmation.
    """
    return renumber_players(desk, sure=SURE in form)


def read_cells(form: FormData) -> dict[str, str]:
    """Return the filled cells of a form for a new player, by their columns.

    They are the fields with the prefix CELL, without blanks around the text.
    """
    return {
        field_name.removeprefix(CELL): str(field_value).strip()
        for field_name, field_value in form.multi_items()
        if field_name.startswith(CELL) and str(field_value).strip()
    }


def describe_list(settings: EventSettings) -> str:
    """Return the name and the month of the event's rating list, "" without a list.

    A damaged list counts as none here. The page of the list names the damage.
    """
    try:
        shown_list = find_shown_list(settings, {})
        return (
            shown_list.title
            if shown_list is not None and shown_list.person_count
            else ""
        )
    except InputError:
        return ""


def lists_context(_: PageRequest) -> Context:
    """Return the stored lists with their numbers of persons, and what the form needs.

    "counted_lists" are pairs of a list and its number, None for a list that is damaged.
    "kinds" are the kinds of ratings, and "most" is the most bytes of a file.
    "is_being_built" says whether a list is being built.
    """
    return {
        "counted_lists": [
            (stored_list, _count_persons(stored_list))
            for stored_list in list_rating_lists()
        ],
        "is_being_built": is_list_being_built(),
        "kinds": RATING_KINDS,
        "most": LARGEST_LIST_UPLOAD,
    }


def _count_persons(stored: RatingList) -> int | None:
    """Return the number of persons of a list, None if its file is damaged.

    The number is read from the list's index.
    """
    try:
        return stored.person_count
    except InputError:
        return None


def remove_stored_list(_: OpenFolder, form: FormData) -> Done:
    """Delete the stored rating list that the form names, and return what was done.

    Without a confirmation raise ConfirmationError, and delete nothing. Raises
    UsageError if there is no such list.
    """
    list_name = read_text(form, LIST) or ""
    if SURE not in form:
        removed_titles = [
            stored_list.title
            for stored_list in list_rating_lists()
            if list_name == f"{stored_list.name}-{stored_list.month}"
        ]
        if removed_titles:
            raise ConfirmationError("rating_list.remove_sure", title=removed_titles[0])
    removed_title = remove_list(list_name).title
    return Done("lists", (message("rating_list.removed", title=removed_title),), None)


LISTED = View("players/listed", "Rating list", find_context)
LISTED_FOUND = View("players/listed/found", "Found in the rating list", find_context)
LISTS = View(
    "players/lists",
    "Rating lists",
    lists_context,
    {"remove": remove_stored_list},
)
RATINGS = View(
    "players/ratings",
    "Update ratings",
    ratings_context,
    {"apply": apply_ratings, "renumber": renumber},
)
