"""The tables of the pages in docs/, from the committed benchmark results.

python tests/make/make_tables.py
"""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import gambit_text
import library_text
import numpy as np
import pandas as pd
import peers
import study_text
import tie_break_text
import two_for_one_text
from places import ROOT

RESULTS = ROOT / "tests" / "benchmarks" / "results"
PAGES = (
    *(
        ROOT / "docs" / f"{name}.md"
        for name in (
            "systems",
            "choosing",
            "speed",
            "proof",
            "solvers",
            "instruments",
            "research",
            "worlds",
            "federation",
            "library",
            "vectors",
            "door",
        )
    ),
    ROOT / "docs" / "how-to" / "rating-lists.md",
    *sorted((ROOT / "docs" / "studies").glob("*.md")),
)


def rating_lists_table() -> str:
    """Building and searching a rating list, with both forms of its index."""
    rows = pd.read_csv(RESULTS / "rating-lists.csv").set_index(["form", "measure"])
    persons = int(rows.loc[("fts5", "persons"), "median"])
    shown = {
        "store the list, processor time": ("build, CPU", "s"),
        "largest memory meanwhile": ("build, memory", "MB"),
        "size on the disk": ("size", "MB"),
        "find by three letters": ("three letters", "ms"),
        "find by family name and initial": ("family name and initial", "ms"),
        "find by FIDE number": ("FIDE number", "ms"),
    }
    lines = [
        f"| {persons:,} persons | usual | if SQLite has no FTS5 |",
        "|---|---|---|",
    ]
    for words, (measure, unit) in shown.items():
        values = (rows.loc[(form, measure), "median"] for form in ("fts5", "like"))
        digits = 1 if unit == "ms" else 0
        cells = (f"{value:.{digits}f} {unit}" for value in values)
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def lookahead_table() -> str:
    """Events with a forced rematch, without and with the lookahead that is left."""
    rows = pd.read_csv(RESULTS / "lookahead.csv")
    lines = [
        "| model | players | rounds | events | without | with |",
        "|---|---|---|---|---|---|",
    ]
    for (model, players, rounds), both in rows.groupby(
        ["model", "players", "rounds"], sort=False
    ):
        count = both.set_index("lookahead")["forced_rematch"]
        events = both["events"].iloc[0]
        lines.append(
            f"| `{model}` | {players} | {rounds} | {events} | {count[False]} | {count[True]} |"
        )
    return "\n".join(lines)


def published_table() -> str:
    """Each round's levels as published, with the optimum in brackets where it differs."""
    rows = pd.read_csv(RESULTS / "published.csv", keep_default_na=False, dtype=str)
    lines = [
        "| event | round | matches | level: played (optimum) |",
        "|---|---|---|---|",
    ]
    for (event, number), levels in rows.groupby(["event", "round"], sort=False):
        said = [_level(level) for _, level in levels.iterrows() if level["criterion"]]
        matches = levels["matches"].iloc[0]
        lines.append(
            f"| {event} | {number} | {matches} | {', '.join(said) or 'all 0'} |"
        )
    return "\n".join(lines)


def _level(level: pd.Series[str]) -> str:
    played, best = (f"{float(level[name]):g}" for name in ("published", "optimum"))
    known = played if played == best else f"**{played} ({best})**"
    return f"{level['criterion']} {level['level']}: {known}"


def fairness_table() -> str:
    """Of how many events a chi-square test refuses each way to choose, and what never came."""
    rows = pd.read_csv(RESULTS / "fairness.csv")
    ways = list(dict.fromkeys(rows["way"]))
    lines = [
        f"| model | events | optimal pairings | {' | '.join(ways)} |",
        "|---|---|---|" + "---|" * len(ways),
    ]
    lines += [
        _fairness(f"`{model}`", own, ways) for model, own in rows.groupby("model")
    ]
    lines.append(_fairness("all", rows, ways))
    return "\n".join(lines)


