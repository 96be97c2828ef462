"""The path that an arm follows in a demonstration, and its gripper; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, cycle, islice, product
from random import Random

import numpy as np

from ik2d_ros.arm.coordinates import elevation
from ik2d_ros.arm.description import ArmDescription, is_gripper
from ik2d_ros.control.settings import HOLD_LIMITS
from ik2d_ros.kinematics import Plane, Status, solve, solve_batch
from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import Choice, Number, Numbers, Truth
from ik2d_ros.parameters.table import Table, rows_of, setting
from ik2d_ros.pilot.parameters import Configuration

RATE = 50.0  # Hz of targets
SHORTEST, LONGEST = 6.0, 12.0  # s; a lap takes longer only if every other one does, too
FEW, STEPS, MOST_STEPS = 8, 150, 2000  # of a lap, for the check that the arm can follow it
ROUNDS = 5
USED = 0.8  # Share of the motion limits that a lap takes
SPEEDS = {'rad': 2.0, 'm': 1.0}  # Per s, of joints without a limit; of those that slide in reaches

ENDS = tuple(product((1.03, 1.0, 0.9), (0.1, 0.3, 0.5)))
"""Where the eight of an arm in a plane ends, and begins, in reaches from its base."""

LARGE, SMALL = (0.2, 0.15, 0.11, 0.08), (0.04, 0.02, 0.01)  # Radii of circles, in reaches
LINES = (0.15, 0.08)  # Halves of lines, which are longer than circles in a narrow ring
FIGURES = (*product(['circle'], LARGE), *product(['line'], LINES), *product(['circle'], SMALL))
TILT = math.radians(40.0)  # Against the arm's plane
AWAY = (0.65, 0.5, 0.8, 0.93)  # Of their centres from the first joint, in reaches: the arm is bent
AROUND = 15  # deg between the directions of centres
BEST = math.radians(20.0)  # Their best direction: in front, above the horizon
UPRIGHT = 0.7  # Part of a turntable's axis along z
OVER = 0.1  # How far above walls a circle is at best, in reaches

SHAPES = ('circle', 'line', 'eight', 'random')
HOPS_PER_LAP = 5
# The number of laps is a quotient: it must neither overflow nor lose its fraction.
SHORTEST_LAP, LONGEST_LAP = 1e-3, 1e9  # s


@dataclass(frozen=True)
class DemoPath:
    """A path of demo targets, in the arm's base frame; the rows describe each field."""

    path: str = setting('circle', Choice(SHAPES), 'Shape of the path')
    period: float = setting(
        8.0, Number(least=SHORTEST_LAP, most=LONGEST_LAP), 'Time for one lap', unit='s'
    )
    center: Vector = setting((0.35, 0.0, 0.0), Numbers(3, LARGEST_LENGTH), 'Centre', unit='m')
    rpy: Vector = setting(
        (0.0, 0.0, 0.0),
        Numbers(3, LARGEST_ANGLE),
        'Roll, pitch, yaw of the plane of the path (URDF convention)',
        unit='rad',
    )
    size: float = setting(
        0.15,
        Number(least=0.0, most=LARGEST_LENGTH),
        'Radius of a circle, half the length of a line',
        unit='m',
    )
    paused: bool = setting(False, Truth(), 'Whether to stop publishing; the path resumes')

    @cached_property
    def _plane(self) -> Plane:
        return Plane.from_pose(self.center, self.rpy)

    def place_after(self, laps: float) -> Vector:
        """Return the point of the path after some laps, negative ones included, in m.

        A circle begins at its right end, counter-clockwise; a line, along x, in its middle, and
        slows down at its ends; an eight (lemniscate of Gerono, along x) at its crossing. ``random``
        jumps from point to point, uniform in the disc, as if the next target were anywhere.
        """
        angle = math.tau * (laps % 1.0)  # without full laps, so long runs keep precision
        cos, sin = math.cos(angle), math.sin(angle)
        if self.path == 'random':
            hop = Random(math.floor(laps * HOPS_PER_LAP))  # noqa: S311
            radius = math.sqrt(hop.random())  # the root makes it uniform over the area
            angle = math.tau * hop.random()
            x, y = radius * math.cos(angle), radius * math.sin(angle)
        else:
            smooth = {'circle': (cos, sin), 'line': (sin, 0.0), 'eight': (sin, sin * cos)}
            x, y = smooth[self.path]
        return self._plane.point(self.size * x, self.size * y)

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of ``ik2d_target``, by name."""
        return {k: [*v] if isinstance(v, tuple) else v for k, v in asdict(self).items()}


PARAMETERS = Table(rows_of(DemoPath), [HOLD_LIMITS])
"""Every parameter of ``ik2d_target``; it moves the grippers among the joints with hold_limits."""


def demo_path(arm: ArmDescription) -> DemoPath:
    """Return a path for an arm to follow.

    For an arm with a turntable or a lift it is a circle that leaves the plane, within reach.
    Otherwise it is an eight in the direction of the tip at home, which leaves the reach where the
    joints can follow that, a circle, or a line. The laps take as long as the motion limits want.
    """
    tried = list[tuple[float, DemoPath]]()
    for path in chain(_eights(arm) if arm.carrier is None else (), _circles(arm)):
        tried.append((_period(arm, path), path))
        if tried[-1][0] <= LONGEST:
            break
    period, best = min(tried, key=lambda each: each[0])
    period, steps = min(max(SHORTEST, period), LONGEST_LAP), 0
    for _ in range(ROUNDS):  # target by target, as speeds may change at once
        before, steps = steps, math.ceil(min(RATE * period, MOST_STEPS))
        if steps == before or (needed := _period(arm, best, steps)) > LONGEST_LAP:
            break
        period = max(period, needed)
    return replace(best, period=float(period))


def _period(arm: ArmDescription, path: DemoPath, steps: int = STEPS) -> float:
    """Return the time in s that a lap of so many targets takes within the motion limits.

    It is infinite if a wall is in the way of one, an arm in space or on a line does not reach it,
    or one in a plane does not reach half of them.
    """
    is_strict = arm.carrier is not None or path.path == 'line'
    some = solve_batch(arm.kinematics, [path.place_after(step / FEW) for step in range(FEW)])
    is_out = some.proven & (some.status != Status.REACHED)
    if is_out.any() if is_strict else is_out.all():  # the reach may be a mere circle
        return math.inf
    places = [path.place_after(step / steps) for step in range(steps)]
    poses, reached = [[*arm.home]], list[bool]()
    for place in islice(cycle(places), 2 * steps + 2):  # the first lap begins elsewhere
        answer = solve(arm.kinematics, place, start=poses[-1])
        poses.append(answer.q.tolist())
        reached.append(answer.status is Status.REACHED)
        if answer.status is Status.BLOCKED or (is_strict and not reached[-1]):
            return math.inf
        if poses[-2:] == poses[-steps - 2 : -steps]:  # as a lap ago: so will all others be
            break
    lap = np.array(poses[-steps - 2 :])
    speeds = np.abs(np.diff(lap, axis=0)).max(axis=0) * steps  # per lap
    pulls = np.abs(np.diff(lap, 2, axis=0)).max(axis=0) * steps**2
    period = 0.0
    for speed, pull, limits, unit in zip(speeds, pulls, arm.motion, arm.units, strict=True):
        most = limits.velocity or SPEEDS[unit] * (arm.chain.reach.outer if unit == 'm' else 1.0)
        hardest = limits.acceleration or math.inf
        period = max(period, speed / (USED * most), math.sqrt(pull / (USED * hardest)))
    return period if sum(reached[-steps:]) >= 0.5 * steps else math.inf


def _eights(arm: ArmDescription) -> Iterator[DemoPath]:
    reach = arm.chain.reach.outer
    x, y = arm.chain.forward(arm.in_plane(arm.home))[-1].tolist()
    away = math.hypot(x, y)
    ahead = (x / away, y / away) if away > 1e-3 * reach else (1.0, 0.0)
    for far, near in ENDS:
        away = 0.5 * (far + near) * reach
        center = arm.plane_at(arm.home).point(away * ahead[0], away * ahead[1])
        size = 0.5 * (far - near) * reach
        yield DemoPath(path='eight', center=center, rpy=arm.base_rpy, size=size)


def _circles(arm: ArmDescription) -> Iterator[DemoPath]:
    """Yield circles, or lines before small ones, of each size the best in front first.

    Of an arm in space they are tilted out of its plane, where its carrier is in mid-range or home.
    """
    pose, reach = [*arm.home], arm.chain.reach.outer
    lower, upper = np.clip(np.array(arm.limits[0]), -math.pi, math.pi)
    pose[0] = float(np.clip(pose[0], *np.quantile((lower, upper), (0.25, 0.75))))
    plane = arm.plane_at(pose)
    axes = Plane.from_pose((0.0, 0.0, 0.0), (TILT if arm.carrier else 0.0, 0.0, 0.0)).axes
    level = Plane((0.0, 0.0, 0.0), plane.axes)
    first, second, normal = (level.point(*axis) for axis in axes)
    way, best, places = elevation(arm), BEST, list[tuple[float, Vector]]()
    if arm.turntable and abs(arm.turntable.axis[2]) < UPRIGHT:  # a leg
        x, y = arm.chain.forward(arm.in_plane(arm.home))[-1].tolist()
        best = way.read(math.atan2(y, x))
    for away, degrees in product(AWAY, range(-180, 180, AROUND)):
        angle = way.angle(best + math.radians(degrees))
        place = plane.point(away * reach * math.cos(angle), away * reach * math.sin(angle))
        heights = [wall.height(*place) / reach - LARGE[0] - OVER for wall in arm.walls]
        badness = 2.0 * AWAY.index(away) - 4.0 * min([0.0, *heights])
        places.append((abs(math.radians(degrees)) + badness, place))
    places.sort()
    for (shape, size), (_, center) in product(FIGURES, places):
        rpy = Plane(center, (first, second, normal)).rpy()
        yield DemoPath(path=shape, center=center, rpy=rpy, size=size * reach)


def demo_parameters(configuration: Configuration) -> dict[str, object]:
    """Return the parameters of ``ik2d_target`` for an arm, and the grippers that its node holds."""
    parameters, control = demo_path(configuration.arm).parameters, configuration.control
    for name in control.hold_limits.keys() & control.holds.keys():
        parameters[f'hold_limits.{name}'] = [*control.hold_limits[name]]
    return parameters


class DemoGripper:
    """The gripper of an arm, if it has one: open on the first half of each lap."""

    def __init__(self, hold_limits: Mapping[str, tuple[float, float]]) -> None:
        """Take the limits of the joints that are held, by name, in rad or m."""
        self._limits = {name: ends for name, ends in hold_limits.items() if is_gripper(name)}
        self._is_open = False

    def goals(self, laps: float) -> dict[str, float]:
        """Return where its joints go now, by name, in rad or m; nothing while they go on."""
        was_open, self._is_open = self._is_open, laps % 1.0 < 0.5
        if was_open is self._is_open:
            return {}
        return {name: ends[self._is_open] for name, ends in self._limits.items()}
