"""The solver: plain Python with types for C beside it, compiled where that can be done."""
