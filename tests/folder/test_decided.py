"""Results that only an arbiter's decision gives: 0-0 and ½-0 of a match that was played."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from dutch_cases import player
from notes import notes_of

from pairopt import UsageError, check_all, read_event, standings
from pairopt.cli import main
from pairopt.files.formats.trf.writing import write
from pairopt.folder import new, pair, result

LETTERS = {"0-0": ("0", "0"), "½-0": ("=", "0"), "0-½": ("0", "=")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A chess event whose first round is paired: White is named first."""
    rows = "".join(f"P{k},{2000 - k}\n" for k in range(1, 5))
    (tmp_path / "players.csv").write_text(f"player,rating\n{rows}")
    new(
        tmp_path / "open",
        tmp_path / "players.csv",
        model="fide-dutch",
        rounds=3,
        points="1-½-0",
    )
    pair(tmp_path / "open")
    return tmp_path / "open"


@pytest.mark.long
@pytest.mark.parametrize("score", LETTERS)
def test_only_when_it_is_said(folder: Path, score: str) -> None:
    before = (folder / "matches.csv").read_bytes()
    with pytest.raises(UsageError, match="an arbiter's decision"):
        result(folder, 1, score)
    assert (folder / "matches.csv").read_bytes() == before
    done = CliRunner().invoke(main, ["result", str(folder), "1", score, "--decided"])
    assert done.exit_code == 0, done.output
    result(folder, 2, "1-0", decided=True)  # and results as ever
    text = write(read_event(folder)).text
    white, black = LETTERS[score]
    assert f" w {white}" in text
    assert f" b {black}" in text
    assert not any(line.startswith(("XXS", "162")) for line in text.splitlines())
    assert all(each.agrees for each in check_all(read_event(folder)))
    assert pair(folder).step


@pytest.mark.long
@pytest.mark.parametrize("score", ["1-1", "½-1", "2-0", "0-2"])
def test_not_what_nobody_can_decide(folder: Path, score: str) -> None:
    with pytest.raises(
        UsageError, match=r"is not possible with the points 1-0\.5-0"
    ) as caught:
        result(folder, 1, score, decided=True)
    assert "--decided" not in str(caught.value)


@pytest.mark.long
def test_from_a_report_and_back(tmp_path: Path) -> None:
    lines = [
        player(1, 0.5, "   3 w ="),
        player(2, 0, "   4 b 0"),
        player(3, 0, "   1 b 0"),
        player(4, 0, "   2 w 0"),
        "XXR 5",
        "",
    ]
    path = tmp_path / "open.trf"
    path.write_text("\n".join(lines))
    new(tmp_path / "open", path)
    for event in (read_event(path), read_event(tmp_path / "open")):
        text = write(event).text
        assert "   3 w =" in text
        assert "   1 b 0" in text
        (tmp_path / "again.trf").write_text(text)
        assert notes_of(read_event(tmp_path / "again.trf")) == ()
        assert standings(read_event(tmp_path / "again.trf"))["points"].tolist() == [
            "0.5",
            "0",
            "0",
            "0",
        ]


@pytest.mark.parametrize("score", ["0-0", "1-0"])
def test_where_nobody_decides_it_is_not_offered_and_no_file_is_blamed(
    tmp_path: Path, score: str
) -> None:
    (tmp_path / "players.csv").write_text("player\nA\nB\nC\nD\n")
    folder = tmp_path / "evening"
    new(folder, tmp_path / "players.csv", points="3-1-0", sides="none")
    pair(folder)
    for more in ((), ("--decided",)):
        done = CliRunner().invoke(main, ["result", str(folder), "1", score, *more])
        assert (done.exit_code, "--decided" in done.stderr) == (2, False), done.stderr
        assert "is not possible with the points 3-1-0" in done.stderr
        assert "matches.csv" not in done.stderr
