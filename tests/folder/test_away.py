"""Who was away for rounds is asked about before they have a bye worth a win."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from organiser import client, event, fields, said, scored
from telling import said_by
from test_verbs import content, run

from pairopt import read_event, solve
from pairopt.errors import ConfirmationError
from pairopt.folder import (
    back,
    bye,
    change,
    drop,
    pair,
    preview,
    preview_repair,
    publish,
    repair,
    result,
    undo,
)
from pairopt.folder.open_folder import Done, read_folder_state

OTHERS = [*"ABDE"]
QUESTION = "C missed rounds {}, and would now get the bye, which is worth 3 points. If C is here, type"


def away(folder: Path, rounds: int, how: str = "out") -> Path:
    """Five players and one; C was there in round 1, and then for some rounds not."""
    event(folder, "ABCDE", points="3-1-0", seed=2)
    pair(folder, no_bye=["C"])
    scored(folder)
    for _ in range(rounds):
        if how == "out":
            drop(folder, "C")
        elif how == "bye":
            bye(folder, "C")
        pair(folder, **({"no_bye": ["C"]} if how == "forfeit" else {}))
        desk = read_folder_state(folder)
        for table, one, two in zip(
            desk.rows.table, desk.rows.first, desk.rows.second, strict=True
        ):
            names = [desk.event.players[p] for p in (one, two)]
            if two >= 0 and desk.rows.open[desk.rows.table == table].any():
                forfeit = {"C": "0F-3F"}.get(names[0], {"C": "3F-0F"}.get(names[1]))
                result(folder, str(table), forfeit or "1-1")
    if how == "out" and rounds:
        back(folder, "C")
    return folder


def paired(folder: Path, way: str, sure: bool = False) -> Done:
    """The next round, in which C is to have the bye without being named for it."""
    if way == "pair":
        return pair(folder, no_bye=OTHERS, sure=sure)
    shown = preview(folder, no_bye=OTHERS).result.pairs
    return publish(folder, shown, no_bye=OTHERS, sure=sure)


@pytest.mark.sweep
@pytest.mark.parametrize("way", ["pair", "publish"])
@pytest.mark.parametrize(
    ("how", "rounds", "asked"),
    [
        ("out", 0, ""),
        ("out", 1, ""),
        ("out", 2, "2 to 3"),
        ("out", 3, "2 to 4"),
        ("bye", 1, ""),
        ("bye", 2, "2 to 3"),
        ("forfeit", 1, ""),
        ("forfeit", 2, "2 to 3"),
    ],
)
def test_who_was_away_for_rounds_is_asked_about(
    tmp_path: Path, way: str, how: str, rounds: int, asked: str
) -> None:
    folder = away(tmp_path / "event", rounds, how)
    before = content(folder)
    if asked:
        with pytest.raises(ConfirmationError) as found:
            paired(folder, way)
        assert (
            f"missed rounds {asked}, and would now get the bye, which is worth 3 points"
            in str(found.value)
        )
        assert content(folder) == before
    done = paired(folder, way, sure=bool(asked))
    assert "bye: C" in said_by(done)[0]


@pytest.mark.long
def test_a_bye_worth_less_or_given_by_name_is_not_asked_about(tmp_path: Path) -> None:
    folder = away(tmp_path / "event", 2)
    assert pair(folder, bye="C").step
    undo(folder)
    change(folder, {"points.bye": "1"}, sure=True)
    assert paired(folder, "pair").step


@pytest.mark.long
def test_a_repair_asks_of_a_new_bye_alone(tmp_path: Path) -> None:
    folder = away(tmp_path / "event", 2)
    drop(folder, "E")
    pair(folder, seed=1)  # four players, and one goes
    back(folder, "E")
    others = [*OTHERS]
    made = preview_repair(folder, no_bye=others)
    assert made.question is not None
    with pytest.raises(ConfirmationError):
        repair(folder, no_bye=others)
    assert "bye: C" in said_by(repair(folder, no_bye=others, sure=True))[0]
    drop(folder, "A")
    drop(folder, "B")  # C keeps the bye
    again = preview_repair(folder, no_bye=others)
    assert again.result.question is not None
    assert again.question is None
    assert repair(folder, no_bye=others).step


@pytest.mark.long
def test_on_the_command_line(tmp_path: Path) -> None:
    folder = away(tmp_path / "event", 2)
    before = content(folder)
    words = [word for name in OTHERS for word in ("--no-bye", name)]
    done = run("pair", folder, *words)
    assert (done.exit_code, QUESTION.format("2 to 3") in done.stderr) == (2, True), (
        done.stderr
    )
    assert content(folder) == before
    shown = run("pair", folder, "--preview", *words)
    assert (shown.exit_code, QUESTION.format("2 to 3") in shown.stderr) == (0, True)
    told = run("solve", folder, *words)
    assert (
        "C missed rounds 2 to 3, and now has the bye, which is worth 3 points. If C is not here, add --drop"
        in told.stderr
    )
    assert "was away" not in run("solve", folder, "--drop", "C").stderr
    sure = run("pair", folder, "--sure", *words)
    assert (sure.exit_code, "was away" in sure.stderr) == (0, False)
    assert run("solve", folder, "--round", 4, *words).exit_code == 0


@pytest.mark.long
def test_standings_alone_say_nothing_of_who_was_away(tmp_path: Path) -> None:
    listed = tmp_path / "standings.csv"
    listed.write_text(
        "name,score,opponents\nA,6,B D\nB,3,A E\nC,0,\nD,3,E A\nE,0,D B\n"
    )
    found = solve(read_event(listed), no_bye=OTHERS)
    assert found.event.turns.last_rounds_missed(2) == [1, 2]
    assert found.question is None


@pytest.mark.long
def test_the_page_asks_before_it_publishes(tmp_path: Path) -> None:
    folder = away(tmp_path / "event", 2)
    page = client(folder)
    query = "&".join(f"barred={name}" for name in OTHERS)
    shown = page.get(f"/round/draft?{query}").text
    assert (
        "C missed rounds 2 to 3, and would now get the bye, which is worth 3 points. Is C here today?"
        in shown
    )
    assert "C is here: publish round 4" in shown
    sent = fields(shown, "/round/draft/publish")
    assert sent["sure"] == "yes"
    unasked = {name: value for name, value in sent.items() if name != "sure"}
    asked = page.post(f"/round/draft/publish?{query}", data=unasked).text
    assert "Please confirm" in asked
    assert len(fields(asked, "/round/draft/publish")["match"]) == 3, (
        "all that was shown goes along"
    )
    assert read_folder_state(folder).rounds() == 3
    out = re.search(r'action="(/round/away/out[^"]*)"', shown)
    assert out is not None
    state = fields(shown, "/round/away/out")
    without = page.post(
        out[1].replace("&amp;", "&"), data={**state, "player": "C"}
    ).text
    assert "C has dropped" in said(without)
    assert "would now get the bye" not in without
    assert len(fields(without, "/round/draft/publish")["match"]) == 2
    undo(folder)
    done = page.post(
        f"/round/draft/publish?{query}",
        data={**sent, "state": read_folder_state(folder).state},
    )
    assert "Round 4 is paired: 2 matches, bye: C" in said(done.text)


@pytest.mark.long
def test_a_repair_on_the_page_asks_too(tmp_path: Path) -> None:
    folder = away(tmp_path / "event", 2)
    drop(folder, "E")
    pair(folder, seed=1)
    rows, players = (
        read_folder_state(folder).rows,
        read_folder_state(folder).event.players,
    )
    both = zip(rows.first[rows.open], rows.second[rows.open], strict=True)
    (other,) = {
        players[p] for pair in both for p in pair if players.index("C") in pair
    } - {"C"}
    drop(folder, other)
    page = client(folder)
    shown = page.get("/round/again").text
    assert (
        "C missed rounds 2 to 3, and would now get the bye, which is worth 3 points"
        in shown
    )
    sent = fields(shown, "/round/again/publish")
    assert sent["sure"] == "yes"
    unasked = {name: value for name, value in sent.items() if name != "sure"}
    assert "Please confirm" in page.post("/round/again/publish", data=unasked).text
    assert "bye: C" in said(page.post("/round/again/publish", data=sent).text)
