"""What nobody sees in a name, a title, a message is shown in every view, and obeyed in none."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import cycle
from pathlib import Path
from unicodedata import category

import pytest
from click.testing import CliRunner
from organiser import HOST, ORIGIN, client, routes_of, scored
from starlette.testclient import TestClient

from pairopt.cli import main
from pairopt.folder import bracket, edit, forbid, new, pair, rename
from pairopt.folder.open_folder import read_folder_state as now
from pairopt.messages.formatting import escape_hidden
from pairopt.web.access import NetworkShare
from pairopt.web.app import application

VISIBLE_MARKS = {
    *range(0x600, 0x606),
    0x6DD,
    0x70F,
    0x890,
    0x891,
    0x8E2,
    0x110BD,
    0x110CD,
    *range(0x13430, 0x13440),
}
"""Of Unicode's format characters those that have a sign of their own."""
UNSEEN = [
    chr(k)
    for k in range(1, sys.maxunicode + 1)
    if category(chr(k)) in ("Cc", "Cf", "Zl", "Zp") and k not in VISIBLE_MARKS
]
ALL = "".join(UNSEEN)
ARABIC, PERSIAN, HEBREW = "محمد الف", "علی\u200cرضا", "משה כהן"  # noqa: RUF001
SIZE = 30
UNSEEN_IN_NAMES = [
    letter for letter in UNSEEN if letter != "\t"
]  # a tab separates cells
STARTS = range(0, len(UNSEEN_IN_NAMES), SIZE)
NAMES = [
    *(f"P{k}{''.join(UNSEEN_IN_NAMES[k : k + SIZE])}q" for k in STARTS),
    "a\u202eb",
    "ba",
    "a⟨U+202E⟩b",
    ARABIC,
    PERSIAN,
    HEBREW,
]
TITLE = "Cup \u202etitle\u2067"
ISOLATED = re.compile("\u2068([\u0590-\u08ff\u200c .'-]+)\u2069")

JOINED = re.compile("(?<=[\u0620-\u06ff])\u200c(?=[\u0620-\u06ff])")


class Texts(HTMLParser):
    """What a page shows: its text, and the labels of its tags; fields keep what is in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.field = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.field = tag in ("textarea", "script", "style")
        labels = ("title", "aria-label", "alt", "placeholder")
        self.texts += [value or "" for name, value in attrs if name in labels]

    def handle_endtag(self, tag: str) -> None:
        self.field = False

    def handle_data(self, data: str) -> None:
        if not self.field:
            self.texts.append(data)


def obeyed(page: str) -> set[str]:
    """The unseen characters that a page or an answer has as they are."""
    shown = "".join(Texts(page).texts) if re.search("<(html|div|ul)", page) else page
    shown = JOINED.sub("", ISOLATED.sub(r"\1", shown))
    return {hex(ord(c)) for c in shown if c in ALL and c not in "\n\t\r"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("unseen") / "event"
    listed = made.parent / "players.csv"
    with listed.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("player", "club"), *((name, name[::-1]) for name in NAMES)]
        )
    new(made, listed, title=TITLE, model="standard", sure=True)
    forbid(made, NAMES[0], NAMES[1])
    edit(made, "ba", {"club": "c\u202ed"})
    rename(made, "ba", "zz\u2066")
    for _ in range(2):
        pair(made)
        scored(made)
    bracket(made, 4, by_lot=True)
    pages = client(made)
    form = {"message": "Hello \u202eall", "state": now(made).state}
    assert (
        pages.post("/hall/message", data=form, follow_redirects=False).status_code
        == 303
    )
    return made


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    share = NetworkShare(8441)
    for base, shared in ((ORIGIN, None), ("http://127.0.0.1:8441", share)):
        app = application(folder, {HOST}, shared)
        browser = TestClient(app, base)
        for path in (each.path for each in routes_of(app) if "GET" in each.methods):
            if "{" not in path and path != "/state":
                names = cycle((NAMES[0], "a\u202eb", ARABIC))
                keys = ("id", "player", "name", "q", "slip")
                for query in (
                    {},
                    *({key: name} for key, name in zip(keys, names, strict=False)),
                ):
                    yield (
                        f"{base}{path} {query!a}",
                        browser.get(path, params=query).text,
                    )


@pytest.mark.sweep
def test_names_are_shown_in_every_page(folder: Path) -> None:
    texts = dict(pages(folder))
    assert not {
        where: found for where, page in texts.items() if (found := obeyed(page))
    }
    standings = texts[f"{ORIGIN}/standings {{}}"]
    for name in (ARABIC, PERSIAN, HEBREW):
        assert f"\u2068{name}\u2069" in standings
    assert "a⟨U+202E⟩b" in standings
    assert "Cup ⟨U+202E⟩title⟨U+2067⟩" in standings
    assert "Hello ⟨U+202E⟩all" in texts["http://127.0.0.1:8441/screen {}"]


@pytest.mark.long
def test_names_are_shown_in_answers_and_reports(folder: Path, tmp_path: Path) -> None:
    out, cut = tmp_path / "report.html", tmp_path / "cut.html"
    for words in (
        ["standings", folder],
        ["bracket", folder, "-o", cut],
        ["explain", folder],
        ["solve", folder, "--report", out, "--model", "standard"],
        ["compare", folder, "--models", "standard,monrad"],
        ["check", folder, folder / "matches.csv", "--round", "2"],
        ["drop", folder, "nobody \u202e"],
        ["set", folder, "title", "x\u202ey"],
        ["drop", folder, "a\u202eb"],
        ["undo", folder, "--steps", "2"],
    ):
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code in (0, 2), done.output
        assert not obeyed(done.output), words
    for page in (out, cut):
        assert not obeyed(page.read_text(encoding="utf-8"))
    assert not obeyed((folder / "log.csv").read_text(encoding="utf-8"))


def test_files_have_names_as_they_were_read(folder: Path) -> None:
    assert now(folder).event.players == (*NAMES,)
    assert "a\u202eb" in (folder / "matches.csv").read_text(encoding="utf-8")


def test_no_two_players_look_the_same(folder: Path) -> None:
    shown = now(folder).event.shown
    assert len({*shown}) == len(NAMES)
    assert {"a⟨U+202E⟩b", ARABIC, PERSIAN, HEBREW} < {*shown}
    assert not obeyed("".join(shown))


@pytest.mark.parametrize(
    "text",
    [
        "Łukasz Ångström",
        "山田\u3000太郎",
        "葛\U000e0100城",
        PERSIAN,
        "क\u094d\u200dष",
        "👩\u200d🚀",
        "🏳\ufe0f\u200d🌈",
        "A\u00a0B",
    ],
)
def test_names_of_any_writing_stay_as_they_are(text: str) -> None:
    assert escape_hidden(text) == text


@pytest.mark.parametrize(
    "text", ["a\u200db", "\u200cعلی", "علی\u200c", "a\u3164b", "\u034f", "\u2800"]
)
def test_what_is_not_seen_is_shown(text: str) -> None:
    assert "⟨U+" in escape_hidden(text)
    assert escape_hidden(escape_hidden(text)) == escape_hidden(text)
