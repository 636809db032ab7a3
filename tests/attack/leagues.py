"""Several evenings: the league's table recomputed, copies to publish, and the next evening."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from hands import Browser, form_for, forms_of
from laws import Breach
from outside import Seen, number, table_of
from trial import Trial, csv_text

PERSONAL = (
    "email",
    "telephone",
    "birth",
    "fideid",
    "federation",
    "remarks",
    "sex",
    "club",
)
PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Emil", "Fay", "Gus", "Hana")


def people(trial: Trial) -> str:
    """A list with columns that are nobody's business; the word Secret stands in each cell."""
    rows: list[list[object]] = [["player", "rating", *PERSONAL]]
    kept = trial.dice.sample(PEOPLE, trial.dice.randint(4, len(PEOPLE)))
    for k, name in enumerate(kept):
        cells = [
            f"secret{k}@x.example",
            f"+49 Secret {k}",
            f"19{70 + k}-0{k + 1}-1{k}",
            f"7654321{k}",
            "LUX",
            f"Secret, {name}",
            "mf"[k % 2],
            f"Secret club {k}",
        ]
        rows.append([name, 1500 + 10 * k, *cells])
    return csv_text(rows)


def gained(seen: Seen) -> dict[str, Fraction]:
    """The points of everybody in an evening, from its rows."""
    points = dict.fromkeys(seen.names, Fraction(0))
    for row in seen.rows:
        for name, score in zip((row.first, row.second), row.scores, strict=True):
            if name and score is not None:
                points[name] += score
    return points


def league(evenings: list[dict[str, Fraction]], drop: int) -> dict[str, Fraction]:
    """Sums without the worst of each; an evening that was missed is the worst."""
    names = {name for evening in evenings for name in evening}
    return {
        name: sum(
            sorted(
                (evening.get(name, Fraction(0)) for evening in evenings), reverse=True
            )[: max(0, len(evenings) - drop)],
            Fraction(0),
        )
        for name in names
    }


def evening(trial: Trial, name: str, rounds: int) -> Iterator[Breach]:
    """So many rounds of an event, some of them open."""
    folder = trial.path(name)
    for _ in range(rounds):
        said = trial.run("pair", folder)
        yield from trial.clean(said)
        for row in trial.seen(name).open:
            if trial.dice.random() < 0.9:
                score = trial.dice.choice(("3-0", "1-1", "0-3", "3F-0F", "2-1"))
                trial.run("result", folder, str(row.table), score)
        if trial.seen(name).open:
            break


def told(trial: Trial, names: list[str]) -> Iterator[Breach]:
    """The league's table is the sums of the evenings' rows."""
    for drop in range(len(names) + 1):
        more = ["--drop-worst", str(drop)] if drop else []
        said = trial.run(
            "standings", *(trial.path(n) for n in names), *more, "--format", "csv"
        )
        yield from trial.clean(said)
        if not said.done:
            yield Breach("league", f"no table: {said.err.strip()}")
            continue
        trial.counts["league tables"] += 1
        want = league([gained(trial.seen(n)) for n in names], drop)
        rows = table_of(said.out.encode())
        got = {row["name"]: number(row["points"]) for row in rows}
        if got != want:
            yield Breach("league", f"--drop-worst {drop}: {got}, by the rows {want}")
        ranks = [int(row["rank"]) for row in rows]
        order = [number(row["points"]) or Fraction(0) for row in rows]
        wanted = [1 + sum(other > one for other in order) for one in order]
        if ranks != wanted or order != sorted(order, reverse=True):
            yield Breach("league", f"--drop-worst {drop}: ranks {ranks} of {order}")


def published(trial: Trial, name: str) -> Iterator[Breach]:
    """A copy to publish has no cell of any other column than name, rating and results."""
    cells = {
        cell
        for row in trial.seen(name).players
        for column, cell in row.items()
        if column not in ("player", "name", "rating", "active", "score", "start")
        and len(cell) > 3
    }
    for kind in ("csv", "json", "trf"):
        for path in trial.home.glob("public*"):
            path.unlink()
        said = trial.run(
            "convert", trial.path(name), trial.path(f"public.{kind}"), "--public"
        )
        yield from trial.clean(said)
        if not said.done:
            yield Breach("public", f"{kind}: {said.err.strip()}")
        for path in trial.home.glob("public*"):
            text = path.read_text("utf-8").lower()
            trial.counts["public files"] += 1
            for cell in [c for c in cells if c.lower() in text]:
                yield Breach("public", f"{path.name} has {cell!r}")


def identified(trial: Trial) -> Iterator[Breach]:
    """Identifiers that are somebody's address are no names, ratings or results."""
    rows: list[list[object]] = [["player", "name", "rating"]]
    rows += [
        [f"secret{k}@id.example", name, 1500 + k] for k, name in enumerate(PEOPLE[:5])
    ]
    trial.file("members.csv", csv_text(rows))
    folder = trial.path("members")
    trial.run(
        "new", folder, "--players", trial.path("members.csv"), "--points", "3-1-0"
    )
    trial.run("pair", folder)
    kind = trial.dice.choice(("csv", "json", "trf"))
    trial.run(
        "convert", folder, trial.path(f"public.{kind}"), "--public", "--overwrite"
    )
    for path in trial.home.glob(f"public*.{kind}"):
        text = path.read_text("utf-8")
        if "@id.example" in text:
            yield Breach("identifiers", f"{path.name} has the addresses of members")
        if PEOPLE[0] not in text:
            yield Breach("public", f"{path.name} has no names")


