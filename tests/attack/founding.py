"""A new event by its form: what "Check your new event" said is made, or faults, and nothing lost or written."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction

from hands import Browser, Control, Form, form_for
from laws import Breach
from outside import look, number, table_of
from trial import Trial

GAMES = ("rated", "chess", "netrunner", "both", "cards", "go", "sides", "even", "")
LISTS = (
    "Anna\nBob\nCarl\nDora\nEmil\n",
    "player,rating\nAnna,1500\nBob,1400\nCarl,1300\nDora,1200\nEmil,1100\nFay,1000\n",
    "Name;Elo;Club\nWeber, Anna;1500;A\nMüller, Jürgen;1400;B\n李 伟;1300;A\nOla;;B\n",
    "Anna\nanna\nBob\nCarl\n",
    "",
    "Anna\n",
    "<b>x</b>\n\"q\n'; drop\nC & D\n",
    "player,rating\nAnna,many\nBob,1\n",
    "Name,Corp ID,Runner ID\nAnna,Haas,Kate\nBob,Jinteki,Noise\nCarl,NBN,Gabe\nDan,Weyland,Andy\n",
)
TYPED = {
    "title": ("Friday", "", '<i>T</i> & "q"', "Évening 7", "x" * 200),
    "rounds": ("", "", "3", "5", "0", "-1", "501", "1e3", "three", "7"),
    "sides": (
        "",
        "",
        "",
        "none",
        "white,black",
        "corp,runner",
        "a",
        "a,a",
        "a,b,c",
        ",",
        "x y,z",
    ),
    "initial_side": ("", "", "", "white", "black", "corp", "pink"),
    "tie_breaks": (
        "",
        "",
        "",
        "sos,esos",
        "omw,gw,ogw",
        "BH/C1,BH",
        "nonsense",
        "gw",
        "BH/C99",
    ),
    "lookahead": ("", "", "", "1", "all", "-1", "x", "9"),
    "conflicts": ("", "", "", "", "club", "club:2", "nowhere", ":", "club:0"),
    "points": (
        "",
        "",
        "",
        "3-1-0",
        "1-½-0",
        "1-0.5-0",
        "3-1-0x2",
        "3",
        "0-1-3",
        "a-b-c",
        "1e9-0-0",
        "nan-0-0",
        "2-1-0x9",
    ),
    "best_of": ("", "", "", "1", "3", "5", "2", "0", "8", "x"),
    "first_table": ("", "", "1", "7", "0", "1000001", "a"),
    "model": (
        "",
        "",
        "",
        "monrad",
        "fide-dutch",
        "double-sided",
        "standard",
        "bakert",
        "no-such",
    ),
    "aim": ("", "", "equals", "leaders", "order", "faces", "bogus"),
    "first_round": ("", "random", "slide", "fold", "sideways"),
    "proofs": ("", "true", "false", "maybe"),
}


def shown(text: str) -> str:
    """What a page shows, its tags left out."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def values_of(form: Form) -> dict[str, str]:
    """What the form would send; the text area without the line end that HTML begins it with."""
    found = dict(form.filled())
    found["players"] = found.get("players", "").removeprefix("\n")
    return found


def made_as_said(lines: list[str], folder: dict[str, bytes]) -> Iterator[str]:
    """What the question said, looked for in the files that were made."""
    said = tomllib.loads(folder["event.toml"].decode())
    people = table_of(folder["players.csv"])
    text = "\n".join(lines)
    found = re.search(r"^(\d+) players?\b", text, re.M)
    if found is None:
        yield "no number of players"
    elif int(found[1]) != len(people):
        yield f"{found[0]} and {len(people)} are in players.csv"
    found = re.search(r"^(?:(\d+) rounds?|No number of rounds)\b", text, re.M)
    if found is None:
        yield "nothing of rounds"
    elif said.get("rounds") != (int(found[1]) if found[1] else None):
        yield f"{found[0]} and rounds = {said.get('rounds')}"
    found = re.search(r"^Best of (\d)\b", text, re.M)
    if found and said.get("best_of") != int(found[1]):
        yield f"{found[0]} and best_of = {said.get('best_of')}"
    elif not found and said.get("best_of"):
        yield f"nothing of games and best_of = {said['best_of']}"
    found = re.search(r"^(?:No sides$|Sides: (.+?) and ([^.\n]+))", text, re.M)
    if found is None:
        yield "nothing of sides"
    elif [*map(str.lower, found.groups(""))] != [
        *map(str.lower, said.get("sides") or ("", ""))
    ]:
        yield f"{found[0]} and sides = {said.get('sides')}"
    found = re.search(
        r"(?:win|game won) gives ([\d.½]+), a draw ([\d.½]+)(?:,| and) a loss ([\d.½]+)",
        text,
    )
    points = said.get("points", {})
    if found is None:
        yield "nothing of points"
    else:
        games = points.get("games", 1)
        for name, cell in zip(("win", "draw", "loss"), found.groups(), strict=True):
            have = Fraction(str(points.get(name, -1)))
            if number(cell) not in (have, have * games):
                yield f"{found[0]} and points = {points}"


