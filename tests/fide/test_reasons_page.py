"""A hundred reasons of real opens, at three lengths: true, and most fit to be read to a parent."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dutch_round import Round, of_trf
from events import some_or_all
from places import REAL, ROOT

sys.path.insert(0, str(Path(__file__).parents[1] / "make"))

import make_reasons
from make_reasons import MANY, PAGE, Reason, item

from pairopt import Result, read_event, solve
from pairopt.messages import Message

CODE = re.compile(
    r"\bC\d+|\b\d+\.\d+\.\d|\b4\.[1-9]\b(?! point)|\bS[12]\b|article|criteri"
)
NOUNS = "match(?:es)?|points?|players?|rounds?|unplayed rounds?|games?|others"
NUMBER = re.compile(
    rf"(?<![\w.])(?<!round )(?<!rounds )\d+(?:\.5)?(?! (?:{NOUNS})\b)(?![\w.]*\d)"
)


def plain(said: str) -> bool:
    """No bracket, no code, and no number without a noun."""
    said = re.sub(r"rounds \d+(?:, \d+)*", "rounds", said)
    return not (
        re.search(r"[()\[\]]", said) or CODE.search(said) or NUMBER.search(said)
    )


def on_page() -> list[list[str]]:
    """The three lines of each reason."""
    text = PAGE.read_text(encoding="utf-8")
    return [
        re.findall(r"^     - (.+)\.$", each, re.MULTILINE)
        for each in re.split(r"^\d+\. ", text, flags=re.MULTILINE)[1:]
    ]


def test_what_is_plain() -> None:
    for said in (
        "why Ada with 2.5 points meets nobody",
        "the two players have met in round 7",
        "in rounds 2, 4",
    ):
        assert plain(said)
    for said in (
        "2 instead of 0",
        "Ada (2 points)",
        "both must have Black, by C3",
        "it needs 4.3.2.1",
        "worse in 4.2",
        "with 1 of them",
        "S1 meets S2",
    ):
        assert not plain(said), said


def test_nearly_all_can_be_read_aloud() -> None:
    found = on_page()
    assert len(found) == MANY == 100
    assert {len(each) for each in found} == {3}
    assert sum(plain(spoken) for spoken, _, _ in found) >= 90, [
        s for s, *_ in found if not plain(s)
    ]
    for three in found:
        assert not any("worse in" in said for said in three)
    assert sum(bool(re.search(r"\((C|4)[\d.]+\)", line)) for _, line, _ in found) >= 80


def forced(reason: Reason) -> Result:
    """The round with the wish forced, by the engine alone."""
    event, (kind, players) = read_event(reason.path), reason.wish
    if kind == "pair":
        return solve(event, "fide-dutch", force=[players])
    if kind == "bye":
        return solve(event, "fide-dutch", bye=players[0])
    state = solve(event, "fide-dutch").problem.state
    seat = state.names.index(players[0])
    lower = [
        name
        for name, points in zip(state.names, state.fide.score, strict=True)
        if points < state.fide.score[seat]
    ]
    apart = [(players[0], name) for name in lower]
    return solve(event, "fide-dutch", forbid=apart, no_bye=players)


def require_true(reason: Reason) -> None:
    """The level is the first that is worse with the wish forced; facts are those of the file."""
    given = of_trf(reason.path.read_text(encoding="utf-8"))
    answer, said = reason.answer, reason.answer.said
    require_facts(given, reason, make_reasons.facts_of(said))
    if answer.kind != "worse":
        return
    other, best = forced(reason), solve(read_event(reason.path), "fide-dutch")
    assert other.proven
    assert best.proven
    assert answer.level is not None
    mine, theirs = other.level_values, best.level_values
    level = theirs[answer.level]
    if (
        level.criterion != "C8"
    ):  # that looks ahead: the others may agree up to a later level
        differs = [a.value != b.value for a, b in zip(mine, theirs, strict=True)]
        first = next(k for k, one in enumerate(differs) if one)
        while theirs[first].criterion == "C8":
            first = next(k for k in range(first + 1, len(differs)) if differs[k])
        assert theirs[first].criterion == level.criterion
        assert (mine[first].value, theirs[first].value) == (
            answer.value,
            answer.optimum,
        )
    worse = make_reasons.worse_of(said)
    assert worse is not None
    require_named(given, reason, worse, met(other), met(best))


def require_facts(given: Round, reason: Reason, facts: list[Message]) -> None:
    one, *more = map(int, reason.wish[1])
    for each in facts:
        kind = each.kind.removesuffix("_by_article")
        if kind == "fact.met":
            rounds = [
                t
                for t, c in enumerate(given.past(one), 1)
                if c.played and c.opponent == more[0]
            ]
            assert each.fields["rounds"] == rounds
        elif kind == "fact.same_side":
            assert given.preference(one) == given.preference(more[0])
            assert given.preference(one).strength == 3
        elif kind == "fact.alone":
            assert [p for p in given.here if given.score(p) == given.score(one)] == [
                one
            ]
        elif kind in ("fact.none_of_few", "fact.none_of_many"):
            mates = [
                p for p in given.here if given.score(p) == given.score(one) and p != one
            ]
            assert not any(given.may_meet(one, p) for p in mates)
        elif kind in ("fact.had_bye", "fact.won_unplayed"):
            assert not given.may_bye(one)
        else:
            raise AssertionError(kind)


def met(result: Result) -> dict[int, int]:
    """Who meets whom by number, 0 for the bye."""
    pairs = [
        (int(pair[0]), int(pair[1]) if len(pair) > 1 else 0) for pair in result.pairs
    ]
    return dict([*pairs, *((two, one) for one, two in pairs if two)])


def require_named(
    given: Round,
    reason: Reason,
    worse: Message,
    now: dict[int, int],
    best: dict[int, int],
) -> None:
    """Who is named does what is said, by the oracle's reading of the file."""
    event = make_reasons.invented(read_event(reason.path))
    number = {
        name: int(player)
        for player, name in zip(event.players, event.shown, strict=True)
    }

    def numbers(field: str, said: Message = worse) -> list[int]:
        return [number[name] for name in np.atleast_1d(said.fields.get(field, []))]

    def goes_down(p: int) -> bool:
        other = now[p]
        return not other or given.score(other) < given.score(p)

    kind, fields = (
        worse.kind.removesuffix("_more").removesuffix("_unplayed"),
        worse.fields,
    )
    one, two = numbers("one"), numbers("two")
    if kind in ("article.due", "article.strong", "article.far", "article.third"):
        (a,), (b,) = one, two
        assert now[a] == b
        assert best[a] != b
        mine, theirs = given.preference(a), given.preference(b)
        assert mine.side == theirs.side
        assert fields["side"] == {"w": "White", "b": "Black"}[mine.side]
        assert min(mine.strength, theirs.strength) >= {
            "article.due": 1,
            "article.strong": 2,
        }.get(kind, 3)
    elif kind == "article.down_again":
        ago = given.played + 1 - fields["round"]
        for p in numbers("who"):
            assert goes_down(p)
            assert given.floated(p, ago) == 1
        assert given.cell(one[0], fields["round"]).played != worse.kind.endswith(
            "_unplayed"
        )
    elif kind == "article.up_again":
        ago = given.played + 1 - fields["round"]
        for p in numbers("met"):
            assert given.score(now[p]) > given.score(p)
            assert given.floated(p, ago) == -1
    elif kind in ("article.floats", "article.floats_of", "article.next"):
        assert numbers("who")
        assert all(goes_down(p) for p in numbers("who"))
        least = fields["next"] if kind == "article.next" else fields["points"]
        others = [now[p] for p in numbers("who")]
        assert all(not p or given.score(p) < 2 * least for p in others)
        if kind == "article.floats_of":
            assert {given.score(p) for p in numbers("who")} == {2 * fields["of"]}
    elif kind in ("article.bye_points", "article.bye_unplayed"):
        (a,), (b,) = one, numbers("bye")
        assert (now[a], best[b]) == (0, 0)
        counted = given.unplayed if kind == "article.bye_unplayed" else given.score
        scale = 1 if kind == "article.bye_unplayed" else 2
        assert (counted(a), counted(b)) == (
            scale * fields["value"],
            scale * fields["least"],
        )
    else:
        assert kind == "article.order"
        told = next(
            each
            for each in reason.answer.said.messages
            if each.kind.startswith("order.")
        )
        require_order(told, numbers, now, best)


