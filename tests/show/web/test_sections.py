"""Two groups in one evening: one program, whose pages lead from section to section."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import browser
import pytest
from click.testing import CliRunner
from organiser import event
from places import ROOT

from pairopt.folder import change
from pairopt.show.cli import main
from pairopt.show.web.guard import Share
from pairopt.show.web.site import Section, for_organiser, for_phones

SECTIONS = re.compile(r'<nav class="sections".*?</nav>', re.DOTALL)
LINK = re.compile(r'<a href="([^"]*)"[^>]*?(aria-current="true")?><bdi>(.*?)</bdi>')


def links(text: str) -> list[tuple[str, bool, str]]:
    found = SECTIONS.search(text)
    return [(to, bool(here), name) for to, here, name in LINK.findall(found[0])] if found else []


def read(address: str) -> str:
    with urlopen(address, timeout=20) as page:  # noqa: S310 - of this machine
        return str(page.read().decode())


@contextmanager
def evening(*folders: Path) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """The organiser's addresses of the folders, the phones', and the links for a second laptop."""
    command = [sys.executable, "-m", "pairopt", "serve", *folders, "--no-browser", "--share"]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = [process.stderr.readline() for _ in range(3 * len(folders))]
        try:
            yield tuple(  # type: ignore[misc]
                [re.findall(r"http://\S+", line)[0] for line in said[k::3]] for k in range(3)
            )
        finally:
            process.kill()


@pytest.mark.long
def test_two_sections_of_one_program(tmp_path: Path) -> None:
    folders = [event(tmp_path / name, "ABCDEF", 1) for name in ("open", "u1800")]
    change(folders[1], {"title": "U1800 & friends"})
    with evening(*folders) as (mine, phones, seconds):
        for k, address in enumerate(mine):
            found = links(read(f"{address}players"))
            assert [(here, name) for _, here, name in found] == [
                (k == 0, "open"), (k == 1, "U1800 &amp; friends")]  # fmt: skip
            assert found[1 - k][0] == mine[1 - k]
        here = [address.replace(address.split("/")[2].split(":")[0], "127.0.0.1")
                for address in phones]  # fmt: skip
        for k, address in enumerate(here):
            assert links(read(address))[1 - k][0] == phones[1 - k]
        assert not any("organiser" in read(address) for address in here)
        assert len({*mine, *phones, *seconds}) == 6


def test_another_laptop_goes_on_by_its_own_link(tmp_path: Path) -> None:
    here = Section(tmp_path / "a", "http://127.0.0.1:8440/", Share(8441))
    there = Section(tmp_path / "b", "http://127.0.0.1:8442/", Share(8443))
    assert there.share is not None
    both = (here, there)
    assert for_organiser(both, here.folder, "127.0.0.1")[1] == ("b", there.address, False)
    assert for_organiser(both, here.folder, "192.168.0.7")[1] == ("b", there.share.link, False)
    phones = for_phones(both, there.folder)
    assert phones[0][0] == "a"
    assert not any(each.share.secret in to for each in both for _, to, _ in phones if each.share)


def test_a_section_that_is_not_there_yet_and_one_with_a_fault(tmp_path: Path) -> None:
    folder = tmp_path / "new one"
    assert Section(folder, "").title == "new one"
    folder.mkdir()
    for text in ("title = ", "title = 3\n", "", 'title = ""\n'):
        (folder / "event.toml").write_text(text, encoding="utf-8")
        assert Section(folder, "").title == "new one"


def test_a_folder_given_twice(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD")
    again = tmp_path / "event" / ".." / "event"
    done = CliRunner().invoke(main, ["serve", str(folder), str(again), "--no-browser"])
    assert done.exit_code == 2
    assert "a folder is given twice" in done.output


@pytest.mark.slow
def test_everybody_can_go_from_section_to_section(chromium: Any, tmp_path: Path) -> None:
    folders = [event(tmp_path / name, "ABCDEF", 1) for name in ("open", "u1800")]
    with evening(*folders) as (mine, _, _), browser.page(chromium) as page:
        page.goto(f"{mine[0]}results")
        for name in ("u1800", "open"):
            page.get_by_role("navigation", name="Sections").get_by_role("link", name=name).click()
            page.wait_for_url(f"{mine[name == 'u1800']}**")
            assert browser.violations(page) == []
            assert browser.broken(page) == []
