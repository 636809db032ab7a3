"""The test vectors: made by oracles, held against the engines and a third writing of the rules."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import make_vectors
import pytest
from places import ROOT
from sampled import one_in

sys.path.insert(0, str(ROOT / "examples" / "vectors"))
sys.path.insert(0, str(ROOT / "examples" / "library"))

import answer as answering
import validate

FOLDER = ROOT / "examples" / "vectors"
FILES = sorted(path for path in FOLDER.glob("*.json") if path.stem != "schema")
NAMES = [path.stem for path in FILES]
SCHEMA = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
Vector = dict[str, Any]
Pairs = list[list[str | None]]
RUNNERS = {
    "python": (sys.executable, "run.py"),
    "node": ("node", "run.js"),
    "ruby": ("ruby", "run.rb"),
    "go": ("go", "run", "run.go"),
}


@cache
def group(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    )
    return content


def vectors() -> Iterator[Vector]:
    for name in NAMES:
        yield from group(name)["vectors"]


def ordered(pairing: Any, sides: Any) -> list[list[str | None]]:
    """Matches in order; where there are no sides, players in order too."""
    return sorted(
        (list(p) if sides or None in p else sorted(p) for p in pairing), key=str
    )


def test_there_are_three_hundred_each_with_its_own_name_and_facts() -> None:
    every = [*vectors()]
    assert len(every) >= 300
    assert len({v["id"] for v in every}) == len(every)
    wanted = {
        "rematch",
        "bye",
        "second_bye",
        "sides",
        "floats",
        "late_entry",
        "forfeit",
        "forbidden_pair",
        "disputes",
        *(f"dutch-c{k:02}" for k in range(1, 22)),
    }
    assert wanted <= {*NAMES}
    for name in NAMES:
        facts = [json.dumps(v["facts"]) for v in group(name)["vectors"]]
        assert len(set(facts)) == len(facts), name


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_files_keep_the_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(group(name), SCHEMA)
    assert group(name)["group"] == name


def _changed(change: Callable[[Vector], None]) -> dict[str, Any]:
    made = copy.deepcopy(group("bye"))
    change(made["vectors"][0])
    return made


@pytest.mark.sweep
@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.pop("why"),
        lambda v: v.update(best=None),
        lambda v: v["best"][0][0].append("A"),
        lambda v: v["best"][0][0].__setitem__(0, None),
        lambda v: v["facts"].pop("active"),
        lambda v: v["facts"]["matches"][0].update(status="won"),
        lambda v: v["facts"]["matches"][0].update(scores=[3, 0]),
        lambda v: v["facts"]["points"].update(win="three"),
        lambda v: v["facts"].update(rules={"system": "dutch"}),
        lambda v: v.update(extra=1),
    ],
)
def test_the_schema_refuses_what_is_no_vector(change: Callable[[Vector], None]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(_changed(change), SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_answers_hang_together(name: str) -> None:
    """Everybody once in every pairing; the best are legal; without the rule none of them comes."""
    for v in group(name)["vectors"]:
        facts, sides = v["facts"], v["facts"]["sides"]
        legal = [ordered(p, sides) for p in v["legal"]]
        for pairing in legal:
            there = sorted(name for pair in pairing for name in pair if name)
            assert there == sorted(facts["active"]), v["id"]
        assert len({str(p) for p in legal}) == len(legal)
        best = [ordered(p, sides) for p in v["best"]]
        assert all(p in legal for p in best), v["id"]
        assert bool(best) == bool(legal), v["id"]
        assert all(ordered(p, sides) not in best for p in v["without"] or []), v["id"]
        assert (v["without"] is None) == (v["decides"] == "C4"), v["id"]


@pytest.mark.parametrize("name", one_in(3, NAMES))
@pytest.mark.sweep
def test_engines_find_the_best(name: str) -> None:
    """Each engine's pairing is one of the best; of a third their number is what is counted."""
    for number, v in enumerate(group(name)["vectors"]):
        facts, sides = v["facts"], v["facts"]["sides"]
        best = [ordered(p, sides) for p in v["best"]] or [[]]
        for engine in ("matching", "cpsat"):
            found = answering.result(facts, engine=engine)
            assert ordered(answering.pairing(found), sides) in best, (v["id"], engine)
        if not facts["trf"] and v["best"] and number % 3 == 0:
            counted = answering.result(facts, count=True).choice
            assert counted is not None
            assert counted.count is not None
            assert counted.count.value == len(best), v["id"]


