"""Keep the import path `pairopt.lab.frontier.prices` for published studies."""

from pairopt.analysis.frontier_slopes import prices, table_of

__all__ = ["prices", "table_of"]
