"""`pairopt study run`, `check` and `plan`."""

from __future__ import annotations

from pathlib import Path

import click

from pairopt.errors import UsageError
from pairopt.lab.statistics.estimate import scipy_stats
from pairopt.lab.studies.file import read_study
from pairopt.show.cli.console import progress, say
from pairopt.show.cli.options import FILE, FOLDER
from pairopt.wording import plain

JOBS = click.option("--jobs", type=click.IntRange(1, 1024), default=1, help="Processes.")


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
