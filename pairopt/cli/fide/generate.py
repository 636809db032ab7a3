"""-g: a random tournament, by a configuration, a model report, or nothing but a seed."""

import random
import secrets
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from pairopt.cli.fide import reports
from pairopt.cli.fide.arguments import FideArguments
from pairopt.cli.fide.pair import NO_PAIRING, checklist_of, list_of
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


@dataclass(frozen=True, slots=True)
class GeneratorConfig:
    """What a configuration says: numbers and rates by their names here, and points. Without one all
    is drawn, also points (None) and what other programs may refuse (299).
    """

    said: dict[str, float]
    points: dict[str, Decimal] | None


def generate_tournaments(call: FideArguments) -> int:
    settings, seed = call.given["-g"], call.number("-s", MOST_SEED)
    if seed is None and (number := parse_digits(settings, MOST_SEED)) is not None:
        settings, seed = "", number
    if seed is None:
        seed = secrets.randbelow(2**31)
    if call.inputs:
        rates = like(reports.read_report(call.inputs[0], call.system), call)
    else:
        said = configuration(settings) if settings else GeneratorConfig({}, None)
        rates = draw_rates(seed, said, call)
    target = resolve_output_path("".join(call.inputs) or settings, call.given["-o"])
    lists: list[str] = []

    def watch(result: Result) -> None:
        lists.append(
            f"Round #{result.round}\n{checklist_of(result.problem, result.arcs)}\n"
        )

    made = random_report(rates, seed, watch if call.has("-l") else None)
    reports.write(target, made.text)
    if call.has("-l"):
        reports.write(list_of(str(target), call.given["-l"]), "".join(lists))
    if made.complete:
        return reports.EXIT_DONE
    reports.say(f"{target}: {NO_PAIRING} in the round after these")
    return reports.EXIT_NO_PAIRING


def draw_rates(seed: int, given: GeneratorConfig, call: FideArguments) -> EventRates:
    rng = random.Random(f"rates {seed}")  # noqa: S311 - a tournament, no secret
    lots = {
        name: low + int(rng.random() * (high - low + 1))
        for name, (low, high) in BETWEEN.items()
    }
    number = {name: int(given.said.get(name, lot)) for name, lot in lots.items()}
    if "rounds" not in given.said:
        number["rounds"] = max(min(number["rounds"], number["players"] - 2), 1)
    if not 0 <= number["lowest"] <= number["highest"] <= MOST_RATING:
        raise UsageError(
            f"expected ratings from 0 to {MOST_RATING}, the lowest below the highest"
        )
    rates = {name: rng.random() * most for name, most in UP_TO.items()}
    rates |= {name: value for name, value in given.said.items() if name in UP_TO}
    points = given.points
    if points is None:
        which = int(rng.random() * 2 * len(SYSTEMS))
        points = SYSTEMS[which] if which < len(SYSTEMS) else SYSTEMS[0]
        rates["adjusted"] *= rng.random() < 1 / 2
    else:
        rates["adjusted"] = given.said.get("adjusted", 0.0)
    baku = call.has("-b") or (given.points is None and rng.random() < 1 / 4)
    players = random_entrants(
        number["players"], number["highest"], number["lowest"], seed
    )
    return EventRates(
        players,
        rounds=number["rounds"],
        system=_system(call),
        points=points,
        forbidden=number["forbidden"],
        accelerated=baku,
        **rates,
    )


def configuration(path: str) -> GeneratorConfig:
    """What a configuration says, a line KEY=VALUE each. Raises InputError for any other."""
    said, points, allocated, faults = dict[str, float](), {**STANDARD}, False, []
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
                of = POINTS[key][: -1 if allocated and key == "PointsForWin" else None]
                points |= dict.fromkeys(of, amount)
                allocated = allocated or key in ("PointsForPAB", "PABPoints")
            elif key in ONE_IN:
                said[ONE_IN[key]] = 1 / float(max(amount, Decimal(1)))
            elif key in IN_A_HUNDRED:
                said[IN_A_HUNDRED[key]] = float(amount) / 100
            else:
                said[NUMBERS[key]] = int(amount)
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
    return GeneratorConfig(said, points)


def like(report: TrfReport, call: FideArguments) -> EventRates:
    """What a tournament was made by: its players and rounds, and how often what happened."""
    event, rows = report.event, report.event.matches
    games, forfeits, asked = (
        rows.take(rows.status == each) for each in (PLAYED, FORFEIT, REQUESTED)
    )
    points = parse_records(report.source.text.splitlines()).points()
    rating = np.where(event.rating == NO_RATING, 0, event.rating // event.rating_scale)
    worth = asked.score1 / event.scale
    full, none = worth >= float(points["W"]), worth == float(points["ZPB"])
    many = max(len(games) + len(forfeits), 1)
    whole, count = (None, (1, event.settings.rounds)), len(event.players)
    ranged = np.array([each.rounds not in whole for each in event.prohibited])
    adjusted = (event.adjusted != 0).any(axis=1) | (event.brought != 0)
    return EventRates(
        tuple(map(RandomPlayer, event.names, rating.tolist())),
        rounds=event.settings.rounds or max(event.round - 1, 1),
        system=_system(call) if call.system else report.model.name,
        draws=_share(games.score1 == games.score2, len(games)),
        forfeits=_share(forfeits.score1 != forfeits.score2, many),
        double_forfeits=_share(forfeits.score1 == forfeits.score2, many),
        zero_byes=_share(none & ~full, count),
        half_byes=_share(~none & ~full, count),
        full_byes=_share(full, count),
        odd=0.0,
        late=0.0,
        withdrawn=0.0,
        forbidden=len(ranged),
        ranged=_share(ranged, len(ranged)),
        adjusted=_share(adjusted, count),
        accelerated=call.has("-b") or bool(event.acceleration.any()),
        points=points,
    )


def _share(which: BoolArray, of: int) -> float:
    return float(which.sum()) / max(of, 1)


def _system(call: FideArguments) -> str:
    name = f"fide-{call.system or 'dutch'}"
    if name not in CODE_OF:
        raise UsageError(f"there is no system --{call.system}")
    return name
