"""Groups of players: their text, what is refused, and who is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairopt import read_event
from pairopt.errors import InvalidValueError
from pairopt.event.event import Event
from pairopt.event.group_members import birth_years, find_members, player_cells
from pairopt.event.groups import (
    LONGEST_TEXT,
    MOST_GROUPS,
    CellCondition,
    NumberCondition,
    PlayerGroup,
    parse_group,
    require_distinct_groups,
    split_groups,
)

LIST = """player,rating,sex,birth,category,club
Ann,1800,F,2009/05/24,B,Rook and Pawn
Bea,1399,w,24.05.2010,b,Riga
Cid,0,m,1961,A,
Dan,,M,,A,Riga
Eve,1400.5,female,0000/00/00,,riga
"""


@pytest.fixture
def event(tmp_path: Path) -> Event:
    path = tmp_path / "players.csv"
    path.write_text(LIST, encoding="utf-8")
    return read_event(path)


def members(event: Event, text: str) -> str:
    is_member = find_members(event, parse_group(text))
    return " ".join(
        name for name, is_in in zip(event.players, is_member, strict=True) if is_in
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("U18: born 2009 or later", "Ann Bea"),
        ("Born in 2010: born 2010", "Bea"),
        ("Seniors: born 1961 or earlier", "Cid"),
        ("Teens: born 2000 to 2009", "Ann"),
        ("Women: sex is w", "Ann Bea Eve"),
        ("Women: sex is F", "Ann Bea Eve"),
        ("Girls: sex is w and born 2009 or later", "Ann Bea"),
        ("B: rating 1400 to 1800", "Ann Eve"),
        ("C: rating 1399 or less", "Bea"),
        ("Top: rating 1401 or more", "Ann"),
        ("Cat B: category is B", "Ann Bea"),
        ("Riga: Club is RIGA", "Bea Dan Eve"),
        ("Rook: club is rook and pawn", "Ann"),
        ("Nobody: town is Riga", ""),
    ],
)
def test_who_is_in_a_group(event: Event, text: str, expected: str) -> None:
    assert members(event, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "U18",
        ": born 2009",
        "U18:",
        "U18: 2009 or later",
        "U18: born 2009 or young",
        "B: rating 1800 to 1400",
        "A; B: sex is w",
        f"{'x' * 61}: sex is w",
        f"Women: club is {'x' * LONGEST_TEXT}",
        "Women: sex is",
        "B: rating -5 or more",
        "B: rating 99999999 or more",
    ],
)
def test_what_is_no_group_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError):
        parse_group(text)


def test_names_are_distinct_and_not_too_many() -> None:
    women = parse_group("Women: sex is w")
    with pytest.raises(InvalidValueError, match="Two groups"):
        require_distinct_groups([women, parse_group("WOMEN: born 2000")])
    with pytest.raises(InvalidValueError, match="too many"):
        require_distinct_groups([women] * (MOST_GROUPS + 1))


def test_groups_of_one_line_stand_between_semicolons() -> None:
    assert split_groups("A: sex is w;  B: club is x, y ; ") == [
        "A: sex is w",
        "B: club is x, y",
    ]
    assert split_groups("none") == []


def test_years_and_cells(event: Event) -> None:
    assert birth_years(event) == [2009, 2010, 1961, None, None]
    assert player_cells(event, "CLUB")[1] == "Riga"
    assert [*player_cells(event, "town")] == [""] * 5


_NUMBERS = st.integers(0, 999_999)
_WORDS = st.from_regex(
    r"[A-Za-z][A-Za-z0-9]{0,9}( [A-Z][0-9a-z]{0,5})?", fullmatch=True
)
_CONDITIONS = st.one_of(
    st.builds(
        lambda kind, bounds: NumberCondition(kind, *sorted(bounds)),
        st.sampled_from(["born", "rating"]),
        st.tuples(_NUMBERS, _NUMBERS),
    ),
    st.builds(NumberCondition, st.just("born"), low=_NUMBERS),
    st.builds(NumberCondition, st.just("rating"), high=_NUMBERS),
    st.builds(CellCondition, st.sampled_from(["sex", "club"]), _WORDS),
)


@pytest.mark.long
@given(st.builds(PlayerGroup, _WORDS, st.lists(_CONDITIONS, min_size=1).map(tuple)))
def test_the_text_of_a_group_is_the_group(group: PlayerGroup) -> None:
    if len(str(group)) <= LONGEST_TEXT:
        assert parse_group(str(group)) == group
