"""Players from rating lists: enter them by FIDE number, and update their data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from pairopt.errors import ConfirmationError, UsageError
from pairopt.event.chosen_ratings import choose_rating, parse_rating
from pairopt.event.column_layout import K_COLUMN
from pairopt.event.fide_data import require_fide_data
from pairopt.event.fide_numbers import FIDE_ID
from pairopt.event.name_search import may_be_same_person
from pairopt.event.report_head import RatingKind, rating_kind_of
from pairopt.event.settings import EventSettings
from pairopt.files.column_headings import FIDE_RATING
from pairopt.files.event_folder import PLAYERS
from pairopt.files.rating_lists.person import ListedPerson
from pairopt.files.rating_lists.store import RatingList, choose_list, list_newest
from pairopt.folder.open_folder import Done, Folder, OpenFolder, open_folder
from pairopt.folder.pairing_numbers import (
    FROZEN_FROM_ROUND,
    is_ranked_by_start_number,
    with_baku_groups,
)
from pairopt.folder.roster import enter
from pairopt.messages import Message, message

UPDATED_COLUMNS = (
    "rating",
    "national_rating",
    FIDE_RATING,
    "title",
    "federation",
    "birth",
    "sex",
    K_COLUMN,
)
"""The columns that an update compares, in the order of its table."""


def find_rating_kind(settings: EventSettings) -> RatingKind:
    """Return the kind of games of an event: standard, rapid or blitz.

    The setting `rating_kind` says it, otherwise the setting `time_control`; without
    both it is standard.
    """
    return rating_kind_of(settings.rating_kind, settings.time_control) or "standard"


def build_cells(
    person: ListedPerson,
    settings: EventSettings,
    own_cells: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the cells of players.csv that a person of a rating list fills in.

    They are texts by column; cells without a value are left out. Ratings are those of
    the event's kind of games. In rapid and blitz, a player without such a rating has
    the standard rating, but no K. The setting `rating_choice` decides which one counts.
    `own_cells` are cells that the player has: a FIDE or national rating that the lists
    lack comes from them when the rating is chosen.
    """
    rating_kind = find_rating_kind(settings)
    listed_rating = person.fide.of_kind(rating_kind)
    fide_rating = listed_rating or person.fide.standard
    national_rating = person.national.of_kind(rating_kind)
    rating_choice = settings.rating_choice
    chosen_rating = choose_rating(
        fide_rating or parse_rating(own_cells.get(FIDE_RATING, "")),
        national_rating or parse_rating(own_cells.get("national_rating", "")),
        rating_choice,
    )
    value_by_column: dict[str, str | int] = {
        "rating": chosen_rating,
        "national_rating": national_rating,
        FIDE_RATING: fide_rating if rating_choice not in (None, "fide") else 0,
        "title": person.title,
        "federation": person.federation,
        "birth": person.birth_year,
        "sex": person.sex,
        K_COLUMN: person.coefficients.of_kind(rating_kind) if listed_rating else 0,
        "club": person.club,
        FIDE_ID: person.fide_number,
    }
    return {
        column_name: str(column_value)
        for column_name, column_value in value_by_column.items()
        if column_value
    }


@dataclass(frozen=True)
class ListedPlayer:
    """A person whom a FIDE number means, with the lists that know the person.

    Attributes
    ----------
    person : ListedPerson
        The data of all lists: national ratings come from the list that has them.
    lists : tuple of RatingList
        The list of the person first, and then a list with national ratings.
    """

    person: ListedPerson
    lists: tuple[RatingList, ...]

    @property
    def titles(self) -> str:
        """The names and months of the lists, as one text: "… and the …"."""
        return " and the ".join(rating_list.title for rating_list in self.lists)


@dataclass(frozen=True)
class ListSelection:
    """The list that an event searches, and the lists that complete it.

    `stored` is the list to search. `others` are lists of the other origin: national
    ones beside one of FIDE, and lists of FIDE with ratings of the event's kind of games
    beside a national one.
    """

    stored: RatingList
    others: tuple[RatingList, ...]


def find_first_month(settings: EventSettings) -> str:
    """Return the month of an event's first day, such as "2026-11".

    It is "" if the settings have no first day.
    """
    return f"{settings.first_day:%Y-%m}" if settings.first_day else ""


