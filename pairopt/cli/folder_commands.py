"""Define the commands on an event folder that ask, or show more than what was done."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from pairopt import folder as verbs
from pairopt.cli.console import echo_notes, say, table_text, write_output
from pairopt.cli.exit_codes import EXIT_INPUT
from pairopt.cli.options import FILE, OVERWRITE, apply_decorators
from pairopt.cli.round_options import (
    MODEL,
    PROOF,
    exit_code,
    missing_proof_reason,
    resolve_folder_options,
    round_options,
)
from pairopt.cli.tables import played_round_table, remedy_lines, result_table
from pairopt.common.atomic_write import names_are_typed
from pairopt.common.limits import LARGEST_BODY
from pairopt.errors import UsageError
from pairopt.event.elimination import BracketLine, bracket_lines
from pairopt.files.overwrite_guard import require_free
from pairopt.files.write import json_text, write_whole
from pairopt.folder import Done
from pairopt.folder.commands import load_command
from pairopt.folder.open_folder import open_folder
from pairopt.folder.proofs import MOST_PLAYERS, SECONDS
from pairopt.folder.recovery import NOTHING_TO_RECOVER
from pairopt.messages import message
from pairopt.messages.formatting import quote_for_shell
from pairopt.problem.options import SolveOptions
from pairopt.report.views import round_view
from pairopt.round.result import Result


def _answer_request(ctx: click.Context, _: click.Parameter, is_request: bool) -> None:
    """Answer a JSON request on stdin for `pair --json`, without FOLDER, and exit.

    This is click's callback of --json, and writes the answer to stdout. Without --json
    it does nothing. Raises UsageError if there are other arguments.
    """
    if not is_request:
        return
    if len(ctx.find_root().obj) > len(["pair", "--json"]):
        raise UsageError("request.alone")
    from pairopt.api.response import reply_to

    api_reply = reply_to(sys.stdin.buffer.read(LARGEST_BODY + 1))
    write_output(api_reply.text, "json")
    ctx.exit(EXIT_INPUT if api_reply.result is None else exit_code(api_reply.result))


@apply_decorators(
    [
        click.option(
            "--json",
            is_flag=True,
            callback=_answer_request,
            is_eager=True,
            expose_value=False,
            help="Answer a pairing request (JSON) from the standard input, without FOLDER and without writing files.",
        ),
        round_options(SolveOptions, (MODEL,), without=("round", "fixed", "published")),
        PROOF,
        click.option(
            "--keep-proof/--no-keep-proof",
            default=None,
            help=f"Store the proof of the round in FOLDER. Default: as the event's setting proofs says, otherwise for up to {MOST_PLAYERS} players if this takes at most {SECONDS:g} seconds.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(["table", "json"]),
            default="table",
            help="Format of the round and its changes on the screen.",
        ),
    ]
)
@click.pass_context
def pair(
    ctx: click.Context, /, folder: str, preview: bool, form: str, **arguments: Any
) -> None:
    """Pair a round, and say what was paired, or why nothing was.

    With `preview` nothing is written. The pairing goes to stdout as a table, or as JSON
    if `form` is "json"; everything else goes to stderr. `arguments` are the options of
    the command. It ends by click's exit, with 1 if no pairing exists, 4 if it is not
    proven, otherwise 0. In a round robin no round is solved: it shows the current round
    and returns. Raises UsageError for a preview with an option that writes a proof, and
    what the command itself raises.
    """
    pair_options = resolve_folder_options(Path(folder), arguments)
    if preview and (
        pair_options.pop("proof") is not None or pair_options.pop("keep_proof")
    ):
        raise UsageError("verb.preview_writes_nothing")

    command_function, call_options = load_command("pair").resolve(
        {**pair_options, "preview": preview}
    )
    pair_outcome: Any = command_function(folder, **call_options)
    if preview:
        pair_outcome = _preview_step(pair_outcome)
    round_result = pair_outcome.result
    if preview is False and round_result is None:
        say(*pair_outcome.said)
        if (
            pair_outcome.event is not None
            and pair_outcome.event.settings.is_round_robin
        ):
            _echo_round_robin(folder, pair_outcome, form)
        return

    echo_notes(round_result.notes)
    say(
        *round_result.conflicts,
        *remedy_lines(round_result.event, pair_outcome.ways),
        *pair_outcome.said,
    )
    proof_path = arguments["proof"]
    if proof_path is not None and round_result.proof:
        say(f"proof: written to {proof_path}; {round_result.proof.said}")
    elif proof_path is not None:
        say(f"proof: {missing_proof_reason(round_result)}")

    if form == "json":
        click.echo(json_text(_pairing_to_json(pair_outcome, round_result)), nl=False)
    elif round_result.arcs is None:
        say(*round_result.conclusion())
    else:
        click.echo(result_table(round_result.event, round_result), nl=False)
    if pair_outcome.step is not None:
        _say_where_written(folder, pair_outcome)
    elif round_result.arcs is not None:
        say("nothing is written yet: without --preview it is")
    ctx.exit(exit_code(round_result))


def _echo_round_robin(folder: str, outcome: Done, form: str) -> None:
    """Write the current round of a round robin to stdout, as a table or as JSON.

    `form` is "table" or "json". Stderr gets where the round was written, if it is a new
    step.
    """
    event = outcome.event
    assert event is not None
    current_round_view = round_view(event, event.current_round)
    if form == "json":
        json_content = {
            **outcome.to_dict(),
            "rounds": event.round - 1,
            "round": event.current_round,
            "matches": [
                [*match_line.players] for match_line in current_round_view.lines
            ],
        }
        click.echo(json_text(json_content), nl=False)
    else:
        click.echo(played_round_table(event, event.current_round), nl=False)
    if outcome.step is not None:
        _say_where_written(folder, outcome)


def _preview_step(preview: Any) -> Done:
    """Return the preview of a round, or of a re-pairing, as the outcome of a command.

    Its messages are the question and the changes; its step number is None, because
    nothing is written.
    """
    table_changes = getattr(preview, "changes", None)
    round_question = preview.question if table_changes else preview.result.question
    step_notes = [round_question] if round_question else []
    if table_changes:
        mode_breach = preview.breach
        if mode_breach:
            step_notes += [message("mode.asks"), mode_breach.said]
        step_notes += table_changes.lines()
    return Done(
        "pair",
        tuple(step_notes),
        None,
        None,
        preview.result,
        None,
        preview.ways,
        table_changes,
    )


def _pairing_to_json(outcome: Done, result: Result) -> dict[str, Any]:
    """Return a pairing for JSON, with messages, changed tables and remedies.

    `result` is the pairing in `outcome`. The keys "changes" and "ways" are missing if
    there are none.
    """
    json_content = {
        **result.to_dict(),
        "stated": result.stated().to_dict(),
        "said": [note.to_dict() for note in outcome.said],
    }
    if outcome.changes is not None:
        json_content["changes"] = outcome.changes.to_dict()
    if outcome.ways:
        json_content["ways"] = [remedy.to_dict() for remedy in outcome.ways]
    return json_content


def _say_where_written(folder: str, outcome: Done) -> None:
    """Write to stderr the folder, the number of the step, and how to undo it.

    `outcome` must have a step.
    """
    undo_command = f"pairopt undo {quote_for_shell(folder)}"
    say(f"written to {folder} (step {outcome.step}; {undo_command} takes it back)")


@click.option(
    "-o",
    "--output",
    type=FILE,
    help="Write the bracket as a page for reading or printing to this file (.html).",
)
@OVERWRITE
def bracket(folder: str, output: str | None, overwrite: bool, **arguments: Any) -> None:
    """Make or show the elimination: as a table on stdout, and as a page in `output`.

    `output` is the path of the page, None for none. Raises UsageError if its folder
    does not exist, or if a file there may not be replaced; `overwrite` allows it.
    `arguments` are those of the command on the folder; messages go to stderr.
    """
    if output is not None:
        from pairopt.report.page import bracket_page, require_page

        require_free([output], (), overwrite)
        require_page(output, overwrite)
    outcome = verbs.bracket(folder, **arguments)
    event = outcome.event
    assert event is not None
    assert outcome.bracket is not None
    bracket_rows = bracket_lines(outcome.bracket, event.called)
    say(*outcome.said)
    click.echo(_format_bracket(bracket_rows), nl=False)
    if outcome.step is not None:
        _say_where_written(folder, outcome)
    if output is not None:
        write_whole(
            output, bracket_page(event.settings.title, bracket_rows, outcome.said)
        )
        say(f"page: written to {output}")


def _format_bracket(lines: Sequence[BracketLine]) -> str:
    """Return the bracket as a table with a row per match.

    A round's title is only in its first row. The cell of the score is "next" for a
    match that can be played now, and empty for a later one.
    """
    match_rows = []
    previous_title = ""
    for bracket_line in lines:
        first_chair, second_chair = bracket_line.chairs
        shown_title = "" if bracket_line.title == previous_title else bracket_line.title
        previous_title = bracket_line.title
        score_text = bracket_line.score or ("next" if bracket_line.open else "")
        match_rows.append(
            [
                shown_title,
                bracket_line.match,
                first_chair.seed,
                first_chair.name,
                score_text,
                second_chair.name,
                second_chair.seed,
            ]
        )
    column_heads = ["round", "match", "seed", "player", "score", "player", "seed"]
    return table_text(column_heads, match_rows, "seed")


def ratings(
    folder: str, apply: bool, sure: bool, player: Sequence[str], **arguments: Any
) -> None:
    """Show old and new values of players, and write the new ones with `apply`.

    `player` are typed names; without any, all players are compared. `sure` confirms an
    unusual change. The table goes to stdout, messages go to stderr. With `renumber`
    among the arguments, only give new pairing numbers.
    """
    if arguments["renumber"]:
        renumbering = verbs.ratings(
            folder,
            list_name=arguments["list"],
            apply=apply,
            players=player,
            renumber=True,
            sure=sure,
        )
        _say_done(folder, renumbering)
        return
    with open_folder(folder) as desk:
        with names_are_typed():
            rating_comparison = verbs.compare_ratings(
                desk, list_name=arguments["list"], players=player
            )
        outcome = None
        written_changes = rating_comparison.choose_changes(is_named=bool(player))
        if apply and rating_comparison.changes:
            list_title = rating_comparison.stored.title
            outcome = verbs.update_ratings(
                desk, written_changes, sure=sure, title=list_title
            )
    change_rows = [
        (
            rating_change.name,
            rating_change.column,
            rating_change.before,
            rating_change.after,
        )
        for rating_change in rating_comparison.changes
    ]
    if change_rows:
        column_heads = ("player", "value", "now", rating_comparison.stored.title)
        click.echo(table_text(column_heads, change_rows), nl=False)
    say(*rating_comparison.describe())
    if outcome is not None:
        _say_done(folder, replace(outcome, said=outcome.said[len(written_changes) :]))
    elif change_rows:
        say(message("rating_list.not_written", count=len(change_rows)))


def _say_done(folder: str, outcome: Done) -> None:
    """Write the messages of an outcome to stderr, and where it was written.

    The last line has the step and how to undo it; it is missing if no step was written.
    """
    say(*outcome.said)
    if outcome.step is not None:
        _say_where_written(folder, outcome)


def mend(folder: str, yes: bool) -> None:
    """Show what recovering a folder would do, ask whether to do it, and do it.

    If there is nothing to recover, it says so and ends. With `yes` it does not ask.
    Without a terminal it cannot ask: it then does nothing, says what to type, and exits
    with code 1, as after the answer no. All lines go to stderr.
    """
    previewed_notes = verbs.preview_mend(folder).said
    say(*previewed_notes)
    if previewed_notes == (NOTHING_TO_RECOVER,):
        return

    # Python has no stdin if it was closed when the program started.
    is_terminal = sys.stdin is not None and sys.stdin.isatty()
    if not yes and not (is_terminal and click.confirm("Do it?", err=True)):
        mend_command = f"pairopt mend {quote_for_shell(folder)} --yes"
        say(f"nothing is done yet: {mend_command} does it")
        click.get_current_context().exit(1)
    mend_notes = verbs.mend(folder).said
    if mend_notes == previewed_notes:
        say(message("mend.done"))
    else:
        say(*mend_notes)
