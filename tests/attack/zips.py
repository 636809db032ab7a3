"""An event that comes back as a zip: whole, in a folder of its own, or not at all."""

from __future__ import annotations

import io
import re
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

from founding import shown
from hands import Browser, form_for
from laws import Breach
from outside import look
from trial import Trial, csv_text

Entries = list[tuple[str, bytes]]
PATHS = (
    "../evil.txt",
    "../../canary/x",
    "/var/evil.txt",
    "C:\\evil.txt",
    "..\\..\\canary\\x",
    "CON",
    "a\0b",
    "readme.md",
    "sub/",
    "sub/event.toml",
    "__MACOSX/._event.toml",
    ".DS_Store",
    ".pairopt/steps/0001.zip",
    "proofs/../../canary/x",
    "proofs/round-01.json",
    "EVENT.TOML",
    "matches.csv ",
    "matches.csv.",
    "a/" * 300 + "x",
    "log.csv/x",
    "\u202ematches.csv",
    "~/x",
    "matches.csv",
    "event.toml",
    "//server/share/x",
    "nul.csv",
    "x" * 5000,
)
CONTENTS = (
    b"",
    b"\xff\xfe\x00",
    b"\x00" * 50,
    b"round,table\n1,1\n",
    b"[",
    b'title = "x"\n',
    'title = "é"'.encode("latin1"),
    b"a=" + b"[" * 3000,
    b'id = "../../x"\nmodel = "standard"\n',
    b'model = "../canary/x"\n',
    b"player\nA\nA\n",
    b"player\n",
    b"rounds = 1000000000\n",
    b"round,table,player1,player2,side1,score1,score2,status\n999999999,1,p0,p1,,1,0,\n",
    b"round,table,player1,player2,side1,score1,score2,status\n1,1,nobody,p1,,1,0,\n",
)


