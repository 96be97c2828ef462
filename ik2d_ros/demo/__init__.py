"""The demo: it starts the nodes, and watches and checks what they do."""
