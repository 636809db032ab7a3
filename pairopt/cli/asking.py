"""Define `pairopt explain`, `compare` and `odds`: questions about a round to be paired."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from pairopt.analysis import odds as chances
from pairopt.analysis.chances import COLUMNS, Odds
from pairopt.analysis.typical import WORDS, Typical, typical, typical_rows
from pairopt.cli.console import echo_notes, say, table_text
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import FILE, INPUTS, CommandOutput, answering, bounded
from pairopt.cli.round_options import (
    exit_code,
    parse_pair,
    read_event_options,
    round_options,
)
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
        return _explain_published(
            event, TERMINALS[words], {"players": players, **options}
        )

    has_questions = any(options[name] for name in QUESTIONS)
    given_event, options = read_event_options(event, players, options)
    for name in ("why", "why_not"):
        option = f"--{name.replace('_', '-')}"
        options[name] = [
            parse_pair(given_event, text, option) for text in options[name]
        ]
    options["why_float"] = options["why_float"] or None
    explanation = sentences.explain(given_event, **options)
    echo_notes(explanation.result.notes, given_event.notes)
    for conflict in explanation.result.conflicts:
        say(conflict)
    return CommandOutput(
        text=lambda: _explanation_text(explanation, has_questions, TERMINALS[words]),
        content=explanation.to_dict,
        code=exit_code(explanation.result),
    )


def _explain_published(
    event: str, formatter: MessageFormatter, options: Mapping[str, Any]
) -> CommandOutput:
    """Explain the last round of an event folder as it was published.

    Raises UsageError if there is an option on how the round is paired.
    """
    from pairopt.folder.explaining import (
        explain_published_matches,
        load_published_round,
    )
    from pairopt.folder.open_folder import read_folder_state

    context = click.get_current_context()
    given_options = [
        name for name in options if context.get_parameter_source(name) != DEFAULT
    ]
    if given_options:
        option = f"--{given_options[0].replace('_', '-')}"
        raise UsageError(
            f"--as-published explains the round as it was paired: leave out {option}"
        )

    desk = read_folder_state(event)
    published = load_published_round(desk, desk.rounds())
    last_round = published.last
    objective = last_round.check.problem.model.objective
    explanations = explain_published_matches(published, EngineOptions(objective))

    def text() -> str:
        """Return the explanations as lines, below the number and model of the round."""
        lines = [f"Round {last_round.number}, by {last_round.result.model}", ""]
        for sentence, repair_notes in explanations:
            lines.append(_indented(formatter, sentence))
            lines += [
                f"  {_indented(formatter, note).rstrip('.')}." for note in repair_notes
            ]
        return "\n".join([*lines, ""])

    def explanations_as_json() -> dict[str, Any]:
        """Return the explanations, and those of later re-pairings, for JSON."""
        matches = [
            {
                "said": sentence.to_dict(),
                "of_repair": [note.to_dict() for note in repair_notes],
            }
            for sentence, repair_notes in explanations
        ]
        return {"round": last_round.number, "published": matches}

    return CommandOutput(text=text, content=explanations_as_json)


def _explanation_text(
    explanation: Explanation, has_questions: bool, formatter: MessageFormatter
) -> str:
    """Return the answers, a sentence per match, and the reasons of the levels.

    If the user asked nothing, the answers are about floats. Parts without content have
    no heading.
    """
    indented = partial(_indented, formatter)
    result = explanation.result
    answers = [indented(answer.said) for answer in explanation.answers]
    lines = [f"Round {result.round}, by {result.model}", ""]
    if answers:
        heading = "You asked:" if has_questions else "Floats:"
        lines += [heading, *answers, ""]
    if explanation.brackets:
        lines += ["Brackets:", *map(indented, explanation.brackets), ""]
    lines += [indented(match.said) for match in explanation.matches]
    reasons = describe_reasons(result, explanation.reasons)
    if reasons:
        lines += ["", "Given the levels before each:"]
        lines += [f"{indented(reason)}." for reason in reasons]
    if explanation.matches:
        lines.append("")
    return "\n".join([*lines, TERMINAL.format_message(result.verdict), ""])


def _indented(formatter: MessageFormatter, note: str | AnyMessage) -> str:
    """Return a message as an indented line that cannot control a terminal."""
    return f"  {escape_hidden(formatter.format_message(note))}"


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
    given_event, options = read_event_options(event, players, options)
    names = [name.strip() for name in models.split(",")]
    comparison = models_compared.compare(given_event, names, swap=swap, **options)
    notes = [note for result in comparison.results for note in result.notes]
    echo_notes(dict.fromkeys(notes), given_event.notes)
    failures = {exit_code(result) for result in comparison.results} - {0}
    return CommandOutput(
        text=lambda: _comparison_text(comparison),
        content=comparison.to_dict,
        table=comparison.table,
        what=f"round {comparison.round}",
        code=min(failures, default=0),
    )


def _comparison_text(comparison: Comparison) -> str:
    """Return the levels by models, and the matches by which each model differs.

    All others are compared with the first model. A model whose pairing is not proven
    gets its verdict.
    """
    names = [escape_hidden(name) for name in comparison.models]
    levels = compared_levels(comparison, names, zeros=False)
    lines = [f"Round {comparison.round}", "", levels_text(levels)]
    if levels.more:
        lines += [levels.more, ""]

    match_count = len(comparison.results[0].matches)
    models = zip(names, comparison.results, comparison.changed, strict=True)
    for place, (name, result, changed) in enumerate(models):
        line = f"{name}: {len(changed)} of {match_count} matches differ."
        if place == 0:
            line = f"{name}: the other models are compared with this one."
        if not result.proven:
            verdict = TERMINAL.format_message(message(VERDICTS[result.status]))
            line = f"{line} {verdict}"
        lines.append(line)
        lines += [f"  {escape_hidden(pair_text(*match))}" for match in changed]
    return "\n".join([*lines, ""])


# So many opponents of each player are in the table of all players.
LIKELIEST = 3


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
    given_event, options = read_event_options(event, players, options)
    if played is not None:
        return _compare_with_draws(given_event, played, options)

    identifier: str | None = None
    if player is not None:
        identifier = given_event.players[given_event.positions([player])[0]]
    computed = chances.odds(given_event, **options)
    echo_notes(computed.notes, given_event.notes)
    selected_odds = computed
    if identifier is not None and computed.players:
        selected_odds = computed.only(identifier)
    codes = {"optimal": 0, "infeasible": EXIT_INFEASIBLE, "unknown": EXIT_UNPROVEN}
    return CommandOutput(
        text=lambda: "\n".join(
            [*_odds_lines(given_event, selected_odds, identifier), ""]
        ),
        content=lambda: {"instrument": "odds", **selected_odds.to_dict()},
        table=lambda: (COLUMNS, selected_odds.rows()),
        what=f"{len(computed.players)} players",
        code=codes[computed.status],
    )


def _compare_with_draws(
    event: Event, played: str, options: dict[str, Any]
) -> CommandOutput:
    """Test whether a pairing is typical of the optimal pairings.

    `played` is the file of the pairing. This removes "by" from the options, and writes
    the notes to stderr.
    """
    del options["by"]
    test = typical(event, played, **options)
    echo_notes(test.notes, event.notes)
    code = EXIT_INFEASIBLE if test.lot is None else 0
    return CommandOutput(
        text=lambda: _typical_text(test),
        content=lambda: {"instrument": "typical", **test.to_dict()},
        table=lambda: typical_rows(test),
        what=f"{len(test.statistics)} sums",
        code=code if test.complete else EXIT_UNPROVEN,
    )


def _typical_text(test: Typical) -> str:
    """Return a table of the statistics of the pairing beside those of random pairings.

    If there is nothing to compare with, return the reason instead.
    """
    model = escape_hidden(test.model)
    head = f"Round {test.round}, model {model}: the pairing played, beside the lot"
    if test.lot is None:
        return f"{head}\n\nNo answer: {escape_hidden(test.reason)}.\n"

    populations = {
        "optimal": "all optimal pairings",
        "same levels": "all pairings with the same values at every level (it is not optimal)",
    }
    rows = [
        [
            WORDS[statistic.name],
            f"{statistic.value:g}",
            f"{statistic.mean:.6g}",
            f"{statistic.low:g} to {statistic.high:g}",
            f"{statistic.p:.3g}",
            f"{statistic.p_holm:.3g}",
        ]
        for statistic in test.statistics
    ]
    heads = ["sum", "played", "mean", "95 % of the lot", "p", "p (Holm)"]
    table = table_text(heads, rows, "played,mean,p,p (Holm)")
    method = f"From {test.draws} draws" if test.draws else "Exact"
    for run in test.chained:
        method += (
            f"; {run.players} players by Markov chains, which is approximate (R-hat "
            f"{run.r_hat:.3f})"
        )
    lines = [
        head,
        "",
        f"The lot: {populations[test.lot]}.",
        "",
        table.rstrip("\n"),
        "",
        f"{method}. p is two-sided; p (Holm) is corrected for all sums of the round.",
        "",
    ]
    return "\n".join(lines)


def _odds_lines(event: Event, odds: Odds, identifier: str | None) -> list[str]:
    """Return a table of each player's likely opponents, with a heading and a summary.

    Each player has the LIKELIEST ones. If `identifier` is given, that player has all
    opponents; `odds` are then of this player alone. Without odds the lines say why.
    """
    model = escape_hidden(odds.model)
    head = f"Round {odds.round}, model {model}: every optimal pairing equally likely"
    if odds.status == "infeasible":
        return [head, "", "No pairing keeps the rules."]
    if odds.status == "unknown":
        return [head, "", "Stopped at the time limit: nothing is known."]

    rows = []
    for player in odds.players:
        shown_chances = player.chances
        if identifier is None:
            shown_chances = shown_chances[:LIKELIEST]
        opponents = []
        for chance in shown_chances:
            name = "the bye"
            if chance.opponent is not None:
                name = event.called[chance.opponent]
            opponents.append(f"{name} {chance.shown}")
        hidden_count = len(player.chances) - len(shown_chances)
        if hidden_count > 0:
            opponents.append(f"{hidden_count} more")
        shares = (player.bye, player.floats_down, player.floats_up, player.first_side)
        percents = [f"{100 * float(share):.3g} %" if share else "" for share in shares]
        strength = "" if player.strength is None else f"{float(player.strength):.6g}"
        rows.append(
            [event.called[player.player], ", ".join(opponents), *percents, strength]
        )
    side = "first side" if event.sides is None else event.sides[0].capitalize()
    heads = ["player", "opponents", "bye", "down", "up", side, f"their {odds.by}"]
    table = table_text(heads, rows, f"bye,down,up,{side},{heads[-1]}")
    summary = map(TERMINAL.format_message, odds.words())
    return [head, "", table.rstrip("\n"), "", *summary]
