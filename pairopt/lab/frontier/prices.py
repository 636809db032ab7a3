"""Keep the import path `pairopt.lab.frontier.prices` for published studies."""

from pairopt.analysis.frontier_slopes import price_curve, prices, table_of

__all__ = ["price_curve", "prices", "table_of"]
