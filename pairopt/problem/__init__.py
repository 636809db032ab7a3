"""Problems: build one from an event and a model, and verify pairings without a solver."""
