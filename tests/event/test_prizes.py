"""Prizes: worked examples, three laws on random events, and every assignment of small ones."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt.event.prizes import (
    MAIN,
    Award,
    BetterPrize,
    Contestant,
    GroupPrizes,
    PrizeAwards,
    PrizeLot,
    PrizeRules,
    award_prizes,
    round_shares,
)

CENT, EURO = Fraction(1, 100), Fraction(1)
STANDINGS = [
    ("Aalto", 1, "4"),
    ("Ivanov", 2, "3.5"),
    ("Berzins", 3, "3.5"),
    ("Farkas", 4, "3.5"),
    ("Hansen", 5, "3"),
    ("Jensen", 6, "2.5"),
    ("Kovac", 6, "2.5"),
    ("Dahl", 8, "1"),
]
MEMBERS = {
    "Women": frozenset(["Aalto", "Farkas", "Jensen", "Dahl"]),
    "Under 18": frozenset(["Jensen", "Kovac"]),
}
GROUPS = (
    GroupPrizes("Women", (Fraction(60),)),
    GroupPrizes("Under 18", (Fraction(50),)),
)
CONTESTANTS = [Contestant(name, rank, Fraction(p)) for name, rank, p in STANDINGS]


def amounts(*values: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, values))


def awarded(main: tuple[Fraction, ...], **rules: Any) -> PrizeAwards:
    return award_prizes(PrizeRules(main, **rules), CONTESTANTS, MEMBERS)


def paid(awards: PrizeAwards, prize_list: str = MAIN) -> dict[str, Fraction]:
    return {a.player: a.amount for a in awards.awards if a.prize_list == prize_list}


def exact(awards: PrizeAwards, prize_list: str = MAIN) -> dict[str, Fraction]:
    return {a.player: a.exact for a in awards.awards if a.prize_list == prize_list}


def test_places_two_to_four_share_equally() -> None:
    shares = exact(awarded(amounts(200, 120, 80, 50), sharing="equal"))
    third = Fraction(250, 3)
    assert shares == {"Aalto": 200, "Ivanov": third, "Berzins": third, "Farkas": third}


def test_hort_gives_half_by_place_and_half_equally() -> None:
    awards = awarded(amounts(200, 120, 80, 50), sharing="hort", rounding=EURO)
    assert [f"{float(share):.2f}" for share in exact(awards).values()] == [
        "200.00",
        "101.67",
        "81.67",
        "66.67",
    ]
    assert [*paid(awards).values()] == [200, 102, 82, 66]


def test_hort_pays_a_place_behind_the_last_prize() -> None:
    shares = exact(awarded(amounts(200, 120, 80), sharing="hort"))
    assert [f"{float(share):.2f}" for share in shares.values()] == [
        "200.00",
        "93.33",
        "73.33",
        "33.33",
    ]
    assert sum(shares.values()) == 400


def test_rounding_to_cents_keeps_the_sum() -> None:
    awards = awarded(amounts(200, 120, 80, 50), sharing="equal")
    cents = [amount * 100 for amount in paid(awards).values()]
    assert cents == [20000, 8334, 8333, 8333]


def test_without_sharing_the_better_prize_of_a_group_moves_main_prizes_up() -> None:
    awards = awarded(amounts(200, 120, 80, 50), groups=GROUPS)
    assert paid(awards) == {"Aalto": 200, "Ivanov": 120, "Berzins": 80, "Hansen": 50}
    assert paid(awards, "Women") == {"Farkas": 60}
    lot = PrizeLot("Under 18", ("Jensen", "Kovac"), amounts(50, 0))
    assert awards.lots == (lot,)


def test_equal_players_can_share_instead_of_drawing_lots() -> None:
    awards = awarded(
        amounts(200, 120, 80, 50), groups=GROUPS, equal_players="share", rounding=EURO
    )
    assert paid(awards, "Under 18") == {"Jensen": 25, "Kovac": 25}
    assert not awards.lots


def test_with_hort_the_prizes_of_groups_go_to_other_players() -> None:
    awards = awarded(
        amounts(200, 120, 80, 50), groups=GROUPS, sharing="hort", rounding=EURO
    )
    assert paid(awards)["Farkas"] == 66
    assert paid(awards, "Women") == {"Jensen": 60}
    assert paid(awards, "Under 18") == {"Kovac": 50}
    assert not awards.lots


def test_at_equal_value_the_main_prize_comes_first() -> None:
    awards = awarded(amounts(60), groups=GROUPS)
    assert paid(awards) == {"Aalto": 60}
    assert paid(awards, "Women") == {"Farkas": 60}


def test_at_equal_value_groups_come_in_their_announced_order() -> None:
    equal_groups = (GroupPrizes("Under 18", amounts(50)), GroupPrizes("U", amounts(50)))
    rules = PrizeRules(groups=equal_groups)
    members = {"Under 18": frozenset(["Jensen"]), "U": frozenset(["Jensen", "Dahl"])}
    awards = award_prizes(rules, CONTESTANTS, members)
    assert paid(awards, "Under 18") == {"Jensen": 50}
    assert paid(awards, "U") == {"Dahl": 50}


def test_a_person_can_have_several_prizes_where_the_rules_allow_it() -> None:
    awards = awarded(amounts(200, 120), groups=GROUPS, one_each=False)
    assert paid(awards) == {"Aalto": 200, "Ivanov": 120}
    assert paid(awards, "Women") == {"Aalto": 60}


def test_a_group_that_is_too_small_has_no_prize() -> None:
    awards = awarded(amounts(200, 120, 80, 50), groups=GROUPS, least_players=3)
    assert awards.too_small == {"Under 18": 2}
    assert not paid(awards, "Under 18")
    assert awards.unawarded == {"Under 18": 50}


def test_prizes_without_players_are_named() -> None:
    rules = PrizeRules(groups=(GroupPrizes("Under 18", amounts(50, 30, 20)),))
    awards = award_prizes(rules, CONTESTANTS, MEMBERS)
    assert awards.unawarded == {"Under 18": 20}


def test_the_least_share_ends_sharing_before_the_last_of_equal_players() -> None:
    shares = exact(awarded(amounts(200, 40), sharing="equal", least_share=Fraction(15)))
    assert shares == {"Aalto": 200, "Ivanov": 20, "Berzins": 20}


def test_the_least_share_never_takes_a_prize_place_away() -> None:
    awards = awarded(amounts(200, 20, 10, 6), sharing="equal", least_share=Fraction(90))
    assert [*exact(awards).values()] == [200, 12, 12, 12]


def test_prizes_of_groups_are_shared_where_the_rules_say_so() -> None:
    rules = {"groups": GROUPS, "sharing": "equal", "shared": "all"}
    awards = awarded(amounts(200, 120, 80, 50), **rules)
    # Jensen would get 25 of the prize that she would share, and takes the other one.
    assert paid(awards, "Women") == {"Jensen": 60}
    assert paid(awards, "Under 18") == {"Kovac": 50}


def test_a_lot_that_hort_needs_is_named() -> None:
    contestants = [Contestant(name, 1, Fraction(3)) for name in ("Ann", "Bob")]
    rules = PrizeRules(amounts(100, 40), sharing="hort")
    lots = award_prizes(rules, contestants, {}).lots
    assert lots == (PrizeLot(MAIN, ("Ann", "Bob"), amounts(85, 55)),)


def test_a_prize_that_others_made_better_is_named() -> None:
    # Ann leaves 75 of the main prizes for 76. Then Cid leaves, too: Bob has all of it.
    contestants = [
        Contestant(name, rank, Fraction(3))
        for rank, name in enumerate(("Ann", "Bob", "Cid"), 1)
    ]
    groups = (GroupPrizes("A", amounts(76)), GroupPrizes("C", amounts(70)))
    rules = PrizeRules(amounts(100, 50), groups, sharing="hort")
    members = {"A": frozenset(["Ann"]), "C": frozenset(["Cid"])}
    awards = award_prizes(rules, contestants, members)
    assert paid(awards) == {"Bob": 150 - 50}
    better = BetterPrize("Ann", Fraction(76), MAIN, Fraction(175, 2))
    assert awards.better == (better,)


@pytest.mark.parametrize(
    ("shares", "unit", "rounded"),
    [
        ([Fraction(10, 3)] * 3, Fraction(1), [4, 3, 3]),
        ([Fraction(5, 2), Fraction(5, 2)], Fraction(5), [5, 0]),
        ([Fraction(7)], CENT, [7]),
        ([], CENT, []),
    ],
)
def test_shares_are_rounded_by_their_remainders(
    shares: list[Fraction], unit: Fraction, rounded: list[int]
) -> None:
    assert round_shares(shares, unit) == rounded


# ---------------------------------------------------------------------- laws


@st.composite
def cases(
    draw: st.DrawFn, most_players: int = 9, sharings: tuple[str, ...] = ("none",)
) -> tuple[PrizeRules, list[Contestant], dict[str, frozenset[str]]]:
    """An event with prizes: few points, so that many players share."""
    count = draw(st.integers(1, most_players))
    points = sorted(draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)))
    contestants: list[Contestant] = []
    for index, score in enumerate(reversed(points)):
        rank = index + 1
        is_equal = draw(st.integers(0, 4)) == 0
        if is_equal and contestants and contestants[-1].points == score:
            rank = contestants[-1].rank
        contestants.append(Contestant(f"p{index}", rank, Fraction(score)))
    prizes = st.lists(st.integers(1, 12), max_size=4).map(
        lambda values: amounts(*sorted((10 * value for value in values), reverse=True))
    )
    names = [contestant.player for contestant in contestants]
    groups, members = [], {}
    for group in ("a", "b")[: draw(st.integers(0, 2))]:
        groups.append(GroupPrizes(group, draw(prizes)))
        members[group] = frozenset(draw(st.sets(st.sampled_from(names))))
    rules = PrizeRules(
        draw(prizes),
        tuple(groups),
        sharing=draw(st.sampled_from(sharings)),  # type: ignore[arg-type]
        shared=draw(st.sampled_from(["main", "all"])),
        rounding=draw(st.sampled_from([CENT, EURO, Fraction(10)])),
        equal_players=draw(st.sampled_from(["lot", "share"])),
    )
    return rules, contestants, members


ALL_SHARINGS = ("none", "equal", "hort")


@pytest.mark.long
@given(cases(sharings=ALL_SHARINGS))
def test_nobody_has_two_prizes(
    case: tuple[PrizeRules, list[Contestant], dict[str, frozenset[str]]],
) -> None:
    awards = award_prizes(*case).awards
    assert all(count == 1 for count in Counter(a.player for a in awards).values())


@pytest.mark.long
@given(cases(sharings=ALL_SHARINGS), st.booleans())
def test_the_sums_are_right(
    case: tuple[PrizeRules, list[Contestant], dict[str, frozenset[str]]],
    one_each: bool,
) -> None:
    rules, contestants, members = case
    rules = PrizeRules(
        **{name: getattr(rules, name) for name in PrizeRules.__slots__}
        | {"one_each": one_each}
    )
    awards = award_prizes(rules, contestants, members)
    lists = {MAIN: rules.main} | {g.group: g.amounts for g in rules.groups}
    for name, prizes in lists.items():
        missing = awards.unawarded.get(name, 0)
        assert sum(paid(awards, name).values()) + missing == sum(prizes)
        assert sum(exact(awards, name).values()) + missing == sum(prizes)
        for award in awards.awards:
            assert award.amount % rules.rounding == 0
            assert abs(award.amount - award.exact) < rules.rounding


@pytest.mark.long
@given(cases(sharings=("none", "equal")))
def test_nobody_would_get_more_from_a_prize_of_a_lower_ranked_person(
    case: tuple[PrizeRules, list[Contestant], dict[str, frozenset[str]]],
) -> None:
    rules, contestants, members = case
    awards = award_prizes(*case)
    assert not awards.better
    assert [*envious(rules, contestants, members, awards.awards)] == []


@pytest.mark.long
@given(cases(sharings=("hort",)))
def test_with_hort_everybody_who_would_get_more_is_named(
    case: tuple[PrizeRules, list[Contestant], dict[str, frozenset[str]]],
) -> None:
    rules, contestants, members = case
    awards = award_prizes(*case)
    named = {(better.player, better.prize_list) for better in awards.better}
    assert {*envious(rules, contestants, members, awards.awards)} == named


def envious(
    rules: PrizeRules,
    contestants: list[Contestant],
    members: dict[str, frozenset[str]],
    awards: tuple[Award, ...],
) -> list[tuple[str, str]]:
    """Players with the list that would give them more, computed by the definition."""
    own = {award.player: award.exact for award in awards}
    holders = {MAIN: [], **{g.group: [] for g in rules.groups}}
    for award in awards:
        holders[award.prize_list].append(award.player)
    lists = {MAIN: rules.main} | {g.group: g.amounts for g in rules.groups}
    rank = {contestant.player: contestant.rank for contestant in contestants}
    points = {contestant.player: contestant.points for contestant in contestants}
    wanted = []
    for name, prizes in lists.items():
        sharing = rules.sharing if name == MAIN or rules.shared == "all" else "none"
        if name != MAIN and not members[name]:
            continue
        for player in (contestant.player for contestant in contestants):
            is_member = name == MAIN or player in members[name]
            if not is_member or player in holders[name]:
                continue
            queue = sorted(
                [*holders[name], player],
                key=lambda one: (rank[one], one == player, one),
            )
            share = share_of(rules, sharing, prizes, queue, points, rank)[player]
            if share > own.get(player, 0):
                wanted.append((player, name))
    return wanted


def share_of(
    rules: PrizeRules,
    sharing: str,
    prizes: tuple[Fraction, ...],
    queue: list[str],
    points: dict[str, Fraction],
    rank: dict[str, int],
) -> dict[str, Fraction]:
    """What each of a queue gets, straight from the formulas of sharing."""
    by_place = dict(zip(queue, [*prizes, *[Fraction(0)] * len(queue)], strict=False))
    shares = {}
    for player in queue:
        tied = [other for other in queue if points[other] == points[player]]
        mean = sum(by_place[other] for other in tied) / len(tied)
        own = by_place[player]
        shares[player] = {"none": own, "equal": mean, "hort": (own + mean) / 2}[sharing]
    if rules.equal_players == "lot":
        return shares
    return {
        player: sum(shares[o] for o in queue if rank[o] == rank[player])
        / sum(rank[o] == rank[player] for o in queue)
        for player in queue
    }


@pytest.mark.long
@settings(max_examples=60)
@given(cases(most_players=4))
def test_the_awards_are_the_best_of_all_assignments(
    case: tuple[PrizeRules, list[Contestant], dict[str, frozenset[str]]],
) -> None:
    """The best player has the most valuable prize, then the next one, and so on."""
    rules, contestants, members = case
    rules = PrizeRules(rules.main, rules.groups, rounding=CENT)
    prizes = [(value, 0, MAIN) for value in rules.main]
    for index, group in enumerate(rules.groups, 1):
        prizes += [(value, -index, group.group) for value in group.amounts]
    nothing = (Fraction(0), -9, "")

    best: list[tuple[Fraction, int, str]] = []
    for chosen in product(range(-1, len(prizes)), repeat=len(contestants)):
        given_prizes = [index for index in chosen if index >= 0]
        if len({*given_prizes}) < len(given_prizes):
            continue
        values = [prizes[index] if index >= 0 else nothing for index in chosen]
        is_allowed = all(
            name in ("", MAIN) or contestant.player in members[name]
            for contestant, (_, _, name) in zip(contestants, values, strict=True)
        )
        if is_allowed and (not best or [v[:2] for v in values] > [b[:2] for b in best]):
            best = values

    awards = award_prizes(rules, contestants, members).awards
    got = {award.player: (award.exact, award.prize_list) for award in awards}
    expected = {
        contestant.player: (value, name)
        for contestant, (value, _, name) in zip(contestants, best, strict=True)
        if value
    }
    assert got == expected
