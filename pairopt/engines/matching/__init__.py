"""The engine on maximum-weight matching."""
