"""Store a rating list that was uploaded: on the disk first, then as an index.

Starlette writes the file of a form to the disk while it arrives, so that even FIDE's
whole list needs little memory.
"""

import re
import shutil
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory

from starlette.datastructures import FormData, UploadFile

from pairopt.common.limits import LARGEST_LIST_UPLOAD
from pairopt.errors import UsageError
from pairopt.event.report_head import RatingKind
from pairopt.files.rating_lists.list_file import inspect_list_file
from pairopt.files.rating_lists.person import RATING_KINDS
from pairopt.files.rating_lists.store import add_list
from pairopt.folder import Done
from pairopt.messages import message
from pairopt.web.view import read_text

LIST_FILE = "list_file"
"""The field with the file."""
ADD_PATH = "/players/lists/add"
"""The address of the form, without the event's root."""
LONGEST_NAME = 60
"""The most characters of the name of a file on the disk."""
LARGEST_BODIES = {ADD_PATH: LARGEST_LIST_UPLOAD + 2**20}
"""The most bytes of this form: a file, and the other fields."""


def store_uploaded_list(form: FormData) -> Done:
    """Store the rating list in a form, and say which month it is of.

    The form may have the month, a name and the kind of games, as `pairopt lists add`
    has. Without a month, a list that states none has the month of its date in the zip.
    The outcome has no step. Raises UsageError without a file, for one that is too
    large, and if a field is missing or wrong; InputError if the file is no rating list.
    """
    uploaded_file = form.get(LIST_FILE)
    if not isinstance(uploaded_file, UploadFile) or not uploaded_file.filename:
        raise UsageError("rating_list.no_file")
    # Browsers send the name alone, other programs may send a path of any system.
    file_name = PureWindowsPath(uploaded_file.filename).name or "list"
    if (uploaded_file.size or 0) > LARGEST_LIST_UPLOAD:
        most_megabytes = LARGEST_LIST_UPLOAD >> 20
        raise UsageError(
            "rating_list.large_upload", name=file_name, most=most_megabytes
        )

    typed_month = read_text(form, "month")
    with TemporaryDirectory(prefix="pairopt-") as temporary_directory:
        temporary_path = Path(temporary_directory, _make_safe_name(file_name))
        _copy_to_disk(uploaded_file, temporary_path)
        list_file = inspect_list_file(temporary_path, file_name)
        stored_list = add_list(
            temporary_path,
            name=read_text(form, "name"),
            month=typed_month,
            kind=_read_kind(form),
            label=file_name,
            is_dated_by_zip=True,
        )
    person_count = stored_list.person_count
    upload_notes = [
        message("rating_list.added", title=stored_list.title, persons=person_count)
    ]
    if typed_month is None and not list_file.month:
        upload_notes.append(message("rating_list.month_of_zip", name=file_name))
    return Done("lists", tuple(upload_notes), None)


def _make_safe_name(file_name: str) -> str:
    """Return a file name that every system allows, made of the given one.

    Other characters than letters, digits, "_", "." and "-" become hyphens. It keeps the
    words and the end of the name, because they may say which list it is, and of which
    games; LONGEST_NAME characters at most.
    """
    safe_name = re.sub(r"[^\w.-]+", "-", file_name)[-LONGEST_NAME:]
    return safe_name.lstrip(".") or "list"


def _copy_to_disk(upload: UploadFile, path: Path) -> None:
    """Write an uploaded file to a path, from its beginning.

    Raises UsageError if it cannot be written, for example if the disk is full.
    """
    upload.file.seek(0)
    try:
        with path.open("wb") as disk_file:
            shutil.copyfileobj(upload.file, disk_file, 2**20)
    except OSError as error:
        disk_reason = error.strerror or str(error)
        raise UsageError(
            "folder.unwritable", folder=str(path.parent), why=disk_reason
        ) from None


def _read_kind(form: FormData) -> RatingKind | None:
    """Return the kind of games in a form, None without one or for an unknown one."""
    kind_text = read_text(form, "kind")
    return next(
        (rating_kind for rating_kind in RATING_KINDS if rating_kind == kind_text), None
    )
