"""Static pages: a whole event as a folder of pages for the web space of a club.

The pages have relative links and no scripts. The same event gives the same bytes.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from pkgutil import get_data
from tempfile import gettempdir
from typing import NamedTuple

from filelock import FileLock, Timeout

from pairopt.common.atomic_write import write_lock
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.report.page import template_environment
from pairopt.report.printed_lists import available_lists, make_list, printed_lists
from pairopt.report.printed_lists.base import FilledList
from pairopt.report.views import progress_text
from pairopt.version import __version__

GENERATOR = "pairopt publish"
"""The generator in the head of each page, by which a later call knows its own folder."""
INDEX, STYLE = "index.html", "style.css"
OLD = ".old"
"""The end of the hidden name of a site while a newer one takes its place."""
LONGEST_WAIT = 60
"""The most seconds that a call waits for another one that writes the same site."""
ROUND_PAGE = re.compile(r"round-\d+\.html")


class SitePage(NamedTuple):
    """A page of the site: its file name, the text of links to it, and its list."""

    file_name: str
    label: str
    filled: FilledList


def build_site(event: Event) -> dict[str, bytes]:
    """Return the content of an event's static pages by file name.

    There is an index, a style sheet, a page per round, and one per list that is
    published. Nothing is written. Raises UsageError if the event has no players, or
    Jinja2 is not installed.
    """
    if not event.players:
        raise UsageError("roster.nobody")
    pages = _site_pages(event)
    page_template = template_environment().get_template("site_page.html")
    event_title = event.settings.title or "Event"

    def render(page: SitePage | None) -> bytes:
        """Return the bytes of a page of the site; None stands for the index."""
        return page_template.render(
            generator=GENERATOR,
            event_title=event_title,
            progress=progress_text(event),
            pages=pages,
            here=page,
            index=INDEX,
            style=STYLE,
            version=__version__,
        ).encode()

    content_of_file = {
        INDEX: render(None),
        STYLE: get_data("pairopt.report", "style.css") or b"",
    }
    for page in pages:
        content_of_file[page.file_name] = render(page)
    return content_of_file


def _site_pages(event: Event) -> Sequence[SitePage]:
    """Return the pages of a site without its index, in the order of the menu.

    They are the published lists that can be made of the event; a list of a round has a
    page for each round that is paired. No page has private columns.
    """
    pages = []
    for printed_list in available_lists(event):
        if not printed_list.published:
            continue
        if not printed_list.of_round:
            filled_list = make_list(event, printed_list.name, public=True)
            file_name = f"{printed_list.name}.html"
            pages.append(SitePage(file_name, printed_list.title, filled_list))
            continue
        for round_number in range(1, event.round):
            filled_list = make_list(event, printed_list.name, round_number, public=True)
            file_name = f"round-{round_number}.html"
            pages.append(SitePage(file_name, f"Round {round_number}", filled_list))
    return pages


def write_site(folder: str | Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a site as a folder: all of them, or none.

    `files` has the content of each page by file name, without folders. The pages are
    written into a new folder beside `folder`, which then gets the name. Pages of an
    earlier site are replaced; other files in that folder stay. If an earlier call was
    killed between its two renames, its site first gets the name back. Calls for the
    same folder wait for each other, at most 60 seconds. Raises UsageError after this
    time, and if the folder has files but no site of pairopt, or cannot be written.
    """
    site_folder = Path(folder).resolve()
    try:
        with FileLock(_find_lock_path(site_folder), timeout=LONGEST_WAIT):
            _write_locked_site(site_folder, str(folder), files)
    except Timeout:
        error_reason = "another process is writing the pages"
        raise UsageError(
            "output.unwritten", path=str(folder), why=error_reason
        ) from None


def _find_lock_path(site_folder: Path) -> Path:
    """Return the file that a call locks while it writes the site in a folder.

    `site_folder` is that folder. The file is in the system's folder for temporary
    files, outside of the web space, and its name depends on the user and on the folder.
    """
    user_number = getattr(os, "getuid", int)()
    folder_digest = sha256(os.fsencode(site_folder)).hexdigest()[:16]
    return Path(gettempdir(), f"pairopt-site-{user_number}-{folder_digest}.lock")


