"""Tie-breaks once more, by the books, from rows as text: the yardstick of pairopt's.

Plain Python and exact fractions; no code is shared with pairopt. Rows are dicts with the columns
of matches.csv, players dicts with `player`, `score`, `rating` and `start`, the starting number; an
empty score of the last round is a match still going on. `win` and `draw` are what these are worth,
`rounds` how many were paired.

Sources: FIDE Handbook C.07 from 1 March 2026; Magic Tournament Rules, appendix C; FIDE Rating
Regulations B.02, tables 8.1.1 and 8.1.2; strength of schedule as in NRTM's files.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor
from typing import Any, NamedTuple

Row = Mapping[str, Any]
Values = dict[str, Fraction]
Part = tuple[Fraction, Fraction, bool]

HALF = Fraction(1, 2)
NONE = Fraction(-10_000)
"""What pairopt has for a mean of nothing; lists show "none"."""
# per cent: rating difference, from 100 down to 50 in steps of one
B02 = [800, 677, 589, 538, 501, 470, 444, 422, 401, 383, 366, 351, 336, 322, 309, 296, 284, 273,
       262, 251, 240, 230, 220, 211, 202, 193, 184, 175, 166, 158, 149, 141, 133, 125, 117, 110,
       102, 95, 87, 80, 72, 65, 57, 50, 43, 36, 29, 21, 14, 7, 0]  # fmt: skip


# 8.1.2: rating difference from, to, and the expectation of the higher one in per cent
EXPECTED = [
    (0, 3, 50), (4, 10, 51), (11, 17, 52), (18, 25, 53), (26, 32, 54), (33, 39, 55), (40, 46, 56),
    (47, 53, 57), (54, 61, 58), (62, 68, 59), (69, 76, 60), (77, 83, 61), (84, 91, 62),
    (92, 98, 63), (99, 106, 64), (107, 113, 65), (114, 121, 66), (122, 129, 67), (130, 137, 68),
    (138, 145, 69), (146, 153, 70), (154, 162, 71), (163, 170, 72), (171, 179, 73), (180, 188, 74),
    (189, 197, 75), (198, 206, 76), (207, 215, 77), (216, 225, 78), (226, 235, 79), (236, 245, 80),
    (246, 256, 81), (257, 267, 82), (268, 278, 83), (279, 290, 84), (291, 302, 85), (303, 315, 86),
    (316, 328, 87), (329, 344, 88), (345, 357, 89), (358, 374, 90), (375, 391, 91), (392, 411, 92),
    (412, 432, 93), (433, 456, 94), (457, 484, 95), (485, 517, 96), (518, 559, 97), (560, 619, 98),
    (620, 735, 99), (736, 99999, 100),
]  # fmt: skip


class Cell(NamedTuple):
    """A player's entry in a crosstable."""

    what: str  # game, +, -, U (allocated bye), F (full point), req, gone
    points: Fraction = Fraction(0)
    against: str | None = None
    second: bool = False
    row: bool = True
    games: tuple[int, int, int] | None = None


