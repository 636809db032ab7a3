"""The promises of an event folder, from outside: commands, pages and files, and no other code.

`machine` plays random events by commands, by the page's forms, by an editor and under kills, and
asks after every step what `laws` says of the files before and after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import fewest
import laws
import pytest
import spoiling
from hands import Said, apart, command
from machine import Evening, Event, Op, exact_models, found, run, smallest
from outside import Seen, look

HEAD = "round,table,player1,player2,side1,score1,score2,status\n"
FIRST = "1,1,A,B,white,1,0,\n1,2,C,D,white,0,1,\n1,,E,,,1,,bye\n"
BEFORE = FIRST + "2,1,A,D,black,1,0,\n2,2,C,B,white,,,\n2,,E,,,1,,bye\n"
PLAYERS = "player,active\nA,true\nB,true\nC,true\nD,true\nE,true\n"
TOML = b'title = "t"\nmodel = "monrad"\nsides = ["white", "black"]\n[points]\nwin = 1\n'
FINE = Said(0, "", "No table changes. 2 tables stay as published.")


def seen(matches: str, log: str = "step,verb\n1,new\n", players: str = PLAYERS) -> Seen:
    """A folder with these rows."""
    files = {"matches.csv": HEAD + matches, "players.csv": players, "log.csv": log}
    return Seen(
        {"event.toml": TOML, **{name: text.encode() for name, text in files.items()}}
    )


def broken(found: Iterable[laws.Breach]) -> set[str]:
    return {breach.law for breach in found}


def swapped(old: str, new: str) -> Seen:
    assert old in BEFORE
    return seen(BEFORE.replace(old, new))


VERBS = {
    "new",
    "pair",
    "result",
    "repair",
    "enter",
    "drop",
    "back",
    "bye",
    "forbid",
    "table",
    "check-in",
    "rename",
    "edit",
    "set",
    "undo",
    "mend",
    "bracket",
}
"""Those that change a folder, each with its law; `serve` is played by its forms."""

REPAIRED: Callable[[Seen, Seen], Any] = lambda a, b: laws.repaired(a, b, FINE, set())  # noqa: E731
RESULT: Callable[[Seen, Seen], Any] = lambda a, b: laws.result(("2", "1-0"), a, b)  # noqa: E731
PLANTED = {
    "a result is erased": (
        laws.same_rows,
        ("2,1,A,D,black,1,0,", "2,1,A,D,black,,,"),
        "facts",
    ),
    "a row is gone": (laws.same_rows, ("1,2,C,D,white,0,1,\n", ""), "facts"),
    "a table is turned": (
        REPAIRED,
        ("2,1,A,D,black,1,0,", "2,1,D,A,black,,,"),
        "facts",
    ),
    "turned with its result": (REPAIRED, ("A,D,black,1,0", "D,A,white,0,1"), "facts"),
    "a side is another": (laws.same_rows, ("A,D,black,1", "A,D,white,1"), "facts"),
    "a result is moved": (REPAIRED, ("2,1,A,D", "2,7,A,D"), "facts"),
    "a status is another": (
        laws.same_rows,
        ("A,B,white,1,0,", "A,B,white,1,0,forfeit"),
        "facts",
    ),
    "a result comes from nowhere": (
        laws.same_rows,
        ("C,B,white,,,", "C,B,white,1,0,"),
        "facts",
    ),
    "an open table is another": (
        laws.same_rows,
        ("C,B,white", "B,C,white"),
        "open tables",
    ),
    "another table has the result": (
        RESULT,
        ("A,D,black,1,0", "A,D,black,0,1"),
        "facts",
    ),
    "another result than asked": (RESULT, ("C,B,white,,,", "C,B,white,0,1,"), "result"),
    "a result for others": (RESULT, ("C,B,white,,,", "B,C,white,1,0,"), "facts"),
    "a bye of a round that is over": (laws.same_rows, ("1,,E,,,1,,bye\n", ""), "byes"),
    "an older round": (REPAIRED, ("1,,E,,,1,,bye\n", ""), "older rounds"),
    "a table that stays is turned": (REPAIRED, ("C,B,white", "B,C,white"), "numbers"),
    "twice in a round": (REPAIRED, ("2,,E,,,1,,bye", "2,,A,,,1,,bye"), "once"),
    "nobody is left out": (REPAIRED, ("2,,E,,,1,,bye\n", ""), "who is in"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_laws_see_what_is_planted(name: str) -> None:
    law, change, wanted = PLANTED[name]
    assert broken(law(seen(BEFORE), swapped(*change))) >= {wanted}
    if law is not RESULT:
        assert not broken(law(seen(BEFORE), seen(BEFORE)))


def test_the_log_and_what_is_refused() -> None:
    one, two = "step,verb,table\n1,new,\n", "step,verb,table\n1,new,\n2,drop,\n"
    other = BEFORE.replace("C,B,white,,,", "C,B,white,1,0,")
    assert not broken(laws.log_goes_on(seen(BEFORE, one), seen(other, two), hand=False))
    assert broken(
        laws.log_goes_on(seen(BEFORE, one), seen(other, one), hand=False)
    ) == {"log"}
    assert broken(
        laws.log_goes_on(seen(BEFORE, two), seen(BEFORE, one), hand=False)
    ) == {"log"}
    skipped = two.replace("2,drop", "3,drop")
    assert broken(
        laws.log_goes_on(seen(BEFORE, one), seen(other, skipped), hand=False)
    ) == {"log"}
    three = two + "3,result,\n"
    assert broken(
        laws.log_goes_on(seen(BEFORE, one), seen(other, three), hand=False)
    ) == {"log"}
    assert not broken(
        laws.log_goes_on(seen(BEFORE, one), seen(other, three), hand=True)
    )
    assert broken(laws.nothing_done(seen(BEFORE), seen(other), hand=False)) == {
        "refused"
    }
    assert broken(laws.nothing_done(seen(BEFORE, one), seen(BEFORE, two), False)) == {
        "refused"
    }
    assert not broken(laws.nothing_done(seen(BEFORE), seen(BEFORE), hand=False))


def test_a_match_of_the_cut_that_opens_again_has_a_line() -> None:
    bracket = "match,score1,score2\nB1,{},0\nB2,{},0\nB3,{},0\n"
    log = "step,verb,table\n1,new,\n"

    def cut(new: str, *scores: str) -> Seen:
        files = {
            **seen(BEFORE, log + new).files,
            "bracket.csv": bracket.format(*scores).encode(),
        }
        return Seen(files)

    before = cut("", "2", "2", "2")
    reopened = cut("2,result,B3\n3,result,B1\n", "1", "2", "")
    assert not broken(laws.log_goes_on(before, reopened, hand=False))
    unchanged = cut("2,result,B3\n3,result,B1\n", "1", "2", "2")
    assert broken(laws.log_goes_on(before, unchanged, hand=False)) == {"log"}
    assert laws.reopened(before, cut("2,result,B1\n", "1", "2", "")) == set()


def test_a_refusal_writes_into_event_toml_only_how_a_hand_broke_fide_mode() -> None:
    log = "step,verb,who\n1,new,\n"
    before = seen(BEFORE, log)
    taken_in = seen(BEFORE, log + "2,edited by hand,by hand\n").files
    broke = b'\n[[breaches]]\nkind = "mode.hand"\nround = 1\n'
    after = Seen({**taken_in, "event.toml": TOML + broke})
    assert not broken(laws.nothing_done(before, after, hand=True))
    assert broken(laws.nothing_done(before, after, hand=False)) == {"refused"}
    renamed = Seen({**taken_in, "event.toml": TOML.replace(b'"t"', b'"u"') + broke})
    assert broken(laws.nothing_done(before, renamed, hand=True)) == {"refused"}


def test_the_fewest_tables_by_hand() -> None:
    """E is out of four; whom B and D met in round 1 decides whether one table will do."""
    first = "1,1,A,B,white,1,0,\n1,2,C,D,white,1,0,\n1,3,E,F,white,1,0,\n"
    now = "2,1,A,C,white,,,\n2,2,E,B,white,,,\n2,3,D,F,white,,,\n"
    names = ("A", "B", "C", "D", "E", "F")
    players = "player,active\n" + "".join(
        f"{n},{str(n != 'E').lower()}\n" for n in names
    )
    best = fewest.fewest(seen(first + now, players=players), set())
    assert best is not None
    assert best.tables == 1, "B has the bye"
    had = first + "1,,B,,,1,,bye\n"
    standard = TOML.replace(b"monrad", b"fide-basic")
    files = {**seen(had + now, players=players).files, "event.toml": standard}
    best = fewest.fewest(Seen(files), set())
    assert best is not None
    assert best.tables == 2, "B had a bye, and so somebody else gives up a table"
    met = "".join(
        f"1,{k},{a},{b},white,1,0,\n"
        for k, (a, b) in enumerate((a, b) for a in names for b in names if a < b)
    )
    none = fewest.fewest(seen(met + now, players=players), set())
    assert none is not None
    assert none.tables is None, "everybody has met everybody"


@pytest.mark.long
def test_every_verb_that_changes_a_folder_is_known() -> None:
    """`--help` lists them: a new one is to be played by the machine, and has its law."""
    lines = command("--help").out.partition("Commands:")[2].splitlines()
    verbs = {line.split()[0] for line in lines if re.match(r"  \S", line)}
    folder = {
        v for v in verbs if re.search(r"Usage:.* FOLDER\b", command(v, "--help").out)
    }
    assert folder - {"serve"} <= VERBS


def held(steps: int, seed: int, home: Path, **how: Any) -> None:
    """So many steps, and no breach; else the fewest steps that show the first."""
    counts, breaches = run(steps, seed, home / "run", **how)
    assert counts[how.get("goal", "steps")] >= steps
    if breaches:
        ops, text = smallest(breaches[0], home / "smallest", seconds=8)
        said = "\n".join(map(str, ops))
        pytest.fail(
            f"[{breaches[0].breach.law}] {text}\n{said}\n({len(breaches)} in all)"
        )


def players(count: int) -> str:
    return "player,rating,club\n" + "".join(
        f"p{k},{2000 - 10 * k},c{k % 3}\n" for k in range(count)
    )


SPOILED = (
    (6, "--model", "standard", "--seed", "5"),
    ("run", "pair"),
    ("run", "result", "1", "3-0"),
    ("run", "result", "2", "1-1"),
    ("run", "result", "3", "0-3"),
)
"""An event whose files are going to be others."""

CASES: dict[str, tuple[tuple[Any, ...], ...]] = {
    "a repair turns a table with a result": (
        (6, "--model", "fide-basic", "--seed", "4", "--rounds", "5"),
        ("run", "pair"),
        ("run", "result", "2", "1-0"),
        ("run", "result", "3", "1-0"),
        ("run", "drop", "p0"),
        ("run", "repair"),
    ),
    "with another seed": (
        (
            4,
            "--model",
            "leaguevine",
            "--seed",
            "5",
            "--sides",
            "white,black",
            "--points",
            "3-1-0",
        ),
        ("run", "pair"),
        ("run", "result", "1", "3F-0F"),
        ("run", "repair", "--seed", "0"),
    ),
    "a table that is kept is turned": (
        (7, "--model", "gatherling", "--seed", "6", "--sides", "corp,runner"),
        ("run", "pair"),
        ("run", "repair", "--keep", "2", "--seed", "3"),
    ),
    "what failed is done later": (
        (5, "--model", "cobra", "--seed", "79"),
        ("full", 2, "drop", "p1"),
    ),
    "what failed is begun": (
        (5, "--model", "cobra", "--seed", "79"),
        ("full", 6, "drop", "p1"),
    ),
    "a result is deleted by hand": (
        (4, "--model", "aesops-2025", "--seed", "46"),
        ("run", "pair"),
        ("run", "result", "2", "0-3"),
        ("edit", "delete", 0),
        ("run", "result", "1", "3-0"),
    ),
    "another's log, and an event.toml with its id and zeros": (
        *SPOILED,
        ("spoil", ("log.csv of another", "event.toml zeros"), 0),
        ("spoil", ("log.csv of another", "event.toml zeros"), 3),
    ),
    "an id that was deleted, then another's log": (
        *SPOILED,
        ("spoil", ("event.toml no id",), 0),
        ("spoil", ("log.csv of another",), 0),
    ),
    "the log goes on with another's": (
        *SPOILED,
        ("spoil", ("log.csv of both", "event.toml another id"), 653),
        ("run", "pair"),
    ),
    "another id, and a log that was cut": (
        *SPOILED,
        ("spoil", ("log.csv cut after a line", "event.toml another id"), 888),
        ("run", "undo"),
    ),
    "a cut line of the log runs together with another one": (
        *SPOILED,
        ("spoil", ("log.csv cut", "log.csv rows shuffled"), 18),
        ("run", "undo"),
    ),
    "a result of the cut opens a later match again": (
        (6, "--model", "standard", "--seed", "5", "--rounds", "1"),
        ("run", "pair"),
        ("run", "result", "1", "3-0"),
        ("run", "result", "2", "3-0"),
        ("run", "result", "3", "3-0"),
        ("run", "bracket", "--cut", "4", "--by-lot", "--seed", "1"),
        ("run", "result", "B1", "2-0"),
        ("run", "result", "B2", "2-0"),
        ("run", "result", "B3", "2-0"),
        (
            "post",
            "results",
            "/results/score?bracket=1&at=B1",
            (("score", "0-2"),),
            None,
            True,
            (),
        ),
    ),
    "an edit by hand leaves FIDE mode, and a repair is refused": (
        (8, "--model", "fide-burstein", "--seed", "7", "--rounds", "6"),
        ("run", "pair"),
        ("run", "result", "2", "1-0"),
        ("edit", "turn", 0),
        ("run", "repair"),
    ),
    "a page takes in an edit by hand, and asks before it re-pairs": (
        (4, "--model", "fide-dutch", "--seed", "7", "--rounds", "6"),
        ("run", "pair"),
        ("run", "result", "1", "1-0"),
        ("run", "enter", "new 1"),
        ("run", "enter", "new 2"),
        ("edit", "order", 0),
        ("post", "round/again", "/round/again/publish", (), None, True),
    ),
    "the log and the journal have lost one step": (
        (6, "--model", "standard", "--seed", "5"),
        ("run", "pair"),
        ("run", "result", "1", "3-0"),
        ("damage", "journal gone", 0.5),
        ("run", "result", "2", "3-0"),
        ("damage", "log.csv gone", 0.5),
        ("run", "undo", "--to", "4"),
        ("run", "result", "3", "3-0"),
        ("run", "undo"),
    ),
    "an undo to a step of before a damage, and another undo": (
        (4, "--model", "standard", "--seed", "5"),
        ("run", "pair"),
        ("damage", "matches.csv cut", 0.01),
        ("run", "undo", "--steps", "2"),
        ("run", "pair"),
        ("run", "undo"),
    ),
    "a preview that asks two questions": (
        (6, "--model", "fide-burstein", "--seed", "5", "--rounds", "5"),
        *(
            ("run", "result", str(k), "1-0") if k else ("run", "pair")
            for k in (0, 1, 2, 3) * 2
        ),
        ("run", "pair"),
        ("run", "enter", "new 1"),
        ("run", "repair", "--preview"),
    ),
    "mend brings back a result that was deleted by hand": (
        *SPOILED,
        ("edit", "delete", 0),
        ("run", "mend", "--yes"),
    ),
    "another's log, and no matches": (
        *SPOILED,
        ("spoil", ("log.csv of another", "matches.csv gone"), 0),
        ("run", "undo"),
    ),
    "another's journal, and damage": (
        (5, "--model", "standard", "--seed", "5"),
        ("run", "pair"),
        ("run", "result", "1", "3-0"),
        ("foreign", 1, True),
    ),
}
"""Small events that broke a law once."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
def test_what_broke_once(name: str, tmp_path: Path) -> None:
    (count, *args), *steps = CASES[name]
    apart(tmp_path)
    event = Event(tmp_path)
    assert not found(event, players(int(count)), *map(str, args))
    for kind, *given in steps:
        assert not list(map(str, event.do(Op(str(kind), tuple(given)))))
    asked = event.counts["asked: sure"]
    assert event.counts["steps"] == len(steps) + 1 + asked


