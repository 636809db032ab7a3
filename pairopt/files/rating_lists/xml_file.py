"""XML files of FIDE: read as a stream, one person after the other.

A file that declares a document type or an entity is refused, because entities could
fill the memory or read other files.
"""

from collections.abc import Iterator, Mapping
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from pairopt.errors import Fault, InputError, TextLocation
from pairopt.event.report_head import RatingKind
from pairopt.files.rating_lists.limits import (
    HIGHEST_FIDE_NUMBER,
    LONGEST_VALUE,
    MOST_FAULTS,
)
from pairopt.files.rating_lists.person import (
    HIGHEST_COEFFICIENT,
    SEXES,
    ListedPerson,
    Ratings,
)
from pairopt.files.rating_lists.text_file import HIGHEST_RATING
from pairopt.messages import message

ROOT, PERSON = "playerslist", "player"
READ_ELEMENTS = frozenset(
    {
        "fideid",
        "name",
        "country",
        "sex",
        "title",
        "w_title",
        "rating",
        "rapid_rating",
        "blitz_rating",
        "k",
        "rapid_k",
        "blitz_k",
        "birthday",
    }
)
"""The elements of a person that pairopt reads; all others are skipped."""
CHUNK = 2**16
MOST_NAMES, LONGEST_TAG = 100, 2**17
"""The most different names of elements and attributes, and the most bytes of a tag.

The parser keeps each name in memory, and a tag until it is complete. FIDE's files have
about 20 names.
"""


class _PersonCollector:
    """Collector of the values of each person that an XML parser reports.

    Give `parser` the file piece by piece, and take the persons out of `persons`, each
    as a line number and the texts of the person's elements by name. InputError is
    raised for elements that FIDE's lists do not have, too many names and values that
    are too long.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.persons: list[tuple[int, dict[str, str]]] = []
        """The values of each person, with the line of the element's end."""
        self._path: list[str] = []
        self._values: dict[str, str] = {}
        self._texts: list[str] | None = None
        self._length = 0
        self._names: set[str] = set()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._add_text
        self.parser.StartDoctypeDeclHandler = self._refuse_entities
        self.parser.EntityDeclHandler = self._refuse_entities

    def refuse(self, kind: str, **fields: str | int) -> NoReturn:
        """Raise InputError at the line that the parser has reached.

        `kind` is the id of its message, and `fields` are the fields of the message.
        """
        line_location = TextLocation(self.parser.CurrentLineNumber)
        raise InputError(self.source, [Fault(message(kind, **fields), line_location)])

    def _refuse_entities(self, *_: object) -> NoReturn:
        """Raise InputError, because the file declares a document type or an entity."""
        self.refuse("rating_list.xml_entities")

    def _start(self, element: str, attributes: Mapping[str, str]) -> None:
        """Begin an element: the root, a person, or a value of a person.

        `element` is its name; of `attributes` only the names count. Called by the
        parser. Raises InputError for an unexpected element, and after MOST_NAMES
        different names.
        """
        self._names.add(element)
        self._names.update(attributes)
        if len(self._names) > MOST_NAMES:
            self.refuse("rating_list.xml_names", most=MOST_NAMES)
        element_depth = len(self._path)
        expected_element = (
            (ROOT, PERSON, None)[element_depth] if element_depth < 3 else ""
        )
        if expected_element is not None and element != expected_element:
            self.refuse("rating_list.xml_element", found=element[:LONGEST_VALUE])
        self._path.append(element)
        if element_depth == 1:
            self._values = {}
        elif element_depth == 2 and element in READ_ELEMENTS:
            self._texts = []
            self._length = 0

    def _add_text(self, text: str) -> None:
        """Add a piece of the value that is being read; other text is skipped.

        Raises InputError if the value gets longer than LONGEST_VALUE.
        """
        if self._texts is None:
            return
        self._length += len(text)
        if self._length > LONGEST_VALUE:
            self.refuse("rating_list.long_value", most=LONGEST_VALUE)
        self._texts.append(text)

    def _end(self, element: str) -> None:
        """End an element: store its value, or add the finished person to `persons`."""
        self._path.pop()
        if self._texts is not None:
            self._values[element] = "".join(self._texts).strip()
            self._texts = None
        elif len(self._path) == 1:
            line_number = self.parser.CurrentLineNumber
            self.persons.append((line_number, self._values))


