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
FEWEST_NUMBERED = (
    2  # so many names that differ in their last number alone have it for a name
)


@cache
def load_words(kind: str) -> frozenset[str]:
    """Return the words of one kind in pasted.toml."""
    return frozenset(read_package_toml("pairopt.files", "pasted.toml")[kind])


def find_joining_word(name: str) -> str:
    """Return the word, such as `and`, that may join the names of two people, or "".

    It is also "" if the word joins two last names of one person.
    """
    words = name.split()
    if len(words) == 1 or joins_last_names(name):
        return ""
    joining = load_words("joining")
    return next((word for word in words if _lower_capitals(word) in joining), "")


def joins_last_names(name: str) -> bool:
    """Return whether `y`, `i` or `e` stands between the two last names of one person.

    One word follows it, as in `José Ortega y Gasset`. Where more words follow, as in
    `Ana Gil y Eva Paz`, there may be two people. So there may where one word stands on
    each side, as in `Ana y Luis`, and no comma and first name come after them.
    """
    last_name, comma, _ = name.partition(",")
    words = last_name.split()
    joining = load_words("joining")
    joined = [k for k, word in enumerate(words) if _lower_capitals(word) in joining]
    if len(joined) != 1 or joined[0] == 0 or joined[0] != len(words) - 2:
        return False
    if len(words) == len(("Ana", "y", "Luis")) and not comma:
        return False
    word_before, word, last_word = words[-3:]
    has_capitals = word_before[0].isupper() and last_word[0].isupper()
    return has_capitals and word in load_words("between_last_names")


def find_numbered_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names that end with a number which tells them apart, for example `Player 7`."""
    bases = {name: _strip_number(name) for name in names}
    counts = Counter(base for base in bases.values() if base)
    return frozenset(
        name for name, base in bases.items() if counts[base] >= FEWEST_NUMBERED
    )


def find_lowercase_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names in small letters, of several words, where most others have capitals."""
    small = {name for name in names if name.islower()}
    if 2 * len(small) > len(names):
        return frozenset()
    return frozenset(name for name in small if " " in name)


def may_say_more(name: str, is_numbered: bool = False) -> bool:
    """Return whether a name has signs, numbers or words that people write beside names.

    If `is_numbered`, its last word is a number that belongs to it.
    """
    name = TAG_AT_END.sub("", name)
    words = name.split()
    if is_numbered:
        words = words[:-1]
    if not words or not all(map(_is_sign_of_names, name)):
        return True
    if (
        not all(map(LETTER.search, words))
        or name[-1] in "," + DASHES
        or name[0] in ",." + DASHES
    ):
        return True
    if not load_words("beside").isdisjoint(
        word.casefold().strip(".,-_") for word in words
    ):
        return True
    return _ends_in_lowercase(words)


def _is_sign_of_names(sign: str) -> bool:
    """Return whether names have this sign: a letter, a digit, a blank, a dash."""
    return sign in SIGNS_IN_NAMES or category(sign)[0] in "LM" or sign.isdecimal()


def _ends_in_lowercase(words: Sequence[str]) -> bool:
    """Return whether the last word is in small letters, and the first is not."""
    first_letter = LETTER.search(words[0])
    has_capital = first_letter is not None and first_letter[0].isupper()
    return len(words) > 1 and has_capital and words[-1].islower()


def _lower_capitals(word: str) -> str:
    """Write a word in capitals in small letters; a capital alone is the initial of a name."""
    plain = word.strip(",;")
    return plain.lower() if len(plain) > 1 and plain.isupper() else plain


def _strip_number(name: str) -> str:
    """Return a name without the number at its end; "" where it has none."""
    match = NUMBER_AT_END.fullmatch(name)
    return match["base"].casefold() if match else ""