def _fairness(name: str, rows: pd.DataFrame, ways: list[str]) -> str:
    cells = []
    for way in ways:
        own = rows[rows["way"] == way]
        refused = (own["p_value"] < P_REFUSED).sum()
        # of more pairings some would never come by chance
        never = ((own["never"] > 0) & (10 * own["optima"] <= own["draws"])).sum()
        least = own["p_value"].min()
        said = f"{refused} (p {f'{least:.1g}' if least else '< 1e-300'})"
        said += f", in {never} some never came" if never else ""
        cells.append(f"**{said}**" if refused else said)
    optima = f"{rows['optima'].min()} to {rows['optima'].max()}"
    return f"| {name} | {len(rows) // len(ways)} | {optima} | {' | '.join(cells)} |"


def fair_lot_table() -> str:
    """What a fair lot costs in a study, by model."""
    rows = pd.read_csv(RESULTS / "fair-lot.csv").sort_values("ratio", kind="stable")
    lines = ["| model | any | uniform | times |", "|---|---|---|---|"]
    lines += [
        f"| `{row.model}` | {row.any_ms:.0f} ms | {row.uniform_ms:.0f} ms | {row.ratio:.1f} |"
        for row in rows.itertuples()
    ]
    few = int((rows["ratio"].round(1) <= FEW_TIMES).sum())
    least, rounds = rows["players"].iloc[0], rows["rounds"].iloc[0]
    lines += [
        "",
        f"The times are CPU milliseconds per simulated tournament of {least} players and {rounds} "
        f"rounds. They include game results and metrics. Under {few} of {len(rows)} models, uniform draws take at most "
        f"{FEW_TIMES} times as long as any optimal pairing.",
    ]
    return "\n".join(lines)


