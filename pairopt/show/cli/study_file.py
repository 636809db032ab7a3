"""`pairopt study run`, `check` and `plan`."""

from __future__ import annotations

from pathlib import Path

import click

from pairopt.bounds import MOST_TRIES
from pairopt.errors import UsageError
from pairopt.lab.measuring.statistics.estimate import scipy_stats
from pairopt.lab.studies.file import all_versions, read_study, toml_of
from pairopt.show.cli import EXIT_INFEASIBLE
from pairopt.show.cli.console import progress, say
from pairopt.show.cli.numbers import Real, Whole
from pairopt.show.cli.options import FILE, FOLDER
from pairopt.wording import counted, plain

LEAST, SAMPLE = 5, 20
"""As `power` and `check` have them, which are imported where they are needed."""
JOBS = click.option("--jobs", type=Whole(1, 1024), default=1, help="Processes.")


@click.command()
@click.argument("study", type=FILE)
@click.option("-o", "--output", type=FOLDER,
              help="The folder of the study. Default: beside the file, named as it is.",
              )  # fmt: skip
@JOBS
@click.option("--scheduler", metavar="ADDRESS", help="Run on a Dask cluster instead.")
def run(study: str, output: str | None, jobs: int, scheduler: str | None) -> None:
    """Play what a study.toml says, and write down what came out.

    The folder has the games, tables, figures and a sentence for each hypothesis: shown or not
    shown. A run that was stopped goes on where it was. The same file gives the same bytes.
    """
    from pairopt.lab.studies.folder import SENTENCES, run_study

    scipy_stats()  # better now than after the run
    design = read_study(study)
    folder = Path(output) if output else Path(study).with_suffix("")
    if folder == Path(study):
        raise UsageError(f"{study}: expected a name that ends in .toml, or -o FOLDER")
    with progress() as watch:
        told = run_study(design, folder, jobs=jobs, scheduler=scheduler, watch=watch)
    for each in told:
        click.echo(plain(each.sentence))
    say(f"written to {folder}, the sentences to {folder / SENTENCES}")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--replay", type=Whole(0, MOST_TRIES), default=SAMPLE,
              help="Tournaments to pair again by their models, drawn by lot.")  # fmt: skip
@JOBS
@click.pass_context
def check(ctx: click.Context, folder: str, replay: int, jobs: int) -> None:
    """Whether everything in a study's folder follows from its study.toml and its games.

    Results, standings and levels of every kept tournament are made again from its pairings and
    the seed; some tournaments are paired again; from the games come all tables, sentences and
    figures. Says what does not agree, and then ends with 1. Plug-ins of the study are run.
    """
    from pairopt.lab.studies.check import check_study

    with progress() as watch:
        found = check_study(Path(folder), replay, jobs, watch)
    for note in found.notes:
        say(note)
    for fault in found.faults:
        click.echo(plain(fault))
    if found.faults:
        ctx.exit(EXIT_INFEASIBLE)
    click.echo(
        f"All agrees: {counted(found.tournaments, 'tournament', 'tournaments')} by pairings and "
        f"seeds, {found.replayed} of them paired again, {found.files} files made again."
    )


@click.command()
@click.argument("study", type=FILE)
@click.option("--pilot", type=Whole(LEAST, 100_000), default=40,
              help="Tournaments a model from which the spread is taken.")  # fmt: skip
@click.option("--power", type=Real(0.5, 0.999), default=0.9,
              help="The probability with which a hypothesis that is true is shown.")  # fmt: skip
@click.option("--pin", is_flag=True,
              help="Print the versions and digests to put into the file, and play nothing.",
              )  # fmt: skip
@JOBS
def plan(study: str, pilot: int, power: float, pin: bool, jobs: int) -> None:
    """How many tournaments the hypotheses of a study.toml need, from a pilot.

    The pilot has another seed than the study, and only the spread of the differences is taken from
    it. `near` is reckoned for no difference, the others for the `effect` that the file says.
    """
    from pairopt.lab.studies.power import plan as planned

    scipy_stats()
    design = read_study(study)
    if pin:
        pinned = {"versions": all_versions(), "digests": design.digests}
        click.echo(toml_of(pinned).lstrip(), nl=False)
        return
    if not design.file.hypotheses:
        raise UsageError(f"{study}: no hypotheses to plan for")
    with progress() as watch:
        found = planned(design, pilot, power, jobs, watch)
    for each in found:
        click.echo(each.sentence(power, design.file.replicates))
