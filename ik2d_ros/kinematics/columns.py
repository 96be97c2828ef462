"""How each kind of joint moves the tip: all that the solvers know of kinds of joints.

A pose is one number per joint, its *bends*: of a revolute joint the bend of its link in rad, of a
prismatic one the length of its link in reaches, with a sign, while its bend is fixed (see
:mod:`.chain`). The tip moves by ``1j * span`` per unit of a joint's number, its column of the
Jacobian: the span of a revolute joint is the vector from there to the tip; that of a prismatic one
is the direction in which it slides, turned back by a right angle.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, read_only

# (n,) bends in rad of prismatic joints, None for revolute ones; or None where all are revolute.
FixedBends = Sequence[float | None] | None


def links(
    fixed: FixedBends, lengths: Sequence[float], bends: Sequence[float]
) -> tuple[Sequence[float], Sequence[float]]:
    """Return length and bend of each link in a pose.

    Args:
        fixed: bends of prismatic joints.
        lengths: (n,) of the links of revolute joints, in reaches.
        bends: (n,) a number for each joint.

    Returns:
        (n,) lengths, which may be negative, and (n,) bends in rad.
    """
    if fixed is None:
        return lengths, bends
    return (
        [length if bend is None else number for length, bend, number in zip(lengths, fixed, bends)],
        [number if bend is None else bend for bend, number in zip(fixed, bends)],
    )


def fixed_array(fixed: Sequence[float | None]) -> FloatArray:
    """Return (n,) bends in rad of prismatic joints, NaN for revolute ones; read-only."""
    return read_only([np.nan if bend is None else bend for bend in fixed])


def links_many(
    fixed: FloatArray | None, lengths: FloatArray | Sequence[float], bends: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Do what :func:`links` does for arrays; ``fixed`` as :func:`fixed_array` has it."""
    if fixed is None:
        return np.asarray(lengths), bends
    turns = np.isnan(fixed)
    return np.where(turns, lengths, bends), np.where(turns, bends, fixed)


def spans(fixed: FixedBends, bends: Sequence[float], points: Sequence[complex]) -> list[complex]:
    """Return the span of each joint: the tip moves by ``1j * span`` per unit of its number.

    Args:
        fixed: bends of prismatic joints.
        bends: (n,) a number for each joint.
        points: (n + 1,) the joints and, last, the tip, in reaches.
    """
    tip = points[-1]
    if fixed is None:
        return [tip - joint for joint in points[:-1]]
    heading, found = 0.0, []
    for joint, bend, number in zip(points, fixed, bends):
        if bend is None:
            heading += number
            found.append(tip - joint)
        else:
            heading += bend
            found.append(-1j * rect(1.0, heading))
    return found


def slide_ways(fixed: FixedBends, bends: Sequence[float]) -> dict[int, complex]:
    """Return the unit vectors in which prismatic joints slide, by the joints' indices."""
    if fixed is None:
        return {}
    _, turned = links(fixed, bends, bends)
    headings = list(accumulate(turned))
    return {
        joint: rect(1.0, headings[joint]) for joint, bend in enumerate(fixed) if bend is not None
    }


def columns_many(fixed: FloatArray | None, spans: ComplexArray, angles: FloatArray) -> ComplexArray:
    """Return how the ends of chains move per unit of each joint's number.

    Args:
        fixed: bends of prismatic joints, as :func:`fixed_array` has them.
        spans: from each joint to the end.
        angles: of each link in the plane, in rad.
    """
    turned: ComplexArray = 1j * spans
    if fixed is None:
        return turned
    return np.where(np.isnan(fixed), turned, np.exp(1j * angles))


def spans_many(
    fixed: FloatArray | None,
    spans: tuple[FloatArray, FloatArray],
    ways: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Do what :func:`spans` does for arrays, all along x and along y.

    Args:
        fixed: bends of prismatic joints, as :func:`fixed_array` has them.
        spans: from each joint to the tip.
        ways: cosines and sines of the links' angles.
    """
    if fixed is None:
        return spans
    slides = ~np.isnan(fixed)
    (sx, sy), (cosines, sines) = spans, ways
    return np.where(slides, sines, sx), np.where(slides, -cosines, sy)
