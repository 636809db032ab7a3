"""Steps: the verbs that ask or show more than the lines of what was done."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pairopt import folder as verbs
from pairopt.cli import EXIT_INPUT
from pairopt.cli.console import echo_notes, give, say, table_text
from pairopt.cli.options import FILE, OVERWRITE, apply_decorators
from pairopt.cli.round_options import (
    MODEL,
    PROOF,
    chosen_options,
    exit_code,
    round_options,
    without_proof,
)
from pairopt.cli.tables import result_table, ways_lines
from pairopt.common.limits import LARGEST_BODY
from pairopt.errors import UsageError
from pairopt.event.elimination import BracketLine, bracket_lines
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import json_text, write_whole
from pairopt.folder import Done
from pairopt.folder.commands import load_verb
from pairopt.folder.proofs import MOST_PLAYERS, SECONDS
from pairopt.folder.recovery import NOTHING
from pairopt.messages import message
from pairopt.messages.formatting import quote_for_shell
from pairopt.problem.options import SolveOptions
from pairopt.round.result import Result


def _answered(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    """A request on stdin, answered; before FOLDER is asked for."""
    if not given:
        return
    if len(ctx.find_root().obj) > len(["pair", "--json"]):
        raise UsageError("request.alone")
    from pairopt.api.response import reply_to

    reply = reply_to(sys.stdin.buffer.read(LARGEST_BODY + 1))
    give(reply.text, "json")
    ctx.exit(EXIT_INPUT if reply.result is None else exit_code(reply.result))


@apply_decorators(
    [
        click.option(
            "--json",
            is_flag=True,
            callback=_answered,
            is_eager=True,
            expose_value=False,
            help="Instead, without FOLDER: read a request of another program, answer "
            "it, and write nothing.",
        ),
        round_options(SolveOptions, (MODEL,), without=("round", "fixed", "published")),
        PROOF,
        click.option(
            "--keep-proof/--no-keep-proof",
            default=None,
            help="Keep the proof in FOLDER. Default: as event.toml says, else of up to "
            f"{MOST_PLAYERS} players, where that takes at most {SECONDS:g} s.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(["table", "json"]),
            default="table",
            help="How the round and its changes are printed.",
        ),
    ]
)
@click.pass_context
def pair(
    ctx: click.Context, /, folder: str, preview: bool, form: str, **given: Any
) -> None:
    """Pair a round, and say what was paired, or why nothing was."""
    options = chosen_options(Path(folder), given)
    if preview and (options.pop("proof") is not None or options.pop("keep_proof")):
        raise UsageError("verb.preview_writes_nothing")
    pairing, arguments = load_verb("pair").does({**options, "preview": preview})
    done: Any = pairing(folder, **arguments)
    if preview:
        changes = getattr(done, "changes", None)
        asked = (done if changes else done.result).question
        breach = done.breach if changes else None
        against = (message("mode.asks"), breach.said) if breach else ()
        told = (*filter(None, [asked]), *against, *(changes.lines() if changes else ()))
        done = Done("pair", told, None, None, done.result, None, done.ways, changes)
    result = done.result
    if preview is False and result is None:
        say(*done.said)
        return
    echo_notes(result.notes)
    say(*result.conflicts, *ways_lines(done.ways), *done.said)
    if (proof := given["proof"]) is not None:
        if result.proof:
            say(f"proof: written to {proof}; {result.proof.said}")
        else:
            say(f"proof: {without_proof(result)}")
    if form == "json":
        click.echo(json_text(_content(done, result)), nl=False)
    elif result.arcs is None:
        say(*result.conclusion())
    else:
        click.echo(result_table(result.event, result), nl=False)
    if done.step is not None:
        _say_written(folder, done)
    elif result.arcs is not None:
        say("nothing is written yet: without --preview it is")
    ctx.exit(exit_code(result))


def _content(done: Done, result: Result) -> dict[str, Any]:
    said = [each.to_dict() for each in done.said]
    content = {**result.to_dict(), "stated": result.stated().to_dict(), "said": said}
    if done.changes is not None:
        content["changes"] = done.changes.to_dict()
    if done.ways:
        content["ways"] = [way.to_dict() for way in done.ways]
    return content


def _say_written(folder: str, done: Done) -> None:
    say(
        f"written to {folder} (step {done.step}; pairopt undo {quote_for_shell(folder)} takes it back)"
    )


@click.option(
    "-o", "--output", type=FILE, help="Write a page to read or print, FILE.html."
)
@OVERWRITE
def bracket(folder: str, output: str | None, overwrite: bool, **given: Any) -> None:
    """Make or show the elimination."""
    if output is not None:
        from pairopt.report.page import bracket_page, require_page

        require_free([output], (), overwrite)
        require_page(output, overwrite)
    done = verbs.bracket(folder, **given)
    event = done.event
    assert event is not None
    assert done.bracket is not None
    shown = bracket_lines(done.bracket, event.called)
    say(*done.said)
    click.echo(_bracket_text(shown), nl=False)
    if done.step is not None:
        _say_written(folder, done)
    if output is not None:
        write_whole(output, bracket_page(event.settings.title, shown, done.said))
        say(f"page: written to {output}")


def _bracket_text(shown: Sequence[BracketLine]) -> str:
    rows, title = [], ""
    for line in shown:
        one, two = line.chairs
        head, title = "" if line.title == title else line.title, line.title
        score = line.score or ("next" if line.open else "")
        rows.append([head, line.match, one.seed, one.name, score, two.name, two.seed])
    return table_text(
        ["round", "match", "seed", "player", "score", "player", "seed"], rows, "seed"
    )


def mend(folder: str, yes: bool) -> None:
    said = verbs.preview_mend(folder).said
    say(*said)
    if said == (NOTHING,):
        return
    if not yes and not (sys.stdin.isatty() and click.confirm("Do it?", err=True)):
        say(
            f"nothing is done yet: pairopt mend {quote_for_shell(folder)} --yes does it"
        )
        click.get_current_context().exit(1)
    now = verbs.mend(folder).said
    say(*(now if now != said else (message("mend.done"),)))
