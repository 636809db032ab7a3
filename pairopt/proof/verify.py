"""Verify a proof that pairopt wrote: `python verify.py round6.proof.json`.

The file has a claim and a witness. The claim states the players (in an odd field the bye is an
additional last player), the pairing (the player with the first side comes first), the levels
with their values, and the cost of each match. `rows` has the kind of each match, and `kinds` the
cost of each kind, one integer per level. Costs are compared lexicographically, like lists in
Python. The first cost of a kind applies if the lower position has the first side; null means
that the match is not legal.

The witness shows in four checks that no pairing is better:
1. Each player has a dual value, which is 0 or in `prices`. Each set in `sets` has an odd number
   of players and a dual value that is not negative.
2. With either side, each match costs at least the dual values of its two players plus those of
   the sets that contain only one of the two players.
3. A pairing contains each player once. A pairing has at least one match with only one player in
   an odd set, because an odd number of players cannot all meet each other. So no pairing costs
   less than the sum of all dual values.
4. The cost of the pairing equals the sum of all dual values, and agrees with the values of the
   levels without their offset.
Dual values in the file are doubled, so that halves are integers.

The proof of a model is one step with the first `shown` levels. The other levels are open. For
them, the witness has a pairing `counter` that is better in the first open level, but makes the
lookahead rounds (`further`) impossible: the remaining `unplayed` matches between the
`components` are too few.

The proof of a pairing system is a chain of `steps`. The costs of a step hold among pairings that
are optimal in all earlier levels. If a match costs more than its dual values, no optimal pairing
contains it, and the later steps leave it out.

If there is no pairing, the witness has `components`. At least one player of each odd component
must meet a player outside all components or in another component, and there are too few of these.
A match between two components serves both.

Only `pairopt check EVENT --proof FILE` checks that the claim agrees with the event and the rules.

Exit codes: 0 certified; 4 some levels are open; 1 not a proof; 3 the file is malformed.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, chain, combinations_with_replacement, repeat
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

DIGITS = re.compile("-?[0-9]{1,200}")
PROGRAM = re.compile("pairopt [0-9A-Za-z.+-]{1,40}")
MOST_BYTES = 2**26
MOST_PLAYERS = 3000
MOST_LISTS = 1_500_000
MOST_OBJECTS = 30_000
FILE = ["format", "version", "program", "claim", "witness"]
CLAIM = [
    "round",
    "model",
    "system",
    "seed",
    "options",
    "settings",
    "made_by",
    "rules",
    "event",
    "players",
    "pairing",
    "further",
    "levels",
    "kinds",
    "rows",
]
MODEL = ["shown", "prices", "sets"]
STEP = ["levels", "kinds", "rows", "prices", "sets"]
AS_WRITTEN = "expected exactly the bytes that pairopt writes"
OTHER_COSTS = "rows: the costs of a step differ from those by the rules"
REQUEST_TEXTS = {
    "force": "{} forced",
    "forbid": "{} forbidden",
    "bye": "the bye for {}",
    "no_bye": "no bye for {}",
    "relax": "{} left out",
    "allow": "{} allowed",
    "allow_bye": "the bye allowed for {}",
    "published": "as few changes as possible to {}",
}
MOST_WORK = 100_000_000
"""The largest number of numbers that a verification reads.