def require_order(
    told: Message, numbers: Any, now: dict[int, int], best: dict[int, int]
) -> None:
    one, two, then = (numbers(field, told) for field in ("one", "two", "best"))
    if told.kind in ("order.meets", "order.stays"):
        assert now[one[0]] == two[0]
    if told.kind in ("order.meets", "order.floats"):
        assert best[one[0]] == then[0]
        assert now[one[0]] != then[0]
    if told.kind == "order.exchange":
        assert numbers("best_out", told) != numbers("out", told) or (
            numbers("best_into", told) != numbers("into", told)
        )


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not here")
@pytest.mark.sweep
@some_or_all
def test_all_are_true_with_the_wish_forced(share: int) -> None:
    """Of the page, one in so many; all that are asked about in one round otherwise."""
    if share == 1:
        found = make_reasons.chosen(REAL)
        page = PAGE.read_text(encoding="utf-8")
        assert all(item(k, reason) in page for k, reason in enumerate(found, 1))
    else:
        found = [*{reason.kind: reason for reason in of_two_rounds()}.values()]
        assert {"C14", "C13"} <= {kind for reason in found for kind in reason.kind}
        found = found[::3]
    for reason in found:
        require_true(reason)


def of_two_rounds() -> Iterator[Reason]:
    """Those of the page that are of two rounds, found again."""
    page = PAGE.read_text(encoding="utf-8")
    for name in (
        "budapest_spring_festival_2026_group_b_2250_r08",
        "spring_2026_chesshouse_r08",
    ):
        for reason in make_reasons.reasons(
            REAL / "dutch" / "published" / f"{name}.trf"
        ):
            if item(0, reason).partition(". ")[2] in page:
                yield reason


def test_none_is_of_another_place() -> None:
    assert PAGE == ROOT / "docs" / "reasons.md"
