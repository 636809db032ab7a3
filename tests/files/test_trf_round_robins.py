"""Round robins in reports: recognised, compared with the Berger table, read back."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pairopt import InputError, UsageError, read_event, standings, write_event
from pairopt.event.event import Event
from pairopt.event.round_robin_check import check_round_robin
from pairopt.event.standings import rank_players
from pairopt.files.build_event import ReadOptions
from pairopt.files.conversion_losses import find_losses
from pairopt.files.formats.trf.reading import read
from pairopt.files.formats.trf.writing import write, write16
from pairopt.files.text_source import TextSource
from pairopt.folder import drop, pair, result
from pairopt.folder.create import new

NAMES = ("Aalto", "Berg", "Cole", "Diaz", "Egli", "Falk")


def made(tmp_path: Path, count: int = 6, **settings: Any) -> Path:
    """Return the folder of a round robin in the order of the list, all rounds paired."""
    listed = tmp_path / "list.csv"
    pd.DataFrame({"player": NAMES[:count]}).to_csv(listed, index=False)
    folder = tmp_path / "robin"
    new(folder, listed, format="round-robin", numbers="list", seed=7, **settings)
    pair(folder)
    return folder


def report(folder: Path) -> str:
    return write(read_event(folder)).text


def read_text(text: str) -> Event:
    return read(TextSource("report", text), ReadOptions())


def played(text: str) -> str:
    """Return a report in which all open games are draws."""
    return re.sub(r"(\d [wb])  (?= |$)", r"\1 =", text, flags=re.MULTILINE)


def kinds(event: Event) -> list[str]:
    """The ids of the notes on round robins and systems."""
    names = [note.kind for note in event.notes if not isinstance(note, str)]
    return [name for name in names if re.search("berger|round_robin|system", name)]


@pytest.mark.parametrize("count", [3, 4, 5, 6])
@pytest.mark.parametrize(
    "settings",
    [{}, {"cycles": 2}, {"reversed": True}, {"cycles": 2, "reversed": True}],
)
def test_a_report_is_read_back_as_a_round_robin(
    tmp_path: Path, count: int, settings: dict[str, Any]
) -> None:
    folder = made(tmp_path, count, **settings)
    result(folder, 1, "1-0", round=2)
    result(folder, 1, "0-1", round=1)
    event = read_event(folder)
    again = read_text(report(folder))
    assert again.settings.format == "round-robin"
    assert (again.settings.cycles or 1) == settings.get("cycles", 1)
    assert bool(again.settings.reversed) == settings.get("reversed", False)
    # Open games in any round are no fault, and tables are numbered as on the board.
    lost = [
        loss for loss in find_losses(event, again) if loss.kind != "lost.identifiers"
    ]
    assert [loss.fields["names"] for loss in lost] == [["seed"]]
    assert write(again).text == report(folder)
    expected = "trf.berger_reversed" if settings.get("reversed") else "trf.berger"
    assert kinds(again) == [expected]


def test_withdrawals_and_annulled_games_come_back(tmp_path: Path) -> None:
    folder = made(tmp_path)
    result(folder, 1, "1-0", round=1)  # Aalto - Falk
    result(folder, 2, "1-0", round=1)  # Berg - Egli
    drop(folder, "Falk")
    event = read_event(folder)
    again = read_text(report(folder))
    assert again.annulled.sum() == event.annulled.sum() == 5
    points = [line.points for line in rank_players(event)]
    assert [line.points for line in rank_players(again)] == points == [1, 0, 0, 0, 0, 0]
    assert not again.adjusted.any()
    assert write(again).text == report(folder)

    # Another program that reads records 299 gets the same points without the comment.
    without_comment = report(folder).replace("### Withdrawn: 6\n", "")
    other = read_text(without_comment)
    assert not other.annulled.any()
    assert sorted(line.points for line in rank_players(other)) == sorted(points)


@pytest.mark.parametrize("letter", ["Z", "H"])
def test_a_player_who_withdrew_with_byes_only_is_not_in_the_table(
    tmp_path: Path, letter: str
) -> None:
    text = played(report(made(tmp_path, 5)))
    line = f"{'001    6      Falk':<89}" + f"  0000 - {letter}" * 5
    again = read_text(f"### Withdrawn: 6\n{text}{line}\n")
    assert kinds(again) == ["trf.berger"]
    assert check_round_robin(again).agrees
    points = {row.name: row.points for row in rank_players(again)}
    assert points["Falk"] == (0 if letter == "Z" else Fraction(5, 2))
    assert f"  0000 - {letter}" * 5 in write(again).text


def test_a_comment_in_words_withdraws_nobody(tmp_path: Path) -> None:
    comment = "### Withdrawn: 4 after round 2\n"
    again = read_text(comment + report(made(tmp_path, 4)))
    assert again.declared_active is None
    assert not again.annulled.any()
    assert comment in write(again).text


def test_colours_as_played_are_named(tmp_path: Path) -> None:
    folder = made(tmp_path, 4)
    result(folder, 2, "1-0", round=1, reversed=True)
    again = read_text(report(folder))
    assert kinds(again) == ["trf.berger", "trf.berger_colours"]
    assert "2-3 (round 1)" in str(again.notes[-1])
    assert write(again).text == report(folder)


@pytest.mark.parametrize(
    ("type_lines", "code"),
    [
        ("092 Individual: Round-Robin", "092"),
        ("092 round robin", "092"),
        ("192 FIDE_ROUNDROBIN", "192"),
        ("092 Summer\n192 FIDE_ROUNDROBIN", "192"),
    ],
)
def test_a_type_in_words_or_as_a_code(
    tmp_path: Path, type_lines: str, code: str
) -> None:
    text = played(report(made(tmp_path, 4)))
    text = text.replace("092 Round-Robin\n", "").replace("192 FIDE_ROUNDROBIN\n", "")
    assert kinds(read_text(text)) == []
    assert not read_text(text).settings.is_round_robin

    again = read_text(f"{type_lines}\n{text}")
    assert kinds(again) == ["trf.berger"]
    assert (again.settings.rounds, again.settings.model) == (3, None)
    # The words are written again, with FIDE's code for the table.
    words = type_lines.partition("\n")[0]
    lines = write(again).text.splitlines()
    if words.startswith("092"):
        assert words in lines
    assert "192 FIDE_ROUNDROBIN" in lines


def test_words_do_not_say_how_often_everybody_meets(tmp_path: Path) -> None:
    text = report(made(tmp_path, 4, cycles=2))
    text = text.replace("092 Double Round-Robin", "092 Round-Robin")
    text = text.replace("192 FIDE_DOUBLEROUNDROBIN\n", "")
    assert read_text(text).settings.cycles == 2


@pytest.mark.parametrize("paired", [True, False])
def test_double_can_be_about_something_else(tmp_path: Path, paired: bool) -> None:
    text = report(made(tmp_path, 4)).replace("192 FIDE_ROUNDROBIN\n", "")
    text = text.replace("092 Round-Robin", "092 Round-Robin, double rounds on Sunday")
    if not paired:
        text = "\n".join([*(line[:89] for line in text.splitlines()), ""])
    again = read_text(text)
    assert again.settings.is_round_robin
    assert again.settings.cycles is None
    # Without a number of rounds, the words decide.
    without_rounds = read_text(text.replace("142 3\n", ""))
    if not paired:
        assert without_rounds.settings.cycles == 2


def test_other_systems_are_no_round_robins(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 4)))
    for line in ("192 FIDE_DUTCH", "192 OTHER_ROUNDROBIN", "192 CUSTOM_SWISS"):
        again = read_text(text.replace("192 FIDE_ROUNDROBIN", line))
        assert not again.settings.is_round_robin
    team = text.replace("192 FIDE_ROUNDROBIN\n", "")
    team = team.replace("092 Round-Robin", "092 Team Round-Robin")
    assert kinds(read_text(team)) == ["trf.other_system"]


@pytest.mark.parametrize("rounds", ["some", "none"])
def test_a_swiss_event_before_a_round_robin_is_none(
    tmp_path: Path, rounds: str
) -> None:
    text = played(report(made(tmp_path, 4)))
    if rounds == "none":
        text = "\n".join([*(line[:89] for line in text.splitlines()), ""])
    text = text.replace("192 FIDE_ROUNDROBIN\n", "")
    swiss = text.replace("092 Round-Robin", "092 Swiss-System, then Round-Robin")
    assert kinds(read_text(swiss)) == ["trf.other_system"]
    assert not read_text(swiss).settings.is_round_robin
    finals = text.replace("092 Round-Robin", "092 Round-Robin, after a Swiss")
    assert read_text(finals).settings.is_round_robin


def with_pairs(text: str, changes: dict[tuple[int, int], str]) -> str:
    """Return a report with other cells; keys are starting numbers and rounds."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        for (start, number), cell in changes.items():
            if line.startswith(f"001 {start:>4}"):
                begin = 91 + 10 * (number - 1)
                lines[index] = f"{line[:begin]}{cell:<8}{line[begin + 8 :]}"
                line = lines[index]
    return "\n".join([*lines, ""])


