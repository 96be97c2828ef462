"""The limits of joints in robot descriptions, and which of them are credible."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.model import RobotJoint
from ik2d_ros.robot.options import ImportOptions, Limits, Remark, to_hold, to_limit

NARROWER = 1e-3  # rad or m; less is rounding
LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH}
FAST = {'rad': 100.0, 'm': 10.0}  # per s; velocities from here on stand for "not known"


@dataclass(frozen=True)
class JointLimits:
    """Limits of a joint.

    Attributes:
        joint: the joint.
        prefix: that of its parameters, such as ``chain.elbow``.
        pair: smallest and largest position in rad or m, or None.
        velocity: limit per s, or None.
        is_given: whether the user gave the position limits.
    """

    joint: RobotJoint
    prefix: str
    pair: Limits
    velocity: float | None
    is_given: bool

    @property
    def question(self) -> str:
        """The request for position limits; empty if none is needed."""
        joint = self.joint
        lower, upper, unit = joint.lower, joint.upper, joint.unit
        if self.is_given or joint.kind == 'continuous':
            return ''
        name = f"joint '{printable(joint.name)}'"
        endless = f'; --limits {printable(joint.name)}=none: no limits' if joint.turns else ''
        ask = f'give {to_limit(joint.name, self.prefix)} in {unit}{endless}'
        if lower is None or upper is None:
            return f'{name} has no limits, though its type is {joint.kind}: {ask}'
        has = f'{name} has the limits {lower:g} to {upper:g} {unit}'
        if max(abs(lower), abs(upper)) > LARGEST[unit]:
            return f'{has}, which are too large to be meant: {ask}'
        if lower == upper:
            why = 'leave it no way to move' if lower else 'exporters write for "not set"'
            return f'{has}, which {why}: {ask}, or hold it: {to_hold(joint.name, lower)}'
        return f'{has}, the lower above the upper: {ask}' if lower > upper else ''

    @property
    def missed(self) -> str:
        """What stands in place of a velocity limit; empty if there is one."""
        given = self.joint.velocity
        if self.velocity is not None:
            return ''
        return 'missing' if given is None else f'{given:g} {self.joint.unit}/s'


def joint_limits(joint: RobotJoint, prefix: str, options: ImportOptions) -> JointLimits:
    """Decide the limits of a joint, whose parameters have a prefix."""
    pair = None
    if joint.kind != 'continuous' and joint.lower is not None and joint.upper is not None:
        pair = joint.lower, joint.upper
    given = joint.velocity
    usable = given is not None and 0.0 < given < FAST[joint.unit]
    velocity = options.velocities.get(joint.name, given if usable else options.velocity)
    is_given = joint.name in options.limits
    return JointLimits(joint, prefix, options.limits.get(joint.name, pair), velocity, is_given)


def remarks_on_limits(limits: Collection[JointLimits]) -> Iterator[Remark]:
    """Yield what is doubtful about the limits of joints."""
    for one in limits:
        narrow = None if one.is_given else one.joint.commanded
        if narrow is not None and (
            one.pair is None
            or narrow[0] > one.pair[0] + NARROWER
            or narrow[1] < one.pair[1] - NARROWER
        ):
            yield Remark(
                f"joint '{printable(one.joint.name)}': ros2_control in the same file has narrower "
                f'limits; to have them: {to_limit(one.joint.name, one.prefix, narrow)}'
            )
    endless = [one for one in limits if one.pair is None and not one.is_given]
    if endless:
        yield Remark(
            f'no limits for {listed(one.joint.name for one in endless)}: the file calls them '
            f'continuous, as exports from CAD do; give '
            f'{to_limit(endless[0].joint.name, endless[0].prefix)}'
        )
    for missed in dict.fromkeys(one.missed for one in limits if one.missed):
        joints = [one for one in limits if one.missed == missed]
        first = printable(joints[0].joint.name)
        yield Remark(
            f'joints without a velocity limit, as theirs is {missed}: '
            f'{listed(one.joint.name for one in joints)}; give --velocity {first}=NUMBER '
            f'(parameter {printable(joints[0].prefix)}.max_velocity)'
        )
