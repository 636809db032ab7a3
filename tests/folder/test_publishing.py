"""The next round looked at before it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_verbs import content, finish, made, rows

from pairopt import UsageError, read_event, solve
from pairopt.folder import Preview, preview, publish, undo
from pairopt.folder.pair_round import pair
from pairopt.folder.roster import bye, drop
from pairopt.problem.build import prepare
from pairopt.round.explain import explain_matches
from pairopt.round.manual import swap_players


def second_round(folder: Path, players: str = "ABCDEFG", **options: object) -> Path:
    """An event after its first round, all of which the first players of the tables have won."""
    made(folder, players, **options)
    pair(folder)
    finish(folder)
    return folder


def tables(shown: Preview) -> set[frozenset[str]]:
    return {frozenset(match) for match in shown.result.pairs}


@pytest.mark.long
def test_a_preview_writes_nothing_and_shows_what_pair_writes(tmp_path: Path) -> None:
    folder = second_round(tmp_path / "event")
    before, log = content(folder), (folder / "log.csv").read_bytes()
    shown = preview(folder, seed=3)
    assert (content(folder), (folder / "log.csv").read_bytes()) == (before, log)
    assert shown.worse == []
    assert shown.best is shown.result
    pair(folder, seed=3)
    written = content(folder)
    undo(folder)
    publish(folder, shown.result.pairs, seed=3)
    assert content(folder) == written


@pytest.mark.long
@pytest.mark.parametrize("sides", [(), ("white", "black")])
def test_players_who_are_exchanged(tmp_path: Path, sides: tuple[str, ...]) -> None:
    folder = second_round(tmp_path / "event", "ABCDEFGH", sides=sides, points="3-1-0")
    best = preview(folder)
    (top, _), *_, (last, _) = best.result.pairs
    shown = preview(folder, swap_players(best.result.pairs, top, last))
    assert tables(shown) == {
        frozenset({top: last, last: top}.get(player, player) for player in match)
        for match in best.result.pairs
    }
    assert shown.worse
    assert any("score group" in line for line in shown.worse)
    assert all(
        "nothing proves" in m.sentence or "score group higher" not in m.sentence
        for m in explain_matches(shown.result)
    )
    publish(folder, shown.result.pairs)
    written = [
        {
            name: str(row[name] or "")
            for name in ("table", "player1", "player2", "side1")
        }
        for row in shown.result.matches
    ]
    here = rows(folder)[lambda frame: frame["round"] == "2"]
    assert here[["table", "player1", "player2", "side1"]].to_dict("records") == written


@pytest.mark.long
def test_sides_of_a_changed_match_are_the_better_ones(tmp_path: Path) -> None:
    folder = second_round(
        tmp_path / "event", "ABCDEFGH", sides=("white", "black"), points="3-1-0"
    )
    best = preview(folder)
    turned = [match[::-1] for match in best.result.pairs]
    again = preview(folder, turned)
    assert again.worse == []
    assert again.result.proven


@pytest.mark.long
def test_what_breaks_a_rule_is_not_optimal_though_no_level_is_worse(
    tmp_path: Path,
) -> None:
    folder = second_round(tmp_path / "event", "ABCD")
    best = preview(folder).result.pairs
    shown = preview(folder, best)
    assert (shown.worse, shown.result.status) == ([], "optimal")
    barred = preview(folder, best, forbid=[best[0]])
    assert barred.result.conflicts
    assert (barred.worse, barred.result.status) == ([], "heuristic")


@pytest.mark.long
def test_a_pinned_match_and_a_forbidden_one(tmp_path: Path) -> None:
    folder = second_round(tmp_path / "event", "ABCDEFGH")
    event = read_event(folder)
    first, second = preview(folder).result.pairs[:2]
    forbidden = preview(folder, forbid=[first])
    assert frozenset(first) not in tables(forbidden)
    assert forbidden.best.pairs == preview(folder).result.pairs
    forced = preview(folder, force=[(first[0], second[0])], forbid=[first])
    assert frozenset((first[0], second[0])) in tables(forced)
    assert [level.value for level in forced.result.level_values] == [
        level.value
        for level in solve(event, force=[(first[0], second[0])]).level_values
    ]
    with pytest.raises(UsageError, match="forced_pairs"):
        publish(folder, preview(folder, forbid=[second]).result.pairs, force=[second])


@pytest.mark.long
def test_a_round_that_cannot_be_is_shown_but_not_published(tmp_path: Path) -> None:
    folder = second_round(tmp_path / "event", "ABCD", model="monrad")
    played = [(row.player1, row.player2) for row in rows(folder).itertuples()]
    shown = preview(folder, played)
    assert all("no_rematch" in str(conflict) for conflict in shown.result.conflicts)
    assert len(shown.result.conflicts) == 2
    before = content(folder)
    with pytest.raises(UsageError, match="no_rematch"):
        publish(folder, played)
    assert content(folder) == before
    publish(folder, played, relax=["no_rematch"])
    nothing = preview(second_round(tmp_path / "two", "AB", model="monrad"))
    assert nothing.result.conflicts
    assert nothing.result.pairs == ()


@pytest.mark.parametrize(
    ("matches", "said"),
    [
        ([("A", "B"), ("C", "D")], "E is not paired"),
        ([("A", "B"), ("C", "D"), ("E", "A")], "A is paired twice"),
        ([("A", "A"), ("C", "D"), ("E",)], "themselves"),
        ([("A", "B"), ("C", "Zoe"), ("E",)], "not a player"),
        ([("A", "B", "C"), ("D", "E")], "A match needs two players"),
        ([(), ("A", "B"), ("C", "D"), ("E",)], "A match needs two players"),
        ([("A",), ("B",), ("C",), ("D", "E")], "3 allocated byes"),
    ],
)
def test_what_is_no_pairing(
    tmp_path: Path, matches: list[tuple[str, ...]], said: str
) -> None:
    folder = made(tmp_path / "event", "ABCDE")
    before = content(folder)
    with pytest.raises(UsageError, match=said):
        publish(folder, matches)
    assert content(folder) == before


@pytest.mark.long
def test_who_has_left_since_cannot_be_published(tmp_path: Path) -> None:
    folder = second_round(tmp_path / "event")
    shown = preview(folder)
    drop(folder, shown.result.pairs[0][0])
    with pytest.raises(UsageError, match="has dropped or has a bye"):
        publish(folder, shown.result.pairs)


@pytest.mark.long
def test_what_comes_before_a_pairing_comes_before_a_published_one(
    tmp_path: Path,
) -> None:
    known = '[[byes]]\nplayer = "B"\nround = 1\n'
    folder = made(tmp_path / "event", rounds=1)
    (folder / "event.toml").write_text((folder / "event.toml").read_text() + known)
    bye(folder, "A")
    publish(folder, preview(folder).result.pairs)
    assert [*rows(folder)["player1"][:2]] == ["A", "B"]
    finish(folder)
    for verb in (preview, lambda at: publish(at, [])):
        with pytest.raises(
            UsageError,
            match="Round 1 is the last round, and it is already paired",
        ):
            verb(folder)


@pytest.mark.long
def test_room_for_further_rounds_is_asked_for_by_hand_too(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", "lookahead = 1\n", model="monrad")
    event = read_event(folder)
    assert prepare(event).lookahead == 1
    pair(folder)
    finish(folder)
    shown = preview(folder)
    assert shown.result.proven
    publish(folder, shown.result.pairs)
    finish(folder)
    shown = preview(folder, [("A", "D"), ("B", "C")])
    assert any("lookahead" in str(conflict) for conflict in shown.result.conflicts)
