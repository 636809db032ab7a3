"""Folder: a study played into tables, figures and sentences, all made from its games."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Unpack

import pandas as pd

from pairopt.errors import UsageError
from pairopt.files.text_source import read_bytes
from pairopt.files.write import json_text, make_folder, write_all
from pairopt.lab import figures
from pairopt.lab.comparison import (
    ExecutionOptions,
    play,
    play_events,
    play_parts,
    run_tasks,
)
from pairopt.lab.metrics import ranges_of
from pairopt.lab.statistics import comparing
from pairopt.lab.studies import game_archive
from pairopt.lab.studies.data_package import DICTIONARY, data_package_json, digests_in
from pairopt.lab.studies.game_archive import (
    GAMES,
    LONG,
    PLAYERS,
    ROUNDS,
    TOURNAMENTS,
    text_of,
)
from pairopt.lab.studies.hypotheses import (
    ASKED,
    ClaimResult,
    confidence_of,
    tell_claims,
)
from pairopt.lab.studies.study_file import (
    NAME,
    StudyDesign,
    all_versions,
    program,
    read_study,
)
from pairopt.lab.table import by_world, concatenate_parts, further
from pairopt.lab.task_cache import TaskCache
from pairopt.lab.tasks import REPLICATES, SimulationTask, simulation_tasks
from pairopt.messages.formatting import escape_hidden

RESULTS, SENTENCES, SUMS = "results.json", "sentences.md", "SHA256SUMS"
MEANS, DIFFERENCES, CLAIMS = "means.csv", "differences.csv", "hypotheses.csv"
TABLES = (TOURNAMENTS, MEANS, DIFFERENCES, CLAIMS)
VECTORS: Final = (".pdf", ".svg")
ROWS: Final = 12  # of a figure, at most
FORMAT: Final = 2
"""The format of results.json. Since format 2, averages that differ by their rounding alone count as
equal in the column `varied`. Folders of format 1 say no format, and stay as they are."""


def run_study(
    design: StudyDesign, folder: Path | None, **how: Unpack[ExecutionOptions]
) -> tuple[pd.DataFrame, list[ClaimResult]]:
    """Play a study, or what is left of it, into its folder: its rounds, and what was found. Raises
    UsageError for a folder of something else: a finished one takes other exploratory claims.
    """
    if folder is None:
        with TemporaryDirectory() as home:
            frame = _rounds_alone(design, _parts(Path(home)), **how)
        return frame, tell_claims(design, frame)
    _begin(design, folder)
    parts = _parts(folder)
    kept = _stored_games(design, folder)
    made_by = results_in(folder).get("program") if kept else None
    form = format_in(results_in(folder)) if kept else FORMAT
    kept = kept or _play_study(design, parts, **how)
    frame = frame_of(design, kept, form)
    told = tell_claims(design, frame)
    made = kept | contents(design, frame, told, made_by, form=form)
    everything = {**made, NAME: design.raw, **design.files}
    described = {**everything, DICTIONARY: data_package_json(design, everything)}
    for name in made:
        make_folder((folder / name).parent)
    written = {**made, DICTIONARY: described[DICTIONARY], SUMS: sums_of(described)}
    write_all({folder / name: raw for name, raw in written.items()})
    parts.remove()
    return frame, told


def _rounds_alone(
    design: StudyDesign, parts: TaskCache, **how: Unpack[ExecutionOptions]
) -> pd.DataFrame:
    file, widths = design.file, dict(design.file.precision)
    if design.events:
        return play_events(design.tasks, parts, **how)
    studies = [replace(study, games=False) for study in design.studies]
    return play(
        studies, parts, file.replicates, widths, design.baseline, file.most, **how
    )


def run_shard(
    design: StudyDesign,
    folder: Path,
    first: int,
    count: int,
    **how: Unpack[ExecutionOptions],
) -> int:
    """Play some tournaments of a study into its folder, for another run that makes it whole: the
    parts of several machines may be copied into one folder before. Says how many.
    """
    most, step = design.file.replicates, REPLICATES
    if (
        design.events
        or design.file.precision
        or first % step
        or not 0 <= first < most
        or (count < 1 or (count % step and first + count != most))
    ):
        raise UsageError("study.shard_unfit", step=step, most=most)
    _begin(design, folder)
    tasks = simulation_tasks(design.studies, most)
    own = [
        task
        for task in tasks
        if isinstance(task, SimulationTask) and first <= task.start < first + count
    ]
    run_tasks(own, _parts(folder), **how)
    return sum(task.stop - task.start for task in own)


def _begin(design: StudyDesign, folder: Path) -> None:
    """Put the question into the folder."""
    _require_ours(design, folder)
    asked = {
        folder / name: raw for name, raw in {**design.files, NAME: design.raw}.items()
    }
    for path in asked:
        make_folder(path.parent)
    write_all(asked)


def _parts(folder: Path) -> TaskCache:
    return TaskCache(folder / "games", archive=False)


def _stored_games(design: StudyDesign, folder: Path) -> dict[str, bytes]:
    """What a finished folder has of what was played; nothing where it is not as it was."""
    names = [ROUNDS] if design.events else [GAMES, PLAYERS, TOURNAMENTS]
    given = digests_in(folder)
    found = {
        name: (folder / name).read_bytes()
        for name in names
        if (folder / name).is_file()
    }
    same = [
        hashlib.sha256(raw).hexdigest() == given.get(name)
        for name, raw in found.items()
    ]
    return found if len(found) == len(names) and all(same) else {}


def _play_study(
    design: StudyDesign, parts: TaskCache, **how: Unpack[ExecutionOptions]
) -> dict[str, bytes]:
    """What is kept of a study, by the names of files; it is played, or what is left of it."""
    file = design.file
    if design.events:
        frame = play_events(design.tasks, parts, **how)
        # categories would depend on the order of the rows
        return {ROUNDS: game_archive.parquet_of(frame.astype({"levels": "str"}))}
    widths = dict(file.precision)
    made = play_parts(
        design.studies,
        parts,
        file.replicates,
        widths,
        design.baseline,
        file.most,
        **how,
    )
    frame = concatenate_parts([each["rounds"] for each in made])
    kept, games = game_archive.fitting(
        game_archive.games_in(made), int(frame["replicate"].max()) + 1
    )
    every = game_archive.tournaments_of(frame, game_archive.rounds_of(design))
    players = game_archive.parquet_of(game_archive.players_of(design, kept))
    return {GAMES: games, PLAYERS: players, TOURNAMENTS: text_of(every)}


def frame_of(
    design: StudyDesign, kept: Mapping[str, bytes], form: int = FORMAT
) -> pd.DataFrame:
    """The rounds of a study from what is kept of it, in a folder of this format. Raises InputError
    for what is not of it.
    """
    if design.events:
        frame = concatenate_parts([game_archive.read_parquet(ROUNDS, kept[ROUNDS])])
    else:
        given = game_archive.read_tournaments(design, kept[TOURNAMENTS])
        frame = game_archive.recompute_published_rounds(
            design, game_archive.read_parquet(GAMES, kept[GAMES]), given
        )
        frame.attrs["ranges"] = ranges_of(design.measured)

    frame.attrs[comparing.AS_WRITTEN] = form == 1
    return frame


def format_in(results: Mapping[str, Any]) -> int:
    """Return the format that results.json states, 1 where it states none."""
    return FORMAT if results.get("format") == FORMAT else 1


def read_rounds(folder: str | Path) -> pd.DataFrame:
    """The rounds of the study in a folder. Plug-ins of the study are run. Raises InputError for a
    folder without one.
    """
    design = read_study(Path(folder) / NAME)
    names = [ROUNDS] if design.events else [GAMES, TOURNAMENTS]
    kept = {name: read_bytes(Path(folder) / name) for name in names}
    return frame_of(design, kept, format_in(results_in(Path(folder))))


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The SHA-256 of each file, as `sha256sum --check` reads them."""
    digests = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    return "".join(f"{digest}  {name}\n" for name, digest in digests.items()).encode()


