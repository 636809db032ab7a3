"""Rating lists are stored by the page: a file, its month, and removal; nobody else may."""

from __future__ import annotations

import html
import io
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from organiser import HOST, client, fields, said
from rating_files import PERSONS, text_list
from starlette.datastructures import FormData, UploadFile
from starlette.testclient import TestClient

from pairopt.common.limits import LARGEST_BODY
from pairopt.files.rating_lists import store
from pairopt.files.rating_lists.store import list_rating_lists
from pairopt.folder import new
from pairopt.web import list_uploads
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.list_uploads import ADD_PATH, store_uploaded_list

LISTS = "/players/lists"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An event without players, and no stored list."""
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "lists"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    new(tmp_path / "event", sides=("white", "black"))
    return tmp_path / "event"


@pytest.fixture
def page(folder: Path) -> TestClient:
    return client(folder)


def zipped(content: bytes, year: int = 2026, month: int = 11) -> bytes:
    """FIDE's combined list in its archive, with the date of the file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo("players_list_foa.txt", (year, month, 2, 9, 0, 0))
        archive.writestr(entry, content)
    return stream.getvalue()


def send(
    page: TestClient,
    content: bytes,
    file_name: str = "players_list.zip",
    **data: str,
) -> Any:
    """Send the form with a file."""
    return page.post(ADD_PATH, data=data, files={"list_file": (file_name, content)})


def large_list(size: int) -> tuple[bytes, int]:
    """A list of a club with so many bytes, and its number of persons."""
    row = b"Blum,1500," + b"x" * 1000 + b"\n"
    count = size // len(row) + 1
    return b"Name,Rating,Remark\n" + row * count, count


def stored() -> list[tuple[str, str, int]]:
    return [(each.name, each.month, each.person_count) for each in list_rating_lists()]


def test_a_list_is_stored_and_searched_by_the_page(
    page: TestClient, folder: Path
) -> None:
    assert f'href="{LISTS}">Use a rating list' in page.get("/players").text
    assert "No rating list is stored on this computer." in page.get(LISTS).text
    done = send(page, zipped(text_list()))
    assert done.url.path == LISTS
    assert "The FIDE list of November 2026 is stored" in said(done.text)
    assert "pairopt took the date of the file in the archive" in said(done.text)
    assert stored() == [("fide", "2026-11", len(PERSONS))]
    rows = re.findall(r"<tr data-row>(.*?)</tr>", done.text, re.DOTALL)
    assert len(rows) == 1
    assert f'<td class="number">{len(PERSONS)}</td>' in rows[0]
    assert "Find in the rating list" in page.get("/players").text
    assert "Mueller, Jule" in page.get("/players/listed/found?q=mueller+ju").text
    assert not [*Path(tempfile.gettempdir()).iterdir()]


def test_the_month_is_that_of_the_form_or_of_the_list(page: TestClient) -> None:
    send(page, zipped(text_list()), month="2026-10")
    assert stored() == [("fide", "2026-10", len(PERSONS))]
    refused = send(page, text_list(), "players_list_foa.txt")
    assert refused.status_code == 422
    told = html.unescape(said(refused.text))
    assert "players_list_foa.txt does not state its month. Type the month" in told
    assert "temporary" not in refused.text
    assert not [*Path(tempfile.gettempdir()).iterdir()]
    send(page, text_list(), "players_list_foa.txt", month="2026-12")
    assert ("fide", "2026-12", len(PERSONS)) in stored()


@pytest.mark.parametrize(("year", "month"), [(1990, 11), (2026, 13), (2100, 1)])
def test_an_impossible_date_in_an_archive_is_not_taken(
    page: TestClient, year: int, month: int
) -> None:
    refused = send(page, zipped(text_list(), year, month))
    assert refused.status_code == 422
    assert "does not state its month. Type the month" in said(refused.text)
    assert stored() == []


def test_a_list_of_a_federation_has_a_name(page: TestClient) -> None:
    content = b"Name,Rating,FideID\nBlum,1500,\n"
    send(page, content, "C:\\lists\\spieler.csv", name="dwz", month="2026-11")
    assert stored() == [("dwz", "2026-11", 1)]


@pytest.mark.parametrize(
    ("file_name", "expected"),
    [
        ("..", "list"),
        ("../../spieler.csv", "spieler-csv"),
        ("a\0b.csv", "a-b"),
        ("x" * 300 + ".csv", "x" * 40),
        ("<i>.csv", "i"),
    ],
)
def test_a_strange_file_name_is_harmless(
    folder: Path, file_name: str, expected: str
) -> None:
    upload = UploadFile(io.BytesIO(b"Name,Rating\nBlum,1500\n"), filename=file_name)
    store_uploaded_list(FormData([("list_file", upload), ("month", "2026-11")]))
    (found,) = stored()
    assert found[0] == expected.removesuffix("-csv")