def select_lists(settings: EventSettings, name: str | None = None) -> ListSelection:
    """Return the stored lists to search for the players of an event.

    `settings` give the kind of games and the first day. `name` is the list to search,
    such as "fide" or "fide-2026-11". By default it is FIDE's newest list with ratings
    of this kind, otherwise that of another federation. A list later than the month of
    the first day is then chosen only if there is no other. Raises UsageError if there
    is none.
    """
    rating_kind = find_rating_kind(settings)
    month_of_first_day = find_first_month(settings)
    searched_list = choose_list(name, rating_kind, month_of_first_day)
    completing_lists = tuple(
        other_list
        for other_list in list_newest(month_of_first_day)
        if other_list.is_of_fide != searched_list.is_of_fide
        and other_list.has_kind(rating_kind)
    )
    return ListSelection(searched_list, completing_lists)


def find_listed_player(
    fide_number: str, selection: ListSelection
) -> ListedPlayer | None:
    """Return the person with a FIDE number, None if the searched list has none.

    Values that the list lacks, such as national ratings and the club, come from the
    first other list of the selection in which just one person has this number. Raises
    UsageError if several persons of the searched list have the number.
    """
    searched_list = selection.stored
    persons_with_number = searched_list.find(fide_number)
    if len(persons_with_number) > 1:
        raise UsageError(
            "rating_list.several_with_number",
            number=fide_number,
            title=searched_list.title,
            names=[listed_person.name for listed_person in persons_with_number],
        )
    if not persons_with_number:
        return None

    listed_person = persons_with_number[0]
    for other_list in selection.others:
        persons_in_other_list = other_list.find(fide_number)
        if len(persons_in_other_list) != 1:
            continue
        return ListedPlayer(
            _merge_persons(listed_person, persons_in_other_list[0]),
            (searched_list, other_list),
        )
    return ListedPlayer(listed_person, (searched_list,))


def _merge_persons(first: ListedPerson, second: ListedPerson) -> ListedPerson:
    """Return the first person, with the second's values where the first has none.

    These are federation, sex, title, year of birth, club, and ratings and coefficients
    of each kind as a whole. Name and FIDE number are the first person's.
    """
    return first._replace(
        federation=first.federation or second.federation,
        sex=first.sex or second.sex,
        title=first.title or second.title,
        birth_year=first.birth_year or second.birth_year,
        club=first.club or second.club,
        fide=first.fide if any(first.fide) else second.fide,
        national=first.national if any(first.national) else second.national,
        coefficients=(
            first.coefficients if any(first.coefficients) else second.coefficients
        ),
    )


def enter_listed(
    folder: Folder,
    fide_number: str,
    player: str | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    list_name: str | None = None,
    sure: bool = False,
) -> Done:
    """Add a player from a stored rating list, from the next round on.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    fide_number : str
        The FIDE number of the player.
    player : str, optional
        Another name than that of the list.
    columns : mapping of str to str, optional
        Cells of players.csv that replace those of the list.
    list_name : str, optional
        The stored list, for example "fide-2026-11". By default FIDE's newest one with
        ratings of the event's kind of games that is not later than its first day,
        otherwise another one.
    sure : bool
        Whether the new player is a different person from a player with a similar name,
        and wrong data for FIDE are kept.

    Returns
    -------
    Done
        The message names the player and the cells that the rating list filled in.

    Raises
    ------
    UsageError
        If no rating list is stored, if nobody or several persons in the list have the
        FIDE number, or if a player of the event has the number.
    ConfirmationError
        If the event has a player with nearly the same name, or data for FIDE are wrong,
        unless `sure`.
    """
    with open_folder(folder) as opened_folder:
        list_selection = select_lists(opened_folder.event.settings, list_name)
        listed_player = find_listed_player(fide_number, list_selection)
        if listed_player is None:
            raise UsageError(
                "rating_list.no_number",
                number=fide_number,
                title=list_selection.stored.title,
            )
        entered_name = player or listed_player.person.name
        listed_cell_by_column = build_cells(
            listed_player.person, opened_folder.event.settings, columns or {}
        )
        cell_by_column = {**listed_cell_by_column, **(columns or {})}
        filled_note = message(
            "rating_list.fills",
            name=entered_name,
            title=listed_player.titles,
            columns=[
                list_column
                for list_column in listed_cell_by_column
                if list_column not in (columns or {})
            ],
        )
        return enter(
            opened_folder, entered_name, cell_by_column, sure=sure, notes=(filled_note,)
        )


