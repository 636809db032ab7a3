"""The commands on an event folder: each takes one step and says what it was: `pairopt.folder`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from pairopt import folder as verbs
from pairopt.bounds import MOST_CUT, MOST_NUMBER, MOST_PORT, MOST_ROUNDS, MOST_SEED, MOST_STEP
from pairopt.errors import UsageError, not_installed
from pairopt.event.elimination import BracketLine, lines
from pairopt.files.guard import require_free
from pairopt.files.write import json_text, write_whole
from pairopt.folder import Done
from pairopt.folder.mending import NOTHING
from pairopt.folder.proofs import MOST_PLAYERS, SECONDS
from pairopt.folder.settings import READ
from pairopt.problem.options import SolveOptions
from pairopt.round.result import Result
from pairopt.show.cli.console import echo_notes, say, table_text
from pairopt.show.cli.numbers import Whole
from pairopt.show.cli.options import (
    BY_LOT,
    FILE,
    FOLDER,
    MODEL,
    OVERWRITE,
    PROOF,
    Named,
    chosen_options,
    exit_code,
    labels_of,
    round_options,
    stacked,
    without_proof,
)
from pairopt.show.cli.show import result_table, ways_lines
from pairopt.show.words import TERMINAL
from pairopt.wording import typed
from pairopt.words import Said, tell

Parameters = dict[str, Any]


def _verb(
    name: str,
    help: str,
    *params: click.Parameter,
    read: Callable[[Parameters], Parameters] = dict,
    does: str = "",
) -> click.Command:
    """The command of a verb: its parameters, as `read` has them, are the verb's own."""

    def command(folder: str, **given: Any) -> None:
        done = getattr(verbs, does or name)(folder, **read(given))
        for line in done.said:
            say(line)
        if name == "new":
            then = "bracket" if done.event.origin.bracket else "pair"
            say(f"made {folder}; next: pairopt {then} {typed(folder)}")

    arguments = [click.Argument(["folder"], type=FOLDER), *params]
    return click.Command(name, params=arguments, callback=command, help=help)


def _cells(given: Parameters) -> Parameters:
    """The cells of a new player, as COLUMN=VALUE."""
    cells = given["cells"]
    if strange := [cell for cell in cells if "=" not in cell]:
        raise UsageError(f"--set {strange[0]}: expected COLUMN=VALUE")
    pairs = (cell.split("=", 1) for cell in cells)
    columns = {name.strip().lower(): value.strip() for name, value in pairs}
    return {"player": given["player"], "columns": columns}


def _number(given: Parameters) -> Parameters:
    """The number of a table, None where there is to be none."""
    if (given["number"] is None) != given["off"]:
        raise UsageError("expected the number of a table, or --off")
    return {"player": given["player"], "number": given["number"]}


def _setting(given: Parameters) -> Parameters:
    """A setting of event.toml, None where it is to be said no more."""
    if (given["value"] is None) != given["off"]:
        raise UsageError("expected a VALUE, or --off")
    return {"settings": {given["key"]: given["value"]}, "sure": given["sure"]}


PLAYER = click.Argument(["player"])