@pytest.mark.parametrize(
    ("content", "name", "data", "told"),
    [
        (b"", "", {}, "You have not chosen a file. Choose the file of a rating list."),
        (
            b"no list",
            "a.txt",
            {},
            "a.txt: pairopt does not know the header line of this list.",
        ),
        (b"PK\x03\x04", "a.zip", {}, "a.zip: This zip archive is damaged"),
        (zipped(b"ID Number"), "a.zip", {}, "a.zip, players_list_foa.txt: "),
        (text_list(), "a.txt", {"month": "May"}, "'May' is not a month."),
        (text_list(), "a.txt", {"month": "2026-11", "name": "?"}, "is not a name for"),
    ],
)
def test_what_is_no_list_is_refused(
    page: TestClient, content: bytes, name: str, data: dict[str, str], told: str
) -> None:
    refused = send(page, content, name, **data)
    assert refused.status_code == 422
    assert told in html.unescape(said(refused.text)), said(refused.text)
    assert "temporary" not in refused.text
    assert stored() == []
    assert not [*Path(tempfile.gettempdir()).iterdir()]


def test_a_list_is_removed_after_a_question(page: TestClient) -> None:
    send(page, zipped(text_list()))
    action = f"{LISTS}/remove"
    form = {**fields(page.get(LISTS).text, action), "list": "fide-2026-11"}
    asked = page.post(action, data=form)
    assert "delete the FIDE list of November 2026 from this computer." in asked.text
    assert len(stored()) == 1
    done = page.post(action, data={**form, "sure": "yes"})
    assert "The FIDE list of November 2026 is removed." in said(done.text)
    assert stored() == []
    gone = page.post(action, data=form)
    assert gone.status_code == 422


def test_only_the_form_of_lists_takes_a_large_file(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, count = large_list(LARGEST_BODY + 1)
    assert send(page, content, "club.csv", month="2026-11").status_code == 200
    assert stored() == [("club", "2026-11", count)]
    other = page.post("/players/take", files={"file": ("club.csv", content)})
    assert other.status_code == 413
    assert "at most 5 MB" in other.text
    headers = {"content-length": str(2**30), "content-type": "multipart/form-data"}
    over = page.post(ADD_PATH, content=b"", headers=headers)
    assert over.status_code == 413
    assert "at most 513 MB" in over.text
    monkeypatch.setattr(list_uploads, "LARGEST_LIST_UPLOAD", 100)
    refused = send(page, zipped(text_list()), month="2026-10")
    assert refused.status_code == 422
    assert "Choose the zip archive that you downloaded" in said(refused.text)


def test_a_large_body_without_files_is_refused(page: TestClient) -> None:
    """The fields of such a form would stay in memory, and a file goes to the disk."""
    answer = page.post(ADD_PATH, data={"month": "2" * (LARGEST_BODY + 1)})
    assert answer.status_code == 413


def test_a_full_disk_is_named(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(list_uploads.shutil, "copyfileobj", fail)
    answer = send(page, zipped(text_list()))
    assert answer.status_code < 500
    assert "No space left on device" in html.unescape(answer.text)
    assert list_rating_lists() == []


def test_other_sites_and_phones_store_no_list(folder: Path, page: TestClient) -> None:
    content = {"list_file": ("players_list.zip", zipped(text_list()))}
    foreign = page.post(ADD_PATH, files=content, headers={"origin": "http://evil.test"})
    assert foreign.status_code == 403
    share = NetworkShare(8441)
    shared = application(folder, {HOST}, share)
    address = "http://127.0.0.1:8441"
    phone = TestClient(shared, address, headers={"origin": address})
    assert phone.post(ADD_PATH, files=content).status_code in (404, 405)
    assert phone.get(LISTS).status_code == 404
    assert stored() == []
    phone.cookies.set(share.cookie, share.secret)
    assert phone.post(ADD_PATH, files=content).status_code == 200
    assert len(stored()) == 1


class Counted(io.BytesIO):
    """A file that knows how much was read of it at once."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        content = super().read(size)
        self.most = max(self.most, len(content))
        return content


def test_a_file_is_never_in_memory_as_a_whole(folder: Path) -> None:
    content, count = large_list(2**22)
    stream = Counted(content)
    upload = UploadFile(stream, size=len(content), filename="club.csv")
    store_uploaded_list(FormData([("list_file", upload), ("month", "2026-11")]))
    assert stored() == [("club", "2026-11", count)]
    assert 0 < stream.most <= 2**20


def test_a_list_that_is_being_stored_is_not_stored_twice(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Any] = []
    build = store._build_file

    def slow(path: Path, list_file: Any) -> None:
        path.touch()
        if not answers:
            answers.append(send(page, zipped(text_list())))
            answers.append(page.get(LISTS))
        path.unlink()
        build(path, list_file)

    monkeypatch.setattr(store, "_build_file", slow)
    assert send(page, zipped(text_list())).status_code == 200
    assert "pairopt is storing a rating list at the moment." in said(answers[0].text)
    assert "pairopt is storing a rating list at the moment." in answers[1].text
    assert len(stored()) == 1


def test_a_damaged_list_is_named(page: TestClient) -> None:
    send(page, zipped(text_list()))
    (listed,) = list_rating_lists()
    listed.path.write_bytes(b"no index")
    assert "damaged: store the list again" in page.get(LISTS).text
