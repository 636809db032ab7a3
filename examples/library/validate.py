"""Recompute what rounds of the library state.

python validate.py               all rounds
python validate.py ROUND...      these rounds: folders, or zips

It needs only Python's standard library and shares no code with the program that made the
rounds. It reads the event's files and proof.json, and computes in fractions:

- whether the stated pairing has every player exactly once, and each match is allowed;
- the value of every level;
- if there is no pairing, whether the stated conflict is one.

It does not show that no pairing is better: the proof does, and `verify.py` checks it
(docs/proof.md). It reads C1 to C21 of FIDE's Dutch System and the absolute criteria of
Burstein's. Other levels, for example those of the order of candidates, count as not read.
The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import tomllib
import zipfile
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parents[1] / "models"
BYE = None


def files_of(place):
    """The texts of a folder or zip, by name."""
    if place.is_dir():
        return {p.name: p.read_text("utf-8") for p in place.iterdir() if p.is_file()}
    with zipfile.ZipFile(place) as archive:
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


class Player:
    """What the rounds before say of a player."""

    def __init__(self, rating=None, club=None):
        self.rating, self.club = rating, club
        self.score, self.met, self.first_against, self.sides = (
            Fraction(0),
            defaultdict(int),
            set(),
            [],
        )
        self.byes, self.won_idle, self.floats = 0, False, {}

    def difference(self):
        return abs(sum(self.sides))

    def streak(self):
        return streak(self.sides)


def streak(sides):
    length = 0
    while length < len(sides) and sides[-1 - length] == sides[-1]:
        length += 1
    return length


def sign(number):
    return (number > 0) - (number < 0)


class Event:
    """players.csv, matches.csv and event.toml, as they stand before the round to be paired."""

    def __init__(self, files):
        self.said = tomllib.loads(files["event.toml"], parse_float=str)
        rows = list(csv.DictReader(io.StringIO(files["matches.csv"])))
        listed = list(csv.DictReader(io.StringIO(files["players.csv"])))
        self.players = {
            r["player"]: Player(r.get("rating"), r.get("club")) for r in listed
        }
        paired = [int(r["round"]) for r in rows if status(r) != "requested"]
        self.round = 1 + max(paired, default=0)
        away = {r["player1"] for r in rows if int(r["round"]) == self.round}
        if listed and "active" in listed[0]:
            gone = {
                r["player"]
                for r in listed
                if r["active"].lower() in ("no", "false", "0")
            }
        else:  # whoever had no row in the last round has left
            seen = {
                r[who]
                for r in rows
                if int(r["round"]) == self.round - 1
                for who in ("player1", "player2")
            }
            gone = {*self.players} - seen
        for r in listed:
            self.players[r["player"]].score += Fraction(r.get("score") or 0)
        self.active = [name for name in self.players if name not in away | gone]
        labels = {r["side1"] for r in rows if r["side1"]}
        self.sided = bool(labels)
        points = self.said.get("points", {})
        self.win = Fraction(str(points["win"])) if "win" in points else None
        for number in range(1, self.round):
            before = {name: p.score for name, p in self.players.items()}
            for r in rows:
                if int(r["round"]) == number:
                    self._take(r, number, before)

    def _take(self, r, number, before):
        one, score = self.players[r["player1"]], Fraction(r["score1"] or 0)
        one.score += score
        enough = self.win is not None and score >= self.win
        if not r["player2"]:
            one.byes += status(r) == "bye"
            one.won_idle |= enough
            one.floats[number] = int(status(r) == "bye" or enough)
            return
        two, other = self.players[r["player2"]], Fraction(r["score2"] or 0)
        two.score += other
        if status(r) == "forfeit":
            for p, own, theirs in ((one, score, other), (two, other, score)):
                full = self.win is not None and own >= self.win
                p.won_idle |= own > theirs or full
                p.floats[number] = int(own > theirs or (own == theirs and full))
            return
        gap = sign(before[r["player1"]] - before[r["player2"]])
        one.floats[number], two.floats[number] = gap, -gap
        one.met[r["player2"]] += 1
        two.met[r["player1"]] += 1
        if r["side1"]:
            first = r["side1"].lower() in ("white", "corp")
            one.sides.append(1 if first else -1)
            two.sides.append(-1 if first else 1)
            (one if first else two).first_against.add(
                r["player2"] if first else r["player1"]
            )


def status(r):
    return (r["status"] or ("" if r["player2"] else "bye")).lower()


class Rules:
    """A model on an event: which matches are allowed, and what each adds to each level."""

    def __init__(self, event, models):
        self.event = event
        said = tomllib.loads(
            (models / f"{event.said['model']}.toml").read_text("utf-8"), parse_float=str
        )
        last = (
            said.get("last_round") if event.said.get("rounds") == event.round else None
        )
        constraints = dict((last or {}).get("constraints", said.get("constraints", {})))
        self.criteria = list((last or {}).get("criteria", said.get("criteria", [])))
        for apart in event.said.get("conflicts", []):
            rule = {"kind": "conflicts", "column": apart["column"]}
            if "place" in apart:
                self.criteria.insert(apart["place"] - 1, rule)
            else:
                constraints["conflicts"] = True
        self.constraints = {k: v for k, v in constraints.items() if v is not False}
        self.forbidden = {frozenset(pair) for pair in event.said.get("forbid", [])}
        scores = sorted({event.players[a].score for a in event.active}, reverse=True)
        self.group = {a: scores.index(event.players[a].score) for a in event.active}
        listed = sorted(
            event.active,
            key=lambda a: (
                self.group[a],
                not event.players[a].rating,
                -Fraction(event.players[a].rating or 0),
            ),
        )
        self.overall = {a: k for k, a in enumerate(listed, 1)}
        self.size = {
            g: list(self.group.values()).count(g) for g in set(self.group.values())
        }
        above = {g: sum(n for h, n in self.size.items() if h < g) for g in self.size}
        self.rank = {a: self.overall[a] - above[self.group[a]] for a in event.active}

    def after(self, one, two):
        """Sides before and after a match, of both players."""
        a, b = (self.event.players[x].sides for x in (one, two))
        return [(a, [*a, 1]), (b, [*b, -1])]

    def broken(self, one, two):
        """The constraints that a match (or a bye) breaks."""
        a = self.event.players[one]
        for kind, value in self.constraints.items():
            if two is BYE:
                bad = (kind == "no_repeat_bye" and a.byes) or (
                    kind == "no_bye_after_forfeit_win" and a.won_idle
                )
            elif kind in ("max_side_difference", "max_side_streak"):
                measure = (
                    streak
                    if kind == "max_side_streak"
                    else lambda sides: abs(sum(sides))
                )
                bad = self.event.sided and any(
                    measure(new) > max(value, measure(old))
                    for old, new in self.after(one, two)
                )
            elif kind == "no_same_sides_rematch":
                bad = self.event.sided and two in a.first_against
            elif kind == "conflicts":
                bad = self.same_club(one, two)
            elif kind in ("no_rematch", "max_meetings"):
                bad = a.met[two] >= (1 if kind == "no_rematch" else value)
            elif kind in ("no_repeat_bye", "no_bye_after_forfeit_win"):
                bad = False
            else:
                raise ValueError(f"a constraint that is not known here: {kind}")
            if bad:
                yield kind
        if frozenset((one, two)) in self.forbidden:
            yield "a forbidden pair"

    def same_club(self, one, two):
        mine = self.event.players[one].club
        return bool(mine) and mine == self.event.players[two].club

    def counted(self, rule, one, two):
        """What a match adds: (level, amount), level by level."""
        count = getattr(self, f"count_{rule['kind']}", None)
        if count is None:
            raise ValueError(f"a criterion that is not known here: {rule['kind']}")
        return count(rule, one, two)

    def count_rematches(self, rule, one, two):
        a = self.event.players[one]
        times = a.byes if two is BYE else a.met[two]
        return [(times, 1)] if times else []

    def count_bye_score(self, rule, one, two):
        return [(1, self.event.players[one].score)] if two is BYE else []

    def count_side_difference(self, rule, one, two):
        return self.long(rule, one, two, lambda sides: abs(sum(sides)))

    def count_side_streak(self, rule, one, two):
        return self.long(rule, one, two, streak)

    def long(self, rule, one, two, measure):
        """Differences or streaks that are long enough; the bye's player keeps theirs."""
        alone = [self.event.players[one].sides]
        every = alone if two is BYE else [new for _, new in self.after(one, two)]
        least, most = rule.get("at_least", 3), rule.get("at_most", 10**9)
        found = [measure(sides) for sides in every] if self.event.sided else []
        return [(much, 1) for much in found if least <= much <= most]

    def count_score_groups(self, rule, one, two):
        if two is BYE or self.group[one] == self.group[two]:
            return []
        high, apart = min(self.group[one], self.group[two]) + 1, self.apart(one, two)
        return [(f"{high}:{apart}" if rule.get("order") == "top_first" else apart, 1)]

    def apart(self, one, two):
        return abs(self.group[one] - self.group[two])

    def count_same_side(self, rule, one, two):
        if two is BYE or not self.event.sided:
            return []
        return [(1, sum(old[-1:] == new[-1:] for old, new in self.after(one, two)))]

    def count_score_difference(self, rule, one, two):
        if two is BYE:
            return []
        gap = self.event.players[one].score - self.event.players[two].score
        return [(1, abs(gap) ** rule.get("power", 2))]

    def count_repeat_floats(self, rule, one, two):
        a = self.event.players[one]
        now = [(a, 1)]
        if two is not BYE:
            b = self.event.players[two]
            now = [(a, sign(a.score - b.score)), (b, sign(b.score - a.score))]
        return [
            (ago, 1)
            for player, way in now
            for ago in range(1, rule.get("rounds", 2) + 1)
            if way and player.floats.get(self.event.round - ago) == way
        ]

    def count_conflicts(self, rule, one, two):
        return [(1, 1)] if two is not BYE and self.same_club(one, two) else []

    def count_rank_gap(self, rule, one, two):
        other = len(self.event.active) + 1 if two is BYE else self.overall[two]
        return [(1, abs(self.overall[one] - other) ** rule.get("power", 2))]

    def count_pairing_style(self, rule, one, two):
        if rule["style"] != "adjacent":
            raise ValueError(f"a style that is not known here: {rule['style']}")
        return [(1, self.adjacent(one, two))]

    def adjacent(self, one, two):
        if two is BYE:
            return self.size[self.group[one]] - self.rank[one]
        if self.group[one] == self.group[two]:
            return abs(self.rank[one] - self.rank[two]) - 1
        high, low = sorted((one, two), key=self.group.__getitem__)
        return self.size[self.group[high]] - self.rank[high] + self.rank[low] - 1

    def levels(self, pairing):
        """Every level that is not 0, by criterion and label."""
        found = defaultdict(Fraction)
        for rule in self.criteria:
            for one, two in pairing:
                for label, amount in self.counted(rule, one, two):
                    found[rule["kind"], str(label)] += amount
        return {key: value for key, value in found.items() if value}