@dataclass(frozen=True)
class RatingChange:
    """A difference between a cell of a player and the rating list.

    Attributes
    ----------
    player : str
        The identifier of the player.
    name : str
        The name of the player.
    column : str
        The column of players.csv.
    before : str
        The cell in players.csv.
    after : str
        The value in the rating list.
    other_name : str
        The name in the list if it may belong to another person, so that the FIDE number
        may be wrong. Otherwise empty.
    """

    player: str
    name: str
    column: str
    before: str
    after: str
    other_name: str = ""

    @property
    def key(self) -> str:
        """A text that identifies the change in a form.

        It has the player, the column, the old and the new cell, with tabs between them.
        """
        return "\t".join((self.player, self.column, self.before, self.after))


@dataclass(frozen=True)
class RatingComparison:
    """The differences between the players of an event and a rating list.

    Attributes
    ----------
    stored : RatingList
        The list.
    changes : tuple of RatingChange
        Cells that differ from the list, player by player. If the list has no value, the
        cell does not count as different.
    without_number : tuple of str
        The names of players without a FIDE number.
    not_listed : tuple of str
        The names of players whose FIDE number the list does not have.
    """

    stored: RatingList
    changes: tuple[RatingChange, ...]
    without_number: tuple[str, ...]
    not_listed: tuple[str, ...]

    def describe(self) -> list[Message]:
        """Return notes on players who were not compared, or whose names differ.

        There is one for each other name, one if nothing differs, one that names players
        without a FIDE number, and one those whom the list does not have.
        """
        other_name_by_player = {
            rating_change.name: rating_change.other_name
            for rating_change in self.changes
            if rating_change.other_name
        }
        comparison_notes = [
            message("rating_list.other_name", name=player_name, listed=other_name)
            for player_name, other_name in other_name_by_player.items()
        ]
        if not self.changes:
            comparison_notes.append(
                message("rating_list.all_equal", title=self.stored.title)
            )
        if self.without_number:
            comparison_notes.append(
                message("rating_list.without_number", names=self.without_number)
            )
        if self.not_listed:
            comparison_notes.append(
                message(
                    "rating_list.not_listed",
                    title=self.stored.title,
                    names=self.not_listed,
                )
            )
        return comparison_notes

    def choose_changes(self, *, is_named: bool) -> list[RatingChange]:
        """Return the changes to write by default, if the user does not choose any.

        Changes of a player whom the list has under another name are left out, unless
        the user has named the players to compare (`is_named`).
        """
        return [
            rating_change
            for rating_change in self.changes
            if is_named or not rating_change.other_name
        ]


def compare_ratings(
    folder: Folder, *, list_name: str | None = None, players: Sequence[str] = ()
) -> RatingComparison:
    """Compare the players of an event with a rating list, by their FIDE numbers.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    list_name : str, optional
        The stored list, for example "fide-2026-11". By default FIDE's newest one with
        ratings of the event's kind of games that is not later than its first day,
        otherwise another one.
    players : sequence of str
        Identifiers or names of the players to compare. By default all.

    Returns
    -------
    RatingComparison
        The differences between the players' data and the list.

    Raises
    ------
    UsageError
        If no rating list is stored, if the named list is not stored, if a player is
        unknown, or if several persons of the list have a player's FIDE number.
    """
    with open_folder(folder) as opened_folder:
        event = opened_folder.event
        list_selection = select_lists(event.settings, list_name)
        compared_positions = {
            event.index[opened_folder.identifier(typed_player)]
            for typed_player in players
        }
        rating_changes: list[RatingChange] = []
        names_without_number = []
        unlisted_names = []
        for player_position, fide_number in enumerate(event.fide_numbers):
            if compared_positions and player_position not in compared_positions:
                continue
            if not fide_number:
                names_without_number.append(event.shown[player_position])
                continue
            listed_player = find_listed_player(fide_number, list_selection)
            if listed_player is None:
                unlisted_names.append(event.shown[player_position])
                continue
            rating_changes += _compare_cells(
                opened_folder, player_position, listed_player.person
            )
        return RatingComparison(
            list_selection.stored,
            tuple(rating_changes),
            tuple(names_without_number),
            tuple(unlisted_names),
        )


