"""Match results: read result cells of other programs, such as 2:1, ½-½, W or a name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from pairopt.common.serialization import read_package_toml
from pairopt.event.points import (
    FOOTBALL,
    OLD_FOOTBALL,
    USUAL,
    MatchPoints,
    points_of_two_games,
)
from pairopt.files.match_headings import simplify_heading

NUMBER = r"(\d{1,4}(?:[.,]\d{1,2})?|[.,]\d{1,2})"
PAIR = re.compile(rf"{NUMBER}-{NUMBER}(?:-{NUMBER})?")
SINGLE = re.compile(NUMBER)
DASHES = re.compile("[-:/\u2010-\u2015\u2212]")
BESIDE_DASHES = re.compile(r"\s*-\s*")
HALVES = ("\N{VULGAR FRACTION ONE HALF}", "1/2", "&frac12;")
ONE_HALF = Fraction(1, 2)
VERDICTS = {"win": 1, "draw": 0, "loss": -1}
UNPLAYED = {"+--": 1, "+-": 1, "--+": -1, "-+": -1}
"""Results of chess programs for matches won or lost without play."""
NO_OPPONENT = frozenset({"", "-", "--", "---", "n/a"})
FORFEIT_MARK = re.compile(r"(?<=\d)f(?=-|$)| ?\(?(?:ff|fft|forfeit|f|kl|wo)\)?$")
SENTENCE = re.compile(
    r"(?:(?P<winner>.+) (?:won|wins) )?(?P<result>[\d-]+)(?: draw)?", re.IGNORECASE
)
ROUND_AND_BOARD = re.compile(r"(\d{1,3})\.\d{1,3}")
ROUND_WORD = re.compile(r"(?:[^\W\d]+ ){0,2}(\d{1,3})|(\d{1,3})(?: [^\W\d]+)?")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a match, read from a cell.

    `verdict` is 1, 0 or -1 if the first player won, drew or lost; None for numbers or
    no result. `first_number` and `second_number` are the numbers of a cell such as 2-1,
    which may be points or games. `drawn` is a third number: the drawn games.
    `both_lose` is a double loss, and `forfeit` a match that was not played.
    `by_heading` says that only the headings, Winner and Loser, tell who won.
    """

    verdict: int | None = None
    first_number: Fraction | None = None
    second_number: Fraction | None = None
    drawn: Fraction | None = None
    both_lose: bool = False
    forfeit: bool = False
    by_heading: bool = False

    @property
    def is_open(self) -> bool:
        """Whether there is no result yet: no verdict, no numbers, no double loss."""
        return self.verdict is None and self.first_number is None and not self.both_lose

    @property
    def winner(self) -> int:
        """The winner: 1 for the first player, -1 for the second, 0 for a draw.

        It is also 0 for an open match, and if both lose.
        """
        if self.first_number is None or self.second_number is None:
            return self.verdict or 0
        if self.first_number == self.second_number:
            return 0
        return 1 if self.first_number > self.second_number else -1

    def with_players_swapped(self) -> "Outcome":
        """Return a copy as the other player sees it, with verdict and numbers swapped."""
        swapped_verdict = None if self.verdict is None else -self.verdict
        return replace(
            self,
            verdict=swapped_verdict,
            first_number=self.second_number,
            second_number=self.first_number,
        )


OPEN = Outcome()


def read_result(cell: str) -> Outcome | None:
    """Read a cell with the result of a match, such as 2-1, ½-½ or Draw.

    Words such as win and loss are the first player's result. An empty cell, * and - are
    an open outcome. `+--` and `--+` are won without play, `---` is lost by both, and a
    mark such as F or wo after numbers makes a forfeit. Returns None if the cell is not
    a result.
    """
    plain_cell = _normalize_dashes(cell)
    if plain_cell in UNPLAYED:
        return Outcome(verdict=UNPLAYED[plain_cell], forfeit=True)
    if plain_cell == "---":
        return Outcome(both_lose=True, forfeit=True)
    if plain_cell in ("", "*", "-"):
        return OPEN
    result_text, is_forfeit = _without_forfeit_mark(plain_cell)
    if pair_match := PAIR.fullmatch(result_text):
        first_number = _parse_number(pair_match[1])
        second_number = _parse_number(pair_match[2])
        drawn_games = _parse_number(pair_match[3]) if pair_match[3] else None
        return Outcome(
            first_number=first_number,
            second_number=second_number,
            drawn=drawn_games,
            forfeit=is_forfeit,
        )
    return _read_word(cell)


