"""Keep the import paths of version 1.0.0. New code imports `pairopt.analysis`."""
