"""Every key and column of every format with numbers that nobody means: an event, or one error."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from itertools import chain
from pathlib import Path
from typing import Any, get_args, get_origin

import pandas as pd
import pytest
from places import SAMPLE
from pydantic import BaseModel
from strange_numbers import TEXTS, VALUES, Case, shortened, walked

from pairopt import InputError, UsageError, read_event, solve
from pairopt.event.standings import rank_players, tie_breaks_of
from pairopt.files.bracket_csv import load_bracket
from pairopt.files.build_event import ReadOptions
from pairopt.files.csv_schema import BracketRow, MatchRow, PlayerRow, StandingsRow
from pairopt.files.event_folder import build_event_from_files
from pairopt.files.event_toml import BYE, CONFLICT, FILE, POINTS, SOURCE
from pairopt.files.formats import decode_content, list_writers, read_as_event
from pairopt.files.formats.nrtm_json.reading import NrtmFile
from pairopt.files.formats.trf.records import BBP, COVERED_CODES
from pairopt.files.read import read_upload
from pairopt.lab.studies.schema import StudyFile
from pairopt.lab.studies.study_file import read_study
from pairopt.problem.model import parse_model
from pairopt.problem.model_file import ModelFile
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

LONGEST_LINE = 1000

# what is done with a file


def answered(text: str | bytes, name: str = "given") -> str:
    """An event of a file, ranked and written in every format; or one error."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    try:
        used(read_upload(raw, name).event)
    except (InputError, UsageError) as error:
        return clear(error)
    return ""


def used(event: Any) -> None:
    rank_players(event, tie_breaks_of(event))
    for form in list_writers().values():
        assert form.write is not None
        try:
            form.write(event)
        except UsageError:
            continue  # what the format cannot hold


def clear(error: Exception) -> str:
    lines = str(error).split("\n")
    return (
        ""
        if all(0 < len(line) <= LONGEST_LINE for line in lines)
        else "an error without end"
    )


# tables

FULL: Mapping[type[Any], list[dict[str, str]]] = {
    MatchRow: [
        {
            "round": "1",
            "player1": "A",
            "player2": "B",
            "table": "1",
            "side1": "white",
            "score1": "1",
            "score2": "0",
            "status": "",
            "games1": "2",
            "games2": "0",
            "games_drawn": "1",
        },
        {
            "round": "1",
            "player1": "C",
            "player2": "D",
            "table": "2",
            "side1": "white",
            "score1": "0.5",
            "score2": "0.5",
            "status": "",
            "games1": "",
            "games2": "",
            "games_drawn": "",
        },
    ],
    PlayerRow: [
        {
            "player": name,
            "name": f"{name} {name}",
            "rating": "1500",
            "active": "true",
            "score": "",
            "table": "",
            "first_round_bye": "",
            "start": str(k),
            "virtual": "1 0.5",
            "adjusted": "0 -0.5",
        }
        for k, name in enumerate("ABCD", 1)
    ],
    StandingsRow: [
        {
            "player": "A",
            "name": "A",
            "rating": "1500",
            "active": "true",
            "score": "1",
            "table": "",
            "first_round_bye": "",
            "start": "",
            "virtual": "",
            "adjusted": "",
            "opponents": "B",
            "sides": "",
            "byes": "0",
        },
        {
            "player": "B",
            "name": "B",
            "rating": "",
            "active": "true",
            "score": "0",
            "table": "",
            "first_round_bye": "",
            "start": "",
            "virtual": "",
            "adjusted": "",
            "opponents": "A",
            "sides": "",
            "byes": "0",
        },
    ],
    BracketRow: [
        {
            "match": "B1",
            "bracket": "main",
            "round": "1",
            "seed1": "1",
            "player1": "A",
            "seed2": "2",
            "player2": "B",
            "score1": "",
            "score2": "",
            "status": "",
        },
    ],
}
"""Rows in which every column has something that fits."""


def with_cell(schema: type[Any], column: str, cell: Any) -> list[dict[str, Any]]:
    """These rows with another cell in the first one; a column of every schema has one."""
    assert {field.name for field in fields(schema)} == {*FULL[schema][0], "place"}
    first, *rest = FULL[schema]
    return [{**first, column: cell}, *rest]


def csv(rows: list[dict[str, Any]]) -> str:
    return str(pd.DataFrame(rows).to_csv(index=False))


