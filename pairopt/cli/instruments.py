"""Define `pairopt frontier` and `incentive`."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pairopt.analysis import agreements, frontier_slopes
from pairopt.analysis import frontier as compromises
from pairopt.analysis import incentive as opponents
from pairopt.cli.console import echo_notes, say, table_text
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import (
    INPUTS,
    CommandOutput,
    DecimalRange,
    File,
    NonEmptyPath,
    OutputFilePath,
    answering,
    bounded,
)
from pairopt.cli.round_options import MODEL, read_event_options, round_options
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.lab.figures import images, new_axes
from pairopt.lab.worlds import WORLDS
from pairopt.messages.formatting import escape_hidden
from pairopt.messages.interfaces import TERMINAL
from pairopt.rules.plugins import resolve_name

if TYPE_CHECKING:
    import pandas as pd

STATUS_TEXTS = {
    "optimal": "Each is proven, and there is no other: less of one is more of another.",
    "feasible": "Stopped at the time limit: each is proven, but there may be others.",
    "unknown": "Stopped at the time limit, before the levels that are held were proven.",
    "infeasible": "No pairing keeps the rules.",
}
"""What `frontier` prints below its totals, by what is proven about them."""
EVENTS = click.argument("events", nargs=-1, required=True, type=NonEmptyPath())
FIGURE = click.option(
    "--figure",
    type=OutputFilePath(".png", ".svg"),
    metavar="NAME",
    help="Draw a figure of how much criterion B improves for each unit by which criterion A gets worse. The files are NAME.png and NAME.svg.",
)


@click.command()
@round_options(inputs=(EVENTS, *INPUTS[1:], MODEL))
@click.option(
    "--over",
    required=True,
    metavar="A,B[,C]",
    help="Two or three criteria of the model, with commas between them. You can also name a single objective level of a criterion, for example side_difference:2.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Compute the trade-off (frontier) in every round of each event.",
)
@answering("table", "csv", "json", more=[FIGURE])
def frontier(
    events: tuple[str, ...],
    players: str | None,
    over: str,
    every: bool,
    figure: str | None,
    **options: Any,
) -> CommandOutput:
    """Show the trade-off between two or three criteria in a round.

    Examples:
      pairopt frontier matches.csv --over rematches,side_difference
      pairopt frontier friday --over rematches,side_difference --all
      pairopt frontier matches.csv --over rematches,side_difference --figure curve

    After --over, name two or three criteria. pairopt computes all Pareto-optimal totals
    of these criteria, and proves that the list is complete. Objective levels with a
    higher priority than these criteria stay at their optimum. For several rounds, the
    output also has the mean price: by how much one criterion gets worse if the other
    one improves.

    Exit codes:
      1  a round has no pairing
      4  a round reached the time limit, which applies to each round separately
    """
    if players is not None and len(events) > 1:
        raise UsageError("--players belongs to one event")
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")
    criterion_names = [criterion_name.strip() for criterion_name in over.split(",")]
    if figure is not None:
        if len(criterion_names) != 2:
            raise UsageError("a figure is of two criteria")
        # This raises if there is no matplotlib, before the long computation.
        new_axes()

    frontiers = [
        round_frontier
        for event in events
        for round_frontier in _compute_frontiers(
            event, players, criterion_names, every, options
        )
    ]
    is_complete = all(round_frontier.complete for round_frontier in frontiers)
    is_infeasible = any(
        round_frontier.status == "infeasible" for round_frontier in frontiers
    )
    exit_status = 0 if is_complete else EXIT_UNPROVEN
    axis_names = [axis.name for axis in frontiers[0].axes]
    return CommandOutput(
        text=lambda: _format_frontiers(frontiers, axis_names),
        content=lambda: {
            "instrument": "frontier",
            "rounds": [round_frontier.to_dict() for round_frontier in frontiers],
        },
        table=lambda: (
            [*frontier_slopes.COLUMNS, *axis_names],
            chain(*map(frontier_slopes.frontier_rows, frontiers)),
        ),
        files=_draw_figure(frontiers, figure) if figure is not None else (),
        code=EXIT_INFEASIBLE if is_infeasible else exit_status,
    )


def _compute_frontiers(
    event_path: str,
    players: str | None,
    axes: list[str],
    all_rounds: bool,
    options: dict[str, Any],
) -> Iterator[compromises.Frontier]:
    """Yield the frontier of an event's next round, or of every round (`all_rounds`).

    `event_path` and `players` are the files. `axes` are the names of the criteria that
    are compared, and `options` those of the round. This also writes to stderr the notes
    of each round, and what makes a round infeasible.
    """
    event, options = read_event_options(
        event_path, players, options, unfinished=all_rounds, noted=not all_rounds
    )
    frontiers: Iterable[compromises.Frontier]
    if all_rounds:
        frontiers = compromises.frontiers(event, axes, **options)
    else:
        frontiers = [compromises.frontier(event, axes, **options)]
    for frontier in frontiers:
        round_prefix = f"round {frontier.round}: " if all_rounds else ""
        echo_notes(frontier.notes, event.notes, round_prefix)
        for conflict_note in frontier.conflicts:
            say(round_prefix + TERMINAL.format_message(conflict_note))
        yield frontier


def _draw_figure(frontiers: list[compromises.Frontier], name: str) -> list[File]:
    """Return the files of the figure as content to write: a PNG and an SVG.

    Each is the path, an empty description, and the bytes. The figure shows the prices
    of one criterion in the other, over all `frontiers`. `name` is the path without a
    suffix. If it cannot be drawn, write the reason to stderr and return no files.
    """
    try:
        price_table = frontier_slopes.table_of(frontiers)
        content_by_path = images(frontier_slopes.price_curve(price_table), Path(name))
    except UsageError as error:
        say(f"{name} is left out. {error}")
        return []
    return [
        (str(figure_path), "", image_bytes)
        for figure_path, image_bytes in content_by_path.items()
    ]


def _format_frontiers(frontiers: list[compromises.Frontier], axes: list[str]) -> str:
    """Return the frontier of each round, and the mean prices of several rounds.

    `axes` are the names of the criteria. Prices need two of them, and a round whose
    frontier is complete. If there are several events, each round has the name of its
    event.
    """
    has_several_events = len({frontier.event for frontier in frontiers}) > 1
    text_parts = [
        _format_frontier(frontier, frontier.event if has_several_events else "")
        for frontier in frontiers
    ]
    is_any_complete = any(frontier.complete for frontier in frontiers)
    if len(frontiers) > 1 and len(axes) == 2 and is_any_complete:
        mean_prices = frontier_slopes.prices(frontier_slopes.table_of(frontiers))
        text_parts.append(_format_prices(mean_prices, *axes))
    return "\n".join(text_parts)


def _format_frontier(frontier: compromises.Frontier, event: str) -> str:
    """Return the Pareto-optimal totals of one round as a table, with what is proven.

    `event` is the name for the heading; "" leaves it out. The totals of the model's own
    pairing are marked "model".
    """
    axis_names = [axis.name for axis in frontier.axes]
    place_text = f"{escape_hidden(event)}, round" if event else "Round"
    model_name = escape_hidden(frontier.model)
    summary_text = escape_hidden(frontier.said)
    text_lines = [
        f"{place_text} {frontier.round}, model {model_name}: {summary_text}.",
        "",
    ]
    first_column_index = frontier_slopes.COLUMNS.index("point")
    total_rows = []
    for frontier_row in frontier_slopes.frontier_rows(frontier):
        point_number, is_of_model, *criterion_totals = frontier_row[first_column_index:]
        if point_number or is_of_model:
            total_rows.append(
                [point_number or "", *criterion_totals, "model" if is_of_model else ""]
            )
    if total_rows:
        text_lines.append(
            table_text(["", *axis_names, "of"], total_rows, ",".join(["", *axis_names]))
        )
    return "\n".join([*text_lines, STATUS_TEXTS[frontier.status], ""])


def _format_prices(prices: "pd.DataFrame", first_axis: str, second_axis: str) -> str:
    """Format how much of the second criterion each amount of the first one saves.

    `prices` has one row per amount, with the columns `more`, `least`, `saved`, `helped`
    and `rounds` of `frontier_slopes.prices`. The axes are the names of the criteria.
    The result is a text table under a heading.
    """
    column_heads = [
        f"{first_axis} more than needed",
        f"{second_axis} at least",
        "saved",
        "rounds helped",
    ]
    price_rows = [
        [
            f"{price_row.more:g}",
            f"{price_row.least:.3f}",
            f"{price_row.saved:.3f}",
            f"{price_row.helped} of {price_row.rounds}",
        ]
        for price_row in prices.itertuples()
    ]
    prices_table = table_text(column_heads, price_rows, ",".join(column_heads))
    return f"Prices, the mean of all rounds\n\n{prices_table}"


COMMANDLINE = ParameterSource.COMMANDLINE
OF_THE_CUT = ("rounds", "samples", "world", "draws")
"""The options of `incentive` that need --cut."""
OF_OPPONENTS = ("by", "bye_counts", "verify")
"""The options of `incentive` that cannot be given with --cut."""
CALLED = {"two_for_one": "2-for-1", "intentional_draw": "intentional draw"}
"""The words for agreements between two players, by the agreement's name."""


