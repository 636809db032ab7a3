"""`pairopt-fide`, called as clubs' programs call JaVaFo and bbpPairings."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from dutch_cases import BAKU, CASES, SECOND, THIRD, field, player
from engine_calls import Called, report
from places import REAL

from pairopt.cli.fide import reports
from pairopt.cli.fide.arguments import HELP, USAGE, FideArguments, parse_call
from pairopt.version import __version__

BBP_CASES = REAL / "dutch" / "cases.jsonl"
FOUR = ("XXR 5", "XXC white1")
MET = (player(1, 1, "   2 w 1"), player(2, 0, "   1 b 0"), *FOUR)
"""Two players who have met: there is no second round."""


FIRST = "2\n1 3\n4 2\n"
"""Round 1 of four players, as `CASES` has it."""


@pytest.mark.parametrize("system", [["--dutch"], []], ids=["bbpPairings", "JaVaFo"])
def test_pairs_go_to_the_file_or_the_screen(
    tmp_path: Path, call: Called, system: list[str]
) -> None:
    given = report(tmp_path, *field(4), *FOUR)
    assert call(*system, given, "-p") == (0, FIRST, "")
    assert call(*system, given, "-p", tmp_path / "out.txt") == (0, "", "")
    assert (tmp_path / "out.txt").read_bytes() == FIRST.encode()


def test_an_output_without_a_folder_is_beside_the_input(
    tmp_path: Path, call: Called
) -> None:
    given = report(tmp_path, *field(4), *FOUR)
    assert call(given, "-p", "out.txt", "-l").code == 0
    assert (tmp_path / "out.txt").read_text() == FIRST
    assert (tmp_path / "trn.list").exists()
    assert call(given, "-p", "-l", "other.txt").out == FIRST
    assert (tmp_path / "other.txt").read_text() == (tmp_path / "trn.list").read_text()


@pytest.mark.parametrize("name", CASES)
def test_rounds_worked_by_hand(tmp_path: Path, call: Called, name: str) -> None:
    case = CASES[name]
    found = call("--dutch", report(tmp_path, *case.lines), "-p")
    count, *lines = found.out.splitlines()
    assert found.code == 0
    assert {tuple(map(int, line.split())) for line in lines} == case.pairs
    assert int(count) == len(lines) == len(case.pairs)
    assert all(not line.endswith(" 0") for line in lines[:-1])


@pytest.mark.long
@pytest.mark.skipif(not BBP_CASES.exists(), reason="no cases here")
def test_the_lines_are_those_of_bbp_pairings(tmp_path: Path, call: Called) -> None:
    cases = [
        json.loads(line) for line in BBP_CASES.read_text(encoding="utf-8").splitlines()
    ]
    for case in cases[::10]:
        found = call("--dutch", report(tmp_path, case["trf"]), "-p")
        wanted = [
            str(len(case["pairs"])),
            *(f"{one} {two}" for one, two in case["pairs"]),
        ]
        assert sorted(found.out.splitlines()) == sorted(wanted), case["case"]


def test_the_report_may_come_from_the_standard_input(
    call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join([*field(4), *FOUR]).encode()
    monkeypatch.setattr(reports.sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert call("--dutch", "-p") == (0, FIRST, "")


def test_many_files_in_one_call(tmp_path: Path, call: Called) -> None:
    good = [report(tmp_path, *field(n), *FOUR, name=f"{n}.trf") for n in (4, 5)]
    bad = report(tmp_path, "001 nobody", name="bad.trf")
    folder = tmp_path / "pairs"
    folder.mkdir()
    found = call(good[0], bad, good[1], "-p", folder)
    assert found.code == 3
    assert found.out == ""
    assert str(bad) in found.err
    assert (folder / "4.pairs").read_text() == FIRST
    assert (folder / "5.pairs").read_text() == "3\n1 3\n4 2\n5 0\n"
    assert sorted(path.name for path in folder.iterdir()) == ["4.pairs", "5.pairs"]
    assert call(*good, "-p").code == 0
    assert (tmp_path / "5.pairs").read_text() == (folder / "5.pairs").read_text()


def test_two_reports_have_no_file_in_common(tmp_path: Path, call: Called) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    first, second = (report(folder, *field(4), *FOUR) for folder in folders)
    same_folder = report(folders[0], *field(4), *FOUR, name="trn.trf")
    pairs = tmp_path / "trn.pairs"
    for arguments in (
        (first, second, "-p", tmp_path),
        (first, same_folder, "-p"),
        (first, same_folder, "-c", "-l"),
        (first, second, "-p", "-l", tmp_path / "all.list"),
    ):
        found = call(*arguments)
        assert (found.code, found.out) == (3, "")
        assert "would both be written to" in found.err
    assert not [*tmp_path.glob("*.*"), *tmp_path.glob("*/*.pairs")]

    assert call(first, first, "-p", tmp_path).code == 0
    assert call(first, "/", "-p", tmp_path).code == 5
    assert pairs.read_text() == FIRST


def test_a_program_that_keeps_running_answers_each_path(
    tmp_path: Path, call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = report(tmp_path, *field(4), *FOUR)
    without_pairing = report(tmp_path, *MET, name="met.trf")
    paths = [good, tmp_path / "none.trf", without_pairing, good]
    lines = "".join(f"{path}\n" for path in paths)
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    found = call("--dutch", "-k", "-p")
    assert found.code == 5
    assert found.out == f"{FIRST}exit 0\nexit 5\nexit 1\n{FIRST}exit 0\n"
    assert "none.trf cannot be read" in found.err
    assert "No valid pairing exists" in found.err

    folder = tmp_path / "pairs"
    folder.mkdir()
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{good}\r\n"))
    assert call("-k", "-p", folder, "-l") == (0, "exit 0\n", "")
    assert (folder / "trn.pairs").read_text() == FIRST
    assert (tmp_path / "trn.list").exists()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert call("-k", "-p") == (0, "", "")


def test_each_line_is_answered_if_it_is_no_path(
    tmp_path: Path, call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = report(tmp_path, *field(4), *FOUR)
    lines = f"\n{tmp_path}/a\0b\n\ufeff{good}\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    found = call("--dutch", "-k", "-p")
    assert found.out == f"exit 5\nexit 5\n{FIRST}exit 0\n"
    assert "The path of a report is empty." in found.err
    assert "The path has a NUL character." in found.err
    assert "Unexpected" not in found.err


def test_bytes_that_are_no_text_are_the_path_of_no_report(
    tmp_path: Path, call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = report(tmp_path, *field(4), *FOUR)
    content = io.BytesIO(b"\xff\xfe.trf\n" + f"{good}\n".encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content, encoding="utf-8"))
    assert call("--dutch", "-k", "-p").out == f"exit 5\n{FIRST}exit 0\n"


class FullStream(io.StringIO):
    """A stream on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_answers_come_without_a_place_for_errors(
    tmp_path: Path, call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = report(tmp_path, *field(4), *FOUR)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{tmp_path}\n{good}\n"))
    monkeypatch.setattr("sys.stderr", FullStream())
    assert call("--dutch", "-k", "-p").out == f"exit 5\n{FIRST}exit 0\n"


@pytest.mark.parametrize("options", [("-k",), ("-r",)], ids=["keeps running", "once"])
def test_output_that_nobody_reads_is_5(tmp_path: Path, options: tuple[str]) -> None:
    given = report(tmp_path, *field(4), *FOUR)
    code = "from pairopt.__main__ import run_fide; run_fide()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *options, "-p"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    content = f"{given}\n" if options == ("-k",) else given.read_text()
    assert process.communicate(content)[1].count("\n") == 1
    assert process.returncode == 5


def test_a_closed_standard_input_has_no_paths() -> None:
    code = "import os, sys; os.close(0); sys.stdin = None; from pairopt.__main__ import run_fide; run_fide()"
    found = subprocess.run(
        [sys.executable, "-c", code, "-k", "-p"], capture_output=True, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, b"", b"")


def test_an_answer_comes_before_the_next_path_is_read(tmp_path: Path) -> None:
    code = "from pairopt.__main__ import run_fide; run_fide()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "--dutch", "-k", "-p"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for name in ("a.trf", "b.trf"):
            given = report(tmp_path, *field(4), *FOUR, name=name)
            process.stdin.write(f"{given}\n")
            process.stdin.flush()
            answer = [process.stdout.readline() for _ in range(4)]
            assert "".join(answer) == f"{FIRST}exit 0\n"
    assert process.returncode == 0


def test_no_pairing_is_1_and_leaves_no_older_pairs(
    tmp_path: Path, call: Called
) -> None:
    given, target = report(tmp_path, *MET), tmp_path / "out.txt"
    target.write_text(FIRST)
    found = call("--dutch", given, "-p", target)
    assert found.code == 1
    assert "No valid pairing exists" in found.err  # what lichess looks for
    assert target.read_text() == ""


def test_the_reason_for_no_pairing_names_no_option_of_pairopt(
    tmp_path: Path, call: Called
) -> None:
    """A report forbids matches by lines XXP, and pairopt-fide has no --forbid."""
    given = report(tmp_path, *field(2), *FOUR, "XXP 1 2")
    found = call("--dutch", given, "-p")
    assert found.code == 1
    assert "forbidden matches" in found.err
    assert "--" not in found.err.partition("No valid pairing exists")[2]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("hello",), "expected a FIDE tournament report file"),
        (("001 nobody",), "is not the starting number"),
        ((*field(4), *FOUR, "192 FIDE_DUBOV"), "pairopt doesn't have: FIDE_DUBOV"),
        (
            (*field(4), *FOUR, "192 FIDE_BURSTEIN"),
            "of the system fide-burstein, not of fide-dutch",
        ),
        (
            (player(1, 3, "   2 w 1"), player(2, 0, "   1 b 0"), *FOUR),
            "do not agree with the results",
        ),
        ((*SECOND, "XXR 1", "XXC white1"), "all 1 rounds are played"),
        (
            (
                "192 FIDE_ROUNDROBIN",
                player(1, 0, "0000 - Z", "   2 w  ", "   3 b  "),
                player(2, 0, "   3 w  ", "   1 b  ", "0000 - Z"),
                player(3, 0, "   2 b  ", "0000 - Z", "   1 w  "),
            ),
            "This event is a round robin",
        ),
        ((), "The file is empty"),
    ],
)
def test_a_bad_report_is_3(
    tmp_path: Path, call: Called, lines: list[str], said: str
) -> None:
    target = tmp_path / "out.txt"
    found = call("--dutch", report(tmp_path, *lines), "-p", target)
    assert found.code == 3
    assert said in found.err
    assert not target.exists()


