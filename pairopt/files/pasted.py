"""Pasted lists: read a list of names in any form that people paste, line by line.

Bullets, numbers, signs and titles are recognised, and ratings at the end of a line. A
line with two readings gets the likelier one and a doubt, so that somebody can be asked
about it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import groupby, pairwise
from unicodedata import category

from pairopt.errors import Fault, TextLocation
from pairopt.event.name_search import normalize_name
from pairopt.files.column_headings import is_player_heading, is_total, is_total_word
from pairopt.files.plain_names import (
    find_joining_word,
    find_lowercase_names,
    find_numbered_names,
    joins_last_names,
    load_words,
    may_say_more,
)
from pairopt.messages import FieldValue, Message, Note, message

LONGEST_NAME = 60
FURTHER = (
    10  # so far may numbers of lines go beyond twice the lines; higher ones are ratings
)
FEWEST_NUMBERED = 3  # so many names that differ in a number alone have it for a name
FEWEST_BELOW = (
    3  # so many lines below an empty one make the line above it a title, perhaps
)
FEWEST_IN_ONE_LINE = 3
"""The fewest names between commas that are several players. Two may be one name: last, first."""
TICKED = "[x]"
EMPTY = "[ ]"
BULLET = "-"
NUMBER = "1."
TIME = "12:00"
"""The names of marks before names that are not emoji."""

DASH = "-\N{EN DASH}\N{EM DASH}"
BOX_BEFORE = re.compile(r"[-*+]?\s*\[([ xX✓✔]?)\]\s*|\(([ xX])\)\s+")
NUMBER_BEFORE = re.compile(
    r"(?:[#№]\s*)?\d{1,4}\s*[.):]\s*(?=\D)|#\d{1,4}\s+|№\s*\d{1,4}\s+"
    r"|\(\d{1,3}\)\s*(?=\D)|(?:\d\ufe0f?\u20e3)+\s*"
)
BULLET_BEFORE = re.compile(rf"[{DASH}*+>·]\s+|[•‣◦▪●○►■□→⇒➔➜➤▶]\ufe0f?\s*")
TIME_BEFORE = re.compile(
    r"\[(?:[\d./-]+,?\s+)?\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\.?)?\]\s*"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\.?)?\s+",
    re.IGNORECASE,
)
RULE = re.compile(r"[-\N{EN DASH}\N{EM DASH}=_*~.#+|/·•\s]+")
BARE_NUMBER = re.compile(r"(\d{1,4})\s+(?=\D)")
REMARK = re.compile(
    r"(?P<name>.*\S)\s*(?:\((?P<round>[^()]*)\)|\[(?P<square>[^][]*)\])"
    rf"|(?P<first>.*?\S)(?:\s+[{DASH}/]\s+|\s*[:;|\t]\s*)(?P<last>.*\S)"
)
ADDRESS = re.compile(r"https?:|www\.|\S@\S+\.\S")
STRANGE = re.compile(r"[{}<>=\"|;\t]")
DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}\b")
LETTER = re.compile(r"[^\W\d_]")
SEVERAL = re.compile(r"\s*[,;\t|]\s*")


@dataclass(frozen=True, slots=True)
class PastedLine:
    """One line of a pasted list as it was read.

    A line with several names gives several of these. `is_player` is False for a title
    or a total. `doubt` says why this reading may be wrong; None if it is clear. `mark`
    is the sign before the name, for example a tick.
    """

    number: int
    text: str
    name: str
    rating: str = ""
    remark: str = ""
    is_player: bool = True
    doubt: Message | None = None
    mark: str = ""

    @property
    def fault(self) -> Fault | None:
        """The doubt as a fault with the number of its line; None without a doubt."""
        return (
            None if self.doubt is None else Fault(self.doubt, TextLocation(self.number))
        )

    def with_doubt(self, kind: str, **fields: FieldValue) -> "PastedLine":
        """Return the line with this doubt, unless it has a doubt already."""
        if self.doubt is not None:
            return self
        return replace(self, doubt=message(kind, found=self.text, **fields))


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a line as the user corrected them."""

    name: str
    rating: str = ""
    remark: str = ""
    is_player: bool = True