def contents(
    design: StudyDesign,
    frame: pd.DataFrame,
    told: Sequence[ClaimResult],
    made_by: object = None,
    drawn: bool = True,
    form: int = FORMAT,
) -> dict[str, bytes]:
    """All that is made from the rounds of a study, by the names of files; `made_by` is the program
    that played it, if not this one. `form` is the format of the folder, as for `frame_of`.
    """
    tables = _tables(design, frame, told)
    return {
        **tables,
        LONG: game_archive.long_of(design, tables[TOURNAMENTS]),
        SENTENCES: _sentences(design, frame, told).encode(),
        RESULTS: json_text(_results(design, frame, told, made_by, form)).encode(),
        **(_figures(frame, told) if drawn else {}),
    }


def _tables(
    design: StudyDesign, frame: pd.DataFrame, told: Sequence[ClaimResult]
) -> dict[str, bytes]:
    asked = [each.claim.metric for each in design.asked]
    metrics = list(
        dict.fromkeys([*comparing.METRICS, *further(map(str, frame.columns)), *asked])
    )
    worlds = [rows for _, rows in by_world(frame)]
    per_world = [comparing.per_tournament(rows) for rows in worlds]
    known = [[name for name in metrics if name in own] for own in per_world]
    wanted = {
        (each.world, model, each.claim.metric)
        for each in design.asked
        if each.hypothesis
        for model in (each.claim.model, each.than)
    }

    def marked(number: int, table: pd.DataFrame) -> pd.DataFrame:
        rows = zip(table["model"], table["metric"], strict=True)
        return table.assign(asked=[ASKED[(number, *each) in wanted] for each in rows])

    own = [marked(k, comparing.means(rows, known[k])) for k, rows in enumerate(worlds)]
    baseline = design.baseline
    against = [
        marked(k, comparing.differences(rows, baseline, known[k]).assign(than=baseline))
        for k, rows in enumerate(worlds)
    ]
    tables = {
        TOURNAMENTS: game_archive.tournaments_of(frame, game_archive.rounds_of(design)),
        MEANS: pd.concat(own, ignore_index=True),
        DIFFERENCES: pd.concat(against, ignore_index=True),
        CLAIMS: pd.DataFrame([each.row for each in told]),
    }
    return {name: text_of(table) for name, table in tables.items()}


