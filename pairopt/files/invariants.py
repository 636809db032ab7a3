"""Invariants: conditions that every event meets, whatever file it comes from."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from unicodedata import category, normalize

from pairopt.errors import Fault
from pairopt.event.points import USUAL, MatchPoints, Points, points_of_two_games
from pairopt.files.csv_schema import MatchRow, PlayerRow
from pairopt.messages import message
from pairopt.messages.formatting import decimal_text

SEEDS = 1
"""The round in which several players may have a bye, because some events give one to seeds."""


def find_faults_of_players(
    players: Sequence[PlayerRow], any_penalties: bool = False
) -> list[Fault]:
    """Return faults for names that look empty or alike, and for points below 0.

    `players` are rows of players.csv. The points are those that players bring in. With
    `any_penalties` they may be below 0.
    """
    faults = [*_find_invisible_names(players), *_find_lookalikes(players)]
    if not any_penalties:
        faults += [
            Fault(
                message("cell.below_0_brought", found=str(player_row.score)),
                player_row.place.at("score"),
            )
            for player_row in players
            if player_row.score is not None and player_row.score < 0
        ]
    return faults


def find_faults_of_matches(
    rows: Sequence[MatchRow], any_results: bool = False, any_byes: bool = False
) -> list[Fault]:
    """Return faults for matches that cannot be together in one event.

    `rows` are all matches and byes. Faults are two matches at one table, two byes in a
    round after the first, results of two point systems, and scores below 0. If
    `any_results` is true, results are not compared with each other. If `any_byes` is
    true, a round may have several byes, because some files do not say which of them
    players asked for.
    """
    faults = [*_find_shared_tables(rows), *_find_negative_scores(rows)]
    if not any_byes:
        faults += _find_second_byes(rows)
    if not any_results:
        faults += _find_mixed_results(rows)
    return faults


def normalize_look(name: str) -> str:
    """Return a name as it looks: letters and blanks in one form, no invisible signs.

    Two names that look the same give the same text. Upper and lower case look
    different, and so do one blank and two.
    """
    if not name.isascii():
        name = "".join(
            character
            for character in normalize("NFC", name)
            if category(character) != "Cf"
        )
    return "".join(
        " " if character.isspace() else character for character in name
    ).strip()


def _find_invisible_names(players: Iterable[PlayerRow]) -> Iterator[Fault]:
    """Yield a fault for each identifier or name without a visible sign.

    `players` are rows of players.csv; each has at most one such fault. An empty name is
    no fault, because then the identifier is shown.
    """
    for player_row in players:
        if not normalize_look(player_row.player) or (
            player_row.name and not normalize_look(player_row.name)
        ):
            invisible_name = (
                player_row.player
                if not normalize_look(player_row.player)
                else player_row.name
            )
            yield Fault(
                message("roster.unseen", found=invisible_name), player_row.place
            )


def _find_lookalikes(players: Iterable[PlayerRow]) -> Iterator[Fault]:
    """Yield a fault for each identifier that looks like an earlier one, but differs.

    Identical identifiers and names of several players are no faults here; other checks
    report them.
    """
    player_by_look: dict[str, PlayerRow] = {}
    for player_row in players:
        similar_row = player_by_look.setdefault(
            normalize_look(player_row.player), player_row
        )
        if similar_row.player != player_row.player and normalize_look(
            player_row.player
        ):
            reason = message(
                "roster.looks_alike",
                found=player_row.player,
                player=similar_row.player,
                place=str(similar_row.place),
            )
            yield Fault(reason, player_row.place)


def _find_shared_tables(rows: Iterable[MatchRow]) -> Iterator[Fault]:
    """Yield a fault for each table that has a second match in a round.

    `rows` are all matches; each further match at a table has a fault. Byes and matches
    without a table do not count.
    """
    row_by_table: dict[tuple[int, int], MatchRow] = {}
    for match_row in rows:
        if not match_row.table or not match_row.player2:
            continue
        earlier_row = row_by_table.setdefault(
            (match_row.round, match_row.table), match_row
        )
        if earlier_row is not match_row:
            reason = message(
                "row.table_again",
                table=match_row.table,
                round=match_row.round,
                place=str(earlier_row.place),
            )
            yield Fault(reason, match_row.place.at("table"))


def _find_second_byes(rows: Iterable[MatchRow]) -> Iterator[Fault]:
    """Yield a fault for each pairing-allocated bye after the first one in its round.

    `rows` are all matches and byes. Round 1 may have several, for seeds. Requested byes
    do not count.
    """
    row_by_round: dict[int, MatchRow] = {}
    for bye_row in rows:
        if bye_row.player2 or bye_row.status == "requested" or bye_row.round == SEEDS:
            continue
        earlier_row = row_by_round.setdefault(bye_row.round, bye_row)
        if earlier_row is not bye_row:
            reason = message(
                "row.second_bye",
                player=bye_row.player1,
                first=earlier_row.player1,
                round=bye_row.round,
                place=str(earlier_row.place),
            )
            yield Fault(reason, bye_row.place.at("status"))


def _find_negative_scores(rows: Iterable[MatchRow]) -> Iterator[Fault]:
    """Yield a fault for each score below 0; both scores of a row may have one."""
    for match_row in rows:
        for score_column in ("score1", "score2"):
            score = getattr(match_row, score_column)
            if score is not None and score < 0:
                yield Fault(
                    message("row.below_0", found=str(score)),
                    match_row.place.at(score_column),
                )


def _find_mixed_results(rows: Iterable[MatchRow]) -> Iterator[Fault]:
    """Yield a fault for each usual point system that the results contradict.

    `rows` are all matches. For example, 3-3 in one match and 3-0 in another contradict
    3-1-0, because both players of a match cannot win. They do not if some result shows
    that matches have two games. The fault is at the first match in which both players
    have the points of a win. Byes, forfeits and matches without a result do not count.
    """
    first_row_by_result: dict[MatchPoints, MatchRow] = {}
    for match_row in rows:
        if (
            match_row.score1 is not None
            and match_row.score2 is not None
            and not match_row.status
        ):
            larger_score, smaller_score = sorted(
                (Fraction(match_row.score1), Fraction(match_row.score2)), reverse=True
            )
            first_row_by_result.setdefault((larger_score, smaller_score), match_row)
    for point_system in USUAL:
        result_of_two_wins = (point_system.win, point_system.win)
        result_of_one_win = (point_system.win, point_system.loss)
        if (
            result_of_two_wins in first_row_by_result
            and result_of_one_win in first_row_by_result
            and not _is_of_two_games(point_system, set(first_row_by_result))
        ):
            match_row = first_row_by_result[result_of_two_wins]
            two_wins_text = "-".join(map(decimal_text, result_of_two_wins))
            reason = message(
                "row.both_win",
                found=two_wins_text,
                result="-".join(map(decimal_text, result_of_one_win)),
                place=str(first_row_by_result[result_of_one_win].place),
            )
            yield Fault(reason, match_row.place.at("score1"))


def _is_of_two_games(system: Points, results: set[MatchPoints]) -> bool:
    """Return whether one of the results is only possible in a match of two games.

    `system` has the points of one game. A win for both players counts as a result of
    one game.
    """
    one_game_results = {*system.results, (system.win, system.win)}
    return bool(results & (points_of_two_games(system).results - one_game_results))
