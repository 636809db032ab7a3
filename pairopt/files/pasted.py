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
    has_joined_last_names,
    load_words,
    may_say_more,
)
from pairopt.messages import FieldValue, Message, Note, message

LONGEST_NAME = 60
# Numbers of lines are at most twice the count of lines plus this; others are ratings.
FURTHER = 10
# If this many names differ only in their number, it is part of the name.
FEWEST_NUMBERED = 3
# A line above an empty line may be a title if at least this many lines follow.
FEWEST_BELOW = 3
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
    """One line of a pasted list as it was read, or one of several names in a line.

    `number` counts lines from 1, and `text` is the whole line. `name`, `rating` and
    `remark` are its parts, "" if it has no such part. A line with several names gives
    several instances. `is_player` is False for a title, a total or a repeated name.
    `doubt` says why this reading may be wrong; None if it is clear. `mark` is the sign
    before or after the name: an emoji, or one of TICKED, EMPTY, BULLET, NUMBER and
    TIME; "" for none.
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
        """Return the line with this doubt, unless it has a doubt already.

        `kind` is the id of the message, and `fields` its fields besides `found`, which
        is the text of the line.
        """
        if self.doubt is not None:
            return self
        return replace(self, doubt=message(kind, found=self.text, **fields))


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one line of a pasted list as the user corrected them.

    They replace the parts of a `PastedLine` that have the same names.
    """

    name: str
    rating: str = ""
    remark: str = ""
    is_player: bool = True


@dataclass(frozen=True, slots=True)
class Pasted:
    """A pasted list as it was read: its lines, and notes on what was recognised in it.

    `lines` has players, titles, totals and repeated names, in the order of the text.
    """

    lines: tuple[PastedLine, ...]
    notes: tuple[Note, ...] = ()

    def with_corrections(self, cells: Mapping[int, Cells]) -> "Pasted":
        """Return a copy of the list with corrected cells for some lines.

        The keys of `cells` are positions in `lines`, from 0. Doubts stay.
        """
        corrected_lines = [
            replace(pasted_line, **asdict(cells[line_position]))
            if line_position in cells
            else pasted_line
            for line_position, pasted_line in enumerate(self.lines)
        ]
        return replace(self, lines=tuple(corrected_lines))

    @property
    def players(self) -> list[PastedLine]:
        """The lines that are players; titles, totals and repeats are not."""
        return [pasted_line for pasted_line in self.lines if pasted_line.is_player]

    @property
    def doubts(self) -> list[PastedLine]:
        """The lines that may be read in two ways, also those that are no players."""
        return [
            pasted_line for pasted_line in self.lines if pasted_line.doubt is not None
        ]


def read_pasted(text: str, source: str, fewest: int = 2) -> Pasted | None:
    """Read a pasted text as a list of names, one or several per line.

    Returns None if the text is a table, if no line is a player, if at least half of the
    players cannot be names, or if it has fewer than `fewest` names, counting titles and
    totals. `source` is the name of the text in notes. A line with two readings gets the
    likelier one and a doubt.
    """
    pasted_lines = _without_numbers(_split_lines(text))
    if len(pasted_lines) > 1 and _is_table(pasted_lines):
        return None
    read_passes = (
        _without_marks,
        _mark_titles,
        _split_several_names,
        _split_off_remarks,
        _read_ratings,
        # Again, because a remark may come before a rating.
        _split_off_remarks,
        _doubt_commas,
    )
    for read_pass in read_passes:
        pasted_lines = read_pass(pasted_lines)

    player_lines = [line for line in pasted_lines if line.is_player]
    unnamed_line_count = sum(not _is_name(line.name) for line in player_lines)
    if (
        not player_lines
        or 2 * unnamed_line_count >= len(player_lines)
        or len(pasted_lines) < fewest
    ):
        return None
    pasted_lines = _doubt_unclear_names(pasted_lines)
    return Pasted(
        tuple(_doubt_repeats(pasted_lines)),
        tuple(_describe_reading(pasted_lines, source)),
    )


