"""Fide: what do FIDE's own systems ask of a round? A sub-package each: levels, order of candidates,
brackets and words."""
