"""Lists of prizes, expected rating changes and counts for FIDE, of the manual's example."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from manual_event import MATCHES, manual_event, write_manual_event

from pairopt import Event, UsageError, read_event
from pairopt.report.printed_lists import available_lists, make_list
from pairopt.report.printed_lists.rendering import render_list

GROUPS = 'groups = ["Women: sex is w", "U18: born 2009 or later"]\n'
PRIZES = """
[prizes]
main = [200, 120, 80, 50]
groups = ["Women: 60", "U18: 50"]
"""


def event_of(folder: Path, settings: str = "") -> Event:
    return manual_event(folder / "event", settings)


def rows_of(event: Event, name: str) -> list[Mapping[str, str]]:
    text = render_list(make_list(event, name), event, "csv").decode()
    return [*csv.DictReader(io.StringIO(text))]


def amounts(event: Event, prize: str) -> dict[str, str]:
    return {
        row["name"]: row["amount"]
        for row in rows_of(event, "prizes")
        if row["prize"] == prize and row["amount"]
    }


def test_hort_in_whole_euros(tmp_path: Path) -> None:
    rules = f'{GROUPS}{PRIZES}sharing = "hort"\nrounding = 1\n'
    event = event_of(tmp_path, rules)
    assert amounts(event, "Main prizes") == {
        "Aalto, Minna": "200",
        "Ivanov, Petar": "102",
        "Berzins, Janis": "82",
        "Farkas, Anna": "66",
    }
    assert amounts(event, "Women") == {"Jensen, Liv": "60"}
    assert amounts(event, "U18") == {"Kovac, Luka": "50"}
    assert not any(row["remark"] for row in rows_of(event, "prizes"))


def test_without_sharing_the_better_prize_counts_and_a_lot_is_named(
    tmp_path: Path,
) -> None:
    event = event_of(tmp_path, f"{GROUPS}{PRIZES}rounding = 1\n")
    assert amounts(event, "Main prizes") == {
        "Aalto, Minna": "200",
        "Ivanov, Petar": "120",
        "Berzins, Janis": "80",
        "Hansen, Ole": "50",
    }
    assert amounts(event, "Women") == {"Farkas, Anna": "60"}
    assert amounts(event, "U18") == {}
    lots = {
        row["name"]: row["remark"]
        for row in rows_of(event, "prizes")
        if row["prize"] == "U18"
    }
    assert lots == {
        "Jensen, Liv": "50 or nothing, by lot with Kovac, Luka",
        "Kovac, Luka": "50 or nothing, by lot with Jensen, Liv",
    }


def test_a_group_that_is_too_small_is_named(tmp_path: Path) -> None:
    event = event_of(tmp_path, f"{GROUPS}{PRIZES}least_players = 5\n")
    remarks = [
        row["remark"] for row in rows_of(event, "prizes") if row["prize"] == "U18"
    ]
    assert remarks == ["not awarded: 4 of 5 players needed"]


def test_an_event_without_prizes_has_no_list_of_them(tmp_path: Path) -> None:
    event = event_of(tmp_path)
    assert "prizes" not in [each.name for each in available_lists(event)]
    with pytest.raises(UsageError, match="no prizes yet"):
        make_list(event, "prizes")


def test_expected_rating_changes_of_the_worked_example(tmp_path: Path) -> None:
    event = event_of(tmp_path, "last_day = 2026-05-03\n")
    rows = {row["name"]: row for row in rows_of(event, "rating-change")}
    costa = rows["Costa, Bruno"]
    assert (costa["k"], costa["games"], costa["score"]) == ("20", "4", "1.5")
    assert (costa["expected_score"], costa["change"]) == ("2.94", "-28.8")
    ivanov = rows["Ivanov, Petar"]
    # The forfeit is left out. Ivanov is 15 in 2026, so K is 40.
    assert (ivanov["games"], ivanov["score"]) == ("4", "2.5")
    assert (ivanov["expected_score"], ivanov["difference"]) == ("1.14", "+1.36")
    assert (ivanov["k"], ivanov["k_from"]) == ("40", "rules")
    assert ivanov["change"] == "+54.4"
    assert (ivanov["opponents"], ivanov["performance"]) == ("1987", "2082")


def test_counts_name_the_players(tmp_path: Path) -> None:
    rows = {row["class"]: row for row in rows_of(event_of(tmp_path), "fide-counts")}
    assert rows["All"]["players"] == rows["Rated"]["players"] == "11"
    assert (rows["FM"]["players"], rows["FM"]["names"]) == ("1", "Berzins, Janis")
    assert (rows["WIM"]["codes"], rows["WIM"]["names"]) == ("FIN", "Aalto, Minna")
    assert rows["GM"]["players"] == "0"


def test_players_of_the_host_federation_are_counted(tmp_path: Path) -> None:
    event = event_of(tmp_path, 'federation = "AUT"\n')
    rows = {row["class"]: row for row in rows_of(event, "fide-counts")}
    assert (rows["All"]["from_host"], rows["FM"]["from_host"]) == ("2", "0")
    assert "from_host" not in rows_of(event_of(tmp_path / "b"), "fide-counts")[0]


def test_before_the_first_result_nobody_has_a_prize(tmp_path: Path) -> None:
    path = write_manual_event(tmp_path / "event", GROUPS + PRIZES)
    (path / "matches.csv").unlink()
    with pytest.raises(UsageError, match="no results yet"):
        make_list(read_event(path, unfinished=True), "prizes")


def test_many_equal_players_are_counted_in_a_remark(tmp_path: Path) -> None:
    head, *rows = MATCHES.splitlines()
    draws = [row.replace(",1,0,", ",0.5,0.5,") for row in rows[:3] + rows[4:5]]
    settings = "tie_breaks = []\n" + PRIZES.replace(
        'groups = ["Women: 60", "U18: 50"]', ""
    )
    text = "\n".join([head, *draws, ""])
    path = write_manual_event(tmp_path / "event", "", text)
    toml = (path / "event.toml").read_text(encoding="utf-8")
    toml = toml.replace('tie_breaks = ["DE", "BH/C1", "BH", "SB"]\n', settings)
    (path / "event.toml").write_text(toml, encoding="utf-8")
    remarks = {
        row["remark"]
        for row in rows_of(read_event(path, unfinished=True), "prizes")
        if row["remark"]
    }
    assert remarks == {
        "200.00 or 120.00, by lot with Aalto, Minna",
        "200.00 or 120.00, by lot with Jensen, Liv",
        "between 80.00 and nothing, by lot with 3 players who are equal in everything",
    }


def test_a_player_who_has_dropped_out_gets_no_prize(tmp_path: Path) -> None:
    path = write_manual_event(tmp_path / "event", GROUPS + PRIZES)
    head, *rows = (path / "players.csv").read_text(encoding="utf-8").splitlines()
    marked = [f"{row},{'false' if 'Ivanov' in row else 'true'}" for row in rows]
    lines = [f"{head},active", *marked, ""]
    (path / "players.csv").write_text("\n".join(lines), encoding="utf-8")
    main = amounts(read_event(path, unfinished=True), "Main prizes")
    assert [*main] == ["Aalto, Minna", "Berzins, Janis", "Farkas, Anna", "Hansen, Ole"]
