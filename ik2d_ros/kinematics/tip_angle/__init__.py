"""Targets at a tip angle, or in a direction of space."""
