"""study check: every planted change is found, also where the list of digests was made anew."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from places import ROOT
from pyarrow import parquet as pq

from pairopt.lab import figures
from pairopt.lab.contenders import CONTENDERS
from pairopt.lab.studies import run as study_folder
from pairopt.lab.studies.check import CheckReport, Layer, check_study
from pairopt.lab.studies.run import run_study
from pairopt.lab.studies.study_file import read_study
from pairopt.problem.model import model_names

PLUGIN_NAME = "own_of_the_check"
PLUGIN = "def most_points(played):\n    return played.points.max()\n"
STUDY = f"""\
title = "To be changed"
models = ["excalibur", "own.toml", "random"]
replicates = 3
seed = 11
metrics = ["winner", "most_points"]
control = "random"
plugins = ["{PLUGIN_NAME}.py:most_points"]

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
margin_reason = "three tournaments decide nothing"

[[exploratory]]
model = "random"
than = 2.5
metric = "most_points"
claim = "different"
"""
Change = Callable[[Path], None]
GAMES, PLAYERS, LONG = "games.parquet", "players.parquet", "tournaments-long.parquet"
TOURNAMENTS, RESULTS, SUMS = "tournaments.csv", "results.json", "SHA256SUMS"
DICTIONARY = "datapackage.json"
NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?(?![\w.])")
TABLES = (TOURNAMENTS, "means.csv", "differences.csv", "hypotheses.csv")


@pytest.fixture(scope="module", autouse=True)
def drawn_once() -> Iterator[None]:
    """Drawing takes most of the time: figures of the same rows are not drawn again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            figures,
            "draw_all_figures",
            cache_of(figures.draw_all_figures, lambda frame: frame.to_csv()),
        )
        patch.setattr(figures, "intervals", cache_of(figures.intervals, repr))
        patch.setattr(figures, "images", cache_of(vectors(figures.images), id))
        yield


def vectors(
    images: Callable[..., dict[Path, bytes]],
) -> Callable[..., dict[Path, bytes]]:
    """What is drawn as SVG, and in place of a PDF, which takes longest, the same."""

    def drawn(ax: Any, path: Path, _: object) -> dict[Path, bytes]:
        ((name, raw),) = images(ax, path, (".svg",)).items()
        return {name.with_suffix(".pdf"): raw, name: raw}

    return drawn


def cache_of(
    function: Callable[..., Any], key: Callable[[Any], object]
) -> Callable[..., Any]:
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
    write_study(home)
    with forgotten():
        run_study(read_study(home / "study.toml"), home)
    return home


def write_study(home: Path) -> None:
    """Write the study, its model and its plug-in."""
    model = (ROOT / "models" / "monrad.toml").read_text("utf-8")
    (home / "own.toml").write_text(
        re.sub('name = "monrad"', 'name = "own"', model), "utf-8"
    )
    (home / f"{PLUGIN_NAME}.py").write_text(PLUGIN, encoding="utf-8")
    (home / "study.toml").write_text(STUDY, encoding="utf-8")


class forgotten:  # noqa: N801 - as a function of the standard library's contextlib
    """The plug-in is imported anew, as each command imports it."""

    def __enter__(self) -> None:
        self._path = [*sys.path]

    def __exit__(self, *_: object) -> None:
        sys.modules.pop(PLUGIN_NAME, None)
        sys.path[:] = self._path


def checked(folder: Path, layer: Layer = "sample", sample: int = 20) -> CheckReport:
    with forgotten():
        return check_study(folder, layer, sample)


