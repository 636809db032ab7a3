"""`pairopt export` and what `pairopt check` reads of programs, as their users see them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from programs import accepts, by_cpsat, read_opb, verified, veripb
from simulation import rounds

from pairopt import write_event
from pairopt.cli import main

ALL_MET = (
    "1,a,b,,1,0,\n1,c,d,,1,0,\n2,a,c,,1,0,\n2,b,d,,1,0,\n3,a,d,,1,0,\n3,b,c,,0,1,\n"
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def event(tmp_path: Path) -> Path:
    *_, (event, _) = rounds(11, 3, 2, "standard")
    write_event(event, tmp_path / "matches.csv")
    return tmp_path / "matches.csv"


def text(path: Path) -> str:
    return path.read_text("ascii")


@pytest.mark.sweep
def test_a_program_and_its_proof_are_written_and_checked(
    event: Path, tmp_path: Path
) -> None:
    opb, pbp = tmp_path / "round.opb", tmp_path / "round.pbp"
    done = run("export", event, opb, "--proof", pbp)
    assert (done.exit_code, done.stdout) == (0, "")
    program = read_opb(text(opb))
    assert (
        f"The integer program is in {opb}: {len(program.names)} Boolean variables"
        in done.stderr
    )
    assert f"veripb {opb} {pbp}" in done.stderr
    assert verified(text(opb), text(pbp)) is not None
    same = run("export", event, opb, "--check")
    assert (same.exit_code, same.stderr) == (
        0,
        "The file is the integer program of this round.\n",
    )
    (tmp_path / "same.opb").write_bytes(event.read_bytes())
    over = run("export", event, tmp_path / "same.opb")
    assert (over.exit_code, (tmp_path / "same.opb").read_bytes()) == (
        2,
        event.read_bytes(),
    )
    kept = text(opb)
    for at in range(0, len(kept), len(kept) // 9):
        opb.write_text(
            kept[:at] + ("7" if kept[at] != "7" else "8") + kept[at + 1 :], "ascii"
        )
        other = run("export", event, opb, "--check")
        assert (other.exit_code, other.stderr) == (
            1,
            "The file is not the integer program of this round.\n",
        )
    opb.write_text(kept, "ascii")
    assert run("export", event, opb, "--check", "--model", "excalibur").exit_code == 1
    assert run("export", event, tmp_path / "none.opb", "--check").exit_code == 3
    assert text(opb) == kept


@pytest.mark.long
def test_an_answer_is_checked(event: Path, tmp_path: Path) -> None:
    opb, answer = tmp_path / "round.opb", tmp_path / "answer.sol"
    assert run("export", event, opb).exit_code == 0
    ones = by_cpsat(read_opb(text(opb)))
    assert ones is not None
    answer.write_text("".join(f"{name} 1\n" for name in ones), "ascii")
    found = run("check", event, "--solution", answer)
    assert found.exit_code == 0
    assert "It is legal, and no pairing is better." in found.stdout
    assert run("check", event, "--solution", answer, "--no-solve").exit_code == 0
    answer.write_text("p0p0_p999 1\n", "ascii")
    none = run("check", event, "--solution", answer)
    assert none.exit_code == 3
    assert (
        "line 1: p0p0_p999 is not a variable of this integer program. Check that the solution belongs to this round."
        in none.stderr
    )
    assert run("check", event, answer, "--solution", answer).exit_code == 2


def test_where_there_is_no_pairing_that_is_proven(tmp_path: Path) -> None:
    event, opb, pbp = (
        tmp_path / "matches.csv",
        tmp_path / "round.opb",
        tmp_path / "round.pbp",
    )
    event.write_text(
        "round,player1,player2,side1,score1,score2,status\n" + ALL_MET, "utf-8"
    )
    rules = tmp_path / "rules.toml"
    rules.write_text(
        'name = "r"\ncriteria = []\n[constraints]\nno_rematch = true\n', "utf-8"
    )
    done = run("export", event, opb, "--proof", pbp, "--model", rules)
    assert done.exit_code == 1
    assert verified(text(opb), text(pbp)) is None
    if veripb():
        assert accepts(tmp_path, text(opb), text(pbp))
    stage = run("export", event, tmp_path / "s.lp", "--stage", 1, "--model", rules)
    assert (stage.exit_code, (tmp_path / "s.lp").exists()) == (2, False)


@pytest.mark.parametrize(
    ("more", "code", "why"),
    [
        (["round.txt"], 2, "ends in one of: .opb, .lp, .mps, .pb.txt"),
        (
            ["round.lp", "--proof", "round.pbp"],
            2,
            "A VeriPB proof needs an integer program in OPB format. Use an output file whose name ends in .opb.",
        ),
        (["round.opb", "--stage", "0"], 2, "--stage"),
        (["round.opb", "--stage", "99"], 2, "There is no --stage 99"),
        (
            ["round.opb", "--stage", "2", "--time-limit", "0.000001"],
            4,
            "The time limit ended before the integer program was ready",
        ),
        (["round.opb", "--proof", "p.pbp", "--veripb", "4"], 2, "--veripb"),
        (
            ["round.opb", "--model", "aesops-by-hand", "--proof", "p.pbp"],
            2,
            "can't prove that a pairing is optimal",
        ),
        (["round.opb", "--drop", "nobody"], 2, "nobody"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_written(
    more: list[str],
    code: int,
    why: str,
    event: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    done = run("export", event, *more)
    assert done.exit_code == code
    assert why in done.stderr
    assert {*tmp_path.iterdir()} == before


def test_solve_says_where_a_proof_for_veripb_is_made(
    event: Path, tmp_path: Path
) -> None:
    done = run("solve", event, "--proof", tmp_path / "round.pbp")
    assert done.exit_code == 2
    assert "pairopt export EVENT OUT.opb --proof" in done.stderr
