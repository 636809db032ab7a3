"""Fuzzer: damaged and hostile files and models get a clean answer, and nothing else.

    python tests/fuzz.py                      100,000 inputs (an hour or two), before each release
    python tests/fuzz.py --only 4711          one input again

An input is an event file (a fixture of tests/data, or a small event drawn by lot), sometimes
with a players.csv, and a model, each damaged or left alone. It is read, paired if it is small,
and written in every format. Clean are an InputError, a UsageError, and a result that the
verifier accepts; a finding is anything else: another exception, a hang, an error that is long
or steers a terminal, a file written that cannot be read again or holds other points. Findings
are printed with their number and saved. Input k depends on the seed and k alone.
"""

from __future__ import annotations

import multiprocessing
import re
import resource
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click

sys.path.insert(0, str(Path(__file__).parent / "support"))

from places import DATA, ROOT, SAMPLE

from pairopt import (
    Event,
    InputError,
    UsageError,
    load_model,
    read_event,
    solve,
    write_event,
)
from pairopt.cli.tables import result_csv, result_table, trf_pairs_text
from pairopt.errors import LONGEST_LINE
from pairopt.event.score_checks import points_of
from pairopt.files.formats import list_writers
from pairopt.files.write import json_text
from pairopt.problem.model import model_names
from pairopt.problem.verifier import verify_pairing

MEMORY = 6 * 2**30
"""Bytes that reading and pairing one input may take."""
MOST_PLAYERS = 14
"""Larger fields are read and written, not paired."""
SECONDS = 2.0
"""Time limit of a solve: these fields take less, unless a model is damaged."""

HOSTILE = (
    "",
    " ",
    "0",
    "-1",
    "1.5",
    "9999",
    "0.0000001",
    "9" * 20,
    "9" * 4301,
    "-0",
    "1e999999999",
    "1e-999999999",
    "-1e9999999",
    "1e30",
    "4e18",
    "NaN",
    "inf",
    "-Infinity",
    "null",
    "true",
    "[]",
    "{}",
    "\u0661\u0662",
    "\u00b2",
    "1_0",
    "\x1b[31m",
    "\u202e",
    "\0",
    "\r",
    "\n",
    "\t",
    "\u2028",
    "\x85",
    "\x0b",
    '"',
    "'",
    ",",
    ";",
    "#",
    "=1+1",
    "<script>",
    "BYE",
    "-",
    "corp",
    "white",
    "bye",
    "requested",
    "forfeit",
    "\ufeff",
    "\\ud800",
    "\\u0000",
    "x" * 5000,
    "x" * 131_073,
    "1e400",
    "0x10",
    "1/3",
    "\u00e9",
    "001",
    "XXZ 1",
    "XXS W=9e9",
    "XXP 1 2",
)


@dataclass(frozen=True)
class Input:
    """The files of one input: their names and content; `model` is one of them, or a name."""

    files: dict[str, bytes]
    event: str
    players: str | None
    model: str
    seed: int


# ---------------------------------------------------------------------- making an input


def made(seed: int, number: int) -> Input:
    """Input `number` of a seed."""
    rng = Random(f"{seed}/{number}")
    files: dict[str, bytes] = {}
    players = None
    if rng.random() < 0.5:
        path = rng.choice(
            [*sorted(p for p in DATA.iterdir() if p.suffix), SAMPLE / "matches.csv"]
        )
        event, files[path.name] = path.name, path.read_bytes()
        if path.parent == SAMPLE:
            players, files["players.csv"] = (
                "players.csv",
                (SAMPLE / "players.csv").read_bytes(),
            )
    else:
        event, files = _drawn(rng)
        players = "players.csv" if "players.csv" in files else None
    model = rng.choice(model_names())
    if rng.random() < 0.3:
        files["model.toml"] = (ROOT / "models" / f"{model}.toml").read_bytes()
        model = "model.toml"
        files[model] = _damaged(rng, files[model])
    for name in (event, players):
        if name is not None and rng.random() < 0.6:
            files[name] = _damaged(rng, files[name])
    return Input(files, event, players, model, rng.randrange(100))


