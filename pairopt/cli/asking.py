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
    find_identifier,
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
    "--why",
    multiple=True,
    metavar="A:B",
    help="Explain why these two players meet. Repeatable.",
)
@click.option(
    "--why-not",
    multiple=True,
    metavar="A:B",
    help="Explain why these two players do not meet. Repeatable.",
)
@click.option(
    "--why-bye",
    multiple=True,
    metavar="A",
    help="Explain why this player has the bye, or does not have it. Repeatable.",
)
@click.option(
    "--why-float",
    multiple=True,
    metavar="A",
    help="Explain why this player meets an opponent with other points. Repeatable.",
)
@click.option(
    "--as-published",
    is_flag=True,
    help="Explain the last round of an event folder as it was published. After a re-pairing, a kept table has the explanation from its first pairing.",
)
@click.option(
    "--words",
    type=click.Choice(["spoken", "line", "full"]),
    default="line",
    show_default=True,
    help="Length of the explanations: spoken can be read out, line has one line for each match, full has all numbers.",
)
@answering("table", "json", output=False)
def explain(
    event: str, players: str | None, words: str, as_published: bool, **options: Any
) -> CommandOutput:
    """Explain each match of the next round, and what another pairing would cost.

    Examples:
      pairopt explain matches.csv
      pairopt explain friday --as-published          the last round of an event
      pairopt explain matches.csv --why Ann:Bob      why do they meet?
      pairopt explain matches.csv --why-not Ann:Cid  why don't they meet?
      pairopt explain matches.csv --why-bye Dan

    pairopt explain pairs the round as pairopt solve does with the same options. If you
    ask about two players, pairopt pairs the round again with these players together, or
    apart. The answer names the first level that gets worse.
    """
    if as_published:
        return _explain_published(
            event, TERMINALS[words], {"players": players, **options}
        )

    has_questions = any(options[question_kind] for question_kind in QUESTIONS)
    given_event, options = read_event_options(event, players, options)
    for question_kind in ("why", "why_not"):
        option_name = f"--{question_kind.replace('_', '-')}"
        options[question_kind] = [
            parse_pair(given_event, typed_pair, option_name)
            for typed_pair in options[question_kind]
        ]
    for question_kind in ("why_bye", "why_float"):
        options[question_kind] = [
            find_identifier(given_event, typed_name)
            for typed_name in options[question_kind]
        ]
    options["why_float"] = options["why_float"] or None
    explanation = sentences.explain(given_event, **options)
    echo_notes(explanation.result.notes, given_event.notes)
    for conflict_note in explanation.result.conflicts:
        say(conflict_note)
    return CommandOutput(
        text=lambda: _format_explanation(explanation, has_questions, TERMINALS[words]),
        content=explanation.to_dict,
        code=exit_code(explanation.result),
    )


def _explain_published(
    event: str, formatter: MessageFormatter, options: Mapping[str, Any]
) -> CommandOutput:
    """Explain the last round of an event folder as it was published.

    `formatter` decides the wording of the sentences. `options` are those of the command
    without --as-published and --words. Raises UsageError if one of them was typed,
    because the round is not paired again.
    """
    from pairopt.folder.explaining import (
        explain_published_matches,
        load_published_round,
    )
    from pairopt.folder.open_folder import read_folder_state

    click_context = click.get_current_context()
    given_options = [
        given_option
        for given_option in options
        if click_context.get_parameter_source(given_option) != DEFAULT
    ]
    if given_options:
        option_name = f"--{given_options[0].replace('_', '-')}"
        raise UsageError(
            f"--as-published explains the round as it was paired: leave out {option_name}"
        )

    desk = read_folder_state(event)
    published_round = load_published_round(desk, desk.rounds())
    last_round = published_round.last
    model_objective = last_round.check.problem.model.objective
    explanations = explain_published_matches(
        published_round, EngineOptions(model_objective)
    )

    def text() -> str:
        """Return one line per match for people, below the round's number and model."""
        text_lines = [f"Round {last_round.number}, by {last_round.result.model}", ""]
        for match_passage, repair_notes in explanations:
            text_lines.append(_format_indented(formatter, match_passage))
            text_lines += [
                f"  {_format_indented(formatter, repair_note).rstrip('.')}."
                for repair_note in repair_notes
            ]
        return "\n".join([*text_lines, ""])

    def explanations_as_json() -> dict[str, Any]:
        """Return the number of the round and the explanation of each match, for JSON.

        Explanations of later re-pairings are with their match.
        """
        match_contents = [
            {
                "said": match_passage.to_dict(),
                "of_repair": [repair_note.to_dict() for repair_note in repair_notes],
            }
            for match_passage, repair_notes in explanations
        ]
        return {"round": last_round.number, "published": match_contents}

    return CommandOutput(text=text, content=explanations_as_json)


