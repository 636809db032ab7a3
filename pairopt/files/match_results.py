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
    no result. `first_number` and `second_number` are the numbers of a cell such as 2-1.
    `drawn` is a third number: the drawn games. `by_heading` says that only the
    headings, Winner and Loser, tell who won.
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
        """Whether there is no result yet."""
        return self.verdict is None and self.first_number is None and not self.both_lose

    @property
    def winner(self) -> int:
        """The winner: 1 for the first player, -1 for the second, 0 for a draw."""
        if self.first_number is None or self.second_number is None:
            return self.verdict or 0
        if self.first_number == self.second_number:
            return 0
        return 1 if self.first_number > self.second_number else -1

    def with_players_swapped(self) -> "Outcome":
        """Return the outcome with the two players exchanged."""
        verdict = None if self.verdict is None else -self.verdict
        return replace(
            self,
            verdict=verdict,
            first_number=self.second_number,
            second_number=self.first_number,
        )


OPEN = Outcome()


def read_result(cell: str) -> Outcome | None:
    """Read a cell with the result of a match; None if it is not a result."""
    text = _normalize_dashes(cell)
    if text in UNPLAYED:
        return Outcome(verdict=UNPLAYED[text], forfeit=True)
    if text == "---":
        return Outcome(both_lose=True, forfeit=True)
    if text in ("", "*", "-"):
        return OPEN
    numbers, forfeit = _without_forfeit_mark(text)
    if match := PAIR.fullmatch(numbers):
        first_number = _parse_number(match[1])
        second_number = _parse_number(match[2])
        drawn = _parse_number(match[3]) if match[3] else None
        return Outcome(
            first_number=first_number,
            second_number=second_number,
            drawn=drawn,
            forfeit=forfeit,
        )
    return _read_word(cell)


def read_player_result(cell: str) -> Fraction | int | None:
    """Read one player's cell: a Fraction for a number; the int 1, 0, -1 for W, D, L; or None."""
    text = _normalize_dashes(cell)
    if SINGLE.fullmatch(text):
        return _parse_number(text)
    outcome = _read_word(cell)
    return None if outcome is None else outcome.verdict


def read_chess_point(cell: str) -> Outcome | None:
    """Read what White scored: 1, ½ or 0."""
    verdicts = {"1": 1, "0.5": 0, "0": -1}
    text = _normalize_dashes(cell).replace(",", ".")
    return Outcome(verdict=verdicts[text]) if text in verdicts else None


def read_winner(
    cell: str, first_player: str, second_player: str, numbers: bool
) -> Outcome | None:
    """Read the winner: a player's name, a word, or with `numbers` 1 or 2."""
    plain = simplify_heading(cell)
    names = {simplify_heading(first_player): 1, simplify_heading(second_player): -1}
    if plain and plain in names:
        return Outcome(verdict=names[plain])
    for name, verdict in names.items():
        if plain and name and plain in (f"{name} wins", f"{name} won"):
            return Outcome(verdict=verdict)
    if numbers and plain in ("1", "2"):
        return Outcome(verdict=1 if plain == "1" else -1)
    return _read_sentence(cell, first_player, second_player) or _read_word(cell)


def _read_sentence(cell: str, first_player: str, second_player: str) -> Outcome | None:
    """Read a sentence such as "Ann won 2-1-0" or "1-1-1 Draw"; None if it is not one."""
    match = SENTENCE.fullmatch(" ".join(cell.split()))
    if match is None:
        return None
    outcome = read_result(match["result"])
    if outcome is None or match["winner"] is None:
        return outcome
    games = replace(outcome, drawn=outcome.drawn or Fraction(0))
    names = {
        simplify_heading(first_player): games,
        simplify_heading(second_player): games.with_players_swapped(),
    }
    return names.get(simplify_heading(match["winner"]))


def is_word(cell: str, meaning: str) -> bool:
    """Return whether a cell is a word with this meaning in match_results.toml."""
    plain = simplify_heading(cell)
    return (
        bool(plain)
        and plain in read_package_toml("pairopt.files", "match_results.toml")[meaning]
    )


def is_bye(name: str) -> bool:
    """Return whether a player's cell means a bye: empty, or a word such as BYE."""
    return (
        name.strip().lower() in NO_OPPONENT
        or is_word(name, "bye")
        or is_word(name, "requested")
    )


def parse_round_number(cell: str) -> int | None:
    """Read the number in 3, Round 3, R3 or 3rd; None for other texts, such as Top 8."""
    if is_cut(cell):
        return None
    if match := ROUND_AND_BOARD.fullmatch(cell.strip()):
        return int(match[1])
    match = ROUND_WORD.fullmatch(simplify_heading(cell))
    return int(match[1] or match[2]) if match else None


def is_cut(cell: str) -> bool:
    """Return whether a round or a stage belongs to a top cut, for example Top 8."""
    plain = re.sub(r" ?\d+$", "", simplify_heading(cell))
    words = read_package_toml("pairopt.files", "match_results.toml")["cut"]
    return plain in words or plain.removesuffix(" round") in words


def classify_results(pairs: Iterable[MatchPoints]) -> str:
    """Return whether results are "points", "games" or "goals".

    Returns "" if that is not clear.

    `pairs` have the larger number first. Results are points if only points give such
    numbers: 1-0 and ½-½, 3-0 and 1-1, or two such games. If losers have a number above
    0, results are games won; or goals, if the numbers are larger than a match has
    games.
    """
    number_pairs = {pair for pair in pairs if any(pair)}
    for system in USUAL:
        results = {(system.win, system.loss), (system.draw, system.draw)}
        if system is not OLD_FOOTBALL and number_pairs <= results:
            return "points"
    twice = points_of_two_games(FOOTBALL).results | FOOTBALL.results
    if number_pairs <= twice and (Fraction(6), Fraction(0)) in number_pairs:
        return "points"
    fractions = any(number.denominator > 1 for pair in number_pairs for number in pair)
    if (
        fractions
        or number_pairs
        <= points_of_two_games(OLD_FOOTBALL).results | OLD_FOOTBALL.results
    ):
        return ""
    most = max(number for pair in number_pairs for number in pair)
    return "games" if most <= MOST_GAMES else "goals"


MOST_GAMES = 5
"""The most games in a match: larger numbers are goals, or points within a game."""


def _normalize_dashes(cell: str) -> str:
    """Write all dashes, colons and slashes of a result as -, and halves as .5."""
    text = cell.strip().lower()
    text = text.replace("1/2", HALVES[0]).replace("&frac12;", HALVES[0])
    text = re.sub(rf"(\d?){HALVES[0]}", lambda match: f"{match[1] or 0}.5", text)
    return BESIDE_DASHES.sub("-", DASHES.sub("-", text))


def _without_forfeit_mark(text: str) -> tuple[str, bool]:
    """Return a result without its forfeit mark, and whether it had one."""
    bare = FORFEIT_MARK.sub("", text)
    return bare, bare != text


def _parse_number(text: str) -> Fraction:
    """Parse a number with a decimal point or comma, also without digits before it."""
    return Fraction(f"0{text}".replace(",", "."))


def _read_word(cell: str) -> Outcome | None:
    """Read a word for a result, such as win or draw; None for other words."""
    plain = simplify_heading(cell)
    words = read_package_toml("pairopt.files", "match_results.toml")
    if plain in words["both_lose"]:
        return Outcome(both_lose=True)
    for name, verdict in VERDICTS.items():
        if plain in words[name]:
            return Outcome(verdict=verdict)
    return OPEN if plain in words["open"] else None