def choosing_table() -> str:
    """Times of drawing and counting, and how many rounds were exact."""
    rows = pd.read_csv(RESULTS / "choosing.csv")
    lines = [
        "| players | model | rounds | optimal pairings | any | uniform | drawn exactly "
        "| counting | counted exactly | chain | R-hat |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (players, model), own in rows.groupby(["players", "model"], sort=False):
        uniform = own["uniform_seconds"]
        low, high = int(own["log10"].min()), int(own["log10"].max())
        chain = [
            f"up to {own['chain_seconds'].max():.1f} s",
            f"{own['chain_r_hat'].max():.2f}",
        ]
        lines.append(
            f"| {players:,} | `{model}` | {len(own)} | 10^{low} to 10^{high} "
            f"| {own['any_seconds'].median():.2f} s "
            f"| {uniform.median():.2f} s, up to {uniform.max():.2f} s "
            f"| {own['exact_draw'].sum()} "
            f"| {own['count_seconds'].median():.2f} s, up to {own['count_seconds'].max():.1f} s "
            f"| {own['exact_count'].sum()} "
            f"| {' | '.join(chain if own['chain_seconds'].notna().any() else ['', ''])} |"
        )
    return "\n".join(lines)


def rounds_table() -> str:
    """Seconds a round by size, and where they were measured."""
    rows = pd.read_csv(RESULTS / "rounds.csv")
    lines = [
        "| players | rounds | median | worst | peak memory |",
        "|---|---|---|---|---|",
    ]
    for players, own in rows.groupby("players"):
        seconds = own["seconds"]
        lines.append(
            f"| {players:,} | {len(own)} | {seconds.median():.3f} s | {seconds.max():.3f} s "
            f"| {own['peak_mb'].max()} MB |"
        )
    on = json.loads((RESULTS / "rounds.json").read_text(encoding="utf-8"))
    where = f"The times were measured on {on['date']}: {on['cpu']}, {on['cores']} cores, Python {on['python']}, "
    return "\n".join([*lines, "", f"{where}OR-Tools {on['ortools']}."])


def single_pairs_table() -> str:
    """CPU seconds of the integer program of single pairs and of the cross-check."""
    rows = pd.read_csv(RESULTS / "single-pairs.csv", keep_default_na=False)
    lines = [
        "| players | model | rounds | integer program, median | worst | cross-check, median | worst |",
        "|---|---|---|---|---|---|---|",
    ]
    own = rows[rows["kind"] == "own"]
    for (size, model), some in own.groupby(["size", "model"], sort=False):
        pairs, check = (pd.to_numeric(some[name]) for name in ("pairs", "cross_check"))
        lines.append(
            f"| {size} | `{model}` | {len(some)} "
            f"| {pairs.median():.3f} s | {pairs.max():.3f} s "
            f"| {check.median():.3f} s | {check.max():.3f} s |"
        )
    foreign = rows[(rows["kind"] == "foreign") & (rows["status"] == "optimal")]
    unaided = (foreign["cp_sat"] == "False").sum()
    seconds = pd.to_numeric(foreign["pairs"])
    lines += [
        "",
        f"In {len(foreign)} rounds of up to 300 players that pairopt did not pair before, linear "
        f"programming proved all levels of {unaided} rounds. The median of the integer program was "
        f"{seconds.median():.2f} s, and 99 % of the rounds took up to {seconds.quantile(0.99):.1f} s.",
    ]
    return "\n".join(lines)


def foreign_table() -> str:
    """CPU seconds of rounds by where their histories come from."""
    kinds = {
        "foreign": "foreign, 40 to 400 players",
        "foreign-1500": "foreign, 400 to 1,500 players",
        "tidy-301": "pairopt's own, 301 players, rounds 2, 5, 9",
        "tidy-1000": "pairopt's own, 1,000 players, rounds 2, 5, 9",
        "slow": "rounds that were slow in earlier versions",
    }
    lines = [
        "| histories | rounds | median | 99% | worst | unproven |",
        "|---|---|---|---|---|---|",
    ]
    for name, said in kinds.items():
        rows = pd.read_csv(RESULTS / f"{name}.csv")
        rows = rows[~rows["status"].str.endswith("Error")]
        at = [f"{rows['seconds'].quantile(share):.2f} s" for share in (0.5, 0.99, 1.0)]
        unproven = (~rows["status"].isin(["optimal", "infeasible"])).sum()
        lines.append(f"| {said} | {len(rows)} | {' | '.join(at)} | {unproven} |")
    return "\n".join(lines)


def large_table() -> str:
    """The slowest round of each large event, in CPU seconds, and its peak memory."""
    rows = pd.read_csv(RESULTS / "large.csv")
    lines = [
        "| players | model, engine | rounds | slowest | peak memory | levels proven |",
        "|---|---|---|---|---|---|",
    ]
    for case, own in rows.groupby("case", sort=False):
        what = str(case).partition(" ")[2]
        proven = f"{own['proven'].sum()} of {own['levels'].sum()}"
        players, last = own["players"].iloc[0], own["round"].max()
        slowest = own["cpu_seconds"].max()
        lines.append(
            f"| {players:,} | {what} | 1 to {last} | {slowest:.2f} s "
            f"| {own['peak_mb'].max():,} MB | {proven} |"
        )
    return "\n".join(lines)


def growth_table() -> str:
    """Seconds and memory by the number of players, and their exponents."""
    rows = pd.read_csv(RESULTS / "growth.csv")
    lines = [
        "| history | players | seconds | memory | levels proven |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.history} | {row.players:,} | {row.cpu_seconds:.3g} s | {row.peak_mb:,} MB "
        f"| {row.proven} of {row.levels} |"
        for row in rows.itertuples()
    ]
    fitted = []
    for history, own in rows[rows["players"] >= 1000].groupby("history", sort=False):
        size = np.log(own["players"])
        slopes = [
            np.polyfit(size, np.log(own[name]), 1)[0]
            for name in ("cpu_seconds", "peak_mb")
        ]
        fitted.append(
            f"{slopes[0]:.1f} (seconds) and {slopes[1]:.1f} (memory) for {history} rounds"
        )
    return "\n".join(
        [
            *lines,
            "",
            f"Above 1,000 players, the growth exponents are {', and '.join(fitted)}.",
        ]
    )


def peers_table() -> str:
    """Seconds a round beside other programs."""
    return peers.summary(pd.read_csv(RESULTS / "peers.csv"))


def proofs_table() -> str:
    """CPU seconds of solving a round, proving it, and both verifications."""
    rows = pd.read_csv(RESULTS / "proofs.csv")
    what = ["solve", "proof", "check", "verify"]
    fide, drawn = (
        rows["model"].str.startswith("fide-"),
        rows["event"].str.contains(", seed "),
    )
    fide &= rows["model"] != "fide-basic"
    kinds = {
        "real events": ~drawn & ~fide,
        **{
            f"{n:,} players": rows["event"].str.startswith(f"{n} players,") & ~fide
            for n in (301, 1000)
        },
        "real events, FIDE's systems": ~drawn & fide,
        **{
            f"{n:,} players, Dutch": rows["event"].str.startswith(f"{n} players,")
            & fide
            for n in (300, 1000)
        },
    }
    lines = [
        "| rounds | certified | solve | proof | `check --proof` | `verify.py` | file |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, chosen in kinds.items():
        own = rows[chosen]
        cells = [
            f"{own[each].median():.3f} s, up to {own[each].max():.2f} s"
            for each in what
        ]
        certified = (
            f"{own['status'].isin(['optimal', 'infeasible']).sum():,} of {len(own):,}"
        )
        size = f"up to {own['bytes'].max() / 1e6:.1f} MB"
        lines.append(f"| {name} | {certified} | {' | '.join(cells)} | {size} |")
    return "\n".join(lines)


def veripb_table() -> str:
    """Sizes and times of programs and proofs, by the players and the model."""
    rows = pd.read_csv(RESULTS / "veripb.csv")
    own = rows[rows["part"] == "sizes"]
    lines = [
        "| players | model | Booleans | levels | bits | program | proof | export "
        "| prove | VeriPB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in own.sort_values(["players", "model"]).itertuples():
        sizes = f"{row.opb_kb:,.0f} kB | {row.pbp_kb:,.0f} kB"
        times = f"{row.export:.2f} s | {row.proof:.2f} s | {row.veripb:.2f} s"
        lines.append(
            f"| {row.players:.0f} | `{row.model}` | {row.booleans:,.0f} | {row.levels:.0f} "
            f"| {row.bits:,.0f} | {sizes} | {times} |"
        )
    return "\n".join(lines)


def veripb_said() -> str:
    """What VeriPB said of how many files of each part."""
    rows = pd.read_csv(RESULTS / "veripb.csv")
    lines = ["| files | what | VeriPB |", "|---|---|---|"]
    what = {
        "sizes": "the files of the table above",
        "models": "rounds of up to 300 players under models",
        "systems": "rounds of up to 120 players under FIDE's systems",
        "stages": "single levels",
        "none": "rounds without a pairing",
    }
    for part, words in what.items():
        own = rows[rows["part"] == part]
        accepted = (own["said"] == "accepted").sum()
        lines.append(f"| {len(own)} | {words} | accepted {accepted} |")
    forged = rows[rows["part"] == "forged"]
    for kind, own in forged.groupby("model", sort=True):
        count = own.set_index("said")["players"].astype(int)
        true = f", accepted {count['true']} (still true)" if "true" in count else ""
        changed = {"price": "dual value", "set": "odd set"}.get(str(kind), kind)
        lines.append(
            f"| {count.sum()} | forged: {changed} | rejected {count.get('refused', 0)}{true} |"
        )
    return "\n".join(lines)


def typical_table() -> str:
    """Events and models: how many rounds are not a uniform draw, and by which statistics."""
    rows = pd.read_csv(RESULTS / "typical.csv", keep_default_na=False, na_values=[""])
    lines = [
        "| event | model | rounds | optimal | not optimal | not testable | not random | statistics |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (event, model), own in rows.groupby(["event", "model"], sort=False):
        lot = own.groupby("round")["lot"].first()
        small = own[own["p_holm"] <= SMALL_P]
        named = small["name"].value_counts()
        said = ", ".join(f"`{name}` {named[name]}" for name in sorted(named.index))
        lines.append(
            f"| {event} | `{model}` | {len(lot)} | {(lot == 'optimal').sum()} | "
            f"{(lot == 'same levels').sum()} | {lot.isna().sum()} | {small['round'].nunique()} | "
            f"{said} |"
        )
    draws = int(rows["draws"].max())
    legend = (
        "The column *optimal* counts the rounds whose published pairing is optimal. The column "
        "*not optimal* counts the rounds whose published pairing is not optimal. We compared such a "
        "pairing with all pairings that have the same value at every level. "
        f"The column *not random* counts the rounds with a Holm-adjusted p-value of at most {SMALL_P}, "
        "and *statistics* counts these rounds for each test statistic. By chance alone, at most 1 "
        f"round in 20 would be counted as not random. With {draws} random draws, a p-value "
        f"can't be below {2 / (draws + 1):g}."
    )
    lines += ["", legend]
    return "\n".join(lines)


SMALL_P, FEW_TIMES = 0.05, 1.5
P_REFUSED = 0.01 / 50  # Bonferroni, of each way


def campaign_text() -> str:
    """Tournaments checked by another program, both ways."""
    rows = pd.read_csv(RESULTS / "campaign.csv", keep_default_na=False)
    lines = [
        "| tournaments | checked | rounds | matches | rounds paired differently |",
        "|---|---|---|---|---|",
    ]
    for direction, own in rows.groupby("direction", sort=False):
        made, checked = str(direction).split(" by ")
        count, rounds, matches = (
            own[name].sum() for name in ("tournaments", "rounds", "matches")
        )
        differ = sum(len(str(each).split()) for each in own["differ"])
        who = made.removesuffix("'s").removesuffix("'")
        lines.append(
            f"| {count:,} of {who} | by {checked} | {rounds:,} | {matches:,} | {differ} |"
        )
    return "\n".join(lines)


def fitted_table() -> str:
    """Every parameter of every fitted world, with its interval."""
    rows = pd.read_csv(RESULTS / "worlds-fitted.csv")
    worlds = list(dict.fromkeys(rows["world"]))
    cells = {
        (row.world, row.parameter): f"{row.value:g} ({row.low:g} to {row.high:g})"
        for row in rows.itertuples()
    }
    lines = [
        f"| | {' | '.join(f'`{world}`' for world in worlds)} |",
        "|---|" + "---|" * len(worlds),
    ]
    for name in dict.fromkeys(rows["parameter"]):
        values = " | ".join(cells.get((world, name), "") for world in worlds)
        lines.append(f"| `{name}` | {values} |")
    return "\n".join(lines)


def laws_table() -> str:
    """How likely the games of the opens are under each law."""
    rows = pd.read_csv(RESULTS / "worlds-laws.csv")
    lines = [
        "| law | parameters | fitted | folds | held out |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.law} | {row.parameters} "
        f"| {row.fitted:.4f} | {row.folds:.4f} | {row.held_out:.4f} |"
        for row in rows.itertuples()
    ]
    return "\n".join(lines)


def fit_table() -> str:
    """The games held out and the band of the simulated ones, by bin."""
    rows = pd.read_csv(RESULTS / "worlds.csv")
    lines = ["| world | by | bin | games | real (simulated) |", "|---|---|---|---|---|"]
    for (world, by, name), own in rows[rows["by"] != "presence"].groupby(
        ["world", "by", "bin"], sort=False
    ):
        said = ", ".join(
            f"{row.what} {_inside(f'{row.real} ({row.low} to {row.high})', row.inside)}"
            for row in own.itertuples()
        )
        lines.append(
            f"| `{world}` | {by} | {name} | {own['number'].iloc[0]} | {said} |"
        )
    return "\n".join(lines)


def extra_white_table() -> str:
    """The points that go with one more game with White: after odd rounds, and by open after 7."""
    rows = pd.read_csv(RESULTS / "extra-white.csv")
    cells = {
        (
            row.event,
            row.rounds,
            row.asked,
        ): f"{row.value:.2f} ({row.low:.2f} to {row.high:.2f})"
        for row in rows.itertuples()
    }
    players = rows[rows["asked"] == "points"].set_index(["event", "rounds"])["count"]
    heads = "opens | rounds | players | points | points beyond expectation | value of White per game"
    lines = [f"| {heads} |", "|---|---|---|---|---|---|"]
    for (event, rounds), count in players.items():
        if event == "all" or rounds == rows["rounds"].max():
            told = [
                cells[event, rounds, asked] for asked in ("points", "excess", "games")
            ]
            name = event if event == "all" else f"`open-2026-{event}`"
            lines.append(f"| {' | '.join([name, str(rounds), str(count), *told])} |")
    return "\n".join(lines)


def _inside(text: str, inside: bool) -> str:
    return text if inside else f"**{text}**"


def door_table() -> str:
    """What the door was asked, and how many a second."""
    rows = pd.read_csv(RESULTS / "door.csv", keep_default_na=False, dtype=str)
    heads = [name for name in rows.columns if name != "load"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [
        f"| {' | '.join(row[name] for name in heads)} |" for _, row in rows.iterrows()
    ]
    return "\n".join(lines)


def solved_table() -> str:
    """How many of the library's rounds other solvers settle from the file, by family."""
    rows = pd.read_csv(RESULTS / "library-solved.csv", keep_default_na=False)
    lines = [
        "| family | rounds | CP-SAT from .opb | HiGHS from .mps |",
        "|---|---|---|---|",
    ]
    for family, some in rows.groupby("family", sort=False):
        same = some[some["found"] == "the same"].groupby("solver").size()
        rounds = some["round"].nunique()
        lines.append(f"| `{family}` | {rounds} | {same['CP-SAT']} | {same['HiGHS']} |")
    return "\n".join(lines)


TABLES = {
    "door": door_table,
    "rating-lists": rating_lists_table,
    "library-solved": solved_table,
    "rounds": rounds_table,
    "foreign": foreign_table,
    "single-pairs": single_pairs_table,
    "large": large_table,
    "growth": growth_table,
    "peers": peers_table,
    "lookahead": lookahead_table,
    "published": published_table,
    "fairness": fairness_table,
    "choosing": choosing_table,
    "fair-lot": fair_lot_table,
    "proofs": proofs_table,
    "veripb": veripb_table,
    "veripb-said": veripb_said,
    "typical": typical_table,
    "worlds-fitted": fitted_table,
    "worlds-laws": laws_table,
    "worlds-fit": fit_table,
    "campaign": campaign_text,
    "extra-white": extra_white_table,
    "coverage": study_text.coverage_text,
    "margins": study_text.margins_text,
    "orders-control": study_text.orders_control_text,
    **library_text.TEXTS,
    "gambits": gambit_text.gambit_table,
    "agreed-draws": gambit_text.agreed_table,
    **{
        f"tie-breaks-{game}": partial(tie_break_text.order_table, game)
        for game in tie_break_text.STUDIES
    },
    "pairing-of-luck": study_text.luck_text,
    **{f"two_for_one_{name}": text for name, text in two_for_one_text.TEXTS.items()},
}


def page(text: str) -> str:
    """A page with its tables made anew, each between its two marks."""
    marks = rf"(<!-- ({'|'.join(TABLES)}) -->\n).*?(<!-- end -->)"
    text = re.sub(
        marks, lambda m: f"{m[1]}{TABLES[m[2]]()}\n{m[3]}", text, flags=re.DOTALL
    )
    marks = r"(<!-- (study|means|differences|by-world) ([\w -]+): (.*?) -->\n).*?(<!-- end -->)"
    made = {
        "study": study_text.study,
        "means": study_text.means,
        "differences": study_text.differences,
        "by-world": study_text.models_by_world,
    }
    return re.sub(
        marks,
        lambda m: f"{m[1]}{made[m[2]](m[3], m[4])}\n{m[5]}",
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
