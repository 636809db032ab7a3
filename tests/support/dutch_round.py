"""A round of the Dutch System as its articles see it: who comes, and what each has done.

Shared by the two oracles of FIDE C.04.3 (rules from February 2026). It reads and writes TRF by
itself, so that it owes nothing to the package that it tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

POINTS = {"1": 2, "=": 1, "0": 0, "+": 2, "-": 0, "H": 1, "F": 2, "U": 2, "Z": 0, "": 0}
"""Half points of each result."""
WIN = 2
NEVER = 99


@dataclass(frozen=True)
class Cell:
    """A player's round: opponent's number (0 for none), side w, b or -, result."""

    opponent: int = 0
    side: str = "-"
    result: str = ""

    @property
    def played(self) -> bool:
        return self.opponent > 0 and self.result in ("1", "=", "0")

    @property
    def paired(self) -> bool:
        """Whether the round's pairing had this player: a match, played or not, or its bye."""
        return self.opponent > 0 or self.result == "U"


NOTHING = Cell()


@dataclass(frozen=True)
class Preference:
    """The side a player should have (article 1.7): 3 absolute, 2 strong, 1 mild, 0 none."""

    side: str
    strength: int


@dataclass(frozen=True)
class Round:
    """The round after `played` ones, of `rounds` in all; players by number (article 1.1).

    `cells` has the rounds of each player, the one to pair included where a bye was asked for;
    `virtual` the points of acceleration, in half points, round by round.
    """

    cells: Mapping[int, tuple[Cell, ...]]
    rounds: int = NEVER
    initial: str = "w"
    forbidden: frozenset[frozenset[int]] = frozenset()
    virtual: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def played(self) -> int:
        paired = [
            r
            for row in self.cells.values()
            for r, cell in enumerate(row, 1)
            if cell.paired
        ]
        return max(paired, default=0)

    @cached_property
    def last(self) -> bool:
        return self.played + 1 == self.rounds

    @cached_property
    def here(self) -> list[int]:
        """Who is to be paired, ranked (article 1.2)."""
        free = [n for n in self.cells if not self.cell(n, self.played + 1).result]
        return sorted(free, key=lambda n: (-self.score(n), n))

    def cell(self, number: int, turn: int) -> Cell:
        row = self.cells[number]
        return row[turn - 1] if turn <= len(row) else NOTHING

    def past(self, number: int) -> list[Cell]:
        return [self.cell(number, turn) for turn in range(1, self.played + 1)]

    def points(self, number: int, turn: int | None = None) -> int:
        """Points before a round, the one to pair if none is given."""
        before = self.played if turn is None else turn - 1
        return sum(POINTS[self.cell(number, t).result] for t in range(1, before + 1))

    def score(self, number: int, turn: int | None = None) -> int:
        """The score that makes the groups: points, and virtual ones (C.04.7, article 1.5)."""
        at = self.played + 1 if turn is None else turn
        virtual = self.virtual.get(number, ())
        return self.points(number, at) + (virtual[at - 1] if at <= len(virtual) else 0)

    def sides(self, number: int) -> str:
        """Sides of the games played, the earliest first (C.04.2, article 3.4)."""
        return "".join(cell.side for cell in self.past(number) if cell.played)

    def difference(self, number: int) -> int:
        """Article 1.6: games with White less games with Black."""
        had = self.sides(number)
        return had.count("w") - had.count("b")

    def preference(self, number: int) -> Preference:
        """Article 1.7."""
        had, difference = self.sides(number), self.difference(number)
        if abs(difference) > 1:
            return Preference("b" if difference > 0 else "w", 3)
        if had[-2:] in ("ww", "bb"):
            return Preference(other(had[-1]), 3)
        if difference:
            return Preference("b" if difference > 0 else "w", 2)
        return Preference(other(had[-1]), 1) if had else Preference("", 0)

    def unplayed(self, number: int) -> int:
        return sum(not cell.played for cell in self.past(number))

    def floated(self, number: int, ago: int) -> int:
        """Articles 1.4.2 to 1.4.4: 1 down, -1 up, 0 neither, so many rounds ago."""
        turn = self.played + 1 - ago
        if turn < 1:
            return 0
        cell = self.cell(number, turn)
        if cell.played:
            own, theirs = self.score(number, turn), self.score(cell.opponent, turn)
            return (own > theirs) - (own < theirs)
        return int(cell.result == "U" or POINTS[cell.result] > POINTS["0"])

    def topscorer(self, number: int) -> bool:
        """Article 1.8."""
        return self.last and 2 * self.points(number) > WIN * self.played

    def may_bye(self, number: int) -> bool:
        """C2."""
        return not any(
            not cell.played and (cell.result == "U" or POINTS[cell.result] >= WIN)
            for cell in self.past(number)
        )

    def may_meet(self, one: int, two: int) -> bool:
        """C1, C3 and forbidden pairs; one topscorer of the two is enough to lift C3."""
        if any(cell.played and cell.opponent == two for cell in self.past(one)):
            return False
        if frozenset((one, two)) in self.forbidden:
            return False
        absolute = (
            self.preference(one) == self.preference(two)
            and self.preference(one).strength == 3
        )
        return not absolute or self.topscorer(one) or self.topscorer(two)

    @cached_property
    def place_at_start(self) -> dict[int, int]:
        """Numbers from 1 of those who take part or have taken part: late ones count on arrival."""
        there = set(self.here)
        known = [
            n
            for n in sorted(self.cells)
            if n in there or any(c.paired for c in self.past(n))
        ]
        return {number: place for place, number in enumerate(known, 1)}

    def white(self, one: int, two: int) -> int:
        """Who of a pair has White (article 5.2)."""
        upper, lower = sorted((one, two), key=lambda n: (-self.score(n), n))
        mine, theirs = self.preference(upper), self.preference(lower)
        side = mine.side or other(theirs.side)
        if mine.side and mine.side == theirs.side:  # 5.2.1 is out of reach
            strong = (
                mine.strength,
                abs(self.difference(upper)) if mine.strength == 3 else 0,
            )
            opposed = (
                theirs.strength,
                abs(self.difference(lower)) if theirs.strength == 3 else 0,
            )
            if strong < opposed:
                side = other(theirs.side)
            elif strong == opposed:
                side = self._alternated(upper, lower) or mine.side
        if not side:
            odd = self.place_at_start[upper] % 2 == 1
            side = self.initial if odd else other(self.initial)
        return upper if side == "w" else lower

    def _alternated(self, upper: int, lower: int) -> str:
        """5.2.3: the side that `upper` did not have when the two last differed."""
        pairs = zip(
            reversed(self.sides(upper)), reversed(self.sides(lower)), strict=False
        )
        return next((theirs for mine, theirs in pairs if mine != theirs), "")

    def trf(self) -> str:
        """The round as a TRF, byes asked for in its own column."""
        lines = [
            f"XXR {self.rounds}",
            f"XXC {'white1' if self.initial == 'w' else 'black1'}",
        ]
        for number, row in sorted(self.cells.items()):
            shown = "".join(
                f"  {cell.opponent or '0000':>4} {cell.side} {cell.result or 'Z'}"
                for cell in row
            )
            lines.append(
                f"001 {number:>4}      {f'Player {number}':<33} {2500 - 10 * number:>4} "
                f"{'':<3} {'':<11} {'':<10} {self.points(number) / 2:>4} {number:>4}{shown}"
            )
        lines += [
            f"XXA {number:>4} " + " ".join(f"{half / 2:>4}" for half in halves)
            for number, halves in sorted(self.virtual.items())
        ]
        lines += [
            "XXP " + " ".join(map(str, sorted(pair)))
            for pair in sorted(map(sorted, self.forbidden))
        ]
        return "\n".join([*lines, ""])


