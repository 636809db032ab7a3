"""Words of the machine room: no page, phone, print or first line of a command has one."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from hands import Browser, command
from laws import Breach
from trial import Trial, csv_text

RULES = (
    "no_rematch",
    "no_repeat_bye",
    "no_bye_after_forfeit_win",
    "max_side_difference",
    "max_side_streak",
    "no_same_sides_rematch",
    "no_equal_absolute_preference",
    "allocated_sides",
    "score_groups",
    "bye_score",
    "rank_gap",
    "changed_tables",
    "side_difference",
    "side_streak",
)
WORDS = re.compile(
    r"\b([Ss]eed|[Ll]evels?|[Aa]rcs?|proven_by|cpsat|CP-SAT|"
    r"(?:event\.toml|(?<![\w-])(?:matches|players|bracket|log)\.csv)|"
    + "|".join(RULES)
    + r"|[a-z]+_[a-z0-9_]+)\b|(?<![\w-])--[a-z][a-z-]+|"
    r"/(?:tmp|home|root|usr|event)/\S+|\w+Error\b|Traceback"
)
VIEWS = (
    "players",
    "round",
    "round/draft",
    "round/again",
    "results",
    "standings",
    "print",
    "phones",
    "hall",
    "log",
    "models",
    "settings",
    "files",
    "new",
    "screen",
    "screen?by=name",
    "screen?by=standings",
    "print/tables",
    "print/names",
    "print/slips",
    "print/sheet",
    "print/reasons",
    "print/standings",
    "print/bracket",
    "why?id=p0",
    "bracket",
)
SEEDS = re.compile(r"[Ss]eed +(?:\d|player|score|name)")
"""The places of a cut are called so by everybody."""


def visible(text: str) -> str:
    """What a page shows at once: no scripts, and nothing of a `details` but its summary."""
    text = re.sub(r"(?s)<(script|style|title|template)\b.*?</\1>", " ", text)
    text = re.sub(
        r"(?s)<details\b(?![^>]*\bopen)[^>]*>\s*(<summary\b.*?</summary>).*?</details>",
        r"\1",
        text,
    )
    text = re.sub(r"(?s)<(option|textarea)\b.*?</\1>", " ", text)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def found_in(text: str, names: set[str]) -> list[str]:
    """The words of the machine room in a text, with what stands around them."""
    return [
        text[max(0, match.start() - 40) : match.end() + 30]
        for match in WORDS.finditer(text)
        if match[0] not in names and not SEEDS.match(text, match.start())
    ]


def links(text: str) -> set[str]:
    return {
        html.unescape(link)
        for link in re.findall(r'href="(/[^"#]*)', text)
        if not re.match(r"/(static|files/|proofs/)", link)
    }


SHARING = re.compile(r"<code>(?:pairopt serve [^<]*)?--share</code>")
"""How to start again with sharing, which the page of phones has to say."""


def crawl(
    trial: Trial, browser: Browser, names: set[str], door: str
) -> Iterator[Breach]:
    """Every page that is linked, and those that are known."""
    waiting = ["/", *(f"/{view}" for view in VIEWS)]
    seen: set[str] = set()
    shapes: dict[str, int] = {}
    while waiting and len(seen) < 70:
        path = waiting.pop(0)
        shape = re.sub(r"=[^&]*|\d+", "=", path)
        if path in seen or shapes.get(shape, 0) >= 3:
            continue
        shapes[shape] = shapes.get(shape, 0) + 1
        seen.add(path)
        status, text = browser.get(path)
        trial.counts["steps"] += 1
        trial.counts["pages"] += 1
        if status >= 500:
            yield Breach("words", f"{door} {path}: {status}")
        if status != 404:
            shown = visible(SHARING.sub(" ", text))
            for words in found_in(shown, names)[:3]:
                law = "words of models" if path.startswith("/models") else "words"
                yield Breach(law, f"{door} {path} ({status}): …{words}…")
            waiting += sorted(links(text))


REFUSALS = (
    ("result", "99", "3-0"),
    ("result", "1", "7-7"),
    ("result", "x", "1-0"),
    ("drop", "Nobody"),
    ("drop", "p"),
    ("enter", "p1"),
    ("bye", "Nobody"),
    ("bye", "p1", "--round", "99"),
    ("undo",),
    ("pair",),
    ("pair", "--again"),
    ("mend",),
    ("bracket",),
    ("bracket", "--cut", "4"),
    ("bracket", "--cut", "99"),
    ("result", "B9", "2-0"),
    ("standings",),
    ("set", "rounds", "x"),
    ("set", "nothing", "1"),
    ("edit", "p1"),
    ("edit", "p1", "--set", "nocolumn=1"),
    ("forbid", "p1", "p1"),
    ("forbid", "p1", "Nobody"),
    ("result", "--bye", "p1", "9"),
    ("undo", "--to", "99"),
    ("pair", "--again", "--keep", "77"),
    ("result", "1", "--off"),
    ("result", "1", "--off", "--round", "1"),
    ("drop", "--all"),
    ("check", "--all"),
    ("solve",),
    ("pair", "--force", "p0:p1"),
    ("pair", "--bye", "p1"),
)


def commands(trial: Trial, names: set[str]) -> Iterator[Breach]:
    """The first line that a command prints, on either channel."""
    folder = trial.path("event")
    for verb, *args in REFUSALS:
        given = [*args[:-1], "--all", folder] if verb == "check" else [folder, *args]
        given = ["--all", folder] if verb == "check" else given
        said = trial.run(verb, *map(str, given))
        yield from trial.clean(said)
        for channel, text in (("stdout", said.out), ("stderr", said.err)):
            first = text.strip().split("\n")[0] if text.strip() else ""
            if first.startswith("Usage:"):
                continue
            first = first.replace(str(trial.home), "")
            for words in found_in(first, names)[:1]:
                yield Breach(
                    "first lines", f"{verb} {args}: first line of {channel}: …{words}…"
                )
        if said.done and verb not in ("standings", "check", "solve", "bracket", "mend"):
            command("undo", str(folder))


KINDS = (
    ("--points", "3-1-0"),
    ("--points", "1-½-0", "--sides", "white,black"),
    ("--best-of", "3"),
    (
        "--model",
        "fide-dutch",
        "--points",
        "1-½-0",
        "--sides",
        "white,black",
        "--rounds",
        "4",
    ),
    ("--model", "double-sided", "--points", "3-1-0x2"),
    ("--model", "monrad", "--sides", "corp,runner"),
    ("--model", "aesops-by-hand", "--sides", "corp,runner"),
    ("--model", "bakert"),
)


def play(trial: Trial) -> Iterator[Breach]:
    """An evening of some kind, looked at in each of its states."""
    dice = trial.dice
    size = dice.choice((4, 5, 7, 8))
    names = {f"p{k}" for k in range(size)}
    rows: list[list[object]] = [["player", "rating", "club"]]
    rows += [[f"p{k}", 2000 - 10 * k, f"c{k % 3}"] for k in range(size)]
    trial.file("p.csv", csv_text(rows))
    folder = trial.path("event")
    trial.run("new", folder, "--players", trial.path("p.csv"), *dice.choice(KINDS))
    states = dice.sample(("fresh", "open", "half", "over", "second", "cut", "tight"), 3)
    browser = Browser(folder)
    for state in ("fresh", "open", "half", "over", "second", "cut", "tight"):
        if state in ("open", "second"):
            trial.run("pair", folder)
        if state in ("half", "over"):
            for row in trial.seen().open[: 1 if state == "half" else None]:
                points = next(
                    score
                    for score in ("2-1", "3-0", "6-0", "1-0")
                    if trial.run("result", folder, str(row.table), score).done
                    or score == "1-0"
                )
                trial.counts[f"score {points}"] += 1
        if state == "cut":
            for row in trial.seen().open:
                for score in ("2-1", "3-0", "6-0", "1-0"):
                    if trial.run("result", folder, str(row.table), score).done:
                        break
            trial.run("bracket", folder, "--cut", "4", "--by-lot")
        if state == "tight":
            trial.run("undo", folder)
            for _ in range(size):
                if not trial.run("pair", folder).done:
                    break
                for row in trial.seen().open:
                    for score in ("2-1", "3-0", "6-0", "1-0"):
                        if trial.run("result", folder, str(row.table), score).done:
                            break
        if state in states:
            trial.trail.append(f"-- looked at: {state}")
            yield from crawl(trial, browser, names, "desk")
            yield from commands(trial, names)
