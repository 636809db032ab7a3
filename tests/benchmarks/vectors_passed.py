"""What programs pass of the test vectors of examples/vectors, in one run; see README.md here.

python tests/benchmarks/vectors_passed.py -o tests/benchmarks/results/vectors.csv
python tests/benchmarks/vectors_passed.py --summary tests/benchmarks/results/vectors.csv
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pandas as pd
from rounds import machine

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "vectors"))

import answer

from pairopt import Event, read_event

FOLDER = Path(__file__).parents[2] / "examples" / "vectors"
Facts = dict[str, Any]
Pairs = Sequence[Sequence[str | None]]
PACKAGES = ("caissify-pairings", "gacrux", "py4swiss", "swisspair")
VERDICTS = ("best", "without", "legal", "wrong", "failed")


@dataclass(frozen=True)
class Program:
    """What answers, and of which vectors."""

    pairs: Callable[[Facts], Pairs]
    takes: Callable[[dict[str, Any]], bool]


def _by(engine: str) -> Callable[[Facts], Pairs]:
    return lambda facts: answer.pairing(answer.result(facts, engine=engine))


def _event(facts: Facts) -> Event:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "round.trf")
        path.write_text(facts["trf"], encoding="utf-8")
        return read_event(path)


def _added_up(line: str) -> str:
    """A player's line whose points have those of a bye in the coming round, as Gacrux adds."""
    if not line.startswith("001"):
        return line
    worth = {"1": 2, "+": 2, "F": 2, "U": 2, "=": 1, "H": 1}
    half = sum(worth.get(line[at + 7 : at + 8], 0) for at in range(91, len(line), 10))
    return f"{line[:80]}{half / 2:>4}{line[84:]}"


def gacrux(facts: Facts) -> Pairs:
    from gacrux.pairingdutch import pairing_dutch
    from gacrux.trf2json import trf2json

    file = trf2json()
    file.parse_file("\n".join(map(_added_up, facts["trf"].splitlines())) + "\n", False)
    event = file.get_tournament(1)
    how = {
        "experimental": [],
        "top_color": facts["first_side"][0],
        "maxmeets": "0",
        "verbose": 0,
        "unpaired": [],
    }
    made = pairing_dutch(event, facts["round"], how).compute_pairing(False, True)
    found = [pair for bracket in made if bracket for pair in bracket.get("pairs", [])]
    return [(str(p["w"]), str(p["b"]) if p["b"] else None) for p in found]


def py4swiss(facts: Facts) -> Pairs:
    from py4swiss.engines import DutchEngine
    from py4swiss_peer import report_of

    found = DutchEngine.generate_pairings(report_of(_event(facts)))
    return [(str(p.white), str(p.black) if p.black else None) for p in found]


@dataclass
class _State:
    """What the matches of a vector say of a player."""

    score: float = 0.0
    sides: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    byes: int = 0


def _states(facts: Facts) -> tuple[dict[str, _State], set[frozenset[str]]]:
    """Scores, sides, floats and byes as programs of others take them, and who has met."""
    states = {player["id"]: _State() for player in facts["players"]}
    met: set[frozenset[str]] = set()
    for number in range(1, facts["round"]):
        before = {name: state.score for name, state in states.items()}
        for match in (m for m in facts["matches"] if m["round"] == number):
            both = [name for name in (match["first"], match["second"]) if name]
            for name, points in zip(both, match["scores"], strict=False):
                states[name].score += float(points)
            if match["status"] == "played":
                met.add(frozenset(both))
                for name, side, other in zip(
                    both, ("white", "black"), both[::-1], strict=True
                ):
                    states[name].sides += (side,)
                    gap = before[name] - before[other]
                    states[name].floats += (
                        "down" if gap > 0 else "up" if gap < 0 else "none",
                    )
            else:
                states[both[0]].byes += match["status"] == "bye"
                for name in both:
                    states[name].floats += ("down",)
    return states, met


def caissify(facts: Facts) -> Pairs:
    from caissify_pairings import generate_pairings

    states, met = _states(facts)
    players = [
        {
            "id": int(n),
            "name": "",
            "score": states[n].score,
            "rating": 0,
            "starting_number": int(n),
            "color_hist": list(states[n].sides),
            "float_history": list(states[n].floats),
            "bye_count": states[n].byes,
        }
        for n in facts["active"]
    ]
    known = {tuple(sorted(map(int, pair))) for pair in met}
    found = generate_pairings(
        "dutch",
        players,
        known,
        facts["round"],
        facts["rounds"] or facts["round"] + 1,
        initial_color=facts["first_side"],
    )
    return [
        (str(p["white_id"]), str(p["black_id"]) if p["black_id"] else None)
        for p in found
    ]


