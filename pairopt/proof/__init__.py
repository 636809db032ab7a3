"""Write, check and export proofs that a pairing is optimal or that none exists."""