def next_one(trial: Trial, old: str, new: str) -> Iterator[Breach]:
    """The next evening has the people and the rules, and no rounds, results or seed."""
    before = trial.seen(old)
    said = trial.run("new", trial.path(new), "--players", trial.path(old))
    yield from trial.clean(said)
    after = trial.seen(new)
    if not said.done:
        yield Breach("next evening", said.err.strip())
        return
    if trial.seen(old).files != before.files:
        yield Breach("next evening", "the last one changed")
    if sorted(after.names) != sorted(before.names) or after.active != set(after.names):
        yield Breach(
            "next evening", f"{before.names} became {after.names}, in {after.active}"
        )
    if after.rows or any(number(p.get("score", "") or "0") for p in after.players):
        yield Breach("next evening", "rounds or points came along")
    one, two = before.settings, after.settings
    if one["id"] == two["id"] or one["seed"] == two["seed"]:
        yield Breach("next evening", f"the same id or seed: {two['id']}, {two['seed']}")
    drawn = "initial_side"
    own = ("id", "seed", "title", "forbid", "byes", "first_table", drawn)
    if {k: v for k, v in one.items() if k not in own} != {
        k: v for k, v in two.items() if k not in own
    }:
        yield Breach("next evening", f"other rules: {one} became {two}")


def avoided(trial: Trial, old: str) -> Iterator[Breach]:
    """By page, who met last time do not meet in round 1, where that can be."""
    page = Browser(trial.path(old))
    text = page.get("/event")[1]
    form = form_for(text, "/event/next", ())
    if form is None:
        found = [f.action for f in forms_of(text)]
        trial.counts["no next form"] += 1
        if "/event/next" in found:
            yield Breach("next evening", "its form is gone")
        return
    here = {p.name for p in trial.home.iterdir()}
    trial.counts["steps"] += 1
    trial.trail.append(f"POST /event/next of {old}, apart")
    status, text = page.send(form, [("name", "Following"), ("apart", "yes")], None)
    made = [
        p
        for p in trial.home.iterdir()
        if p.name not in here and (p / "event.toml").exists()
    ]
    if status >= 500 or len(made) != 1:
        yield Breach("next evening", f"{status}, made {made}")
        return
    before, name = trial.seen(old), made[0].name
    met = {row.pair for row in before.rows if not row.bye}
    last = {row.pair for row in before.tables}
    said = trial.run("pair", made[0])
    if not said.done:
        yield Breach("next evening", f"round 1 cannot be paired: {said.err.strip()}")
        return
    now = {row.pair for row in trial.seen(name).tables}
    able = could_avoid(trial.seen(name).names, last)
    trial.counts["avoided"] += able
    trial.counts["all that met are apart"] += not now & met
    if able and now & last:
        yield Breach("next evening", f"{sorted(map(sorted, now & last))} met last, too")
    if not re.search(r"forbid", trial.seen(name).files["event.toml"].decode()):
        yield Breach("next evening", "nobody is kept apart")


def could_avoid(names: list[str], met: set[frozenset[str]]) -> bool:
    """Whether all can be paired (one with a bye) without these pairs."""
    if len(names) < 2:
        return True
    one, rest = names[0], names[1:]
    for two in rest:
        left = [n for n in rest if n != two]
        if frozenset((one, two)) not in met and could_avoid(left, met):
            return True
    return len(names) % 2 == 1 and could_avoid_all(rest, met)


def could_avoid_all(names: list[str], met: set[frozenset[str]]) -> bool:
    return could_avoid(names, met) if len(names) % 2 == 0 else False


def play(trial: Trial) -> Iterator[Breach]:
    """Two to four evenings of a league, and all that is made of them."""
    dice = trial.dice
    names = [f"week{k}" for k in range(dice.randint(2, 4))]
    for name in names:
        trial.file(f"{name}.csv", people(trial))
        trial.run(
            "new",
            trial.path(name),
            "--players",
            trial.path(f"{name}.csv"),
            "--points",
            "3-1-0",
            "--seed",
            "77",
            *(("--rounds", "3") if dice.random() < 0.5 else ()),
        )
        yield from evening(trial, name, dice.randint(0, 3))
        if dice.random() < 0.3:
            trial.run("drop", trial.path(name), dice.choice(trial.seen(name).names))
    yield from told(trial, names)
    yield from identified(trial)
    for name in names:
        if trial.seen(name).rows:
            yield from published(trial, name)
    old = next((n for n in names if trial.seen(n).rows), None)
    if old:
        yield from next_one(trial, old, "next")
        yield from avoided(trial, old)
