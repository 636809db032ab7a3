"""Keep the import paths of interfaces as they were before 1.1, which are deprecated."""
