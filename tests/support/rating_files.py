"""Rating lists of invented persons, in the forms in which federations publish them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

TEXT_WIDTHS = {
    "ID Number": 15,
    "Name": 61,
    "Fed": 4,
    "Sex": 4,
    "Tit": 5,
    "WTit": 5,
    "OTit": 15,
    "FOA": 4,
}
THREE_KINDS = {
    "SRtng": 6,
    "SGm": 4,
    "SK": 3,
    "RRtng": 6,
    "RGm": 4,
    "Rk": 3,
    "BRtng": 6,
    "BGm": 4,
    "BK": 3,
}
TAIL = {"B-day": 6, "Flag": 4}


@dataclass(frozen=True)
class Invented:
    """An invented person, as the lists have them."""

    number: int
    name: str
    fed: str = "NOR"
    sex: str = "M"
    title: str = ""
    ratings: tuple[int, int, int] = (0, 0, 0)
    born: int = 1990
    other_titles: str = ""
    flag: str = ""
    coefficients: tuple[int, int, int] = (40, 20, 10)


PERSONS = (
    Invented(91000001, "Muller, Jorn", "GER", "M", "GM", (2510, 2480, 2400), 1985),
    Invented(91000002, "Mueller, Jule", "GER", "F", "WFM", (2110, 0, 2090), 2001),
    Invented(91000003, "Mullerin, Ada", "AUT", "F", "", (1720, 1700, 0), 2010),
    Invented(91000004, "O'Drenn, Cira", "IRL", "F", "", (1650, 0, 0), 1971),
    Invented(91000005, "Sorensen, Lukasz", "DEN", "M", "FM", (2305, 2290, 2310), 1990),
    Invented(91000006, "Strasse, Udo", "GER", "M", "", (1801, 0, 0), 1966),
    Invented(91000007, "Twin, Dano", "POL", "M", "", (1900, 1850, 0), 1989),
    Invented(91000008, "Twin, Dano", "HUN", "M", "", (1400, 0, 0), 0),
    Invented(91000009, "van der Klast, Timo", "NED", "M", "", (0, 0, 0), 2015),
    Invented(91000010, "Xi", "CHN", "F", "", (0, 1500, 0), 2003, "", "wi"),
)
OVERFLOWING = replace(PERSONS[6], other_titles="SI,FI,LSI,SLI,NA")
"""A person whose other titles are one character too long, so the line is."""


def _format_line(cells: Iterable[object], widths: Mapping[str, int]) -> str:
    return "".join(
        f"{cell!s:<{width}}" for cell, width in zip(cells, widths.values(), strict=True)
    )


def text_list(
    persons: Sequence[Invented] = PERSONS, *, foa: bool = True, kind: int | None = None
) -> bytes:
    """The text file of FIDE: combined, or of one kind of games (0 to 2) of October."""
    head = {name: width for name, width in TEXT_WIDTHS.items() if foa or name != "FOA"}
    middle = {"OCT26": 6, "Gms": 4, "K": 3} if kind is not None else THREE_KINDS
    widths = {**head, **middle, **TAIL}
    lines = [_format_line(widths, widths).rstrip()]
    for person in persons:
        ratings = person.ratings if kind is None else person.ratings[kind : kind + 1]
        coefficients = person.coefficients
        if kind is not None:
            coefficients = coefficients[kind : kind + 1]
        if not any(ratings) and kind is not None:
            continue
        cells = [
            person.number,
            person.name,
            person.fed,
            person.sex,
            person.title,
            person.title if person.title.startswith("W") else "",
            person.other_titles,
            *([""] if foa else []),
            *(
                cell
                for rating, k in zip(ratings, coefficients, strict=True)
                for cell in (rating, 0, k)
            ),
            person.born,
            person.flag,
        ]
        lines.append(_format_line(cells, widths))
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def xml_list(
    persons: Sequence[Invented] = PERSONS, *, kind: int | None = None
) -> bytes:
    """The XML file of FIDE: combined, or of one kind of games (0 to 2)."""
    parts = ["<playerslist>\n"]
    for person in persons:
        if kind is not None and not person.ratings[kind]:
            continue
        kinds = ("", "rapid_", "blitz_") if kind is None else ("",)
        ratings = person.ratings if kind is None else person.ratings[kind : kind + 1]
        elements: dict[str, object] = {
            "fideid": person.number,
            "name": person.name.replace("&", "&amp;").replace("<", "&lt;"),
            "country": person.fed,
            "sex": person.sex,
            "title": person.title,
            "w_title": person.title if person.title.startswith("W") else "",
            "o_title": person.other_titles,
            "foa_title": "",
        }
        coefficients = person.coefficients
        if kind is not None:
            coefficients = coefficients[kind : kind + 1]
        for prefix, rating, k in zip(kinds, ratings, coefficients, strict=True):
            elements |= {f"{prefix}rating": rating, f"{prefix}games": 0}
            elements[f"{prefix}k"] = k
        elements |= {"birthday": person.born, "flag": person.flag}
        body = "".join(f"<{key}>{value}</{key}>\n" for key, value in elements.items())
        parts.append(f"<player>\n{body}</player>\n")
    return "".join([*parts, "</playerslist>\n"]).encode()


GERMAN_HEADING = (
    "ID,VKZ,Mgl-Nr,Status,Spielername,Geschlecht,Spielberechtigung,Geburtsjahr,"
    "Letzte-Auswertung,DWZ,Index,FIDE-Elo,FIDE-Titel,FIDE-ID,FIDE-Land"
)
GERMAN_ROWS = (
    '10000001,60101,0001,A,"Müller,Jörn",M,D,1985,202640,2301,88,2510,GM,91000001,GER',
    '10000002,60101,0002,A,"Straße,Udo",M,D,1966,202610,1777,12,1801,,91000006,GER',
)
GERMAN_LIST = "\r\n".join([GERMAN_HEADING, *GERMAN_ROWS, ""]).encode("latin-1")
"""The German federation's list, in Latin-1 and without blanks after commas."""
ENGLISH_LIST = (
    b"ECF_code,full_name,member_no,FIDE_no,gender,nation,title,club_code,club_name,"
    b"original_standard,revised_standard,original_rapid,revised_rapid\n"
    b'900001A,"Smythe, Odd",ME1,91000020,M,ENG,CM,1AB,Oddham,1911,1920,1888,\n'
    b'900002B,"Smythe, Eve",ME2,,F,ENG,,1AB,Oddham,,1500,,1444\n'
)
"""The English federation's list, with revised ratings."""
CLUB_LIST = "Number;Name;Rating\n1;Nilsson, Åsa;1432\n2;Berg, Ole;\n".encode()


def write(folder: Path, name: str, content: bytes) -> Path:
    """A file of a folder."""
    path = folder / name
    path.write_bytes(content)
    return path


def zipped(folder: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """A zip archive with these files."""
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in files.items():
            archive.writestr(zipfile.ZipInfo(member, (2026, 9, 3, 0, 0, 0)), content)
    return path
