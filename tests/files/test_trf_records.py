"""What TRF26's records and the XX lines say of a round: the same event from either, and back."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from dutch_cases import BAKU, SECOND, field, player
from dutch_literal import Literal
from dutch_random import random_round
from dutch_round import of_trf
from notes import notes_of
from telling import said_by

from pairopt import Event, InputError, UsageError, read_event, write_event
from pairopt.cli import main
from pairopt.event.score_checks import baku_acceleration, points_of
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks import tie_break_of
from pairopt.files.formats.trf.writing import write
from pairopt.folder.create import new

FIVE = (
    player(1, 1, "   4 w 1"),
    player(2, 0.5, "   5 b ="),
    player(3, 0),
    player(4, 0, "   1 b 0"),
    player(5, 0.5, "   2 w ="),
)
"""Five players; 3 did not play in round 1."""


def read(folder: Path, *lines: str, round: int | None = None) -> Event:
    path = folder / "event.trf"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return read_event(path, round=round)


def virtual(event: Event) -> list[list[float]]:
    return (event.acceleration / event.scale).tolist()


def active(event: Event) -> list[str]:
    return [
        name for name, here in zip(event.players, event.active, strict=True) if here
    ]


def forbidden(event: Event) -> list[tuple[str, str]]:
    return [(event.players[one], event.players[two]) for one, two in event.forbidden]


@pytest.mark.parametrize("said", ["XXR 9", "142 9", "142    9"])
def test_the_number_of_rounds(tmp_path: Path, said: str) -> None:
    assert read(tmp_path, *FIVE, said).settings.rounds == 9


@pytest.mark.parametrize(
    ("said", "side"),
    [
        ("XXC white1", 0),
        ("XXC black1", 1),
        ("XXC rank black1", 1),
        ("152 W", 0),
        ("152 B", 1),
        ("XXC", None),
        ("XXR 9", None),
    ],
)
def test_the_side_drawn(tmp_path: Path, said: str, side: int | None) -> None:
    assert read(tmp_path, *FIVE, said).initial_side == side


def test_ranked_by_their_place_in_the_file(tmp_path: Path) -> None:
    turned = [*reversed(FIVE)]
    assert read(tmp_path, *turned).start_numbers.tolist() == [5, 4, 3, 2, 1]
    assert read(tmp_path, *turned, "XXC rank").start_numbers.tolist() == [1, 2, 3, 4, 5]


RANGES = ("250       1.0 001 002 0001 0004", "250       0.5 003 004 0001 0004")


@pytest.mark.parametrize("said", [BAKU, RANGES, ("192 FIDE_DUTCH_BAKU",)])
def test_acceleration_three_ways(tmp_path: Path, said: tuple[str, ...]) -> None:
    event = read(tmp_path, *SECOND, "XXR 8", *said)
    assert virtual(event) == [[1, 1, 0.5, 0.5]] * 4 + [[0] * 4] * 4
    assert points_of(event).tolist() == [2, 1, 0, 1, 2, 1, 0, 1]  # none of it is points
    assert event.scale == 2


WITH_LATE = (
    player(1, 1, "   4 w 1"),
    player(2, 0, "0000 - Z"),
    player(3, 0, "   5 b 0"),
    player(4, 0, "   1 b 0"),
    player(5, 1, "   3 w 1"),
)


@pytest.mark.parametrize(
    ("lines", "group"),
    [
        (
            WITH_LATE,
            {1, 2, 3},
        ),  # four were in round 1, of whom 1 and 3 are the first half
        (field(9), {1, 2, 3, 4, 5, 6}),
        ((*field(9), "240 Z 001    2"), {1, 2, 3, 4, 5}),
        ((*field(9), "240 Z 002    2"), {1, 2, 3, 4, 5, 6}),
        ((*field(9), "XXZ 1 2 9"), {1, 2, 3, 4, 5, 6}),
    ],
)
def test_the_first_group_is_of_those_in_round_1(
    tmp_path: Path, lines: tuple[str, ...], group: set[int]
) -> None:
    """C.04.7, 1.2 and 1.3: who comes late is in it where they rank above its last player."""
    event = read(tmp_path, *lines, "142 8", "192 FIDE_DUTCH_BAKU")
    shown = zip(event.players, virtual(event), strict=True)
    assert {int(name) for name, line in shown if any(line)} == group


def test_a_group_by_places_in_the_file(tmp_path: Path) -> None:
    event = read(tmp_path, *reversed(FIVE), "XXR 8", "XXC rank", "192 FIDE_DUTCH_BAKU")
    assert [any(line) for line in virtual(event)] == [True, True, False, False, False]


def test_virtual_points_alone_are_halves(tmp_path: Path) -> None:
    event = read(tmp_path, *field(4), "XXA    1  0.5")
    assert event.scale == 2
    assert virtual(event) == [[0.5], [0], [0], [0]]


@pytest.mark.parametrize(
    ("players", "rounds", "many", "points"),
    [
        (161, 9, 82, "1 1 1 0.5 0.5"),
        (90, 11, 46, "1 1 1 0.5 0.5 0.5"),
        (8, 8, 4, "1 1 0.5 0.5"),
        (6, 2, 4, "1"),
    ],
)
def test_bakus_examples(players: int, rounds: int, many: int, points: str) -> None:
    """C.04.7, notes of article 1.2 and examples of 1.4.4."""
    assert baku_acceleration(players, rounds, Decimal(1)) == (
        many,
        [Decimal(each) for each in points.split()],
    )


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        (("XXS W=3 D=1",), "3 1 0 3 3 1 1 0"),  # a shortcut has forfeits and byes in it
        (("XXS PAB=3 D=1 W=3",), "3 1 0 3 3 1 3 0"),
        (("XXS W=3 D=1 FPB=0",), "3 1 0 3 0 1 1 0"),
        (("XXS FPB=0 W=3 D=1",), "3 1 0 3 3 1 1 0"),  # the latter overrides
        (("162  W 3.0    D 1.0",), "3 1 0 3 3 1 3 0"),
        (("162  P 0.5    W 3.0    D 1.0    A 0.5",), "3 1 0 3 3 1 0.5 0.5"),
        (("BBW  3.0", "BBD  1.0", "BBU  1.0"), "3 1 0 3 3 1 1 0"),
    ],
)
def test_points(tmp_path: Path, said: tuple[str, ...], worth: str) -> None:
    """Win, draw, loss, forfeit win, full-point, half-point, allocated and zero-point bye."""
    lines = (
        player(
            1,
            0,
            "   2 w 1",
            "   2 b =",
            "   2 w +",
            "0000 - F",
            "0000 - H",
            "0000 - U",
            "0000 - Z",
        ),
        player(2, 0, "   1 b 0", "   1 w =", "   1 b -"),
    )
    rows = read(tmp_path, *lines, *said).matches
    scale = 2 if "0.5" in worth else 1
    win, draw, loss, forfeit, full, half, bye, none = (
        float(word) * scale for word in worth.split()
    )
    own = rows.first == 0
    turns = dict(zip(rows.round[own].tolist(), rows.score1[own].tolist(), strict=True))
    assert turns == {1: win, 2: draw, 3: forfeit, 4: full, 5: half, 6: bye, 7: none}
    assert int(rows.score2[(rows.round == 1) & own][0]) == loss


@pytest.mark.parametrize(
    ("said", "pairs"),
    [
        ("XXP 1 3 5", [("1", "3"), ("1", "5"), ("3", "5")]),
        ("260 001 002    1    3    5", [("1", "3"), ("1", "5"), ("3", "5")]),
        ("260 003 004    1    3", []),  # of later rounds
    ],
)
def test_forbidden_pairs(
    tmp_path: Path, said: str, pairs: list[tuple[str, str]]
) -> None:
    assert forbidden(read(tmp_path, *FIVE, said)) == pairs


@pytest.mark.parametrize("said", ["XXR 9999", "142 501"])
@pytest.mark.parametrize(
    "more", [[], ["260 002 003    1    3"], ["192 FIDE_DUTCH_BAKU"]]
)
def test_too_many_rounds_are_a_fault_whatever_else_the_file_has(
    tmp_path: Path, said: str, more: list[str]
) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, *FIVE, said, *more)
    (fault,) = error.value.faults
    assert (
        str(fault.said) == "There are too many rounds. At most 500 rounds are possible."
    )


@pytest.mark.parametrize(
    ("said", "points"),
    [("XXZ 2 4", 0), ("240 Z 002    2    4", 0), ("240 H 002    2    4", 0.5)],
)
def test_who_is_away_in_the_next_round(
    tmp_path: Path, said: str, points: float
) -> None:
    event = read(tmp_path, *FIVE, said)
    assert active(event) == ["1", "3", "5"]
    here = event.matches.take(event.matches.round == 2)
    assert here.first.tolist() == [1, 3]
    assert (here.score1 / event.scale).tolist() == [points] * 2
    assert active(read(tmp_path, *FIVE, said.replace("002 ", "001 "))) == (
        ["1", "3", "5"] if said.startswith("XXZ") else ["1", "2", "3", "4", "5"]
    )


def test_a_late_entry_and_who_is_not_marked(tmp_path: Path) -> None:
    """3 has not come before; 6 played, then nothing, which stands for one zero-point bye."""
    lines = (
        player(1, 2, "   6 w 1", "   2 w 1"),
        player(2, 0, "0000 - Z", "   1 b 0"),
        player(3, 0),
        player(6, 0, "   1 b 0"),
    )
    event = read(tmp_path, *lines, "XXR 5")
    assert active(event) == ["1", "2", "3", "6"]
    assert notes_of(event) == (
        "These players have no entry in round 2, so pairopt reads them as reinstated: Player 6. Absent players have the entry 0000 - Z.",
    )
    gone = read(
        tmp_path, *lines[:3], player(6, 0, "   1 b 0", " " * 8, "0000 - Z"), "XXR 5"
    )
    assert active(gone) == ["1", "2", "3"]


def test_letters_of_either_case(tmp_path: Path) -> None:
    event = read(
        tmp_path, player(1, 1, "   2 W w", "0000 - h"), player(2, 0, "   1 B l")
    )
    assert points_of(event.at_round(2)).tolist() == [2, 0]
    assert event.matches.side.tolist() == [0, -1]


def test_national_ratings_and_unknown_codes_are_passed_over(tmp_path: Path) -> None:
    event = read(tmp_path, "### a comment", "172 NOR FIDE", *FIVE, "NOR    1", "XXF 3")
    assert len(event.players) == 5
    assert not notes_of(event)


@pytest.mark.parametrize(
    ("said", "tie_breaks"),
    [
        (("212 PTS,BH/C1,SB/P,OTHER_SOS",), ("BH/C1", "SB/P", "SOS")),
        (("202 bh:c1 KS/L+1", "212 PTS,DE,DE"), ("DE",)),
        (("202 BH-C1; AOB/F",), ("BH-C1", "AOB/F")),
        (("212 PTS",), None),
        ((), None),
    ],
)
def test_tie_breaks(
    tmp_path: Path, said: tuple[str, ...], tie_breaks: tuple[str, ...] | None
) -> None:
    event = read(tmp_path, *FIVE, *said)
    assert event.settings.tie_breaks == tie_breaks
    write_event(event, tmp_path / "again.trf")
    assert rank_players(read_event(tmp_path / "again.trf")) == rank_players(event)
    again = read_event(tmp_path / "again.trf").settings.tie_breaks or ()
    assert [tie_break_of(each).code for each in again] == [
        tie_break_of(each).code for each in tie_breaks or ()
    ]


def test_tie_breaks_that_are_not_known_or_cannot_be_told(tmp_path: Path) -> None:
    unrated = [line[:48] + " " * 4 + line[52:] for line in FIVE]
    event = read(tmp_path, *unrated, "212 PTS,EDE,ARO,OTHER_KEIZER")
    assert notes_of(event) == (
        "pairopt doesn't know these tie-breaks in record 212 of the report, and leaves them out: EDE, KEIZER.",
    )
    assert event.settings.tie_breaks == ("ARO",)
    write_event(
        event, tmp_path / "again.trf"
    )  # nobody is rated: ranked by the usual ones
    with pytest.raises(UsageError, match="ARO needs ratings"):
        rank_players(event, event.settings.tie_breaks)


def test_what_is_not_followed_is_said(tmp_path: Path) -> None:
    notes = notes_of(
        read(tmp_path, *FIVE, "192 FIDE_DUBOV", "299           0.5  002    1")
    )
    assert notes == (
        "The file names a pairing system that pairopt doesn't have: FIDE_DUBOV (192).",
        "Record 299 of the report gives points that no result explains: 0.5 for Player 1 in round 2",
    )
    assert read(tmp_path, *FIVE, "192 FIDE_DUTCH_2026").settings.model == "fide-dutch"
    assert (
        read(tmp_path, *FIVE, "192 FIDE_BURSTEIN_BAKU").settings.model
        == "fide-burstein"
    )


@pytest.mark.parametrize(
    ("line", "said", "points"),
    [  # FIVE have 1, 0.5, 0, 0 and 0.5 points after round 1
        (
            "299          -1.0  001    2    4",
            "-1 for Player 2, Player 4 in round 1",
            "1 -.5 0 -1 .5",
        ),
        (
            "299          -1.0  002    2    4",
            "-1 for Player 2, Player 4 in round 2",
            "1 .5 0 0 .5",
        ),
        (
            "299           0.5         3",
            "0.5 for Player 3 in all rounds",
            "1 .5 .5 0 .5",
        ),
        (
            "299           0.5  000    3",
            "0.5 for Player 3 in all rounds",
            "1 .5 .5 0 .5",
        ),
        (
            "299 W   0.0   0.5  001    1",
            "0.5 with the letter W for Player 1 in round 1",
            ".5 .5 0 0 .5",
        ),
        (
            "299 D         0.5  001    4",
            "0.5 with the letter D for Player 4 in round 1",
            "1 .5 0 .5 .5",
        ),
        (
            "299 D         0.2  001",
            "0.2 with the letter D for all players in round 1",
            "1 .2 0 0 .2",
        ),
        (
            "299 =         0.2",
            "line 6, column 5-5: '=' is not possible. Write one of W D L",
            "",
        ),
        (
            "299           0.5  000    9",
            "line 6, column 24-27: '9' is not the starting number",
            "",
        ),
        (
            "299           0.5",
            "line 6, column 24-27: The starting numbers are missing.",
            "",
        ),
        (
            "299                001    1",
            "line 6, column 13-17: The points are missing. Write a number.",
            "",
        ),
        (
            "299           0.5  one    1",
            "line 6, column 20-22: 'one' is not the number of a round",
            "",
        ),
        (
            "299          0.5  001    1",
            "line 6, column 19-19: '0' can't be here",
            "",
        ),
        (
            "299          a0.5  001    1",
            "line 6, column 13-17: Found 'a0.5'. Write a number",
            "",
        ),
    ],
)
def test_points_that_no_result_explains(
    tmp_path: Path, line: str, said: str, points: str
) -> None:
    """Worked by hand: they count from the end of their round on, and are written again."""
    if not points:
        with pytest.raises(InputError, match=re.escape(said)):
            read(tmp_path, *FIVE, line)
        return
    event = read(tmp_path, *FIVE, line)
    assert (
        f"Record 299 of the report gives points that no result explains: {said}"
        in notes_of(event)
    )
    given = (points_of(event) / event.scale).tolist()
    assert given == [float(each) for each in points.split()]
    assert line in write(event).text.splitlines()
    new(tmp_path / "kept", tmp_path / "event.trf", points="1-0.5-0")
    kept = read_event(tmp_path / "kept")
    again = read_event(write_event(kept, tmp_path / "again.trf").files[0])
    for each in (kept, again):
        assert (points_of(each) / each.scale).tolist() == given
        assert (each.besides / each.scale).tolist() == (
            event.besides / event.scale
        ).tolist()


def test_points_of_no_result_that_have_no_room(tmp_path: Path) -> None:
    """Five columns: a file that is written can be read, and says what it lacks."""
    for amount, room in (
        ("-10.5", True),
        ("1000", False),
        ("0.125", True),
        ("-0.125", False),
    ):
        path = tmp_path / "players.csv"
        path.write_text("player,score\nAnn,0.125\nBob,\nCid,\nDan,\n", encoding="utf-8")
        event = read_event(path, relax=("history",))
        brought = event.brought.copy()
        brought[0] = float(amount) * event.scale
        event = replace(event, brought=brought)
        written = write_event(event, tmp_path / f"{amount}.trf")
        assert (
            "The file leaves out the points that players started with."
            in notes_of(written)
        ) != room
        again = read_event(written.files[0])
        assert again.brought.any() == room
        assert (again.brought[0] / again.scale == float(amount)) == room


def test_a_forfeit_in_one_entry_alone_is_named(tmp_path: Path) -> None:
    lines = (
        player(1, 0, "   2 w 0"),
        player(2, 0, "   1 b -"),
        player(3, 1, "   4 w +"),
        player(4, 0, "   3 b -"),
    )
    event = read(tmp_path, *lines)
    assert notes_of(event) == (
        "In round 1, Player 2 - Player 1 has the results - and 0. pairopt reads the match as a forfeit.",
    )
    assert "   2 w -" in write(event).text


def test_points_that_are_not_those_of_the_results(tmp_path: Path) -> None:
    first = player(1, 1.5, "   4 w 1")
    assert notes_of(read(tmp_path, first, *FIVE[1:])) == (
        "The points in columns 81-84 do not agree with the results: "
        "Player 1 (line 1, column 81-84) has 1.5, but the results give 1.",
    )
    asked = player(1, 1.5, "   4 w 1", "0000 - H")  # that of the next round is in them
    assert not notes_of(read(tmp_path, asked, *FIVE[1:]))
    assert not notes_of(read(tmp_path, first, *FIVE[1:], "XXA    1  0.5  0.5"))
    assert not notes_of(read(tmp_path, first, *FIVE[1:], round=1))[1:]


def test_json_of_many_wrong_points_has_the_first_ones_and_a_number(
    tmp_path: Path,
) -> None:
    event = read(tmp_path, *(player(number, 7) for number in range(1, 16)))
    note = event.notes[0]
    content = note.to_dict()
    assert (content["kind"], content["more"]) == ("trf.other_points_of_many", 3)
    assert len(content["said"]) == 12
    assert content["said"][0].startswith("Player 1 (line 1, ")
    assert str(note).endswith(
        " 3 more players have points that differ from their results."
    )


FAULTS = {
    "acceleration of nobody": (
        "XXA    9  1.0",
        "line 6, column 8-8: '9' is not the starting number",
    ),
    "acceleration in words": (
        "XXA    1  one",
        "column 11-13: Found 'one'. Write a number",
    ),
    "a range of nobody": (
        "250       1.0 001 002 0001 0009",
        "column 28-31: '0009' is not the starting number",
    ),
    "a round": (
        "250       1.0 0x1 002 0001 0004",
        "column 15-17: '0x1' is not the number of a round",
    ),
    "forbidden": (
        "260 001 002    1    7",
        "column 18-21: '7' is not the starting number",
    ),
    "a bye": (
        "240 U 002    2",
        "column 5-5: 'U' is not a code for a bye. Write F for a full-point bye, H for a half-point bye, or Z for a zero-point bye.",
    ),
    "points": ("162  W three", "column 6-12: Found"),
    "bbp's points": ("BBW x", "column 5-5: Found 'x'. Write a number"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_have_line_and_column(tmp_path: Path, name: str) -> None:
    line, said = FAULTS[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, *FIVE, line)
    assert said in str(caught.value)


ALL = (*SECOND, "XXR 8", "XXC black1", "XXP 1 8", "192 FIDE_DUTCH", *BAKU)


def facts(event: Event) -> tuple[object, ...]:
    """What pairing reads besides results."""
    order = [event.players[k] for k in event.start_numbers.argsort()]
    pairs = {*map(frozenset, forbidden(event))}
    return (
        order,
        virtual(event),
        event.initial_side,
        event.settings.rounds,
        pairs,
        points_of(event).tolist(),
        active(event),
    )


@pytest.mark.parametrize("order", [1, -1])
def test_written_and_read_again(tmp_path: Path, order: int) -> None:
    event = read(tmp_path, *ALL[:8][::order], *ALL[8:])
    written = write_event(event, tmp_path / "again.trf")
    assert not [note for note in notes_of(written) if "federation" not in note]
    assert facts(read_event(written.files[0])) == facts(event)


@pytest.mark.parametrize("order", [1, -1])
def test_a_folder_keeps_it(tmp_path: Path, order: int) -> None:
    event = read(tmp_path, *ALL[:8][::order], *ALL[8:])
    done = new(tmp_path / "kept", tmp_path / "event.trf")
    kept = read_event(tmp_path / "kept")
    assert facts(kept) == facts(event)
    assert kept.settings.model == "fide-dutch"
    assert kept.settings.rounds == 8
    assert any("Rounds: 8 (from" in line for line in said_by(done))
    again = write_event(kept, tmp_path / "again.trf")
    assert facts(read_event(again.files[0])) == facts(event)


def test_start_numbers_of_players_csv(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text(
        "player,rating,start,virtual\nAnn,1500,2,1 0.5\nBob,1900,1,\nCid,2100,,\n"
    )
    event = read_event(path)
    assert event.start_numbers.tolist() == [
        2,
        1,
        3,
    ]  # whoever has none comes after the others
    assert virtual(event) == [[1, 0.5], [0, 0], [0, 0]]
    written = write_event(event, tmp_path / "event.trf")
    assert (
        "The file has numbers in place of the players' identifiers, but keeps the players' names."
        in notes_of(written)
    )
    again = read_event(written.files[0])
    assert again.names == ("Ann", "Bob", "Cid")
    assert again.start_numbers.tolist() == [2, 1, 3]
    assert virtual(again) == virtual(event)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "player,start\nAnn,1\nBob,1\n",
            "row 3, column start: Start number 1 is already in row 2. Change one of the two start numbers.",
        ),
        (
            "player,start\nAnn,x\n",
            "row 2, column start: Found 'x'. Write a whole number",
        ),
        (
            "player,virtual\nAnn,1 x\n",
            "row 2, column virtual: Found '1 x'. Write a number",
        ),
        (
            "player,virtual\nAnn,-1\n",
            "row 2, column virtual: Found '-1'. Write one number of points per round",
        ),
    ],
)
def test_faults_of_players_csv(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "players.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert said in str(caught.value)


def test_baku_for_a_new_event(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    ratings = [1500, 2100, 1900, 2000, 1800]  # of five players the first four
    path.write_text(
        "player,rating\n" + "".join(f"p{k},{r}\n" for k, r in enumerate(ratings))
    )
    done = new(tmp_path / "open", path, rounds=5, points="1-½-0", baku=True)
    assert (
        "Baku Acceleration: the first 4 players get these virtual points, one number for each round: 1 1 0.5"
        in said_by(done)
    )
    assert virtual(read_event(tmp_path / "open")) == [[0, 0, 0]] + [[1, 1, 0.5]] * 4
    for options, said in (
        ({}, "needs the number of rounds"),
        ({"rounds": 5, "points": "3-1-0"}, "two draws"),
    ):
        with pytest.raises(UsageError, match=said):
            new(tmp_path / "other", path, baku=True, **options)  # type: ignore[arg-type]
        assert not (tmp_path / "other").exists()


def test_the_first_half_is_of_those_who_are_to_be_paired(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    rows = [f"p{k},{2000 - k},{'false' if k < 4 else 'true'}\n" for k in range(8)]
    path.write_text("player,rating,active\n" + "".join(rows))
    new(tmp_path / "open", path, rounds=8, points="1-½-0", baku=True)
    assert [any(line) for line in virtual(read_event(tmp_path / "open"))] == [
        True
    ] * 6 + [False] * 2


def test_the_first_half_is_that_of_start_numbers_not_of_ratings(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    numbers = [4, 3, 2, 1, 5]  # for good; ratings have changed since
    path.write_text(
        "player,rating,start\n"
        + "".join(f"p{n},{1500 + 100 * n},{n}\n" for n in numbers)
    )
    new(tmp_path / "open", path, rounds=5, points="1-½-0", baku=True)
    event = read_event(tmp_path / "open")
    accelerated = {
        name
        for name, line in zip(event.players, virtual(event), strict=True)
        if line[0]
    }
    assert accelerated == {"p1", "p2", "p3", "p4"}


def test_the_side_drawn_is_one_of_the_events(tmp_path: Path) -> None:
    read(tmp_path, *ALL)
    new(tmp_path / "kept", tmp_path / "event.trf")
    toml = tmp_path / "kept" / "event.toml"
    assert 'initial_side = "black"' in toml.read_text()
    toml.write_text(toml.read_text().replace('"black"\n', '"green"\n'))
    with pytest.raises(
        InputError,
        match=r"initial_side: 'green' is not a side in this event\. Write white or black",
    ):
        read_event(tmp_path / "kept")


def test_who_has_left_is_marked_as_absent(tmp_path: Path) -> None:
    read(tmp_path, *FIVE)
    new(tmp_path / "kept", tmp_path / "event.trf")
    assert (
        CliRunner().invoke(main, ["drop", str(tmp_path / "kept"), "2"]).exit_code == 0
    )
    written = write_event(read_event(tmp_path / "kept"), tmp_path / "again.trf")
    assert "Players who have left are marked as absent in round 2." in notes_of(written)
    assert active(read_event(written.files[0])) == ["1", "3", "4", "5"]


@pytest.mark.long
def test_more_players_than_a_trf_holds(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text("player\n" + "".join(f"p{k}\n" for k in range(10_000)))
    with pytest.raises(
        UsageError, match="at most 9,999 players, and this event has 10,000"
    ):
        write_event(read_event(path), tmp_path / "event.trf")
    assert not (tmp_path / "event.trf").exists()


@pytest.mark.parametrize("seed", range(20))
def test_a_random_round_is_the_same_when_written(seed: int, tmp_path: Path) -> None:
    given = random_round(seed)
    event = read(tmp_path, given.trf())
    written = write_event(event, tmp_path / "again.trf").files[0]
    again = of_trf(written.read_text(encoding="utf-8"))
    assert again.here == given.here
    assert Literal(again).pairs() == Literal(given).pairs()
