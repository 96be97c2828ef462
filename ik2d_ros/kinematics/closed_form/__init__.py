"""Two joints in closed form, for one target and for many."""