def _drawn(rng: Random) -> tuple[str, dict[str, bytes]]:
    """A small event drawn by lot, in any format that is written."""
    names = [
        rng.choice(["p", "", "\u017d "]) + str(k) for k in range(1, rng.randint(3, 11))
    ]
    sides = rng.choice([(), ("corp", "runner"), ("white", "black")])
    rows = ["round,table,player1,player2,side1,score1,score2,status"]
    for turn in range(1, rng.randint(1, 5)):
        order = rng.sample(names, len(names))
        if len(order) % 2:
            rows.append(
                f"{turn},,{order.pop()},,,1,,{rng.choice(['bye', 'requested'])}"
            )
        tables = rng.sample(range(1, 7), 6)
        for one, two in zip(order[::2], order[1::2], strict=True):
            side, score = (
                rng.choice(sides or ("",)),
                rng.choice(["1,0", "0,1", "0.5,0.5"]),
            )
            forfeit = "forfeit" if "1" in score and rng.random() < 0.1 else ""
            rows.append(f"{turn},{tables.pop()},{one},{two},{side},{score},{forfeit}")
    listed = ["player,name,rating,club,table"]
    listed += [
        f"{n},N {n},{rng.choice(['', '1500'])},{rng.choice('ab')}," for n in names
    ]
    files = {
        "event.csv": "\n".join(rows).encode(),
        "players.csv": "\n".join(listed).encode(),
    }
    form = rng.choice(list(list_writers()))
    if form == "csv":
        return "event.csv", files
    with TemporaryDirectory() as folder:
        paths = _kept(Path(folder), files)
        out = Path(folder) / f"event.{form}"
        write_event(read_event(paths["event.csv"], paths["players.csv"]), out)
        return out.name, {out.name: out.read_bytes()}


def _damaged(rng: Random, raw: bytes) -> bytes:
    """A file with one to three faults."""
    for _ in range(rng.randint(1, 3)):
        raw = rng.choice(DAMAGES)(rng, raw)
    return raw


def _flip(rng: Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]


def _lines(rng: Random, raw: bytes) -> bytes:
    """A line left out, given twice, moved or cut, or the file cut."""
    lines = raw.splitlines(keepends=True) or [b""]
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(other, lines[at])
    elif how == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    else:
        return raw[: rng.randrange(len(raw) + 1)]
    return b"".join(lines)


def _value(rng: Random, raw: bytes) -> bytes:
    """A cell, number or word replaced by a hostile value, or by another one of the file."""
    words = list(re.finditer(rb"[^\s,;:=\[\]{}\"]+", raw))
    if not words:
        return raw
    word = rng.choice(words)
    new = rng.choice(words)[0] if rng.random() < 0.4 else rng.choice(HOSTILE).encode()
    return raw[: word.start()] + new + raw[word.end() :]


def _inserted(rng: Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + rng.choice(HOSTILE).encode() + raw[at:]


DAMAGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    _flip,
    _lines,
    _lines,
    _value,
    _value,
    _value,
    _inserted,
)


# ---------------------------------------------------------------------- what must hold


class FindingError(Exception):
    """An answer that is not clean."""


def answer(given: Input, folder: Path) -> str:
    """What became of an input: "refused", or the status of its result. Raises on a finding."""
    paths = _kept(folder, given.files)
    try:
        players = paths[given.players] if given.players else None
        event = read_event(paths[given.event], players, relax=["history"])
        _rewritten(event, folder)
        model = load_model(paths.get(given.model, given.model))
        if event.active.sum() > MOST_PLAYERS:
            return "read"
        return _solved(event, model, given.seed)
    except (InputError, UsageError) as error:
        _require_clean(error)
        return "refused"


def _kept(folder: Path, files: dict[str, bytes]) -> dict[str, Path]:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in files}


def _rewritten(event: Event, folder: Path) -> None:
    """Written in every format and read again: the same points, or a refusal to write."""
    points = [Fraction(int(p), event.scale) for p in points_of(event)]
    for name, form in list_writers().items():
        path = folder / f"again{form.suffixes[0]}"
        try:
            written = write_event(
                event, path, players=folder / "again-p.csv" if name == "csv" else None
            )
        except UsageError as error:
            _require_clean(error)
            continue
        if event.brought.any() and name != "csv":
            continue  # lost, as is said
        try:
            sides = event.sides if name == "csv" else None
            again = read_event(*written.files, sides=sides, relax=["history"])
        except InputError as error:
            raise FindingError(
                f"{name} written, and refused when read: {error}"
            ) from error
        found = [Fraction(int(p), again.scale) for p in points_of(again)]
        if found != points:
            raise FindingError(f"{name}: points {found} instead of {points}")


