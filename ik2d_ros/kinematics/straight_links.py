"""Joints with straight links, made of lengths, limits and types."""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.kinematics.arguments import finite, listed, shown
from ik2d_ros.kinematics.bounds import LARGEST_LENGTH, MOST_JOINTS
from ik2d_ros.kinematics.errors import ChainError
from ik2d_ros.kinematics.joint import TYPES, Joint


def straight_joints(
    lengths: Sequence[float],
    limits: Sequence[tuple[float, float] | None] | None,
    types: Sequence[str] | None,
) -> list[Joint]:
    """Return joints named ``joint1``, ``joint2``, ..., each link along the x-axis of its frame.

    Args:
        lengths: (n,) in m, none negative.
        limits: (n,) pairs (lower, upper) in rad, in m for a prismatic joint, None for a continuous
            joint; or None for all.
        types: (n,) ``revolute`` or ``prismatic``; or None where all are revolute.

    Raises:
        ChainError: a length, a limit or a type is refused, or their numbers differ.
    """
    given = listed(lengths, MOST_JOINTS)
    if given is None:
        raise ChainError(f'lengths must be a list of numbers in m, not {shown(lengths)}')
    if len(given) > MOST_JOINTS:
        raise ChainError(f'a chain has at most {MOST_JOINTS} joints; more lengths were given')
    pairs = [None] * len(given) if limits is None else listed(limits, MOST_JOINTS)
    if pairs is None:
        raise ChainError(f'limits must be a list of pairs in rad or None, not {shown(limits)}')
    if len(pairs) != len(given):
        raise ChainError(
            f'{len(pairs)} limits for {len(given)} lengths; give one per joint, '
            'None for a continuous joint'
        )
    kinds = ['revolute'] * len(given) if types is None else listed(types, MOST_JOINTS)
    if kinds is None or len(kinds) != len(given):
        raise ChainError(
            f'types are {shown(types)}; give one of {", ".join(TYPES)} for each of '
            f'{len(given)} lengths'
        )
    return [
        _straight_joint(f'joint{number}', length, pair, kind)
        for number, (length, pair, kind) in enumerate(zip(given, pairs, kinds, strict=True), 1)
    ]


def _straight_joint(name: str, length: object, pair: object, kind: str) -> Joint:
    value = finite(length)
    if value is None or not 0.0 <= value <= LARGEST_LENGTH:
        raise ChainError(
            f"joint '{name}': length is {shown(length)}; it must be a number of 0 or more, "
            f'at most {LARGEST_LENGTH:.12g}, in m'
        )
    ends = (None, None) if pair is None else listed(pair, 2)
    if ends is None or len(ends) != 2:
        raise ChainError(
            f"joint '{name}': limits are {shown(pair)}; give (lower, upper) in rad or None"
        )
    lower, upper = ends
    return Joint(name, (value, 0.0), lower, upper, type=kind)
