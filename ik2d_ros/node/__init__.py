"""The arm's node: answers, parameters, markers, and the node itself."""