# ------------------------------------------------------------------------------ planted changes


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def resummed(folder: Path, described: bool = True) -> None:
    """Make the lists of digests anew, as one would who wants a change not to be noticed: also that
    of the data dictionary, or only SHA256SUMS."""
    if described:
        told = json.loads((folder / DICTIONARY).read_text("utf-8"))
        for each in told["resources"]:
            if (folder / each["path"]).is_file():
                each["hash"] = f"sha256:{digest(folder / each['path'])}"
                each["bytes"] = (folder / each["path"]).stat().st_size
        text = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
        (folder / DICTIONARY).write_text(text, encoding="utf-8")
    paths = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and path.name != SUMS and "__pycache__" not in path.parts
    }
    lines = (f"{digest(paths[name])}  {name}\n" for name in sorted(paths))
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def replaced(name: str, old: str, new: str, count: int = 1, *, folder: Path) -> None:
    text = (folder / name).read_text("utf-8")
    assert old in text, (name, old)
    (folder / name).write_text(text.replace(old, new, count), encoding="utf-8")


def digit(name: str, place: int, folder: Path) -> None:
    """Another digit in the middle of the place-th number of a file."""
    text = (folder / name).read_text("utf-8")
    found = [*NUMBER.finditer(text)]
    one = found[place % len(found)]
    at = one.start() + (len(one[0]) - 1) // 2 if "." not in one[0] else one.end() - 1
    other = str((int(text[at]) + 3) % 10) if text[at].isdigit() else "7"
    (folder / name).write_text(text[:at] + other + text[at + 1 :], encoding="utf-8")


Rows = list[dict[str, Any]]


def in_parquet(name: str, change: Callable[[Rows], Rows | None], folder: Path) -> None:
    """Change a Parquet file's rows."""
    table = pq.read_table(folder / name)
    rows = table.to_pylist()
    rows = change(rows) or rows
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), folder / name)


def at(rows: Rows, model: str, replicate: int, round_number: int) -> Rows:
    return [
        row
        for row in rows
        if (row["model"], row["replicate"], row["round"])
        == (model, replicate, round_number)
    ]


def cell(model: str, column: str, new: object, rows: Rows) -> None:
    row = at(rows, model, 1, 2)[0]
    assert row[column] != new
    row[column] = new


def swapped(model: str, rows: Rows) -> None:
    """Two second players of a first round change places."""
    one, two = at(rows, model, 0, 1)[:2]
    one["player2"], two["player2"] = two["player2"], one["player2"]


def removed_row(rows: Rows) -> None:
    rows.remove(at(rows, "own", 1, 2)[0])


def doubled_row(rows: Rows) -> None:
    rows.insert(4, rows[4])


def removed_tournament(rows: Rows) -> Rows:
    return [row for row in rows if row["replicate"] < 2]


def removed_model(rows: Rows) -> Rows:
    return [row for row in rows if row["model"] != "own"]


def other_model(rows: Rows) -> Rows:
    """A tournament that another model paired: all in it agrees with all else but the model."""
    own = [
        dict(row, model="excalibur")
        for row in rows
        if row["model"] == "own" and row["replicate"] == 1
    ]
    kept = [row for row in rows if row["model"] != "excalibur" or row["replicate"] != 1]
    first = next(
        k
        for k, row in enumerate(kept)
        if row["model"] == "excalibur" and row["replicate"] == 2
    )
    return [*kept[:first], *own, *kept[first:]]


def overwritten(name: str, content: bytes, folder: Path) -> None:
    (folder / name).write_bytes(content)


def no_column(folder: Path) -> None:
    table = pq.read_table(folder / GAMES)
    pq.write_table(table.drop_columns(["player2"]), folder / GAMES)


def in_csv(name: str, row: int, column: str, new: str, folder: Path) -> None:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        head, *rows = [*csv.reader(file)]
    place = head.index(column)
    assert rows[row][place] != new
    rows[row][place] = new
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


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


