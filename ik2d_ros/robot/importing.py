"""From a robot description to the parameters of an arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.choice import NOTHING_CHOSEN, Choice, Remark
from ik2d_ros.robot.finding import Found, find_arm
from ik2d_ros.robot.model import Robot, RobotJoint
from ik2d_ros.robot.remarks import about_velocities, remarks_on
from ik2d_ros.robot.trust import Trusted, trusted


@dataclass(frozen=True)
class Imported:
    """An arm from a robot description.

    Attributes:
        parameters: values by flat dotted name, as the node takes them.
        joints: names of the joints that move in the plane.
        remarks: what its user should know, in one sentence each.
        notes: comments by parameter name.
        base: name of the base link.
        tip: name of the tip link.
        bound: how far, in m, its tip may be from the robot's where axes are not quite parallel.
    """

    parameters: Mapping[str, object]
    joints: tuple[str, ...]
    remarks: tuple[Remark, ...]
    notes: Mapping[str, str]
    base: str
    tip: str
    bound: float


def import_arm(robot: Robot, base: str, tip: str, choice: Choice = NOTHING_CHOSEN) -> Imported:
    """Return the parameters of the arm from a base link to a tip link.

    Args:
        robot: the robot.
        base: name of the link that targets are given in.
        tip: name of the link whose origin is to reach them.
        choice: what the user says beside the description.

    Raises:
        ConfigError: there is no arm of a supported kind, or the user has to say something; the
            message says what.
    """
    found = find_arm(robot, base, tip, choice)
    roles, geometry = found.roles, found.geometry
    limits = {prefix: trusted(joint, prefix, choice) for prefix, joint in roles.by_prefix.items()}
    questions = [one.question for one in limits.values() if one.question]
    if questions:
        raise ConfigError('; '.join(questions))
    parameters: dict[str, object] = {
        'base_frame': base,
        'base.xyz': list(geometry.xyz),
        'base.rpy': list(geometry.rpy),
    }
    notes: dict[str, str] = {}
    if roles.turntable is not None:
        parameters |= {
            'turntable.joint': roles.turntable.joint.name,
            'turntable.xyz': [_clean(value) for value in roles.turntable.point],
            'turntable.axis': [_clean(value) for value in roles.turntable.axis],
        }
        _limit(parameters, notes, 'turntable', limits['turntable'])
    if roles.lift is not None:
        parameters |= {'lift.joint': roles.lift.joint.name, 'lift.axis': geometry.lift_axis}
        _limit(parameters, notes, 'lift', limits['lift'])
    parameters['joints'] = [one.joint.name for one in roles.chain]
    for one, link, offset, axis in zip(
        roles.chain, geometry.links, geometry.offsets, geometry.axes, strict=True
    ):
        prefix = f'chain.{one.joint.name}'
        if one in roles.slides:
            parameters[f'{prefix}.type'] = 'prismatic'
        parameters[f'{prefix}.link'] = list(link)
        if offset:
            parameters[f'{prefix}.offset'] = offset
        parameters[f'{prefix}.axis'] = axis
        _limit(parameters, notes, prefix, limits[prefix])
    if choice.tip:
        last = roles.chain[-1].joint.name
        notes[f'chain.{last}.link'] = f'with --tip-offset {",".join(map(repr, choice.tip))}'
    _commanded(parameters, notes, found, choice)
    remarks = (
        *remarks_on(robot, found, choice),
        *(remark for one in limits.values() for remark in one.remarks),
        *about_velocities(limits.values(), choice.wording),
    )
    arm_from_parameters(parameters)
    joints = tuple(one.joint.name for one in roles.chain)
    return Imported(parameters, joints, remarks, notes, base, tip, geometry.bound)


def _clean(value: float) -> float:
    return float(value) if abs(value) > 1e-12 else 0.0


def _limit(
    parameters: dict[str, object], notes: dict[str, str], prefix: str, limits: Trusted
) -> None:
    for field, value in (
        ('min_position', limits.lower),
        ('max_position', limits.upper),
        ('max_velocity', limits.velocity),
    ):
        if value is not None:
            parameters[f'{prefix}.{field}'] = value
    notes |= {f'{prefix}.{field}': note for field, note in limits.notes.items()}


def _commanded(
    parameters: dict[str, object],
    notes: dict[str, str],
    found: Found,
    choice: Choice,
) -> None:
    """Add the joints that a controller may want: those on the way, the held ones too."""
    joints = [one.joint for one in found.roles.order if _is_commanded(one.joint, found)]
    parameters['command_joints'] = [joint.name for joint in joints]
    for joint in joints:
        if joint.name in found.roles.held:
            parameters[f'hold.{joint.name}'] = float(found.positions.get(joint.name, 0.0))
            if joint.name in choice.hold:
                notes[f'hold.{joint.name}'] = 'given by --hold'


def _is_commanded(joint: RobotJoint, found: Found) -> bool:
    if joint.kind in ('floating', 'planar'):
        return False
    arm = {one.joint.name for one in found.roles.chain}
    return joint.mimic is None or joint.name in arm