def swisspair(facts: Facts) -> Pairs:
    import swisspair as sp

    states, met = _states(facts)
    forbidden = met | {frozenset(pair) for pair in facts["forbidden"]}
    ranked = sorted(facts["active"], key=lambda n: -states[n].score)
    players = [
        sp.Player(
            name,
            int(2 * states[name].score),
            rank,
            states[name].byes == 0,
            {
                other
                for other in facts["active"]
                if frozenset((name, other)) in forbidden
            },
        )
        for rank, name in enumerate(ranked, 1)
    ]
    return [(m.p1.id, m.p2.id if m.p2 else None) for m in sp.create_matches(players)]


def _dutch(vector: dict[str, Any]) -> bool:
    return vector["facts"]["trf"] is not None


def _magic(vector: dict[str, Any]) -> bool:
    """No rematch, no second bye, points: what Magic's rules have too."""
    facts = vector["facts"]
    if _dutch(vector) or facts["sides"]:
        return False
    kinds = {
        *facts["rules"]["constraints"],
        *(row["kind"] for row in facts["rules"]["criteria"]),
    }
    known = {
        "no_rematch",
        "no_repeat_bye",
        "bye_score",
        "score_groups",
        "score_difference",
    }
    return "no_rematch" in kinds and kinds <= known


PROGRAMS = {
    "pairopt matching": Program(_by("matching"), lambda vector: True),  # noqa: ARG005
    "pairopt cpsat": Program(_by("cpsat"), lambda vector: True),  # noqa: ARG005
    "gacrux": Program(gacrux, _dutch),
    "caissify": Program(caissify, _dutch),
    "py4swiss": Program(py4swiss, _dutch),
    "swisspair": Program(swisspair, _magic),
}


def ordered(pairing: Pairs, sides: bool) -> list[list[str | None]]:
    pairs = [list(p) if sides or None in p else sorted(p, key=str) for p in pairing]
    return sorted(pairs, key=str)


def verdict(vector: dict[str, Any], found: Pairs, sides: bool) -> str:
    """Where the answer is found among those of the vector."""
    for name in ("best", "without", "legal"):
        known = vector[name] or ([[]] if name == "best" else [])
        if ordered(found, sides) in [ordered(p, sides) for p in known]:
            return name
    return "wrong"


def judged(name: str) -> Iterator[dict[str, Any]]:
    """A program's row for each group, with its sides and with the pairs alone."""
    program = PROGRAMS[name]
    for path in sorted(FOLDER.glob("*.json")):
        if path.stem == "schema":
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        found: Counter[str] = Counter()
        pairs = 0
        for vector in filter(program.takes, content["vectors"]):
            try:
                given = program.pairs(vector["facts"])
            except Exception as error:  # whatever another program raises
                click.echo(
                    f"{name} {vector['id']}: {type(error).__name__} {error}", err=True
                )
                found["failed"] += 1
                continue
            found[verdict(vector, given, bool(vector["facts"]["sides"]))] += 1
            pairs += verdict(vector, given, False) == "best"
        if many := sum(found.values()):
            yield {
                "program": name,
                "group": path.stem,
                "vectors": many,
                "pairs_best": pairs,
                **{each: found[each] for each in VERDICTS},
            }


def summary(table: pd.DataFrame) -> str:
    """All groups of each program, and those in which it does not find the best."""
    lines = [
        "| program | vectors | best | best but for sides | as without the rule | legal "
        "| wrong | failed |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, rows in table.groupby("program", sort=False):
        total = rows[["vectors", "pairs_best", *VERDICTS]].sum()
        lines.append(
            f"| {name} | {total['vectors']} | {total['best']} | "
            f"{total['pairs_best'] - total['best']} | "
            + " | ".join(str(total[v]) for v in VERDICTS[1:])
            + " |"
        )
    return "\n".join(lines)


@click.command()
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run, and write this file."
)
@click.option("--summary", "summed", is_flag=True, help="Print TABLE as markdown.")
def main(table: Path | None, output: Path | None, summed: bool) -> None:
    """Run the programs, or print their table."""
    if output:
        rows = pd.DataFrame([row for name in PROGRAMS for row in judged(name)])
        rows.to_csv(output, index=False, lineterminator="\n")
        about = json.dumps(machine(*PACKAGES), indent=1)
        output.with_suffix(".json").write_text(about + "\n", encoding="utf-8")
    elif table:
        rows = pd.read_csv(table)
    else:
        raise click.UsageError("say -o FILE to run, or name a TABLE")
    if output or summed:
        click.echo(summary(rows))


if __name__ == "__main__":
    main()
