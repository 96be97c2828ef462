"""Demo targets: paths, and the node that publishes points on them."""
