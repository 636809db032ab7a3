"""The public names; at run time they are imported on first use."""

from pairopt.lab.measuring.statistics.comparing import designs as designs
from pairopt.lab.measuring.statistics.comparing import differences as differences
from pairopt.lab.measuring.statistics.comparing import ended_early as ended_early
from pairopt.lab.measuring.statistics.comparing import means as means
from pairopt.lab.measuring.statistics.comparing import per_tournament as per_tournament
from pairopt.lab.playing.permuting import orderings as orderings
from pairopt.lab.playing.simulating import Tournament as Tournament
from pairopt.lab.playing.simulating import simulate as simulate
from pairopt.lab.playing.world import World as World
from pairopt.lab.running.comparison import compare_models as compare_models
from pairopt.lab.running.comparison import compare_on_events as compare_on_events