def test_another_table_is_a_note_and_no_guess(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 4)))
    # Players 1 and 2 exchange their opponents of round 2.
    swapped = with_pairs(
        text,
        {
            (1, 2): "   4 w =",
            (4, 2): "   1 b =",
            (2, 2): "   3 w =",
            (3, 2): "   2 b =",
        },
    )
    again = read_text(swapped)
    assert not again.settings.is_round_robin
    assert kinds(again) == ["trf.not_berger", "trf.other_system"]
    note = next(note for note in again.notes if note.kind == "trf.not_berger")
    assert "1 of 3 rounds do not have the pairings" in str(note)
    assert "In round 2 the table has 4-3, 1-2, and the report has 1-4, 2-3" in str(note)
    assert len(again.matches) == 6
    # With missing results, the error gives the same reason.
    without_result = with_pairs(swapped, {(1, 2): "   4 w  ", (4, 2): "   1 b  "})
    with pytest.raises(InputError, match="In round 2 the table has 4-3, 1-2"):
        read_text(without_result)
    # The Dutch System does not pair such an event by mistake.
    assert again.settings.model == "FIDE_ROUNDROBIN"


def test_a_new_event_is_told_why_it_is_no_round_robin(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 5))).replace("142 5", "142 9")
    path = tmp_path / "report.trf"
    path.write_text(text)
    with pytest.raises(UsageError, match="the report plans 9 rounds"):
        new(tmp_path / "again", path)


