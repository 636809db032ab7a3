"""`pairopt compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pairopt.errors import UsageError
from pairopt.files.folder import is_folder
from pairopt.problem.options import CompareOptions
from pairopt.round.compare import Comparison, compare
from pairopt.round.result import VERDICTS
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes
from pairopt.show.cli.options import INPUTS, own_options
from pairopt.show.cli.rounds import exit_code, read, round_options
from pairopt.show.cli.show import levels_text
from pairopt.show.shown import compared_levels
from pairopt.show.words import TERMINAL
from pairopt.wording import pair_text, plain
from pairopt.words import tell


@click.command()
@round_options(CompareOptions, INPUTS)
@own_options("compare", "--models", "--swap")
@answering("table", "csv", "json")
def command(event: str, players: str | None, models: str, swap: bool, **options: Any) -> Answer:
    """Pair the next round of EVENT under several models, and measure each pairing by all of them.

    The table has the levels by models, and the matches that change; csv the levels alone, one
    column a model. Exit code 1: a model has no pairing; 4: one was stopped by the time limit,
    which each model has for itself. Tournaments and folders of events: see `pairopt study`."""
    if Path(event).is_dir() and not is_folder(Path(event)):
        raise UsageError("a folder of events is for `pairopt study FOLDER`")
    given, options = read(event, players, options)
    names = [name.strip() for name in models.split(",")]
    found = compare(given, names, swap=swap, **options)
    echo_notes(dict.fromkeys(n for each in found.results for n in each.notes), given.notes)
    codes = {exit_code(result) for result in found.results} - {0}
    return Answer(text=lambda: _text(found), content=found.to_dict, table=found.table,
                  what=f"round {found.round}", code=min(codes, default=0))  # fmt: skip


def _text(found: Comparison) -> str:
    """Levels by models, then the matches that change, for people."""
    numbers = [str(k) for k in range(1, len(found.models) + 1)]
    levels = compared_levels(found, numbers, zeros=False)
    lines = [f"Round {found.round}", "", levels_text(levels)]
    lines += [levels.more, ""] if levels.more else []
    named = zip(numbers, found.models, found.results, found.changed, strict=True)
    for k, name, result, changed in named:
        said = "" if result.proven else f" {TERMINAL.draw(tell(VERDICTS[result.status]))}"
        count = f"{len(changed)} of {len(found.results[0].matches)} matches differ"
        lines.append(f"{k} {plain(name)}: {count if k != '1' else 'the others beside it'}.{said}")
        lines += [f"  {plain(pair_text(*match))}" for match in changed]
    return "\n".join([*lines, ""])
