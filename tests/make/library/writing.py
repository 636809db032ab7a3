"""A round as files: an event folder, or a report, with its proof; zipped above some players."""

from __future__ import annotations

import io
import zipfile
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from library.families import Made
from pairopt import Event, read_event, write_event

if TYPE_CHECKING:
    from pairopt.proof.file import Proof

PLAIN = 16
"""Players up to which a round is a folder of plain files; others are zipped."""
LONG_AGO = (2026, 11, 28, 0, 0, 0)
"""The time of every file in a zip: same round, same bytes."""
Files = dict[str, str]


def event_toml(made: Made) -> str:
    """The rules of the round, as an event folder keeps them."""
    event = made.event
    assert event is not None
    lines = [f'title = "{made.said}"', f'model = "{made.model}"']
    if not event.sided:
        lines.append("sides = []")
    if event.settings.rounds:
        lines.append(f"rounds = {event.settings.rounds}")
    if made.options.get("lookahead"):
        lines.append(f"lookahead = {made.options['lookahead']}")
    if event.prohibited:
        pairs = ", ".join(
            f'["{event.players[a.one]}", "{event.players[a.two]}"]'
            for a in event.prohibited
        )
        lines.append(f"forbid = [{pairs}]")
    for apart in event.settings.apart:
        lines += ["", "[[conflicts]]", f'column = "{apart.column}"']
        lines += [f"place = {apart.place}"] if apart.place else []
    if win := win_of(event):
        lines += [
            "",
            "[points]",
            f"win = {win}",
            f"draw = {win_of(event, 1)}",
            "loss = 0",
        ]
    return "\n".join([*lines, ""])


def win_of(event: Event, part: int = 0) -> str | None:
    """Points of a win (or draw), where its results are of one of the usual kinds."""
    scores = {
        Fraction(int(s), event.scale)
        for s in event.matches.score1[event.matches.second >= 0]
    }
    for points in ((2, 1), (3, 1)):
        if scores and scores <= {Fraction(points[0]), Fraction(points[1]), Fraction(0)}:
            return str(points[part])
    return None


def files_of(made: Made) -> Files:
    """The event's files by their names."""
    if made.trf:
        return {"round.trf": made.trf}
    assert made.event is not None
    with TemporaryDirectory() as folder:
        matches, players = Path(folder, "matches.csv"), Path(folder, "players.csv")
        write_event(made.event, matches, players=players)
        written = {
            path.name: path.read_text(encoding="utf-8") for path in (matches, players)
        }
    return {"event.toml": event_toml(made), **written}


def read(files: Files) -> Event:
    """The event as anybody reads it from these files."""
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        return read_event(Path(folder, "round.trf") if "round.trf" in files else folder)


def with_proof(files: Files, proof: Proof | None) -> Files:
    return files if proof is None else {**files, "proof.json": proof.text}


def store(folder: Path, name: str, files: Files, players: int) -> Path:
    """Write a round, plain or zipped; what was made."""
    folder.mkdir(parents=True, exist_ok=True)
    if players <= PLAIN:
        place = folder / name
        place.mkdir(exist_ok=True)
        for file, text in files.items():
            (place / file).write_text(text, encoding="utf-8")
        return place
    place = folder / f"{name}.zip"
    place.write_bytes(zipped(files))
    return place


def zipped(files: Files) -> bytes:
    """The files as a zip, the same bytes each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file, text in sorted(files.items()):
            archive.writestr(
                zipfile.ZipInfo(file, LONG_AGO), text, zipfile.ZIP_DEFLATED, 9
            )
    return made.getvalue()
