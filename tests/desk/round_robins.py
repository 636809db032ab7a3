"""Two round robins by the page alone: nine children, and a double one of six."""

from __future__ import annotations

import re
from itertools import combinations

from flows import GAMES, agree, all_there, printed, standings_hold, sure
from judged import Evening
from lists import names
from organisers import Hand, Room, result_of

round_robins = Evening("round robins")
NINE, SIX = names(9), names(6)


def founded(hand: Hand, title: str, players: list[str], cycles: int = 1) -> str:
    """A new round robin from the first form; what was agreed to."""
    hand.write("Event name", title)
    hand.write(re.compile("^Players"), "\n".join(players))
    hand.tick(GAMES["chess"])
    hand.choose("Format", "Round robin: everybody meets everybody")
    if cycles > 1:
        hand.click(hand.page.locator("summary", has_text="More settings"))
        hand.write("Cycles of a round robin", str(cycles))
    hand.press("Preview the event")
    said = sure(hand)
    agree(hand)
    hand.page.wait_for_url("**/players*")
    return said


def all_paired(hand: Hand, rounds: int) -> None:
    """One click pairs all rounds."""
    hand.view("Round")
    hand.press("Pair all rounds")
    hand.sees(re.compile(f"All {rounds} rounds are paired"))


def round_played(room: Room, hand: Hand, folder: str, number: int) -> None:
    """A round's results by slips, whichever round it is."""
    hand.view("Results")
    hand.click(hand.page.get_by_role("link", name=f"Round {number}", exact=True))
    hand.page.wait_for_url(f"**/results?round={number}*")
    tables = [
        row["table"] for row in room.matches(folder, number) if not result_of(row)
    ]
    hand.lane()
    for table in tables:
        hand.slip(f"{table} {'1213'[(int(table) + number) % 4]}")
    all_there(hand)


def everybody_met(room: Room, folder: str, players: list[str], times: int) -> None:
    """Everybody has met everybody so often, and each game has a result."""
    rows = room.matches(folder)
    met = [frozenset((row["player1"], row["player2"])) for row in rows]
    for pair in combinations(players, 2):
        assert met.count(frozenset(pair)) == times, pair
    assert all(map(result_of, rows))


@round_robins.task("R1", "nine children: everybody meets everybody, in any order")
def _(room: Room) -> None:
    hand = room.desk("nine")
    said = founded(hand, "Nine", NINE)
    assert "9 rounds for 9 players" in said, said
    all_paired(hand, 9)
    for number in (1, 3, 2, 9, 4, 5, 8, 6, 7):
        round_played(room, hand, "nine", number)
    everybody_met(room, "nine", NINE, 1)
    byes = [
        row["player1"]
        for row in room.rows("nine/matches.csv")
        if row["status"] == "bye"
    ]
    assert sorted(byes) == sorted(NINE)
    hand.view("Round")
    hand.sees("All 9 rounds are played")
    standings_hold(room, hand, "nine")
    hand.view("Standings")
    hand.click(hand.page.get_by_role("link", name="Cross table", exact=True))
    hand.page.wait_for_url("**/standings?by=cross")
    assert hand.page.locator("table.cross tbody tr").count() == 9
    printed(
        room, hand, "nine", "Pairings by table", "Standings", "Cross table by opponents"
    )


@round_robins.task("R2", "six play twice, and one of them leaves early")
def _(room: Room) -> None:
    hand = room.desk("six")
    said = founded(hand, "Six", SIX, cycles=2)
    assert "10 rounds for 6 players" in said, said
    all_paired(hand, 10)
    for number in (1, 2, 3):
        round_played(room, hand, "six", number)
    hand.view("Players")
    row = hand.page.locator("tr[data-row]").filter(has_text=SIX[0]).first
    hand.click(row.get_by_role("button", name=re.compile("^Drop")).first)
    hand.sees(re.compile("count for nobody"))
    for number in range(4, 11):
        round_played(room, hand, "six", number)
    everybody_met(room, "six", SIX, 2)
    totals = dict.fromkeys(SIX, 0.0)
    for match in room.matches("six"):
        pair = (match["player1"], match["player2"])
        if SIX[0] not in pair:
            totals[pair[0]] += float(match["score1"])
            totals[pair[1]] += float(match["score2"])
    hand.view("Standings")
    hand.sees("All games of the round robin are played")
    shown = {
        line.locator("td").nth(1).inner_text(): line.locator("td").nth(2).inner_text()
        for line in hand.page.locator("table.standings tbody tr").all()
    }
    points = {
        name.removesuffix(" dropped"): float(text.replace("½", ".5").strip() or 0)
        for name, text in shown.items()
    }
    assert points == totals, (points, totals)
