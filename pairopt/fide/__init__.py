"""FIDE's Swiss systems, a sub-package each: levels, order of candidates, brackets and words."""
