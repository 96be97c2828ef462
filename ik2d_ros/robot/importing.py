"""From a robot description to the parameters of an arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import MOST_LIMITED_JOINTS as MOST_JOINTS
from ik2d_ros.parameters.checks import ConfigError, closest, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.axes import STILL, quoted
from ik2d_ros.robot.choice import Choice, Remark
from ik2d_ros.robot.geometry import Geometry, flatten, in_plane
from ik2d_ros.robot.model import Robot, RobotJoint
from ik2d_ros.robot.roles import Roles, find_roles, set_aside
from ik2d_ros.robot.route import Route, all_positions, check_link, find_route, followed, place
from ik2d_ros.robot.trust import Trusted, trusted

NOTHING_CHOSEN = Choice()


@dataclass(frozen=True)
class Imported:
    """An arm from a robot description.

    Attributes:
        parameters: values by flat dotted name, as the node takes them.
        joints: names of the joints that turn in the plane.
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


@dataclass(frozen=True, eq=False)
class Found:
    """The joints of an arm and its plane, before its limits are looked at.

    Attributes:
        route: from base to tip.
        roles: what the joints do.
        geometry: the plane and the link vectors.
        positions: where the other joints are held, in rad or m.
        offset: (3,) m, where the tip is in the tip link.
    """

    route: Route
    roles: Roles
    geometry: Geometry
    positions: Mapping[str, float]
    offset: FloatArray


def find_arm(robot: Robot, base: str, tip: str, choice: Choice = NOTHING_CHOSEN) -> Found:
    """Find the joints of an arm and its plane.

    Raises:
        ConfigError: there is no arm of a supported kind between base and tip.
    """
    check_names(robot, base, choice)
    check_link(robot, tip, '--tip')
    route = find_route(robot, base, tip)
    count = sum(joint.moves for joint in route.joints)
    if count > MOST_JOINTS:
        raise ConfigError(
            f'{count} joints move between base and tip; it must be at most {MOST_JOINTS}'
        )
    aside = set_aside(robot, route.joints, choice)
    positions = all_positions(robot, choice.hold)
    for joint in route.joints:
        if joint.mimic is not None and joint.name not in aside:
            first, _, _ = followed(robot, joint)
            if first not in route.joints:
                positions[joint.name] = 0.0  # it counts as free
    placed, pose = place(route, positions)
    offset = np.array(choice.tip if len(choice.tip) == 3 else (0.0, 0.0, 0.0))
    point = pose[:3, 3] + pose[:3, :3] @ offset
    roles = find_roles(robot, placed, point, aside, choice)
    if len(choice.tip) == 2:
        x, y = in_plane(roles.planar[0].axis)
        point = point + choice.tip[0] * x + choice.tip[1] * y
        offset = pose[:3, :3].T @ (point - pose[:3, 3])
    return Found(route, roles, flatten(robot, roles, point), positions, offset)


def check_names(robot: Robot, base: str, choice: Choice) -> None:
    """Check that the robot has the base and the joints that the user names.

    Raises:
        ConfigError: it has not.
    """
    check_link(robot, base, '--base')
    for name in (*choice.hold, *choice.limits, *choice.velocities):
        if name not in robot.by_name:
            raise ConfigError(
                f"there is no joint '{printable(name)}'; joints are "
                f'{listed(robot.by_name)}{closest(name, robot.by_name)}'
            )


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
    used = [one.joint for one in (roles.turntable, roles.lift, *roles.planar) if one is not None]
    limits = {joint.name: trusted(joint, choice) for joint in used}
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
        _limit(parameters, notes, 'turntable', limits[roles.turntable.joint.name])
    if roles.lift is not None:
        parameters |= {'lift.joint': roles.lift.joint.name, 'lift.axis': geometry.lift_axis}
        _limit(parameters, notes, 'lift', limits[roles.lift.joint.name])
    parameters['joints'] = [one.joint.name for one in roles.planar]
    for one, link, axis in zip(roles.planar, geometry.links, geometry.axes, strict=True):
        prefix = f'chain.{one.joint.name}'
        parameters[f'{prefix}.link'] = list(link)
        parameters[f'{prefix}.axis'] = axis
        _limit(parameters, notes, prefix, limits[one.joint.name])
    if choice.tip:
        last = roles.planar[-1].joint.name
        notes[f'chain.{last}.link'] = f'with --tip-offset {",".join(map(repr, choice.tip))}'
    _commanded(parameters, notes, found, choice)
    remarks = (
        *_remarks(robot, found, choice),
        *(remark for one in limits.values() for remark in one.remarks),
        *_about_velocities(limits),
    )
    arm_from_parameters(parameters)
    joints = tuple(one.joint.name for one in roles.planar)
    return Imported(parameters, joints, remarks, notes, base, tip, geometry.bound)