def changes() -> Iterator[tuple[str, Change, bool]]:
    """Named changes; with each whether the list of digests is made anew after it."""
    for name in TABLES:
        for place in (3, 40, 77, 111):
            yield f"{name}, number {place}", partial(digit, name, place), True
    edited = partial(replaced, "sentences.md")
    yield "a verdict", partial(edited, ": not shown", ": shown"), True
    yield "an interval", partial(edited, "95% interval", "99% interval"), True
    yield "a claim", partial(edited, "has more floats", "has fewer floats"), True
    yield (
        "an exploration",
        partial(edited, "exploratory, which shows nothing", "shown"),
        True,
    )
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
        (("digests", f"{PLUGIN_NAME}.py"), zero),
        (("choose",), "any"),
        (("claims", 0, "p"), 0.001),
        (("claims", 0, "verdict"), "shown at last"),
        (("claims", 2, "asked"), "hypothesis"),
        (("title",), "Another"),
    ):
        yield f"results, {path[0]} {path[-1]}", partial(in_results, path, value), True
    asked = partial(replaced, "study.toml")
    yield "the seed", partial(asked, "seed = 11", "seed = 12"), True
    yield "a margin", partial(asked, "margin = 0.25", "margin = 0.5"), True
    yield "a metric", partial(asked, '"floats"', '"kendall"'), True
    yield (
        "how many are asked for",
        partial(asked, "replicates = 3", "replicates = 4"),
        True,
    )
    yield "the world", partial(asked, "drops = 0.05", "drops = 0.1"), True
    yield (
        "a hypothesis that was none",
        partial(asked, "[[exploratory]]", "[[hypotheses]]"),
        True,
    )
    yield "the title", partial(asked, "To be changed", "Changed"), True
    yield "a comment", partial(asked, "seed = 11", "seed = 11 # lucky"), True
    yield "no study any more", partial(asked, "models = [", "models = "), True
    yield (
        "the model",
        partial(replaced, "own.toml", 'style = "', 'style = "fold" # '),
        True,
    )
    yield (
        "the title of the model",
        partial(replaced, "own.toml", 'title = "', 'title = "X'),
        True,
    )
    yield "the plug-in", partial(replaced, f"{PLUGIN_NAME}.py", "max()", "min()"), True
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
    # digests alone know of it, where it is none of a value
    yield "a byte of the games", partial(byte_of, GAMES), False
    for name, change in (
        ("a score", partial(cell, "excalibur", "score1", 1.5)),
        ("a later score", partial(cell, "random", "score2", 1.0)),
        ("a player", partial(cell, "own", "player1", 7)),
        ("nobody", partial(cell, "own", "player1", 70)),
        ("a side", partial(cell, "own", "side1", 1)),
        ("a table", partial(cell, "random", "table", 9)),
        ("a status", partial(cell, "own", "status", "bye")),
        ("a round", partial(cell, "own", "round", 3)),
        ("a round that is none", partial(cell, "own", "round", 9)),
        ("no pairing", partial(cell, "own", "status", "infeasible")),
        ("a status that is none", partial(cell, "own", "status", "x")),
        ("an endless score", partial(cell, "own", "score1", float("inf"))),
        ("a model", partial(cell, "own", "model", "excalibur")),
        ("a name", partial(cell, "own", "model", "unknown")),
        ("another tournament", partial(cell, "own", "replicate", 2)),
        ("two pairs", partial(swapped, "excalibur")),
        ("two pairs by lot", partial(swapped, "random")),
        ("a game less", removed_row),
        ("a game twice", doubled_row),
        ("a tournament less", removed_tournament),
        ("a model less", removed_model),
        ("a tournament of another model", other_model),
    ):
        yield f"in the games, {name}", partial(in_parquet, GAMES, change), True
    yield "in the games, no column", no_column, True
    for column, new in (("strength", 1500.5), ("player", 3), ("replicate", 1)):
        yield (
            f"in the players, {column}",
            partial(in_parquet, PLAYERS, partial(first_cell, column, new)),
            True,
        )
    for column, new in (("value", 0.5), ("metric", "tau"), ("model", "own")):
        yield (
            f"in the long table, {column}",
            partial(in_parquet, LONG, partial(first_cell, column, new)),
            True,
        )
    for column, new in (
        ("kendall", "0.5"),
        ("floats", "9"),
        ("most_points", "8"),
        ("winner_rank", "5"),
        ("replicate", "2"),
        ("model", "own"),
        ("paired_rounds", "2"),
        ("spearman", ""),
    ):
        yield (
            f"of a tournament, {column}",
            partial(in_csv, TOURNAMENTS, 0, column, new),
            True,
        )
    described = partial(replaced, DICTIONARY)
    yield "a unit", partial(described, '"unit": "points"', '"unit": "wins"'), True
    yield "a meaning", partial(described, "The true strength", "The strength"), True
    yield "a range", partial(described, '"maximum": 7', '"maximum": 8'), True
    yield "no dictionary", partial(removed, DICTIONARY), False