def packed(entries: Entries, how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", how) as made:
        warnings.simplefilter("ignore")
        for name, content in entries:
            made.writestr(name, content)
    return out.getvalue()


def linked(entries: Entries, name: str, target: str) -> bytes:
    """With a symbolic link in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for other, content in entries:
            if other != name:
                made.writestr(other, content)
        link = zipfile.ZipInfo(name)
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, target)
    return out.getvalue()


def poked(content: bytes, at: int, byte: int) -> bytes:
    """One byte of its directory is another: encrypted, another method, another length."""
    start = content.find(b"PK\x01\x02")
    return content[: start + at] + bytes([byte]) + content[start + at + 1 :]


def hostile(dice: Random, entries: Entries, whole: bytes) -> tuple[str, bytes]:
    """A zip as somebody may send it, and what was done to it."""
    names = [name for name, _ in entries]
    one = dice.choice(names)
    ways: dict[str, Callable[[], bytes]] = {
        "whole": lambda: whole,
        "another path": lambda: packed([*entries, (dice.choice(PATHS), b"x")]),
        "two more": lambda: packed(
            [*entries, *((p, b"x") for p in dice.sample(PATHS, 2))]
        ),
        "moved": lambda: packed(
            [(dice.choice(("../", "x/", "/")) + n, c) for n, c in entries]
        ),
        "without": lambda: packed([e for e in entries if e[0] != one]),
        "other content": lambda: packed(
            [(n, dice.choice(CONTENTS) if n == one else c) for n, c in entries]
        ),
        "a cut": lambda: packed([*entries, ("bracket.csv", dice.choice(CONTENTS))]),
        "twice": lambda: packed([*entries, (one, dice.choice(CONTENTS))]),
        "cut off": lambda: whole[: dice.randrange(len(whole))],
        "a byte": lambda: poked(
            whole, dice.choice((8, 10, 16, 20, 24, 26, 42)), dice.randrange(256)
        ),
        "a link": lambda: linked(entries, dice.choice((one, "link")), "../canary/x"),
        "a bomb": lambda: packed(
            [(n, b"0" * 30_000_000 if n == one else c) for n, c in entries]
        ),
        "many": lambda: packed([*entries, *((f"x{k}", b"") for k in range(3000))]),
        "noise": lambda: dice.randbytes(200),
        "none": lambda: b"",
        "method": lambda: packed(
            entries, dice.choice((zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2))
        ),
        "half a file": lambda: packed(
            [
                (n, c[: dice.randrange(len(c) + 1)] if n == one else c)
                for n, c in entries
            ]
        ),
    }
    how = dice.choice(list(ways))
    return f"{how} ({one})", ways[how]()


def tree(path: Path) -> dict[str, str]:
    """Every file and folder, with its content."""
    return {
        p.relative_to(path).as_posix(): (
            str(p.readlink())
            if p.is_symlink()
            else sha256(p.read_bytes()).hexdigest()
            if p.is_file()
            else "folder"
        )
        for p in path.rglob("*")
    }


def play(trial: Trial) -> Iterator[Breach]:
    """An evening whose zip comes back in every shape."""
    dice = trial.dice
    rows: list[list[object]] = [
        ["player", "rating"],
        *([f"p{k}", 1500 + k] for k in range(5)),
    ]
    trial.file("canary/x", "nobody writes here")
    trial.file("p.csv", csv_text(rows))
    folder = trial.path("hall/friday")
    folder.parent.mkdir()
    trial.run(
        "new",
        folder,
        "--players",
        trial.path("p.csv"),
        "--points",
        "3-1-0",
        "--seed",
        "1",
    )
    trial.run("pair", folder)
    trial.run("result", folder, "1", "3-0")
    page = Browser(folder)
    linked_zip = re.search(r'href="(/files/[^"]*\.zip)"', page.get("/files")[1])
    if linked_zip is None:
        yield Breach("zips", "Files gives none")
        return
    whole = page.client.get(linked_zip[1]).content
    with zipfile.ZipFile(io.BytesIO(whole)) as read:
        entries = [(n, read.read(n)) for n in read.namelist()]
    for _ in range(12):
        how, content = hostile(dice, entries, whole)
        trial.counts["steps"] += 1
        trial.counts[how.split(" (")[0]] += 1
        before = tree(trial.home)
        form = form_for(page.get("/event")[1], "/event/back", ())
        if form is None:
            yield Breach("zips", "no form takes it back")
            return
        trial.trail.append(f"POST /event/back: {how}")
        name = dice.choice(("friday.zip", "../../x.zip", "CON.zip", "a b.zip", ".zip"))
        status, text = page.send(form, (), (name, content))
        after = tree(trial.home)
        new = {p.split("/")[1] for p in {*after} - {*before} if p.startswith("hall/")}
        other = [p for p in after if p not in before and not p.startswith("hall/")]
        other += [p for p in before if after.get(p) != before[p]]
        if other:
            yield Breach("zips", f"{how}: {other} changed")
        if status >= 500:
            yield Breach("zips", f"{how}: {status}")
        if status >= 400 and new:
            yield Breach("zips", f"{how}: {status}, and {new} is there")
        if status >= 400 and status != 413 and not shown(text).count(" ") > 5:
            yield Breach("zips", f"{how}: no sentence")
        if len(new) > 1:
            yield Breach("zips", f"{how}: {new}")
        for made in new:
            trial.counts["taken"] += 1
            yield from goes_on(trial, f"hall/{made}", how, content)


def goes_on(trial: Trial, made: str, how: str, content: bytes) -> Iterator[Breach]:
    """What was taken has the files that came, and an evening can go on with it."""
    files = look(trial.path(made)).files
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        for name in ("players.csv", "matches.csv", "bracket.csv"):
            if name in read.namelist() and files.get(name) != read.read(name):
                yield Breach("zips", f"{how}: {name} is another now")
    for verb in (("standings",), ("bracket",), ("drop", "p1")):
        said = trial.run(verb[0], trial.path(made), *verb[1:])
        yield from trial.clean(said)
        if said.code == 3:
            yield Breach(
                "half an event", f"{how}: taken, and then {said.err.strip()[:200]}"
            )
        trial.trail.pop()