def read_player_result(cell: str) -> Fraction | int | None:
    """Read a cell with the result of one player.

    A number gives a Fraction. A word such as W, D or L gives the integer 1, 0 or -1.
    Returns None for other cells, and for words for open matches or a double loss.
    """
    plain_cell = _normalize_dashes(cell)
    if SINGLE.fullmatch(plain_cell):
        return _parse_number(plain_cell)
    outcome = _read_word(cell)
    return None if outcome is None else outcome.verdict


def read_chess_point(cell: str) -> Outcome | None:
    """Read White's points in a match as an outcome; None unless they are 1, ½ or 0.

    `cell` may also have 0.5 or 0,5. The outcome is a win, draw or loss of the first
    player, without numbers.
    """
    verdict_by_points = {"1": 1, "0.5": 0, "0": -1}
    plain_cell = _normalize_dashes(cell).replace(",", ".")
    return (
        Outcome(verdict=verdict_by_points[plain_cell])
        if plain_cell in verdict_by_points
        else None
    )


def read_winner(
    cell: str, first_player: str, second_player: str, numbers: bool
) -> Outcome | None:
    """Read a cell that names the winner as an outcome; None if it does not.

    It may be a player's name, "Ann won", "Ann won 2-1", or a word such as draw; win and
    loss are those of the first player. If `numbers` is true, 1 and 2 are the first and
    the second player. Case, accents and signs do not count.
    """
    plain_cell = simplify_heading(cell)
    verdict_by_name = {
        simplify_heading(first_player): 1,
        simplify_heading(second_player): -1,
    }
    if plain_cell and plain_cell in verdict_by_name:
        return Outcome(verdict=verdict_by_name[plain_cell])
    for player_name, verdict in verdict_by_name.items():
        if (
            plain_cell
            and player_name
            and plain_cell in (f"{player_name} wins", f"{player_name} won")
        ):
            return Outcome(verdict=verdict)
    if numbers and plain_cell in ("1", "2"):
        return Outcome(verdict=1 if plain_cell == "1" else -1)
    return _read_sentence(cell, first_player, second_player) or _read_word(cell)


def _read_sentence(cell: str, first_player: str, second_player: str) -> Outcome | None:
    """Read a sentence such as "Ann won 2-1-0" or "1-1-1 Draw".

    `cell` is the sentence. With a winner, who must be `first_player` or `second_player`
    by name, the first number is the winner's, and drawn games that are not stated are
    0. Without one, the numbers are those of the first and the second player, as in 2-1.
    Returns None for other sentences, and if the winner is neither player.
    """
    sentence_match = SENTENCE.fullmatch(" ".join(cell.split()))
    if sentence_match is None:
        return None
    outcome = read_result(sentence_match["result"])
    if outcome is None or sentence_match["winner"] is None:
        return outcome
    outcome_of_winner = replace(outcome, drawn=outcome.drawn or Fraction(0))
    outcome_by_name = {
        simplify_heading(first_player): outcome_of_winner,
        simplify_heading(second_player): outcome_of_winner.with_players_swapped(),
    }
    return outcome_by_name.get(simplify_heading(sentence_match["winner"]))


def is_word(cell: str, meaning: str) -> bool:
    """Return whether a cell is a word for `meaning`, a key of match_results.toml.

    Meanings are for example "bye", "forfeit" and "requested".
    """
    plain_cell = simplify_heading(cell)
    return (
        bool(plain_cell)
        and plain_cell
        in read_package_toml("pairopt.files", "match_results.toml")[meaning]
    )


def is_bye(name: str) -> bool:
    """Return whether a player's cell means a bye: empty, a dash, or a word such as BYE.

    Words for requested byes count, too.
    """
    return (
        name.strip().lower() in NO_OPPONENT
        or is_word(name, "bye")
        or is_word(name, "requested")
    )


