"""Small rounds of the Dutch System worked by hand from the articles: TRF and pairs, White first."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A round, why it is paired so, and the pairs, the bye as (player, 0)."""

    lines: tuple[str, ...]
    why: str
    pairs: set[tuple[int, int]]


def player(number: int, points: float, *cells: str) -> str:
    """A player line; cells as "   2 w 1"."""
    head = f"001 {number:>4}      {f'Player {number}':<33} {2500 - number:>4} {'':<27}{points:>4} "
    return f"{head:<89}" + "".join(f"  {cell}" for cell in cells)


def field(size: int) -> tuple[str, ...]:
    """Players before round 1."""
    return tuple(player(k, 0) for k in range(1, size + 1))


BAKU = tuple(f"XXA {k:>4}  1.0  1.0  0.5  0.5" for k in range(1, 5))
"""C.04.7, articles 1.2 and 1.4: of 8 players the first 4, of 8 rounds the first 4."""
SECOND = (
    player(1, 1, "   3 w 1"),
    player(2, 0.5, "   4 b ="),
    player(3, 0, "   1 b 0"),
    player(4, 0.5, "   2 w ="),
    player(5, 1, "   7 w 1"),
    player(6, 0.5, "   8 b ="),
    player(7, 0, "   5 b 0"),
    player(8, 0.5, "   6 w ="),
)
"""Round 1 as `BAKU` pairs it, and its results."""
THIRD = (
    player(1, 2, "   4 w 1", "   5 w 1"),
    player(2, 2, "   5 w 1", "   6 w 1"),
    player(3, 1, "   6 w =", "   4 b ="),
    player(4, 0.5, "   1 b 0", "   3 w ="),
    player(5, 0, "   2 b 0", "   1 b 0"),
    player(6, 0.5, "   3 b =", "   2 b 0"),
)

FULL, HALF, AWAY = (("0000 - F",), ("0000 - H",), ("0000 - Z",))
BYES = tuple(player(k, 1, *FULL, *3 * AWAY) for k in range(1, 5))
"""Four players of a point who have not played, nor floated in the last two of four rounds."""
BELOW = (
    *(player(k, 0.5, *HALF, *3 * AWAY) for k in (6, 7)),
    player(8, 0, *4 * AWAY),
    player(
        9, 0.5, *3 * AWAY, "  10 w =", *AWAY
    ),  # the only ones who played, and away now
    player(10, 0.5, *3 * AWAY, "   9 b =", *AWAY),
    "XXR 9",
    "XXC white1",
)

CASES = {
    "XXC white1": Case(
        (*field(4), "XXR 5", "XXC white1"),
        "S1 is 1 2 and S2 is 3 4; 1 is odd and has the initial colour, 2 the other (5.2.5)",
        {(1, 3), (4, 2)},
    ),
    "XXC black1": Case(
        (*field(4), "XXR 5", "XXC black1"), "the same, black first", {(3, 1), (2, 4)}
    ),
    "XXP": Case(
        (*field(4), "XXR 5", "XXC white1", "XXP 3 1"),
        "3 4 is out, the next transposition of S2 is 4 3 (4.2)",
        {(1, 4), (3, 2)},
    ),
    "absent": Case(
        (
            player(1, 0),
            player(2, 0.5, "0000 - H"),
            *field(5)[2:],
            "XXR 5",
            "XXC white1",
        ),
        "S1 is 1 3, S2 is 4 5; 3 is the second of those who take part (5.2.5, C.04.2: 2.4)",
        {(1, 4), (5, 3)},
    ),
    "late": Case(
        (
            player(1, 1, "   4 w 1"),
            player(2, 0.5, "   5 b ="),
            player(3, 0, "0000 - Z"),
            player(4, 0, "   1 b 0"),
            player(5, 0.5, "   2 w ="),
            "XXR 5",
            "XXC white1",
        ),
        "1 floats and meets 2 (White for 2: 5.2.1), 5 floats; 4 has the bye, as 3 has one unplayed "
        "game more (C9), and 5 who had White has Black",
        {(2, 1), (3, 5), (4, 0)},
    ),
    "C5": Case(
        (
            player(1, 1, "   3 w 1"),
            player(2, 0.5, "   4 w ="),
            player(3, 0, "   1 b 0"),
            player(4, 0.5, "   2 b ="),
            player(5, 1, "0000 - U"),
            "XXR 5",
            "XXC white1",
        ),
        "3 has the bye, the fewest points (C5), though then 1 and 5 cannot meet, as 2 and 4 have "
        "met (C4): both float. With 2 1 would be refused Black (C12): so 1 meets 4, 5 meets 2",
        {(4, 1), (5, 2), (3, 0)},
    ),
    "C14": Case(
        (*BYES, player(5, 1, *HALF, *AWAY, *AWAY, *HALF), *BELOW),
        "1 3 and 2 4 would come first, but 5 would float again; so 2 meets 5 and 4 floats to 6",
        {(1, 3), (5, 2), (6, 4), (7, 8)},
    ),
    "C16": Case(
        (*BYES, player(5, 1, *HALF, *AWAY, *HALF, *AWAY), *BELOW),
        "the same, two rounds before",
        {(1, 3), (5, 2), (6, 4), (7, 8)},
    ),
    "float long ago": Case(
        (*BYES, player(5, 1, *HALF, *HALF, *AWAY, *AWAY), *BELOW),
        "the same, three rounds before, which does not count: 5 floats",
        {(1, 3), (4, 2), (5, 6), (7, 8)},
    ),
    "C14 and C16": Case(
        (
            *BYES[:3],
            player(4, 1, *HALF, *AWAY, *HALF, *AWAY),
            player(5, 1, *HALF, *AWAY, *AWAY, *HALF),
            *BELOW,
        ),
        "neither 4 nor 5 floats: 1 meets 4, 2 meets 5 and 3 floats",
        {(1, 4), (5, 2), (3, 6), (7, 8)},
    ),
    "XXA, round 1": Case(
        (*field(8), "XXR 8", "XXC white1", *BAKU),
        "two groups of 4, as 1 to 4 have a virtual point: 1 2 with 3 4, 5 6 with 7 8",
        {(1, 3), (4, 2), (5, 7), (8, 6)},
    ),
    "XXA, round 2": Case(
        (*SECOND, "XXR 8", "XXC white1", *BAKU),
        "1 has 2 points; 2 and 4 have 1.5; 3 and 5 have 1; 6 and 8 have 0.5; 7 has none. 1 meets "
        "2, 4 floats and meets 3, 5 meets 6, 8 meets 7: all have their preferences",
        {(2, 1), (3, 4), (6, 5), (7, 8)},
    ),
    "XXR, last round": Case(
        (*THIRD, "XXR 3", "XXC white1"),
        "1 and 2 have 2 of 2 points: topscorers may meet though both have had White twice (C3); 1 "
        "is the higher one and has Black (5.2.4). 3 has met 4 and 6, and floats again to 5",
        {(2, 1), (6, 4), (5, 3)},
    ),
    "XXR, a round to come": Case(
        (*THIRD, "XXR 4", "XXC white1"),
        "1 and 2 may not meet (C3). If 1 met 3, 2 would meet 4, and 5 and 6 would be left, who "
        "both have had Black twice (C4): so 2 meets 3 and 1 floats again to 6",
        {(3, 2), (6, 1), (5, 4)},
    ),
}
