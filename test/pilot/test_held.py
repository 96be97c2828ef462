"""The arm, and joints held beside it: what one is asked does not concern the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from flight import Flight, arm_of
from harness import load_configuration
from public_machines import SHIPPED, file_of

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.control.settings import ControlSettings, Following
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import (
    Home,
    Jog,
    JogJoints,
    Joints,
    NamedPose,
    Path,
    Point,
    Request,
    Stop,
)
from ik2d_ros.planning.settings import Settings

DT = 0.02  # s
TICKS = 400
LIMITS = {'grip': (0.0, 0.8), 'roll': (-3.0, 3.0)}
JOINTS = 'joint1', 'joint2', *LIMITS
POSES = {'rest': {'joint1': 0.1, 'joint2': 1.0}, 'open': {'grip': 0.7}, 'shut': {'grip': 0.1}}

HOME = dict(zip(JOINTS, (0.3, 0.9, 0.3, 0.0), strict=True))

Calls = list[tuple[int, Request]]
"""Requests, and in which tick each comes."""


def new_flight(is_smooth: bool = False, is_measured: bool = False) -> Flight:
    motion = MotionLimits(1.0, 6.0) if is_smooth else MotionLimits(1.0)
    control = ControlSettings(
        use_measured_state=is_measured,
        command_joints=JOINTS,
        holds={'grip': 0.3, 'roll': 0.0},
        hold_limits=LIMITS,
    )
    arm = arm_of((0.3, 0.9), motion)
    true = (0.3, 0.9, 0.3, 0.0) if is_measured else ()
    return Flight(Configuration(arm, Settings(), control, poses=POSES), true, dt=DT)


def of_the_arm(random: Random) -> Request:
    x, y = random.uniform(0.2, 0.4), random.uniform(-0.3, 0.3)
    push = (random.gauss(0, 0.1), random.gauss(0, 0.1), 0.0)
    requests = [
        *(Point((x, y, 0.0)), Home(), NamedPose('rest'), Path(lambda: np.array([(x, y, 0.0)] * 2))),
        *(Joints(('joint2',), (random.uniform(-2, 2),)), Jog(push), Jog(push), Jog(push)),
        *(JogJoints(('joint1',), (random.gauss(0, 1),)), Jog((0.0, 0.0, 0.0))),
    ]
    return random.choice(requests)


def of_the_held(random: Random) -> Request:
    names = random.choice([('grip',), ('roll',), ('roll', 'grip')])
    values = tuple(random.choice([0.0, random.uniform(-1.0, 1.0)]) for _ in names)
    jog = JogJoints(names, values)
    with_arm = JogJoints(('joint1', *names), (random.gauss(0, 1), *values))
    targets = [Joints(names, values), NamedPose('open'), NamedPose('shut')]
    return random.choice([*targets, jog, jog, jog, with_arm])


def calls_of(random: Random, kind: object) -> Calls:
    """Some requests at random ticks; jogs come again and again for a while."""
    calls: Calls = []
    for _ in range(random.randint(1, 6)):
        tick, request = random.randrange(TICKS // 2), kind(random)  # type: ignore[operator]
        is_jog = isinstance(request, Jog | JogJoints)
        span = random.randint(1, 60) if is_jog else 1
        calls += [(each, request) for each in range(tick, tick + span, random.choice([1, 1, 3]))]
    return calls


def flown(flight: Flight, calls: Calls) -> np.ndarray:
    """Return the commanded positions, and whether the arm is at its goal, or on its way."""
    poses, supervisor = [], flight.pilot.supervisor
    for tick in range(TICKS):
        for when, request in calls:
            if when == tick:
                flight.ask(request)
        flight.pass_time(DT)
        poses.append((*supervisor.commanded, supervisor.is_at_goal, supervisor.is_under_way))
    return np.array(poses)


def part_of(request: Request, names: Sequence[str]) -> Request | None:
    """Return what a request asks of some joints."""
    if not isinstance(request, Joints | JogJoints):
        own = POSES[request.name] if isinstance(request, NamedPose) else ('joint1',)
        return request if {*own} <= {*names} else None
    values = request.positions if isinstance(request, Joints) else request.velocities
    part = {name: v for name, v in zip(request.names, values, strict=True) if name in names}
    return type(request)((*part,), (*part.values(),)) if part else None


@pytest.mark.parametrize('seed', range(25))
def test_arm_and_held_joints_move_as_if_the_others_were_asked_nothing(seed: int) -> None:
    random = Random(seed)
    is_smooth = has_ruckig() and random.random() < 0.4
    calls = [*calls_of(random, of_the_arm), *calls_of(random, of_the_held)]
    calls.sort(key=lambda call: call[0])
    poses = flown(new_flight(is_smooth), calls)
    for names in (['joint1', 'joint2'], ['grip'], ['roll']):
        parts = [(tick, part) for tick, each in calls if (part := part_of(each, names))]
        columns = [JOINTS.index(name) for name in names]
        columns += [-2, -1] if 'joint1' in names else []
        assert (poses == flown(new_flight(is_smooth), parts))[:, columns].all(), names
    held_poses = poses[:, 2:4]
    steps = np.abs(np.diff(held_poses, axis=0, prepend=[(0.3, 0.0)]))
    assert steps.max() <= 0.5 * DT * (1 + 1e-9)
    for (lower, upper), positions in zip(LIMITS.values(), held_poses.T, strict=True):
        assert lower <= positions.min() <= positions.max() <= upper


@pytest.mark.parametrize('is_measured', [False, True])
@pytest.mark.parametrize('ends', [(Stop(),), (Home(),), (Stop(), Home())])
def test_what_ends_a_jog_ends_it_until_its_messages_pause(
    ends: Sequence[Request], is_measured: bool
) -> None:
    """A stop ends everything, home what the arm does."""
    flight, grip = new_flight(is_measured=is_measured), JogJoints(('grip',), (0.2,))
    supervisor, count = flight.pilot.supervisor, 4 if Stop() in ends else 2

    def jog(ticks: int) -> tuple[float, ...]:
        for _ in range(ticks):
            flight.ask(Jog((-0.05, 0.0, 0.0)))
            flight.pass_time(DT, grip)
        return supervisor.commanded

    flight.pass_time(1.0)  # until it is measured
    flight.ask(Joints(('roll',), (2.0,)))
    jog(20)
    for end in ends:
        flight.ask(end)
    flight.pass_time(DT)
    stands = *supervisor.arm_motion.goal, *supervisor.commanded[2:]
    assert jog(100)[:count] == stands[:count]
    flight.pass_time(0.3)
    x, _, gripped, rolled = jog(15)
    assert abs(x - stands[0]) > 0.01
    assert gripped > stands[2] + 0.03
    assert (rolled == stands[3]) == (count == 4)


@pytest.mark.parametrize('seed', range(20))
def test_where_its_jog_ends_a_joint_is_held_whatever_comes_next(seed: int) -> None:
    """It goes on while messages come, and for the 0.2 s that one counts, if nothing stops it."""
    random = Random(seed)
    flight, speed = new_flight(is_measured=random.random() < 0.5), random.uniform(-0.3, 0.3)
    flight.pass_time(1.0)  # until it is measured
    count = random.randint(1, 100)
    flight.told.clear()
    flight.pass_time(count * DT, JogJoints(('roll',), (speed,)))
    assert len(flight.told) == pytest.approx(10.0 * DT * count, abs=3)  # ten a second
    led = speed * DT * count
    assert flight.pilot.supervisor.auxiliary_positions['roll'] == pytest.approx(
        (led, led), abs=2 * DT * abs(speed)
    )
    if random.random() < 0.5:
        flight.ask(Stop())
    else:
        flight.pass_time(random.uniform(0.0, 0.2))
        led += 0.2 * speed
    first = random.choice([of_the_arm(random), Joints(('grip',), (0.6,)), None])
    for following in (first, of_the_arm(random)):
        flight.pass_time(random.choice([0.02, 2.0]), following)
        flight.pass_time(2.0)
        there, goal = flight.pilot.supervisor.auxiliary_positions['roll']
        assert goal == there == pytest.approx(led, abs=2 * DT * abs(speed))


@pytest.mark.parametrize(
    'changed', [{'hold_limits': {'roll': (-2.0, 0.5)}}, {'following': Following(hold_velocity=0.4)}]
)
@pytest.mark.parametrize('is_measured', [False, True])
def test_a_jogged_joint_goes_on_at_its_velocity_within_new_limits(
    changed: dict[str, Any], is_measured: bool
) -> None:
    flight, jog = new_flight(is_measured=is_measured), JogJoints(('roll',), (0.3,))
    flight.pass_time(1.0, jog)
    held, control = flight.pilot.supervisor.auxiliary_positions, flight.pilot.configuration.control
    configuration = replace(flight.pilot.configuration, control=replace(control, **changed))
    flight.pilot.configure(configuration, frozenset(), flight.now)
    flight.pass_time(0.1)  # without another message
    moved = flight.pilot.supervisor.auxiliary_positions['roll'][0] - held['roll'][0]
    assert moved == pytest.approx(0.1 * 0.3)
    flight.pass_time(2.0, jog)
    most = {**LIMITS, **control.hold_limits, **changed.get('hold_limits', {})}['roll'][1]
    assert flight.pilot.supervisor.commanded[3] <= most


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_the_poses_of_a_machine_are_reached_and_its_gripper_moves_alone(
    name: str, node: str
) -> None:
    configuration = load_configuration(file_of(name), node_name=node)
    assert ('open' in configuration.poses) == (name in ('al5d', 'roarm_m2', 'so100', 'so101'))
    flight = Flight(configuration, dt=DT)
    for pose, positions in configuration.poses.items():
        flight.ask(NamedPose(pose))
        before = flight.pilot.supervisor.planning_start
        flight.land()
        supervisor = flight.pilot.supervisor
        there = dict(zip(supervisor.names, supervisor.commanded, strict=True))
        assert positions == {joint: pytest.approx(there[joint]) for joint in positions}
        assert not supervisor.is_commanding
        if pose in ('open', 'closed'):
            assert supervisor.planning_start == before
            assert all(
                q in configuration.control.hold_limits[joint] for joint, q in positions.items()
            )
        else:
            assert flight.told[-1].report.code == 'REACHED'


@pytest.mark.parametrize('seed', range(20))
def test_beyond_its_limits_a_held_joint_goes_to_the_nearest_or_nothing_moves(seed: int) -> None:
    random = Random(seed)
    flight, holds = new_flight(is_measured=random.random() < 0.5), random.random() < 0.5
    settings = Settings(unreachable='hold' if holds else 'closest')
    flight.pilot.configure(
        replace(flight.pilot.configuration, settings=settings), frozenset(), flight.now
    )
    flight.pass_time(1.0)  # until it is measured
    asked = {}
    for name in random.sample([*LIMITS], random.randint(1, 2)):
        beyond = random.choice([-1.0, 1.0]) * random.uniform(1e-3, 3.0)
        asked[name] = LIMITS[name][beyond > 0.0] + beyond
    with_arm = {'joint2': 0.5} if random.random() < 0.5 else {}
    flight.ask(Joints((*with_arm, *asked), (*with_arm.values(), *asked.values())))
    flight.land()
    there = dict(zip(JOINTS, flight.pilot.supervisor.commanded, strict=True))
    report = flight.told[-1].report
    if holds:
        assert report.code == 'INVALID_TARGET'
        assert there == HOME
        assert f"'{next(iter(asked))}'" in report.message
    else:
        assert report.code == ('REACHED' if with_arm else 'READY')
        ends = {name: LIMITS[name][q > 0.0] for name, q in asked.items()}
        assert there == pytest.approx(HOME | with_arm | ends)


@pytest.mark.parametrize('asked', [(0.6, math.nan), (math.nan, 0.6, math.nan)])
def test_a_joint_held_nowhere_else_goes_where_it_was_measured_first(
    asked: tuple[float, ...],
) -> None:
    flight = new_flight(is_measured=True)
    flight.pass_time(1.0, Joints(('joint1', 'grip'), (0.1, 0.5)))
    for position in asked:
        pilot = flight.pilot
        control = replace(pilot.configuration.control, holds={'grip': position, 'roll': 0.0})
        pilot.configure(replace(pilot.configuration, control=control), frozenset(), flight.now)
        flight.pass_time(2.0)
        there = 0.3 if math.isnan(position) else position
        assert pilot.supervisor.auxiliary_positions['grip'] == pytest.approx((there,) * 2, abs=1e-6)
