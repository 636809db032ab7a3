"""A new event: what is played settles it; what is asked is what is made, once, and nothing else."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import client, founding, said, served
from places import DATA

from pairopt import read_event
from pairopt.common.limits import LARGEST_BODY, LARGEST_FORM_FILE, LARGEST_UPLOAD
from pairopt.event.standings import tie_breaks_of
from pairopt.folder.open_folder import read_folder_state
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA
from pairopt.web.uploads import QUESTIONS, propose_rounds

NEW = "/new/event"
TWELVE = "\n".join(f"Player {k}" for k in range(1, 13))
GAMES = {
    "rated": (("white", "black"), "1-0.5-0", "fide-dutch"),
    "chess": (("white", "black"), "1-0.5-0", "standard"),
    "netrunner": (("corp", "runner"), "3-1-0", "standard"),
    "both": ((), "3-1-0x2", "double-sided"),
    "cards": ((), "3-1-0", "standard"),
    "go": (("black", "white"), "1-0.5-0", "standard"),
    "sides": (("first", "second"), "1-0.5-0", "standard"),
    "even": ((), "1-0.5-0", "standard"),
}
"""What each game has by its own rules: its sides, what results give, and who is paired how."""
TYPED = {
    "title": "The cup",
    "players": "Ann\nBob\nCat",
    "rounds": "3",
    "points": "3-1-0",
    "model": "monrad",
    "sides": "white,black",
    "tie_breaks": "wins",
    "game": "even",
    "aim": "faces",
}
CODE = re.compile(
    r"\b(?:seed|levels?|arcs?|proven_by|lookahead|model|{})\b|--|/|[a-z]_[a-z]|\.(?:toml|py)\b".format(
        "|".join(name for name in (*CONSTRAINTS, *CRITERIA) if "_" in name)
    ),
    re.IGNORECASE,
)
"""Words of the code, which nobody at a desk has to know."""


def lines(text: str) -> list[str]:
    """What the page asks, line by line."""
    asked = re.search(r'<ul class="plain">(.*?)</ul>', text, re.DOTALL)
    return (
        [html.unescape(each) for each in re.findall(r"<li>(.*?)</li>", asked[1])]
        if asked
        else []
    )


def beside(text: str) -> dict[str, str]:
    """What is said to be wrong, by the fields that it stands beside."""
    found = re.findall(
        r'<div class="refused" id="wrong-(\w+)">(.*?)</div>', text, re.DOTALL
    )
    for name, _ in found:
        field = re.search(rf'<(?:input|textarea|select) name="{name}"[^>]*>', text)
        assert field, name
        assert (
            f'aria-describedby="wrong-{name}"' in field[0]
            or 'aria-invalid="true"' in field[0]
        )
    return {
        name: html.unescape(re.sub(r"<[^>]*>|\s+", " ", told)) for name, told in found
    }


@pytest.mark.sweep
@pytest.mark.parametrize("game", QUESTIONS[0].answers)
def test_the_game_settles_the_event(tmp_path: Path, game: str) -> None:
    sides, points, model = GAMES[game]
    page, folder = client(tmp_path / "event"), tmp_path / "event"
    asked = page.post(NEW, data={"players": TWELVE, "game": game}).text
    done = said(page.post(NEW, data=founding(asked), follow_redirects=True).text)
    assert "New event with 12 players" in done
    assert not CODE.search(done), done
    assert "filled" not in done
    made = read_event(folder)
    assert (made.sides or (), str(made.settings.points), made.settings.model) == (
        sides,
        points,
        model,
    )
    assert made.settings.rounds == 4
    told = lines(asked)
    assert told[0] == "12 players: Player 1, Player 2, Player 3, Player 4 and 8 more"
    assert told[1].startswith(QUESTIONS[0].answers[game])
    assert "4 rounds, as is usual for 12 players" in told
    named = " ".join(told)
    assert [side.capitalize() in named for side in sides] == [True] * len(sides)
    assert all(
        word not in named for word in ("Corp", "Runner") if word.lower() not in sides
    )
    assert (sides == ()) == ("No sides" in told)
    assert ("two games a match" in named.lower()) == (game == "both")
    ranks = {"rated": 3, "chess": 3, "cards": 3}.get(game, 2)
    assert len(tie_breaks_of(made)) == ranks
    assert made.settings.best_of == (3 if game == "cards" else None)


@pytest.mark.sweep
@pytest.mark.parametrize("aim", ["", *QUESTIONS[1].answers])
@pytest.mark.parametrize("game", ["", *QUESTIONS[0].answers])
def test_at_most_seven_lines_in_plain_words(
    tmp_path: Path, game: str, aim: str
) -> None:
    page = client(tmp_path / "event")
    asked = page.post(NEW, data={"players": TWELVE, "game": game, "aim": aim}).text
    assert 1 < len(lines(asked)) <= 7
    assert not CODE.search(" ".join(lines(asked)).replace("FIDE's rules", ""))


@pytest.mark.long
@pytest.mark.parametrize(
    "name", sorted(path.name for path in DATA.iterdir() if path.is_file())
)
def test_at_most_seven_lines_of_any_file(tmp_path: Path, name: str) -> None:
    given = {"file": (name, (DATA / name).read_bytes())}
    asked = client(tmp_path / "event").post(NEW, files=given)
    if asked.status_code == 200:
        assert 1 < len(lines(asked.text)) <= 7
        assert "pairopt has read " in asked.text
    else:
        assert asked.status_code == 422
        assert "players" in beside(asked.text)


def test_rounds_that_are_proposed() -> None:
    fields = (2, 3, 4, 5, 6, 8, 9, 16, 17, 32, 33, 300)
    assert [propose_rounds(field) for field in fields] == [
        1,
        3,
        3,
        3,
        3,
        3,
        4,
        4,
        5,
        5,
        6,
        9,
    ]


@pytest.mark.long
def test_rounds_that_are_typed_or_in_the_file_are_not_proposed_again(
    tmp_path: Path,
) -> None:
    page = client(tmp_path / "event")
    typed = page.post(NEW, data={"players": TWELVE, "game": "even", "rounds": "6"}).text
    assert "6 rounds" in lines(typed)
    nobody = page.post(NEW, data={"players": TWELVE}).text
    assert any("you decide when the event ends" in line for line in lines(nobody))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "Another"),
        ("players", "Ann\nBob\nCat\nDan"),
        ("rounds", "4"),
        ("game", "chess"),
        ("aim", "order"),
        ("sides", "white,black"),
        ("points", "2-1-0"),
        ("tie_breaks", "sos"),
        ("model", "monrad"),
        ("file", "player\nZoe\nPer\n"),
    ],
)
def test_nothing_typed_under_a_question_is_lost_and_nothing_unasked_is_made(
    tmp_path: Path, field: str, value: str
) -> None:
    folder = tmp_path / "event"
    page = client(folder)
    start = {"players": "Ann\nBob\nCat", "game": "even"}
    first = founding(page.post(NEW, data=start).text)
    if field == "file":
        again = page.post(NEW, data=first, files={"file": ("new.csv", value.encode())})
    else:
        again = page.post(NEW, data={**first, field: value})
    assert not folder.exists()
    assert "Check your new event" in said(again.text)
    second = founding(again.text)
    assert second["sure"] != first["sure"]
    assert field == "file" or second[field] == value
    page.post(NEW, data=second)
    made = read_event(folder)
    now = {
        "title": made.settings.title,
        "players": "\n".join(made.players),
        "rounds": str(made.settings.rounds),
        "points": str(made.settings.points),
        "model": made.settings.model,
        "tie_breaks": ",".join(made.settings.tie_breaks or ()),
        "sides": ",".join(made.sides or ()) or "none",
        "file": "\n".join(["player", *made.players, ""]),
        "game": "chess" if made.sides else "",
        "aim": "order" if made.settings.model == "monrad" else "",
    }
    assert now[field] == value


@pytest.mark.long
def test_what_is_asked_is_what_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lots that are drawn for the question are the event's."""
    drawn = iter(range(100, 200))
    monkeypatch.setattr("pairopt.folder.create.draw_seed", lambda: next(drawn))
    folder = tmp_path / "event"
    page = client(folder)
    asked = page.post(NEW, data={"players": "Ann\nBob", "game": "rated"}).text
    assert any("FIDE (Dutch) System" in line for line in lines(asked))
    (side,) = re.findall(
        "The draw gives (White|Black) to the first player", " ".join(lines(asked))
    )
    page.post(NEW, data=founding(asked))
    assert read_event(folder).settings.seed == 100
    assert f'initial_side = "{side.lower()}"' in (folder / "event.toml").read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"rounds": "501"}, {"rounds": "rounds is 501. Give a number from 1 to 500."}),
        ({"points": "1-3-0"}, {"points": "A win must give more points than a loss"}),
        ({"tie_breaks": "luck"}, {"tie_breaks": "There is no tie-break 'luck'"}),
        ({"sides": "white"}, {"sides": ""}),
        ({"players": "", "title": ""}, {"players": "has neither a name nor players"}),
        ({"conflicts": "club"}, {"conflicts": "The players have no column 'club'"}),
        (
            {"model": "fide-dutch", "lookahead": "2"},
            {"lookahead": "look at one round only"},
        ),
        (
            {"model": "fide-dutch", "conflicts": "active:1"},
            {"model": "has a fixed order of rules"},
        ),
        (
            {"players": "player,rating\nAnn,x\nBob,y"},
            {"players": "row 2, column rating"},
        ),
        (
            {"players": "", "title": "", "rounds": "x", "points": "1"},
            {"players": "", "rounds": "", "points": ""},
        ),
    ],
)
def test_a_fault_stands_beside_its_field_and_leaves_what_was_typed(
    tmp_path: Path, fault: Mapping[str, str], told: Mapping[str, str]
) -> None:
    form = {**TYPED, **fault}
    answer = client(tmp_path / "event").post(NEW, data=form)
    assert answer.status_code == 422
    found = beside(answer.text)
    assert found.keys() == told.keys()
    assert all(words in found[name] for name, words in told.items())
    assert answer.text.count(" autofocus") == 1
    there = founding(answer.text)
    assert {name: there[name] for name in form} == form
    assert "event.toml" not in said(answer.text)
    assert not (tmp_path / "event").exists()


