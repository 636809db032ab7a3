"""The CP-SAT engine: classes, stages, dealing, refinement; exact for every model."""
