"""Drive events whose players are easily taken for each other, and watch the files.

Players share names; identifiers are numbers, FIDE numbers or other players' names; names
have accents in two forms, right-to-left letters and characters that nobody sees. Each
step names one player by one text, on the command line or from Python. Files are read
here without the package, so that a step that reaches another player is seen.
"""

from __future__ import annotations

import csv
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unicodedata import category, normalize

from click.testing import CliRunner, Result

from pairopt import folder as commands
from pairopt.cli import main
from pairopt.errors import PairoptError

Row = dict[str, str]
NAMES = (
    "Ann Lee",
    "Ann Lee",
    "ANN LEE",
    "Lee, Ann",
    "Ann\u200b Lee",
    "A\u00adnn Lee",
    "\uff21nn Lee",
    "Jos\u00e9 Nu\u00f1ez",
    "Jose\u0301 Nun\u0303ez",
    "Jose Nunez",
    "M\u00fcller, J\u00f6rn",
    "Mueller, Joern",
    "\u05d3\u05d5\u05d3 \u05db\u05d4\u05df",
    "\u200f\u05d3\u05d5\u05d3 \u05db\u05d4\u05df",
    "\u0645\u062d\u0645\u062f \u0639\u0644\u064a",
    "\u202eeeL nnA",
    "7",
    "2",
    "#3",
    "91000002",
    "0091000003",
    "Ann Lee (2)",
    "Ann Lee (Ann Lee)",
    "Ann Lee (91000002)",
    "B1",
    "bye",
    "Ann:Bob",
    "Bob",
    "Ann",
    "-Bob",
    "=1+1",
    'Bob "Rob" Lee',
    "Bob; table 2, x",
)
"""Names that pairopt may take for each other, for a number or for a word of its own."""
FIDE_NUMBERS = [f"{number}" for number in range(91000001, 91000009)]


@dataclass
class Seen:
    """What the files of a folder say, read without the package.

    `players` are the rows by identifier. `matches` has the rounds, players and points of
    both players of each match with the points of each player; `byes` and `forbidden`
    come from event.toml and matches.csv.
    """

    players: dict[str, Row] = field(default_factory=dict)
    results: Counter[tuple[str, frozenset[tuple[str, str]]]] = field(
        default_factory=Counter
    )
    open_tables: dict[str, tuple[str, str]] = field(default_factory=dict)
    pairs: Counter[tuple[str, frozenset[str]]] = field(default_factory=Counter)
    byes: Counter[tuple[str, str]] = field(default_factory=Counter)
    forbidden: Counter[frozenset[str]] = field(default_factory=Counter)
    last_round: int = 0


def look(folder: Path) -> Seen:
    """Read the files of an event."""
    seen = Seen()
    for row in read_rows(folder / "players.csv"):
        identifier = row.get("player") or row.get("name") or ""
        assert identifier not in seen.players, f"{identifier!r} is there twice"
        seen.players[identifier] = row
    for row in read_rows(folder / "matches.csv"):
        number, first, second = row["round"], row["player1"], row["player2"]
        if not second:
            seen.byes[number, first] += 1
            continue
        seen.last_round = max(seen.last_round, int(number))
        pair = (number, frozenset((first, second)))
        seen.pairs[pair] += 1
        if row["score1"]:
            points = {
                (first, row["score1"] + row["status"]),
                (second, row["score2"] + row["status"]),
            }
            seen.results[number, frozenset(points)] += 1
        else:
            seen.open_tables[row.get("table", "")] = (first, second)
    content = tomllib.loads((folder / "event.toml").read_text(encoding="utf-8"))
    for bye in content.get("byes", []):
        seen.byes[str(bye["round"]), bye["player"]] += 1
    for pair_entry in content.get("forbid", []):
        names = pair_entry["players"] if isinstance(pair_entry, dict) else pair_entry
        seen.forbidden[frozenset(names)] += 1
    known = seen.players.keys()
    for identifier in [*(name for _, name in seen.byes)]:
        assert identifier in known, f"nobody is {identifier!r}"
    for identifiers in seen.forbidden:
        assert identifiers <= known, f"nobody is one of {identifiers}"
    return seen


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file; none if it is not there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


