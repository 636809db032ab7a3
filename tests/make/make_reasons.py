"""Write docs/reasons.md: reasons of real rounds, ready to be read out, with names invented.

python tests/make/make_reasons.py DATA

DATA holds dutch/published/*.trf, real opens before each round. One reason of each kind comes first,
then a second one of each, until there are a hundred.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from pairopt import Event, explain, read_event
from pairopt.messages import ENGLISH, FULL, SPOKEN, Message, Passage
from pairopt.round.explain import Alternative, _list_floaters

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reasons.md"
MANY = 100
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

You want to practise explaining pairings, or check how pairopt answers. These are a hundred
reasons from rounds of three opens of 2026. The names are invented, everything else is real.
Each reason comes in three lengths:

- a sentence to read aloud (`--words spoken`), without articles;
- one line with its article, which you get without an option;
- in full (`--words full`), with the bracket and all numbers.

[`pairopt explain`](arbiter.md#10-explaining-a-pairing) gives you the reasons of your own round.
A plain fact, for example that two players have already met, comes first.
`python tests/make/make_reasons.py DATA` writes this page.

"""
Wish = tuple[str, tuple[str, ...]]
"""What is asked about, "pair", "bye" or "float", and the players."""


@dataclass(frozen=True)
class Reason:
    """Why a wish for a round was not granted."""

    path: Path
    wish: Wish
    answer: Alternative

    @property
    def kind(self) -> tuple[str, ...]:
        """What is told, by kinds and articles."""
        said = self.answer.said
        facts, worse = facts_of(said), worse_of(said)
        inner = [*(facts if len(facts) == 1 else ()), *([worse] if worse else ())]
        several = ["fact.all"] if len(facts) > 1 else []
        labels = [str(each.fields.get("article", each.kind)) for each in inner]
        return (said.kind, *several, *labels)

    @property
    def title(self) -> str:
        name, number = re.sub("_", " ", self.path.stem).rsplit(" r", 1)
        event = " ".join(word.capitalize() for word in name.split()[:2])
        return f"{event}, round {int(number)}"

    def lines(self) -> list[str]:
        """To read aloud, a line, and in full."""
        return [
            words.format_message(self.answer.said) for words in (SPOKEN, ENGLISH, FULL)
        ]


def invented(event: Event) -> Event:
    """The event with names that nobody has."""
    every = [
        f"{given} {family}" for family in FAMILY.split() for given in GIVEN.split()
    ]
    return replace(event, names=tuple(every[: len(event.players)]))


def asked(event: Event, seed: str) -> list[Wish]:
    """Pairs by lot, some who stand beside each other, and a bye."""
    lots = random.Random(seed)
    here = [event.players[p] for p in range(len(event.players)) if event.active[p]]
    pairs = [tuple(lots.sample(here, 2)) for _ in range(ASKED)]
    pairs += [(here[k], here[k + 1]) for k in range(0, 2 * ASKED, 2)]
    pairs += [
        (here[k], here[k + 1])
        for k in range(len(here) // 3, len(here) // 3 + 2 * ASKED, 2)
    ]
    bye = [("bye", (lots.choice(here),))] * (len(here) % 2)
    return [*(("pair", pair) for pair in pairs), *bye]


def facts_of(said: Passage) -> list[Message]:
    """The facts that an answer names before all else."""
    facts = [each for each in said.messages[1:] if each.kind.startswith("fact.")]
    return facts[:1] if facts and facts[0].kind == "fact.none_of_few" else facts


def worse_of(said: Passage) -> Message | None:
    """What would be worse by an article, None where nothing is."""
    return next(
        (each for each in said.messages[1:] if each.kind.startswith("article.")), None
    )


def reasons(path: Path) -> Iterator[Reason]:
    """The answers of a round to why somebody floats, and why pairs do not meet."""
    event = invented(read_event(path))
    wishes = asked(event, path.stem)
    pairs = [players for kind, players in wishes if kind == "pair"]
    byes = [players[0] for kind, players in wishes if kind == "bye"]
    found = explain(event, "fide-dutch")
    other = explain(event, "fide-dutch", why_not=pairs, why_bye=byes)
    floats = [("float", (name,)) for name in _list_floaters(found.result)]
    for wish, answer in zip(
        [*floats, *wishes], [*found.answers, *other.answers], strict=True
    ):
        granted = answer.said.messages[0].kind in (
            "question.without",
            "question.without_bye",
        )
        if not granted and answer.said.kind != "question.impossible":
            yield Reason(path, wish, answer)


def chosen(data: Path) -> list[Reason]:
    """As many reasons of each kind as there are, in turn, until there are a hundred."""
    kinds: dict[tuple[str, ...], list[Reason]] = {}
    for path in sorted((data / "dutch" / "published").glob("*_r0[345678].trf")):
        for reason in reasons(path):
            kinds.setdefault(reason.kind, []).append(reason)
    found: list[Reason] = []
    while len(found) < MANY:
        for some in kinds.values():
            if some and len(found) < MANY:
                found.append(some.pop(len(some) // 2))
    return found


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
def main(data: Path) -> None:
    """Write the page."""
    found = chosen(data)
    PAGE.write_text(
        HEAD + "".join(map(item, range(1, MANY + 1), found)), encoding="utf-8"
    )
    click.echo(
        f"{PAGE.relative_to(ROOT)}: {len(found)} reasons of {len({r.kind for r in found})} kinds"
    )


def item(number: int, reason: Reason) -> str:
    """A reason as it stands on the page."""
    lines = "".join(f"     - {line.rstrip('.')}.\n" for line in reason.lines())
    return f"{number}. {reason.title}\n{lines}"


if __name__ == "__main__":
    main()