def test_both_records_of_a_type_without_a_table_are_kept(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 5))).replace("142 5", "142 9")
    again = read_text(text)
    assert not again.settings.is_round_robin
    assert "092 Round-Robin\n" in write(again).text
    assert "192 FIDE_ROUNDROBIN\n" in write(again).text
    assert not find_losses(again, read_text(write(again).text))


def test_a_missing_game_is_a_note(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 6)))
    damaged = with_pairs(text, {(2, 3): "", (5, 3): ""})
    damaged = with_pairs(text, {(1, 1): "", (6, 1): ""})
    again = read_text(damaged)
    assert kinds(again)[0] == "trf.not_berger"
    assert "In round 1 the table has 1-6, and the report has none" in str(
        next(note for note in again.notes if note.kind == "trf.not_berger")
    )


def test_other_numbers_of_rounds_and_players_are_notes(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 5)))
    again = read_text(text.replace("142 5", "142 9"))
    assert kinds(again)[0] == "trf.round_robin_rounds"
    assert not again.settings.is_round_robin

    header = "192 FIDE_ROUNDROBIN\n"
    two = f"{header}001    1      A\n001    2      B\n"
    assert kinds(read_text(two))[0] == "trf.round_robin_players"


def test_rounds_to_come_are_those_of_the_table(tmp_path: Path) -> None:
    folder = made(tmp_path, 5)
    result(folder, 1, "1-0", round=1)
    result(folder, 2, "=", round=1)
    whole = report(folder)
    lines = [
        line[:99] if line.startswith("001") else line for line in whole.splitlines()
    ]
    # The bye of round 1 is blank, as some programs write it.
    lines = [line.replace("0000 - U", "").rstrip() for line in lines]
    again = read_text("\n".join([*lines, ""]))
    assert kinds(again) == ["trf.berger", "trf.berger_filled"]
    assert write(again).text == whole

    # One player fewer would fit a table of 4, but the report plans 5 rounds of 5.
    without_rounds = "\n".join(line for line in lines if not line.startswith("142"))
    assert read_text(f"{without_rounds}\n").settings.rounds == 5


