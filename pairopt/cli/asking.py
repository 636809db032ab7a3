"""`pairopt explain`, `compare` and `odds`: what is asked of a round that is to be paired."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from pairopt.analysis import odds as chances
from pairopt.analysis.chances import COLUMNS, Odds
from pairopt.analysis.typical import WORDS, Typical, typical, typical_rows
from pairopt.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.console import echo_notes, say, table_text
from pairopt.cli.options import FILE, INPUTS, CommandOutput, answering, bounded
from pairopt.cli.round_options import exit_code, pair_of, read, round_options
from pairopt.cli.tables import levels_text
from pairopt.engines.base import EngineOptions
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.files.event_folder import is_folder
from pairopt.messages import AnyMessage, MessageFormatter, message
from pairopt.messages.formatting import escape_hidden, pair_text
from pairopt.messages.interfaces import TERMINAL, TERMINALS
from pairopt.problem.options import CompareOptions
from pairopt.report.views import compared_levels
from pairopt.round import compare_models as models_compared
from pairopt.round import explain as sentences
from pairopt.round.compare_models import Comparison
from pairopt.round.explain import Explanation, describe_reasons
from pairopt.round.result import VERDICTS

DEFAULT = click.core.ParameterSource.DEFAULT
QUESTIONS = ("why", "why_not", "why_bye", "why_float")


@click.command()
@round_options()
@click.option(
    "--why", multiple=True, metavar="A:B", help="Why do they meet? Repeatable."
)
@click.option(
    "--why-not", multiple=True, metavar="A:B", help="Why don't they? Repeatable."
)
@click.option(
    "--why-bye", multiple=True, metavar="A", help="Why the bye, or not? Repeatable."
)
@click.option(
    "--why-float",
    multiple=True,
    metavar="A",
    help="Why somebody with other points? Repeatable.",
)
@click.option(
    "--as-published",
    is_flag=True,
    help="Explain every match of the folder's last round as it was published. "
    "After a re-pairing, a kept table has the reason from when it was "
    "paired.",
)
@click.option(
    "--words",
    type=click.Choice(["spoken", "line", "full"]),
    default="line",
    show_default=True,
    help="To read to somebody, a line, or with all numbers.",
)
@answering("table", "json", output=False)
def explain(
    event: str, players: str | None, words: str, as_published: bool, **options: Any
) -> CommandOutput:
    """Each match of the next round of EVENT in a sentence; and what another pairing would cost. The
    round is that of `solve` with the same options. A question pairs it again with two players
    together or apart, and names the first level that is worse.
    """
    if as_published:
        return _published(event, TERMINALS[words], {"players": players, **options})

    asked_for = any(options[name] for name in QUESTIONS)
    given, options = read(event, players, options)
    for name in ("why", "why_not"):
        option = f"--{name.replace('_', '-')}"
        options[name] = [pair_of(given, text, option) for text in options[name]]
    found = sentences.explain(
        given, **{**options, "why_float": options["why_float"] or None}
    )
    echo_notes(found.result.notes, given.notes)
    for conflict in found.result.conflicts:
        say(conflict)
    return CommandOutput(
        text=lambda: _sentences(found, asked_for, TERMINALS[words]),
        content=found.to_dict,
        code=exit_code(found.result),
    )


def _published(
    event: str, door: MessageFormatter, options: Mapping[str, Any]
) -> CommandOutput:
    """Explain the last round of an event folder as it was published."""
    from pairopt.folder.explaining import published_round, sentences_of
    from pairopt.folder.open_folder import read_folder_state

    context = click.get_current_context()
    given = [name for name in options if context.get_parameter_source(name) != DEFAULT]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise UsageError(
            f"--as-published explains the round as it was paired: leave out {option}"
        )

    desk = read_folder_state(event)
    found = published_round(desk, desk.rounds())
    objective = found.last.check.problem.model.objective
    every = sentences_of(found, EngineOptions(objective))

    def text() -> str:
        lines = [f"Round {found.last.number}, by {found.last.result.model}", ""]
        for sentence, of_repair in every:
            lines.append(_told(door, sentence))
            lines += [f"  {_told(door, said).rstrip('.')}." for said in of_repair]
        return "\n".join([*lines, ""])

    def explanations_as_json() -> dict[str, Any]:
        matches = [
            {
                "said": sentence.to_dict(),
                "of_repair": [said.to_dict() for said in of_repair],
            }
            for sentence, of_repair in every
        ]
        return {"round": found.last.number, "published": matches}

    return CommandOutput(text=text, content=explanations_as_json)


def _sentences(found: Explanation, asked_for: bool, door: MessageFormatter) -> str:
    told, result = partial(_told, door), found.result
    asked = [told(answer.said) for answer in found.answers]
    lines = [f"Round {result.round}, by {result.model}", ""]
    if asked:
        lines += ["You asked:" if asked_for else "Floats:", *asked, ""]
    if found.brackets:
        lines += ["Brackets:", *map(told, found.brackets), ""]
    lines += [told(match.said) for match in found.matches]
    why = [f"{told(said)}." for said in describe_reasons(result, found.reasons)]
    lines += ["", "Given the levels before each:", *why] if why else []
    return "\n".join(
        [
            *lines,
            *[""] * bool(found.matches),
            TERMINAL.format_message(result.verdict),
            "",
        ]
    )


def _told(door: MessageFormatter, said: str | AnyMessage) -> str:
    return f"  {escape_hidden(door.format_message(said))}"


@click.command()
@round_options(CompareOptions, INPUTS)
@click.option(
    "--models", required=True, metavar="A,B,...", help="Shipped models or .toml files."
)
@click.option(
    "--swap",
    is_flag=True,
    help="The first model with each neighbouring pair of criteria exchanged too.",
)
@answering("table", "csv", "json")
def compare(
    event: str, players: str | None, models: str, swap: bool, **options: Any
) -> CommandOutput:
    """Pair the next round of EVENT under several models, and measure each pairing by all of them.

    The table has the levels by models, and the matches that change; csv the levels alone, one
    column a model. Exit code 1: a model has no pairing; 4: one was stopped by the time limit,
    which each model has for itself. Tournaments and folders of events: see `pairopt study`.
    """
    if Path(event).is_dir() and not is_folder(Path(event)):
        raise UsageError("a folder of events is for `pairopt study FOLDER`")
    given, options = read(event, players, options)
    names = [name.strip() for name in models.split(",")]
    found = models_compared.compare(given, names, swap=swap, **options)
    echo_notes(
        dict.fromkeys(n for each in found.results for n in each.notes), given.notes
    )
    codes = {exit_code(result) for result in found.results} - {0}
    return CommandOutput(
        text=lambda: _comparison_text(found),
        content=found.to_dict,
        table=found.table,
        what=f"round {found.round}",
        code=min(codes, default=0),
    )


def _comparison_text(found: Comparison) -> str:
    names = [escape_hidden(name) for name in found.models]
    levels = compared_levels(found, names, zeros=False)
    lines = [f"Round {found.round}", "", levels_text(levels)]
    if levels.more:
        lines += [levels.more, ""]

    of_first = len(found.results[0].matches)
    each = zip(names, found.results, found.changed, strict=True)
    for place, (name, result, changed) in enumerate(each):
        line = f"{name}: {len(changed)} of {of_first} matches differ."
        if place == 0:
            line = f"{name}: the other models are compared with this one."
        if not result.proven:
            line = f"{line} {TERMINAL.format_message(message(VERDICTS[result.status]))}"
        lines.append(line)
        lines += [f"  {escape_hidden(pair_text(*match))}" for match in changed]
    return "\n".join([*lines, ""])


LIKELIEST = 3  # opponents of each player in the table of all


@click.command()
@round_options()
@click.option(
    "--player", metavar="NAME", help="Only this one, with all who may be met."
)
@click.option(
    "--played",
    type=FILE,
    metavar="PAIRINGS",
    help="Is this pairing of the round typical of the lot?",
)
@click.option(
    "--by",
    type=click.Choice(["rating", "score"]),
    help="Strength of opponents. Default: the rating where all have one.",
)
@click.option(
    "--draws",
    type=bounded("keep"),
    default=2000,
    help="Pairings drawn where a part of the field is too large to be counted.",
)
@answering("table", "csv", "json")
def odds(
    event: str,
    players: str | None,
    player: str | None,
    played: str | None,
    **options: Any,
) -> CommandOutput:
    """Who meets whom in the next round of EVENT, and how likely, if the lot decides.

    Each optimal pairing is taken to be equally likely, as with solve --choose uniform. Exact where
    the pairings can be counted; else estimated from draws, with 95 % intervals. With --played the
    other way round: how far out a pairing, as for `check`, is among those as good as it. Exit code
    1: there is no pairing, or no such lot; 4: stopped by the time limit.
    """
    if played is not None and (player or options["by"]):
        raise UsageError("--played is of the whole round: leave out --player and --by")
    given, options = read(event, players, options)
    if played is not None:
        return _typical(given, played, options)
    one = None if player is None else given.players[given.positions([player])[0]]
    found = chances.odds(given, **options)
    echo_notes(found.notes, given.notes)
    shown = found if one is None or not found.players else found.only(one)
    return CommandOutput(
        text=lambda: "\n".join([*_lines(given, shown, one), ""]),
        content=lambda: {"instrument": "odds", **shown.to_dict()},
        table=lambda: (COLUMNS, shown.rows()),
        what=f"{len(found.players)} players",
        code={"optimal": 0, "infeasible": EXIT_INFEASIBLE, "unknown": EXIT_UNPROVEN}[
            found.status
        ],
    )


def _typical(event: Event, played: str, options: dict[str, Any]) -> CommandOutput:
    del options["by"]
    seen = typical(event, played, **options)
    echo_notes(seen.notes, event.notes)
    unknown = EXIT_INFEASIBLE if seen.lot is None else 0
    return CommandOutput(
        text=lambda: _typical_text(seen),
        content=lambda: {"instrument": "typical", **seen.to_dict()},
        table=lambda: typical_rows(seen),
        what=f"{len(seen.statistics)} sums",
        code=unknown if seen.complete else EXIT_UNPROVEN,
    )


def _typical_text(seen: Typical) -> str:
    head = f"Round {seen.round}, model {escape_hidden(seen.model)}: the pairing played, beside the lot"
    if seen.lot is None:
        return f"{head}\n\nNo answer: {escape_hidden(seen.reason)}.\n"
    of = {
        "optimal": "all optimal pairings",
        "same levels": "all pairings with the same values at every level (it is not optimal)",
    }
    rows = [
        [
            WORDS[s.name],
            f"{s.value:g}",
            f"{s.mean:.6g}",
            f"{s.low:g} to {s.high:g}",
            f"{s.p:.3g}",
            f"{s.p_holm:.3g}",
        ]
        for s in seen.statistics
    ]
    heads = ["sum", "played", "mean", "95 % of the lot", "p", "p (Holm)"]
    how = f"From {seen.draws} draws" if seen.draws else "Exact"
    how += "".join(
        f"; {run.players} players by Markov chains, which is approximate (R-hat "
        f"{run.r_hat:.3f})"
        for run in seen.chained
    )
    said = [
        f"The lot: {of[seen.lot]}.",
        "",
        table_text(heads, rows, "played,mean,p,p (Holm)").rstrip("\n"),
        "",
        f"{how}. p is two-sided; p (Holm) is corrected for all sums of the round.",
    ]
    return "\n".join([head, "", *said, ""])


def _lines(event: Event, found: Odds, player: str | None) -> list[str]:
    head = f"Round {found.round}, model {escape_hidden(found.model)}: every optimal pairing equally likely"
    if found.status == "infeasible":
        return [head, "", "No pairing keeps the rules."]
    if found.status == "unknown":
        return [head, "", "Stopped at the time limit: nothing is known."]
    rows = []
    for one in found.players:
        likeliest = one.chances if player is not None else one.chances[:LIKELIEST]
        said = [
            f"{'the bye' if each.opponent is None else event.called[each.opponent]} "
            f"{each.shown}"
            for each in likeliest
        ]
        said += [f"{len(one.chances) - len(said)} more"] * (
            len(one.chances) > len(said)
        )
        strength = "" if one.strength is None else f"{float(one.strength):.6g}"
        known = one.bye, one.floats_down, one.floats_up, one.first_side
        shares = [f"{100 * float(share):.3g} %" if share else "" for share in known]
        rows.append([event.called[one.player], ", ".join(said), *shares, strength])
    side = "first side" if event.sides is None else event.sides[0].capitalize()
    heads = ["player", "opponents", "bye", "down", "up", side, f"their {found.by}"]
    table = table_text(heads, rows, f"bye,down,up,{side},{heads[-1]}")
    return [
        head,
        "",
        table.rstrip("\n"),
        "",
        *map(TERMINAL.format_message, found.words()),
    ]
