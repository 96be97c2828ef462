"""What the user of an imported arm should know."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np

from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.axes import STILL, quoted
from ik2d_ros.robot.choice import Choice, Remark
from ik2d_ros.robot.finding import Found
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.route import followed
from ik2d_ros.robot.trust import Trusted
from ik2d_ros.robot.wording import Wording


def remarks_on(robot: Robot, found: Found, choice: Choice) -> list[Remark]:
    """Return what was found, and what is doubtful about it, but for limits."""
    roles, geometry, wording = found.roles, found.geometry, choice.wording
    remarks = [Remark(_summary(found), doubt=False)]
    affected = geometry.bound > 1e-10
    if geometry.worst > 1e-9 or affected:
        off = f'off by at most {_rounded_up(geometry.bound):.2g} m' if affected else 'not affected'
        remarks.append(
            Remark(
                'axes are not quite parallel: the worst is that of joint '
                f"'{printable(geometry.worst_joint)}', by {geometry.worst:.2g} rad; the tip is "
                f'{off}',
                doubt=geometry.bound > 1e-6,
            )
        )
    remarks += _about_held(found, choice)
    last = roles.chain[-1]
    if found.ends_on_axis and not choice.tip:
        end = ' (it has no tip link)' if last.joint.child == found.route.tip else ''
        remarks.append(
            Remark(
                f'joint {quoted(last)} does not move the tip, which is on its axis{end}: give '
                f'{wording.other_tip} or hold it: {wording.hold(last.joint.name, 0.0)}'
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


def _rounded_up(value: float) -> float:
    """Return a number > 0 of two digits, not below the given one."""
    digit: float = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / digit) * digit


def _about_held(found: Found, choice: Choice) -> Iterator[Remark]:
    roles = found.roles
    used = [*roles.chain, *(one for one in (roles.turntable, roles.lift) if one is not None)]
    moved = False  # whether a joint of the arm is behind
    for one in reversed(roles.order):
        joint = one.joint
        if one in used:
            moved = True
        if joint.name not in roles.held:
            continue
        across = found.tip - one.point
        beside = np.linalg.norm(across - (across @ one.axis) * one.axis)
        text = (
            f'joint {quoted(one)} is held at {found.positions.get(joint.name, 0.0):g} '
            f'{joint.unit}: {roles.held[joint.name]}'
        )
        if joint.turns and not moved and beside < STILL and joint.mimic is None:
            yield Remark(f'{text}; any position will do, as the tip is on its axis', doubt=False)
        else:
            yield Remark(text, doubt=joint.name not in choice.hold)


def _summary(found: Found) -> str:
    roles = found.roles
    parts = [f'joints in the plane: {listed(one.joint.name for one in roles.chain)}']
    if roles.slides:
        parts.append(f'of these slide: {listed(one.joint.name for one in roles.slides)}')
    for what, one in (('turntable', roles.turntable), ('lift', roles.lift)):
        if one is not None:
            parts.append(f'{what}: {printable(one.joint.name)}')
    return '; '.join(parts)


def _about_mimics(robot: Robot, found: Found) -> list[Remark]:
    remarks = []
    roles = found.roles
    used = [one for one in (roles.turntable, roles.lift, *roles.chain) if one is not None]
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
        if one.joint.name in roles.held:
            continue  # and told so
        first, *_ = followed(robot, one.joint)
        remarks.append(
            Remark(f"joint {quoted(one)} follows '{printable(first.name)}' (mimic)", doubt=False)
        )
    return remarks


def about_velocities(limits: Collection[Trusted], wording: Wording) -> Iterator[Remark]:
    """Yield one remark for all joints with the same velocity that is not usable."""
    for missed in dict.fromkeys(one.missed for one in limits if one.missed):
        joints = [one.named for one in limits if one.missed == missed]
        yield Remark(
            f'joints without a velocity limit, as theirs is {missed}: '
            f'{listed(named.joint for named in joints)}; give {wording.velocities(joints)}'
        )
