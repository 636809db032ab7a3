"""Comparison: models on equal luck, or on the rounds of real events; one tidy table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.model import Model, load_model
from pairopt.round.options import Choose
from pairopt.study import running, tasks
from pairopt.study.precision import half_widths, planned, require_widths
from pairopt.study.table import frame_of, header
from pairopt.study.world import World

if TYPE_CHECKING:
    import pandas as pd

ModelLike = str | Path | Model


def compare_models(
    models: Sequence[ModelLike],
    world: World | None = None,
    *,
    replicates: int = 100,
    seed: int = 0,
    jobs: int = 1,
    scheduler: str | None = None,
    timings: bool = False,
    choose: Choose = "any",
    precision: Mapping[str, float] | None = None,
    baseline: str | None = None,
    most: int = 10_000,
    output: str | Path | None = None,
    watch: running.Watch | None = None,
) -> pd.DataFrame:
    """Play `replicates` whole tournaments under each model, on equal luck.

    Args:
        models: names, paths or models; see also `orderings`.
        world: what the tournaments are drawn from.
        replicates: tournaments a model.
        seed: of everything; the same seed and settings give the same rows.
        jobs: processes on this machine.
        scheduler: address of a Dask scheduler, instead of `jobs`.
        timings: a column `seconds` for the pairing of each round.
        choose: "uniform" draws every pairing by lot among the optimal ones.
        precision: play until no 95 % interval in these metrics has a larger half-width, of a
            difference to the model `baseline` or of the one model's mean: `replicates` first,
            then a quarter more each time, `most` at the most; see `pairopt.study.precision`.
        output: the CSV file; if a run is stopped, the next one goes on where it was.
        watch: told how many parts are done, and how many there are.

    Returns:
        One row a model, replicate and round; the columns are explained in
        `pairopt.study.metrics`. A round without a pairing has only its `status`.
    """
    if replicates < 1:
        raise UsageError("Expected replicates >= 1.")
    chosen = _loaded(models)

    def todo(count: int) -> list[tasks.Task]:
        return tasks.simulated(chosen, world or World(), count, seed, timings, choose)

    def table(path: str | Path | None, count: int, keep: bool = False) -> pd.DataFrame:
        return _table(todo(count), timings, path, jobs, scheduler, watch, keep)

    if not precision:
        return table(output, replicates)
    require_widths(precision, replicates, most)
    with TemporaryDirectory() as folder:
        path = output or Path(folder, "rounds.csv")
        for count in planned(replicates, most):
            frame = table(path, count, keep=True)
            widths = half_widths(frame, precision, baseline)
            if all(widths[name] <= precision[name] for name in precision):
                break
        return table(path, count)


def compare_on_events(
    models: Sequence[ModelLike],
    folder: str | Path,
    *,
    seed: int = 0,
    jobs: int = 1,
    scheduler: str | None = None,
    timings: bool = False,
    choose: Choose = "any",
    output: str | Path | None = None,
    watch: running.Watch | None = None,
) -> pd.DataFrame:
    """Pair every round of each event of a folder again, from the rounds that were played before.

    The rows are those of `compare_models`, with the event's name as `replicate` and without
    what needs true strengths; model "played" is the pairing that was really played. `output` is
    a file outside the folder.
    """
    if output is not None and Path(folder).resolve() in Path(output).resolve().parents:
        raise UsageError(f"{output} is in the folder of events: write to another one")
    chosen = _loaded(models, tasks.PLAYED)
    todo = tasks.repaired(chosen, events_in(Path(folder)), seed, timings, choose)
    return _table(todo, timings, output, jobs, scheduler, watch)


def events_in(folder: Path) -> list[tuple[str, Event]]:
    """The events of a folder: event folders, and files of any format that is read.

    A players.csv beside a matches.csv belongs to it. Raises UsageError where there are none.
    """
    from pairopt.io import read_event
    from pairopt.io.folder import EVENT
    from pairopt.io.formats import suffixes, usual

    homes = {path.parent for path in folder.rglob(EVENT)}
    files = (path for path in folder.rglob("*") if path.suffix.lower() in suffixes()
             and path.name != "players.csv" and homes.isdisjoint(path.parents))  # fmt: skip
    found = []
    for path in sorted([*homes, *files]):
        players = path.parent / "players.csv"
        own = path.name == "matches.csv"
        name = "" if path == folder else path.relative_to(folder).as_posix()
        event = read_event(path, players if own and players.is_file() else None)
        found.append((name or folder.resolve().name, event))
    if not found:
        raise UsageError(f"{folder}: no events, expected {usual()} files")
    return found


def _loaded(models: Sequence[ModelLike], *taken: str) -> list[Model]:
    """The models. Raises UsageError for none, and for a name used twice or already taken."""
    loaded = [load_model(model) for model in models]
    names = [*taken, *(model.name for model in loaded)]
    if not loaded:
        raise UsageError("Expected at least one model.")
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise UsageError(f"two models are called {twice[0]!r}")
    return loaded


def _table(
    todo: Sequence[tasks.Task],
    timings: bool,
    output: str | Path | None,
    jobs: int,
    scheduler: str | None,
    watch: running.Watch | None,
    keep: bool = False,
) -> pd.DataFrame:
    """The table of these tasks, written if it has a file; `keep`: not yet, they are the first."""
    from pairopt.io.write import write_whole

    path = None if output is None else Path(output)
    rows = running.run(todo, path, jobs=jobs, scheduler=scheduler, watch=watch)
    text = header(timings) + rows
    if path is not None and not keep:
        write_whole(path, text)
        running.clear(path)
    return frame_of(text)
