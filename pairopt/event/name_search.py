"""Name search: find the players that a typed name may mean, and names of one person."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations, takewhile
from unicodedata import category, normalize

from pairopt.messages.formatting import strip_accents

ALIKE, SHORTEST = 0.7, 3
"""How alike words must be (difflib's ratio) that are taken for one, and their fewest letters."""
MOST_APART, MOST_OFF, MOST_NEAR = 2, 2, 12
"""Words and letters (two for ß) that one slip makes others, and names that are told."""
APOSTROPHES = re.compile("['`\u00b4\u02b9-\u02bf\u2018\u2019]")
UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
PIECES = re.compile(rf"\d+|[{UNSPACED}]|[^\d{UNSPACED}]+")
"""What somebody may begin to type: digits, a letter of a script without blanks between words (kana,
Chinese characters, Hangul), or any other letters."""


def normalize_name(name: str) -> str:
    """Return a name without differences in case, blanks and ways to write one letter.

    Characters that nobody can see, such as a space without width, go, too.
    """
    if not name.isascii():
        name = "".join(c for c in normalize("NFKC", name) if category(c) != "Cf")
    return " ".join(name.split()).casefold()


def sorted_words_of(name: str) -> list[str]:
    """Return the words of a name without accents, case and punctuation, sorted.

    Krause, Lothar has the words of Lothar Krause. Other signs are letters: Bob★ is not
    Bob.
    """
    letters = APOSTROPHES.sub("", strip_accents(normalize_name(name)))
    return sorted(
        "".join(" " if category(c)[0] in "PZC" else c for c in letters).split()
    )


def find_exact_names(typed: str, *names: Sequence[str]) -> list[int]:
    """Return the positions of names that are the same as the typed one.

    Each of `names` has one name per position. Names may differ in case and blanks; if
    none is found, in accents, punctuation and the order of words, too. One other letter
    makes another name.
    """
    for spelt in (normalize_name, sorted_words_of):
        asked = spelt(typed)
        if found := [
            p
            for p, every in enumerate(zip(*names, strict=True))
            if asked and asked in map(spelt, every)
        ]:
            return found
    return []


def find_twin_names(
    names: Iterable[str], before: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Return pairs of different names with the same words: they may be one person.

    Names in `before` are compared with the others, not with each other.
    """
    known = {tuple(sorted_words_of(name)): name for name in reversed(before)}
    pairs = (
        (known.setdefault(words, name), name)
        for name in names
        if (words := tuple(sorted_words_of(name)))
    )
    return [(one, two) for one, two in pairs if one != two]


def search_names(typed: str, names: Sequence[str]) -> tuple[list[int], bool]:
    """Find the names that somebody may mean by what they have typed so far.

    Each word that was typed begins another word of the name, in any order: "smith, d" finds Dana
    Smith, not Wanda Smith. Where no name fits, similar ones are found. Returns the positions of
    the names, and whether they fit.
    """
    words = _pieces(typed)
    if words:
        fitting = [p for p, name in enumerate(names) if _begin(words, _pieces(name))]
    else:
        fitting = [
            p
            for p, name in enumerate(names)
            if normalize_name(typed) in normalize_name(name)
        ]

    if fitting or not words:
        return fitting, True
    return _similar(
        sorted_words_of(typed), [sorted_words_of(name) for name in names]
    ), False


def _pieces(name: str) -> list[str]:
    """Return the words of a name, split between letters, digits and Chinese characters."""
    return [piece for word in sorted_words_of(name) for piece in PIECES.findall(word)]


def _begin(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether each typed piece begins a different word.

    The longest ones choose first. Of two that begin the same word one begins the other,
    so the longer one never takes a word that only the shorter one could have had.
    """
    free = [*words]
    for each in sorted(typed, key=len, reverse=True):
        begun = next((word for word in free if word.startswith(each)), None)
        if begun is None:
            return False
        free.remove(begun)
    return True


def _similar(typed: Sequence[str], names: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions of names that are one typo apart or have similar words."""
    from difflib import get_close_matches  # rarely needed

    every = {word for words in names for word in words}
    fitting = []
    for each in typed:
        alike = {each}
        if len(each) >= SHORTEST:
            alike.update(get_close_matches(each, every, n=5, cutoff=ALIKE))
            alike.update(word for word in every if each in word)
        fitting.append(alike)
    return [
        p
        for p, words in enumerate(names)
        if is_one_typo_apart(typed, words)
        or all(not alike.isdisjoint(words) for alike in fitting)
    ]


def find_near_names(typed: str, names: Sequence[str]) -> list[str]:
    """Return up to 12 names that somebody may mean: one typo apart, then similar ones."""
    words = sorted_words_of(typed)
    if not words:
        return []
    slips = [
        p
        for p, name in enumerate(names)
        if is_one_typo_apart(words, sorted_words_of(name))
    ]
    return [names[p] for p in dict.fromkeys([*slips, *search_names(typed, names)[0]])][
        :MOST_NEAR
    ]


def is_one_typo_apart(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether names differ by one missing, extra, wrong or swapped letter or blank."""
    rest, others = (
        [*(Counter(words) - Counter(known)).elements()]
        for words, known in ((one, two), (two, one))
    )
    lengths = [sum(map(len, each)) for each in (rest, others)]
    if (
        max(len(rest), len(others)) > MOST_APART
        or abs(lengths[0] - lengths[1]) > MOST_OFF
    ):
        return False
    return any(
        _differs_by_one_edit("".join(first), "".join(second))
        for first in permutations(rest)
        for second in permutations(others)
    )


def _differs_by_one_edit(one: str, two: str) -> bool:
    """Whether two texts differ by at most one edit, or a swap of two neighbours."""
    for _ in range(2):  # what begins and what ends alike
        alike = (a == b for a, b in zip(one, two, strict=False))
        same = sum(takewhile(bool, alike))
        one, two = one[same:][::-1], two[same:][::-1]
    short, long = sorted((one, two), key=len)
    return len(long) <= MOST_OFF and (len(short) < MOST_OFF or short == long[::-1])
