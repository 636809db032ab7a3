"""Generate a random tournament from a configuration, a model report or a seed (-g)."""

import random
import secrets
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from pairopt.cli.fide import reports
from pairopt.cli.fide.arguments import FideArguments
from pairopt.cli.fide.pair import NO_PAIRING, find_checklist_path, format_checklist
from pairopt.cli.fide.random_tournament import (
    STANDARD,
    EventRates,
    RandomPlayer,
    random_entrants,
    random_report,
)
from pairopt.cli.fide.reports import TrfReport, resolve_output_path
from pairopt.common.limits import MOST_SEED, parse_digits
from pairopt.common.serialization import read_package_toml
from pairopt.errors import Fault, InputError, TextLocation, UsageError
from pairopt.event.arcs import BoolArray
from pairopt.event.event import FORFEIT, NO_RATING, PLAYED, REQUESTED
from pairopt.files.csv_schema import parse_number
from pairopt.files.formats.trf.records import CODE_OF, parse_records
from pairopt.files.formats.trf.records import POINTS as POINTS_OF
from pairopt.files.text_source import decode_text
from pairopt.round.result import Result

MOST_RATING = 9999
TABLES = read_package_toml("pairopt.cli.fide", "generating.toml")
POINTS, ONE_IN, IN_A_HUNDRED, NUMBERS, BETWEEN, UP_TO = (
    TABLES[name]
    for name in ("points", "one_in", "in_a_hundred", "numbers", "between", "up_to")
)
SYSTEMS = tuple(
    {name: Decimal(value) for name, value in zip(POINTS_OF, line.split(), strict=True)}
    for line in TABLES["systems"]
)
"""Systems of points, by the names of the code XXS."""


@dataclass(frozen=True, slots=True)
class GeneratorConfig:
    """The content of a configuration: numbers and rates by name, and points.

    If `points` is None there is no configuration: points are drawn, too, and adjusted
    points, which other programs may refuse (299).
    """

    numbers: dict[str, float]
    points: dict[str, Decimal] | None


def generate_tournaments(call: FideArguments) -> int:
    """Write the report of a random tournament, and return the exit code.

    The argument of -g is a configuration or a seed.
    """
    settings = call.given["-g"]
    seed = call.number("-s", MOST_SEED)
    if seed is None:
        seed_argument = parse_digits(settings, MOST_SEED)
        if seed_argument is not None:
            settings = ""
            seed = seed_argument
    if seed is None:
        seed = secrets.randbelow(2**31)

    if call.inputs:
        rates = rates_like(reports.read_report(call.inputs[0], call.system), call)
    else:
        config = GeneratorConfig({}, None)
        if settings:
            config = read_configuration(settings)
        rates = draw_rates(seed, config, call)

    target = resolve_output_path("".join(call.inputs) or settings, call.given["-o"])
    checklists: list[str] = []

    def keep_checklist(result: Result) -> None:
        """Keep the checklist of a round."""
        checklist = format_checklist(result.problem, result.arcs)
        checklists.append(f"Round #{result.round}\n{checklist}\n")

    watch = keep_checklist if call.has("-l") else None
    tournament = random_report(rates, seed, watch)
    reports.write(target, tournament.text)
    if call.has("-l"):
        reports.write(
            find_checklist_path(str(target), call.given["-l"]), "".join(checklists)
        )

    if tournament.complete:
        return reports.EXIT_DONE
    reports.print_error(f"{target}: {NO_PAIRING} in the round after these")
    return reports.EXIT_NO_PAIRING


def draw_rates(seed: int, config: GeneratorConfig, call: FideArguments) -> EventRates:
    """Draw the rates of a tournament that a configuration does not set.

    The order of the draws decides what a seed gives. Raise UsageError for ratings that
    do not fit.
    """
    rng = random.Random(f"rates {seed}")  # noqa: S311 - a tournament, no secret
    drawn_numbers = {
        name: low + int(rng.random() * (high - low + 1))
        for name, (low, high) in BETWEEN.items()
    }
    number = {
        name: int(config.numbers.get(name, drawn))
        for name, drawn in drawn_numbers.items()
    }
    if "rounds" not in config.numbers:
        number["rounds"] = max(min(number["rounds"], number["players"] - 2), 1)
    if not 0 <= number["lowest"] <= number["highest"] <= MOST_RATING:
        raise UsageError(
            f"expected ratings from 0 to {MOST_RATING}, the lowest below the highest"
        )

    rates = {name: rng.random() * most for name, most in UP_TO.items()}
    rates |= {name: value for name, value in config.numbers.items() if name in UP_TO}
    points = config.points
    if points is None:
        # Half of the tournaments have the first system.
        index = int(rng.random() * 2 * len(SYSTEMS))
        points = SYSTEMS[index] if index < len(SYSTEMS) else SYSTEMS[0]
        if rng.random() >= 1 / 2:
            rates["adjusted"] = 0.0
    else:
        rates["adjusted"] = config.numbers.get("adjusted", 0.0)
    is_accelerated = call.has("-b") or (config.points is None and rng.random() < 1 / 4)

    players = random_entrants(
        number["players"], number["highest"], number["lowest"], seed
    )
    return EventRates(
        players,
        rounds=number["rounds"],
        system=_system(call),
        points=points,
        forbidden=number["forbidden"],
        accelerated=is_accelerated,
        **rates,
    )


