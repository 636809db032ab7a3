"""The round: paired, looked at, changed by hand, published, paired again."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from organiser import client, event, fields, said, scored
from starlette.testclient import TestClient

import pairopt.web.views.round
from pairopt.folder import undo
from pairopt.folder.results import result
from pairopt.folder.roster import drop
from pairopt.web.views.round import format_match

PUBLISH = "/round/draft/publish"


def shown(text: str) -> list[str]:
    """The matches of a preview."""
    found = fields(text, PUBLISH).get("match", [])
    return [found] if isinstance(found, str) else found


def written(folder: Path) -> list[str]:
    return (folder / "matches.csv").read_text().splitlines()[1:]


def published(page: TestClient, text: str) -> Any:
    action = re.search(rf'action="({PUBLISH}[^"]*)"', text)
    assert action is not None
    return page.post(html.unescape(action[1]), data=fields(text, PUBLISH))


@pytest.mark.long
def test_round_1_is_published_as_it_was_shown(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDE")
    page = client(folder)
    assert "Pair round 1" in page.get("/round").text
    preview = page.get("/round/draft").text
    assert "no pairing is better" in preview
    matches = shown(preview)
    assert sorted("".join(matches).replace(":", "")) == list("ABCDE")
    assert written(folder) == []
    answer = published(page, preview)
    assert answer.url.path == "/round"
    assert not answer.url.query
    assert "Round 1 is paired: 2 matches" in said(answer.text)
    pairs = [row.split(",")[2:4] for row in written(folder)]
    assert [":".join(filter(None, pair)) for pair in pairs] == matches


@pytest.mark.long
def test_another_seed_is_another_pairing(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", "ABCDEFGH"))
    every = {
        tuple(shown(page.get(f"/round/draft?seed={seed}").text)) for seed in range(4)
    }
    assert len(every) > 1
    assert page.get("/round/draft?seed=x").status_code == 404


@pytest.mark.long
def test_two_players_change_places_and_the_levels_that_get_worse_are_named(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1, model="excalibur")
    scored(folder)
    page = client(folder)
    preview = page.get("/round/draft").text
    assert "Changed by hand" not in preview
    met = [row.split(",")[2:4] for row in written(folder)]
    one, two = met[0]
    now = next(match.split(":") for match in shown(preview) if one in match)
    other = next(player for player in now if player != one)
    query = {"seed": "0", "exchange": "1", "swap": [two, other]}
    changed = page.get("/round/draft", params=query).text
    assert {one, two} in [{*match.split(":")} for match in shown(changed)]
    assert "Changed by hand" in changed
    assert re.search("rematches[^<]*: 1 instead of 0", changed)
    assert published(page, changed).url.path == "/round"
    rows = [{*row.split(",")[2:4]} for row in written(folder) if row.startswith("2,")]
    assert {one, two} in rows


@pytest.mark.parametrize("swap", [["A"], ["A", "A"], ["A", "B", "C"], ["A", "Nobody"]])
def test_an_exchange_takes_two_players(tmp_path: Path, swap: list[str]) -> None:
    page = client(event(tmp_path / "event", "ABCD"))
    query = {"exchange": "1", "swap": swap}
    answer = page.get("/round/draft", params=query)
    assert answer.status_code == 200
    assert "This is not possible" in answer.text
    assert not shown(answer.text)


@pytest.mark.long
def test_a_player_who_may_not_have_the_bye_is_exchanged_with_the_one_who_has_it(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", "ABCDE", 1, model="standard")
    rows = [row.split(",") for row in written(folder)]
    had = next(row[2] for row in rows if not row[3])
    winner = rows[0][2]
    result(folder, "1", "3F-0F")
    result(folder, "2", "3-0")
    page = client(folder)
    preview = page.get("/round/draft").text
    has = next(match for match in shown(preview) if ":" not in match)
    for player in (had, winner):
        query = {"exchange": "1", "swap": [player, has]}
        answer = page.get("/round/draft", params=query)
        assert answer.status_code == 200
        assert "This is not possible" in answer.text
        assert f"bye of {player}: " in answer.text
        why = re.search(rf"{player} \([^)]*\) has the bye: ([^<]*)", answer.text)
        assert why is not None
        assert "no player with fewer points may have the bye" not in why[1]
        assert "nothing proves that this pairing is the best" in why[1]


@pytest.mark.long
def test_a_pinned_match_stays_when_the_rest_is_paired_again(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", "ABCDEF"))
    free = shown(page.get("/round/draft").text)
    other = next(f"A:{p}" for p in "BCDEF" if not {f"A:{p}", f"{p}:A"} & {*free})
    kept = page.get(f"/round/draft?pin={other}").text
    assert {frozenset(m.split(":")) for m in shown(kept)} >= {
        frozenset(other.split(":"))
    }
    assert f'name="pinned" value="{other}"' in kept
    again = page.get(f"/round/draft?pinned={other}&free={other}").text
    assert shown(again) == free


@pytest.mark.long
def test_a_match_that_is_not_to_be(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", "ABCDE"))
    free = shown(page.get("/round/draft").text)
    without = page.get("/round/draft", params={"bar": free[0]}).text
    assert free[0] not in shown(without)
    assert "Forbidden in this round" in without
    bye = next(match for match in free if ":" not in match)
    without = page.get("/round/draft", params={"bar": bye}).text
    assert bye not in shown(without)


def test_what_is_barred_is_not_in_a_pairing_by_hand_either(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", "ABCD"))
    by_hand = {"match": ["A:C", "B:D"]}
    assert shown(page.get("/round/draft", params=by_hand).text) == ["A:C", "B:D"]
    without = shown(page.get("/round/draft", params={**by_hand, "bar": "A:C"}).text)
    assert len(without) == 2
    assert not {"A:C", "C:A"} & {*without}


@pytest.mark.long
def test_what_cannot_be_is_said_in_words(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", "ABCD"))
    answer = page.get("/round/draft?pinned=A:B&pinned=A:C")
    assert answer.status_code == 200
    assert "You forced two matches in one round for A." in html.unescape(answer.text)
    assert answer.text.count("Unpin</button>") == 2  # the way out
    assert not shown(answer.text)
    for query in (
        "pinned=A:B&pinned=A:C",
        "pinned=A&pinned=A:B",
        "barred=A:B&pinned=A:B",
    ):
        answer = page.get(f"/round/draft?{query}")
        assert (
            "The reason: the pinned matches" in answer.text
            or "the pinned bye" in answer.text
        )
        assert "--" not in answer.text.replace("<!--", "")
    for query in (
        "pinned=A:B:C",
        "pinned=A:X",
        "pinned=A&pinned=B",
        "match=A:B",
        "match=A:A",
    ):
        answer = page.get(f"/round/draft?{query}")
        assert answer.status_code == 200
        assert "This is not possible" in answer.text


@pytest.mark.long
def test_a_rule_that_a_change_by_hand_breaks_is_named(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", 1, model="fide-basic")
    scored(folder, "1-0")
    page = client(folder)
    rows = [row.split(",")[2:4] for row in written(folder)]
    answer = page.get("/round/draft", params={"match": [":".join(row) for row in rows]})
    assert "Nobody meets the same opponent twice" in answer.text
    assert "no_rematch" not in answer.text
    assert not shown(answer.text)  # it cannot be published


@pytest.mark.long
def test_names_that_are_anything(tmp_path: Path) -> None:
    players = [
        "a:b",
        "a",
        "b:a",
        "b",
        "50%",
        "%3A",
        "<b>&\"'",
        "<script>alert(1)</script>",
    ]
    folder = event(tmp_path / "event", players, sure=True)
    page = client(folder)
    preview = page.get("/round/draft").text
    assert "<script>alert" not in preview
    assert "<b>&" not in preview
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in preview
    for match in shown(preview):
        assert shown(page.get("/round/draft", params={"pin": match}).text) == shown(
            preview
        )
    pair = format_match(("a:b", "50%"))
    assert pair in shown(page.get("/round/draft", params={"pin": pair}).text)
    assert published(page, preview).url.path == "/round"
    text = page.get("/results").text + page.get("/log").text + page.get("/round").text
    assert "<script>alert" not in text
    assert "<b>&" not in text


@pytest.mark.long
def test_a_preview_is_solved_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    real = pairopt.web.views.round.preview

    def counted(*arguments: Any, **named: Any) -> Any:
        asked.append(named)
        return real(*arguments, **named)

    monkeypatch.setattr(pairopt.web.views.round, "preview", counted)
    folder = event(tmp_path / "event")
    page = client(folder)
    for _ in range(3):
        page.get("/round/draft")
    assert len(asked) == 1
    drop(folder, "A")
    page.get("/round/draft")
    assert len(asked) == 2


@pytest.mark.long
def test_why_a_round_cannot_be_paired(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    set_rounds = (folder / "event.toml").read_text()
    page = client(folder)
    assert "Enter 3 missing results" in page.get("/round").text
    draft = page.get("/round/draft")
    assert "Round 1 is not finished. Results are missing at table 1" in html.unescape(
        draft.text
    )
    scored(folder)
    (folder / "event.toml").write_text(f"rounds = 1\n{set_rounds}")
    assert "The only round is played. What comes next?" in page.get("/round").text


AGAIN = "/round/again/publish"


@pytest.mark.long
def test_an_open_round_is_paired_again_after_a_drop(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1)
    page = client(folder)
    before = written(folder)
    kept = [{*row.split(",")[2:4]} for row in (before[0], before[2])]
    other, gone = before[1].split(",")[2:4]
    drop(folder, gone)
    assert "/round/again" in page.get("/round").text
    shown = page.get("/round/again")
    assert "1 table changes, 2 stay as published" in shown.text
    told = f"The bye is now for {other}. {other} was to meet {gone} at table 2."
    assert told in shown.text
    assert "no pairing is better" in shown.text
    assert written(folder) == before
    answer = page.post(AGAIN, data=fields(shown.text, AGAIN))
    assert answer.url.path == "/round"
    assert "is re-paired, and 2 matches stay" in said(answer.text)
    pairs = [{*row.split(",")[2:4]} for row in written(folder)]
    assert pairs == [*kept, {other, ""}]
    undo(folder)
    assert written(folder) == before


@pytest.mark.long
def test_what_is_published_again_is_what_was_shown(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1)
    page = client(folder)
    before = written(folder)
    drop(folder, before[1].split(",")[2])
    sent = fields(page.get("/round/again").text, AGAIN)
    answer = page.post(AGAIN, data={**sent, "match": ["A:B", "C:D", "E:F"]})
    assert answer.status_code == 422
    assert "would now be different from the preview" in said(answer.text)
    drop(folder, before[0].split(",")[2])
    assert page.post(AGAIN, data=sent).status_code == 409
    assert written(folder) == before
    assert page.get("/round/again?keep=x").status_code == 404
    assert (
        "No round is open"
        in client(event(tmp_path / "new", "ABCD")).get("/round/again").text
    )


@pytest.mark.long
def test_an_impossible_round_offers_its_ways_out(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", 3, model="monrad")
    scored(folder)
    page = client(folder)
    draft = page.get("/round/draft").text
    assert "Allow 2 rematches: " in draft
    assert "What it costs: matches 1 score group apart: 2" in draft
    assert PUBLISH not in draft
    buttons = re.findall(r'name="allowed" value="([^"]*)"', draft)
    allowed = page.get("/round/draft", params={"allowed": buttons}).text
    assert "Exceptions to the rules" in allowed
    assert [*shown(allowed)] == [*buttons] or {*shown(allowed)} == {*buttons}
    assert "Round 4 is paired" in said(published(page, allowed).text)
    gone = written(folder)[-1].split(",")[3]
    drop(folder, gone)
    assert "1 table changes, 1 stays as published" in page.get("/round/again").text
