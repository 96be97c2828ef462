"""The strategy in the plane: which stages reach a target, and why one is missed."""
