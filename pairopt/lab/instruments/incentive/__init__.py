"""Incentive: whom players may meet after a win, a draw or a loss, and whether less is better."""
