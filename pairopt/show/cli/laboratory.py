"""Options that open a study: worlds, metrics, rankings and contenders of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from pairopt.errors import UsageError
from pairopt.show.cli.options import FILE, Command

if TYPE_CHECKING:
    from pairopt.lab.world import World

WORLDS = [
    click.option("--plugin", "plugins", multiple=True, metavar="MODULE:NAME",
                 help="Code of your own, MODULE or FILE.py: its name may stand for a world, "
                 "model, metric or ranking, or in a model file for a criterion."),
    click.option("--world", metavar="NAME[=VALUE]",
                 help="How results arise: elo (default), davidson, rao_kupper, bradley_terry, "
                 "matrix=FILE, or a name of your own."),
    click.option("--strengths", type=FILE, help="A CSV file with the true strengths, from which "
                 "each tournament draws its players."),
    click.option("--column", default="rating", show_default=True, metavar="NAME",
                 help="The column of --strengths."),
    click.option("--drift", type=click.FloatRange(0), default=0.0, show_default=True,
                 help="How much form changes from round to round, in Elo points."),
    click.option("--two-games", is_flag=True, help="A match has two games, with sides exchanged."),
    click.option("--draw-rate", type=click.FloatRange(0, 1, max_open=True), metavar="P",
                 help="The part of all games that is drawn; solved for, instead of --draws."),
]  # fmt: skip

STUDIES = [
    click.option("--metrics", metavar="A,B,...",
                 help="Measure more: winner, unique_winner, side_points, strength_gap, "
                 "optimum[=MODEL], or a name of your own."),
    click.option("--rankings", metavar="A,B,...",
                 help="The tau of other final standings: tie-breaks (buchholz+wins), points, "
                 "bradley_terry, least_squares, performance, or a name of your own."),
    click.option("--grid", multiple=True, metavar="NAME=A,B,...",
                 help="Worlds with each of these values: --grid rounds=5,7 --grid draws=0,0.3."),
    click.option("--games", type=FILE, help="All matches, as CSV or .parquet; with -o."),
]  # fmt: skip

WORLD_NAMES = ("world", "strengths", "column", "drift", "two_games", "draw_rate")
STUDY_NAMES = ("metrics", "rankings", "grid", "games")
LAB_NAMES = (*WORLD_NAMES, *STUDY_NAMES)


def lab_world_options(command: Command) -> Command:
    """The options of worlds, besides those of `worlds`."""
    return reduce(lambda made, option: option(made), reversed(WORLDS), command)


def lab_options(command: Command) -> Command:
    """These, and those of studies."""
    return reduce(lambda made, option: option(made), reversed([*WORLDS, *STUDIES]), command)


def own_of(options: dict[str, Any]) -> Mapping[str, object]:
    """What --plugin names, which is taken out."""
    named = options.pop("plugins")
    if not named:
        return {}
    from pairopt.lab.plugins import plugins

    return plugins(named)


def lab_world(world: World, options: dict[str, Any], own: Mapping[str, object]) -> World:
    """The world with what these options say, which are taken out."""
    given = {name: options.pop(name) for name in WORLD_NAMES}
    changed: dict[str, Any] = {"drift": given["drift"], "games": 1 + given["two_games"]}
    if given["world"] is not None:
        from pairopt.lab.plugins import named
        from pairopt.lab.worlds import WORLDS as SHIPPED

        changed["results"] = named(given["world"], SHIPPED, own)
    if given["strengths"] is not None:
        from pairopt.lab.listed import listed_strengths

        changed["strengths"] = listed_strengths(given["strengths"], given["column"])
    made = replace(world, **changed)
    if given["draw_rate"] is None:
        return made
    from pairopt.lab.draw_rate import with_draw_rate

    return with_draw_rate(made, given["draw_rate"])


def lab_study(
    world: World, options: dict[str, Any], own: Mapping[str, object], simulated: bool
) -> dict[str, Any]:
    """What `compare_models` is given of these options, which are taken out."""
    given = {name: options.pop(name) for name in STUDY_NAMES}
    if not simulated:
        return {}
    from pairopt.lab.grid import grid, of_text
    from pairopt.lab.metrics import METRICS
    from pairopt.lab.plugins import named
    from pairopt.lab.rankings import ranking_of

    settings = of_text(given["grid"])
    metrics, rankings = ((given[name] or "").split(",") for name in ("metrics", "rankings"))
    return {
        "world": grid(world, **settings) if settings else world,
        "metrics": [named(each.strip(), METRICS, own) for each in metrics if each.strip()],
        "rankings": [ranking_of(each.strip(), own) for each in rankings if each.strip()],
        "games": given["games"],
    }


def refuse_both(draws_given: bool, options: Mapping[str, Any]) -> None:
    """Raises UsageError for --draws beside --draw-rate."""
    if draws_given and options["draw_rate"] is not None:
        raise UsageError("--draws is what --draw-rate solves for: give one of them")
