"""Check: whether all in a study's folder follows from its question, its games and its seed.

In layers: tables are made again from the games that are kept, which takes seconds; figures are
drawn and some tournaments played again from their seeds; or all of them. Nothing is needed that is
not in the folder.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Final, Literal, Unpack

import numpy as np
import pandas as pd

from pairopt.errors import InputError, PairoptError
from pairopt.files.text_source import read_bytes
from pairopt.files.write import json_text
from pairopt.lab.comparison import ExecutionOptions, replicate_targets, run_tasks
from pairopt.lab.identity import name_of
from pairopt.lab.luck import uniforms
from pairopt.lab.studies import game_archive
from pairopt.lab.studies.data_package import DICTIONARY, data_package_json, digests_in
from pairopt.lab.studies.game_archive import (
    GAMES,
    PLAYERS,
    ROUNDS,
    TOURNAMENTS,
    read_parquet,
)
from pairopt.lab.studies.hypotheses import tell_claims
from pairopt.lab.studies.run import (
    RESULTS,
    SUMS,
    contents,
    format_in,
    frame_of,
    results_in,
    sums_of,
)
from pairopt.lab.studies.study_file import (
    NAME,
    StudyDesign,
    all_versions,
    program,
    read_study,
)
from pairopt.lab.table import TEXTS, Frames, concatenate_parts, csv_of, read_csv
from pairopt.lab.tasks import REPLICATES, SimulationTask, Task
from pairopt.messages import Note, message
from pairopt.messages.formatting import quote

MOST: Final = 3  # differences of a tournament that are named
BEFORE: Final = 25  # characters that are shown before and after the first that differs
SAMPLE: Final = 20  # tournaments that are played again from their seeds
Layer = Literal["tables", "sample", "all"]
WRONG: Final = (
    PairoptError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
)
"""What comes of tables whose cells are none of a study."""


@dataclass
class CheckReport:
    """What does not agree, by layer, what is to be known besides, and how much was looked at:
    files made again, tournaments with games and without, and those that were played again.
    """

    found: dict[Layer, list[str | Note]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tournaments: int = 0
    by_seed: int = 0
    replayed: int = 0
    files: int = 0

    @property
    def faults(self) -> list[str | Note]:
        return [fault for faults in self.found.values() for fault in faults]


@dataclass(frozen=True)
class ReplayedTask:
    """A task of a study and the kept tables of it, by file; games of replicates below `limit`."""

    part: Task
    kept: Mapping[str, pd.DataFrame]
    limit: int = 0

    def frames(self) -> Frames:
        """What does not come out again, a row each."""
        try:
            made = self._made()
            faults = [
                f"{name}: {said}"
                for name, kept in self.kept.items()
                for said in [*differing(kept, made[name])][:MOST]
            ]
        except WRONG as error:
            faults = [f"{NAME}: cannot be played: {error}"]
        return {"faults": pd.DataFrame({"fault": pd.Series(faults, dtype="str")})}

    def _made(self) -> Mapping[str, pd.DataFrame]:
        made, part, texts = self.part.frames(), self.part, [*TEXTS, *self.part.texts]
        if not isinstance(part, SimulationTask):
            text = "".join(csv_of(made["rounds"])).encode()
            return {ROUNDS: read_csv(text, texts=texts)}
        cells = tuple(value for _, value in part.study.cells)
        rows = game_archive.tournaments_of(
            concatenate_parts([made["rounds"]]), {cells: part.study.world.rounds}
        )
        games = game_archive.games_in([made])
        return {
            GAMES: games[games["replicate"] < self.limit].reset_index(drop=True),
            TOURNAMENTS: read_csv(game_archive.text_of(rows), texts=texts),
        }

    name = property(lambda self: f"again-{self.part.name}")
    texts: tuple[str, ...] = ()


def differing(kept: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    """Where two tables are not the same, by row and column; a column without values may lack."""
    if len(kept) != len(made):
        yield f"{len(kept)} rows, expected {len(made)}"
        return
    nothing = pd.Series([None] * len(made))
    for column in dict.fromkeys([*made.columns, *kept.columns]):
        cells = [frame.get(column, nothing).tolist() for frame in (kept, made)]
        for row, both in enumerate(zip(*cells, strict=True)):
            here, wanted = ("nothing" if pd.isna(cell) else cell for cell in both)
            if here != wanted:
                keys = ("model", "replicate", "round", "table", "player", "metric")
                at = ", ".join(f"{key} {made[key][row]}" for key in keys if key in made)
                yield f"{at}, {column}: {here}, expected {wanted}"


def check_study(
    folder: Path,
    layer: Layer = "sample",
    sample: int = SAMPLE,
    **how: Unpack[ExecutionOptions],
) -> CheckReport:
    """Look at a folder as far as a layer: what its tables say of its games; then its figures, and a
    sample of tournaments from their seeds; or all. Plug-ins of the study are run. Raises InputError
    for a folder without a study.
    """
    if not (folder / NAME).is_file():
        raise InputError(str(folder), "study.no_study", name=NAME)
    checked, faults = CheckReport(), list[str | Note]()
    checked.found["tables"], said = faults, results_in(folder)
    try:
        design = read_study(folder / NAME)
    except PairoptError as error:
        faults += [f"cannot be read: {error}", *_listed(None, folder, set())]
        return checked
    if (said.get("registered_sha256"), said.get("study_sha256")) != (
        design.registered,
        design.sha256,
    ):
        faults.append(message("study.other_question", name=NAME, results=RESULTS))
    for name, here in (("program", program()), ("versions", all_versions())):
        found = said.get(name)
        if isinstance(found, Mapping) and found != here:
            other = [
                f"{key} {str(found.get(key))[:24]} (here {own[:24]})"
                for key, own in here.items()
                if found.get(key) != own
            ]
            checked.notes.append(f"run with another {name}: {', '.join(other)}")
    drawn, versions = layer != "tables", said.get("versions")
    by = versions.get("matplotlib") if isinstance(versions, dict) else None
    if drawn and by != all_versions()["matplotlib"]:
        checked.notes.append(f"figures were drawn by matplotlib {by}: not compared")
        drawn = False
    kept, expected = _remake_files(design, folder, checked, drawn)
    names = {*expected, *kept, NAME, *design.files} if expected else set()
    faults += _listed(design, folder, names)
    if expected and layer != "tables":
        number = 2**62 if layer == "all" else sample
        checked.replayed, again = _replay_tasks(design, kept, number, folder)
        made = run_tasks(again, **how)
        told = [fault for each in made for fault in each["faults"]["fault"].tolist()]
        checked.found[layer] = [*dict.fromkeys(told)]
    return checked


def _remake_files(
    design: StudyDesign, folder: Path, checked: CheckReport, drawn: bool
) -> tuple[dict[str, bytes], Mapping[str, bytes]]:
    """What a folder keeps of what was played, and all that is made of it, as it has to be."""
    faults, said = checked.found["tables"], results_in(folder)
    names = (ROUNDS,) if design.events else (GAMES, PLAYERS, TOURNAMENTS)
    try:
        kept = {name: read_bytes(folder / name) for name in names}
        form = format_in(said)
        frame = frame_of(design, kept, form)
        checked.tournaments = len(design.tasks)
        if not design.events:
            games = read_parquet(GAMES, kept[GAMES])
            count, many = game_archive.stored_replicates(games), len(design.studies)
            given = len(game_archive.read_tournaments(design, kept[TOURNAMENTS]))
            checked.tournaments, checked.by_seed = count * many, given - count * many
            file, each = design.file, given // many
            asked = (
                replicate_targets(file.replicates, file.most)
                if file.precision
                else [file.replicates]
            )
            if each not in [*asked]:
                faults.append(
                    f"{TOURNAMENTS}: {each} a model, expected {file.replicates}"
                )
            players = read_parquet(
                PLAYERS, game_archive.parquet_of(game_archive.players_of(design, count))
            )
            found = differing(read_parquet(PLAYERS, kept[PLAYERS]), players)
            faults += [f"{PLAYERS}: {fault}" for fault in [*found][:MOST]]
        told = tell_claims(design, frame)
        expected = contents(design, frame, told, said.get("program"), drawn, form)
    except WRONG as error:
        missing = [
            f"{name} is not there" for name in names if not (folder / name).is_file()
        ]
        named = f"{error}" if isinstance(error, InputError) else f"{names[0]}: {error}"
        faults.append(f"no tables can be made: {[*missing, named][0]}")
        return {}, {}
    old, new = (
        json_text({"versions": each}).encode()[1:-3]
        for each in (all_versions(), said.get("versions"))
    )
    for name, raw in expected.items():
        faults += _file_differences(
            folder, name, raw.replace(old, new) if name == RESULTS else raw
        )
    checked.files = len(expected)
    return kept, expected


def _listed(
    design: StudyDesign | None, folder: Path, expected: set[str]
) -> Iterator[str]:
    """What is not as the dictionary and the list of digests say, and what these should say."""
    told = digests_in(folder)
    names = sorted({DICTIONARY, *told, *expected})
    there = {
        name: (folder / name).read_bytes()
        for name in names
        if (folder / name).is_file()
        and (folder / name).resolve().is_relative_to(folder.resolve())
    }
    yield from (f"{quote(name)} is not there" for name in names if name not in there)
    for name, raw in there.items():
        if name in told and hashlib.sha256(raw).hexdigest() != told[name]:
            yield f"{name}: not the file that {DICTIONARY} describes"
    yield from _file_differences(folder, SUMS, sums_of(there))
    if design is not None and expected:
        here = {
            name: raw
            for name, raw in there.items()
            if name in expected or name.startswith("figures/")
        }
        yield from _file_differences(
            folder, DICTIONARY, data_package_json(design, here)
        )


def _replay_tasks(
    design: StudyDesign, kept: Mapping[str, bytes], sample: int, folder: Path
) -> tuple[int, list[ReplayedTask]]:
    """Some tournaments, or all, or some real events, with what is kept of them."""
    if design.events:
        rounds, tasks = read_parquet(ROUNDS, kept[ROUNDS]), design.tasks
        sizes = [event.round - 1 for _, event in design.events] * len(design.names)
        ends = [0, *np.cumsum(sizes).tolist()]
        parts = [
            rounds.iloc[slice(*each)].reset_index(drop=True) for each in pairwise(ends)
        ]
        chosen = _sample_replicates(len(tasks), sample, folder)
        return len(chosen), [ReplayedTask(tasks[k], {ROUNDS: parts[k]}) for k in chosen]
    given = game_archive.read_tournaments(design, kept[TOURNAMENTS])
    games = read_parquet(GAMES, kept[GAMES])
    count, limit, found = (
        len(given) // len(design.studies),
        game_archive.stored_replicates(games),
        [],
    )
    chosen = _sample_replicates(len(given), sample, folder)
    one = REPLICATES if len(chosen) == len(given) else 1
    for number in sorted({k - k % count % one for k in chosen}):
        study, start = design.studies[number // count], number % count
        stop = min(start + one, count)
        here = {"model": name_of(study.contender), **dict(study.cells)}
        mine = np.logical_and.reduce(
            [(games[name] == here[name]).to_numpy() for name in here]
        )
        mine &= games["replicate"].between(start, stop - 1).to_numpy()
        rows = given.iloc[number : number - start + stop].reset_index(drop=True)
        own = {GAMES: games[mine].reset_index(drop=True), TOURNAMENTS: rows}
        found.append(ReplayedTask(SimulationTask(study, start, stop), own, limit))
    return len(chosen), found


def _file_differences(folder: Path, name: str, expected: bytes) -> Iterator[str]:
    """How a file differs from what it has to be."""
    if not (folder / name).is_file():
        yield f"{name} is not there"
        return
    found = (folder / name).read_bytes()
    if name.endswith(".parquet"):  # whose bytes may be of another pyarrow
        both = [read_parquet(name, raw) for raw in (found, expected)]
        yield from (f"{name}: {said}" for said in [*differing(*both)][:MOST])
    elif found != expected and name.endswith(".pdf"):
        yield f"{name}: not what the games give"
    elif found != expected:
        lines = [raw.decode(errors="replace").splitlines() for raw in (found, expected)]
        each = enumerate(zip_longest(*lines, fillvalue=""), 1)
        number, (own, wanted) = next(
            (pair for pair in each if pair[1][0] != pair[1][1]),
            (len(lines[0]), ("", "")),
        )
        same = next(
            (k for k, (a, b) in enumerate(zip(own, wanted, strict=False)) if a != b),
            min(len(own), len(wanted)),
        )
        near = slice(max(same - BEFORE, 0), same + BEFORE)
        here, there = quote(own[near]), quote(wanted[near])
        yield f"{name}: line {number}: found {here}, the games give {there}"


def _sample_replicates(count: int, sample: int, folder: Path) -> list[int]:
    """Which tournaments are played again: others whenever a file is changed."""
    try:
        key = hashlib.sha256(read_bytes(folder / SUMS)).hexdigest()
    except InputError:
        key = "0"
    luck = uniforms(int(key, 16), np.arange(count))
    return sorted(np.argsort(luck, kind="stable")[:sample].tolist())