def _describe_reading(lines: Sequence[PastedLine], source: str) -> Iterator[Message]:
    """Yield notes on what was recognised in a list, one per kind of finding.

    They are on marks, each line that is no player, each line with several names, each
    name of one player with two last names, ratings, and names with a comma. `source` is
    the name of the list in notes.
    """
    mark_counts = Counter(line.mark for line in lines if line.mark)
    if mark_counts:
        yield message(
            "pasted.marks",
            source=source,
            marks=[*mark_counts],
            count=mark_counts.total(),
        )
    for line in lines:
        if not line.is_player:
            yield message("listing.name_left_out", source=source, name=line.text)
    for line_number, name_lines in groupby(lines, key=lambda line: line.number):
        if (name_count := len([*name_lines])) > 1:
            yield message(
                "pasted.names_in_line",
                source=source,
                count=name_count,
                line=line_number,
            )
    for line in lines:
        if line.is_player and line.doubt is None and has_joined_last_names(line.name):
            yield message("pasted.one_player", source=source, name=line.name)
    ratings = [int(line.rating) for line in lines if line.rating]
    if ratings:
        lowest_rating = min(ratings)
        highest_rating = max(ratings)
        yield message(
            "pasted.ratings",
            source=source,
            count=len(ratings),
            low=lowest_rating,
            high=highest_rating,
        )
    if any(
        "," in line.name and line.is_player and line.doubt is None for line in lines
    ):
        yield message("pasted.last_first", source=source)


def _split_lines(text: str) -> list[PastedLine]:
    """Return the lines of a text that are not empty, with their line numbers from 1.

    Blanks become single ones, and commas and semicolons at the end of a line are left
    out. A tab becomes a blank in the `text` of a line, but stays in its `name`.
    """
    pasted_lines = []
    for line_number, raw_line in enumerate(text.splitlines(), 1):
        cleaned_line = re.sub(r"[^\S\t]+", " ", raw_line).strip().rstrip(",;").strip()
        if cleaned_line:
            pasted_lines.append(
                PastedLine(line_number, cleaned_line.replace("\t", " "), cleaned_line)
            )
    return pasted_lines


def _without_numbers(lines: list[PastedLine]) -> list[PastedLine]:
    """Remove the numbers before names if they count upwards, as in `1 Ann`, `2 Bo`.

    At least two lines, and all lines but one at most, must have such a number.
    Otherwise the lines stay as they are. They also stay if the numbers are too high to
    count lines, because they may be ratings. A line whose number is removed gets the
    mark NUMBER.
    """
    number_matches = [BARE_NUMBER.match(line.name) for line in lines]
    leading_numbers = [
        int(number_match[1]) for number_match in number_matches if number_match
    ]
    is_ascending = len(leading_numbers) > 1 and all(
        earlier_number < next_number
        for earlier_number, next_number in pairwise(leading_numbers)
    )
    if (
        not is_ascending
        or len(leading_numbers) < len(lines) - 1
        or leading_numbers[-1] > 2 * len(lines) + FURTHER
    ):
        return lines
    return [
        replace(line, name=line.name[number_match.end() :], mark=NUMBER)
        if number_match
        else line
        for line, number_match in zip(lines, number_matches, strict=True)
    ]


def _is_table(lines: Sequence[PastedLine]) -> bool:
    """Return whether all lines have equally many cells, so that they are a table.

    Cells are separated by commas, semicolons or tabs. Names of several players have a
    blank after each comma; they are a table only if there are more than two and a later
    one has a digit. Lines of one cell are no table, nor are a name and a rating, or a
    last name, a first name and a rating.
    """
    for separator in (",", ";", "\t"):
        cells_by_line = [line.name.split(separator) for line in lines]
        cell_counts = {len(row_cells) for row_cells in cells_by_line}
        if len(cell_counts) > 1 or cell_counts == {1}:
            continue
        are_commas_spaced = separator == "," and all(
            ", " in line.name for line in lines
        )
        may_be_name_and_rating = cell_counts == {2} or (
            cell_counts == {3} and are_commas_spaced
        )
        if may_be_name_and_rating and all(
            re.fullmatch(r"\s*\d{3,4}\s*|\s*", row_cells[-1])
            for row_cells in cells_by_line
        ):
            continue
        if are_commas_spaced and cell_counts == {2}:
            continue
        if not are_commas_spaced or any(
            re.search(r"\d", cell)
            for row_cells in cells_by_line
            for cell in row_cells[1:]
        ):
            return True
    return False


