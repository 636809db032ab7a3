"""Archive: the games that a study's folder keeps, in Parquet, and the rounds that follow from them.

Parquet holds a game in some 1.6 bytes, gzipped CSV in 4.8, and the columns have types. Of a large
study there are the games of as many tournaments as fit; the others are known by their seed, and by
their row among the tournaments.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from pairopt.errors import InputError, require_extra
from pairopt.event.event import NO_RATING
from pairopt.lab.grid import RESERVED
from pairopt.lab.identity import name_of
from pairopt.lab.metrics.rounds import PAIRING, RANKING
from pairopt.lab.recomputation import NOBODY, recompute_rounds
from pairopt.lab.statistics import comparing
from pairopt.lab.statistics.comparing import UNPAIRED
from pairopt.lab.studies.study_file import StudyDesign
from pairopt.lab.table import LARGEST, Frames, concatenate_parts, further, read_csv
from pairopt.lab.world import Field

GAMES, ROUNDS, PLAYERS = "games.parquet", "rounds.parquet", "players.parquet"
TOURNAMENTS, LONG = "tournaments.csv", "tournaments-long.parquet"
LIMIT: Final = 3_000_000  # bytes of games that a folder keeps at most
NUMBERS: Final = {
    "replicate": "int32",
    "round": "int16",
    "table": "Int16",
    "player1": "Int16",
    "player2": "Int16",
    "side1": "Int8",
    "score1": "float64",
    "score2": "float64",
}
PLAYED_ROUNDS: Final = "paired_rounds"
DIGITS: Final = "%.6g"  # more would be noise, and not the same on every machine


def parquet_of(frame: pd.DataFrame) -> bytes:
    """The table as a Parquet file, the same bytes for the same table and pyarrow."""
    pa, parquet = _pyarrow()
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(
        None
    )
    out = io.BytesIO()
    parquet.write_table(
        table,
        out,
        compression="zstd",
        compression_level=19,
        row_group_size=max(len(frame), 1),
    )
    return out.getvalue()


def read_parquet(name: str, raw: bytes) -> pd.DataFrame:
    """The table in a Parquet file. Raises InputError for another file."""
    pa, parquet = _pyarrow()
    try:
        found: pd.DataFrame = parquet.read_table(io.BytesIO(raw)).to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            name, "study.no_table", why=str(error).split("\n")[0]
        ) from None
    return found


def column_types(raw: bytes) -> dict[str, str]:
    """The columns of a Parquet file, and whether they hold strings, integers or numbers."""
    pa, parquet = _pyarrow()
    return {
        each.name: "integer"
        if pa.types.is_integer(each.type)
        else "number"
        if pa.types.is_floating(each.type)
        else "string"
        for each in parquet.read_schema(io.BytesIO(raw))
    }


def _pyarrow() -> tuple[Any, Any]:
    pa, parquet = (
        require_extra(name, "studies need pyarrow", "study")
        for name in ("pyarrow", "pyarrow.parquet")
    )
    return pa, parquet


def games_in(made: Sequence[Frames]) -> pd.DataFrame:
    """The games of all parts, with a row for each round that has none: why, or "nobody"."""
    found = []
    for frames in made:
        games, rounds = frames["games"], frames["rounds"]
        games = games.drop(columns=["strength1", "strength2"])
        games["status"] = (
            games["status"].astype("object").where(games["status"].notna(), "played")
        )
        keys = ["replicate", "round"]
        empty = ~pd.MultiIndex.from_frame(rounds[keys]).isin(
            pd.MultiIndex.from_frame(games[keys])
        )
        if empty.any():
            known = [name for name in games if name in rounds]
            rows = rounds.loc[empty, known]
            reason = (
                rows["status"]
                .astype("object")
                .where(rows["status"].isin(UNPAIRED), NOBODY)
            )
            games = pd.concat([games, rows.assign(status=reason)], ignore_index=True)
            games = games.sort_values(keys, kind="stable")
        found.append(games.astype(NUMBERS))
    return _categories(pd.concat(found, ignore_index=True))


def _categories(games: pd.DataFrame) -> pd.DataFrame:
    texts = [
        name
        for name in games
        if name not in NUMBERS and games[name].dtype.kind not in "iuf"
    ]
    return games.astype(dict.fromkeys(texts, "category"))


def fitting(games: pd.DataFrame, replicates: int) -> tuple[int, bytes]:
    """The games as a file, of so many tournaments a model and world as fit, and how many."""
    kept, raw = replicates, parquet_of(games)
    while len(raw) > LIMIT and kept:
        kept = min(int(kept * LIMIT / len(raw) * 0.99), kept - 1)
        raw = parquet_of(games[games["replicate"] < kept])
    return kept, raw


def stored_replicates(games: pd.DataFrame) -> int:
    """Of how many tournaments of each model there are games."""
    return int(games["replicate"].max()) + 1 if len(games) else 0


def players_of(design: StudyDesign, kept: int) -> pd.DataFrame:
    """Who plays the first tournaments of each world: true strength, and the rating if rated."""
    found, worlds = [], len(design.worlds)
    for study in design.studies[:: len(design.studies) // worlds]:
        fields = [Field(study.world, study.seed, k) for k in range(kept)]
        n = study.world.players
        rating = np.array([field.rating for field in fields]).ravel()
        found.append(
            pd.DataFrame(
                {
                    **dict(study.cells),
                    "replicate": np.repeat(np.arange(kept, dtype=np.int32), n),
                    "player": np.tile(np.arange(1, n + 1, dtype=np.int16), kept),
                    "strength": np.round(
                        [field.strength for field in fields], 6
                    ).ravel(),
                    "rating": pd.Series(rating, dtype="Int64")
                    .where(rating != NO_RATING)
                    .astype("Int32"),
                }
            )
        )
    return _categories(pd.concat(found, ignore_index=True))


def tournaments_of(
    frame: pd.DataFrame, rounds: Mapping[tuple[Any, ...], int]
) -> pd.DataFrame:
    """All that is measured of each tournament, and how many of the `rounds` of its world could be
    paired, if these are given.
    """
    every = comparing.per_tournament(frame)
    place = [*every.columns].index("replicate")
    cells = [*map(str, every.columns[: place - 1])]
    keys = [*cells, "model", "replicate"]
    if rounds:
        early = comparing.ended_early(frame)[[*keys, "round"]].itertuples(
            index=False, name=None
        )
        known = {row[:-1]: row[-1] - 1 for row in early}
        every.insert(
            place + 1,
            PLAYED_ROUNDS,
            [
                known.get(row, rounds[row[:-2]])
                for row in every[keys].itertuples(index=False, name=None)
            ],
        )
    empty = [name for name in PAIRING if name in every and every[name].isna().all()]
    return every.drop(columns=[name for name in empty if name not in comparing.METRICS])


def text_of(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n", float_format=DIGITS).encode()


def long_of(design: StudyDesign, raw: bytes) -> bytes:
    """tournaments.csv as a row a tournament and metric that has a value."""
    table = read_csv(raw, texts=_texts(design))
    keys = [*table.columns[: [*table.columns].index("replicate") + 1]]
    long = table.melt(keys, var_name="metric", value_name="value").dropna(
        subset="value"
    )
    return parquet_of(
        _categories(
            long.astype({"replicate": "int32", "value": "float64"})
            if not design.events
            else long
        )
    )


def rounds_of(design: StudyDesign) -> dict[tuple[Any, ...], int]:
    """The rounds of each world, by what tells it apart; none of real events."""
    return {
        tuple(value for _, value in study.cells): study.world.rounds
        for study in ([] if design.events else design.studies)
    }


def _texts(design: StudyDesign) -> list[str]:
    cells = [] if design.events else design.studies[0].cells
    texts = [name for name, value in cells if isinstance(value, str)]
    return ["model", *texts, *["replicate"] * bool(design.events)]


def read_tournaments(design: StudyDesign, raw: bytes) -> pd.DataFrame:
    """tournaments.csv with a row for each tournament of the study, in order, or InputError."""
    given, studies = read_csv(raw, texts=_texts(design)), design.studies
    count, rest = divmod(len(given), len(studies))
    wanted = [
        (*(value for _, value in study.cells), name_of(study.contender), replicate)
        for study in studies
        for replicate in range(count)
    ]
    keys = [*(name for name, _ in studies[0].cells), "model", "replicate"]
    if (
        [*given.columns[: len(keys) + 1]] != [*keys, PLAYED_ROUNDS]
        or rest
        or not count
        or [*given[keys].itertuples(index=False, name=None)] != wanted
    ):
        raise InputError(TOURNAMENTS, "study.other_tournaments")
    return given


def recompute_published_rounds(
    design: StudyDesign, games: pd.DataFrame, given: pd.DataFrame
) -> pd.DataFrame:
    """The rounds of a study, without those of its solvers, from what its folder keeps: of games all
    that can be, own metrics and tournaments without games from `given`. Raises InputError.
    """
    studies, count = design.studies, len(given) // len(design.studies)
    keys = ["model", *(name for name, _ in studies[0].cells)]
    _require(games, keys)
    kept = stored_replicates(games)
    rows = {
        key if isinstance(key, tuple) else (key,): where
        for key, where in games.groupby(keys, observed=True, sort=False).indices.items()
    }
    own = [
        name
        for name in further(map(str, given.columns))
        if name not in (PLAYED_ROUNDS, "unbalanced")
    ]
    fields: dict[Any, dict[int, Field]] = {}
    parts = []
    for number, study in enumerate(studies):
        here = (name_of(study.contender), *(value for _, value in study.cells))
        if study.cells not in fields:
            fields = {
                study.cells: {k: Field(study.world, study.seed, k) for k in range(kept)}
            }
        mine = games.iloc[rows.pop(here, np.zeros(0, np.int64))]
        most = {"round": study.world.rounds, "player1": study.world.players}
        most |= {"player2": study.world.players, "side1": 1}
        if (
            {*mine["replicate"].unique()} != {*range(kept)}
            or kept > count
            or any(kept and (mine[name] > most[name]).any() for name in most)
        ):
            raise InputError(GAMES, "study.other_games", model=here[0], kept=kept)
        told = given.iloc[number * count : (number + 1) * count].reset_index(drop=True)
        last = study.world.rounds
        again = recompute_rounds(mine, fields[study.cells])
        again[own] = np.nan
        ends = again["round"] == last
        again.loc[ends, own] = told.loc[again.loc[ends, "replicate"], own].to_numpy(
            np.float64
        )
        part = pd.concat(
            [again, _by_seed(told.iloc[kept:], last, study.world.players)],
            ignore_index=True,
        )
        for place, (name, value) in enumerate(study.cells):
            part.insert(place, name, value)
        part.insert(0, "model", here[0])
        parts.append(part)
    if rows:
        raise InputError(GAMES, "study.strange_games", model=str(next(iter(rows))[0]))
    frame = pd.concat(parts, ignore_index=True)
    for name in (*RANKING, *PAIRING):
        frame[name] = frame[name].astype("float64") if name in frame else np.nan
    return concatenate_parts([frame])


def _by_seed(told: pd.DataFrame, rounds: int, players: int) -> pd.DataFrame:
    """Tournaments without games: a row each that stands for all rounds."""
    known = [
        name
        for name in told
        if name not in (PLAYED_ROUNDS, "unbalanced", "model")
        and not str(name).startswith(RESERVED)
    ]
    whole = told[PLAYED_ROUNDS] >= rounds
    return told[known].assign(
        round=np.where(whole, rounds, told[PLAYED_ROUNDS] + 1),
        players=players,
        status=np.where(whole, "played", UNPAIRED[-1]),
    )


def _require(games: pd.DataFrame, keys: Sequence[str]) -> None:
    """Raises InputError where a column is missing, or has what is none of its values."""
    for name in (*keys, *NUMBERS, "status"):
        if name not in games:
            raise InputError(GAMES, "study.no_column", column=name)
        if name in NUMBERS and not games[name].dropna().between(0, LARGEST).all():
            raise InputError(GAMES, "study.cell_unfit", what=name)
