"""Standings, the cut and the rules by the page."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from organiser import client, event, fields, said, scored
from test_web_players import files, send, sure

from pairopt import compare, read_event, standings
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result
from pairopt.folder.roster import drop
from pairopt.folder.top_cut import bracket
from pairopt.messages.interfaces import PAGE
from pairopt.problem.model import load_model, model_names
from pairopt.round.describe_model import describe_model

CUT = "/standings/cut"


@pytest.mark.long
def test_standings_with_who_has_dropped(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDE", rounds=2)
    drop(folder, "B")
    text = client(folder).get("/standings").text
    assert "2 results of round 2 are missing" in text
    table = text[text.index('<table class="standings">') :]
    names = re.findall(r"<bdi>(.)</bdi></a>( <em>dropped</em>)?", table)
    assert [name for name, _ in names] == list(
        standings(read_event(folder, unfinished=True))["name"]
    )
    assert [name for name, gone in names if gone] == ["B"]


@pytest.mark.long
def test_the_cut_is_asked_and_the_bracket_is_shown(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", rounds=2)
    scored(folder)
    page = client(folder)
    before = files(folder)
    assert "cut is nothing. Give a number from 2 to 1000." in said(
        send(page, "cut", "/standings")
    )
    asked = send(page, "cut", "/standings", cut="4", by_lot="yes", double="yes")
    assert "4 players, double elimination" in said(asked)
    assert files(folder) == before
    text = sure(page, asked, CUT)
    made = bracket(folder).bracket
    assert made is not None
    assert made.double
    assert "<caption>B1, next</caption>" in text
    assert CUT not in text
    result(folder, "B1", "2-0")
    assert "<caption>B1</caption>" in page.get("/standings").text


@pytest.mark.long
def test_the_bracket_to_its_end(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", rounds=1)
    scored(folder)
    page = client(folder)
    assert "2 players are equal for the last place" in said(
        send(page, "cut", "/standings", cut="3")
    )
    sure(page, send(page, "cut", "/standings", cut="4", by_lot="yes"), CUT)
    drawn = re.compile(r'name="score" value="1-1"|name="score" value="0F-0F"')
    assert not drawn.search(page.get("/results").text)  # somebody has to go on
    assert (
        len(re.findall(r'name="score" value="\d-\d"', page.get("/results").text))
        == 2 * 2
    )
    form = fields(page.get("/results").text, "/results/slip")
    refused = page.post("/results/slip", data={**form, "slip": "B1 2"})
    assert refused.status_code == 422
    for match in ("B1", "B2", "B3"):
        form = fields(page.get("/results").text, "/results/score")
        page.post("/results/score", data={**form, "table": match, "score": "3-0"})
    text = page.get("/standings").text
    assert re.search("<p>. has won the bracket.<.p>", text)
    assert "Enter results" not in text


def test_the_cut_is_refused_while_results_are_missing(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", rounds=1))
    assert "Enter the missing results first" in said(
        send(page, "cut", "/standings", cut="2")
    )


@pytest.mark.parametrize("name", model_names())
def test_every_model_in_words(tmp_path: Path, name: str) -> None:
    text = client(event(tmp_path / "event")).get(f"/models?model={name}").text
    words = describe_model(load_model(name))
    plain = re.sub(r"<[^>]*>", "", text).replace("&#39;", "'").replace("&#34;", '"')
    plain = plain.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
    every = [*words.never, *words.order, words.how]
    every += [*words.last_round.order] if words.last_round else []
    assert [
        sentence for sentence in every if PAGE.format_message(sentence) not in plain
    ] == []
    assert not re.search(r"\[[a-z_]+", plain)  # the names that model files have


@pytest.mark.long
def test_which_rules_would_have_paired_otherwise(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", rounds=2)
    scored(folder)
    page = client(folder)
    assert "Compare the pairings of round 3 with those of" in page.get("/models").text
    text = page.get("/models?with=random&with=monrad&with=nonsense").text
    made = compare(read_event(folder), ["standard", "monrad", "random"])
    for name, changed in zip(made.models[1:], made.changed[1:], strict=True):
        verdict = f"{len(changed)} matches otherwise" if changed else "the same matches"
        assert f"<dt>{load_model(name).title}</dt><dd>{verdict}</dd>" in text
    pair(folder)  # round 3 is open now, and compared all the same
    assert page.get("/models?with=random&with=monrad").text.count("<dt>") == 2
    assert "Compare the pairings of round 3 with those of" in page.get("/models").text


@pytest.mark.long
def test_a_model_that_cannot_pair_is_said(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "AB", rounds=1)
    scored(folder)
    text = client(folder).get("/models?with=monrad").text
    assert f"<dt>{load_model('monrad').title}</dt><dd>no pairing</dd>" in text
    strange = client(folder).get("/models?model=/etc/passwd&with=../x").text
    assert "Your event uses these rules" in strange


@pytest.mark.long
@pytest.mark.parametrize(
    ("tie_break", "points", "score", "rounds"),
    [("sos", "3-1-0", "3-0", 3), ("sonneborn_berger", "1-0.5-0", "0.5-0.5", 1)],
)
def test_tie_breaks_have_one_decimal_but_on_paper(
    tmp_path: Path, tie_break: str, points: str, score: str, rounds: int
) -> None:
    folder = event(
        tmp_path / "event", "ABCDEFG", 0, tie_breaks=(tie_break,), points=points
    )
    for _ in range(rounds):
        pair(folder)
        scored(folder, score)
    page = client(folder)
    cell = re.compile(r'<td class="number"(?: title="([\d.]+)")?>([\d.]+)</td>')
    found = cell.findall(page.get("/standings").text)
    rounded = [(whole, shown) for whole, shown in found if whole]
    assert rounded
    for whole, shown in rounded:  # halves go up, as people round them
        assert (
            Fraction(shown) * 10 == (Fraction(whole) * 10 + Fraction(1, 2)).__floor__()
        )
    assert not any("." in shown and len(shown.split(".")[1]) > 1 for _, shown in found)
    paper = page.get("/print/standings").text
    assert all(f">{whole}<" in paper for whole, _ in rounded)


@pytest.mark.long
def test_shares_of_games_have_three_decimals(tmp_path: Path) -> None:
    """One would tell hardly two of them apart."""
    folder = event(tmp_path / "event", "ABCDEFG", rounds=1, points="3-1-0", best_of=3)
    for table, score in ((1, "2-1"), (2, "2-0"), (3, "1-1-1")):
        result(folder, table, score)
    text = client(folder).get("/standings").text
    assert '<td class="number" title="0.6667">0.667</td>' in text
    assert ">0.7</td>" not in text