@dataclass(frozen=True, slots=True)
class Pasted:
    """A pasted list as it was read, with notes on what was recognised in it."""

    lines: tuple[PastedLine, ...]
    notes: tuple[Note, ...] = ()

    def with_corrections(self, cells: Mapping[int, Cells]) -> "Pasted":
        """Return the list with corrected cells for some lines, by their positions."""
        lines = [
            replace(line, **asdict(cells[k])) if k in cells else line
            for k, line in enumerate(self.lines)
        ]
        return replace(self, lines=tuple(lines))

    @property
    def players(self) -> list[PastedLine]:
        """The lines that are players."""
        return [line for line in self.lines if line.is_player]

    @property
    def doubts(self) -> list[PastedLine]:
        """The lines that may be read in two ways."""
        return [line for line in self.lines if line.doubt is not None]


def read_pasted(text: str, source: str, fewest: int = 2) -> Pasted | None:
    """Read a text as a list of names; None if it is not one, or has fewer lines than `fewest`.

    `source` is what notes call the text.
    """
    lines = _without_numbers(_split_lines(text))
    if len(lines) > 1 and _is_table(lines):
        return None
    passes = (
        _without_marks,
        _mark_titles,
        _split_several_names,
        _split_off_remarks,
        _read_ratings,
        _split_off_remarks,  # what stands before a rating
        _doubt_commas,
    )
    for read_pass in passes:
        lines = read_pass(lines)

    players = [line for line in lines if line.is_player]
    no_names = sum(not _is_name(line.name) for line in players)
    if not players or 2 * no_names >= len(players) or len(lines) < fewest:
        return None
    lines = _doubt_unclear_names(lines)
    return Pasted(tuple(_doubt_repeats(lines)), tuple(_describe_reading(lines, source)))


def _describe_reading(lines: Sequence[PastedLine], source: str) -> Iterator[Message]:
    """Yield notes on what was recognised in the list."""
    marks = Counter(line.mark for line in lines if line.mark)
    if marks:
        yield message(
            "pasted.marks", source=source, marks=[*marks], count=marks.total()
        )
    for line in lines:
        if not line.is_player:
            yield message("listing.name_left_out", source=source, name=line.text)
    for number, group in groupby(lines, key=lambda line: line.number):
        if (count := len([*group])) > 1:
            yield message(
                "pasted.names_in_line", source=source, count=count, line=number
            )
    for line in lines:
        if line.is_player and line.doubt is None and joins_last_names(line.name):
            yield message("pasted.one_player", source=source, name=line.name)
    ratings = [int(line.rating) for line in lines if line.rating]
    if ratings:
        low = min(ratings)
        high = max(ratings)
        yield message(
            "pasted.ratings", source=source, count=len(ratings), low=low, high=high
        )
    if any(
        "," in line.name and line.is_player and line.doubt is None for line in lines
    ):
        yield message("pasted.last_first", source=source)


def _split_lines(text: str) -> list[PastedLine]:
    """Return the lines that are not empty, with single blanks and without commas at their ends.

    A tab stays in the text of a line, and becomes a blank in its name. Semicolons at the end of a
    line are left out, too.
    """
    pasted_lines = []
    for number, line in enumerate(text.splitlines(), 1):
        short = re.sub(r"[^\S\t]+", " ", line).strip().rstrip(",;").strip()
        if short:
            pasted_lines.append(PastedLine(number, short.replace("\t", " "), short))
    return pasted_lines


def _without_numbers(lines: list[PastedLine]) -> list[PastedLine]:
    """Remove the numbers before the names if they count upwards, as in `1 Ann`, `2 Bo`."""
    numbered = [BARE_NUMBER.match(line.name) for line in lines]
    numbers = [int(match[1]) for match in numbered if match]
    upwards = len(numbers) > 1 and all(
        number < next_number for number, next_number in pairwise(numbers)
    )
    if (
        not upwards
        or len(numbers) < len(lines) - 1
        or numbers[-1] > 2 * len(lines) + FURTHER
    ):
        return lines
    return [
        replace(line, name=line.name[match.end() :], mark=NUMBER) if match else line
        for line, match in zip(lines, numbered, strict=True)
    ]


