"""Statistics: means, paired differences, their intervals and tests; designs that are alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from pairopt import UsageError
from pairopt.common.holm import correct_by_holm
from pairopt.lab import (
    World,
    compare_models,
    designs,
    differences,
    ended_early,
    means,
    per_tournament,
)
from pairopt.lab.comparison import half_widths
from pairopt.lab.grid import grid
from pairopt.lab.statistics.comparing import METRICS, metric_range
from pairopt.lab.statistics.estimate import (
    estimate,
    estimate_variance,
    has_few_varied,
)
from pairopt.lab.table import STUDY_COLUMNS


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return compare_models(
        ["excalibur", "monrad"], World(players=9, rounds=4), replicates=12
    )


def also(frame: pd.DataFrame, model: str, name: str) -> pd.DataFrame:
    """The table with the rows of a model once more, under another name."""
    return pd.concat([frame, frame[frame["model"] == model].assign(model=name)])


class TestEstimate:
    @pytest.mark.long
    @given(arrays.arrays(np.float64, st.integers(2, 40), elements=st.floats(-5, 5)))
    def test_there_is_always_a_width(self, values: np.ndarray) -> None:
        found = estimate(values, values, 10.0)
        low, high = found.limits()
        assert low < found.mean < high
        assert 0 < found.p <= 1
        student = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        assert found.arm() >= student * (1 - 1e-9)

    def test_where_all_differ_it_is_students_but_for_the_skewness(self) -> None:
        values = np.random.default_rng(1).normal(1, 2, 30)
        found, mean = estimate(values, values, 100.0), values.mean()
        error = stats.sem(values) * (1 + 2.16 * stats.skew(values) ** 2 / 30) ** 0.5
        assert stats.sem(values) < error < 1.1 * stats.sem(values)
        assert found.limits() == pytest.approx(stats.t.interval(0.95, 29, mean, error))
        evenly = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
        assert estimate(evenly, evenly, 9.0).error == pytest.approx(stats.sem(evenly))

    def test_what_the_skewness_adds(self) -> None:
        """Twice (z^4 + 2 z^2 - 3) / 18 at the 97.5 % of the normal distribution."""
        z = stats.norm.ppf(0.975)
        assert pytest.approx(2 * (z**4 + 2 * z**2 - 3) / 18, abs=0.005) == 2.16

    def test_four_imagined_values(self) -> None:
        """They fade with the square of the part that is tied: here all but one in nine, 8 / 9."""
        values = np.array([0.0] * 9 + [1.0])
        reach = 4 / 3 * 0.9
        found, added = estimate(values, values, 1.2), 4 * (8 / 9) ** 2
        squares = ((values - 0.1) ** 2).sum() + added * reach**2
        error = (squares / ((10 + added) * (9 + added))) ** 0.5
        assert found.error == pytest.approx(error)
        mean = 0.1
        assert found.p == pytest.approx(2 * stats.t.sf(mean / error, 9))
        for margin in (
            0.5,
            1.0,
            3.0,
        ):  # each one-sided: against both ends of the margin
            sides = (
                stats.t.sf((mean + margin) / error, 9),
                stats.t.cdf((mean - margin) / error, 9),
            )
            assert found.p_within(margin) == pytest.approx(max(sides))

    @pytest.mark.parametrize("n", [10, 20, 100, 500, 2000])
    def test_where_nothing_varies_it_is_nearly_the_exact_bound(self, n: int) -> None:
        zeros = np.zeros(n)
        share = stats.binomtest(0, n).proportion_ci(0.95).high
        assert estimate(zeros, zeros, 8.0).arm() / (8 * share) == pytest.approx(
            1.04, abs=0.06
        )

    def test_the_variance_is_smyths_moderated_variance(self) -> None:
        """(d0 s0^2 + d s^2) / (d0 + d); docs/research.md states d0 and s0."""
        values = np.array([0.0] * 9 + [1.0, -2.0])
        n = len(values)
        spread = estimate_variance(values, values, 10.0)
        prior_freedom = 4 * (1 - 2 / (n - 1)) ** 2
        freedom = n - 1
        moderated = (prior_freedom * spread.reach**2 + freedom * values.var(ddof=1)) / (
            prior_freedom + freedom
        )
        assert spread.error(n) ** 2 == pytest.approx(moderated / (n + prior_freedom))

    def test_how_far_values_could_lie_apart(self) -> None:
        """What could be counts where one or none varies; the more do, the more what was seen."""
        near, far, zeros = np.arange(100) / 100, np.arange(100) / 10, np.zeros(50)
        for compared, reach in ((near, 0.99), (far, 9.9), (zeros, 50.0)):
            arm = estimate(zeros, compared, 50.0).arm()
            assert arm == pytest.approx(estimate(zeros, zeros, reach).arm(), rel=1e-3)
        arms = []
        for varied in range(25):
            values = np.repeat([0.0, 0.1], [50 - varied, varied])
            arms.append([estimate(values, each, 50.0).arm() for each in (near, far)])
        ratio = np.array(arms)[:, 1] / np.array(arms)[:, 0]
        assert ratio[0] == pytest.approx(10, rel=1e-3)
        assert (np.diff(ratio) <= 0).all()
        assert ratio[-1] == pytest.approx(1, abs=1e-3)

    def test_a_range_that_is_not_known(self) -> None:
        zeros, rare = np.zeros(20), np.repeat([0.0, 0.1], [19, 1])
        assert estimate(zeros, zeros, np.inf).limits() == (-np.inf, np.inf)
        assert estimate(zeros, zeros, np.inf).p == 1
        arm = estimate(rare, rare, np.inf).arm()
        assert arm == pytest.approx(
            estimate(rare, rare, 0.8).arm(), rel=1e-3
        )  # 8 times as far

    @pytest.mark.long
    @given(
        arrays.arrays(np.float64, st.integers(5, 40), elements=st.integers(0, 8)),
        st.integers(0, 39),
        st.integers(0, 39),
        st.sampled_from([8.0, 16.0, np.inf]),
    )
    def test_one_tie_more_is_no_jump(
        self, drawn: np.ndarray, place: int, other: int, widest: float
    ) -> None:
        """A value that becomes equal to another, from as near as can be, does not change much."""
        apart, most = np.asarray(drawn), {5: 4.2, 6: 3.0}.get(len(drawn), 2.6)
        place, other = place % len(apart), other % len(apart)
        tied = apart.copy()
        tied[place] = tied[other]
        apart[place] = tied[other] + 1e-6
        spread = np.ptp(tied)
        if not spread:
            return  # none differs any more: what could be is all that there is
        before, after = (
            estimate(each, each, widest * spread).arm() for each in (apart, tied)
        )
        assert after < most * before
        assert before < most * after

    def test_six_tournaments_of_which_two_are_equal(self) -> None:
        """Once an interval of half the range, as four that vary were called too few."""
        values = np.array([0.067, 0.067, 0.017, 0.133, 0.1, 0.058])
        low, high = estimate(values, values, 1.0).limits()
        student = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
        assert low < student[0] < student[1] < high
        assert high - low < 2.5 * (student[1] - student[0])

    def test_few_tournaments_are_not_few_that_vary(self) -> None:
        values = np.array([0.1, 0.4, 0.2])
        assert not has_few_varied(estimate(values, values, 2.0).varied, 3)
        assert has_few_varied(estimate(values[[0, 0, 0]], values, 2.0).varied, 3)
        assert estimate(values, values, 2.0) == estimate(values, values, 1000.0)

    def test_one_or_none(self) -> None:
        one, none = np.array([0.3]), np.array([])
        assert estimate(one, one, 2.0).limits() == (-np.inf, np.inf)
        assert estimate(one, one, 2.0).p == 1
        assert np.isnan(
            [estimate(none, none, 2.0).p, *estimate(none, none, 2.0).limits()]
        ).all()

    @pytest.mark.long
    def test_rare_differences_are_covered(self) -> None:
        """One tournament in 40 differs: Student's t holds the truth less than half the time."""
        chance = np.random.default_rng(5)
        truth, held, students = 0.25 / 40, 0, 0
        for _ in range(400):
            first = chance.choice([0.25, 0.5, 0.75], 20)
            second = first + 0.25 * (chance.random(20) < 1 / 40)
            values = second - first
            low, high = estimate(values, np.append(first, second), 2.0).limits()
            held += low <= truth <= high
            t = stats.sem(values) * stats.t.ppf(0.975, 19)
            students += abs(values.mean() - truth) <= t
        assert students < 200
        assert held >= 0.93 * 400