def test_the_system_is_the_reports_own(tmp_path: Path, call: Called) -> None:
    given = report(tmp_path, *field(4), *FOUR, "192 FIDE_BURSTEIN")
    assert call(given, "-p") == call("--burstein", given, "-p") == (0, FIRST, "")
    assert call("--swiss", given, "-p").code == 3


def test_files_that_cannot_be_opened_are_5(tmp_path: Path, call: Called) -> None:
    given = report(tmp_path, *field(4), *FOUR)
    assert call("--dutch", tmp_path / "none.trf", "-p").code == 5
    assert call("--dutch", tmp_path, "-p").code == 5
    assert call("--dutch", given, "-p", tmp_path / "none" / "out.txt").code == 5


def test_what_is_unexpected_is_2_and_too_much_is_4(
    tmp_path: Path, call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = report(tmp_path, *field(4), *FOUR)
    for error, code in ((RuntimeError("broken"), 2), (MemoryError(), 4)):

        def fails(*_: object, raised: BaseException = error) -> None:
            raise raised

        monkeypatch.setattr("pairopt.cli.fide.pair.solve_round", fails)
        assert call("--dutch", given, "-p").code == code


@pytest.mark.parametrize(
    "arguments",
    [
        "--dutch",
        "a.trf",
        "--dutch a.trf -p -c",
        "--dutch --burstein a.trf -p",
        "-p -p",
        "-x",
        "a.trf -g",
        "a.trf -g b.cfg -o c.trf",
        "a.trf b.trf -g -o c.trf",
        "-g -o",
        "-l",
        "-c 501",
        "-k",
        "-k -c",
        "a.trf -k -p",
    ],
)
def test_arguments_that_mean_nothing_are_3(call: Called, arguments: str) -> None:
    if arguments == "--dutch":  # bbpPairings says what it is
        assert call("--dutch").code == 0
        return
    found = call(*arguments.split())
    assert found.code == 3
    assert found.out == ""


def test_the_release_is_said(tmp_path: Path, call: Called) -> None:
    given = report(tmp_path, *field(4), *FOUR)
    line = f"pairopt-fide {__version__}: FIDE's Swiss systems\n"
    assert call() == call("-r") == (0, line, "")
    assert call("-r", "--dutch", given, "-p") == (0, line + FIRST, "")


@pytest.mark.parametrize(
    "words", [("-h",), ("--help",), ("--dutch", "a.trf", "-p", "--help")]
)
def test_help_is_the_usage_and_no_error(call: Called, words: tuple[str, ...]) -> None:
    assert call(*words) == (0, f"{USAGE}\n\n{HELP}\n", "")


def test_arguments_in_any_order() -> None:
    wanted = FideArguments(
        "-p", "dutch", ("a.trf",), {"-p": "b.txt", "-l": "", "-b": ""}
    )
    for words in ("--dutch a.trf -b -p b.txt -l", "-b --dutch a.trf -l -p b.txt"):
        assert parse_call(words.split()) == wanted
    assert parse_call(["a.trf", "-c", "6"]).number("-c", 99) == 6
    assert parse_call(["a.trf", "-c", "-l"]).number("-c", 99) is None
    assert parse_call(["a.trf", "-q", "1000", "-w", "-p"]).inputs == ("a.trf",)
    assert parse_call(["-g", "18980522", "-o", "t.trf"]).given == {
        "-g": "18980522",
        "-o": "t.trf",
    }


def test_the_check_list(tmp_path: Path, call: Called) -> None:
    given = report(tmp_path, *SECOND, *FOUR)
    call(given, "-p", "-l")
    head, *lines = (tmp_path / "trn.list").read_text().splitlines()
    assert head.split() == [
        "ID",
        "Pts",
        "Sides",
        "Pref",
        "C2",
        "-1R",
        "-2R",
        "Now",
        "R1",
    ]
    assert [line.split()[:2] for line in lines if line][:3] == [
        ["1", "1.0"],
        ["5", "1.0"],
        ["2", "0.5"],
    ]
    assert lines[0].split() == ["1", "1.0", "W", "(B)", "Y", "(5B)", "3"]
    assert lines[2] == ""
    third = report(tmp_path, *THIRD, *FOUR)
    call(third, "-p", "-l")
    assert "WW" in (tmp_path / "trn.list").read_text()


@pytest.mark.long
def test_baku_acceleration_of_the_round_to_come(tmp_path: Path, call: Called) -> None:
    plain = report(tmp_path, *field(8), "XXR 8", "XXC white1")
    said = report(tmp_path, *field(8), *BAKU, "XXR 8", "XXC white1", name="said.trf")
    assert call(plain, "-b", "-p").out == call(said, "-p").out != call(plain, "-p").out
    assert call(said, "-b", "-p").out == call(said, "-p").out
    ones = [f"{line[:8]}  1.0" for line in BAKU]
    second = report(tmp_path, *SECOND, *ones, "XXR 8", "XXC white1", name="second.trf")
    whole = report(tmp_path, *SECOND, *BAKU, "XXR 8", "XXC white1", name="whole.trf")
    assert call(second, "-b", "-p").out == call(whole, "-p").out
    assert call(report(tmp_path, *field(8), "XXC white1"), "-b", "-p").code == 3


@pytest.mark.long
def test_baku_acceleration_with_a_late_entry(tmp_path: Path, call: Called) -> None:
    """Seven of eight were in round 1: four of them, 1, 3, 4 and 5, and 2, who came late."""
    lines = [*SECOND]
    lines[1], lines[3] = player(2, 0, "0000 - Z"), player(4, 1, "0000 - U")
    ends = ("XXR 8", "XXC white1")
    group = [f"XXA {k:>4}  1.0  1.0" for k in range(1, 6)]
    ones = [f"XXA {k:>4}  1.0" for k in range(1, 6)]
    said = report(tmp_path, *lines, *group, *ends, name="said.trf")
    late = report(tmp_path, *lines, *ones, *ends, name="late.trf")
    four = report(
        tmp_path, *lines, *ones, *(f"{line}  1.0" for line in ones[:4]), *ends
    )
    assert call(late, "-b", "-p").out == call(said, "-p").out != call(four, "-p").out


def test_virtual_points_that_are_said_stay(tmp_path: Path, call: Called) -> None:
    """Of 8 players 1 to 2 are accelerated here, and Baku has four."""
    ends = ("XXR 8", "XXC white1")
    two = report(tmp_path, *field(8), *BAKU[:2], *ends)
    four = report(tmp_path, *field(8), *BAKU, *ends, name="four.trf")
    assert call(two, "-b", "-p").out == call(two, "-p").out != call(four, "-p").out


@pytest.mark.long
def test_a_side_that_nobody_said_is_drawn_by_the_report(
    tmp_path: Path, call: Called
) -> None:
    found = set()
    for rounds in range(3, 13):
        given = report(tmp_path, *field(4), f"XXR {rounds}")
        found.add(call(given, "-p").out)
        assert call(given, "-p").out in found
    assert found == {FIRST, "2\n3 1\n2 4\n"}


@pytest.mark.long
def test_a_round_that_differs_is_shown_and_no_error(
    tmp_path: Path, call: Called
) -> None:
    given = report(
        tmp_path,
        player(1, 1, "   2 w 1"),
        player(2, 0, "   1 b 0"),
        player(3, 1, "   4 w 1"),
        player(4, 0, "   3 b 0"),
        *FOUR,
    )
    found = call(given, "-c")
    assert found.code == 0
    assert found.out == (
        "trn: Round #1\n"
        "  Checker pairings        Tournament pairings\n\n"
        "      1 -   3                  1 -   2\n"
        "      4 -   2                  3 -   4\n\n"
    )
    assert "(4.3.2.1)" in found.err
    assert call(given, "-c", "1").out == found.out
    assert call(given, "-c", "2").out == ""
    good = report(tmp_path, *SECOND, *BAKU, "XXR 8", "XXC white1", name="good.trf")
    assert call("--dutch", given, good, "-c").out == f"{found.out}good: Round #1\n"
    call(good, "-c", "-l")
    assert (tmp_path / "good.list").read_text().startswith("Round #1\nID ")


@pytest.mark.long
def test_what_a_call_does_not_import(tmp_path: Path) -> None:
    given = report(tmp_path, *SECOND, *FOUR)
    code = (
        "import sys\nfrom pairopt.cli.fide import main\n"
        "try: main(sys.argv[1:])\nfinally: sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--dutch", str(given), "-p"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = {*done.stderr.split()}
    assert not found & {
        "rich",
        "pandas",
        "ortools",
        "pydantic",
        "joblib",
        "scipy",
        "pairopt.round.check",
        "pairopt.lab",
    }
    assert done.stdout.startswith("4\n")
