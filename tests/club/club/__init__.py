"""An extension of each kind that other packages can add to pairopt; see docs/extend."""
