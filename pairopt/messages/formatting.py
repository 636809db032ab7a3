"""Format numbers, lists and names as people read them, in the same way everywhere."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import bidirectional, category, combining, normalize

if TYPE_CHECKING:
    from fractions import Fraction

MOST_NAMES = 12
MOST_SHOWN = 15
"""The most digits of an amount without an exponent."""
MOST_DIGITS = 9
"""The most digits of a number of pairings without an exponent."""

UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000f0000-\U0010ffff"
)
"""Hidden characters: controls, line separators, and those without width or sign."""
HIDDEN = f"[\t\n\r{UNSEEN}]"
SCORE = re.compile(r"(?<!\S)\d+(?:\.5)?F?-\d+(?:\.5)?F?(?![\w.-])")
JOINERS, VIRAMA = "\u200c\u200d", 9
LONGEST = 60
"""The most characters of a value from a file that are shown."""

WHOLE_LETTERS = {
    "æ": "ae",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "ł": "l",
    "ŋ": "n",
    "ø": "o",
    "œ": "oe",
    "þ": "th",
    "ŧ": "t",
    "ɓ": "b",
    "ɗ": "d",
    "ƙ": "k",
    "ə": "e",
    "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{HYPHEN}": "-",
}
"""Plain letters for letters that Unicode does not decompose, for sorting."""


@lru_cache(maxsize=2**16)
def alphabetical_key(name: str) -> tuple[str, str]:
    """Return the key that sorts names as people look for them, on every machine alike.

    Accents and case decide only between names that are otherwise the same. Numbers of
    up to nine digits go by their size: Åke, Łukasz, Player 2, Player 10, Tove. The
    order is that of Unicode's collation, except for rare letters and the customs of
    single languages.
    """
    return re.sub(r"\d+", lambda digits: digits[0].zfill(9), strip_accents(name)), name


def strip_accents(text: str) -> str:
    """Return a text in lower case without accents: Łukasz is lukasz.

    Letters that cannot be taken apart become plain ones by `WHOLE_LETTERS`, such as æ,
    which becomes ae.
    """
    decomposed_text = normalize("NFKD", text.casefold())
    plain_letters = "".join(
        WHOLE_LETTERS.get(character, character)
        for character in decomposed_text
        if not combining(character)
    )
    return normalize("NFC", plain_letters)  # Hangul is written in syllables


def escape_hidden(text: object) -> str:
    """Return an object's text, with hidden characters shown as ⟨U+202E⟩.

    These are control characters, line ends, tabs, and characters without width, but not
    joiners that a script or an emoji needs. Such a text cannot steer a terminal or
    start a new line.
    """
    object_text = str(text)
    is_printable = object_text.isascii() and object_text.isprintable()
    if is_printable:
        return object_text
    return re.sub(HIDDEN, escape_invisible, object_text)


def escape_invisible(match: re.Match[str]) -> str:
    """Return the escape of one matched hidden character, such as ⟨U+202E⟩.

    A joiner that a script or an emoji needs is returned as it is.
    """
    character = match[0]
    if character in JOINERS and _is_joiner_needed(match):
        return character
    return f"⟨U+{ord(character):04X}⟩"


def _is_joiner_needed(match: re.Match[str]) -> bool:
    """Return whether a script or an emoji needs the joiner that was matched.

    The characters beside it in `match.string` decide. Source for scripts: RFC 5892, A.1
    and A.2.
    """
    whole_text, joiner_position = match.string, match.start()
    previous_character = whole_text[max(joiner_position - 1, 0)]
    next_character = whole_text[joiner_position + 1 : joiner_position + 2] or " "
    if combining(previous_character) == VIRAMA:
        return True
    if bidirectional(previous_character) == bidirectional(next_character) == "AL":
        return True
    # Emoji are joined to each other; U+FE0F asks for the coloured form.
    is_after_emoji = (
        category(previous_character) == "So" or previous_character == "\ufe0f"
    )
    return category(next_character) == "So" and is_after_emoji


def quote_for_shell(path: str) -> str:
    """Return a path quoted for the shell of this system, if it needs quotes."""
    if os.name == "posix":
        return shlex.quote(path)
    return f'"{path}"' if " " in path else path


def find_nearest(typed: str, words: Iterable[str]) -> str | None:
    """Return the known word that `typed` probably means, None if none is near.

    `words` are the known ones. Upper and lower case count as the same. Of several near
    words the nearest is returned, spelled as in `words`.
    """
    from difflib import get_close_matches  # rarely needed

    words_by_folded_word = {word.casefold(): word for word in words}
    near_words = get_close_matches(
        typed.casefold(), words_by_folded_word, n=1, cutoff=0.75
    )
    return words_by_folded_word[near_words[0]] if near_words else None


def split_words(text: str) -> list[str]:
    """Return the words between commas, without blanks around them.

    The text "none" gives an empty list, and an empty text gives [""].
    """
    return [] if text.strip() == "none" else [word.strip() for word in text.split(",")]


def shorten(text: str) -> str:
    """Return a text, cut to 60 characters and then with "..." after them.

    A text of at most 60 characters is returned unchanged.
    """
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def quote(value: object) -> str:
    """Return a value's text in Python's quotes, cut after 60 characters.

    A text that is cut ends with "...".
    """
    return repr(shorten(str(value)))


def decimal_text(value: Fraction) -> str:
    """Return a number exactly, without needless zeros: 2, 0.5, and 1/3 as a fraction.

    It is written as a fraction only if its decimals never end.
    """
    denominator = value.denominator
    decimal_count = 0
    while denominator % 10 == 0 or denominator % 5 == 0 or denominator % 2 == 0:
        for factor in (10, 5, 2):
            if denominator % factor == 0:
                denominator //= factor
                break
        decimal_count += 1
    if denominator != 1:
        return str(value)
    if decimal_count == 0:
        return f"{value.numerator}"
    scaled_value = abs(int(value * 10**decimal_count))
    digits_before_point, digits_after_point = divmod(scaled_value, 10**decimal_count)
    sign = "-" if value < 0 else ""
    return f"{sign}{digits_before_point}.{digits_after_point:0{decimal_count}d}"


def amount_text(value: int | None, scale: int) -> str:
    """Return the amount value / scale as exact text, "-" for None.

    It is a decimal, or a fraction such as 1/3 if its decimals never end. If `value` is
    10^15 or more, the amount is rounded down to an integer, and written as 1,234 or,
    from ten digits on, as 1.234 x 10^56.
    """
    if value is None:
        return "-"
    if value >= 10**MOST_SHOWN:
        return large_number_text(value // scale)
    # Help is printed without fractions and decimals.
    from fractions import Fraction

    return decimal_text(Fraction(value, scale))


def points_text(value: Fraction) -> str:
    """Return points with their noun: "1 point", "2.5 points" and so on."""
    return "1 point" if value == 1 else f"{decimal_text(value)} points"


def times_text(number: int) -> str:
    """Return how often something occurred: "once", "twice", "3 times" and so on."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def count_noun(number: int, singular: str, plural: str) -> str:
    """Return a number with its noun, such as "1 match" or "2 matches"."""
    return f"{number} {singular if number == 1 else plural}"


