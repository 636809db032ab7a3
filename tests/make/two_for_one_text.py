"""What tests/benchmarks/two_for_one.py found: words, tables, a figure.

python tests/make/two_for_one_text.py

draws docs/studies/two-for-one; the words go into the page with make_tables.py.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pandas as pd
from matplotlib.axes import Axes
from places import ROOT

from pairopt.files.write import write_all
from pairopt.lab.figures import COLOURS, images, new_axes
from pairopt.lab.statistics.estimate import estimate

BENCHMARKS = ROOT / "tests" / "benchmarks"
NAMES = {
    "double_5": "double-sided, 5 rounds",
    "double_6": "double-sided, 6 rounds",
    "single_6": "single-sided, 6 rounds",
    "single_10": "single-sided, 10 rounds",
}
SHOWN_CUT = 8
MOST_RECORDS = 12


def read(name: str) -> pd.DataFrame:
    """One of the study's tables."""
    return pd.read_csv(BENCHMARKS / "results" / f"two-for-one-{name}.csv")


def settings() -> dict[str, Any]:
    """What was fixed before."""
    return tomllib.loads((BENCHMARKS / "two_for_one.toml").read_text(encoding="utf-8"))


def markdown(heads: list[str], rows: list[list[object]]) -> str:
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


HYPOTHESES = {
    "2-for-1, 5 rounds": "in double-sided Swiss of 5 rounds, both players gain by a 2-for-1 at "
    "more than 5% of the last-round tables",
    "2-for-1, 6 rounds": "in double-sided Swiss of 6 rounds, both players gain by a 2-for-1 at "
    "more than 5% of the last-round tables",
    "any agreement": "both players gain by an agreement of any type at more last-round tables in "
    "double-sided Swiss (5 rounds) than in single-sided Swiss (6 rounds)",
    "intentional draw": "both players gain by an intentional draw at more last-round tables in "
    "double-sided Swiss (5 rounds) than in single-sided Swiss (6 rounds)",
    "early rounds, double-sided": "in double-sided Swiss of 5 rounds, a first-round game has more "
    "weight than a last-round game",
    "early rounds, single-sided": "in single-sided Swiss of 10 rounds, a first-round game has more "
    "weight than a last-round game",
    "early rounds, both": "the weight of a first-round game exceeds that of a last-round game by "
    "more in double-sided Swiss (5 rounds) than in single-sided Swiss (10 rounds)",
}
"""The preregistered claims by their names, in plain words."""


def claims_text() -> str:
    """Return a table of all hypotheses, and whether they are supported."""
    rows = [
        [
            HYPOTHESES[row["name"]],
            _interval(row),
            _p(row["p_holm"]),
            "supported" if row["shown"] else "**not supported**",
        ]
        for _, row in read("hypotheses").iterrows()
    ]
    heads = ["hypothesis", "excess in percentage points (95%)", "p (Holm)", "result"]
    return markdown(heads, rows)


def _interval(row: Any) -> str:
    """In percentage points."""
    mean, low, high = (100 * row[name] for name in ("mean", "low", "high"))
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def shares_text() -> str:
    """Of the tables of the last round the parts at which both gain."""
    per = read("tournaments")
    columns = ["two_for_one", "intentional_draw", "any", "open", "nothing_at_stake"]
    rows: list[list[object]] = []
    for (spread, name), own in per.groupby(["spread", "format"], sort=False):
        cells = []
        for column in columns:
            values = own[column].to_numpy(float)
            low, high = estimate(values, values, 1.0).limits()
            mean = 100 * values.mean()
            many = column in ("open", "nothing_at_stake")
            cells.append(
                f"{mean:.1f} %"
                if many
                else f"{mean:.1f} % ({100 * max(low, 0):.1f} to {100 * high:.1f})"
            )
        if name.startswith("single"):
            cells[0] = "none possible"
        who = "equal" if spread == 0 else f"SD {spread:.0f} Elo"
        rows.append([NAMES[str(name)], who, len(own), *cells])
    rows.sort(key=lambda row: row[1] != "equal")
    heads = [
        "format",
        "players",
        "tournaments",
        "2-for-1 (95%)",
        "intentional draw (95%)",
        "either (95%)",
        "undecided",
        "players with nothing at stake",
    ]
    return markdown(heads, rows)


def records_text() -> str:
    """Which tables of the last round these are, by points before it."""
    tables = read("tables")
    equal = tables[tables["spread"] == 0]
    parts = []
    for name in ("double_5", "double_6", "single_6"):
        own = equal[equal["format"] == name]
        gain = own["two_for_one"] + own["intentional_draw"]
        common = own[(gain > 0) & (own["tables"] >= 20)].nlargest(
            MOST_RECORDS, "tables"
        )
        common = common.sort_values(["own", "other"], ascending=False)
        rows: list[list[object]] = [
            [
                f"{row['own']} - {row['other']}",
                row["tables"],
                *(
                    f"{100 * row[each] / row['tables']:.0f} %"
                    for each in ("two_for_one", "intentional_draw", "open")
                ),
            ]
            for row in common.to_dict("records")
        ]
        heads = [
            "points before",
            "tables",
            "both gain by a 2-for-1",
            "both gain by an intentional draw",
            "undecided",
        ]
        parts.append(
            f"**{NAMES[name].capitalize()}:** the next table is about the last round before a cut to "
            f"{SHOWN_CUT} players.\n\n" + markdown(heads, rows)
        )
    return "\n\n".join(parts)


