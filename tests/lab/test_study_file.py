"""study.toml: what it may say, what is refused, and the folder that comes of it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from rounds_alike import require_alike

from pairopt import load_model
from pairopt.cli import main
from pairopt.cli.simulate import keys_of
from pairopt.lab import World, compare_models, grid, orderings, simulate
from pairopt.lab.comparison import play
from pairopt.lab.contenders import CONTENDERS
from pairopt.lab.grid import MOST, _simulate_draw_rate, with_draw_rate, world_of
from pairopt.lab.identity import digest
from pairopt.lab.metrics import METRICS
from pairopt.lab.rankings import RANKINGS, Tau, resolve_ranking
from pairopt.lab.statistics.estimate import Estimate, estimate, estimate_variance
from pairopt.lab.studies import power
from pairopt.lab.studies.hypotheses import ClaimResult, compute_p_value, evaluate_claims
from pairopt.lab.studies.run import read_rounds
from pairopt.lab.studies.schema import StudyClaim, WorldTable
from pairopt.lab.studies.study_file import ClaimInWorld, read_study
from pairopt.lab.table import list_further_metrics
from pairopt.lab.task_cache import NOTHING_KEPT
from pairopt.lab.tasks import setting_to_json
from pairopt.lab.worlds import WORLDS
from pairopt.lab.worlds.laws import Davidson
from pairopt.problem.model import model_names

HEAD = """\
title = "A small one"
models = ["excalibur", "random"]
replicates = 4
seed = 3
"""
REST = """
[world]
players = 6
rounds = 2

[[hypotheses]]
model = "random"
metric = "floats"
claim = "more"
margin = 0.5

[[exploratory]]
model = "random"
metric = "kendall"
claim = "near"
margin = 0.1
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def study(folder: Path, text: str = HEAD + REST) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


def test_all_that_ships_is_told_apart() -> None:
    """By the settings whose digests the results have."""
    shipped: list[object] = [
        found[name]()
        for found in (CONTENDERS, METRICS, RANKINGS, WORLDS)
        for name in found
        if name != "matrix"
    ]
    shipped += [
        Tau(resolve_ranking("buchholz+wins")),
        *orderings(load_model("monrad"), sample=2)[1:],
    ]
    shipped += [
        World(players=4, results=np.full((4, 4), 0.4), strengths=(1.0, 2.5, 3, 4))
    ]
    shipped += map(load_model, model_names())
    texts = [json.dumps(setting_to_json(each)) for each in shipped]
    assert len({*texts}) == len(texts) == len({*map(digest, shipped)})


