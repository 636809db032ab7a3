"""Events whose players are easily taken for each other; see `mixed_names`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mixed_names import attack

from pairopt.event.event import Event


def attack_all(folder: Path, seeds: range, steps: int) -> Counter[str]:
    """Attack one event per seed; return how often each step did something."""
    done: Counter[str] = Counter()
    for seed in seeds:
        event_folder = folder / str(seed)
        event_folder.mkdir()
        done += attack(event_folder, seed, steps)
    return done


def test_steps_reach_the_players_that_are_meant(tmp_path: Path) -> None:
    assert sum(attack_all(tmp_path, range(1), 8).values()) > 0


@pytest.mark.long
def test_many_steps_reach_the_players_that_are_meant(tmp_path: Path) -> None:
    done = attack_all(tmp_path, range(100, 104), 25)
    assert min(done[step] for step in ("refused", "bye", "result", "undo")) > 0


@pytest.mark.long
def test_a_name_that_reaches_a_namesake_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Event, "find_typed_players", Event.find_players)
    with pytest.raises(AssertionError, match="but may mean"):
        attack_all(tmp_path, range(100, 120), 20)
