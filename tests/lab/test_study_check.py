"""study check: every planted change is found, also where the list of digests was made anew."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from pairopt.lab.measuring import figures
from pairopt.lab.playing.contenders import CONTENDERS
from pairopt.lab.running.tasks import NAME as SETTINGS
from pairopt.lab.studies import folder as study_folder
from pairopt.lab.studies.check import Checked, check_study
from pairopt.lab.studies.file import read_study
from pairopt.lab.studies.folder import GAMES, RESULTS, SUMS, TABLES, run_study, sums_of
from pairopt.problem.model import model_names

OWN = "own_of_the_check"
PLUGIN = "def most_points(played):\n    return played.points.max()\n"
STUDY = f"""\
title = "To be changed"
models = ["excalibur", "own.toml", "random"]
replicates = 3
seed = 11
metrics = ["winner", "most_points"]
plugins = ["{OWN}.py:most_points"]

[world]
players = 7
rounds = 3
drops = 0.05

[[hypotheses]]
model = "random"
metric = "floats"
claim = "more"
margin = 0.25

[[hypotheses]]
model = "own"
metric = "kendall"
claim = "near"
margin = 0.5

[[exploratory]]
model = "random"
than = 2.5
metric = "most_points"
claim = "different"
"""
Change = Callable[[Path], None]


@pytest.fixture(scope="module", autouse=True)
def drawn_once() -> Iterator[None]:
    """Drawing takes most of the time: figures of the same rows are not drawn again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "every", cache_of(figures.every, lambda frame: frame.to_csv()))
        patch.setattr(figures, "intervals", cache_of(figures.intervals, repr))
        patch.setattr(figures, "images", cache_of(vectors(figures.images), id))
        yield


def vectors(images: Callable[..., dict[Path, bytes]]) -> Callable[..., dict[Path, bytes]]:
    """What is drawn as SVG, and in place of a PDF, which takes longest, the same."""

    def drawn(ax: Any, path: Path, _: object) -> dict[Path, bytes]:
        ((name, raw),) = images(ax, path, (".svg",)).items()
        return {name.with_suffix(".pdf"): raw, name: raw}

    return drawn


def cache_of(function: Callable[..., Any], key: Callable[[Any], object]) -> Callable[..., Any]:
    """The function, which is not called again for what has the same key."""
    known: dict[object, Any] = {}

    def call(first: Any, *more: Any) -> Any:
        asked = key(first), more
        if asked not in known:
            known[asked] = function(first, *more), first  # which keeps its id
        return known[asked][0]

    return call


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study with a model, a metric and claims of its own."""
    home = tmp_path_factory.mktemp("whole")
    model = (ROOT / "models" / "monrad.toml").read_text("utf-8")
    (home / "own.toml").write_text(re.sub('name = "monrad"', 'name = "own"', model), "utf-8")
    (home / f"{OWN}.py").write_text(PLUGIN, encoding="utf-8")
    (home / "study.toml").write_text(STUDY, encoding="utf-8")
    with forgotten():
        run_study(read_study(home / "study.toml"), home)
    return home


class forgotten:  # noqa: N801 - as a function of the standard library's contextlib
    """The plug-in is imported anew, as each command imports it."""

    def __enter__(self) -> None:
        self._path = [*sys.path]

    def __exit__(self, *_: object) -> None:
        sys.modules.pop(OWN, None)
        sys.path[:] = self._path


def checked(folder: Path, sample: int = 20) -> Checked:
    with forgotten():
        return check_study(folder, sample)


# ------------------------------------------------------------------------------ planted changes


def resummed(folder: Path) -> None:
    """Make the list of digests anew, as one would who wants a change not to be noticed."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes()
             for path in folder.rglob("*") if path.is_file() and path.name != SUMS
             and "__pycache__" not in path.parts}  # fmt: skip
    (folder / SUMS).write_bytes(sums_of(files))


def replaced(name: str, old: str, new: str, count: int = 1, *, folder: Path) -> None:
    text = (folder / name).read_text("utf-8")
    assert old in text, (name, old)
    (folder / name).write_text(text.replace(old, new, count), encoding="utf-8")


