"""Names are found, and never the wrong person: whoever is meant, or a question that names them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from random import Random
from urllib.parse import quote

from hands import Browser
from laws import Breach
from outside import Seen
from sayings import visible
from trial import Trial, csv_text

PEOPLE = (
    "Krause, Lothar",
    "Anna Weber",
    "Hans Weber",
    "José García",
    "Li Wei",
    "Müller Jürgen",
    "anna berg",
    "Øyvind Łukasz",
    "Mary Ann Smith",
    "O'Neil, Pat",
    "Jean-Luc Picard",
    "Bo",
    "Nguyễn Văn An",
    "Garcia Lopez, Ana",
    "Weber, Hannah",
    "Nach 005",
    "van der Berg, Jan",
    "Çelik, Şule",
    "Krauss, Lotte",
    "Ng, Li",
    "12",
    "Peter",
    "Petra",
)
STROKES = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ß": "s"})


def plain(name: str) -> str:
    """Without accents, strokes and case."""
    apart = unicodedata.normalize("NFKD", name.translate(STROKES))
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


def words(name: str) -> tuple[str, ...]:
    """A name's words in any order and any writing: who has the same may be the same person."""
    return tuple(sorted(re.findall(r"\w+", plain(name))))


def away(one: str, two: str) -> int:
    """How many letters are wrong, missing, too many, or two exchanged."""
    rows = [list(range(len(two) + 1))]
    for i, a in enumerate(one, 1):
        rows.append([i])
        for j, b in enumerate(two, 1):
            best = min(
                rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b)
            )
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                best = min(best, rows[i - 2][j - 2] + 1)
            rows[i].append(best)
    return rows[-1][-1]


def written(dice: Random, name: str) -> tuple[str, str]:
    """The same name as somebody else writes it, and what was done to it."""
    how = dice.choice(
        (
            "exact",
            "case",
            "accents",
            "order",
            "letter",
            "wrong",
            "twice",
            "swapped",
            "blanks",
            "both",
            "part",
            "decomposed",
        )
    )
    parts = re.findall(r"[^\s,]+", name)
    turned = " ".join([*parts[1:], parts[0]]) if len(parts) > 1 else name
    at = dice.randrange(len(name))
    return how, {
        "exact": name,
        "case": dice.choice((name.upper(), name.lower(), name.swapcase())),
        "accents": "".join(
            c
            for c in unicodedata.normalize("NFKD", name.translate(STROKES))
            if not unicodedata.combining(c)
        ),
        "order": dice.choice(
            (
                turned,
                ", ".join((parts[-1], " ".join(parts[:-1])))
                if len(parts) > 1
                else name,
            )
        ),
        "letter": name[:at] + name[at + 1 :],
        "wrong": name[:at] + "q" + name[at + 1 :],
        "twice": name[:at] + name[at] + name[at:],
        "swapped": name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
        "blanks": f"  {name.replace(' ', '  ')} ",
        "both": plain(turned),
        "part": parts[0],
        "decomposed": unicodedata.normalize("NFD", name),
    }[how]


def close(typed: str, names: list[str]) -> list[str]:
    """Whose name is the same in another writing; else those who are a letter away."""
    same = [n for n in names if words(n) == words(typed)]
    return same or [
        n
        for n in names
        if min(
            away(plain(typed).strip(), plain(n)),
            away(" ".join(words(typed)), " ".join(words(n))),
        )
        <= 1
    ]


VERBS = ("drop", "bye", "edit", "table", "forbid", "rename", "pair", "enter", "search")


def touched(before: Seen, after: Seen, other: str) -> set[str]:
    """Of whom the folder says something else now."""
    one = {p["player"]: p for p in before.players}
    two = {p["player"]: p for p in after.players}
    who = {
        n
        for n in {*one, *two}
        if {k: v for k, v in one.get(n, {}).items() if v}
        != {
            k: v
            for k, v in two.get(n, {}).items()
            if v and (k in one.get(n, {}) or k == "table")
        }
    }
    for key in ("byes", "forbid"):
        was, now = before.settings.get(key, []), after.settings.get(key, [])
        for entry in [e for e in now if e not in was]:
            if isinstance(entry, dict):
                who |= {*entry.get("players", ())} or {entry["player"]}
            else:
                who |= {*entry}
    was_out = {r.first for r in before.rows if r.status == "requested"}
    who |= {r.first for r in after.rows if r.status == "requested"} - was_out
    return who - {other}


