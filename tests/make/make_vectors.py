"""Make the test vectors of examples/vectors: python tests/make/make_vectors.py [FOLDER] [GROUP]...

The oracles of tests/support answer, which try every pairing; pairopt has no part in it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parent))

from vectors import disputes, models
from vectors.dutch import RULES, decided, of_seed, vector
from vectors.seeds import SEEDS

FOLDER = Path(__file__).parents[2] / "examples" / "vectors"
FORMAT, VERSION = "pairopt-vectors", 1
TERMS = {
    "bye_score": "points of the player with the bye",
    "rematches": "matches of players who have met k times, for each k, the largest first; a bye "
    "of a player who has had k byes counts as one",
    "score_groups": "matches between players g score groups apart, for each g, the largest first; "
    "with order top_first a level for each higher group and g, the highest group first",
    "score_difference": "sum over matches of the difference of points, to the power 2",
    "rank_gap": "sum over matches of the square of the difference of ranks by points, rating, list",
    "repeat_floats": "players who float down, or up, as in the round before; then as two before; "
    "an allocated bye, or a win's points without playing, is a float down",
    "side_difference": "players who then have d more games on one side, for each d from at_least, the "
    "largest first; the player with the bye counts, unchanged",
    "side_streak": "players who then have had one side s times in a row, for each s from at_least, "
    "the largest first; rounds without a game are skipped",
    "same_side": "players who have the same side as in their last game",
    "conflicts": "matches of two players with the same value in a column; as a constraint never",
    "no_rematch": "never two players who have met",
    "max_meetings": "never two players who have met so many times",
    "no_same_sides_rematch": "never two players with the same sides as in an earlier match",
    "no_repeat_bye": "never the bye for a player who has had it",
    "no_bye_after_forfeit_win": "never the bye for a player who has had a win's points without playing",
    "max_side_difference": "never a side difference that grows above this",
    "max_side_streak": "never one side more often in a row than this, unless it was so before",
}
"""What each rule counts, or never allows; docs/rules.md says it at length."""


def groups() -> dict[str, Callable[[], dict[str, Any]]]:
    """What makes each file, by its name."""
    made: dict[str, Callable[[], dict[str, Any]]] = {
        group.name: lambda group=group: _of_models(group.rule, models.drawn(group))  # type: ignore[misc]
        for group in models.GROUPS_OF
    }
    for rule in RULES:
        made[_file(rule)] = lambda rule=rule: {  # type: ignore[misc]
            "rule": RULES[rule],
            "terms": {},
            "vectors": [*_of_dutch(rule)],
        }
    made["disputes"] = lambda: _of_models(disputes.TITLE, disputes.vectors())
    return made


def _file(rule: str) -> str:
    number = rule.removeprefix("C")
    return f"dutch-c{int(number):02}" if rule.startswith("C") else f"dutch-{number}"


def _of_models(rule: str, vectors: Iterator[dict[str, Any]]) -> dict[str, Any]:
    made = [*vectors]
    used = {kind for each in made for kind in _kinds(each["facts"]["rules"])}
    return {
        "rule": rule,
        "terms": {k: v for k, v in TERMS.items() if k in used},
        "vectors": made,
    }


def _kinds(rules: dict[str, Any]) -> list[str]:
    return [*rules["constraints"], *(row["kind"] for row in rules["criteria"])]


def _of_dutch(rule: str) -> Iterator[dict[str, Any]]:
    seeds = [(kind, seed) for kind, every in SEEDS[rule].items() for seed in every]
    for number, (kind, seed) in enumerate(seeds, 1):
        ((_, found, other),) = decided(of_seed(kind, seed), [rule])
        yield vector(f"{_file(rule)}-{number:03}", rule, found, other)


def text(name: str, content: dict[str, Any]) -> str:
    """A file, a line for each part of a vector."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "group": name,
        "rule": content["rule"],
        "terms": content["terms"],
    }
    lines = [f" {_json(key)}: {_json(value)}," for key, value in head.items()]
    vectors = [
        "  {" + ",\n   ".join(f"{_json(k)}: {_json(v)}" for k, v in each.items()) + "}"
        for each in content["vectors"]
    ]
    return "\n".join(["{", *lines, ' "vectors": [', ",\n".join(vectors), " ]", "}", ""])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    given = sys.argv[1:]
    folder = Path(given.pop(0)) if given else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, make in groups().items():
        if given and name not in given:
            continue
        content = make()
        total += len(content["vectors"])
        (folder / f"{name}.json").write_text(text(name, content), encoding="utf-8")
    print(f"{total} vectors")
