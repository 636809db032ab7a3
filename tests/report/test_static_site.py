"""Static pages: complete, linked, without scripts, written as a whole or not at all."""

from __future__ import annotations

import io
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner
from manual_event import manual_event, write_manual_event
from organiser import client

from pairopt import UsageError, read_event
from pairopt.cli import main
from pairopt.folder import result
from pairopt.report import static_site
from pairopt.report.printed_lists import make_list
from pairopt.report.static_site import build_site, write_site

pytestmark = pytest.mark.long
GROUPS = 'groups = ["U18: born 2009 or later"]\n'


class Links(HTMLParser):
    """The addresses and the elements of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.elements: set[str] = set()
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        for name, value in attrs:
            if name in ("href", "src"):
                self.addresses.append(str(value))
            assert not name.startswith("on")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_site_has_all_pages_and_only_relative_links(tmp_path: Path) -> None:
    files = build_site(manual_event(tmp_path / "event", GROUPS))
    rounds = [f"round-{number}.html" for number in range(1, 6)]
    others = ["cross-table", "ranking", "ranking-by-federation", "ranking-by-group"]
    expected = {"index.html", "style.css", "starting-list.html", *rounds}
    assert expected | {f"{name}.html" for name in others} <= files.keys()
    assert {"starting-list-by-name.html", "ranking-by-sex.html"}.isdisjoint(files)
    for name, content in files.items():
        if not name.endswith(".html"):
            continue
        page = Links(content)
        assert "script" not in page.elements
        assert {*page.addresses} - {"data:,"} <= files.keys()
        others = files.keys() - {"style.css", "index.html", name}
        assert others <= {*page.addresses}
    assert b"8w1" in files["cross-table.html"]


def test_the_same_event_has_the_same_bytes_and_no_private_columns(
    tmp_path: Path,
) -> None:
    event = manual_event(tmp_path / "event", GROUPS)
    files = build_site(event)
    assert build_site(read_event(tmp_path / "event", unfinished=True)) == files
    text = b"".join(content for name, content in files.items() if "html" in name)
    assert b"2011" not in text  # a year of birth
    assert b">Born<" not in text
    assert b">Sex<" not in text


def test_names_are_escaped(tmp_path: Path) -> None:
    folder = write_manual_event(tmp_path / "event")
    for path in (folder / "players.csv", folder / "matches.csv"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("Gruber, Max", "<script>x</script>"), "utf-8")
    toml = (folder / "event.toml").read_text(encoding="utf-8")
    (folder / "event.toml").write_text(toml.replace("Spring", "<b>Spring"), "utf-8")
    for name, content in build_site(read_event(folder, unfinished=True)).items():
        assert b"<script" not in content, name
        assert b"<b>" not in content, name


def test_the_site_replaces_its_pages_and_keeps_other_files(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(site, build_site(manual_event(tmp_path / "event", GROUPS)))
    (site / "logo.png").write_bytes(b"logo")
    (site / "own.html").write_text("<p>our club</p>")
    (site / "photos").mkdir()
    (site / "photos" / "a.jpg").write_bytes(b"photo")
    write_site(site, build_site(manual_event(tmp_path / "other")))
    assert "ranking-by-group.html" not in names(site)
    assert {"index.html", "logo.png", "own.html", "photos"} <= {*names(site)}
    assert (site / "photos" / "a.jpg").read_bytes() == b"photo"
    assert names(tmp_path) == ["event", "other", "site"]


def test_a_folder_of_another_origin_stays(tmp_path: Path) -> None:
    folder = write_manual_event(tmp_path / "event")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    files = build_site(read_event(folder))
    for place in (folder, folder / "players.csv", tmp_path):
        with pytest.raises(UsageError, match="no pages of pairopt"):
            write_site(place, files)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(UsageError, match="can't be written"):
        write_site(tmp_path / "none" / "site", files)
    assert names(tmp_path) == ["event"]


@pytest.mark.parametrize("failing", [1, 2, 5])
def test_a_failure_leaves_the_site_as_it_was(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site(
        site, {"index.html": build_site(manual_event(tmp_path / "a"))["index.html"]}
    )
    before = (site / "index.html").read_bytes()
    files = build_site(manual_event(tmp_path / "b", GROUPS))
    calls = 0
    replace = Path.replace

    def fail(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    if failing < 5:
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(
            static_site.shutil, "copy2", lambda *_, **__: fail(site, site)
        )
        (site / "logo.png").write_bytes(b"logo")
        calls = failing - 1
    with pytest.raises(UsageError, match="No space left"):
        write_site(site, files)
    monkeypatch.undo()
    assert (site / "index.html").read_bytes() == before
    assert names(tmp_path) == ["a", "b", "site"]
    assert names(site) == (
        ["index.html"] if failing < 5 else ["index.html", "logo.png"]
    )


def test_the_command_says_where_the_pages_are(tmp_path: Path) -> None:
    folder = write_manual_event(tmp_path / "event")
    site = tmp_path / "site"
    done = CliRunner().invoke(main, ["publish", str(folder), str(site)])
    assert done.exit_code == 0
    pages = len([name for name in names(site) if name.endswith(".html")])
    assert re.match(rf"{pages} pages written to ", done.stderr)


def test_a_copy_of_a_page_under_another_name_stays(tmp_path: Path) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    write_site(site, files)
    (site / "news.html").write_bytes(files["ranking.html"] + b"<!-- mine -->")
    (site / "dead").symlink_to("/nonexistent")
    site.chmod(0o2775)
    write_site(site, files)
    assert b"mine" in (site / "news.html").read_bytes()
    assert (site / "dead").is_symlink()
    assert site.stat().st_mode & 0o777 == 0o775


def test_a_site_that_cannot_be_put_back_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    write_site(site, files)
    (site / "mine.txt").write_text("mine")
    replace, calls = Path.replace, []

    def fail_after_the_first(path: Path, target: Path) -> Path:
        calls.append(path)
        if len(calls) > 1:
            raise PermissionError(13, "in use")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fail_after_the_first)
    with pytest.raises((UsageError, PermissionError)):
        write_site(site, files)
    assert [path.read_text() for path in tmp_path.glob("**/mine.txt")] == ["mine"]


def test_the_expected_rating_change_is_not_published(tmp_path: Path) -> None:
    """K is 40 only for players under 18, so it gives their age away."""
    assert "rating-change.html" not in build_site(manual_event(tmp_path / "event"))


class Killed(BaseException):
    """The end of the process, which no handler of errors sees."""


def test_a_kill_between_the_renames_loses_no_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    write_site(site, files)
    (site / "mine.txt").write_text("mine")
    replace, renamed = Path.replace, []

    def die_at_the_second(path: Path, target: Path) -> Path:
        renamed.append(path)
        if len(renamed) > 1:
            raise Killed
        return replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", die_at_the_second)
        patch.setattr(static_site.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(Killed):
            write_site(site, files)
    assert not site.exists()
    assert len([*tmp_path.glob(".site.*")]) == 2

    write_site(site, {**files, "index.html": files["index.html"] + b"<!-- new -->"})
    assert names(tmp_path) == ["event", "site"]
    assert (site / "mine.txt").read_text() == "mine"
    assert b"<!-- new -->" in (site / "index.html").read_bytes()


def test_what_a_kill_after_the_renames_leaves_goes(tmp_path: Path) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    write_site(site, files)
    left = tmp_path / ".site.0123abcd.old"
    write_site(left, files)
    others = [tmp_path / ".site.mine.old", tmp_path / ".other.0123abcd.old"]
    for other in others:
        other.mkdir()
    write_site(site, files)
    assert not left.exists()
    assert all(other.exists() for other in others)


def test_an_empty_folder_in_its_place_does_not_cost_a_killed_site(
    tmp_path: Path,
) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    write_site(site, files)
    (site / "mine.txt").write_text("mine")
    site.replace(tmp_path / ".site.0123abcd.old")
    # A script makes the folder before it publishes.
    site.mkdir()
    write_site(site, files)
    assert (site / "mine.txt").read_text() == "mine"
    assert names(tmp_path) == ["event", "site"]


def test_two_desks_that_publish_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    write_site(site, files)
    (site / "mine.txt").write_text("mine")
    other = Thread(target=write_site, args=(site, files))
    replace = Path.replace

    def replace_beside_another_call(path: Path, target: Path) -> Path:
        """Rename; after the first rename another call begins."""
        renamed = replace(path, target)
        if other.ident is None:
            other.start()
            other.join(1)
        return renamed

    monkeypatch.setattr(Path, "replace", replace_beside_another_call)
    write_site(site, files)
    other.join()
    assert (site / "mine.txt").read_text() == "mine"
    assert names(tmp_path) == ["event", "site"]


def test_a_folder_of_another_in_its_place_keeps_a_killed_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    files = build_site(manual_event(tmp_path / "event"))
    left = tmp_path / ".site.0123abcd.old"
    write_site(left, files)
    site.mkdir()
    (site / "other.txt").write_text("other")
    with pytest.raises(UsageError):
        write_site(site, files)
    assert (left / "index.html").read_bytes() == files["index.html"]


def test_an_adjourned_game_of_the_last_round_is_marked(tmp_path: Path) -> None:
    folder = write_manual_event(tmp_path / "event")
    result(folder, 1, "adjourned", round=5, sure=True)
    files = build_site(read_event(folder, unfinished=True))
    whole = build_site(manual_event(tmp_path / "other"))
    assert files.keys() == whole.keys()
    assert files["round-5.html"].count(b">adjourned<") == 1
    assert b"adjourned" not in files["round-4.html"]
    for name in ("index", "ranking", "cross-table"):
        assert b"after round 5 (1 adjourned)" in files[f"{name}.html"], name
    with pytest.raises(UsageError, match="can't be final with 1 adjourned game"):
        make_list(read_event(folder, unfinished=True), "ranking")


def test_the_page_gives_the_site_as_a_zip(tmp_path: Path) -> None:
    folder = write_manual_event(tmp_path / "event")
    page = client(folder)
    link = (
        'href="/files/Spring-Open-web-pages.zip" download="Spring-Open-web-pages.zip"'
    )
    assert link in page.get("/print").text
    answer = page.get("/files/Spring-Open-web-pages.zip")
    assert "attachment" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == build_site(read_event(folder, unfinished=True))
