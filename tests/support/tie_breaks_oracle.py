"""Tie-breaks once more, by the books, from rows as text: the yardstick of pairopt's.

Plain Python and exact fractions; no code is shared with pairopt. Rows are dicts with the columns
of matches.csv, players dicts with `player`, `score` and `rating`; an empty score of the last round
is a match still going on. `win` and `draw` are what these are worth, `rounds` how many were paired.

Sources: FIDE Handbook C.07 from 1 March 2026; Magic Tournament Rules, appendix C; FIDE Rating
Regulations B.02, table 8.1.1; strength of schedule as in NRTM's files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

Row = Mapping[str, Any]
Values = dict[str, Fraction]

HALF = Fraction(1, 2)
# per cent: rating difference, from 100 down to 50 in steps of one
B02 = [800, 677, 589, 538, 501, 470, 444, 422, 401, 383, 366, 351, 336, 322, 309, 296, 284, 273,
       262, 251, 240, 230, 220, 211, 202, 193, 184, 175, 166, 158, 149, 141, 133, 125, 117, 110,
       102, 95, 87, 80, 72, 65, 57, 50, 43, 36, 29, 21, 14, 7, 0]  # fmt: skip


class Cell(NamedTuple):
    """A player's entry in a crosstable."""

    what: str  # game, +, -, U (allocated bye), F (full point), req, gone
    points: Fraction = Fraction(0)
    against: str | None = None
    second: bool = False
    row: bool = True


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
    ) -> None:
        self.win, self.draw, self.rounds = win, draw, rounds
        self.first_side = first_side
        self.brought = {str(p["player"]): number(p.get("score")) for p in players}
        self.names = list(self.brought)
        self.rating = {str(p["player"]): p.get("rating") for p in players}
        self.open: set[str] = set()
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
        for me, other, got, lost in ((one, two, mine, theirs), (two, one, theirs, mine)):
            what = ("+" if got > lost else "-") if forfeit else "game"
            second = bool(side) and (side == self.first_side) == (me == two)
            self.cells[me][turn] = Cell(what, got, other, second)

    def games(self, name: str) -> list[Cell]:
        """The games a player has played."""
        return [cell for cell in self.cells[name].values() if cell.what == "game"]

    # ---------------------------------------------------------------- Cobra, NRTM

    def sos(self) -> Values:
        def rate(name: str) -> Fraction:
            number_of = len([c for c in self.cells[name].values() if c.row])
            return self.score[name] / number_of if number_of else Fraction(0)

        return {n: average([rate(str(c.against)) for c in self.games(n)]) for n in self.names}

    def esos(self) -> Values:
        sos = self.sos()
        return {n: average([sos[str(c.against)] for c in self.games(n)]) for n in self.names}

    # ---------------------------------------------------------------- C.07

    def adjusted(self, name: str) -> Fraction:
        """16.3: byes asked for in the last round, or followed by no round there, are draws."""
        total = self.brought[name]
        for turn, cell in self.cells[name].items():
            later = [c for t, c in self.cells[name].items() if t > turn]
            there = [c for c in later if c.what in ("game", "+", "U", "F")]
            asked = cell.what in ("req", "gone")
            total += self.draw if asked and not there and name not in self.open else cell.points
        return total

    def parts(self, name: str) -> list[tuple[Fraction, Fraction, bool]]:
        """For each round the opponent's or dummy's score, the points, whether it is a VUR."""
        made = []
        for cell in self.cells[name].values():
            voluntary = cell.what in ("req", "gone", "-")
            if cell.what == "game":
                strength = self.adjusted(str(cell.against))
            elif cell.what in "+-":
                strength = sorted([self.score[name], self.adjusted(str(cell.against))])[0]  # 16.4.1
            else:
                strength = sorted([self.score[name], self.draw * self.rounds])[0]  # 16.4.2
            made.append((strength, cell.points, voluntary))
        return made

    def _cut(self, name: str, *, high: bool) -> Fraction:
        voluntary_first = sorted(self.parts(name), key=lambda part: (not part[2], part[0]))
        strengths = sorted(part[0] for part in voluntary_first[1:])  # 16.5
        return sum(strengths[:-1] if high else strengths, Fraction(0))

    def buchholz(self) -> Values:
        return {n: sum((p[0] for p in self.parts(n)), Fraction(0)) for n in self.names}

    def buchholz_cut1(self) -> Values:
        return {n: self._cut(n, high=False) for n in self.names}

    def buchholz_median(self) -> Values:
        return {n: self._cut(n, high=True) for n in self.names}

    def sonneborn_berger(self) -> Values:
        return {n: sum((p[0] * p[1] for p in self.parts(n)), Fraction(0)) for n in self.names}

    def wins(self) -> Values:
        def won(name: str, turn: int, cell: Cell) -> bool:
            if cell.against is None:
                return cell.points >= self.win
            return cell.points > self.cells[cell.against][turn].points

        return {
            n: Fraction(sum(won(n, t, c) for t, c in self.cells[n].items())) for n in self.names
        }

    def second_side_games(self) -> Values:
        return {n: Fraction(len([c for c in self.games(n) if c.second])) for n in self.names}

    def progressive(self) -> Values:
        return {
            n: sum(
                (
                    self.brought[n] + sum(self.cells[n][t].points for t in range(1, turn + 1))
                    for turn in sorted(self.cells[n])
                ),
                Fraction(0),
            )
            for n in self.names
        }

    def performance_rating(self) -> Values:
        made = {}
        for name in self.names:
            rated = [c for c in self.games(name) if self.rating[str(c.against)] not in (None, "")]
            if not rated:
                made[name] = Fraction(0)
                continue
            ratings = [number(self.rating[str(c.against)]) for c in rated]
            share = sum(c.points for c in rated) / (self.win * len(rated))
            percent = min(100, max(0, half_up(100 * share)))
            difference = B02[100 - percent] if percent >= 50 else -B02[percent]
            made[name] = Fraction(half_up(average(ratings)) + difference)
        return made

    def direct_encounter(self, tied: Sequence[Sequence[str]]) -> Values:
        """How many of the tied players are placed behind, by article 6."""
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
            levels = [[a for a in group if sums[a] == s] for s in sorted(set(sums.values()))[::-1]]
            if len(levels) <= 1:
                return levels
            return [part for level in levels for part in self.encounter(level)]
        above = self._above(sums, missing)
        placed: list[str] = []
        while sure := [
            a
            for a in group
            if a not in placed and all((a, b) in above for b in group if b != a and b not in placed)
        ]:
            placed += sure
        rest = [a for a in group if a not in placed]
        tail = (self.encounter(rest) if placed else [rest]) if rest else []
        return [[a] for a in placed] + tail

    def _above(self, sums: Values, missing: list[tuple[str, str]]) -> set[tuple[str, str]]:
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

    # ---------------------------------------------------------------- Magic

    def opponents_match_win(self) -> Values:
        def percentage(name: str) -> Fraction:
            own = [c for c in self.cells[name].values() if c.row]
            share = sum((c.points for c in own), Fraction(0)) / (self.win * len(own))
            return max(Fraction("0.33"), share)

        return {
            n: average(
                [percentage(c.against) for c in self.cells[n].values() if c.against is not None]
            )
            for n in self.names
        }

    def ranking(self, tie_breaks: Sequence[str]) -> list[tuple[int, str, list[Fraction]]]:
        """Rank, player and values, best first; equal players share a rank."""
        values: dict[str, list[Fraction]] = {n: [self.score[n]] for n in self.names}
        for tie_break in tie_breaks:
            if tie_break == "direct_encounter":
                groups: dict[tuple[Fraction, ...], list[str]] = {}
                for name in self.names:
                    groups.setdefault(tuple(values[name]), []).append(name)
                found = self.direct_encounter(list(groups.values()))
            else:
                found = getattr(self, tie_break)()
            for name in self.names:
                values[name].append(found[name])
        order = sorted(self.names, key=lambda n: [-v for v in values[n]])
        return [
            (1 + sum(values[m] > values[n] for m in self.names), n, values[n][1:]) for n in order
        ]


def number(text: object) -> Fraction:
    """A number as it stands in a cell; nothing is 0."""
    return Fraction(0) if text in (None, "") else Fraction(Decimal(str(text)))


def average(values: Sequence[Fraction]) -> Fraction:
    """The mean; 0 of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def half_up(value: Fraction) -> int:
    """To a whole number, halves up (of positive numbers)."""
    exact = Decimal(value.numerator * 2 // value.denominator) / 2
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
