"""Stored rating lists: one index per list and month, in a folder of the user."""

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from filelock import FileLock, Timeout

from pairopt.common.atomic_write import write_lock
from pairopt.common.lists_folder import find_lists_folder
from pairopt.errors import InputError, UsageError
from pairopt.event.report_head import RatingKind
from pairopt.files.rating_lists.index import (
    build_index,
    find_numbers,
    read_properties,
    search_names,
)
from pairopt.files.rating_lists.list_file import (
    ListFile,
    inspect_list_file,
    read_persons,
)
from pairopt.files.rating_lists.person import ListedPerson

FIDE = "fide"
MOST_FOUND = 20
MONTH = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])")
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
FILE_NAME = re.compile(rf"({NAME.pattern})-({MONTH.pattern})\.sqlite")
LOCK, UNFINISHED = "lists.lock", ".unfinished"
"""The file that the builder of an index locks, and the end of an index's name meanwhile."""
MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True)
class RatingList:
    """A stored rating list of one month.

    Attributes
    ----------
    path : Path
        The index.
    name : str
        The name of the list: "fide" for FIDE's combined list, "fide-rapid" for one kind
        of game, otherwise the name that the user gave.
    month : str
        The month, for example "2026-11".
    """

    path: Path
    name: str
    month: str

    @property
    def title(self) -> str:
        """The name and the month for people, such as "FIDE list of November 2026"."""
        year, month_number = self.month.split("-")
        shown_name = self.name
        if self.is_of_fide:
            shown_name = FIDE.upper() + self.name.removeprefix(FIDE).replace("-", " ")
        return f"{shown_name} list of {MONTH_NAMES[int(month_number) - 1]} {year}"

    @property
    def is_of_fide(self) -> bool:
        """Whether the list is one of FIDE, by its name."""
        return self.name == FIDE or self.name.startswith(f"{FIDE}-")

    def has_kind(self, kind: RatingKind) -> bool:
        """Return whether the list may have ratings of this kind of game.

        A list of FIDE has its kind, or all kinds if it is the combined list. Lists of
        other federations may have every kind.
        """
        return not self.is_of_fide or self.name in (FIDE, f"{FIDE}-{kind}")

    @cached_property
    def person_count(self) -> int:
        """The number of persons. Raises InputError if the index is damaged."""
        return int(read_properties(self.path)["persons"])

    @cached_property
    def source(self) -> str:
        """The name of the file that the list came from.

        Raises InputError if the index is damaged.
        """
        return read_properties(self.path)["source"]

    def search(self, typed: str, most: int = MOST_FOUND) -> list[ListedPerson]:
        """Return at most `most` persons that a typed name or FIDE number may mean.

        A text of digits alone is a FIDE number. Otherwise each typed word must begin a
        word of the name, and the highest rated persons come first. Raises InputError if
        the index is damaged.
        """
        number_text = typed.strip()
        if number_text.isascii() and number_text.isdecimal():
            return self.find(number_text)[:most]
        return search_names(self.path, typed, most)

    def find(self, fide_number: str) -> list[ListedPerson]:
        """Return the persons with a FIDE number; usually there is one or none.

        A text that is no number of at most 10 digits finds nobody, nor does 0. Raises
        InputError if the index is damaged.
        """
        if not fide_number.isdecimal() or len(fide_number) > 10:
            return []
        return find_numbers(self.path, int(fide_number))


def list_rating_lists() -> list[RatingList]:
    """Return the stored rating lists, by name, the newest month of each first.

    Files that an interrupted build has left are removed. Returns an empty list if there
    is no folder of lists.
    """
    lists_folder = find_lists_folder()
    if not lists_folder.is_dir():
        return []
    _remove_unfinished(lists_folder)
    stored_lists = []
    for index_path in lists_folder.glob("*.sqlite"):
        name_match = FILE_NAME.fullmatch(index_path.name)
        if name_match:
            stored_lists.append(RatingList(index_path, name_match[1], name_match[2]))
    stored_lists.sort(key=lambda stored_list: stored_list.month, reverse=True)
    return sorted(stored_lists, key=lambda stored_list: stored_list.name)


def list_newest(latest_month: str = "") -> list[RatingList]:
    """Return one list of each name, that of its newest month, in the order of names.

    With `latest_month`, such as "2026-11", later months count only if a name has no
    other; its earliest month is then returned.
    """
    newest_by_name: dict[str, RatingList] = {}
    stored_lists = list_rating_lists()
    lists_until_month = _list_valid(stored_lists, latest_month)
    for stored_list in (*lists_until_month, *reversed(stored_lists)):
        newest_by_name.setdefault(stored_list.name, stored_list)
    return sorted(newest_by_name.values(), key=lambda stored_list: stored_list.name)


