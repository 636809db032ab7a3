"""Explaining: after a re-pairing each match of a round has the reason of when it was paired."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from against import against_fide
from click.testing import CliRunner
from organiser import client, founded, scored
from test_phones import phone

from pairopt.cli import main
from pairopt.folder import drop, edit, pair, repair, result, undo
from pairopt.folder.explaining import load_published_round
from pairopt.folder.open_folder import read_folder_state

CHESS = {"model": "fide-dutch", "sides": ("white", "black"), "points": "1-0.5-0"}
KINDS = pytest.mark.parametrize("how", [{}, CHESS], ids=["cards", "fide"])
PLAYERS = "ABCDEFGHIJ"


def in_round_2(folder: Path, how: dict[str, object]) -> Path:
    """An event whose second round is open."""
    made = founded(folder, PLAYERS, rounds=1, **how)
    scored(made, "1-0" if how else "3-0")
    pair(made)
    return made


def sentences(folder: Path) -> dict[str, str]:
    published = load_published_round(read_folder_state(folder), 2)
    return {
        player: str(published.find_origin(player).sentences[player])
        for player in published.last.opponents
    }


def tables(folder: Path) -> dict[str, frozenset[str]]:
    """The match of each player in round 2."""
    published = load_published_round(read_folder_state(folder), 2)
    return {
        player: frozenset(match.players)
        for match in published.last.matches
        for player in match.players
    }


def paired_again(folder: Path, *gone: str) -> None:
    with against_fide():
        for player in gone:
            drop(folder, player)
        repair(folder)


def spoken(folder: Path, player: str, **asked: str) -> list[str]:
    text = client(folder).get("/why", params={"id": player, **asked}).text
    answer = re.search(r'<section class="answer">(.*?)</section>', text, re.DOTALL)
    assert answer is not None
    return [line for line in re.findall(r"<p>([^<]*)</p>", answer[1]) if line]


@pytest.mark.long
@KINDS
def test_a_kept_table_has_its_first_reason(
    tmp_path: Path, how: dict[str, object]
) -> None:
    folder = in_round_2(tmp_path / "event", how)
    sentence, table = sentences(folder), tables(folder)
    one, other = sorted(table["A"])

    paired_again(folder, one)

    kept = [
        player for player, match in tables(folder).items() if match == table[player]
    ]
    assert len(kept) >= 6
    for player in kept:
        assert sentences(folder)[player] == sentence[player]
        lines = spoken(folder, player)
        assert any("This table was kept" in line for line in lines)
        assert not any("tables that change" in line for line in lines)
        assert not any("would pair this round otherwise" in line for line in lines)
        assert any(line.startswith("Why ") or "If " in line for line in lines)
    assert any(
        "who no longer plays in this round" in line for line in spoken(folder, other)
    )


@pytest.mark.long
@KINDS
def test_a_changed_table_says_why_it_changed(
    tmp_path: Path, how: dict[str, object]
) -> None:
    folder = in_round_2(tmp_path / "event", how)
    table = tables(folder)
    one = "A"
    other = next(iter(table[one] - {one}))
    two = next(player for player in PLAYERS if player not in table[one])
    third = next(iter(table[two] - {two}))

    paired_again(folder, one, two)

    now = tables(folder)
    changed = [player for player in now if now[player] != table[player]]
    assert {other, third} <= {*changed}
    for player in changed:
        lines = spoken(folder, player)
        assert any("This table changed when round" in line for line in lines)
        assert len(lines) >= 3  # the match, why it changed, and why this opponent
    assert f"{other} was to meet {one}, who no longer plays in this round" in " ".join(
        spoken(folder, other)
    )


@pytest.mark.long
@KINDS
def test_results_corrected_since_change_no_reason(
    tmp_path: Path, how: dict[str, object]
) -> None:
    """A kept table has the reason of its day, with the points of that time."""
    folder = in_round_2(tmp_path / "event", how)
    sentence, table = sentences(folder), tables(folder)
    paired_again(folder, "A")
    kept = [
        player for player, match in tables(folder).items() if match == table[player]
    ]

    with against_fide():
        result(folder, "2", "0-1" if how else "0-3", round=1)

    for player in kept:
        assert sentences(folder)[player] == sentence[player]


@pytest.mark.long
@KINDS
def test_each_re_pairing_has_its_own_reasons(
    tmp_path: Path, how: dict[str, object]
) -> None:
    folder = in_round_2(tmp_path / "event", how)
    first = tables(folder)
    paired_again(folder, "A")
    second = tables(folder)
    gone = next(player for player in second if second[player] == first[player])
    paired_again(folder, gone)

    published = load_published_round(read_folder_state(folder), 2)
    assert len(published.versions) == 3
    for player, match in tables(folder).items():
        steps = [first, second]
        since = 2
        while since and steps[since - 1].get(player) == match:
            since -= 1
        assert published.find_origin(player) is published.versions[since]

    undo(folder)
    assert len(load_published_round(read_folder_state(folder), 2).versions) == 2


@pytest.mark.long
def test_a_name_that_is_corrected_keeps_the_reasons(tmp_path: Path) -> None:
    folder = in_round_2(tmp_path / "event", {})
    sentence = sentences(folder)
    edit(folder, "B", {"club": "Checkmates"}, sure=True)
    paired_again(folder, "A")
    assert any(
        sentences(folder)[player] == sentence[player] for player in tables(folder)
    )


@pytest.mark.long
@KINDS
def test_phones_and_the_command_line_say_the_same(
    tmp_path: Path, how: dict[str, object]
) -> None:
    folder = in_round_2(tmp_path / "event", how)
    table = tables(folder)
    paired_again(folder, "A")
    now = tables(folder)
    kept = next(player for player in now if now[player] == table[player])
    lost = next(iter(table["A"] - {"A"}))

    on_phone = phone(folder).get("/why", params={"id": kept}).text
    typed = CliRunner().invoke(main, ["explain", str(folder), "--as-published"])

    assert "This table was kept" in on_phone
    assert typed.exit_code == 0, typed.output
    assert typed.output.count("This table was kept") == sum(
        len(match) == 2 for match in {m for p, m in now.items() if m == table[p]}
    )
    assert f"{lost} was to meet A, who no longer plays in this round." in typed.output


@pytest.mark.long
def test_why_not_somebody_at_a_kept_table(tmp_path: Path) -> None:
    folder = in_round_2(tmp_path / "event", {})
    table = tables(folder)
    paired_again(folder, "A")
    now = tables(folder)
    lost = next(iter(table["A"] - {"A"}))
    kept = next(player for player in now if now[player] == table[player])

    lines = spoken(folder, lost, other=kept)

    assert (
        f"{kept} plays at a table that was kept when the round was re-paired." in lines
    )


@pytest.mark.long
def test_as_published_goes_with_no_other_option(tmp_path: Path) -> None:
    folder = in_round_2(tmp_path / "event", {})
    done = CliRunner().invoke(
        main, ["explain", str(folder), "--as-published", "--why", "A:B"]
    )
    assert done.exit_code == 2
    assert "leave out --why" in done.output