def three(*kendall: float) -> pd.DataFrame:
    """Three tournaments of two models; `kendall` is theirs by model, then by tournament."""
    frame = compare_models(
        ["excalibur", "monrad"], World(players=4, rounds=1), replicates=3
    )
    return frame.sort_values(["model", "replicate"]).assign(kendall=kendall)


class TestByHand:
    """Three values have 2 degrees of freedom, where Student's t has a formula: more than t has the
    probability 1/2 - t / (2 sqrt(2 + t^2)), so 97.5 % are below 0.95 sqrt(2 / (1 - 0.95^2)).
    """

    def beyond(self, t: float) -> float:
        return 0.5 - t / (2 * (2 + t * t) ** 0.5)

    def test_the_formula(self) -> None:
        quantile = 0.95 * (2 / (1 - 0.95**2)) ** 0.5
        assert quantile == pytest.approx(4.302653, abs=1e-6)  # as in every textbook
        assert self.beyond(quantile) == pytest.approx(0.025)

    def test_mean_interval_and_tests(self) -> None:
        # 1 2 3: the mean is 2, the squares around it 2, and the error sqrt(2 / (3 * 2))
        values, error = np.array([1.0, 2.0, 3.0]), (1 / 3) ** 0.5
        found = estimate(values, values, 10.0)
        assert (found.mean, found.n, found.varied) == (2, 3, 2)
        assert found.error == pytest.approx(error)
        assert found.arm() == pytest.approx(4.302653 * error)
        assert found.limits() == pytest.approx((2 - 2.484138, 2 + 2.484138), abs=1e-5)
        assert found.limits(0.9) == pytest.approx(
            (2 - 2.919986 * error, 2 + 2.919986 * error)
        )
        # 2 is 3.4641 errors from 0, two-sided
        assert found.p == pytest.approx(2 * self.beyond(12**0.5))
        assert found.p == pytest.approx(0.0742, abs=1e-4)
        # TOST: the end of the margin that is nearer, 5, is 3 away, or 5.1962 errors
        assert found.p_within(5) == pytest.approx(self.beyond(27**0.5))
        assert found.p_within(5) == pytest.approx(0.0175, abs=1e-4)
        assert found.p_within(2) == pytest.approx(0.5)  # just as far
        assert found.p_within(1) > 0.5  # farther
        other = estimate(-values, values, 10.0)
        assert (other.mean, other.p) == (-2, pytest.approx(found.p))
        assert other.p_within(5) == pytest.approx(found.p_within(5))

    def test_imagined_values(self) -> None:
        # nine 0 and a 1: one varies, so what could be, as far as those compared lie apart, 2, has
        # the weight 2^0 - 2^-8 = 255/256. What was seen is 0.9 from the mean, and is taken 4/3
        # times: 1.2. The mean is 0.1, the squares around it 9 * 0.01 + 0.81. All but one of nine
        # others are tied, so that 4 * (8/9)^2 = 256/81 are imagined
        values, compared = np.array([0.0] * 9 + [1.0]), np.linspace(3, 5, 20)
        found = estimate(values, compared, 10.0)
        assert (found.mean, found.n, found.varied) == (pytest.approx(0.1), 10, 1)
        reach = 1.2**2 + 255 / 256 * (4 - 1.2**2)
        count = 10 + 256 / 81
        error = ((0.9 + 256 / 81 * reach) / (count * (count - 1))) ** 0.5
        assert found.error == pytest.approx(error)

    def test_means(self) -> None:
        frame = three(0.2, 0.3, 0.4, 0.5, 0.5, 0.8)
        table = means(frame, ["kendall"]).set_index("model")
        one, two = table.loc["excalibur"], table.loc["monrad"]
        assert (one["mean"], two["mean"]) == (pytest.approx(0.3), pytest.approx(0.6))
        arm = 4.302653 * (0.02 / 6) ** 0.5
        assert (one["low"], one["high"]) == pytest.approx(
            (0.3 - arm, 0.3 + arm), abs=1e-6
        )
        assert two["high"] == 1  # no tau is larger

    def test_paired_differences(self) -> None:
        # means of 0.3 and 0.5; by tournament the differences are 0.1, 0.2, 0.3
        frame = three(0.2, 0.3, 0.4, 0.3, 0.5, 0.7)
        row = differences(frame, metrics=["kendall"], margins={"kendall": 0.5}).iloc[0]
        error = (0.02 / 6) ** 0.5
        assert (row["model"], row["n"], row["varied"]) == ("monrad", 3, 2)
        assert row["difference"] == pytest.approx(0.2)
        assert (row["low"], row["high"]) == pytest.approx(
            (0.2 - 4.302653 * error, 0.2 + 4.302653 * error), abs=1e-6
        )
        assert row["p"] == row["p_holm"] == pytest.approx(2 * self.beyond(0.2 / error))
        assert row["p_equivalent"] == pytest.approx(self.beyond(0.3 / error))

    def test_precision(self) -> None:
        frame = three(0.2, 0.3, 0.4, 0.3, 0.5, 0.7)
        arm = 4.302653 * (0.02 / 6) ** 0.5  # of the differences
        assert half_widths(frame, {"kendall": 0.25}, None) == pytest.approx(
            {"kendall": arm}
        )
        alone = frame[frame["model"] == "monrad"]  # of the mean of 0.3, 0.5, 0.7
        assert half_widths(alone, {"kendall": 0.25}, None) == pytest.approx(
            {"kendall": 2 * arm}
        )


