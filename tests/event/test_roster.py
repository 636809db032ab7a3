"""Who is paired: what is concluded from the files, and that it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from notes import notes_of

from pairopt import Event, InputError, UsageError, read_event, solve

HEADER = "round,table,player1,player2,score1,score2,status\n"
ROUND1 = "1,1,A,B,3,0,\n1,2,C,D,3,0,\n"
PLAYED = HEADER + ROUND1 + "2,1,A,C,3,0,\n2,2,B,D,3,0,\n"
OPEN = HEADER + ROUND1 + "2,1,A,C,,,\n2,2,B,D,,,\n"
EVERYBODY = "player,active\nA,true\nB,true\nC,true\nD,true\n"


def read(
    tmp_path: Path, matches: str, players: str = "", round: int | None = None
) -> Event:
    (tmp_path / "matches.csv").write_text(matches)
    if not players:
        return read_event(tmp_path / "matches.csv", round=round)
    (tmp_path / "players.csv").write_text(players)
    return read_event(tmp_path / "matches.csv", tmp_path / "players.csv", round=round)


def active(event: Event) -> str:
    return "".join(
        p for p, there in zip(event.players, event.active, strict=True) if there
    )


def test_a_drop_for_one_round_is_said(tmp_path: Path) -> None:
    event = read(tmp_path, PLAYED, EVERYBODY)
    notes = notes_of(solve(event, drop=["A", "B"]))
    assert notes[0].startswith(
        "These players are left out of this round only: A, B. To leave players out of all later rounds, write false"
    )
    unsaid = solve(read(tmp_path, PLAYED), drop=["A", "B"])
    assert not any("left out of this round" in note for note in notes_of(unsaid))


def test_a_round_that_was_played_is_paired_again_with_who_was_in_it(
    tmp_path: Path,
) -> None:
    players = EVERYBODY.replace("D,true", "D,false") + "Zoe,true\n"
    event = read(tmp_path, PLAYED, players, round=2)
    assert active(event) == "ABCD"
    assert notes_of(event) == (
        "Round 2 has been played. pairopt pairs round 2 again, with the players who were in the round. pairopt leaves out players who came later: Zoe.",
    )
    assert active(read(tmp_path, PLAYED, players)) == "ABCZoe"


def test_an_open_round_is_paired_anew_with_who_is_active(tmp_path: Path) -> None:
    players = EVERYBODY.replace("D,true", "D,false") + "Zoe,true\n"
    for round_, event in ((2, read(tmp_path, OPEN, players, round=2)),):
        assert event.round == round_
        assert active(event) == "ABCZoe"
        assert notes_of(event) == (
            "Round 2 is still open. pairopt pairs round 2 again from the beginning, with the players who are active in players.csv. "
            "These players are new in this round: Zoe. These players are no longer in this round: D.",
        )
    assert notes_of(solve(read(tmp_path, PLAYED, players), round=2))[0].startswith(
        "Round 2 has been played"
    )


def test_an_open_round_without_a_word_on_who_is_active(tmp_path: Path) -> None:
    event = read(tmp_path, OPEN, "player\nA\nB\nC\nD\nYan\nZoe\n", round=2)
    assert active(event) == "ABCDYanZoe"
    assert notes_of(event) == (
        "Round 2 is still open. pairopt pairs round 2 again from the beginning. These players are new in this round: Yan, Zoe.",
    )
    assert active(read(tmp_path, OPEN, round=2)) == "ABCD"


def test_requested_byes_in_a_round_that_is_paired_anew(tmp_path: Path) -> None:
    matches = HEADER + ROUND1 + "2,1,A,C,,,\n2,,D,,0,,requested\n2,,B,,3,,\n"
    assert active(read(tmp_path, matches, EVERYBODY, round=2)) == "ABC"


def test_a_requested_bye_of_the_first_round_that_is_paired_anew(tmp_path: Path) -> None:
    players = "player,first_round_bye\nA,\nB,\nC,true\n"
    event = read(tmp_path, HEADER + "1,1,A,B,,,\n", players, round=1)
    assert active(event) == "AB"
    assert event.requested == (2,)


def test_requests_for_later_rounds_wait_for_them(tmp_path: Path) -> None:
    asked = HEADER + "4,,A,,1,,requested\n3,,B,,1,,requested\n" + ROUND1
    assert active(read(tmp_path, asked)) == "ABCD"
    two = asked + "2,1,A,C,3,0,\n2,2,B,D,3,0,\n"
    assert active(read(tmp_path, two)) == "ACD"
    three = two + "3,1,A,D,3,0,\n3,,C,,3,,\n"
    event = read(tmp_path, three)
    assert active(event) == "BCD"
    assert notes_of(event) == ()


@pytest.mark.parametrize("word", ["BYE", "bye", "-", "Bye"])
@pytest.mark.parametrize("players", ["", EVERYBODY])
def test_a_typed_bye(tmp_path: Path, word: str, players: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, HEADER + f"1,1,A,B,3,0,\n1,2,C,{word},3,,\n", players)
    assert "row 3, column player2" in str(caught.value)
    assert (
        f"The name '{word}' is read as a player. For a bye, leave player2 empty."
        in str(caught.value)
    )


def test_a_player_may_be_called_bye(tmp_path: Path) -> None:
    event = read(tmp_path, HEADER + "1,1,A,Bye,3,0,\n", "player\nA\nBye\n")
    assert event.players == ("A", "Bye")


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\ufeff", "\u200e"])
def test_what_cannot_be_seen_makes_no_other_player(tmp_path: Path, unseen: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, HEADER + f"1,1,Ann Lee,Bob,3,0,\n2,1,Ann{unseen} Lee,Cat,3,0,\n")
    assert "row 3, column player1" in str(caught.value)
    assert "is nearly the same as 'Ann Lee'" in str(caught.value)


@pytest.mark.parametrize("players", ["", "player\nAnn Lee\nBob\nCat\n"])
@pytest.mark.parametrize("typed", ["ann lee", "Ann  Lee", "ANN LEE"])
def test_nearly_the_same_name(tmp_path: Path, players: str, typed: str) -> None:
    with pytest.raises(InputError) as caught:
        read(
            tmp_path, HEADER + f"1,1,Ann Lee,Bob,3,0,\n2,1,{typed},Cat,3,0,\n", players
        )
    assert "row 3, column player1" in str(caught.value)
    assert f"'{typed}' is nearly the same as 'Ann Lee'" in str(caught.value)


def test_two_players_of_nearly_one_name(tmp_path: Path) -> None:
    event = read(tmp_path, HEADER + "1,1,ann,Ann,3,0,\n", "player\nAnn\nann\n")
    assert event.players == ("Ann", "ann")


def test_a_new_name_is_said(tmp_path: Path) -> None:
    matches = PLAYED + "3,1,A,D,3,0,\n3,2,B,Catt,3,0,\n"
    assert notes_of(read(tmp_path, matches)) == (
        "These players have no match and no bye in round 3, so these players count as dropped: C.",
        "New in round 3: Catt",
    )
    later = read(tmp_path, matches + "4,1,A,Catt,3,0,\n4,2,B,D,3,0,\n")
    assert notes_of(later) == (
        "These players have no match and no bye in round 4, so these players count as dropped: C.",
    )
    assert notes_of(read(tmp_path, matches, "player\nA\nB\nC\nD\nCatt\n")) == (
        "These players have no match and no bye in round 3, so these players count as dropped: C.",
    )
    assert notes_of(read(tmp_path, HEADER + ROUND1)) == ()


def test_a_round_that_cannot_be_paired(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Round 4 can't be paired"):
        read(tmp_path, PLAYED, round=4)