def folder_with(bracket: str) -> str:
    """An event folder with this bracket.csv."""
    files = {
        "event.toml": b"",
        "players.csv": csv(FULL[PlayerRow]).encode(),
        "bracket.csv": bracket.encode(),
    }
    try:
        used(event := build_event_from_files(files, Path("folder")))
        load_bracket(event)
    except (InputError, UsageError) as error:
        return clear(error)
    return ""


def of_tables() -> Iterator[Case]:
    for schema, rows in FULL.items():
        use = folder_with if schema is BracketRow else answered
        for column in rows[0]:
            for text in TEXTS:
                where = f"{schema.__name__}.{column} = {shortened(text)}"
                cell = csv(with_cell(schema, column, text))
                yield Case(where, lambda cell=cell, use=use: use(cell))


def of_frames() -> Iterator[Case]:
    for schema in (MatchRow, PlayerRow, StandingsRow):
        for column in FULL[schema][0]:
            for value in VALUES:
                where = f"a frame's {schema.__name__}.{column} = {shortened(value)}"
                rows = with_cell(schema, column, value)
                yield Case(where, lambda rows=rows: framed(rows))


def framed(rows: list[dict[str, Any]]) -> str:
    try:
        used(read_event(pd.DataFrame(rows, dtype=object), unfinished=True))
    except (InputError, UsageError) as error:
        return clear(error)
    return ""


def of_workbooks() -> Iterator[Case]:
    openpyxl = pytest.importorskip("openpyxl")
    for schema in (MatchRow, PlayerRow):
        for column in FULL[schema][0]:
            for value in VALUES:
                if isinstance(value, list | dict) or len(str(value)) > 300:
                    continue  # no cell of a workbook
                book = openpyxl.Workbook()
                rows = with_cell(schema, column, value)
                for row in ([*rows[0]], *([*row.values()] for row in rows)):
                    book.active.append(row)
                raw = io.BytesIO()
                book.save(raw)
                where = f"a workbook's {schema.__name__}.{column} = {shortened(value)}"
                content = raw.getvalue()
                yield Case(where, lambda raw=content: answered(raw))


# JSON and TOML


