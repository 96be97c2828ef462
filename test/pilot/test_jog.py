"""Jogging in virtual time: the tip goes as it is told, inside all limits, and stops by itself."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from flight import Flight, arm_of

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Turntable
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.pilot.clock import Stamp
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Jog, JogJoints, Joints, Path, Point
from ik2d_ros.planning.settings import Settings

DT = 0.02  # s
TIMEOUT = 0.2  # s


def jogged(arm: ArmDescription, tip_angle: float = math.nan) -> Flight:
    """A world with an arm that nobody measures."""
    return Flight(Configuration(arm, Settings(tip_angle=tip_angle)), dt=DT)


def still(
    count: int, motion: MotionLimits, limit: float = 2.6, is_carried: bool = False
) -> ArmDescription:
    """An arm with so many links, all along its first axis; a turntable may carry it."""
    turntable = Turntable((0.0, 0.0, 0.0), (0, 1, 0), -3.0, 3.0)
    more = {'turntable': turntable} if is_carried else {}
    home = (0.0,) * (count + is_carried)
    return arm_of(home, motion, [0.3, 0.25, 0.1][:count], limit, **more)


SMOOTH = MotionLimits(2.0, 8.0 if has_ruckig() else None)


@pytest.mark.parametrize('seed', range(30))
def test_whatever_comes_between_two_ticks_the_last_status_is_about_the_last_message(
    seed: int,
) -> None:
    random = Random(seed)
    flight = jogged(still(2, MotionLimits(2.0)))
    flight.go((0.5, 1.0))
    asked = {
        'READY': Jog((0.0, 0.0, 0.0), frame_id=random.choice(['', 'key_teleop', 'hand'])),
        'REACHED': Jog((-0.05, 0.05, 0.0)),
        'INVALID_TARGET': Jog((math.nan, 0.0, 0.0)),
        'target': Point((0.3, 0.2, 0.0)),
        'abroad': Point((0.3, 0.2, 0.0), frame_id='abroad'),
    }
    refused = ['INVALID_TARGET']
    for _ in range(20):
        flight.told.clear()
        codes = ['REACHED', *random.choices(['READY', 'REACHED'], k=random.choice([1, 2, 5]))]
        again = ['target', 'READY', 'abroad', 'REACHED']
        codes += random.choice([[], refused, [*refused, 'target', *refused], again])
        for code in codes:
            flight.ask(asked[code])
            flight.pass_time(random.choice([0.0, 0.0, DT]))
        flight.pass_time(DT)
        last = 'REACHED' if 'target' in codes else codes[-1]  # no refused jog ends a target
        assert flight.codes[-1:] == [last]
        *_, valid = (code for code in codes if code not in refused)
        assert flight.poses[-1] == flight.poses[-2] or valid != 'READY'  # a zero ends the jog
        flight.pass_time(2.0 * TIMEOUT)


@pytest.mark.parametrize('seed', range(12))
def test_zeros_and_refused_jogs_leave_targets_alone(seed: int) -> None:
    """Whatever streams them, in whatever frame; a refusal is told once, and the target again."""
    random = Random(seed)
    stream, code = random.choice(
        [
            (Jog((0.0, 0.0, 0.0), frame_id='key_teleop'), ''),
            (JogJoints(('joint1',), (0.0,)), ''),
            (Jog((0.1, 0.0, 0.0), frame_id='key_teleop'), 'UNKNOWN_FRAME'),
            (Jog((0.1, math.nan, 0.0)), 'INVALID_TARGET'),
            (JogJoints(('joint3',), (0.1,)), 'INVALID_TARGET'),
        ]
    )
    way = np.array([(0.3, 0.3, 0.0), (0.2, 0.3, 0.0)])
    target = random.choice([Point((0.3, 0.2, 0.0)), Joints(('joint2',), (0.4,)), Path(lambda: way)])
    begins, period, flights = random.uniform(0.0, 1.0), random.choice([1, 3, 9]), []
    for is_streamed in (False, True):
        flight = jogged(still(2, MotionLimits(0.5)))
        flight.go((0.5, 1.0))
        flight.told.clear()
        flight.ask(target)
        for tick in range(400):
            if is_streamed and tick * DT >= begins and tick % period == 0:
                flight.ask(stream)
            flight.pass_time(DT)
        flights.append(flight)
    alone, beside = flights
    assert beside.poses == alone.poses
    assert beside.codes.count(code) == bool(code)
    assert all(told.report.commanding for told in beside.told if told.report.moving)
    statuses = [
        [told.report._replace(solve_time=0.0) for told in flight.told if told.report.code != code]
        for flight in flights
    ]
    assert repr(statuses[1][-1]) == repr(statuses[0][-1])
    assert len(statuses[1]) == len(statuses[0]) + bool(code)


@pytest.mark.parametrize('seed', range(12))
def test_at_a_constant_twist_the_tip_goes_straight_and_evenly(seed: int) -> None:
    """Ripple of its speed below 2 %, 0.2 mm beside the line, in the middle of the reach."""
    random = Random(seed)
    space = random.random() < 0.5
    arm = still(2, SMOOTH, is_carried=space)
    flight = jogged(arm)
    flight.go((*([0.3] * space), random.uniform(-0.5, 0.5), random.choice([-1.4, 1.4])))
    way = np.array([random.gauss(0, 1), random.gauss(0, 1), random.gauss(0, 1) * space])
    way *= random.uniform(0.02, 0.1) / np.linalg.norm(way)
    begin = flight.tip
    flight.frames['hand'] = frame = Plane.from_pose((0.1, 0.2, 0.3), (0.4, 1.0, random.random()))
    flight.pass_time(60 * DT, Jog(frame.direction(way.tolist()), frame_id='hand'))
    tips = arm.kinematics.forward(flight.poses[-60:])
    speeds = np.linalg.norm(np.diff(tips, axis=0), axis=1)[10:] / DT
    assert np.ptp(speeds) <= 0.02 * speeds.mean()
    assert speeds.mean() == pytest.approx(np.linalg.norm(way), rel=0.01)
    off = tips - begin
    aside = off - np.outer(off @ way, way) / (way @ way)
    assert np.linalg.norm(aside, axis=1).max() <= 2e-4


@pytest.mark.parametrize('motion', [MotionLimits(2.0), SMOOTH])
def test_without_messages_it_stops_by_itself(motion: MotionLimits) -> None:
    """Late ones do not count."""
    flight = jogged(still(2, motion))
    flight.go((0.5, 1.0))
    flight.pass_time(0.5, Jog((-0.1, 0.1, 0.0)))
    old = Jog((-0.1, 0.1, 0.0), stamp=Stamp.at(flight.now.clock))
    for _ in range(50):
        flight.pass_time(DT, old)
        is_late = flight.clock - old.stamp.time > 1e9 * (2.0 * TIMEOUT + 2.0 / 8.0 + 2 * DT)
        assert flight.pilot.supervisor.is_at_rest or not is_late
    flight.pass_time(0.5)
    assert not flight.pilot.supervisor.has_goal
    assert not flight.pilot.supervisor.is_commanding


@pytest.mark.parametrize('seed', range(20))
def test_out_of_a_stretched_or_folded_pose_the_tip_comes_when_it_is_told_to(seed: int) -> None:
    random = Random(seed)
    count, motion = random.choice([2, 3]), random.choice([MotionLimits(2.0), SMOOTH])
    flight = jogged(still(count, motion, math.pi))
    bends = random.choice([[0.0, 0.0], [math.pi, 0.0], [-math.pi, math.pi], [0.0, math.pi]])
    flight.go((random.uniform(-3.0, 3.0), *bends[: count - 1]))
    begin = flight.tip
    radius = float(np.linalg.norm(begin))
    inwards = 1.0 if radius > 0.3 else -1.0
    aside = random.uniform(-1.0, 1.0)
    radial = begin / -radius * inwards
    way = math.cos(aside) * radial + math.sin(aside) * np.array([-radial[1], radial[0], 0.0])
    flight.pass_time(60 * DT, Jog(tuple(0.1 * way)))
    assert (flight.tip - begin) @ way > 0.04 or flight.codes[-1] == 'JOINT_LIMIT'


@pytest.mark.parametrize('seed', range(20))
def test_the_tip_angle_turns_where_asked_and_else_stays_where_it_is_set(seed: int) -> None:
    random = Random(seed)
    space, turns = random.random() < 0.5, random.random() < 0.5
    arm = still(3, random.choice([MotionLimits(2.0), SMOOTH]), is_carried=space)

    def angle(pose: tuple[float, ...]) -> float:
        return arm.chain.tip_angle(arm.in_plane(pose))

    pose = (*([0.3] * space), random.uniform(-0.5, 0.5), 1.2, -0.4)
    flight = jogged(arm, tip_angle=math.nan if turns else angle(pose))
    flight.go(pose)
    place, rate = flight.tip, random.choice([-0.3, 0.3]) * turns
    normal = np.array(arm.plane_at(pose).axes[2])
    way = np.array([-0.03, 0.02, 0.02 * space]) * (not turns)
    flight.pass_time(50 * DT, Jog(tuple(way), tuple(rate * normal)))
    turned = math.remainder(angle(flight.poses[-1]) - angle(pose), math.tau)
    assert turned == pytest.approx(rate, abs=0.05 * turns + 1e-3)
    assert flight.tip == pytest.approx(place + way, abs=2e-3)


@pytest.mark.parametrize('seed', range(4))
def test_at_a_limit_that_no_near_pose_leads_past_it_slides_and_says_so(seed: int) -> None:
    side, aside = Random(seed).choice([-1.0, 1.0]), Random(seed).uniform(0.5, 1.0)
    flight = jogged(arm_of((0.0, 0.0), MotionLimits(2.0), [0.3, 0.25], limit=0.9))
    flight.go((0.9 * side, -0.72 * side))
    begin, way = flight.tip, 0.1 * np.array([-aside, side, 0.0])
    flight.pass_time(0.5, Jog(tuple(way)))
    assert 0.3 < (flight.tip - begin) @ way / (way @ way) < 0.499
    assert flight.codes[-1] == 'JOINT_LIMIT'


@pytest.mark.parametrize('angle', [0.0, math.pi / 3, -math.pi / 4])
def test_along_the_edge_of_the_reach_it_slides_and_comes_back(angle: float) -> None:
    arm = still(2, MotionLimits(2.0))
    flight = jogged(arm)
    flight.go((angle, 0.2))
    out = np.array([math.cos(angle), math.sin(angle), 0.0])
    along = np.array([-out[1], out[0], 0.0])
    flight.pass_time(100 * DT, Jog(tuple(0.1 * (out + along))))
    assert np.linalg.norm(flight.tip) == pytest.approx(0.55, abs=1e-4)
    assert math.atan2(flight.tip[1], flight.tip[0]) > angle + 0.2  # the part along it stays
    for _ in range(60):
        flight.ask(Jog(tuple(-0.1 * flight.tip)))
        flight.pass_time(DT)
    assert np.linalg.norm(flight.tip) < 0.53  # nothing has wound up


def test_a_joint_target_leaves_the_other_joints_where_they_are_going() -> None:
    flight = jogged(still(2, MotionLimits(2.0)))
    flight.go((0.3, 1.0))
    flight.ask(Joints(('joint1',), (1.5,)))
    flight.pass_time(0.2)
    flight.ask(Joints(('joint2',), (-5.0,)))  # beyond its limit: the nearest
    flight.land()
    assert flight.poses[-1] == (1.5, -2.6)
    assert flight.codes[-1] == 'JOINT_LIMIT'