def stated(claim):
    """Names of the claim's pairing, and of further rounds; the last vertex and one is the bye."""
    names = [identifier for identifier, _ in claim["players"]] + [BYE]
    rounds = [claim["pairing"] or [], *claim["further"]]
    return [[oriented(names[a], names[b]) for a, b in each] for each in rounds]


def oriented(one, two):
    return (two, one) if one is BYE else (one, two)


def faults_of(files, models=MODELS):
    """What is wrong with a round, in words, and how many levels were not read."""
    claim = json.loads(files["proof.json"])["claim"]
    if "round.trf" in files:
        from_report = Report(files["round.trf"])
        active, broken = from_report.here, from_report.broken
        counted, known, number = (
            from_report.levels,
            from_report.known,
            from_report.number,
        )
    else:
        event = Event(files)
        rules = Rules(event, models)
        active, broken, counted, number = (
            event.active,
            rules.broken,
            rules.levels,
            event.round,
        )
        known = bool
    faults = (
        []
        if claim["round"] == number
        else [f"round {claim['round']} is stated, {number} is next"]
    )
    pairing, *further = stated(claim)
    if claim["pairing"] is None:
        witness = json.loads(files["proof.json"])["witness"]
        return faults + clash(claim, witness, active, broken), 0
    for each in (pairing, *further):
        faults += everybody_once(each, active)
    if faults:
        return faults, 0
    faults += [
        f"{one}-{two or 'bye'} breaks {kind}"
        for one, two in pairing
        for kind in broken(one, two)
    ]
    if further:
        faults += rematches_later(event, pairing, further)
    value = {
        (str(c), str(label)): Fraction(v, scale)
        for c, label, _, v, _, scale in claim["levels"]
    }
    mine = counted(pairing)
    unread = [key for key in value if not known(key[0])]
    stated_alone = (
        "round.trf" in files
    )  # levels that can be nothing else are not in a report's
    for key in sorted(({*value} if stated_alone else {*value, *mine}) - {*unread}):
        if value.get(key, 0) != mine.get(key, 0):
            faults.append(
                f"{key[0]} {key[1]}: {value.get(key, 0)} is stated, it is {mine.get(key, 0)}"
            )
    return faults, len(unread)


