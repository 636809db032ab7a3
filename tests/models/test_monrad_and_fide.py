"""Models `monrad` and `fide-basic`, on small rounds worked by hand."""

from __future__ import annotations

import pandas as pd

from pairopt import Event, Result, load_model, read_event, solve

COLUMNS = ["round", "player1", "player2", "side1", "score1", "score2", "status"]


def field(scores: str, ratings: str) -> Event:
    names = "ABCDEFGH"[: len(scores.split())]
    frame = pd.DataFrame(
        {"player": list(names), "score": scores.split(), "rating": ratings.split()}
    )
    return read_event(frame, relax=["history"])


def pairs(result: Result) -> set[str]:
    return {
        "".join(sorted([str(m["player1"]), str(m["player2"] or "-")]))
        for m in result.matches
    }


def history(*rows: tuple[int, str, str, float, float]) -> Event:
    """Matches in which player1 is White."""
    made = [
        (number, one, two or None, "white" if two else None, a, b if two else None, "")
        for number, one, two, a, b in rows
    ]
    return read_event(pd.DataFrame(made, columns=COLUMNS))


def test_monrad_pairs_neighbours() -> None:
    result = solve(field("2 2 2 2 1 1", "1500 1800 1700 1600 1400 1300"), "monrad")
    assert result.proven
    assert pairs(result) == {"BC", "AD", "EF"}  # ranks B C D A, then E F


def test_monrad_gives_the_bye_to_the_lowest_score_and_its_last_player() -> None:
    result = solve(field("2 2 1 1 1", "5 4 3 2 1"), "monrad")
    assert pairs(result) == {"AB", "CD", "-E"}


def test_monrad_floats_the_neighbours_of_an_odd_group() -> None:
    result = solve(field("2 2 2 1 1 1", "6 5 4 3 2 1"), "monrad")
    assert pairs(result) == {"AB", "CD", "EF"}


def test_monrad_never_repeats() -> None:
    event = history(
        (1, "A", "B", 1, 0),
        (1, "C", "D", 1, 0),
        (2, "A", "C", 1, 0),
        (2, "B", "D", 1, 0),
    )
    assert pairs(solve(event, "monrad")) == {"AD", "BC"}


def three_whites() -> Event:
    """A and B have had White twice, C and D Black twice, and A has met C and D."""
    return history(
        (1, "A", "C", 1, 0),
        (1, "B", "D", 1, 0),
        (2, "A", "D", 1, 0),
        (2, "B", "C", 1, 0),
    )


def test_fide_basic_breaks_no_side_limit() -> None:
    # A meets B (2 points each), but neither may have White a third time
    result = solve(three_whites(), "fide-basic")
    assert result.status == "infeasible"
    assert any("max_side" in str(reason) for reason in result.conflicts)


def test_fide_basic_lifts_the_side_limits_in_the_last_round() -> None:
    result = solve(three_whites(), "fide-basic", last_round=True)
    assert result.proven
    assert pairs(result) == {"AB", "CD"}
    kinds = [rule.kind for rule in load_model("fide-basic").for_round(True).constraints]
    assert kinds == ["no_rematch", "no_repeat_bye", "no_bye_after_forfeit_win"]


def test_fide_basic_puts_score_groups_before_colours() -> None:
    # round 1 leaves A, C with a point and White, B, D with none and Black
    event = history((1, "A", "B", 1, 0), (1, "C", "D", 1, 0))
    result = solve(event, "fide-basic")
    assert pairs(result) == {"AC", "BD"}
    values = {(v.criterion, v.level): v.value for v in result.level_values}
    assert values["score_groups", 1] == 0
    assert values["side_difference", 2] == 2
    assert values["same_side", 1] == 2


def test_fide_basic_gives_no_bye_after_a_forfeit_win() -> None:
    rows = [
        (1, "A", "B", None, "0", "1", "forfeit"),
        (1, "C", "D", "white", "1", "0", ""),
        (1, "E", None, None, "1", None, "bye"),
    ]
    event = read_event(pd.DataFrame(rows, columns=COLUMNS))
    result = solve(event, "fide-basic")
    assert result.matches[-1]["player1"] in ("A", "D")
    assert solve(event, "fide-basic", no_bye=["A", "C", "D"]).status == "infeasible"