def _list_valid(
    stored_lists: Sequence[RatingList], latest_month: str
) -> list[RatingList]:
    """Return the stored lists that are not of a later month than `latest_month`.

    A month is written as "2026-11"; all of `stored_lists` are returned if it is "". The
    order stays.
    """
    if not latest_month:
        return [*stored_lists]
    return [
        stored_list for stored_list in stored_lists if stored_list.month <= latest_month
    ]


def choose_list(
    name: str | None, kind: RatingKind, latest_month: str = ""
) -> RatingList:
    """Return the stored list to search.

    `name` is a list, with or without a month: "fide" or "fide-2026-11". A name without
    a month gives the newest month. Without a name it is FIDE's newest list that has
    ratings of this `kind` of game, otherwise the newest list of another federation,
    otherwise the newest of all. With `latest_month`, such as "2026-11", a later list is
    chosen only if there is no other, and then the first of them; a given name ignores
    this limit. Raises UsageError if there is no such list.
    """
    stored_lists = list_rating_lists()
    if not stored_lists:
        raise UsageError("rating_list.none_stored")
    if name is not None:
        named_lists = [
            stored_list
            for stored_list in stored_lists
            if name in (stored_list.name, f"{stored_list.name}-{stored_list.month}")
        ]
        if not named_lists:
            known_list_names = [
                f"{named_list.name}-{named_list.month}" for named_list in stored_lists
            ]
            raise UsageError(
                "rating_list.not_stored", name=name, known=known_list_names
            )
        return named_lists[0]

    fide_lists = [
        stored_list
        for stored_list in stored_lists
        if stored_list.is_of_fide and stored_list.has_kind(kind)
    ]
    national_lists = [
        stored_list for stored_list in stored_lists if not stored_list.is_of_fide
    ]
    preferred_lists = fide_lists or national_lists or stored_lists
    lists_until_month = _list_valid(preferred_lists, latest_month)
    if not lists_until_month:
        return min(preferred_lists, key=lambda stored_list: stored_list.month)
    return max(lists_until_month, key=lambda stored_list: stored_list.month)


def add_list(
    path: str | Path,
    *,
    name: str | None = None,
    month: str | None = None,
    kind: RatingKind | None = None,
    label: str = "",
    is_dated_by_zip: bool = False,
) -> RatingList:
    """Store a rating list: build its index, which replaces one of the same month.

    Parameters
    ----------
    path : path
        A file of FIDE (text or XML) or a CSV file, also in a zip archive.
    name : str, optional
        The name of the list. By default "fide" for the lists of FIDE, or for example
        "fide-rapid" for one kind of game, and the name of the file for others.
    month : str, optional
        The month, for example "2026-11". Some lists of FIDE state it.
    kind : RatingKind, optional
        The kind of game of a list with one rating; ignored for others. By default the
        file's name has it.
    label : str
        What messages call the file, by default its path.
    is_dated_by_zip : bool
        Take the date of a file in a zip archive as the month of a list that states
        none, if `month` is not given.

    Returns
    -------
    RatingList
        The stored list.

    Raises
    ------
    UsageError
        If the month or the kind is missing or wrong, the name is not valid, another
        process is building a list, or the folder cannot be written.
    InputError
        If the file is no rating list, or has lines that cannot be read. A list of the
        same name and month that is stored already stays then.
    """
    list_file = inspect_list_file(path, label)
    if list_file.has_one_rating:
        list_file = _with_one_kind(list_file, kind)
    if month is None and is_dated_by_zip and list_file.can_be_dated_by_zip:
        # An archive can have any date, such as one of 1990 or of a month 13.
        is_month = MONTH.fullmatch(list_file.file_month)
        month = list_file.file_month if is_month else None
    list_month = _choose_month(list_file, month)
    list_name = name or _propose_name(list_file)
    if not NAME.fullmatch(list_name):
        raise UsageError("rating_list.no_name", found=list_name)

    lists_folder = find_lists_folder()
    index_path = lists_folder / f"{list_name}-{list_month}.sqlite"
    try:
        lists_folder.mkdir(parents=True, exist_ok=True)
        with _build_lock(lists_folder):
            unfinished_path = lists_folder / f".{index_path.name}{UNFINISHED}"
            try:
                _build_file(unfinished_path, list_file)
                with write_lock():
                    unfinished_path.replace(index_path)
            finally:
                unfinished_path.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        error_text = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            "output.unwritten", path=str(index_path), why=error_text
        ) from None
    return RatingList(index_path, list_name, list_month)


