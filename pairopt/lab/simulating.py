"""Simulate one whole tournament, and write it as the files that `pairopt solve` reads."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.column_layout import GAMES
from pairopt.event.elimination import LAST, BracketMatch, EliminationBracket
from pairopt.event.event import NO_RATING, Event, Matches
from pairopt.event.points import Score
from pairopt.event.score_checks import points_of
from pairopt.files.formats.matches_csv import list_match_rows
from pairopt.files.write import ROUND, csv_table, csv_text, make_folder, write_all
from pairopt.lab.arguments import require_choice, require_whole
from pairopt.lab.contenders import Contender, ContenderLike, resolve_contender
from pairopt.lab.luck import Purpose, match_luck, uniforms
from pairopt.lab.order import compute_order
from pairopt.lab.play import play_each_round
from pairopt.lab.world import Field, World, require_world
from pairopt.lab.worlds import chances_of
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.round.result import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Tournament:
    """A simulated tournament, which ends early if a round has no pairing.

    A `Tournament` has true strengths, games, points and final places as arrays. It can
    write its matches and players as CSV files.

    Parameters
    ----------
    field
        The players, with their world, seed and replicate.
    event
        The event after the last round that was played.
    pairings
        The result of pairing each round in order, with the problem as it was before that
        round. If a round had no pairing, its result is the last.
    """

    field: Field
    event: Event
    pairings: tuple[Result, ...] = ()

    @property
    def strength(self) -> FloatArray:
        """The true strength of each player in Elo points, shape (players,)."""
        return self.field.strength

    @property
    def games(self) -> Matches:
        """Every match and bye as arrays: players by number from 0, points times `event.scale`."""
        return self.event.matches

    @property
    def points(self) -> FloatArray:
        """The points of each player in the Swiss rounds, shape (players,).

        An elimination after them gives no points.
        """
        return points_of(self.event) / self.event.scale

    @cached_property
    def place(self) -> IntArray:
        """The final standings as numbers, shape (players,); a higher number is better.

        Tied players have equal numbers. The standings are by points and strength of
        schedule. If the world has a cut and all Swiss rounds were played, the players
        of the cut come first, in the order of the elimination, which this property
        plays. The result is cached.
        """
        place_before_cut = compute_order(self.event).place
        if self.field.world.cut and self.complete:
            return play_cut(self.field, self.event, place_before_cut)
        return place_before_cut

    @property
    def complete(self) -> bool:
        """Whether all rounds were played, so that the tournament did not end early."""
        return self.event.round > self.field.world.rounds

    @property
    def matches(self) -> "pd.DataFrame":
        """The rows of matches.csv as a table, one per match and bye."""
        return self.event.matches_frame

    @property
    def players(self) -> "pd.DataFrame":
        """The rows of players.csv: player, rating (if rated), true strength (Elo), active.

        In a world with a cut there is also a column `place`, 1 for the winner.
        """
        # pandas takes a third of a second to import, and only tables need it.
        import pandas as pd

        return pd.DataFrame(self._list_player_rows())

    def write(self, folder: str | Path) -> None:
        """Write matches.csv and players.csv into a folder, both or none of them.

        Parameters
        ----------
        folder
            The path of the folder, which is made if it does not exist.

        Raises
        ------
        UsageError
            If the files cannot be written.
        """
        make_folder(Path(folder))
        write_all(self.files(Path(folder)))

    def files(self, folder: Path) -> dict[Path, str]:
        """Return the texts of players.csv and matches.csv by path; nothing is written.

        The paths are those of the files inside `folder`.
        """
        player_rows = self._list_player_rows()
        cell_rows = (player_row.values() for player_row in player_rows)
        match_layout = ROUND
        if self.event.matches.by_games.any():
            match_layout = ROUND.with_columns(GAMES)
        matches_text = csv_text(list_match_rows(self.event), match_layout)
        return {
            folder / "players.csv": csv_table(list(player_rows[0]), cell_rows),
            folder / "matches.csv": matches_text,
        }

    def _list_player_rows(self) -> list[dict[str, Any]]:
        """Return the rows of players.csv, one mapping from column to cell each.

        The columns are player, rating, strength (Elo, 2 decimals), active ("true" or
        "false") and place. There is a column `rating` only if all players are rated,
        and `place` only in a world with a cut; there equal players share the best of
        their places.
        """
        is_rated = (self.field.rating != NO_RATING).all()
        # from 1 for the winner; equal players share the best of their places
        shown_places = 1 + (self.place[None, :] > self.place[:, None]).sum(axis=1)

        values_by_column: dict[str, Any] = {"player": self.event.players}
        if is_rated:
            values_by_column["rating"] = self.field.rating.tolist()
        strengths = self.field.strength.tolist()
        values_by_column["strength"] = [f"{strength:.2f}" for strength in strengths]
        active_flags = self.event.active.tolist()
        values_by_column["active"] = [
            "true" if is_active else "false" for is_active in active_flags
        ]
        if self.field.world.cut:
            values_by_column["place"] = shown_places.tolist()

        player_rows = zip(*values_by_column.values(), strict=True)
        return [
            dict(zip(values_by_column, row_cells, strict=True))
            for row_cells in player_rows
        ]


def simulate(
    model: ContenderLike = "standard",
    world: World | None = None,
    *,
    seed: int = 0,
    replicate: int = 0,
    choose: Choose = "uniform",
) -> Tournament:
    """Play one tournament of a simulation scenario under a model or another contender.

    Parameters
    ----------
    model
        A model's name, path or the model itself, or another contender.
    world
        The simulation scenario, by default `World()`.
    seed
        The seed of all random numbers.
    replicate
        The number of the tournament, from 0. `compare_models` with this seed plays the same one.
    choose
        "uniform" draws every pairing at random from the optimal ones, "any" takes one of them.

    Returns
    -------
    Tournament
        The simulated tournament. If a round had no pairing, `Tournament.complete` is
        False.

    Raises
    ------
    UsageError
        If the model does not exist, or an argument has a wrong type.

    Examples
    --------
    >>> tournament = simulate("standard", World(players=8, rounds=3), seed=1)
    >>> tournament.complete, len(tournament.matches)
    (True, 12)
    """
    world = World() if world is None else world
    require_world("simulate", world)
    require_whole("simulate", "seed", seed, 1)
    require_whole("simulate", "replicate", replicate, 0)
    require_choice("simulate", "choose", choose, get_args(Choose))
    contender = resolve_contender(model)
    return play_tournament(Field(world, seed, replicate), contender, choose)


def play_tournament(
    field: Field, contender: Model | Contender, choose: Choose = "any"
) -> Tournament:
    """Simulate a tournament until its last round, or until a round has no pairing.

    `field` has the players before round 1. `contender` pairs each round, and `choose`
    says which one of several optimal pairings to take, "any" or "uniform" (at random).
    A tournament also ends before a round with fewer than two players.
    """
    event = field.opening
    round_results = []
    for round_result, next_event in play_each_round(field, contender, choose):
        event = next_event
        round_results.append(round_result)
    return Tournament(field, event, tuple(round_results))


def play_cut(field: Field, event: Event, place: IntArray) -> IntArray:
    """Play the cut, and return the final standings with its players above all others.

    Both standings are arrays of shape (players,), in which higher is better. The winner
    is first, then the players in the reverse order of the rounds that they lost in;
    players who lost in the same round are equal. `field` has the players with the world
    and the seed. `event` is the event after the Swiss rounds, and `place` has the
    standings before the cut, ties of which are seeded at random. `place` is returned
    unchanged if fewer than two players are left, and never modified.
    """
    present_players = np.flatnonzero(field.there(event.round, event.matches))
    seeding_luck = uniforms(field.seed, field.replicate, Purpose.SEED, present_players)
    seed_order = np.lexsort((seeding_luck, place[present_players]))[::-1]
    seeded_players = present_players[seed_order][: field.world.cut]
    if len(seeded_players) < 2:
        return place
    final_places = place.copy()
    final_places[seeded_players] = (
        place.max() + 1 + _play_elimination(field, seeded_players)
    )
    return final_places


def _play_elimination(field: Field, seeds: IntArray) -> IntArray:
    """Play the elimination, and return a number per player that orders the players.

    The number grows with the round in which the player is out. It is the number of this
    round within its part of the bracket, `LAST` for the loser of a double elimination's
    final, and `LAST + 1` for the winner. Only the order of the numbers means something.

    `field` has the players with the world and the seed. `seeds` are the players by
    number, the best seed first; the result is in the same order. The world's
    `double_cut` decides whether one loss or two put a player out.
    """
    seed_names = tuple(map(str, range(len(seeds))))
    bracket = EliminationBracket(seed_names, field.world.double_cut)
    while bracket.champion is None:
        for match in bracket.matches:
            if match.open:
                match_score = _play_match(field, seeds, match)
                bracket = bracket.with_result(match.fixture.number, match_score)

    losing_rounds = [
        bracket.out.get(seed_index + 1, LAST + 1) for seed_index in range(len(seeds))
    ]
    return np.array(losing_rounds, np.int64)


def _play_match(field: Field, seeds: IntArray, match: BracketMatch) -> Score:
    """Play a match of the elimination, and return its score, 1-0 or 0-1.

    The score is in the order of the match's seeds. `field` has the players with the
    world and the seed. `seeds` are the players by number, the best seed first. A draw
    is decided at even odds, in the same random number as the game. Nobody has the
    advantage of a side.
    """
    player, opponent = (
        int(seeds[(seed_number or 0) - 1]) for seed_number in match.seeds
    )
    low_player = np.array([min(player, opponent)])
    high_player = np.array([max(player, opponent)])
    no_sides = np.zeros(1, np.int64)
    game_chances = field.met(field.world.rounds, low_player, high_player, no_sides)
    win_chances, draw_chances = chances_of(field.world.results, game_chances)

    luck_round_number = field.world.rounds + match.fixture.number
    tie_luck = match_luck(
        field.seed, field.replicate, luck_round_number, low_player, high_player
    )
    is_low_winner = bool(tie_luck[0] < win_chances[0] + draw_chances[0] / 2)
    is_player_low = player < opponent
    player_points = Fraction(1 if is_low_winner == is_player_low else 0)
    return Score(player_points, 1 - player_points)
