"""Which joints on the way to the tip are the plane's, the turntable and the lift; the rest is held.

The joints of the plane are not simply those with parallel axes: a wheel or the jaw of a gripper may
be parallel too, and an arm that stands upright has parallel axes that move nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.parameters.checks import ConfigError, closest, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.axes import NEAR, STILL, angle_between, lean, lever, quoted
from ik2d_ros.robot.carrying import find_slides, find_turntable
from ik2d_ros.robot.choice import Choice
from ik2d_ros.robot.model import Robot, RobotJoint
from ik2d_ros.robot.route import Placed, followed
from ik2d_ros.robot.tools import tool_word
from ik2d_ros.robot.wording import Wording

_STILL = 'it does not move the tip, which is on its axis'
SLIGHT = 0.02  # of an arm's length; joints that stand this near to one another hardly reach


@dataclass(frozen=True, eq=False)
class Roles:
    """What each joint on the way to the tip does.

    Attributes:
        planar: the joints that turn in the plane, base first.
        slides: the joints that slide in the plane, base first.
        followers: joints that follow those that turn; they turn in the plane too.
        turntable: the joint that turns the plane, or None.
        lift: the joint that shifts the plane along its normal, or None.
        held: why each other joint is held, by name.
        order: all joints that move, base first.
    """

    planar: tuple[Placed, ...]
    slides: tuple[Placed, ...] = ()
    followers: tuple[Placed, ...] = ()
    turntable: Placed | None = None
    lift: Placed | None = None
    held: Mapping[str, str] = field(default_factory=dict)
    order: tuple[Placed, ...] = ()

    @property
    def normal(self) -> FloatArray:
        """(3,) unit vector of the plane, the axis of its first joint that turns."""
        return self.planar[0].axis

    @property
    def chain(self) -> tuple[Placed, ...]:
        """The joints that move in the plane, base first.

        One that slides before the turntable, along its axis, might as well slide behind it.
        """
        return tuple(sorted((*self.planar, *self.slides), key=self.order.index))

    @property
    def by_prefix(self) -> dict[str, RobotJoint]:
        """The joints of the arm by the prefix of their parameters, such as ``turntable``."""
        carriers = {'turntable': self.turntable, 'lift': self.lift}
        chain = {f'chain.{one.joint.name}': one for one in self.chain}
        return {prefix: one.joint for prefix, one in {**carriers, **chain}.items() if one}


def set_aside(robot: Robot, joints: Sequence[RobotJoint], choice: Choice) -> dict[str, str]:
    """Return why joints are held wherever their axes are, by name.

    Args:
        robot: the robot.
        joints: those on the way to the tip.
        choice: what the user says.
    """
    held = {}
    for joint in joints:
        if not joint.moves or joint.name in choice.joints:
            continue
        why = 'as asked' if joint.name in choice.hold else _reason(robot, joint, joints, choice)
        if why:
            held[joint.name] = why
    return held


def _reason(
    robot: Robot, joint: RobotJoint, joints: Sequence[RobotJoint], choice: Choice
) -> str | None:
    if joint.kind in ('floating', 'planar'):
        return f'its type is {joint.kind}'
    word = tool_word(robot, joint)
    if joint.mimic is not None:
        first, *_ = followed(robot, joint)
        if first.name in choice.hold:
            return f"it follows '{printable(first.name)}', which is held"
        if first not in joints and word:
            return f"it follows '{printable(first.name)}' of the {word}"
    elif word and joint.kind == 'prismatic':
        return f'it is part of a {word}'
    return None


def find_roles(
    robot: Robot,
    placed: Sequence[Placed],
    tip: FloatArray,
    aside: Mapping[str, str],
    choice: Choice,
) -> Roles:
    """Decide what each joint does.

    Args:
        robot: the robot.
        placed: the joints that move, base first, with the held ones where they are held.
        tip: (3,) m, in the same frame.
        aside: joints that are held, with the reason.
        choice: what the user says.

    Raises:
        ConfigError: there is no plane, or a joint is not quite parallel, or slides in another
            direction, or follows another; the message names the joint and what to do.
    """
    wording = choice.wording
    held = dict(aside)
    free = [one for one in placed if one.joint.name not in held]
    followers = [one for one in free if _follows_one_of(robot, one, free)]
    free = [one for one in free if one not in followers]
    turning = [one for one in free if one.joint.turns]
    sliding = [one for one in free if one.joint.kind == 'prismatic']
    if not turning:
        raise ConfigError(
            'no joint that turns is on the way from base to tip'
            + (f'; on it are {listed(one.joint.name for one in placed)}' if placed else '')
        )
    roles = (
        _as_asked(turning, sliding, choice.joints, wording)
        if choice.joints
        else max(
            (_plane(robot, run, turning, tip, bool(choice.tip)) for run in _parallel(turning)),
            key=lambda roles: _worth(roles, turning, tip),
        )
    )
    held |= roles.held
    normal, last = roles.normal, free[-1]
    if last in turning and MOST_LEAN < angle_between(last.axis, normal) < NEAR:
        still = lever(last, tip, last.axis) < STILL and not choice.tip
        if still and _apart(last, roles.planar, turning):
            held.setdefault(last.joint.name, _STILL)
    _check_parallel(roles, turning, held, wording)
    turntable, before = find_turntable(roles.planar[0], turning, held, normal, wording)
    before_turntable = placed[: placed.index(turntable)] if turntable else ()
    sliding = [one for one in sliding if one.joint.name not in held]
    lift, slides = find_slides(sliding, normal, turntable, before_turntable, wording)
    used = {one.joint.name for one in (*roles.planar, turntable, lift) if one is not None}
    for one in turning:
        if one.joint.name not in used and one.joint.name not in held:
            what = 'before the plane' if one in before else 'about another axis'
            held[one.joint.name] = f'it turns {what}'
    _check_followers(robot, followers, roles, held, wording)
    return replace(
        roles,
        slides=tuple(slides),
        followers=tuple(followers),
        turntable=turntable,
        lift=lift,
        held=held,
        order=tuple(placed),
    )


def _follows_one_of(robot: Robot, one: Placed, free: Sequence[Placed]) -> bool:
    if one.joint.mimic is None:
        return False
    first, *_ = followed(robot, one.joint)
    return first.name in {other.joint.name for other in free}


def _as_asked(
    turning: Sequence[Placed], sliding: Sequence[Placed], joints: Sequence[str], wording: Wording
) -> Roles:
    by_name = {one.joint.name: one for one in (*turning, *sliding)}
    for name in joints:
        if name not in by_name:
            raise ConfigError(
                f"{wording.joints}: no joint '{printable(name)}' moves on the way from base to "
                f'tip; those that do are {listed(by_name)}{closest(name, by_name)}'
            )
    planar = tuple(one for one in turning if one.joint.name in joints)
    slides = [one for one in sliding if one.joint.name in joints]
    for these in (planar, slides):
        names = [one.joint.name for one in these]
        if names != [name for name in joints if name in names]:
            raise ConfigError(
                f'{wording.joints} is {listed(joints)}; it must be in the order from base to tip, '
                f'each once: {listed(one.joint.name for one in (*planar, *slides))}'
            )
    if not planar:
        raise ConfigError(
            f'{wording.joints} is {listed(joints)}; it must have a joint that turns, of '
            f'{listed(one.joint.name for one in turning)}'
        )
    normal = planar[0].axis
    others = {
        one.joint.name: f'it is not one of {wording.joints}'
        for one in (*turning, *sliding)
        if one.joint.name not in joints
        and (angle_between(one.axis, normal) < NEAR) == one.joint.turns
    }
    return Roles(planar, held=others)


def _parallel(turning: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Yield the joints that are parallel to a first one, for each that is not to one before."""
    left = list(turning)
    while left:
        first = left[0]
        yield [one for one in turning if angle_between(one.axis, first.axis) <= MOST_LEAN]
        left = [one for one in left if angle_between(one.axis, first.axis) > MOST_LEAN]