@pytest.mark.long
def test_a_file_is_kept_over_a_fault_until_there_is_another(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    given = {"file": ("<b>.csv", b"player\nAnn\nBob\n")}
    answer = page.post(NEW, data={"rounds": "501"}, files=given)
    kept = founding(answer.text)
    assert "<b>" not in answer.text
    assert kept["content_name"] == "<b>.csv"
    other = page.post(
        NEW, data={**kept, "rounds": "5", "other": "yes", "players": "Zoe\nPer"}
    ).text
    another = {"file": ("new.csv", b"player\nKim\nLea\n")}
    third = page.post(NEW, data={**kept, "rounds": "5"}, files=another).text
    assert "2 players: Ann, Bob" in lines(
        page.post(NEW, data={**kept, "rounds": "5"}).text
    )
    assert "2 players: Zoe, Per" in lines(other)
    assert "2 players: Kim, Lea" in lines(third)


@pytest.mark.long
def test_of_six_lists_at_once_one_is_the_event(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    browsers = [client(folder) for _ in range(6)]
    lists = [f"A{k}\nB{k}\nC{k}\nD{k}" for k in range(len(browsers))]
    forms = [
        founding(each.post(NEW, data={"players": players}).text)
        for each, players in zip(browsers, lists, strict=True)
    ]
    with ThreadPoolExecutor(len(browsers)) as pool:
        answers = list(
            pool.map(
                lambda each: each[0].post(NEW, data=each[1], follow_redirects=False),
                zip(browsers, forms, strict=True),
            )
        )
    assert Counter(answer.status_code for answer in answers) == {303: 1, 422: 5}
    (made,) = (k for k, answer in enumerate(answers) if answer.status_code == 303)
    assert read_folder_state(folder).event.players == tuple(lists[made].split("\n"))
    assert all(
        "event" in said(each.text) for each in answers if each.status_code == 422
    )


@pytest.mark.parametrize("size", [LARGEST_UPLOAD + 1, LARGEST_FORM_FILE + 1])
@pytest.mark.parametrize("head", [b"player,club\n", b"PK\x03\x04"])
def test_a_refused_file_does_not_come_back_larger(
    size: int, head: bytes, tmp_path: Path
) -> None:
    raw = head + b"x" * (size - len(head))
    answer = client(tmp_path / "event").post(
        NEW, files={"file": ("list.csv", raw)}, data={"title": "Cup"}
    )
    assert answer.status_code == 422
    assert said(answer.text)
    if size > LARGEST_FORM_FILE:
        assert (
            f"list.csv is larger than {LARGEST_FORM_FILE // 2**20} MB. Choose a smaller file."
            in said(answer.text)
        )
    assert len(answer.content) < 100_000


def test_a_file_that_is_asked_about_can_be_sent_again(tmp_path: Path) -> None:
    assert LARGEST_FORM_FILE * 4 / 3 + 2**16 < LARGEST_BODY
    page = client(tmp_path / "event")
    answer = page.post(NEW, files={"file": ("list.csv", b"player\nA\nB\nA\n")})
    assert answer.status_code == 422  # a fault in it: it is kept for the next try
    assert "list.csv" in answer.text


@pytest.mark.parametrize("text", ["\u0663", "NaN", "=", "a", "\u202e"])
def test_content_that_is_none(text: str, tmp_path: Path) -> None:
    answer = client(tmp_path / "event").post(NEW, data={"content": text, "sure": "1"})
    assert answer.status_code == 422


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (360, 740)])
def test_a_question_in_view_a_form_that_is_whole_and_the_way_back(
    chromium: Any, tmp_path: Path, width: int, height: int
) -> None:
    folder, size = tmp_path / "event", {"width": width, "height": height}
    with served(folder) as address, browser.page(chromium, viewport=size) as page:
        page.goto(address)
        assert not CODE.search(page.locator("main").inner_text())
        page.get_by_label("Event name").fill("The cup")
        page.get_by_label("Players, one").fill(
            "\n".join(f"Surname-Longer, Name {k}" for k in range(40))
        )
        page.get_by_label("Chess, FIDE-rated").check()
        page.get_by_role("button", name="Preview the event").click()
        yes = page.get_by_role("button", name="Create the event")
        yes.wait_for()
        box = page.locator(".asks").bounding_box()
        assert page.evaluate("scrollY") == 0
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        head = page.locator("h1").bounding_box()
        assert (
            0 <= box["y"] - head["y"] - head["height"] < 40
        )  # right below the heading
        assert page.locator(".asks li").count() >= 7
        assert page.locator(".asks .plain li").count() <= 7
        for name in ("title", "players", "file", "rounds"):
            field = page.locator(f"[name={name}]")
            field.scroll_into_view_if_needed()
            assert field.evaluate("""each => {
              const {x, y, width, height} = each.getBoundingClientRect();
              return document.elementFromPoint(x + width / 2, y + height / 2) === each;
            }"""), name
        assert browser.violations(page) == []
        assert browser.broken(page) == []
        page.get_by_label("Rounds", exact=True).fill("7")
        assert not yes.is_visible()
        page.go_back()
        assert page.get_by_label("Event name").input_value() == "The cup"
        assert page.get_by_label("Players, one").input_value().count("\n") == 39
        assert page.get_by_label("Chess, FIDE-rated").is_checked()
        page.go_forward()
        page.get_by_label("Rounds", exact=True).fill("7")
        page.get_by_role("button", name="Preview again").click()
        page.locator(".asks", has_text="7 rounds").wait_for()
        yes.click()
        page.wait_for_url("**/players")
        page.go_back()
        page.wait_for_url("**/players")
    assert read_event(folder).settings.rounds == 7
    assert read_event(folder).settings.title == "The cup"


@pytest.mark.long
def test_more_rounds_than_can_be_without_a_rematch_are_told(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    for rounds, told in (("12", True), ("9", False)):
        asked = page.post(
            NEW, data={"players": "\n".join("ABCDEFGHI"), "rounds": rounds}
        ).text
        assert (
            any(
                "only 9 are possible without a rematch" in line for line in lines(asked)
            )
            == told
        )


@pytest.mark.long
def test_best_of_three_is_told_and_can_be_typed_otherwise(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    asked = page.post(NEW, data={"players": TWELVE, "game": "cards"}).text
    assert "Best of 3: a win gives 3, a draw 1, a loss 0" in lines(asked)
    again = page.post(NEW, data={**founding(asked), "best_of": "5"}).text
    assert any(line.startswith("Best of 5:") for line in lines(again))
