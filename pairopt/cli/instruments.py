"""`pairopt frontier` and `incentive`."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pairopt.analysis import agreements, frontier_slopes
from pairopt.analysis import frontier as compromises
from pairopt.analysis import incentive as opponents
from pairopt.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.cli.console import echo_notes, say, table_text
from pairopt.cli.options import (
    INPUTS,
    CommandOutput,
    DecimalRange,
    File,
    NonEmptyPath,
    OutputPath,
    answering,
    bounded,
)
from pairopt.cli.round_options import MODEL, read, round_options
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
    type=OutputPath(".png", ".svg"),
    metavar="NAME",
    help="Draw what more of A saves of B, as NAME.png and NAME.svg.",
)


@click.command()
@round_options(inputs=(EVENTS, *INPUTS[1:], MODEL))
@click.option(
    "--over",
    required=True,
    metavar="A,B[,C]",
    help="Criteria of the model, or single levels as side_difference:2.",
)
@click.option("--all", "every", is_flag=True, help="Every round of each event.")
@answering("table", "csv", "json", more=[FIGURE])
def frontier(
    events: tuple[str, ...],
    players: str | None,
    over: str,
    every: bool,
    figure: str | None,
    **options: Any,
) -> CommandOutput:
    """What two or three criteria of a model cost each other in the next round of each EVENT.

    All Pareto-optimal totals, each proven: less of one is had only with more of another. The
    levels above the first of the criteria are held at their optimum. Of several rounds the mean
    price is shown too. Exit code 1: a round has no pairing; 4: stopped by the time limit, which
    each round has for itself.
    """
    if players is not None and len(events) > 1:
        raise UsageError("--players belongs to one event")
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")
    axes = [name.strip() for name in over.split(",")]
    if figure is not None:  # better before the solves than after them
        if len(axes) != 2:
            raise UsageError("a figure is of two criteria")
        new_axes()
    found = [
        one
        for event in events
        for one in _of_event(event, players, axes, every, options)
    ]
    complete = all(one.complete for one in found)
    impossible = any(one.status == "infeasible" for one in found)
    names = [axis.name for axis in found[0].axes]
    return CommandOutput(
        text=lambda: _frontiers(found, names),
        content=lambda: {
            "instrument": "frontier",
            "rounds": [one.to_dict() for one in found],
        },
        table=lambda: (
            [*frontier_slopes.COLUMNS, *names],
            chain(*map(frontier_slopes.frontier_rows, found)),
        ),
        files=_drawn(found, figure) if figure is not None else (),
        code=EXIT_INFEASIBLE if impossible else 0 if complete else EXIT_UNPROVEN,
    )


def _of_event(
    event: str,
    players: str | None,
    axes: list[str],
    every: bool,
    options: dict[str, Any],
) -> Iterator[compromises.Frontier]:
    given, options = read(event, players, options, unfinished=every, noted=not every)
    found = (compromises.frontiers if every else compromises.frontier)(
        given, axes, **options
    )
    for one in [found] if isinstance(found, compromises.Frontier) else found:
        before = f"round {one.round}: " if every else ""
        echo_notes(one.notes, given.notes, before)
        for conflict in one.conflicts:
            say(before + TERMINAL.format_message(conflict))
        yield one


def _drawn(found: list[compromises.Frontier], name: str) -> list[File]:
    """The figure, by its files; nothing where there is none, which is said."""
    try:
        drawn = images(
            frontier_slopes.price_curve(frontier_slopes.table_of(found)), Path(name)
        )
    except UsageError as error:
        say(f"{name}: left out, {error}")
        return []
    return [(str(path), "", content) for path, content in drawn.items()]


def _frontiers(found: list[compromises.Frontier], axes: list[str]) -> str:
    several = len(dict.fromkeys(one.event for one in found)) > 1
    parts = [_of_round(one, one.event if several else "") for one in found]
    if len(found) > 1 and len(axes) == 2 and any(one.complete for one in found):
        parts.append(
            _prices(frontier_slopes.prices(frontier_slopes.table_of(found)), *axes)
        )
    return "\n".join(parts)


def _of_round(one: compromises.Frontier, event: str) -> str:
    axes, point = (
        [axis.name for axis in one.axes],
        frontier_slopes.COLUMNS.index("point"),
    )
    where = f"{escape_hidden(event)}, round" if event else "Round"
    lines = [
        f"{where} {one.round}, model {escape_hidden(one.model)}: {escape_hidden(one.said)}.",
        "",
    ]
    known = (row[point:] for row in frontier_slopes.frontier_rows(one))
    rows = [
        [number or "", *totals, "model" if own else ""]
        for number, own, *totals in known
        if number or own
    ]
    if rows:
        lines.append(table_text(["", *axes, "of"], rows, ",".join(["", *axes])))
    return "\n".join([*lines, STATUS_TEXTS[one.status], ""])


def _prices(table: "pd.DataFrame", one: str, two: str) -> str:
    heads = [f"{one} more than needed", f"{two} at least", "saved", "rounds helped"]
    rows = [
        [f"{r.more:g}", f"{r.least:.3f}", f"{r.saved:.3f}", f"{r.helped} of {r.rounds}"]
        for r in table.itertuples()
    ]
    return (
        f"Prices, the mean of all rounds\n\n{table_text(heads, rows, ','.join(heads))}"
    )


COMMANDLINE = ParameterSource.COMMANDLINE
OF_THE_CUT = ("rounds", "samples", "world", "draws")
OF_OPPONENTS = ("by", "bye_counts", "verify")
CALLED = {"two_for_one": "2-for-1", "intentional_draw": "intentional draw"}


@click.command()
@round_options()
@click.option(
    "--by",
    type=click.Choice(["rating", "score"]),
    help="What makes an opponent weaker. Default: the rating where all have one.",
)
@click.option(
    "--bye-counts",
    type=click.Choice(["weakest", "strongest"]),
    default="weakest",
    help="What the bye counts as among opponents.",
)
@click.option("--all", "every", is_flag=True, help="The results of every round.")
@click.option(
    "--verify",
    is_flag=True,
    help="Force each pair, and see with both exact engines whether it is optimal.",
)
@click.option(
    "--cut",
    type=bounded("players"),
    metavar="N",
    help="Instead: whether two players of the round to play both gain, for a "
    "cut to N, by a 2-for-1 or an intentional draw.",
)
@click.option(
    "--rounds",
    type=bounded("rounds"),
    metavar="N",
    help="With --cut: rounds before it. Default: as the event says.",
)
@click.option(
    "--samples",
    type=bounded("samples"),
    metavar="N",
    help="With --cut: continuations drawn for each result of a table, where "
    "they cannot be listed. Default: 4,000 of the last round, 200 before "
    "it.",
)
@click.option(
    "--world",
    metavar="NAME[=VALUE]",
    help="With --cut: how games end between players of their ratings, as in "
    "`pairopt simulate`. Default: even chances.",
)
@click.option(
    "--draws",
    type=DecimalRange(0, 1),
    metavar="P",
    help="With --cut: the probability of a draw between equals. Default: 0.",
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
    """Whether losing a match of the last round of EVENT helps in the next one.

    Each result is exchanged, the others staying as they are, and all possible next opponents of
    both players are found, over all optimal pairings. A worse result helps certainly, possibly or
    never to a weaker opponent. Exit code 1: after some result there is no pairing; 4: stopped by
    the time limit, which each round has for itself.

    With --cut it is about the round to play: the chance of the cut after each result of a table,
    and whether both players gain if whoever loses the first game concedes the second, or if they
    draw without a game. Exact where all that is left can be listed, else with 95 % intervals.
    """
    asked = OF_OPPONENTS if cut else OF_THE_CUT
    given_too = [
        name for name in asked if ctx.get_parameter_source(name) is COMMANDLINE
    ]
    if given_too or (cut and every):
        named_too = "--" + (given_too[0].replace("_", "-") if given_too else "all")
        raise UsageError(f"{named_too} is of no use with{'' if cut else 'out'} --cut")
    own = {name: options.pop(name) for name in OF_THE_CUT}
    if cut is not None:
        for name in OF_OPPONENTS:
            del options[name]
        return _before_a_cut(event, players, cut, own, options)
    if every and options["round"]:
        raise UsageError("--all takes every round: leave out --round")
    given, options = read(event, players, options, unfinished=every)
    made = (opponents.incentives if every else opponents.incentive)(given, **options)
    found = [made] if isinstance(made, opponents.Incentives) else [*made]
    echo_notes(dict.fromkeys(note for one in found for note in one.notes), given.notes)
    complete = all(one.complete for one in found)
    impossible = EXIT_INFEASIBLE if any(one.impossible for one in found) else 0
    return CommandOutput(
        text=lambda: "\n".join(_round(given, one) for one in found),
        content=lambda: {
            "instrument": "incentive",
            "rounds": [one.to_dict() for one in found],
        },
        table=lambda: (opponents.COLUMNS, chain(*map(opponents.prospect_rows, found))),
        what=f"{sum(len(one.prospects) for one in found)} rows",
        after=["stopped at the time limit: what is unknown was not proven"]
        * (not complete),
        code=impossible if complete else EXIT_UNPROVEN,
    )


def _before_a_cut(
    event: str,
    players: str | None,
    cut: int,
    own: dict[str, Any],
    options: dict[str, Any],
) -> CommandOutput:
    options["verify"] = None
    given, options = read(event, players, options, unfinished=True, noted=False)
    del options["verify"]
    law, own["draws"] = own.pop("world"), own["draws"] or 0.0
    results = None if law is None else resolve_name(law, WORLDS, {})
    found = agreements.agreements(given, cut=cut, results=results, **own, **options)
    echo_notes(found.notes, given.notes)
    return CommandOutput(
        text=lambda: _tables(given, found),
        content=lambda: {"instrument": "agreements", **found.to_dict()},
        table=lambda: (agreements.COLUMNS, found.rows()),
        what=f"{len(found.tables)} tables",
        after=["stopped at the time limit: not every table was looked at"]
        * (not found.complete),
        code=0 if found.complete else EXIT_UNPROVEN,
    )


def _tables(event: Event, found: agreements.Agreements) -> str:
    """A line a player: the chance of the cut by result, and what agreements add to it."""
    names = [each.name for each in found.tables[0].scenarios] if found.tables else []
    results = [name for name in names if name not in ("played", *found.names)]
    rows = [
        row for one in found.tables for row in _both(event, one, results, found.names)
    ]
    heads = [
        "table",
        "player",
        *results,
        "played",
        *(CALLED[name] for name in found.names),
        "both gain",
    ]
    drawn = f"From {found.samples} continuations for each result of a table; --format csv has the "
    how = "Exact." if found.exact else f"{drawn}95 % intervals."
    said = []
    for name in found.names:
        count = found.counts(name)
        said.append(
            f"{CALLED[name]}: both gain at {count['yes']} of {len(found.tables)} tables"
            + f", not known at {count['open']}" * bool(count["open"])
        )
    return "\n".join(
        [
            f"Round {found.round} of {found.rounds}, cut to {found.cut}, model {escape_hidden(found.model)}: "
            "the chance of the cut after each result",
            "",
            table_text(heads, rows, ",".join(heads[:1] + heads[2:-1])),
            *said,
            how,
            "",
        ]
    )


def _both(
    event: Event,
    one: agreements.TableCutProbabilities,
    results: list[str],
    agreed: tuple[str, ...],
) -> Iterator[list[object]]:
    """The lines of both players of a table, each result from the player's own side."""
    gain = [CALLED[name] for name in agreed if one.scenario(name).both_gain == "yes"]
    unknown = [
        f"{CALLED[name]}?" for name in agreed if one.scenario(name).both_gain == "open"
    ]
    for k, player in enumerate((one.player1, one.player2)):
        chances = [one.scenario(name).chances[k] for name in results[:: -1 if k else 1]]
        gains = [one.scenario(name).gains for name in agreed]
        yield [
            one.table or "",
            event.called[player],
            *map(_percent, chances),
            _percent(one.scenario("played").chances[k]),
            *(f"{100 * each[k].value:+.1f}" for each in gains if each),
            ", ".join(gain + unknown) or "no",
        ]


