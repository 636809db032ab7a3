"""Store the games of a sample of tournaments only, and leave out what follows from the rest.

python tests/make/make_small_studies.py NAME…

A study's folder keeps its results and its figures, byte for byte: everything is made again from
the smaller folder and compared. PDF figures, tournaments.csv and the long table are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pandas as pd
from pandas.testing import assert_frame_equal, assert_series_equal
from places import ROOT

from pairopt.files.write import write_all
from pairopt.lab.statistics.comparing import designs, per_tournament
from pairopt.lab.studies import game_archive
from pairopt.lab.studies.data_package import DICTIONARY, write_data_package
from pairopt.lab.studies.game_archive import (
    GAMES,
    LONG,
    PLAYERS,
    TOURNAMENTS,
    VALUES,
)
from pairopt.lab.studies.hypotheses import evaluate_claims
from pairopt.lab.studies.run import (
    SUMS,
    format_in,
    format_sums,
    make_files,
    restore_rounds,
    results_in,
)
from pairopt.lab.studies.study_file import NAME, read_study
from pairopt.lab.table import by_world

KEPT = 4
"""Replicates of each model and world whose games are kept."""


def shrink(folder: Path) -> None:
    """Make a study's folder smaller, if all that stays follows from the smaller archive."""
    design = read_study(folder / NAME)
    results = results_in(folder)
    form = format_in(results)
    before = {name: (folder / name).read_bytes() for name in (GAMES, TOURNAMENTS)}
    frame = restore_rounds(design, before, form)
    games = game_archive.read_parquet(GAMES, before[GAMES])
    kept = min(KEPT, game_archive.stored_replicates(games))
    exact_table = game_archive.list_exact_values(
        frame, game_archive.rounds_by_world(design)
    )
    archive = {
        GAMES: game_archive.write_parquet(games[games["replicate"] < kept]),
        PLAYERS: game_archive.write_parquet(game_archive.list_players(design, kept)),
        VALUES: game_archive.write_parquet(exact_table),
    }

    smaller_frame = restore_rounds(design, archive, form)
    claims = evaluate_claims(design, smaller_frame)
    program = results.get("program")
    made = make_files(design, smaller_frame, claims, program, drawn=False, form=form)
    for name, raw in made.items():
        if name not in (LONG, "results.json"):
            assert (folder / name).read_bytes() == raw, name
    _require_equal_figures(frame, smaller_frame)

    pictures = [path.relative_to(folder).as_posix() for path in folder.rglob("*.pdf")]
    left_out = [TOURNAMENTS, LONG, *pictures]
    stay = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    stay = {k: raw for k, raw in stay.items() if k not in (*left_out, SUMS, DICTIONARY)}
    stay |= archive
    dictionary = write_data_package(design, stay)
    sums = format_sums({**stay, DICTIONARY: dictionary})
    files = {**archive, DICTIONARY: dictionary, SUMS: sums}
    write_all({folder / name: raw for name, raw in files.items()})
    for name in left_out:
        (folder / name).unlink(missing_ok=True)


def _require_equal_figures(frame: pd.DataFrame, smaller_frame: pd.DataFrame) -> None:
    """Compare all that figures are drawn from: groups of models, final values, tau by round."""
    for (_, rows), (_, smaller_rows) in zip(
        by_world(frame), by_world(smaller_frame), strict=True
    ):
        assert designs(rows) == designs(smaller_rows)
        values = per_tournament(rows)
        smaller_values = per_tournament(smaller_rows)[[*values]]
        assert_frame_equal(values, smaller_values, check_dtype=False, check_exact=True)
        keys = ["model", "replicate", "round"]
        taus = rows.dropna(subset="kendall").set_index(keys)["kendall"]
        smaller = smaller_rows.dropna(subset="kendall").set_index(keys)["kendall"]
        assert_series_equal(taus.sort_index(), smaller.sort_index(), check_exact=True)


def main(*names: str) -> None:
    for name in names:
        folder = ROOT / "studies" / name
        before = sum(path.stat().st_size for path in folder.rglob("*"))
        shrink(folder)
        after = sum(path.stat().st_size for path in folder.rglob("*"))
        print(f"{name}: {before:,} to {after:,} bytes", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
