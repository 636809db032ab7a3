"""Persons in a rating list, with their ratings of each kind of game."""

from typing import NamedTuple, get_args

from pairopt.event.report_head import RatingKind

RATING_KINDS: tuple[RatingKind, ...] = get_args(RatingKind)


class Ratings(NamedTuple):
    """Numbers of a person by kind of game: ratings or FIDE's K; 0 stands for none."""

    standard: int = 0
    rapid: int = 0
    blitz: int = 0

    def of_kind(self, kind: RatingKind) -> int:
        """Return the value of one kind of game, 0 for none."""
        return self[RATING_KINDS.index(kind)]


class ListedPerson(NamedTuple):
    """One person of a rating list.

    Attributes
    ----------
    fide_number : int
        The FIDE number, 0 if the list has none for the person.
    name : str
        The name as the list has it, usually "Last, First".
    federation, sex, title, club : str
        The federation's code, "m" or "w", the title, and the club. "" is unknown.
    birth_year : int
        The year of birth, 0 if it is unknown.
    fide, national : Ratings
        The ratings of FIDE and of the national federation.
    coefficients : Ratings
        FIDE's development coefficients K.
    """

    fide_number: int
    name: str
    federation: str = ""
    sex: str = ""
    title: str = ""
    birth_year: int = 0
    club: str = ""
    fide: Ratings = Ratings()
    national: Ratings = Ratings()
    coefficients: Ratings = Ratings()

    @property
    def highest_rating(self) -> int:
        """The highest of the ratings of FIDE and of the federation, 0 without any.

        Searches return persons in this order.
        """
        return max(*self.fide, *self.national)


HIGHEST_COEFFICIENT = 99
"""Every K of a list is at most this; FIDE's are 10, 20 and 40."""
SEXES = {"M": "m", "F": "w", "W": "w"}
"""The sex in a report, by its letter in a rating list."""
