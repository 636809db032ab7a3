"""Plain names: find names that may say more than a name.

`Ann (late)`, `Ann #12`, `Ann and Bob`, `Ann cancelled` and `Thanks!` may. Whoever
pasted such a line is asked about it, because no name is ever shortened, joined or kept
on a guess.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from unicodedata import category

from pairopt.common.serialization import read_package_toml

SIGNS_IN_NAMES = frozenset(
    " '`.-_,·\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}\N{ACUTE ACCENT}"
    "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}"
    "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
)
DASHES = "-\N{EN DASH}"
LETTER = re.compile(r"[^\W\d_]")
NUMBER_AT_END = re.compile(r"(?P<base>.*\S)\s+\d+")
TAG_AT_END = re.compile(r"(?<=[^\W_])#\d{4,5}$")
"""A number that an online service gives to a name, for example in `Bob#1234`."""
# If this many names differ only in their last number, it is part of the name.
FEWEST_NUMBERED = 2


@cache
def load_words(kind: str) -> frozenset[str]:
    """Return the words of one kind in pasted.toml, for example "title" or "joining"."""
    return frozenset(read_package_toml("pairopt.files", "pasted.toml")[kind])


def find_joining_word(name: str) -> str:
    """Return the word in a name, such as "and", that may join the names of two people.

    Returns "" if there is none, if the name is a single word, or if the word joins two
    last names of one person.
    """
    name_words = name.split()
    if len(name_words) == 1 or has_joined_last_names(name):
        return ""
    joining_words = load_words("joining")
    return next(
        (
            name_word
            for name_word in name_words
            if _lower_capitals(name_word) in joining_words
        ),
        "",
    )


def has_joined_last_names(name: str) -> bool:
    """Return whether `y`, `i` or `e` joins the two last names of one person.

    For example, `José Ortega y Gasset` is one person: exactly one word follows `y`, and
    both last names begin with capitals. `Ana Gil y Eva Paz` may be two people, because
    more words follow. So may `Ana y Luis`, where one word stands on each side, unless a
    comma and a first name come after them.
    """
    name_before_comma, comma, _ = name.partition(",")
    name_words = name_before_comma.split()
    joining_words = load_words("joining")
    positions_of_joining_words = [
        word_position
        for word_position, name_word in enumerate(name_words)
        if _lower_capitals(name_word) in joining_words
    ]
    if (
        len(positions_of_joining_words) != 1
        or positions_of_joining_words[0] == 0
        or positions_of_joining_words[0] != len(name_words) - 2
    ):
        return False
    if len(name_words) == len(("Ana", "y", "Luis")) and not comma:
        return False
    word_before, joining_word, last_word = name_words[-3:]
    has_capitals = word_before[0].isupper() and last_word[0].isupper()
    return has_capitals and joining_word in load_words("between_last_names")


def find_numbered_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names that end with a number as part of the name, such as `Player 7`.

    At least FEWEST_NUMBERED names must be equal, but for case, without their last
    number.
    """
    unnumbered_by_name = {
        player_name: _strip_number(player_name) for player_name in names
    }
    unnumbered_counts = Counter(
        unnumbered_name
        for unnumbered_name in unnumbered_by_name.values()
        if unnumbered_name
    )
    return frozenset(
        player_name
        for player_name, unnumbered_name in unnumbered_by_name.items()
        if unnumbered_counts[unnumbered_name] >= FEWEST_NUMBERED
    )


def find_lowercase_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names of several words that are all in small letters.

    Returns no names if more than half of all names are in small letters, because then
    that is how names are written here.
    """
    lowercase_names = {player_name for player_name in names if player_name.islower()}
    if 2 * len(lowercase_names) > len(names):
        return frozenset()
    return frozenset(
        player_name for player_name in lowercase_names if " " in player_name
    )


def may_say_more(name: str, is_numbered: bool = False) -> bool:
    """Return whether a name has signs, numbers or words that are no part of names.

    It is also True for a name of signs alone, and for one that begins with a capital
    and has a last word in small letters. If `is_numbered`, the last word is a number
    that is part of the name, and is not looked at. The tag of an online name, as in
    `Bob#1234`, does not count.
    """
    name = TAG_AT_END.sub("", name)
    name_words = name.split()
    if is_numbered:
        name_words = name_words[:-1]
    if not name_words or not all(map(_is_sign_of_names, name)):
        return True
    if (
        not all(map(LETTER.search, name_words))
        or name[-1] in "," + DASHES
        or name[0] in ",." + DASHES
    ):
        return True
    if not load_words("beside").isdisjoint(
        name_word.casefold().strip(".,-_") for name_word in name_words
    ):
        return True
    return _ends_in_lowercase(name_words)


def _is_sign_of_names(sign: str) -> bool:
    """Return whether names may have this character.

    `sign` is one character. Names may have a letter, a digit, an accent or one of
    SIGNS_IN_NAMES, such as a blank or a dash.
    """
    return sign in SIGNS_IN_NAMES or category(sign)[0] in "LM" or sign.isdecimal()


def _ends_in_lowercase(words: Sequence[str]) -> bool:
    """Return whether the first word has a capital, and the last is in small letters."""
    first_letter = LETTER.search(words[0])
    has_capital = first_letter is not None and first_letter[0].isupper()
    return len(words) > 1 and has_capital and words[-1].islower()


def _lower_capitals(word: str) -> str:
    """Return a word of capitals in small letters, without commas and semicolons.

    A single capital stays, because it is an initial. So do words with small letters.
    """
    bare_word = word.strip(",;")
    return (
        bare_word.lower() if len(bare_word) > 1 and bare_word.isupper() else bare_word
    )


def _strip_number(name: str) -> str:
    """Return a name in small letters without the number at its end.

    Returns "" if it does not end with a number.
    """
    number_match = NUMBER_AT_END.fullmatch(name)
    return number_match["base"].casefold() if number_match else ""