def _is_table(lines: Sequence[PastedLine]) -> bool:
    """Return whether all lines have equally many cells, so that they are a table.

    Names of several players have a blank after each comma; the cells of a table have
    none. A name and a rating, or a last and a first name and a rating, are no table.
    """
    for separator in (",", ";", "\t"):
        cells = [line.name.split(separator) for line in lines]
        widths = {len(row) for row in cells}
        if len(widths) > 1 or widths == {1}:
            continue
        spaced = separator == "," and all(", " in line.name for line in lines)
        is_name_rating = widths == {2} or (widths == {3} and spaced)
        if is_name_rating and all(
            re.fullmatch(r"\s*\d{3,4}\s*|\s*", row[-1]) for row in cells
        ):
            continue
        if spaced and widths == {2}:
            continue
        if not spaced or any(
            re.search(r"\d", cell) for row in cells for cell in row[1:]
        ):
            return True
    return False


def _without_marks(lines: list[PastedLine]) -> list[PastedLine]:
    """Remove bullets, numbers, boxes and emoji around the names.

    If most lines have a mark, a line without one is doubted, because it may not be a name. A line
    with another box or emoji than most is doubted, because this player may not play. If few lines
    have a box or an emoji, each of them is doubted, because only these players may play.
    """
    marked_lines = [_without_mark(line) for line in lines]
    are_marked = 2 * sum(bool(line.mark) for line in marked_lines) > len(marked_lines)
    signs = Counter(
        line.mark
        for line in marked_lines
        if line.mark not in ("", BULLET, NUMBER, TIME)
    )
    are_signed = 2 * signs.total() > len(marked_lines)
    usual_mark = signs.most_common(1)[0][0] if signs else ""
    for index, line in enumerate(marked_lines):
        if line.mark in signs and not are_signed:
            marked_lines[index] = line.with_doubt(
                "pasted.few_marks", mark=line.mark, name=line.name
            )
        elif line.mark in signs and line.mark != usual_mark:
            marked_lines[index] = line.with_doubt(
                "pasted.other_mark", mark=line.mark, usual=usual_mark
            )
        elif (
            line.mark not in signs
            and index > 0
            and (are_signed or (are_marked and not line.mark))
        ):
            marked_lines[index] = line.with_doubt("pasted.no_mark")
    return marked_lines


def _without_mark(line: PastedLine) -> PastedLine:
    """Remove the marks around a name; `mark` of the line is then the last one removed."""
    name = line.name
    mark = line.mark
    while split_name := _split_mark(name):
        mark, name = split_name
    trailing_emoji = _find_leading_emoji(name[::-1])[::-1]
    if trailing_emoji:
        mark = trailing_emoji
        name = name[: -len(trailing_emoji)].strip()
    return replace(line, name=name, mark=mark)


def _split_mark(name: str) -> tuple[str, str] | None:
    """Split a name into the mark before it and the rest; None if either is missing."""
    if time := TIME_BEFORE.match(name):
        mark = TIME
        name_after = name[time.end() :]
    elif box := BOX_BEFORE.match(name):
        ticked = (box[1] or box[2] or "").strip()
        mark = TICKED if ticked else EMPTY
        name_after = name[box.end() :]
    elif number := NUMBER_BEFORE.match(name):
        mark = NUMBER
        name_after = name[number.end() :]
    elif bullet := BULLET_BEFORE.match(name):
        mark = BULLET
        name_after = name[bullet.end() :]
    else:
        mark = _find_leading_emoji(name)
        name_after = name[len(mark) :].strip() if mark else ""
    return (mark, name_after) if name_after else None


def _find_leading_emoji(name: str) -> str:
    """Return the emoji before a name; "" if there are none."""
    length = 0
    for letter in name:
        joins = letter in "\ufe0f\u200d\u20e3" or "\U0001f3fb" <= letter <= "\U0001f3ff"
        if not joins and not (category(letter) == "So" and letter not in "°©®"):
            break
        length += 1
    return name[:length]


def _mark_titles(lines: list[PastedLine]) -> list[PastedLine]:
    """Mark titles and totals as lines that are not players, with a doubt unless that is plain."""
    are_totals = [is_total([line.name]) for line in lines]
    counts = [line for line, total in zip(lines, are_totals, strict=True) if not total]
    are_colons_usual = 2 * sum(line.name.endswith(":") for line in lines) > len(lines)
    new_lines = []
    for index, line in enumerate(lines):
        is_first = index == 0 and len(lines) > 1
        is_last = index == len(lines) - 1 > 0
        is_title = is_first and _is_title(line, lines)
        is_count = are_totals[index] and _is_count(line, counts)
        if is_title or is_count or RULE.fullmatch(line.name):
            new_lines.append(replace(line, is_player=False, doubt=None))
        elif are_totals[index] or not LETTER.search(line.name):
            unsure = replace(line, doubt=None).with_doubt("pasted.title")
            new_lines.append(replace(unsure, is_player=False))
        elif line.name.endswith(":") and index > 0 and not are_colons_usual:
            new_lines.append(replace(line.with_doubt("pasted.part"), is_player=False))
        elif (is_first and _may_be_title(lines)) or (
            is_last and is_total_word(line.name)
        ):
            new_lines.append(replace(line.with_doubt("pasted.title"), is_player=False))
        else:
            new_lines.append(line)
    return new_lines


