"""Name folding: one plain spelling of names, for the index and for what is typed."""

import re
from unicodedata import normalize

from pairopt.messages.formatting import strip_accents

UMLAUTS = re.compile("([aou])\N{COMBINING DIAERESIS}")
APOSTROPHES = "'`\u00b4\u02b9\u02ba\u02bb\u02bc\u2018\u2019\u2032"
WITHOUT_APOSTROPHES = str.maketrans(dict.fromkeys(APOSTROPHES, ""))
WORDS = re.compile(r"[^\W_]+")
ASCII_WORDS = re.compile("[a-z0-9]+")


def fold_words(text: str) -> list[str]:
    """Return the words of a name without case, accents and apostrophes.

    Other signs separate words.

    >>> fold_words("O'Drenn, Łukasz")
    ['odrenn', 'lukasz']
    """
    if text.isascii():
        return ASCII_WORDS.findall(text.lower().replace("'", "").replace("`", ""))
    return WORDS.findall(strip_accents(_decompose(text)))


def fold_umlauts(text: str) -> list[str]:
    """Return the words of a name, folded, with ä, ö and ü as ae, oe and ue.

    Case, other accents and apostrophes are removed, and other signs separate words.

    >>> fold_umlauts("Müller, Jörg")
    ['mueller', 'joerg']
    """
    if text.isascii():
        return fold_words(text)
    return fold_words(UMLAUTS.sub(r"\1e", _decompose(text)))


def _decompose(text: str) -> str:
    """Return a text in lower case without apostrophes, with each accent by itself.

    Accents become combining characters behind their letters (NFKD). Apostrophes are
    removed twice: decomposed, an acute accent that stands alone is a blank and an
    accent, and a fullwidth apostrophe is a plain one.
    """
    lowercase_text = text.translate(WITHOUT_APOSTROPHES).casefold()
    return normalize("NFKD", lowercase_text).translate(WITHOUT_APOSTROPHES)


def fold_spellings(text: str) -> list[tuple[str, ...]]:
    """Return each word of a name with all its spellings, the plain one first.

    >>> fold_spellings("Müller, Jan")
    [('muller', 'mueller'), ('jan',)]
    """
    if text.isascii():
        return [(word,) for word in fold_words(text)]
    plain_and_umlaut_pairs = zip(fold_words(text), fold_umlauts(text), strict=True)
    return [
        tuple(dict.fromkeys(word_spellings))
        for word_spellings in plain_and_umlaut_pairs
    ]


def fold_for_index(name: str) -> str:
    """Return all words of a name in all spellings, separated by blanks.

    >>> fold_for_index("Müller, Jan")
    'muller mueller jan'
    """
    if name.isascii():
        # Nearly all names of large lists are, and there are millions of them.
        return " ".join(fold_words(name))
    return " ".join(word for spellings in fold_spellings(name) for word in spellings)