def _without_marks(lines: list[PastedLine]) -> list[PastedLine]:
    """Remove marks around the names, such as bullets, and add doubts.

    Marks are bullets, numbers, times, boxes and emoji. If most lines have a mark, a
    line without one gets a doubt, unless it is the first, because it may not be a name.
    If most lines have a box or an emoji, so does a line with only a bullet, number or
    time, unless it is the first. Then a line with another box or emoji than most gets a
    doubt, too, because this player may not play. If at most half of the lines have a
    box or an emoji, each of these gets a doubt, because only these players may play.
    """
    marked_lines = [_without_mark(line) for line in lines]
    have_most_marks = 2 * sum(bool(line.mark) for line in marked_lines) > len(
        marked_lines
    )
    sign_counts = Counter(
        line.mark
        for line in marked_lines
        if line.mark not in ("", BULLET, NUMBER, TIME)
    )
    have_most_signs = 2 * sign_counts.total() > len(marked_lines)
    usual_mark = sign_counts.most_common(1)[0][0] if sign_counts else ""
    for line_position, line in enumerate(marked_lines):
        if line.mark in sign_counts and not have_most_signs:
            marked_lines[line_position] = line.with_doubt(
                "pasted.few_marks", mark=line.mark, name=line.name
            )
        elif line.mark in sign_counts and line.mark != usual_mark:
            marked_lines[line_position] = line.with_doubt(
                "pasted.other_mark", mark=line.mark, usual=usual_mark
            )
        elif (
            line.mark not in sign_counts
            and line_position > 0
            and (have_most_signs or (have_most_marks and not line.mark))
        ):
            marked_lines[line_position] = line.with_doubt("pasted.no_mark")
    return marked_lines


def _without_mark(line: PastedLine) -> PastedLine:
    """Remove all marks before a name, and emoji after it.

    The line keeps its name without marks, and gets the last mark that was removed; the
    emoji after the name counts as the last. Without any, its earlier mark stays.
    """
    unmarked_name = line.name
    mark = line.mark
    while mark_and_name_after := _split_mark(unmarked_name):
        mark, unmarked_name = mark_and_name_after
    trailing_emoji = _find_leading_emoji(unmarked_name[::-1])[::-1]
    if trailing_emoji:
        mark = trailing_emoji
        unmarked_name = unmarked_name[: -len(trailing_emoji)].strip()
    return replace(line, name=unmarked_name, mark=mark)


def _split_mark(name: str) -> tuple[str, str] | None:
    """Split a name into (mark, rest); None if it has no mark or nothing follows it.

    Only the first mark is split off. It is one of TIME, TICKED, EMPTY, NUMBER and
    BULLET, or the emoji itself.
    """
    if time_match := TIME_BEFORE.match(name):
        mark = TIME
        name_after = name[time_match.end() :]
    elif box_match := BOX_BEFORE.match(name):
        tick_text = (box_match[1] or box_match[2] or "").strip()
        mark = TICKED if tick_text else EMPTY
        name_after = name[box_match.end() :]
    elif number_match := NUMBER_BEFORE.match(name):
        mark = NUMBER
        name_after = name[number_match.end() :]
    elif bullet_match := BULLET_BEFORE.match(name):
        mark = BULLET
        name_after = name[bullet_match.end() :]
    else:
        mark = _find_leading_emoji(name)
        name_after = name[len(mark) :].strip() if mark else ""
    return (mark, name_after) if name_after else None


def _find_leading_emoji(name: str) -> str:
    """Return the emoji at the beginning of a text; "" if there are none.

    The signs °, © and ® are no emoji.
    """
    emoji_length = 0
    for character in name:
        is_emoji_modifier = (
            character in "\ufe0f\u200d\u20e3"
            or "\U0001f3fb" <= character <= "\U0001f3ff"
        )
        if not is_emoji_modifier and not (
            category(character) == "So" and character not in "°©®"
        ):
            break
        emoji_length += 1
    return name[:emoji_length]