# ---------------------------------------------------------------------- a third writing


def _files(facts: Vector) -> dict[str, str]:
    """The facts as an event folder that validate.py reads."""
    rows = ["round,player1,player2,side1,score1,score2,status"]
    for m in facts["matches"]:
        status = "" if m["status"] == "played" else m["status"]
        side = facts["sides"][0] if facts["sides"] and m["second"] else ""
        rows.append(
            f"{m['round']},{m['first']},{m['second'] or ''},{side},{m['scores'][0]},"
            f"{m['scores'][1] or ''},{status}"
        )
    players = ["player,rating,club,active"]
    players += [
        f"{p['id']},{p.get('rating', '')},{p.get('club', '')},yes"
        for p in facts["players"]
    ]
    points = facts["points"]
    forbid = json.dumps(facts["forbidden"])
    event = [
        f"forbid = {forbid}",
        'model = "vector"',
        "[points]",
        f"win = {points['win']}",
    ]
    return {
        "event.toml": "\n".join(event),
        "players.csv": "\n".join(players),
        "matches.csv": "\n".join(rows),
    }


def _model(rules: Vector) -> str:
    """Rules as a model file."""
    lines = ["[constraints]"]
    lines += [f"{k} = {json.dumps(v)}" for k, v in rules["constraints"].items()]
    for row in rules["criteria"]:
        lines += ["[[criteria]]", *(f"{k} = {json.dumps(v)}" for k, v in row.items())]
    return "\n".join(lines)


def _all_pairings(left: list[str], sided: bool) -> Iterator[Pairs]:
    """Every way to put everybody into matches, and somebody aside where they are odd."""
    if not left:
        yield []
        return
    first, *others = left
    for other in others:
        rest = [n for n in others if n != other]
        for more in _all_pairings(rest, sided):
            yield [[first, other], *more]
            if sided:
                yield [[other, first], *more]
    if len(left) % 2:
        for more in _all_pairings(others, sided):
            yield [[first, None], *more]


def _key(rules: Any, pairing: Pairs) -> list[Any]:
    """Level by level, the largest label first; of two numbers in one the first the other way."""
    found = []
    for rule in rules.criteria:
        levels: dict[Any, Any] = {}
        for one, two in pairing:
            for label, amount in rules.counted(rule, one, two):
                place = [int(k) for k in str(label).split(":")]
                ago = rule["kind"] == "repeat_floats"
                at = (
                    (-place[0], place[1])
                    if len(place) == 2
                    else (-place[0] if ago else place[0],)
                )
                levels[at] = levels.get(at, 0) + amount
        found.append([(at, v) for at, v in sorted(levels.items(), reverse=True) if v])
    return found


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith("dutch")])
@pytest.mark.long
def test_validate_py_lists_the_same(name: str, tmp_path: Path) -> None:
    """The library's validator, which shares no code with oracle and engines, on every pairing."""
    for v in group(name)["vectors"]:
        facts = v["facts"]
        (tmp_path / "vector.toml").write_text(_model(facts["rules"]), encoding="utf-8")
        rules = validate.Rules(validate.Event(_files(facts)), tmp_path)
        sided = bool(facts["sides"])
        every = _all_pairings(sorted(facts["active"]), sided)
        legal = [p for p in every if not any([*rules.broken(*pair)] for pair in p)]
        assert {str(ordered(p, sided)) for p in legal} == {
            str(ordered(p, sided)) for p in v["legal"]
        }, v["id"]
        least = min((_key(rules, p) for p in legal), default=None)
        best = {str(ordered(p, sided)) for p in legal if _key(rules, p) == least}
        assert best == {str(ordered(p, sided)) for p in v["best"]}, v["id"]