def _compare_cells(
    desk: OpenFolder, position: int, person: ListedPerson
) -> Iterable[RatingChange]:
    """Yield a change for each cell of a player that the list has differently.

    `position` is the player's position in the event, and `person` who the player is in
    the list. Only columns that an update compares count, from rating to K. A blank in
    the list, other case, a date of birth in the list's year, and a first K are no
    difference.
    """
    event = desk.event
    present_cell_by_column = {
        column_name: desk.players.get_plain_cells(column_name)[position]
        for column_name in UPDATED_COLUMNS
        if column_name in desk.players.columns
    }
    listed_cell_by_column = build_cells(person, event.settings, present_cell_by_column)
    is_same_name = may_be_same_person(event.names[position], person.name)
    doubtful_listed_name = "" if is_same_name else person.name
    for column_name in UPDATED_COLUMNS:
        listed_cell = listed_cell_by_column.get(column_name, "")
        present_cell = present_cell_by_column.get(column_name, "")
        is_same_text = present_cell.casefold() == listed_cell.casefold()
        is_same_year = column_name == "birth" and listed_cell in present_cell
        # FIDE's K comes with a player of the list, and is not added to other players
        is_new_k = column_name == K_COLUMN and not present_cell
        if not listed_cell or is_same_text or is_same_year or is_new_k:
            continue
        yield RatingChange(
            event.players[position],
            event.shown[position],
            column_name,
            present_cell,
            listed_cell,
            doubtful_listed_name,
        )


def update_ratings(
    folder: Folder,
    changes: Sequence[RatingChange],
    *,
    sure: bool = False,
    title: str = "",
) -> Done:
    """Write data of a rating list into players.csv, in one step of the log.

    Before round 1 is paired, the pairing numbers follow the new ratings. After round 1
    is paired, `update_ratings` keeps the pairing numbers.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    changes : sequence of RatingChange
        The changes to write, from `compare_ratings`.
    sure : bool
        Whether to write the changes although round 1 is already paired.
    title : str
        The name of the list for the log.

    Returns
    -------
    Done
        The messages name the changed cells.

    Raises
    ------
    UsageError
        If a cell has changed since the comparison.
    ConfirmationError
        If round 1 is already paired, because pairing numbers then do not follow new
        ratings.
    """
    with open_folder(folder) as opened_folder:
        if not changes:
            return opened_folder.unchanged("ratings", message("rating_list.no_changes"))
        if opened_folder.rounds() and not sure:
            raise ConfirmationError(
                "rating_list.round_paired", round=opened_folder.rounds()
            )
        changed_folder = opened_folder
        for rating_change in changes:
            changed_folder = _apply_change(changed_folder, rating_change)

        change_notes = [
            message(
                "rating_list.changed" if rating_change.before else "rating_list.filled",
                name=rating_change.name,
                column=rating_change.column,
                value=rating_change.after,
                before=rating_change.before,
            )
            for rating_change in changes
        ]
        changed_folder, number_notes = _with_new_pairing_numbers(changed_folder)
        require_fide_data(opened_folder.event, changed_folder.event, sure)
        changed_folder, group_notes = with_baku_groups(changed_folder)
        step_message = message(
            "step.ratings", value=len(changes), title=title or "rating list"
        )
        return changed_folder.committed(
            "ratings", step_message, [*change_notes, *number_notes, *group_notes]
        )


def ratings(
    folder: Folder,
    *,
    list_name: str | None = None,
    apply: bool = False,
    players: Sequence[str] = (),
    renumber: bool = False,
    sure: bool = False,
) -> Done:
    """Compare the players of an event with a rating list, and update their data.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    list_name : str, optional
        The stored list, for example "fide-2026-11". By default FIDE's newest one with
        ratings of the event's kind of games that is not later than its first day,
        otherwise another one.
    apply : bool
        Whether to write the new values. By default, the answer only lists them.
    players : sequence of str
        Identifiers or names of the players to compare. By default all. If the list has
        another name for a player, you must name this player to write the values.
    renumber : bool
        Only give all players new pairing numbers by the ratings that they have. No
        rating list is needed. This is possible until round 4 is paired.
    sure : bool
        Whether to write new values or pairing numbers although round 1 is already
        paired.

    Returns
    -------
    Done
        The messages name the changed cells or, in a preview, the cells that would
        change.

    Raises
    ------
    UsageError
        If no rating list is stored, if a player is unknown, if `renumber` is True and
        round 4 is paired, if `renumber` is True and the event's pairings do not rank by
        pairing numbers, or if `renumber` is used together with `apply`, `list_name` or
        `players`.
    ConfirmationError
        If round 1 is paired, values or pairing numbers are to be written and `sure` is
        False.
    """
    if renumber:
        if apply or list_name is not None or players:
            raise UsageError("rating_list.renumber_alone")
        return renumber_players(folder, sure=sure)
    with open_folder(folder) as opened_folder:
        rating_comparison = compare_ratings(
            opened_folder, list_name=list_name, players=players
        )
        comparison_notes = rating_comparison.describe()
        if apply and rating_comparison.changes:
            chosen_changes = rating_comparison.choose_changes(is_named=bool(players))
            written_step = update_ratings(
                opened_folder,
                chosen_changes,
                sure=sure,
                title=rating_comparison.stored.title,
            )
            return replace(written_step, said=(*written_step.said, *comparison_notes))
        if rating_comparison.changes:
            unwritten_count = len(rating_comparison.changes)
            comparison_notes.append(
                message("rating_list.not_written", count=unwritten_count)
            )
        return opened_folder.unchanged("ratings", *comparison_notes)


