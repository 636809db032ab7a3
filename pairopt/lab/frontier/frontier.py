"""Keep the import path `pairopt.lab.frontier.frontier` for published studies."""

from pairopt.analysis.frontier import frontier, frontiers

__all__ = ["frontier", "frontiers"]