new = _verb(
    "new",
    """Make FOLDER, an event that keeps its own rules, from a list of players.

    It says what it took from where; all of it can be changed in FOLDER/event.toml. Then: pairopt
    pair, result, standings.
    """,
    click.Option(["--players"], type=Named(), required=True, metavar="FILE",
                 help="A list of players, or an event in any format that is read, or its folder."),
    click.Option(["--title"], metavar="TEXT",
                 help="Default: the event's own, else the folder's name."),
    click.Option(["--model"], metavar="NAME|FILE",
                 help="A shipped model, or a file (it is copied)."),
    click.Option(["--rounds"], type=Whole(1, MOST_ROUNDS), metavar="N",
                 help="The number of rounds: the last one gets its rules by itself."),
    click.Option(["--points"], metavar="W-D-L", help="Win, draw and loss, as 3-1-0 or 1-½-0."),
    click.Option(["--sides"], metavar="A,B|none",
                 help="Labels of both sides; none: a game without."),
    click.Option(["--initial-side"], metavar="LABEL",
                 help="The first player's side in round 1, as white. Default: drawn by the seed."),
    click.Option(["--tie-breaks"], metavar="A,B", help="Default: the usual ones."),
    click.Option(["--seed"], type=Whole(0, MOST_SEED), metavar="N",
                 help="It chooses among equally good pairings. Default: drawn by lot, and kept."),
    click.Option(["--baku"], is_flag=True,
                 help="Virtual points for the first half of the players (FIDE C.04.7)."),
    read=lambda given: {**given, "sides": labels_of(given["sides"]),
                        "tie_breaks": labels_of(given["tie_breaks"])},
)  # fmt: skip
enter = _verb(
    "enter", "Let PLAYER, who is new, into FOLDER from the next round on.", PLAYER,
    click.Option(["--set", "cells"], multiple=True, metavar="COLUMN=VALUE",
                 help="A cell of players.csv, as rating=1500 or club=Riga. Repeatable."),
    read=_cells,
)  # fmt: skip
rename = _verb(
    "rename", "Give PLAYER of FOLDER another NAME; what is written of them stays theirs.", PLAYER,
    click.Argument(["name"]),
)  # fmt: skip
edit = _verb(
    "edit", "Change what FOLDER says of PLAYER, from the next round on.", PLAYER,
    click.Option(["--set", "cells"], multiple=True, required=True, metavar="COLUMN=VALUE",
                 help="A cell of players.csv, as rating=1500, club=Riga or start=3. Repeatable."),
    read=_cells,
)  # fmt: skip
check_in = _verb(
    "check-in",
    """Before round 1: everybody in FOLDER is out until pairopt back lets them in.

    Who has a bye in round 1 stays in.
    """,
    click.Option(["--off"], is_flag=True, help="Everybody is in."),
    does="check_in",
)  # fmt: skip
drop = _verb("drop", "Take PLAYER out of all rounds of FOLDER to come.", PLAYER)
back = _verb("back", "Let PLAYER, who had left FOLDER, play on.", PLAYER)
bye = _verb(
    "bye", "Write down that PLAYER asks for a bye.", PLAYER,
    click.Option(["--round"], type=Whole(1, MOST_ROUNDS), metavar="N",
                 help="Default: the next round."),
    click.Option(["--points"], metavar="P", help="Default: the event's for a requested bye."),
)  # fmt: skip
forbid = _verb(
    "forbid", "PLAYER and OTHER may not meet in the rounds of FOLDER to come.", PLAYER,
    click.Argument(["other"]),
    click.Option(["--rounds"], metavar="N-M", help="In these alone, as 2-4, or 3. Default: all."),
    click.Option(["--off"], is_flag=True, help="They may meet again."),
)  # fmt: skip
table = _verb(
    "table", "PLAYER stays at table NUMBER in the rounds of FOLDER to come.", PLAYER,
    click.Argument(["number"], type=Whole(1, MOST_NUMBER), required=False),
    click.Option(["--off"], is_flag=True, help="They may sit at any table again."),
    read=_number,
)  # fmt: skip
set = _verb(  # noqa: A001 - the command's name
    "set",
    """Set KEY of FOLDER's event.toml to VALUE, for the rounds to come.

    KEY is one of """ + ", ".join(READ) + """. Lists have commas: sides white,black (none: a game
    without), tie_breaks sos,esos, conflicts club (who shares a club never meets) or club:2 (as the
    model's second criterion). points are win-draw-loss, as 3-1-0; those of byes points.bye and
    points.requested_bye.
    """,
    click.Argument(["key"]), click.Argument(["value"], required=False),
    click.Option(["--off"], is_flag=True, help="event.toml says nothing of it any more."),
    click.Option(["--sure"], is_flag=True, help="Other points, though there are results."),
    read=_setting, does="change",
)  # fmt: skip
result = _verb(
    "result",
    """Write down the SCORE of a TABLE in the last round of FOLDER, or of a match of its bracket.

    SCORE has the points of the first and the second player: 3-0, 0.5-0.5, ½-½; or 1F-0F, 0F-0F
    for a match that was not played. A correction names the later rounds that would have been
    others. After the cut TABLE is B1, B2, …, and the higher score wins.
    """,
    click.Argument(["table"]), click.Argument(["score"]),
    click.Option(["--round"], type=Whole(1, MOST_ROUNDS), metavar="N",
                 help="Correct an earlier round."),
    click.Option(["--decided"], is_flag=True,
                 help="An arbiter's decision: 0-0 or ½-0 of a match that was played."),
)  # fmt: skip
undo = _verb(
    "undo",
    "Undo the last steps on FOLDER: its files are as they were before; log.csv has them all.",
    click.Option(["--steps"], type=Whole(1, MOST_STEP), default=1, metavar="N"),
    click.Option(["--to"], type=Whole(1, MOST_STEP), metavar="N",
                 help="To the files after step N of log.csv, also where it was undone."),
)  # fmt: skip


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--yes", is_flag=True, help="Do it, and do not ask.")
def mend(folder: str, yes: bool) -> None:
    """Bring FOLDER back to its last whole state: say what is damaged, ask, and do it.

    No result is lost that a whole file has. What is damaged, or another event's, is kept beside it
    (log.damaged.csv). Exit code 1: there is something to mend, and nothing is done.
    """
    said = verbs.preview_mend(folder).said
    for line in said:
        say(line)
    if said == (NOTHING,):
        return
    if not yes and not (sys.stdin.isatty() and click.confirm("Do it?", err=True)):
        say(f"nothing is done yet: pairopt mend {typed(folder)} --yes does it")
        click.get_current_context().exit(1)
    now = verbs.mend(folder).said
    for line in now if now != said else (tell("mend.done"),):
        say(line)


