"""Zeros, lengths and base of an arm from measured tips."""
