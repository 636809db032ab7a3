"""Define `pairopt draw`: the odds of a cup draw, uniform and by UEFA's mechanism."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from pairopt.analysis.draw_odds import COLUMNS, DrawOdds, draw_odds
from pairopt.cli.console import table_text
from pairopt.cli.exit_codes import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.options import CommandOutput, answering
from pairopt.cli.round_options import read_event_options, round_options
from pairopt.event.event import Event
from pairopt.messages.formatting import escape_hidden

STATUS_TEXTS = {
    "infeasible": "There is no valid draw.",
    "unknown": "Stopped at the time limit: nothing is known.",
}
"""What is printed in the place of the table, by the status."""


@click.command()
@round_options()
@click.option(
    "--player",
    metavar="NAME",
    help="Show only this club, with all possible opponents.",
)
@click.option(
    "--first",
    metavar="POT",
    help="Name of the pot (group of clubs) whose clubs are drawn first. Default: the last pot in alphabetical order, for example pot 2.",
)
@answering("table", "csv", "json")
def draw(
    event: str, players: str | None, player: str | None, **options: Any
) -> CommandOutput:
    """Show the probabilities of a cup draw, uniform and by UEFA's mechanism.

    Examples:
      pairopt draw clubs.csv
      pairopt draw clubs.csv --player Chelsea
      pairopt draw clubs.csv --force Chelsea:Lille     one match is already drawn
      pairopt draw clubs.csv -o odds.csv

    clubs.csv has the columns player, pot, group and federation. Clubs of two pots meet,
    and clubs of the same group or federation never meet. In the uniform lottery, each
    valid draw is equally likely. In UEFA's mechanism, a club of one pot is drawn first,
    and then one of this club's possible opponents. A club is a possible opponent if a
    valid draw remains for the other clubs. All probabilities are exact fractions.

    Exit codes:
      1  there is no valid draw
      4  the time limit was reached
    """
    given_event, options = read_event_options(event, players, options)
    options["model"] = options.get("model") or "draw"
    draw_result = draw_odds(given_event, **options)
    if player is not None:
        identifier = given_event.players[given_event.positions([player])[0]]
        shown_pairs = tuple(
            club_pair
            for club_pair in draw_result.pairs
            if identifier in (club_pair.drawn_first, club_pair.opponent)
        )
        draw_result = replace(draw_result, pairs=shown_pairs)
    code_by_status = {
        "optimal": 0,
        "infeasible": EXIT_INFEASIBLE,
        "unknown": EXIT_UNPROVEN,
    }
    return CommandOutput(
        text=lambda: _format_draw(given_event, draw_result),
        content=lambda: {"instrument": "draw", **draw_result.to_dict()},
        table=lambda: (COLUMNS, draw_result.rows()),
        what=f"{len(draw_result.pairs)} pairs",
        code=code_by_status[draw_result.status],
    )


def _format_draw(event: Event, odds: DrawOdds) -> str:
    """Return a table with both probabilities of each pair, below a heading.

    `odds` has the pairs. Without a valid draw, or without a result in time, there is
    only a sentence.
    """
    heading_line = (
        f"Draw by {escape_hidden(odds.model)}, pot {escape_hidden(odds.pot)} first"
    )
    if odds.status != "optimal":
        return f"{heading_line}: {STATUS_TEXTS[odds.status]}\n"

    pair_rows = [
        [
            escape_hidden(event.called[club_pair.drawn_first]),
            escape_hidden(event.called[club_pair.opponent]),
            str(club_pair.draws),
            _format_percent(club_pair.uniform),
            _format_percent(club_pair.mechanism),
            _format_bias(club_pair.bias),
        ]
        for club_pair in odds.pairs
    ]
    column_heads = ["drawn first", "opponent", "draws", "uniform", "mechanism", "bias"]
    odds_table = table_text(column_heads, pair_rows, "draws,uniform,mechanism,bias")
    count_text = f"{odds.draws:,} valid draws" if odds.draws != 1 else "1 valid draw"
    text_lines = [
        f"{heading_line}: {count_text}",
        "",
        odds_table.rstrip("\n"),
        "",
    ]
    if odds.most_biased is None:
        text_lines.append(
            "The draw is too large for the probabilities of the mechanism."
        )
    else:
        text_lines.append(
            "bias: mechanism minus uniform probability, in percentage points."
        )
    return "\n".join([*text_lines, ""])


def _format_percent(probability: Fraction | None) -> str:
    """Return a probability as a percentage, "" for None."""
    return "" if probability is None else f"{100 * float(probability):.2f} %"


def _format_bias(difference: Fraction | None) -> str:
    """Return a difference of probabilities in percentage points, such as "+1.25".

    It has its sign, and is "" for None.
    """
    return "" if difference is None else f"{100 * float(difference):+.2f}"
