"""Parts that all nodes of this package share."""
