"""Public disputes, each in facts of its own: what was said there, and a round that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from vectors.models import BYE, GROUPS, Group, as_played, drawn, rules, without
from vectors.tiny import Chances, Tiny, row

TITLE = "Rounds that people asked about in public trackers, each in facts of its own."


@dataclass(frozen=True)
class Dispute:
    """Where it was said, what it is about in our words, and the round that is looked for."""

    name: str
    url: str
    about: str
    group: Group


def _had_byes(facts: dict[str, Any]) -> set[str]:
    return {m["first"] for m in facts["matches"] if m["status"] == "bye"}


def _pairs(pairings: list[Any]) -> list[set[str]]:
    return [{one, two} for pairing in pairings for one, two in pairing if two]


def _byes_meet(made: dict[str, Any]) -> bool:
    """Without the rule two who have had byes meet, and by the rule none do."""
    had = _had_byes(made["facts"])
    return any(pair <= had for pair in _pairs(made["without"])) and not any(
        pair <= had for pair in _pairs(made["best"])
    )


def _same_arc_again(made: dict[str, Any]) -> bool:
    """Without the rule two players would have the sides of their first meeting again."""
    before = {(m["first"], m["second"]) for m in made["facts"]["matches"]}
    return all(
        any((one, two) in before for one, two in p if two) for p in made["without"]
    )


def _six_in_round_four(made: dict[str, Any]) -> bool:
    return made["facts"]["round"] == 4 and len(made["facts"]["active"]) == 6


def _half_point_byes(event: Tiny, _: Random) -> Tiny:
    """Allocated byes that give what a draw gives."""
    draw = event.points[1]
    rows = tuple(
        {**r, "score1": draw} if r["status"] == "bye" else r for r in event.rows
    )
    return replace(event, rows=rows)


def _as_requested(event: Tiny, _: str) -> Tiny:
    """Byes of less than a win read as byes that somebody asked for."""
    rows = tuple(
        {**r, "status": "requested"} if r["status"] == "bye" else r for r in event.rows
    )
    return replace(event, rows=rows)


def _nobody_came(event: Tiny, chance: Random) -> Tiny:
    """One match of the last round that neither has played."""
    played = [k for k, r in enumerate(event.rows) if r["player2"] and not r["status"]]
    if not played:
        return event
    at, loss = played[-1], event.points[2]
    old = event.rows[at]
    new = row(
        int(str(old["round"])),
        str(old["player1"]),
        str(old["player2"]),
        (loss, loss),
        "forfeit",
        old["side1"],
    )  # type: ignore[arg-type]
    return replace(event, rows=(*event.rows[:at], new, *event.rows[at + 1 :]))


def _leaders_forced(event: Tiny, _: str) -> Tiny:
    """The first two of the standings are made to meet."""
    oracle = event.oracle()
    first, second = sorted(oracle.active, key=lambda p: (-oracle.states[p].score, p))[
        :2
    ]
    return replace(event, more={"force": [(first, second)]})


def _of_equal_points(made: dict[str, Any]) -> bool:
    """The two would be paired by their points, and have not met."""
    facts = made["facts"]
    score = dict.fromkeys(facts["active"], 0.0)
    for match in facts["matches"]:
        for who, points in zip(
            (match["first"], match["second"]), match["scores"], strict=True
        ):
            if who:
                score[who] += float(points)
    first, second = sorted(score, key=lambda p: (-score[p], p))[:2]
    met = [{m["first"], m["second"]} for m in facts["matches"]]
    decides = f"in {made['decides']}," in made["why"]
    return score[first] == score[second] and {first, second} not in met and decides


QUIET = Chances(odd=0.0, rounds=(2, 4))
DISPUTES = (
    Dispute(
        "Null-Signal-Games/cobra #373",
        "https://github.com/Null-Signal-Games/cobra/issues/373",
        "The same two players meet in two rounds with the same sides.",
        Group(
            "",
            "Players who meet again swap sides.",
            1,
            (
                (
                    "no_same_sides_rematch",
                    rules(
                        {"kind": "side_difference", "at_least": 1},
                        GROUPS,
                        no_same_sides_rematch=True,
                    ),
                ),
            ),
            Chances(sided=1.0, odd=0.0, rounds=(3, 4), players=(4, 5)),
            without,
            "With {kind} left out",
            wanted=_same_arc_again,
        ),
    ),
    Dispute(
        "Null-Signal-Games/cobra #521",
        "https://github.com/Null-Signal-Games/cobra/issues/521",
        "Players who have had byes are paired with each other too often: a round without "
        "a game leaves their sides unbalanced, so that they fit each other.",
        Group(
            "",
            "Points come before sides.",
            1,
            (
                (
                    "score_groups",
                    rules(
                        {"kind": "rematches"},
                        BYE,
                        GROUPS,
                        {"kind": "side_difference", "at_least": 1},
                    ),
                ),
            ),
            Chances(sided=1.0, odd=1.0, rounds=(2, 4), players=(5, 5)),
            without,
            "With {kind} left out",
            wanted=_byes_meet,
        ),
    ),
    Dispute(
        "sendou-ink/sendou.ink #2002",
        "https://github.com/sendou-ink/sendou.ink/issues/2002",
        "Six players are left to pair in round 4. Not all pairings were tried, and two "
        "players met again although that could be avoided.",
        Group(
            "",
            "A rematch occurs only if it cannot be avoided.",
            1,
            (("rematches", rules({"kind": "rematches"}, GROUPS)),),
            Chances(odd=0.0, rounds=(3, 3), players=(6, 6)),
            without,
            "With {kind} left out",
            wanted=_six_in_round_four,
        ),
    ),
    Dispute(
        "BieremaBoyzProgramming/bbpPairings #28",
        "https://github.com/BieremaBoyzProgramming/bbpPairings/issues/28",
        "An allocated bye gives half a point. Still, no player should get it twice.",
        Group(
            "",
            "An allocated bye counts as one, whatever points it gives.",
            1,
            (("no_repeat_bye", rules(BYE, GROUPS, no_repeat_bye=True)),),
            Chances(odd=1.0, rounds=(2, 4)),
            _as_requested,
            "With byes of less than a win read as asked for",
            _half_point_byes,
        ),
    ),
    Dispute(
        "lichess-org/lila #14387",
        "https://github.com/lichess-org/lila/issues/14387",
        "A player is paired but does not come, and gets no points. The next round could "
        "not be paired, because the file had an opponent and a side for a match that was not played.",
        Group(
            "",
            "A match that was not played is no meeting, and the round is paired.",
            1,
            (("no_rematch", rules(BYE, GROUPS, no_rematch=True)),),
            QUIET,
            as_played,
            "With what was not played read as played",
            _nobody_came,
        ),
    ),
    Dispute(
        "MIT-Tab/mit-tab #461",
        "https://github.com/MIT-Tab/mit-tab/issues/461",
        "Teams say whom they should meet. The answer is what that would cost.",
        Group(
            "",
            "The two leaders have equal points, have not met, and yet do not meet.",
            1,
            (("score_groups", rules({"kind": "rematches"}, GROUPS)),),
            Chances(odd=0.0, rounds=(2, 4), players=(6, 6)),
            _leaders_forced,
            "With the two leaders made to meet",
            wanted=_of_equal_points,
        ),
    ),
    Dispute(
        "Sharly-Chess/sharly-chess #2038",
        "https://github.com/Sharly-Chess/sharly-chess/issues/2038",
        "Players of the same club must never meet: an absolute prohibition, record 260.",
        Group(
            "",
            "Players of the same club do not meet, whatever that costs.",
            1,
            (("conflicts", rules(BYE, GROUPS, no_rematch=True, conflicts=["club"])),),
            Chances(odd=0.0, clubs=True, rounds=(1, 3)),
            without,
            "With {kind} left out",
        ),
    ),
    Dispute(
        "Sharly-Chess/sharly-chess #2038",
        "https://github.com/Sharly-Chess/sharly-chess/issues/2038",
        "Players of the same club should not meet if it can be avoided: a weak prohibition, as we read it.",
        Group(
            "",
            "Players of the same club meet as rarely as possible.",
            1,
            (
                (
                    "conflicts",
                    rules(
                        {"kind": "conflicts", "column": "club"}, GROUPS, no_rematch=True
                    ),
                ),
            ),
            Chances(odd=0.0, clubs=True, rounds=(2, 3), players=(6, 6)),
            without,
            "With {kind} left out",
            wanted=lambda made: any(_same_club(made["facts"], p) for p in made["best"]),
        ),
    ),
)


def _same_club(facts: dict[str, Any], pairing: Any) -> bool:
    club = {player["id"]: player["club"] for player in facts["players"]}
    return any(two and club[one] == club[two] for one, two in pairing)


def vectors() -> Iterator[dict[str, Any]]:
    for number, dispute in enumerate(DISPUTES, 1):
        (made,) = drawn(replace(dispute.group, name=f"dispute {number}"), 0)
        source = {"name": dispute.name, "url": dispute.url, "about": dispute.about}
        yield {**made, "id": f"disputes-{number:03}", "source": source}