class TestHolm:
    def test_a_worked_example(self) -> None:
        # Holm 1979: 4, 3, 2 and 1 times the p-values in order, never falling, at most 1
        p = np.array([0.04, 0.01, 0.03, 0.005])
        assert correct_by_holm(p) == pytest.approx([0.06, 0.03, 0.06, 0.02])
        assert correct_by_holm(np.array([0.7, 0.6])).tolist() == [1, 1]
        assert correct_by_holm(np.array([])).tolist() == []

    @pytest.mark.long
    @given(st.lists(st.floats(0, 1), max_size=9))
    def test_is_between_the_p_value_and_bonferronis(self, given_p: list[float]) -> None:
        p = np.array(given_p)
        found = correct_by_holm(p)
        assert (found >= p).all()
        assert (found <= np.minimum(len(p) * p, 1) + 1e-12).all()
        assert (np.diff(found[np.argsort(p, kind="stable")]) >= 0).all()


class TestRanges:
    @pytest.mark.long
    @pytest.mark.parametrize("players", [4, 9])
    def test_hold_what_is_played(self, players: int) -> None:
        world = World(players=players, rounds=3, drops=0.1)
        table = per_tournament(
            compare_models(["random", "excalibur"], world, replicates=10)
        )
        for metric in table.columns[2:]:
            least, most = metric_range(metric, players, 3)
            assert least < most
            assert not (table[metric] < least).any()
            assert not (table[metric] > most).any()

    def test_of_nearly_every_metric_they_are_known(self) -> None:
        known = {m for m in METRICS if np.isfinite(metric_range(m, 8, 3)).all()}
        assert set(METRICS) - known == {"sos_spread"}
        assert metric_range("own", 8, 3) == (-np.inf, np.inf)

    @pytest.mark.long
    def test_of_metrics_that_are_measured_besides(self) -> None:
        metrics = ["winner", "unique_winner", "optimum", "strength_gap"]
        frame = compare_models(
            ["random", "excalibur"],
            World(players=7, rounds=3),
            replicates=8,
            metrics=metrics,
            rankings=["wins"],
        )
        table = per_tournament(frame)
        known = {}
        for metric in (
            "best_wins",
            "winner_rank",
            "unique_winner",
            "optimal",
            "broken",
            "kendall_wins",
        ):
            least, most = known[metric] = metric_range(metric, 7, 3)
            assert table[metric].between(least, most).all()
        assert (
            known["best_wins"] == known["unique_winner"] == known["optimal"] == (0, 1)
        )
        assert known["winner_rank"] == (1, 7)
        assert known["kendall_wins"] == (-1, 1)
        assert metric_range("strength_gap", 7, 3) == (0, np.inf)