Without this limit, a small file with sets that cross each other, or with very many steps,
could take days.
"""
Cost = list[int]
Costs = Callable[[list[int], list[int]], tuple[list[Cost], list[list[int]]]]
"""Compute the kinds and rows of a step from its levels and the matches still possible."""


class InvalidProof(Exception):  # noqa: N818
    """The proof is not valid. A malformed file raises ValueError instead."""


class Work:
    """A counter of the numbers that a verification reads, so that it ends in time.

    `done` is the number so far, and `most` the limit, above which `add` raises.
    """

    def __init__(self, most: int = MOST_WORK) -> None:
        """Start at 0; at most `most` numbers may be counted."""
        self.most = most
        self.done = 0

    def add(self, numbers: int) -> None:
        """Count numbers before they are read; raise ValueError above the limit."""
        self.done += numbers
        require(
            self.done <= self.most,
            f"expected a proof whose check reads fewer than {self.most} numbers",
        )


class ProofStatement(NamedTuple):
    """What a proof shows: the sentence `said`, and how many levels stay `open`.

    No level is open if the proof holds for all of them.
    """

    said: str
    open: int


class Claim(NamedTuple):
    """The claim of a proof: players, levels, and what each match costs.

    `players` has names by identifier, and `levels` six entries for each level. kinds[k]
    are the costs of a kind of match, one way round or both, None for a way that is not
    legal. `table[i][j - i - 1]` is the kind of the match of positions i < j plus 2, 1
    for no match. `ahead` is the number of lookahead rounds, and `unplayed` a table of
    the matches that are possible then: 2 for possible, 1 otherwise.
    """

    players: dict[str, str]
    levels: list[list[Any]]
    kinds: list[list[Cost | None]]
    table: list[list[int]]
    ahead: int
    unplayed: list[list[int]]

    def cost(self, white: int, black: int) -> Cost:
        """Return the cost of a match with these sides, one integer for each level.

        `white` and `black` are positions of players; the one with the first side comes
        first. Raises InvalidProof if the match is not legal with these sides.
        """
        lower_player, higher_player = sorted((white, black))
        table_entry = self.table[lower_player][higher_player - lower_player - 1]
        pair_cost = (
            self.kinds[table_entry - 2][0 if white == lower_player else -1]
            if table_entry > 1
            else None
        )
        require(
            pair_cost is not None,
            f"{white} and {black} are paired, but may not meet with these sides",
            InvalidProof,
        )
        return pair_cost or []

    def total(self, pairing: list[list[int]]) -> Cost:
        """Return the cost of a pairing, one integer for each level.

        Raises InvalidProof if one of its matches is not legal.
        """
        return [
            sum(level_costs)
            for level_costs in zip(
                *(
                    self.cost(first_player, second_player)
                    for first_player, second_player in pairing
                ),
                strict=True,
            )
        ]

    def count_matches(self, class_of: list[int]) -> Counter[tuple[int, int, int]]:
        """Count the pairs of players by their classes and their entry in the table.

        `class_of` has the class of each player. A key is the classes of the lower and
        of the higher player, and the entry; pairs that may not meet count, too.
        """
        pair_counts = Counter[tuple[int, int, int]]()
        for player, row_entries in enumerate(self.table):
            pair_counts.update(
                zip(
                    repeat(class_of[player]),
                    class_of[player + 1 :],
                    row_entries,
                    strict=False,
                )
            )
        return pair_counts


def require(
    condition: object, message: str, error: type[Exception] = ValueError
) -> None:
    """Raise `error` with this message unless the condition is true."""
    if not condition:
        raise error(message)


def read(text: str) -> Any:
    """Parse JSON whose numbers are all integers.

    Raises ValueError for anything else: a key twice, a number that is not whole or has
    more than 200 digits, or a text that is too large.
    """

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return the keys and values `pairs` of a JSON object as a dict.

        Raises ValueError if a key occurs twice.
        """
        require(len(dict(pairs)) == len(pairs), "expected each key once")
        return dict(pairs)

    def read_integer(digits: str) -> int:
        """Return the integer of a JSON number.

        Raises ValueError if it is not whole, or has more than 200 digits.
        """
        require(
            DIGITS.fullmatch(digits),
            f"found {digits[:20]}, expected a whole number, or shorter",
        )
        return int(digits)

    require(len(text) <= MOST_BYTES, "expected a smaller file")
    require(
        text.count("[") <= MOST_LISTS and text.count("{") <= MOST_OBJECTS,
        "expected fewer lists",
    )
    return json.loads(
        text,
        object_pairs_hook=read_object,
        parse_int=read_integer,
        parse_float=read_integer,
        parse_constant=read_integer,
    )


def format_json(content: Any, key: str = "") -> str:
    """Format JSON without blanks, as in proof files.

    Each key and each step has a line of its own, but not inside `options`. `key` is the
    key that has this content.
    """
    if isinstance(content, dict) and key != "options":
        entry_texts = (
            f"{format_json(entry_key)}:{format_json(entry_value, entry_key)}"
            for entry_key, entry_value in content.items()
        )
        return "{" + ",\n".join(entry_texts) + "}"
    if isinstance(content, list) and key == "steps":
        return (
            "["
            + ",\n".join(
                json.dumps(proof_step, separators=(",", ":")) for proof_step in content
            )
            + "]"
        )
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def require_keys(data: Any, keys: list[str], what: str) -> Any:
    """Return `data` if it is an object that has exactly these keys, in this order.

    Otherwise raise ValueError; `what` names the object in the message.
    """
    keys_found = [*data] if isinstance(data, dict) else []
    differing_keys = sorted({*keys} ^ {*keys_found}) or ["keys in another order"]
    require(keys_found == keys, f"{what}: expected {', '.join(differing_keys)}")
    return data


def require_list(
    data: Any, key: str, kind: type = list, width: int | None = None
) -> list[Any]:
    """Return `data` as a list if it is a list of values of the type `kind`.

    With `width`, each value must have this length. Otherwise raise ValueError; `key`
    names the list in the message.
    """
    is_of_kind = isinstance(data, list) and all(
        type(list_element) is kind for list_element in data
    )
    require(
        is_of_kind and (width is None or {*map(len, data)} <= {width}),
        f"{key}: expected a list",
    )
    return list(data)


