"""The arm's node: what it answers, its parameters, its markers, and the node itself."""
