"""Name search: find the players that a typed name may mean, and names of one person."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations, takewhile
from unicodedata import category, normalize

from pairopt.messages.formatting import strip_accents

ALIKE, SHORTEST = 0.7, 3
"""The least similarity (difflib's ratio) of similar words, and their fewest letters."""
MOST_APART, MOST_OFF, MOST_NEAR = 2, 2, 12
"""The most words and letters (two for ß) that one typo changes, and names suggested."""
APOSTROPHES = re.compile("['`\u00b4\u02b9-\u02bf\u2018\u2019]")
TWO_LETTERS = re.compile("([aou])e|(?<=s)s()")
"""The letters that lists write for an umlaut or ß, with their first letter."""
UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
PIECES = rf"\d+|[{UNSPACED}]|[^\d{UNSPACED}]+"
"""The pattern of the pieces of a word that somebody may begin to type.

These are digits, single characters of scripts without blanks between words (kana,
Chinese characters, Hangul), or any other letters.
"""


def normalize_name(name: str) -> str:
    """Return a name without differences in case, blanks and ways to write one letter.

    Characters that nobody can see, such as a space without width, are removed. Accents
    and punctuation stay.
    """
    if not name.isascii():
        name = "".join(
            character
            for character in normalize("NFKC", name)
            if category(character) != "Cf"
        )
    return " ".join(name.split()).casefold()


def sorted_words_of(name: str) -> list[str]:
    """Return the words of a name without accents, case and punctuation, sorted.

    Words of Krause, Lothar are those of Lothar Krause. An apostrophe joins its
    neighbours, other punctuation separates words. Other signs count as letters: Bob★ is
    not Bob.
    """
    letters_and_marks = APOSTROPHES.sub("", strip_accents(normalize_name(name)))
    return sorted(
        "".join(
            " " if category(character)[0] in "PZC" else character
            for character in letters_and_marks
        ).split()
    )


def find_exact_names(typed: str, *names: Sequence[str]) -> list[int]:
    """Return the positions of names that are the same as the typed one.

    Each of `names` has one name per position. Names may differ in case and blanks; if
    none is found, in accents, punctuation and the order of words, too. One other letter
    makes another name.
    """
    for simplify_name in (normalize_name, sorted_words_of):
        simplified_typed_name = simplify_name(typed)
        if not simplified_typed_name:
            continue
        fitting_positions = [
            name_position
            for name_position, names_of_position in enumerate(zip(*names, strict=True))
            if simplified_typed_name in map(simplify_name, names_of_position)
        ]
        if fitting_positions:
            return fitting_positions
    return []


def find_twin_names(
    names: Iterable[str], earlier_names: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Return pairs of different names with the same words: they may be one person.

    The earlier name of a pair comes first. Words are compared without case, accents and
    order. Names in `earlier_names` are compared with those in `names`, not with each
    other.
    """
    first_name_by_words = {
        tuple(sorted_words_of(later_name)): later_name
        for later_name in reversed(earlier_names)
    }
    twin_pairs = []
    for later_name in names:
        name_words = tuple(sorted_words_of(later_name))
        if not name_words:
            continue
        earlier_name = first_name_by_words.setdefault(name_words, later_name)
        if earlier_name != later_name:
            twin_pairs.append((earlier_name, later_name))
    return twin_pairs


def search_names(typed: str, names: Sequence[str]) -> tuple[list[int], bool]:
    """Return the positions of names that may be meant by what was typed so far.

    Each word that was typed begins another word of the name, in any order: "smith, d"
    finds Dana Smith, not Wanda Smith. The second value is True if the names found fit
    in this way. If none does, it is False, and the positions are those of similar
    names, possibly none. If only signs were typed, names that contain them fit.
    """
    typed_pieces = _split_into_pieces(typed)
    if typed_pieces:
        fitting_positions = [
            name_position
            for name_position, searched_name in enumerate(names)
            if _begin_different_words(typed_pieces, _split_into_pieces(searched_name))
        ]
    else:
        fitting_positions = [
            name_position
            for name_position, searched_name in enumerate(names)
            if normalize_name(typed) in normalize_name(searched_name)
        ]

    if fitting_positions or not typed_pieces:
        return fitting_positions, True
    return _find_similar(
        sorted_words_of(typed),
        [sorted_words_of(searched_name) for searched_name in names],
    ), False


def _split_into_pieces(name: str) -> list[str]:
    """Return the words of a name, split at digits and single Chinese characters.

    Words are sorted, without accents, case and punctuation; the pieces of each word are
    in order.
    """
    # `re` compiles it at the first search, because most commands search no name
    return [
        name_piece
        for name_word in sorted_words_of(name)
        for name_piece in re.findall(PIECES, name_word)
    ]


def _begin_different_words(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether each typed piece begins a different word of a name.

    `typed` are the pieces, and `words` those of the name. It is True without pieces.
    The longest pieces choose first. If two pieces begin the same word, the shorter one
    begins the longer one. So the longer one never takes a word that only the shorter
    one could have had.
    """
    unmatched_words = [*words]
    for typed_piece in sorted(typed, key=len, reverse=True):
        word_begun_by_piece = next(
            (
                name_word
                for name_word in unmatched_words
                if name_word.startswith(typed_piece)
            ),
            None,
        )
        if word_begun_by_piece is None:
            return False
        unmatched_words.remove(word_begun_by_piece)
    return True


def _find_similar(typed: Sequence[str], names: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions of names that are one typo apart or have similar words.

    A name is given by its words. Each typed word needs a similar word in the name, or
    one that contains it; words of one or two letters must be the same. Positions are
    ascending. `typed` are the words that were typed.
    """
    from difflib import get_close_matches  # rarely needed

    known_words = {name_word for name_words in names for name_word in name_words}
    similar_words_by_typed_word = []
    for typed_word in typed:
        similar_words = {typed_word}
        if len(typed_word) >= SHORTEST:
            similar_words.update(
                get_close_matches(typed_word, known_words, n=5, cutoff=ALIKE)
            )
            similar_words.update(
                name_word for name_word in known_words if typed_word in name_word
            )
        similar_words_by_typed_word.append(similar_words)
    return [
        name_position
        for name_position, name_words in enumerate(names)
        if is_one_typo_apart(typed, name_words)
        or all(
            not similar_words.isdisjoint(name_words)
            for similar_words in similar_words_by_typed_word
        )
    ]


def may_be_same_person(first_name: str, second_name: str) -> bool:
    """Whether two names differ only in ways in which lists write one person's name.

    `first_name` and `second_name` may differ in order, accents, umlauts as two letters,
    initials, left out words, and one typo. An empty name may be anybody's.

    >>> may_be_same_person("Jörn Müller", "Mueller, J.")
    True
    >>> may_be_same_person("Jörn Müller", "Müller, Anna")
    False
    """
    first_words = _words_with_single_letters(first_name)
    second_words = _words_with_single_letters(second_name)
    shorter_words, longer_words = sorted((first_words, second_words), key=len)
    return (
        is_one_typo_apart(first_words, second_words)
        or _begin_different_words(shorter_words, longer_words)
        or _begin_different_words(longer_words, shorter_words)
    )


def _words_with_single_letters(name: str) -> list[str]:
    """Return the sorted words of a name, with ae, oe, ue and ss as single letters.

    ae becomes a, ss becomes s, so that Mueller is the same as Müller without its
    accent.
    """
    return sorted(
        TWO_LETTERS.sub(r"\1", name_word) for name_word in sorted_words_of(name)
    )


def find_near_names(typed: str, names: Sequence[str]) -> list[str]:
    """Return up to 12 names that somebody may mean, those one typo apart first.

    `typed` is what was typed, and `names` are all names. Then come those that contain
    the typed words as beginnings of words, or, if none does, names with similar words,
    each name once. The list is empty if nothing but signs was typed.
    """
    typed_words = sorted_words_of(typed)
    if not typed_words:
        return []
    typo_positions = [
        name_position
        for name_position, known_name in enumerate(names)
        if is_one_typo_apart(typed_words, sorted_words_of(known_name))
    ]
    similar_positions, _ = search_names(typed, names)
    near_positions = dict.fromkeys([*typo_positions, *similar_positions])
    return [names[name_position] for name_position in near_positions][:MOST_NEAR]


def is_one_typo_apart(first_words: Sequence[str], second_words: Sequence[str]) -> bool:
    """Whether names differ by one missing, extra, wrong or swapped letter or blank.

    `first_words` and `second_words` are the words of the names, in any order. Equal
    names count as one typo apart, and so do names that differ as one letter and two.
    """
    # The words that only one of the names has.
    words_only_in_first = [*(Counter(first_words) - Counter(second_words)).elements()]
    words_only_in_second = [*(Counter(second_words) - Counter(first_words)).elements()]
    if max(len(words_only_in_first), len(words_only_in_second)) > MOST_APART:
        return False
    letters_only_in_first = sum(map(len, words_only_in_first))
    letters_only_in_second = sum(map(len, words_only_in_second))
    if abs(letters_only_in_first - letters_only_in_second) > MOST_OFF:
        return False

    return any(
        _differs_by_one_edit("".join(order_of_first), "".join(order_of_second))
        for order_of_first in permutations(words_only_in_first)
        for order_of_second in permutations(words_only_in_second)
    )


def _differs_by_one_edit(first_text: str, second_text: str) -> bool:
    """Whether two texts differ by at most one edit, or a swap of two neighbours.

    `first_text` and `second_text` are compared letter by letter, and case counts. An
    edit may also replace one letter by two, or the other way round.
    """
    # Remove what both begin with, then reverse them and do the same with their ends.
    for _ in range(2):
        do_letters_agree = (
            first_letter == second_letter
            for first_letter, second_letter in zip(
                first_text, second_text, strict=False
            )
        )
        common_prefix_length = sum(takewhile(bool, do_letters_agree))
        first_text = first_text[common_prefix_length:][::-1]
        second_text = second_text[common_prefix_length:][::-1]
    shorter_text, longer_text = sorted((first_text, second_text), key=len)
    return len(longer_text) <= MOST_OFF and (
        len(shorter_text) < MOST_OFF or shorter_text == longer_text[::-1]
    )


def normalize_fide_number(cell: str) -> str:
    """Return a FIDE number without leading zeros and blanks around it, otherwise "".

    `cell` is the text to read. A text with another sign than digits, such as a blank
    between them, is no number. 0 becomes "", too: it stands for no number.

    >>> normalize_fide_number("04100018")
    '4100018'
    """
    stripped_cell = cell.strip()
    if not (stripped_cell.isascii() and stripped_cell.isdecimal()):
        return ""
    return stripped_cell.lstrip("0")
