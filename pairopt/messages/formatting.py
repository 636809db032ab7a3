"""Wording: amounts, lists and names as people read them, the same wherever they are shown."""

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
MOST_SHOWN = 15  # an amount with more digits is shown with an exponent
MOST_DIGITS = 9  # a number of pairings with more digits is shown with an exponent

UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000f0000-\U0010ffff"
)
"""Controls, those of direction too, separators of lines, what has no width, what has no sign."""
HIDDEN = f"[\t\n\r{UNSEEN}]"
SCORE = re.compile(r"(?<!\S)\d+(?:\.5)?F?-\d+(?:\.5)?F?(?![\w.-])")
JOINERS, VIRAMA = "\u200c\u200d", 9
LONGEST = 60  # of a longer value found in a file, only so many characters are shown

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
"""Under what such letters are sorted: Unicode does not take them apart."""


@lru_cache(maxsize=2**16)
def alphabetical_key(name: str) -> tuple[str, str]:
    """The key that sorts names as people look for them, the same on every machine.

    Accents and case decide only between names that are otherwise the same, and numbers go by
    their size: Åke, Łukasz, Player 2, Player 10, Tove. (Unicode's own collation, without the
    customs of one language, agrees but for rare letters; it would be a table of 2 MB.)
    """
    return re.sub(r"\d+", lambda digits: digits[0].zfill(9), strip_accents(name)), name


def strip_accents(text: str) -> str:
    apart = normalize("NFKD", text.casefold())
    letters = "".join(WHOLE_LETTERS.get(c, c) for c in apart if not combining(c))
    return normalize("NFC", letters)  # Hangul is written in syllables


def escape_hidden(text: object) -> str:
    """Text that steers no terminal and turns no line: what nobody sees in it is shown."""
    shown = str(text)
    usual = shown.isascii() and shown.isprintable()
    return shown if usual else re.sub(HIDDEN, escape_invisible, shown)


def escape_invisible(found: re.Match[str]) -> str:
    """What is shown of a character that is not seen, as ⟨U+202E⟩."""
    unseen = found[0]
    return unseen if unseen in JOINERS and _joins(found) else f"⟨U+{ord(unseen):04X}⟩"


def _joins(found: re.Match[str]) -> bool:
    """Whether a joiner stands where writing needs it (RFC 5892, A.1 and A.2), or in an emoji."""
    text, at = found.string, found.start()
    before, after = text[max(at - 1, 0)], text[at + 1 : at + 2] or " "
    return (
        combining(before) == VIRAMA
        or bidirectional(before) == bidirectional(after) == "AL"
        or (
            category(after) == "So" and (category(before) == "So" or before == "\ufe0f")
        )
    )


def quote_for_shell(path: str) -> str:
    if os.name == "posix":
        return shlex.quote(path)
    return f'"{path}"' if " " in path else path


def find_nearest(typed: str, known: Iterable[str]) -> str | None:
    """What somebody has probably meant who mistyped it, None where nothing is near."""
    from difflib import get_close_matches  # rarely needed

    names = {name.casefold(): name for name in known}
    found = get_close_matches(typed.casefold(), names, n=1, cutoff=0.75)
    return names[found[0]] if found else None


def split_words(text: str) -> list[str]:
    """Words between commas; `none` is no word at all."""
    return [] if text.strip() == "none" else [word.strip() for word in text.split(",")]


def shorten(text: str) -> str:
    """A text found in a file, not too long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def quote(value: object) -> str:
    """A value found in a file, in quotes, and not too long."""
    return repr(shorten(str(value)))


def decimal_text(value: Fraction) -> str:
    """A number without needless zeros: a finite decimal, or a fraction such as 1/3."""
    below = value.denominator
    places = 0
    while below % 10 == 0 or below % 5 == 0 or below % 2 == 0:
        below //= 10 if below % 10 == 0 else 5 if below % 5 == 0 else 2
        places += 1
    if below != 1:
        return str(value)
    if places == 0:
        return f"{value.numerator}"
    whole, sign = abs(int(value * 10**places)), "-" if value < 0 else ""
    return f"{sign}{whole // 10**places}.{whole % 10**places:0{places}d}"


def amount_text(value: int | None, scale: int) -> str:
    """A value in points or matches, "-" for none; a very large one as in `large`."""
    if value is None:
        return "-"
    if value >= 10**MOST_SHOWN:
        return large_number_text(value // scale)
    # Help is printed without fractions and decimals.
    from fractions import Fraction

    return decimal_text(Fraction(value, scale))


def points_text(value: Fraction) -> str:
    """1 point, 2.5 points."""
    return "1 point" if value == 1 else f"{decimal_text(value)} points"


def times_text(number: int) -> str:
    """Once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def count_noun(number: int, one: str, several: str) -> str:
    """1 match, 2 matches."""
    return f"{number} {one if number == 1 else several}"


def join_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Names with commas; of very many the first, and how many more."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def with_half_signs(said: str) -> str:
    """The same with ½ in its scores, as ½-½ for 0.5-0.5."""
    return SCORE.sub(lambda score: re.sub(r"\b0?(\d*)\.5", r"\1½", score[0]), said)


def pair_text(one: str, two: str | None = None) -> str:
    return f"bye of {one}" if two is None else f"{one} - {two}"


def difference_text(words: str, value: int, other: int, scale: int) -> str:
    """What a level is, and what it could be."""
    return (
        f"{words}: {amount_text(value, scale)} instead of {amount_text(other, scale)}"
    )


def large_number_text(number: int) -> str:
    """A number of pairings: 1,234, or 1.234 x 10^56 where it is long."""
    if number < 10**MOST_DIGITS:
        return f"{number:,}"
    # Help is printed without fractions and decimals.
    from decimal import Decimal

    mantissa, exponent = f"{Decimal(number):.3e}".split("e+")
    return f"{mantissa} x 10^{exponent}"
