"""The top cut in NRTM JSON, read as an elimination bracket and written from one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from pairopt.common.serialization import read_package_toml
from pairopt.event.elimination import BracketMatch, EliminationBracket
from pairopt.event.event import Event
from pairopt.event.points import Score
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.bracket_csv import load_bracket

FACTS_KEY = "json"
CUT = "the cut"  # the matches after the Swiss rounds, by round
OF_EVENT = ("name", "players", "rounds", "preliminaryRounds")
"""Keys of which an event says everything, but for the cut."""
IDENTITIES = ("corp_identity", "runner_identity")  # columns of players.csv
GAMES = ("corp1", "runner1", "corp2", "runner2")
MARKS = ("intentional_draw", "two_for_one")  # further columns of matches.csv
USUAL = read_package_toml(__package__, "usual.toml")
"""Default values, which are written if the event has none, and ignored when they are read."""
OF_CUT = ("cutToTop", "eliminationPlayers", CUT)
SEATS = ("player1", "player2")
Tables = list[dict[str, object]]
Cut = tuple[Tables, list[Tables]]
"""The ranked players of a cut, and its rounds as far as they are played."""
PARTS = ("main", "winners", "losers", "final")
"""The parts of a bracket, in the order of their tables."""


@dataclass(frozen=True, slots=True)
class TopCutGame:
    """A match of the top cut in a file: its table, and the ids of its players.

    `table` is the JSON object. `winner` is the id of one of `players`, None if the
    match is not decided.
    """

    table: Mapping[str, Any]
    players: tuple[str, str]
    winner: str | None


def has_cut(event: Event) -> bool:
    """Return whether the event's source file has ranked players or matches of a cut.

    A bracket in bracket.csv does not count.
    """
    return bool(
        _select_dicts(_get_stored_facts(event).get("eliminationPlayers"))
        or read_cut_games(event)
    )


def read_cut(event: Event) -> EliminationBracket | None:
    """Build the bracket of the cut in the file of an event.

    The facts of the event hold the cut, so no file is read. The bracket is double
    elimination if somebody plays after a loss. With at most one round it is double from
    four players on, as these programs make it. Returns None if the file has no cut, if
    the seeds are not known, or if its matches are those of another kind of bracket.
    """
    games_by_round = read_cut_games(event)
    cut_games = [cut_game for round_games in games_by_round for cut_game in round_games]
    seeded_players = _find_seeds(event, cut_games)
    if len(seeded_players) < 2:
        return None

    beaten_players: set[str] = set()
    is_double = len(games_by_round) < 2 and len(seeded_players) > 3
    for cut_game in cut_games:
        if beaten_players & set(cut_game.players):
            is_double = True
        if cut_game.winner:
            beaten_players |= set(cut_game.players) - {cut_game.winner}
    bracket = EliminationBracket(seeded_players, is_double)
    for cut_game in cut_games:
        seeds_of_game = {
            seeded_players.index(player_id) + 1
            for player_id in cut_game.players
            if player_id in seeded_players
        }
        match = _find_open_match(bracket, seeds_of_game)
        if match is None:
            return None
        if cut_game.winner is not None:
            is_first_winner = (
                match.seeds[0] == seeded_players.index(cut_game.winner) + 1
            )
            first_points = Fraction(is_first_winner)
            game_result = Score(first_points, 1 - first_points)
            bracket = bracket.with_result(match.fixture.number, game_result)
    return bracket


def _find_open_match(
    bracket: EliminationBracket, seeds: set[int]
) -> BracketMatch | None:
    """Return the first match between these two seeds without a result, or None.

    `bracket` has the matches in its own order, and `seeds` are two numbers from 1.
    """
    for match in bracket.matches:
        if match.open and set(match.seeds) == seeds:
            return match
    return None


def read_cut_games(event: Event) -> list[list[TopCutGame]]:
    """Return the matches of the cut in the event's source file, by round.

    Rounds without a match are left out, and so are tables that do not name two players.
    """
    stored_rounds = _get_stored_facts(event).get(CUT)
    round_tables = stored_rounds if isinstance(stored_rounds, list) else []
    rounds_of_games = [
        [
            cut_game
            for cut_table in _select_dicts(tables_of_round)
            if (cut_game := _parse_game(cut_table))
        ]
        for tables_of_round in round_tables
    ]
    return [round_games for round_games in rounds_of_games if round_games]


def _parse_game(table: Mapping[str, Any]) -> TopCutGame | None:
    """Return a table of the cut as a match; None if it does not name two players.

    The player with more points is the winner; with equal points there is none. Players
    are ids as texts.
    """
    seat_dicts = _select_dicts([table.get(seat_key) for seat_key in SEATS])
    if len(seat_dicts) != len(SEATS) or not all("id" in seat for seat in seat_dicts):
        return None
    first_player = str(seat_dicts[0]["id"])
    second_player = str(seat_dicts[1]["id"])
    first_points = _parse_seat_points(seat_dicts[0])
    second_points = _parse_seat_points(seat_dicts[1])
    winner = None
    if first_points > second_points:
        winner = first_player
    elif first_points != second_points:
        winner = second_player
    return TopCutGame(table, (first_player, second_player), winner)


def _parse_seat_points(seat: Mapping[str, Any]) -> float:
    """Return the points of a player in a match of the cut.

    They are 1 or 0 if the seat says who won. Otherwise they are combinedScore, which
    older files have, or the sum of both games. Values that are no numbers count as 0.
    """
    if "winner" in seat:
        return seat["winner"] is True
    score_keys = (
        ("combinedScore",) if "combinedScore" in seat else ("corpScore", "runnerScore")
    )
    game_scores = [seat.get(score_key) for score_key in score_keys]
    return sum(
        game_score for game_score in game_scores if isinstance(game_score, int | float)
    )


def _find_seeds(event: Event, games: Sequence[TopCutGame]) -> tuple[str, ...]:
    """Return the identifiers of the players of the cut, in the order of their seeds.

    If the file does not name all seeds, because the cut is still played, the players in
    `games` are seeded by the standings. Returns an empty tuple if their number is then
    not that of the cut, if the seeds in the file are others, or if a player is not in
    the event. It is empty, too, if there is no cut.
    """
    listed_players = _select_dicts(_get_stored_facts(event).get("eliminationPlayers"))
    player_by_seed = {
        listed_player["seed"]: str(listed_player.get("id"))
        for listed_player in listed_players
        if isinstance(listed_player.get("seed"), int)
    }
    if {*player_by_seed} == {*range(1, len(listed_players) + 1)}:
        seeded_players = tuple(player_by_seed[seed] for seed in sorted(player_by_seed))
    else:
        players_in_games = {*chain(*(cut_game.players for cut_game in games))}
        seeded_players = tuple(
            standing_line.player
            for standing_line in rank_players(event, SCHEDULE)
            if standing_line.player in players_in_games
        )
        if len(seeded_players) != _get_stored_facts(event).get("cutToTop"):
            return ()
    fits_listed_seeds = all(
        seeded_players[seed - 1 : seed] == (identifier,)
        for seed, identifier in player_by_seed.items()
    )
    return (
        seeded_players
        if fits_listed_seeds
        and len({*seeded_players} & {*event.players}) == len(seeded_players)
        else ()
    )


def _get_stored_facts(event: Event) -> Mapping[str, Any]:
    """Return the facts that the event's JSON file had beyond pairopt's data, by key.

    They are empty if the event did not come from a JSON file.
    """
    facts = event.origin.facts.get(FACTS_KEY, {})
    return facts if isinstance(facts, dict) else {}


def _select_dicts(value: object) -> list[dict[str, Any]]:
    """Return those entries of a list that are dicts; an empty list for other values."""
    if not isinstance(value, list):
        return []
    return [list_entry for list_entry in value if isinstance(list_entry, dict)]


def build_cut(event: Event, numbers: Sequence[int]) -> Cut | None:
    """Build the cut of an event as it is written: ranked players, and tables by round.

    `numbers` are the players' ids in the new file, in the order of the event. Only
    matches with a result are in it, because readers expect a winner in each match and a
    match in each round. Returns None if the event has no bracket, or if the bracket and
    all ids are those of the source file, whose own cut can be copied. Raises InputError
    for a fault in the bracket.csv that the event holds.
    """
    bracket = load_bracket(event)
    if bracket is None:
        return None
    source_bracket = read_cut(event)
    id_by_player = dict(zip(event.players, numbers, strict=True))
    if bracket == source_bracket and all(
        str(id_in_new_file) == player_id
        for player_id, id_in_new_file in id_by_player.items()
    ):
        return None
    name_by_player = dict(zip(event.players, event.names, strict=True))
    ranked_seeds = [(seed, bracket.players[seed - 1]) for seed in bracket.ranking]
    ranked_players: Tables = [
        {
            "id": id_by_player[player_id],
            "name": name_by_player[player_id],
            "rank": rank,
            "seed": seed,
        }
        for rank, (seed, player_id) in enumerate(ranked_seeds, 1)
    ]
    stage_by_match = bracket.stages
    tables_by_stage = dict[int, Tables]()
    played_matches = sorted(
        (bracket_match for bracket_match in bracket.matches if bracket_match.score),
        key=lambda bracket_match: (
            stage_by_match[bracket_match.fixture.number],
            PARTS.index(bracket_match.fixture.part),
        ),
    )
    games_to_keep = [*chain(*read_cut_games(event))]
    for table_number, bracket_match in enumerate(played_matches, 1):
        cut_table = _build_table(bracket, bracket_match, table_number, games_to_keep)
        for json_seat in (cut_table[seat_key] for seat_key in SEATS):
            json_seat["id"] = id_by_player[str(json_seat["id"])]
        tables_by_stage.setdefault(
            stage_by_match[bracket_match.fixture.number], []
        ).append(cut_table)
    return ranked_players, [*tables_by_stage.values()]


def _build_table(
    bracket: EliminationBracket,
    match: BracketMatch,
    number: int,
    remaining_games: list[TopCutGame],
) -> dict[str, Any]:
    """Build the table of a match of the cut, with players' identifiers as ids.

    `match` is a match of `bracket` with a result. A match that was in the event's
    source file with the same winner keeps its table, and is removed from
    `remaining_games`. `number` is the number of any other table.
    """
    match_players = [bracket.players[(seed or 0) - 1] for seed in match.seeds]
    winner = bracket.players[(match.winner or 0) - 1]
    for cut_game in remaining_games:
        if {*cut_game.players} == {*match_players} and cut_game.winner == winner:
            remaining_games.remove(cut_game)
            return {
                **cut_game.table,
                **{seat_key: {**cut_game.table[seat_key]} for seat_key in SEATS},
            }
    seat_by_key = {
        seat_key: {"id": player_id, "winner": player_id == winner}
        for seat_key, player_id in zip(SEATS, match_players, strict=True)
    }
    return {
        "table": number,
        **seat_by_key,
        "intentionalDraw": False,
        "eliminationGame": True,
    }
