"""How easily pages read: words, and Flesch's reading ease, of this checkout and of one before.

python tests/benchmarks/reading.py 2a2ba706 -o tests/benchmarks/results/reading.csv

Flesch (1948): 206.835 - 1.015 words a sentence - 84.6 syllables a word; the higher the easier.
Code, tables' lines, pictures and addresses are left out of it, and count among the words."""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/index.md",
    "docs/organiser.md",
    "docs/organiser-ten.md",
    "docs/page.md",
    "docs/how-to/browser.md",
    "docs/how-to/byes-and-late-players.md",
    "docs/how-to/import.md",
    "docs/settings.md",
    "docs/files.md",
    "docs/faq.md",
)
VOWELS = re.compile(r"[aeiou]+y?|y")


def prose(page: str) -> str:
    """What is read as sentences, each paragraph and item with an end; one word alone is a term."""
    page = re.sub(
        r"^(`{3,})[^\n]*\n.*?^\1\n?", "\n", page, flags=re.MULTILINE | re.DOTALL
    )
    page = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", page)
    page = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page)
    page = re.sub(r"^(\||#|:--).*$", "", page, flags=re.MULTILINE)
    page = re.sub(r"^\s*(?:[-*:]|\d+\.)\s+", "\n", page, flags=re.MULTILINE)
    page = re.sub(r"`[^`]*`", "it", page)  # one word, of one syllable
    parts = [part.strip() for part in re.split(r"\n\s*\n", page)]
    return "\n".join(
        part if part[-1] in ".?!:" else f"{part}." for part in parts if " " in part
    )


def syllables(word: str) -> int:
    """About as many as are spoken: groups of vowels, without an e that is silent."""
    found = len(VOWELS.findall(word))
    silent_e = word.endswith("e") and not word.endswith(("le", "ee"))
    silent_ed = word.endswith("ed") and not word.endswith(("ted", "ded"))
    return max(1, found - (silent_e or silent_ed))


def ease(text: str) -> float:
    """Flesch's reading ease of prose."""
    sentences = [
        part
        for part in re.split(r"[.?!:]+(?:\s|$)", text)
        if re.search("[A-Za-z]", part)
    ]
    words = re.findall(r"[a-z]+", text.lower().replace("'", ""))
    spoken = sum(map(syllables, words))
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * spoken / len(words)


def page_of(commit: str | None, path: str) -> str | None:
    """A page as it is, or as it was; None where there was none."""
    if commit is None:
        return (ROOT / path).read_text("utf-8")
    done = subprocess.run(
        ["git", "show", f"{commit}:{path}"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before")
    parser.add_argument("-o", type=Path, required=True)
    given = parser.parse_args()
    with given.o.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["page", "checkout", "words", "ease"])
        for path in PAGES:
            for name, commit in (("before", given.before), ("now", None)):
                if (text := page_of(commit, path)) is not None:
                    out.writerow(
                        [path, name, len(text.split()), round(ease(prose(text)), 1)]
                    )


if __name__ == "__main__":
    main()
