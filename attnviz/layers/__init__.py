"""Pieces that two models share unchanged."""