def first_cell(column: str, new: object, rows: Rows) -> None:
    assert rows[0][column] != new
    rows[0][column] = new


CHANGES = [*changes()]


@pytest.mark.long
def test_a_study_as_it_was_written_agrees(whole: Path) -> None:
    found = checked(whole)
    assert not found.faults
    assert not found.notes
    assert (found.tournaments, found.replayed) == (9, 9)
    assert found.files > 15


@pytest.mark.long
def test_a_list_of_digests_made_anew_is_no_fault(whole: Path, tmp_path: Path) -> None:
    """So what is found of the changes below is not that."""
    folder = tmp_path / "study"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
    in_parquet(GAMES, lambda _: None, folder)  # packed otherwise, the same in it
    resummed(folder)
    assert not checked(folder).faults


def test_there_are_50_changes_and_more() -> None:
    assert len({name for name, _, _ in CHANGES}) == len(CHANGES) >= 50


OFTEN = ("means.csv, number 77", "the world", "in the games, a table", "no dictionary")
"""One of each kind runs in the long tests, all in the slow sweep."""


def often(name: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if name in OFTEN else (pytest.mark.slow,)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "resum"),
    [
        pytest.param(change, resum, id=name, marks=often(name))
        for name, change, resum in CHANGES
    ],
)
def test_every_change_is_found(
    whole: Path, tmp_path: Path, change: Change, resum: bool
) -> None:
    folder = tmp_path / "study"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
    change(folder=folder) if isinstance(change, partial) else change(folder)
    if resum:
        resummed(folder)
    assert checked(folder).faults


NAMED = [
    ("a changed game", partial(in_parquet, GAMES, partial(swapped, "own")), GAMES),
    ("a changed table", partial(in_csv, "means.csv", 1, "mean", "0.5"), "means.csv"),
    (
        "a changed tournament",
        partial(in_csv, TOURNAMENTS, 2, "most_points", "8"),
        TOURNAMENTS,
    ),
    (
        "a changed question",
        partial(replaced, "study.toml", "margin = 0.5", "margin = 0.4"),
        "study.toml",
    ),
    ("a damaged table", partial(overwritten, LONG, b"damaged"), LONG),
    ("an empty table", partial(overwritten, "means.csv", b""), "means.csv"),
    *(
        (f"no {name}", partial(removed, name), name)
        for name in (
            GAMES,
            PLAYERS,
            LONG,
            TOURNAMENTS,
            "means.csv",
            RESULTS,
            "sentences.md",
            SUMS,
            DICTIONARY,
            "figures/heat_map.svg",
            f"{PLUGIN_NAME}.py",
            "own.toml",
        )
    ),
]


def both_layers() -> Iterator[Any]:
    """Each change by the tables alone, the first four by a sample of replays too, the rest of
    these in the slow sweep."""
    for k, (said, change, name) in enumerate(NAMED):
        yield pytest.param(change, name, True, id=f"{said}-True")
        marks = () if k < 4 else pytest.mark.slow
        yield pytest.param(change, name, False, id=f"{said}-False", marks=marks)


