"""Ways from a pose to a target: sweeps, steps, closures, and a search."""
