"""Options of `simulate` and `study`: what tournaments are drawn from, how pairings are chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from pairopt.errors import UsageError
from pairopt.show.cli.options import Command, say

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
]  # fmt: skip

WORLD_NAMES = ("rounds", "spread", "shape", "rating_error", "unrated", "draws", "first_side",
               "drops", "late", "points", "sides")  # fmt: skip


CHOOSE = click.option("--choose", type=click.Choice(["any", "uniform"]), default="any",
                      show_default=True, help="uniform: every pairing by lot, each optimal one as "
                      "likely as any other.")  # fmt: skip


def world_options(command: Command) -> Command:
    """The options that say what tournaments are drawn from."""
    return reduce(lambda made, option: option(made), reversed(WORLD_OPTIONS), command)


def world_of(players: int, options: dict[str, Any]) -> World:
    """The world of these options, which are taken out."""
    from pairopt.lab.world import World

    given = {name: options.pop(name) for name in WORLD_NAMES}
    sides, (win, draw) = given.pop("sides"), _points(given.pop("points"))
    labels = () if sides == "none" else tuple(part.strip() for part in sides.split(","))
    if given["first_side"] and not labels:
        raise UsageError("--first-side is of no use with --sides none")
    if given.pop("unrated") and given["rating_error"] is not None:
        raise UsageError("--rating-error is of no use with --unrated")
    return World(players=players, win=win, draw=draw, sides=labels, **given)


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
