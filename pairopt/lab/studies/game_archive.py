"""The archive of a study's games, in Parquet, and the rounds that are recomputed from them.

A game takes about 1.6 bytes in Parquet and 4.8 in gzipped CSV, and the columns have types. A large
study archives the games of as many tournaments as fit. The other tournaments can be played again
from their seed, and have their row in tournaments.csv.
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
from pairopt.lab.table import (
    LARGEST,
    Frames,
    concatenate_parts,
    list_further_metrics,
    read_csv,
)
from pairopt.lab.world import Field, World

GAMES, ROUNDS, PLAYERS = "games.parquet", "rounds.parquet", "players.parquet"
TOURNAMENTS, LONG = "tournaments.csv", "tournaments-long.parquet"
VALUES: Final = "tournament-values.parquet"
"""The exact values of all tournaments, in the folder of a study that stores games of a sample only."""
TAU_AFTER: Final = "kendall_after_"
"""The prefix of the columns with Kendall's tau after each round, in `VALUES`."""
# bytes of games that a folder has at most
LIMIT: Final = 3_000_000
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
# more digits would be noise, and differ between machines
DIGITS: Final = "%.6g"


def write_parquet(frame: pd.DataFrame) -> bytes:
    """Return the bytes of a Parquet file with a table, without its index.

    `frame` is the table. Equal tables give the same bytes with the same version of
    pyarrow. Raises UsageError if pyarrow is not installed.
    """
    pyarrow_module, parquet_module = _import_pyarrow()
    arrow_table = pyarrow_module.Table.from_pandas(frame, preserve_index=False)
    arrow_table = arrow_table.replace_schema_metadata(None)
    parquet_buffer = io.BytesIO()
    parquet_module.write_table(
        arrow_table,
        parquet_buffer,
        compression="zstd",
        compression_level=19,
        row_group_size=max(len(frame), 1),
    )
    return parquet_buffer.getvalue()


def read_parquet(name: str, raw: bytes) -> pd.DataFrame:
    """Read a table from the bytes `raw` of a Parquet file.

    Raises InputError, which names the file `name`, for bytes of anything else, and
    UsageError if pyarrow is not installed.
    """
    pyarrow_module, parquet_module = _import_pyarrow()
    try:
        parquet_frame: pd.DataFrame = parquet_module.read_table(
            io.BytesIO(raw)
        ).to_pandas()
    except (pyarrow_module.ArrowException, OSError) as error:
        error_line = str(error).split("\n")[0]
        raise InputError(name, "study.no_table", why=error_line) from None
    return parquet_frame


def column_types(raw: bytes) -> dict[str, str]:
    """Return the type of each column of a Parquet file, by the name of the column.

    `raw` are the bytes of the file. A type is "integer", "number" for floating point,
    or "string" for all others.
    """
    pyarrow_module, parquet_module = _import_pyarrow()
    type_of_column = {}
    for schema_field in parquet_module.read_schema(io.BytesIO(raw)):
        if pyarrow_module.types.is_integer(schema_field.type):
            type_of_column[schema_field.name] = "integer"
        elif pyarrow_module.types.is_floating(schema_field.type):
            type_of_column[schema_field.name] = "number"
        else:
            type_of_column[schema_field.name] = "string"
    return type_of_column


def _import_pyarrow() -> tuple[Any, Any]:
    """Import and return the modules pyarrow and pyarrow.parquet.

    Raises UsageError if they are not installed.
    """
    pyarrow_module, parquet_module = (
        require_extra(module_name, "studies need pyarrow", "study")
        for module_name in ("pyarrow", "pyarrow.parquet")
    )
    return pyarrow_module, parquet_module


def join_games(results: Sequence[Frames]) -> pd.DataFrame:
    """Join the games of all tasks to one table, in the order of the tasks.

    `results` has the tables "rounds" and "games" of each task. A round without games
    has one row without players. Its `status` is why the round was not paired, for
    example "infeasible", or "nobody" if nobody could take part. True strengths are left
    out. The columns of numbers get integer types of pandas, scores float64; columns of
    texts become categories.
    """
    games_of_tasks = [_games_of_task(frames_of_task) for frames_of_task in results]
    return _texts_to_categories(pd.concat(games_of_tasks, ignore_index=True))


