"""Finds the arm between two links of a robot: its joints; all others on the way are held.

The plane is that of the parallel joints that move the tip most: an upright arm also has parallel
axes that move nothing.
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

import numpy as np

from ik2d_ros.kinematics.arguments import MOST_JOINTS, FloatArray
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.parameters.checks import (
    ConfigError,
    closest,
    listed,
    printable,
    with_unit,
)
from ik2d_ros.robot.model import FREE, Placed, Robot, Route, all_positions, find_route, place

STILL = 1e-6  # m; a tip this close to an axis is on it
NEAR = 0.5  # rad; axes this close to parallel are meant to be parallel
SLIGHT = 0.02  # of an arm's length; joints this close to one another hardly move the tip
MOST_PAIRS = 12  # joints, pairs of which are tried as held ones
MOST_REMEDIES = 4  # that a message names

TO_OFFSET = '--tip-offset X,Y,Z (parameter tip_offset)'


@dataclass(frozen=True)
class ImportOptions:
    """The user's additions to the robot description.

    Attributes:
        limits: (lower, upper) position of joints in rad or m by name; infinite for no limits.
        velocities: velocity limits of joints in rad/s or m/s by name; that of the name '' is for
            all joints without a usable one.
        tip: (3,) m, where the tip is in the tip link.
        hold: positions of joints that are held, in rad or m.
        parameters: parameters of the arm that override what the description says, by flat dotted
            name.
    """

    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)
    tip: tuple[float, float, float] = (0.0, 0.0, 0.0)
    hold: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)


NO_OPTIONS = ImportOptions()


@dataclass(frozen=True)
class Remark:
    """A sentence about an import for its user.

    Attributes:
        text: one sentence.
        doubt: whether it needs a decision or a check.
        differs: whether it says how the arm differs from its robot.
    """

    text: str
    doubt: bool = True
    differs: bool = False

    def __str__(self) -> str:
        """Return the sentence, marked if it needs a check."""
        return f'check: {self.text}' if self.doubt else self.text


def to_hold(joint: str, position: float | None = None) -> str:
    """Return how to hold a joint at a position in rad or m."""
    at = 'POSITION' if position is None else f'{position:g}'
    return f'--hold {pasted(f"{joint}={at}")} (parameter hold.{printable(joint)}: {at})'


def pasted(text: str) -> str:
    """Return a text as a message shows it where it may be pasted into a shell."""
    return shlex.quote(printable(text))


@dataclass(frozen=True, eq=False)
class Found:
    """The joints of an arm.

    Attributes:
        joints: those of the arm by the prefix of their parameters, such as ``turntable``: what
            carries the plane, the chain, the roll.
        followers: joints in the plane that follow those of the chain that turn (mimic).
        held: why each other joint is held, by name.
        order: all joints that move, base first.
        positions: where the others are held, in rad or m; 0 for those of the arm.
        tip: (3,) m, where the tip is in the base link.
        tip_x: (3,) unit vector in the base link, the x-axis of the tip link.
    """

    joints: Mapping[str, Placed]
    followers: Sequence[Placed]
    held: Mapping[str, str]
    order: Sequence[Placed]
    positions: Mapping[str, float]
    tip: FloatArray
    tip_x: FloatArray

    @property
    def chain(self) -> tuple[Placed, ...]:
        """The joints that move in the plane, base first; also a rail along a turntable's axis."""
        return tuple(one for prefix, one in self.joints.items() if prefix.startswith('chain.'))

    @property
    def turning(self) -> tuple[Placed, ...]:
        """The joints of the chain that turn, base first."""
        return tuple(one for one in self.chain if one.turns)

    @property
    def normal(self) -> FloatArray:
        """(3,) unit vector of the plane, the axis of its first joint that turns."""
        return self.turning[0].direction

    def depends_on(self, held: Placed) -> bool:
        """Return whether a held joint moves the tip or the joints of the arm."""
        behind = self.order[self.order.index(held) :]
        moves_ours = not {*self.joints.values(), *self.followers}.isdisjoint(behind)
        return moves_ours or not held.turns or held.lever(self.tip) > STILL