@pytest.mark.long
@pytest.mark.parametrize("seed", [23])
def test_events_by_all_hands(seed: int, tmp_path: Path) -> None:
    held(35, seed, tmp_path, fates=False)


@pytest.mark.long
@pytest.mark.parametrize("seed", [19])
def test_an_evening_of_repairs(seed: int, tmp_path: Path) -> None:
    held(6, seed, tmp_path, player=Evening, goal="repairs")


@pytest.mark.sweep
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))]
)
def test_each_fault_of_a_log_an_id_and_matches(seed: int, tmp_path: Path) -> None:
    (count, *args), *steps = SPOILED
    apart(tmp_path)
    event = Event(tmp_path)
    assert not found(event, players(int(count)), *map(str, args))
    for kind, *given in steps:
        assert not list(map(str, event.do(Op(str(kind), tuple(given)))))
    for fault in spoiling.FAULTS:
        assert not list(map(str, event.do(Op("spoil", ((fault,), seed)))))
    assert event.counts["spoil"] == len(spoiling.FAULTS)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "seed", [11, *(pytest.param(k, marks=pytest.mark.slow) for k in (12, 13))]
)
def test_more_events_with_kills(seed: int, tmp_path: Path) -> None:
    held(60, seed, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [11, pytest.param(12, marks=pytest.mark.slow)])