def other(side: str) -> str:
    """The other side; none of none."""
    return {"w": "b", "b": "w"}.get(side, "")


def of_trf(text: str) -> Round:
    """The round that a TRF asks for; without 152 or XXC, the side that its first pairing shows."""
    cells, virtual, forbidden = {}, {}, set()
    by_turn: dict[int, dict[int, int]] = {}
    byes: dict[tuple[int, int], str] = {}
    ranges: list[tuple[int, int, list[str]]] = []
    rounds, initial = NEVER, ""
    for line in text.splitlines():
        words = line[3:].split()
        if line[:3] == "001":
            cells[int(line[4:8])] = tuple(_cells(line.rstrip()))
        elif line[:3] in ("XXR", "142"):
            rounds = int(words[0])
        elif line[:3] in ("XXC", "152"):
            initial = "b" if {"black1", "B"} & {*words} else "w"
        elif line[:3] == "XXA":
            virtual[int(words[0])] = tuple(int(2 * float(word)) for word in words[1:])
        elif line[:3] == "250":
            first, last, low, high = map(
                int, (line[14:17], line[18:21], line[22:26], line[27:31])
            )
            for number in range(low, high + 1):
                for turn in range(first, last + 1):
                    by_turn.setdefault(number, {})[turn] = int(2 * float(line[9:13]))
        elif line[:3] == "240":
            byes |= {(int(line[6:9]), int(word)): line[4] for word in line[10:].split()}
        elif line[:3] == "XXP":
            forbidden |= {frozenset(map(int, pair)) for pair in combinations(words, 2)}
        elif line[:3] == "260":
            ranges.append((int(line[4:7]), int(line[8:11]), line[12:].split()))
    for number, points in by_turn.items():
        virtual[number] = tuple(
            points.get(turn, 0) for turn in range(1, max(points) + 1)
        )
    played = Round(cells, rounds, "w", frozenset(), {}).played
    for first, last, words in ranges:
        if first <= played + 1 <= last:
            forbidden |= {frozenset(map(int, pair)) for pair in combinations(words, 2)}
    for (turn, number), letter in byes.items():
        blank = (Cell(0, "-", "Z"),) * (turn - 1 - len(cells[number]))
        cells[number] += (*blank, Cell(0, "-", letter))
    made = Round(cells, rounds, initial or "w", frozenset(forbidden), virtual)
    return (
        made
        if initial
        else Round(cells, rounds, _first_side(made), made.forbidden, virtual)
    )


def _cells(line: str) -> Iterator[Cell]:
    for at in range(91, len(line), 10):
        text = line[at : at + 8].ljust(8)
        result = {"W": "1", "D": "=", "L": "0", " ": "Z"}.get(
            text[7].upper(), text[7].upper()
        )
        yield Cell(int(text[:4].strip() or 0), text[5].replace(" ", "-"), result)


def _first_side(made: Round) -> str:
    """What the highest of the first round with sides had, if it was 5.2.5 that gave it."""
    for turn in range(1, made.played + 1):
        known = [
            n for n in sorted(made.cells) if any(c.paired for c in made.cells[n][:turn])
        ]
        for place, number in enumerate(known, 1):
            side = made.cell(number, turn).side
            if side in ("w", "b"):
                return side if place % 2 else other(side)
    return "w"