def _build_file(path: Path, list_file: ListFile) -> None:
    """Build the index of a list file at `path`, and wait until it is on the disk.

    Raises InputError if the list has no person or has lines that cannot be read. The
    unfinished index then stays, and the caller removes it.
    """
    properties = {"source": list_file.path.name, "member": list_file.member}
    person_count = build_index(path, read_persons(list_file), properties)
    if not person_count:
        raise InputError(list_file.source, "rating_list.nobody")
    with path.open("rb+") as index_file:
        os.fsync(index_file.fileno())


def is_list_being_built() -> bool:
    """Return whether a process is storing a list now.

    If not, files that an interrupted build has left are removed.
    """
    lists_folder = find_lists_folder()
    return lists_folder.is_dir() and bool(_remove_unfinished(lists_folder))


def remove_list(name: str) -> RatingList:
    """Remove a stored list of one month, for example "fide-2026-11", and return it.

    Raises UsageError if there is no such list.
    """
    for stored_list in list_rating_lists():
        if name == f"{stored_list.name}-{stored_list.month}":
            stored_list.path.unlink(missing_ok=True)
            return stored_list
    known_list_names = [
        f"{named_list.name}-{named_list.month}" for named_list in list_rating_lists()
    ]
    if not known_list_names:
        raise UsageError("rating_list.none_stored")
    raise UsageError("rating_list.not_stored", name=name, known=known_list_names)


def _with_one_kind(list_file: ListFile, kind: RatingKind | None) -> ListFile:
    """Return a file with one rating as the list of a kind of game.

    `list_file` is not changed. `kind` is the kind that the user gave, None for the one
    in the file's name. Raises UsageError if neither says which kind it is.
    """
    list_kind = kind or list_file.kind
    if list_kind is None:
        raise UsageError("rating_list.which_kind", source=list_file.source)
    return list_file.with_kind(list_kind)


def _choose_month(list_file: ListFile, month: str | None) -> str:
    """Return the month of a list, such as "2026-11".

    `month` is the month that the user gave, None for the one that the list states.
    Raises UsageError if there is neither, with the month of the file as a proposal, or
    if the given month is not valid or differs from the stated one.
    """
    if month is None and not list_file.month:
        raise UsageError(
            "rating_list.which_month",
            source=list_file.source,
            proposal=list_file.file_month,
        )
    if month is None:
        return list_file.month
    if not MONTH.fullmatch(month):
        raise UsageError("rating_list.no_month", found=month)
    if list_file.month not in ("", month):
        raise UsageError(
            "rating_list.other_month",
            source=list_file.source,
            month=month,
            stated=list_file.month,
        )
    return month


def _propose_name(list_file: ListFile) -> str:
    """Return a name for a list to which the user gave none.

    It is "fide" for FIDE's lists, with the kind of game if there is one rating, for
    example "fide-rapid". For a CSV file it is the file's name in small letters and
    digits with hyphens, at most 40 characters, or "list".
    """
    if list_file.form != "csv":
        if list_file.has_one_rating:
            return f"{FIDE}-{list_file.kind}"
        return FIDE
    name_words: Sequence[str] = re.findall("[a-z0-9]+", list_file.path.stem.lower())
    proposed_name = "-".join(name_words)[:40].strip("-")
    return proposed_name or "list"


@contextmanager
def _build_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder of lists while one is built there.

    It is a context manager. It also removes what interrupted builds have left. Raises
    UsageError if another process is building a list.
    """
    try:
        with FileLock(folder / LOCK, timeout=0):
            _unlink_unfinished(folder)
            yield
    except Timeout:
        raise UsageError("rating_list.being_built") from None


def _remove_unfinished(folder: Path) -> bool:
    """Remove what an interrupted build has left; return whether a build is under way.

    `folder` has the stored lists. Nothing is removed while another process is building
    a list there. Nothing is removed, and the result is False, if the lock cannot be
    opened.
    """
    if not any(folder.glob(f".*{UNFINISHED}*")):
        return False
    try:
        with FileLock(folder / LOCK, timeout=0):
            _unlink_unfinished(folder)
    except Timeout:
        return True
    except OSError:
        return False
    return False


def _unlink_unfinished(folder: Path) -> None:
    """Remove the files of unfinished indexes in a folder; the caller holds its lock."""
    for unfinished_path in folder.glob(f".*{UNFINISHED}*"):
        unfinished_path.unlink(missing_ok=True)
