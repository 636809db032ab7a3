"""pairopt as people get it: from a built wheel, by pip, pipx or uv, away from its sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from urllib.request import urlopen

import pytest
from places import ROOT

from pairopt.version import __version__

WEEKLY = ROOT / "examples" / "weekly"
SERVED = {
    "/players": "<h1>",
    "/screen": "<html",
    "/static/style.css": "{",
    "/static/htmx.min.js": "htmx",
    "/static/desk.js": "use strict",
}
BIN = "Scripts" if sys.platform == "win32" else "bin"


def called(*arguments: object, home: Path) -> str:
    """What a command says, with an empty home, and no sources to be found by chance."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith("PYTHON")
    }
    done = subprocess.run(
        [*map(str, arguments)],
        cwd=home,
        env={**kept, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what is in the repository."""
    home = tmp_path_factory.mktemp("wheel")
    called(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "-w",
        home,
        ROOT,
        home=home,
    )
    (built,) = home.glob("*.whl")
    return built


def works(place: Path, home: Path) -> None:
    """The commands in `place` pair an event and serve its page, with all that they read."""
    pairopt = place / "pairopt"
    assert __version__ in called(pairopt, "--version", home=home)
    assert __version__ in called(place / "pairopt-fide", "-r", home=home)
    shipped = {path.stem for path in (ROOT / "models").glob("*.toml")}
    assert shipped <= {*re.findall(r"[\w-]+", called(pairopt, "models", home=home))}
    shutil.copytree(WEEKLY, home / "weekly")
    event = [
        home / "weekly" / "matches.csv",
        "--players",
        home / "weekly" / "players.csv",
    ]
    for model in sorted(shipped):
        called(pairopt, "models", model, home=home)
    assert "proven" in called(pairopt, "solve", *event, "--report", "r.html", home=home)
    assert "<style>" in (home / "r.html").read_text("utf-8")
    serving = subprocess.Popen(
        [pairopt, "serve", home / "weekly", "--no-browser"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
    )
    try:
        assert serving.stderr is not None
        said = serving.stderr.readline()
        (at,) = re.findall(r"http://127\.0\.0\.1:\d+", said)
        for path, part in SERVED.items():
            with urlopen(at + path, timeout=20) as answer:  # noqa: S310 - of this machine
                assert part in answer.read().decode()
    finally:
        serving.terminate()
        serving.communicate(timeout=20)


@pytest.mark.slow
def test_the_wheel_has_all_that_it_reads(wheel: Path, tmp_path: Path) -> None:
    """Its own files from the wheel alone; other packages as they are here."""
    place = tmp_path / "env"
    venv.create(place, symlinks=sys.platform != "win32")
    python = place / BIN / Path(sys.executable).name
    own = Path(
        called(
            python,
            "-c",
            "import sysconfig; print(sysconfig.get_path('purelib'))",
            home=tmp_path,
        ).strip()
    )
    called(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        wheel,
        home=tmp_path,
    )
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (own / "others.pth").write_text("\n".join(others) + "\n", encoding="utf-8")
    found = called(
        python, "-c", "import pairopt; print(pairopt.__file__)", home=tmp_path
    )
    assert Path(found.strip()).is_relative_to(own)
    works(place / BIN, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["pip", "pipx", "uv"])
def test_by_each_tool(tool: str, wheel: Path, tmp_path: Path) -> None:
    """As the guide says it; pipx and uv where they are installed."""
    from_wheel = f"{wheel}[web,report,xlsx]"
    if tool == "pip":
        venv.create(tmp_path / "env", with_pip=True)
        called(
            tmp_path / "env" / BIN / "pip",
            "install",
            "--quiet",
            from_wheel,
            home=tmp_path,
        )
        return works(tmp_path / "env" / BIN, tmp_path)
    command = shutil.which(tool)
    if command is None:
        pytest.skip(f"no {tool}")
    called(command, *["tool"] * (tool == "uv"), "install", from_wheel, home=tmp_path)
    return works(tmp_path / ".local" / "bin", tmp_path)


def test_the_page_can_read_the_workbooks_that_it_offers() -> None:
    """README installs `web`, and the first form takes an .xlsx file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert {*extras["xlsx"]} <= {*extras["web"]}