def require_integers(data: Any, key: str, width: int | None = None) -> list[int]:
    """Return `data` if it is a list of integers, with `width` of this length.

    Otherwise raise ValueError; `key` names the list in the message.
    """
    integers = require_list(data, key, int)
    require(width in (None, len(integers)), f"{key}: expected {width} numbers")
    return integers


def decode_repeats(codes: list[int], count: int, most: int, key: str) -> list[int]:
    """Decode a list of numbers, in which -k repeats the number before k times.

    `codes` is this list. The result has `count` numbers from 0 to `most`; otherwise
    ValueError is raised. `key` names the list in the message.
    """
    decoded_numbers = list[int]()
    for repeat_code in require_integers(codes, key):
        require(
            repeat_code <= most
            and len(decoded_numbers) + max(1, -repeat_code) <= count,
            f"{key}: found {repeat_code}",
        )
        require(
            decoded_numbers or repeat_code >= 0, f"{key}: found {repeat_code} first"
        )
        decoded_numbers += (
            [repeat_code] if repeat_code >= 0 else [decoded_numbers[-1]] * -repeat_code
        )
    require(len(decoded_numbers) == count, f"{key}: expected {count} numbers")
    return decoded_numbers


def decode_runs(lengths: list[int], count: int, key: str) -> list[int]:
    """Decode a set of players from run lengths; list the players ascending.

    The runs are of players who are not in the set, then of players who are, and so on.
    `key` names the list in the message. Raises ValueError if a length is negative, or
    there are more than `count` players.
    """
    require(
        min(require_integers(lengths, key), default=0) >= 0, f"{key}: expected lengths"
    )
    run_ends = [*accumulate(lengths)]
    require(
        not run_ends or run_ends[-1] <= count, f"{key}: expected no more than {count}"
    )
    return [*chain.from_iterable(map(range, run_ends[::2], run_ends[1::2]))]


def read_matching(data: Any, count: int, key: str) -> list[list[int]]:
    """Return `data` as matches that hold each of `count` players exactly once.

    A match is a list of two positions. Otherwise raise ValueError; `key` names the
    entry in the message.
    """
    matches = require_list(data, key, list, 2)
    matched_positions = require_integers([*chain.from_iterable(matches)], key)
    require(
        sorted(matched_positions) == [*range(count)],
        f"{key}: expected each of {count} once",
    )
    return matches


def read_claim(data: Any) -> Claim:
    """Return the claim of a proof, after checking the form of its parts.

    `data` is the parsed object of the file. Raises ValueError if it is malformed.
    Whether the claim is true is not checked.
    """
    player_entries = require_list(data["players"], "players", list, 2)
    system_name = data["system"]
    require_list([*chain.from_iterable(player_entries)], "players", str)
    names_by_identifier = dict(player_entries)
    vertex_count = len(player_entries) + len(player_entries) % 2
    require(
        0 < len(player_entries) <= MOST_PLAYERS,
        f"players: expected at most {MOST_PLAYERS}",
    )
    require(len(names_by_identifier) == len(player_entries), "players: a name twice")
    require(system_name is None or type(system_name) is str, "system: expected a name")
    level_entries = require_list(data["levels"], "levels", list, 6)
    require_integers(
        [*chain.from_iterable(level_entry[3:] for level_entry in level_entries)],
        "levels",
    )
    cost_kinds = require_list(data["kinds"], "kinds")
    level_count = 0 if system_name else len(level_entries)
    for cost_kind in cost_kinds:
        side_costs = [side_cost for side_cost in cost_kind if side_cost is not None]
        require(side_costs and len(cost_kind) <= 2, "kinds: expected one way or two")
        for side_cost in require_list(side_costs, "kinds"):
            require_integers(side_cost, "kinds", level_count)
    kind_table = read_table(data["rows"], vertex_count, len(cost_kinds) + 1, "rows")
    lookahead_rounds = read_lookahead(data)
    unplayed = (
        read_table(data["unplayed"], vertex_count, 2, "unplayed")
        if lookahead_rounds
        else []
    )
    return Claim(
        names_by_identifier,
        level_entries,
        cost_kinds,
        kind_table,
        lookahead_rounds,
        unplayed,
    )


def read_lookahead(data: Any) -> int:
    """Return the number of further rounds of a lookahead, 0 without one.

    `data` is the parsed claim of a proof. Raises ValueError if its settings do not have
    the number.
    """
    require(isinstance(data, dict), f"claim: expected {', '.join(CLAIM)}")
    claim_settings = data.get("settings")
    require(isinstance(claim_settings, dict), "settings: expected an object")
    (lookahead_rounds,) = require_integers(
        [claim_settings.get("lookahead")], "settings"
    )
    require(lookahead_rounds >= 0, "settings: expected a number of rounds")
    return lookahead_rounds