def digit(name: str, place: int, folder: Path) -> None:
    """Another digit in the middle of the place-th number of a file."""
    text = (folder / name).read_text("utf-8")
    found = [*re.finditer(r"(?<![\w.])\d+(\.\d+)?(?![\w.])", text)]
    one = found[place % len(found)]
    at = one.start() + (len(one[0]) - 1) // 2 if "." not in one[0] else one.end() - 1
    other = str((int(text[at]) + 3) % 10) if text[at].isdigit() else "7"
    (folder / name).write_text(text[:at] + other + text[at + 1 :], encoding="utf-8")


def in_archive(change: Callable[[dict[str, Any]], None], folder: Path) -> None:
    """Change the archive, whose parts are tables as lists of lines."""
    with zipfile.ZipFile(folder / GAMES) as archive:
        comment = archive.comment
        content: dict[str, Any] = {SETTINGS: json.loads(archive.read(SETTINGS))}
        for name in archive.namelist()[1:]:
            with zipfile.ZipFile(io.BytesIO(archive.read(name))) as part:
                content[name] = {each: part.read(each).decode().splitlines()
                                 for each in part.namelist()}  # fmt: skip
    change(content)
    with zipfile.ZipFile(folder / GAMES, "w") as archive:
        archive.comment = comment
        for name, value in content.items():
            if name == SETTINGS:
                archive.writestr(name, json.dumps(value, ensure_ascii=False, indent=1) + "\n")
                continue
            raw = io.BytesIO()
            with zipfile.ZipFile(raw, "w") as part:
                for each, lines in value.items():
                    part.writestr(each, "".join(f"{line}\n" for line in lines))
            archive.writestr(name, raw.getvalue())


def cell(table: str, part: int, row: int, column: str, new: str, content: dict[str, Any]) -> None:
    lines = [*content.values()][1 + part][table]
    cells = lines[row].split(",")
    place = lines[0].split(",").index(column)
    assert cells[place] != new
    cells[place] = new
    lines[row] = ",".join(cells)


def swapped(part: int, content: dict[str, Any]) -> None:
    """Two second players of a first round change places."""
    lines = [*content.values()][1 + part]["games"]
    one, two = lines[1].split(","), lines[2].split(",")
    head = lines[0].split(",")
    for name in ("player2", "strength2"):
        at = head.index(name)
        one[at], two[at] = two[at], one[at]
    lines[1], lines[2] = ",".join(one), ",".join(two)


def row_removed(part: int, table: str, content: dict[str, Any]) -> None:
    del [*content.values()][1 + part][table][2]


def row_doubled(part: int, table: str, content: dict[str, Any]) -> None:
    lines = [*content.values()][1 + part][table]
    lines.insert(2, lines[2])


def setting(path: tuple[Any, ...], value: object, content: dict[str, Any]) -> None:
    place = content[SETTINGS]
    for key in path[:-1]:
        place = place[key]
    assert place[path[-1]] != value
    place[path[-1]] = value


def without_column(name: str, content: dict[str, Any]) -> None:
    lines = [*content.values()][1]["games"]
    lines[0] = lines[0].replace(name, f"{name}_")


def no_settings(value: object, content: dict[str, Any]) -> None:
    content[SETTINGS] = value


def renamed(content: dict[str, Any]) -> None:
    name = [*content][1]
    other = f"{'0' * 32}{name[32:]}"
    parts = content[SETTINGS]["parts"]
    content[SETTINGS]["parts"] = {other if k == name else k: v for k, v in parts.items()}
    for key in [*content][1:]:
        content[other if key == name else key] = content.pop(key)


def part_removed(content: dict[str, Any]) -> None:
    name = [*content][2]
    del content[name], content[SETTINGS]["parts"][name]


def in_results(path: tuple[Any, ...], value: object, folder: Path) -> None:
    content = json.loads((folder / RESULTS).read_text("utf-8"))
    place = content
    for key in path[:-1]:
        place = place[key]
    assert place[path[-1]] != value
    place[path[-1]] = value
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    (folder / RESULTS).write_text(text, encoding="utf-8")