def play(trial: Trial) -> Iterator[Breach]:
    """A list of people, and how they are called all evening."""
    dice = trial.dice
    names = dice.sample(PEOPLE, dice.randint(5, 12))
    rows: list[list[object]] = [
        ["player", "rating"],
        *([n, 1500 - k] for k, n in enumerate(names)),
    ]
    trial.file("p.csv", csv_text(rows))
    folder = trial.path("event")
    said = trial.run(
        "new", folder, "--players", trial.path("p.csv"), "--points", "3-1-0"
    )
    if not said.done:
        yield Breach("names", f"not made: {said.err.strip()}")
        return
    for _ in range(12):
        yield from one(trial, names)
    yield from listed(trial, names)


def one(trial: Trial, names: list[str]) -> Iterator[Breach]:
    dice, folder = trial.dice, trial.path("event")
    verb, name = dice.choice(VERBS), dice.choice(names)
    how, typed = written(dice, name)
    other = next(n for n in names if n != name)
    trial.counts[f"as {how}"] += 1
    if verb == "search":
        yield from sought(trial, name, how, typed)
        return
    args = {
        "drop": ("drop", folder, typed),
        "bye": ("bye", folder, typed, "--round", "2"),
        "edit": ("edit", folder, typed, "--set", "rating=777"),
        "table": ("edit", folder, typed, "--table", "9"),
        "forbid": ("forbid", folder, typed, other),
        "rename": ("edit", folder, other, "--name", typed),
        "enter": ("enter", folder, typed),
        "pair": ("bye", folder, typed, "--round", "1", "--points", "0"),
    }[verb]
    if typed.startswith("-"):
        return
    before = trial.seen()
    said = trial.run(str(args[0]), *args[1:])
    yield from trial.clean(said)
    after = trial.seen()
    meant = close(typed, names)
    if verb in ("rename", "enter"):
        twins = [
            n
            for n in names
            if words(n) == words(typed) and (verb == "enter" or n != other)
        ]
        if said.done and twins:
            yield Breach(
                "twins by name", f"{verb} {typed!r}, and {twins} is here: not asked"
            )
    elif said.done:
        who = touched(
            before, after, other if verb == "forbid" and typed != other else ""
        )
        exact = typed in names
        if not who <= {name}:
            yield Breach("names", f"{verb} {typed!r} ({how} of {name!r}) took {who}")
        elif not exact and len(meant) > 1:
            yield Breach(
                "names",
                f"{verb} {typed!r} may be {meant}, and is done to {who} unasked",
            )
    else:
        if typed in names and not (verb == "forbid" and name == other):
            yield Breach("names", f"{verb} {typed!r} is a player: {said.err.strip()}")
        elif how != "part" and name in meant and name not in said.err:
            yield Breach(
                "names", f"{verb} {typed!r} ({how} of {name!r}): {said.err.strip()}"
            )
        if after.told != before.told:
            yield Breach("names", f"{verb} {typed!r}: refused, and written")
    if after.told != before.told:
        trial.run("undo", folder)
        trial.trail[-2:] = []


def sought(trial: Trial, name: str, how: str, typed: str) -> Iterator[Breach]:
    """The page finds who is meant, whatever else it finds."""
    trial.counts["steps"] += 1
    status, text = Browser(trial.path("event")).get(f"/players?q={quote(typed)}")
    body = re.search(r"(?s)<main.*?</main>", text)
    found = visible(body[0]) if body else ""
    if status != 200 or " ".join(name.split()) not in found:
        trial.trail.append(f"GET /players?q={typed!r}")
        yield Breach(
            "names",
            f"search {typed!r} ({how} of {name!r}) does not find them: {status}",
        )


def listed(trial: Trial, names: list[str]) -> Iterator[Breach]:
    """Who is in a list a second time, written another way, is asked about."""
    dice = trial.dice
    name = dice.choice([n for n in names if len(words(n)) > 1] or names)
    how = dice.choice(("case", "order", "accents", "blanks"))
    parts = re.findall(r"[^\s,]+", name)
    again = {
        "case": name.swapcase(),
        "order": " ".join([*parts[1:], parts[0]]),
        "accents": plain(name),
        "blanks": name.replace(" ", "  "),
    }[how]
    if again == name:
        return
    trial.file(
        "twice.csv",
        csv_text([["player", "rating"], *([n, 1] for n in (*names, again))]),
    )
    said = trial.run("new", trial.path("twice"), "--players", trial.path("twice.csv"))
    yield from trial.clean(said)
    if said.done:
        yield Breach(
            "twins in lists",
            f"a list with {name!r} and {again!r} ({how}) is taken unasked",
        )
    elif not any(each in said.err for each in (name, again)):
        yield Breach("names", f"{name!r} and {again!r}: {said.err.strip()}")
