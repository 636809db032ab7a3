"""`pairopt explain`."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from pairopt.round.explain import Explanation, explain, reasons_told
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes, say
from pairopt.show.cli.options import own_options
from pairopt.show.cli.rounds import exit_code, pair_of, read, round_options
from pairopt.show.words import TERMINAL, TERMINALS
from pairopt.wording import plain
from pairopt.words import Said, Words

QUESTIONS = ("why", "why_not", "why_bye", "why_float")


@click.command()
@round_options()
@own_options("explain")
@answering("table", "json", output=False)
def command(event: str, players: str | None, words: str, **options: Any) -> Answer:
    """Each match of the next round of EVENT in a sentence; and what another pairing would cost."""
    asked_for = any(options[name] for name in QUESTIONS)
    given, options = read(event, players, options)
    for name in ("why", "why_not"):
        option = f"--{name.replace('_', '-')}"
        options[name] = [pair_of(given, text, option) for text in options[name]]
    found = explain(given, **{**options, "why_float": options["why_float"] or None})
    echo_notes(found.result.notes, given.notes)
    for conflict in found.result.conflicts:
        say(conflict)
    return Answer(
        text=lambda: _text(found, asked_for, TERMINALS[words]), content=found.to_dict,
        code=exit_code(found.result),
    )  # fmt: skip


def _text(found: Explanation, asked_for: bool, door: Words) -> str:
    told, result = partial(_told, door), found.result
    asked = [told(answer.said) for answer in found.answers]
    lines = [f"Round {result.round}, by {result.model}", ""]
    if asked:
        lines += ["You asked:" if asked_for else "Floats:", *asked, ""]
    if found.brackets:
        lines += ["Brackets:", *map(told, found.brackets), ""]
    lines += [told(match.said) for match in found.matches]
    why = [f"{told(said)}." for said in reasons_told(result, found.reasons)]
    lines += ["", "Given the levels before each:", *why] if why else []
    return "\n".join([*lines, *[""] * bool(found.matches), TERMINAL.draw(result.verdict), ""])


def _told(door: Words, said: str | Said) -> str:
    return f"  {plain(door.draw(said))}"
