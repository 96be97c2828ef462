"""The rules by which ros2_controllers refuse a command, in their order and words.

:func:`trajectory_refusal` is joint_trajectory_controller's ``validate_trajectory_msg`` and
:func:`array_refusal` the callback and update of forward_command_controller, from which
position_controllers are derived; both under the controllers' default parameters, read from the
sources of ros2_controllers 4.42 (Jazzy), 5.17 (Kilted) and 6.9 (Lyrical), which do not differ here.

What passes is not always safe: joint_trajectory_controller accepts NaN, for example. Velocities,
accelerations and efforts of a trajectory are not looked at: the node sends none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ik2d_ros.control.commands import BILLION, Trajectory


@dataclass(frozen=True)
class Refusal:
    """A refused message.

    Attributes:
        words: what the controller logs; empty if it says nothing.
        deactivates: whether the controller is inactive then, until someone activates it again;
            else the command before goes on.
    """

    words: str
    deactivates: bool = False


def trajectory_refusal(trajectory: Trajectory, joints: Sequence[str], now: int) -> Refusal | None:
    """Return why a joint_trajectory_controller refuses a message; None if it accepts it.

    Args:
        trajectory: the content of the message.
        joints: names of the controller's joints.
        now: time of the controller's clock in ns.
    """
    return next((Refusal(words) for words in _faults(trajectory, joints, now)), None)


def _faults(trajectory: Trajectory, joints: Sequence[str], now: int) -> Iterator[str]:
    points = trajectory.points
    if len(trajectory.joints) != len(joints):
        yield "Joints on incoming trajectory don't match the controller joints."
    if not points:
        yield 'Empty trajectory received.'
    for name in trajectory.joints:
        if name not in joints:
            yield f"Incoming joint {name} doesn't match the controller's joints."
    end = trajectory.stamp + points[-1].time
    if trajectory.stamp and end < now:
        yield (
            f'Received trajectory with non-zero start time ({trajectory.stamp / BILLION:f}) that '
            f'ends in the past ({end / BILLION:f})'
        )
    before = points[0].time - 1
    for index, point in enumerate(points):
        if point.time <= before:
            yield (
                f'Time between points {index - 1} and {index} is not strictly increasing, it is '
                f'{before / BILLION:f} and {point.time / BILLION:f} respectively'
            )
        before = point.time
        if len(point.positions) != len(joints):
            yield (
                f'Mismatch between joint_names size ({len(joints)}) and positions '
                f'({len(point.positions)}) at point #{index}.'
            )


def array_refusal(data: Sequence[float], count: int) -> Refusal | None:
    """Return why a forward_command_controller refuses a message; None if it accepts it.

    Args:
        data: the numbers of a std_msgs/Float64MultiArray.
        count: how many joints the controller has.
    """
    if not all(map(math.isfinite, data)):
        return Refusal('Non-finite value received. Dropping message')
    if not data:
        return Refusal('')
    if len(data) == count:
        return None
    words = f'command size ({len(data)}) does not match number of interfaces ({count})'
    return Refusal(words, deactivates=True)
