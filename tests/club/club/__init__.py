"""A part of each kind that pairopt takes from other distributions; see CONTRIBUTING.md."""
