"""Whole tournaments as reports (TRF26), by a generator that shares no code with what reads them.

Each round is paired from a report of its own in the older dialect, in which nothing is said as in
the report that is checked: forbidden pairs are those of the round alone (XXP, not 260), points that
no result explains are virtual ones (XXA, not 299), points of results BBW and the like (not 162).
Points, ranks and Tie-breaks: are added up here. What pairs is a function (from such a report to its)
pairs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

Pairs = list[tuple[int, int]]
Pair = Callable[[str], Pairs | None]
"""From a report to white and black, the bye as (player, 0); None where there is no pairing."""
HALF = Fraction(1, 2)
SYSTEMS = {  # win, draw, loss, absence, pairing-allocated bye
    "1-½-0": (1, HALF, 0, 0, 1), "PAB ½": (1, HALF, 0, 0, HALF), "PAB 0": (1, HALF, 0, 0, 0),
    "3-1-0": (3, 1, 0, 0, 3), "3-2-1": (3, 2, 1, 0, 3), "3-2-1, PAB 0": (3, 2, 1, 0, 0),
    "2-1-0, PAB 1": (2, 1, 0, 0, 1),
}  # fmt: skip
LISTS = (
    (),
    ("WON",),
    ("WON", "BPG"),
    ("PS", "WON", "BWG"),
    ("PS", "KEIZER"),
    ("BWG", "TPN"),
)
"""Tie-breaks that are simple to add up, one that nobody knows, and one that leaves nobody equal."""
WON, DRAWN, PLAYED = "1W", "=D", "10=WLD"


@dataclass
class Tournament:
    """All that happened; cells are (opponent, side, letter) by player, a round each."""

    rounds: int
    said: int
    system: tuple[Fraction | int, ...]
    tie_breaks: tuple[str, ...]
    shared: bool
    initial: str
    cells: dict[int, list[tuple[int, str, str]]]
    forbidden: list[tuple[int, int, int, int]] = field(default_factory=list)
    adjusted: list[tuple[int, int, Fraction]] = field(default_factory=list)
    assigned: dict[tuple[int, int], tuple[str, Fraction]] = field(default_factory=dict)
    baku: int = 0
    """Players from the first on who have virtual points (C.04.7)."""

    def worth(self, letter: str) -> Fraction:
        win, draw, loss, absent, bye = map(Fraction, self.system)
        by = {"W1+F": win, "=DH": draw, "0L": loss, "-Z": absent, "U": bye}
        return next(value for letters, value in by.items() if letter in letters)

    def besides(self, player: int, after: int) -> Fraction:
        """Points of no result after so many rounds."""
        more = sum(
            (p for turn, who, p in self.adjusted if who == player and turn <= after),
            start=Fraction(0),
        )
        for (turn, who), (_, points) in self.assigned.items():
            if who == player and turn <= after:
                more += points - self.worth(self.cells[player][turn - 1][2])
        return more

    def virtual(self, player: int, turn: int) -> Fraction:
        """Baku Acceleration in a round: a win in the first half of half the rounds, then half."""
        many = -(-self.rounds // 2)
        if player > self.baku or turn > many:
            return Fraction(0)
        return Fraction(self.system[0]) / (1 if turn <= -(-many // 2) else 2)

    def score(self, player: int, after: int) -> Fraction:
        own = self.cells[player][:after]
        return sum(map(self.worth, (c[2] for c in own)), self.besides(player, after))

    def value(self, name: str, player: int) -> Fraction:
        """A tie-break, more is better."""
        own = self.cells[player]
        return Fraction(
            {
                "WON": sum(letter in WON for _, _, letter in own),
                "BPG": sum(side == "b" and letter in PLAYED for _, side, letter in own),
                "BWG": sum(side == "b" and letter in WON for _, side, letter in own),
                "PS": sum(self.score(player, turn) for turn in range(1, len(own) + 1)),
                "TPN": -player,
                "KEIZER": player * 7 % 5,
            }[name]
        )

    def ranks(self) -> dict[int, int]:
        """By points and tie-breaks; equals share the first place, or go by their numbers."""
        last = len(next(iter(self.cells.values())))
        keys = {
            p: (self.score(p, last), *(self.value(t, p) for t in self.tie_breaks))
            for p in self.cells
        }
        order = sorted(self.cells, key=lambda p: ([-each for each in keys[p]], p))
        if not self.shared:
            return {p: k for k, p in enumerate(order, 1)}
        return {p: 1 + sum(keys[q] > keys[p] for q in order) for p in order}

    def line(
        self, player: int, points: Fraction, rank: int | str, cells: list[str]
    ) -> str:
        head = f"001 {player:>4}      {f'Player, {player}':<33} {2600 - player:>4}"
        head = f"{head:<80}{float(points):>4.1f} {rank:>4}"
        return head + "".join(f"  {cell}" for cell in cells)

    def text(
        self,
        points: dict[int, Fraction] | None = None,
        ranks: dict[int, int] | None = None,
    ) -> str:
        """The report (TRF26); other points or ranks may be stated."""
        last = len(self.cells[1])
        points = {p: self.score(p, last) for p in self.cells} | (points or {})
        ranks = self.ranks() | (ranks or {})
        win, draw, loss, absent, bye = map(float, self.system)
        lines = [
            "012 Made up for a test",
            f"062 {len(self.cells)}",
            f"142 {self.said}",
            f"152 {self.initial.upper()}",
            "192 FIDE_DUTCH_2026",
            f"162  W{win:>4.1f}    D{draw:>4.1f}    L{loss:>4.1f}    "
            f"A{absent:>4.1f}    P{bye:>4.1f}",
        ]
        if self.tie_breaks:
            named = [f"OTHER_{t}" if t == "KEIZER" else t for t in self.tie_breaks]
            lines.append(f"212 {','.join(['PTS', *named])}")
        for p, cells in self.cells.items():
            shown = [f"{o:>4} {s} {x}" if o else f"0000 - {x}" for o, s, x in cells]
            lines.append(self.line(p, points[p], ranks[p], shown))
        lines += [
            f"250      {amount:>4.1f} {turn:>3} {turn:>3} {1:>4} {self.baku:>4}"
            for turn in range(1, self.rounds + 1)
            if (amount := float(self.virtual(1, turn)))
        ]
        lines += [
            f"260 {first:>3} {last:>3} {one:>4} {two:>4}"
            for first, last, one, two in self.forbidden
        ]
        lines += [
            f"299{'':10}{float(amount):>4.1f}  {turn:>3} {player:>4}"
            for turn, player, amount in self.adjusted
        ]
        lines += [
            f"299 {letter}{'':8}{float(amount):>4.1f}  {turn:>3} {player:>4}"
            for (turn, player), (letter, amount) in self.assigned.items()
        ]
        return "\n".join([*lines, ""])

    def request(self, absent: dict[int, str]) -> str:
        """The report from which the next round is paired, in the older dialect."""
        turn = len(next(iter(self.cells.values()))) + 1
        win, draw, loss, away, bye = map(float, self.system)
        lines = [
            f"XXR {self.said}",
            f"XXC {'white' if self.initial == 'w' else 'black'}1",
        ]
        codes = {
            "BBW": win,
            "BBD": draw,
            "BBL": loss,
            "BBZ": away,
            "BBF": away,
            "BBU": bye,
        }
        lines += [f"{code} {points:>4.1f}" for code, points in codes.items()]
        for p, cells in self.cells.items():
            shown = [f"{o:>4} {s} {x}" if o else f"0000 - {x}" for o, s, x in cells]
            shown += [f"0000 - {absent.get(p)}"] * (p in absent)
            plain = self.score(p, turn - 1) - self.besides(p, turn - 1)
            lines.append(self.line(p, plain, p, shown))
        low = min(self.besides(p, t) for p in self.cells for t in range(turn))
        if self.adjusted or self.assigned or self.baku:
            for p in self.cells:
                virtual = (
                    float(self.besides(p, t) - low + self.virtual(p, t + 1))
                    for t in range(turn)
                )
                lines.append(
                    f"XXA {p:>4} " + " ".join(f"{each:>4.1f}" for each in virtual)
                )
        lines += [
            f"XXP {one} {two}"
            for first, last, one, two in self.forbidden
            if first <= turn <= last
        ]
        return "\n".join([*lines, ""])


def tournament(
    seed: int,
    pair: Pair,
    *,
    most: int = 24,
    system: str = "",
    baku: bool = False,
    request: Callable[[Tournament, dict[int, str]], str] = Tournament.request,
) -> Tournament | None:
    """A tournament by lot, None where a round of it has no pairing."""
    lots = random.Random(f"whole {seed}")
    n, rounds = lots.randint(8, most), lots.randint(3, 7)
    rounds = min(rounds, n // 2)
    adjusts = lots.random() < 0.5
    made = Tournament(
        rounds,
        rounds
        + 2 * adjusts,  # virtual points count for no topscorer: no round is the last
        SYSTEMS[system or lots.choice([*SYSTEMS])],
        lots.choice(LISTS),
        lots.random() < 0.5,
        lots.choice("wb"),
        {p: [] for p in range(1, n + 1)},
    )
    for _ in range(lots.randint(0, 6)):
        first = lots.randint(1, rounds)
        one, two = sorted(lots.sample(range(1, n + 1), 2))
        made.forbidden.append((first, lots.randint(first, rounds), one, two))
    late = {p: lots.randint(2, rounds) for p in made.cells if lots.random() < 0.06}
    gone = {p: lots.randint(2, rounds) for p in made.cells if lots.random() < 0.06}
    if adjusts:
        made.adjusted = [
            (lots.randint(0, rounds), p, Fraction(lots.choice([-2, -1, 1, 2]), 2))
            for p in made.cells
            if lots.random() < 0.15
        ]
    if baku:
        made.baku = 2 * -(-sum(p not in late for p in made.cells) // 4)
    for turn in range(1, rounds + 1):
        absent = {
            p: "Z"
            for p in made.cells
            if turn < late.get(p, 0) or turn >= gone.get(p, 999)
        }
        for p in made.cells:
            if p not in absent and lots.random() < 0.05 and len(absent) < n - 4:
                absent[p] = lots.choice("HHZF")
        pairs = pair(request(made, absent))
        if pairs is None:
            return None
        for p, letter in absent.items():
            made.cells[p].append((0, "-", letter))
        for white, black in pairs:
            if not black:
                made.cells[white].append((0, "-", "U"))
                continue
            one, two = lots.choices(
                ["10", "01", "==", "+-", "-+", "--"], [36, 30, 28, 2, 2, 2]
            )[0]
            made.cells[white].append((black, "w", one))
            made.cells[black].append((white, "b", two))
            if adjusts and one in PLAYED and lots.random() < 0.03:
                made.assigned[turn, black] = ("D", Fraction(made.system[1]))
    return made


def exchanged(made: Tournament, lots: random.Random) -> int | None:
    """Two players with Black change places in a round; which, None where no two can."""
    turn = lots.randint(1, made.rounds)
    white = [
        p
        for p, own in made.cells.items()
        if own[turn - 1][1] == "w"
        and own[turn - 1][2] in PLAYED
        and (turn, own[turn - 1][0]) not in made.assigned
    ]
    if len(white) < 2:
        return None
    one, two = lots.sample(white, 2)
    (a, _, x), (b, _, y) = (made.cells[p][turn - 1] for p in (one, two))
    mine, theirs = made.cells[a][turn - 1][2], made.cells[b][turn - 1][2]
    made.cells[one][turn - 1], made.cells[two][turn - 1] = (b, "w", x), (a, "w", y)
    made.cells[b][turn - 1], made.cells[a][turn - 1] = (
        (one, "b", mine),
        (two, "b", theirs),
    )
    return turn


def turned(made: Tournament, lots: random.Random) -> int | None:
    """White and Black change in a game; the round."""
    games = [
        (turn, p)
        for p, own in made.cells.items()
        for turn, cell in enumerate(own, 1)
        if cell[1] == "w" and cell[2] in PLAYED
    ]
    if not games:
        return None
    turn, white = lots.choice(games)
    black = made.cells[white][turn - 1][0]
    for p, side in ((white, "b"), (black, "w")):
        opponent, _, letter = made.cells[p][turn - 1]
        made.cells[p][turn - 1] = (opponent, side, letter)
    return turn


def other_rank(made: Tournament, lots: random.Random) -> tuple[int, int, int]:
    """A player, a rank they cannot have, and the first place of those who are equal to them."""
    told = (
        made.tie_breaks[: made.tie_breaks.index("KEIZER")]
        if "KEIZER" in made.tie_breaks
        else made.tie_breaks
    )
    last = len(made.cells[1])
    keys = {
        p: (made.score(p, last), *(made.value(t, p) for t in told)) for p in made.cells
    }
    player = lots.choice([*made.cells])
    first = 1 + sum(key > keys[player] for key in keys.values())
    final = sum(key >= keys[player] for key in keys.values())
    wrong = [r for r in range(1, len(made.cells) + 1) if not first <= r <= final] or [
        9999
    ]
    return player, lots.choice([*wrong, 9999]), first
