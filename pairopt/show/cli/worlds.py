"""Options of `simulate` and `study`: what tournaments are drawn from, how pairings are chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pairopt.errors import UsageError
from pairopt.show.cli.options import FILE, Command, say

if TYPE_CHECKING:
    from pairopt.lab.contenders import Contender
    from pairopt.lab.world import World
    from pairopt.problem.model import Model

PROBABILITY = click.FloatRange(0, 1)
POINTS = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")

WORLD_OPTIONS = [
    click.option("--rounds", type=click.IntRange(1), default=7, show_default=True),
    click.option("--spread", type=click.FloatRange(0), default=200.0, show_default=True,
                 help="Standard deviation of true strength, in Elo points."),
    click.option("--shape", type=click.Choice(["normal", "uniform"]), default="normal",
                 show_default=True, help="Distribution of true strength."),
    click.option("--rating-error", type=click.FloatRange(0), metavar="ELO",
                 help="Players have ratings: their standard deviation about the strength; 0: the "
                 "true strength. Default: nobody is rated."),
    click.option("--unrated", is_flag=True, help="Nobody has a rating, as by default."),
    click.option("--draws", type=PROBABILITY, default=0.03, show_default=True,
                 help="Probability of a draw between equals."),
    click.option("--first-side", type=float, default=0.0, show_default=True,
                 help="Advantage of the first side, in Elo points."),
    click.option("--drops", type=PROBABILITY, default=0.0, show_default=True,
                 help="Probability of leaving after each round."),
    click.option("--late", type=PROBABILITY, default=0.0, show_default=True,
                 help="Probability of entering in the second round."),
    click.option("--points", default="3,1", show_default=True, metavar="WIN,DRAW"),
    click.option("--sides", default="corp,runner", show_default=True, metavar="A,B",
                 help="Labels of both sides; none for a game without."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                 help="Of players, results and pairings."),
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

WORLD_NAMES = ("rounds", "spread", "shape", "rating_error", "unrated", "draws", "first_side",
               "drops", "late", "points", "sides", "world", "strengths", "column", "drift",
               "two_games", "draw_rate")  # fmt: skip


CHOOSE = click.option("--choose", type=click.Choice(["any", "uniform"]), default="any",
                      show_default=True, help="uniform: every pairing by lot, each optimal one as "
                      "likely as any other.")  # fmt: skip


def world_options(command: Command) -> Command:
    """The options that say what tournaments are drawn from."""
    return reduce(lambda made, option: option(made), reversed(WORLD_OPTIONS), command)


def own_of(options: dict[str, Any]) -> Mapping[str, object]:
    """What --plugin names, which is taken out."""
    named = options.pop("plugins")
    if not named:
        return {}
    from pairopt.lab.plugins import plugins

    return plugins(named)


def world_of(
    ctx: click.Context, players: int, options: dict[str, Any], own: Mapping[str, object]
) -> World:
    """The world of these options, which are taken out."""
    from pairopt.lab.draw_rate import with_draw_rate
    from pairopt.lab.listed import listed_strengths
    from pairopt.lab.plugins import named
    from pairopt.lab.world import World
    from pairopt.lab.worlds import WORLDS

    given = {name: options.pop(name) for name in WORLD_NAMES}
    rate, law, file = (given.pop(name) for name in ("draw_rate", "world", "strengths"))
    column, sides, points = (given.pop(name) for name in ("column", "sides", "points"))
    if rate is not None and ctx.get_parameter_source("draws") is ParameterSource.COMMANDLINE:
        raise UsageError("--draws is what --draw-rate solves for: give one of them")
    labels = () if sides == "none" else tuple(part.strip() for part in sides.split(","))
    if given["first_side"] and not labels:
        raise UsageError("--first-side is of no use with --sides none")
    if given.pop("unrated") and given["rating_error"] is not None:
        raise UsageError("--rating-error is of no use with --unrated")
    win, draw = _points(points)
    given |= {"win": win, "draw": draw, "sides": labels, "games": 1 + given.pop("two_games")}
    if law is not None:
        given["results"] = named(law, WORLDS, own)
    if file is not None:
        given["strengths"] = listed_strengths(file, column)
    world = World(players=players, **given)
    return world if rate is None else with_draw_rate(world, rate)


def say_games(contenders: Iterable[Model | Contender], world: World) -> None:
    """Notes on models whose matches are of two games without sides, where matches are of one."""
    from pairopt.lab.own import name_of

    for each in contenders:
        games = getattr(each, "games", 1)
        if games > world.games:
            said = f"matches of {games} games where there are no sides"
            say(f"note: {name_of(each)} is for {said}; here every match is one game")


def _points(text: str) -> tuple[Fraction, Fraction]:
    """Points of a win and a draw, as a cell of matches.csv can hold them: 1/3 cannot."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(map(POINTS.fullmatch, parts)):
        raise UsageError(
            f"--points {text}: expected two decimal numbers, such as 3,1 or 1,0.5; "
            "thirds cannot be written as such: multiply both by 3"
        )
    return Fraction(parts[0]), Fraction(parts[1])