def cuts_text() -> str:
    """Of all tables of a round those of two records that both gain on average, by cut."""
    records = read("records")
    rows: list[list[object]] = []
    for (name, cut), own in records.groupby(["format", "cut"], sort=False):
        cells = []
        for _, here in own.groupby("round"):
            cells.append(_both(here))
        rows.append([NAMES[str(name)], cut, *cells])
    most = max(map(len, rows))
    rows = [row + [""] * (most - len(row)) for row in rows]
    heads = ["format", "cut", *(f"round {k}" for k in range(1, most - 1))]
    return markdown(heads, rows)


def _both(here: pd.DataFrame) -> str:
    """The part of the players at tables of two records that both gain, by a 2-for-1 and a draw."""
    known = {(row.own, row.other): row for row in here.itertuples()}
    counts = {"two_for_one": 0, "draw": 0}
    for (own, other), row in known.items():
        back = known.get((other, own))
        if back is None:
            continue
        counts["two_for_one"] += row.players * (row.low > 0 and back.low > 0)
        counts["draw"] += row.players * (row.high < 0 and back.high < 0)
    total = here["players"].sum()
    return " / ".join(f"{100 * count / total:.0f} %" for count in counts.values())


def weights_text() -> str:
    """The weight of a game in each round."""
    rounds = read("weights")
    rows: list[list[object]] = []
    for (name, cut), own in rounds.groupby(["format", "cut"], sort=False):
        if cut == SHOWN_CUT:
            cells = [
                f"{100 * row['mean']:.1f} (±{50 * (row['high'] - row['low']):.1f})"
                for _, row in own.sort_values("round").iterrows()
            ]
            rows.append([NAMES[str(name)], *cells])
    most = max(map(len, rows))
    rows = [row + [""] * (most - len(row)) for row in rows]
    return markdown(["format", *(f"round {k}" for k in range(1, most))], rows)


def real_text() -> str:
    """The last round of a real event."""
    rows = read("real")
    one = rows.iloc[0]
    count = rows.set_index(["agreement", "both_gain"])
    parts = {}
    for agreement in ("two_for_one", "intentional_draw"):
        yes, unknown = (count.loc[(agreement, verdict)] for verdict in ("yes", "open"))
        parts[agreement] = int(yes["tables"]), int(yes["split"]), int(unknown["tables"])
    tables = int(rows[rows["agreement"] == "two_for_one"]["tables"].sum())
    two, draw = parts["two_for_one"], parts["intentional_draw"]
    intro = (
        f"The Netrunner event `{one['event']}` of 2020 had {one['players']} players, "
        f"{one['round']} double-sided rounds and a cut to {one['cut']}. The next table is about "
        f"the {tables} tables of its last round:"
    )
    heads = [
        "agreement",
        "tables where both players would have gained",
        "undecided tables",
        "ended as if agreed",
    ]
    rows_of_agreements: list[list[object]] = [
        ["2-for-1", two[0], two[2], f"{two[0] - two[1]} ended 6-0"],
        ["intentional draw", draw[0], draw[2], f"{draw[1]} ended 3-3"],
    ]
    conclusion = (
        "If both players are equally strong, half of all matches end 6-0 and half end 3-3. "
        "With so few tables, the results are no evidence that players agreed on a result."
    )
    return "\n\n".join([intro, markdown(heads, rows_of_agreements), conclusion])


def weight_by_round(ax: Axes | None = None) -> Axes:
    """What a game won instead of lost adds to the chance of the cut, in the course of the Swiss."""
    rounds = read("weights")
    ax = ax or new_axes(7, 4)
    formats = settings()["formats"]
    for colour, (name, label) in zip(COLOURS, NAMES.items(), strict=False):
        own = rounds[(rounds["format"] == name) & (rounds["cut"] == SHOWN_CUT)]
        own = own.sort_values("round")
        games = formats[name]["games"]
        x = games * own["round"] - (games - 1) / 2
        arms = [own["mean"] - own["low"], own["high"] - own["mean"]]
        ax.errorbar(
            x,
            own["mean"],
            arms,
            label=label,
            color=colour,
            capsize=2,
            lw=1,
            marker="o",
            ms=3,
        )
    ax.set(
        xlabel="games played so far, this one included",
        ylabel="chance of the cut: game won less game lost",
        ylim=(0, None),
        title=f"What a game is worth, 32 equal players, cut to {SHOWN_CUT}",
    )
    ax.locator_params("x", integer=True)
    ax.legend(fontsize=8, frameon=False)
    return ax


TEXTS = {
    "claims": claims_text,
    "shares": shares_text,
    "records": records_text,
    "cuts": cuts_text,
    "weights": weights_text,
    "real": real_text,
}


if __name__ == "__main__":
    write_all(
        images(weight_by_round(), ROOT / "docs" / "studies" / "two-for-one", (".svg",))
    )