def read_table(rows: Any, count: int, most: int, key: str) -> list[list[int]]:
    """Decode a table with an entry from 1 to `most` for each pair i < j.

    Row i of the result has the entries of j = i + 1, i + 2 and so on. Row i of `rows`
    has codes up to `most`. A positive code is the entry itself. The code 0 repeats the
    entry above it, in row i - 1, and stands for 1 in the first row. A code -k repeats
    the code before it k times. `count` is the number of players. Raises ValueError;
    `key` names the table in the message.
    """
    kind_table = list[list[int]]()
    entries_above = [1] * count
    require(
        len(require_list(rows, key)) == count - 1,
        f"{key}: expected one list per player",
    )
    for row_number, encoded_row in enumerate(rows, 1):
        row_codes = decode_repeats(encoded_row, count - row_number, most, key)
        entries_above = [
            entry_code or entry_above
            for entry_code, entry_above in zip(
                row_codes, entries_above[1:], strict=True
            )
        ]
        kind_table.append(entries_above)
    return kind_table


class StepDuals(NamedTuple):
    """The dual values of a step ("prices" in the file), all of them doubled.

    Players with the same dual who are in the same sets are one class. `class_of` has
    the class of each player, `duals` the dual of each class, `sets_of` the odd sets of
    each class as bits, and `sets` the dual of each odd set. `class_duals` has the dual
    of each class plus those of all its sets, `shared` the sum of the duals of several
    sets, by their bits. `work` counts the numbers that are read.
    """

    class_of: list[int]
    duals: list[Cost]
    sets_of: list[int]
    sets: list[Cost]
    class_duals: list[Cost]
    shared: dict[int, Cost]
    work: Work

    def sum_duals(self, a: int, b: int) -> Cost:
        """Return the duals of a match of two classes, a lower bound of its cost.

        A set that holds both players is not crossed, so its dual does not count. `a`
        and `b` are the classes; the result has one number for each level, doubled as in
        the file.
        """
        dual_sum = [*map(add, self.class_duals[a], self.class_duals[b])]
        common_set_bits = self.sets_of[a] & self.sets_of[b]
        if not common_set_bits:
            return dual_sum
        return [
            amount_paid - 2 * shared_dual
            for amount_paid, shared_dual in zip(
                dual_sum, self.sum_sets(common_set_bits), strict=True
            )
        ]

    def sum_sets(self, mask: int) -> Cost:
        """Return the sum of the duals of some sets, one number for each level.

        The sets are the bits of `mask`. Laminar sets have no more intersections than
        there are sets, so each sum is computed once, and kept in `shared`.
        """
        if mask not in self.shared:
            set_members = list_bits(mask)
            self.work.add((1 + len(set_members)) * len(self.duals[0]))
            set_duals = [self.sets[set_number] for set_number in set_members]
            self.shared[mask] = [
                sum(level_duals) for level_duals in zip(*set_duals, strict=True)
            ]
        return self.shared[mask]


def read_duals(
    step: Any, count: int, total: Cost, work: Work | None = None
) -> StepDuals:
    """Read the duals of a step, and group the players by equal duals and sets.

    `count` is the number of players. `work` counts what is read. Without it a new
    counter is used. Raises InvalidProof unless each set has an odd number of players
    and a dual that is not negative, and all duals together, which are doubled in the
    file, are twice the pairing's cost `total`. Raises ValueError for a malformed step.
    """
    work = work or Work()
    zero_duals = [0] * len(total)
    unpaid_cost = [2 * level_cost for level_cost in total]
    dual_values = [zero_duals] * count
    sets_of = [0] * count
    set_duals = list[Cost]()
    for entry_key in ("prices", "sets"):
        for doubled_dual_by_level, run_lengths in require_list(
            step[entry_key], entry_key, list, 2
        ):
            players = decode_runs(run_lengths, count, entry_key)
            work.add(1 + len(players) + len(total))
            require_integers(doubled_dual_by_level, entry_key, len(total))
            player_count = len(players) if entry_key == "prices" else 1
            unpaid_cost = [
                unpaid_amount - player_count * level_dual
                for unpaid_amount, level_dual in zip(
                    unpaid_cost, doubled_dual_by_level, strict=True
                )
            ]
            if entry_key == "sets":
                is_valid_set = len(players) % 2 and doubled_dual_by_level >= zero_duals
                require(
                    is_valid_set,
                    f"set {len(set_duals)} has an even number of players or a negative dual value",
                    InvalidProof,
                )
                require(len(set_duals) < count, "sets: expected no more than players")
                set_duals.append(doubled_dual_by_level)
            for player in players:
                if entry_key == "sets" and doubled_dual_by_level != zero_duals:
                    sets_of[player] |= 1 << len(set_duals) - 1
                elif entry_key == "prices":
                    require(
                        dual_values[player] is zero_duals,
                        f"prices: player {player} twice",
                    )
                    dual_values[player] = doubled_dual_by_level
    require(
        unpaid_cost == zero_duals,
        "the sum of all dual values differs from the cost of the pairing",
        InvalidProof,
    )

    class_by_dual_and_sets = dict[tuple[int, int], int]()
    class_of = [
        class_by_dual_and_sets.setdefault(
            (id(dual_values[player]), sets_of[player]), len(class_by_dual_and_sets)
        )
        for player in range(count)
    ]
    player_of_class = dict[int, int]()
    for player, player_class in enumerate(class_of):
        player_of_class.setdefault(player_class, player)
    dual_values = [dual_values[player] for player in player_of_class.values()]
    sets_of = [sets_of[player] for player in player_of_class.values()]
    step_duals = StepDuals(
        class_of, dual_values, sets_of, set_duals, [], {0: zero_duals}, work
    )
    for doubled_dual_by_level, set_bits in zip(dual_values, sets_of, strict=True):
        step_duals.class_duals.append(
            [*map(add, doubled_dual_by_level, step_duals.sum_sets(set_bits))]
        )
    return step_duals