def _sentences(
    design: StudyDesign, frame: pd.DataFrame, told: Sequence[ClaimResult]
) -> str:
    """Each claim as a sentence: hypotheses, then what was looked at besides."""
    lines = [f"# {escape_hidden(design.file.title) or 'A study'}", ""]
    for hypothesis, heading in ((True, "Hypotheses"), (False, "Exploratory")):
        said = [
            f"- {each.sentence}" for each in told if each.asked.hypothesis == hypothesis
        ]
        lines += [f"## {heading}", "", *said, ""] if said else []
    lines += ["## What was played", ""]
    counts = frame.groupby("model", sort=False)["replicate"].nunique()
    for number, words in enumerate(design.words):
        where = design.where(number)
        lines.append(
            f"- {f'{escape_hidden(where)}: ' if where else ''}{escape_hidden(words)}"
        )
    lines.append(f"- {counts.max()} tournaments a model, seed {design.file.seed}")
    for model, rows in comparing.ended_early(frame).groupby("model", sort=False):
        lines.append(
            f"- {escape_hidden(model)}: {len(rows)} left out, as a round had no pairing"
        )
    lines += [
        f"- hypotheses as in {NAME}, SHA-256 {design.sha256}; p-values of all hypotheses are "
        "corrected together (Holm), shown: below 0.05",
        "- `exploratory` in a table or sentence: nobody had said before that it would be looked at",
    ]
    return "\n".join([*lines, ""])