class TestMeans:
    @pytest.mark.long
    def test_sums_and_last_rounds(self, frame: pd.DataFrame) -> None:
        one = frame[(frame["model"] == "monrad") & (frame["replicate"] == 5)]
        row = per_tournament(frame).set_index(["model", "replicate"]).loc[("monrad", 5)]
        assert row["floats"] == one["floats"].sum()
        assert row["kendall"] == one["kendall"].iloc[-1]
        assert row["bye_points"] == pytest.approx(one["bye_points"].mean())
        assert row["unbalanced"] == sum(
            one[f"side_difference_{k}"].iloc[-1] for k in (2, 3, 4)
        )

    @pytest.mark.long
    def test_intervals_are_of_the_values_and_inside_what_is_possible(
        self, frame: pd.DataFrame
    ) -> None:
        found = means(frame).set_index(["model", "metric"])
        values = per_tournament(frame).query("model == 'monrad'")["kendall"].to_numpy()
        row = found.loc["monrad", "kendall"]
        assert (row["low"], row["high"]) == pytest.approx(
            estimate(values, values, 2).limits()
        )
        assert (row["mean"], row["n"]) == (pytest.approx(values.mean()), 12)
        assert (found["low"] < found["high"]).all()
        for metric, rows in found.groupby("metric"):
            least, most = metric_range(str(metric), 9, 4)
            assert rows["low"].min() >= least
            assert rows["high"].max() <= most

    def test_of_two_tournaments_that_are_equal(self) -> None:
        frame = compare_models(["excalibur"], World(players=4, rounds=3), replicates=2)
        row = means(frame, ["rematches"]).iloc[0]
        assert (row["mean"], row["low"], row["n"], row["varied"]) == (0, 0, 2, 0)
        assert row["high"] > 3

    @pytest.mark.long
    def test_unfinished_tournaments_do_not_count_and_are_named(
        self, frame: pd.DataFrame
    ) -> None:
        broken = frame.copy()
        here = (
            (broken["model"] == "monrad")
            & (broken["replicate"] == 3)
            & (broken["round"] >= 3)
        )
        broken.loc[here, "status"] = "infeasible"
        assert (means(broken).query("model == 'monrad'")["n"] == 11).all()
        assert (differences(broken)["n"] == 11).all()
        assert ended_early(broken).to_numpy().tolist() == [["monrad", 3, 3]]
        assert ended_early(frame).empty