@click.command()
@round_options()
@click.option(
    "--by",
    type=click.Choice(["rating", "score"]),
    help="Measure of an opponent's strength. Default: rating if all players have ratings, otherwise score.",
)
@click.option(
    "--bye-counts",
    type=click.Choice(["weakest", "strongest"]),
    default="weakest",
    help="Rank of the bye among opponents: the bye counts as the weakest or as the strongest opponent.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Test the results of every round, not only of the last round.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Check each possible opponent: force the match, and solve with both exact engines.",
)
@click.option(
    "--cut",
    type=bounded("players"),
    metavar="N",
    help="Examine instead whether players gain by agreed results before a top cut (elimination bracket) of the best N players. Do two players both gain from a 2-for-1 (the loser of the first game concedes the second one) or an intentional draw?",
)
@click.option(
    "--rounds",
    type=bounded("rounds"),
    metavar="N",
    help="With --cut: number of rounds before the top cut. Default: the event's number of rounds.",
)
@click.option(
    "--samples",
    type=bounded("samples"),
    metavar="N",
    help="With --cut: number of random continuations of the tournament to simulate for each result of a table, if there are too many continuations to list. Default: 4,000 continuations in the last round, and 200 in earlier rounds.",
)
@click.option(
    "--world",
    metavar="NAME[=VALUE]",
    help="With --cut: model of game results between players with ratings, as in pairopt simulate. Default: equal chances.",
)
@click.option(
    "--draws",
    type=DecimalRange(0, 1),
    metavar="P",
    help="With --cut: probability of a draw between players of equal strength. Default: 0.",
)
@answering("table", "csv", "json")
@click.pass_context
def incentive(
    ctx: click.Context,
    /,
    event: str,
    players: str | None,
    every: bool,
    cut: int | None,
    **options: Any,
) -> CommandOutput:
    """Test whether losing a match helps a player in the next round.

    Examples:
      pairopt incentive matches.csv
      pairopt incentive matches.csv --all            every round
      pairopt incentive matches.csv -o incentive.csv
      pairopt incentive matches.csv --cut 8          agreements before a top cut

    pairopt changes one result of the last round at a time. For each changed result,
    pairopt finds all opponents that the two players could meet next in an optimal
    pairing. For each player, the output says how a worse result leads to a weaker
    opponent: certainly, possibly or never.

    With --cut, pairopt analyses the matches of the current round. For each possible
    result of a match, pairopt computes both players' probabilities of reaching the top
    cut. For each match, pairopt also tests two agreements between the players. In a
    2-for-1, the loser of the first game concedes the second game. In an intentional
    draw, both players draw without a game. If pairopt can list all continuations of the
    tournament, the probabilities of reaching the cut are exact. Otherwise, pairopt
    estimates these probabilities and gives 95% confidence intervals.

    Exit codes:
      1  there is no pairing after some result
      4  a round reached the time limit, which applies to each round separately
    """
    useless_options = OF_OPPONENTS if cut else OF_THE_CUT
    given_useless_options = [
        option_name
        for option_name in useless_options
        if ctx.get_parameter_source(option_name) is COMMANDLINE
    ]
    if given_useless_options or (cut and every):
        option_name = (
            given_useless_options[0].replace("_", "-")
            if given_useless_options
            else "all"
        )
        raise UsageError(
            f"--{option_name} is of no use with{'' if cut else 'out'} --cut"
        )

    cut_options = {option_name: options.pop(option_name) for option_name in OF_THE_CUT}
    if cut is not None:
        for option_name in OF_OPPONENTS:
            del options[option_name]
        return _compute_agreements(event, players, cut, cut_options, options)
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")

    given_event, options = read_event_options(event, players, options, unfinished=every)
    if every:
        round_incentives = [*opponents.incentives(given_event, **options)]
    else:
        round_incentives = [opponents.incentive(given_event, **options)]
    round_notes = [
        note for round_incentive in round_incentives for note in round_incentive.notes
    ]
    echo_notes(dict.fromkeys(round_notes), given_event.notes)
    is_complete = all(round_incentive.complete for round_incentive in round_incentives)
    is_infeasible = any(
        round_incentive.impossible for round_incentive in round_incentives
    )
    exit_status = EXIT_INFEASIBLE if is_infeasible else 0
    closing_lines = []
    if not is_complete:
        exit_status = EXIT_UNPROVEN
        closing_lines = ["stopped at the time limit: what is unknown was not proven"]
    return CommandOutput(
        text=lambda: "\n".join(
            _format_incentives(given_event, round_incentive)
            for round_incentive in round_incentives
        ),
        content=lambda: {
            "instrument": "incentive",
            "rounds": [
                round_incentive.to_dict() for round_incentive in round_incentives
            ],
        },
        table=lambda: (
            opponents.COLUMNS,
            chain(*map(opponents.prospect_rows, round_incentives)),
        ),
        what=f"{sum(len(round_incentive.prospects) for round_incentive in round_incentives)} rows",
        after=closing_lines,
        code=exit_status,
    )


