"""The page of conformance: its rows, and the comparisons once more."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import conformance
import conformance_data as data
import pytest
from click.testing import CliRunner
from places import REAL

QUICK = ("tie-breaks", "round-robin", "dutch-own-tests", "dutch-disputes")
"""What is compared in a moment; the others are sweeps."""


def test_the_page_has_a_row_for_each_data_set() -> None:
    rows = conformance.page_counts()
    assert [*rows] == [source.what for source in conformance.SOURCES]
    assert len({source.key for source in conformance.SOURCES}) == len(rows)


def test_what_differs_has_a_cause() -> None:
    rows = conformance.page_counts()
    page = conformance.PAGE.read_text("utf-8")
    for source in conformance.SOURCES:
        counts = rows[source.what]
        assert 0 < counts.agree <= counts.cases
        assert (counts.agree < counts.cases) == bool(source.cause)
        assert conformance.row_text(source, counts) in page


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            source,
            id=source.key,
            marks=() if source.key in QUICK else pytest.mark.sweep,
        )
        for source in conformance.SOURCES
    ],
)
def test_the_counts_are_right(source: conformance.Source) -> None:
    assert source.compare(REAL) == conformance.page_counts()[source.what]


# ------------------------------------------------------------ the data from clones


def test_the_checksums_are_those_of_files_by_content() -> None:
    """The order of keys and spaces don't count, one other number does."""
    text = b'{"a": 1,\n "b": [2]}'
    same, other = b'{"b":[2],"a":1}', b'{"b":[3],"a":1}'
    digest = data.checksum("x/y.json", text)
    assert data.checksum("x/y.json", same) == digest
    assert data.checksum("x/y.json", other) != digest
    assert data.checksum("x/y.json.gz", gzip.compress(same)) == digest
    assert data.checksum("x/y.trf", text) != data.checksum("x/y.trf", same)


def test_the_list_names_each_repository_with_its_commit() -> None:
    listed = {(row["repository"], row["commit"]) for row in data.stated().values()}
    assert listed == {(source.repository, source.commit) for source in data.SOURCES}
    page = conformance.PAGE.read_text("utf-8")
    for repository, commit in listed:
        assert f"{repository} ({commit})" in page
        assert f"clones/{repository.split('/')[1]}\n" in page
    assert f"converts {len(data.stated())} files" in " ".join(page.split())


@pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")
def test_the_list_has_the_checksums_of_the_data() -> None:
    for path, row in data.stated().items():
        assert data.checksum(path, (REAL / path).read_bytes()) == row["sha256"], path


def clone_of_chesspairing(folder: Path, second: str = "p2") -> Path:
    """A repository with one scenario of two players, as chesspairing stores it."""
    place = folder / "chesspairing"
    player = {"Rating": 2000, "Active": True}
    players = [{"ID": "p1", **player}, {"ID": "p2", **player}]
    scenario = {"description": "two players", "players": players}
    pairs = {"Pairings": [{"WhiteID": "p1", "BlackID": second}], "Byes": None}
    for name in data.SCENARIOS:
        for program in ("bbppairings", "javafo"):
            where = place / "pairing/dutch/testdata" / f"golden-{program}" / name
            where.mkdir(parents=True)
            (where / "scenario.json").write_text(json.dumps(scenario))
            (where / "round-1.json").write_text(json.dumps(pairs))
    me = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-q", "-m", "x"]):
        command = ["git", "-C", str(place), *words]
        subprocess.run(command, check=True)
    return place


def test_files_of_a_clone_are_converted_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first clone makes the list; the second has one other pair."""
    source = data.Source("gnutterts/chesspairing", "HEAD", data.golden)
    monkeypatch.setattr(data, "SOURCES", (source,))
    monkeypatch.setattr(data, "LIST", tmp_path / "list.csv")
    clone_of_chesspairing(tmp_path / "one")
    clone_of_chesspairing(tmp_path / "two", second="p3")

    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(data.main, [str(tmp_path / word) for word in words])
        return done.exit_code, done.output

    (content,) = [
        content
        for _, content in data.golden(data.Clone(tmp_path / "one/chesspairing", "HEAD"))
    ]
    first = json.loads(content)["scenarios"][0]
    assert first["bbppairings"] == {"1": [["p1", "p2"]]}
    digest = data.checksum("golden.json", content)
    row = ("dutch_disputes/golden.json", source.repository, "HEAD", digest)
    lines = [",".join(data.COLUMNS), ",".join(row)]
    (tmp_path / "list.csv").write_text("\n".join(lines) + "\n")
    assert run("one", "made") == (0, f"{source.repository} HEAD: 1 of 1 files equal\n")
    code, output = run("two", "made")
    assert code == 1
    assert "differs: dutch_disputes/golden.json" in output
    (tmp_path / "three").mkdir()
    assert "no clone in" in run("three", "made")[1]


def test_lists_of_numbers_that_elixir_shows_as_text() -> None:
    text = r'[[1, 17], [7, nil], ~c"\b\n", ~c"\t\r"] and [{4, 2}, {8, nil}]'
    assert data.elixir_pairs(text) == [
        [1, 17],
        [7, 0],
        [8, 10],
        [9, 13],
        [4, 2],
        [8, 0],
    ]


def test_valid_draws_are_counted_by_sets() -> None:
    """Three clubs each: the first may not meet the first, so 4 of 6 draws are valid."""
    allowed = [[False, True, True], [True, True, True], [True, True, True]]
    counts, total = data.draw_counts(allowed)
    assert total == 4
    assert counts == [[0, 2, 2], [2, 1, 1], [2, 1, 1]]