def check_model(
    claim: Claim, pairing: list[list[int]], witness: Any, work: Work
) -> tuple[int, str]:
    """Check the proof of a model, which is a single step and perhaps a counterexample.

    No match of the `claim` may cost less than its duals in the first `shown` levels. If
    other levels stay open, the counterexample has to be better in the first of them,
    and leave no lookahead rounds. Return the number of open levels and a phrase about
    them, "" without any. `pairing` are pairs of positions, `witness` is the entry of
    the file, and `work` counts what is read. Raises InvalidProof and ValueError.
    """
    pairing_cost = claim.total(pairing)
    vertex_count = 2 * len(pairing)
    check_levels(claim.levels, pairing_cost)
    stated_level_count = witness.get("shown") if isinstance(witness, dict) else None
    (shown_level_count,) = require_integers([stated_level_count], "shown")
    require(
        0 <= shown_level_count <= len(pairing_cost),
        "shown: expected a number of levels",
    )
    open_count = len(pairing_cost) - shown_level_count
    witness_keys = [*MODEL, "counter", "components"] if open_count else MODEL
    require_keys(witness, witness_keys, "witness")
    step_duals = read_duals(
        witness, vertex_count, pairing_cost[:shown_level_count], work
    )
    pair_counts = claim.count_matches(step_duals.class_of)
    work.add(len(pair_counts) * (1 + shown_level_count))
    for first_class, second_class, table_entry in pair_counts:
        if table_entry > 1:
            side_costs = [
                side_cost[:shown_level_count]
                for side_cost in claim.kinds[table_entry - 2]
                if side_cost is not None
            ]
            least_cost = [2 * level_cost for level_cost in min(side_costs)]
            require(
                step_duals.sum_duals(first_class, second_class) <= least_cost,
                "a match costs less than its dual values",
                InvalidProof,
            )
    if not open_count:
        return 0, ""
    require(claim.ahead, "open levels, but the round has no lookahead", InvalidProof)
    counter_matches = read_matching(witness["counter"], vertex_count, "counter")
    counter_total = claim.total(counter_matches)
    is_better = (
        counter_total[:shown_level_count] == pairing_cost[:shown_level_count]
        and counter_total[shown_level_count] < pairing_cost[shown_level_count]
    )
    require(
        is_better,
        "counter: expected a counterexample that is better in the first open level",
        InvalidProof,
    )
    open_phrase = f" in the first {shown_level_count} levels; the other {open_count} are not proven"
    if claim.ahead > 1 and witness["components"] is None:
        return (
            open_count,
            f"{open_phrase}, and the file does not show that a better pairing makes the "
            "lookahead rounds impossible",
        )
    unplayed = [[*table_row] for table_row in claim.unplayed]
    for first_player, second_player in map(sorted, counter_matches):
        unplayed[first_player][second_player - first_player - 1] = 1
    check_impossible(
        claim._replace(table=unplayed), witness["components"], vertex_count, claim.ahead
    )
    return (
        open_count,
        f"{open_phrase}, but a pairing that is better in the next level makes the lookahead "
        "rounds impossible",
    )


def check_levels(levels: list[list[Any]], total: Cost) -> None:
    """Raise InvalidProof unless levels have the values of a pairing with this cost.

    The values count without their offset. `total` is that cost, one number for each
    level.
    """
    values_agree = [
        level_value - level_offset for *_, level_value, level_offset, _ in levels
    ] == total
    require(
        values_agree,
        f"levels: the values without offset differ from the pairing's cost {total}",
        InvalidProof,
    )


