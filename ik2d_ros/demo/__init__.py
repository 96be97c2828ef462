"""The demo: starts the nodes, and tells what they say."""
