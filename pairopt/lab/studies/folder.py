"""Folder: a study played into tables, figures and sentences, all made from its games."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Unpack

import pandas as pd

from pairopt.errors import UsageError
from pairopt.files.write import json_text, make_folder, write_all
from pairopt.lab.measuring import figures
from pairopt.lab.measuring.statistics import comparing
from pairopt.lab.measuring.table import KEPT as GAMES
from pairopt.lab.measuring.table import by_world, further
from pairopt.lab.running.comparison import How, play, play_events
from pairopt.lab.running.keeping import Parts
from pairopt.lab.studies.claims import ASKED, Told, tell_claims
from pairopt.lab.studies.file import NAME, Design, all_versions
from pairopt.wording import plain

RESULTS, SENTENCES, SUMS = "results.json", "sentences.md", "SHA256SUMS"
TOURNAMENTS, MEANS, DIFFERENCES, CLAIMS = TABLES = (
    "tournaments.csv", "means.csv", "differences.csv", "hypotheses.csv"
)  # fmt: skip
VECTORS: Final = (".pdf", ".svg")
DIGITS: Final = "%.6g"
"""More would be noise, and not the same on every machine."""


def run_study(
    design: Design, folder: Path | None, **how: Unpack[How]
) -> tuple[pd.DataFrame, list[Told]]:
    """Play a study, or what is left of it, into its folder: its rounds, and what was found. Raises
    UsageError for a folder of something else: a finished one takes other exploratory claims."""
    if folder is None:
        with TemporaryDirectory() as home:
            frame = _played(design, Path(home), False, **how)
        return frame, tell_claims(design, frame)
    _require_ours(design, folder)
    asked = {folder / name: raw for name, raw in {**design.files, NAME: design.raw}.items()}
    for path in asked:
        make_folder(path.parent)
    write_all(asked)
    frame = _played(design, folder, True, **how)
    told = tell_claims(design, frame)
    made = contents(design, frame, told)
    for name in made:
        make_folder((folder / name).parent)
    everything = {**made, NAME: design.raw, **design.files, GAMES: (folder / GAMES).read_bytes()}
    written = {**made, SUMS: sums_of(everything)}
    write_all({folder / name: raw for name, raw in written.items()})
    return frame, told


def _played(design: Design, folder: Path, games: bool, **how: Unpack[How]) -> pd.DataFrame:
    """The rounds, kept in the folder, with their games if they are to be."""
    file, parts = design.file, Parts(folder / "games", events=bool(design.events), tables=False)
    if design.events:
        return play_events(design.tasks, parts, **how)
    studies = [replace(study, games=games) for study in design.studies]
    widths = dict(file.precision)
    return play(studies, parts, file.replicates, widths, design.baseline, file.most, **how)


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The SHA-256 of each file, as `sha256sum --check` reads them."""
    digests = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    return "".join(f"{digest}  {name}\n" for name, digest in digests.items()).encode()


def contents(design: Design, frame: pd.DataFrame, told: Sequence[Told]) -> dict[str, bytes]:
    """All that is made from the rounds of a study, by the names of files."""
    return {
        **_tables(design, frame, told),
        SENTENCES: _sentences(design, frame, told).encode(),
        RESULTS: json_text(_results(design, frame, told)).encode(),
        **_figures(frame, told),
    }


def _tables(design: Design, frame: pd.DataFrame, told: Sequence[Told]) -> dict[str, bytes]:
    asked = [each.claim.metric for each in design.asked]
    metrics = list(dict.fromkeys([*comparing.METRICS, *further(map(str, frame.columns)), *asked]))
    every = comparing.per_tournament(frame)
    keys = list(map(str, every.columns[: list(every.columns).index("replicate") + 1]))
    worlds = [rows for _, rows in by_world(frame)]
    per_world = [comparing.per_tournament(rows) for rows in worlds]
    known = [[name for name in metrics if name in own] for own in per_world]
    wanted = {(each.world, model, each.claim.metric) for each in design.asked if each.hypothesis
              for model in (each.claim.model, each.than)}  # fmt: skip

    def marked(number: int, table: pd.DataFrame) -> pd.DataFrame:
        rows = zip(table["model"], table["metric"], strict=True)
        return table.assign(asked=[ASKED[(number, *each) in wanted] for each in rows])

    own = [marked(k, comparing.means(rows, known[k])) for k, rows in enumerate(worlds)]
    baseline = design.baseline
    against = [marked(k, comparing.differences(rows, baseline, known[k]).assign(than=baseline))
               for k, rows in enumerate(worlds)]  # fmt: skip
    tables = {
        TOURNAMENTS: every[[*keys, *(name for name in metrics if name in every)]],
        MEANS: pd.concat(own, ignore_index=True),
        DIFFERENCES: pd.concat(against, ignore_index=True),
        CLAIMS: pd.DataFrame([each.row for each in told]),
    }
    return {name: table.to_csv(index=False, lineterminator="\n", float_format=DIGITS).encode()
            for name, table in tables.items()}  # fmt: skip