def renumber_players(folder: Folder, *, sure: bool = False) -> Done:
    """Give all players new pairing numbers by rating and title, in one step of the log.

    Source: FIDE Handbook C.04.2, 2.2 to 2.4; numbers are final once round 4 is paired.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    sure : bool
        Whether to change the numbers although round 1 is already paired.

    Returns
    -------
    Done
        The message says how many numbers have changed.

    Raises
    ------
    UsageError
        If round 4 is paired, or the event's pairings do not rank by pairing numbers.
    ConfirmationError
        If round 1 is paired, numbers change and `sure` is False.
    """
    with open_folder(folder) as opened_folder:
        is_round_robin = opened_folder.event.settings.is_round_robin
        if is_round_robin or not is_ranked_by_start_number(opened_folder.event):
            raise UsageError("rating_list.no_numbers")
        last_round = opened_folder.rounds()
        if last_round >= FROZEN_FROM_ROUND:
            raise UsageError("rating_list.numbers_frozen", round=FROZEN_FROM_ROUND)
        old_numbers = opened_folder.event.start_numbers
        new_numbers = np.argsort(opened_folder.event.by_strength) + 1
        changed_count = int((old_numbers != new_numbers).sum())
        if not changed_count:
            return opened_folder.unchanged(
                "ratings", message("rating_list.numbers_fit")
            )
        if last_round and not sure:
            raise ConfirmationError(
                "rating_list.renumber", round=last_round, count=changed_count
            )
        start_column_cells = {"start": [*map(str, new_numbers.tolist())]}
        changed_folder = opened_folder.changed(
            {PLAYERS: opened_folder.players.with_columns(start_column_cells)}
        )
        changed_folder, group_notes = with_baku_groups(changed_folder)
        renumbered_note = message("rating_list.renumbered", count=changed_count)
        step_message = message("step.renumber", value=changed_count)
        return changed_folder.committed(
            "ratings", step_message, [renumbered_note, *group_notes]
        )


def _apply_change(desk: OpenFolder, change: RatingChange) -> OpenFolder:
    """Return the folder with one changed cell of players.csv; nothing is written.

    `change` names the player, the column, and the cell before and after. Raises
    UsageError if the player is gone, or the cell has changed since the comparison.
    """
    player_position = desk.event.position(change.player)
    players_csv_table = desk.players
    present_cell = ""
    if change.column in players_csv_table.columns:
        present_cell = players_csv_table.get_plain_cells(change.column)[player_position]
    if present_cell != change.before:
        raise UsageError(
            "rating_list.changed_since", name=change.name, column=change.column
        )
    return desk.changed(
        {
            PLAYERS: players_csv_table.changed(
                player_position, {change.column: change.after}
            )
        }
    )


def _with_new_pairing_numbers(desk: OpenFolder) -> tuple[OpenFolder, list[Message]]:
    """Return the folder with pairing numbers by the new ratings, and notes on that.

    There is one note if they have changed. Once round 1 is paired the folder is
    unchanged, and the note says that they stay. Nothing is written.
    """
    if desk.rounds():
        return desk, [message("rating_list.numbers_stay")]
    event = desk.event
    new_numbers = np.argsort(event.by_strength) + 1
    if (event.start_numbers == new_numbers).all():
        return desk, []
    start_column_cells = {"start": [*map(str, new_numbers.tolist())]}
    renumbered_folder = desk.changed(
        {PLAYERS: desk.players.with_columns(start_column_cells)}
    )
    return renumbered_folder, [message("rating_list.numbers_made")]
