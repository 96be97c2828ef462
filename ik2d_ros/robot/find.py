"""Finds the arm between two links of a robot: its joints; all others on the way are held.

The joints of the plane are the parallel ones that move the tip most: an arm that stands upright has
parallel axes that move nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import MOST_JOINTS
from ik2d_ros.parameters.checks import MOST_ITEMS, ConfigError, closest, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.model import Robot, RobotJoint
from ik2d_ros.robot.options import NO_OPTIONS, ImportOptions, said, to_end_at, to_hold
from ik2d_ros.robot.route import (
    Placed,
    Route,
    all_positions,
    angle_between,
    check_link,
    find_route,
    followed,
    place,
    quoted,
)

STILL = 1e-6  # m; a tip this near to an axis is on it
NEAR = 0.5  # rad; an axis this near to parallel was meant to be
SLIGHT = 0.02  # of an arm's length; joints that stand this near to one another hardly reach
MOST_ENDS = 100  # of a robot that are tried


@dataclass(frozen=True, eq=False)
class Found:
    """The joints of an arm.

    Attributes:
        route: from base to tip.
        planar: the joints that turn in the plane, base first.
        slides: the joints that slide in the plane, base first.
        followers: joints that follow those that turn (mimic), and turn in the plane too.
        turntable: the joint that turns the plane, or None.
        lift: the joint that shifts the plane along its normal, or None.
        held: why each other joint is held, by name.
        order: all joints that move, base first.
        positions: where the others are held, in rad or m.
        tip: (3,) m, where the tip is in the base link.
    """

    route: Route
    planar: tuple[Placed, ...]
    slides: tuple[Placed, ...]
    followers: tuple[Placed, ...]
    turntable: Placed | None
    lift: Placed | None
    held: Mapping[str, str]
    order: tuple[Placed, ...]
    positions: Mapping[str, float]
    tip: FloatArray

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
    def by_prefix(self) -> dict[str, Placed]:
        """The joints of the arm by the prefix of their parameters, such as ``turntable``."""
        carriers = {'turntable': self.turntable, 'lift': self.lift}
        chain = {f'chain.{one.joint.name}': one for one in self.chain}
        return {prefix: one for prefix, one in {**carriers, **chain}.items() if one}


def the_tip(robot: Robot, base: str, options: ImportOptions = NO_OPTIONS) -> str:
    """Return the only link that an arm from a base link can end in.

    Raises:
        ConfigError: there is none, or there are several; the message lists them, with the joints of
            the arm to each or why there is none.
    """
    check_names(robot, base, options)
    leaves = [joint.child for joint in robot.behind(base) if not robot.below[joint.child]]
    ends = [leaf for leaf in leaves if _moving(robot, base, leaf) > 1]
    if len(ends) == 1:
        return ends[0]
    if not ends:
        raise ConfigError(
            f"found no planar arm of two joints or more behind '{printable(base)}'; name its end "
            'with --tip'
        )
    by_arm: dict[str, list[str]] = {}
    for end in ends[:MOST_ENDS]:
        by_arm.setdefault(_arm_to(robot, base, end, options), []).append(end)
    arms = sorted(by_arm.items(), key=lambda pair: pair[0].startswith('not'))
    text = '; '.join(f'{listed(links)} ({words})' for words, links in islice(arms, MOST_ITEMS))
    raise ConfigError(
        'the arm can end in several links: choose one with --tip (parameter tip_frame): ' + text
    )


def _arm_to(robot: Robot, base: str, end: str, options: ImportOptions) -> str:
    """Return which arm leads to a link, or why there is none."""
    try:
        arm = find_arm(robot, base, end, options)
    except ConfigError as error:
        return f'not reached: {error}'
    return f'with {listed(one.joint.name for one in arm.by_prefix.values())}'


def _moving(robot: Robot, base: str, end: str) -> int:
    """Return how many joints move between two links; 0 if none of them turns."""
    joints = find_route(robot, base, end).joints
    return sum(joint.moves for joint in joints) if any(joint.turns for joint in joints) else 0


def check_names(robot: Robot, base: str, options: ImportOptions) -> None:
    """Check that the robot has the base and the joints that the user names.

    Raises:
        ConfigError: it has not.
    """
    check_link(robot, base, 'the base')
    for name in (*options.hold, *options.limits, *options.velocities):
        if name not in robot.by_name:
            raise ConfigError(
                f"there is no joint '{printable(name)}'; joints are "
                f'{listed(robot.by_name)}{closest(name, robot.by_name)}'
            )


def find_arm(robot: Robot, base: str, tip: str, options: ImportOptions = NO_OPTIONS) -> Found:
    """Find the joints of an arm and its plane.

    Raises:
        ConfigError: there is no arm of a supported kind between base and tip; the message names the
            joint and what to do.
    """
    check_names(robot, base, options)
    check_link(robot, tip, 'the tip')
    route = find_route(robot, base, tip)
    count = sum(joint.moves for joint in route.joints)
    if count > MOST_JOINTS:
        raise ConfigError(
            f'{count} joints move between base and tip; it must be at most {MOST_JOINTS}'
        )
    positions = all_positions(robot, options.hold)
    for joint in route.joints:
        if joint.mimic is not None and followed(robot, joint)[0] not in route.joints:
            positions[joint.name] = options.hold.get(joint.name, 0.0)  # it counts as free
    order, pose = place(route, positions)
    point = pose[:3, 3] + pose[:3, :3] @ np.array(options.tip)

    held = _set_aside(robot, route.joints, options)
    free = [one for one in order if one.joint.name not in held]
    names = {one.joint.name for one in free}
    followers = [
        one
        for one in free
        if one.joint.mimic is not None and followed(robot, one.joint)[0].name in names
    ]
    turning = [one for one in free if one.joint.turns and one not in followers]
    sliding = [one for one in free if not one.joint.turns and one not in followers]
    if not turning:
        on_it = f'; on it are {listed(one.joint.name for one in order)}' if order else ''
        raise ConfigError(f'no joint that turns is on the way from base to tip{on_it}')
    planar, others = _plane(turning, sliding, point, options)
    held |= others
    normal = planar[0].axis
    _check_parallel(planar, turning, held)
    turntable, before = _find_turntable(planar[0], turning, held)
    sliding = [one for one in sliding if one.joint.name not in held]
    ahead = order[: order.index(turntable)] if turntable else []
    lift, slides = _find_slides(sliding, normal, turntable, ahead)
    for one in turning:
        if one not in (*planar, turntable) and one.joint.name not in held:
            what = 'before the plane' if one in before else 'about another axis'
            held[one.joint.name] = f'it turns {what}'
    _check_followers(robot, followers, planar, held)
    return Found(
        route=route,
        planar=tuple(planar),
        slides=tuple(slides),
        followers=tuple(one for one in followers if one.joint.name not in held),
        turntable=turntable,
        lift=lift,
        held=held,
        order=tuple(order),
        positions=positions,
        tip=point,
    )


def in_plane(normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the x and y of a plane, (3,) unit vectors, by its normal.

    The x-axis is that of the base link, projected into the plane, or the base link's z where x is
    the normal.
    """
    axis = np.eye(3)[0 if abs(normal[0]) < 0.995 else 2]
    x = axis - (axis @ normal) * normal
    x = x / np.linalg.norm(x)
    x = (x - (x @ normal) * normal) / np.linalg.norm(x)
    return x, np.cross(normal, x)