def check_steps(
    claim: Claim,
    pairing: list[list[int]],
    steps: list[Any],
    costs: Costs | None,
    work: Work,
) -> None:
    """Check all steps of a system, in order, with the matches that are left by then.

    `claim` has the legal matches and the levels, `pairing` are pairs of vertices, and
    `work` counts what is read. If `costs` is given, it computes the kinds and rows of a
    step by the rules, and they must be those of the file; otherwise the file is
    believed. The steps must have all levels, in order. Raises InvalidProof and
    ValueError.
    """
    vertex_count, end_level = 2 * len(pairing), 0
    possible_bits = [0] * vertex_count
    for player, row_entries in enumerate(claim.table):
        for opponent in [
            opponent
            for opponent, row_entry in enumerate(row_entries, player + 1)
            if row_entry > 1
        ]:
            possible_bits[player] |= 1 << opponent
            possible_bits[opponent] |= 1 << player
    for proof_step in steps:
        require_keys(proof_step, STEP, "step")
        step_levels = require_integers(proof_step["levels"], "levels")
        first_level, end_level = end_level, max(step_levels, default=-1) + 1
        is_in_order = (
            step_levels == sorted({*step_levels})
            and step_levels[:1] >= [0]
            and first_level < end_level <= len(claim.levels)
        )
        require(
            is_in_order
            and step_levels[first_level - end_level :]
            == [*range(first_level, end_level)],
            "levels: not in order",
            InvalidProof,
        )
        if costs is not None:
            require(
                costs(step_levels, possible_bits)
                == (proof_step["kinds"], proof_step["rows"]),
                OTHER_COSTS,
                InvalidProof,
            )
        check_step(
            [claim.levels[level_index] for level_index in step_levels],
            pairing,
            proof_step,
            possible_bits,
            work,
        )
    require(end_level == len(claim.levels), "steps: expected all levels", InvalidProof)


