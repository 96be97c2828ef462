"""Types of arguments on the command line: each gives the value, or a refusal in words."""

from __future__ import annotations

import argparse
import math


def coordinate(text: str) -> float:
    """An argument that is a coordinate."""
    return number(text, 'a finite number of metres')


def joint_position(text: str) -> float:
    """An argument that is a joint position."""
    return number(text, 'a finite number of radians (all that follow --start belong to it)')


def number(text: str, allowed: str = 'a finite number') -> float:
    """An argument that is a number.

    Raises:
        ArgumentTypeError: It is none, or not finite.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text.strip()}' is not allowed; it must be {allowed}")
    return value


def whole_number(text: str) -> int:
    """An argument that is a whole number.

    Raises:
        ArgumentTypeError: It is none.
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text.strip()}' is not allowed; it must be a whole number >= 1"
        ) from None