def _mark_titles(lines: list[PastedLine]) -> list[PastedLine]:
    """Return the lines, with titles, totals and rules of dashes as no players.

    Their `is_player` is False. A line that may be a player after all gets a doubt, too,
    and so does a title in the middle of the list. Titles, totals that count the names
    and rules lose an earlier doubt. A line without any letter is no player.
    """
    is_total_by_line = [is_total([line.name]) for line in lines]
    lines_without_totals = [
        line
        for line, is_total_line in zip(lines, is_total_by_line, strict=True)
        if not is_total_line
    ]
    has_usual_colons = 2 * sum(line.name.endswith(":") for line in lines) > len(lines)
    marked_lines = []
    for line_position, line in enumerate(lines):
        is_first = line_position == 0 and len(lines) > 1
        is_last = line_position == len(lines) - 1 > 0
        is_title = is_first and _is_title(line, lines)
        is_player_count = is_total_by_line[line_position] and _is_count(
            line, lines_without_totals
        )
        if is_title or is_player_count or RULE.fullmatch(line.name):
            marked_lines.append(replace(line, is_player=False, doubt=None))
        elif is_total_by_line[line_position] or not LETTER.search(line.name):
            doubted_line = replace(line, doubt=None).with_doubt("pasted.title")
            marked_lines.append(replace(doubted_line, is_player=False))
        elif line.name.endswith(":") and line_position > 0 and not has_usual_colons:
            marked_lines.append(
                replace(line.with_doubt("pasted.part"), is_player=False)
            )
        elif (is_first and _may_be_title(lines)) or (
            is_last and is_total_word(line.name)
        ):
            marked_lines.append(
                replace(line.with_doubt("pasted.title"), is_player=False)
            )
        else:
            marked_lines.append(line)
    return marked_lines


def _is_count(line: PastedLine, counted_lines: Sequence[PastedLine]) -> bool:
    """Return whether the number in a total is the number of names in the list.

    `line` is the total, and `counted_lines` are all lines that are no totals. One less
    fits, too, because a title may be among them.
    """
    number_match = re.search(r"\d+", line.text)
    name_count = sum(
        bool(LETTER.search(counted_line.name)) for counted_line in counted_lines
    )
    return number_match is not None and int(number_match[0]) in (
        name_count,
        name_count - 1,
    )


def _is_title(line: PastedLine, lines: Sequence[PastedLine]) -> bool:
    """Return whether the first line of a list is surely a title.

    `line` is the first of `lines`. It is a title if it is a heading such as Players,
    maybe with a colon or a number in brackets. It also is one if it has a word of
    titles, and ends with a colon or is the only line without a mark.
    """
    bare_title = re.sub(r"\s*\(\d+\)$", "", line.name).removesuffix(":").strip()
    is_apart = line.name.endswith(":") or _is_only_unmarked(line, lines)
    return is_player_heading(bare_title) or (is_apart and _has_title_word(line))


def _is_only_unmarked(line: PastedLine, lines: Sequence[PastedLine]) -> bool:
    """Return whether all other lines have a mark, and this one has none.

    `lines` are all lines, also `line` itself. There must be at least two other lines.
    """
    further_lines = [further_line for further_line in lines if further_line is not line]
    return (
        not line.mark
        and len(further_lines) > 1
        and all(further_line.mark for further_line in further_lines)
    )


def _has_title_word(line: PastedLine) -> bool:
    """Return whether a line has a word of titles, such as "tournament"."""
    line_words = re.findall(r"[^\W\d_]+", line.name.casefold())
    return not load_words("title").isdisjoint(line_words)


def _may_be_title(lines: Sequence[PastedLine]) -> bool:
    """Return whether the first line may be the title of an event.

    It may if it has a date and no other line has a digit, ends with a colon or has a
    word such as "tournament". It also may if all others have a mark, or if the only gap
    of the list is below it and at least FEWEST_BELOW lines follow. If all lines have a
    comma, a date or a word is not enough. There must be at least two lines.
    """
    has_date = DATE.search(lines[0].name) and not any(
        re.search(r"\d", line.name) for line in lines[1:]
    )
    has_gap_after_by_line = [
        next_line.number - upper_line.number > 1
        for upper_line, next_line in pairwise(lines)
    ]
    is_above_gap = (
        has_gap_after_by_line[0]
        and len(has_gap_after_by_line) >= FEWEST_BELOW
        and not any(has_gap_after_by_line[1:])
    )
    is_apart = lines[0].name.endswith(":") or _is_only_unmarked(lines[0], lines)
    if is_apart or is_above_gap:
        return True
    has_only_commas = all("," in line.name for line in lines)
    return not has_only_commas and (bool(has_date) or _has_title_word(lines[0]))


