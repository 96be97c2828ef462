"""What carries the plane of an arm, the turntable or the lift, and what slides in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.axes import NEAR, angle_between, lean, quoted
from ik2d_ros.robot.route import Placed
from ik2d_ros.robot.wording import Wording


def find_turntable(
    first: Placed,
    turning: Sequence[Placed],
    held: Mapping[str, str],
    normal: FloatArray,
    wording: Wording,
) -> tuple[Placed | None, Sequence[Placed]]:
    """Return the turntable, and all joints that turn before the plane.

    Raises:
        ConfigError: a joint before the plane is not quite parallel to it.
    """
    before = turning[: turning.index(first)]
    for one in reversed([one for one in before if one.joint.name not in held]):
        leaning = lean(one.axis, normal)
        if leaning <= MOST_LEAN:
            return one, before
        if leaning < NEAR:
            raise ConfigError(
                f'joint {quoted(one)}, before the plane of {quoted(first)}, leans out of '
                f'it by {leaning:.6g} rad; it must be parallel to the plane, to {MOST_LEAN:g} rad '
                f'(or hold it: {wording.hold(one.joint.name, 0.0)})'
            )
    return None, before


def find_slides(
    sliding: Sequence[Placed],
    normal: FloatArray,
    turntable: Placed | None,
    before: Sequence[Placed],
    wording: Wording,
) -> tuple[Placed | None, list[Placed]]:
    """Return the lift, and the joints that slide in the plane.

    Args:
        sliding: the joints that slide.
        normal: (3,) of the plane.
        turntable: the joint that turns the plane, if any.
        before: the joints before that.
        wording: what messages call what the user can say.

    Raises:
        ConfigError: a joint slides in another direction, or before the turntable but not along its
            axis, or several joints carry the plane.
    """
    along, inside = [], []
    for one in sliding:
        angle = angle_between(one.axis, normal)
        name, hold = quoted(one), wording.hold(one.joint.name, 'POSITION')
        if angle <= MOST_LEAN:
            along.append(one)
        elif math.pi / 2.0 - angle > MOST_LEAN:
            raise ConfigError(
                f"joint {name} slides {angle:.6g} rad off the plane's normal; it must be along it "
                f'or in the plane, to {MOST_LEAN:g} rad (or hold it: {hold})'
            )
        elif turntable and one in before and angle_between(one.axis, turntable.axis) > MOST_LEAN:
            raise ConfigError(
                f'joint {name} slides before the turntable {quoted(turntable)}, but not along its '
                f'axis, which is not supported; hold it: {hold}'
            )
        else:
            inside.append(one)
    if len(along) > 1 or (along and turntable is not None):
        what = [*along, *([turntable] if turntable else [])]
        raise ConfigError(
            f'the joints {", ".join(map(quoted, what))} all carry the plane; an arm has one '
            'turntable or one lift: hold the others: '
            f'{wording.hold(what[0].joint.name, "POSITION")}'
        )
    return along[0] if along else None, inside
