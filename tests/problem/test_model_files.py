"""Model files: what they may hold, and that every mistake is named with the choices."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from places import ROOT, SAMPLE

from pairopt import InputError, UsageError, load_model, read_event, solve
from pairopt.cli import main
from pairopt.lab.contenders import resolve_contender
from pairopt.problem.model import model_names
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

EXCALIBUR = [
    ("rematches", {}),
    ("bye_score", {}),
    ("side_difference", {"at_least": 3, "at_most": None}),
    ("side_streak", {"at_least": 3}),
    ("score_groups", {"order": "distance"}),
    ("side_difference", {"at_least": 2, "at_most": 2}),
    ("same_side", {}),
]


def listed(name: str, last: bool = False) -> list[tuple[str, dict[str, object]]]:
    return [
        (rule.kind, dict(vars(rule)))
        for rule in load_model(name).for_round(last).criteria
    ]


def test_excalibur_and_those_that_follow_it() -> None:
    assert listed("excalibur") == listed("standard") == EXCALIBUR
    assert load_model("excalibur").constraints == ()
    rules = [rule.kind for rule in load_model("standard").constraints]
    assert rules == ["no_repeat_bye", "no_bye_after_forfeit_win"]
    top = [
        ("score_groups", {"order": "top_first"}) if k == "score_groups" else (k, v)
        for k, v in EXCALIBUR
    ]
    assert listed("top-first") == top


def test_the_last_round_of_standard_puts_score_groups_before_sides() -> None:
    kinds = [kind for kind, _ in listed("standard", last=True)]
    assert kinds == [
        "rematches",
        "bye_score",
        "score_groups",
        "side_difference",
        "side_streak",
        "side_difference",
        "same_side",
    ]
    assert (
        load_model("standard").for_round(True).constraints
        == load_model("standard").constraints
    )


@pytest.mark.parametrize("name", model_names())
def test_every_model_is_shown_in_plain_words(name: str) -> None:
    model = load_model(name)
    assert model.name == name
    assert model.title
    assert model.source
    done = CliRunner().invoke(main, ["models", name])
    assert done.exit_code == 0
    for rule in (*model.constraints, *model.criteria):
        assert f"[{rule.kind}" in done.stdout
    assert name in CliRunner().invoke(main, ["models"]).stdout


@pytest.mark.parametrize("name", model_names())
def test_a_shipped_file_passes_the_check_of_ones_own(name: str, tmp_path: Path) -> None:
    """As it ships its types are not checked again."""
    own = tmp_path / f"{name}.toml"
    own.write_bytes((ROOT / "models" / own.name).read_bytes())
    checked, shipped = load_model(own), load_model(name)
    assert checked == shipped
    assert repr(checked) == repr(shipped)  # 1 is not 1.0
    assert repr(checked.last_round) == repr(shipped.last_round)


def test_every_rule_says_what_it_is() -> None:
    for rule in (*CRITERIA.values(), *CONSTRAINTS.values()):
        assert rule.__doc__
        assert "Frozen" not in rule.__doc__


MISTAKES: dict[str, tuple[str | bytes, list[str]]] = {
    "name missing": ("title = 'x'", ["The key name is missing"]),
    "unknown key": ("name = 'x'\ncolour = 1", ["'colour'", "The keys are", "criteria"]),
    "unknown kind": (
        "name='x'\n[[criteria]]\nkind='rematch'",
        ["'rematch'", "rematches"],
    ),
    "no kind": (
        "name='x'\n[[criteria]]\nat_least=3",
        ["criteria[1]", "kind is missing"],
    ),
    "unknown parameter": (
        "name='x'\n[[criteria]]\nkind='side_streak'\natleast=3",
        ["'atleast'", "parameters are: at_least"],
    ),
    "wrong value": (
        "name='x'\n[[criteria]]\nkind='score_groups'\norder='up'",
        ["criteria[1].order", "top_first", "'up'"],
    ),
    "wrong type": (
        "name='x'\n[[criteria]]\nkind='side_streak'\nat_least='many'",
        ["'many'"],
    ),
    "truth for a number": (
        "name='x'\n[[criteria]]\nkind='side_streak'\nat_least=true",
        ["at_least is True. Write a number"],
    ),
    "too small": (
        "name='x'\n[[criteria]]\nkind='side_difference'\nat_least=0",
        ["Expected at_least >= 1."],
    ),
    "upside down": (
        "name='x'\n[[criteria]]\nkind='side_difference'\nat_least=3\nat_most=2",
        ["Expected at_most >= at_least."],
    ),
    "parameter missing": (
        "name='x'\n[[criteria]]\nkind='conflicts'",
        ["'column' is missing"],
    ),
    "unknown constraint": (
        "name='x'\n[constraints]\nno_rematches=true",
        ["'no_rematches'", "no_rematch"],
    ),
    "option as constraint": (
        "name='x'\n[constraints]\nforced_bye='a'",
        ["'forced_bye'"],
    ),
    "number for truth": (
        "name='x'\n[constraints]\nno_rematch=1",
        ["Write true or false"],
    ),
    "truth for value": (
        "name='x'\n[constraints]\nmax_meetings=true",
        ["needs a value"],
    ),
    "value too small": (
        "name='x'\n[constraints]\nmax_meetings=0",
        ["Expected max_meetings >= 1."],
    ),
    "objective": ("name='x'\nobjective='best'", ["objective", "'best'"]),
    "no name": (
        "name=''",
        ['The model has no name. Add a name, for example name = "club".'],
    ),
    "three sides": ("name='x'\nsides=['a','b','c']", ["two different labels"]),
    "no win": ("name='x'\nwin=0", ["The key win is 0. Write a number above 0."]),
    "no number of points": ("name='x'\nwin=nan", ["win: "]),
    "no games": (
        "name='x'\ngames=0",
        ["The key games is 0. Write a number of 1 or more."],
    ),
    "one side": ("name='x'\nsides=['corp']", ["two different labels"]),
    "same sides": ("name='x'\nsides=['a','a']", ["two different labels"]),
    "weight missing": (
        "name='x'\nobjective='weighted'\n[[criteria]]\nkind='rematches'",
        ["criteria[1].weight"],
    ),
    "weight negative": (
        "name='x'\nobjective='weighted'\n[[criteria]]\nkind='rematches'\nweight=-1",
        ["criteria[1].weight"],
    ),
    "weight infinite": (
        "name='x'\nobjective='weighted'\n[[criteria]]\nkind='rematches'\nweight=inf",
        ["criteria[1].weight"],
    ),
    "weight in vain": (
        "name='x'\n[[criteria]]\nkind='rematches'\nweight=1",
        ["weight", "weighted"],
    ),
    "last round": ("name='x'\n[last_round]\nround=9", ["last_round.round", "criteria"]),
    "last round kind": (
        "name='x'\n[[last_round.criteria]]\nkind='x'",
        ["last_round.criteria[1]"],
    ),
    "no TOML": ("name = ", ["not a valid TOML file"]),
    "not UTF-8": (b"name = '\xff'", ["not a valid TOML file"]),
    "huge power": (
        "name='x'\n[[criteria]]\nkind='rank_gap'\npower=1000000000",
        ["Expected power from 1 to 60."],
    ),
    "huge power of gaps": (
        "name='x'\n[[criteria]]\nkind='score_difference'\npower=1000000000",
        ["Expected power from 1 to 60."],
    ),
    "huge exponent": (
        "name='x'\n[[criteria]]\nkind='rank_gap'\npower=1e999999999",
        ["1e999999999: this number is too long. Write at most 40 digits."],
    ),
    "no number at all": (
        "name='x'\nwin=1e999999999999999999999",
        ["at most 40 digits"],
    ),
    "tiny weight": (
        "name='x'\nobjective='weighted'\n[[criteria]]\nkind='rematches'\n"
        "weight=1e-999999999",
        ["at most 40 digits"],
    ),
    "huge constraint": (
        "name='x'\n[constraints]\nmax_meetings=1e999999999",
        ["40 digits"],
    ),
    "huge integer": (
        "name='x'\ngames=" + "9" * 5000,
        ["not a valid TOML file", "digits"],
    ),
    "title that steers": (
        'name="x"\ntitle="\\u001b[31mred"',
        ["title is ", "'\\x1b[31m"],
    ),
    "key that steers": (
        'name="x"\n[constraints]\n"\\u001b[2J"=true',
        ["constraints", "\\x1b[2J"],
    ),
    "column that steers": (
        'name="x"\n[[criteria]]\nkind="conflicts"\ncolumn="a\\u009b2J"',
        ["criteria[1].column", "\\x9b2J"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(tmp_path: Path, name: str) -> None:
    text, said = MISTAKES[name]
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert all(part in str(caught.value) for part in ["mine.toml", *said]), str(
        caught.value
    )
    assert "\x1b" not in str(caught.value)
    assert CliRunner().invoke(main, ["models", str(path)]).exit_code == 3


@pytest.mark.parametrize("where", ["is_file", "read_bytes"])
def test_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("name='x'")

    def refused(self: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, where, refused)
    with pytest.raises(
        InputError, match=r"mine\.toml: pairopt can't read the file: Permission denied"
    ):
        load_model(path)


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("name='x'\n[constraints]\na=true\nb=true\n[[criteria]]\nkind='c'")
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert len(caught.value.faults) == 3


def test_an_unknown_model() -> None:
    with pytest.raises(UsageError, match="excalibur"):
        load_model("nosuch")


def test_what_has_gone_says_what_to_use_instead(tmp_path: Path) -> None:
    name = "fide-dutch-2017-py4swiss"
    own = tmp_path / "own.toml"
    own.write_text("name='own'\nengine='py4swiss'\n[[criteria]]\nkind='rematches'")
    event = read_event(SAMPLE / "matches.csv")
    for asked in (
        lambda: load_model(name),
        lambda: resolve_contender(name),
        lambda: solve(event, own),
        lambda: solve(event, engine="py4swiss"),
    ):
        with pytest.raises(
            (InputError, UsageError),
            match=r"(is no longer|no longer exists).*fide-dutch[ ,]",
        ):
            asked()
    done = CliRunner().invoke(
        main, ["solve", str(SAMPLE / "matches.csv"), "--engine", "py4swiss"]
    )
    assert done.exit_code == 2
    assert "no longer exists" in done.output


def test_weights_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "name='x'\nobjective='weighted'\n[[criteria]]\nkind='rematches'\nweight=0.1"
    )
    weights = load_model(path).weights
    assert weights is not None
    assert weights[0] * 10 == 1


def test_what_only_games_with_sides_have() -> None:
    costs = {
        "aesops_cost",
        "aesops_2025_cost",
        "same_side",
        "side_difference",
        "side_streak",
    }
    bounds = {"aesops_2025_cost_below", "max_side_difference", "max_side_streak"}
    bounds |= {
        "no_same_sides_rematch",
        "allocated_sides",
        "allocated_sides_by_opposition",
        "no_equal_absolute_preference",
    }
    bounds |= {"no_equal_absolute_preference_below_topscorers"}
    assert {kind for kind, rule in CRITERIA.items() if rule.needs_sides} == costs
    assert {kind for kind, rule in CONSTRAINTS.items() if rule.needs_sides} == bounds
