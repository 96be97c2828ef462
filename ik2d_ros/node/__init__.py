"""The node of an arm: it answers targets with poses."""
