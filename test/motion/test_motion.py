"""Motions: to whatever goals, however often, and along trajectories, they keep to their limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from space import described, random_pose
from walled import heights, random_walled

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.arm.fields import LARGEST_MOTION
from ik2d_ros.kinematics import Chain, Lift, Turntable, Wall, solve_path, timed
from ik2d_ros.motion.limits import Limits
from ik2d_ros.motion.motion import Motion, at_rest
from ik2d_ros.motion.profile import Profile, has_ruckig
from ik2d_ros.motion.state import MotionState
from ik2d_ros.motion.trajectory import PAUSE, Trajectory, time_path

PERIOD = 0.02  # s
SLACK = 1e-3  # of a limit, as a share of it

pytestmark = pytest.mark.skipif(not has_ruckig(), reason='ruckig is not installed')


def arm_of(
    motion: Sequence[MotionLimits],
    limits: Sequence[tuple[float, float] | None],
    carrier: str = '',
) -> ArmDescription:
    """An arm with so many joints, the first of which may be a turntable or a lift."""
    chain = Chain.from_lengths([0.3] * len(motion), limits=limits)
    arm = ArmDescription(chain=chain, home=(0.0,) * len(motion), motion=tuple(motion))
    if not carrier:
        return arm
    ends = limits[0] or (None, None)
    chain = Chain.from_lengths([0.3] * (len(motion) - 1), limits=limits[1:])
    before = Lift(1, *ends) if carrier == 'lift' else Turntable((0.0, 0.1, 0.0), (1, 0, 0), *ends)
    return replace(arm, chain=chain, **{carrier: before})


@st.composite
def arms(draw: Any, smooth: bool = True) -> ArmDescription:
    """Arms with two to four joints, some of them continuous, which all limit the velocity.

    The first joint is one of the chain, or it carries the plane.
    """
    count = draw(st.integers(2, 4))
    with_jerk = draw(st.booleans())
    motion = [
        MotionLimits(
            draw(st.floats(0.3, 4.0)),
            draw(st.floats(1.0, 20.0)) if smooth else None,
            draw(st.floats(10.0, 300.0)) if smooth and with_jerk else None,
        )
        for _ in range(count)
    ]
    ranges = st.tuples(st.floats(-3.0, -0.1), st.floats(0.1, 3.0))
    carrier = draw(st.sampled_from(['', 'turntable', 'lift']))
    return arm_of(motion, [draw(st.none() | ranges) for _ in range(count)], carrier)


def draw_goal(data: st.DataObject, arm: ArmDescription, near: Sequence[float]) -> list[float]:
    """A solved pose: often at a limit, and within half a turn of where the arm is."""
    goal = []
    for (lower, upper), place in zip(arm.limits, near, strict=True):
        if lower == -math.inf:
            goal.append(place + data.draw(st.floats(-math.pi, math.pi)))
        else:
            ends = st.sampled_from([lower, upper])
            goal.append(data.draw(ends | st.floats(lower, upper)))
    return goal


class Kept:
    """An arm that keeps its motion, and then takes another or the next.

    Attributes:
        motion: the motion.
    """

    def __init__(self, arm: ArmDescription, scaling: float = 1.0) -> None:
        self.scaling = scaling
        self.motion: Motion = at_rest(Limits.of_arm(arm, scaling), arm.home, arm.kinematics)

    def __getattr__(self, name: str) -> Any:
        """A value of the motion, or what makes another one of it, which is kept."""
        found = getattr(self.motion, name)

        def keep(*values: Any, **options: Any) -> MotionState:
            self.motion = found(*values, **options)
            return self.motion.state

        return keep if callable(found) else found

    def configure(self, arm: ArmDescription) -> None:
        limits = Limits.of_arm(arm, self.scaling)
        self.motion = self.motion.with_limits(limits, arm.kinematics)


def run(kept: Kept, steps: int, dt: float = PERIOD) -> list[MotionState]:
    return [kept.after(dt) for _ in range(steps)]


def run_to_goal(kept: Kept, dt: float = PERIOD, most: int = 10_000) -> list[MotionState]:
    states = []
    while not kept.has_arrived:
        states.append(kept.after(dt))
        assert len(states) < most, f'{kept.state} does not arrive at {kept.goal}'
    return states


def differences(states: Sequence[MotionState], order: int) -> NDArray[np.float64]:
    """Velocity (1), acceleration (2) or jerk (3) of the positions, by finite differences."""
    return np.diff(np.array([s.positions for s in states]), order, axis=0) / PERIOD**order


def assert_smooth(
    arm: ArmDescription, states: Sequence[MotionState], orders: Sequence[int] = (1, 2, 3)
) -> None:
    """No motion limit is exceeded from one state to the next."""
    for order in orders:
        of = MotionLimits._fields[order - 1]
        most = np.array([getattr(m, of) or math.inf for m in arm.motion])
        found = np.abs(differences(states, order))
        assert (found <= most * (1.0 + SLACK) + 1e-9).all(), of


def assert_within(arm: ArmDescription, states: Sequence[MotionState]) -> None:
    assert_smooth(arm, states)
    for state in states:
        assert arm.clamped(state.positions) == state.positions
        for velocity, limits in zip(state.velocities, arm.motion, strict=True):
            assert abs(velocity) <= limits.velocity * (1.0 + 1e-9)


@settings(max_examples=examples(40))
@given(arms(), st.data())
def test_whatever_it_is_aimed_at_in_mid_motion_no_limit_is_exceeded(
    arm: ArmDescription, data: st.DataObject
) -> None:
    """Goals far apart and streams of near ones, ended anywhere, or a stop; it rests at the last."""
    kept = Kept(arm)
    states = [kept.state] * 3
    for _ in range(data.draw(st.integers(1, 5))):
        goal = np.array(draw_goal(data, arm, kept.state.positions))
        if data.draw(st.booleans()):
            kept.to(goal.tolist())
            states += run(kept, data.draw(st.integers(1, 30)))
            continue
        drift = np.array([data.draw(st.floats(-2.0, 2.0)) for _ in goal])
        for step in range(data.draw(st.integers(1, 20))):
            for since in (0.0, PERIOD / 2.0):
                place = goal + (step * PERIOD + since) * drift
                kept.to(arm.clamped(place.tolist()), since)
            states += run(kept, 1)
    if data.draw(st.booleans()):
        kept.stopping()
    goal = kept.goal
    states += [*run_to_goal(kept), *run(kept, 3)]
    assert kept.state == MotionState.at_rest(kept.goal)
    assert kept.state.positions == pytest.approx(goal, abs=1e-6)
    assert_within(arm, states)


@given(arms(smooth=False), st.data())
def test_with_velocity_limits_alone_the_joints_arrive_together(
    arm: ArmDescription, data: st.DataObject
) -> None:
    kept = Kept(arm)
    start = np.array(kept.state.positions)
    goal = np.array(draw_goal(data, arm, kept.state.positions))
    kept.to(goal.tolist())
    states = [kept.state, *run_to_goal(kept)]
    assert_within(arm, states)
    far = np.abs(goal - start) > 1e-6  # the shares of shorter ways are lost in rounding
    for state in states:
        parts = (np.array(state.positions) - start)[far] / (goal - start)[far]
        assert not parts.size or np.ptp(parts) < 1e-9
    least = max(
        abs(w) / m.velocity for w, m in zip((goal - start).tolist(), arm.motion, strict=True)
    )
    assert (len(states) - 2) * PERIOD < least + 1e-9 <= (len(states) - 1) * PERIOD + 2e-9


def optimum(state: MotionState, motion: Sequence[MotionLimits], goal: Sequence[float]) -> float:
    """Ruckig's own time to a goal in s, without the package's code."""
    import ruckig

    problem = ruckig.InputParameter(len(goal))
    problem.current_position, problem.current_velocity = state.positions, state.velocities
    problem.target_position = goal
    problem.max_velocity = [m.velocity for m in motion]
    problem.max_acceleration = [m.acceleration for m in motion]
    problem.max_jerk = [m.jerk or math.inf for m in motion]
    if motion[0].jerk is not None:
        problem.current_acceleration = state.accelerations
    trajectory = ruckig.Trajectory(len(goal))
    ruckig.Ruckig(len(goal)).calculate(problem, trajectory)
    return float(trajectory.duration)


@settings(max_examples=examples(40))
@given(arms(), st.data(), st.integers(1, 40))
def test_it_arrives_as_early_as_ruckig_can(
    arm: ArmDescription, data: st.DataObject, steps: int
) -> None:
    kept = Kept(arm)
    kept.to(draw_goal(data, arm, kept.state.positions))
    run(kept, steps)
    goal = draw_goal(data, arm, kept.state.positions)
    kept.to(goal)
    best = optimum(kept.state, arm.motion, goal)
    assert len(run_to_goal(kept)) * PERIOD <= 1.05 * best + PERIOD


@given(arms(), st.data(), st.integers(1, 40), st.booleans())
def test_smaller_limits_in_mid_motion_are_braked_to(
    arm: ArmDescription, data: st.DataObject, steps: int, goes_to_a_way: bool
) -> None:
    kept = Kept(arm)
    goal = draw_goal(data, arm, kept.state.positions)
    if goes_to_a_way:
        kept.along(Trajectory(tuple(goal)))
    else:
        kept.to(goal)
    states = [kept.state] * 3 + run(kept, steps)
    slower = replace(arm, motion=tuple(m._replace(velocity=m.velocity / 3) for m in arm.motion))
    kept.configure(slower)
    later = run_to_goal(kept)
    # Braking takes no more than the acceleration that there is.
    assert_smooth(arm, [*states, *later], orders=(2, 3))
    for before, after in itertools.pairwise([states[-1], *later]):
        rows = zip(*before[1:], after.velocities, slower.motion, arm.motion, strict=True)
        for v, a, then, new, old in rows:
            ends = v + 0.5 * a * abs(a) / old.jerk if old.jerk else v  # it goes on to there
            assert abs(then) <= max(new.velocity, abs(v), abs(ends)) + 1e-9


@given(arms(), st.data())
def test_a_pose_outside_is_walked_back_in_and_never_further_out(
    arm: ArmDescription, data: st.DataObject
) -> None:
    """Three degrees, as on a real SO-101."""
    kept = Kept(arm)
    outside = [
        data.draw(st.floats(-0.05, 0.05)) + (upper if upper < math.inf else 0.0)
        for _, upper in arm.limits
    ]
    kept.reset(outside)
    assert kept.has_arrived
    kept.to(draw_goal(data, arm, arm.clamped(outside)))
    states = [MotionState.at_rest(outside)] * 3 + run_to_goal(kept)
    for i, (_, upper) in enumerate(arm.limits):
        assert max(s.positions[i] for s in states) <= max(upper, outside[i]) + 1e-9
    assert_smooth(arm, states)
    assert arm.clamped(kept.state.positions) == kept.state.positions


LIMITS = {
    'velocity': MotionLimits(2.0),
    'acceleration': MotionLimits(2.0, 8.0),
    'jerk': MotionLimits(2.0, 20.0, 400.0),
}


@pytest.mark.parametrize('limits', LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize('rate', [30.0, 60.0, 100.0])
def test_a_dragged_handle_is_followed_without_a_stop(limits: MotionLimits, rate: float) -> None:
    """At half the speed limit, all joints swing; their goals come at any phase of the ticks."""
    arm = arm_of([limits] * 2, [None, None])
    kept, sent = Kept(arm), 0
    swing, period = 0.5, math.pi  # so that swing * 2 pi / period is half of 2 rad/s
    late = []
    for tick in range(300):
        now = tick * PERIOD
        while (time := sent / rate) < now + PERIOD:
            angle = swing * math.sin(2.0 * math.pi * time / period)
            kept.to((angle, -angle), max(time - now, 0.0))
            sent += 1
        state = kept.after(PERIOD)
        if now > 0.5:
            there = 2.0 * math.pi * (now + PERIOD) / period
            late.append(state.positions[0] - swing * math.sin(there))
            if abs(math.cos(there)) > 0.5:  # elsewhere it turns round
                assert state.velocities[0] / math.cos(there) > 0.5
    assert max(map(abs, late)) < 0.05  # rad: of the reach of 0.6 m no more than 3 %


def limits_of(*each: Sequence[float | None]) -> st.SearchStrategy[list[MotionLimits]]:
    return st.lists(st.builds(MotionLimits, *map(st.sampled_from, each)), min_size=1, max_size=3)


ALLOWED = [
    [None, 2.0, *(10.0**i for i in range(10) if 10.0**i <= most)]
    for most in LARGEST_MOTION.values()
]
HOSTILE = [[None, 5e-324, 1e-300, 1e-9, 1e-3, 1.0, 1e3, 1e9, 1e300, 1.7e308]] * 3


@given(limits_of(*ALLOWED) | limits_of(*HOSTILE), st.data())
@pytest.mark.filterwarnings('error')
def test_any_limits_give_finite_numbers_inside_the_position_limits(
    motion: list[MotionLimits], data: st.DataObject
) -> None:
    """As large as a parameter may be, they let the arm arrive."""
    arm = arm_of(motion, [(-1.0, 2.0)] * len(motion))
    kept, steps = Kept(arm), st.sampled_from([1e-4, 0.02, 100.0])
    for _ in range(3):
        kept.to(draw_goal(data, arm, kept.state.positions), data.draw(st.sampled_from([None, 0.0])))
        for state in run(kept, data.draw(st.integers(0, 4)), data.draw(steps)):
            assert state.is_finite
            assert arm.clamped(state.positions) == state.positions
        if data.draw(st.booleans()):
            kept.stopping()
    if all((q or 1.0) in known for m in motion for q, known in zip(m, ALLOWED, strict=True)):
        run_to_goal(kept, most=1000)


SPEED = 1.5  # rad/s
CHAIN = Chain.from_lengths([0.3, 0.25])


@settings(max_examples=examples(10))
@given(
    joints=st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)),
    acceleration=st.none() | st.floats(1.0, 20.0),
    period=st.floats(5e-3, 0.1),
    pace=st.floats(0.1, 1.0),
)
def test_it_stands_at_the_first_pose_before_it_leaves(
    joints: tuple[float, float], acceleration: float | None, period: float, pace: float
) -> None:
    path = solve_path(CHAIN, [(0.4, 0.1), (0.4, 0.11)])
    course = timed(path, [(SPEED, acceleration or np.inf)] * 2, 0.05)
    motion = (MotionLimits(SPEED, acceleration),) * 2
    kept = Kept(ArmDescription(CHAIN, (0.0, 0.0), motion), pace)
    way = Trajectory.of(course)
    kept.reset(joints)
    kept.along(way)
    stood = 0.0
    while not (kept.trajectory_time or 0.0) > 0.0:
        stood += period if kept.after(period) == MotionState.at_rest(way.start) else 0.0
    assert PAUSE - 1e-9 < stood < PAUSE + 2.0 * period
    run_to_goal(kept, period)
    assert kept.state.positions == way.end
    assert kept.trajectory_time == way.duration


@pytest.mark.parametrize('seed', range(50))
def test_a_way_is_left_within_the_limits(seed: int) -> None:
    """Also with jerk limits, which the way does not keep."""
    random, count = Random(seed), 2 + seed % 2
    limits = [(-random.uniform(0.2, 3.0), random.uniform(0.2, 3.0)) for _ in range(count)]
    motion = [
        MotionLimits(random.uniform(0.3, 4.0), random.uniform(1.0, 20.0), jerk)
        for jerk in random.choices([None, 10.0, 30.0, 100.0], (1, 3, 3, 3), k=count)
    ]
    arm, pose = arm_of(motion, limits), [random.uniform(*each) for each in limits]
    path = solve_path(arm.chain, [arm.chain.forward(pose)[-1], (random.random() * 0.3, 0.1)])
    way = Trajectory.of(time_path(path, motion, random.choice([0.05, 10.0])))
    kept = Kept(arm, random.choice([0.3, 1.0]))
    kept.reset(way.start)
    kept.along(way)
    states, leaves = [kept.state], random.uniform(0.0, way.duration)
    while (
        kept.trajectory_time is not None and kept.trajectory_time < leaves and not kept.has_arrived
    ):
        states += run(kept, 1)
    goal = [random.uniform(*each) for each in limits]
    end = random.choice(['stop', 'to', 'at', 'wait', 'along'])
    if end == 'stop':
        kept.stopping()
    elif end == 'to':
        kept.to(goal)
    elif end == 'at':
        kept.at_velocities([random.choice([-1.0, 0.0, 1.0]) * each.velocity for each in motion])
    elif end == 'along':
        kept.along(Trajectory(tuple(goal)))
    states += [kept.after(PERIOD, is_held_back=end == 'wait') for _ in range(100)]
    assert_smooth(arm, states, orders=(1, 2))
    speeds = np.array([state.velocities for state in states])
    pulls = np.abs(np.diff(speeds, axis=0)) / PERIOD
    assert (pulls <= np.array([each.acceleration for each in motion]) * (1.0 + SLACK)).all()
    for state in states:
        assert arm.clamped(state.positions) == pytest.approx(state.positions, abs=1e-9)
    if end in ('to', 'along'):
        assert run_to_goal(kept)[-1:] in ([], [MotionState.at_rest(goal)])
    elif end == 'stop':
        assert kept.has_arrived


@pytest.mark.parametrize('seed', range(25))
def test_blocked_on_a_way_it_comes_to_rest_where_it_says(seed: int) -> None:
    """A wall comes up across the way in mid-motion; the arm may be told to halt then, too."""
    random = Random(seed)
    pull, jerk = random.choice([(None, None), (8.0, None), (8.0, 100.0)])
    motion = (MotionLimits(SPEED, pull, jerk),) * 2
    path = solve_path(CHAIN, [(0.5, 0.1), (0.2, random.uniform(0.1, 0.3))])
    way = Trajectory.of(time_path(path, motion, 10.0))
    arm = ArmDescription(CHAIN, way.start, motion)
    kept, begins = Kept(arm), random.uniform(0.0, 0.6) * way.duration
    kept.along(way)
    while (kept.trajectory_time or 0.0) < begins:
        kept.after(PERIOD)
    here, there = (CHAIN.forward(pose)[-1] for pose in (kept.state.positions, way.end))
    wall = Wall((*(there + 0.2 * (here - there)), 0.0), (*(here - there), 0.0))
    kept.configure(replace(arm, walls=(wall,)))
    while kept.motion.blocked is None:
        kept.after(PERIOD)
    goal = kept.goal
    if random.random() < 0.5:
        kept.stopping()
    run_to_goal(kept)
    assert kept.state.positions == pytest.approx(goal, abs=1e-9)


def test_another_wall_does_not_take_the_stop_that_keeps_off_the_others() -> None:
    for seed in range(20):
        random, rng = Random(seed), np.random.default_rng(seed)
        arm, pose = random_walled(rng, ['limits', 'turntable'], gap=0.1)
        motion = [MotionLimits(random.uniform(0.3, 4.0), random.uniform(1, 20)) for _ in pose]
        far = Wall((0.0, 0.0, -9.0 * arm.size), (0.0, 0.0, 1.0), name='far')
        beside = described(arm, pose, motion)
        both = replace(beside, walls=(*beside.walls, far))
        kept, states = Kept(beside), []
        for tick in range(150):
            if tick % 50 == 0:
                kept.to(random_pose(arm, rng).tolist())
            elif tick % 25 == 0:
                kept.at_velocities(
                    [random.choice([-1.0, 1.0]) * (m.velocity or 0.0) for m in motion]
                )
            kept.configure(both if tick // 2 % 2 else beside)
            states += run(kept, 1)
        poses = np.array([state.positions for state in states])
        assert heights(arm, poses).min() >= -1e-9 * arm.size, seed


@pytest.mark.parametrize('seed', range(30))
def test_an_arm_across_a_wall_is_steered_back_by_joints_that_brake_in_their_own_times(
    seed: int,
) -> None:
    random = Random(seed)
    motion = [
        MotionLimits(random.uniform(0.3, 4), random.uniform(1, 20), random.uniform(10, 300))
        for _ in range(2)
    ]
    floor = Wall((0.0, -0.05, 0.0), (0.0, 1.0, 0.0))
    arm, pose = replace(arm_of(motion, [None, None]), walls=(floor,)), (-0.8, 0.2)
    kept, depth = Kept(arm), arm.kinematics.contact(pose).depth
    kept.reset(pose)
    kept.at_velocities([random.uniform(0.1, 1.0) * each.velocity for each in motion])
    run(kept, 10)
    assert kept.motion.blocked is None
    assert arm.kinematics.contact(kept.state.positions).depth < depth


@given(st.floats(0.1, 4.0), st.floats(0.5, 20.0))
def test_halting_takes_the_way_of_the_textbook(speed: float, acceleration: float) -> None:
    kept = Kept(arm_of([MotionLimits(speed, acceleration)], [None]))
    kept.to([100.0])
    kept.after(10.0)
    begin = kept.state.positions[0]
    kept.stopping()
    assert kept.goal[0] - begin == pytest.approx(speed**2 / (2.0 * acceleration))


@pytest.mark.parametrize('seed', range(30))
def test_a_stop_is_as_fast_and_as_long_as_walls_are_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.uniform([[1.0], [10.0]], [[20.0], [300.0]], (2, 3))  # accelerations, jerks
    limits = tuple(MotionLimits(1.0, rng.choice([a, None]), j) for a, j in rows.T.tolist())
    if rng.random() < 0.5:
        limits = tuple(one._replace(acceleration=2.0, jerk=None) for one in limits)
    states = rng.uniform(-1.0, 1.0, (3, 3)) * [[1.0] * 3, [1.0] * 3, rows[0]]
    begin = MotionState(*map(tuple, states.tolist()))
    plan = Profile.to_velocities(begin, (0.0,) * 3, limits, in_step=False)
    assert plan is not None
    stop, times = plan.as_stop(begin, limits), np.linspace(0.0, plan.duration, 1001)
    q, velocities, pushes = np.moveaxis([plan.at(time) for time in times], 1, 0)
    assert np.array([stop.positions(time) for time in times]) == pytest.approx(q, abs=1e-9)
    assert np.abs(np.diff(q, axis=0)).sum(axis=0) == pytest.approx(stop.travels, abs=1e-4)
    speeds, most = stop.fastest()
    assert (np.abs(velocities).max(axis=0) <= np.array(speeds) * (1.0 + 1e-9) + 1e-9).all()
    assert (np.abs(pushes).max(axis=0) <= np.array(most) * (1.0 + 1e-6) + 1e-9).all()
