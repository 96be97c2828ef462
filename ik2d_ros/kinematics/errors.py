"""Errors that the kinematics raise: bad models and bad arguments, never unreachable targets."""


class Ik2dError(ValueError):
    """Base of every error that this package raises for bad input."""


class ChainError(Ik2dError):
    """A chain or a joint that cannot be built; the message names the joint and the value."""


class ArgumentError(Ik2dError):
    """An argument of a solver that is refused; the message names it and what is allowed."""
