"""Again: tournaments that were kept made once more, and what does not come out as it was kept.

From the pairings that were kept follow, with the seeds, all results, standings and metrics, and the
levels of each pairing: that takes no solver, so it is done for every tournament. That a model pairs
so takes the model, and is done for a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pairopt.engines import DEFAULT, ENGINES
from pairopt.errors import PairoptError
from pairopt.event.event import Event
from pairopt.lab.measuring.statistics.tournaments import UNPAIRED
from pairopt.lab.measuring.table import TEXTS, Frames, csv_of, read_csv
from pairopt.lab.playing.contenders import Pairs
from pairopt.lab.playing.identity import name_of
from pairopt.lab.playing.play import Round, side_by_side
from pairopt.lab.playing.world import Field
from pairopt.lab.running.tasks import Simulated
from pairopt.problem.levels import level_values
from pairopt.problem.model import Model
from pairopt.problem.ready import prepare
from pairopt.problem.verifier import inspect
from pairopt.round.result import Result

BY_MODEL = ("engine", "status")
"""Columns that only the model itself can give again."""
MOST = 3
"""Differences of a tournament that are named."""


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
    """One replicate with the pairings of these games: the rows that follow from them.

    `paired` are the rounds that have a pairing, which may be of nobody.
    """

    games: pd.DataFrame
    paired: tuple[int, ...]

    def _rounds(self, fields: Sequence[Field]) -> list[Round]:
        contender = self.study.contender
        games = self.games
        rounds = {number: _pairs(games[games["round"] == number]) for number in self.paired}
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
        model, state = self.study.contender, made.problem.state
        assert isinstance(model, Model)
        event = state.event
        problem = prepare(
            event, model, last_round=event.round == self.study.world.rounds, seed=state.seed,
            sides=event.sides or (),
        )  # fmt: skip
        found = inspect(problem, made.arcs)
        if found.violations and ENGINES[model.engine or DEFAULT].exact:
            raise PairoptError(f"round {event.round}: {found.violations[0].message}")
        # with bounds that prove them, as they were when the table was made
        bounds = [
            value - level.offset for value, level in zip(found.values, problem.levels, strict=True)
        ]
        values = level_values(problem, problem.model.objective, found.values, bounds)
        return replace(made, problem=problem, level_values=values)


def _pairs(rows: pd.DataFrame) -> Pairs:
    both = zip(rows["player1"].tolist(), rows["player2"].tolist(), strict=True)
    return [tuple(f"p{int(p)}" for p in pair if p == p) for pair in both]


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
        faults = [
            f"{self._where(replicate)}: {fault}"
            for replicate in range(self.part.start, self.part.stop)
            for fault in self._faults(replicate)
        ]
        return {"faults": pd.DataFrame({"fault": pd.Series(faults, dtype="str")})}

    def _where(self, replicate: int) -> str:
        cells = "".join(f", {name} {value}" for name, value in self.part.study.cells)
        return f"{name_of(self.part.study.contender)}{cells}, tournament {replicate}"

    def _faults(self, replicate: int) -> list[str]:
        mine = {name: _of(frame, replicate) for name, frame in self.kept.items()}
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
        left_out = () if self.anew else BY_MODEL
        found = [
            fault
            for name in ("rounds", "games")
            for fault in differing(name, mine[name], written(made[name]), left_out)
        ]
        more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
        return [*found[:MOST], *more]


def _of(frame: pd.DataFrame, replicate: int) -> pd.DataFrame:
    return frame[frame["replicate"] == replicate].reset_index(drop=True)


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
                place = f"round {made['round'][row]}, {column}"
                yield f"{name}: {place}: {_shown(one)}, expected {_shown(two)}"


def _shown(value: Any) -> str:
    return "nothing" if value != value else f"{value}"
