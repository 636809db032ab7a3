"""A store's evening of Magic: best of three, people who leave, a top 8 at the end."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction

from flows import (
    all_there,
    founded,
    kept,
    open_tables,
    out,
    paired,
    printed,
    slips,
    standings_hold,
    table_of,
)
from judged import Evening
from lists import people, tabbed
from netrunner_cut import cut, fought
from organisers import Hand, Room, result_of

store = Evening("a store's best of three")
GUESTS = people(18)
GAMES = ("2-1", "2-0", "0-2", "1-2", "2-1", "1-1-1", "2-0", "2-0-1", "1-1")
POINTS = {
    "2-1": "3-0",
    "2-0": "3-0",
    "0-2": "0-3",
    "1-2": "0-3",
    "1-1-1": "1-1",
    "2-0-1": "3-0",
    "1-1": "1-1",
}
FLOOR = Fraction(33, 100)


def games_of(row: dict[str, str]) -> tuple[int, int, int]:
    """Games won by each, and drawn, by the file."""
    return tuple(
        int(row.get(name) or 0) for name in ("games1", "games2", "games_drawn")
    )  # type: ignore[return-value]


def typed(score: str) -> tuple[int, int, int]:
    """2-1 or 1-1-1 as games."""
    one, two, *drawn = map(int, score.split("-"))
    return one, two, drawn[0] if drawn else 0


def magic(room: Room, folder: str) -> dict[str, tuple[Fraction, Fraction, Fraction]]:
    """OMW%, GW%, OGW% of everybody, by the rules of the game and the files alone.

    Match-win and game-win percentages are at least 33 %; those of opponents are means over the
    opponents played, byes left out. A bye is a match won 2-0.
    """
    matches, games, met = defaultdict(list), defaultdict(list), defaultdict(list)
    for row in room.rows(f"{folder}/matches.csv"):
        if not row["player2"]:
            matches[row["player1"]].append(Fraction(row["score1"]))
            games[row["player1"]].append((Fraction(6), 2))
            continue
        one, two, drawn = games_of(row)
        for me, other, mine in ((1, 2, one), (2, 1, two)):
            name = row[f"player{me}"]
            matches[name].append(Fraction(row[f"score{me}"]))
            games[name].append((Fraction(3 * mine + drawn), one + two + drawn))
            met[name].append(row[f"player{other}"])
    mw = {
        name: max(FLOOR, sum(each) / (3 * len(each))) for name, each in matches.items()
    }
    gw = {
        name: max(FLOOR, sum(p for p, _ in each) / (3 * sum(n for _, n in each)))
        for name, each in games.items()
    }
    return {
        name: (
            _mean([mw[each] for each in met[name]]),
            gw[name],
            _mean([gw[each] for each in met[name]]),
        )
        for name in matches
    }


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def rounds(room: Room, hand: Hand, folder: str, number: int) -> None:
    """A round with results in games."""
    paired(hand, number)
    tables = open_tables(room, folder, number)
    given = {table: GAMES[(k + number) % len(GAMES)] for k, table in enumerate(tables)}
    slips(hand, [f"{table} {score}" for table, score in given.items()])
    all_there(hand)
    for row in room.matches(folder, number):
        score = given[row["table"]]
        assert games_of(row) == typed(score), f"{score} became {row}"
        assert result_of(row) == POINTS[score], f"{score} became {row}"


@store.task("W5", "the whole evening by the page alone: drops, a top 8")
def _(room: Room) -> None:
    hand = room.desk("magic")
    founded(hand, title="Thursday", players=tabbed(GUESTS), game="magic", rounds=4)
    assert sorted(room.players("magic")) == sorted(each.name for each in GUESTS)
    for number in (1, 2, 3, 4):
        rounds(room, hand, "magic", number)
        if number < 4:
            out(hand, room.matches("magic", number)[-1]["player2"])
    standings_hold(room, hand, "magic")
    printed(room, hand, "magic", "Pairings by table", "Pairings by name", "Standings")
    cut(hand, 8, double=False)
    assert fought(room, hand, "magic") == 7
    hand.view("Standings")
    hand.sees(re.compile("has won"))
    kept(room, hand, "magic", "csv")


@store.task(57, "a list with tabs, first and last name apart")
def _(room: Room) -> None:
    room.write(
        "store.txt",
        tabbed(GUESTS),
        "cp1252" if not _beyond(tabbed(GUESTS)) else "utf-8",
    )
    room.shell.run(
        'new store --players store.txt --title "Store evening" --points 3-1-0 --best-of 3'
    )
    assert sorted(room.players("store")) == sorted(each.name for each in GUESTS), (
        room.players("store")
    )
    west = [each for each in GUESTS if not _beyond(each.name)]
    room.write("west.txt", tabbed(west), "cp1252")
    room.shell.run("new west --players west.txt --points 3-1-0")
    assert sorted(room.players("west")) == sorted(each.name for each in west), (
        room.players("west")
    )


def _beyond(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return True
    return False


Games = tuple[int, int, int]


def by_games(room: Room, hand, typed: list[tuple[str, Games, str]]) -> None:  # type: ignore[no-untyped-def]
    """Results of the first open tables as games, by slips and the last one by the shell, each with
    the games and the points that the file then has."""
    tables = open_tables(room, "store", 1)
    *slipped, last = zip(tables, typed, strict=False)
    slips(hand, [f"{table} {score}" for table, (score, _, _) in slipped])
    hand.sees(re.compile(f"table {slipped[-1][0]}:"))
    room.shell.run(f"result store {last[0]} {last[1][0]}")
    found = {
        row["table"]: (games_of(row), result_of(row))
        for row in room.matches("store", 1)
    }
    for table, (_, games, points) in (*slipped, last):
        assert found[table] == (games, points), f"table {table}: {found[table]}"


@store.task(58, "2-1, 2-0")
def _(room: Room) -> None:
    hand = room.desk("store")
    paired(hand, 1)
    by_games(
        room,
        hand,
        [
            ("2-1", (2, 1, 0), "3-0"),
            ("0-2", (0, 2, 0), "0-3"),
            ("2-0", (2, 0, 0), "3-0"),
        ],
    )


@store.task(59, "1-1-1, 2-0-1")
def _(room: Room) -> None:
    hand = room.desk("store")
    by_games(
        room,
        hand,
        [
            ("1-1-1", (1, 1, 1), "1-1"),
            ("2-0-1", (2, 0, 1), "3-0"),
            ("0-1-1", (0, 1, 1), "0-3"),
        ],
    )
    rest = open_tables(room, "store", 1)
    slips(hand, [f"{table} 2-1" for table in rest])
    all_there(hand)


@store.task(61, "OMW%, GW%, OGW%")
def _(room: Room) -> None:
    hand = room.desk("store")
    for number in (2, 3):
        rounds(room, hand, "store", number)
    said = room.shell.run("standings store --tie-breaks OMW,GW,OGW --format csv")
    lines = [line.split(",") for line in said.out.strip().splitlines()]
    heads, rows = [each.lower() for each in lines[0]], lines[1:]
    expected = magic(room, "store")
    name_at = next(k for k, each in enumerate(heads) if each in ("player", "name"))
    for key, at in (("omw", 0), ("gw", 1), ("ogw", 2)):
        column = next(
            (
                k
                for k, each in enumerate(heads)
                if each.strip("%") == key or each == key
            ),
            None,
        )
        assert column is not None, f"no column {key} in {heads}"
        for row in rows:
            shown, right = _share(row[column]), float(expected[row[name_at]][at])
            assert abs(shown - right) < 0.0006, (
                f"{row[name_at]}: {key} {row[column]}, by hand {right:.4f}"
            )
    room.shell.run("set store tie_breaks OMW,GW,OGW")
    hand.view("Standings")
    assert len(table_of(hand)) == len(GUESTS)


def _share(text: str) -> float:
    """0.4444, 44.44 or 44.44%."""
    value = float(text.strip().rstrip("%") or 0)
    return value / 100 if value > 1 or text.strip().endswith("%") else value