@pytest.mark.parametrize("letter", "UHFZ")
def test_byes_to_come_give_what_the_other_byes_give(
    tmp_path: Path, letter: str
) -> None:
    text = played(report(made(tmp_path, 5)))
    text = re.sub(r"^(162|202|212) .*\n", "", text, flags=re.MULTILINE)
    text = text.replace("0000 - U", f"0000 - {letter}")
    points = {"U": 3, "H": Fraction(5, 2), "F": 3, "Z": 2}[letter]
    assert {line.points for line in rank_players(read_text(text))} == {points}
    two_rounds = "\n".join([*(line[:109].rstrip() for line in text.splitlines()), ""])
    again = read_text(two_rounds)
    byes = again.matches.take(again.matches.second < 0)
    assert len(byes) == 5
    assert len(set(byes.score1.tolist())) == 1
    assert read_text(write(again).text).matches.score1.tolist() == (
        again.matches.score1.tolist()
    )


def test_byes_with_different_points_stay_what_they_are(tmp_path: Path) -> None:
    text = played(report(made(tmp_path, 5)))
    text = text.replace("0000 - U", "0000 - H", 1)
    again = read_text(text)
    assert "0000 - H" in write(again).text
    assert write(again).text.count("0000 - U") == 4


def test_a_round_robin_that_is_not_paired_yet(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    pd.DataFrame({"player": NAMES}).to_csv(listed, index=False)
    new(tmp_path / "robin", listed, format="round-robin", cycles=2)
    text = report(tmp_path / "robin")
    assert "142 10\n" in text
    again = read_text(text)
    assert kinds(again) == ["trf.round_robin_unpaired"]
    assert (again.settings.format, again.settings.cycles) == ("round-robin", 2)

    custom = read_text(text.replace("192 FIDE_", "192 CUSTOM_"))
    assert kinds(custom)[0] == "trf.round_robin_custom"
    assert not custom.settings.is_round_robin


def test_an_older_report_has_the_type_in_words(tmp_path: Path) -> None:
    event = read_event(made(tmp_path, 4, cycles=2))
    text = write16(event).text
    assert "092 Double Round-Robin\n" in text
    assert read_text(text).settings.cycles == 2


def test_a_report_becomes_an_event_that_goes_on(tmp_path: Path) -> None:
    folder = made(tmp_path, 5, cycles=2)
    result(folder, 1, "1-0", round=4)
    path = tmp_path / "report.trf"
    write_event(read_event(folder), path)
    new(tmp_path / "again", path, fide=True)
    again = read_event(tmp_path / "again")
    assert again.settings.is_round_robin
    assert (again.settings.cycles, again.settings.rounds) == (2, 10)
    assert again.settings.fide
    result(tmp_path / "again", 2, "0-1", round=9)
    assert "All 10 rounds" in str(pair(tmp_path / "again").said[0])
    with pytest.raises(UsageError, match="already"):
        new(tmp_path / "other", path, cycles=1)


def test_standings_of_a_report_with_open_games(tmp_path: Path) -> None:
    folder = made(tmp_path)
    result(folder, 1, "1-0", round=5)
    write_event(read_event(folder), tmp_path / "report.trf")
    table = standings(read_event(tmp_path / "report.trf"))
    assert [*table.columns][3:7] == ["DE/P", "WIN", "SB/P", "KS"]
