"""`pairopt-fide -g`: random tournaments by a seed, a configuration or a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from dutch_cases import SECOND
from engine_calls import Called, report

from pairopt import check_all, read_event
from pairopt.cli.fide import generate
from pairopt.cli.fide.arguments import FideArguments, parse_call
from pairopt.cli.fide.generate import SYSTEMS, GeneratorConfig, draw_rates
from pairopt.cli.fide.random_tournament import STANDARD
from pairopt.event.stated_standings import compare_stated_standings

SMALL = ("PlayersNumber=10", "RoundsNumber=4")


def config(folder: Path, *lines: str) -> Path:
    path = folder / "rtg.cfg"
    path.write_text("\n".join([*SMALL, *lines, ""]), encoding="utf-8")
    return path


@pytest.mark.long
def test_a_seed_says_it_all(tmp_path: Path, call: Called) -> None:
    first, second, third = (tmp_path / f"{name}.trf" for name in "abc")
    assert call("--dutch", "-g", config(tmp_path), "-o", first, "-s", 5) == (0, "", "")
    assert call("--dutch", "-g", config(tmp_path), "-o", second, "-s", 5).code == 0
    assert call("--dutch", "-g", config(tmp_path), "-o", third, "-s", 6).code == 0
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()
    assert first.read_text().startswith("012 Random tournament, seed 5\n")
    event = read_event(first)
    assert (len(event.players), event.settings.rounds) == (10, 4)
    assert all(each.agrees for each in check_all(event))
    assert call("--dutch", first, "-c").out.count("Round #") == event.round - 1


@pytest.mark.sweep
def test_a_seed_in_place_of_a_configuration(tmp_path: Path, call: Called) -> None:
    """As JaVaFo has it; and without one it is in the report."""
    first, second, third = (tmp_path / f"{name}.trf" for name in "abc")
    assert call("-g", "2", "-o", first).code == 0
    assert call("-g", "-o", second, "-s", "2").code == 0
    assert first.read_bytes() == second.read_bytes()
    assert call("-g", "-o", third).code in (0, 1)
    seed = third.read_text().splitlines()[0].rpartition(" ")[2]
    call("-g", seed, "-o", second)
    assert third.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("words", [("-g", "2"), ("-g", "-s", "2")])
def test_a_number_in_place_of_a_configuration_is_the_seed(
    words: tuple[str, ...], call: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, GeneratorConfig]] = []

    def none(seed: int, said: GeneratorConfig, _: FideArguments) -> None:
        asked.append((seed, said))
        raise EOFError  # what would be drawn is too large for a test

    monkeypatch.setattr(generate, "draw_rates", none)
    call(*words, "-o", "made.trf")
    assert asked == [(2, GeneratorConfig({}, None))]


def test_what_a_configuration_says(tmp_path: Path, call: Called) -> None:
    lines = (
        "# points",
        "PointsForWin=3.0",
        "PointsForDraw = 1",
        "PointsForPAB=1.5",
        "Groups=3",
        "HighestRating=2000",
        "LowestRating=2000",
        "DrawPercentage=0",
        "ForfeitRate=1000",
        "HalfPointByeRate=1000",
        "ForbiddenPairs=2",
        "ZPBRate=0",
    )
    assert (
        call(
            "--burstein",
            "-b",
            "-g",
            config(tmp_path, *lines),
            "-o",
            "made.trf",
            "-s",
            1,
        ).code
        == 0
    )
    text = (tmp_path / "made.trf").read_text()  # beside the configuration
    assert "\n162  W 3.0    D 1.0    L 0.0    P 1.5\n192 FIDE_BURSTEIN\n250 " in text
    assert text.count("\n260 ") == 2
    assert {line[48:52] for line in text.splitlines() if line.startswith("001")} == {
        "2000"
    }


@pytest.mark.long
def test_ranges_and_penalties(tmp_path: Path, call: Called) -> None:
    """They are drawn as a configuration says; none is where it says nothing."""
    lines = ("ForbiddenPairs=6", "RangeRate=100", "AdjustedRate=50", "PointsForPAB=0")
    for out, given in (("made.trf", lines), ("usual.trf", ())):
        assert call("-g", config(tmp_path, *given), "-o", out, "-s", 3).code == 0
    usual = (tmp_path / "usual.trf").read_text()
    assert "\n299" not in usual
    assert "\n162" not in usual
    path = tmp_path / "made.trf"
    event = read_event(path)
    assert event.adjusted.any()
    assert {each.rounds for each in event.prohibited} - {(1, 4)}
    assert all(each.agrees for each in check_all(event))
    found = compare_stated_standings(event)
    assert found is not None
    assert found.agrees
    assert call(path, "-c").code == 0
    assert call(path, "-g", "-o", "again.trf", "-s", 4).code == 0
    again = read_event(tmp_path / "again.trf")
    assert again.adjusted.any() or again.brought.any()


def test_points_are_drawn_without_a_configuration(call: Called) -> None:
    asked = parse_call(["-g", "-o", "x.trf"])
    drawn_points = [
        tuple(draw_rates(seed, GeneratorConfig({}, None), asked).points.values())
        for seed in range(150)
    ]
    assert len({*drawn_points}) == len(SYSTEMS)
    assert 60 <= drawn_points.count(tuple(SYSTEMS[0].values())) <= 110
    said = {
        draw_rates(seed, GeneratorConfig({}, STANDARD), asked).adjusted
        for seed in range(9)
    }
    assert said == {0.0}


@pytest.mark.long
def test_all_that_a_report_can_say_is_drawn() -> None:
    """Baku Acceleration too, in a quarter of the tournaments without a configuration."""
    asked, baku = (
        parse_call(["-g", "-o", "x.trf"]),
        parse_call(["-g", "-b", "-o", "x.trf"]),
    )
    every = [draw_rates(seed, GeneratorConfig({}, None), asked) for seed in range(200)]
    assert 30 <= sum(each.accelerated for each in every) <= 70
    for name in (
        "ranged",
        "adjusted",
        "late",
        "withdrawn",
        "forfeits",
        "odd",
        "half_byes",
    ):
        assert any(getattr(each, name) for each in every), name
    assert {float(each.points["PAB"]) for each in every} >= {0, 0.5, 1, 3}
    assert not any(
        draw_rates(k, GeneratorConfig({}, STANDARD), asked).accelerated
        for k in range(30)
    )
    assert all(
        draw_rates(k, GeneratorConfig({}, None), baku).accelerated for k in range(30)
    )


@pytest.mark.long
def test_a_model(tmp_path: Path, call: Called) -> None:
    model = report(tmp_path, *SECOND, "XXR 3", "XXC white1", "XXS PAB=0.5")
    assert call(model, "-g", "-o", "made.trf", "-s", 1, "-l").code == 0
    event, given = read_event(tmp_path / "made.trf"), read_event(model)
    assert event.names == given.names
    assert event.rating.tolist() == given.rating.tolist()
    assert event.settings.rounds == 3
    assert all(each.agrees for each in check_all(event))
    assert (tmp_path / "made.list").read_text().count("Round #") == 3


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Players=7", "line 3: found 'Players=7'"),
        ("PlayersNumber=some", "found 'PlayersNumber=some'"),
        ("PlayersNumber", "found 'PlayersNumber'"),
        ("PlayersNumber=1", "expected 2 to 9999 players, found 1"),
        ("DrawPercentage=101", "draws: expected 0 to 1"),
        ("LowestRating=3000", "the lowest below the highest"),
        ("RoundsNumber=0", "expected 1 to 500 rounds, found 0"),
    ],
)
def test_a_bad_configuration_is_3(
    tmp_path: Path, call: Called, line: str, said: str
) -> None:
    found = call(
        "--dutch", "-g", config(tmp_path, line), "-o", tmp_path / "out.trf", "-s", 1
    )
    assert (found.code, said in found.err) == (3, True), found.err
    assert not (tmp_path / "out.trf").exists()


def test_a_configuration_that_is_not_there_is_5(tmp_path: Path, call: Called) -> None:
    assert call("-g", tmp_path / "none.cfg", "-o", tmp_path / "out.trf").code == 5


@pytest.mark.long
def test_rounds_without_a_pairing_are_1(tmp_path: Path, call: Called) -> None:
    path = tmp_path / "few.cfg"
    path.write_text("PlayersNumber=4\nRoundsNumber=6\n", encoding="utf-8")
    found = call("-g", path, "-o", "made.trf", "-s", 1)
    assert (found.code, "No valid pairing exists" in found.err) == (1, True)
    assert (tmp_path / "made.trf").exists()


@pytest.mark.long
def test_the_rounds_of_a_tournament(tmp_path: Path, call: Called) -> None:
    """As drawn, never more than can be paired; as said; else as many as the model has played."""
    nothing = FideArguments("-g", "dutch", (), {})
    drawn_rounds = {
        draw_rates(seed, GeneratorConfig({}, STANDARD), nothing).rounds
        for seed in range(300)
    }
    assert drawn_rounds == {*range(5, 16)}
    for players in range(2, 9):
        said = GeneratorConfig({"players": players}, STANDARD)
        few = {draw_rates(seed, said, nothing).rounds for seed in range(40)}
        assert few <= {*range(1, max(players - 2, 1) + 1)}
        assert max(few) == max(players - 2, 1)
        more = GeneratorConfig({"players": players, "rounds": 12}, STANDARD)
        assert draw_rates(1, more, nothing).rounds == 12
    model = report(tmp_path, *SECOND, "XXC white1")
    played = read_event(model).round - 1
    assert call(model, "-g", "-o", "made.trf", "-s", 1).code == 0
    assert read_event(tmp_path / "made.trf").settings.rounds == played
