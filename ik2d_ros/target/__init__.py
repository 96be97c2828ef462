"""Demo targets: paths, and the node that publishes them."""
