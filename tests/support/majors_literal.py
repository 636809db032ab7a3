"""Valve's rules for the rounds of a Major, word for word. No code is shared with pairopt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Pair = tuple[int, int]
Game = tuple[int, int]
"""The winner and the loser, by seed."""
TABLE = (
    "1v6 2v5 3v4",
    "1v6 2v4 3v5",
    "1v5 2v6 3v4",
    "1v5 2v4 3v6",
    "1v4 2v6 3v5",
    "1v4 2v5 3v6",
    "1v6 2v3 4v5",
    "1v5 2v3 4v6",
    "1v3 2v6 4v5",
    "1v3 2v5 4v6",
    "1v4 2v3 5v6",
    "1v3 2v4 5v6",
    "1v2 3v6 4v5",
    "1v2 3v5 4v6",
    "1v2 3v4 5v6",
)
ROWS = [[(int(pair[0]), int(pair[2])) for pair in row.split()] for row in TABLE]


class Stage:
    """A stage of 16 teams after some games."""

    def __init__(self, games: Sequence[Game], teams: int = 16) -> None:
        self.teams = range(1, teams + 1)
        self.wins = {t: sum(w == t for w, _ in games) for t in self.teams}
        self.losses = {t: sum(x == t for _, x in games) for t in self.teams}
        self.met: dict[int, set[int]] = {t: set() for t in self.teams}
        for winner, loser in games:
            self.met[winner].add(loser)
            self.met[loser].add(winner)

    def difficulty(self, team: int) -> int:
        return sum(self.wins[o] - self.losses[o] for o in self.met[team])

    def groups(self, wins: int = 3, losses: int = 3) -> list[list[int]]:
        """The teams that still play, by record, the highest seed first."""
        left = [
            t for t in self.teams if self.wins[t] < wins and self.losses[t] < losses
        ]
        records = sorted({(self.wins[t], -self.losses[t]) for t in left}, reverse=True)
        return [
            sorted(
                [t for t in left if (self.wins[t], -self.losses[t]) == record],
                key=lambda t: (-self.difficulty(t), t),
            )
            for record in records
        ]

    def highest_against_lowest(self, group: Sequence[int]) -> list[Pair] | None:
        """The highest team meets the lowest possible one; choices that fail are taken back."""
        if not group:
            return []
        for other in reversed(group[1:]):
            if other in self.met[group[0]]:
                continue
            rest = [team for team in group[1:] if team != other]
            pairs = self.highest_against_lowest(rest)
            if pairs is not None:
                return [(group[0], other), *pairs]
        return None

    def greedy(self, group: Sequence[int]) -> list[Pair] | None:
        """The text as it is: nothing is taken back. None if it gets stuck."""
        left, pairs = list(group), []
        while left:
            team = left.pop(0)
            others = [other for other in reversed(left) if other not in self.met[team]]
            if not others:
                return None
            left.remove(others[0])
            pairs.append((team, others[0]))
        return pairs

    def row(self, group: Sequence[int]) -> list[Pair] | None:
        """The first row of the table without a rematch."""
        for row in ROWS:
            pairs = [(group[a - 1], group[b - 1]) for a, b in row]
            if all(two not in self.met[one] for one, two in pairs):
                return pairs
        return None

    def pairs(
        self, wins: int = 3, losses: int = 3, *, table: bool = True
    ) -> list[Pair]:
        made: list[Pair] = []
        for group in self.groups(wins, losses):
            use_table = table and len(group) == 6
            found = self.row(group) if use_table else self.highest_against_lowest(group)
            assert found is not None
            made += found
        return made


def outcomes(pairs: Sequence[Pair]) -> Iterator[list[Game]]:
    """Every way in which these games can end."""
    for bits in range(2 ** len(pairs)):
        yield [(a, b) if bits >> k & 1 else (b, a) for k, (a, b) in enumerate(pairs)]