def paths(
    model: type[BaseModel], before: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """The keys of a schema, those of its tables too; of a list the first entry."""
    for name, field in model.model_fields.items():
        here = (*before, field.alias or name)
        yield here
        table, lists = below(field.annotation)
        if table is not None:
            yield from paths(table, here + (0,) * lists)


def below(annotation: Any) -> tuple[type[BaseModel] | None, int]:
    """The table in a type, and of how many lists it is an entry."""
    if get_origin(annotation) is None:
        fits = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        return annotation if fits else None, 0
    for each in get_args(annotation):
        table, lists = below(each)
        if table is not None:
            return table, lists + (get_origin(annotation) is list)
    return None, 0


def put(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The content with a value in this place, which is made where it is not there."""
    if not path:
        return value
    key, *rest = path
    if isinstance(key, int):
        content = content if isinstance(content, list) and content else [{}]
        return [put(content[0], tuple(rest), value), *content[1:]]
    content = content if isinstance(content, dict) else {}
    return {**content, key: put(content.get(key), tuple(rest), value)}


NRTM: Any = {
    "name": "Cup",
    "preliminaryRounds": 1,
    "players": [{"id": "1", "name": "A"}, {"id": "2", "name": "B"}],
    "rounds": [
        [
            {
                "table": 1,
                "player1": {"id": "1", "combinedScore": 3},
                "player2": {"id": "2", "combinedScore": 0},
            }
        ]
    ],
}


def of_json() -> Iterator[Case]:
    written = [json.dumps(value) for value in VALUES]
    bare = ["1e999999999", "1" * 10_000, "-" + "9" * 5_000, "[" * 5_000]
    for path in chain(paths(NrtmFile), [("more",), ("uploaded",)]):
        for text in (*written, *bare):
            mark = "the number"
            raw = json.dumps(put(NRTM, path, mark)).replace(json.dumps(mark), text)
            yield Case(
                f"JSON {path} = {shortened(text)}", lambda raw=raw: answered(raw)
            )
    for rounds in (501, 200_000):
        raw = json.dumps({**NRTM, "rounds": NRTM["rounds"] + [[]] * rounds})
        yield Case(f"JSON of {rounds} empty rounds", lambda raw=raw: refused(raw))


def refused(text: str) -> str:
    try:
        read_as_event(decode_content("given", text.encode()), ReadOptions())
    except InputError as error:
        return clear(error)
    return "accepted"


def literal(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{name} = {literal(each)}" for name, each in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return json.dumps(value) if not isinstance(value, float) else repr(value)


def toml(content: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {literal(value)}\n" for name, value in content.items())


LITERALS = (*map(literal, VALUES), *(text for text in TEXTS if text.strip()))
"""Values, and the texts as they are, which are no TOML."""
MARK = "the number"


def of_toml(
    name: str, keys: Iterable[tuple[Any, ...]], base: Mapping[str, Any], use: Any
) -> Iterator[Case]:
    for path in keys:
        text = toml(put(base, path, MARK))
        for each in LITERALS:
            raw = text.replace(json.dumps(MARK), each)
            where = f"{name} {path} = {shortened(each)}"
            yield Case(where, lambda raw=raw, use=use: use(raw))


def founded(text: str) -> str:
    files = {
        "event.toml": text.encode("utf-8", "surrogatepass"),
        "players.csv": csv(FULL[PlayerRow]).encode(),
        "matches.csv": csv(FULL[MatchRow]).encode(),
    }
    try:
        used(build_event_from_files(files, Path("folder")))
    except (InputError, UsageError) as error:
        return clear(error)
    return ""


def of_event_toml() -> Iterator[Case]:
    base = {
        "byes": [{"player": "A", "round": 2}],
        "conflicts": [{"column": "rating"}],
        "points": {"win": 1, "draw": 0.5},
        "rounds": 5,
    }
    below = {
        ("points",): POINTS,
        ("byes", 0): BYE,
        ("conflicts", 0): CONFLICT,
        ("source",): SOURCE,
    }
    keys = [
        *((key,) for key in FILE),
        *((*at, key) for at, table in below.items() for key in table),
    ]
    yield from of_toml("event.toml", [*keys, ("more",)], base, founded)


def modelled(text: str) -> str:
    import tomllib

    from pairopt.problem.model import _parse_exact_decimal

    try:
        raw = tomllib.loads(text, parse_float=_parse_exact_decimal)
    except (ValueError, RecursionError):
        return ""  # its own test is that of the file
    try:
        model = parse_model(raw)
        solve(
            read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv"),
            model=model,
            time_limit=2,
        )
    except (InputError, UsageError) as error:
        return clear(error)
    return ""


def of_models() -> Iterator[Case]:
    base: dict[str, Any] = {"name": "own", "criteria": [{"kind": "rematches"}]}
    keys = [(field.name,) for field in fields(ModelFile)]
    keys += [("constraints", kind) for kind in CONSTRAINTS]
    yield from of_toml("a model's", keys, base, modelled)
    for kind, rule in CRITERIA.items():
        needed = {
            each.name: 1
            for each in fields(rule)
            if each.default is MISSING and each.default_factory is MISSING and each.init
        }
        own = {"name": "own", "criteria": [{"kind": kind, **needed}]}
        names = [each.name for each in fields(rule) if each.init] + ["weight"]
        yield from of_toml(
            f"a model's {kind}",
            [("criteria", 0, name) for name in names],
            own,
            modelled,
        )


def studied(text: str, folder: Path) -> str:
    path = folder / "study.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read_study(path)
    except (InputError, UsageError) as error:
        return clear(error)
    return ""


def of_studies(folder: Path) -> Iterator[Case]:
    claim = {
        "model": "standard",
        "than": "monrad",
        "metric": "rematches",
        "claim": "less",
    }
    base = {
        "models": ["standard", "monrad"],
        "hypotheses": [claim],
        "replicates": 2,
        "world": {"players": 8, "rounds": 3},
    }
    keys = [
        *paths(StudyFile),
        *(("grid", key, 0) for key in ("players", "rounds", "spread")),
        ("precision", "rematches"),
    ]
    yield from of_toml("study.toml", keys, base, lambda text: studied(text, folder))


# TRF

HEAD = [
    "012 Cup",
    "042 2026/01/01",
    "062 4",
    "092 Swiss",
    "142 5",
    "152 W",
    "162 W 1.0 D 0.5",
    "192 FIDE_DUTCH_2026",
    "202 PTS, BH",
    "212 BH",
    "222 90+30",
    "XXR 5",
    "XXC white1 rank",
    "XXS W=1",
    "BBW  1.0",
    "BBD  0.5",
    "BBL  0.0",
    "BBZ  0.0",
    "BBF  0.0",
    "BBU  1.0",
    "132 26/01/01",
    "240 H   2    4",
    "250 0.0  1.0   1   1    1    2",
    "260   1   5    1    2",
    "299  -1.0   1    1",
    "300 1",
    "310 1 team",
    "320 1",
    "330 1",
    "352 1",
    "362 1",
    "801 1",
    "802 1",
    "013 1 2",
    "XXA    1  1.0  0.5",
    "XXP 1 2",
    "XXZ 4",
]


def players() -> list[str]:
    cells = ("   2 w 1", "   1 b 0", "   4 w =", "   3 b =")
    return [
        f"001 {k:>4} m    {f'Player {k}':<33} {1500 + k:>4} XXX {k:>11} 2000/01/01  1.0 {k:>4}"
        f"  {cell}"
        for k, cell in enumerate(cells, 1)
    ]


def of_trf() -> Iterator[Case]:
    lines = [*HEAD, *players()]
    for code in {*COVERED_CODES, *BBP}:
        assert any(line.startswith(code) for line in lines)
    for k, line in enumerate(lines):
        words = line[4:].split()
        for word in dict.fromkeys(words):
            for text in TEXTS:
                wide = text.rjust(len(word))  # in the same columns where it fits
                changed = line[:4] + line[4:].replace(word, wide, 1)
                whole = "\n".join([*lines[:k], changed, *lines[k + 1 :], ""])
                where = f"TRF {line[:3]} {word} = {shortened(text)}"
                yield Case(where, lambda whole=whole: answered(whole))
    wide = [f"{players()[0]}{'  0000 - Z' * 600}", *players()[1:]]
    yield Case("TRF of 601 rounds", lambda: refused("\n".join([*wide, ""])))


def every(folder: Path) -> Iterator[Case]:
    yield from of_tables()
    yield from of_frames()
    yield from of_json()
    yield from of_event_toml()
    yield from of_trf()
    yield from of_workbooks()
    yield from of_studies(folder)
    yield from of_models()


@pytest.mark.sweep
@pytest.mark.parametrize(
    "one_of",
    [
        pytest.param(499, marks=pytest.mark.long),
        pytest.param(1, marks=pytest.mark.slow),
    ],
)
def test_numbers_in_files(one_of: int, tmp_path: Path) -> None:
    found = walked(lambda: every(tmp_path), one_of, seconds=1800)
    print(found)
    assert not found.wrong
    assert found.cases


SIZE = 60 * 2**20
LARGE = {
    "rows of a table": lambda: "round,player1,player2\n" + "1,a,b\n" * (SIZE // 6),
    "cells of a row": lambda: "round,player1,player2\n" + "," * SIZE,
    "lines of names": lambda: "Ann\n" * (SIZE // 4),
    "lines of other ends": lambda: "Ann\v" * (SIZE // 4),
    "records of a TRF": lambda: "012 Cup\n" + "xyz\n" * (SIZE // 4),
    "lists of a JSON": lambda: (
        '{"players": [], "rounds": [' + "[]," * (SIZE // 3) + "[]]}"
    ),
    "numbers of a JSON": lambda: (
        '{"players": [], "rounds": [' + "0," * (SIZE // 2) + "0]}"
    ),
    "players": lambda: "player\n" + "".join(f"P{k}\n" for k in range(100_001)),
    "players of matches": lambda: (
        "round,player1,player2,score1,score2\n"
        + "".join(f"1,P{2 * k},P{2 * k + 1},1,0\n" for k in range(50_001))
    ),
}


OFTEN = ("rows of a table", "lists of a JSON", "records of a TRF", "players")
"""One of each kind; the others are slow."""


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=() if each in OFTEN else pytest.mark.slow)
        for each in LARGE
    ],
)
def test_files_of_very_many(name: str) -> None:
    """Larger than any event, and below what is read at all: one error, in a gigabyte."""
    found = walked(lambda: [Case(name, lambda: refused(LARGE[name]()))])
    assert not found.wrong
    if name.startswith("players"):
        with pytest.raises(
            InputError, match=r"row \d+.*There are too many players. At most 100,000"
        ):
            read_as_event(
                decode_content("given", LARGE[name]().encode()), ReadOptions()
            )
