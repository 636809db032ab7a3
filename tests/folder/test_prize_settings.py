"""Prizes in event.toml: set and read again, copied to another event, and refused if wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from organiser import event

from pairopt import InputError, PairoptError, UsageError, read_event
from pairopt.event.prizes import GroupPrizes, PrizeRules
from pairopt.folder import change, new, undo

GROUPS = "Women: sex is w; U18: born 2009 or later"
TEXTS = {
    "prizes.main": "200,120.50,80",
    "prizes.groups": "Women: 60; U18: 50, 30",
    "prizes.sharing": "hort",
    "prizes.shared": "all",
    "prizes.per_person": "several",
    "prizes.equal_players": "share",
    "prizes.rounding": "0.5",
    "prizes.least_share": "10",
    "prizes.least_players": "3",
}
RULES = PrizeRules(
    (Fraction(200), Fraction(241, 2), Fraction(80)),
    (
        GroupPrizes("Women", (Fraction(60),)),
        GroupPrizes("U18", (Fraction(50), Fraction(30))),
    ),
    sharing="hort",
    shared="all",
    one_each=False,
    rounding=Fraction(1, 2),
    least_share=Fraction(10),
    least_players=3,
    equal_players="share",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = event(tmp_path / "event", "ABCD")
    change(path, {"groups": GROUPS})
    return path


def prizes_of(folder: Path) -> PrizeRules | None:
    return read_event(folder, unfinished=True).settings.prizes


def test_all_keys_are_set_and_read_again(folder: Path) -> None:
    change(folder, TEXTS)
    assert prizes_of(folder) == RULES
    assert "[prizes]" in (folder / "event.toml").read_text(encoding="utf-8")


def test_a_change_of_prizes_is_a_step_that_can_be_undone(folder: Path) -> None:
    change(folder, TEXTS)
    change(folder, {"prizes.main": "300", "prizes.sharing": None})
    undo(folder)
    assert prizes_of(folder) == RULES


def test_the_next_event_has_the_same_groups_and_prizes(
    folder: Path, tmp_path: Path
) -> None:
    change(folder, TEXTS)
    new(tmp_path / "next", folder)
    assert prizes_of(tmp_path / "next") == RULES
    settings = read_event(tmp_path / "next", unfinished=True).settings
    assert [group.name for group in settings.groups] == ["Women", "U18"]


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("prizes.main", "80,120", "highest prize first"),
        ("prizes.main", "80,,20", "amount of money above 0"),
        ("prizes.main", "-5", "amount of money above 0"),
        ("prizes.main", "1e9", "amount of money above 0"),
        ("prizes.main", "99999999999", "amount of money above 0"),
        ("prizes.main", "10.001", "decimals"),
        ("prizes.main", "10.5", "not a multiple of the rounding unit 1"),
        ("prizes.groups", "Seniors: 60", "Seniors is not one of the event's groups"),
        ("prizes.groups", "Women 60", "a colon and its prizes"),
        ("prizes.groups", "Women: 60; women: 50", "A group is listed twice"),
        ("prizes.sharing", "half", "hort"),
        ("prizes.least_players", "0", "from 1 to"),
        ("prizes.rounding", "0", "amount of money above 0"),
    ],
)
def test_wrong_values_are_refused_and_nothing_changes(
    folder: Path, key: str, text: str, said: str
) -> None:
    change(folder, {"prizes.rounding": "1", "prizes.main": "100"})
    before = (folder / "event.toml").read_bytes()
    with pytest.raises(PairoptError, match=said):
        change(folder, {key: text})
    assert (folder / "event.toml").read_bytes() == before


def test_a_group_with_prizes_cannot_be_removed(folder: Path) -> None:
    change(folder, {"prizes.groups": "Women: 60"})
    with pytest.raises(PairoptError, match="or remove the prizes of this group"):
        change(folder, {"groups": "U18: born 2009 or later"})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("main = 200", "prizes.main"),
        ("main = [true]", "prizes.main"),
        ("main = [nan]", "prizes.main"),
        ('main = ["100"]', "prizes.main"),
        ("mian = [100]", "mian"),
        ('groups = ["Women: 60", 5]', "prizes.groups"),
        ("least_players = 1.5", "prizes.least_players"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key(
    folder: Path, line: str, said: str
) -> None:
    path = folder / "event.toml"
    path.write_text(f"{path.read_text('utf-8')}\n[prizes]\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_event(folder, unfinished=True)


def test_an_unknown_key_names_the_nearest_one(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"prizes\.main"):
        change(folder, {"prizes.mian": "100"})