@pytest.fixture(scope="module")
def worlds() -> pd.DataFrame:
    both = grid(World(players=10), rounds=[2, 4])
    return compare_models(["excalibur", "random"], both, replicates=8)


class TestWorlds:
    """Each world of a grid is a question of its own."""

    @staticmethod
    @cache
    def alone(rounds: int) -> pd.DataFrame:
        return compare_models(
            ["excalibur", "random"], World(players=10, rounds=rounds), replicates=8
        )

    @pytest.mark.long
    @pytest.mark.parametrize("told", [means, differences, per_tournament, ended_early])
    def test_are_told_one_by_one(
        self, worlds: pd.DataFrame, told: Callable[[pd.DataFrame], pd.DataFrame]
    ) -> None:
        worlds = worlds.copy()
        here = (worlds["replicate"] == 3) & (worlds["model"] == "random")
        worlds.loc[here & (worlds["round"] == 2), "status"] = "infeasible"
        found = told(worlds)
        for rounds in (2, 4):
            alone = self.alone(rounds).copy()
            here = (alone["replicate"] == 3) & (alone["model"] == "random")
            alone.loc[here & (alone["round"] == 2), "status"] = "infeasible"
            own = found[found["world_rounds"] == rounds].drop(columns="world_rounds")
            pd.testing.assert_frame_equal(
                own.reset_index(drop=True), told(alone), check_dtype=False
            )

    @pytest.mark.long
    def test_are_merged_where_that_is_asked_for(self, worlds: pd.DataFrame) -> None:
        """Worlds share their luck, so a replicate's mean over them is one observation."""
        apart = means(worlds, ["floats"]).set_index(["model", "world_rounds"])["mean"]
        merged = means(worlds, ["floats"], merge=True).set_index("model")
        assert merged.loc["random", "n"] == 8
        assert merged.loc["random", "mean"] == pytest.approx(apart["random"].mean())
        values = per_tournament(worlds).query("model == 'random'").groupby("replicate")
        own = values["floats"].mean().to_numpy()
        assert merged.loc["random", "high"] == pytest.approx(
            estimate(own, own, 20).limits()[1]
        )
        between = differences(worlds, metrics=["floats"], merge=True).iloc[0]
        assert between["difference"] == pytest.approx(
            apart["random"].mean() - apart["excalibur"].mean()
        )

    def test_of_a_tournament_that_ended_in_one_world_no_mean_is_taken(
        self, worlds: pd.DataFrame
    ) -> None:
        worlds = worlds.copy()
        here = (
            (worlds["replicate"] == 3)
            & (worlds["round"] == 4)
            & (worlds["model"] == "random")
        )
        worlds.loc[here, "status"] = "infeasible"
        merged = means(worlds, ["floats"], merge=True).set_index("model")
        assert merged["n"].to_dict() == {"excalibur": 8, "random": 7}

    @pytest.mark.long
    def test_precision_is_that_of_the_widest(self, worlds: pd.DataFrame) -> None:
        alone = [
            half_widths(self.alone(rounds), {"floats": 1}, None) for rounds in (2, 4)
        ]
        widest = max(each["floats"] for each in alone)
        assert half_widths(worlds, {"floats": 1}, None)["floats"] == pytest.approx(
            widest
        )