def _split_several_names(lines: list[PastedLine]) -> list[PastedLine]:
    """Split lines with several names into one line per name.

    Commas, semicolons, tabs and | separate names. A line needs at least
    FEWEST_IN_ONE_LINE names, which get a doubt. If it is the only line of players, two
    names are enough, and only two get the doubt, because they may be one name: last,
    first. A line is not split if a name after the first one has a digit. Marks of the
    names are removed.
    """
    is_only_player_line = sum(line.is_player for line in lines) == 1
    lines_of_one_name = []
    for line in lines:
        names_in_line = (
            [*filter(None, SEVERAL.split(line.name))] if line.is_player else []
        )
        split_lines = [
            _without_mark(replace(line, name=listed_name))
            for listed_name in names_in_line
        ]
        has_digits = any(
            re.search(r"\d", name_line.name) for name_line in split_lines[1:]
        )
        if has_digits or len(names_in_line) < (
            2 if is_only_player_line else FEWEST_IN_ONE_LINE
        ):
            lines_of_one_name.append(line)
            continue
        if not is_only_player_line or len(names_in_line) < FEWEST_IN_ONE_LINE:
            split_lines = [
                name_line.with_doubt("pasted.several", count=len(names_in_line))
                for name_line in split_lines
            ]
        lines_of_one_name += split_lines
    return lines_of_one_name


def _read_ratings(lines: list[PastedLine]) -> list[PastedLine]:
    """Take a number of three or four digits at the end of a name as the rating.

    Returns the lines in their order; only players get ratings. If fewer than half of
    the players have such a number, each of them gets a doubt. A number stays in the
    name if at least FEWEST_NUMBERED players would have the same name without it, for
    example Player 101, Player 102 and Player 103.
    """
    rating_pattern = _compile_rating_pattern()
    rating_matches = [
        rating_pattern.fullmatch(line.name) if line.is_player else None
        for line in lines
    ]
    count_by_name = Counter(
        rating_match["name"].casefold()
        for rating_match in rating_matches
        if rating_match
    )
    numbered_names = {
        unrated_name
        for unrated_name, name_count in count_by_name.items()
        if name_count >= FEWEST_NUMBERED
    }
    rating_matches = [
        number_at_end_match
        if number_at_end_match
        and number_at_end_match["name"].casefold() not in numbered_names
        else None
        for number_at_end_match in rating_matches
    ]
    has_few_ratings = 2 * sum(map(bool, rating_matches)) < sum(
        line.is_player for line in lines
    )
    rated_lines = []
    for line, rating_match in zip(lines, rating_matches, strict=True):
        if rating_match is not None:
            line = replace(
                line,
                name=rating_match["name"].strip(),
                rating=rating_match["rating"],
            )
            line = (
                line.with_doubt("pasted.rating", rating=line.rating)
                if has_few_ratings
                else line
            )
        rated_lines.append(line)
    return rated_lines


@cache
def _compile_rating_pattern() -> re.Pattern[str]:
    """Return a pattern with the groups `name` and `rating`, for example Ann (Elo 1500).

    Brackets, separators and words such as Elo around the rating are optional.
    """
    rating_words = "|".join(map(re.escape, load_words("rating")))
    separator_regex = rf"(?:\s*[,;:|\t(\[]\s*|\s+[{DASH}]\s+|\s+)"
    rating_regex = rf"(?:(?:{rating_words})\s*:?\s*)?(?P<rating>\d{{3,4}})(?:\s*(?:{rating_words}))?\s*[)\]]?"
    return re.compile(
        rf"(?P<name>.*?[^\W\d_].*?){separator_regex}{rating_regex}", re.IGNORECASE
    )


