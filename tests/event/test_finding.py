"""Names are found by either order, any accents and another case; a slip is told, never taken."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations
from unicodedata import category, normalize

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt import Event, UsageError, read_event
from pairopt.event.name_search import is_one_typo_apart, search_names, sorted_words_of

LETTERS = "abdeiklnorstuzäéèñőčşōджлю"
WORDS = st.one_of(
    st.sampled_from(
        [
            "van",
            "der",
            "de",
            "la",
            "al",
            "bin",
            "O'Brien",
            "Müller",
            "Jean-Luc",
            "Weiß",
            "Łukasz",
            "Ångström",
            "Hans",
            "Anna",
            "Li",
            "Wei",
            "王伟",
            "王",
            "小明",
            "欧阳",
            "محمد",
            "أحمد",
            "علي",
            "المنصوري",
            "김",
            "민준",
            "Nach005",
            "X",
            "Nguyễn",
            "Ñuñez",
            "Παπάς",
            "Жуков",
        ]
    ),
    st.text(LETTERS, min_size=2, max_size=8).map(str.title),
)
NAMES = st.one_of(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
    st.lists(WORDS, min_size=2, max_size=3).map(
        lambda words: f"{words[0]}, {' '.join(words[1:])}"
    ),
)
LISTS = st.lists(
    NAMES, min_size=2, max_size=8, unique_by=lambda name: " ".join(name.split())
)
NO_MATCHES = read_event(pd.DataFrame({"player": ["Ann"]})).matches
CASES = (str, str.upper, str.lower, str.casefold, str.title)


def event(names: list[str]) -> Event:
    players = tuple(f"id-{k}" for k in range(len(names)))
    here = np.ones(len(names), bool)
    return Event(players, NO_MATCHES, round=1, active=here, names=tuple(names))


def same(one: str, two: str) -> bool:
    """Whether names are the same but for case, accents, signs and the order of words: worked out
    otherwise than by the package."""

    def letters(name: str) -> Counter[str]:
        plain = [
            c
            for c in normalize("NFKD", name.casefold())
            if category(c) not in ("Mn", "Cf")
        ]
        words = re.split(r"[\s,.;:!?\-()]+", "".join(plain).replace("'", ""))
        return Counter(
            word.replace("ł", "l").replace("æ", "ae") for word in words if word
        )

    return letters(one) == letters(two)


def taken(one: Event, typed: str) -> str | None:
    """The name of who is taken for it; None where somebody is asked."""
    try:
        return one.names[one.position(typed)]
    except UsageError:
        return None


def told(one: Event, typed: str) -> set[str]:
    """The names that are told for what is not taken."""
    with pytest.raises(UsageError) as refused:
        one.position(typed)
    fields = refused.value.said[0].fields
    choices = {one.names[one.index[each]] for each in fields.get("choices", ())}
    return choices | {
        re.sub(r" \(id-\d+\)$", "", each) for each in fields.get("near", ())
    }


@st.composite
def as_typed(draw: st.DrawFn, name: str) -> str:
    """A name as somebody may type it, in any order, case and accents, with commas or none."""
    words = re.split(r"[ ,]+", name)
    typed = draw(st.sampled_from([" ", "  ", ", ", " - "])).join(
        draw(st.permutations(words))
    )
    if draw(st.booleans()):
        bare = "".join(c for c in normalize("NFKD", typed) if category(c) != "Mn")
        typed = normalize("NFC", bare)
    return str(draw(st.sampled_from(CASES))(typed))


@pytest.mark.long
@settings(max_examples=80)
@given(LISTS, st.data())
def test_a_name_is_found_however_it_is_typed(
    names: list[str], data: st.DataObject
) -> None:
    made = event(names)
    name = data.draw(st.sampled_from(names))
    typed = data.draw(as_typed(name))
    found = taken(made, typed)
    others = [each for each in names if each != name and same(each, name)]
    assert found == name or (others and (found in others or name in told(made, typed)))
    assert (
        name in [made.names[p] for p in made.search_players(typed)[0]]
        or found in others
    )
    assert taken(made, name) == name


def slips(draw: st.DrawFn, name: str) -> str:
    at = draw(st.integers(0, len(name) - 1))
    how = draw(st.sampled_from(["missing", "wrong", "more", "swapped"]))
    letter = draw(st.sampled_from(LETTERS))
    middle = {"missing": "", "wrong": letter, "more": letter + name[at]}.get(how)
    if middle is None:
        return name[:at] + name[at : at + 2][::-1] + name[at + 2 :]
    return name[:at] + middle + name[at + 1 :]


@pytest.mark.long
@settings(max_examples=120)
@given(LISTS, st.data())
def test_one_letter_otherwise_is_told_and_nobody_is_taken(
    names: list[str], data: st.DataObject
) -> None:
    made = event(names)
    name = data.draw(st.sampled_from(names))
    typed = slips(data.draw, data.draw(as_typed(name)))
    found = taken(made, typed)
    if found is not None:
        assert same(found, typed)
    elif typed.strip(" ,-"):
        assert name in told(made, typed)


@pytest.mark.long
@settings(max_examples=80)
@given(LISTS, st.one_of(NAMES, st.text(max_size=12), st.integers(0, 99).map(str)))
def test_nobody_is_taken_for_another(names: list[str], typed: str) -> None:
    found = taken(event(names), typed)
    assert found is None or same(found, typed) or found == typed


def test_words_stand_in_any_order() -> None:
    for words in permutations(["Anna", "van", "der", "Berg"]):
        assert sorted_words_of(" ".join(words)) == sorted_words_of("BERG, Anna van der")
    assert sorted_words_of("O\u2019Brien") == sorted_words_of("O'BRIEN") == ["obrien"]
    assert sorted_words_of("Bob★") != sorted_words_of("Bob")
    assert sorted_words_of(" ,-!") == []


@pytest.mark.parametrize(
    ("one", "two", "slip"),
    [
        ("Krause", "Krase", True),
        ("Krause", "Kruase", True),
        ("Krause", "Kraute", True),
        ("Lothar Krause", "krauselothar", True),
        ("Lothar Krause", "Kra use Lothar", True),
        ("Weiß", "Weix", True),
        ("王伟", "王明", True),
        ("Li", "Lo", True),
        ("J Smith", "Smith", True),
        ("Krause", "Kretse", False),
        ("Weber", "Wagner", False),
        ("Ann", "Cid", False),
        ("Lothar Krause", "Lothra Kruase", False),
        ("al", "la", True),
        ("Anna Bea", "Cleo Dan", False),
    ],
)
def test_a_slip_is_one_letter(one: str, two: str, slip: bool) -> None:
    assert (
        is_one_typo_apart(sorted_words_of(one), sorted_words_of(two))
        == is_one_typo_apart(sorted_words_of(two), sorted_words_of(one))
        == slip
    )


def test_who_is_written_exactly_so_is_no_other() -> None:
    """Two may have the same words; who is typed as they are written is meant."""
    made = event(["Li Wei", "Wei Li", "Lee Wei"])
    assert taken(made, "wei li") == "Wei Li"
    assert told(made, "Wei, Li") == {"Li Wei", "Wei Li"}
    assert "Lee Wei" in told(made, "Le Wei")


def test_start_numbers_are_found_where_nobody_is_called_by_a_number() -> None:
    listed = {"player": ["Ann", "Bob", "Cid"], "start": [2, 1, 3]}
    made = read_event(pd.DataFrame(listed))
    assert [made.players[made.position(typed)] for typed in ("1", "#2", " 03 ")] == [
        "Bob",
        "Ann",
        "Cid",
    ]
    assert made.search_players("3") == ([2], False)
    assert taken(made, "4") is None
    numbers = read_event(pd.DataFrame({**listed, "player": ["5", "1", "7"]}))
    assert taken(numbers, "1") == "1"
    assert taken(numbers, "2") is None
    unnumbered = read_event(pd.DataFrame({"player": ["Ann", "Bob"]}))
    assert np.array_equal(unnumbered.start_numbers, [1, 2])
    assert taken(unnumbered, "1") is None


def test_part_of_a_name_is_sought_and_not_taken() -> None:
    made = event(["Weber, Hans", "Nach005, Vor5"])
    assert told(made, "weber") == {"Weber, Hans"}
    for typed in ("nach 005", "NACH005", "vor5 nach", "nach 00", "005"):
        assert made.search_players(typed)[0] == [1], typed
    assert search_names("webr", made.shown) == ([0], False)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("smith, d", ["Smith, Dana"]),
        ("d smith", ["Smith, Dana"]),
        ("s s", ["Smith Sonnet, Eva"]),
        ("sm s", ["Smith Sonnet, Eva"]),
        ("王 伟", ["王伟"]),
        ("伟", ["王伟"]),
        ("o'b", ["O\u2019Brien, Finn"]),
        ("17", ["Player17"]),
        ("!", ["!!!"]),
    ],
)
def test_words_that_are_typed_begin_words_of_their_own(
    typed: str, found: list[str]
) -> None:
    """Nothing is matched in the middle of a word, and no word of a name is used twice."""
    names = [
        "Smith, Wanda",
        "Smith, Dana",
        "Smith Sonnet, Eva",
        "王伟",
        "O\u2019Brien, Finn",
    ]
    names += ["Player17", "!!!"]
    assert (
        [names[p] for p in search_names(typed, names)[0]],
        search_names(typed, names)[1],
    ) == (found, True)


def test_the_middle_of_a_word_is_only_a_perhaps() -> None:
    names = ["Smith, Wanda", "Goldsmith, Eva"]
    assert search_names("smith", names) == ([0], True)
    assert search_names("andsm", names) == ([], False)
    assert search_names("oldsmith", names[1:]) == ([0], False)
    assert search_names("smith, d", names) == ([], False), (
        "one letter in the middle means nobody"
    )
