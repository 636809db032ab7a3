"""Keep import paths of version 1.0.0 that began with `pairopt.lab.measuring`."""
