"""Netrunner: two games a match, identities, a cut, and the file for its site."""

from __future__ import annotations

import json
import re
from fractions import Fraction

from flows import (
    agree,
    all_there,
    founded,
    kept,
    paired,
    played,
    points_of,
    printed,
    slips,
    standings_hold,
)
from judged import Evening
from lists import identities, nrtm, people
from organisers import Hand, Room, result_of

netrunner = Evening("Netrunner with a cut")
RUNNERS = people(20)
SCORES = {"6-0", "0-6", "3-3", "4-1", "1-4", "6-3"}


def cut(hand: Hand, best: int, double: bool) -> None:
    """Make the cut; equals by lot where the form asks."""
    hand.view("Standings")
    hand.unfold("Top cut")
    hand.write("Players in the top cut", str(best))
    if double:
        hand.tick(re.compile("Double elimination"))
    hand.tick(re.compile("draw their order"))
    hand.press("Create the bracket")
    agree(hand)
    hand.sees(re.compile("Winners|Semi|Final", re.IGNORECASE))


def fought(room: Room, hand: Hand, folder: str) -> int:
    """Every match of the bracket, as they come to be played, by slips; how many there were."""
    done: list[str] = []
    hand.view("Results")
    for _ in range(40):
        hand.page.locator("[data-row]").first.wait_for()
        rows = hand.page.locator(
            "tr[id^=table-B]:has(button[value], input[name=score])"
        )
        names = [row.get_attribute("id").removeprefix("table-") for row in rows.all()]
        new = [name for name in names if name not in done]
        if not new:
            break
        hand.lane()
        hand.slip(f"{new[0]} 1")
        hand.sees(re.compile(rf"{new[0]}:"))
        done.append(new[0])
        hand.view("Results")
    return len(done)


@netrunner.task("W2", "the whole tournament by the page alone")
def _(room: Room) -> None:
    hand = room.desk("circuit")
    founded(
        hand, title="Circuit", players=identities(RUNNERS), game="netrunner", rounds=3
    )
    assert len(room.players("circuit")) == len(RUNNERS)
    for number in (1, 2, 3):
        played(room, hand, "circuit", number)
    standings_hold(room, hand, "circuit")
    printed(room, hand, "circuit", "Pairings by table", "Pairings by name", "Standings")
    cut(hand, 4, double=True)
    assert fought(room, hand, "circuit") in (6, 7), (
        "a double elimination of four has 6 or 7 matches"
    )
    hand.view("Standings")
    hand.sees(re.compile("has won"))
    hand.view("Print")
    hand.press("Bracket")
    hand.sees(re.compile("has won|Final", re.IGNORECASE))
    hand.press("Back to all lists")
    got = kept(room, hand, "circuit", "json")
    assert len(json.loads(got["json"].read_text())["rounds"]) > 3, (
        "the cut is not in the NRTM JSON"
    )


@netrunner.task(6, "questions: two games a match")
def _(room: Room) -> None:
    found = room.settings("circuit")
    assert found["model"] == "double-sided", found["model"]
    assert found["points"]["games"] == 2, found["points"]
    row = room.matches("circuit", 1)[0]
    assert sum(Fraction(row[side]) for side in ("score1", "score2")) == 6, row


@netrunner.task(
    34, "identities of a registration list, under any usual heading, come into the NRTM"
)
def _(room: Room) -> None:
    headings = (
        ("Corp ID", "Runner ID"),
        ("Corp Identity", "Runner Identity"),
        ("corp_identity", "runner_identity"),
        ("Corp", "Runner"),
    )
    for number, (corp, runner) in enumerate(headings):
        room.write("registered.csv", identities(RUNNERS[:6], corp, runner))
        room.shell.run(f"new ids{number} --players registered.csv --model double-sided")
        room.shell.run(f"pair ids{number}")
        room.score(f"ids{number}", ("6-0", "3-3"))
        room.shell.run(f"convert ids{number} ids{number}.json")
        found = json.loads((room.place / f"ids{number}.json").read_text())["players"]
        assert len(found) == 6
        by_name = {
            each["name"]: (each["corpIdentity"], each["runnerIdentity"])
            for each in found
        }
        assert by_name[RUNNERS[1].name] == ("Jinteki", "Hoshiko"), (
            f"{corp}: {by_name[RUNNERS[1].name]}"
        )


