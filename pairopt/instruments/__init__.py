"""Instruments: what can be asked of a round only where every optimum is proven."""
