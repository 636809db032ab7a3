"""check --all takes a repaired round as it was paired: the fewest published tables changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pairopt import check_all, read_event
from pairopt.cli import main
from pairopt.folder import new, pair, repair, result
from pairopt.folder.stored_proofs import read_options_by_round


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve players; in round 2 one does not come, and the model alone would seat others anew."""
    home = tmp_path_factory.mktemp("repaired")
    names = "".join(f"P{k:02d},{2000 - 10 * k}\n" for k in range(12))
    (home / "players.csv").write_text(f"player,rating\n{names}", encoding="utf-8")
    folder = home / "event"
    new(folder, home / "players.csv", model="fide-basic", points="1-0.5-0", rounds=5)
    pair(folder)
    for table in range(1, 7):
        result(folder, table, "1-0" if table % 2 else "1/2-1/2")
    pair(folder)
    repair(folder, drop=["P00"])
    return folder


@pytest.mark.long
def test_as_it_was_paired(repaired: Path) -> None:
    event = read_event(repaired, unfinished=True)
    alone = [found.agrees for found in check_all(event)]
    given = read_options_by_round(repaired)
    assert {"published"} <= {*given[2]}
    found = [*check_all(event, paired_with=given)]
    assert alone == [True, False]
    assert [each.agrees for each in found] == [True, True]
    assert any(
        "that it was paired with: published" in str(note) for note in found[1].notes
    )


@pytest.mark.parametrize("times", [1, 2], ids=["one", "a batch"])
def test_on_the_command_line(repaired: Path, times: int) -> None:
    same = [str(repaired), str(repaired.parent / "event" / ".." / "event")][:times]
    done = CliRunner().invoke(main, ["check", "--all", *same])
    assert done.exit_code == 0, done.output
    assert (
        "round 2: pairopt checked this round with the options that it was paired with: published P"
        in done.stderr.replace("from round 2 on", "round 2")
    )


def test_what_is_asked_for_comes_first(repaired: Path) -> None:
    """The same options otherwise, or another model, are checked as they are given."""
    event, given = (
        read_event(repaired, unfinished=True),
        read_options_by_round(repaired),
    )
    other = [*check_all(event, "random", paired_with=given)]
    assert {each.model for each in other} == {"random"}
    mine = [*check_all(event, paired_with=given, published=[("P00", "P06")])]
    assert not any(
        "that it was paired with: published" in str(note) for note in mine[1].notes
    )


def test_a_folder_without_proofs_says_nothing(tmp_path: Path) -> None:
    assert read_options_by_round(tmp_path) == {}
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "round-01.json").write_text("{", encoding="utf-8")
    (tmp_path / "proofs" / "round-x.json").write_text("{", encoding="utf-8")
    assert read_options_by_round(tmp_path) == {}
