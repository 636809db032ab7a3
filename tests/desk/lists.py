"""Raw material as organisers get it: lists of people in the forms in which they come."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FIRST = """
Anna Bruno Clara Dario Elif Femi Greta Hans Ines Jonas Katya Lothar Maria
Nils Olga Pavel Quentin Rosa Sven Teresa Umar Vera Wilma Xenia Yusuf Zoë
"""
LAST = """
Abel Berg Castro Dvořák Ek Fischer Gruber Haas Ivanov Jansen Krause Lindqvist Müller
Novak Öztürk Petrov Quist Rossi Santos Tanaka Ulrich Vogel Weber Xavier Yilmaz Żak
"""


class Person(NamedTuple):
    first: str
    last: str
    rating: int

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def turned(self) -> str:
        return f"{self.last}, {self.first}"


def people(count: int, start: int = 0) -> list[Person]:
    """So many, no two of a name, the strongest first."""
    first, last = FIRST.split(), LAST.split()
    return [
        Person(first[k * 7 % 26], last[(k * 5 + k // 26) % 26], 2200 - 7 * k)
        for k in range(start, start + count)
    ]


def names(count: int) -> list[str]:
    """So many first names, of children and of those who give no other."""
    return [FIRST.split()[k * 7 % 26] for k in range(count)]


def workbook(path: Path, persons: Sequence[Person]) -> Path:
    """A club's list: a title, a date, an empty row, headings, people, and a row of totals."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append(["Chess club Riverside"])
    sheet.append(["Members on the list, autumn"])
    sheet.append([])
    sheet.append(["No.", "Last, First", "Rtg", "Club"])
    for number, each in enumerate(persons, 1):
        sheet.append([number, each.turned, each.rating, "Riverside"])
    sheet.append([])
    mean = sum(each.rating for each in persons) // len(persons)
    sheet.append(["Total", None, mean, None])
    book.save(path)
    return path


def tabbed(persons: Sequence[Person]) -> str:
    """A store's list: tabs, first and last name apart."""
    lines = ["First Name\tLast Name\tPhone"]
    lines += [
        f"{each.first}\t{each.last}\t+49 170 55{k:05}" for k, each in enumerate(persons)
    ]
    return "\r\n".join(lines) + "\r\n"


def identities(
    persons: Sequence[Person], corp: str = "Corp ID", runner: str = "Runner ID"
) -> str:
    """A registration list of Netrunner, headed as the form was."""
    corps, runners = (
        ("Haas-Bioroid", "Jinteki", "NBN", "Weyland"),
        ("Zahya", "Hoshiko", "Esâ", "Lat"),
    )
    lines = [f"Name;{corp};{runner}"]
    lines += [
        f"{each.name};{corps[k % 4]};{runners[k % 3]}" for k, each in enumerate(persons)
    ]
    return "\n".join(lines) + "\n"


def nrtm(persons: Sequence[Person], swiss: int, cut: int) -> str:
    """A tournament of Netrunner that has not begun, as its site gives it."""
    players = [
        {
            "id": k,
            "name": each.name,
            "rank": k,
            "corpIdentity": "Jinteki",
            "runnerIdentity": "Lat",
            "matchPoints": 0,
            "strengthOfSchedule": "0.0",
            "extendedStrengthOfSchedule": "0.0",
        }
        for k, each in enumerate(persons, 1)
    ]
    whole = {
        "name": "Autumn circuit opener",
        "date": "2026-10-03",
        "cutToTop": cut,
        "preliminaryRounds": swiss,
        "tournamentOrganiser": {"nrdbId": "", "nrdbUsername": ""},
        "players": players,
        "eliminationPlayers": [],
        "rounds": [],
        "uploadedFrom": "Cobra",
        "links": [],
    }
    return json.dumps(whole)


def trf(persons: Sequence[Person], rounds: int, shift: int = 0) -> str:
    """The start list of a federation's report; with its ratings so many columns to the right."""
    head = [
        "012 Harbour Open",
        "022 Bremen",
        "032 GER",
        "042 2026/10/01",
        "052 2026/10/05",
        f"062 {len(persons)}",
        f"072 {len(persons)}",
        "082 0",
        "092 Individual: Swiss-System",
        "102 IA Ilse Thorsen",
        "112 FA Piet Maas",
        "122 90 minutes, 30 seconds a move",
        f"XXR {rounds}",
        "XXC white1",
    ]
    lines = [player_line(k, each, shift) for k, each in enumerate(persons, 1)]
    return "\n".join([*head, *lines]) + "\n"


def player_line(number: int, person: Person, shift: int = 0) -> str:
    """A line 001 of somebody who has not played yet, by the columns of the form."""
    line = [" "] * 89
    fide = 4_600_000 + number
    cells = (
        (1, "001"),
        (5, f"{number:4}"),
        (10, "m"),
        (15, person.turned),
        (49 + shift, f"{person.rating:4}"),
        (54 + shift, "GER"),
        (58 + shift, f"{fide:11}"),
        (70 + shift, "1990/01/01"),
        (81, " 0.0"),
        (86, f"{number:4}"),
    )
    for column, text in cells:
        line[column - 1 : column - 1 + len(text)] = text
    return "".join(line)
