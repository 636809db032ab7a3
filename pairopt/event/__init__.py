"""Events: players, rounds, results, standings and tie-breaks, as immutable values."""
