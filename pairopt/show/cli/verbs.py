"""The commands on an event folder: each takes one step and says what it was."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from pairopt import folder as verbs
from pairopt.bounds import IN_FORMS, MOST_PORT
from pairopt.errors import UsageError, not_installed
from pairopt.event.elimination import BracketLine, lines
from pairopt.event.settings import SETTINGS, Setting
from pairopt.files.guard import require_free
from pairopt.files.write import json_text, write_whole
from pairopt.folder import Done
from pairopt.folder.mending import NOTHING
from pairopt.folder.proofs import MOST_PLAYERS, SECONDS
from pairopt.problem.options import SolveOptions
from pairopt.round.result import Result
from pairopt.show.cli.console import echo_notes, say, table_text
from pairopt.show.cli.numbers import Whole
from pairopt.show.cli.options import (
    FILE,
    FOLDER,
    MODEL,
    OVERWRITE,
    PROOF,
    Named,
    chosen_options,
    exit_code,
    round_options,
    stacked,
    without_proof,
)
from pairopt.show.cli.show import result_table, ways_lines
from pairopt.show.verbs import Param, Verb, every_verb
from pairopt.wording import typed
from pairopt.words import Said, tell


def command_of(name: str) -> click.Command:
    """The command of a verb, with the options of its callback after its own."""
    verb = every_verb()[name]
    callback = CALLBACKS.get(name) or partial(_take, verb)
    options = [*map(_option, SETTINGS.values())] if verb.settings else []
    return click.Command(
        name, callback=callback, help=verb.words.replace("{settings}", ", ".join(SETTINGS)),
        params=[click.Argument(["folder"], type=FOLDER), *map(_param, verb.params),
                *filter(None, options), *reversed(getattr(callback, "__click_params__", ()))],
    )  # fmt: skip


def _param(each: Param) -> click.Parameter:
    """The argument or option of a verb's parameter."""
    allowed = None if each.allowed is None else IN_FORMS[each.allowed]
    kind = Named() if each.form == "file" else allowed and Whole(allowed[0], allowed[-1])
    if not each.called.startswith("--"):
        return click.Argument([each.called], type=kind, required=each.required)
    if each.form == "flag":
        called = [*filter(None, (each.called, each.also))]
        return click.Option(called, is_flag=True, help=each.words)
    return click.Option([each.called], type=kind, required=each.required, multiple=each.many,
                        default=each.default, metavar=each.metavar, help=each.words)  # fmt: skip


def _option(one: Setting) -> click.Option | None:
    """The option of a setting; those in tables of event.toml have none."""
    if one.key != one.name:
        return None
    kind: Any = Whole(one.allowed[0], one.allowed[-1]) if one.form == "number" else None
    if one.form in ("choice", "truth"):
        kind = click.Choice([name for name, _ in one.choices if name])
    words = f"{one.hint} Default: {one.otherwise}." if one.otherwise else one.hint
    called = f"--{one.key.replace('_', '-')}"
    metavar = None if one.choices else one.metavar
    return click.Option([called], type=kind, help=words, metavar=metavar)


def _say(lines: Iterable[str | Said]) -> None:
    for line in lines:
        say(line)


def _take(verb: Verb, folder: str, **given: Any) -> None:
    """Take the step of a verb, and say what it was."""
    done = verb.take(folder, given)
    _say(done.said)
    if verb.name == "new":
        then = "bracket" if done.event and done.event.origin.bracket else "pair"
        say(f"made {folder}; next: pairopt {then} {typed(folder)}")


def _mend(folder: str, yes: bool) -> None:
    said = verbs.preview_mend(folder).said
    _say(said)
    if said == (NOTHING,):
        return
    if not yes and not (sys.stdin.isatty() and click.confirm("Do it?", err=True)):
        say(f"nothing is done yet: pairopt mend {typed(folder)} --yes does it")
        click.get_current_context().exit(1)
    now = verbs.mend(folder).said
    _say(now if now != said else (tell("mend.done"),))