def parse_round_number(cell: str) -> int | None:
    """Read the number of a round: 3 for 3, Round 3, R3, 3rd or 3.12 (round and board).

    `cell` is the text. The number has at most three digits, and may be 0. Returns None
    for other texts, and for rounds of a top cut such as Top 8.
    """
    if is_cut(cell):
        return None
    if round_match := ROUND_AND_BOARD.fullmatch(cell.strip()):
        return int(round_match[1])
    round_match = ROUND_WORD.fullmatch(simplify_heading(cell))
    return int(round_match[1] or round_match[2]) if round_match else None


def is_cut(cell: str) -> bool:
    """Return whether a round or a stage belongs to a top cut, for example Top 8.

    `cell` is its name; a number at the end and the word round do not matter.
    """
    stage_words = re.sub(r" ?\d+$", "", simplify_heading(cell))
    cut_words = read_package_toml("pairopt.files", "match_results.toml")["cut"]
    return stage_words in cut_words or stage_words.removesuffix(" round") in cut_words


def classify_results(pairs: Iterable[MatchPoints]) -> str:
    """Return whether pairs of numbers are "points", "games" or "goals".

    `pairs` have the larger number first; 0-0 does not count. They are points if all
    pairs are results of a usual point system: 1-0 and ½-½, 3-0 and 1-1, or two such
    games. Returns "" if they may be points or games, for example 2-0 and 1-1, or have
    fractions. Other pairs are games, or goals if a number is above MOST_GAMES. Without
    pairs the result is "points".
    """
    number_pairs = {number_pair for number_pair in pairs if any(number_pair)}
    for point_system in USUAL:
        system_results = {
            (point_system.win, point_system.loss),
            (point_system.draw, point_system.draw),
        }
        if point_system is not OLD_FOOTBALL and number_pairs <= system_results:
            return "points"
    two_game_results = points_of_two_games(FOOTBALL).results | FOOTBALL.results
    if number_pairs <= two_game_results and (Fraction(6), Fraction(0)) in number_pairs:
        return "points"
    has_fractions = any(
        result_number.denominator > 1
        for number_pair in number_pairs
        for result_number in number_pair
    )
    if (
        has_fractions
        or number_pairs
        <= points_of_two_games(OLD_FOOTBALL).results | OLD_FOOTBALL.results
    ):
        return ""
    largest_number = max(
        result_number for number_pair in number_pairs for result_number in number_pair
    )
    return "games" if largest_number <= MOST_GAMES else "goals"


MOST_GAMES = 5
"""The most games in a match: larger numbers are goals, or points within a game."""


def _normalize_dashes(cell: str) -> str:
    """Return a result with all dashes, colons and slashes as -, and halves as .5.

    `cell` is the result. Blanks around dashes are left out, and letters become small.
    For example, `1 : ½` becomes `1-0.5`.
    """
    result_text = cell.strip().lower()
    result_text = result_text.replace("1/2", HALVES[0]).replace("&frac12;", HALVES[0])
    result_text = re.sub(
        rf"(\d?){HALVES[0]}", lambda match: f"{match[1] or 0}.5", result_text
    )
    return BESIDE_DASHES.sub("-", DASHES.sub("-", result_text))


def _without_forfeit_mark(text: str) -> tuple[str, bool]:
    """Return a result without its forfeit mark (F or wo), and whether it had one."""
    unmarked_text = FORFEIT_MARK.sub("", text)
    return unmarked_text, unmarked_text != text


def _parse_number(text: str) -> Fraction:
    """Parse a number with a decimal point or comma, also without digits before it.

    The text must be a number as NUMBER has it; other texts raise ValueError.
    """
    return Fraction(f"0{text}".replace(",", "."))


def _read_word(cell: str) -> Outcome | None:
    """Read a word for a result of the first player, such as win or draw.

    `cell` is the word; case and accents do not count. Words for matches that are still
    to be played give an open outcome, and words for a double loss one in which both
    lose. Returns None for other words.
    """
    plain_cell = simplify_heading(cell)
    words_by_meaning = read_package_toml("pairopt.files", "match_results.toml")
    if plain_cell in words_by_meaning["both_lose"]:
        return Outcome(both_lose=True)
    for meaning, verdict in VERDICTS.items():
        if plain_cell in words_by_meaning[meaning]:
            return Outcome(verdict=verdict)
    return OPEN if plain_cell in words_by_meaning["open"] else None