def _format_explanation(
    explanation: Explanation, has_questions: bool, formatter: MessageFormatter
) -> str:
    """Return the text of an explanation: answers, matches, and reasons of levels.

    With `has_questions` the answers are those that the user asked for, otherwise they
    are about floats. Each match has a sentence, worded by `formatter`. Parts without
    content have no heading. The verdict is the last line.
    """
    format_indented = partial(_format_indented, formatter)
    result = explanation.result
    answer_lines = [
        format_indented(question_answer.said) for question_answer in explanation.answers
    ]
    text_lines = [f"Round {result.round}, by {result.model}", ""]
    if answer_lines:
        answers_heading = "You asked:" if has_questions else "Floats:"
        text_lines += [answers_heading, *answer_lines, ""]
    if explanation.brackets:
        text_lines += ["Brackets:", *map(format_indented, explanation.brackets), ""]
    text_lines += [
        format_indented(explained_match.said) for explained_match in explanation.matches
    ]
    reason_notes = describe_reasons(result, explanation.reasons)
    if reason_notes:
        text_lines += ["", "Given the levels before each:"]
        text_lines += [
            f"{format_indented(reason_note)}." for reason_note in reason_notes
        ]
    if explanation.matches:
        text_lines.append("")
    return "\n".join([*text_lines, TERMINAL.format_message(result.verdict), ""])


def _format_indented(formatter: MessageFormatter, note: str | AnyMessage) -> str:
    """Return a message as text with two blanks before it.

    Characters that could control a terminal are escaped.
    """
    return f"  {escape_hidden(formatter.format_message(note))}"


@click.command()
@round_options(CompareOptions, INPUTS)
@click.option(
    "--models",
    required=True,
    metavar="A,B,...",
    help="Models to compare, with commas between the models. Each model is the name of a shipped model, or a model file (.toml).",
)
@click.option(
    "--swap",
    is_flag=True,
    help="Also compare variants of the first model in which two neighbouring criteria are swapped.",
)
@answering("table", "csv", "json")
def compare(
    event: str, players: str | None, models: str, swap: bool, **options: Any
) -> CommandOutput:
    """Compare the pairings of several models for one round.

    Examples:
      pairopt compare matches.csv --models standard,excalibur
      pairopt compare matches.csv --models standard,own.toml
      pairopt compare matches.csv --models standard --swap
      pairopt compare matches.csv --models standard,cobra -o levels.csv

    pairopt pairs the next round of EVENT once with each model. For each of these
    pairings, pairopt computes the levels of all models. For the pairing of each model,
    the table shows the levels, which are the values of the criteria. The table also
    shows the matches that differ between models. The CSV output has only the levels,
    with one column per model. To compare models over many tournaments, use pairopt
    study.

    Exit codes:
      1  a model has no pairing
      4  a model reached the time limit, which applies to each model separately
    """
    if Path(event).is_dir() and not is_folder(Path(event)):
        raise UsageError("a folder of events is for `pairopt study FOLDER`")
    given_event, options = read_event_options(event, players, options)
    model_names = [model_name.strip() for model_name in models.split(",")]
    model_comparison = models_compared.compare(
        given_event, model_names, swap=swap, **options
    )
    model_notes = [note for result in model_comparison.results for note in result.notes]
    echo_notes(dict.fromkeys(model_notes), given_event.notes)
    failure_codes = {exit_code(result) for result in model_comparison.results} - {0}
    return CommandOutput(
        text=lambda: _format_comparison(model_comparison),
        content=model_comparison.to_dict,
        table=model_comparison.table,
        what=f"round {model_comparison.round}",
        code=min(failure_codes, default=0),
    )


