"""Small rounds of the Burstein System worked by hand from the articles."""

from __future__ import annotations

from burstein_round import BursteinRound, burstein
from dutch_round import Cell, Round


def games(*rows: str, rounds: int = 2) -> BursteinRound:
    """A round after games as "2w1 3b=": opponent, side and result; H, F, U and Z without one."""
    cells = {
        number: tuple(
            Cell(result=word)
            if word.isalpha()
            else Cell(int(word[:-2]), word[-2], word[-1])
            for word in row.split()
        )
        for number, row in enumerate(rows, 1)
    }
    return burstein(Round(cells, rounds))


FOUR = games("3w1", "4w1", "1b0", "2b0")
"""1 has beaten 3 and 2 has beaten 4: in pairs 1 2 and 3 4 all prefer the same side."""


CASES = {
    "first meets last": (
        games("4w=", "5b=", "6w=", "1b=", "2w=", "3b="),
        "Buchholz and Sonneborn-Berger are equal, so 1 to 6 are ranked by number; 1-6 is first, 2 "
        "and 5 have met, in 2-4 3-5 two miss their preferences and in 2-3 4-5 nobody (C8, 4.3)",
        {(6, 1), (2, 3), (4, 5)},
    ),
    "higher ranked": (
        FOUR,
        "1 2 and 3 4 prefer the same side equally and have had no other: 1 and 3 rank higher by "
        "number, all else being equal (5.2.5)",
        {(2, 1), (3, 4)},
    ),
    "bye and a float of two": (
        games("4w1", "3w=", "2b=", "1b0", "U", "Z", "Z"),
        "4, 6 and 7 have no points and 4 has played (3.1.4); 2 and 3 have met and both float; 2 "
        "and 3 rank above 6 and 7, who have met nobody with points: 1-4 2-3 there",
        {(4, 0), (5, 1), (7, 2), (3, 6)},
    ),
}
"""Each a round, why it is paired so, and the pairs, White first, the bye as (player, 0)."""