def _solved(event: Event, model: object, seed: int) -> str:
    result = solve(event, model, seed=seed, time_limit=SECONDS)  # type: ignore[arg-type]
    json_text(result.to_dict()).encode()
    result_table(event, result)
    for made in (result_csv, trf_pairs_text):
        made(result).encode()
    if result.arcs is not None:
        verdict = verify_pairing(result.problem, result.arcs)
        if not verdict.legal:
            raise FindingError(
                f"{result.status}: {verdict.faults} {verdict.violations}"
            )
        own = [v.value for v in result.level_values if v.criterion != "weighted_sum"]
        if own != list(verdict.values):
            raise FindingError(f"levels {own} instead of {verdict.values}")
    elif result.status not in ("infeasible", "unknown"):
        raise FindingError(f"{result.status} without a pairing")
    return result.status


def _require_clean(error: Exception) -> None:
    for line in str(error).split("\n"):
        if not line.isprintable() or len(line) > LONGEST_LINE:
            raise FindingError(
                f"an error of {len(line)} characters: {line[:200]!r}"
            ) from error


# ---------------------------------------------------------------------- running


def _work(seed: int, numbers: range, out: Connection) -> None:
    """Answers inputs one after the other, and sends number and answer of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for number in numbers:
        try:
            with TemporaryDirectory() as folder:
                said, finding = answer(made(seed, number), Path(folder)), ""
        except Exception:
            said, finding = "finding", traceback.format_exc(limit=-12)
        out.send((number, said, finding))


def answers(seed: int, numbers: range, limit: float) -> Iterator[tuple[int, str, str]]:
    """Number, answer and finding of each input; one that takes over `limit` seconds is killed."""
    context = multiprocessing.get_context("spawn")
    start = numbers.start
    while start < numbers.stop:
        here, there = context.Pipe(duplex=False)
        left = range(start, numbers.stop)
        worker = context.Process(target=_work, args=(seed, left, there), daemon=True)
        worker.start()
        there.close()
        patience = limit + 60  # for its imports
        try:
            while start < numbers.stop:
                if not here.poll(patience):
                    yield start, "finding", f"a hang: no answer in {limit:g} seconds"
                    break
                yield here.recv()
                start, patience = start + 1, limit
        except EOFError:
            yield start, "finding", f"the process died, exit code {worker.exitcode}"
        finally:
            worker.kill()
            worker.join()
        start += 1


@click.command()
@click.option("--inputs", default=100_000, show_default=True, help="How many inputs.")
@click.option("--seed", default=0, show_default=True)
@click.option(
    "--first", default=0, show_default=True, help="Number of the first input."
)
@click.option(
    "--only", type=int, help="This input alone, in this process: its files are kept."
)
@click.option(
    "--limit", default=30.0, show_default=True, help="Seconds an input may take."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path("fuzzed"),
    show_default=True,
    help="Where findings are saved.",
)
def command(
    inputs: int, seed: int, first: int, only: int | None, limit: float, folder: Path
) -> None:
    """Damage files and models, and demand clean answers; exit code 1 if there are findings."""
    if only is not None:
        click.echo(answer(made(seed, only), _place(folder, seed, only)))
        return
    counts: Counter[str] = Counter()
    for number, said, finding in answers(seed, range(first, first + inputs), limit):
        counts[said] += 1
        if finding:
            place = _place(folder, seed, number)
            _kept(place, made(seed, number).files)
            (place / "finding.txt").write_text(
                finding, encoding="utf-8", errors="replace"
            )
            last = finding.strip().splitlines()[-1]
            click.echo(f"{seed}/{number}: {last[:300]!r}; saved in {place}")
        if (number + 1 - first) % 1000 == 0:
            click.echo(f"{number + 1 - first} inputs: {dict(counts)}", err=True)
    click.echo(
        f"{inputs} inputs: {', '.join(f'{n} {said}' for said, n in counts.most_common())}"
    )
    sys.exit(1 if counts["finding"] else 0)


def _place(folder: Path, seed: int, number: int) -> Path:
    place = folder / f"{seed}-{number}"
    place.mkdir(parents=True, exist_ok=True)
    return place


if __name__ == "__main__":
    command()