def _plane(
    robot: Robot, run: Sequence[Placed], turning: Sequence[Placed], tip: FloatArray, offset: bool
) -> Roles:
    """Return the plane of parallel joints, without the tools at its end."""
    planar = list(run)
    normal, held = planar[0].axis, {}
    while len(planar) > 1:
        last = planar[-1]
        word = tool_word(robot, last.joint)
        still = lever(last, tip, normal) < STILL and not offset
        if word and len(planar) > 2 - (word == 'wheel'):
            held[last.joint.name] = f'it is part of a {word}'
        elif still and _apart(last, planar[:-1], turning):
            held[last.joint.name] = _STILL
        else:
            break
        planar.pop()
    return Roles(tuple(planar), held=held)


def _apart(last: Placed, planar: Sequence[Placed], turning: Sequence[Placed]) -> bool:
    """Return whether a joint is apart from those before it: others between, or alone endless."""
    between = turning.index(last) - turning.index(planar[-1]) > 1
    return between or (_endless(last) and not any(map(_endless, planar)))


def _endless(one: Placed) -> bool:
    return one.joint.kind == 'continuous' or one.joint.lower is None


def _worth(roles: Roles, turning: Sequence[Placed], tip: FloatArray) -> tuple[int, int, int]:
    """Return how well a plane serves: how many joints move the tip, and how many the plane has.

    Between planes with as many that move it, those count that move it far: the rolls of an upright
    arm are parallel, too, and may stand some millimetres beside one another.
    """
    first, normal = roles.planar[0], roles.normal
    points = [*(one.point for one in roles.planar[1:]), tip]
    levers = [lever(one, after, normal) for one, after in zip(roles.planar, points, strict=True)]
    places = [*(one.point for one in turning), tip]
    far = SLIGHT * sum(float(np.linalg.norm(after - one)) for one, after in pairwise(places))
    carried = any(lean(one.axis, normal) < NEAR for one in turning[: turning.index(first)])
    useful, firm = (sum(length >= least for length in levers) for least in (STILL, max(STILL, far)))
    return useful + carried, firm + carried, len(roles.planar)


