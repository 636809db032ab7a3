"""Random events with all that a report can have are equal after they are written and read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_events import report_event
from round_trips import BLOCK, RESULT, differences

from pairopt.event.column_layout import RATED, RATING_RESULT


@pytest.mark.parametrize("seed", range(3))
def test_an_event_is_equal_after_a_round_trip(seed: int) -> None:
    assert differences(report_event(seed)) == []


@pytest.mark.long
def test_a_sample_of_events_is_equal_after_a_round_trip() -> None:
    assert {seed: differences(report_event(seed)) for seed in range(50)} == {
        seed: [] for seed in range(50)
    }


@pytest.mark.sweep
def test_5000_events_are_equal_after_a_round_trip() -> None:
    assert [seed for seed in range(5000) if differences(report_event(seed))] == []


def test_events_have_all_that_is_compared() -> None:
    """A round trip of nothing would prove nothing."""
    events = [report_event(seed) for seed in range(40)]
    settings = [event.settings for event in events]
    for key in (
        "city",
        "first_day",
        "round_days",
        "deputies",
        "organiser",
        "rating_kind",
    ):
        assert any(getattr(each, key) for each in settings), key
        assert not all(getattr(each, key) for each in settings), key
    assert any(RATED in event.origin.cells for event in events)
    assert any(RATING_RESULT in event.origin.cells for event in events)
    assert any(event.adjusted.any() for event in events)
    assert any(event.acceleration.any() for event in events)
    assert any(event.prohibited for event in events)
    assert {
        event.settings.rating_choice for event in map(report_event, range(100))
    } == {
        None,
        "fide",
        "national",
        "national-first",
        "larger",
    }
    # Round robins have open games, and games that count for nobody.
    robins = [report_event(seed) for seed in range(4, 100, 5)]
    assert all(event.settings.is_round_robin for event in robins)
    assert {event.settings.cycles for event in robins} == {None, 2}
    assert {event.settings.reversed for event in robins} == {None, True}
    assert any(len(event.unscored) for event in robins)
    assert any(event.annulled.any() for event in robins)


def test_a_difference_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the writer forgot the city, or the reader days, each event with one would tell."""
    from pairopt.files.formats.trf import head

    event = replace(
        report_event(0), settings=replace(report_event(0).settings, city="Riga")
    )
    kept = [record for record in head.RECORDS if record.setting != "city"]
    monkeypatch.setattr(head, "RECORDS", kept)
    assert any("city" in found for found in differences(event))


def test_the_results_are_of_all_events() -> None:
    lines = RESULT.read_text(encoding="utf-8").splitlines()[1:]
    firsts = [int(line.split(",")[0]) for line in lines]
    assert firsts == [*range(0, 5000, BLOCK)]
    assert all(line.split(",")[-1] == "" for line in lines)
