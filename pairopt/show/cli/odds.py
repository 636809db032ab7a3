"""`pairopt odds`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.lots.chances import COLUMNS, Odds
from pairopt.round.odds import odds
from pairopt.round.typical import WORDS, Typical, typical, typical_rows
from pairopt.show.cli import EXIT_INFEASIBLE, EXIT_UNPROVEN
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes, table_text
from pairopt.show.cli.options import own_options
from pairopt.show.cli.rounds import read, round_options
from pairopt.show.words import TERMINAL
from pairopt.wording import plain

LIKELIEST = 3  # opponents of each player in the table of all


@click.command()
@round_options()
@own_options("odds")
@answering("table", "csv", "json")
def command(
    event: str, players: str | None, player: str | None, played: str | None, **options: Any
) -> Answer:
    """Who meets whom in the next round of EVENT, and how likely, if the lot decides."""
    if played is not None and (player or options["by"]):
        raise UsageError("--played is of the whole round: leave out --player and --by")
    given, options = read(event, players, options)
    if played is not None:
        return _typical(given, played, options)
    one = None if player is None else given.players[given.positions([player])[0]]
    found = odds(given, **options)
    echo_notes(found.notes, given.notes)
    shown = found if one is None or not found.players else found.only(one)
    return Answer(
        text=lambda: "\n".join([*_lines(given, shown, one), ""]),
        content=lambda: {"instrument": "odds", **shown.to_dict()},
        table=lambda: (COLUMNS, shown.rows()),
        what=f"{len(found.players)} players",
        code={"optimal": 0, "infeasible": EXIT_INFEASIBLE, "unknown": EXIT_UNPROVEN}[found.status],
    )


def _typical(event: Event, played: str, options: dict[str, Any]) -> Answer:
    """How far out a pairing is among those as good as it."""
    del options["by"]
    seen = typical(event, played, **options)
    echo_notes(seen.notes, event.notes)
    unknown = EXIT_INFEASIBLE if seen.lot is None else 0
    return Answer(
        text=lambda: _typical_text(seen),
        content=lambda: {"instrument": "typical", **seen.to_dict()},
        table=lambda: typical_rows(seen),
        what=f"{len(seen.statistics)} sums",
        code=unknown if seen.complete else EXIT_UNPROVEN,
    )


def _typical_text(seen: Typical) -> str:
    head = f"Round {seen.round}, model {plain(seen.model)}: the pairing played, beside the lot"
    if seen.lot is None:
        return f"{head}\n\nNo answer: {plain(seen.reason)}.\n"
    of = {"optimal": "all optimal pairings", "same levels":
          "all pairings with the same values at every level (it is not optimal)"}  # fmt: skip
    rows = [[WORDS[s.name], f"{s.value:g}", f"{s.mean:.6g}", f"{s.low:g} to {s.high:g}",
             f"{s.p:.3g}", f"{s.p_holm:.3g}"] for s in seen.statistics]  # fmt: skip
    heads = ["sum", "played", "mean", "95 % of the lot", "p", "p (Holm)"]
    how = f"From {seen.draws} draws" if seen.draws else "Exact"
    how += "".join(f"; {run.players} players by Markov chains, which is approximate (R-hat "
                   f"{run.r_hat:.3f})" for run in seen.chained)  # fmt: skip
    said = [f"The lot: {of[seen.lot]}.", "",
            table_text(heads, rows, "played,mean,p,p (Holm)").rstrip("\n"), "",
            f"{how}. p is two-sided; p (Holm) is corrected for all sums of the round."]  # fmt: skip
    return "\n".join([head, "", *said, ""])


def _lines(event: Event, found: Odds, player: str | None) -> list[str]:
    head = f"Round {found.round}, model {plain(found.model)}: every optimal pairing equally likely"
    if found.status == "infeasible":
        return [head, "", "No pairing keeps the rules."]
    if found.status == "unknown":
        return [head, "", "Stopped at the time limit: nothing is known."]
    rows = []
    for one in found.players:
        likeliest = one.chances if player is not None else one.chances[:LIKELIEST]
        said = [f"{'the bye' if each.opponent is None else event.called[each.opponent]} "
                f"{each.shown}" for each in likeliest]  # fmt: skip
        said += [f"{len(one.chances) - len(said)} more"] * (len(one.chances) > len(said))
        strength = "" if one.strength is None else f"{float(one.strength):.6g}"
        shares = map(_percent, (one.bye, one.floats_down, one.floats_up, one.first_side))
        rows.append([event.called[one.player], ", ".join(said), *shares, strength])
    side = "first side" if event.sides is None else event.sides[0].capitalize()
    heads = ["player", "opponents", "bye", "down", "up", side, f"their {found.by}"]
    table = table_text(heads, rows, f"bye,down,up,{side},{heads[-1]}")
    return [head, "", table.rstrip("\n"), "", *map(TERMINAL.draw, found.words())]


def _percent(share: Fraction | float | None) -> str:
    return "" if not share else f"{100 * float(share):.3g} %"
