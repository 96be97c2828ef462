"""Whatever an arm is asked, fails or changes, no command brings it across a wall, or further."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from flight import Flight
from sizes import count
from space import described, random_pose
from walled import heights, moving, random_walled, random_walls

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.commanded_joints import velocity_limited
from ik2d_ros.control.settings import ControlSettings, Following
from ik2d_ros.kinematics import Chain, Ik2dError
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.motion.state import MotionState
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.outcome import text_of
from ik2d_ros.pilot.parameters import Configuration, check_occupied
from ik2d_ros.pilot.request import Enable, Home, Jog, JogJoints, Joints, Path, Point, Request, Stop
from ik2d_ros.planning.settings import Settings

SEQUENCES = count(100_000, 60)
DT, EVENTS = 0.02, 12
ROUNDING = 1e-9  # reaches
SHARES = np.linspace(0.0, 1.0, 9)[:, None, None]  # of the way back to the command before
FOUND = [111852]  # by many more: jerk limits on a way next to a wall
ENDLESS = [214]  # a stop whose next pose was taken for the present one, by rounding
AT_ONCE = [1007]  # a motion that ends at a wall in the tick in which it begins
MOTIONS = [(0.3, 4.0), (1.0, 20.0), (10.0, 300.0)]  # ends of velocities, and so on
EVERY = ['point', 'drag', 'path', 'joints', 'joints', 'home', 'jog', 'jog', 'jog joints', 'stop']
EVERY += ['disable', 'enable', 'enable', 'speed', 'push', 'sag', 'stuck', 'silence', 'time', 'time']
MORE = ['hold', 'setting', 'following', 'motion']
ARM = ['walls', 'limits', 'links']
SETTINGS = {
    'unreachable': ['closest', 'hold'],
    'solver': ['auto', 'ccd', 'hybrid'],
    'tolerance': [1e-6, 1e-3],
    'path_speed': [0.05, 1.0],
    'jog_timeout': [0.05, 1.0],
}
FOLLOWING = {'tolerance': [0.02, 0.3], 'delay': [0.0, 0.2], 'hold_velocity': [0.1, 2.0]}


def larger(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else max(a, b)


class BesideWalls(Flight):
    """A random arm beside walls, and the law."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.rng = rng = np.random.default_rng(seed)
        while True:
            arm, pose = random_walled(rng, gap=random.choice([0.02, 0.3, 3.0]))
            if len(arm) <= 5 or random.random() < 0.1:  # more joints take longer to solve
                break
        self.size = arm.chain.size
        across = random.random() < 0.2
        true = list(map(float, random_pose(arm, rng) if across else pose))
        self.limited = random.choice([0, 1, 2, 3] if has_ruckig() else [0, 1])
        self.most = [self.limits() for _ in true]  # since it stood
        description = described(arm, true, self.most)
        self.arm = description.kinematics
        is_measured = random.random() < 0.5
        settings = Settings(path_speed=random.choice([0.05, 1.0]) * self.size)
        if is_measured:
            description = velocity_limited(description, Following())
        self.kinds = EVERY if seed in FOUND else EVERY + MORE + ARM
        holds = {'grip': 0.0} if seed not in FOUND and random.random() < 0.3 else {}
        control = ControlSettings(is_measured, command_joints=(*arm.names, *holds), holds=holds)
        self.configuration = Configuration(description, settings, control)
        super().__init__(self.configuration, (*true, *holds.values()), DT)
        self.is_measured, self.seen, self.starts = is_measured, Counter(), ()
        self.trouble, self.jog, self.goal, self.drift = '', None, None, None
        self.sent: list[tuple[tuple[float, ...], bool, bool]] = []
        self.moves = moving(self.arm)
        self.lowest = heights(self.arm, np.array(true), self.moves)
        self.ends = self.beyond(true)
        self.was = None
        self.pass_time(3 * DT)

    def limits(self) -> MotionLimits:
        return MotionLimits(*(self.random.uniform(*ends) for ends in MOTIONS[: self.limited]))

    def tick(self, again: Request | None = None) -> None:
        if self.goal is not None:
            self.goal = self.goal + self.drift
            again = Point(tuple(self.goal.tolist()))
        super().tick(again or self.jog)

    def measure(self) -> None:
        if self.trouble != 'silence':
            super().measure()

    def heed(self) -> None:
        """Take what the pilot says: of a wall that is there, and of a goal only where it is."""
        names = {wall.name for wall in self.arm.walls}
        for report in (told.report for told in self.pilot.updates):
            self.seen[report.code] = 1
            assert report.wall in (names if report.code == 'BLOCKED' else {''}), report
            assert 'np.' not in ''.join(map(text_of, report.values())), 'no plain number'
        if self.pilot.updates and report.at_goal and not self.is_measured:
            tip = self.arm.forward(self.pilot.supervisor.planning_start)
            off = math.dist(self.flat(tip), self.flat(np.array(report.target)))
            is_path = not math.isnan(report.path_progress)
            assert is_path or abs(off - report.error) <= 1e-6 * (1.0 + self.size), report
        self.pilot.updates.clear()

    def event(self) -> None:
        random, pilot, what = self.random, self.pilot, self.random.choice(self.kinds)
        self.seen[what] += 1
        if what not in ARM:
            self.trouble, self.jog, self.goal = '', None, None
            self.is_stuck, self.drifts = False, {}
        tip = self.arm.forward(pilot.supervisor.planning_start)
        place = (
            self.arm.forward(self.pose())
            + self.rng.normal(size=3) * random.choice([0.0, 0.2]) * self.size
        )
        place = self.flat(place)
        points = np.array([tip, place])
        linear, angular = self.rng.normal(size=(2, 3)) * [[self.size], [random.choice([0.0, 1.0])]]
        speeds = 2.0 * self.rng.normal(size=len(self.true))
        request: Request | None = {
            'point': Point(tuple(place.tolist())),
            'path': Path(lambda: points),
            'joints': Joints(self.arm.names, tuple(self.pose().tolist())),
            'home': Home(),
            'jog': Jog(tuple(linear.tolist()), tuple(angular.tolist())),
            'jog joints': JogJoints(pilot.supervisor.names, tuple(speeds.tolist())),
            'hold': Joints(pilot.supervisor.names[-1:], (random.uniform(-1.0, 1.0),)),
            'stop': Stop(),
            'disable': Enable(False),
            'enable': Enable(True),
        }.get(what)
        if what in ('jog', 'jog joints'):
            self.jog = request
        elif request is not None:
            pilot.ask(request, self.now)
        elif what == 'drag':
            self.goal = self.flat(tip)
            self.drift = self.flat(tip + (place - tip) / random.uniform(5, 60)) - self.goal
        elif what in ('speed', 'setting', 'following', 'motion'):
            self.configuration = self.changed(what)
            pilot.configure(self.configuration, frozenset([Effect.SOLVING]), self.now)
        elif what in ARM:
            self.refit(what)
        elif what == 'push':
            self.true = [q + random.uniform(-0.5, 0.5) for q in self.true]
        elif what != 'time':
            self.trouble, self.is_stuck = what, what == 'stuck'
            self.drifts = dict.fromkeys(range(len(self.true)) if what == 'sag' else (), -0.3)
        self.pass_time(random.choice([1, 3, 10, 40]) * DT)
        self.check()
        pilot.repeat(self.now)
        self.heed()

    def refit(self, what: str) -> None:
        """Change the arm, as the node lets users do."""
        self.check()
        supervisor, before = self.pilot.supervisor, self.arm
        try:
            arm = self.refitted(what, np.array(supervisor.planning_start))
            check_occupied(arm, self.configuration.arm, supervisor.braking_ranges)
        except Ik2dError:  # its walls leave no room, or its limits exclude the pose
            return
        self.configuration = replace(self.configuration, arm=arm)
        self.pilot.configure(self.configuration, frozenset([Effect.SOLVING]), self.now)
        self.arm, self.moves = arm.kinematics, moving(arm.kinematics)
        motion = supervisor.arm_motion.stopping()
        # What is in its way is no deeper than where it stops.
        poses = [motion.state.positions]
        while not motion.state.is_at_rest:
            motion = motion.after(DT)
            poses.append(motion.state.positions)
            assert len(poses) < 10_000, 'it brakes without end'
        self.ends = self.beyond(*poses)
        if arm.walls:
            lowest = heights(self.arm, np.array(poses), self.moves).min(axis=-1)
            for k, wall in enumerate(arm.walls):
                if what == 'walls' and wall in before.walls:
                    lowest[k] = self.lowest[before.walls.index(wall)]
            self.lowest = lowest

    def refitted(self, what: str, pose: np.ndarray) -> ArmDescription:
        random, arm = self.random, self.configuration.arm
        if what == 'walls':
            wall = random_walls(arm.kinematics, self.rng, pose, 0.1)[0]
            shift = random.choice([0.0, 0.1, 0.3]) * self.size  # some across the arm
            point = np.array(wall.point) + shift * np.array(wall.normal)
            wall = replace(wall, point=tuple(point), name=f'n{self.time}')
            walls = random.sample([*arm.walls, wall], random.randint(0, len(arm.walls) + 1))
            return replace(arm, walls=tuple(walls[:3]))
        joints = [*arm.chain.joints]
        k = random.randrange(len(joints))
        joint, q = joints[k], float(arm.in_plane(tuple(pose))[k])
        if what == 'links':
            longer = random.uniform(0.8, 1.25)
            joints[k] = replace(joint, link=tuple(longer * x for x in joint.link))
        elif joint.lower is not None:
            lower, upper = (
                random.uniform(-0.01, 1.0) * (e - q) for e in (joint.lower, joint.upper)
            )
            joints[k] = replace(joint, lower=q + lower, upper=q + upper)
        return replace(arm, chain=Chain(joints, tool=arm.chain.tool))

    def beyond(self, *poses: Any) -> list[tuple[float, float]]:
        """Return how far each joint may go: to its limits, or as far out as it is in some poses."""
        columns = zip(*poses, strict=False)
        return [
            (min(lower, *q), max(upper, *q))
            for (lower, upper), q in zip(self.arm.limits, columns, strict=False)
        ]

    def changed(self, what: str) -> Configuration:
        random, now = self.random, self.configuration
        if what == 'motion':
            motion = tuple(self.limits() for _ in self.most)
            pairs = zip(self.most, motion, strict=True)
            self.most = [MotionLimits(*map(larger, *pair)) for pair in pairs]
            arm = replace(now.arm, motion=motion)
            return replace(now, arm=velocity_limited(arm, Following()) if self.is_measured else arm)
        if what == 'setting':
            name = random.choice([*SETTINGS])
            changes = {name: random.choice(SETTINGS[name])}
            return replace(now, settings=replace(now.settings, **changes))
        name, value = 'scaling', random.uniform(0.1, 1.0)
        if what == 'following':
            name = random.choice([*FOLLOWING])
            value = random.choice(FOLLOWING[name])
        following = replace(now.control.following, **{name: value})
        return replace(now, control=replace(now.control, following=following))

    def flat(self, place: np.ndarray) -> np.ndarray:
        if self.arm.turntable or self.arm.lift:
            return place
        origin, normal = np.array(self.arm.plane.origin), np.array(self.arm.plane.axes[2])
        return place - ((place - origin) @ normal) * normal

    def pose(self) -> np.ndarray:
        return random_pose(self.arm, self.rng)

    def note(self) -> None:
        """Note what is commanded, if anything; and where commands begin, as the arm is measured."""
        supervisor = self.pilot.supervisor
        self.seen['blocked'] += supervisor.arm_motion.blocked is not None
        if supervisor.is_commanding or not self.is_measured:
            if begins := supervisor.start_pose is not self.starts:
                self.starts, self.was = supervisor.start_pose, None
                self.sent.append((supervisor.start_pose, True, True))
                self.ends = self.beyond(supervisor.start_pose)
            # What swings back as a joint brakes is no deeper than where the braking began.
            is_at_rest = supervisor.is_at_rest or not supervisor.arm_motion.limits.has_acceleration
            self.sent.append((supervisor.commanded, False, is_at_rest))
            self.check_limits(supervisor.commanded, is_at_rest)
            self.check_motion(supervisor.arm_motion.state, begins)
        self.heed()

    def check_limits(self, pose: tuple[float, ...], is_at_rest: bool) -> None:
        for q, (lower, upper) in zip(pose, self.ends, strict=False):
            assert lower - 1e-9 <= q <= upper + 1e-9, f'{q} is beyond {lower} to {upper}'
        if is_at_rest:
            self.ends = self.beyond(pose)

    def check_motion(self, state: MotionState, begins: bool) -> None:
        """Commands by which the arm keeps off are within the motion limits, too."""
        before, self.was = self.was, state
        if before is not None and before.is_at_rest:
            self.most = [*self.configuration.arm.motion]
        if (
            before is None
            or self.arm.has_bend_limits
            or not self.pilot.supervisor.arm_motion.limits.takes_time
        ):
            return
        moves, pushes = (
            np.abs(np.subtract(now, was)) for was, now in zip(before[:2], state[:2], strict=True)
        )
        for move, push, most in zip(moves, pushes, self.most, strict=True):
            assert move <= (most.velocity or math.inf) * DT * (1 + 1e-3) + 1e-9, 'a step'
            assert push <= (most.acceleration or math.inf) * DT * (1 + 1e-3) + 1e-9, 'a jerk'

    def check(self) -> None:
        if not (self.sent and self.arm.walls):
            self.sent.clear()
            return
        poses = np.array([pose[: len(self.arm)] for pose, _, _ in self.sent])
        moves = np.diff(poses, axis=0, prepend=poses[:1])
        found = heights(self.arm, poses - SHARES * moves, self.moves)  # also since the one before
        for (_, begins, is_at_rest), height, between in zip(
            self.sent,
            np.moveaxis(found[..., 0, :], -1, 0),
            np.moveaxis(found, -1, 0),
            strict=True,
        ):
            if begins:
                self.lowest = height
            least = np.minimum(self.lowest, 0.0)
            worst = (height - least).min() / self.size
            assert worst >= -ROUNDING, f'{worst} reaches across'
            if not begins:
                worst = (between - least[..., None]).min()
                assert worst >= -1e-4 * min(1.0, self.size), f'{worst} m across between two'
            if is_at_rest:
                self.lowest = np.maximum(self.lowest, np.minimum(height, 0.0))
            self.seen['across'] += bool((height < -1e-6 * self.size).any())
        self.sent.clear()


def test_no_command_brings_anything_across_a_wall() -> None:
    seen: Counter[str] = Counter()
    for seed in [*range(SEQUENCES), *FOUND, *ENDLESS, *AT_ONCE]:
        world = BesideWalls(seed)
        try:
            for _ in range(EVENTS):
                world.event()
        except AssertionError as error:
            pytest.fail(f'sequence {seed}, {world.time:.2f} s: {error}')
        seen += world.seen
    assert [
        what for what in [*EVERY, *MORE, *ARM, 'across', 'blocked', 'BLOCKED'] if not seen[what]
    ] == []