def _compute_agreements(
    event_path: str,
    players: str | None,
    cut: int,
    cut_options: dict[str, Any],
    options: dict[str, Any],
) -> CommandOutput:
    """Compute whether both players of a table gain by an agreement before a top cut.

    `event_path` and `players` are the files, and `cut` is the number of players in the
    top cut. `cut_options` are the values of `OF_THE_CUT`, `options` all others; both
    dicts are changed. This writes the event's notes to stderr. The exit code is 4 if
    the time limit stopped the computation.
    """
    # With this key, reading the options also loads CP-SAT without pandas, which saves
    # time. `agreements` itself has no such option.
    options["verify"] = None
    event, options = read_event_options(
        event_path, players, options, unfinished=True, noted=False
    )
    del options["verify"]

    world_name = cut_options.pop("world")
    cut_options["draws"] = cut_options["draws"] or 0.0
    result_world = None if world_name is None else resolve_name(world_name, WORLDS, {})
    computed_agreements = agreements.agreements(
        event, cut=cut, results=result_world, **cut_options, **options
    )
    echo_notes(computed_agreements.notes, event.notes)
    exit_status = 0
    closing_lines = []
    if not computed_agreements.complete:
        exit_status = EXIT_UNPROVEN
        closing_lines = ["stopped at the time limit: not every table was looked at"]
    return CommandOutput(
        text=lambda: _format_agreements(event, computed_agreements),
        content=lambda: {"instrument": "agreements", **computed_agreements.to_dict()},
        table=lambda: (agreements.COLUMNS, computed_agreements.rows()),
        what=f"{len(computed_agreements.tables)} tables",
        after=closing_lines,
        code=exit_status,
    )