def join_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return names with commas between them, at most `most` names.

    If there are more, the text says how many: "Ann, Bob and 5 more". Without names it
    is "".
    """
    hidden_count = len(names) - most
    shown_text = ", ".join(names[:most])
    return f"{shown_text} and {hidden_count} more" if hidden_count > 0 else shown_text


def with_half_signs(text: str) -> str:
    """Return a text with ½ for .5 in scores such as 0.5-0.5, which becomes ½-½.

    Numbers outside scores stay as they are.
    """
    return SCORE.sub(lambda score: re.sub(r"\b0?(\d*)\.5", r"\1½", score[0]), text)


def pair_text(player: str, opponent: str | None = None) -> str:
    """Return "A - B" for a match, or "bye of A" for one player."""
    return f"bye of {player}" if opponent is None else f"{player} - {opponent}"


def difference_text(words: str, value: int, other_value: int, scale: int) -> str:
    """Return a level's words and both its values: "rematches: 1 instead of 0".

    `value` comes first, then `other_value`. Both are integers, which are divided by
    `scale`.
    """
    return f"{words}: {amount_text(value, scale)} instead of {amount_text(other_value, scale)}"


def large_number_text(number: int) -> str:
    """Return a number as 1,234, or rounded as 1.234 x 10^56 from ten digits on.

    `number` is an integer and not negative.
    """
    if number < 10**MOST_DIGITS:
        return f"{number:,}"
    # Help is printed without fractions and decimals.
    from decimal import Decimal

    mantissa, exponent = f"{Decimal(number):.3e}".split("e+")
    return f"{mantissa} x 10^{exponent}"
