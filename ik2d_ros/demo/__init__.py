"""The demo: starts the nodes, and prints their statuses."""