@pytest.mark.long
class TestFolder:
    def test_what_is_in_it(self, tmp_path: Path) -> None:
        done = run("run", study(tmp_path))
        assert done.exit_code == 0, done.output
        folder = tmp_path / "study"
        results = json.loads((folder / "results.json").read_text("utf-8"))
        raw = (tmp_path / "study.toml").read_bytes()
        assert results["study_sha256"] == hashlib.sha256(raw).hexdigest()
        assert (folder / "study.toml").read_bytes() == raw
        said = (folder / "sentences.md").read_text("utf-8")
        for claim in results["claims"]:
            assert f"- {claim['sentence']}\n" in said
            assert claim["sentence"] in done.stdout
        assert said.index("## Hypotheses") < said.index(
            "has more floats than excalibur"
        )
        assert said.index("## Exploratory") < said.index(
            "Kendall's tau by less than 0.1"
        )
        assert [claim["asked"] for claim in results["claims"]] == [
            "hypothesis",
            "exploratory",
        ]
        assert results["claims"][1]["verdict"] == "exploratory, which shows nothing"
        against = pd.read_csv(folder / "differences.csv").set_index("metric")["asked"]
        assert against["floats"] == "hypothesis"
        assert {*against.drop("floats")} == {"exploratory"}
        sums = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
        files = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.is_file() and path.name != "SHA256SUMS"
        }
        assert sums == [
            f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}"
            for name in sorted(files)
        ]

    @pytest.mark.slow
    def test_figures_are_text_and_lines(self, tmp_path: Path) -> None:
        run("run", study(tmp_path))
        drawn = tmp_path / "study" / "figures"
        assert {path.suffix for path in drawn.iterdir()} == {".pdf", ".svg"}
        for path in drawn.glob("*.svg"):
            text = path.read_text("utf-8")
            assert "<text" in text, path
            assert "excalibur" in text, path
        for path in drawn.glob("*.pdf"):
            assert b"/Type3" not in path.read_bytes(), path  # letters, not outlines

    @pytest.mark.slow
    def test_the_same_bytes(self, tmp_path: Path) -> None:
        file = study(tmp_path)
        for name, options in (("a", []), ("b", ["--jobs", 2])):
            assert run("run", file, "-o", tmp_path / name, *options).exit_code == 0
        first = sorted(path for path in (tmp_path / "a").rglob("*") if path.is_file())
        assert len(first) > 15
        for path in first:
            again = tmp_path / "b" / path.relative_to(tmp_path / "a")
            assert path.read_bytes() == again.read_bytes(), path

    @pytest.mark.slow
    def test_where_the_file_is_the_folder_of_the_study(self, tmp_path: Path) -> None:
        assert run("run", study(tmp_path), "-o", tmp_path).exit_code == 0
        assert run("check", tmp_path).exit_code == 0

    @pytest.mark.slow
    def test_what_is_asked_is_written_before(self, tmp_path: Path) -> None:
        file = study(tmp_path)
        assert run("run", file).exit_code == 0
        before = (tmp_path / "study" / "results.json").read_bytes()
        study(tmp_path, HEAD + REST.replace("margin = 0.5", "margin = 0.1"))
        done = run("run", file)
        assert done.exit_code == 2
        assert "written before its tournaments are played" in " ".join(
            done.stderr.split()
        )
        assert (tmp_path / "study" / "results.json").read_bytes() == before
        more = '[[exploratory]]\nmodel = "random"\nmetric = "spearman"\nclaim = "different"\n'
        study(tmp_path, HEAD + REST + more)
        assert run("run", file).exit_code == 0
        told_of = json.loads((tmp_path / "study" / "results.json").read_text("utf-8"))
        assert told_of["claims"][-1]["metric"] == "spearman"
        old = json.loads(before)
        assert told_of["registered_sha256"] == old["registered_sha256"]
        assert told_of["study_sha256"] != old["study_sha256"]
        assert run("check", tmp_path / "study").exit_code == 0

    @pytest.mark.parametrize(
        "name", ["means.csv", "study.toml", "SHA256SUMS", "results.json"]
    )
    def test_files_of_something_else_stay(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / name).write_text("mine\n", encoding="utf-8")
        done = run("run", study(tmp_path), "-o", tmp_path / "out")
        assert done.exit_code == 2, done.output
        assert [path.name for path in (tmp_path / "out").iterdir()] == [name]
        assert (tmp_path / "out" / name).read_text("utf-8") == "mine\n"

    @pytest.mark.slow
    def test_worlds_of_a_grid(self, tmp_path: Path) -> None:
        grid = '[grid]\nrounds = [1, 2]\nrating_error = [0, "unrated"]\n'
        where = 'where = { rounds = 2 }\nmodel = "random"'
        rest = REST.replace('model = "random"', where, 1)
        assert run("run", study(tmp_path, HEAD + rest + grid)).exit_code == 0
        results = json.loads((tmp_path / "study" / "results.json").read_text("utf-8"))
        assert results["worlds"] == [
            f"rounds {k}, rating_error {error}"
            for k in (1, 2)
            for error in ("0", "unrated")
        ]
        asked = [(claim["asked"], claim["world"]) for claim in results["claims"]]
        assert asked == [
            *(("hypothesis", world) for world in results["worlds"][2:]),
            *(("exploratory", world) for world in results["worlds"]),
        ]
        assert run("check", tmp_path / "study").exit_code == 0

    @pytest.mark.slow
    def test_plays_until_it_is_precise(self, tmp_path: Path) -> None:
        head = HEAD.replace("replicates = 4", "replicates = 20\nmost = 40")
        file = study(tmp_path, head + "precision = { floats = 2 }\n" + REST)
        assert run("run", file).exit_code == 0
        results = json.loads((tmp_path / "study" / "results.json").read_text("utf-8"))
        assert {*results["tournaments"].values()} <= {30, 40}
        assert run("check", tmp_path / "study").exit_code == 0