OPTIONS = stacked([
    round_options(SolveOptions, (MODEL,), without=("round", "fixed", "published")), PROOF,
    click.option("--keep-proof/--no-keep-proof", default=None,
                 help="Keep the proof in FOLDER. Default: as event.toml says, else of up to "
                 f"{MOST_PLAYERS} players, where that takes at most {SECONDS:g} s."),
])  # fmt: skip


@click.command()
@click.argument("folder", type=FOLDER)
@OPTIONS
@click.pass_context
def pair(ctx: click.Context, /, folder: str, **options: Any) -> None:
    """Pair the next round of FOLDER, and append it to its matches.

    The event's own rules hold; an option overrides them for this round.
    """
    _say_paired(ctx, verbs.pair(folder, **chosen_options(Path(folder), options)))


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--keep", type=Whole(1, MOST_NUMBER), multiple=True, metavar="TABLE",
              help="This table stays as it is. Repeatable.")  # fmt: skip
@click.option("--again", is_flag=True, help="Pair all the others anew, however many change.")
@click.option("--preview", is_flag=True, help="Say which tables would change, and write nothing.")
@click.option("--format", "form", type=click.Choice(("table", "json")), default="table",
              help="How the round and its changes are printed.")  # fmt: skip
@OPTIONS
@click.pass_context
def repair(
    ctx: click.Context,
    /,
    folder: str,
    keep: tuple[int, ...],
    preview: bool,
    form: str,
    **options: Any,
) -> None:
    """Pair the open round of FOLDER again, after somebody came or went.

    Tables that have a result stay, and those to --keep. Of the others as few change as can be, and
    the model decides among the pairings that change so few.
    """
    given = chosen_options(Path(folder), options)
    if not preview:
        _say_paired(ctx, verbs.repair(folder, keep, **given), form)
        return
    if given.pop("proof") is not None:
        raise UsageError("--proof: a preview writes nothing")
    del given["keep_proof"]
    shown = verbs.preview_repair(folder, keep, **given)
    said = () if shown.changes is None else tuple(shown.changes.lines())
    _say_paired(ctx, Done("repair", said, None, None, shown.result, None, shown.ways,
                          shown.changes), form)  # fmt: skip


def _say_paired(ctx: click.Context, done: Done, form: str = "table") -> None:
    """What was paired, or why nothing was; then exit."""
    folder, proof, result = ctx.params["folder"], ctx.params["proof"], done.result
    assert result is not None
    echo_notes(result.notes)
    told: list[str | Said] = [*result.conflicts, *ways_lines(done.ways), *done.said]
    for line in told:
        say(line)
    if proof is not None:
        if result.proof:
            say(f"proof: written to {proof}; {result.proof.said}")
        else:
            say(f"proof: {without_proof(result)}")
    if form == "json":
        click.echo(json_text(_content(done, result)), nl=False)
    elif result.arcs is None:
        for line in result.conclusion():
            say(line)
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


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--cut", type=Whole(2, MOST_CUT), metavar="N",
              help="Make the bracket of the best N of those still active.")  # fmt: skip
@click.option("--double", is_flag=True, help="Two lost matches put a player out.")
@BY_LOT
@click.option("-o", "--output", type=FILE, help="Write a page to read or print, FILE.html.")
@OVERWRITE
def bracket(folder: str, output: str | None, overwrite: bool, **given: Any) -> None:
    """The elimination of FOLDER: with --cut it is made from the standings, then it is shown.

    Seeds follow the standings; the best have byes where N is no power of two. Matches are called
    B1, B2, …: pairopt result FOLDER B1 2-0 writes down how one ended.
    """
    if output is not None:
        from pairopt.show.report.page import bracket_page, require_page

        require_free([output], (), overwrite)
        require_page(output, overwrite)
    done = verbs.bracket(folder, **given)
    event = done.event
    assert event is not None
    assert done.bracket is not None
    shown = lines(done.bracket, event.called)
    for line in done.said:
        say(line)
    click.echo(_bracket_text(shown), nl=False)
    if done.step is not None:
        _say_written(folder, done)
    if output is not None:
        told = [*map(TERMINAL.draw, done.said)]
        write_whole(output, bracket_page(event.settings.title, shown, told))
        say(f"page: written to {output}")


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
@click.argument("folder", type=FOLDER)
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
    the page begins with a new event. The other commands work beside it. With --share a second
    address is open to the network: its pages can only be read, unless opened by the organiser's
    link that is printed. SECTIONS are folders of further events of the same evening: each has
    pages of its own, which lead to each other.
    """
    try:
        from pairopt.show.web import serving
    except ImportError:
        raise not_installed("the page needs Starlette, uvicorn and Jinja2", "web") from None
    serving.serve(
        folder, say, beside=sections, port=port, browser=not no_browser,
        shared=share or share_port is not None, share_port=share_port,
    )  # fmt: skip
