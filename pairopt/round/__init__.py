"""Round: one round paired, checked, explained and compared."""