def _is_count(line: PastedLine, counted_lines: Sequence[PastedLine]) -> bool:
    """Return whether a total says how many lines there are, with or without a title."""
    number_match = re.search(r"\d+", line.text)
    name_count = sum(
        bool(LETTER.search(counted_line.name)) for counted_line in counted_lines
    )
    return number_match is not None and int(number_match[0]) in (
        name_count,
        name_count - 1,
    )


def _is_title(line: PastedLine, lines: Sequence[PastedLine]) -> bool:
    """Return whether a first line is a title: a heading, or a title word set apart.

    It is set apart if it ends with a colon, or if all other lines have marks.
    """
    heading = re.sub(r"\s*\(\d+\)$", "", line.name).removesuffix(":").strip()
    is_apart = line.name.endswith(":") or _is_only_unmarked(line, lines)
    return is_player_heading(heading) or (is_apart and _has_title_word(line))


def _is_only_unmarked(line: PastedLine, lines: Sequence[PastedLine]) -> bool:
    """Return whether all other lines have a mark, and this one has none."""
    other_lines = [other_line for other_line in lines if other_line is not line]
    return (
        not line.mark
        and len(other_lines) > 1
        and all(other_line.mark for other_line in other_lines)
    )


def _has_title_word(line: PastedLine) -> bool:
    """Return whether a line has a word of titles, such as "tournament"."""
    words = re.findall(r"[^\W\d_]+", line.name.casefold())
    return not load_words("title").isdisjoint(words)


def _may_be_title(lines: Sequence[PastedLine]) -> bool:
    """Return whether the first line may be the title of an event.

    Titles have a date, a colon or a word such as "tournament", or stand above an empty line or
    above lines with marks.
    """
    has_date = DATE.search(lines[0].name) and not any(
        re.search(r"\d", line.name) for line in lines[1:]
    )
    gaps = [
        next_line.number - upper_line.number > 1
        for upper_line, next_line in pairwise(lines)
    ]
    above_gap = gaps[0] and len(gaps) >= FEWEST_BELOW and not any(gaps[1:])
    is_apart = lines[0].name.endswith(":") or _is_only_unmarked(lines[0], lines)
    if is_apart or above_gap:
        return True
    are_last_first = all("," in line.name for line in lines)
    return not are_last_first and (bool(has_date) or _has_title_word(lines[0]))


def _split_several_names(lines: list[PastedLine]) -> list[PastedLine]:
    """Split a line with several names into one line per name."""
    is_alone = sum(line.is_player for line in lines) == 1
    new_lines = []
    for line in lines:
        names = [*filter(None, SEVERAL.split(line.name))] if line.is_player else []
        split_lines = [_without_mark(replace(line, name=name)) for name in names]
        has_numbers = any(
            re.search(r"\d", name_line.name) for name_line in split_lines[1:]
        )
        if has_numbers or len(names) < (2 if is_alone else FEWEST_IN_ONE_LINE):
            new_lines.append(line)
            continue
        if not is_alone or len(names) < FEWEST_IN_ONE_LINE:
            split_lines = [
                name_line.with_doubt("pasted.several", count=len(names))
                for name_line in split_lines
            ]
        new_lines += split_lines
    return new_lines


def _read_ratings(lines: list[PastedLine]) -> list[PastedLine]:
    """Return the lines with numbers of three or four digits at their ends read as ratings.

    If less than half of the players have such a number, each of them is doubted. A number stays in
    the name if several players would have the same name without it, for example Player 101 and
    Player 102.
    """
    rating = _compile_rating_pattern()
    matches = [
        rating.fullmatch(line.name) if line.is_player else None for line in lines
    ]
    names = Counter(match["name"].casefold() for match in matches if match)
    numbered = {name for name, count in names.items() if count >= FEWEST_NUMBERED}
    matches = [
        rating_match
        if rating_match and rating_match["name"].casefold() not in numbered
        else None
        for rating_match in matches
    ]
    are_few = 2 * sum(map(bool, matches)) < sum(line.is_player for line in lines)
    new_lines = []
    for line, match in zip(lines, matches, strict=True):
        if match is not None:
            line = replace(line, name=match["name"].strip(), rating=match["rating"])
            line = (
                line.with_doubt("pasted.rating", rating=line.rating)
                if are_few
                else line
            )
        new_lines.append(line)
    return new_lines


