"""Check: whether everything in a study's folder follows from its study.toml and its games."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from pairopt.engines import DEFAULT, abilities_of
from pairopt.errors import InputError, PairoptError
from pairopt.event.event import Event
from pairopt.files.source import read_bytes
from pairopt.lab.measuring.metrics import ranges_of
from pairopt.lab.measuring.statistics.comparing import UNPAIRED
from pairopt.lab.measuring.table import GAMES as GAME_COLUMNS
from pairopt.lab.measuring.table import KEPT as GAMES
from pairopt.lab.measuring.table import KEYS, TEXTS, Frames, csv_of, joined, read_csv, unpacked
from pairopt.lab.playing.contenders import Pairs
from pairopt.lab.playing.identity import name_of
from pairopt.lab.playing.luck import uniforms
from pairopt.lab.playing.play import Round, side_by_side
from pairopt.lab.playing.world import Field
from pairopt.lab.running.comparison import How, planned, run_tasks
from pairopt.lab.running.keeping import DAMAGED
from pairopt.lab.running.tasks import NAME as SETTINGS
from pairopt.lab.running.tasks import Simulated, Task, settings_text, versions
from pairopt.lab.studies.claims import tell_claims
from pairopt.lab.studies.file import NAME, Design, all_versions, read_study
from pairopt.lab.studies.folder import RESULTS, SUMS, VECTORS, contents, results_in
from pairopt.problem.levels import level_values
from pairopt.problem.model import Model
from pairopt.problem.ready import prepare
from pairopt.problem.verifier import inspect
from pairopt.round.result import Result
from pairopt.wording import quoted
from pairopt.words import Said, tell

OF_EVENT = (*TEXTS, "replicate")
BY_MODEL = ("engine", "status")
"""Columns that only the model itself can give again."""
MOST = 3  # differences of a tournament that are named


@dataclass(frozen=True)
class Kept:
    """A contender that pairs each round as it was kept; `partial` as the one that did was."""

    name: str
    rounds: Mapping[int, Pairs]
    partial: bool

    def __call__(self, event: Event, seed: int, /) -> Pairs | None:
        return self.rounds.get(event.round)


@dataclass(frozen=True)
class Rebuilt(Simulated):
    """One replicate with the pairings of these games: the rows that follow from them. `paired` are
    the rounds that have a pairing, which may be of nobody."""

    games: pd.DataFrame
    paired: tuple[int, ...]

    def _rounds(self, fields: Sequence[Field]) -> list[Round]:
        contender, games = self.study.contender, self.games
        seats = games[["player1", "player2"]].to_numpy(np.float64)
        rounds = {number: [tuple(f"p{int(p)}" for p in pair if p == p)
                           for pair in seats[games["round"] == number]] for number in self.paired
                  }  # fmt: skip
        kept = Kept(name_of(contender), rounds, bool(getattr(contender, "partial", False)))
        found = [*side_by_side(fields, kept)]
        if not isinstance(contender, Model):
            return found
        levels = ({k: self._with_levels(made) for k, made in each.made.items()} for each in found)
        return [replace(each, made=made) for each, made in zip(found, levels, strict=True)]

    def _with_levels(self, made: Result) -> Result:
        """The pairing with the levels that it has under the model."""
        if made.arcs is None:
            return made
        model, event = self.study.contender, made.problem.state.event
        assert isinstance(model, Model)
        last, seed = event.round == self.study.world.rounds, made.problem.state.seed
        problem = prepare(event, model, last_round=last, seed=seed, sides=event.sides or ())
        found = inspect(problem, made.arcs)
        if found.violations and abilities_of(model.engine or DEFAULT).exact:
            said = found.violations[0].message
            raise PairoptError("study.round_broken", round=event.round, said=said)
        # with bounds that prove them, as they were when the table was made
        both = zip(found.values, problem.levels, strict=True)
        bounds = [value - level.offset for value, level in both]
        values = level_values(problem, problem.model.objective, found.values, bounds)
        return replace(made, problem=problem, level_values=values)


@dataclass(frozen=True)
class Again:
    """A part of a study and its kept tables; `anew` if the model is to pair, see above."""

    part: Simulated
    kept: Frames
    anew: bool = False

    @property
    def name(self) -> str:
        return f"again-{self.anew}-{self.part.name}"

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.part.settings

    def frames(self) -> Frames:
        """What does not come out again, a row each."""
        cells = "".join(f", {name} {value}" for name, value in self.part.study.cells)
        where = f"{name_of(self.part.study.contender)}{cells}, tournament"
        faults = [f"{where} {replicate}: {fault}"
                  for replicate in range(self.part.start, self.part.stop)
                  for fault in self._faults(replicate)]  # fmt: skip
        return {"faults": pd.DataFrame({"fault": pd.Series(faults, dtype="str")})}

    def _faults(self, replicate: int) -> list[str]:
        mine = {name: frame[frame["replicate"] == replicate].reset_index(drop=True)
                for name, frame in self.kept.items()}  # fmt: skip
        study = self.part.study
        one = Simulated(study, replicate, replicate + 1)
        if not self.anew:
            rounds = mine["rounds"]
            paired = rounds.loc[~rounds["status"].isin(UNPAIRED), "round"].tolist()
            one = Rebuilt(study, replicate, replicate + 1, mine["games"], tuple(paired))
        try:
            made = one.frames()
        except (PairoptError, ArithmeticError, ValueError, TypeError) as error:
            return [f"its pairings cannot be played: {error}"]
        given = () if self.anew else BY_MODEL
        found = [fault for each in ("rounds", "games")
                 for fault in differing(each, mine[each], written(made[each]), given)]  # fmt: skip
        more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
        return [*found[:MOST], *more]


def written(frame: pd.DataFrame, texts: Sequence[str] = TEXTS) -> pd.DataFrame:
    """The table as it is read from a file."""
    return read_csv("".join(csv_of(frame)).encode(), texts=texts)


def differing(
    name: str, kept: pd.DataFrame, made: pd.DataFrame, left_out: tuple[str, ...] = ()
) -> Iterator[str]:
    """Where two tables are not the same, by round and column."""
    if [*kept.columns] != [*made.columns]:
        yield f"{name}: other columns than it has to have"
        return
    if len(kept) != len(made):
        yield f"{name}: {len(kept)} rows, expected {len(made)}"
        return
    for column in made:
        if column in left_out:
            continue
        for row, (one, two) in enumerate(zip(kept[column], made[column], strict=True)):
            if one != two and not (one != one and two != two):
                here, wanted = ("nothing" if x != x else f"{x}" for x in (one, two))
                place = f"round {made['round'][row]}, {column}"
                yield f"{name}: {place}: {here}, expected {wanted}"


BEFORE = 25  # characters that are shown before and after the first that differs
SAMPLE = 20  # tournaments that are played again by their models


@dataclass
class Checked:
    """What does not agree, what is to be known besides, and how much was looked at."""

    faults: list[str | Said] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tournaments: int = 0
    replayed: int = 0
    files: int = 0


def check_study(folder: Path, sample: int = SAMPLE, **how: Unpack[How]) -> Checked:
    """Make everything in a folder again from its games, and a sample of these from their seeds.
    Plug-ins of the study are run. Raises InputError for a folder without a study."""
    if not (folder / NAME).is_file():
        raise InputError(str(folder), "study.no_study", name=NAME)
    checked = Checked()
    try:
        design = read_study(folder / NAME)
    except PairoptError as error:
        checked.faults += [*_sums(folder, None), f"cannot be read: {error}"]
        return checked
    found, here = results_in(folder).get("versions"), all_versions()
    if found != here and isinstance(found, dict):
        other = [f"{name} {found.get(name)} (here {own})" for name, own in here.items()
                 if found.get(name) != own]  # fmt: skip
        checked.notes.append(f"run with other versions: {', '.join(other)}")
    expected = None
    try:
        parts = _parts(design, folder, checked)
    except FileNotFoundError:
        checked.faults.append(tell("study.no_games", name=GAMES))
    except (*DAMAGED, LookupError, TypeError, AttributeError) as error:
        checked.faults.append(f"{GAMES}: cannot be read: {error}")
    else:
        play_again = _pair_again if design.events else _play_again
        checked.replayed, faults = play_again(parts, folder, sample, **how)
        checked.faults += dict.fromkeys(f"{GAMES}: {fault}" for fault in faults)
        expected = _made_again(design, folder, parts, checked)
    names = None if expected is None else {*expected, NAME, GAMES, *design.files}
    checked.faults += _sums(folder, names)
    return checked


def _sums(folder: Path, expected: set[str] | None) -> Iterator[str]:
    """What is not as the list of digests says."""
    try:
        text = (folder / SUMS).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        yield f"{SUMS}: cannot be read: {error}"
        return
    parted = (line.partition("  ") for line in text.splitlines())
    listed = {name: digest for digest, _, name in parted}
    if expected is not None and (strange := {*listed} ^ expected):
        name = min(strange)
        yield f"{SUMS}: {name} is {'no file of the study' if name in listed else 'not listed'}"
    for name, digest in listed.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            yield f"{quoted(name)} is not there"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield f"{name}: not the file that {SUMS} lists"
    if text.splitlines() != [f"{digest}  {name}" for name, digest in sorted(listed.items())]:
        yield f"{SUMS}: not a list in order, each file once"


def _parts(design: Design, folder: Path, checked: Checked) -> list[tuple[Any, Frames]]:
    """The kept parts in the order of the study. Raises what comes of a damaged archive."""
    studies, file, tasks = design.studies, design.file, design.tasks
    with zipfile.ZipFile(folder / GAMES) as archive:
        settings = json.loads(archive.read(SETTINGS))
        named, made_by = settings["parts"], settings["versions"]
        simulated = [Simulated(studies[each["study"]], each["start"], each["stop"])
                     for each in named.values() if not design.events]  # fmt: skip
        parts: Sequence[Task] = tasks or simulated
        own = zip(named, (part.settings for part in parts), strict=True)
        if settings != json.loads(settings_text(made_by, own)):
            checked.faults.append(f"{GAMES}: its settings are not those of {NAME}")
            raise ValueError("other settings")
        if {*archive.namelist()} != {SETTINGS, *named}:
            raise ValueError("other parts than it lists")
        frames = [_frames(archive.read(name), bool(design.events)) for name in named]
    said = results_in(folder).get("versions")
    if not isinstance(said, dict) or made_by != {name: said.get(name) for name in versions()}:
        checked.faults.append(f"{RESULTS}: other versions than those of {GAMES}")
    if made_by == versions():
        checked.faults += [f"{GAMES}: {name}: expected {part.name}"
                           for name, part in zip(named, parts, strict=True) if part.name != name
                           ]  # fmt: skip
    counts = [1] * len(tasks) or _counts(studies, simulated)
    wanted = [*planned(file.replicates, file.most)] if file.precision else [file.replicates]
    if not tasks and (len({*counts}) > 1 or counts[0] not in wanted):
        raise ValueError(f"{counts} tournaments a model, expected {file.replicates}")
    checked.tournaments = sum(counts)
    return [*zip(parts, frames, strict=True)]


def _counts(studies: Sequence[object], parts: Sequence[Simulated]) -> list[int]:
    """The tournaments of each study. Raises ValueError where not all are there, in order."""
    counts = [0] * len(studies)
    places = [next(k for k, study in enumerate(studies) if study is part.study) for part in parts]
    if places != sorted(places):
        raise ValueError("its parts are not in order")
    for place, part in zip(places, parts, strict=True):
        if part.start != counts[place] or part.stop <= part.start:
            raise ValueError("not all tournaments are there once")
        counts[place] = part.stop
    return counts


def _frames(raw: bytes, of_event: bool) -> Frames:
    if of_event:
        return unpacked(raw, OF_EVENT)
    found = unpacked(raw)
    for name, needed in (("rounds", (*KEYS, "status")), ("games", GAME_COLUMNS)):
        if missing := {*needed} - {*found.get(name, ())}:
            raise ValueError(f"{name} without {min(missing)}")
    return found


def _pair_again(
    parts: Sequence[tuple[Any, Frames]], folder: Path, sample: int, **how: Unpack[How]
) -> tuple[int, Iterable[str]]:
    """Some real events by their models: how many, and what does not come out again."""
    chosen = [parts[k] for k in _sampled(len(parts), sample, folder)]
    made = run_tasks([part for part, _ in chosen], **how)
    both = zip(chosen, made, strict=True)
    return len(chosen), (
        fault for (_, kept), found in both
        for fault in differing("rounds", kept["rounds"], written(found["rounds"], OF_EVENT))
    )  # fmt: skip


def _play_again(
    parts: Sequence[tuple[Any, Frames]], folder: Path, sample: int, **how: Unpack[How]
) -> tuple[int, Iterable[str]]:
    """Every tournament by its pairings, and some by their models."""
    again = [Again(part, frames) for part, frames in parts]
    every = [Again(Simulated(part.study, replicate, replicate + 1), frames, anew=True)
             for part, frames in parts for replicate in range(part.start, part.stop)]  # fmt: skip
    chosen = _sampled(len(every), sample, folder)
    made = run_tasks([*again, *(every[k] for k in chosen)], **how)
    return len(chosen), (fault for each in made for fault in each["faults"]["fault"].tolist())


def _sampled(count: int, sample: int, folder: Path) -> list[int]:
    """Which tournaments are played by their models: others whenever a file is changed."""
    try:
        key = hashlib.sha256(read_bytes(folder / SUMS)).hexdigest()
    except InputError:
        key = "0"
    luck = uniforms(int(key, 16), np.arange(count))
    return sorted(np.argsort(luck, kind="stable")[:sample].tolist())


def _made_again(
    design: Design, folder: Path, parts: Sequence[tuple[Task, Frames]], checked: Checked
) -> Mapping[str, bytes] | None:
    """Tables, sentences and figures as they have to be; None where nothing can be made."""
    try:
        frame: pd.DataFrame = joined([frames["rounds"] for _, frames in parts])
        frame.attrs["ranges"] = ranges_of(design.measured)
        expected = contents(design, frame, tell_claims(design, frame))
    except (PairoptError, ValueError, TypeError, KeyError) as error:
        checked.faults.append(f"{GAMES}: no tables can be made of it: {error}")
        return None
    kept = results_in(folder).get("versions")
    drawn = kept.get("matplotlib") if isinstance(kept, dict) else None
    same = drawn == all_versions()["matplotlib"]
    for name, raw in expected.items():
        if name.endswith(VECTORS) and not same:
            continue
        checked.files += 1
        checked.faults += _compared(folder, name, raw, kept)
    if not same:
        checked.notes.append(f"figures were drawn by matplotlib {drawn}: not compared")
    return expected


def _compared(folder: Path, name: str, expected: bytes, kept: object) -> Iterator[str]:
    """How a file differs from what it has to be; results may be of other versions."""
    try:
        found = (folder / name).read_bytes()
    except OSError:
        yield f"{name} is not there"
        return
    if name == RESULTS and kept:
        expected = expected.replace(_versions_text(all_versions()), _versions_text(kept))
    if found == expected or name.endswith(".pdf"):
        yield from [f"{name}: not what the games give"] * (found != expected)
        return
    lines = [raw.decode(errors="replace").splitlines() for raw in (found, expected)]
    pairs = enumerate(zip(*lines, strict=False), 1)
    number, (own, wanted) = next(
        ((number, both) for number, both in pairs if both[0] != both[1]),
        (min(map(len, lines)) + 1, ("", "")),
    )
    both = zip(own, wanted, strict=False)
    same = next((k for k, (a, b) in enumerate(both) if a != b), min(len(own), len(wanted)))
    near = slice(max(same - BEFORE, 0), same + BEFORE)
    here, there = quoted(own[near]), quoted(wanted[near])
    yield f"{name}: line {number}: found {here}, the games give {there}"


def _versions_text(given: object) -> bytes:
    return json.dumps({"versions": given}, indent=1)[1:-2].encode()
