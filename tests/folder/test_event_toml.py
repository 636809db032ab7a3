"""event.toml: whatever is wrong in it is said by its key."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest
from test_verbs import made

from pairopt import InputError, read_event, solve
from pairopt.errors import UsageError
from pairopt.files.event_toml import NAME, read_event_file
from pairopt.files.text_source import TextSource

GOOD = """title = "Weekly"
model = "standard"
rounds = 5
sides = ["white", "black"]
lookahead = "all"
tie_breaks = ["sos", "esos"]
first_round = "fold"
forbid = [["A", "B"], ["C", "D"]]

[points]
win = 1
draw = 0.5
loss = 0
bye = 1
requested_bye = 0.5
absent = 0

[[byes]]
player = "E"
round = 2
points = 0.5

[[conflicts]]
column = "club"
place = 1
"""
KEYS = {
    "title",
    "model",
    "rounds",
    "sides",
    "lookahead",
    "tie_breaks",
    "first_round",
    "forbid",
    "points",
    "byes",
    "conflicts",
}
VALUES = (
    "-1",
    "0",
    "1",
    "501",
    "2.5",
    "1e9",
    "nan",
    "inf",
    "true",
    '""',
    '"x"',
    '"all"',
    "[]",
    '["A"]',
    '[["A", "A"]]',
    '[["A"]]',
    "{a = 1}",
    "1979-05-27",
    '"\\u0000"',
    "[1, 2, 3]",
    '"standard"',
    "0.1234567",
)


def mutated(rng: random.Random) -> str:
    """event.toml with one thing changed, or a few."""
    lines = GOOD.splitlines()
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        k = rng.randrange(len(lines))
        how = rng.randrange(6)
        if how == 0:
            lines[k] = f"{lines[k].split(' = ')[0]} = {rng.choice(VALUES)}"
        elif how == 1:
            lines[k] = (
                f"{rng.choice(['tilte', 'Model', 'x', 'win'])} = {rng.choice(VALUES)}"
            )
        elif how == 2:
            del lines[k]
            lines = lines or [""]
        elif how == 3:
            lines.insert(k, rng.choice(lines))
        elif how == 4:
            at = rng.randrange(len(lines[k]) + 1)
            lines[k] = (
                lines[k][:at]
                + rng.choice('"[]{}=#,.\n\0é')
                + lines[k][at + rng.randrange(2) :]
            )
        else:
            lines[k] = rng.choice(
                ["[points]", "[[byes]]", "[conflicts]", "[[points]]", "[x.y]"]
            )
    return "\n".join(lines)


@pytest.mark.long
@pytest.mark.slow
def test_two_thousand_mutations(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    (folder / "players.csv").write_text(
        "player,club\n" + "".join(f"{p},x\n" for p in "ABCDEF")
    )
    rng, wrong = random.Random(1), 0
    for _ in range(2000):
        text = mutated(rng)
        (folder / NAME).write_text(text)
        try:
            read_event(folder)
        except InputError as error:
            wrong += 1
            for fault in error.faults:
                said = str(fault)
                place = str(fault.place or "")
                keys = {
                    place.split(".")[0].split("[")[0],
                    *said.replace("'", '"').split('"'),
                }
                told = keys & {*KEYS, *_tops(text)} or "TOML" in said or "NUL" in said
                assert told or "empty" in said, (text, said)
    assert 500 < wrong < 2000


def _tops(text: str) -> set[str]:
    try:
        return set(tomllib.loads(text))
    except ValueError:
        return set()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rounds = 0", "rounds: "),
        ('lookahead = "some"', "lookahead: "),
        (
            'lookahead = "all"',
            'lookahead: A setting with the value "all" needs the number of rounds',
        ),
        ('forbid = [["A", "Z"]]', "forbid[0]: 'Z' is not in players.csv"),
        (
            '[[byes]]\nplayer = "Z"\nround = 1',
            "byes[0].player: 'Z' is not in players.csv",
        ),
        ('[[byes]]\nplayer = "A"', "byes[0].round: This key is missing"),
        (
            "[points]\nwin = 1\ndraw = 2",
            "points: A win must give more points than a loss",
        ),
        ('tie_breaks = ["sod"]', "tie_breaks[0]: "),
        (
            'tilte = "x"',
            "tilte: There is no key 'tilte'. Did you mean title? The keys are: ",
        ),
        ('hats = "x"', "hats: There is no key 'hats'. The keys are: "),
    ],
)
def test_faults_name_their_keys(tmp_path: Path, line: str, said: str) -> None:
    folder = made(tmp_path / "event")
    (folder / NAME).write_text(line + "\n")
    with pytest.raises(InputError) as caught:
        read_event(folder)
    assert said in str(caught.value)


def test_all_faults_at_once() -> None:
    with pytest.raises(InputError) as caught:
        read_event_file(TextSource(NAME, 'rounds = 0\nsides = ["a"]\nx = 1\n'))
    assert len(caught.value.faults) == 3


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    (folder / NAME).write_text('model = "nothing"\n')
    with pytest.raises(UsageError, match="no model 'nothing'"):
        solve(read_event(folder))