def byte_of(name: str, folder: Path) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[len(raw) // 2] ^= 1
    (folder / name).write_bytes(bytes(raw))


def removed(name: str, folder: Path) -> None:
    (folder / name).unlink()


def tampered_tournament(folder: Path) -> None:
    """A tournament that another model paired: all in it agrees with all else but the model."""

    def change(content: dict[str, Any]) -> None:
        parts = [*content.values()][1:]
        for table in ("rounds", "games"):
            head, *others = parts[1][table]
            own = [line for line in others if line.split(",")[1] == "1"]
            kept = [line for line in parts[0][table][1:] if line.split(",")[1] != "1"]
            named = [re.sub("^own,", "excalibur,", line) for line in own]
            rows = sorted(kept + named, key=lambda line: int(line.split(",")[1]))
            if table == "rounds":
                levels = {}
                for line in rows:
                    levels[",".join(line.split(",")[1:3])] = line
                rows = [*levels.values()]
            parts[0][table] = [head, *rows]

    in_archive(change, folder)


def changes() -> Iterator[tuple[str, Change, bool]]:
    """Named changes; with each whether the list of digests is made anew after it."""
    for name in TABLES:
        for place in (3, 40, 77, 111):
            yield f"{name}, number {place}", partial(digit, name, place), True
    edited = partial(replaced, "sentences.md")
    yield "a verdict", partial(edited, ": not shown", ": shown"), True
    yield "an interval", partial(edited, "95% interval", "99% interval"), True
    yield "a claim", partial(edited, "has more floats", "has fewer floats"), True
    yield "an exploration", partial(edited, "exploratory, which shows nothing", "shown"), True
    yield "how many", partial(edited, "n = 3", "n = 30"), True
    yield "a digest told", partial(edited, "SHA-256 ", "SHA-256 0"), True
    zero = "0" * 64
    for path, value in (
        (("study_sha256",), zero),
        (("registered_sha256",), zero),
        (("seed",), 12),
        (("tournaments", "own"), 4),
        (("digests", "own"), zero),
        (("digests", "excalibur"), zero),
        (("digests", f"{OWN}.py"), zero),
        (("versions", "numpy"), "1.0"),
        (("versions", "pairopt"), "9.9"),
        (("claims", 0, "p"), 0.001),
        (("claims", 0, "verdict"), "shown at last"),
        (("claims", 2, "asked"), "hypothesis"),
        (("title",), "Another"),
    ):  # fmt: skip
        yield f"results, {path[0]} {path[-1]}", partial(in_results, path, value), True
    asked = partial(replaced, "study.toml")
    yield "the seed", partial(asked, "seed = 11", "seed = 12"), True
    yield "a margin", partial(asked, "margin = 0.25", "margin = 0.5"), True
    yield "a metric", partial(asked, '"floats"', '"kendall"'), True
    yield "how many are asked for", partial(asked, "replicates = 3", "replicates = 4"), True
    yield "the world", partial(asked, "drops = 0.05", "drops = 0.1"), True
    yield "a hypothesis that was none", partial(asked, "[[exploratory]]", "[[hypotheses]]"), True
    yield "the title", partial(asked, "To be changed", "Changed"), True
    yield "a comment", partial(asked, "seed = 11", "seed = 11 # lucky"), True
    yield "no study any more", partial(asked, "models = [", "models = "), True
    yield "the model", partial(replaced, "own.toml", 'style = "', 'style = "fold" # '), True
    yield "the title of the model", partial(replaced, "own.toml", 'title = "', 'title = "X'), True
    yield "the plug-in", partial(replaced, f"{OWN}.py", "max()", "min()"), True
    yield (
        "a figure's text",
        partial(replaced, "figures/tau_by_round.svg", "round</", "Round</"),
        True,
    )
    yield "a figure's line", partial(digit, "figures/claims-1.svg", 90), True
    yield "a figure on paper", partial(byte_of, "figures/heat_map.pdf"), True
    for name in ("means.csv", GAMES, "figures/side_balance.svg", "own.toml"):
        yield f"no {name}", partial(removed, name), True
    yield "no digests", partial(removed, SUMS), False
    yield "a digest", partial(replaced, SUMS, "  means.csv", "0  means.csv"), False
    yield "a file not listed", partial(replaced, SUMS, "means.csv", "mean.csv"), False
    yield "a byte of the games", partial(byte_of, GAMES), True
    for name, change in (
        ("a score", partial(cell, "games", 0, 1, "score1", "1")),
        ("a later score", partial(cell, "games", 2, 20, "score1", "2")),
        ("a player", partial(cell, "games", 0, 3, "player1", "7")),
        ("nobody", partial(cell, "games", 0, 3, "player1", "70")),
        ("no number", partial(cell, "games", 0, 3, "player1", "x")),
        ("a strength", partial(cell, "games", 1, 2, "strength1", "1500.5")),
        ("a side", partial(cell, "games", 1, 2, "side1", "1")),
        ("a table", partial(cell, "games", 2, 2, "table", "9")),
        ("a status", partial(cell, "games", 2, 2, "status", "bye")),
        ("a round", partial(cell, "games", 0, 2, "round", "2")),
        ("two pairs", partial(swapped, 0)),
        ("two pairs by lot", partial(swapped, 2)),
        ("a game less", partial(row_removed, 1, "games")),
        ("a game twice", partial(row_doubled, 0, "games")),
        ("a tau", partial(cell, "rounds", 0, 1, "kendall", "0.5")),
        ("floats", partial(cell, "rounds", 1, 3, "floats", "9")),
        ("a level", partial(cell, "rounds", 0, 2, "levels", "rematches 1=3")),
        ("no pairing", partial(cell, "rounds", 2, 2, "status", "infeasible")),
        ("how it was proven", partial(cell, "rounds", 0, 2, "status", "feasible")),
        ("an engine", partial(cell, "rounds", 0, 1, "engine", "cpsat")),
        ("players", partial(cell, "rounds", 1, 1, "players", "6")),
        ("a measure of one's own", partial(cell, "rounds", 1, 3, "most_points", "1")),
        ("a round less", partial(row_removed, 0, "rounds")),
        ("a name", partial(cell, "rounds", 0, 1, "model", "own")),
        ("the seed of the games", partial(setting, ("studies", 0, "seed"), 12)),
        ("the draws", partial(setting, ("studies", 1, "world", "draws"), 0.5)),
        ("a version", partial(setting, ("versions", "ortools"), "9.0")),
        ("what a part is of", lambda content: setting(
            ("parts", [*content][1], "study"), 1, content)),
        ("what a part holds", lambda content: setting(
            ("parts", [*content][1], "stop"), 2, content)),
        ("no study of a part", lambda content: setting(
            ("parts", [*content][1], "study"), "x", content)),
        ("no column", partial(without_column, "player2")),
        ("no settings", partial(no_settings, [])),
        ("other settings", partial(no_settings, {"studies": 1})),
        ("an endless player", partial(cell, "games", 0, 3, "player1", "inf")),
        ("a part's name", renamed),
        ("a part less", part_removed),
    ):  # fmt: skip
        yield f"in the games, {name}", partial(in_archive, change), True
    yield "a tournament of another model", tampered_tournament, True


CHANGES = [*changes()]


def test_a_study_as_it_was_written_agrees(whole: Path) -> None:
    found = checked(whole)
    assert not found.faults
    assert not found.notes
    assert (found.tournaments, found.replayed) == (9, 9)
    assert found.files > 15


def test_a_list_of_digests_made_anew_is_no_fault(whole: Path, tmp_path: Path) -> None:
    """So what is found of the changes below is not that."""
    folder = tmp_path / "study"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
    in_archive(lambda _: None, folder)  # packed otherwise, the same in it
    resummed(folder)
    assert not checked(folder).faults


def test_there_are_50_changes_and_more() -> None:
    assert len({name for name, _, _ in CHANGES}) == len(CHANGES) >= 50


def often(number: int) -> tuple[pytest.MarkDecorator, ...]:
    """A few of them are fast, a third run in the long tests, all in the slow sweep."""
    if number % 36 == 35:
        return ()
    return (pytest.mark.long,) if number % 18 == 17 else (pytest.mark.slow,)


@pytest.mark.parametrize(
    ("change", "resum"),
    [pytest.param(change, resum, id=name, marks=often(k))
     for k, (name, change, resum) in enumerate(CHANGES)],
)  # fmt: skip
def test_every_change_is_found(whole: Path, tmp_path: Path, change: Change, resum: bool) -> None:
    folder = tmp_path / "study"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
    change(folder=folder) if isinstance(change, partial) else change(folder)
    if resum:
        resummed(folder)
    assert checked(folder).faults


@pytest.mark.slow
def test_without_a_replay_games_are_still_those_of_the_seed(whole: Path, tmp_path: Path) -> None:
    """What only the models know is found by playing them; all else without."""
    for name, change, _ in CHANGES:
        if name in ("in the games, a score", "in the games, two pairs", "in the games, a level",
                    "in the games, an engine"):  # fmt: skip
            folder = tmp_path / name.replace(" ", "-")
            shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
            change(folder)
            resummed(folder)
            found = checked(folder, sample=0)
            assert bool(found.faults) == (not name.endswith("engine")), name
            assert found.replayed == 0


def test_other_versions_are_a_note(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another matplotlib draws other bytes: figures are left out then, and that is said."""
    from pairopt.lab.studies import check, file

    given = {**file.all_versions(), "matplotlib": "0.1", "scipy": "0.2"}
    monkeypatch.setattr(check, "all_versions", lambda: given)
    monkeypatch.setattr(study_folder, "all_versions", lambda: given)
    found = checked(whole)
    assert not found.faults
    assert "matplotlib" in found.notes[0]
    assert "scipy" in found.notes[0]
    assert "not compared" in found.notes[1]


# ------------------------------------------------------------------------------ of all models


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "pairopt", "study", *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_every_model_is_killed_resumed_and_checked(tmp_path: Path) -> None:
    """A study of every shipped model and contender that is installed, the exact ones among them."""
    names = [*model_names(), *(name for name in CONTENDERS if name != "bbp")]
    (tmp_path / "all.toml").write_text(
        f"models = {json.dumps(names)}\nreplicates = 12\nmetrics = ['winner', 'strength_gap']\n"
        "[world]\nplayers = 9\nrounds = 4\ndrops = 0.05\nrating_error = 50\n", "utf-8"
    )  # fmt: skip
    assert run("run", tmp_path / "all.toml", "-o", tmp_path / "once", "--jobs", 2).returncode == 0
    folder = tmp_path / "killed"
    kills = 0
    for number in range(1, 6):
        with subprocess.Popen(
            command("run", tmp_path / "all.toml", "-o", folder), cwd=ROOT,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            while process.poll() is None and len([*folder.glob("games.parts/*")]) < 6 * number:
                pass
            kills += process.poll() is None
            process.kill()
    assert kills >= 3
    assert run("run", tmp_path / "all.toml", "-o", folder).returncode == 0
    for path in (tmp_path / "once").rglob("*"):
        if path.is_file():
            again = folder / path.relative_to(tmp_path / "once")
            assert path.read_bytes() == again.read_bytes(), path
    done = run("check", folder, "--replay", 10_000, "--jobs", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{12 * len(names)} tournaments by pairings and seeds" in done.stdout


@pytest.mark.slow
@pytest.mark.long
def test_the_command_says_what_does_not_agree(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    shutil.copytree(whole, folder)
    done = run("check", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("All agrees: 9 tournaments")
    replaced("means.csv", ",hypothesis", ",exploratory", folder=folder)
    done = run("check", folder)
    assert done.returncode == 1
    assert "means.csv: line " in done.stdout
    assert "means.csv: not the file that SHA256SUMS lists" in done.stdout


@pytest.mark.slow
def test_a_folder_without_a_study(tmp_path: Path) -> None:
    done = run("check", tmp_path)
    assert done.returncode == 3
    assert "there is no study.toml" in done.stderr
