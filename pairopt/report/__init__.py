"""Render a round as print views and pictures."""