def _results(
    design: StudyDesign,
    frame: pd.DataFrame,
    told: Sequence[ClaimResult],
    made_by: object,
    form: int,
) -> dict[str, Any]:
    counts = frame.groupby("model", sort=False)["replicate"].nunique()
    stated = {} if form == 1 else {"format": form}
    return stated | {
        "title": design.file.title,
        "study_sha256": design.sha256,
        "registered_sha256": design.registered,
        "registration": design.file.registration.model_dump(exclude_none=True),
        "seed": design.file.seed,
        "choose": design.file.choose,
        "tournaments": {str(model): int(count) for model, count in counts.items()},
        "worlds": [design.where(k) for k in range(len(design.worlds))],
        "program": made_by or program(),
        "versions": all_versions(),
        "digests": design.digests,
        "claims": [
            {name: _json(value) for name, value in each.row.items()} for each in told
        ],
    }


def _json(value: Any) -> Any:
    """Numbers as the tables have them; None for what is not known."""
    if not isinstance(value, float):
        return value
    number = float(game_archive.DIGITS % value)
    return number if abs(number) < float("inf") else None


def _figures(frame: pd.DataFrame, told: Sequence[ClaimResult]) -> dict[str, bytes]:
    drawn, _ = figures.draw_all_figures(frame, Path("figures"), VECTORS)
    panels = []
    for metric in dict.fromkeys(each.asked.claim.metric for each in told):
        rows: dict[
            tuple[Any, ...], list[ClaimResult]
        ] = {}  # claims of the same numbers are one row
        for each in told:
            if each.asked.claim.metric == metric and each.found.n > 1:
                key = (
                    each.where,
                    each.asked.than,
                    each.found.mean,
                    *each.limits,
                    each.shown,
                )
                rows.setdefault(key, []).append(each)
        every = [*rows.values()]
        panels += [(metric, every[k : k + ROWS]) for k in range(0, len(every), ROWS)]
    for number, (metric, some) in enumerate(panels, 1):
        asked = [each for row in some for each in row if each.shown is not None]
        title = f"{sum(bool(each.shown) for each in asked)} of {len(asked)} hypotheses shown"
        ax = figures.intervals(
            [_interval(row) for row in some], figures.words_of(metric)
        )
        ax.set_title(title if asked else "Exploratory: shows nothing")
        drawn |= figures.images(ax, Path("figures", f"claims-{number}"), VECTORS)
    return {path.as_posix(): image for path, image in drawn.items()}


def _interval(row: Sequence[ClaimResult]) -> tuple[str, float, float, float, float]:
    told = row[0]
    claim, asked = told.asked.claim, told.asked
    name = f"{claim.model} against {asked.than}"
    if told.where:
        name += f", {told.where.replace('_', ' ')}"
    if len(row) > 1:
        name += f" (and {len(row) - 1} like it)"
    if not asked.hypothesis:
        name += ", exploratory"
    name += f", {100 * confidence_of(claim):.0f} %"
    return name, told.found.mean, *told.limits, claim.margin


def _require_ours(design: StudyDesign, folder: Path) -> None:
    """Raises UsageError where files of others are in the folder, or where ours would be."""
    made = (*TABLES, RESULTS, SENTENCES, SUMS, GAMES, ROUNDS, PLAYERS, LONG, DICTIONARY)
    for name in design.files:
        if name in made or name.startswith("figures/"):
            raise UsageError("study.named_as_output", name=name)
    if folder.exists() and not folder.is_dir():
        raise UsageError("study.folder_is_a_file", folder=str(folder))
    if (folder / RESULTS).exists():
        if results_in(folder).get("registered_sha256") != design.registered:
            raise UsageError("study.results_of_another", folder=str(folder))
        return
    others = [name for name in (*TABLES, SENTENCES, SUMS) if (folder / name).exists()]
    given = {**design.files, NAME: design.raw}
    others += [
        name
        for name, raw in given.items()
        if (folder / name).exists() and (folder / name).read_bytes() != raw
    ]
    if others:
        raise UsageError("study.folder_of_another", path=str(folder / others[0]))


def results_in(folder: Path) -> dict[str, Any]:
    """What the results in a folder say; nothing where they are none."""
    try:
        found = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