def _split_off_remarks(lines: list[PastedLine]) -> list[PastedLine]:
    """Split remarks off names: text in brackets, or after a dash or a colon.

    A slash, a semicolon, a tab and | are like a colon. A remark needs a letter. A line
    that gets a remark gets a doubt too. Lines that have a remark already, are no
    players, or are ratings or addresses stay as they are.
    """
    rating_pattern = _compile_rating_pattern()
    lines_with_remarks = []
    for line in lines:
        is_rating_or_address = rating_pattern.fullmatch(line.name) or ADDRESS.search(
            line.name
        )
        may_have_remark = (
            line.is_player and not line.remark and not is_rating_or_address
        )
        remark_match = REMARK.fullmatch(line.name) if may_have_remark else None
        remark = remark_match and (
            remark_match["round"] or remark_match["square"] or remark_match["last"]
        )
        if remark_match and remark and LETTER.search(remark):
            name_part = (remark_match["name"] or remark_match["first"]).strip()
            line = replace(line, name=name_part, remark=remark.strip())
            line = line.with_doubt("pasted.remark", remark=line.remark)
        lines_with_remarks.append(line)
    return lines_with_remarks


def _doubt_commas(lines: list[PastedLine]) -> list[PastedLine]:
    """Add a doubt to names with a comma if at most half of all names have one.

    `lines` are returned in their order. Such a line may be two players. If most names
    have a comma, they are last and first names, and nothing changes. A single name with
    a comma gets the doubt, too.
    """
    player_names = [line.name for line in lines if line.is_player]
    comma_count = sum("," in player_name for player_name in player_names)
    if 2 * comma_count > len(player_names) > 1:
        return lines
    return [
        line.with_doubt("pasted.comma") if line.is_player and "," in line.name else line
        for line in lines
    ]


def _is_name(name: str) -> bool:
    """Return whether a text could be a name.

    It has a letter, at most LONGEST_NAME characters, no signs of programs such as < or
    {, and is no address of a web page or of mail.
    """
    has_strange_text = STRANGE.search(name) or ADDRESS.search(name)
    return (
        0 < len(name) <= LONGEST_NAME
        and not has_strange_text
        and bool(LETTER.search(name))
    )


def _doubt_unclear_names(lines: Sequence[PastedLine]) -> list[PastedLine]:
    """Add a doubt to each name that is strange, joins two players, or may say more.

    For example, a lower-case name among others may be a remark. A doubt that a line has
    stays, unless its name is only a part of the line and the new doubt shows that name.
    This is the last pass, so it sees the final names.
    """
    player_names = [line.name for line in lines if line.is_player]
    numbered_names = find_numbered_names(player_names)
    lowercase_names = find_lowercase_names(player_names)
    doubted_lines = []
    for line in lines:
        if not line.is_player:
            doubted_lines.append(line)
        elif not _is_name(line.name):
            doubted_lines.append(line.with_doubt("pasted.strange"))
        elif joining_word := find_joining_word(line.name):
            doubted_lines.append(
                _without_unnamed_doubt(line).with_doubt(
                    "pasted.joined", word=joining_word, name=line.name
                )
            )
        elif line.name in lowercase_names or may_say_more(
            line.name, line.name in numbered_names
        ):
            doubted_lines.append(
                _without_unnamed_doubt(line).with_doubt("pasted.more", name=line.name)
            )
        else:
            doubted_lines.append(line)
    return doubted_lines


def _without_unnamed_doubt(line: PastedLine) -> PastedLine:
    """Return a line without its doubt if its name is only a part of its text.

    A doubt that shows the name can then take its place. Other lines are returned
    unchanged.
    """
    return line if line.name == line.text else replace(line, doubt=None)


def _doubt_repeats(lines: Sequence[PastedLine]) -> Iterator[PastedLine]:
    """Yield the lines; a repeated name gets a doubt and is no player any more.

    Names that differ only in case, blanks or invisible characters are repeats, too, and
    the first one stays. The new doubt replaces an earlier one.
    """
    first_line_by_name: dict[str, PastedLine] = {}
    for line in lines:
        earlier_line = (
            first_line_by_name.setdefault(normalize_name(line.name), line)
            if line.is_player
            else line
        )
        if earlier_line is line:
            yield line
        else:
            repeat_doubt = message(
                "pasted.twice", found=line.name, line=earlier_line.number
            )
            yield replace(line, is_player=False, doubt=repeat_doubt)
