"""What all nodes of this package share."""