def _format_comparison(comparison: Comparison) -> str:
    """Return the levels by models, and the matches by which each model differs.

    The first model of the `comparison` is the one that all others are compared with.
    Levels of a system that are 0 in all pairings are left out. A model whose pairing is
    not proven gets its verdict after its line.
    """
    shown_names = [escape_hidden(model_name) for model_name in comparison.models]
    levels_view = compared_levels(comparison, shown_names, zeros=False)
    text_lines = [f"Round {comparison.round}", "", levels_text(levels_view)]
    if levels_view.more:
        text_lines += [levels_view.more, ""]

    match_count = len(comparison.results[0].matches)
    compared_models = zip(
        shown_names, comparison.results, comparison.changed, strict=True
    )
    for model_position, (model_name, result, changed_matches) in enumerate(
        compared_models
    ):
        model_line = (
            f"{model_name}: {len(changed_matches)} of {match_count} matches differ."
        )
        if model_position == 0:
            model_line = f"{model_name}: the other models are compared with this one."
        if not result.proven:
            verdict_text = TERMINAL.format_message(message(VERDICTS[result.status]))
            model_line = f"{model_line} {verdict_text}"
        text_lines.append(model_line)
        text_lines += [
            f"  {escape_hidden(pair_text(*changed_match))}"
            for changed_match in changed_matches
        ]
    return "\n".join([*text_lines, ""])


# The number of opponents of each player in the table of all players.
LIKELIEST = 3


@click.command()
@round_options()
@click.option(
    "--player",
    metavar="NAME",
    help="Show only this player, with all possible opponents.",
)
@click.option(
    "--played",
    type=FILE,
    metavar="PAIRINGS",
    help="Test whether the pairing in this file is typical of the optimal pairings.",
)
@click.option(
    "--by",
    type=click.Choice(["rating", "score"]),
    help="Measure of an opponent's strength. Default: rating if all players have ratings, otherwise score.",
)
@click.option(
    "--draws",
    type=bounded("keep"),
    default=2000,
    help="Number of random pairings for the estimate, if there are too many optimal pairings to count.",
)
@answering("table", "csv", "json")
def odds(
    event: str,
    players: str | None,
    player: str | None,
    played: str | None,
    **options: Any,
) -> CommandOutput:
    """Show each player's possible opponents and their probabilities.

    Examples:
      pairopt odds matches.csv
      pairopt odds matches.csv --player Ann
      pairopt odds matches.csv -o odds.csv
      pairopt odds matches.csv --played round.csv    is this pairing typical?

    The probabilities are those of a random draw in which all optimal pairings of the
    next round are equally likely. With --choose uniform, pairopt solve draws a pairing
    in this way. If pairopt can count the optimal pairings, the probabilities are exact.
    Otherwise, pairopt estimates the probabilities, with 95% confidence intervals. With
    --played, pairopt compares a pairing that was played with all equally good pairings,
    and tests how unusual it is.

    Exit codes:
      1  there is no pairing, or there are no equally good pairings to compare with
      4  the time limit was reached
    """
    if played is not None and (player or options["by"]):
        raise UsageError("--played is of the whole round: leave out --player and --by")
    given_event, options = read_event_options(event, players, options)
    if played is not None:
        return _compare_with_draws(given_event, played, options)

    identifier: str | None = None
    if player is not None:
        identifier = find_identifier(given_event, player)
    all_odds = chances.odds(given_event, **options)
    echo_notes(all_odds.notes, given_event.notes)
    selected_odds = all_odds
    if identifier is not None and all_odds.players:
        selected_odds = all_odds.only(identifier)
    code_by_status = {
        "optimal": 0,
        "infeasible": EXIT_INFEASIBLE,
        "unknown": EXIT_UNPROVEN,
    }
    return CommandOutput(
        text=lambda: "\n".join(
            [*_format_odds(given_event, selected_odds, identifier), ""]
        ),
        content=lambda: {"instrument": "odds", **selected_odds.to_dict()},
        table=lambda: (COLUMNS, selected_odds.rows()),
        what=f"{len(all_odds.players)} players",
        code=code_by_status[all_odds.status],
    )


