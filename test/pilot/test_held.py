"""The arm and the joints that are held beside it: what one is asked does not concern the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from flight import Flight
from public_machines import SHIPPED, file_of

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive
from ik2d_ros.kinematics import Chain
from ik2d_ros.motion import smooth
from ik2d_ros.pilot.parameters import Configuration, Settings, load_configuration
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

DT = 0.02  # s
TICKS = 400
LIMITS = {'grip': (0.0, 0.8), 'roll': (-3.0, 3.0)}
POSES = {'rest': {'joint1': 0.1, 'joint2': 1.0}, 'open': {'grip': 0.7}, 'shut': {'grip': 0.1}}

Calls = list[tuple[int, Request]]
"""Requests, and in which tick each comes."""


def new_flight(is_smooth: bool = False, is_measured: bool = False) -> Flight:
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
    motion = MotionLimits(1.0, 6.0) if is_smooth else MotionLimits(1.0)
    drive = Drive(
        use_measured_state=is_measured,
        command_joints=('joint1', 'joint2', *LIMITS),
        holds={'grip': 0.3, 'roll': 0.0},
        hold_limits=LIMITS,
    )
    arm = ArmDescription(chain, (0.3, 0.9), (motion,) * 2)
    true = (0.3, 0.9, 0.3, 0.0) if is_measured else ()
    return Flight(Configuration(arm, Settings(), drive, poses=POSES), true, dt=DT)


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
    values = tuple(random.uniform(-1.0, 1.0) for _ in names)
    jogs = [JogJoints(names, values)] * 3
    requests = [Joints(names, values), NamedPose('open'), NamedPose('shut'), *jogs]
    return random.choice([*requests, JogJoints(names, (0.0,) * len(names))])


def calls_of(random: Random, kind: object) -> Calls:
    """Some requests at random ticks; jogs come again and again for a while."""
    calls: Calls = []
    for _ in range(random.randint(1, 6)):
        tick, request = random.randrange(TICKS // 2), kind(random)  # type: ignore[operator]
        is_jog = isinstance(request, Jog | JogJoints)
        span = random.randint(1, 60) if is_jog else 1
        calls += [(each, request) for each in range(tick, tick + span, random.choice([1, 1, 3]))]
    return calls


def flown(flight: Flight, calls: Calls) -> tuple[list[Sequence[float]], list[Sequence[float]]]:
    """Return the poses of the arm, and those of the held joints, tick by tick."""
    held = []
    for tick in range(TICKS):
        for when, request in calls:
            if when == tick:
                flight.ask(request)
        flight.pass_time(DT)
        held.append(flight.pilot.supervisor.commanded[2:])
    return flight.poses, held


@pytest.mark.parametrize('seed', range(25))
def test_the_arm_and_held_joints_move_as_if_the_other_was_asked_nothing(seed: int) -> None:
    random = Random(seed)
    is_smooth = smooth.is_available() and random.random() < 0.4
    arm, held = calls_of(random, of_the_arm), calls_of(random, of_the_held)
    both = sorted([*arm, *held], key=lambda call: call[0])
    poses, held_poses = flown(new_flight(is_smooth), both)
    assert poses == flown(new_flight(is_smooth), arm)[0]
    assert held_poses == flown(new_flight(is_smooth), held)[1]
    steps = np.abs(np.diff([(0.3, 0.0), *held_poses], axis=0))
    assert steps.max(initial=0.0) <= 0.5 * DT * (1 + 1e-9)
    for name, positions in zip(LIMITS, zip(*held_poses, strict=True), strict=True):
        assert LIMITS[name][0] <= min(positions) <= max(positions) <= LIMITS[name][1]


def test_each_held_joint_goes_on_by_itself() -> None:
    flight = new_flight()
    flight.ask(Joints(('roll',), (1.0,)))
    for _ in range(50):
        flight.pass_time(DT, JogJoints(('grip',), (0.1,)))
    assert flight.pilot.supervisor.commanded[2:] == pytest.approx((0.4, 0.5))
    flight.pass_time(2.0)
    assert flight.pilot.supervisor.commanded[2:] == pytest.approx((0.4, 1.0), abs=0.03)


@pytest.mark.parametrize('is_measured', [False, True])
def test_a_stop_ends_both_until_messages_pause(is_measured: bool) -> None:
    flight, grip = new_flight(is_measured=is_measured), JogJoints(('grip',), (0.2,))
    tip = Jog((-0.05, 0.0, 0.0))
    for _ in range(20):
        flight.ask(tip)
        flight.pass_time(DT, grip)
    flight.ask(Stop())
    flight.pass_time(DT)
    stands = flight.pilot.supervisor.commanded
    for _ in range(20):
        flight.ask(tip)
        flight.pass_time(DT, grip)
    assert flight.pilot.supervisor.commanded == stands
    flight.pass_time(0.3)
    flight.pass_time(0.3, grip)
    assert flight.pilot.supervisor.commanded[:2] == stands[:2]
    assert flight.pilot.supervisor.commanded[2] > stands[2] + 0.03


def test_while_a_gripper_is_jogged_ten_statuses_come_a_second() -> None:
    flight = new_flight()
    flight.pass_time(1.0)
    flight.told.clear()
    flight.pass_time(2.0, JogJoints(('grip',), (0.1,)))
    assert 15 <= len(flight.told) <= 24
    assert flight.told[-1].held['grip'][0] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_the_poses_of_a_machine_are_reached_and_its_gripper_moves_alone(
    name: str, node: str
) -> None:
    configuration = load_configuration(file_of(name), node_name=node)
    assert ('open' in configuration.poses) == (name in ('al5d', 'roarm_m2', 'so100', 'so101'))
    flight = Flight(configuration, dt=DT)
    for pose, positions in configuration.poses.items():
        flight.ask(NamedPose(pose))
        before = flight.pilot.supervisor.start()
        flight.pass_time(12.0)
        supervisor = flight.pilot.supervisor
        there = dict(zip(supervisor.names, supervisor.commanded, strict=True))
        assert positions == {joint: pytest.approx(there[joint]) for joint in positions}
        assert not supervisor.is_commanding
        if pose in ('open', 'closed'):
            assert supervisor.start() == before
            assert all(
                q in configuration.drive.hold_limits[joint] for joint, q in positions.items()
            )
        else:
            assert flight.told[-1].report.code == 'REACHED'


@pytest.mark.parametrize(
    ('unreachable', 'code'), [('closest', 'READY'), ('hold', 'INVALID_TARGET')]
)
def test_beyond_its_limits_a_gripper_goes_to_the_nearest_or_is_refused(
    unreachable: str, code: str
) -> None:
    flight = new_flight()
    settings = Settings(unreachable=unreachable)
    flight.pilot.configure(
        replace(flight.pilot.configuration, settings=settings), frozenset(), flight.now
    )
    flight.ask(Joints(('grip',), (2.0,)))
    flight.pass_time(3.0)
    assert flight.told[-1].report.code == code
    assert flight.pilot.supervisor.commanded[2] == (0.8 if unreachable == 'closest' else 0.3)