def _games_of_task(frames: Frames) -> pd.DataFrame:
    """Return the games of a task, with a row for each round without a game.

    `frames` has the tables "rounds" and "games" of the task, which stay as they are.
    True strengths are left out, and a game without a status is "played". The columns
    replicate, round, table, player1, player2, side1, score1 and score2 get the types of
    `NUMBERS`.
    """
    rounds_table = frames["rounds"]
    games_table = frames["games"].drop(columns=["strength1", "strength2"])
    status_column = games_table["status"].astype("object")
    games_table["status"] = status_column.where(games_table["status"].notna(), "played")

    key_columns = ["replicate", "round"]
    round_keys = pd.MultiIndex.from_frame(rounds_table[key_columns])
    game_keys = pd.MultiIndex.from_frame(games_table[key_columns])
    has_no_game = ~round_keys.isin(game_keys)
    if has_no_game.any():
        shared_columns = [
            shared_column
            for shared_column in games_table
            if shared_column in rounds_table
        ]
        empty_rounds = rounds_table.loc[has_no_game, shared_columns]
        status_column = empty_rounds["status"].astype("object")
        unpaired_reasons = status_column.where(
            empty_rounds["status"].isin(UNPAIRED), NOBODY
        )
        games_table = pd.concat(
            [games_table, empty_rounds.assign(status=unpaired_reasons)],
            ignore_index=True,
        )
        games_table = games_table.sort_values(key_columns, kind="stable")
    return games_table.astype(NUMBERS)