def _format_agreements(event: Event, computed: agreements.Agreements) -> str:
    """Return a table: each player's chance of the cut by result, and with agreements.

    There are two rows for each table of the round, one per player. The lines below
    count the tables at which both players gain by an agreement.
    """
    scenario_names: list[str] = []
    if computed.tables:
        scenario_names = [scenario.name for scenario in computed.tables[0].scenarios]
    result_names = [
        scenario_name
        for scenario_name in scenario_names
        if scenario_name not in ("played", *computed.names)
    ]
    player_rows: list[list[object]] = []
    for table_chances in computed.tables:
        player_rows += _list_player_rows(
            event, table_chances, result_names, computed.names
        )
    agreement_heads = [CALLED[agreement_name] for agreement_name in computed.names]
    column_heads = [
        "table",
        "player",
        *result_names,
        "played",
        *agreement_heads,
        "both gain",
    ]
    right_columns = ",".join(column_heads[:1] + column_heads[2:-1])

    method_sentence = "Exact."
    if not computed.exact:
        method_sentence = (
            f"From {computed.samples} continuations for each result of a table; "
            "--format csv has the 95 % intervals."
        )
    summary_sentences = []
    for agreement_name in computed.names:
        verdict_counts = computed.counts(agreement_name)
        summary_sentence = (
            f"{CALLED[agreement_name]}: both gain at {verdict_counts['yes']} of "
            f"{len(computed.tables)} tables"
        )
        if verdict_counts["open"]:
            summary_sentence += f", not known at {verdict_counts['open']}"
        summary_sentences.append(summary_sentence)
    title_line = (
        f"Round {computed.round} of {computed.rounds}, cut to {computed.cut}, "
        f"model {escape_hidden(computed.model)}: "
        "the chance of the cut after each result"
    )
    return "\n".join(
        [
            title_line,
            "",
            table_text(column_heads, player_rows, right_columns),
            *summary_sentences,
            method_sentence,
            "",
        ]
    )


