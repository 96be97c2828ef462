"""The solver: plain Python with types for C beside it, compiled where that can be done."""


def is_compiled() -> bool:
    """Return whether the solver runs as compiled code, not as plain Python."""
    from ik2d_ros.kinematics.kernel import linkage  # noqa: PLC0415

    return not str(linkage.__file__).endswith('.py')