def said_of(files, models=MODELS):
    """The same, where a file that cannot be read is a fault."""
    try:
        return faults_of(files, models)
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        return [f"it cannot be read: {error!r}"], 0


def everybody_once(pairing, active):
    seen = [name for pair in pairing for name in pair if name is not BYE]
    if sorted(seen) != sorted(active):
        return ["the pairing does not hold everybody once"]
    if sum(two is BYE for _, two in pairing) != len(active) % 2:
        return ["there are too many or too few byes"]
    return []


def rematches_later(event, pairing, further):
    """A lookahead's further rounds: nobody meets twice, nor has met; the bye is one more player."""
    met = {frozenset((a, b)) for a in event.active for b in event.players[a].met}
    met |= {frozenset((a, BYE)) for a in event.active if event.players[a].byes}
    met |= {frozenset(pair) for pair in pairing}
    faults = []
    for each in further:
        pairs = [frozenset(pair) for pair in each]
        faults += [
            f"{'-'.join(map(str, pair))} again later" for pair in pairs if pair in met
        ]
        met |= {*pairs}
    return faults


def clash(claim, witness, active, broken):
    """Tutte: taking some players away leaves more components of odd size than these are.

    A pairing joins two components at most as often as there are matches for it, and each of those
    has room for two of the odd ones. A component is written as lengths of runs of vertices, of
    those not in it and those who are, in turn."""
    names = [identifier for identifier, _ in claim["players"]]
    if sorted(names) != sorted(active):
        return ["the clash is not of those to be paired"]
    names += [BYE] * (len(names) % 2)
    part_of = {}
    for number, lengths in enumerate(witness["components"]):
        at = 0
        for k, length in enumerate(lengths):
            part_of |= {vertex: number for vertex in range(at, at + length) if k % 2}
            at += length
    parts = list(part_of.values())
    odd = sum(parts.count(number) % 2 for number in set(parts))
    joined = sum(
        part_of[a] != part_of[b] and allowed(names[a], names[b], broken)
        for b in part_of
        for a in part_of
        if a < b
    )
    if 2 * joined < odd - (len(names) - len(part_of)):
        return []
    return [
        f"there may be a pairing: {odd} odd components, {joined} matches that join two"
    ]


