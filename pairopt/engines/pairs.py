"""Keep the import path `pairopt.engines.pairs` until version 2.0.

Import `pairopt.extend` instead.
"""

from pairopt.common.old_paths import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "all_pairs": "pairopt.engines.single_pairs:all_pairs",
        "sided_arcs": "pairopt.engines.single_pairs:sided_arcs",
    },
)