def name_of(identifier: str, row: Row) -> str:
    """The name of a player."""
    return row.get("name") or identifier


def may_be_read_as(typed: str, identifier: str, row: Row) -> int:
    """How strongly a typed text claims a player.

    3 exactly, 2 but for case, blanks and hidden signs, 1 in another spelling, 0 not.
    """
    name = name_of(identifier, row)
    number = (row.get("fide_id") or "").lstrip("0")
    text = normalize("NFC", typed)
    if text in (normalize("NFC", name), normalize("NFC", identifier)):
        return 3
    if number and typed.strip().isdecimal() and typed.strip().lstrip("0") == number:
        return 3
    if folded(typed) in (folded(name), folded(identifier)):
        return 2
    marked = {f"{visible(name)} ({visible(mark)})" for mark in (identifier, number)}
    if typed in marked:
        return 1
    words = words_of(typed)
    return int(bool(words) and words in (words_of(name), words_of(identifier)))


def visible(text: str) -> str:
    """A text with the codes of characters that nobody sees, as pairopt shows them."""
    return "".join(
        f"\u27e8U+{ord(sign):04X}\u27e9" if category(sign) == "Cf" else sign
        for sign in text
    )


def folded(text: str) -> str:
    """A text without differences of case, blanks and hidden signs."""
    kept = (sign for sign in normalize("NFKC", text) if category(sign) != "Cf")
    return " ".join("".join(kept).split()).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text without case, accents and signs, sorted."""
    letters = normalize("NFKD", text).casefold()
    kept = "".join(
        "" if category(sign) in ("Mn", "Cf") else sign if sign.isalnum() else " "
        for sign in letters
    )
    return sorted(kept.split())


def draw_list(random: Random) -> str:
    """A list of players as CSV, with identifiers of one kind or of several."""
    names = random.sample(NAMES, random.randint(5, 9))
    kind = random.choice(["names", "numbers", "fide", "others", "mixed"])
    numbers = random.sample(FIDE_NUMBERS, len(FIDE_NUMBERS))
    rows = []
    taken: set[str] = set()
    shuffled = random.sample(range(1, len(names) + 1), len(names))
    for position, name in enumerate(names):
        fide = numbers[position] if position < len(numbers) else ""
        if random.random() < 0.3:
            fide = ""
        choice = random.choice(["names", "numbers", "fide", "others"])
        identifier = {
            "names": name,
            "numbers": str(shuffled[position]),
            "fide": "0" * random.randint(0, 2) + random.choice(FIDE_NUMBERS),
            "others": random.choice(names),
        }[choice if kind == "mixed" else kind]
        if identifier in taken:
            identifier = f"p{position}"
        taken.add(identifier)
        rows.append((identifier, name, fide))
    heading = "player,name,fide_id,rating"
    lines = [heading]
    for position, (identifier, name, fide) in enumerate(rows):
        cells = [identifier, name, fide, str(2000 - 10 * position)]
        lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    return "\n".join([*lines, ""])


class Watcher:
    """One event with steps that are drawn, and the laws that each step keeps."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.folder = folder
        self.random = random
        self.log: list[str] = []
        self.done: Counter[str] = Counter()
        self.is_chess = random.random() < 0.4
        self.scores = ["1-0", "0-1", "0.5-0.5", "1F-0F"]
        self.rules = ["--model", "fide-dutch"]
        if not self.is_chess:
            self.scores = ["3-0", "0-3", "1-1", "3F-0F"]
            self.rules = ["--model", "monrad", "--points", "3-1-0"]

    # ---------------------------------------------------------------- naming a player

    def draw_text(self, identifier: str, row: Row) -> str:
        """A text by which somebody may name a player."""
        name = name_of(identifier, row)
        number = row.get("fide_id") or identifier
        texts = [
            identifier,
            name,
            name,
            number,
            f"00{number}",
            normalize("NFD", name),
            normalize("NFC", name),
            name.upper(),
            name.replace("\u200b", "").replace("\u00ad", ""),
            " ".join(reversed(re.split(r"[, ]+", name))),
            f"{name} ({identifier})",
        ]
        return self.random.choice(texts)

    def run(self, *words: str) -> Result:
        """Run a command; its options and arguments are given in their order."""
        self.log.append(repr(words))
        outcome = CliRunner().invoke(main, [*words])
        assert outcome.exit_code in (0, 1, 2, 3), self.story(outcome.output)
        is_clean = outcome.exception is None or isinstance(
            outcome.exception, SystemExit
        )
        assert is_clean, self.story(repr(outcome.exception))
        return outcome

    def story(self, what: str) -> str:
        """The list of players, the steps so far, and what is wrong."""
        table = (self.folder / "players.csv").read_text(encoding="utf-8")
        return "\n".join([table, *self.log, what])

    def claims(self, before: Seen, typed: str) -> list[str]:
        """The players whom a text claims most strongly."""
        strengths = {
            identifier: may_be_read_as(typed, identifier, row)
            for identifier, row in before.players.items()
        }
        strongest = max(strengths.values())
        return [
            each for each, strength in strengths.items() if 0 < strength == strongest
        ]

    def clear_text(self, before: Seen, identifier: str) -> str:
        """A text that means this player alone, "" if there is none."""
        row = before.players[identifier]
        name = visible(name_of(identifier, row))
        number = row.get("fide_id") or ""
        marked = [f"{name} ({visible(mark)})" for mark in (number, identifier) if mark]
        texts = (identifier, number, *marked)
        return next(
            (text for text in texts if self.claims(before, text) == [identifier]), ""
        )

    def require_meant(self, before: Seen, typed: str, reached: str) -> None:
        """The player who was reached is the one that the typed text means."""
        candidates = self.claims(before, typed)
        if not candidates and re.fullmatch(r"#?0*(\d+)", typed.strip()):
            return
        is_own_name = reached == typed and all(
            each == name_of(each, before.players[each])
            for each in candidates
            if each != reached
        )
        is_clear = candidates == [reached] or is_own_name
        assert is_clear, self.story(
            f"{typed!r} reached {reached!r}, but may mean {candidates}"
        )

    def name_player(
        self,
        target: str,
        before: Seen,
        act: Callable[[str], Result],
    ) -> tuple[str, Result]:
        """Name a player until a text is accepted; the last one is what a refusal offers.

        An identifier that is refused is named as the message says, and that must work.
        """
        typed = self.draw_text(target, before.players[target])
        outcome = act(typed)
        if "Several players match" not in outcome.output:
            return typed, outcome
        self.done["refused"] += 1
        assert look(self.folder) == before, self.story("a refusal changed a file")
        is_shared = len(self.claims(before, typed)) > 1
        assert is_shared, self.story(f"{typed!r} means one player")
        outcome = act(target)
        if "Several players match" not in outcome.output:
            return target, outcome
        text = self.clear_text(before, target)
        assert text, self.story(f"no text means {target!r}")
        assert text in outcome.output, self.story(f"{text!r} is not offered")
        outcome = act(text)
        is_refused = "Several players match" in outcome.output
        assert not is_refused, self.story(f"{text!r} is offered and refused")
        return text, outcome

    # ---------------------------------------------------------------------- the steps

    def steps(self) -> Iterator[Callable[[Seen], None]]:
        """Steps that are drawn, without end."""
        choices: list[Callable[[Seen], None]] = [
            self.bye,
            self.drop,
            self.edit,
            self.forbid,
            self.remove,
            self.enter,
            self.pair,
            self.pair,
            self.result,
            self.result,
            self.result,
            self.opponent,
            self.undo,
            self.mend,
            self.show,
            self.repair,
            self.ratings,
            self.write_by_hand,
        ]
        while True:
            yield self.random.choice(choices)

    def draw_player(self, before: Seen) -> str:
        return self.random.choice([*before.players])

    def changed_players(self, before: Seen, after: Seen) -> set[str]:
        """Identifiers of rows of players.csv that differ, but for start numbers."""
        changed = before.players.keys() ^ after.players.keys()
        for identifier in before.players.keys() & after.players.keys():
            one, two = before.players[identifier], after.players[identifier]
            columns = {*one, *two} - {"start", "name"}
            has_changed = any(
                (one.get(key) or "") != (two.get(key) or "") for key in columns
            )
            if has_changed or name_of(identifier, one) != name_of(identifier, two):
                changed.add(identifier)
        return changed

    def require_results(self, before: Seen, after: Seen) -> None:
        """No result is lost or changed, and no match of a round that has one."""
        lost = before.results - after.results
        assert not lost, self.story(f"lost: {lost}")

    def bye(self, before: Seen) -> None:
        number = str(before.last_round + self.random.randint(1, 2))
        typed, outcome = self.name_player(
            self.draw_player(before),
            before,
            lambda text: self.run(
                "bye", str(self.folder), "--round", number, "--", text
            ),
        )
        after = look(self.folder)
        self.require_results(before, after)
        new_byes = after.byes - before.byes
        if outcome.exit_code == 0 and new_byes:
            assert not before.byes - after.byes, self.story("a bye is gone")
            ((_, reached),) = new_byes
            self.require_meant(before, typed, reached)
            self.done["bye"] += 1

    def drop(self, before: Seen) -> None:
        off = ["--off"] if self.random.random() < 0.4 else []
        typed, outcome = self.name_player(
            self.draw_player(before),
            before,
            lambda text: self.run("drop", str(self.folder), *off, "--", text),
        )
        after = look(self.folder)
        self.require_results(before, after)
        changed = {
            each
            for each in self.changed_players(before, after)
            if before.players[each].get("active") or not is_yes(after.players[each])
        }
        if outcome.exit_code == 0 and changed:
            assert len(changed) == 1, self.story(f"several changed: {changed}")
            self.require_meant(before, typed, changed.pop())
            self.done["drop"] += 1

    def edit(self, before: Seen) -> None:
        new = self.random.choice(
            [
                ["--set", f"rating={self.random.randint(1000, 2400)}"],
                ["--name", self.random.choice(NAMES)],
                ["--set", f"fide_id={self.random.choice(FIDE_NUMBERS)}"],
            ]
        )
        typed, outcome = self.name_player(
            self.draw_player(before),
            before,
            lambda text: self.run("edit", str(self.folder), *new, "--sure", "--", text),
        )
        after = look(self.folder)
        self.require_results(before, after)
        assert before.byes == after.byes, self.story("byes changed")
        assert before.forbidden == after.forbidden, self.story("pairs changed")
        changed = self.changed_players(before, after)
        if outcome.exit_code == 0 and changed:
            assert len(changed) == 1, self.story(f"several changed: {changed}")
            self.require_meant(before, typed, changed.pop())
            self.done["edit"] += 1

    def forbid(self, before: Seen) -> None:
        other = self.draw_player(before)
        other_text = self.clear_text(before, other)
        typed, outcome = self.name_player(
            self.draw_player(before),
            before,
            lambda text: self.run("forbid", str(self.folder), "--", text, other_text),
        )
        after = look(self.folder)
        self.require_results(before, after)
        added = [*(after.forbidden - before.forbidden)]
        if outcome.exit_code == 0 and added:
            assert not before.forbidden - after.forbidden, self.story("a pair is gone")
            (pair,) = added
            assert other in pair, self.story(f"{pair} without {other!r}")
            (reached,) = pair - {other} or pair
            self.require_meant(before, typed, reached)
            self.done["forbid"] += 1

    def remove(self, before: Seen) -> None:
        if len(before.players) < 5:
            return
        typed, outcome = self.name_player(
            self.draw_player(before),
            before,
            lambda text: self.run("remove", str(self.folder), "--", text),
        )
        after = look(self.folder)
        self.require_results(before, after)
        gone = before.players.keys() - after.players.keys()
        if outcome.exit_code == 0:
            (reached,) = gone
            self.require_meant(before, typed, reached)
            assert self.changed_players(before, after) == gone
            of_others = [bye for bye in (before.byes - after.byes) if bye[1] != reached]
            assert not of_others, self.story(f"byes gone: {of_others}")
            pairs_of_others = [
                pair
                for pair in before.forbidden - after.forbidden
                if reached not in pair
            ]
            assert not pairs_of_others, self.story(f"pairs gone: {pairs_of_others}")
            self.done["remove"] += 1

    def enter(self, before: Seen) -> None:
        name = self.random.choice(NAMES)
        cells = self.random.choice(
            [
                [],
                ["--set", f"fide_id={self.random.choice(FIDE_NUMBERS)}"],
                ["--set", f"name={self.random.choice(NAMES)}"],
            ]
        )
        outcome = self.run("enter", str(self.folder), *cells, "--sure", "--", name)
        after = look(self.folder)
        self.require_results(before, after)
        if outcome.exit_code == 0:
            new = after.players.keys() - before.players.keys()
            assert len(new) == 1, self.story("nobody is new")
            self.done["enter"] += 1
        assert self.changed_players(before, after) <= (
            after.players.keys() - before.players.keys()
        )

    def pair(self, before: Seen) -> None:
        target = self.draw_player(before)
        other = self.draw_player(before)
        kind = self.random.choice(
            ["", "--drop", "--no-bye", "--request-bye", "--forbid", "--force", "--bye"]
        )

        def act(text: str) -> Result:
            words = [kind, text] if kind else []
            if kind in ("--forbid", "--force"):
                words = [f"{kind}={text}:{self.clear_text(before, other)}"]
            elif kind:
                words = [f"{kind}={text}"]
            return self.run("pair", str(self.folder), *words)

        typed, outcome = self.name_player(target, before, act)
        after = look(self.folder)
        self.require_results(before, after)
        if outcome.exit_code != 0 or after.last_round == before.last_round:
            return
        self.done[f"pair {kind}"] += 1
        number = str(after.last_round)
        new_pairs = [pair for pair_round, pair in after.pairs if pair_round == number]
        playing = {player for pair in new_pairs for player in pair}
        for pair in before.forbidden:
            assert pair not in new_pairs, self.story(f"{pair} is forbidden and met")
        for bye_round, player in before.byes:
            is_out = bye_round != number or player not in playing
            assert is_out, self.story(f"{player!r} has a bye and plays")
        meant = self.claims(before, typed)
        if len(meant) != 1 or not kind:
            return
        if kind in ("--drop", "--request-bye", "--bye"):
            assert meant[0] not in playing, self.story(f"{meant} plays")
        elif kind == "--no-bye":
            is_active = is_yes(before.players[meant[0]])
            has_bye = (number, meant[0]) in after.byes - before.byes
            assert not (is_active and has_bye), self.story(f"{meant} has the bye")
        else:
            is_made = frozenset((meant[0], other)) in new_pairs
            assert is_made == (kind == "--force"), self.story(f"{meant} - {other}")

    def result(self, before: Seen) -> None:
        if not before.open_tables:
            return
        table = self.random.choice([*before.open_tables])
        first, second = before.open_tables[table]
        score = self.random.choice(self.scores)
        outcome = self.run("result", str(self.folder), table, score)
        after = look(self.folder)
        self.require_results(before, after)
        added = [*(after.results - before.results)]
        if outcome.exit_code == 0:
            ((_, points),) = added
            assert {player for player, _ in points} == {first, second}, self.story("x")
            self.done["result"] += 1

    def opponent(self, before: Seen) -> None:
        in_round = [
            {player for player, _ in points}
            for number, points in before.results
            if number == str(before.last_round)
        ]
        if len(in_round) < 2 or before.open_tables:
            return
        target = self.random.choice([*before.players])
        typed, outcome = self.name_player(
            target,
            before,
            lambda text: self.run(
                "result", str(self.folder), "1", f"--opponent={text}"
            ),
        )
        after = look(self.folder)
        total = sum(before.results.values()), sum(before.pairs.values())
        assert total == (sum(after.results.values()), sum(after.pairs.values()))
        added = after.pairs - before.pairs
        if outcome.exit_code == 0 and added:
            table_one = next(
                row
                for row in read_rows(self.folder / "matches.csv")
                if row["round"] == str(before.last_round) and row["table"] == "1"
            )
            self.require_meant(before, typed, table_one["player2"])
            self.done["opponent"] += 1

    def undo(self, before: Seen) -> None:
        files = {
            name: (self.folder / name).read_bytes()
            for name in ("players.csv", "event.toml", "matches.csv")
            if (self.folder / name).exists()
        }
        identifier = self.draw_player(before)
        try:
            commands.edit(self.folder, identifier, {"rating": "1234"}, sure=True)
        except PairoptError:
            return
        after = look(self.folder)
        assert self.changed_players(before, after) <= {identifier}, self.story(
            f"from Python {identifier!r} is another player"
        )
        if after != before:
            assert self.run("undo", str(self.folder)).exit_code == 0
        for name, content in files.items():
            assert (self.folder / name).read_bytes() == content, self.story(name)
        self.done["undo"] += 1

    def mend(self, before: Seen) -> None:
        file = self.random.choice(
            ["matches.csv", "players.csv", "log.csv", "event.toml"]
        )
        path = self.folder / file
        if not path.exists():
            return
        content = path.read_bytes()
        cut = self.random.choice([0, len(content) // 2, len(content) - 3])
        path.write_bytes(content[:cut])
        outcome = self.run("mend", str(self.folder), "--yes")
        if outcome.exit_code != 0:
            path.write_bytes(content)
        after = look(self.folder)
        assert after == before, self.story(f"mend {file} {cut}: {outcome.output}")
        self.done["mend"] += 1

    def repair(self, before: Seen) -> None:
        """A round that is paired again keeps each result and each bye."""
        outcome = self.run("pair", str(self.folder), "--again", "--against-fide")
        after = look(self.folder)
        self.require_results(before, after)
        if outcome.exit_code != 0:
            assert after == before, self.story("a refusal changed a file")
            return
        number = str(before.last_round)
        playing = [
            player
            for pair_round, pair in after.pairs
            if pair_round == number
            for player in pair
        ]
        assert len(playing) == len({*playing}), self.story("somebody plays twice")
        self.done["repair"] += 1

    def ratings(self, before: Seen) -> None:
        """The list's values go to the player of the FIDE number, or to nobody."""
        target = self.draw_player(before)
        typed, outcome = self.name_player(
            target,
            before,
            lambda text: self.run(
                "ratings",
                str(self.folder),
                *("--lists", str(self.folder.parent / "lists")),
                *("--apply", "--sure", f"--player={text}"),
            ),
        )
        after = look(self.folder)
        self.require_results(before, after)
        changed = self.changed_players(before, after)
        if outcome.exit_code == 0 and changed:
            assert len(changed) == 1, self.story(f"several changed: {changed}")
            (reached,) = changed
            self.require_meant(before, typed, reached)
            number = after.players[reached]["fide_id"].lstrip("0")
            expected = str(1000 + int(number) % 100)
            assert after.players[reached]["rating"] == expected, self.story("rating")
            self.done["ratings"] += 1

    def write_by_hand(self, before: Seen) -> None:
        """Somebody writes a bye into event.toml, by a text that means one player.

        The next command reads it; the bye must be that player's at the end.
        """
        target = self.draw_player(before)
        text = self.draw_text(target, before.players[target])
        if self.claims(before, text) != [target] or has_hidden_end(text):
            return
        path = self.folder / "event.toml"
        content = path.read_text(encoding="utf-8")
        number = before.last_round + 2
        if (str(number), target) in before.byes:
            return
        quoted = "".join(f"\\u{ord(sign):04x}" for sign in text)
        entry = f'\n[[byes]]\nplayer = "{quoted}"\nround = {number}\n'
        path.write_text(content + entry, encoding="utf-8")
        self.log.append(f"by hand: a bye of {text!r} in round {number}")
        refusal = None
        try:
            other = self.draw_player(before)
            commands.edit(self.folder, other, {"rating": "1717"}, sure=True)
            commands.bye(self.folder, target, round=number, off=True)
        except PairoptError as error:
            refusal = error
        if refusal is not None:
            path.write_text(content, encoding="utf-8")
            is_lost = refusal.kind == "bye.none_there"
            assert not is_lost, self.story("the bye was another player's")
            self.log.append(f"taken back: {refusal}")
            return
        after = look(self.folder)
        assert after.byes == before.byes, self.story("the bye was another player's")
        self.done["by hand"] += 1

    def show(self, before: Seen) -> None:
        """Lists and pages have each player once, and nothing that nobody sees."""
        list_name = self.random.choice(["starting-list", "ranking", "pairings"])
        outcome = self.run("print", str(self.folder), list_name, "--format", "csv")
        if outcome.exit_code == 0 and list_name != "pairings":
            rows = [*csv.DictReader(outcome.stdout.splitlines())]
            names = [row["name"] for row in rows]
            looks = Counter(normalize("NFKC", name).casefold() for name in names)
            assert len(names) == len(before.players)
            assert max(looks.values()) == 1, self.story(f"not told apart: {looks}")
            self.require_visible("".join(names))
        site = self.folder.parent / "site"
        shutil.rmtree(site, ignore_errors=True)
        outcome = self.run("publish", str(self.folder), str(site))
        for page in site.glob("*.html"):
            self.require_visible(page.read_text(encoding="utf-8"))
        self.done["show"] += 1

    def require_visible(self, text: str) -> None:
        """A text has no character that reorders or hides others, but for isolates."""
        hidden = {sign for sign in text if category(sign) == "Cf"} - {"\u00ad"}
        assert not hidden & {*"\u202a\u202b\u202d\u202e\u200b\u200f\u200e"}, self.story(
            f"hidden characters: {[*map(hex, map(ord, hidden))]}"
        )


def has_hidden_end(text: str) -> bool:
    """Whether a text begins or ends with blanks, which pairopt strips."""
    return text != text.strip()


def write_list(folder: Path) -> Path:
    """Write a rating list: FIDE number 91000002 has the rating 1002, and so on."""
    rows = [
        f'"Nobody, Else{number[-1]}",{1000 + int(number) % 100},{number}'
        for number in FIDE_NUMBERS
    ]
    path = folder / "national.csv"
    path.write_text("\n".join(["Name,Rating,FIDE ID", *rows, ""]), encoding="utf-8")
    return path


def is_yes(row: Row) -> bool:
    """Whether a player is active, by a row of players.csv."""
    return (row.get("active") or "true").lower() in ("true", "yes", "1", "")


def attack(folder: Path, seed: int, steps: int) -> Counter[str]:
    """Found an event and take steps; return how often each step did something."""
    random = Random(seed)
    watcher = Watcher(folder / "event", random)
    listed = folder / "list.csv"
    for _ in range(20):
        content = draw_list(random)
        listed.write_text(content, encoding="utf-8")
        shutil.rmtree(folder / "event", ignore_errors=True)
        words = ["new", str(folder / "event"), "--players", str(listed), "--sure"]
        outcome = CliRunner().invoke(main, [*words, *watcher.rules])
        if outcome.exit_code == 0:
            break
        assert outcome.exit_code in (2, 3), outcome.output
    else:
        return watcher.done
    watcher.log.append(content)
    words = ["lists", "add", str(write_list(folder)), "--lists", str(folder / "lists")]
    added = CliRunner().invoke(
        main, [*words, "--name", "national", "--month", "2026-11"]
    )
    assert added.exit_code == 0, added.output
    for _, step in zip(range(steps), watcher.steps(), strict=False):
        step(look(watcher.folder))
    return watcher.done