def check_step(
    levels: list[list[Any]],
    pairing: list[list[int]],
    step: Any,
    alive: list[int],
    work: Work,
) -> None:
    """Check the duals of a step, and remove costly matches from `alive`.

    `levels` are those of the step, `pairing` are pairs of vertices, and `step` has the
    kinds, rows, duals and odd sets. A match is costly if its reduced cost is positive:
    no optimal pairing has it. `alive` has the possible opponents of each player, as
    bits, and is changed in place. `work` counts what is read. Raises InvalidProof if a
    possible match has a negative reduced cost, or if duals or values do not add up;
    ValueError for a malformed step.
    """
    cost_kinds = require_list(step["kinds"], "kinds")
    kinds_by_player = dict[int, dict[int, int]]()
    zero_duals = [0] * len(levels)
    doubled_kinds = [
        [
            2 * level_cost
            for level_cost in require_integers(cost_kind, "kinds", len(levels))
        ]
        for cost_kind in cost_kinds
    ]
    require(
        doubled_kinds[:1] == [zero_duals],
        "kinds: expected only zeros in the first cost",
    )
    listed_bits = read_rows(step["rows"], len(cost_kinds), alive, kinds_by_player, work)
    pairing_kinds = [
        kinds_by_player.get(first_player, {}).get(
            second_player, kinds_by_player.get(second_player, {}).get(first_player, 0)
        )
        for first_player, second_player in pairing
    ]
    pairing_cost = [
        sum(level_costs) // 2
        for level_costs in zip(
            *map(doubled_kinds.__getitem__, pairing_kinds), strict=True
        )
    ]
    check_levels(levels, pairing_cost)
    step_duals = read_duals(step, len(alive), pairing_cost, work)

    def check_matches(
        player: int, opponents: int, opponent_class: int, kind: int
    ) -> None:
        """Check a player's matches of one kind with opponents of one class.

        `opponents` are bits, `opponent_class` is the class of all of them, and `kind`
        the index of the matches' cost. Matches that cost more than their dual values
        are removed from `alive`, both ways. Without opponents nothing is checked.
        Raises InvalidProof if they cost less.
        """
        amount_paid = step_duals.sum_duals(step_duals.class_of[player], opponent_class)
        if opponents and amount_paid != doubled_kinds[kind]:
            require(
                amount_paid < doubled_kinds[kind],
                f"a possible match of player {player} costs less than its dual values",
                InvalidProof,
            )
            alive[player] &= ~opponents
            for opponent in list_bits(opponents):
                alive[opponent] &= ~(1 << player)

    for player, kind_of_opponent in kinds_by_player.items():
        opponents_by_class_and_kind = dict[tuple[int, int], int]()
        for opponent, kind in kind_of_opponent.items():
            class_and_kind = step_duals.class_of[opponent], kind
            opponents_by_class_and_kind[class_and_kind] = (
                opponents_by_class_and_kind.get(class_and_kind, 0) | 1 << opponent
            )
        work.add(len(opponents_by_class_and_kind) * len(levels))
        for (
            opponent_class,
            kind,
        ), opponent_bits in opponents_by_class_and_kind.items():
            check_matches(player, opponent_bits, opponent_class, kind)

    unlisted_bits_of_class = [0] * len(step_duals.duals)
    players_of_class = [list[int]() for _ in step_duals.duals]
    for player, player_class in enumerate(step_duals.class_of):
        if not listed_bits >> player & 1:
            unlisted_bits_of_class[player_class] |= 1 << player
            players_of_class[player_class].append(player)
    class_count = len(unlisted_bits_of_class)
    work.add(class_count * (class_count + 1) // 2 * len(levels))
    for first_class, second_class in combinations_with_replacement(
        [*range(class_count)], 2
    ):
        checked_players = (
            players_of_class[first_class]
            if step_duals.sum_duals(first_class, second_class) != zero_duals
            else []
        )
        work.add(len(checked_players) * len(levels))
        for player in checked_players:
            opponent_bits = alive[player] & unlisted_bits_of_class[second_class]
            check_matches(player, opponent_bits, second_class, 0)


def read_rows(
    rows: Any,
    kinds: int,
    alive: list[int],
    kind_of: dict[int, dict[int, int]],
    work: Work,
) -> int:
    """Read the kinds of the possible matches of the players that the rows list.

    They are put into `kind_of`, by player and opponent. Returns the listed players as
    bits. `kinds` is the number of kinds. `alive` has the possible opponents of each
    player, as bits, and `work` counts what is read. Raises ValueError.
    """
    listed_bits = 0
    for listed_row in require_list(rows, "rows"):
        require(listed_row, "rows: expected players")
        player, *row_codes = require_integers(listed_row, "rows")
        require(
            0 <= player < len(alive) and not listed_bits >> player & 1,
            "rows: expected players, each once",
        )
        opponents = list_bits(alive[player] & ~listed_bits)
        work.add(1 + len(opponents))
        row_kinds = decode_repeats(row_codes, len(opponents), kinds - 1, "rows")
        kind_of[player] = dict(zip(opponents, row_kinds, strict=True))
        listed_bits |= 1 << player
    return listed_bits


def list_bits(mask: int) -> list[int]:
    """Return the positions of the bits of an integer that are 1, in ascending order.

    The integer `mask` is not negative.
    """
    if 8 * mask.bit_count() > mask.bit_length():
        return [
            bit_position
            for bit_position, binary_digit in enumerate(reversed(bin(mask)))
            if binary_digit == "1"
        ]
    bit_positions = list[int]()
    while mask:
        bit_positions.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return bit_positions


def check_impossible(
    claim: Claim, components: Any, count: int, rounds: int = 1
) -> None:
    """Check that pairings without a common match cannot exist (Tutte's condition).

    It is impossible to have `rounds` of them; with 1 there is no pairing at all.
    `claim` has the matches that are possible. `components` are disjoint sets of players
    as runs of positions, and `count` is the number of players. Nothing is returned.
    Raises InvalidProof if too few components are odd for the matches that join two of
    them, and ValueError for malformed sets.
    """
    components_as_lists = [
        decode_runs(component, count, "components")
        for component in require_list(components, "components")
    ]
    component_of_player = [0] * count
    for component_number, player in [
        (component_number, player)
        for component_number, component in enumerate(components_as_lists, 1)
        for player in component
    ]:
        require(not component_of_player[player], f"components: player {player} twice")
        component_of_player[player] = component_number
    crossing_count = sum(
        pair_count
        for (
            first_component,
            second_component,
            table_entry,
        ), pair_count in claim.count_matches(component_of_player).items()
        if table_entry > 1
        and first_component != second_component
        and first_component
        and second_component
    )
    odd_count = sum(len(component) % 2 for component in components_as_lists)
    is_impossible = 2 * crossing_count < rounds * (
        odd_count - component_of_player.count(0)
    )
    require(
        is_impossible,
        f"too few components are odd: {crossing_count} matches join two components",
        InvalidProof,
    )


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as a list with this value alone."""
    return value if isinstance(value, list) else [value]


def describe_requests(claim: Any, names: dict[str, str]) -> str:
    """Describe the requests of a claim, such as forced matches, to end a sentence.

    `names` has the players' names by identifier; others are written as they are. The
    text is "" without requests, otherwise it begins with " among those with". Raises
    ValueError if the options are no object.
    """
    claim_options = claim["options"]
    require(isinstance(claim_options, dict), "options: expected an object")
    request_texts = []
    for option_name, option_value in claim_options.items():
        player_groups = [*map(as_list, as_list(option_value))]
        request_labels = [
            " - ".join(names.get(str(player), str(player)) for player in player_group)
            for player_group in player_groups
        ]
        request_template = REQUEST_TEXTS.get(
            option_name, f"{option_name.replace('_', ' ')} {{}}"
        )
        request_texts.append(request_template.format(", ".join(request_labels)))
    return f" among those with {'; '.join(request_texts)}" if request_texts else ""


def verify(
    data: Any, costs: Costs | None = None, work: Work | None = None
) -> ProofStatement:
    """Check the content of a proof file, and return what it shows.

    `data` is the parsed JSON. If `costs` is given, the kinds and rows of each step of a
    pairing system are compared with the rules; otherwise the claim is taken as true.
    `work` counts and limits what is read. The result is a sentence and the number of
    open levels. Raises InvalidProof, and ValueError if the proof is malformed or takes
    too much work.
    """
    work = work or Work()
    require(
        isinstance(data, dict) and data.get("format") == "pairopt-proof",
        "expected a proof",
    )
    if repr(data.get("version")) in ("1", "2"):
        require(False, f"version {data['version']} has no claim: write the proof again")
    require_keys(data, FILE, "the file")
    require(repr(data["version"]) == "3", "version: expected 3")
    require(
        PROGRAM.fullmatch(str(data["program"])),
        "program: expected its name and version",
    )
    claim_keys = [*CLAIM, "unplayed"] if read_lookahead(data["claim"]) else CLAIM
    stated_claim = require_keys(data["claim"], claim_keys, "claim")
    witness = data["witness"]
    claim = read_claim(stated_claim)
    pairing = stated_claim["pairing"]
    vertex_count = len(claim.table) + 1
    stated_further = require_list(stated_claim["further"], "further")
    requests_phrase = describe_requests(stated_claim, claim.players)
    if pairing is None:
        require_keys(witness, ["components"], "witness")
        require(
            not stated_further and not claim.levels,
            "levels: expected none, because there is no pairing",
        )
        check_impossible(claim, witness["components"], vertex_count)
        return ProofStatement(f"There is no pairing{requests_phrase}.", 0)
    claim.total(read_matching(pairing, vertex_count, "pairing"))
    require(
        pairing == sorted(pairing, key=min),
        "pairing: expected ascending order of the lower positions",
    )
    require(
        len(stated_further) == claim.ahead,
        f"further: expected {claim.ahead} rounds",
        InvalidProof,
    )
    further_rounds = [
        sorted(map(sorted, read_matching(round_matches, vertex_count, "further")))
        for round_matches in stated_further
    ]
    require(
        stated_further == sorted(further_rounds), "further: expected ascending order"
    )
    further_pairs = [
        (first_player, second_player)
        for round_matches in further_rounds
        for first_player, second_player in round_matches
    ]
    pairs_met = {
        *further_pairs,
        *((min(match_pair), max(match_pair)) for match_pair in pairing),
    }
    require(
        2 * len(pairs_met) == vertex_count * (1 + len(stated_further)),
        "two players meet twice",
        InvalidProof,
    )
    are_unplayed = all(
        claim.unplayed[first_player][second_player - first_player - 1] > 1
        for first_player, second_player in further_pairs
    )
    require(are_unplayed, "further: two players have met before", InvalidProof)
    open_count, open_phrase = 0, ""
    if stated_claim["system"] is None:
        open_count, open_phrase = check_model(claim, pairing, witness, work)
    else:
        require_keys(witness, ["steps"], "witness")
        proof_steps = require_list(witness["steps"], "steps", dict)
        check_steps(claim, pairing, proof_steps, costs, work)
    return ProofStatement(
        f"No pairing of these {len(claim.players)} players is better{requests_phrase}{open_phrase}.",
        open_count,
    )


def verify_file(content: bytes) -> ProofStatement:
    """Check the bytes of a proof file, and return what the proof shows.

    They must be exactly as pairopt writes them. `content` is these bytes. Raises
    InvalidProof, and ValueError if the file is malformed.
    """
    file_text = content.decode()
    file_content = read(file_text)
    statement = verify(file_content)
    require(f"{format_json(file_content)}\n" == file_text, AS_WRITTEN)
    return statement


if __name__ == "__main__":
    try:
        content = Path(*sys.argv[1:2]).read_bytes()
        statement = verify_file(content)
        print(
            "The proof holds:",
            ascii(statement.said)[1:-1],
            hashlib.sha256(content).hexdigest(),
        )
    except (InvalidProof, OSError, RecursionError, ValueError) as error:
        print(f"No proof: {error!a}")
        sys.exit(1 if isinstance(error, InvalidProof) else 3)
    sys.exit(4 if statement.open else 0)