def _about_velocities(limits: Mapping[str, Trusted]) -> Iterator[Remark]:
    """Yield one remark for all joints with the same velocity that is not usable."""
    for missed in dict.fromkeys(one.missed for one in limits.values() if one.missed):
        names = [name for name, one in limits.items() if one.missed == missed]
        yield Remark(
            f'joints without a velocity limit, as theirs is {missed}: {listed(names)}; give '
            f'--velocity {printable(names[0])}=NUMBER, or --velocity NUMBER for all such joints'
        )


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
    arm = {one.joint.name for one in found.roles.planar}
    return joint.mimic is None or joint.name in arm


def _remarks(robot: Robot, found: Found, choice: Choice) -> list[Remark]:
    roles, geometry = found.roles, found.geometry
    remarks = [Remark(_summary(found), doubt=False)]
    if geometry.worst > 1e-9:
        off = f'off by at most {geometry.bound:.2g} m' if geometry.bound else 'not affected'
        remarks.append(
            Remark(
                'axes are not quite parallel: the worst is that of joint '
                f"'{printable(geometry.worst_joint)}', by {geometry.worst:.2g} rad; the tip is "
                f'{off}',
                doubt=geometry.bound > 1e-6,
            )
        )
    for name, why in roles.held.items():
        if name in {one.joint.name for one in roles.order}:
            joint = robot.by_name[name]
            position = found.positions.get(name, 0.0)
            remarks.append(
                Remark(
                    f"joint '{printable(name)}' is held at {position:g} {joint.unit}: {why}",
                    doubt=name not in choice.hold,
                )
            )
    last = roles.planar[-1]
    if max(map(abs, geometry.links[-1])) < STILL and not choice.tip:
        end = ' (it has no tip link)' if last.joint.child == found.route.tip else ''
        remarks.append(
            Remark(
                f'joint {quoted(last)} does not move the tip, which is on its axis{end}: give '
                f'another --tip, or --tip-offset X,Y, or hold it: --hold {quoted(last)[1:-1]}=0'
            )
        )
    remarks += _about_mimics(robot, found)
    on_the_way = {link for joint in found.route.joints for link in (joint.parent, joint.child)}
    closed = sorted(on_the_way & set(robot.loops))
    if closed:
        remarks.append(
            Remark(
                f'the file closes a linkage at {listed(closed)}: its motors may move other joints '
                'than these, which is not supported'
            )
        )
    return remarks


def _summary(found: Found) -> str:
    roles = found.roles
    parts = [f'joints in the plane: {listed(one.joint.name for one in roles.planar)}']
    for what, one in (('turntable', roles.turntable), ('lift', roles.lift)):
        if one is not None:
            parts.append(f'{what}: {printable(one.joint.name)}')
    return '; '.join(parts)


def _about_mimics(robot: Robot, found: Found) -> list[Remark]:
    remarks = []
    roles = found.roles
    used = [one for one in (roles.turntable, roles.lift, *roles.planar) if one is not None]
    for one in used:
        if one.joint.mimic is not None:
            first, multiplier, offset = followed(robot, one.joint)
            remarks.append(
                Remark(
                    f"joint {quoted(one)} follows '{printable(first.name)}' (mimic, {multiplier:g} "
                    f'times its position, plus {offset:g}), which is not on the way to the tip: a '
                    'controller moves that one, which is not supported'
                )
            )
    for one in roles.followers:
        first, *_ = followed(robot, one.joint)
        remarks.append(
            Remark(f"joint {quoted(one)} follows '{printable(first.name)}' (mimic)", doubt=False)
        )
    return remarks