ELSEWHERE = '[[hypotheses]]\nmodel = "random"\nmetric = "floats"\nclaim = "less"\n'
WRONG = {
    "no toml": ("models = [", "not a valid TOML file"),
    "no line end": ("seed = 1\nseed == 1\n", "line 2"),
    "a date for a number": (
        HEAD + "replicates = 2020-01-01\n",
        "not a valid TOML file",
    ),
    "nothing": ("seed = 1\n", "models: This key is missing"),
    "no models": ("models = []\n", "models: "),
    "another key": (HEAD + "margin = 1\n" + REST, "There is no key 'margin'"),
    "another key of a world": (
        HEAD + "[world]\nplayer = 6\n",
        "world: There is no key 'player'",
    ),
    "another key of a claim": (
        HEAD + ELSEWHERE + "who = 1\n",
        "hypotheses[0]: There is no key 'who'",
    ),
    "a text": (HEAD.replace("3", '"3"'), "seed: "),
    "a negative seed": (HEAD.replace("3", "-3"), "seed: "),
    "yes for a number": (HEAD.replace("= 4", "= true"), "replicates: "),
    "not finite": (
        HEAD + "[world]\nspread = inf\n",
        "world.spread: expected a finite number",
    ),
    "not a number": (
        HEAD + "[world]\ndraws = nan\n",
        "world.draws: expected a finite number",
    ),
    "huge": (HEAD + "[world]\nplayers = 10001\n", "world.players: "),
    "beyond a world": (
        HEAD + "[world]\nsides = ['a', 'a']\n",
        "world: A simulated world needs no sides",
    ),
    "points of a million digits": (HEAD + "[world]\nwin = 1e-999999\n", "world.win: "),
    "a model that is not": (
        HEAD.replace("random", "nosuch"),
        "models[1]: There is no model or pairing method 'nosuch'",
    ),
    "a model twice": (
        HEAD.replace("random", "excalibur"),
        "models: Two models are called",
    ),
    "a model elsewhere": (
        HEAD.replace("random", "../own.toml"),
        "is not in the folder of",
    ),
    "the root": (
        HEAD.replace("random", "/etc/x.toml"),
        "models[1]: /etc/x.toml is not in the folder",
    ),
    "no file": (HEAD.replace("random", "own.toml"), "models[1]: "),
    "a module": (
        HEAD + 'plugins = ["os:system"]\n',
        "plugins: os:system is not a plugin",
    ),
    "a plugin elsewhere": (
        HEAD + 'plugins = ["../x.py:f"]\n',
        "plugins: ../x.py is not in the folder",
    ),
    "no plugin": (HEAD + 'plugins = ["x.py:f"]\n', "plugins: "),
    "no metric": (
        HEAD + 'metrics = ["nosuch"]\n',
        "metrics: Unknown metric 'nosuch'.",
    ),
    "no ranking": (HEAD + 'rankings = ["nosuch"]\n', "rankings: "),
    "no baseline": (
        HEAD + 'baseline = "monrad"\n',
        "baseline: Choose one of: excalibur, random.",
    ),
    "no law": (
        HEAD + '[world]\nresults = "nosuch"\n',
        "world.results: Unknown results 'nosuch'",
    ),
    "no strengths": (HEAD + '[world]\nstrengths = "s.csv"\n', "world.strengths: "),
    "both draws": (
        HEAD + "[world]\ndraws = 0.1\ndraw_rate = 0.1\n",
        "world.draw_rate: ",
    ),
    "no such rate": (
        HEAD + "[world]\ndraw_rate = 2\n",
        "world.draw_rate: input should be less",
    ),
    "no setting": (
        HEAD + "[grid]\nnosuch = [1]\n",
        "grid.nosuch: This is not a setting",
    ),
    "no values": (HEAD + "[grid]\nrounds = []\n", "grid.rounds: "),
    "no value": (HEAD + '[grid]\nrounds = ["x"]\n', "grid.rounds[0]: "),
    "a world twice": (HEAD + "[grid]\nrounds = [2, 2]\n", "grid: Two simulated worlds"),
    "too many worlds": (
        HEAD
        + "[grid]\nspread = "
        + str([*range(40)])
        + "\nrounds = "
        + str([*range(1, 40)]),
        "grid: The grid of settings has 1560 combinations",
    ),
    "a claim of nobody": (
        HEAD + ELSEWHERE.replace("random", "x"),
        "hypotheses[0].model: Found",
    ),
    "a claim of itself": (
        HEAD + ELSEWHERE + 'than = "random"\n',
        "hypotheses[0].than: ",
    ),
    "a claim of no metric": (
        HEAD + ELSEWHERE.replace("floats", "x"),
        "hypotheses[0].metric: ",
    ),
    "a claim of yes": (HEAD + ELSEWHERE + "than = true\n", "hypotheses[0].than"),
    "a claim of no number": (HEAD + ELSEWHERE + "than = nan\n", "hypotheses[0].than"),
    "no claim": (HEAD + ELSEWHERE.replace("less", "best"), "hypotheses[0].claim: "),
    "a margin below 0": (HEAD + ELSEWHERE + "margin = -1\n", "hypotheses[0].margin: "),
    "near without": (
        HEAD + ELSEWHERE.replace("less", "near"),
        "hypotheses[0].margin: ",
    ),
    "different by": (
        HEAD + ELSEWHERE.replace("less", "different") + "margin = 1\n",
        ".margin: ",
    ),
    "no effect": (
        HEAD + ELSEWHERE + "margin = 1\neffect = 1\n",
        "hypotheses[0].effect: ",
    ),
    "no such world": (
        HEAD + ELSEWHERE + "where = { rounds = 2 }\n",
        "hypotheses[0].where: ",
    ),
    "another version": (
        HEAD + '[versions]\npairopt = "0.0"\n',
        "versions.pairopt: The study requires 0.0",
    ),
    "no version": (
        HEAD + '[versions]\npython = "3"\n',
        "versions.python: Choose one of",
    ),
    "a digest": (
        HEAD + "[digests]\nexcalibur = '" + "0" * 64 + "'\n",
        "digests.excalibur: ",
    ),
    "no digest": (HEAD + "[digests]\nexcalibur = 'x'\n", "digests.excalibur: "),
    "a lot of nothing": (HEAD + "x = " + "[" * 5000 + "\n", "not a valid TOML file"),
    "few for a width": (HEAD + "precision = { floats = 1 }\n", "precision: "),
    "a width of nothing": (
        HEAD + "precision = { nosuch = 1 }\n",
        "precision: There is no metric 'nosuch'",
    ),
    "orders of none": (HEAD + "sample = 2\n", "permute: "),
    "a control character": (HEAD.replace("small", "\\u001b[2J"), ""),
}


