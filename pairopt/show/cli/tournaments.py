"""`pairopt simulate` and `plot`, and the options of tournaments, which `study` has too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pairopt.bounds import MOST_ROUNDS, MOST_SEED, MOST_TRIES
from pairopt.errors import UsageError
from pairopt.files.guard import require_free
from pairopt.files.write import make_folder, write_all
from pairopt.lab import figures, fitted, simulating
from pairopt.lab.contenders import Contender, ContenderLike, contender_of
from pairopt.lab.draw_rate import with_draw_rate
from pairopt.lab.grid import of_text
from pairopt.lab.listed import listed_strengths
from pairopt.lab.own import name_of
from pairopt.lab.plugins import named, plugins
from pairopt.lab.table import read_table
from pairopt.lab.world import MOST_CUT, MOST_ELO, MOST_PLAYERS, MOST_SLOPE, World
from pairopt.lab.worlds import WORLDS
from pairopt.problem.model import Model
from pairopt.show.cli import EXIT_INFEASIBLE
from pairopt.show.cli.console import say
from pairopt.show.cli.numbers import Real, Whole
from pairopt.show.cli.options import FILE, FOLDER, OVERWRITE, stacked

PROBABILITY = Real(0, 1)
POINTS = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")

world_options = stacked([
    click.option("--rounds", type=Whole(1, MOST_ROUNDS), default=7),
    click.option("--level", type=Real(-MOST_ELO, MOST_ELO), default=1500.0,
                 help="Mean of true strength."),
    click.option("--spread", type=Real(0, MOST_ELO), default=200.0,
                 help="Standard deviation of true strength, in Elo points."),
    click.option("--shape", type=click.Choice(["normal", "uniform"]), default="normal",
                 help="Distribution of true strength."),
    click.option("--rating-error", type=Real(0, MOST_ELO), metavar="ELO",
                 help="Players have ratings: their standard deviation about the strength; 0: the "
                 "true strength. Default: nobody is rated."),
    click.option("--unrated", is_flag=True, help="Nobody has a rating, as by default."),
    click.option("--draws", type=PROBABILITY, default=0.03,
                 help="Probability of a draw between equals."),
    click.option("--first-side", type=Real(-MOST_ELO, MOST_ELO), default=0.0,
                 help="Advantage of the first side, in Elo points."),
    click.option("--drops", type=PROBABILITY, default=0.0,
                 help="Probability of leaving after each round."),
    click.option("--drops-by-score", type=Real(-MOST_SLOPE, MOST_SLOPE), default=0.0,
                 metavar="SLOPE",
                 help="The log odds of leaving, for each part of the points more than half."),
    click.option("--late", type=PROBABILITY, default=0.0,
                 help="Probability of entering in the second round."),
    click.option("--absent", type=PROBABILITY, default=0.0,
                 help="Probability of missing a round, without points."),
    click.option("--forfeits", type=PROBABILITY, default=0.0,
                 help="Probability that a match is won without a game."),
    click.option("--acceleration", type=click.Choice(["none", "baku"]), default="none",
                 help="Virtual points of the first rounds, which FIDE's systems reckon with."),
    click.option("--cut", type=Whole(0, MOST_CUT), default=0, metavar="N",
                 help="The first N play an elimination after the rounds."),
    click.option("--double-cut", is_flag=True, help="A double elimination."),
    click.option("--points", default="3,1", metavar="WIN,DRAW"),
    click.option("--sides", default="corp,runner", metavar="A,B",
                 help="Labels of both sides; none for a game without."),
    click.option("--seed", type=Whole(0, MOST_SEED), default=0,
                 help="Of players, results and pairings."),
    click.option("--plugin", "plugins", multiple=True, metavar="MODULE:NAME",
                 help="Code of your own, MODULE or FILE.py: its name may stand for a world, "
                 "model, metric or ranking, or in a model file for a criterion."),
    click.option("--world", metavar="NAME[=VALUE]",
                 help="A world fitted to real events, open-2026 and others: what is said besides "
                 "overrides it. Or how results arise: elo (default), davidson, rao_kupper, "
                 "bradley_terry, matrix=FILE, or a name of your own."),
    click.option("--strengths", type=FILE, help="A CSV file with the true strengths, from which "
                 "each tournament draws its players."),
    click.option("--column", default="rating", metavar="NAME",
                 help="The column of --strengths."),
    click.option("--drift", type=Real(0, MOST_ELO), default=0.0,
                 help="How much form changes from round to round, in Elo points."),
    click.option("--two-games", is_flag=True, help="A match has two games, with sides exchanged."),
    click.option("--draw-rate", type=Real(0, 1, open=True), metavar="P",
                 help="The part of all games that is drawn, in a study under the model that is "
                 "compared with; solved for, instead of --draws."),
])  # fmt: skip
"""What tournaments are drawn from."""
WORLD_NAMES = ("rounds", "level", "spread", "shape", "rating_error", "unrated", "draws",
               "first_side", "drops", "drops_by_score", "late", "absent", "forfeits",
               "acceleration", "cut", "double_cut", "points", "sides", "world", "strengths",
               "column", "drift", "two_games", "draw_rate")  # fmt: skip
CHOOSE = click.option("--choose", type=click.Choice(["any", "uniform"]), default="any",
                      help="uniform: every pairing by lot, each optimal one as likely as any "
                      "other.")  # fmt: skip


def own_of(options: dict[str, Any]) -> Mapping[str, object]:
    """What --plugin names, which is taken out."""
    given = options.pop("plugins")
    return plugins(given) if given else {}


def worlds_of(
    ctx: click.Context,
    players: int,
    options: dict[str, Any],
    own: Mapping[str, object],
    contender: ContenderLike,
) -> tuple[World, ...]:
    """The worlds of these options, which are taken out; with the draws of this contender."""
    settings = of_text(options.pop("grid", ()))
    given = {name: options.pop(name) for name in WORLD_NAMES} | {"players": players}
    rate, law, file = (given.pop(name) for name in ("draw_rate", "world", "strengths"))
    column = given.pop("column")
    base = law if law in fitted.fitted_worlds() else ""
    if base or "base" in settings:  # only what is said overrides what they have
        given = {name: value for name, value in given.items()
                 if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}  # fmt: skip
    if rate is not None and ctx.get_parameter_source("draws") is ParameterSource.COMMANDLINE:
        raise UsageError("--draws is what --draw-rate solves for: give one of them")
    given = _settings(given)
    if law is not None and not base:
        if law.partition("=")[0] not in {*own, *WORLDS} and law not in WORLDS:
            laws, names = ", ".join(WORLDS), ", ".join(fitted.fitted_worlds())
            raise UsageError(f"no world {law!r}; fitted worlds: {names}; results: {laws}")
        given["results"] = named(law, WORLDS, own)
    if file is not None:
        given["strengths"] = listed_strengths(file, column)
    worlds = fitted.worlds_of({**given, "base": base}, settings)
    if rate is None:
        return worlds
    if "draws" in settings:
        raise UsageError("--grid draws: --draw-rate solves for it, give one of them")
    return tuple(with_draw_rate(world, rate, contender) for world in worlds)


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Settings of a world by their names there."""
    if "sides" in given:
        text = given["sides"]
        given["sides"] = () if text == "none" else tuple(part.strip() for part in text.split(","))
        if given.get("first_side") and not given["sides"]:
            raise UsageError("--first-side is of no use with --sides none")
    if given.pop("unrated", False) and given.setdefault("rating_error", None) is not None:
        raise UsageError("--rating-error is of no use with --unrated")
    if "points" in given:
        given["win"], given["draw"] = _points(given.pop("points"))
    if "two_games" in given:
        given["games"] = 1 + given.pop("two_games")
    return given