def _list_player_rows(
    event: Event,
    table: agreements.TableCutProbabilities,
    results: list[str],
    agreement_names: tuple[str, ...],
) -> Iterator[list[object]]:
    """Yield the rows of both players of a table, for the table of agreements.

    `results` are the names of results from the first player's side. Each row has the
    table, the player, and the chances of the cut after each result, in percent, from
    the player's own side. Then come the chance after the match as played, the gain by
    each of `agreement_names`, and which of these make both gain ("?" if that is not
    known, "no" for none).
    """
    verdict_by_agreement = {
        agreement_name: table.scenario(agreement_name).both_gain
        for agreement_name in agreement_names
    }
    gaining_agreements = [
        CALLED[agreement_name]
        for agreement_name, gain_verdict in verdict_by_agreement.items()
        if gain_verdict == "yes"
    ]
    gaining_agreements += [
        f"{CALLED[agreement_name]}?"
        for agreement_name, gain_verdict in verdict_by_agreement.items()
        if gain_verdict == "open"
    ]
    for player_position, player_identifier in enumerate((table.player1, table.player2)):
        # The results are from the first player's side; the second player's are reversed.
        own_results = results[::-1] if player_position else results
        cut_chances = [
            table.scenario(result_name).chances[player_position]
            for result_name in own_results
        ]
        gains_by_agreement = [
            table.scenario(agreement_name).gains for agreement_name in agreement_names
        ]
        yield [
            table.table or "",
            event.called[player_identifier],
            *map(_format_percent, cut_chances),
            _format_percent(table.scenario("played").chances[player_position]),
            *(
                f"{100 * player_gains[player_position].value:+.1f}"
                for player_gains in gains_by_agreement
                if player_gains
            ),
            ", ".join(gaining_agreements) or "no",
        ]


def _format_percent(probability: agreements.CutProbability) -> str:
    """Return a probability in percent, for example "12.5 %".

    An estimate has a tilde before it.
    """
    estimate_sign = "" if probability.exact is not None else "~"
    return f"{estimate_sign}{100 * probability.value:.1f} %"


def _format_incentives(event: Event, incentives: opponents.Incentives) -> str:
    """Return a table of each player's possible next opponents after a win and a loss.

    The last lines count how often losing helps (certainly, possibly or never), and the
    results after which no pairing exists.
    """
    player_rows = []
    for player_prospect in incentives.prospects:
        opponent_ranges = [
            _format_opponents(player_prospect.after[result_name], event.called)
            for result_name in ("win", "loss")
        ]
        player_rows.append(
            [
                player_prospect.table or "",
                event.called[player_prospect.player],
                player_prospect.result,
                *opponent_ranges,
                player_prospect.helps("win", "loss"),
            ]
        )
    column_heads = [
        "table",
        "player",
        "result",
        "after a win",
        "after a loss",
        "losing helps",
    ]
    verdict_counts = incentives.counts("win", "loss").items()
    verdicts_text = ", ".join(
        f"{helps_verdict} {verdict_count}"
        for helps_verdict, verdict_count in verdict_counts
        if verdict_count
    )
    text_lines = [
        f"Results of round {incentives.round - 1}, opponents by {incentives.by}, "
        f"model {escape_hidden(incentives.model)}",
        "",
        table_text(column_heads, player_rows, "table"),
        f"Losing instead of winning helps to a weaker opponent: {verdicts_text}.",
    ]
    if incentives.impossible:
        text_lines.append(
            f"After {incentives.impossible} results no pairing satisfies the constraints."
        )
    return "\n".join([*text_lines, ""])


def _format_opponents(
    opponents_after: opponents.NextOpponents, names: Mapping[str, str]
) -> str:
    """Return the possible next opponents, from the weakest to the strongest.

    `opponents_after` has them as identifiers, and `names` the displayed name by
    identifier. Up to two are named with "or"; of more, only the first, the last and
    their number. It is "unknown" if the time limit stopped the search.
    """
    if not opponents_after.known:
        return "unknown"
    opponent_names = [
        "the bye" if opponent_identifier is None else names[opponent_identifier]
        for opponent_identifier in opponents_after.opponents
    ]
    if len(opponent_names) > 2:
        return f"{opponent_names[0]} to {opponent_names[-1]} ({len(opponent_names)})"
    return " or ".join(opponent_names)