def read_xml_list(
    stream: BinaryIO, source: str, kind: RatingKind | None
) -> Iterator[ListedPerson]:
    """Yield the persons of an XML file of FIDE.

    `stream` has the bytes of the file, and `source` is its name in messages. `kind` is
    the kind of game of a list with one rating; None reads the ratings of all kinds.
    Raises InputError at once for a file that is not well-formed, or that has other
    elements or entities. Persons that cannot be read are collected as faults, and
    InputError is raised for them after the other persons or when there are MOST_FAULTS.
    """
    collector = _PersonCollector(source)
    faults: list[Fault] = []
    is_at_end = False
    bytes_read = 0
    while not is_at_end:
        chunk = stream.read(CHUNK)
        is_at_end = not chunk
        bytes_read += len(chunk)
        try:
            collector.parser.Parse(chunk, is_at_end)
        except expat.ExpatError as error:
            reason = message("rating_list.no_xml", why=expat.ErrorString(error.code))
            raise InputError(
                source, [*faults, Fault(reason, TextLocation(error.lineno))]
            ) from None
        if bytes_read - collector.parser.CurrentByteIndex > LONGEST_TAG:
            collector.refuse("rating_list.xml_tag", most=LONGEST_TAG)
        finished_persons, collector.persons = collector.persons, []
        for line_number, element_texts in finished_persons:
            person = _build_person(element_texts, kind)
            if person is not None:
                yield person
            else:
                reason = message(
                    "rating_list.unreadable_person", found=element_texts.get("name", "")
                )
                faults.append(Fault(reason, TextLocation(line_number)))
        if len(faults) >= MOST_FAULTS:
            break
    if faults:
        raise InputError(source, faults[:MOST_FAULTS])


def has_one_rating(beginning: bytes) -> bool:
    """Return whether an XML list has ratings of only one kind of game.

    `beginning` are its first bytes, which should have the whole first person.
    """
    return b"<rapid_rating>" not in beginning and b"<blitz_rating>" not in beginning


def _build_person(
    values: dict[str, str], kind: RatingKind | None
) -> ListedPerson | None:
    """Return the person with these values; None if a number or the name is wrong.

    `values` are texts by element of FIDE's XML. `kind` is the kind of game of a list
    with one rating, whose element `rating` then counts for it; None stands for a list
    of all kinds. A FIDE number and a name are needed; other values may be missing.
    """
    try:
        fide_number = _parse_number(values.get("fideid", ""), HIGHEST_FIDE_NUMBER)
        birth_year = _parse_number(values.get("birthday", ""), HIGHEST_RATING)
        standard_rating, rapid_rating, blitz_rating = (
            _parse_number(values.get(rating_element, ""), HIGHEST_RATING)
            for rating_element in ("rating", "rapid_rating", "blitz_rating")
        )
        coefficients = Ratings(
            *(
                _parse_number(values.get(rating_element, ""), HIGHEST_COEFFICIENT)
                for rating_element in ("k", "rapid_k", "blitz_k")
            )
        )
    except ValueError:
        return None
    full_name = " ".join(values.get("name", "").split())
    if not fide_number or not full_name:
        return None
    ratings = Ratings(standard_rating, rapid_rating, blitz_rating)
    if kind is not None:
        ratings = Ratings()._replace(**{kind: standard_rating})
        coefficients = Ratings()._replace(**{kind: coefficients.standard})
    return ListedPerson(
        fide_number,
        full_name,
        values.get("country", ""),
        SEXES.get(values.get("sex", ""), ""),
        values.get("title", "") or values.get("w_title", ""),
        birth_year,
        "",
        ratings,
        coefficients=coefficients,
    )


def _parse_number(text: str, most: int) -> int:
    """Return a number from 0 to `most`, 0 for an empty text.

    Raises ValueError for any other text.
    """
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most))):
        raise ValueError(text)
    parsed_number = int(text)
    if parsed_number > most:
        raise ValueError(text)
    return parsed_number