@pytest.mark.parametrize(
    "name", [name for name in WRONG if name != "a control character"]
)
def test_a_file_that_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    """One clear error with file and key, exit code 3, and nothing is written."""
    text, said = WRONG[name]
    file = study(tmp_path / "here", text)
    for verb in ("run", "plan"):
        done = run(verb, file)
        assert done.exit_code == 3, done.output
        assert done.stderr.startswith("study.toml: "), done.stderr
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["study.toml"]


@pytest.mark.long
@pytest.mark.parametrize("value", [0, 2.5])
def test_a_claim_may_be_of_a_number(value: float, tmp_path: Path) -> None:
    """It is that of a model which has the number in every tournament, and its plan as well."""
    text = HEAD + REST.replace(
        'claim = "more"', f'claim = "more"\nthan = {value}\neffect = 1'
    )
    design = read_study(study(tmp_path, text))
    frame = compare_models(
        list(design.contenders), design.worlds[0], replicates=4, seed=3
    )
    told = evaluate_claims(design, frame)[0]
    last = frame[(frame["model"] == "random") & (frame["round"] == 2)]
    floats = frame[frame["model"] == "random"].groupby("replicate")["floats"].sum()
    assert len(last) == 4
    assert told.found.mean == pytest.approx(floats.mean() - value)
    assert told.found.error == pytest.approx(
        estimate(floats.to_numpy(float), floats.to_numpy(float), 6.0).error
    )
    assert f"random has more floats than {value:g} by more than 0.5" in told.sentence
    assert told.row["than"] == value
    assert run("plan", study(tmp_path, text), "--pilot", 8).exit_code == 0