class TestDifferences:
    @pytest.mark.long
    def test_are_paired(self, frame: pd.DataFrame) -> None:
        table = per_tournament(frame).pivot_table("kendall", "replicate", "model")
        one, other = (table[model].to_numpy() for model in ("excalibur", "monrad"))
        found = estimate(other - one, np.append(one, other), 2)
        row = differences(frame, "excalibur").set_index("metric").loc["kendall"]
        assert (row["low"], row["high"]) == pytest.approx(found.limits())
        assert (row["n"], row["varied"]) == (12, found.varied)
        assert row["difference"] == pytest.approx((other - one).mean())
        assert row["p"] == row["p_holm"] == pytest.approx(found.p)
        back = differences(frame, "monrad").set_index("metric").loc["kendall"]
        assert back["difference"] == pytest.approx(-row["difference"])

    @pytest.mark.long
    def test_none_at_all_has_a_width(self, frame: pd.DataFrame) -> None:
        found = differences(also(frame, "monrad", "again"), "monrad")
        again = found[found["model"] == "again"]
        assert (again["difference"] == 0).all()
        assert (again["low"] < 0).all()
        assert (again["high"] > 0).all()
        assert (again["varied"] == 0).all()
        assert (again["p"] == 1).all()

    @pytest.mark.long
    def test_one_design_is_one_comparison(self, frame: pd.DataFrame) -> None:
        several = also(also(frame, "monrad", "again"), "excalibur", "own")
        assert designs(several) == {
            "excalibur": ["excalibur", "own"],
            "monrad": ["monrad", "again"],
        }
        found = differences(several, "excalibur").set_index(["metric", "model"])
        for metric in ("kendall", "floats"):
            own, again = found.loc[metric, "monrad"], found.loc[metric, "again"]
            assert own["p_holm"] == again["p_holm"] == own["p"]
        other = frame[frame["model"] == "monrad"].assign(model="other")
        other["floats"] += 1
        several = pd.concat([frame, other])
        found = differences(several, "excalibur").set_index(["metric", "model"])
        both = found.loc["floats", "p"].to_numpy()
        assert found.loc["floats", "p_holm"].to_numpy() == pytest.approx(
            correct_by_holm(both)
        )

    @pytest.mark.long
    def test_equivalence(self, frame: pd.DataFrame) -> None:
        found = differences(frame, margins={"kendall": 0.2, "bye_points": 1.5})
        assert list(found.columns[-2:]) == ["margin", "p_equivalent"]
        asked = found.dropna(subset="margin").set_index("metric")
        assert set(asked.index) == {"kendall", "bye_points"}
        table = per_tournament(frame).pivot_table("kendall", "replicate", "model")
        one, other = (table[model].to_numpy() for model in ("excalibur", "monrad"))
        expected = estimate(other - one, np.append(one, other), 2).p_within(0.2)
        assert asked.loc["kendall", "p_equivalent"] == pytest.approx(expected)
        within = differences(frame, metrics=["kendall"], confidence=0.9)
        low, high = within.iloc[0][["low", "high"]]
        assert (expected < 0.05) == (low > -0.2 and high < 0.2)

    @pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf")])
    def test_margins_that_cannot_be(self, frame: pd.DataFrame, margin: float) -> None:
        with pytest.raises(UsageError, match="margin of kendall"):
            differences(frame, margins={"kendall": margin})

    def test_what_is_not_there(self, frame: pd.DataFrame) -> None:
        with pytest.raises(UsageError, match="no model 'nosuch'"):
            differences(frame, "nosuch")
        with pytest.raises(UsageError, match="There is no metric 'nosuch'"):
            differences(frame, margins={"nosuch": 1})
        with pytest.raises(UsageError, match="There is no metric 'nosuch'"):
            means(frame, ["nosuch"])


@pytest.mark.long
def test_every_column_of_a_table_is_told_apart(frame: pd.DataFrame) -> None:
    """Models that differ in one number of one round are two designs."""
    own = ("model", "engine", "status", "levels")
    for column in [
        name for name in STUDY_COLUMNS if name not in own and frame[name].notna().any()
    ]:
        other = frame[frame["model"] == "monrad"].assign(model="other")
        other.iloc[7, other.columns.get_loc(column)] += 1
        assert "other" in designs(pd.concat([frame, other]))
