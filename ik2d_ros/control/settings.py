"""The parameters of measurements, commands and auxiliary joints; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, MOST_JOINTS
from ik2d_ros.parameters.checks import (
    ANGLE,
    POSITIVE,
    Choice,
    Names,
    Number,
    Numbers,
    Text,
    Truth,
    listed,
    refuse,
)
from ik2d_ros.parameters.table import Effect, Table, of_each, rows_of, setting

TRAJECTORY = 'trajectory_msgs/JointTrajectory'
ARRAY = 'std_msgs/Float64MultiArray'


@dataclass(frozen=True)
class Following:
    """Following error, arrival and speed; tolerances of sliding joints are in reaches."""

    tolerance: float = setting(
        0.1,
        POSITIVE,
        'Largest following error, not counting the travel of the joint in following_delay',
        name='following_tolerance',
        unit='rad',
    )
    delay: float = setting(
        0.05,
        Number(least=0.0),
        'Travel of a joint within this time does not count as following error',
        name='following_delay',
        unit='s',
    )
    goal_tolerance: float = setting(
        0.02, POSITIVE, 'Measured closer to its goal than this, each joint is there', unit='rad'
    )
    hold_velocity: float = setting(
        0.5, POSITIVE, 'Speed at which held joints go to where they are held', unit='rad/s'
    )
    scaling: float = setting(
        1.0, Number(least=0.01, most=1.0), 'Factor of velocities and accelerations', name='speed'
    )


@dataclass(frozen=True)
class ControlSettings:
    """The checked parameters for driving a robot; positions by joints' names in rad or m."""

    use_measured_state: bool = setting(
        False, Truth(), 'Start from the pose on measured_joint_states', None
    )
    command_out_type: str = setting(
        '',
        Choice(('', TRAJECTORY, ARRAY)),
        'Type of the commands for a ros2_control controller',
        None,
        allowed=f'empty for no commands, {TRAJECTORY} or {ARRAY}',
    )
    command_out_topic: str = setting('~/command', Text(), 'Topic of the commands', None)
    command_joints: tuple[str, ...] = setting(
        (),
        Names(most=2 * MOST_JOINTS, empty=True),
        "The controller's joints, in its order",
        None,
        allowed="a list of unique joint names with all of the arm's, or empty for the arm's",
    )
    publish_joint_states: bool = setting(
        True, Truth(), 'Publish the commanded pose as joint_states', None
    )
    # Of each auxiliary joint: of command_joints, but not the arm's; NaN for the first measured.
    holds: Mapping[str, float] = field(default_factory=dict)
    following: Following = field(default_factory=Following)
    hold_limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    assumes: Mapping[str, float] = field(default_factory=dict)

    def ends(self, joint: str) -> tuple[float, float]:
        """Return the smallest and largest position of an auxiliary joint."""
        return self.hold_limits.get(joint, (-math.inf, math.inf))

    def off_by(self, joint: str, position: float) -> float:
        """Return how far a position is from that assumed of a joint; NaN if none is."""
        # Whole turns of a joint without limits do not count.
        off = position - self.assumes.get(joint, math.nan)
        return abs(off if joint in self.hold_limits else math.remainder(off, math.tau))


HOLDS = of_each(
    'hold.<joint>',
    "Where a joint of command_joints that is not the arm's is held",
    replace(ANGLE, nan=True),
    allowed='a finite number, in rad or m, or NaN for where the joint was measured first',
    affects=Effect.NOTHING,
)
HOLD_LIMITS = of_each(
    'hold_limits.<joint>',
    'Between which positions a joint may be held',
    Numbers(2, LARGEST_ANGLE),
    allowed='[smallest, largest position], two finite numbers in rad or m',
)
ASSUMES = of_each('assumes.<joint>', "Where a joint before the tip that is not the arm's stands")

FOLLOWING_ROWS = rows_of(Following)
CONTROL_ROWS = (*FOLLOWING_ROWS, *rows_of(ControlSettings))
CONTROL_PARAMETERS = Table(CONTROL_ROWS, (HOLDS, HOLD_LIMITS, ASSUMES))


def control_settings(parameters: Mapping[str, object], joints: Sequence[str]) -> ControlSettings:
    """Check the parameters for driving a robot.

    Args:
        parameters: values by flat dotted name; None means not given, others are ignored.
        joints: names of the arm's joints.

    Raises:
        ConfigError: a parameter is refused, on its own or in combination.
    """
    checked = CONTROL_PARAMETERS.checked(parameters)
    following = Following(*(checked.pop(row.name, row.default) for row in FOLLOWING_ROWS))
    commanded = tuple(checked.pop('command_joints', ()))
    check_commanded(commanded, joints)
    others = [name for name in commanded if name not in joints]
    control = ControlSettings(
        **checked,
        command_joints=commanded,
        following=following,
        hold_limits=HOLD_LIMITS.of_joints(parameters),
        assumes=ASSUMES.of_joints(parameters),
    )
    for name, (lower, upper) in control.hold_limits.items():
        if lower > upper:
            refuse(f'hold_limits.{name}', [lower, upper], HOLD_LIMITS[''].allowed)
    for name, position in control.assumes.items():
        lower, upper = control.ends(name)
        if name in joints or not lower <= position <= upper:
            words = "for a joint that is not the arm's, within its limits (hold_limits.<joint>)"
            refuse(f'assumes.{name}', position, words)
    holds = {**dict.fromkeys(others, math.nan), **HOLDS.of_joints(parameters, others)}
    return replace(control, holds={name: _checked(control, name, q) for name, q in holds.items()})


def _checked(control: ControlSettings, name: str, position: float) -> float:
    """Return the checked position at which an auxiliary joint is held, or NaN."""
    lower, upper = control.ends(name)
    if position < lower or position > upper:  # not if NaN
        words = f'within its limits, {lower:g} to {upper:g} rad or m (hold_limits.{name})'
        refuse(f'hold.{name}', position, words)
    if math.isnan(position) and not control.use_measured_state:
        if control.command_out_type:
            words = "a finite number, in rad or m: 'use_measured_state' is false"
            refuse(f'hold.{name}', position, words)
        # As the arm begins at home.
        position = min(max(control.assumes.get(name, 0.0), lower), upper)
    if control.off_by(name, position) > control.following.goal_tolerance:  # not if NaN
        words = f'NaN, or {control.assumes[name]:.12g}, as the tip depends on it (assumes.{name})'
        refuse(f'hold.{name}', position, words)
    return position


def check_commanded(commanded: Sequence[str], joints: Sequence[str]) -> None:
    """Raise ConfigError unless the controller's joints, if any are given, have all of the arm's."""
    missing = [name for name in joints if name not in commanded]
    if commanded and missing:
        words = "a list with all joints of the arm, or empty for the arm's; missing"
        refuse('command_joints', list(commanded), f'{words}: {listed(missing)}')
