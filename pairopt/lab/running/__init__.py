"""Running: the tasks of a study, in processes or on a cluster, kept as they are done."""