def say_games(contenders: Iterable[Model | Contender], world: World) -> None:
    """Notes on models that pair, but are not played, as they are meant."""
    for each in contenders:
        if world.acceleration != "none" and getattr(each, "system", None) is None:
            say(f"note: {name_of(each)} knows no virtual points: only FIDE's systems do")
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


@click.command()
@click.option("--model", default="standard", metavar="NAME|FILE")
@click.option("--players", type=Whole(2, MOST_PLAYERS), default=32)
@world_options
@click.option("--replicates", type=Whole(1, MOST_TRIES), default=1,
              help="So many tournaments, each in a folder 1, 2, ... of its own.")  # fmt: skip
@CHOOSE
@click.option("-o", "--output", type=FOLDER, required=True,
              help="The folder for matches.csv and players.csv.")  # fmt: skip
@OVERWRITE
@click.pass_context
def simulate(
    ctx: click.Context,
    /,
    model: str,
    players: int,
    replicates: int,
    output: str,
    overwrite: bool,
    **options: Any,
) -> None:
    """Play a whole tournament with random results, and write it as files that `solve` reads.

    players.csv has the true strengths too. The same seed gives the same files.
    """
    own = own_of(options)
    contender = contender_of(model, own)
    (world,) = worlds_of(ctx, players, options, own, contender)
    say_games([contender], world)
    files: dict[Path, str] = {}
    broken = []
    for k in range(replicates):
        made = simulating.simulate(contender, world, replicate=k, **options)
        folder = Path(output) / str(k + 1) if replicates > 1 else Path(output)
        files |= made.files(folder)
        if not made.complete:
            broken.append(f"{folder}: no pairing of round {made.event.round}")
    require_free(files, (), overwrite)
    for folder in dict.fromkeys(path.parent for path in files):
        make_folder(folder)
    write_all(files)
    for line in broken:
        say(line)
    ctx.exit(EXIT_INFEASIBLE if broken else 0)


@click.command()
@click.argument("results", type=FILE)
@click.option("-o", "--output", type=FOLDER, default=".",
              help="The folder for the figures.")  # fmt: skip
def plot(results: str, output: str) -> None:
    """Draw RESULTS, the table of `pairopt study -o`, as PNG and SVG files.

    Trade-off with the Pareto front, tau by round, side balance, and a heat map of all metrics. Each
    world of a grid has figures of its own, numbered. A figure that the table has no values for is
    left out, and said so.
    """
    drawn, left_out = figures.every(read_table(results), Path(output))
    for line in left_out:
        say(line)
    if not drawn:
        raise UsageError(f"nothing to draw in {results}")
    make_folder(Path(output))
    write_all(drawn)
    for path in drawn:
        click.echo(path)