def play(trial: Trial) -> Iterator[Breach]:
    """Some forms of one page, filled in anyhow, until an event is made."""
    dice = trial.dice
    folder = trial.path("event")
    page = Browser(folder)
    for _ in range(6):
        status, text = page.get("/new")
        form = form_for(text, "/new/event", ())
        if form is None:
            yield Breach("new event", f"no form: {status} {shown(text)[:200]}")
            return
        game = dice.choice(GAMES)
        values = {"players": dice.choice(LISTS), "title": dice.choice(TYPED["title"])}
        for name in dice.sample(list(TYPED), dice.choice((1, 1, 2, 3, 6))):
            values[name] = dice.choice(TYPED[name])
        if game:
            values["game"] = game
        values = {k: v for k, v in values.items() if v or k in ("players", "title")}
        trial.trail.append(f"POST /new/event {values}")
        yield from one(trial, page, form, values)
        if folder.exists():
            return


def one(
    trial: Trial, page: Browser, form: Form, values: dict[str, str]
) -> Iterator[Breach]:
    dice, folder = trial.dice, trial.path("event")
    was = sorted(p.name for p in trial.home.rglob("*"))
    trial.counts["steps"] += 1
    status, text = page.send(form, list(values.items()), None)
    trial.counts[f"answer {status}"] += 1
    if status >= 500:
        yield Breach("new event", f"{status}: {shown(text)[:300]}")
        return
    if (now := sorted(p.name for p in trial.home.rglob("*"))) != was:
        yield Breach("new event", f"written before anybody said yes: {now}")
        return
    again = form_for(text, "/new/event", ())
    if again is None:
        yield Breach("new event", f"{status}: the form is gone: {shown(text)[:300]}")
        return
    yield from kept(again, values)
    yes = re.search(r'form="founding" name="sure" value="(\w+)"', text)
    if yes is None:
        trial.counts["faults"] += 1
        yield from faulty(text, values)
        return
    trial.counts["questions"] += 1
    lines = [
        shown(li)
        for li in re.findall(
            r"(?s)<li[^>]*>(.*?)</li>", re.search(r'(?s)class="asks".*?</ul>', text)[0]
        )
    ]  # type: ignore[index]
    if len(lines) > 7:
        yield Breach("new event", f"{len(lines)} lines: {lines}")
    if dice.random() < 0.4:
        name, other = dice.choice(
            (
                ("rounds", "9"),
                ("title", "Another"),
                ("points", "2-1-0"),
                ("game", "go"),
                ("players", "A\nB\nC\n"),
            )
        )
        if values_of(again).get(name) != other:
            trial.trail.append(
                f"POST /new/event {name}={other!r} and the yes of before"
            )
            trial.counts["steps"] += 1
            status, text = page.send(again, [(name, other), ("sure", yes[1])], None)
            if folder.exists():
                yield Breach(
                    "new event",
                    f"{name} = {other!r} was typed under the question: made unseen",
                )
                return
            again = form_for(text, "/new/event", ()) or again
            yield from kept(again, {**values, name: other})
            return
    trial.trail.append("POST /new/event yes")
    trial.counts["steps"] += 1
    status, text = page.send(again, [("sure", yes[1])], None)
    if not folder.exists():
        yield Breach(
            "new event", f"yes, and nothing is made: {status} {shown(text)[:300]}"
        )
        return
    trial.counts["made"] += 1
    files = dict(look(folder).files)
    for fault in made_as_said(lines, files):
        yield Breach("new event", f"said {fault} ({lines})")
    title = tomllib.loads(files["event.toml"].decode()).get("title")
    if values.get("title") and title != values["title"]:
        yield Breach("new event", f"title {values['title']!r} became {title!r}")
    said = trial.run("pair", folder)
    yield from trial.clean(said)
    if said.code not in (0, 1):
        yield Breach(
            "paired afterwards",
            f"round 1 of what was made: exit {said.code}: {said.err[-200:]}",
        )


def kept(form: Form, values: dict[str, str]) -> Iterator[Breach]:
    """All that was typed stands in its field."""
    now = values_of(form)
    bound: dict[str, Control] = {c.name: c for c in form.controls}
    for name, value in values.items():
        have = now.get(name, "")
        if have.replace("\r\n", "\n").strip() == value.strip():
            continue
        control = bound.get(name)
        if (
            control is not None
            and control.tag == "select"
            and value not in control.options
        ):
            continue  # no browser can send it
        if (
            control is not None
            and control.kind == "radio"
            and value not in {c.value for c in form.controls if c.name == name}
        ):
            continue
        yield Breach(
            "new event", f"typed {name} = {value!r}, the form has {have!r} now"
        )


def faulty(text: str, values: dict[str, str]) -> Iterator[Breach]:
    """A refused form says why, in a sentence, with its fault in the form."""
    part = re.search(r"(?s)<main.*?</main>", text)
    said = re.findall(
        r'(?s)<(\w+)[^>]*(?:role="alert"|class="[^"]*error)[^>]*>(.*?)</\1>',
        part[0] if part else "",
    )
    words = [shown(each) for _, each in said if shown(each)]
    if not words:
        yield Breach("new event", f"refused without a word: {values}")
    for word in words:
        if re.search(r"Traceback|Error\(|pydantic|/(?:tmp|dev/shm)/|--[a-z]", word):
            yield Breach("new event", f"{word!r}")
