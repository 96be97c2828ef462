"""Finds the arm between two links of a robot: its joints; all others on the way are held.

The plane is that of the parallel joints that move the tip most: an upright arm also has parallel
axes that move nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from ik2d_ros.kinematics.arguments import MOST_JOINTS, FloatArray
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.parameters.checks import ChoiceError, ConfigError, closest, listed
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.robot.model import (
    FREE,
    Placed,
    Robot,
    RobotJoint,
    Route,
    all_positions,
    check_link,
    find_route,
    followed,
    place,
)
from ik2d_ros.robot.options import (
    NO_OPTIONS,
    ImportOptions,
    pasted,
    to_begin_at,
    to_end_at,
    to_hold,
)

STILL = 1e-6  # m; a tip this close to an axis is on it
NEAR = 0.5  # rad; axes this close to parallel are meant to be parallel
SLIGHT = 0.02  # of an arm's length; joints this close to one another hardly move the tip
MOST_ENDS = 200  # links to try as tips
MOST_PAIRS = 12  # joints, pairs of which are tried as held ones
MOST_REMEDIES = 4  # that a message names


class NoArmError(ConfigError):
    """Joints that are no arm of a supported kind, but may leave one if others are held."""


@dataclass(frozen=True, eq=False)
class Found:
    """The joints of an arm.

    Attributes:
        route: from base to tip.
        planar: the joints that turn in the plane, base first.
        slides: the joints that slide in the plane, base first.
        followers: joints in the plane that follow those that turn (mimic): the name of the joint
            that each follows, and the multiplier.
        turntable: the joint that turns the plane, or None.
        lift: the joint that shifts the plane along its normal, or None.
        roll: the joint that turns the tip about an axis in the plane, or None.
        held: why each other joint is held, by name.
        order: all joints that move, base first.
        positions: where the others are held, in rad or m; 0 for those of the arm.
        tip: (3,) m, where the tip is in the base link.
    """

    route: Route
    planar: tuple[Placed, ...]
    slides: tuple[Placed, ...]
    followers: Mapping[Placed, tuple[str, float]]
    turntable: Placed | None
    lift: Placed | None
    roll: Placed | None
    held: Mapping[str, str]
    order: tuple[Placed, ...]
    positions: Mapping[str, float]
    tip: FloatArray

    @property
    def normal(self) -> FloatArray:
        """(3,) unit vector of the plane, the axis of its first joint that turns."""
        return self.planar[0].direction

    @property
    def chain(self) -> tuple[Placed, ...]:
        """The joints that move in the plane, base first.

        A joint that slides before the turntable, along its axis, moves the tip as one behind it
        does.
        """
        return tuple(sorted((*self.planar, *self.slides), key=self.order.index))

    def depends_on(self, held: Placed) -> bool:
        """Return whether a held joint moves the tip or the joints of the arm."""
        behind = self.order[self.order.index(held) :]
        moves_ours = not {*self.by_prefix.values(), *self.followers}.isdisjoint(behind)
        return moves_ours or not held.turns or held.lever(self.tip) > STILL

    @property
    def by_prefix(self) -> dict[str, Placed]:
        """The joints of the arm by the prefix of their parameters, such as ``turntable``."""
        carriers = {'turntable': self.turntable, 'lift': self.lift}
        chain = {f'chain.{one.name}': one for one in self.chain}
        every = {**carriers, **chain, 'roll': self.roll}
        return {prefix: one for prefix, one in every.items() if one}


def the_tip(robot: Robot, base: str, options: ImportOptions = NO_OPTIONS) -> str:
    """Return the only link that an arm from a base link can end in.

    Raises:
        ConfigError: there is none, or there are several; the message lists them, with the joints of
            the arm to each or why there is none.
    """
    check_link(robot, base, 'the base')
    routes = {end: find_route(robot, base, end).joints for end in _ends(robot, base)}
    ends = [
        end
        for end, joints in routes.items()
        if any(joint.turns for joint in joints) and sum(joint.moves for joint in joints) > 1
    ]
    if len(ends) == 1:
        return ends[0]
    moving = [joint for joint in robot.behind(base) if joint.moves]
    if moving and not any(joint.turns for joint in moving):
        raise ConfigError(
            f"no revolute joint is behind '{base}', and an arm has at least one; joints there are "
            f'{listed(joint.name for joint in moving)}'
        )
    if not ends:
        raise ConfigError(
            f"found no planar arm of two joints or more behind '{base}'; name its end with --tip"
        )
    by_arm: dict[str, list[str]] = {}
    for end in ends[:MOST_ENDS]:
        by_arm.setdefault(_arm_to(robot, base, end, options), []).append(end)
    arms = sorted(by_arm.items(), key=lambda pair: pair[0].startswith('not'))
    choices = [f'{", ".join(map(pasted, links))} ({words})' for words, links in arms]
    raise ChoiceError(
        'the arm can end in several links: choose one with --tip (parameter tip_frame)',
        [*choices, *['...'] * (len(ends) > MOST_ENDS)],
    )


def _ends(robot: Robot, base: str) -> Iterator[str]:
    """Yield the links where branches end, or where moving ones part, as the jaws of a gripper."""
    joints = list(robot.behind(base))
    parting = Counter[str]()
    for joint in reversed(joints):
        parting[joint.parent] += joint.moves or parting[joint.child] > 0
    for joint in joints:
        if not robot.below[joint.child] or parting[joint.child] > 1:
            yield joint.child


def _arm_to(robot: Robot, base: str, end: str, options: ImportOptions) -> str:
    """Return which arm leads to a link, or why there is none."""
    try:
        arm = _find(robot, base, end, options)
    except ConfigError as error:
        return f'not reached: {error}'
    return f'with {listed(one.name for one in arm.by_prefix.values())}'


def find_arm(robot: Robot, base: str, tip: str, options: ImportOptions = NO_OPTIONS) -> Found:
    """Find the joints of an arm and its plane.

    Raises:
        ConfigError: there is no arm of a supported kind between base and tip; the message names the
            joint and what to do. Or the robot lacks a link or joint that the user names.
    """
    check_link(robot, base, 'the base')
    check_link(robot, tip, 'the tip')
    for name in (*options.hold, *options.limits, *filter(None, options.velocities)):
        if name not in robot.by_name:
            raise ConfigError(
                f"there is no joint '{name}'; joints are "
                f'{listed(robot.by_name)}{closest(name, robot.by_name)}'
            )
        if name in options.hold and (joint := robot.by_name[name]).kind in FREE:
            raise ConfigError(
                f'joint {joint.quoted} is {joint.kind}: it cannot be held at one number; begin '
                f'behind it: {to_begin_at(joint.child)}'
            )
    try:
        return _find(robot, base, tip, options)
    except NoArmError as error:
        raise ConfigError(f'{error}{_remedies(robot, base, tip, options)}') from None


def _remedies(robot: Robot, base: str, tip: str, options: ImportOptions) -> str:
    """Return which joints to hold, one or two, to be left with an arm: the longest arms first."""
    joints = [
        joint
        for joint in find_route(robot, base, tip).joints
        if joint.moves and joint.kind not in FREE and joint.name not in options.hold
    ]
    for count in (1, 2) if len(joints) <= MOST_PAIRS else (1,):
        left: dict[str, list[str]] = {}
        for held in combinations(joints, count):
            at = {one.name: min(max(0.0, one.lower or 0.0), one.upper or 0.0) for one in held}
            try:
                arm = _find(robot, base, tip, replace(options, hold={**options.hold, **at}))
            except ConfigError:
                continue
            words = ' and '.join(to_hold(name, position) for name, position in at.items())
            left[words] = [one.name for one in arm.by_prefix.values()]
        if left:
            best = sorted(left, key=lambda words: -len(left[words]))[:MOST_REMEDIES]
            return '; ' + ', or '.join(f'{words} leaves {listed(left[words])}' for words in best)
    return ''


def _find(robot: Robot, base: str, tip: str, options: ImportOptions) -> Found:
    """Find the joints of an arm and its plane; see :func:`find_arm`."""
    route = find_route(robot, base, tip)
    count = sum(joint.moves for joint in route.joints)
    if count > MOST_JOINTS:
        raise ConfigError(
            f'{count} joints move between base and tip; it must be at most {MOST_JOINTS}'
        )
    leaders = {joint.name: followed(robot, joint) for joint in route.joints}
    positions = {**dict.fromkeys(robot.by_name, 0.0), **all_positions(robot, options.hold)}
    for name, (leader, _, _) in leaders.items():
        if leader not in route.joints:
            positions[name] = options.hold.get(name, 0.0)  # the joint counts as free
    order, pose = place(route, positions)
    point = pose[:3, 3] + pose[:3, :3] @ np.array(options.tip)

    held = {one.name: why for one in order if (why := _held(one, leaders[one.name][0], options))}
    free = {one.name: one for one in order if one.name not in held}
    followers = {}
    for name, one in free.items():
        leader, times, _ = leaders[name]
        if leader.name != one.name and leader.name in free:
            followers[one] = leader.name, times
    own = [one for one in free.values() if one not in followers]
    if not any(one.turns for one in own):
        there = f'; joints there are {listed(one.name for one in order)}' if order else ''
        raise ConfigError(f'no revolute joint is between base and tip{there}')
    first, others = _first([one for one in own if one.turns], point)
    held |= others
    rest = [one for one in own if one.name not in held]
    planar, slides, turntable, lift = _sort(rest, first, order, held)
    _check_followers(followers, planar, held)
    led = [one for one in followers if one.name not in held]
    last = max((*planar, *slides, *led), key=order.index)
    behind = [one for one in rest if one.turns and order.index(one) > order.index(last)]
    rolls = [one for one in behind if one.name in held and not _is_bare(one, last, point)]
    roll = _roll(rolls, first, last in led, held)
    return Found(
        route=route,
        planar=tuple(planar),
        slides=tuple(slides),
        followers={one: led for one, led in followers.items() if one.name not in held},
        turntable=turntable,
        lift=lift,
        roll=roll,
        held=held,
        order=tuple(order),
        positions=positions,
        tip=point,
    )


def _held(one: Placed, leader: RobotJoint, options: ImportOptions) -> str:
    """Return why a joint is held wherever its axis is; empty if it is not."""
    if one.name in options.hold:
        return 'as requested'
    if one.kind in FREE:
        return f'its type is {one.kind}'
    return f'it follows {leader.quoted}, which is held' if leader.name in options.hold else ''


def _first(turning: Sequence[Placed], tip: FloatArray) -> tuple[Placed, dict[str, str]]:
    """Return the first joint that turns in the plane, and why others are held."""
    left, runs = turning, []
    while left:
        run = [one for one in turning if one.angle_to(left[0]) <= MOST_LEAN]
        left = [one for one in left if one not in run]
        held = {}
        while (
            len(run) > 1
            and run[-1].lever(tip) < STILL
            # Without a joint between them they are parallel in any pose, and belong together.
            and turning.index(run[-1]) > turning.index(run[-2]) + 1
        ):
            held[run.pop().name] = 'it does not move the tip'
        runs.append(((_worth(run, turning, tip), len(run)), run[0], held))
    _, first, others = max(runs, key=lambda run: run[0])
    return first, others


def _worth(run: Sequence[Placed], turning: Sequence[Placed], tip: FloatArray) -> int:
    """Return how many joints of a run move the tip far, plus 1 if a joint turns their plane."""
    places = [*(one.point for one in turning), tip]
    far = SLIGHT * sum(float(np.linalg.norm(after - one)) for one, after in pairwise(places))
    points = [*(one.point for one in run[1:]), tip]
    levers = [one.lever(after) for one, after in zip(run, points, strict=True)]
    ahead = turning[: turning.index(run[0])]
    carried = any(one.angle_to(run[0]) > math.pi / 2.0 - NEAR for one in ahead)
    return sum(lever > max(STILL, far) for lever in levers) + carried


def _sort(
    rest: Sequence[Placed],
    first: Placed,
    order: Sequence[Placed],
    held: dict[str, str],
) -> tuple[list[Placed], list[Placed], Placed | None, Placed | None]:
    """Return the joints that turn and that slide in the plane, the turntable, and the lift.

    Joints that are held for their axes are added to ``held``, with the reason.
    """
    planar: list[Placed] = []
    slides: list[Placed] = []
    along: list[Placed] = []
    turntable = None
    for one in rest:
        angle = one.angle_to(first)
        leaning = math.pi / 2.0 - angle
        if not one.turns and min(angle, leaning) > MOST_LEAN:
            raise NoArmError(
                f"joint {one.quoted} slides {with_unit(angle, 'rad')} off the plane's normal; it "
                f'must be along it or in the plane, to {MOST_LEAN:g} rad'
            )
        if not one.turns:
            (along if angle <= MOST_LEAN else slides).append(one)
        elif angle <= MOST_LEAN:
            planar.append(one)
        elif angle < NEAR:
            raise NoArmError(
                f'joint {one.quoted} is not parallel to {first.quoted}: their axes are '
                f'{with_unit(angle, "rad")} apart; it must be {MOST_LEAN:g} rad at most'
            )
        else:
            held[one.name] = 'it turns about another axis'
            if leaning < NEAR and one in order[: order.index(first)]:
                turntable = one  # the last one before the plane
    if turntable:
        del held[turntable.name]
        _check_turntable(
            turntable, first, [one for one in slides if one in order[: order.index(turntable)]]
        )
    carriers = [*along, *([turntable] if turntable and along else [])]
    if len(carriers) > 1:
        raise NoArmError(
            f'the joints {", ".join(one.quoted for one in carriers)} all carry the plane; an arm '
            'has one turntable or one lift'
        )
    return planar, slides, turntable, along[0] if along else None


def _is_bare(one: Placed, last: Placed, tip: FloatArray) -> bool:
    """Return whether the tip is at a joint that does not turn about the link before it.

    That may be a knee, to which the tip's link is missing, rather than a roll.
    """
    link = tip - last.point
    along = abs(float(link @ one.direction)) > math.cos(NEAR) * float(np.linalg.norm(link))
    return float(np.linalg.norm(tip - one.point)) < STILL and not along


def _roll(
    behind: Sequence[Placed], first: Placed, is_level: bool, held: dict[str, str]
) -> Placed | None:
    """Return the joint that turns the tip about an axis in the plane, if any: it is not held.

    Args:
        behind: the joints behind the chain that turn.
        first: the first joint that turns in the plane.
        is_level: whether a linkage keeps the link behind the chain level.
        held: why joints are held, by name; why one cannot be the roll is added.
    """
    leaning = {one.name: math.pi / 2.0 - one.angle_to(first) for one in behind}
    for name, lean in leaning.items():
        if lean > MOST_LEAN:
            how_far = with_unit(lean, 'rad')
            held[name] = f'its axis leans out of the plane by {how_far}, too much for a roll'
    rolls = [one for one in behind if leaning[one.name] <= MOST_LEAN]
    if is_level:
        held |= {one.name: 'it turns what a linkage keeps level' for one in rolls}
        return None
    if len(rolls) > 1:
        raise NoArmError(
            f'the joints {", ".join(one.quoted for one in rolls)} all turn the tip about axes in '
            'the plane; an arm has one roll'
        )
    for one in rolls:
        del held[one.name]
    return rolls[0] if rolls else None


def _check_turntable(turntable: Placed, first: Placed, slides: Sequence[Placed]) -> None:
    """Refuse a turntable that leans out of the plane, or joints before it that slide across it."""
    leaning = math.pi / 2.0 - turntable.angle_to(first)
    if leaning > MOST_LEAN:
        raise NoArmError(
            f'joint {turntable.quoted}, before the plane of {first.quoted}, leans out of it by '
            f'{with_unit(leaning, "rad")}; it must be parallel to the plane, to {MOST_LEAN:g} rad'
        )
    for one in slides:
        if one.angle_to(turntable) > MOST_LEAN:
            raise NoArmError(
                f'joint {one.quoted} slides before the turntable {turntable.quoted}, but not along '
                'its axis, which is not supported'
            )


def _check_followers(
    followers: Mapping[Placed, tuple[str, float]], planar: Sequence[Placed], held: dict[str, str]
) -> None:
    """Hold followers of held joints; refuse followers that do not turn in the plane."""
    names = {one.name for one in planar}
    for one, (leader, _) in followers.items():
        angle = one.angle_to(planar[0])
        if leader in held:
            held[one.name] = f"it follows '{leader}', which is held"
        elif leader not in names or not one.turns or angle > MOST_LEAN:
            raise ConfigError(
                f"joint {one.quoted} follows '{leader}' (mimic), but does not turn in "
                'the same plane: such a linkage is not supported; choose a tip before it: '
                f'{to_end_at(one.parent)}'
            )
