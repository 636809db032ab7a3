"""Simulating: a whole tournament as the files that `pairopt solve` reads."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.elimination import LAST, BracketMatch, EliminationBracket
from pairopt.event.event import NO_RATING, Event, Matches
from pairopt.event.points import Score
from pairopt.event.score_checks import points_of
from pairopt.files.formats.matches_csv import list_match_rows
from pairopt.files.write import csv_table, csv_text, make_folder, write_all
from pairopt.lab.arguments import require_choice, require_whole
from pairopt.lab.contenders import Contender, ContenderLike, contender_of
from pairopt.lab.luck import Purpose, match_luck, uniforms
from pairopt.lab.order import order_of
from pairopt.lab.play import tournament
from pairopt.lab.world import Field, World, require_world
from pairopt.lab.worlds import chances_of
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.round.result import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Tournament:
    """A tournament as far as it could be paired: its players, and the event after it. `pairings`
    are those of its rounds, with what was known when each was made.
    """

    field: Field
    event: Event
    pairings: tuple[Result, ...] = ()

    @property
    def strength(self) -> FloatArray:
        """The true strength of each player in Elo points."""
        return self.field.strength

    @property
    def games(self) -> Matches:
        """Every match and bye as arrays: players by number from 0, points times `event.scale`."""
        return self.event.matches

    @property
    def points(self) -> FloatArray:
        return points_of(self.event) / self.event.scale

    @cached_property
    def place(self) -> IntArray:
        """The standings by points and strength of schedule: higher is better, equal if tied. In a
        world with a cut its players come first, as they ended, see `pairopt.lab.cut`.
        """
        place, whole = (
            order_of(self.event).place,
            self.field.world.cut and self.complete,
        )
        return final_place(self.field, self.event, place) if whole else place

    @property
    def complete(self) -> bool:
        """Whether every round could be paired."""
        return self.event.round > self.field.world.rounds

    @property
    def matches(self) -> "pd.DataFrame":
        """The rows of matches.csv; see `Event.matches_frame`."""
        return self.event.matches_frame

    @property
    def players(self) -> "pd.DataFrame":
        """The rows of players.csv: player, rating (if rated), true strength (Elo), active. After a
        cut they have a place too, 1 for the winner.
        """
        # pandas takes a third of a second to import, and only tables need it.
        import pandas as pd

        return pd.DataFrame(self._players())

    def write(self, folder: str | Path) -> None:
        """Write matches.csv and players.csv, both or none. Raises UsageError if that cannot be."""
        make_folder(Path(folder))
        write_all(self.files(Path(folder)))

    def files(self, folder: Path) -> dict[Path, str]:
        players = self._players()
        return {
            folder / "players.csv": csv_table(
                list(players[0]), (row.values() for row in players)
            ),
            folder / "matches.csv": csv_text(list_match_rows(self.event)),
        }

    def _players(self) -> list[dict[str, Any]]:
        rated = (self.field.rating != NO_RATING).all()
        # places from 1 for the winner; who are equal share the best of theirs
        places = 1 + (self.place[None, :] > self.place[:, None]).sum(axis=1)
        return [
            {
                "player": player,
                **({"rating": rating} if rated else {}),
                "strength": f"{strength:.2f}",
                "active": "true" if active else "false",
                **({"place": place} if self.field.world.cut else {}),
            }
            for player, rating, strength, active, place in zip(
                self.event.players,
                self.field.rating.tolist(),
                self.field.strength.tolist(),
                self.event.active.tolist(),
                places.tolist(),
                strict=True,
            )
        ]


def simulate(
    model: ContenderLike = "standard",
    world: World | None = None,
    *,
    seed: int = 0,
    replicate: int = 0,
    choose: Choose = "uniform",
) -> Tournament:
    """Play one tournament of a world under a model: its name, path or itself, or a contender.

    `replicate` says which of the seed's tournaments, which are independent: each is the one that
    `compare_models` plays. `choose` "uniform" draws every pairing by lot among the optimal ones.
    One that could not be paired to the end is not `complete`.
    """
    world = World() if world is None else world
    require_world("simulate", world)
    require_whole("simulate", "seed", seed, 1)
    require_whole("simulate", "replicate", replicate, 0)
    require_choice("simulate", "choose", choose, get_args(Choose))
    contender = contender_of(model)
    return play_tournament(Field(world, seed, replicate), contender, choose)


def play_tournament(
    field: Field, contender: Model | Contender, choose: Choose = "any"
) -> Tournament:
    event, pairings = field.opening, []
    for made, after in tournament(field, contender, choose):
        event = after
        pairings.append(made)
    return Tournament(field, event, tuple(pairings))


def final_place(field: Field, event: Event, place: IntArray) -> IntArray:
    """The places of the standings, higher is better, with those of the cut above all others. Of
    these the winner is first, then who lost last; who lost in the same round are equal.
    """
    here = np.flatnonzero(field.there(event.round, event.matches))
    lot = uniforms(field.seed, field.replicate, Purpose.SEED, here)
    seeds = here[np.lexsort((lot, place[here]))[::-1]][: field.world.cut]
    if len(seeds) < 2:
        return place
    final = place.copy()
    final[seeds] = place.max() + 1 + _stages(field, seeds)
    return final


def _stages(field: Field, seeds: IntArray) -> IntArray:
    """How far each of the seeds comes: the round that they lost in, more for the winner."""
    state = EliminationBracket(
        tuple(map(str, range(len(seeds)))), field.world.double_cut
    )
    while state.champion is None:
        for match in state.matches:
            if match.open:
                state = state.with_result(
                    match.fixture.number, _score(field, seeds, match)
                )
    return np.array(
        [state.out.get(seed + 1, LAST + 1) for seed in range(len(seeds))], np.int64
    )


def _score(field: Field, seeds: IntArray, match: BracketMatch) -> Score:
    one, two = (int(seeds[(seed or 0) - 1]) for seed in match.seeds)
    low, high = np.array([min(one, two)]), np.array([max(one, two)])
    met = field.met(field.world.rounds, low, high, np.zeros(1, np.int64))
    win, draw = chances_of(field.world.results, met)
    number = field.world.rounds + match.fixture.number
    luck = match_luck(field.seed, field.replicate, number, low, high)
    won = Fraction(bool(luck[0] < win[0] + draw[0] / 2) == (one < two))
    return Score(won, 1 - won)