def _write_locked_site(
    site_folder: Path, shown_path: str, files: Mapping[str, bytes]
) -> None:
    """Write the files of a site while no other call writes it.

    `files` has the content of each page by file name. A new folder is written beside
    the old one, and then gets its name. A site that an earlier, killed call has left
    under a hidden name is first restored. `shown_path` is the name of the folder in
    messages. Old pages are replaced, and other files are kept. On an error the old site
    stays in place, and UsageError is raised; so it is if the folder has files but no
    site of pairopt.
    """
    _recover_site(site_folder)
    kept_paths = _find_kept_paths(site_folder)
    random_mark = os.urandom(4).hex()
    new_folder = site_folder.parent / f".{site_folder.name}.{random_mark}"
    old_folder = new_folder.with_name(f"{new_folder.name}{OLD}")
    try:
        new_folder.mkdir()
        for file_name, file_content in files.items():
            (new_folder / file_name).write_bytes(file_content)
        for kept_path in kept_paths:
            _copy_path(kept_path, new_folder / kept_path.name)
        if site_folder.exists():
            shutil.copymode(site_folder, new_folder)
        with write_lock():
            if site_folder.exists():
                site_folder.replace(old_folder)
            new_folder.replace(site_folder)
    except OSError as error:
        if old_folder.exists() and not site_folder.exists():
            old_folder.replace(site_folder)
        error_reason = error.strerror or str(error)
        raise UsageError(
            "output.unwritten", path=shown_path, why=error_reason
        ) from None
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)
        # Where neither folder could be given the name, the old one must stay.
        if site_folder.exists():
            shutil.rmtree(old_folder, ignore_errors=True)


def _recover_site(site_folder: Path) -> None:
    """Tidy up what a killed call that wrote a site has left beside its folder.

    Between its two renames a call has moved the site to a hidden name. If the folder is
    missing or empty, that site gets the name back. If a newer site is in its place, the
    hidden site is deleted. Raises UsageError if the site can't be moved.
    """
    hidden_name_pattern = re.compile(
        rf"\.{re.escape(site_folder.name)}\.[0-9a-f]{{8}}{OLD}"
    )
    try:
        old_folders = [
            recovered_folder
            for recovered_folder in site_folder.parent.glob(f".*{OLD}")
            if hidden_name_pattern.fullmatch(recovered_folder.name)
            and _is_own_page(recovered_folder / INDEX)
        ]
        newest_first = sorted(
            old_folders,
            key=lambda recovered_folder: recovered_folder.stat().st_mtime,
            reverse=True,
        )
        for old_folder in newest_first:
            # The folder that the killed call has written for the same name.
            shutil.rmtree(old_folder.with_suffix(""), ignore_errors=True)
            # Scripts make the folder again before they publish.
            if site_folder.is_dir() and not any(site_folder.iterdir()):
                site_folder.rmdir()
            if not site_folder.exists():
                old_folder.replace(site_folder)
            elif _is_own_page(site_folder / INDEX):
                shutil.rmtree(old_folder)
    except OSError as error:
        error_reason = error.strerror or str(error)
        raise UsageError(
            "output.unwritten", path=str(site_folder), why=error_reason
        ) from None


def _copy_path(path: Path, target: Path) -> None:
    """Copy a file, or a folder with all that is in it, to the path `target`.

    Links are copied as links. Raises OSError if something cannot be copied.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, target, symlinks=True)
    else:
        shutil.copy2(path, target, follow_symlinks=False)


def _find_kept_paths(site_folder: Path) -> list[Path]:
    """Return the paths in a site's folder that pairopt did not write.

    A folder that is missing or empty has none. Raises UsageError if `site_folder` is a
    file, or has files but no index page of pairopt.
    """
    if not site_folder.exists():
        return []
    site_paths = (
        sorted(site_folder.iterdir()) if site_folder.is_dir() else [site_folder]
    )
    if site_paths and not _is_own_page(site_folder / INDEX):
        raise UsageError("list.other_folder", folder=str(site_folder))
    return [
        site_path
        for site_path in site_paths
        if site_path.name != STYLE and not _is_own_page(site_path)
    ]


def _is_own_page(path: Path) -> bool:
    """Return whether a path is a page that `pairopt publish` has written.

    Its name must be one of those that pairopt gives, because users copy pages and
    change the copies, and its head must name the generator. Links are no such pages.
    """
    own_names = {INDEX, *(f"{list_name}.html" for list_name in printed_lists())}
    has_own_name = path.name in own_names or ROUND_PAGE.fullmatch(path.name)
    if not has_own_name or path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as page_file:
        return f'content="{GENERATOR}"'.encode() in page_file.read(1000)