def test_more_evenings_of_repairs(seed: int, tmp_path: Path) -> None:
    held(15, seed, tmp_path, player=Evening, goal="repairs")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_twenty_thousand_steps_with_kills(seed: int, tmp_path: Path) -> None:
    held(1000, seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 220))
def test_ten_thousand_repairs(seed: int, tmp_path: Path) -> None:
    held(500, seed, tmp_path, player=Evening, goal="repairs", fates=False)


@pytest.mark.slow
def test_all_verbs_and_all_forms_are_played(tmp_path: Path) -> None:
    counts, _ = run(2500, 300, tmp_path)
    assert not {verb for verb in VERBS - {"new"} if not counts[f"run {verb}"]}
    forms = {name.removeprefix("seen ") for name in counts if name.startswith("seen ")}
    assert not {form for form in forms if not counts[f"post {form}"]}
    assert {model for model in exact_models() if not counts[f"model {model}"]} == set()


def test_a_folder_is_read_as_it_is_written(tmp_path: Path) -> None:
    """Separators, marks and halves; what is done again does the same."""
    text = "\ufeffRound;Table;Player1;Player2;Side1;Score1;Score2;Status\n1;1;A;B;white;0,5;½;\n"
    (tmp_path / "matches.csv").write_text(text, "utf-8")
    (row,) = look(tmp_path).facts
    assert [float(s) for s in row.scores if s is not None] == [0.5, 0.5]
    assert str(Op("run", ("pair", "--seed", "5"))) == "pairopt pair FOLDER '--seed' '5'"
