"""Small things that people see: unrated players, side bias, and one missing result."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from organiser import client, event, said, scored

from pairopt import read_event
from pairopt.cli import main
from pairopt.folder import new, pair, result
from pairopt.report.page import standings_title


def test_an_unrated_player_is_not_shown_with_0(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("name,rating\nAnn,2100\nBob,0\nCyd,\nDee,1900\n")
    folder = tmp_path / "event"
    new(folder, listed, points="3-1-0")
    page = client(folder)
    text = page.get("/players").text
    assert '<td class="number">2100</td>' in text
    assert '<td class="number">0</td>' not in text.replace('0<span class="narrow">', "")
    assert "rating 0" not in said(page.get("/player?id=Bob").text)
    shown = read_event(folder)
    ratings = [shown.shown_rating(p) for p in range(4)]
    assert ratings == ["2100", "", "", "1900"]
    assert shown.rating_text(1) == "0", "files keep it"


def test_side_bias_is_only_shown_where_there_are_sides(tmp_path: Path) -> None:
    for sides in ("", "corp,runner"):
        how = {"sides": sides} if sides else {"model": "monrad"}
        folder = event(tmp_path / f"event{sides}", "ABCD", 1, points="3-1-0", **how)
        scored(folder)
        shown = CliRunner().invoke(main, ["standings", str(folder)]).stdout
        assert ("Side Bias" in shown) == bool(sides)
        assert ("Side Bias" in client(folder).get("/standings").text) == bool(sides)
        csv = (
            CliRunner()
            .invoke(main, ["standings", str(folder), "--format", "csv"])
            .stdout
        )
        assert "side_bias" in csv.splitlines()[0], "columns of files stay"


def test_one_result_is_missing_and_two_are(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1, points="3-1-0")
    page = client(folder)
    result(folder, 1, "3-0")
    assert "2 results of round 1 are missing" in page.get("/standings").text
    assert "2 of 3 results are missing" in page.get("/results").text
    result(folder, 2, "3-0")
    assert "1 result of round 1 is missing" in page.get("/standings").text
    assert "1 of 3 results is missing" in page.get("/results").text
    title = standings_title(read_event(folder, unfinished=True))
    assert "(1 result is missing)" in title
    two = event(tmp_path / "two", "AB", points="3-1-0")
    pair(two)
    assert "1 of 1 result is missing" in client(two).get("/results").text
