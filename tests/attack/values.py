"""A result is a value: what stands in matches.csv, standings, log and exports is what was said."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from laws import Breach
from outside import Seen, number, table_of
from trial import Trial, csv_text

FLOOR = Fraction(33, 100)
SHARES = ("mw", "gw", "omw", "ogw")
NO_ROOM = "has one number of points per result"
"""How `convert` refuses to write a TRF of an event with two kinds of points for one result."""
LOSES = re.compile(
    r"Forfeits are written as played matches"
    r"|can't say that a player asked for a bye"
    r"|can't give the points of \d+"
    r"|leaves out \d+ match"
)
"""How `convert` says that a format loses points, a status or a match."""


class Value(NamedTuple):
    """What a match gave: points, games won, lost and drawn where they are known, and how."""

    points: tuple[Fraction, Fraction]
    games: tuple[int, int, int] | None = None
    status: str = ""


@dataclass(frozen=True)
class Game:
    """The rules of an event that say what a score means."""

    win: Fraction
    draw: Fraction
    loss: Fraction
    best_of: int = 0
    double: bool = False
    sides: bool = False
    """One game a match."""

    def of_games(self, won: int, lost: int, drawn: int) -> tuple[Fraction, Fraction]:
        if won == lost:
            return self.draw, self.draw
        return (self.win, self.loss) if won > lost else (self.loss, self.win)

    def surely(self, won: int, lost: int, drawn: int) -> bool | None:
        """Whether a match can end in such games; None where the guide does not say."""
        most = self.best_of or 3
        enough = most // 2 + 1
        if max(won, lost) > enough or won == lost == enough:
            return False
        return True if 0 < won + lost + drawn <= most else None

    @property
    def bye(self) -> Fraction:
        return self.win * (2 if self.double else 1)


SURE, EITHER, NEVER = "sure", "either", "never"


def said_as(score: str, game: Game, decided: bool) -> tuple[str, Value | None]:
    """What a typed score means by the guide, and whether it is sure to be taken or refused."""
    parts = score.split("-")
    if "F" in score:
        left, right = (number(part.removesuffix("F")) or Fraction(0) for part in parts)
        how = (
            EITHER if game.double else SURE
        )  # a match of two games is forfeited with both
        return how, Value((left, right), None, "forfeit")
    if not 2 <= len(parts) <= 3 or not all(
        re.fullmatch(r"[0-9]*\.?[0-9]*½?", p) for p in parts
    ):
        return EITHER, None
    found = tuple(map(number, parts))
    if None in found:
        return NEVER, None
    if found == (Fraction(1, 2), Fraction(1, 2)) and game.draw != Fraction(1, 2):
        return EITHER, None  # as arbiters write a draw, whatever it gives
    if not game.best_of and len(parts) == 2:
        points = {(game.win, game.loss), (game.loss, game.win), (game.draw, game.draw)}
        if game.double:
            points |= {(a + c, b + d) for a, b in points for c, d in points}
        if found in points:
            return SURE, Value((found[0] or Fraction(0), found[1] or Fraction(0)))
    if decided:
        return EITHER, Value((found[0] or Fraction(0), found[1] or Fraction(0)))
    if game.double or game.sides or any(x is None or x.denominator > 1 for x in found):
        return NEVER, None
    won, lost, drawn = (*map(int, parts), 0)[:3]
    how = {True: SURE, False: NEVER, None: EITHER}[game.surely(won, lost, drawn)]
    return how, Value(game.of_games(won, lost, drawn), (won, lost, drawn))


def value_of(row: dict[str, str]) -> Value | None:
    """What a row of matches.csv says was played; None where nothing was yet."""
    first, second = number(row["score1"]), number(row["score2"])
    if first is None or second is None:
        return None
    games = [row.get(name, "") for name in ("games1", "games2", "games_drawn")]
    whole = tuple(int(g or 0) for g in games) if any(games) else None
    return Value((first, second), whole, row["status"])  # type: ignore[arg-type]


def shares(
    rows: list[dict[str, str]], game: Game, names: list[str]
) -> dict[str, dict[str, object]]:
    """Points, MW, GW, OMW and OGW of everybody, from the rows alone (MTR, Appendix C)."""
    points = dict.fromkeys(names, Fraction(0))
    rounds = dict.fromkeys(names, 0)
    won = dict.fromkeys(names, Fraction(0))
    played = dict.fromkeys(names, 0)
    opponents: dict[str, list[str]] = {name: [] for name in names}
    unknown = False
    twice = game.best_of // 2 + 1 if game.best_of else 2
    for row in rows:
        one, two = row["player1"], row["player2"]
        if not two:
            gained = number(row["score1"]) or Fraction(0)
            points[one] += gained
            rounds[one] += 1
            if gained >= game.bye:
                won[one] += 3 * twice
                played[one] += twice
            continue
        value = value_of(row)
        if value is None:
            continue
        for k, (me, other) in enumerate(((one, two), (two, one))):
            points[me] += value.points[k]
            rounds[me] += 1
            opponents[me].append(other)
            if value.status == "forfeit":
                if value.points[0] != value.points[1]:
                    played[me] += twice
                    won[me] += 3 * twice * (value.points[k] > value.points[1 - k])
            elif value.games is None:
                unknown = True
            else:
                played[me] += sum(value.games)
                won[me] += 3 * value.games[k] + value.games[2]
    mw = {
        n: max(FLOOR, points[n] / (game.bye * rounds[n])) if rounds[n] else FLOOR
        for n in names
    }
    gw = {
        n: max(FLOOR, won[n] / (3 * played[n])) if played[n] else FLOOR for n in names
    }

    def mean(of: dict[str, Fraction], name: str) -> Fraction:
        met = opponents[name]
        return sum((of[o] for o in met), Fraction(0)) / len(met) if met else Fraction(0)

    return {
        name: {
            "points": points[name],
            "mw": mw[name],
            "omw": mean(mw, name),
            "rounds": rounds[name],
            "games": played[name],
            **({} if unknown else {"gw": gw[name], "ogw": mean(gw, name)}),
        }
        for name in names
    }


class Values:
    """One event whose results are written, corrected, taken away, decided and undone."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.dice = trial, trial.dice
        dice = self.dice
        half = Fraction(1, 2)
        kind = dice.choice(
            ("one", "three", "five", "double", "chess", "free", "seven", "two")
        )
        self.game = {
            "one": Game(Fraction(3), Fraction(1), Fraction(0), 1),
            "two": Game(Fraction(3), Fraction(1), Fraction(0), 2),
            "three": Game(Fraction(3), Fraction(1), Fraction(0), 3),
            "five": Game(Fraction(2), Fraction(1), Fraction(0), 5),
            "seven": Game(Fraction(3), Fraction(1), Fraction(0), 7),
            "double": Game(Fraction(3), Fraction(1), Fraction(0), 0, True),
            "chess": Game(Fraction(1), half, Fraction(0), sides=True),
            "free": Game(Fraction(3), Fraction(1), Fraction(0)),
        }[kind]
        trial.counts[f"kind {kind}"] += 1

    def founded(self) -> Iterator[Breach]:
        trial, game = self.trial, self.game
        size = self.dice.choice((4, 5, 6, 7, 9))
        rows: list[list[object]] = [["player", "rating", "club"]]
        rows += [[f"p{k}", 2000 - 10 * k, f"c{k % 3}"] for k in range(size)]
        trial.file("p.csv", csv_text(rows))
        points = "-".join(f"{float(x):g}" for x in (game.win, game.draw, game.loss))
        more = ["--best-of", str(game.best_of)] if game.best_of else []
        sides = "white,black" if game.sides else "none"
        model = "double-sided" if game.double and self.dice.random() < 0.5 else "monrad"
        said = trial.run(
            "new",
            trial.path("event"),
            "--players",
            trial.path("p.csv"),
            "--points",
            points + ("x2" if game.double else ""),
            "--sides",
            sides,
            "--seed",
            "3",
            "--model",
            model,
            *more,
        )
        if not said.done:
            yield Breach("values", f"no event: {said.err}")

    def score(self) -> tuple[str, bool]:
        """A score that is likely to be typed; whether it is said to be decided."""
        dice, game = self.dice, self.game
        w, d, z = (f"{float(x):g}" for x in (game.win, game.draw, game.loss))
        roll = dice.random()
        if roll < 0.15:
            return dice.choice((f"{w}F-{z}F", f"{z}F-{w}F", f"{z}F-{z}F")), False
        if roll < 0.25:
            return dice.choice(
                ("0-0", f"{d}-0", f"0-{d}", f"{w}-0", f"{w}-{d}", "3-1")
            ), True
        if roll < 0.6:
            if game.double:
                return dice.choice(
                    ("6-0", "0-6", "3-3", "4-1", "1-4", "2-2", "3-0", "0-3", "1-1")
                ), False
            if not game.best_of:
                return dice.choice((f"{w}-{z}", f"{z}-{w}", f"{d}-{d}")), False
        if roll < 0.95 and not game.double:
            a, b, c = (
                dice.randrange(4),
                dice.randrange(4),
                dice.choice((0, 0, 0, 1, 1, 2, 3)),
            )
            return (f"{a}-{b}-{c}" if c or dice.random() < 0.2 else f"{a}-{b}"), False
        return dice.choice(
            ("7-7", "-1-0", "1-", "nan-0", "1e9-0", "2-1-0-0", "½-½", "1:0")
        ), False

    def step(self) -> Iterator[Breach]:
        trial, dice = self.trial, self.dice
        before = trial.seen()
        rows = table_of(before.files.get("matches.csv", b""))
        played = [r for r in rows if r["player2"]]
        open_now = [r for r in played if not r["score1"]]
        folder = trial.path("event")
        if not rows or (not open_now and dice.random() < 0.3 and before.last < 3):
            said = trial.run("pair", folder)
            yield from trial.clean(said)
            return
        roll = dice.random()
        if roll < 0.08:
            said = trial.run("undo", folder)
            yield from trial.clean(said)
            return
        if roll < 0.12:
            said = trial.run("mend", folder, "--yes")
            yield from trial.clean(said)
            if trial.seen().told != before.told:
                yield Breach("values", "mend changed a whole event")
            return
        if roll < 0.2:
            yield from self.bye(before, rows)
        elif played:
            yield from self.result(before, played, open_now)
        after = trial.seen()
        if after.files != before.files:
            yield from self.undone(before)
        if dice.random() < 0.5:
            yield from self.standings(after)
        if dice.random() < 0.35:
            yield from self.exported(after)

    def bye(self, before: Seen, rows: list[dict[str, str]]) -> Iterator[Breach]:
        trial, dice = self.trial, self.dice
        byes = [r for r in rows if not r["player2"]]
        if not byes:
            return
        row = dice.choice(byes)
        points = dice.choice(("0", "0.5", "1", "3", "½", "2", "6"))
        last = int(row["round"]) == before.last
        more = () if last and dice.random() < 0.5 else ("--round", row["round"])
        said = trial.run(
            "result", trial.path("event"), "--bye", row["player1"], points, *more
        )
        yield from trial.clean(said)
        after = trial.seen()
        if said.done:
            wanted = [
                {**r, "score1": "?"} if r == row else r
                for r in map(dict, table_of(before.files["matches.csv"]))
            ]
            got = table_of(after.files["matches.csv"])
            for one, two in zip(wanted, got, strict=True):
                if one["score1"] == "?":
                    if number(two["score1"]) != number(points):
                        yield Breach("values", f"bye of {points} is {two}")
                    one = {**one, "score1": two["score1"]}
                if one != two:
                    yield Breach("values", f"a bye changed {one} to {two}")
            yield from self.only(before, after)
        elif after.told != before.told:
            yield Breach("values", f"refused ({said.err}) and changed")

    def result(
        self, before: Seen, played: list[dict[str, str]], open_now: list[dict[str, str]]
    ) -> Iterator[Breach]:
        trial, dice = self.trial, self.dice
        row = dice.choice(open_now if open_now and dice.random() < 0.6 else played)
        last = int(row["round"]) == before.last
        more: tuple[str, ...] = (
            () if last and dice.random() < 0.5 else ("--round", row["round"])
        )
        folder = trial.path("event")
        value: Value | None
        if dice.random() < 0.2:
            said = trial.run(
                "result", folder, row["table"], dice.choice(("--clear", "--off")), *more
            )
            score, decided, (how, value) = "", False, (SURE, None)
        else:
            score, decided = self.score()
            how, value = said_as(score, self.game, decided)
            flag = ("--decided",) if decided else ()
            said = trial.run("result", folder, row["table"], score, *flag, *more)
        yield from trial.clean(said)
        after = trial.seen()
        if not said.done:
            trial.counts["refused"] += 1
            if after.told != before.told or len(after.log) != len(before.log):
                yield Breach("values", f"refused ({said.err.strip()}) and changed")
            if how == SURE and (last or score):
                yield Breach(
                    "values", f"{score or 'to clear'} is refused: {said.err.strip()}"
                )
            if not self.trial.file_blamed(said):
                return
            yield Breach(
                "blamed", f"{score} was typed, and a file is blamed: {said.err.strip()}"
            )
            return
        if how == NEVER and after.told != before.told:
            yield Breach("values", f"{score} means nothing, and is taken")
        was = table_of(before.files["matches.csv"])
        now = table_of(after.files["matches.csv"])
        here = (row["round"], row["table"])
        for one, two in zip(was, now, strict=True):
            if (one["round"], one["table"]) != here:
                strip = {k: v for k, v in two.items() if k in one or v}
                if one != {k: v for k, v in strip.items() if v or k in one}:
                    yield Breach("values", f"another row changed: {one} to {two}")
                continue
            seat = ("round", "table", "player1", "player2", "side1")
            if [one[k] for k in seat] != [two[k] for k in seat]:
                yield Breach("values", f"who sits there changed: {one} to {two}")
            got = value_of(two)
            if not score:
                if (
                    got is not None
                    or two["status"]
                    or any(two.get(f"games{k}") for k in "12")
                ):
                    yield Breach("values", f"taken away, and {two}")
            elif value is None:
                continue
            elif got is None or not self.same(got, value, score if decided else ""):
                yield Breach("values", f"{score} is {value}, written {two}")
            elif (
                value.games is None
                and got.games not in (None, (0, 0, 0))
                and not self.game.best_of
            ):
                yield Breach("values", f"{score} has old games: {two}")
        yield from self.only(before, after)
        if after.told != before.told:
            yield from self.logged(after, row, score if value else "")

    def same(self, got: Value, value: Value, decided: str) -> bool:
        """Whether what is written is what was said; what is decided of games is games."""
        games = tuple(map(number, f"{decided}-0".split("-")[:3])) if decided else ()
        points = got.points == value.points or (
            self.game.best_of > 0 and got.games == games
        )
        forfeit = (got.status == "forfeit") == (value.status == "forfeit")
        return points and forfeit and value.games in (None, got.games)

    def logged(self, after: Seen, row: dict[str, str], score: str) -> Iterator[Breach]:
        """The log has the table, both players, and the score as it was typed."""
        line = after.log[-1]
        seat = (line["round"], line["table"], line["player1"], line["player2"])
        if seat != (row["round"], row["table"], row["player1"], row["player2"]):
            yield Breach("values", f"the log says {line} of {row}")
        clean = score.replace("½", "0.5").replace(":", "-")
        now = line["value"].replace("½", "0.5")
        if score and number_list(now) not in (
            number_list(clean),
            number_list(clean.removesuffix("-0")),
        ):
            yield Breach("values", f"{score} is {line['value']!r} in the log")
        stood = value_of(row)
        if stood and not line["before"]:
            yield Breach(
                "values", f"the log does not say what was there before: {line} of {row}"
            )
        if not stood and line["before"] and any(c.isdigit() for c in line["before"]):
            yield Breach(
                "values", f"the log says {line['before']!r} was there before of {row}"
            )

    def only(self, before: Seen, after: Seen) -> Iterator[Breach]:
        """A result changes matches.csv and log.csv, and nothing else (proofs follow from both)."""
        for name in sorted({*before.files, *after.files}):
            if name in ("matches.csv", "log.csv") or name.startswith("proofs"):
                continue
            if before.files.get(name) != after.files.get(name):
                yield Breach("values", f"a result changed {name}")

    def undone(self, before: Seen) -> Iterator[Breach]:
        """Undo, on a copy, gives the bytes of before."""
        trial = self.trial
        copy = trial.path("copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(trial.path("event"), copy)
        said = trial.run("undo", copy)
        trial.trail.pop()
        after = trial.seen("copy")
        if not said.done or after.told != before.told:
            yield Breach("values", f"undo of it is not the files of before: {said.err}")
        shutil.rmtree(copy)

    def standings(self, seen: Seen) -> Iterator[Breach]:
        """Points and shares, recomputed from the rows."""
        trial = self.trial
        rows = table_of(seen.files.get("matches.csv", b""))
        want = shares(rows, self.game, seen.names)
        known = all("gw" in one for one in want.values())
        codes = SHARES if known else ("mw", "omw")
        said = trial.run(
            "standings",
            trial.path("event"),
            "--tie-breaks",
            ",".join(codes),
            "--format",
            "csv",
        )
        trial.trail.pop() if said.done else None
        yield from trial.clean(said)
        if not said.done:
            yield Breach("values", f"no standings: {said.err.strip()}")
            return
        trial.counts["standings recomputed"] += 1
        got = {row["name"]: row for row in table_of(said.out.encode())}
        for name, one in want.items():
            row = got.get(name)
            if row is None:
                yield Breach("values", f"{name} has no line in the standings")
                continue
            if number(row["points"]) != one["points"]:
                yield Breach(
                    "values",
                    f"{name} has {row['points']} points, rows say {one['points']}",
                )
            for code in codes:
                if not one["rounds"] or (
                    "g" in code and not one["games"] and code == "gw"
                ):
                    continue  # nothing to have a share of
                if f"{float(one[code]):.4f}" != row[code]:  # type: ignore[arg-type]
                    yield Breach(
                        "values", f"{name}: {code} {row[code]}, by the rows {one[code]}"
                    )

    def exported(self, seen: Seen) -> Iterator[Breach]:
        """CSV, NRTM and TRF, read back, have the same results, or say that they lose some."""
        trial = self.trial
        for kind in ("csv", "json", "trf"):
            out, back = trial.path(f"out.{kind}"), trial.path("back.csv")
            for path in trial.home.glob("out*"):
                path.unlink()
            for path in trial.home.glob("back*"):
                path.unlink()
            said = trial.run("convert", trial.path("event"), out)
            yield from trial.clean(said)
            if not said.done:
                if kind == "trf" and NO_ROOM in said.err:
                    trial.counts["no room in a TRF"] += (
                        1  # it is said, and nothing is written
                    )
                else:
                    yield Breach("values", f"no {kind}: {said.err.strip()}")
                continue
            trial.counts[f"exported {kind}"] += 1
            more = ("--players", trial.path("out-players.csv")) if kind == "csv" else ()
            read = trial.run("convert", out, back, *more)
            if not read.done:
                yield Breach("values", f"{kind} is not read back: {read.err.strip()}")
                continue
            names = {}
            players = trial.path("back-players.csv")
            if players.exists():
                names = {
                    r["player"]: r.get("name") or r["player"]
                    for r in table_of(players.read_bytes())
                }
            own = facts(table_of(seen.files["matches.csv"]), {})
            got = facts(table_of(back.read_bytes()), names)
            lost = said.err.splitlines()
            named = LOSES.search(said.err)
            if own != got and not named:
                more_lines = [
                    (k, own.get(k), got.get(k))
                    for k in {*own, *got}
                    if own.get(k) != got.get(k)
                ]
                yield Breach(
                    "values", f"{kind} read back: {more_lines[:3]}; said lost: {lost}"
                )
            trial.trail[-2:] = []


def facts(rows: list[dict[str, str]], names: dict[str, str]) -> dict[object, object]:
    """Round and players to points and whether it was a forfeit, whichever is named first."""
    found: dict[object, object] = {}
    for row in rows:
        one, two = (names.get(row[k], row[k]) for k in ("player1", "player2"))
        if not two:
            found[row["round"], one] = (number(row["score1"]) or Fraction(0),)
            continue
        first, second = number(row["score1"]), number(row["score2"])
        scores = [(one, first), (two, second)]
        found[row["round"], frozenset((one, two))] = (frozenset(scores), row["status"])
    return found


def number_list(text: str) -> list[Fraction | None]:
    return [
        number("".join(c for c in part if c in "0123456789."))
        for part in text.split("-")
    ]


def play(trial: Trial) -> Iterator[Breach]:
    """One event of some thirty steps."""
    event = Values(trial)
    yield from event.founded()
    for _ in range(30):
        yield from event.step()
