"""What FIDE rates differs from what counts: unrated games, corrections for the rating."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from organiser import client, event, fields, said, scored
from telling import said_by
from test_as_played import report_lines, rows
from test_mode import kinds, open_of, played, run
from test_verbs import content

from pairopt import UsageError, read_event, write_event
from pairopt.event.event import Event
from pairopt.event.standings import rank_players
from pairopt.folder import pair, result, undo
from pairopt.folder.pair_round import find_rule_breach
from pairopt.round.check_event import check_all


def points(folder: Path) -> dict[str, float]:
    """The points of each player in the standings."""
    return {
        each.player: float(each.points) for each in rank_players(read_event(folder))
    }


def cells(folder: Path, number: int = 1) -> dict[str, str]:
    """The side and result of each player in a round of the report."""
    begin = 91 + 10 * (number - 1)
    lines = report_lines(folder)
    return {
        name: line[begin : begin + 8].split()[1] + line[begin : begin + 8].split()[2]
        for name, line in lines.items()
        if name != "###"
    }


@pytest.mark.long
def test_an_unrated_game_counts_and_has_its_letters_in_the_report(
    tmp_path: Path,
) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    before = points(folder), content(folder)
    one, two, *_ = rows(folder)["1"]
    done = result(folder, 1, "1-0", unrated=True)
    assert said_by(done)[0].endswith("1-0 (not rated) " + two + " (before: 1-0)")
    assert points(folder) == before[0]
    assert (cells(folder)[one], cells(folder)[two]) == ("wW", "bL")
    assert kinds(folder) == []
    assert result(folder, 1, "1-0", unrated=True).step is None

    result(folder, 1, "½-½", unrated=True)
    assert (cells(folder)[one], cells(folder)[two]) == ("wD", "bD")
    result(folder, 1, "1-0")
    assert (cells(folder)[one], cells(folder)[two]) == ("w1", "b0")
    for _ in range(3):
        undo(folder)
    assert content(folder) == before[1]


@pytest.mark.long
def test_a_correction_for_the_rating_changes_the_report_alone(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 3)
    played(folder)
    before = points(folder), content(folder)
    one, two, *_ = rows(folder)["1"]
    done = result(folder, 1, "0-1", round=1, rating_only=True)
    assert [*said_by(done)] == [
        f"Round 1, table 1: the rating counts {one} 0-1 {two}. "
        "Standings and pairings keep the result 1-0."
    ]
    assert points(folder) == before[0]
    assert kinds(folder) == [], "C.04.2, 4.3 provides for it"
    assert (cells(folder)[one], cells(folder)[two]) == ("w0", "b1")
    assert "### Rating only @ Round 1: 1-5: 1-0 => 0-1" in report_lines(folder)["###"]
    report = folder.with_suffix(".trf")
    text = report.read_text()
    assert "299 L         1.0    1    1\n299 W         0.0    1    5\n" in text

    again = read_event(report)
    assert {each.player: float(each.points) for each in rank_players(again)} == {
        starts(again)[name]: value for name, value in before[0].items()
    }
    write_event(again, tmp_path / "again.trf")
    assert (
        "### Rating only @ Round 1: 1-5: 1-0 => 0-1"
        in (tmp_path / "again.trf").read_text()
    )
    assert all(checked.agrees for checked in check_all(again))

    result(folder, 1, off=True, round=1, rating_only=True)
    assert (cells(folder)[one], cells(folder)[two]) == ("w1", "b0")
    undo(folder)
    undo(folder)
    assert content(folder) == before[1]


def starts(event: Event) -> dict[str, str]:
    """The identifier that each player has in a report, by name: the start number."""
    return dict(zip(event.names, event.players, strict=True))


@pytest.mark.long
def test_reversed_sides_turn_the_correction_and_a_new_result_ends_it(
    tmp_path: Path,
) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    one, two, *_ = rows(folder)["1"]
    result(folder, 1, "½-½", rating_only=True)
    result(folder, 1, "0-1", rating_only=True)
    result(folder, 1, reversed=True)
    assert (cells(folder)[one], cells(folder)[two]) == ("b0", "w1")
    result(folder, 1, "0-1")
    assert result(folder, 1, off=True, rating_only=True).step is not None
    result(folder, 1, "0-1", rating_only=True)
    assert (cells(folder)[one], cells(folder)[two]) == ("b1", "w0")


@pytest.mark.parametrize(
    "options",
    [
        {"score": "1-0", "rating_only": True, "reversed": True},
        {"score": "1-0", "rating_only": True, "unrated": True},
        {"rating_only": True},
        {"unrated": True},
        {"off": True, "unrated": True},
        {"score": "1F-0F", "unrated": True},
        {"score": "1F-0F", "rating_only": True},
        {"score": "adjourned", "unrated": True},
        {"score": "adjourned", "unrated": True, "reversed": True},
        {"score": "adjourned", "unrated": True, "opponent": "OTHER"},
        {"score": "1F-0F", "unrated": True, "reversed": True},
        {"score": "adjourned", "rating_only": True},
    ],
)
@pytest.mark.long
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, options: dict[str, object]
) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    if "opponent" in options:
        options = {**options, "opponent": rows(folder)["2"][1]}
    before = content(folder)
    with pytest.raises(UsageError) as caught:
        result(folder, 1, **options)  # type: ignore[arg-type]
    if options.get("score") == "adjourned":
        assert caught.value.kind == "rated.adjourned"
    assert content(folder) == before


@pytest.mark.long
def test_an_adjourned_game_may_have_had_reversed_sides(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    one, two, *_ = rows(folder)["1"]
    result(folder, 1, "adjourned", reversed=True)
    assert rows(folder)["1"] == (two, one, "0.5", "0.5")
    assert len(read_event(folder, unfinished=True).adjourned) == 1
    result(folder, 1, "1-0", unrated=True)
    assert rows(folder)["1"] == (two, one, "1", "0")
    assert len(read_event(folder, unfinished=True).adjourned) == 0


@pytest.mark.long
def test_an_adjourned_game_has_no_correction_for_the_rating(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    result(folder, 1, "adjourned")
    before = content(folder)
    with pytest.raises(UsageError, match="An adjourned game is not finished"):
        result(folder, 1, "0-1", rating_only=True)
    assert content(folder) == before


def test_games_of_a_match_are_no_correction_for_the_rating(tmp_path: Path) -> None:
    """A cell with three numbers of games would be no score in any export."""
    folder = event(tmp_path / "event", rounds=1)
    scored(folder)
    before = content(folder)
    for score in ("2-1", "1-1-1"):
        with pytest.raises(
            UsageError, match="is the score of a match with several games"
        ):
            result(folder, 1, score, rating_only=True)
    assert content(folder) == before


@pytest.mark.long
def test_the_checker_names_what_was_played_differently_and_finds_no_fault(
    tmp_path: Path,
) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    pair(folder)
    played(folder)
    result(folder, 1, round=1, reversed=True)
    result(folder, 2, "½-½", round=1, rating_only=True)
    result(folder, 3, "1-0", unrated=True)
    report = tmp_path / "open.trf"
    write_event(read_event(folder), report)
    done = run("check", "--all", report)
    assert done.exit_code == 0, done.output
    assert "Round 1: agrees" in done.output
    assert "Round 2: agrees" in done.output
    assert "The report says that 1-5 was paired and 5-1 was played." in done.stderr
    assert "½-½ counts only for the rating." in done.stderr
    assert "is not rated, because the game lasted less than one move." in done.stderr
    assert run("check", "--all", folder).exit_code == 0

    without = tmp_path / "without.trf"
    without.write_text(report.read_text().replace("### As played", "### Played as"))
    assert run("check", "--all", without).exit_code == 1


@pytest.mark.long
def test_the_page_records_what_is_rated(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    page = client(folder)
    address = "/results/played?round=1&table=1"
    record = "/results/played/record"

    def post(**form: str) -> str:
        token = {"state": fields(page.get(address).text, record)["state"]}
        form = {"round": "1", "table": "1", **token, **form}
        return said(
            page.post(f"{record}?round=1&table=1", data={**form, "sure": "1"}).text
        )

    one, two, *_ = rows(folder)["1"]
    post(rated="no")
    assert cells(folder)[one] == "wW"
    assert "This game is not rated now." in page.get(address).text
    post(rated="yes")
    assert cells(folder)[one] == "w1"
    post(rated="other", score="0-1")
    assert cells(folder)[one] == "w0"
    assert "For the rating, 0-1 counts now." in page.get(address).text
    post(rated="same")
    assert (cells(folder)[one], cells(folder)[two]) == ("w1", "b0")


@pytest.mark.long
def test_the_page_does_not_end_an_adjournment(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    result(folder, 1, "adjourned")
    before = content(folder)
    page = client(folder)
    address = "/results/played?round=1&table=1"
    record = "/results/played/record"
    for rated in ("no", "yes"):
        state = fields(page.get(address).text, record)["state"]
        form = {"round": "1", "table": "1", "state": state, "rated": rated}
        answer = page.post(f"{record}?round=1&table=1", data={**form, "sure": "1"})
        has_refusal = "An adjourned game is not finished" in answer.text
        assert has_refusal == (rated == "no")
        assert content(folder) == before


@pytest.mark.long
def test_a_remark_on_a_changed_pairing_says_the_colours(tmp_path: Path) -> None:
    """If only the colours differ, the pairs do: 5-1 is not 1-5."""
    folder = open_of(tmp_path / "open", 1)
    event = read_event(folder, unfinished=True)
    assert find_rule_breach(event, 1) is None
    matches = event.matches
    first, second = matches.first.copy(), matches.second.copy()
    first[0], second[0] = matches.second[0], matches.first[0]
    turned = replace(event, matches=replace(matches, first=first, second=second))
    breach = find_rule_breach(turned, 1)
    assert breach is not None
    assert breach.line == "### MPA @ Round 1: 1-5 => 5-1"
