"""What spreadsheets do to files: read as meant, or one sentence with file, row and column."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from random import Random

from hands import Said
from laws import Breach
from outside import table_of
from trial import Trial, csv_text

NAMES = (
    "Müller",
    "Pérez",
    "Li",
    "O'Neil",
    "Łukasz",
    "Ann Lee",
    "Zoë",
    "d'Arc, J",
    "Bo",
    "Cy",
)
HEAD = ["round", "table", "player1", "player2", "side1", "score1", "score2", "status"]
Rows = list[list[object]]


def of_bytes(change: Callable[[bytes], bytes]) -> Callable[[Rows], bytes]:
    return lambda rows: change(csv_text(rows).encode())


def of_text(change: Callable[[str], str]) -> Callable[[Rows], bytes]:
    return lambda rows: change(csv_text(rows)).encode()


def semicolons(rows: Rows) -> bytes:
    return csv_text(rows, ";").encode()


def commas(rows: Rows) -> bytes:
    """As in Germany: semicolons, and decimal commas."""
    return csv_text(
        [[str(c).replace(".", ",") for c in row] for row in rows], ";"
    ).encode()


def cp1252(rows: Rows) -> bytes:
    return csv_text(rows).encode("cp1252", "replace").replace(b"?", b"L")


KEEPS: dict[str, Callable[[Rows], bytes]] = {
    "as it was": of_text(str),
    "byte order mark": of_bytes(lambda b: b"\xef\xbb\xbf" + b),
    "UTF-16": lambda rows: csv_text(rows).encode("utf-16"),
    "UTF-16 with tabs": lambda rows: csv_text(rows, "\t").encode("utf-16"),
    "tabs": lambda rows: csv_text(rows, "\t").encode(),
    "semicolons": semicolons,
    "decimal commas": commas,
    "sep=;": lambda rows: b"sep=;\r\n" + semicolons(rows).replace(b"\n", b"\r\n"),
    "mark and sep=;": lambda rows: b"\xef\xbb\xbfSEP=;\r\n" + semicolons(rows),
    "sep=,": of_bytes(lambda b: b"sep=,\r\n" + b),
    "CRLF": of_bytes(lambda b: b.replace(b"\n", b"\r\n")),
    "CR": of_bytes(lambda b: b.replace(b"\n", b"\r")),
    "blank cells behind": of_text(lambda t: t.replace("\n", ",,,\n")),
    "blank rows": of_text(lambda t: t + ",,,,,,,\n\n"),
    "hard blanks around": lambda rows: csv_text(
        [[f"\u00a0{c} " if c and k else c for c in row] for k, row in enumerate(rows)]
    ).encode(),
    "all in quotes": lambda rows: (
        csv_text(rows).encode()
        if not rows
        else "".join(
            ",".join('"' + str(c).replace('"', '""') + '"' for c in row) + "\n"
            for row in rows
        ).encode()
    ),
    "whole numbers as 1.0": lambda rows: csv_text(
        [
            [f"{c}.0" if k and str(c).isdigit() else c for c in row]
            for k, row in enumerate(rows)
        ]
    ).encode(),
    "large headings": lambda rows: csv_text(
        [[str(c).upper() for c in rows[0]], *rows[1:]]
    ).encode(),
    "Windows-1252": cp1252,
}
"""Read as it was meant."""
SPOILT = (
    "01.03.2024",
    "01-Mar",
    "2024-01-03 00:00:00",
    "1. Mrz",
    "Jan 01",
    "#NAME?",
    "#REF!",
    "inf",
    "nan",
    "1e400",
    "=1+1",
    "3-0",
    "--",
    "½½",
    "1,5,0",
    "\u200b",
    "三",
)
"""Cells that are no score."""


def rows_of(dice: Random, names: list[str]) -> Rows:
    """Some rounds, played, of everybody."""
    rows: Rows = [list(HEAD)]
    for at in range(1, dice.randint(2, 4)):
        who = dice.sample(names, len(names))
        for k in range(0, len(who) - 1, 2):
            one, two = dice.choice(((3, 0), (0, 3), (1.5, 1.5)))
            rows.append([at, k // 2 + 1, who[k], who[k + 1], "", one, two, ""])
        if len(who) % 2:
            rows.append([at, "", who[-1], "", "", 3, "", "bye"])
    return rows


def standings(trial: Trial, folder: str) -> tuple[Said, list[tuple[str, str]]]:
    said = trial.run(
        "standings",
        trial.path(f"{folder}/matches.csv"),
        "--players",
        trial.path(f"{folder}/players.csv"),
        "--format",
        "csv",
    )
    return said, sorted(
        (r.get("name", ""), r["points"]) for r in table_of(said.out.encode())
    )


def play(trial: Trial) -> Iterator[Breach]:
    """Two files, as a spreadsheet leaves them, and with a cell that it has spoilt."""
    dice = trial.dice
    names = dice.sample(NAMES, dice.randint(4, 7))
    people: Rows = [["player", "rating", "club"]]
    people += [[name, 1500 + k, "x"] for k, name in enumerate(names)]
    rows = rows_of(dice, names)
    trial.file("right/players.csv", csv_text(people))
    trial.file("right/matches.csv", csv_text(rows))
    said, right = standings(trial, "right")
    if not said.done or len(right) != len(names):
        yield Breach("sheets", f"plain files are not read: {said.err.strip()}")
        return
    for kind in dice.sample(list(KEEPS), 4):
        other = dice.choice((kind, kind, "as it was"))
        trial.file("sheet/players.csv", KEEPS[other](people))
        trial.file("sheet/matches.csv", KEEPS[kind](rows))
        trial.counts[f"as {kind}"] += 1
        said, found = standings(trial, "sheet")
        yield from trial.clean(said)
        lossy = "Windows-1252" in (kind, other) and any(n == "Łukasz" for n in names)
        if kind == "decimal commas" and any("," in n for n in names):
            continue  # here the comma of a name has gone, too
        if found != right and not lossy:
            yield Breach(
                "sheets", f"{kind} (players: {other}): {said.err.strip()[:300]} {found}"
            )
        if lossy and said.code not in (0, 3):
            yield Breach("sheets", f"{kind}: exit {said.code}")
        trial.trail[-3:] = []
    yield from spoilt(trial, names, people, rows)
    yield from unfolding(trial)


def workbook(rows: Rows, entities: str) -> bytes:
    """A workbook of one sheet by hand, with entities of its own."""
    cells = "".join(
        "<row>"
        + "".join(f'<c t="inlineStr"><is><t>{c}</t></is></c>' for c in row)
        + "</row>"
        for row in rows
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    link = f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/s.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'{link}officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{link}worksheet" Target="s.xml"/></Relationships>',
        "xl/s.xml": f'{entities}<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in parts.items():
            made.writestr(name, '<?xml version="1.0"?>' + text)
    return out.getvalue()


def unfolding(trial: Trial) -> Iterator[Breach]:
    """A workbook is read; one whose XML has entities that unfold is refused before they do."""
    rows: Rows = [["Name", "Rating"], ["Anna", 1500], ["Bob", 1400]]
    trial.file("plain.xlsx", workbook(rows, ""))
    said = trial.run("new", trial.path("plain"), "--players", trial.path("plain.xlsx"))
    if not said.done:
        yield Breach("sheets", f"a workbook is not read: {said.err.strip()[:200]}")
        return
    names = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {two} "{f"&{one};" * 5}">'
        for one, two in zip("abc", "bcd", strict=True)
    )
    rows[1][0] = "&d;"
    trial.file("folded.xlsx", workbook(rows, f"<!DOCTYPE x [{names}]>"))
    said = trial.run(
        "new", trial.path("folded"), "--players", trial.path("folded.xlsx")
    )
    yield from trial.clean(said)
    trial.counts["workbooks"] += 2
    if said.code != 3 or trial.path("folded").exists():
        yield Breach(
            "entities", f"entities of a workbook are unfolded: exit {said.code}"
        )


def spoilt(
    trial: Trial, names: list[str], people: Rows, rows: Rows
) -> Iterator[Breach]:
    """A cell that is no score is named by file, row and column, and nothing is written."""
    dice = trial.dice
    folder = trial.path("event")
    trial.run(
        "new",
        folder,
        "--players",
        trial.path("right/players.csv"),
        "--points",
        "3-1.5-0",
    )
    for _ in range(3):
        k = dice.randrange(1, len(rows))
        column = dice.choice(("score1", "score2", "round", "table"))
        if rows[k][HEAD.index(column)] == "":
            continue
        cell = dice.choice(SPOILT)
        wrong = [list(row) for row in rows]
        wrong[k][HEAD.index(column)] = cell
        kind = dice.choice(
            ("as it was", "semicolons", "sep=;", "CRLF", "byte order mark")
        )
        trial.file("event/matches.csv", KEEPS[kind](wrong))
        before = trial.seen().files
        verb = dice.choice(
            (("pair",), ("standings",), ("result", "1", "3-0"), ("drop", names[0]))
        )
        said = trial.run(verb[0], folder, *verb[1:])
        yield from trial.clean(said)
        trial.counts["spoilt"] += 1
        at = k + 1 + (kind == "sep=;")
        named = re.search(r"matches\.csv: row (\d+), column (\w+)", said.err)
        if said.code != 3:
            yield Breach(
                "sheets",
                f"{cell!r} in {column}: exit {said.code}: {said.err.strip()[:200]}",
            )
        elif named is None or named[2] != column or int(named[1]) not in (k + 1, at):
            yield Breach(
                "sheets", f"{cell!r} in row {at}, {column}: {said.err.strip()[:200]}"
            )
        if trial.seen().files != before:
            yield Breach("sheets", f"{cell!r}: refused, and written")
