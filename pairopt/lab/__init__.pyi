"""The public names; at run time they are imported on first use."""

from pairopt.lab.comparison import compare_models as compare_models
from pairopt.lab.comparison import compare_on_events as compare_on_events
from pairopt.lab.permuting import orderings as orderings
from pairopt.lab.plots import plot_differences as plot_differences
from pairopt.lab.plots import plot_sweep as plot_sweep
from pairopt.lab.plots import plot_trade_off as plot_trade_off
from pairopt.lab.simulating import Tournament as Tournament
from pairopt.lab.simulating import simulate as simulate
from pairopt.lab.statistics.comparing import designs as designs
from pairopt.lab.statistics.comparing import differences as differences
from pairopt.lab.statistics.comparing import ended_early as ended_early
from pairopt.lab.statistics.comparing import means as means
from pairopt.lab.statistics.comparing import per_tournament as per_tournament
from pairopt.lab.world import World as World
