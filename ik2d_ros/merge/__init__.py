"""One message for one controller of several limbs."""