@pytest.mark.long
@pytest.mark.slow
def test_what_steers_a_terminal_does_not(tmp_path: Path) -> None:
    done = run("run", study(tmp_path, WRONG["a control character"][0] + REST))
    assert done.exit_code == 0
    assert "\x1b" not in (tmp_path / "study" / "sentences.md").read_text("utf-8")


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_bytes(b"\x00\xff\x00")
    assert run("run", tmp_path / "study.toml").exit_code == 3
    assert run("run", tmp_path / "none.toml").exit_code == 3
    assert run("check", tmp_path / "none").exit_code == 3


@pytest.mark.parametrize("name", [*keys_of(WorldTable)])
def test_each_setting_of_a_world_has_an_option(name: str, tmp_path: Path) -> None:
    """What is said is what the world has; two settings go with one of another name."""
    given = {"shape": "uniform", "acceleration": "baku", "double_cut": True}
    value = given.get(
        name, {int: 4, float: 0.25}.get(type(getattr(World(), name, 0.25)), 0.25)
    )
    if name in ("draw_rate", "strengths", "column"):
        return  # which are in the tests of draw rates and strengths
    said = [f"--{name.replace('_', '-')}", *([] if value is True else [value])]
    more = ["--rating-error", 0.5, "--points", "1,0.5"] * (name == "acceleration")
    done = run(
        "--players",
        8,
        "--models",
        "random",
        *said,
        *more,
        "--toml",
        tmp_path / "x.toml",
    )
    assert done.exit_code == 0, done.output
    (world,) = read_study(tmp_path / "x.toml").worlds
    assert getattr(world, name) == value != getattr(World(), name)


EIGHT = World(players=8, rounds=2)
OPTIONS: dict[str, tuple[World, ...]] = {
    "--rating-error 50 --drops 0.1 --points 1,0.5 --sides none": (
        replace(
            EIGHT,
            rating_error=50.0,
            drops=0.1,
            win=Fraction(1),
            draw=Fraction(1, 2),
            sides=(),
        ),
    ),
    "--metrics winner --rankings points,wins --two-games --grid draws=0,0.3": (
        replace(EIGHT, games=2, draws=0.0),
        replace(EIGHT, games=2, draws=0.3),
    ),
    "--permute 1,2 --sample 2 --cut 4 --double-cut --choose uniform": (
        replace(EIGHT, cut=4, double_cut=True),
    ),
    "--world open-2026 --unrated --shape uniform --seed 7": (
        world_of("open-2026", players=8, rounds=2, rating_error=None, shape="uniform"),
    ),
}
"""Options, and the worlds that they are."""


@pytest.mark.sweep
@pytest.mark.usefixtures("sketched")
def test_options_of_a_world_that_is_fitted_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "GAMES", 200)
    law = replace(EIGHT, results=Davidson(), late=0.2)
    rate = round(
        _simulate_draw_rate(law, MOST / 2, "monrad"), 3
    )  # which is found at the first try
    options = f"--world davidson --draw-rate {rate} --baseline monrad --late 0.2"
    written_and_played(options, (with_draw_rate(law, rate, "monrad"),), tmp_path)


@pytest.mark.sweep
@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize("options", OPTIONS)
def test_options_are_a_study_that_is_written(options: str, tmp_path: Path) -> None:
    written_and_played(options, OPTIONS[options], tmp_path)


