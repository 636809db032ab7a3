"""Build the problem that an event and a model pose, and verify solutions without a solver."""
