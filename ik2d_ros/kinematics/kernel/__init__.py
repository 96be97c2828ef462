"""The solver: plain Python with types for C beside it, compiled where that can be done."""


def kernel_name() -> str:
    """Return how the solver runs: ``compiled`` or ``plain Python``, some thirty times as slow."""
    from ik2d_ros.kinematics.kernel import linkage  # noqa: PLC0415

    return 'plain Python' if str(linkage.__file__).endswith('.py') else 'compiled'