def written_and_played(options: str, worlds: tuple[World, ...], tmp_path: Path) -> None:
    """They say what the file says that they write, and play the same tournaments."""
    asked = [
        "--players",
        8,
        "--rounds",
        2,
        "--models",
        "standard,monrad",
        "--replicates",
        2,
    ]
    assert (
        run(*asked, *options.split(), "--toml", tmp_path / "study.toml").exit_code == 0
    )
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]
    assert run(*asked, *options.split(), "-o", tmp_path / "made").exit_code == 0
    raw = (tmp_path / "study.toml").read_bytes()
    assert (tmp_path / "made" / "study.toml").read_bytes() == raw
    design = read_study(tmp_path / "study.toml")
    assert design.worlds == worlds
    assert design.file.seed == (7 if "--seed 7" in options else 0)
    assert design.file.choose == ("any" if "--choose any" in options else "uniform")
    assert design.file.replicates == 2
    frame = play(design.studies, NOTHING_KEPT, replicates=design.file.replicates)
    require_alike(
        read_rounds(tmp_path / "made"), frame, list_further_metrics(map(str, frame))
    )


@pytest.mark.slow
def test_the_old_command_is_as_it_was(tmp_path: Path) -> None:
    """`study FOLDER` is a folder of events, whatever else `study run` is now."""
    assert (
        run(
            "--players", 6, "--rounds", 1, "--models", "random", "--replicates", 2
        ).exit_code
        == 0
    )
    simulate("random", World(players=6, rounds=2)).write(tmp_path / "run")
    done = run(tmp_path / "run", "--models", "random")
    assert done.exit_code == 0, done.output
    called = subprocess.run(
        [sys.executable, "-m", "pairopt", "study", "./run", "--models", "random"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert called.returncode == 0, called.stderr
    assert "played" in called.stdout


class TestSentences:
    FOUND = Estimate(-1.2, 0.2, 500, 400)

    def told(
        self, found: Estimate = FOUND, p_holm: float | None = 0.01, **claim: object
    ) -> str:
        given = {"model": "a", "metric": "floats", "claim": "less", **claim}
        asked = ClaimInWorld(
            StudyClaim.model_validate(given), "b", 0, p_holm is not None
        )
        return ClaimResult(asked, "", found, (-1.6, -0.8), 0.02, p_holm).sentence

    def test_shown(self) -> None:
        assert self.told() == (
            "a has fewer floats than b: difference -1.2 (95% interval -1.6 to -0.8), n = 500, "
            "p 0.010 corrected: shown"
        )

    @pytest.mark.parametrize(
        ("p", "verdict"), [(0.049, ": shown"), (0.05, ": not shown")]
    )
    def test_the_level(self, p: float, verdict: str) -> None:
        assert self.told(p_holm=p).endswith(verdict)

    def test_exploratory(self) -> None:
        assert self.told(p_holm=None).endswith(
            "p 0.020: exploratory, which shows nothing"
        )

    def test_nothing_was_played(self) -> None:
        nothing = Estimate(float("nan"), float("inf"), 0, 0)
        assert "no tournament was paired to the end by both: not shown" in self.told(
            nothing, 1.0
        )

    def test_few_that_vary_are_said(self) -> None:
        assert "n = 500, of which 2 vary, p" in self.told(Estimate(-1.2, 0.2, 500, 2))

    @pytest.mark.parametrize(
        ("claim", "said"),
        [
            (
                {"claim": "more", "margin": 1},
                "a has more floats than b by more than 1: ",
            ),
            ({"metric": "kendall"}, "a has a lower Kendall's tau than b: "),
            ({"metric": "own", "claim": "more"}, "a has a higher own than b: "),
            ({"claim": "different"}, "a differs from b in floats: "),
            (
                {"claim": "near", "margin": 0.5},
                "a differs from b in floats by less than 0.5: ",
            ),
        ],
    )
    def test_each_claim(self, claim: dict[str, object], said: str) -> None:
        assert self.told(**claim).startswith(said)

    @pytest.mark.parametrize("margin", [0, 0.3])
    @pytest.mark.parametrize("claim", ["less", "more", "near"])
    def test_what_is_shown_is_in_the_interval(self, claim: str, margin: float) -> None:
        """None is shown whose interval has the bound in it."""
        if claim == "near" and not margin:
            return
        given = StudyClaim.model_validate(
            {"model": "a", "metric": "m", "claim": claim, "margin": margin}
        )
        for mean in np.linspace(-2, 2, 81):
            found = Estimate(float(mean), 0.1, 30, 30)
            low, high = found.limits(0.9 if claim == "near" else 0.95)
            inside = {
                "less": high < -margin,
                "more": low > margin,
                "near": -margin < low and high < margin,
            }[claim]
            assert (compute_p_value(given, found) < 0.05) == inside, mean


class TestPlan:
    @pytest.mark.long
    def test_says_how_many(self, tmp_path: Path) -> None:
        effect = REST.replace("margin = 0.5", "margin = 0.5\neffect = 2")
        done = run("plan", study(tmp_path, HEAD + effect), "--pilot", 10)
        assert done.exit_code == 0, done.output
        assert "tournaments, at most " in done.stdout
        assert "with power 0.9 if there is a difference of 2" in done.stdout
        done = run("plan", study(tmp_path, HEAD + REST), "--pilot", 10, "--power", 0.8)
        assert "4 tournaments show a difference of " in done.stdout
        assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]

    @pytest.mark.long
    def test_what_is_pinned_is_found_again(self, tmp_path: Path) -> None:
        pins = run("plan", study(tmp_path), "--pin")
        assert (
            run("plan", study(tmp_path, HEAD + REST + pins.stdout), "--pin").stdout
            == pins.stdout
        )
        assert read_study(tmp_path / "study.toml").file.registration.sha256
        other = REST.replace("margin = 0.5", "margin = 0.6")
        assert other != REST
        said = run("plan", study(tmp_path, HEAD + other + pins.stdout), "--pin").output
        assert "registration.sha256" in said

    @pytest.mark.long
    def test_no_tournament_is_one_of_the_study(self, tmp_path: Path) -> None:
        design = read_study(study(tmp_path))
        seeds = []
        original = power.play

        def play(studies, *rest, **more):  # type: ignore[no-untyped-def]
            seeds.extend(each.seed for each in studies)
            return original(studies, *rest, **more)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(power, "play", play)
            power.plan(design, 6, 0.9)
        assert len({*seeds}) == 1
        assert design.file.seed not in seeds

    @pytest.mark.sweep
    @pytest.mark.parametrize("wanted", [0.8, 0.95])
    @pytest.mark.parametrize(
        "claim",
        [
            {"claim": "more", "margin": 0.2, "effect": 0.6},
            {"claim": "near", "margin": 0.5},
        ],
    )
    def test_so_many_have_the_power(
        self, wanted: float, claim: dict[str, object]
    ) -> None:
        """Of made-up differences, so often a claim is shown after the tournaments planned."""
        given = StudyClaim.model_validate({"model": "a", "metric": "m", **claim})
        rng = np.random.default_rng(1)
        truth = given.effect or 0.0
        seen = estimate_variance(pilot := rng.normal(0, 1, 5_000), pilot, np.inf)
        n = power._find_sample_size(given, seen, 0.05, wanted)
        assert n is not None
        shown = 0
        for _ in range(1500):
            values = rng.normal(truth, 1, n)
            shown += compute_p_value(given, estimate(values, values, np.inf)) < 0.05
        assert shown / 1500 == pytest.approx(wanted, abs=0.05)
        assert (
            power._find_sample_size(given, replace(seen, variance=1e9), 0.05, wanted)
            is None
        )


@pytest.mark.sweep
@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize(
    "name", ["means.csv", "tournaments.csv", "hypotheses.csv", "own.csv"]
)
def test_no_file_that_is_read_is_one_that_is_made(name: str, tmp_path: Path) -> None:
    """A study is refused before it plays, or agrees with its folder; what was read stays."""
    read, out = tmp_path / name, tmp_path / "out"
    text = "rating\n" + "".join(f"{1500 + k}\n" for k in range(8))
    read.write_text(text, encoding="utf-8")
    done = run(
        "--players",
        8,
        "--rounds",
        2,
        "--models",
        "standard",
        "--replicates",
        2,
        "--strengths",
        read,
        "-o",
        out,
    )
    assert read.read_text("utf-8") == text
    if name == "own.csv":
        assert done.exit_code == 0, done.output
        assert run("check", out).exit_code == 0
    else:
        assert f"The study itself writes a file named {name}" in done.output
        assert done.exit_code == 2
        assert not out.exists()