def _check_parallel(
    roles: Roles,
    turning: Sequence[Placed],
    held: Mapping[str, str],
    wording: Wording,
) -> None:
    for one in turning:
        angle = angle_between(one.axis, roles.normal)
        if one.joint.name in held or (angle <= MOST_LEAN and one in roles.planar):
            continue
        if angle < NEAR or one in roles.planar:
            raise ConfigError(
                f'joint {quoted(one)} is not parallel to {quoted(roles.planar[0])}: their axes are '
                f'{angle:.6g} rad apart; it must be {MOST_LEAN:g} rad at most (or hold it: '
                f'{wording.hold(one.joint.name, 0.0)})'
            )


def _check_followers(
    robot: Robot,
    followers: Sequence[Placed],
    roles: Roles,
    held: dict[str, str],
    wording: Wording,
) -> None:
    planar = {one.joint.name for one in roles.planar}
    for one in followers:
        first, *_ = followed(robot, one.joint)
        if first.name in held:
            held[one.joint.name] = f"it follows '{printable(first.name)}', which is held"
        elif (
            first.name not in planar
            or not one.joint.turns
            or angle_between(one.axis, roles.normal) > MOST_LEAN
        ):
            raise ConfigError(
                f"joint {quoted(one)} follows '{printable(first.name)}' (mimic), but does not turn "
                'in the same plane: such a linkage is not supported; choose a tip before it: '
                f'{wording.set_tip(one.joint.parent)}'
            )
