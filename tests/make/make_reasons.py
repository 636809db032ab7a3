"""Write docs/reasons.md: reasons of real rounds, ready to be read out, with names invented.

python tests/make/make_reasons.py DATA

DATA holds dutch/published/*.trf, real opens before each round. One reason of each kind comes first,
then a second one of each, until there are thirty.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from pairopt import Event, explain, read_event

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reasons.md"
MANY = 30
ASKED = 5
GIVEN = (
    "Ada Ben Cleo Dan Elin Finn Gia Hugo Ida Jan Kaja Leo Mia Nils Ola Pia Rolf Siri Tom Una Vera "
    "Willem Yara Zeno"
)
FAMILY = (
    "Almgren Bertone Castell Dorn Eklund Ferrow Galt Hollis Iversen Jandl Kestrel Lund Marek Novik "
    "Ostrow Pell Quist Ravn Sorel Tamm Ulfeld Vance Wick Yoder"
)
HEAD = """\
# Reasons to read aloud

Thirty reasons from rounds of three opens of 2026, as `pairopt explain --model fide-dutch` gives
them. The names are invented, all else is real. First comes the plain fact
where there is one, then the bracket and the article in which the wish is worse, or one pair that
would be another. `python tests/make/make_reasons.py DATA` writes this page.

"""


def invented(event: Event) -> Event:
    """The event with names that nobody has."""
    every = [f"{given} {family}" for family in FAMILY.split() for given in GIVEN.split()]
    return replace(event, names=tuple(every[: len(event.players)]))


def answers(path: Path) -> Iterator[str]:
    """What is said of the floats of a round, of some other opponents, and of a bye."""
    event = invented(read_event(path))
    lots = random.Random(path.stem)
    here = [player for player, active in zip(event.players, event.active, strict=True) if active]
    pairs = [tuple(lots.sample(here, 2)) for _ in range(ASKED)]
    near = [(here[k], here[k + 1]) for k in range(0, 2 * ASKED, 2)]
    bye = [lots.choice(here)] if len(here) % 2 else []
    found = explain(event, "fide-dutch")
    asked = explain(event, "fide-dutch", why_not=[*pairs, *near], why_bye=bye)
    for answer in (*found.answers, *asked.answers):
        if not answer.question.startswith("without") and "impossible: " not in answer.sentence:
            yield answer.sentence


def kind_of(said: str) -> str:
    """The article that a reason names last, or its words without names and numbers."""
    articles = re.findall(r"\((C\d+|4\.[\d.]*\d)\)", said)
    return articles[-1] if articles else re.sub(r"[\d.]+|[A-Z]\w+ [A-Z]\w+", "", said)


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
def main(data: Path) -> None:
    """Write the page."""
    kinds: dict[str, list[str]] = {}
    for path in sorted((data / "dutch" / "published").glob("*_r0[578].trf")):
        name, number = re.sub("_", " ", path.stem).rsplit(" r", 1)
        for said in answers(path):
            event = " ".join(word.capitalize() for word in name.split()[:2])
            kinds.setdefault(kind_of(said), []).append(f"({event}, round {int(number)}) {said}.")
    chosen: list[str] = []
    while len(chosen) < MANY:
        for some in kinds.values():
            if some and len(chosen) < MANY:
                chosen.append(some.pop(len(some) // 2))
    lines = [f"{k}. {said}\n" for k, said in enumerate(chosen, 1)]
    PAGE.write_text(HEAD + "".join(lines), encoding="utf-8")
    click.echo(f"{PAGE.relative_to(ROOT)}: {len(chosen)} reasons of {len(kinds)} kinds")


if __name__ == "__main__":
    main()