def _set_aside(
    robot: Robot, joints: Sequence[RobotJoint], options: ImportOptions
) -> dict[str, str]:
    """Return why joints on the way are held wherever their axes are, by name."""
    held = {}
    for joint in joints:
        if joint.name in options.joints or not joint.moves:
            continue
        if joint.name in options.hold:
            held[joint.name] = 'as asked'
        elif joint.kind in ('floating', 'planar'):
            held[joint.name] = f'its type is {joint.kind}'
        elif joint.mimic is not None and (leader := followed(robot, joint)[0]).name in options.hold:
            held[joint.name] = f"it follows '{printable(leader.name)}', which is held"
    return held


def _plane(
    turning: Sequence[Placed], sliding: Sequence[Placed], tip: FloatArray, options: ImportOptions
) -> tuple[list[Placed], dict[str, str]]:
    """Return the joints that turn in the plane, and why others are held."""
    if options.joints:
        return _as_asked(turning, sliding, options.joints)
    best: tuple[list[Placed], dict[str, str]] = [], {}
    most = (-1, -1)
    for run in _parallel(turning):
        held = {}
        while len(run) > 1 and not any(options.tip) and _lever(run[-1], tip, run[0].axis) < STILL:
            if turning.index(run[-1]) - turning.index(run[-2]) == 1:
                break  # nothing between them, so they are parallel in any pose
            held[run.pop().joint.name] = 'it does not move the tip, which is on its axis'
        worth = _worth(run, turning, tip), len(run)
        if worth > most:
            best, most = (run, held), worth
    return best