def _percent(likely: agreements.CutProbability) -> str:
    """An estimate after a tilde."""
    return f"{'' if likely.exact is not None else '~'}{100 * likely.value:.1f} %"


def _round(event: Event, one: opponents.Incentives) -> str:
    rows = [
        [
            each.table or "",
            event.called[each.player],
            each.result,
            *(_range(each.after[outcome], event.called) for outcome in ("win", "loss")),
            each.helps("win", "loss"),
        ]
        for each in one.prospects
    ]
    heads = ["table", "player", "result", "after a win", "after a loss", "losing helps"]
    counts = one.counts("win", "loss").items()
    said = ", ".join(f"{verdict} {number}" for verdict, number in counts if number)
    lines = [
        f"Results of round {one.round - 1}, opponents by {one.by}, model {escape_hidden(one.model)}",
        "",
        table_text(heads, rows, "table"),
        f"Losing instead of winning helps to a weaker opponent: {said}.",
    ]
    if one.impossible:
        lines.append(
            f"After {one.impossible} results no pairing satisfies the constraints."
        )
    return "\n".join([*lines, ""])


def _range(after: opponents.NextOpponents, names: Mapping[str, str]) -> str:
    """The weakest and the strongest opponent, and how many there are."""
    shown = ["the bye" if name is None else names[name] for name in after.opponents]
    if not after.known:
        return "unknown"
    return (
        f"{shown[0]} to {shown[-1]} ({len(shown)})"
        if len(shown) > 2
        else " or ".join(shown)
    )