def allowed(one, two, broken):
    """Whether two may meet, whoever has the first side."""
    ways = [oriented(one, two)] if BYE in (one, two) else [(one, two), (two, one)]
    return any(not list(broken(*way)) for way in ways)


def main(given):
    places = [Path(g) for g in given] or sorted(
        p
        for p in HERE.glob("*/*")
        if p.suffix == ".zip" or (p / "proof.json").is_file()
    )
    wrong, unread = 0, 0
    for place in places:
        try:
            faults, left = said_of(files_of(place))
        except (OSError, zipfile.BadZipFile) as error:
            faults, left = [f"it cannot be read: {error!r}"], 0
        wrong, unread = wrong + bool(faults), unread + left
        for fault in faults:
            print(f"{place.name}: {fault}")
    print(
        f"{len(places)} rounds, {wrong} with faults; {unread} numbers of FIDE's order were not read"
    )
    return 1 if wrong else 0


# ---------------------------------------------------------------------- FIDE's systems

POINTS = {"1": 2, "+": 2, "=": 1, "H": 1, "F": 2, "U": 2}
"""Half points of a result; none of the others."""


class Report:
    """A tournament report's next round (C.04.3 of 2026: articles 1 and 2, criteria C5 to C21)."""

    def __init__(self, text):
        self.rounds, self.cells, self.virtual, self.forbidden = 0, {}, {}, set()
        self.burstein = False
        for line in text.splitlines():
            words = line[3:].split()
            if line.startswith("001"):
                row = [
                    line[at : at + 8].ljust(8)
                    for at in range(91, len(line.rstrip()), 10)
                ]
                self.cells[line[4:8].strip()] = [
                    (c[:4].strip().lstrip("0"), c[5], c[7].upper()) for c in row
                ]
            elif line.startswith("XXR"):
                self.rounds = int(words[0])
            elif line.startswith("XXA"):
                self.virtual[words[0]] = [int(2 * Fraction(w)) for w in words[1:]]
            elif line.startswith("XXP"):
                self.forbidden |= {
                    frozenset((a, b)) for a in words for b in words if a != b
                }
            elif line.startswith("192"):
                self.burstein = "BURSTEIN" in line
        played = [
            k
            for row in self.cells.values()
            for k, c in enumerate(row, 1)
            if c[0] or c[2] == "U"
        ]
        self.number = max(played, default=0) + 1
        self.here = [p for p in self.cells if self.cell(p, self.number)[2] in ("", " ")]

    def cell(self, player, turn):
        row = self.cells[player]
        return row[turn - 1] if turn <= len(row) else ("", "-", "")

    def past(self, player):
        return [self.cell(player, turn) for turn in range(1, self.number)]

    def points(self, player, turn):
        return sum(POINTS.get(self.cell(player, t)[2], 0) for t in range(1, turn))

    def score(self, player, turn=None):
        """Half points that make the groups, the virtual ones too."""
        turn = turn or self.number
        virtual = self.virtual.get(player, [])
        return self.points(player, turn) + (
            virtual[turn - 1] if turn <= len(virtual) else 0
        )

    def sides(self, player):
        return [1 if c[1] == "w" else -1 for c in self.past(player) if self.is_game(c)]

    @staticmethod
    def is_game(cell):
        return bool(cell[0]) and cell[2] in ("1", "=", "0")

    def wish(self, player):
        """The side of the preference and its strength: 3 absolute, 2 strong, 1 mild, 0 none."""
        had = self.sides(player)
        if abs(sum(had)) > 1:
            return -sign(sum(had)), 3
        if streak(had) > 1:
            return -had[-1], 3
        if sum(had):
            return -sign(sum(had)), 2
        return (-had[-1], 1) if had else (0, 0)

    def topscorer(self, player):
        return (
            self.number == self.rounds
            and self.points(player, self.number) > self.number - 1
        )

    def broken(self, one, two):
        if two is BYE:
            if any(
                not self.is_game(c) and POINTS.get(c[2], 0) == 2 for c in self.past(one)
            ):
                yield "C2"
            return
        if any(self.is_game(c) and c[0] == two for c in self.past(one)):
            yield "C1"
        if frozenset((one, two)) in self.forbidden:
            yield "a forbidden pair"
        absolute = self.wish(one) == self.wish(two) and self.wish(one)[1] == 3
        if absolute and not self.topscorer(one) and not self.topscorer(two):
            yield "C3"

    def float_of(self, player, ago):
        turn = self.number - ago
        if turn < 1:
            return 0
        cell = self.cell(player, turn)
        if self.is_game(cell):
            return sign(self.score(player, turn) - self.score(cell[0], turn))
        return int(POINTS.get(cell[2], 0) > 0)

    def known(self, criterion):
        return criterion.startswith("C") and not self.burstein

    def levels(self, pairing):
        """C5 to C21, by criterion and the label of the bracket."""
        found = defaultdict(Fraction)
        lowest = -1
        arcs = []
        for one, two in pairing:
            if two is BYE:
                found["C5", "bye"] += Fraction(self.score(one), 2)
                arcs.append((self.score(one), lowest, one, BYE))
            else:
                high, low = sorted((one, two), key=lambda p: (-self.score(p), int(p)))
                arcs.append((self.score(high), self.score(low), high, low))
        scores = sorted({self.score(p) for p in self.here}, reverse=True)
        for at, score in enumerate(scores):
            for criterion, label in self.in_bracket(arcs, score):
                found[criterion, label] += 1
            floats = [arc for arc in arcs if arc[0] >= score > arc[1]]
            for arc in floats:
                if len(floats) == 1 and arc[3] is BYE:
                    found["C9", half(score)] += sum(
                        not self.is_game(c) for c in self.past(arc[2])
                    )
                if at:
                    found["C8", half(scores[at - 1])] += 1
                    found["C8", f"{half(scores[at - 1])}/{half(arc[0])}"] += 1
        return {key: value for key, value in found.items() if value}

    def in_bracket(self, arcs, score):
        """Each thing that counts in the bracket of a score: criterion and label."""
        here, where = half(score), lambda arc: f"{half(score)}/{half(arc[0])}"
        for arc in arcs:
            high, low, one, two = arc
            if high >= score > low:
                yield "C6", here
                if high > score:
                    yield "C7", where(arc)
                for ago, own, above in ((1, "C14", "C18"), (2, "C16", "C20")):
                    if self.float_of(one, ago) > 0:
                        yield (own, here) if high == score else (above, where(arc))
            if low != score:
                continue
            yield from ((criterion, here) for criterion in self.colours(one, two))
            for ago, all_of, by_score in ((1, "C15", "C19"), (2, "C17", "C21")):
                if high > score and self.float_of(two, ago) < 0:
                    yield all_of, here
                    yield by_score, where(arc)

    def colours(self, one, two):
        """C10 to C13 of a pair."""
        (side, mine), (other, theirs) = self.wish(one), self.wish(two)
        if not side or side != other:
            return
        yield "C12"
        if min(mine, theirs) == 2:
            yield "C13"
        if min(mine, theirs) == 3:
            gaps = sorted(
                (abs(sum(self.sides(p))), self.sides(p)[-2:] == [-side] * 2)
                for p in (one, two)
            )
            if gaps[0][0] > 1:
                yield "C10"
            equal = gaps[0][0] == gaps[1][0]
            if all(twice for _, twice in gaps) if equal else gaps[0][1]:
                yield "C11"


def half(score):
    """A score as labels have it."""
    return f"{score // 2}.5" if score % 2 else str(score // 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
