"""How far the joints of an arm on a turntable move: of poses that are as good, the least is taken.

A slide counts its move in reaches of the chain, a revolute joint in radians.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul, sub

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain


def largest_move(chain: Chain, turn: float, q: Sequence[float], start: Sequence[float]) -> float:
    """Return the largest joint move.

    Args:
        chain: the chain behind the turntable.
        turn: where the turntable goes, in rad.
        q: (n,) where the chain goes.
        start: (n + 1,) from where, the turntable first.
    """
    moved: float = max(map(abs, map(mul, map(sub, q, start[1:]), chain.signs)))
    return max(moved, abs(turn - start[0]))


def least_move(
    chain: Chain, poses: Sequence[tuple[float, Sequence[float]]], start: Sequence[float]
) -> int:
    """Return the number of the pose that moves least, the first of those that move the same.

    Args:
        chain: the chain behind the turntable.
        poses: where the turntable goes in rad, and (n,) where the chain goes.
        start: (n + 1,) from where, the turntable first.
    """
    best, least = 0, math.inf
    for number, (turn, q) in enumerate(poses):
        move = largest_move(chain, turn, q, start)
        if move < least - SAME_MOVE:
            best, least = number, move
    return best


def largest_moves(chain: Chain, poses: FloatArray, starts: FloatArray) -> FloatArray:
    """Return (k,) the largest joint move to each of poses (k, n + 1) from its start."""
    largest: FloatArray = np.abs(poses[:, 0] - starts[:, 0])
    for joint, sign in enumerate(chain.signs, start=1):
        # A maximum along rows takes several times as long.
        move = poses[:, joint] - starts[:, joint]
        if abs(sign) != 1.0:
            move *= sign
        np.maximum(largest, np.abs(move, out=move), out=largest)
    return largest