@pytest.mark.parametrize(("change", "name", "tables_alone"), [*both_layers()])
@pytest.mark.long
def test_what_was_changed_is_named(
    whole: Path, tmp_path: Path, change: Change, name: str, tables_alone: bool
) -> None:
    """By the tables alone, in which the digests of the dictionary are the check of a game."""
    folder = tmp_path / "study"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
    change(folder=folder) if name not in (GAMES, PLAYERS) else change(folder)
    if name not in (SUMS, DICTIONARY):
        resummed(folder, described=False)
    found = checked(folder, "tables" if tables_alone else "sample").faults
    assert any(name in str(fault) for fault in found), found


@pytest.mark.slow
def test_a_digit_anywhere_is_found(whole: Path, tmp_path: Path) -> None:
    """One in any file of text, with the checksums made anew, by the tables alone."""
    luck = random.Random(7)
    files = sorted(
        path.relative_to(whole).as_posix()
        for path in whole.rglob("*")
        if path.suffix in (".csv", ".json", ".md", ".svg", ".toml")
        and NUMBER.search(path.read_text("utf-8"))
    )
    folder = tmp_path / "study"
    for number in range(500):
        name = luck.choice(files)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("__pycache__"))
        digit(name, luck.randrange(10**6), folder)
        resummed(folder, described=False)
        assert checked(folder, "tables").faults, (number, name)


@pytest.mark.long
def test_another_program_is_a_note(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose replay agrees: said, and no fault."""
    from pairopt.lab.studies import check, study_file

    here = {**study_file.program(), "sources_sha256": "0" * 64}
    monkeypatch.setattr(check, "program", lambda: here)
    found = checked(whole)
    assert not found.faults
    assert found.replayed == 9
    assert "sources_sha256" in found.notes[0]


@pytest.mark.long
def test_other_versions_are_a_note(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another matplotlib draws other bytes: figures are left out then, and that is said."""
    from pairopt.lab.studies import check, study_file

    given = {**study_file.all_versions(), "matplotlib": "0.1", "scipy": "0.2"}
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
        "[world]\nplayers = 9\nrounds = 4\ndrops = 0.05\nrating_error = 50\n",
        "utf-8",
    )
    assert (
        run(
            "run", tmp_path / "all.toml", "-o", tmp_path / "once", "--jobs", 2
        ).returncode
        == 0
    )
    folder = tmp_path / "killed"
    kills = 0
    for number in range(1, 6):
        with subprocess.Popen(
            command("run", tmp_path / "all.toml", "-o", folder),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            while (
                process.poll() is None
                and len([*folder.glob("games.parts/*")]) < 6 * number
            ):
                pass
            kills += process.poll() is None
            process.kill()
    assert kills >= 3
    assert run("run", tmp_path / "all.toml", "-o", folder).returncode == 0
    for path in (tmp_path / "once").rglob("*"):
        if path.is_file():
            again = folder / path.relative_to(tmp_path / "once")
            assert path.read_bytes() == again.read_bytes(), path
    done = run("check", folder, "--all", "--jobs", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{12 * len(names)} tournaments replayed: everything agrees" in done.stdout


@pytest.mark.slow
@pytest.mark.long
def test_the_command_says_what_does_not_agree(tmp_path: Path) -> None:
    """The command draws the figures of both: `vectors` draws no PDF, so its SVG differs.

    matplotlib's constrained layout moves the axes with each file that it draws.
    """
    write_study(tmp_path)
    folder = tmp_path / "study"
    made = run("run", tmp_path / "study.toml", "-o", folder)
    assert made.returncode == 0, made.stderr
    done = run("check", folder)
    assert done.returncode == 0, done.stdout
    assert "from the games of 9 tournaments: everything agrees." in done.stdout
    replaced("means.csv", ",hypothesis", ",exploratory", folder=folder)
    done = run("check", folder)
    assert done.returncode == 1
    assert "means.csv: line " in done.stdout
    assert "means.csv: not the file that datapackage.json describes" in done.stdout
    assert "not agree" in done.stdout


@pytest.mark.slow
def test_a_folder_without_a_study(tmp_path: Path) -> None:
    done = run("check", tmp_path)
    assert done.returncode == 3
    assert "it has no study.toml" in done.stderr
