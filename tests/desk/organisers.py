"""Organisers: a shell in a directory, and people at browsers, whose every click and key is counted.

All is done from outside: processes of the program, its pages in a browser, and its files as csv and
TOML say them. Nothing of the package is imported.
"""

from __future__ import annotations

import csv
import io
import os
import re
import select
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from judged import ImpossibleError, Tally
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import TimeoutError as NotSeenError

ROOT = Path(__file__).parents[2]
OURS = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100"}
PATIENCE = int(os.environ.get("DESK_PATIENCE", "10000"))
"""Milliseconds for an answer of the page on a busy machine. A crowded one needs more."""
SOON = 2_500
"""Milliseconds within which a page that has answered shows all that it has."""
LONG_TEXT = 60
"""Who has more letters than this to type pastes them: two keys."""


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return f"{self.out}\n{self.err}"


@dataclass
class Shell:
    """A terminal that stands in a directory."""

    place: Path
    tally: Tally

    @property
    def environment(self) -> dict[str, str]:
        """What a command finds set: rating lists are in the directory, not the person's own."""
        return OURS | {"PAIROPT_LISTS": str(self.place / "lists")}

    def try_(self, line: str) -> Said:
        """What `pairopt LINE` answers, whatever that is."""
        self.tally.keys += len(f"pairopt {line}") + 1
        done = subprocess.run(
            [sys.executable, "-m", "pairopt", *shlex.split(line)],
            cwd=self.place,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr[-300:]
        return Said(done.returncode, done.stdout, done.stderr)

    def run(self, line: str) -> Said:
        """What it answers; it has to be done."""
        said = self.try_(line)
        if said.code == 2 and re.search(
            r"has no option|There is no command|is missing\. For example|means here|quotes",
            said.err,
        ):
            raise ImpossibleError(
                f"pairopt {line}: {said.err.strip().splitlines()[-1]}"
            )
        assert said.code == 0, (
            f"pairopt {line}: exit {said.code}, {said.err.strip()[-250:]}"
        )
        return said

    def refused(self, line: str) -> Said:
        """What it answers; it may not be done."""
        said = self.try_(line)
        assert said.code in (1, 2, 3), (
            f"pairopt {line}: exit {said.code}, {said.text[-250:]}"
        )
        return said


class Hand:
    """Somebody at a browser. What is on the page is found by what it is called."""

    def __init__(self, page: Any, address: str, tally: Tally) -> None:
        self.page, self.address, self.tally = page, address, tally
        self._finished: list[Any] = []
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("requestfinished", lambda request: self._finished.append(request))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def weigh(self) -> None:
        """Add the bytes of what was asked and answered since."""
        finished, self._finished = self._finished, []
        for request in finished:
            try:
                sizes = request.sizes()
            except BrowserError:  # its page is closed
                continue
            self.tally.sent += sizes["requestHeadersSize"] + sizes["requestBodySize"]
            self.tally.received += (
                sizes["responseHeadersSize"] + sizes["responseBodySize"]
            )

    # ways to places

    def open(self, path: str = "") -> None:
        """Type an address of the event that is shown."""
        shown = re.search(r"/event/[^/]+", self.page.url)
        self.page.goto(f"{self.address}{shown[0] if shown else ''}/{path}")

    def view(self, name: str) -> None:
        """Choose a view in the menu."""
        menu = self.page.get_by_role("navigation", name="Pages")
        link = menu.get_by_role("link", name=name, exact=True)
        if not link.first.is_visible():
            self.click(menu.locator("summary").first)
        self.away(self.door(link, f"no view {name} in the menu"))

    def away(self, locator: Any) -> None:
        """Click what leads to another page, and wait for that."""
        self.page.evaluate("document.querySelector('main').dataset.left = ''")
        self.click(locator)
        self.page.locator("main:not([data-left])").wait_for()

    # what is there

    def door(self, locator: Any, otherwise: str, patience: int = SOON) -> Any:
        """The first of these that can be seen; the task is impossible without."""
        if not self.has(locator, patience):
            raise ImpossibleError(otherwise)
        return locator.filter(visible=True).first

    def has(self, locator: Any, patience: int = SOON) -> bool:
        """Whether one of these can be seen in time."""
        try:
            locator.filter(visible=True).first.wait_for(timeout=patience)
        except NotSeenError:
            return False
        return True

    def button(self, name: str | re.Pattern[str]) -> Any:
        """Buttons and links of this name."""
        how = {"name": name, "exact": True} if isinstance(name, str) else {"name": name}
        how["include_hidden"] = True
        found = self.page.get_by_role("button", **how).or_(
            self.page.get_by_role("link", **how)
        )
        return found.or_(
            self.page.locator("summary").get_by_text(name, exact=isinstance(name, str))
        )

    def field(self, label: str | re.Pattern[str]) -> Any:
        """Fields whose label begins so."""
        if isinstance(label, str):
            label = re.compile(rf"^\s*{re.escape(label)}\b")
        return self.page.get_by_label(label)

    def text(self) -> str:
        """What can be read on the page."""
        return str(self.page.locator("body").inner_text())

    def sees(self, *texts: str | re.Pattern[str]) -> None:
        """The page comes to say this; else it is wrong."""
        for text in texts:
            try:
                self.page.get_by_text(text).locator("visible=true").first.wait_for()
            except NotSeenError:
                raise AssertionError(
                    f"not said: {text}; but: {self.told()[:200]}"
                ) from None

    def told(self) -> str:
        """The messages, questions and refusals that can be read."""
        places = self.page.locator(
            "[role=status], [role=alert], .said, .asks, .refused, .messages"
        )
        return " ".join(each for each in places.all_inner_texts() if each.strip())

    def within(self, locator: Any, what: str) -> None:
        """Awkward, unless all of it stands inside the window."""
        box, view = locator.first.bounding_box(), self.page.viewport_size
        held = box and box["y"] >= -1 and box["y"] + box["height"] <= view["height"] + 1
        self.tally.wish(held, f"{what} is outside the window")

    # what is done

    def click(self, locator: Any) -> None:
        """A click of the mouse, where it can be seen."""
        self.tally.clicks += 1
        locator.click()

    def press(self, name: str | re.Pattern[str]) -> None:
        """Click a button or link of this name."""
        self.click(self.unfolded(self.button(name), f"no button {name}"))

    def unfolded(self, locator: Any, otherwise: str) -> Any:
        """The first of these; what it is folded into is opened."""
        if not locator.filter(visible=True).count() and not self.has(
            locator, SOON // 10
        ):
            folded = locator.locator("xpath=ancestor::details[not(@open)]/summary")
            self.click(self.door(folded, otherwise))
        return self.door(locator, otherwise)

    def unfold(self, name: str) -> None:
        """Open what is folded under these words."""
        self.click(
            self.door(
                self.page.locator("summary", has_text=name), f"nothing is called {name}"
            )
        )

    def tick(self, label: str | re.Pattern[str]) -> None:
        """Tick a box, or choose one of several."""
        self.click(self.door(self.field(label), f"nothing to tick: {label}"))

    def choose(self, label: str | re.Pattern[str], words: str) -> None:
        """Choose from a list: a click on it, one on the line."""
        place = self.door(self.field(label), f"no list {label}")
        self.tally.clicks += 2
        place.select_option(label=words)

    def write(self, label: str | re.Pattern[str], text: str) -> None:
        """Click a field, and write into it in place of what is there."""
        place = self.door(self.field(label), f"no field {label}")
        self.click(place)
        if place.input_value():
            self.tally.keys += 1
            self.page.keyboard.press("Control+A")
        self.type(text)

    def type(self, text: str) -> None:
        """Type, or paste what is long, where the focus is."""
        if len(text) > LONG_TEXT or "\n" in text or "\t" in text:
            self.tally.keys += 2
            self.page.keyboard.insert_text(text)
        else:
            self.tally.keys += len(text)
            self.page.keyboard.type(text)

    def key(self, *names: str) -> None:
        """Press keys, one after another."""
        for name in names:
            self.tally.keys += 1
            self.page.keyboard.press(name)

    def give(
        self,
        file: Path,
        label: str | re.Pattern[str] = re.compile("file", re.IGNORECASE),
    ) -> None:
        """Choose a file: a click on the field, two in the dialogue."""
        self.tally.clicks += 3
        self.door(self.field(label), "no field for a file").set_input_files(file)

    def download(self, name: str | re.Pattern[str], to: Path) -> Path:
        """Click a link to a file, and keep it."""
        link = self.door(self.button(name), f"no file {name}")
        with self.page.expect_download() as kept:
            self.click(link)
        kept.value.save_as(to)
        return to

    # results

    def lane(self) -> None:
        """The field for slips."""
        self.page.locator("[data-row]").first.wait_for()
        self.key("/")
        self.page.locator("#slip:focus").wait_for()

    def slip(self, line: str) -> None:
        """A line in it."""
        self.type(line)
        self.key("Enter")


@dataclass
class Serving:
    """The program with the pages of folders: where they are, and where phones read them."""

    process: subprocess.Popen[bytes]
    address: str
    phones: list[str] = field(default_factory=list)

    def stop(self) -> None:
        """Pull the plug."""
        self.process.kill()
        self.process.wait()


class Room:
    """Where an evening is played: a directory, a shell, programs that serve, people at browsers.

    `persons` is how many the rating list of an open has.
    """

    def __init__(self, place: Path, browser: Any, persons: int = 4000) -> None:
        self.place, self.browser, self.persons = place, browser, persons
        self.shell = Shell(place, Tally())
        self._stack = ExitStack()
        self._served: dict[tuple[str, ...], Serving] = {}
        self._hands: dict[tuple[str, str], Hand] = {}

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    @property
    def tally(self) -> Tally:
        return self.shell.tally

    @contextmanager
    def counting(self, tally: Tally) -> Iterator[None]:
        """What is done goes on this account."""
        for hand in self._hands.values():
            hand.tally = tally
        self.shell.tally = tally
        yield
        for hand in self._hands.values():
            hand.weigh()

    def wish(self, held: object, otherwise: str) -> None:
        """Awkward, unless this holds."""
        self.tally.wish(held, otherwise)

    # programs and people

    def serve(self, *folders: str, share: bool = False) -> Serving:
        """The program that serves these folders, started when it is first asked for."""
        known = self._served.get(folders)
        if known is not None and known.process.poll() is None:
            return known
        line = ["serve", *folders, "--no-browser", *(["--share"] if share else [])]
        process = subprocess.Popen(
            [sys.executable, "-m", "pairopt", *line],
            cwd=self.place,
            env=self.shell.environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        found = re.findall(r"http://\S+", _first_lines(process))
        assert found, f"pairopt {' '.join(line)} says no address"
        made = Serving(process, found[0].rstrip("/."))
        for each in found[1:]:
            here = re.sub(r"//[^:/]+", "//127.0.0.1", each).rstrip("/.")
            if here.count("/") == 2 and here != made.address:
                made.phones.append(here)
        self._served[folders] = made
        return made

    def desk(self, *folders: str, who: str = "desk", **options: Any) -> Hand:
        """Somebody at the page of these folders, on the page that was open last."""
        return self._hand(self.serve(*folders).address, who, options)

    def phone(self, address: str, who: str = "phone") -> Hand:
        """A phone at an address."""
        view = {
            "viewport": {"width": 360, "height": 740},
            "has_touch": True,
            "is_mobile": True,
        }
        return self._hand(address, who, view)

    def _hand(self, address: str, who: str, options: Mapping[str, Any]) -> Hand:
        known = self._hands.get((address, who))
        if known is None:
            context = self.browser.new_context(
                **{"viewport": {"width": 1280, "height": 800}} | options
            )
            self._stack.callback(_closed, context)
            known = self._hands[address, who] = Hand(
                context.new_page(), address, self.tally
            )
            known.open()
        return known

    # files

    def rows(self, path: str) -> list[dict[str, str]]:
        """A table of the folder, as the csv module reads it."""
        return list(table_in(self.place / path))

    def settings(self, folder: str) -> dict[str, Any]:
        """event.toml."""
        return tomllib.loads(
            (self.place / folder / "event.toml").read_text(encoding="utf-8")
        )

    def matches(self, folder: str, round: int | None = None) -> list[dict[str, str]]:
        """Matches with a table, of a round or of all."""
        rows = self.rows(f"{folder}/matches.csv")
        return [
            row for row in rows if row["player2"] and round in (None, int(row["round"]))
        ]

    def players(self, folder: str) -> list[str]:
        """Everybody in players.csv, by their names."""
        return [
            row.get("name") or row["player"]
            for row in self.rows(f"{folder}/players.csv")
        ]

    def write(self, name: str, text: str, encoding: str = "utf-8") -> Path:
        """A file in the directory."""
        (self.place / name).write_bytes(text.encode(encoding))
        return self.place / name

    def score(
        self, folder: str, scores: Sequence[str] = ("1-0", "0-1", "0.5-0.5")
    ) -> None:
        """Results for every table of the last round that has none, in a spreadsheet."""
        path = self.place / folder / "matches.csv"
        table = table_in(path)
        rows = list(table)
        last = max(int(row["round"]) for row in rows)
        open_ = [
            row
            for row in rows
            if row["player2"] and not row["score1"] and int(row["round"]) == last
        ]
        for k, row in enumerate(open_):
            row["score1"], row["score2"] = scores[k % len(scores)].split("-")
        if open_:
            with path.open("w", encoding="utf-8", newline="") as file:
                written = csv.DictWriter(
                    file, table.fieldnames or [], dialect=table.reader.dialect
                )
                written.writeheader()
                written.writerows(rows)


def _first_lines(process: subprocess.Popen[bytes]) -> str:
    """What a program says that then goes on: all until it has said nothing for a while."""
    assert process.stderr is not None
    there, said = process.stderr.fileno(), b""
    while select.select([there], [], [], 0.4 if b"http://" in said else 60)[0]:
        more = os.read(there, 65536)
        said += more
        if not more:
            break
    return said.decode()


def table_in(path: Path) -> csv.DictReader[str]:
    """A table with its heads; separated as its first line is."""
    text = path.read_text(encoding="utf-8-sig")
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    return csv.DictReader(
        io.StringIO(text, newline=""), delimiter=separator, lineterminator="\n"
    )


def _closed(context: Any) -> None:
    try:
        context.close()
    except BrowserError:
        return


def result_of(row: Mapping[str, str]) -> str:
    """The points of a match as `3-0`; "" where it is not played."""
    return f"{row['score1']}-{row['score2']}" if row["score1"] else ""
