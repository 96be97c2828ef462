"""What limits allow, exactly: the edge of what a chain reaches, and the closest pose."""
