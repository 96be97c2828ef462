"""What every node of this package does the same way."""