@stacked([
    round_options(SolveOptions, (MODEL,), without=("round", "fixed", "published")), PROOF,
    click.option("--keep-proof/--no-keep-proof", default=None,
                 help="Keep the proof in FOLDER. Default: as event.toml says, else of up to "
                 f"{MOST_PLAYERS} players, where that takes at most {SECONDS:g} s."),
    click.option("--format", "form", type=click.Choice(("table", "json")), default="table",
                 help="How the round and its changes are printed."),
])  # fmt: skip
@click.pass_context
def _pair(ctx: click.Context, /, folder: str, preview: bool, form: str, **given: Any) -> None:
    """Pair a round, and say what was paired, or why nothing was."""
    options = chosen_options(Path(folder), given)
    if preview and (options.pop("proof") is not None or options.pop("keep_proof")):
        raise UsageError("verb.preview_writes_nothing")
    pairing, arguments = every_verb()["pair"].does({**options, "preview": preview})
    done: Any = pairing(folder, **arguments)
    if preview:
        changes = getattr(done, "changes", None)
        told = () if changes is None else tuple(changes.lines())
        done = Done("pair", told, None, None, done.result, None, done.ways, changes)
    result = done.result
    echo_notes(result.notes)
    _say((*result.conflicts, *ways_lines(done.ways), *done.said))
    if (proof := given["proof"]) is not None:
        if result.proof:
            say(f"proof: written to {proof}; {result.proof.said}")
        else:
            say(f"proof: {without_proof(result)}")
    if form == "json":
        click.echo(json_text(_content(done, result)), nl=False)
    elif result.arcs is None:
        _say(result.conclusion())
    else:
        click.echo(result_table(result.event, result), nl=False)
    if done.step is not None:
        _say_written(folder, done)
    elif result.arcs is not None:
        say("nothing is written yet: without --preview it is")
    ctx.exit(exit_code(result))


def _content(done: Done, result: Result) -> dict[str, Any]:
    """A paired round as JSON."""
    said = [each.to_dict() for each in done.said]
    content = {**result.to_dict(), "stated": result.stated().to_dict(), "said": said}
    if done.changes is not None:
        content["changes"] = done.changes.to_dict()
    if done.ways:
        content["ways"] = [way.to_dict() for way in done.ways]
    return content


def _say_written(folder: str, done: Done) -> None:
    say(f"written to {folder} (step {done.step}; pairopt undo {typed(folder)} takes it back)")


@click.option("-o", "--output", type=FILE, help="Write a page to read or print, FILE.html.")
@OVERWRITE
def _bracket(folder: str, output: str | None, overwrite: bool, **given: Any) -> None:
    """Make or show the elimination."""
    if output is not None:
        from pairopt.show.report.page import bracket_page, require_page

        require_free([output], (), overwrite)
        require_page(output, overwrite)
    done = verbs.bracket(folder, **given)
    event = done.event
    assert event is not None
    assert done.bracket is not None
    shown = lines(done.bracket, event.called)
    _say(done.said)
    click.echo(_bracket_text(shown), nl=False)
    if done.step is not None:
        _say_written(folder, done)
    if output is not None:
        write_whole(output, bracket_page(event.settings.title, shown, done.said))
        say(f"page: written to {output}")


CALLBACKS: Mapping[str, Callable[..., None]] = {"pair": _pair, "bracket": _bracket, "mend": _mend}
"""What more is to be asked or shown than the lines of what was done."""


def _bracket_text(shown: Sequence[BracketLine]) -> str:
    """The matches, round by round."""
    rows, title = [], ""
    for line in shown:
        one, two = line.chairs
        head, title = "" if line.title == title else line.title, line.title
        score = line.score or ("next" if line.open else "")
        rows.append([head, line.match, one.seed, one.name, score, two.name, two.seed])
    return table_text(["round", "match", "seed", "player", "score", "player", "seed"], rows, "seed")


@click.command()
@click.argument("folder", type=FOLDER, default=".")
@click.argument("sections", type=FOLDER, nargs=-1)
@click.option("--port", type=Whole(1, MOST_PORT), metavar="N",
              help="Default: 8440, or any that is free.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@click.option("--share", is_flag=True,
              help="Phones on the network may read pairings and standings.")  # fmt: skip
@click.option("--share-port", type=Whole(1, MOST_PORT), metavar="N",
              help="--share, at this port. Default: the port after the page's.")  # fmt: skip
def serve(
    folder: str,
    sections: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    share: bool,
    share_port: int | None,
) -> None:
    """The organiser's page: pair, write down results and print, in the browser.

    It is reached from this machine alone, and needs no network. Where FOLDER is not there yet,
    the page begins with a new event; where it holds event folders, it is all of them, and so is
    where you are without FOLDER. The other commands work beside it. With --share a second address
    is open to the network: its pages can only be read, unless opened by the organiser's link that
    is printed. SECTIONS are folders of further events of the same evening: each has pages of its
    own, which lead to each other."""
    try:
        from pairopt.show.web import serving
    except ImportError:
        raise not_installed("the page needs Starlette, uvicorn and Jinja2", "web") from None
    serving.serve(
        folder, say, beside=sections, port=port, browser=not no_browser,
        shared=share or share_port is not None, share_port=share_port,
    )  # fmt: skip