def _compare_with_draws(
    event: Event, played: str, options: dict[str, Any]
) -> CommandOutput:
    """Test whether a pairing is typical of the optimal pairings.

    `played` is the file of the pairing. This removes "by" from `options`, and writes
    the notes to stderr. The exit code is 1 if there is nothing to compare with, 4 if
    the time limit was reached.
    """
    del options["by"]
    typicality_test = typical(event, played, **options)
    echo_notes(typicality_test.notes, event.notes)
    exit_status = EXIT_INFEASIBLE if typicality_test.lot is None else 0
    return CommandOutput(
        text=lambda: _format_typicality(typicality_test),
        content=lambda: {"instrument": "typical", **typicality_test.to_dict()},
        table=lambda: typical_rows(typicality_test),
        what=f"{len(typicality_test.statistics)} sums",
        code=exit_status if typicality_test.complete else EXIT_UNPROVEN,
    )


def _format_typicality(test: Typical) -> str:
    """Return a table of the statistics of a pairing beside those of random pairings.

    `test` has these, and what the pairing is compared with. Below the table is how the
    random pairings were made. If there is nothing to compare with, the reason is
    returned instead.
    """
    model_name = escape_hidden(test.model)
    title_line = (
        f"Round {test.round}, model {model_name}: the pairing played, beside the lot"
    )
    if test.lot is None:
        return f"{title_line}\n\nNo answer: {escape_hidden(test.reason)}.\n"

    population_texts = {
        "optimal": "all optimal pairings",
        "same levels": "all pairings with the same values at every level (it is not optimal)",
    }
    statistic_rows = [
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
    column_heads = ["sum", "played", "mean", "95 % of the lot", "p", "p (Holm)"]
    statistics_table = table_text(
        column_heads, statistic_rows, "played,mean,p,p (Holm)"
    )
    method_sentence = f"From {test.draws} draws" if test.draws else "Exact"
    for chain_run in test.chained:
        method_sentence += (
            f"; {chain_run.players} players by Markov chains, which is approximate (R-hat "
            f"{chain_run.r_hat:.3f})"
        )
    text_lines = [
        title_line,
        "",
        f"The lot: {population_texts[test.lot]}.",
        "",
        statistics_table.rstrip("\n"),
        "",
        f"{method_sentence}. p is two-sided; p (Holm) is corrected for all sums of the round.",
        "",
    ]
    return "\n".join(text_lines)


def _format_odds(event: Event, odds: Odds, identifier: str | None) -> list[str]:
    """Return a table of each player's likely opponents, with a heading and a summary.

    Each player has the LIKELIEST ones. If `identifier` is given, that player has all
    opponents; `odds` are then of this player alone. Without odds the lines say why.
    """
    model_name = escape_hidden(odds.model)
    title_line = (
        f"Round {odds.round}, model {model_name}: every optimal pairing equally likely"
    )
    if odds.status == "infeasible":
        return [title_line, "", "No pairing keeps the rules."]
    if odds.status == "unknown":
        return [title_line, "", "Stopped at the time limit: nothing is known."]

    player_rows = []
    for player_odds in odds.players:
        shown_chances = player_odds.chances
        if identifier is None:
            shown_chances = shown_chances[:LIKELIEST]
        opponent_texts = []
        for opponent_chance in shown_chances:
            opponent_name = "the bye"
            if opponent_chance.opponent is not None:
                opponent_name = event.called[opponent_chance.opponent]
            opponent_texts.append(f"{opponent_name} {opponent_chance.shown}")
        hidden_count = len(player_odds.chances) - len(shown_chances)
        if hidden_count > 0:
            opponent_texts.append(f"{hidden_count} more")
        probabilities = (
            player_odds.bye,
            player_odds.floats_down,
            player_odds.floats_up,
            player_odds.first_side,
        )
        probability_texts = [
            f"{100 * float(probability):.3g} %" if probability else ""
            for probability in probabilities
        ]
        strength_text = (
            "" if player_odds.strength is None else f"{float(player_odds.strength):.6g}"
        )
        player_rows.append(
            [
                event.called[player_odds.player],
                ", ".join(opponent_texts),
                *probability_texts,
                strength_text,
            ]
        )
    first_side_label = (
        "first side" if event.sides is None else event.sides[0].capitalize()
    )
    column_heads = [
        "player",
        "opponents",
        "bye",
        "down",
        "up",
        first_side_label,
        f"their {odds.by}",
    ]
    odds_table = table_text(
        column_heads, player_rows, f"bye,down,up,{first_side_label},{column_heads[-1]}"
    )
    summary_sentences = map(TERMINAL.format_message, odds.words())
    return [title_line, "", odds_table.rstrip("\n"), "", *summary_sentences]