def _parallel(turning: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Yield the joints that are parallel to a first one, for each that is not to one before."""
    left = list(turning)
    while left:
        first = left[0]
        yield [one for one in turning if angle_between(one.axis, first.axis) <= MOST_LEAN]
        left = [one for one in left if angle_between(one.axis, first.axis) > MOST_LEAN]


def _worth(run: Sequence[Placed], turning: Sequence[Placed], tip: FloatArray) -> int:
    """Return how many joints move the tip of a plane far, with one that turns the plane."""
    first, normal = run[0], run[0].axis
    places = [*(one.point for one in turning), tip]
    far = SLIGHT * sum(float(np.linalg.norm(after - one)) for one, after in pairwise(places))
    points = [*(one.point for one in run[1:]), tip]
    levers = [_lever(one, after, normal) for one, after in zip(run, points, strict=True)]
    ahead = turning[: turning.index(first)]
    carried = any(angle_between(one.axis, normal) > math.pi / 2.0 - NEAR for one in ahead)
    return sum(lever > max(STILL, far) for lever in levers) + carried


def _lever(placed: Placed, point: FloatArray, normal: FloatArray) -> float:
    """Return how far a point is from an axis along the normal, in m."""
    across = point - placed.point
    return float(np.linalg.norm(across - (across @ normal) * normal))


def _as_asked(
    turning: Sequence[Placed], sliding: Sequence[Placed], asked: Sequence[str]
) -> tuple[list[Placed], dict[str, str]]:
    """Return the joints that turn, of those that are asked for, and why others are held."""
    by_name = {one.joint.name: one for one in (*turning, *sliding)}
    for name in asked:
        if name not in by_name:
            raise ConfigError(
                f"joints: no joint '{printable(name)}' moves on the way from base to tip; those "
                f'that do are {listed(by_name)}{closest(name, by_name)}'
            )
    planar = [one for one in turning if one.joint.name in asked]
    if not planar:
        raise ConfigError(
            f'joints is {listed(asked)}; it must have a joint that turns, of '
            f'{listed(one.joint.name for one in turning)}'
        )
    others = {
        name: 'it is not one of the joints asked for'
        for name, one in by_name.items()
        if name not in asked and (angle_between(one.axis, planar[0].axis) < NEAR) == one.joint.turns
    }
    return planar, others


def _check_parallel(
    planar: Sequence[Placed],
    turning: Sequence[Placed],
    held: Mapping[str, str],
) -> None:
    for one in turning:
        angle = angle_between(one.axis, planar[0].axis)
        if one.joint.name in held or (angle <= MOST_LEAN and one in planar):
            continue
        if angle < NEAR or one in planar:
            raise ConfigError(
                f'joint {quoted(one)} is not parallel to {quoted(planar[0])}: their axes are '
                f'{said(angle, "rad")} apart; it must be {MOST_LEAN:g} rad at most (or hold it: '
                f'{to_hold(one.joint.name, 0.0)})'
            )


def _find_turntable(
    first: Placed, turning: Sequence[Placed], held: Mapping[str, str]
) -> tuple[Placed | None, Sequence[Placed]]:
    """Return the turntable, and all joints that turn before the plane."""
    before = turning[: turning.index(first)]
    for one in reversed([one for one in before if one.joint.name not in held]):
        leaning = math.pi / 2.0 - angle_between(one.axis, first.axis)
        if leaning <= MOST_LEAN:
            return one, before
        if leaning < NEAR:
            raise ConfigError(
                f'joint {quoted(one)}, before the plane of {quoted(first)}, leans out of it by '
                f'{said(leaning, "rad")}; it must be parallel to the plane, to {MOST_LEAN:g} rad '
                f'(or hold it: {to_hold(one.joint.name, 0.0)})'
            )
    return None, before


def _find_slides(
    sliding: Sequence[Placed],
    normal: FloatArray,
    turntable: Placed | None,
    ahead: Sequence[Placed],
) -> tuple[Placed | None, list[Placed]]:
    """Return the lift, and the joints that slide in the plane.

    Args:
        sliding: the joints that slide.
        normal: (3,) of the plane.
        turntable: the joint that turns the plane, if any.
        ahead: the joints before that.
    """
    along, inside = [], []
    for one in sliding:
        angle = angle_between(one.axis, normal)
        if angle <= MOST_LEAN:
            along.append(one)
        elif math.pi / 2.0 - angle > MOST_LEAN:
            raise ConfigError(
                f"joint {quoted(one)} slides {said(angle, 'rad')} off the plane's normal; it must "
                f'be along it or in the plane, to {MOST_LEAN:g} rad (or hold it: '
                f'{to_hold(one.joint.name)})'
            )
        elif turntable and one in ahead and angle_between(one.axis, turntable.axis) > MOST_LEAN:
            raise ConfigError(
                f'joint {quoted(one)} slides before the turntable {quoted(turntable)}, but not '
                'along its axis, which is not supported; hold the turntable: '
                f'{to_hold(turntable.joint.name, 0.0)}, or the joint that slides: '
                f'{to_hold(one.joint.name)}'
            )
        else:
            inside.append(one)
    carriers = [*along, *([turntable] if turntable and along else [])]
    if len(carriers) > 1:
        raise ConfigError(
            f'the joints {", ".join(map(quoted, carriers))} all carry the plane; an arm has one '
            'turntable or one lift: hold the others: '
            f'{to_hold(carriers[0].joint.name)}'
        )
    return along[0] if along else None, inside


def _check_followers(
    robot: Robot,
    followers: Sequence[Placed],
    planar: Sequence[Placed],
    held: dict[str, str],
) -> None:
    """Hold joints that follow held ones; refuse those that do not turn in the plane."""
    names = {one.joint.name for one in planar}
    for one in followers:
        leader = followed(robot, one.joint)[0].name
        angle = angle_between(one.axis, planar[0].axis)
        if leader in held:
            held[one.joint.name] = f"it follows '{printable(leader)}', which is held"
        elif leader not in names or not one.joint.turns or angle > MOST_LEAN:
            raise ConfigError(
                f"joint {quoted(one)} follows '{printable(leader)}' (mimic), but does not turn in "
                'the same plane: such a linkage is not supported; choose a tip before it: '
                f'{to_end_at(one.joint.parent)}'
            )