@netrunner.task(35, "6-0, 3-3, 4-1")
def _(room: Room) -> None:
    room.write(
        "names.csv", "player\n" + "\n".join(each.name for each in RUNNERS[:6]) + "\n"
    )
    room.shell.run("new double --players names.csv --model double-sided")
    hand = room.desk("double")
    paired(hand, 1)
    slips(hand, ["1 6-0", "2 3-3", "3 4-1"])
    all_there(hand)
    assert [result_of(row) for row in room.matches("double", 1)] == [
        "6-0",
        "3-3",
        "4-1",
    ]
    standings_hold(room, hand, "double")


@netrunner.task("35b", "an unfinished second game: 3-0")
def _(room: Room) -> None:
    hand = room.desk("double")
    paired(hand, 2)
    slips(hand, ["1 3-0", "2 0-3", "3 6-0"])
    all_there(hand)
    assert [result_of(row) for row in room.matches("double", 2)] == [
        "3-0",
        "0-3",
        "6-0",
    ]
    standings_hold(room, hand, "double")


@netrunner.task(37, "top 8 by double elimination, all of its results")
def _(room: Room) -> None:
    room.write(
        "names.csv", "player\n" + "\n".join(each.name for each in RUNNERS) + "\n"
    )
    room.shell.run("new top --players names.csv --model double-sided --rounds 3")
    for _ in range(3):
        room.shell.run("pair top")
        room.score("top", ("6-0", "3-3", "0-6", "6-0"))
    hand = room.desk("top")
    cut(hand, 8, double=True)
    matches = fought(room, hand, "top")
    assert matches in (14, 15), (
        f"a double elimination of eight has 14 or 15 matches, not {matches}"
    )
    hand.view("Standings")
    hand.sees(re.compile("has won"))


@netrunner.task(
    38, "the NRTM JSON written in the cut, read and written again: the same"
)
def _(room: Room) -> None:
    room.shell.run("convert top top.json")
    room.shell.run("convert top.json again.json")
    one, two = ((room.place / name).read_bytes() for name in ("top.json", "again.json"))
    assert one == two, "the file that was read is written as another"
    found = json.loads(one)
    assert found["preliminaryRounds"] == 3, found["preliminaryRounds"]
    assert found["cutToTop"] == 8, found["cutToTop"]


@netrunner.task(39, "the number of rounds from a NRTM JSON")
def _(room: Room) -> None:
    room.write("site.json", nrtm(RUNNERS[:12], swiss=4, cut=4))
    room.shell.run("new site --players site.json")
    found = room.settings("site")
    assert found.get("rounds") == 4, (
        f"rounds {found.get('rounds')}, preliminaryRounds were 4"
    )
    assert sorted(room.players("site")) == sorted(each.name for each in RUNNERS[:12])
    hand = room.desk("sitepage")
    said = founded(hand, title="Site", file=room.place / "site.json")
    assert "4" in said
    assert room.settings("sitepage").get("rounds") == 4, room.settings("sitepage")


@netrunner.task(41, "a tie for the cut: refused in a sentence, without the lot")
def _(room: Room) -> None:
    room.write(
        "names.csv", "player\n" + "\n".join(each.name for each in RUNNERS[:8]) + "\n"
    )
    room.shell.run("new tie --players names.csv --model double-sided --rounds 1")
    room.shell.run("pair tie")
    room.score("tie", ("6-0",))
    said = room.shell.refused("bracket tie --cut 2")
    lines = [line for line in said.err.splitlines() if line.strip()]
    first = points_of(room, "tie")
    best = [name for name, points in first.items() if points == max(first.values())]
    assert any(name in said.err for name in best), f"the tied are not named: {said.err}"
    room.wish(len(lines) <= 3, f"{len(lines)} lines")
    hand = room.desk("tie")
    hand.view("Standings")
    hand.unfold("Top cut")
    hand.write("Players in the top cut", "2")
    hand.press("Create the bracket")
    hand.sees(re.compile("equal|tie", re.IGNORECASE))
    assert not (room.place / "tie" / "bracket.csv").exists(), "a bracket is made"
    hand.within(
        hand.page.locator(".refused, [role=alert]").locator("visible=true"), "why not"
    )