def the_tip(robot: Robot, base: str, options: ImportOptions = NO_OPTIONS) -> str:
    """Return the only link that an arm from a base link can end in.

    Raises:
        ConfigError: there is none, or there are several; the message lists them, with the joints of
            the arm to each.
    """
    robot.check_link(base, 'the base')
    ends, arms = list[str](), list[str]()
    for end in _ends(robot, base):
        route = find_route(robot, base, end)
        if any(joint.turns for joint in route.joints) and sum(j.moves for j in route.joints) > 1:
            ends.append(end)
            with suppress(ConfigError):
                joints = listed(one.name for one in _find(robot, route, options).joints.values())
                arms.append(f'{pasted(end)} (with {joints})')
    if len(ends) == 1:
        return ends[0]
    if not ends:
        moving = listed(joint.name for joint in robot.behind(base) if joint.moves)
        raise ConfigError(
            f"found no planar arm of two joints or more, a revolute one among them, behind '{base}'"
            f'; name its end with --tip; joints there are {moving or "fixed"}'
        )
    raise ConfigError(
        'the robot has several ends; choose the tip with --tip (parameter tip_frame)',
        arms or [*map(pasted, ends)],
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


def find_arm(robot: Robot, base: str, tip: str, options: ImportOptions = NO_OPTIONS) -> Found:
    """Find the joints of an arm and its plane.

    Raises:
        ConfigError: there is no arm of a supported kind between base and tip; the message names the
            joint and what to do. Or the robot lacks a link or joint that the user names.
    """
    robot.check_link(base, 'the base')
    robot.check_link(tip, 'the tip')
    for name in (*options.hold, *options.limits, *filter(None, options.velocities)):
        if name not in robot.by_name:
            raise ConfigError(
                f"there is no joint '{name}'; joints are "
                f'{listed(robot.by_name)}{closest(name, robot.by_name)}'
            )
        if name in options.hold and (joint := robot.by_name[name]).kind in FREE:
            behind = f'begin behind it: --base {pasted(joint.child)} (parameter base_frame)'
            raise ConfigError(f"joint '{name}' is {joint.kind}: it cannot be held; {behind}")
    route = find_route(robot, base, tip)
    try:
        return _find(robot, route, options)
    except ConfigError as error:
        raise ConfigError(f'{error}{_remedies(robot, route, options)}') from None


def _remedies(robot: Robot, route: Route, options: ImportOptions) -> str:
    """Return which joints to hold, one or two, to be left with an arm: the longest arms first."""
    joints = [
        joint
        for joint in route.joints
        if joint.moves and joint.kind not in FREE and joint.name not in options.hold
    ]
    for count in (1, 2) if len(joints) <= MOST_PAIRS else (1,):
        left: dict[str, list[str]] = {}
        for held in combinations(joints, count):
            at = {one.name: float(np.clip(0.0, *(one.limits or (0.0, 0.0)))) for one in held}
            try:
                arm = _find(robot, route, replace(options, hold={**options.hold, **at}))
            except ConfigError:
                continue
            words = ' and '.join(to_hold(name, position) for name, position in at.items())
            left[words] = [one.name for one in arm.joints.values()]
        if left:
            best = sorted(left, key=lambda words: -len(left[words]))[:MOST_REMEDIES]
            return '; ' + ', or '.join(f'{words} leaves {listed(left[words])}' for words in best)
    return ''


def _find(robot: Robot, route: Route, options: ImportOptions) -> Found:
    """Find the joints of an arm and its plane; see :func:`find_arm`."""
    on_the_way = {joint.name for joint in route.joints}
    positions = all_positions(robot, options.hold)
    # A joint whose leader is elsewhere counts as free.
    alone = [one.name for one in route.joints if one.leader not in on_the_way]
    positions |= {name: options.hold.get(name, 0.0) for name in alone}
    order, pose = place(route, positions)
    if len(order) > MOST_JOINTS:
        raise ConfigError(
            f'{len(order)} joints move between base and tip; it must be at most {MOST_JOINTS}'
        )
    point = pose[:3, 3] + pose[:3, :3] @ np.array(options.tip)
    held = dict[str, str]()
    for one in order:
        if one.name in options.hold:
            held[one.name] = 'as requested'
        elif one.kind in FREE:
            held[one.name] = f'its type is {one.kind}'
        elif one.leader in options.hold:
            held[one.name] = f"it follows '{one.leader}', which is held"
    free = {one.name: one for one in order if one.name not in held}
    led = [one for one in free.values() if one.mimic is not None and one.leader in free]
    own = [one for one in free.values() if one not in led]
    if not any(one.turns for one in own):
        there = f'; joints there are {listed(one.name for one in order)}' if order else ''
        raise ConfigError(f'no revolute joint is between base and tip{there}')
    first, others = _first([one for one in own if one.turns], point)
    held |= others
    prefixes = {one: _prefix(one, first) for one in own if one.name not in held}
    prefixes |= _turntable(order[: order.index(first)], first, prefixes)
    held |= {one.name: 'it turns about another axis' for one in prefixes if not prefixes[one]}
    in_plane = [one for one, prefix in prefixes.items() if prefix == f'chain.{one.name}']
    led = _followers(led, first, in_plane, held)
    last = max((*in_plane, *led), key=order.index)
    leaders = {one.leader for one in order if one.mimic is not None}
    link = point - last.point
    behind = []
    for one in order[order.index(last) + 1 :]:
        along = abs(float(link @ one.direction)) > math.cos(NEAR) * float(np.linalg.norm(link))
        # May be a knee, to which the tip's link is missing.
        is_bare = float(np.linalg.norm(point - one.point)) < STILL and not along
        if prefixes.get(one) == '' and one.name not in leaders and not is_bare:
            behind.append(one)
    prefixes |= _roll(behind, first, last in led, held)
    carriers = [one for one, prefix in prefixes.items() if prefix in ('lift', 'turntable')]
    if len(carriers) > 1:
        raise ConfigError(
            f'the joints {listed(one.name for one in carriers)} all carry the plane; an arm '
            'has one turntable or one lift'
        )
    ranks = {'turntable': 0, 'lift': 0, 'roll': 2}
    ours = sorted(filter(prefixes.get, prefixes), key=lambda one: ranks.get(prefixes[one], 1))
    return Found(
        joints={prefixes[one]: one for one in ours},
        followers=led,
        held=held,
        order=order,
        positions=positions,
        tip=point,
        tip_x=pose[:3, 0],
    )


def _first(turning: Sequence[Placed], tip: FloatArray) -> tuple[Placed, dict[str, str]]:
    """Return the first joint that turns in the plane, and why others are held.

    The plane has the most joints that move the tip far; one that turns it counts, too.
    """
    places = [*(one.point for one in turning), tip]
    length = sum(float(np.linalg.norm(after - one)) for one, after in pairwise(places))
    far = max(STILL, SLIGHT * length)
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
        points = [*(one.point for one in run[1:]), tip]
        worth = sum(one.lever(after) > far for one, after in zip(run, points, strict=True))
        ahead = turning[: turning.index(run[0])]
        worth += any(one.angle_to(run[0]) > math.pi / 2.0 - NEAR for one in ahead)
        runs.append(((worth, len(run)), run[0], held))
    _, first, others = max(runs, key=lambda run: run[0])
    return first, others


def _prefix(one: Placed, first: Placed) -> str:
    """Return the prefix of a joint's parameters by its axis; empty if it turns about another."""
    angle = one.angle_to(first)
    if not one.turns and MOST_LEAN < angle < math.pi / 2.0 - MOST_LEAN:
        raise _leaning(f"'{one.name}' slides neither in the plane nor along its normal", angle)
    if one.turns and MOST_LEAN < angle < NEAR:
        raise _leaning(f"'{one.name}' is not parallel to '{first.name}'", angle)
    if one.turns == (angle <= MOST_LEAN):
        return f'chain.{one.name}'
    return '' if one.turns else 'lift'


def _leaning(words: str, angle: float) -> ConfigError:
    return ConfigError(
        f'joint {words}: it is {with_unit(angle, "rad")} off, and must be {MOST_LEAN:g} rad at most'
    )


def _followers(
    led: Sequence[Placed], first: Placed, chain: Sequence[Placed], held: dict[str, str]
) -> list[Placed]:
    """Return the followers that turn in the plane; those of held joints are held."""
    turning = {one.name for one in chain if one.turns}
    for one in led:
        if one.leader in held:
            held[one.name] = f"it follows '{one.leader}', which is held"
        elif one.leader not in turning or not one.turns or one.angle_to(first) > MOST_LEAN:
            raise ConfigError(
                f"joint '{one.name}' follows '{one.leader}' (mimic), but does not turn in "
                'the same plane: such a linkage is not supported; choose a tip before it: '
                f'--tip {pasted(one.parent)} (parameter tip_frame)'
            )
    return [one for one in led if one.name not in held]


def _turntable(
    ahead: Sequence[Placed], first: Placed, prefixes: Mapping[Placed, str]
) -> dict[Placed, str]:
    """Return the last joint before the plane that turns it, if any, with its prefix."""
    others = [one for one in ahead if prefixes.get(one) == '']
    tables = [one for one in others if one.angle_to(first) > math.pi / 2.0 - NEAR]
    if not tables:
        return {}
    table = tables[-1]
    leaning = math.pi / 2.0 - table.angle_to(first)
    if leaning > MOST_LEAN:
        raise _leaning(f"'{table.name}' leans out of the plane of '{first.name}'", leaning)
    for one in ahead[: ahead.index(table)]:
        if prefixes.get(one) == f'chain.{one.name}' and one.angle_to(table) > MOST_LEAN:
            raise ConfigError(
                f"joint '{one.name}' slides before the turntable '{table.name}', but not along "
                'its axis, which is not supported'
            )
    return {table: 'turntable'}


def _roll(
    behind: Sequence[Placed], first: Placed, is_level: bool, held: dict[str, str]
) -> dict[Placed, str]:
    """Return the joint that turns the tip about an axis in the plane, if any, with its prefix.

    It is taken from ``held``, where the others get the reason why they are none.
    """
    rolls = []
    for one in behind:
        lean = math.pi / 2.0 - one.angle_to(first)
        if lean > MOST_LEAN:
            how_far = with_unit(lean, 'rad')
            held[one.name] = f'its axis leans out of the plane by {how_far}, too much for a roll'
        elif is_level:
            held[one.name] = 'it turns what a linkage keeps level'
        else:
            rolls.append(one)
            del held[one.name]
    if len(rolls) > 1:
        raise ConfigError(
            f'the joints {listed(one.name for one in rolls)} all turn the tip about axes in '
            'the plane; an arm has one roll'
        )
    return dict.fromkeys(rolls, 'roll')
