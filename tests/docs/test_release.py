"""A release: versions that agree, a changelog in people's words, files built the same twice."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pages
import pytest
from places import ROOT

from pairopt.version import __version__

CHANGELOG = pages.text(ROOT / "CHANGELOG.md")
RELEASES = re.findall(
    r"^## \[?([\d.]+)\]? - (\d{4}-\d{2}-\d{2})$", CHANGELOG, flags=re.MULTILINE
)
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
SCREEN = 76
"""Lines that a version's changes may take."""


def changes(version: str) -> str:
    """What the changelog says of a version: the notes of its tag."""
    return re.split(
        rf"^## \[?{re.escape(version)}\]? .*\n", CHANGELOG, flags=re.MULTILINE
    )[1].split("\n## ")[0]


def test_the_last_release_is_this_version_everywhere() -> None:
    citation = pages.text(ROOT / "CITATION.cff")
    version, day = RELEASES[0]
    assert version == __version__
    assert f"\nversion: {version}\n" in citation
    assert f"\ndate-released: {day}\n" in citation


def test_the_fields_that_a_release_needs_are_there() -> None:
    """Addresses are left out as long as there is no public one."""
    project = tomllib.loads(pages.text(ROOT / "pyproject.toml"))["project"]
    needed = {
        "name",
        "description",
        "readme",
        "license",
        "license-files",
        "requires-python",
        "authors",
        "keywords",
        "classifiers",
        "dependencies",
    }
    assert needed <= {*project}
    assert (ROOT / project["readme"]).is_file()
    assert all((ROOT / name).is_file() for name in project["license-files"])

    citation = pages.text(ROOT / "CITATION.cff")
    keys = {*re.findall(r"^([a-z-]+):", citation, flags=re.MULTILINE)}
    assert {
        "cff-version",
        "message",
        "title",
        "abstract",
        "type",
        "authors",
        "version",
        "date-released",
        "license",
        "keywords",
    } <= keys
    assert f"\nlicense: {project['license']}\n" in citation


def test_no_page_claims_a_package_index() -> None:
    for path in (*pages.PAGES, ROOT / "README.md"):
        commands = re.findall(r"(?:pip|pipx|uv tool) install [^`\n]*", pages.text(path))
        wrong = [
            each for each in commands if re.search(r"install (--\S+ )*pairopt\b", each)
        ]
        assert not wrong, path


def test_releases_are_in_order() -> None:
    versions = [tuple(map(int, version.split("."))) for version, _ in RELEASES]
    days = [date.fromisoformat(day) for _, day in RELEASES]
    assert versions == sorted(versions, reverse=True)
    assert days == sorted(days, reverse=True)


@pytest.mark.parametrize("version", [version for version, _ in RELEASES])
def test_each_version_is_one_screen_under_the_usual_headings(version: str) -> None:
    said = changes(version)
    assert {*re.findall(r"^### (.*)$", said, flags=re.MULTILINE)} <= KINDS
    assert len(said.splitlines()) <= SCREEN
    assert all(len(line) <= 130 for line in said.splitlines())


def built(into: Path) -> dict[str, str]:
    """The files of a release by name, with their digests."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(into)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in into.iterdir()
    }


@pytest.mark.slow
def test_files_of_a_release_are_the_same_bytes_twice(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    one = built(tmp_path / "one")
    assert one == built(tmp_path / "two")
    assert {Path(name).suffix for name in one} == {".whl", ".gz"}
    assert all(name.startswith(f"pairopt-{__version__}") for name in one)