def _texts_to_categories(games: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of a table with each column of texts as a pandas category.

    `games` is the table. Columns of numbers stay as they are, also those with missing
    values.
    """
    text_columns = [
        column_name
        for column_name in games
        if column_name not in NUMBERS and games[column_name].dtype.kind not in "iuf"
    ]
    return games.astype(dict.fromkeys(text_columns, "category"))


def fit_to_limit(
    games: pd.DataFrame, replicates: int, most: int | None = None
) -> tuple[int, bytes]:
    """Convert the games of as many replicates as fit into 3,000,000 bytes to Parquet.

    `games` has the games of all replicates. The replicates are the first ones of
    `replicates`, at most `most` if it is given, and the same ones for each model and
    world. Nothing is written. Returns their number, which may be 0, and the bytes of
    the file.
    """
    stored_replicate_count = replicates if most is None else min(most, replicates)
    parquet_bytes = write_parquet(games[games["replicate"] < stored_replicate_count])
    while len(parquet_bytes) > LIMIT and stored_replicate_count:
        fitting_replicate_count = int(
            stored_replicate_count * LIMIT / len(parquet_bytes) * 0.99
        )
        stored_replicate_count = min(
            fitting_replicate_count, stored_replicate_count - 1
        )
        parquet_bytes = write_parquet(
            games[games["replicate"] < stored_replicate_count]
        )
    return stored_replicate_count, parquet_bytes


def stored_replicates(games: pd.DataFrame) -> int:
    """Return how many replicates of each model and world have archived games.

    It is 0 for a table without rows.
    """
    return int(games["replicate"].max()) + 1 if len(games) else 0


def list_players(design: StudyDesign, replicates: int) -> pd.DataFrame:
    """List the players of the first `replicates` tournaments of each world.

    There is one row per player. `design` is a study of simulated worlds. The columns
    are the settings of worlds in its grid, `replicate` (the number of the tournament,
    from 0), `player` (the number, from 1), `strength` (the true one in Elo, with 6
    decimals) and `rating` (missing if unrated). Columns of texts are categories.
    """
    world_tables = []
    studies_per_world = len(design.studies) // len(design.worlds)
    for study in design.studies[::studies_per_world]:
        world_fields = [
            Field(study.world, study.seed, replicate) for replicate in range(replicates)
        ]
        player_count = study.world.players
        strengths = np.array([world_field.strength for world_field in world_fields])
        ratings = np.array([world_field.rating for world_field in world_fields]).ravel()
        known_ratings = pd.Series(ratings, dtype="Int64").where(ratings != NO_RATING)
        player_columns = {
            **dict(study.cells),
            "replicate": np.repeat(np.arange(replicates, dtype=np.int32), player_count),
            "player": np.tile(
                np.arange(1, player_count + 1, dtype=np.int16), replicates
            ),
            "strength": np.round(strengths, 6).ravel(),
            "rating": known_ratings.astype("Int32"),
        }
        world_tables.append(pd.DataFrame(player_columns))
    return _texts_to_categories(pd.concat(world_tables, ignore_index=True))


def summarize_tournaments(
    frame: pd.DataFrame, rounds: Mapping[tuple[Any, ...], int]
) -> pd.DataFrame:
    """Summarise a study's rounds to the table tournaments.csv, one row per tournament.

    `frame` is the table of rounds. `rounds` has the number of rounds of each world, by
    a tuple of the values of its settings; it is empty for real events. If it is not
    empty, there is a column `paired_rounds` after `replicate`, with the number of
    rounds that were paired. Pairing metrics without any value are left out, unless
    models are compared by them.
    """
    tournament_table = comparing.per_tournament(frame)
    replicate_column_position = [*tournament_table.columns].index("replicate")
    world_columns = [
        *map(str, tournament_table.columns[: replicate_column_position - 1])
    ]
    key_columns = [*world_columns, "model", "replicate"]
    if rounds:
        first_unpaired_rounds = comparing.ended_early(frame)[[*key_columns, "round"]]
        paired_rounds_of_tournament = {}
        for tournament_row in first_unpaired_rounds.itertuples(index=False, name=None):
            paired_rounds_of_tournament[tournament_row[:-1]] = tournament_row[-1] - 1
        paired_round_counts = [
            paired_rounds_of_tournament.get(tournament_row, rounds[tournament_row[:-2]])
            for tournament_row in tournament_table[key_columns].itertuples(
                index=False, name=None
            )
        ]
        tournament_table.insert(
            replicate_column_position + 1, PLAYED_ROUNDS, paired_round_counts
        )

    empty_columns = [
        pairing_column
        for pairing_column in PAIRING
        if pairing_column in tournament_table
        and tournament_table[pairing_column].isna().all()
    ]
    return tournament_table.drop(
        columns=[
            pairing_column
            for pairing_column in empty_columns
            if pairing_column not in comparing.METRICS
        ]
    )


def list_exact_values(
    frame: pd.DataFrame, rounds: Mapping[tuple[Any, ...], int]
) -> pd.DataFrame:
    """Summarise a study's rounds with all digits, one row per tournament.

    `frame` is the table of rounds. `rounds` has the number of rounds of each world, by
    a tuple of the values of its settings; it is empty for real events. The columns are
    those of tournaments.csv, then `kendall_after_<round>` with Kendall's tau after each
    round, nan after the tournament's end.
    """
    exact_table = summarize_tournaments(frame, rounds)
    replicate_column_position = [*exact_table.columns].index("replicate")
    key_columns = [*exact_table.columns[: replicate_column_position + 1]]
    tau_table = frame.pivot_table(
        "kendall", key_columns, "round", dropna=False, observed=True
    )
    tau_table.columns = [
        f"{TAU_AFTER}{round_number}" for round_number in tau_table.columns
    ]
    return exact_table.merge(tau_table.reset_index(), "left", key_columns)


def tournaments_of_values(exact_table: pd.DataFrame) -> bytes:
    """Return the content of tournaments.csv that follows from exact values.

    `exact_table` has a row per tournament, and all digits. Its columns
    `kendall_after_<round>`, Kendall's tau after each round, are left out, and numbers
    have 6 significant digits.
    """
    tau_columns = [
        tau_column
        for tau_column in exact_table
        if str(tau_column).startswith(TAU_AFTER)
    ]
    return format_csv(exact_table.drop(columns=tau_columns))


def format_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV, with 6 significant digits in floating-point numbers."""
    return table.to_csv(index=False, lineterminator="\n", float_format=DIGITS).encode()


def convert_to_long(design: StudyDesign, raw: bytes) -> bytes:
    """Convert tournaments.csv to Parquet with one row per tournament and metric.

    `design` is the study, and `raw` the content of its tournaments.csv. The result is
    the content of the new file, with the columns metric and value after those of the
    tournament. Missing values have no row.
    """
    wide_table = read_csv(raw, texts=_list_text_columns(design))
    replicate_column_position = [*wide_table.columns].index("replicate")
    key_columns = [*wide_table.columns[: replicate_column_position + 1]]
    long_table = wide_table.melt(key_columns, var_name="metric", value_name="value")
    long_table = long_table.dropna(subset="value")
    if not design.events:
        long_table = long_table.astype({"replicate": "int32", "value": "float64"})
    return write_parquet(_texts_to_categories(long_table))


def rounds_by_world(design: StudyDesign) -> dict[tuple[Any, ...], int]:
    """Return the number of rounds of each world, by the values of its varied settings.

    `design` is the study. The mapping is empty for a study of real events.
    """
    if design.events:
        return {}
    rounds_of_world = {}
    for study in design.studies:
        world_values = tuple(setting_value for _, setting_value in study.cells)
        rounds_of_world[world_values] = study.world.rounds
    return rounds_of_world


def _list_text_columns(design: StudyDesign) -> list[str]:
    """List the key columns of tournaments.csv whose cells are texts, not numbers.

    `design` is the study. In a study of simulated worlds they are `model`, and the
    settings of worlds that are texts. In a study of real events they are `model` and
    `replicate`, which has the name of the event; no settings of worlds are listed.
    """
    if design.events:
        return ["model", "replicate"]
    world_cells = design.studies[0].cells
    return [
        "model",
        *(
            column_name
            for column_name, world_cell in world_cells
            if isinstance(world_cell, str)
        ),
    ]


def read_tournaments(design: StudyDesign, raw: bytes) -> pd.DataFrame:
    """Read the bytes of tournaments.csv, which has a row for each tournament in order.

    `raw` is the content of the file, and `design` the study. The first columns have to
    be the study's settings of worlds, model, replicate and `paired_rounds`. The rows
    have to be those of the study's models and worlds in its order, with the replicates
    0, 1 and so on of each. Otherwise, and without rows, it raises InputError. Metrics
    are not checked.
    """
    tournament_table = read_csv(raw, texts=_list_text_columns(design))
    studies = design.studies
    replicates_per_study, leftover_row_count = divmod(
        len(tournament_table), len(studies)
    )
    world_columns = [column_name for column_name, _ in studies[0].cells]
    key_columns = [*world_columns, "model", "replicate"]

    expected_rows = []
    for study in studies:
        world_values = [setting_value for _, setting_value in study.cells]
        model_name = name_of(study.contender)
        expected_rows += [
            (*world_values, model_name, replicate)
            for replicate in range(replicates_per_study)
        ]

    has_key_columns = [*tournament_table.columns[: len(key_columns) + 1]] == [
        *key_columns,
        PLAYED_ROUNDS,
    ]
    if not has_key_columns or leftover_row_count or not replicates_per_study:
        raise InputError(TOURNAMENTS, "study.other_tournaments")
    if [
        *tournament_table[key_columns].itertuples(index=False, name=None)
    ] != expected_rows:
        raise InputError(TOURNAMENTS, "study.other_tournaments")
    return tournament_table


def recompute_published_rounds(
    design: StudyDesign,
    games: pd.DataFrame,
    tournaments: pd.DataFrame,
    exact_table: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Recompute a study's table of rounds, without its solvers' columns.

    `design` is the study of simulated worlds. Standard metrics come from the archived
    `games`. Further metrics, and tournaments without games, come from the table
    `tournaments`, or with all digits from `exact_table`, which has the same rows in the
    same order. A tournament without games has one row for its last round, and rows of
    earlier rounds if `exact_table` has their Kendall's tau. Raises InputError if the
    tables do not fit the study.
    """
    model_world_studies = design.studies
    replicates_per_study = len(tournaments) // len(model_world_studies)
    key_columns = [
        "model",
        *(setting_column for setting_column, _ in model_world_studies[0].cells),
    ]
    _require_columns(games, key_columns)
    stored_replicate_count = stored_replicates(games)

    # the positions of the games of each model and world
    game_rows_of_study: dict[Any, Any] = {}
    game_groups = games.groupby(key_columns, observed=True, sort=False)
    for study_key, game_row_positions in game_groups.indices.items():
        game_rows_of_study[
            study_key if isinstance(study_key, tuple) else (study_key,)
        ] = game_row_positions

    further_metrics = [
        metric_column
        for metric_column in list_further_metrics(map(str, tournaments.columns))
        if metric_column not in (PLAYED_ROUNDS, "unbalanced")
    ]
    fields_of_world: dict[Any, dict[int, Field]] = {}
    study_tables = []
    for study_position, study in enumerate(model_world_studies):
        world = study.world
        model = name_of(study.contender)
        study_key = (model, *(world_cell for _, world_cell in study.cells))
        if study.cells not in fields_of_world:
            world_fields = {
                replicate: Field(world, study.seed, replicate)
                for replicate in range(stored_replicate_count)
            }
            fields_of_world = {study.cells: world_fields}
        study_games = games.iloc[
            game_rows_of_study.pop(study_key, np.zeros(0, np.int64))
        ]
        _require_fitting(
            study_games, world, model, stored_replicate_count, replicates_per_study
        )

        study_tournaments = tournaments.iloc[
            study_position * replicates_per_study : (study_position + 1)
            * replicates_per_study
        ]
        study_tournaments = study_tournaments.reset_index(drop=True)
        rounds_table = recompute_rounds(study_games, fields_of_world[study.cells])
        # one table at once: many new columns one by one make pandas slow
        empty_metric_columns = pd.DataFrame(np.nan, rounds_table.index, further_metrics)
        rounds_table = pd.concat([rounds_table, empty_metric_columns], axis=1)
        is_last_round = rounds_table["round"] == world.rounds
        complete_replicates = rounds_table.loc[is_last_round, "replicate"]
        metric_values = study_tournaments.loc[
            complete_replicates, further_metrics
        ].to_numpy(np.float64)
        rounds_table.loc[is_last_round, further_metrics] = metric_values

        if exact_table is not None:
            study_tournaments = exact_table.iloc[
                study_position * replicates_per_study : (study_position + 1)
                * replicates_per_study
            ]
        rounds_without_games = _rounds_without_games(
            study_tournaments.iloc[stored_replicate_count:], world.rounds, world.players
        )
        study_table = pd.concat(
            [rounds_table, rounds_without_games], ignore_index=True
        ).copy()
        for column_position, (setting_column, world_cell) in enumerate(study.cells):
            study_table.insert(column_position, setting_column, world_cell)
        study_table.insert(0, "model", model)
        study_tables.append(study_table)

    if game_rows_of_study:
        unknown_model = str(next(iter(game_rows_of_study))[0])
        raise InputError(GAMES, "study.strange_games", model=unknown_model)
    rounds_frame = pd.concat(study_tables, ignore_index=True)
    for metric_column in (*RANKING, *PAIRING):
        rounds_frame[metric_column] = (
            rounds_frame[metric_column].astype("float64")
            if metric_column in rounds_frame
            else np.nan
        )
    return concatenate_parts([rounds_frame])


def _require_fitting(
    games: pd.DataFrame, world: World, model: str, stored: int, count: int
) -> None:
    """Raise InputError unless the archived games of a model in one world are possible.

    `games` are those of the model in `world`. They have to be those of all replicates
    from 0 to `stored` - 1, and `stored` at most `count`, the number of replicates of
    the study. Rounds, players' numbers and sides must not be above the largest of the
    world. `model` is the name in the error.
    """
    largest_value_of_column = {
        "round": world.rounds,
        "player1": world.players,
        "player2": world.players,
        "side1": 1,
    }
    is_fitting = {*games["replicate"].unique()} == {*range(stored)} and stored <= count
    if is_fitting and stored:
        is_fitting = not any(
            (games[bounded_column] > largest_value).any()
            for bounded_column, largest_value in largest_value_of_column.items()
        )
    if not is_fitting:
        raise InputError(GAMES, "study.other_games", model=model, kept=stored)


def _rounds_without_games(
    tournaments: pd.DataFrame, rounds: int, players: int
) -> pd.DataFrame:
    """Convert tournaments whose games are not archived to rows of rounds.

    Each has one row: the last round with the final metrics, or the first round that was
    not paired. Where Kendall's tau after earlier rounds is known, there are rows with
    its values, too. `tournaments` has a row per tournament. `rounds` and `players` are
    the numbers of the world. Rows of earlier rounds are sorted in by replicate and
    round.
    """
    metric_columns = [
        column
        for column in tournaments
        if column not in (PLAYED_ROUNDS, "unbalanced", "model")
        and not str(column).startswith((RESERVED, TAU_AFTER))
    ]
    paired_round_counts = tournaments[PLAYED_ROUNDS]
    is_complete = paired_round_counts >= rounds
    final_rows = (
        tournaments[metric_columns]
        .copy()
        .assign(
            round=np.where(is_complete, rounds, paired_round_counts + 1),
            players=players,
            status=np.where(is_complete, "played", UNPAIRED[-1]),
        )
    )
    earlier_rows = []
    for round_number in range(1, rounds + 1):
        tau_column = f"{TAU_AFTER}{round_number}"
        if tau_column not in tournaments:
            continue
        is_earlier = (round_number < final_rows["round"]) & tournaments[
            tau_column
        ].notna()
        tau_rows = tournaments.loc[is_earlier, ["replicate"]].assign(
            kendall=tournaments.loc[is_earlier, tau_column],
            round=round_number,
            players=players,
            status="played",
        )
        earlier_rows.append(tau_rows)
    if not earlier_rows:
        return final_rows
    all_rows = pd.concat([*earlier_rows, final_rows], ignore_index=True)
    return all_rows.sort_values(["replicate", "round"], kind="stable")


def _require_columns(games: pd.DataFrame, keys: Sequence[str]) -> None:
    """Raise InputError if archived games lack a column, or have an impossible number.

    They need the columns replicate, round, table, player1, player2, side1, score1,
    score2, status and `keys`. Numbers have to be from 0 to 1e12 (`LARGEST`), or
    missing.
    """
    for required_column in (*keys, *NUMBERS, "status"):
        if required_column not in games:
            raise InputError(GAMES, "study.no_column", column=required_column)
        if (
            required_column in NUMBERS
            and not games[required_column].dropna().between(0, LARGEST).all()
        ):
            raise InputError(GAMES, "study.cell_unfit", what=required_column)
