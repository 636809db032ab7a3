"""The command line as its users see it: output, exit codes, files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from places import ROOT
from simulation import rounds

from pairopt import solve
from pairopt.cli import COMMANDS, main
from pairopt.cli.tables import levels_text
from pairopt.event.table_assignment import COLUMNS
from pairopt.files.write import csv_text
from pairopt.report.views import LevelsView

WEEKLY = [
    str(ROOT / "examples/weekly/matches.csv"),
    "--players",
    str(ROOT / "examples/weekly/players.csv"),
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def event_file(folder: Path, rows: str, name: str = "matches.csv") -> Path:
    path = folder / name
    path.write_text(
        "round,player1,player2,side1,score1,score2,status\n" + rows, encoding="utf-8"
    )
    return path


ALL_MET = (
    "1,a,b,,1,0,\n1,c,d,,1,0,\n2,a,c,,1,0,\n2,b,d,,1,0,\n3,a,d,,1,0,\n3,b,c,,0,1,\n"
)
ONE_ROUND = "1,a,b,,1,0,\n1,c,d,,1,0,\n"
ALL_HAD_A_BYE = (
    "1,a,b,,1,0,\n1,c,,,1,,bye\n2,b,c,,1,0,\n2,a,,,1,,bye\n3,a,c,,1,0,\n3,b,,,1,,bye\n"
)


@pytest.mark.long
def test_every_command_has_help() -> None:
    top = run("--help")
    assert top.exit_code == 0
    for name in COMMANDS:
        assert name in top.stdout
        assert run(name, "--help").exit_code == 0


def test_a_start_without_arguments_says_what_to_do_next() -> None:
    """In few lines, on stderr, with the exit code of usage; each command named is one."""
    done = run()
    assert (done.exit_code, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) <= 22
    assert max(map(len, lines)) <= 80
    named = re.findall(r"pairopt ([a-z-]+)", done.stderr)
    assert named[-3:] == ["serve", "pair", "--help"]
    assert {*named} - {"--help"} <= {*COMMANDS}
    assert "simulate" not in done.stderr
    assert run("--help").exit_code == 0


@pytest.mark.long
def test_start_up_leaves_heavy_packages_alone() -> None:
    code = (
        "import sys; from pairopt.cli import main\n"
        "try: main(['models'])\nexcept SystemExit: pass\n"
        "assert not {'ortools', 'pandas'} & set(sys.modules), 'imported'"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_the_table_shows_every_level_and_its_proof() -> None:
    done = run("solve", *WEEKLY)
    assert done.exit_code == 0
    result = json.loads(run("solve", *WEEKLY, "--format", "json").stdout)
    shown = [
        line.split() for line in done.stdout.splitlines() if line.endswith("proven")
    ]
    assert [(line[0], line[1]) for line in shown] == [
        (level["criterion"], str(level["level"])) for level in result["levels"]
    ]
    assert "no pairing is better" in done.stdout


@pytest.mark.long
def test_json_has_the_keys_that_other_programs_read() -> None:
    result = json.loads(run("solve", *WEEKLY, "--format", "json", "--seed", "3").stdout)
    assert list(result) == [
        "round",
        "model",
        "objective",
        "engine",
        "proven_by",
        "status",
        "levels",
        "pairings",
        "conflicts",
        "seed",
    ]
    assert result["status"] == "optimal"
    assert result["seed"] == 3
    for level in result["levels"]:
        assert list(level) == [
            "criterion",
            "level",
            "value",
            "bound",
            "scale",
            "proven",
        ]
        assert level["proven"] is True
        assert level["value"] == level["bound"]
    assert all(tuple(row) == COLUMNS for row in result["pairings"])
    byes = [row for row in result["pairings"] if row["player2"] is None]
    assert [(row["status"], row["score1"], row["table"]) for row in byes] == [
        ("bye", "3", None)
    ]
    timed = json.loads(run("solve", *WEEKLY, "--format", "json", "--timings").stdout)
    assert timed["seconds"] > 0


@pytest.mark.long
def test_the_weekly_loop(tmp_path: Path) -> None:
    matches, players = tmp_path / "matches.csv", tmp_path / "players.csv"
    players.write_text("player\n" + "\n".join("abcdefg") + "\n", encoding="utf-8")
    assert run("solve", players, "-o", matches).exit_code == 0
    for number in range(1, 5):
        frame = pd.read_csv(matches, dtype=str, keep_default_na=False)
        blank = frame["score1"] == ""
        assert (frame[blank]["round"] == str(number)).all()
        assert (
            frame[~blank & (frame["round"] == str(number))]["status"] == "bye"
        ).all()
        frame.loc[blank, ["score1", "score2"]] = ["3", "0"]
        frame.to_csv(matches, index=False)
        new = tmp_path / "new.csv"
        done = run("solve", matches, "--players", players, "-o", new)
        assert done.exit_code == 0, done.stderr
        more = pd.read_csv(new, dtype=str, keep_default_na=False)
        assert (more["round"] == str(number + 1)).all()
        assert set(more["side1"]) <= {"corp", ""}
        pd.concat([frame, more]).to_csv(matches, index=False)


@pytest.mark.long
def test_same_input_same_bytes_and_seeds_differ() -> None:
    for form in ("csv", "json", "table"):
        first, again = (
            run("solve", *WEEKLY, "--format", form).stdout for _ in range(2)
        )
        assert first == again
    two = [
        run("solve", *WEEKLY, "--workers", "2", "--format", "csv").stdout
        for _ in range(2)
    ]
    assert two[0] == two[1]
    start = [
        run("solve", *WEEKLY, "--round", 1, "--seed", s, "--format", "csv").stdout
        for s in range(4)
    ]
    assert len(set(start)) == 4


@pytest.mark.long
def test_options_of_the_day() -> None:
    done = run(
        "solve",
        *WEEKLY,
        "--format",
        "json",
        "--force",
        "Jonas Weber:Lena Fischer",
        "--drop",
        "Uma Iyer",
        "--request-bye",
        "Noor Jansen",
        "--no-bye",
        "Diego Ramos",
        "--bye",
        "Zofia Król",
    )
    assert done.exit_code == 0, done.stderr
    rows = json.loads(done.stdout)["pairings"]
    pairs = {frozenset((row["player1"], row["player2"])) for row in rows}
    assert frozenset(("Jonas Weber", "Lena Fischer")) in pairs
    assert frozenset(("Zofia Król", None)) in pairs
    assert "Uma Iyer" not in {player for pair in pairs for player in pair}
    asked = next(row for row in rows if row["status"] == "requested")
    assert (asked["player1"], asked["score1"]) == ("Noor Jansen", "0")
    best = json.loads(run("solve", *WEEKLY, "--format", "json").stdout)["pairings"]
    one = f"{best[0]['player1']}:{best[0]['player2']}"
    apart = json.loads(
        run("solve", *WEEKLY, "--forbid", one, "--format", "json").stdout
    )
    assert {best[0]["player1"], best[0]["player2"]} not in [
        {row["player1"], row["player2"]} for row in apart["pairings"]
    ]


TWICE = "the rule “Nobody meets the same opponent twice”"


@pytest.mark.parametrize(
    ("rows", "arguments", "said"),
    [
        (
            ALL_MET,
            ["--model", "random"],
            [TWICE, "a has no possible opponent", f"possible without {TWICE}."],
        ),
        (
            ALL_HAD_A_BYE,
            [],
            [
                "One player must have the bye, but none of these players may have the bye: a, b, c.",
                "give c a second bye",
            ],
        ),
        (ALL_MET, ["--bye", "a"], ["a can't have a bye", "--bye", "even"]),
        (
            ALL_MET,
            ["--force", "a:b", "--force", "a:c"],
            ["forced two matches in one round for a"],
        ),
        (
            ONE_ROUND,
            ["--force", "a:b", "--model", "random"],
            ["without --force", TWICE],
        ),
    ],
)
def test_infeasible(
    tmp_path: Path, rows: str, arguments: list[str], said: list[str]
) -> None:
    out = tmp_path / "out.csv"
    done = run("solve", event_file(tmp_path, rows), *arguments, "-o", out)
    assert done.exit_code == 1
    assert all(part in done.stderr for part in said), done.stderr
    assert not out.exists()
    form = run("solve", event_file(tmp_path, rows), *arguments, "--format", "json")
    result = json.loads(form.stdout)
    assert (result["status"], result["pairings"], result["levels"]) == (
        "infeasible",
        [],
        [],
    )
    assert result["conflicts"]


def test_relaxing_helps(tmp_path: Path) -> None:
    path = event_file(tmp_path, ALL_MET)
    assert (
        run("solve", path, "--model", "random", "--relax", "no_rematch").exit_code == 0
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "nosuch"],
        ["--drop", "Zed"],
        ["--force", "a"],
        ["--force", "a:a"],
        ["--force", "a:Zed"],
        ["--relax", "no_rematch"],
        ["--round", "9"],
        ["--round", "0"],
        ["--sides", "x"],
        ["--time-limit", "0"],
        ["--engine", "magic"],
        ["--nosuch"],
    ],
)
def test_usage_errors(tmp_path: Path, arguments: list[str]) -> None:
    done = run("solve", event_file(tmp_path, ALL_MET), *arguments)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_file_is_no_folder_of_a_study(tmp_path: Path, command: str) -> None:
    file = tmp_path / "folder"
    file.write_text("", "utf-8")
    given = ("check", file) if command == "check" else ("run", "study.toml", "-o", file)
    done = run("study", *given)
    said = f"{file} is a file, but a folder is needed here."
    assert (done.exit_code, said in done.stderr) == (2, True)


def test_a_time_limit_is_honest() -> None:
    done = run("solve", *WEEKLY, "--time-limit", "0.0001", "--format", "json")
    assert done.exit_code == 4
    result = json.loads(done.stdout)
    assert result["status"] in ("feasible", "unknown")
    unproven = [k for k, level in enumerate(result["levels"]) if not level["proven"]]
    assert unproven
    assert all(level["bound"] is None for level in result["levels"][unproven[0] + 1 :])


@pytest.mark.long
def test_an_order_whose_weights_do_not_fit_is_solved_in_blocks() -> None:
    *_, (event, _) = rounds(100, 9, 1, engine="matching")
    found = solve(event, "excalibur", objective="weighted", engine="cpsat")
    known = solve(event, "excalibur")
    assert found.status == "optimal"
    assert [v.value for v in found.level_values] == [
        v.value for v in known.level_values
    ]
    assert any("smaller sums of objective levels" in str(n) for n in found.notes)


def test_names_are_only_text(tmp_path: Path) -> None:
    names = [
        "<script>x</script>",
        "[red]r[/red]",
        "\x1b[31mred",
        "=1+1",
        "x" * 300,
        "Ł:ó",
    ]
    players = tmp_path / "players.csv"
    pd.DataFrame({"player": names}).to_csv(players, index=False)
    shown = run("solve", players, "--force", "Ł:ó:=1+1").stdout
    assert "\x1b" not in shown
    assert all(name in shown for name in names if "\x1b" not in name)
    rows = pd.read_csv(players)["player"]
    assert list(rows) == names


@pytest.mark.parametrize(
    ("arguments", "points"),
    [([], "3"), (["--sides", "white,black"], "1"), (["--model", "double-sided"], "6")],
)
def test_points_of_a_bye_before_any_match(
    tmp_path: Path, arguments: list[str], points: str
) -> None:
    players = tmp_path / "players.csv"
    players.write_text("player\na\nb\nc\n", encoding="utf-8")
    rows = json.loads(run("solve", players, *arguments, "--format", "json").stdout)[
        "pairings"
    ]
    assert rows[-1]["score1"] == points


def test_notes_go_to_stderr(tmp_path: Path) -> None:
    path = event_file(tmp_path, "1,a,b,,1,0,\n1,c,d,,1,0,\n2,a,c,,0,1,\n")
    done = run("solve", path, "--format", "csv")
    assert (
        "have no match and no bye in round 2, so these players count as dropped: b, d."
        in done.stderr
    )
    assert (
        "no sides, so pairopt left out the rules about sides: side_difference, side_streak, same_side"
        in done.stderr
    )
    assert done.stdout.splitlines()[0] == path.read_text().splitlines()[0]


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    done = run("solve", *WEEKLY, "-o", tmp_path / "no" / "out.csv")
    assert done.exit_code == 2
    assert "can't be written" in done.stderr


class TestCheck:
    def test_an_optimal_pairing(self, tmp_path: Path) -> None:
        own = tmp_path / "own.csv"
        assert run("solve", *WEEKLY, "-o", own).exit_code == 0
        done = run("check", WEEKLY[0], own, *WEEKLY[1:])
        assert done.exit_code == 0
        assert "no pairing is better" in done.stdout

    @pytest.mark.long
    def test_a_worse_one_and_an_illegal_one(self, tmp_path: Path) -> None:
        found = solve_rows()
        one, two = found[0], found[-2]
        one["player2"], two["player2"] = two["player2"], one["player2"]
        worse = tmp_path / "worse.csv"
        worse.write_text(csv_text(found), encoding="utf-8")
        done = run("check", WEEKLY[0], worse, *WEEKLY[1:], "--format", "json")
        assert done.exit_code == 0
        checked = json.loads(done.stdout)
        assert any(level["value"] > level["optimum"] for level in checked["levels"])
        plain = run("check", WEEKLY[0], worse, *WEEKLY[1:])
        assert "The first difference is in" in plain.stdout
        # Nils Åkesson had a bye before
        found = solve_rows()
        bye, other = found[-1], next(r for r in found if "Nils Åkesson" in r.values())
        seat = "player1" if other["player1"] == "Nils Åkesson" else "player2"
        bye["player1"], other[seat] = other[seat], bye["player1"]
        worse.write_text(csv_text(found), encoding="utf-8")
        done = run("check", WEEKLY[0], worse, *WEEKLY[1:])
        assert done.exit_code == 1
        assert "bye of Nils Åkesson breaks the rule no_repeat_bye" in done.stdout

    @pytest.mark.long
    def test_what_is_no_pairing_of_the_event(self, tmp_path: Path) -> None:
        path = tmp_path / "other.csv"
        for change, said in (
            (lambda rows: rows[1:], "is not paired"),
            (
                lambda rows: [*rows, dict(rows[0], player1="Zed")],
                "'Zed' is not a player",
            ),
            (
                lambda rows: [dict(row, round=5) for row in rows],
                "The file has no rows of round 6. Choose another round.",
            ),
            (lambda rows: [*rows[:-1], rows[0], rows[-1]], "is paired twice"),
            (
                lambda rows: [dict(rows[0], side1=None), *rows[1:]],
                "Write corp or runner",
            ),
        ):
            path.write_text(csv_text(change(solve_rows())), encoding="utf-8")
            done = run("check", WEEKLY[0], path, *WEEKLY[1:])
            assert done.exit_code == 3
            assert said in done.stderr


def solve_rows() -> list[dict[str, object]]:
    text = run("solve", *WEEKLY, "--format", "json").stdout
    rows: list[dict[str, object]] = json.loads(text)["pairings"]
    return rows


def test_numbers_align_right_and_words_left() -> None:
    levels = LevelsView(
        ("#", "criterion", "value", "counts", "proof"),
        (("1", "a", "7", "b", "x"), ("2", "aa", "77", "bb", "xxxx")),
        "",
    )
    *_, one, two = levels_text(levels).splitlines()
    assert one.index("7") == two.index("77") + 1
    for word in "abx":
        assert one.index(word) == two.index(word)