def read_configuration(path: str) -> GeneratorConfig:
    """Read a configuration, which has one line KEY=VALUE per setting.

    Raise InputError for lines that are no setting.
    """
    numbers = dict[str, float]()
    points = {**STANDARD}
    has_allocated = False
    faults = []
    lines = decode_text(path, reports.read_bytes(path)).text.splitlines()
    for number, line in enumerate(lines, 1):
        key, _, value = (part.strip() for part in line.partition("="))
        if not line.strip() or line[0] in "#!" or key in TABLES["unused"]:
            continue
        try:
            amount = parse_number(value)
            if amount is None or not 0 <= amount <= MOST_RATING:
                raise ValueError
            if key in POINTS:
                codes = POINTS[key]
                # The points of a win do not replace those of the bye (PAB), the last
                # code.
                if has_allocated and key == "PointsForWin":
                    codes = codes[:-1]
                points |= dict.fromkeys(codes, amount)
                if key in ("PointsForPAB", "PABPoints"):
                    has_allocated = True
            elif key in ONE_IN:
                numbers[ONE_IN[key]] = 1 / float(max(amount, Decimal(1)))
            elif key in IN_A_HUNDRED:
                numbers[IN_A_HUNDRED[key]] = float(amount) / 100
            else:
                numbers[NUMBERS[key]] = int(amount)
        except (ValueError, KeyError):
            faults.append(
                Fault(
                    f"found {line.strip()!r}, expected a key and a number of the "
                    "configuration",
                    TextLocation(number),
                )
            )
    if faults:
        raise InputError(path, faults)
    return GeneratorConfig(numbers, points)


def rates_like(report: TrfReport, call: FideArguments) -> EventRates:
    """Return rates with which a tournament resembles a report.

    It has the players and rounds of the report, and what happened as often.
    """
    event = report.event
    rows = event.matches
    games, forfeits, byes = (
        rows.take(rows.status == status) for status in (PLAYED, FORFEIT, REQUESTED)
    )
    points = parse_records(report.source.text.splitlines()).collect_points()
    rating = np.where(event.rating == NO_RATING, 0, event.rating // event.rating_scale)

    bye_points = byes.score1 / event.scale
    is_full = bye_points == float(points["W"])
    is_zero = (bye_points == float(points["ZPB"])) & ~is_full
    is_half = ~is_zero & ~is_full
    player_count = len(event.players)
    match_count = max(len(games) + len(forfeits), 1)

    whole_event = (None, (1, event.settings.rounds))
    is_ranged = np.array([pair.rounds not in whole_event for pair in event.prohibited])
    is_adjusted = (event.adjusted != 0).any(axis=1) | (event.brought != 0)
    is_draw = games.score1 == games.score2
    is_single = forfeits.score1 != forfeits.score2
    is_accelerated = call.has("-b") or bool(event.acceleration.any())
    players = map(RandomPlayer, event.names, rating.tolist())
    return EventRates(
        tuple(players),
        rounds=event.settings.rounds or max(event.round - 1, 1),
        system=_system(call) if call.system else report.model.name,
        draws=_share(is_draw, len(games)),
        forfeits=_share(is_single, match_count),
        double_forfeits=_share(~is_single, match_count),
        zero_byes=_share(is_zero, player_count),
        half_byes=_share(is_half, player_count),
        full_byes=_share(is_full, player_count),
        odd=0.0,
        late=0.0,
        withdrawn=0.0,
        forbidden=len(is_ranged),
        ranged=_share(is_ranged, len(is_ranged)),
        adjusted=_share(is_adjusted, player_count),
        accelerated=is_accelerated,
        points=points,
    )


def _share(mask: BoolArray, total: int) -> float:
    """Return how many entries of a mask are true, per `total` but at least 1."""
    return float(mask.sum()) / max(total, 1)


def _system(call: FideArguments) -> str:
    """Return the model of the pairing system, by default the Dutch one.

    Raise UsageError for an unknown system.
    """
    name = f"fide-{call.system or 'dutch'}"
    if name not in CODE_OF:
        raise UsageError(f"there is no system --{call.system}")
    return name
