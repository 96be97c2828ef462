"""Ways along targets that are known as a whole."""
