"""The commands that read an event or a model, and pair nothing: convert, standings, models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pairopt.bounds import MOST_PLAYERS, MOST_ROUNDS
from pairopt.event.tie_breaks import CHESS, SCHEDULE
from pairopt.files.formats import FORMATS, write_event, writers
from pairopt.files.read import read_event
from pairopt.problem.model import Model, load_model, model_names
from pairopt.show.cli.answers import Answer, answering
from pairopt.show.cli.console import echo_notes, say, table_text
from pairopt.show.cli.numbers import Whole
from pairopt.show.cli.options import (
    BY_LOT,
    FILE,
    OVERWRITE,
    Named,
    Output,
    inputs,
    labels_of,
    require_free_outputs,
)
from pairopt.show.shown import standings_of

if TYPE_CHECKING:
    from pairopt.round.described import Described


@click.command()
@click.argument("given", metavar="IN", type=Named())  # a file, or an event folder
@click.argument("output", metavar="OUT", type=Output())
@click.option("--players", type=FILE, help="players.csv that belongs to IN.")
@click.option("--players-out", type=Output(),
              help="Where players.csv goes. Default: OUT-players.csv.")  # fmt: skip
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option("--relax", multiple=True, type=click.Choice(["history"]),
              help="history: take standings with scores but without opponents.")  # fmt: skip
@click.option("--format", "form", metavar=f"[{'|'.join(writers(FORMATS.shipped))}]",
              help="Default: by the suffix of OUT.")  # fmt: skip
@OVERWRITE
@click.pass_context
def convert(
    ctx: click.Context, /, given: str, output: str, players_out: str | None, sides: str | None,
    form: str | None, overwrite: bool, **how: Any,
) -> None:  # fmt: skip
    """Write the event IN, of any format that is read or an event folder, to OUT. matches.csv gets a
    players.csv beside it where that is needed. What a file says besides players and results (its
    name, place, dates, cut) goes into a file of the same format again; what OUT cannot hold is
    named."""
    require_free_outputs(ctx, overwrite)
    labels = None if sides is None else [label.strip() for label in sides.split(",")]
    event = read_event(given, sides=labels, **how)
    written = write_event(event, output, players=players_out, form=form)
    echo_notes([*event.notes, *written.notes])
    for file in written.files:
        say(f"written to {file}")


@click.command()
@inputs
@click.option("--round", type=Whole(1, MOST_ROUNDS + 1), metavar="N", help="As before round N.")
@click.option("--sides", metavar="A,B", help="Labels of the first and the second side.")
@click.option("--tie-breaks", metavar="A,B,...",
              help="What ranks players with equal points, in this order: names, or FIDE's codes "
              f"with modifiers. Default: the event's, else {','.join(CHESS)} in chess and "
              f"{','.join(SCHEDULE)} in other games.")  # fmt: skip
@click.option("--cut", type=Whole(1, MOST_PLAYERS), metavar="N",
              help="Only the best N of those still active: the elimination's seeds.")  # fmt: skip
@BY_LOT
@answering("table", "csv", "json", by_name=False)
def standings(
    event: str, players: str | None, round: int | None, sides: str | None, tie_breaks: str | None,
    cut: int | None, by_lot: bool, seed: int | None,
) -> Answer:  # fmt: skip
    """The standings of EVENT: points, tie-breaks, side bias and who has dropped. Equal players
    share a rank. In the middle of a round the results so far count."""
    given = read_event(event, players, round=round, sides=labels_of(sides), unfinished=True)
    echo_notes(given.notes)
    named = None if tie_breaks is None else [each for each in labels_of(tie_breaks) or [] if each]
    found = standings_of(given, named, cut, given.settings.seeded(seed) if by_lot else None)
    echo_notes(found.notes)
    names, heads, rows = found.columns, found.heads, found.rows
    lines = [{"player": player, **dict(zip(names, row, strict=True))}
             for player, row in zip(found.players, rows, strict=True)]  # fmt: skip
    return Answer(text=lambda: table_text(heads, rows, ",".join([heads[0], *heads[2:-2]])),
                  content=lambda: {"round": given.round, "standings": lines},
                  table=lambda: (names, rows), what=None)  # fmt: skip


@click.command()
@click.argument("name", required=False)
def models(name: str | None) -> None:
    """List the models, or show one (by NAME, or a .toml file) in plain words."""
    if name is not None:
        click.echo(in_words(load_model(name)))
        return
    every = [load_model(each) for each in model_names()]
    width = max(len(model.name) for model in every)
    for model in every:
        click.echo(f"{model.name:{width}}  {model.title}")


def in_words(model: Model) -> str:
    """A model in plain words: where it comes from, constraints, criteria, last round."""
    from pairopt.round.described import described

    words = described(model)
    lines = [f"{model.name}: {model.title}", *[f"Source: {model.source}"] * bool(model.source)]
    lines += ["", *_rules(words)]
    if words.last_round is not None:
        lines += ["", "In the last round (--last-round):", "", *_rules(words.last_round)]
    return "\n".join(lines)


def _rules(words: Described) -> list[str]:
    never = [f"  - {sentence}" for sentence in words.never]
    order = [f"  {k}. {sentence}" for k, sentence in enumerate(words.order, 1)]
    return [str(words.head), *never, str(words.how), *order]
