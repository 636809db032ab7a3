"""Keep the import paths that published studies use. New code imports `pairopt.analysis`."""
