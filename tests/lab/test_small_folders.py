"""A study's folder with the games of a sample of its tournaments, from which all else follows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import make_small_studies
import pytest

from pairopt.lab import figures
from pairopt.lab.studies import game_archive, run
from pairopt.lab.studies.check import check_study
from pairopt.lab.studies.data_package import DICTIONARY, write_data_package
from pairopt.lab.studies.game_archive import (
    GAMES,
    LONG,
    PLAYERS,
    TOURNAMENTS,
    VALUES,
)
from pairopt.lab.studies.study_file import read_study

pytestmark = pytest.mark.long
KEPT = 2
STUDY = """
models = ["excalibur", "random"]
replicates = 5
metrics = ["winner"]
[world]
players = 7
rounds = 3
[grid]
draws = [0, 0.3]
[[hypotheses]]
model = "random"
metric = "floats"
claim = "more"
"""


@pytest.fixture(scope="module", autouse=True)
def without_pictures() -> Iterator[None]:
    """Drawing takes most of the time."""

    def images(_: object, path: Path, suffixes: tuple[str, ...]) -> dict[Path, bytes]:
        return {path.with_name(path.name + end): path.name.encode() for end in suffixes}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "images", images)
        patch.setattr(make_small_studies, "KEPT", KEPT)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "study"
    path = folder.with_suffix(".toml")
    path.write_text(STUDY, encoding="utf-8")
    run.run_study(read_study(path), folder)
    return folder


@pytest.fixture
def small(whole: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    shutil.copytree(whole, folder)
    make_small_studies.shrink(folder)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_results_and_pictures_stay(whole: Path, small: Path) -> None:
    before, after = files_of(whole), files_of(small)
    gone = {name for name in before if name not in after}
    assert gone == {TOURNAMENTS, LONG} | {n for n in before if n.endswith(".pdf")}
    changed = {name for name in before if name in after and before[name] != after[name]}
    assert changed == {GAMES, PLAYERS, DICTIONARY, "SHA256SUMS"}
    assert {*after} - {*before} == {VALUES}


def test_it_is_checked(small: Path) -> None:
    found = check_study(small, "all")
    assert not found.faults
    assert (found.tournaments, found.by_seed, found.replayed) == (8, 12, 20)


def test_what_was_left_out_is_made_again(whole: Path, small: Path) -> None:
    """Without a tournament that is played."""
    run.run_study(read_study(small / "study.toml"), small)
    before, after = files_of(whole), files_of(small)
    for name in (TOURNAMENTS, LONG, "figures/sweep-draws.pdf"):
        assert after[name] == before[name], name
    assert not check_study(small, "sample").faults


@pytest.mark.parametrize(
    ("replicate", "layer"), [(0, "tables"), (KEPT - 1, "tables"), (KEPT, "all")]
)
def test_a_changed_value_is_found(small: Path, replicate: int, layer: str) -> None:
    """With the digests made again: from the games where they are, else from the seed."""
    values = game_archive.read_parquet(VALUES, (small / VALUES).read_bytes())
    row = values.index[values["replicate"] == replicate][-1]
    values.loc[row, "floats"] += 1
    (small / VALUES).write_bytes(game_archive.write_parquet(values))
    design = read_study(small / "study.toml")
    files = files_of(small)
    described = {k: v for k, v in files.items() if k not in (DICTIONARY, "SHA256SUMS")}
    (small / DICTIONARY).write_bytes(write_data_package(design, described))
    sums = run.format_sums({**described, DICTIONARY: (small / DICTIONARY).read_bytes()})
    (small / "SHA256SUMS").write_bytes(sums)
    found = check_study(small, layer)  # type: ignore[arg-type]
    assert found.found[layer]  # type: ignore[index]


def test_a_table_that_is_there_is_compared(whole: Path, small: Path) -> None:
    raw = (whole / TOURNAMENTS).read_bytes()
    (small / TOURNAMENTS).write_bytes(raw.replace(b"\n", b"\n ", 1))
    assert any(TOURNAMENTS in str(fault) for fault in check_study(small).faults)


def test_the_table_of_tournaments_can_be_read(whole: Path, small: Path) -> None:
    known = run.read_tournament_table(whole)
    assert run.read_tournament_table(small).equals(known)
