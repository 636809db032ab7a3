"""Match lists of other programs: invented files in the form in which other tools write them.

All of them hold one small tournament of two rounds, as far as their form can."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from places import DATA

from pairopt import Event, InputError, UsageError, read_event, solve
from pairopt.cli import main
from pairopt.event.event import BYE_ROW, FORFEIT, REQUESTED
from pairopt.event.score_checks import points_of
from pairopt.files.read import read_upload
from pairopt.messages.interfaces import PAGE

EXPORTS = DATA / "exports"
WHITE_BLACK = ("white", "black")


@dataclass(frozen=True)
class Export:
    """What a list becomes: points in the order of its players, and how results were read."""

    points: tuple[float, ...]
    results: str
    sides: tuple[str, str] | None = None
    byes: int = 0
    requested: int = 0
    forfeits: int = 0
    left_out: int = 0
    columns: dict[str, str] = field(default_factory=dict)


CARDS, WITHOUT_DRAW = (6, 0, 4, 4, 3), (6, 0, 3, 3)
CHESS = (2, 0, 1.5, 1.5, 1)
GAMES, GOALS, WORDS, POINTS = "games", "goals", "words", "points"
READ = {
    "aetherhub": Export(CARDS, GAMES, byes=2),
    "bcp.csv": Export((6, 0, 4, 1), GOALS),
    "bracket_tool.csv": Export(WITHOUT_DRAW, GOALS, left_out=1),
    "challonge.csv": Export(WITHOUT_DRAW, GAMES),
    "chess_results": Export(CHESS, POINTS, WHITE_BLACK, byes=2, forfeits=1),
    "debate_aff_neg.csv": Export(WITHOUT_DRAW, WORDS, ("aff", "neg")),
    "debate_government.csv": Export(WITHOUT_DRAW, WORDS, ("government", "opposition")),
    "eventlink.csv": Export(CARDS, GAMES, byes=2),
    "fixtures.csv": Export((6, 0, 4, 1), GAMES),
    "games_and_winner.csv": Export(CARDS, GAMES, byes=2, forfeits=1, left_out=1),
    "gatherling.csv": Export(CARDS, GAMES, byes=2),
    "lichess_games.csv": Export((2, 1, 0.5, 0.5), POINTS, WHITE_BLACK),
    "limitless.csv": Export((6, 0, 4, 1, 3), WORDS, byes=2, left_out=1),
    "longshanks.csv": Export(CARDS, GOALS, byes=2),
    "melee.csv": Export(CARDS, GAMES, byes=2, left_out=1),
    "netrunner_double_sided.csv": Export((12, 1, 9, 7, 6), POINTS, byes=2),
    "netrunner_single_sided.csv": Export(CARDS, POINTS, ("corp", "runner"), byes=2),
    "player_and_opponent.csv": Export(WITHOUT_DRAW, WORDS),
    "round_names.csv": Export((2, 0, 1.5, 0.5), POINTS, WHITE_BLACK),
    "set_scores.csv": Export(WITHOUT_DRAW, GAMES),
    "spreadsheet_french.csv": Export(CHESS, POINTS, WHITE_BLACK, byes=2),
    "spreadsheet_german.csv": Export(CARDS, GAMES, byes=2),
    "spreadsheet_win_loss.csv": Export((3, 0, 0, 3), WORDS),
    "startgg.csv": Export(WITHOUT_DRAW, WORDS, forfeits=1, left_out=1),
    "swiss_manager_german.csv": Export(CHESS, POINTS, WHITE_BLACK, byes=2, forfeits=1),
    "swiss_perfect.csv": Export(CHESS, POINTS, WHITE_BLACK, byes=2),
    "swisssys.csv": Export(CHESS, POINTS, WHITE_BLACK, byes=2),
    "tabletop_to.csv": Export(CARDS, GOALS, byes=2),
    "team_scores.csv": Export(
        (6, 0, 1, 4), GAMES, columns={"games1": "Score 1", "games2": "score 2"}
    ),
    "topdeck.csv": Export(CARDS, WORDS, byes=2),
    "tornelo.csv": Export(CHESS, POINTS, WHITE_BLACK, byes=2),
    "vega.csv": Export(CHESS, POINTS, WHITE_BLACK, byes=2, forfeits=1),
    "winner_and_loser.csv": Export(WITHOUT_DRAW, "first"),
    "wins_and_draws.csv": Export(CARDS, GAMES, byes=2),
    "wintd.csv": Export((2, 0, 1, 1.5, 1), WORDS, WHITE_BLACK, byes=1, requested=1),
}
KINDS = {"first": "listing.winners_first"}
ASKED = {
    "team_scores.csv": "listing.points_or_games_each",
    "topdeck_pods.csv": "listing.pods",
}


def read(name: str, columns: dict[str, str] | None = None) -> Event:
    return read_event(EXPORTS / name, columns=columns)


def kinds(event: Event) -> list[str]:
    return [note.kind for note in event.notes]


def points(event: Event) -> tuple[float, ...]:
    return tuple(score / event.scale for score in points_of(event).tolist())


def written(folder: Path, text: str, name: str = "list.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def results(
    folder: Path, *cells: str, heading: str = "Player A,Player B,Result"
) -> Event:
    """The event of a list with these results of as many matches of one round."""
    rows = [f"a{k},b{k},{cell}" for k, cell in enumerate(cells)]
    return read_event(written(folder, "\n".join([heading, *rows, ""])))


def test_every_export_is_here() -> None:
    assert {path.name for path in EXPORTS.iterdir()} == {*READ, *ASKED}
    assert len(READ) >= 30


def test_the_page_of_the_docs_has_every_export() -> None:
    page = (DATA.parents[1] / "docs" / "exports.md").read_text("utf-8")
    for path in sorted(EXPORTS.rglob("*.csv")):
        text = path.read_bytes().decode("cp1252" if "french" in path.name else "utf-8")
        headings = [
            line.strip() for line in text.splitlines() if not line.endswith(";;;")
        ]
        assert f"`{headings[0]}`" in page, path.name


@pytest.mark.long
@pytest.mark.parametrize("name", READ)
def test_what_an_export_becomes(name: str) -> None:
    export = READ[name]
    event = read(name, export.columns)
    rounds = 1 if name == "spreadsheet_win_loss.csv" else 2
    assert event.round == rounds + 1
    assert points(event) == export.points
    assert event.sides == export.sides
    status = event.matches.status
    counted = [int((status == each).sum()) for each in (BYE_ROW, REQUESTED, FORFEIT)]
    assert counted == [export.byes, export.requested, export.forfeits]
    assert KINDS.get(export.results, f"listing.results_{export.results}") in kinds(
        event
    )
    assert ("listing.no_swiss_rows" in kinds(event)) == bool(export.left_out)


@pytest.mark.parametrize("name", READ)
def test_a_round_of_every_export_is_paired(name: str) -> None:
    event = read(name, READ[name].columns)
    assert solve(event).status == "optimal"


@pytest.mark.parametrize(
    "name", [name for name in READ if "." in name and name not in ASKED]
)
def test_the_page_understands_every_export(name: str) -> None:
    found = read_upload((EXPORTS / name).read_bytes(), name)
    assert points(found.event) == READ[name].points


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_clear_is_asked(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read(name)
    assert caught.value.kind == ASKED[name]


def test_the_command_names_the_option_that_answers() -> None:
    path = str(EXPORTS / "team_scores.csv")
    run = CliRunner().invoke(main, ["solve", path])
    assert run.exit_code == 3
    answer = 'games1="Score 1",games2="Score 2"'
    assert f"--columns {answer} for games" in run.stderr
    run = CliRunner().invoke(main, ["solve", path, "--columns", answer])
    assert run.exit_code == 0, run.stderr
    assert "read the results in 'Score 1' and 'Score 2' as games won" in run.stderr


def test_the_page_says_how_to_rename_the_headings() -> None:
    with pytest.raises(InputError) as caught:
        read("team_scores.csv")
    said = caught.value.format_with(PAGE)
    assert "--columns" not in said
    assert "choose the file again" in said


def test_the_two_answers_differ() -> None:
    columns = {"score1": "Score 1", "score2": "Score 2"}
    assert points(read("team_scores.csv", columns)) == (4, 0, 1, 3)


@pytest.mark.long
def test_columns_name_headings_that_nobody_knows(tmp_path: Path) -> None:
    path = written(
        tmp_path, "Turn,Hero,Villain,Outcome of it\n1,Ann,Bob,1-0\n1,Cy,BYE,\n"
    )
    with pytest.raises(InputError):
        read_event(path)
    columns = {
        "round": "turn",
        "player1": "Hero",
        "player2": "Villain",
        "result": "Outcome of it",
    }
    event = read_event(path, columns=columns)
    assert event.players == ("Ann", "Bob", "Cy")
    assert points(event) == (1, 0, 1)


def test_a_column_in_the_way_is_put_aside(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "round,player1,player2,Name A,Name B,score1,score2\n1,7,8,Ann,Bob,3,0\n",
    )
    event = read_event(path, columns={"player1": "Name A", "player2": "Name B"})
    assert event.players == ("Ann", "Bob")


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ({"Winner?": "a"}, "columns.no_meaning"),
        ({"round": "Zeit"}, "columns.no_heading"),
    ],
)
def test_columns_that_cannot_be(columns: dict[str, str], kind: str) -> None:
    with pytest.raises(UsageError) as caught:
        read("vega.csv", columns)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    "text", ["player1", 'player1="",player2=B', "=B", 'round=A,round="B"']
)
def test_the_option_is_refused_where_it_says_nothing(text: str) -> None:
    run = CliRunner().invoke(
        main, ["solve", str(EXPORTS / "vega.csv"), "--columns", text]
    )
    assert run.exit_code == 2
    assert "--columns" in run.stderr


def test_a_heading_may_hold_commas() -> None:
    text = 'result="Games (P1-P2, draws)", player1=Last, first'
    run = CliRunner().invoke(
        main, ["solve", str(EXPORTS / "vega.csv"), "--columns", text]
    )
    assert "no column 'Games (P1-P2, draws)'" in run.stderr


@pytest.mark.parametrize(
    ("cells", "made"),
    [
        (("1-0", "½-½", "0:1"), (1, 0.5, 0)),
        (("1 - 0", "1/2-1/2", "0-1F"), (1, 0.5, 0)),
        (("3\N{EN DASH}0", "1\N{EN DASH}1", "0\N{EN DASH}3"), (3, 1, 0)),
        (("2-1", "1-1-1", "0-2"), (3, 1, 0)),
        (("2:1", "2:2", "0:7"), (3, 1, 0)),
        (("W", "D", "L"), (3, 1, 0)),
        (("win", "Draw", "LOSS"), (3, 1, 0)),
        (("a0", "draw", "b2"), (3, 1, 0)),
        (("a0 wins", "tie", "b2 won 2-0"), (3, 1, 0)),
        (("+ - -", "draw", "- - +"), (3, 1, 0)),
    ],
)
def test_results_in_many_forms(
    tmp_path: Path, cells: tuple[str, ...], made: tuple[float, ...]
) -> None:
    event = results(tmp_path, *cells)
    assert points(event)[::2] == made


@pytest.mark.parametrize(
    "cells", [("2-0", "1-1"), ("2-0", "0-2"), ("4-0", "3-1"), ("2.5-1.5",)]
)
def test_numbers_that_may_be_points_or_games_are_asked_about(
    tmp_path: Path, cells: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        results(tmp_path, *cells)
    assert caught.value.kind == "listing.points_or_games"
    for heading, loser in (("points", 2), ("games", 3)):
        event = results(tmp_path, "2-0", "1-1", heading=f"Player A,Player B,{heading}")
        assert points(event)[0] == loser


def test_a_result_that_nobody_can_read_is_named_by_row_and_heading(
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError) as caught:
        results(tmp_path, "1-0", "perhaps", "1-x")
    places = [str(fault.place) for fault in caught.value.faults]
    assert places == ["row 3, column Result", "row 4, column Result"]


def test_without_rounds_nobody_may_play_twice(tmp_path: Path) -> None:
    path = written(tmp_path, "Player A,Player B,Result\nAnn,Bob,1-0\nAnn,Cy,1-0\n")
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert caught.value.kind == "listing.rounds_unknown"
    run = CliRunner().invoke(main, ["solve", str(path)])
    assert '--columns round="HEADING"' in run.stderr


def test_a_column_that_gives_no_round_names_the_way_out(tmp_path: Path) -> None:
    text = "Round,Stage,Player A,Player B,Result\nMorning,1,Ann,Bob,1-0\nNoon,2,Ann,Bob,0-1\n"
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert {fault.said.kind for fault in caught.value.faults} == {"listing.no_round"}
    assert "name this column in `columns`" in str(caught.value)
    assert "choose the file again" in PAGE.format_message(caught.value.faults[0].said)

    done = CliRunner().invoke(main, ["solve", str(path)])
    assert 'add --columns round="HEADING"' in done.stderr
    done = CliRunner().invoke(main, ["solve", str(path), "--columns", "round=Stage"])
    assert done.exit_code == 0, done.stderr


def test_two_rows_of_a_match_must_agree(tmp_path: Path) -> None:
    text = "Round,Player,Opponent,Result\n1,Ann,Bob,W\n1,Bob,Ann,W\n"
    with pytest.raises(InputError) as caught:
        read_event(written(tmp_path, text))
    assert caught.value.kind == "listing.two_results"


def test_a_round_without_results_is_open(tmp_path: Path) -> None:
    text = "Round,Player 1,Player 2,Result\n1,Ann,Bob,2-1\n1,Cy,BYE,\n2,Ann,Cy,{}\n2,Bob,BYE,\n"
    for cell in ("", "0-0", "pending"):
        path = written(tmp_path, text.format(cell))
        event = read_event(path, unfinished=True)
        assert len(event.unscored) == 2
        assert points(read_event(path, round=2)) == (3, 0, 3)


def test_faults_of_a_folder_name_the_file(tmp_path: Path) -> None:
    heading = "Player A,Player B,Result\n"
    written(tmp_path, heading + "Ann,Bob,1-0\n", "round 1.csv")
    written(tmp_path, heading + "Ann,Bob,1-?\n", "round 2.csv")
    with pytest.raises(InputError) as caught:
        read_event(tmp_path)
    assert str(caught.value.faults[0].place) == "round 2.csv, row 2, column Result"


@pytest.mark.parametrize("form", ["{}", "Round {}", "{}.1"])
def test_rounds_in_the_files_of_a_folder_may_be_words(
    tmp_path: Path, form: str
) -> None:
    heading = "Round,Player A,Player B,Result\n"
    written(tmp_path, f"{heading}{form.format(2)},Ann,Bob,0-1\n", "a.csv")
    written(tmp_path, f"{heading}{form.format(1)},Bob,Cy,1-0\n", "b.csv")
    event = read_event(tmp_path, relax=["history"], columns={"points": "Result"})
    assert event.round == 3
    assert event.players == ("Bob", "Cy", "Ann")


def test_a_folder_names_the_cell_that_is_no_round(tmp_path: Path) -> None:
    heading = "Round,Player A,Player B,Result\n"
    written(tmp_path, f"{heading}1,Ann,Bob,1-0\n", "a.csv")
    written(tmp_path, f"{heading}Noon,Ann,Cy,1-0\n", "b.csv")
    with pytest.raises(InputError) as caught:
        read_event(tmp_path)
    assert caught.value.kind == "listing.no_round"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        (
            "second.csv",
            "Player A,Player B,Result\nAnn,Bob,1-0\n",
            "listing.no_number_in_name",
        ),
        ("round 2.csv", "player,rating\nAnn,2000\n", "listing.no_matches_in_folder"),
        ("readme.txt", "Bring a pen.\n", "listing.no_matches_in_folder"),
        ("round 2.csv", "Player A,Player B,Result\n", "listing.only_headings"),
        ("round 2.csv", "", "file.empty"),
        ("round 2.csv", "White,Black,Result\nAnn,Bob,1-0\n", "listing.other_headings"),
    ],
)
def test_a_folder_with_another_file(
    tmp_path: Path, name: str, text: str, kind: str
) -> None:
    written(tmp_path, "Player A,Player B,Result\nAnn,Bob,1-0\n", "round 1.csv")
    written(tmp_path, text, name)
    with pytest.raises(InputError) as caught:
        read_event(tmp_path)
    assert caught.value.kind == kind


def test_a_data_frame_is_read_too() -> None:
    frame = pd.DataFrame(
        {"White": ["Ann", "Cy"], "Black": ["Bob", "Dee"], "Result": ["1-0", "½-½"]}
    )
    event = read_event(frame)
    assert event.sides == WHITE_BLACK
    assert points(event) == (1, 0, 0.5, 0.5)


def test_ratings_are_taken_from_the_list() -> None:
    event = read("swiss_manager_german.csv")
    assert dict(zip(event.names, map(event.rating_text, range(5)), strict=True)) == {
        "Abel, Ann": "2210",
        "Bern, Bob": "1980",
        "Cole, Cy": "",
        "Dorn, Dee": "2050",
        "Emms, Eve": "1990",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Name,Corp,Runner,Score\nAnn,HB,Noise,3\nBob,NBN,Kate,0\n",
        "Name,ID,Score,SoS,Ext. SoS,Side Balance,Corp ID,Runner ID\nAnn,1,3,0,0,0,HB,Kate\n",
    ],
)
def test_lists_of_players_stay_lists_of_players(tmp_path: Path, text: str) -> None:
    with_scores = read_event(written(tmp_path, text), relax=["history"])
    assert not len(with_scores.matches)
    assert "listing.matches" not in kinds(with_scores)


@pytest.mark.long
def test_a_list_of_teams_with_their_players_is_no_list_of_matches(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, "Team,Player 1,Player 2\nReds,Ann,Bob\nBlues,Cy,Dee\n")
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert caught.value.kind == "input.no_format"
    run = CliRunner().invoke(main, ["solve", str(path)])
    assert "--columns player1=" in run.stderr


@pytest.mark.long
def test_a_folder_is_made_from_matches_whose_headings_are_named(tmp_path: Path) -> None:
    """`pairopt new` asks for `--columns` as `solve` does, and takes the answer."""
    export = tmp_path / "export.csv"
    export.write_text("Hero,Villain,Outcome\nAnn,Bob,2-0\nCy,Dee,1-1\n")
    arguments = [
        "new",
        str(tmp_path / "friday"),
        "--players",
        str(export),
        "--points",
        "3-1-0",
    ]

    asked = CliRunner().invoke(main, arguments)
    assert asked.exit_code == 3
    assert "--columns player1=" in asked.output
    assert not (tmp_path / "friday").exists()

    named = ["--columns", "player1=Hero,player2=Villain", "--columns", "games=Outcome"]
    made = CliRunner().invoke(main, [*arguments, *named])
    assert made.exit_code == 0
    event = read_event(tmp_path / "friday")
    assert event.matches_frame["player1"].tolist() == ["Ann", "Cy"]


def test_a_word_beside_an_empty_cell_is_a_result(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        "Player 1,Score 1,Player 2,Score 2\nAnn,W,Bob,\nCid,L,Dan,\n", "utf-8"
    )
    frame = read_event(path).matches_frame
    assert frame[["score1", "score2"]].to_numpy().tolist() == [[3, 0], [0, 3]]
