"""The rules by which ros2_controllers refuse a command, in their order and words; no ROS imports.

:func:`trajectory_refusal` is joint_trajectory_controller's ``validate_trajectory_msg`` and
:func:`array_refusal` the callback and update of forward_command_controller, from which
position_controllers are derived; both under the controllers' default parameters, read from the
sources of ros2_controllers 2.54 (Humble), 4.42 (Jazzy), 5.17 (Kilted) and 6.9 (Lyrical). The last
three do not differ here.

What passes is not always safe: the controllers accept NaN, for example. ``strict.py`` adds what a
sender must also keep to.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ik2d_ros.control.trajectory import BILLION, Trajectory, TrajectoryPoint

Release = Literal['humble', 'jazzy']
"""Whose rules: ``jazzy`` stands for all later releases, too."""

FLOAT_EPSILON = 2.0**-23  # std::numeric_limits<float>::epsilon()


class Consequence(enum.Enum):
    """What a refused message does to the controller."""

    IGNORED = 'the previous command goes on'
    DEACTIVATED = 'the controller is inactive until someone activates it again'
    ENDED = 'the process of the controller manager ends'


@dataclass(frozen=True)
class Refusal:
    """A refused message.

    Attributes:
        words: what the controller logs; empty if it says nothing.
        consequence: what happens to the controller.
    """

    words: str
    consequence: Consequence = Consequence.IGNORED


@dataclass(frozen=True)
class TrajectoryController:
    """A joint_trajectory_controller.

    Attributes:
        joints: names of its joints.
        release: whose rules.
        allow_partial_joints_goal: its parameter.
        allow_nonzero_velocity_at_trajectory_end: its parameter; None for the release's default.
    """

    joints: tuple[str, ...]
    release: Release = 'jazzy'
    allow_partial_joints_goal: bool = False
    allow_nonzero_velocity_at_trajectory_end: bool | None = None

    @property
    def may_end_moving(self) -> bool:
        """Whether the last point may have a velocity."""
        allowed = self.allow_nonzero_velocity_at_trajectory_end
        return self.release == 'humble' if allowed is None else allowed


def trajectory_refusal(
    trajectory: Trajectory, controller: TrajectoryController, now: int
) -> Refusal | None:
    """Return why a joint_trajectory_controller refuses a message; None if it accepts it.

    Args:
        trajectory: the content of the message.
        controller: the controller.
        now: time of the controller's clock in ns.
    """
    joints, points = trajectory.joints, trajectory.points
    if not controller.allow_partial_joints_goal and len(joints) != len(controller.joints):
        return Refusal("Joints on incoming trajectory don't match the controller joints.")
    if not joints:
        return Refusal('Empty joint names on incoming trajectory.')
    if not points:
        return Refusal('Empty trajectory received.')
    checks = [
        _names_refusal(trajectory, controller),
        None if controller.may_end_moving else _end_refusal(trajectory),
        _past_refusal(trajectory, now),
    ]
    if controller.release == 'humble':  # its check of the time comes first
        checks.insert(0, checks.pop())
    for refusal in checks:
        if refusal is not None:
            return refusal
    return _points_refusal(trajectory, controller.release)


def _names_refusal(trajectory: Trajectory, controller: TrajectoryController) -> Refusal | None:
    for name in trajectory.joints:
        if name not in controller.joints:
            return Refusal(f"Incoming joint {name} doesn't match the controller's joints.")
    return None


def _end_refusal(trajectory: Trajectory) -> Refusal | None:
    for index, velocity in enumerate(trajectory.points[-1].velocities):
        if abs(velocity) > FLOAT_EPSILON:  # False for NaN, as in C++
            if index >= len(trajectory.joints):  # joint_names.at(index) throws
                words = 'vector::_M_range_check: __n (which is {0}) >= this->size() (which is {0})'
                return Refusal(words.format(index), Consequence.ENDED)
            return Refusal(
                f'Velocity of last trajectory point of joint {trajectory.joints[index]} is not '
                f'zero: {velocity:.15f}'
            )
    return None


def _past_refusal(trajectory: Trajectory, now: int) -> Refusal | None:
    end = trajectory.stamp + trajectory.points[-1].time
    if trajectory.stamp == 0 or end >= now:
        return None
    return Refusal(
        f'Received trajectory with non-zero start time ({trajectory.stamp / BILLION:f}) that ends '
        f'in the past ({end / BILLION:f})'
    )


def _points_refusal(trajectory: Trajectory, release: Release) -> Refusal | None:
    count, before = len(trajectory.joints), 0
    for index, point in enumerate(trajectory.points):
        if index > 0 and point.time <= before:
            return Refusal(
                f'Time between points {index - 1} and {index} is not strictly increasing, it is '
                f'{before / BILLION:f} and {point.time / BILLION:f} respectively'
            )
        before = point.time
        refusal = _sizes_refusal(count, point, index)
        if refusal is not None:
            return refusal
        if point.effort:
            if release == 'humble':
                return Refusal('Trajectories with effort fields are currently not supported.')
            return Refusal(
                'Trajectories with effort fields are only supported for controllers using the '
                "'effort' command interface."
            )
    return None


def _sizes_refusal(count: int, point: TrajectoryPoint, index: int) -> Refusal | None:
    for field, values in (
        ('positions', point.positions),
        ('velocities', point.velocities),
        ('accelerations', point.accelerations),
    ):
        is_omitted = field != 'positions' and not values
        if len(values) != count and not is_omitted:
            return Refusal(
                f'Mismatch between joint_names size ({count}) and {field} ({len(values)}) at point '
                f'#{index}.'
            )
    return None


def array_refusal(data: Sequence[float], count: int, release: Release = 'jazzy') -> Refusal | None:
    """Return why a forward_command_controller refuses a message; None if it accepts it.

    Args:
        data: the numbers of a std_msgs/Float64MultiArray.
        count: how many joints the controller has.
        release: whose rules.
    """
    if release != 'humble':
        if not all(map(math.isfinite, data)):
            return Refusal('Non-finite value received. Dropping message')
        if not data:
            return Refusal('')
    if len(data) == count:
        return None
    return Refusal(
        f'command size ({len(data)}) does not match number of interfaces ({count})',
        Consequence.IGNORED if release == 'humble' else Consequence.DEACTIVATED,
    )