def _sentences(design: Design, frame: pd.DataFrame, told: Sequence[Told]) -> str:
    """Each claim as a sentence: hypotheses, then what was looked at besides."""
    lines = [f"# {plain(design.file.title) or 'A study'}", ""]
    for hypothesis, heading in ((True, "Hypotheses"), (False, "Exploratory")):
        said = [f"- {each.sentence}" for each in told if each.asked.hypothesis == hypothesis]
        lines += [f"## {heading}", "", *said, ""] if said else []
    lines += ["## What was played", ""]
    counts = frame.groupby("model", sort=False)["replicate"].nunique()
    for number, words in enumerate(design.words):
        where = design.where(number)
        lines.append(f"- {f'{plain(where)}: ' if where else ''}{plain(words)}")
    lines.append(f"- {counts.max()} tournaments a model, seed {design.file.seed}")
    for model, rows in comparing.ended_early(frame).groupby("model", sort=False):
        lines.append(f"- {plain(model)}: {len(rows)} left out, as a round had no pairing")
    lines += [
        f"- hypotheses as in {NAME}, SHA-256 {design.sha256}; p-values of all hypotheses are "
        "corrected together (Holm), shown: below 0.05",
        "- `exploratory` in a table or sentence: nobody had said before that it would be looked at",
    ]
    return "\n".join([*lines, ""])


def _results(design: Design, frame: pd.DataFrame, told: Sequence[Told]) -> dict[str, Any]:
    counts = frame.groupby("model", sort=False)["replicate"].nunique()
    return {
        "title": design.file.title, "study_sha256": design.sha256,
        "registered_sha256": design.registered, "seed": design.file.seed,
        "tournaments": {str(model): int(count) for model, count in counts.items()},
        "worlds": [design.where(k) for k in range(len(design.worlds))], "versions": all_versions(),
        "digests": design.digests,
        "claims": [{name: _json(value) for name, value in each.row.items()} for each in told],
    }  # fmt: skip


def _json(value: Any) -> Any:
    """Numbers as the tables have them; None for what is not known."""
    if not isinstance(value, float):
        return value
    number = float(DIGITS % value)
    return number if abs(number) < float("inf") else None


def _figures(frame: pd.DataFrame, told: Sequence[Told]) -> dict[str, bytes]:
    drawn, _ = figures.every(frame, Path("figures"), VECTORS)
    for number, metric in enumerate(dict.fromkeys(each.asked.claim.metric for each in told), 1):
        named = [_interval(each) for each in told
                 if each.asked.claim.metric == metric and each.found.n > 1]  # fmt: skip
        path = Path("figures", f"claims-{number}")
        if named:
            drawn |= figures.images(figures.intervals(named, metric), path, VECTORS)
    return {path.as_posix(): image for path, image in drawn.items()}


def _interval(told: Told) -> tuple[str, float, float, float, float]:
    claim, asked = told.asked.claim, told.asked
    name = f"{claim.model} - {asked.than}" + f" ({told.where})" * bool(told.where)
    name += " exploratory" * (not asked.hypothesis)
    return name, told.found.mean, *told.limits, claim.margin


def _require_ours(design: Design, folder: Path) -> None:
    """Raises UsageError for a folder that holds files of something else than this study, and for a
    file that the study names as one that it makes."""
    made = (*TABLES, RESULTS, SENTENCES, SUMS, GAMES)
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
    others += [name for name, raw in given.items()
               if (folder / name).exists() and (folder / name).read_bytes() != raw]  # fmt: skip
    if others:
        raise UsageError("study.folder_of_another", path=str(folder / others[0]))


def results_in(folder: Path) -> dict[str, Any]:
    """What the results in a folder say; nothing where they are none."""
    try:
        found = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
