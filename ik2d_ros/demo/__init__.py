"""The demo: starts the nodes, and monitors and checks them."""