# ---------------------------------------------------------------------- runners


ECHO = """
import glob, json, sys
which, folder = sys.argv[1:]
files = [f for f in glob.glob(folder + "/*.json") if not f.endswith("schema.json")]
known = {v["id"]: v for f in files for v in json.load(open(f, encoding="utf-8"))["vectors"]}
for line in sys.stdin:
    v = known[json.loads(line)["id"]]
    turned = which == "turned" or not v["facts"]["sides"]  # without sides it is the same
    pairing = (v.get("best" if which == "turned" else which) or [[]])[-1]
    pairing = [p[::-1] if turned and p[1] else p for p in reversed(pairing)]
    print(json.dumps(None if which == "nothing" else pairing))
"""


def _run(
    language: str, program: Path, which: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    start = "d" if language == "node" else "d*"
    command = [
        *RUNNERS[language],
        start,
        sys.executable,
        str(program),
        which,
        str(folder),
    ]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("language", RUNNERS)
@pytest.mark.long
def test_runners_tell_who_is_right(language: str, tmp_path: Path) -> None:
    """Every runner: all best of who knows the answers; what comes without the rule is called so;
    what is no pairing is wrong. All say the same."""
    if shutil.which(RUNNERS[language][0]) is None:
        pytest.skip(f"{language} is not here")
    folder = tmp_path / "vectors"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    program = tmp_path / "echo.py"
    program.write_text(ECHO, encoding="utf-8")
    right = _run(language, program, "best", folder)
    assert right.returncode == 0, right.stdout + right.stderr
    lines = right.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        n for n in NAMES if n.startswith("d")
    ]
    for line in lines:
        name, *told = line.split()
        many = len(group(name)["vectors"])
        assert told == ["best", str(many), "without", "0", "legal", "0", "wrong", "0"]
    other = _run(language, program, "without", folder)
    assert other.returncode == 1
    for line in other.stdout.splitlines():
        name, *told = line.split()
        many = len(group(name)["vectors"])
        wrong = many if name == "dutch-c04" else 0
        assert told == [
            "best",
            "0",
            "without",
            str(many - wrong),
            "legal",
            "0",
            "wrong",
            str(wrong),
        ]
    turned = _run(language, program, "turned", folder)
    assert turned.returncode == 1
    assert all(
        " best 0 " in line for line in turned.stdout.splitlines() if "dutch-c" in line
    )
    nothing = _run(language, program, "nothing", folder)
    assert nothing.returncode == 1
    assert all(
        " best 0 without 0 legal 0 wrong " in line
        for line in nothing.stdout.splitlines()
    )


@pytest.mark.long
def test_a_fault_in_a_file_is_seen_by_who_knows_the_rules(tmp_path: Path) -> None:
    """Answers exchanged, pairopt is told that it pairs as if the rule were not there."""
    made = copy.deepcopy(group("dutch-c05"))
    for v in made["vectors"]:
        v["best"], v["without"] = v["without"], v["best"]
    for name in ("run.py", "answer.py"):
        shutil.copy(FOLDER / name, tmp_path / name)
    (tmp_path / "dutch-c05.json").write_text(json.dumps(made), encoding="utf-8")
    command = [sys.executable, "run.py", "*", sys.executable, "answer.py"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert f"best 0 without {len(made['vectors'])} " in ran.stdout


# ---------------------------------------------------------------------- made anew


@pytest.mark.parametrize("name", ["bye", "late_entry", "dutch-c05"])
@pytest.mark.long
def test_a_file_is_what_the_oracles_make(name: str) -> None:
    _made_anew(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_every_file_is_what_the_oracles_make(name: str) -> None:
    _made_anew(name)


def _made_anew(name: str) -> None:
    made = make_vectors.text(name, make_vectors.groups()[name]())
    assert made == (FOLDER / f"{name}.json").read_text(encoding="utf-8")