class Crosstable:
    """The event as a crosstable: a cell for each player and round."""

    def __init__(
        self,
        rows: Iterable[Row],
        players: Iterable[Row],
        rounds: int,
        win: Fraction,
        draw: Fraction,
        first_side: str = "",
        best_of: int = 3,
    ) -> None:
        self.win, self.draw, self.rounds = win, draw, rounds
        self.games_to_win = (best_of + 2) // 2
        self.first_side = first_side
        self.brought = {str(p["player"]): number(p.get("score")) for p in players}
        self.names = list(self.brought)
        self.rating = {str(p["player"]): rated(p.get("rating")) for p in players}
        self.start = {str(p["player"]): int(p.get("start") or 0) for p in players}
        self.open: set[str] = set()
        self.going_on: list[tuple[str, str]] = []
        self.cells: dict[str, dict[int, Cell]] = {name: {} for name in self.names}
        for row in rows:
            if int(row["round"]) <= rounds:
                self._enter(row)
        for name in self.names:
            for turn in range(1, rounds + 1):
                if turn == rounds and name in self.open:
                    continue
                self.cells[name].setdefault(turn, Cell("gone", row=False))
        self.score = {
            name: self.brought[name] + sum(c.points for c in self.cells[name].values())
            for name in self.names
        }

    def _enter(self, row: Row) -> None:
        turn, one, two = int(row["round"]), str(row["player1"]), row["player2"] or None
        if row["score1"] in (None, "") and row["status"] != "requested":
            self.open |= {one} | ({str(two)} if two else set())
            self.going_on += [(one, str(two))] if two else []
            return
        mine = number(row["score1"])
        if two is None:
            if row["status"] == "requested":
                self.cells[one][turn] = Cell("F" if mine >= self.win else "req", mine)
            else:
                self.cells[one][turn] = Cell("U", mine)
            return
        two, theirs = str(two), number(row["score2"])
        forfeit, side = row["status"] == "forfeit", (row["side1"] or "").lower()
        for me, other, got, lost in (
            (one, two, mine, theirs),
            (two, one, theirs, mine),
        ):
            what = ("+" if got > lost else "-") if forfeit else "game"
            second = bool(side) and (side == self.first_side) == (me == two)
            counted = [
                int(row.get(name) or 0) for name in ("games1", "games2", "games_drawn")
            ]
            games = counted if me == one else [counted[1], counted[0], counted[2]]
            known = row.get("games1") not in (None, "")
            self.cells[me][turn] = Cell(
                what, got, other, second, games=tuple(games) if known else None
            )

    def games(self, name: str) -> list[Cell]:
        """The games a player has played."""
        return [cell for cell in self.cells[name].values() if cell.what == "game"]

    # ---------------------------------------------------------------- Cobra, NRTM

    def sos(self) -> Values:
        def rate(name: str) -> Fraction:
            number_of = len([c for c in self.cells[name].values() if c.row])
            return self.score[name] / number_of if number_of else Fraction(0)

        return {
            n: average([rate(str(c.against)) for c in self.games(n)])
            for n in self.names
        }

    def esos(self) -> Values:
        sos = self.sos()
        return {
            n: average([sos[str(c.against)] for c in self.games(n)]) for n in self.names
        }

    # ---------------------------------------------------------------- C.07

    def adjusted(self, name: str) -> Fraction:
        """16.3: byes asked for in the last round, or followed by no round there, are draws."""
        total = self.brought[name]
        for turn, cell in self.cells[name].items():
            later = [c for t, c in self.cells[name].items() if t > turn]
            there = [c for c in later if c.what in ("game", "+", "U", "F")]
            asked = cell.what in ("req", "gone")
            total += (
                self.draw
                if asked and not there and name not in self.open
                else cell.points
            )
        return total

    def parts(self, name: str, forfeits: bool = False) -> list[Part]:
        """For each round the opponent's or dummy's score, the points, whether it is a VUR.

        With `forfeits` these are games.
        """
        made = []
        for cell in self.cells[name].values():
            game = cell.what == "game" or (forfeits and cell.what in "+-")
            voluntary = cell.what in ("req", "gone", "-") and not game
            if game:
                strength = self.adjusted(str(cell.against))
            elif cell.what in "+-":
                strength = sorted([self.score[name], self.adjusted(str(cell.against))])[
                    0
                ]  # 16.4.1
            else:
                strength = sorted([self.score[name], self.draw * self.rounds])[
                    0
                ]  # 16.4.2
            made.append((strength, cell.points, voluntary))
        return made

    def cut(
        self, parts: list[Part], low: int, high: int, *, products: bool
    ) -> Fraction:
        """14.1 to 14.4, 16.5: what is left of the scores, or of the products."""

        def worth(part: Part) -> Fraction:
            return part[0] * part[1] if products else part[0]

        for _ in range(low):
            if not parts:
                break
            weakest = sorted(parts, key=lambda part: (part[0], worth(part)))[0]
            voluntary = [part for part in parts if part[2]]
            missed = sorted(voluntary, key=lambda part: (worth(part), part[0]))
            if missed and worth(missed[0]) >= worth(weakest):
                parts.remove(missed[0])
            else:
                parts.remove(weakest)
        strongest = sorted(parts, key=lambda part: (part[0], worth(part)), reverse=True)
        return sum((worth(part) for part in strongest[high:]), Fraction(0))

    def value(self, code: str) -> Values:
        """What a code stands for, with its modifiers."""
        name, *modifiers = code.split("/")
        said = {m[0]: int(m[1:]) for m in modifiers if m[1:]}
        high = said.get("M", 0)
        low, forfeits, table = said.get("C", 0) + high, "P" in modifiers, self
        if "U" in said:
            table = copy.copy(self)
            table.rating = {
                n: Fraction(said["U"]) if r is None else r
                for n, r in self.rating.items()
            }
        if name in ("BH", "FB", "SB"):
            table = self.fore() if name == "FB" else self
            return {
                n: self.cut(table.parts(n, forfeits), low, high, products=name == "SB")
                for n in self.names
            }
        if name == "AOB":
            scores = (self.fore() if "F" in modifiers else self).value("BH")
            met = {
                n: [scores[str(c.against)] for c in self.games(n)] for n in self.names
            }
            return {n: average(met[n]) if met[n] else NONE for n in self.names}
        if name == "KS":
            return self.koya(said.get("L", 0))
        if name == "PS":
            return self.progressive(low)
        if name == "ARO":
            left = {n: sorted(table.met(n))[low:][: -high or None] for n in self.names}
            return {n: rounded_average(left[n]) for n in self.names}
        if name in ("APRO", "APPO"):
            return table.of_opponents(table.value("TPR" if name == "APRO" else "PTP"))
        if name == "RTNG":
            return {n: table.rating[n] or Fraction(0) for n in self.names}
        found: Values = getattr(table, METHODS.get(name, name))()
        return found

    def fore(self) -> Crosstable:
        """8.3: as if all games of the last round had been drawn."""
        table = copy.copy(self)
        table.cells = {n: dict(cells) for n, cells in self.cells.items()}
        for one, two in self.going_on:
            table.cells[one][self.rounds] = Cell("game", self.draw, two)
            table.cells[two][self.rounds] = Cell("game", self.draw, one)
        for cells in table.cells.values():
            if (
                last := cells.get(self.rounds)
            ) is not None and last.against is not None:
                cells[self.rounds] = Cell("game", self.draw, last.against)
        table.open, table.going_on = set(), []
        table.score = {
            n: self.brought[n] + sum(c.points for c in table.cells[n].values())
            for n in self.names
        }
        return table

    def koya(self, half_points: int) -> Values:
        limit = self.win * self.rounds * HALF + half_points * HALF
        made = dict.fromkeys(self.names, Fraction(0))
        for name in self.names:
            for cell in self.cells[name].values():
                if cell.against is not None and self.score[cell.against] >= limit:
                    made[name] += cell.points
        return made

    def won(self, name: str, turn: int) -> bool:
        """7.1: the points of a win; in double-sided matches there are others above a draw."""
        cell = self.cells[name][turn]
        if cell.points >= self.win:
            return True
        if cell.against is None or cell.points <= self.draw:
            return False
        return cell.points > self.cells[cell.against][turn].points

    def count(
        self, name: str, *, played: bool = False, second: bool = False
    ) -> Fraction:
        """The rounds won."""
        turns = [t for t in self.cells[name] if self.won(name, t)]
        if played:
            turns = [t for t in turns if self.cells[name][t].what == "game"]
        if second:
            turns = [t for t in turns if self.cells[name][t].second]
        return Fraction(len(turns))

    def wins(self) -> Values:
        return {n: self.count(n) for n in self.names}

    def games_won(self) -> Values:
        return {n: self.count(n, played=True) for n in self.names}

    def second_side_wins(self) -> Values:
        return {n: self.count(n, played=True, second=True) for n in self.names}

    def second_side_games(self) -> Values:
        return {
            n: Fraction(len([c for c in self.games(n) if c.second])) for n in self.names
        }

    def progressive(self, without: int) -> Values:
        return {
            n: sum(
                (
                    self.brought[n]
                    + sum(self.cells[n][t].points for t in range(1, turn + 1))
                    for turn in sorted(self.cells[n])
                    if turn > without
                ),
                Fraction(0),
            )
            for n in self.names
        }

    def elected(self) -> Values:
        missed = {
            n: [c for c in self.cells[n].values() if c.what in ("req", "gone", "-")]
            for n in self.names
        }
        return {n: Fraction(self.rounds - len(missed[n])) for n in self.names}

    def standard_points(self) -> Values:
        made = dict.fromkeys(self.names, Fraction(0))
        for name in self.names:
            for turn, cell in self.cells[name].items():
                other = self.draw
                if cell.what == "game":
                    other = self.cells[str(cell.against)][turn].points
                if cell.points > other:
                    made[name] += 1
                elif cell.points == other:
                    made[name] += HALF
        return made

    def pairing_number(self) -> Values:
        return {n: Fraction(self.start[n]) for n in self.names}

    def met(self, name: str) -> list[Fraction]:
        """The ratings of the opponents played who have one."""
        found = [self.rating[str(c.against)] for c in self.games(name)]
        return [rating for rating in found if rating is not None]

    def scored(self, name: str) -> Fraction:
        """Against these: 1 for a win, a half for a draw, in proportion between."""
        total = Fraction(0)
        for cell in self.games(name):
            if self.rating[str(cell.against)] is None:
                continue
            if cell.points > self.draw:
                total += HALF + HALF * (cell.points - self.draw) / (
                    self.win - self.draw
                )
            elif self.draw:
                total += HALF * cell.points / self.draw
        return total

    def performance_rating(self) -> Values:
        made = {}
        for name in self.names:
            met = self.met(name)
            if not met:
                made[name] = NONE
                continue
            percent = min(100, max(0, half_up(100 * self.scored(name) / len(met))))
            difference = B02[100 - percent] if percent >= 50 else -B02[percent]
            made[name] = Fraction(half_up(average(met)) + difference)
        return made

    def perfect_performance(self) -> Values:
        """10.3; the expected score rises only at the ends of the table's spans."""
        made = {}
        for name in self.names:
            met = self.met(name)
            score = min(self.scored(name), len(met))
            if not met:
                made[name] = NONE
            elif score <= 0:
                made[name] = min(met) - 800
            else:
                steps = {floor(r + low) for r in met for low, _, _ in EXPECTED}
                steps |= {ceil(r - high) for r in met for _, high, _ in EXPECTED[:-1]}
                tried = sorted(steps)
                place = bisect_left(tried, score, key=partial(expected, met))
                made[name] = Fraction(tried[place])
        return made

    def of_opponents(self, values: Values) -> Values:
        """10.4, 10.5: the mean of those who have a value."""
        made = {}
        for name in self.names:
            others = [str(c.against) for c in self.games(name)]
            made[name] = rounded_average([values[o] for o in others if self.met(o)])
        return made

    def direct_encounter(
        self, tied: Sequence[Sequence[str]], forfeits: bool = False
    ) -> Values:
        """How many of the tied players are placed behind, by article 6."""
        if forfeits:
            table = copy.copy(self)
            table.cells = {
                n: {
                    t: c._replace(what="game") if c.what in "+-" else c
                    for t, c in cells.items()
                }
                for n, cells in self.cells.items()
            }
            return table.direct_encounter(tied)
        made = {}
        for group in tied:
            places = self.encounter(list(group))
            for k, level in enumerate(places):
                for name in level:
                    made[name] = Fraction(sum(len(below) for below in places[k + 1 :]))
        return made

    def encounter(self, group: list[str]) -> list[list[str]]:
        """6.2 and 6.3: the group in levels."""
        table: dict[tuple[str, str], Fraction] = {}
        for one in group:
            games = self.games(one)
            for two in {str(c.against) for c in games} & set(group):
                table[one, two] = average([c.points for c in games if c.against == two])
        pairs = [(a, b) for k, a in enumerate(group) for b in group[k + 1 :]]
        missing = [pair for pair in pairs if pair not in table]
        sums = dict.fromkeys(group, Fraction(0))
        for (a, _), points in table.items():
            sums[a] += points
        if not missing:
            levels = [
                [a for a in group if sums[a] == s]
                for s in sorted(set(sums.values()))[::-1]
            ]
            if len(levels) <= 1:
                return levels
            return [part for level in levels for part in self.encounter(level)]
        above = self._above(sums, missing)
        placed: list[str] = []
        while sure := [
            a
            for a in group
            if a not in placed
            and all((a, b) in above for b in group if b != a and b not in placed)
        ]:
            placed += sure
        rest = [a for a in group if a not in placed]
        tail = (self.encounter(rest) if placed else [rest]) if rest else []
        return [[a] for a in placed] + tail

    def _above(
        self, sums: Values, missing: list[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        """Who is above whom whatever the outcome of the missing games, in the separate standings.

        All outcomes are tried where they are few. Where they are many, the worst for the one: it
        loses all of its games, and the other wins all of its own.
        """
        pairs = {(a, b) for a in sums for b in sums if a != b}
        if len(missing) <= 6:
            for outcome in product([(1, 0), (HALF, HALF), (0, 1)], repeat=len(missing)):
                then = dict(sums)
                for (a, b), (x, y) in zip(missing, outcome, strict=True):
                    then[a] += x * self.win
                    then[b] += y * self.win
                pairs = {(a, b) for a, b in pairs if then[a] > then[b]}
            return pairs
        best = dict(sums)
        for a, b in missing:
            best[a] += self.win
            best[b] += self.win
        return {(a, b) for a, b in pairs if sums[a] > best[b]}

    # ---------------------------------------------------------------- Go

    def go_result(self, name: str, turn: int) -> Fraction | None:
        """1 for a win or bye, 1/2 for a draw, 0 for a loss, None for a missed round."""
        cell = self.cells[name][turn]
        if cell.what == "U":
            return Fraction(1)
        if cell.against is None:
            return None
        other = self.cells[cell.against][turn].points
        if cell.points == other:
            return HALF if other > 0 else Fraction(0)
        return Fraction(cell.points > other)

    def go_start(self, name: str) -> Fraction:
        return Fraction(floor(self.brought[name]))

    def mcmahon_score(self) -> Values:
        missed = HALF if any(self.brought.values()) else Fraction(0)
        made = {}
        for name in self.names:
            results = [self.go_result(name, turn) for turn in self.cells[name]]
            total = sum((missed if r is None else r for r in results), Fraction(0))
            made[name] = self.go_start(name) + floor(total)
        return made

    def go_sum(self, amounts: Values, times: int) -> Values:
        """Without handicaps, which no drawn event has."""
        return {
            n: sum(
                (
                    amounts[str(c.against)]
                    if c.what == "game"
                    else self.go_start(n) * times
                    for c in self.cells[n].values()
                ),
                Fraction(0),
            )
            for n in self.names
        }

    def go_sos(self) -> Values:
        return self.go_sum(self.mcmahon_score(), 1)

    def go_sosos(self) -> Values:
        return self.go_sum(self.go_sos(), self.rounds)

    def go_sodos(self) -> Values:
        score = self.mcmahon_score()
        return {
            n: sum(
                (
                    score[str(c.against)] * (self.go_result(n, t) or 0)
                    for t, c in self.cells[n].items()
                    if c.what == "game"
                ),
                Fraction(0),
            )
            for n in self.names
        }

    # ---------------------------------------------------------------- Magic

    def match_win(self) -> Values:
        def percentage(name: str) -> Fraction:
            own = [c for c in self.cells[name].values() if c.row]
            if not own:
                return Fraction("0.33")
            share = sum((c.points for c in own), Fraction(0)) / (self.win * len(own))
            return max(Fraction("0.33"), share)

        return {n: percentage(n) for n in self.names}

    def game_win(self) -> Values:
        """Byes are won without a game lost, and so are forfeits for who has won them."""

        def games(turn: int, cell: Cell) -> tuple[int, int, int]:
            if cell.games is not None:
                return cell.games
            if cell.what == "+" or (cell.against is None and cell.points >= self.win):
                return self.games_to_win, 0, 0
            if cell.what == "-" and self.cells[str(cell.against)][turn].what == "+":
                return 0, self.games_to_win, 0
            return 0, 0, 0

        def percentage(name: str) -> Fraction:
            points = possible = 0
            for turn, cell in self.cells[name].items():
                won, lost, drawn = games(turn, cell)
                points += 3 * won + drawn
                possible += 3 * (won + lost + drawn)
            return (
                max(Fraction("0.33"), Fraction(points, possible))
                if possible
                else Fraction("0.33")
            )

        return {n: percentage(n) for n in self.names}

    def of_all_opponents(self, each: Values) -> Values:
        met = {
            n: [c.against for c in self.cells[n].values() if c.against is not None]
            for n in self.names
        }
        return {n: average([each[other] for other in met[n]]) for n in self.names}

    def opponents_match_win(self) -> Values:
        return self.of_all_opponents(self.match_win())

    def opponents_game_win(self) -> Values:
        return self.of_all_opponents(self.game_win())

    def ranking(
        self, tie_breaks: Sequence[str]
    ) -> list[tuple[int, str, list[Fraction]]]:
        """Rank, player and values, best first; equal players share a rank."""
        values: dict[str, list[Fraction]] = {n: [self.score[n]] for n in self.names}
        for tie_break in tie_breaks:
            if tie_break.startswith("DE"):
                groups: dict[tuple[Fraction, ...], list[str]] = {}
                for name in self.names:
                    groups.setdefault(tuple(values[name]), []).append(name)
                found = self.direct_encounter(
                    list(groups.values()), tie_break == "DE/P"
                )
            else:
                found = self.value(tie_break)
            for name in self.names:
                values[name].append(found[name])
        order = sorted(self.names, key=lambda n: [-v for v in values[n]])
        return [
            (1 + sum(values[m] > values[n] for m in self.names), n, values[n][1:])
            for n in order
        ]


METHODS = {
    "MMS": "mcmahon_score",
    "SOSM": "go_sos",
    "SOSOSM": "go_sosos",
    "SODOSM": "go_sodos",
    "WIN": "wins",
    "WON": "games_won",
    "BPG": "second_side_games",
    "BWG": "second_side_wins",
    "REP": "elected",
    "STD": "standard_points",
    "TPN": "pairing_number",
    "TPR": "performance_rating",
    "PTP": "perfect_performance",
}


def expected(met: Sequence[Fraction], own: int) -> Fraction:
    """The score that a rating is expected to make against others (8.1.2)."""
    total = Fraction(0)
    for rating in met:
        apart = ceil(abs(own - rating))
        (percent,) = [p for low, high, p in EXPECTED if low <= apart <= high]
        total += Fraction(percent if own >= rating else 100 - percent, 100)
    return total


def rated(rating: object) -> Fraction | None:
    """A rating; 0 is none."""
    return None if rating in (None, "") or number(rating) <= 0 else number(rating)


def number(text: object) -> Fraction:
    """A number as it stands in a cell; nothing is 0."""
    return Fraction(0) if text in (None, "") else Fraction(Decimal(str(text)))


def average(values: Sequence[Fraction]) -> Fraction:
    """The mean; 0 of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def rounded_average(values: Sequence[Fraction]) -> Fraction:
    """The mean to a whole number; none of nothing."""
    return Fraction(half_up(average(values))) if values else NONE


def half_up(value: Fraction) -> int:
    """To a whole number, halves up (of positive numbers)."""
    exact = Decimal(value.numerator * 2 // value.denominator) / 2
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