@cache
def _compile_rating_pattern() -> re.Pattern[str]:
    """Return a pattern for a name and a rating, which may have brackets and a word such as Elo."""
    word = "|".join(map(re.escape, load_words("rating")))
    between = rf"(?:\s*[,;:|\t(\[]\s*|\s+[{DASH}]\s+|\s+)"
    rating = rf"(?:(?:{word})\s*:?\s*)?(?P<rating>\d{{3,4}})(?:\s*(?:{word}))?\s*[)\]]?"
    return re.compile(rf"(?P<name>.*?[^\W\d_].*?){between}{rating}", re.IGNORECASE)


def _split_off_remarks(lines: list[PastedLine]) -> list[PastedLine]:
    """Split remarks off names: text in brackets, or after a dash or a colon.

    A line that gets a remark gets a doubt too. Lines that have a remark already, are
    no players, or are ratings or addresses stay as they are.
    """
    rating = _compile_rating_pattern()
    new_lines = []
    for line in lines:
        is_other = rating.fullmatch(line.name) or ADDRESS.search(line.name)
        may_have_one = line.is_player and not line.remark and not is_other
        match = REMARK.fullmatch(line.name) if may_have_one else None
        remark = match and (match["round"] or match["square"] or match["last"])
        if match and remark and LETTER.search(remark):
            name = (match["name"] or match["first"]).strip()
            line = replace(line, name=name, remark=remark.strip())
            line = line.with_doubt("pasted.remark", remark=line.remark)
        new_lines.append(line)
    return new_lines


def _doubt_commas(lines: list[PastedLine]) -> list[PastedLine]:
    """Doubt commas that only few names have, because they may be two players."""
    names = [line.name for line in lines if line.is_player]
    with_comma = sum("," in name for name in names)
    if 2 * with_comma > len(names) > 1:
        return lines
    return [
        line.with_doubt("pasted.comma") if line.is_player and "," in line.name else line
        for line in lines
    ]


def _is_name(name: str) -> bool:
    """Return whether a text could be a name: short, with letters, no program signs."""
    is_strange = STRANGE.search(name) or ADDRESS.search(name)
    return (
        0 < len(name) <= LONGEST_NAME and not is_strange and bool(LETTER.search(name))
    )


def _doubt_unclear_names(lines: Sequence[PastedLine]) -> list[PastedLine]:
    """Doubt each name that may say more than a name.

    All names pass here last, whatever was read around them.
    """
    names = [line.name for line in lines if line.is_player]
    numbered = find_numbered_names(names)
    small = find_lowercase_names(names)
    new_lines = []
    for line in lines:
        if not line.is_player:
            new_lines.append(line)
        elif not _is_name(line.name):
            new_lines.append(line.with_doubt("pasted.strange"))
        elif word := find_joining_word(line.name):
            new_lines.append(
                _without_unnamed_doubt(line).with_doubt(
                    "pasted.joined", word=word, name=line.name
                )
            )
        elif line.name in small or may_say_more(line.name, line.name in numbered):
            new_lines.append(
                _without_unnamed_doubt(line).with_doubt("pasted.more", name=line.name)
            )
        else:
            new_lines.append(line)
    return new_lines


def _without_unnamed_doubt(line: PastedLine) -> PastedLine:
    """Remove the doubt of a line, if it does not say which name is read in it."""
    return line if line.name == line.text else replace(line, doubt=None)


def _doubt_repeats(lines: Sequence[PastedLine]) -> Iterator[PastedLine]:
    """Doubt each repeated name, and take it as no player."""
    line_by_name: dict[str, PastedLine] = {}
    for line in lines:
        first_line = (
            line_by_name.setdefault(normalize_name(line.name), line)
            if line.is_player
            else line
        )
        if first_line is line:
            yield line
        else:
            doubt = message("pasted.twice", found=line.name, line=first_line.number)
            yield replace(line, is_player=False, doubt=doubt)
