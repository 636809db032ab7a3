"""`pairopt incentive`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import click
from click.core import ParameterSource

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.lab.instruments.incentive import agreements, incentive
from pairopt.lab.playing.worlds import WORLDS
from pairopt.plugins import named
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes, table_text
from pairopt.show.cli.options import own_options
from pairopt.show.cli.rounds import read, round_options
from pairopt.wording import plain

COMMANDLINE = ParameterSource.COMMANDLINE
OF_THE_CUT = ("rounds", "samples", "world", "draws")
OF_OPPONENTS = ("by", "bye_counts", "verify")
CALLED = {"two_for_one": "2-for-1", "intentional_draw": "intentional draw"}


@click.command()
@round_options()
@own_options("incentive")
@answering("table", "csv", "json")
@click.pass_context
def command(
    ctx: click.Context, /, event: str, players: str | None, every: bool, cut: int | None,
    **options: Any,
) -> Answer:  # fmt: skip
    """Whether losing a match of the last round of EVENT helps in the next one."""
    asked = OF_OPPONENTS if cut else OF_THE_CUT
    given_too = [name for name in asked if ctx.get_parameter_source(name) is COMMANDLINE]
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
    made = (incentive.incentives if every else incentive.incentive)(given, **options)
    found = [made] if isinstance(made, incentive.Incentives) else [*made]
    echo_notes(dict.fromkeys(note for one in found for note in one.notes), given.notes)
    complete = all(one.complete for one in found)
    impossible = EXIT_INFEASIBLE if any(one.impossible for one in found) else 0
    return Answer(
        text=lambda: "\n".join(_round(given, one) for one in found),
        content=lambda: {"instrument": "incentive", "rounds": [one.to_dict() for one in found]},
        table=lambda: (incentive.COLUMNS, chain(*map(incentive.prospect_rows, found))),
        what=f"{sum(len(one.prospects) for one in found)} rows",
        after=["stopped at the time limit: what is unknown was not proven"] * (not complete),
        code=impossible if complete else EXIT_UNPROVEN,
    )


def _before_a_cut(
    event: str, players: str | None, cut: int, own: dict[str, Any], options: dict[str, Any]
) -> Answer:
    """What the results of the round to play mean for a cut."""
    options["verify"] = None
    given, options = read(event, players, options, unfinished=True, noted=False)
    del options["verify"]
    law, own["draws"] = own.pop("world"), own["draws"] or 0.0
    results = None if law is None else named(law, WORLDS, {})
    found = agreements.agreements(given, cut=cut, results=results, **own, **options)
    echo_notes(found.notes, given.notes)
    return Answer(
        text=lambda: _tables(given, found),
        content=lambda: {"instrument": "agreements", **found.to_dict()},
        table=lambda: (agreements.COLUMNS, found.rows()),
        what=f"{len(found.tables)} tables",
        after=["stopped at the time limit: not every table was looked at"] * (not found.complete),
        code=0 if found.complete else EXIT_UNPROVEN,
    )


def _tables(event: Event, found: agreements.Agreements) -> str:
    """A line a player: the chance of the cut by result, and what agreements add to it."""
    names = [each.name for each in found.tables[0].scenarios] if found.tables else []
    results = [name for name in names if name not in ("played", *found.names)]
    rows = [row for one in found.tables for row in _both(event, one, results, found.names)]
    heads = ["table", "player", *results, "played", *(CALLED[name] for name in found.names),
             "both gain"]  # fmt: skip
    drawn = f"From {found.samples} continuations for each result of a table; --format csv has the "
    how = "Exact." if found.exact else f"{drawn}95 % intervals."
    said = []
    for name in found.names:
        count = found.counts(name)
        said.append(f"{CALLED[name]}: both gain at {count['yes']} of {len(found.tables)} tables"
                    + f", not known at {count['open']}" * bool(count["open"]))  # fmt: skip
    return "\n".join([
        f"Round {found.round} of {found.rounds}, cut to {found.cut}, model {plain(found.model)}: "
        "the chance of the cut after each result", "",
        table_text(heads, rows, ",".join(heads[:1] + heads[2:-1])), *said, how, "",
    ])  # fmt: skip


def _both(
    event: Event, one: agreements.TableChances, results: list[str], agreed: tuple[str, ...]
) -> Iterator[list[object]]:
    """The lines of both players of a table, each result from the player's own side."""
    gain = [CALLED[name] for name in agreed if one.scenario(name).both_gain == "yes"]
    unknown = [f"{CALLED[name]}?" for name in agreed if one.scenario(name).both_gain == "open"]
    for k, player in enumerate((one.player1, one.player2)):
        chances = [one.scenario(name).chances[k] for name in results[:: -1 if k else 1]]
        gains = [one.scenario(name).gains for name in agreed]
        yield [
            one.table or "", event.called[player], *map(_percent, chances),
            _percent(one.scenario("played").chances[k]),
            *(f"{100 * each[k].value:+.1f}" for each in gains if each),
            ", ".join(gain + unknown) or "no",
        ]  # fmt: skip


def _percent(likely: agreements.Likely) -> str:
    """An estimate after a tilde."""
    return f"{'' if likely.exact is not None else '~'}{100 * likely.value:.1f} %"


def _round(event: Event, one: incentive.Incentives) -> str:
    """A line a player, and how often a loss instead of a win helps."""
    rows = [[each.table or "", event.called[each.player], each.result,
             *(_range(each.after[outcome], event.called) for outcome in ("win", "loss")),
             each.helps("win", "loss")] for each in one.prospects]  # fmt: skip
    heads = ["table", "player", "result", "after a win", "after a loss", "losing helps"]
    counts = one.counts("win", "loss").items()
    said = ", ".join(f"{verdict} {number}" for verdict, number in counts if number)
    lines = [
        f"Results of round {one.round - 1}, opponents by {one.by}, model {plain(one.model)}", "",
        table_text(heads, rows, "table"),
        f"Losing instead of winning helps to a weaker opponent: {said}.",
    ]  # fmt: skip
    if one.impossible:
        lines.append(f"After {one.impossible} results no pairing satisfies the constraints.")
    return "\n".join([*lines, ""])


def _range(after: incentive.After, names: Mapping[str, str]) -> str:
    """The weakest and the strongest opponent, and how many there are."""
    shown = ["the bye" if name is None else names[name] for name in after.opponents]
    if not after.known:
        return "unknown"
    return f"{shown[0]} to {shown[-1]} ({len(shown)})" if len(shown) > 2 else " or ".join(shown)
