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

    `numbers` has only those that the configuration sets, with rates from 0 to 1. If
    `points` is None there is no configuration: points are drawn, too, and adjusted
    points (record 299), which other programs may refuse.
    """

    numbers: dict[str, float]
    points: dict[str, Decimal] | None


def generate_tournaments(call: FideArguments) -> int:
    """Write the report of a random tournament to the file of -o; return the exit code.

    The argument of -g is a configuration or a seed, -s has the seed, too. Without both
    the seed is random. An input is a report that the tournament resembles; then the
    configuration is not read. If a round has no pairing, the rounds before it are
    written, and the exit code says so. With -l the checklists of all rounds are
    written. Raise UsageError, InputError and FileAccessError for faults of the
    arguments and files.
    """
    configuration_path = call.given["-g"]
    seed = call.number("-s", MOST_SEED)
    if seed is None:
        seed_argument = parse_digits(configuration_path, MOST_SEED)
        if seed_argument is not None:
            configuration_path = ""
            seed = seed_argument
    if seed is None:
        seed = secrets.randbelow(2**31)

    if call.inputs:
        event_rates = rates_like(reports.read_report(call.inputs[0], call.system), call)
    else:
        generator_config = GeneratorConfig({}, None)
        if configuration_path:
            generator_config = read_configuration(configuration_path)
        event_rates = draw_rates(seed, generator_config, call)

    report_path = resolve_output_path(
        "".join(call.inputs) or configuration_path, call.given["-o"]
    )
    round_checklists: list[str] = []

    def keep_checklist(result: Result) -> None:
        """Append the checklist of a round to `round_checklists`.

        They are written at the end.
        """
        checklist = format_checklist(result.problem, result.arcs)
        round_checklists.append(f"Round #{result.round}\n{checklist}\n")

    result_watcher = keep_checklist if call.has("-l") else None
    random_tournament = random_report(event_rates, seed, result_watcher)
    reports.write(report_path, random_tournament.text)
    if call.has("-l"):
        reports.write(
            find_checklist_path(str(report_path), call.given["-l"]),
            "".join(round_checklists),
        )

    if random_tournament.complete:
        return reports.EXIT_DONE
    reports.print_error(f"{report_path}: {NO_PAIRING} in the round after these")
    return reports.EXIT_NO_PAIRING


def draw_rates(seed: int, config: GeneratorConfig, call: FideArguments) -> EventRates:
    """Return the rates of a random tournament, with its players.

    Numbers and rates are those of the configuration; those that it does not set are
    drawn. Drawn rounds are at most two fewer than the players, but at least one. If the
    `points` of the configuration are None, points, adjusted points and acceleration are
    drawn, too; otherwise nobody gets adjusted points unless it says so. `call` says the
    system, and with its option -b the tournament is accelerated. Equal seeds give equal
    rates. Raise UsageError for ratings that do not fit.
    """
    # The order of the draws decides what a seed gives.
    rng = random.Random(f"rates {seed}")  # noqa: S311 - a tournament, no secret
    drawn_numbers = {
        number_name: lowest_number
        + int(rng.random() * (highest_number - lowest_number + 1))
        for number_name, (lowest_number, highest_number) in BETWEEN.items()
    }
    numbers_by_name = {
        number_name: int(config.numbers.get(number_name, drawn_number))
        for number_name, drawn_number in drawn_numbers.items()
    }
    if "rounds" not in config.numbers:
        numbers_by_name["rounds"] = max(
            min(numbers_by_name["rounds"], numbers_by_name["players"] - 2),
            1,
        )
    if not 0 <= numbers_by_name["lowest"] <= numbers_by_name["highest"] <= MOST_RATING:
        raise UsageError(
            f"expected ratings from 0 to {MOST_RATING}, the lowest below the highest"
        )

    rate_by_name = {
        rate_name: rng.random() * highest_rate
        for rate_name, highest_rate in UP_TO.items()
    }
    rate_by_name |= {
        rate_name: configured_rate
        for rate_name, configured_rate in config.numbers.items()
        if rate_name in UP_TO
    }
    points_by_code = config.points
    if points_by_code is None:
        # Half of the tournaments have the first system.
        system_index = int(rng.random() * 2 * len(SYSTEMS))
        points_by_code = (
            SYSTEMS[system_index] if system_index < len(SYSTEMS) else SYSTEMS[0]
        )
        if rng.random() >= 1 / 2:
            rate_by_name["adjusted"] = 0.0
    else:
        rate_by_name["adjusted"] = config.numbers.get("adjusted", 0.0)
    is_accelerated = call.has("-b") or (config.points is None and rng.random() < 1 / 4)

    drawn_players = random_entrants(
        numbers_by_name["players"],
        numbers_by_name["highest"],
        numbers_by_name["lowest"],
        seed,
    )
    return EventRates(
        drawn_players,
        rounds=numbers_by_name["rounds"],
        system=_find_model_name(call),
        points=points_by_code,
        forbidden=numbers_by_name["forbidden"],
        accelerated=is_accelerated,
        **rate_by_name,
    )


def read_configuration(path: str) -> GeneratorConfig:
    """Read a configuration, which has one line KEY=VALUE per setting.

    Empty lines, comments (# or !) and keys of other programs that mean nothing here are
    skipped. Rates become numbers from 0 to 1, whatever the key counts in. Points that
    are not set are the usual ones of chess. Raise InputError with every line that is no
    setting.
    """
    values_by_name = dict[str, float]()
    points_by_code = {**STANDARD}
    has_bye_points = False
    faults = []
    configuration_lines = decode_text(path, reports.read_bytes(path)).text.splitlines()
    for line_number, configuration_line in enumerate(configuration_lines, 1):
        setting_name, _, number_text = (
            setting_part.strip() for setting_part in configuration_line.partition("=")
        )
        if (
            not configuration_line.strip()
            or configuration_line[0] in "#!"
            or setting_name in TABLES["unused"]
        ):
            continue
        try:
            setting_number = parse_number(number_text)
            if setting_number is None or not 0 <= setting_number <= MOST_RATING:
                raise ValueError
            if setting_name in POINTS:
                point_codes = POINTS[setting_name]
                # The points of a win do not replace those of the bye (PAB), the last
                # code.
                if has_bye_points and setting_name == "PointsForWin":
                    point_codes = point_codes[:-1]
                points_by_code |= dict.fromkeys(point_codes, setting_number)
                if setting_name in ("PointsForPAB", "PABPoints"):
                    has_bye_points = True
            elif setting_name in ONE_IN:
                values_by_name[ONE_IN[setting_name]] = 1 / float(
                    max(setting_number, Decimal(1))
                )
            elif setting_name in IN_A_HUNDRED:
                values_by_name[IN_A_HUNDRED[setting_name]] = float(setting_number) / 100
            else:
                values_by_name[NUMBERS[setting_name]] = int(setting_number)
        except (ValueError, KeyError):
            faults.append(
                Fault(
                    f"found {configuration_line.strip()!r}, expected a key and a number of the "
                    "configuration",
                    TextLocation(line_number),
                )
            )
    if faults:
        raise InputError(path, faults)
    return GeneratorConfig(values_by_name, points_by_code)


def rates_like(report: TrfReport, call: FideArguments) -> EventRates:
    """Return rates with which a tournament resembles a report.

    It has the players, rounds and points of the report, and draws, forfeits, byes and
    adjusted points as often. Late entries, withdrawals and odd results do not happen.
    `call` can name another system, and ask for acceleration. Raise UsageError for an
    unknown system.
    """
    event = report.event
    event_matches = event.matches
    played_games, forfeited_games, requested_byes = (
        event_matches.take(event_matches.status == status_code)
        for status_code in (PLAYED, FORFEIT, REQUESTED)
    )
    points_by_result = parse_records(report.source.text.splitlines()).collect_points()
    rating_points = np.where(
        event.rating == NO_RATING, 0, event.rating // event.rating_scale
    )

    bye_points = requested_byes.score1 / event.scale
    is_full_bye = bye_points == float(points_by_result["W"])
    is_zero_bye = (bye_points == float(points_by_result["ZPB"])) & ~is_full_bye
    is_half_bye = ~is_zero_bye & ~is_full_bye
    player_count = len(event.players)
    match_count = max(len(played_games) + len(forfeited_games), 1)

    unlimited_rounds = (None, (1, event.settings.rounds))
    is_ranged_pair = np.array(
        [
            forbidden_pair.rounds not in unlimited_rounds
            for forbidden_pair in event.prohibited
        ]
    )
    is_adjusted_player = (event.adjusted != 0).any(axis=1) | (event.brought != 0)
    is_draw = played_games.score1 == played_games.score2
    is_single_forfeit = forfeited_games.score1 != forfeited_games.score2
    is_accelerated = call.has("-b") or bool(event.acceleration.any())
    report_players = map(RandomPlayer, event.names, rating_points.tolist())
    return EventRates(
        tuple(report_players),
        rounds=event.settings.rounds or max(event.round - 1, 1),
        system=_find_model_name(call) if call.system else report.model.name,
        draws=_compute_share(is_draw, len(played_games)),
        forfeits=_compute_share(is_single_forfeit, match_count),
        double_forfeits=_compute_share(~is_single_forfeit, match_count),
        zero_byes=_compute_share(is_zero_bye, player_count),
        half_byes=_compute_share(is_half_bye, player_count),
        full_byes=_compute_share(is_full_bye, player_count),
        odd=0.0,
        late=0.0,
        withdrawn=0.0,
        forbidden=len(is_ranged_pair),
        ranged=_compute_share(is_ranged_pair, len(is_ranged_pair)),
        adjusted=_compute_share(is_adjusted_player, player_count),
        accelerated=is_accelerated,
        points=points_by_result,
    )


def _compute_share(mask: BoolArray, total: int) -> float:
    """Return the number of true elements of a mask divided by `total`.

    A total of 0 counts as 1.
    """
    return float(mask.sum()) / max(total, 1)


def _find_model_name(call: FideArguments) -> str:
    """Return the name of the model of the call's pairing system.

    Without a system it is "fide-dutch". Raise UsageError for an unknown system.
    """
    model_name = f"fide-{call.system or 'dutch'}"
    if model_name not in CODE_OF:
        raise UsageError(f"there is no system --{call.system}")
    return model_name
