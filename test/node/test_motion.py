"""The node moves the arm within its motion limits and in its clock's time, over the middleware."""

from __future__ import annotations

import itertools
import math
import os
import re
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import DEFAULT_TIMEOUT, HAS_ROS, ROOT, asking
from refusals import TWO, yaml_of

from ik2d_ros.kinematics import Chain, solve
from ik2d_ros.motion import smooth

if HAS_ROS:
    import rclpy
    from builtin_interfaces.msg import Time as TimeMessage
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState

CHAIN = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6), (-2.6, 2.6)])
SPEED, RATE = 1.0, 50.0
STEP = SPEED / RATE  # rad, the longest between two poses
NEAR, FAR = (0.3, 0.2), (0.1, -0.4)

needs_ruckig = pytest.mark.skipif(not smooth.is_available(), reason='ruckig is not installed')


def limited(velocity: float = SPEED, **more: float) -> dict[str, object]:
    limits = {'max_velocity': velocity, **more}
    joints = ('shoulder', 'elbow')
    return {
        **TWO,
        'publish_rate': RATE,
        **{f'chain.{joint}.{name}': limit for joint in joints for name, limit in limits.items()},
    }


class Arm:
    """Talks to one node; keeps what it says."""

    def __init__(self, node: Any, spin_until: Callable[..., Any]) -> None:
        self.node, self._spin_until = node, spin_until
        self.states: list[JointState] = []
        self.statuses: list[DiagnosticArray] = []
        self._stamps = itertools.count(1)
        kept = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(JointState, 'joint_states', self.states.append, 1000)
        node.create_subscription(DiagnosticArray, 'ik2d/status', self.statuses.append, kept)
        self._targets = node.create_publisher(PointStamped, 'ik2d/target', 10)
        self._clock = node.create_publisher(Clock, '/clock', 10)
        self._client = node.create_client(SetParametersAtomically, 'ik2d/set_parameters_atomically')

    def wait(self, predicate: Callable[[], Any], what: str) -> Any:
        return self._spin_until(self.node, predicate, what=what)

    def spin(self, seconds: float = 0.005) -> None:
        rclpy.spin_once(self.node, timeout_sec=seconds)

    def connect(self) -> None:
        self.wait(self._targets.get_subscription_count, 'the subscription of targets')
        self.wait(lambda: self.statuses, 'a status')

    def send(self, x: float, y: float, stamp: int | None = None) -> int:
        """Send a target, and return the seconds of its stamp, by which its status is known."""
        message = PointStamped()
        message.header.stamp.sec = next(self._stamps) if stamp is None else stamp
        message.point.x, message.point.y = x, y
        self._targets.publish(message)
        return message.header.stamp.sec

    def told(self, stamp: int) -> list[dict[str, str]]:
        """What was said of a target, repetitions left out."""
        said = []
        for message in self.statuses:
            if message.header.stamp.sec == stamp:
                (status,) = message.status
                entry = {pair.key: pair.value for pair in status.values}
                entry['message'] = status.message
                if entry not in said:
                    said.append(entry)
        return said

    def go(self, x: float, y: float) -> int:
        """Send a target, and wait until something is said of it."""
        stamp = self.send(x, y)
        self.wait(lambda: self.told(stamp), 'a status of the target')
        return stamp

    def wait_for_arrival(self, stamp: int) -> None:
        self.wait(lambda: self.told(stamp)[-1]['at_goal'] == 'true', 'the arrival')

    def wait_for_motion(self) -> None:
        """Wait until a pose after those received so far differs from the one before."""
        seen = len(self.states)
        self.wait(lambda: self.has_moved(self.states[seen:]), 'motion')

    def has_moved(self, states: Sequence[JointState]) -> bool:
        return any(a.position != b.position for a, b in itertools.pairwise(states))

    def set(self, changes: Mapping[str, object]) -> Any:
        self.wait(self._client.service_is_ready, 'the parameter service')
        request = SetParametersAtomically.Request(
            parameters=[Parameter(name, value=v).to_parameter_msg() for name, v in changes.items()]
        )
        answer = self.wait(asking(self._client, request), 'the answer to a change of parameters')
        return answer.result

    def show(self, nanoseconds: int) -> None:
        """Show a time on /clock."""
        seconds, rest = divmod(nanoseconds, 10**9)
        self._clock.publish(Clock(clock=TimeMessage(sec=seconds, nanosec=rest)))

    def steps(self) -> float:
        """The longest way in rad of any joint from one pose to the next."""
        poses = np.array([state.position for state in self.states])
        return float(np.abs(np.diff(poses, axis=0)).max(initial=0.0))

    def tip(self) -> tuple[float, float]:
        x, y = CHAIN.forward(self.states[-1].position)[-1]
        return float(x), float(y)


@pytest.fixture
def start(
    ros_node: Any, start_process: Any, spin_until: Any, tmp_path: Path
) -> Callable[..., tuple[Any, Arm]]:
    """``start(parameters) -> (process, arm)``."""

    def start_node(parameters: Mapping[str, object]) -> tuple[Any, Arm]:
        file = tmp_path / 'arm.yaml'
        file.write_text(yaml_of(parameters))
        arm = Arm(ros_node, spin_until)
        process = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
        arm.connect()
        if not parameters.get('use_sim_time'):
            arm.wait(lambda: arm.states, 'a pose')
        return process, arm

    return start_node


MOTIONS = {
    'velocity': limited(),
    'acceleration': limited(max_acceleration=4.0),
    'jerk': limited(max_acceleration=8.0, max_jerk=80.0),
}


@needs_ruckig
@pytest.mark.parametrize('motion', MOTIONS)
def test_it_is_on_the_way_until_it_is_there(start: Any, motion: str) -> None:
    """Also to a new target in mid-motion; each arrival is told of once."""
    _, arm = start(MOTIONS[motion])
    first = arm.go(*FAR)
    arm.wait_for_motion()
    second = arm.go(*NEAR)
    arm.wait_for_arrival(second)
    on_the_way, *_, there = arm.told(second)
    assert (on_the_way['code'], on_the_way['at_goal']) == ('REACHED', 'false')
    assert re.match(r'Moving: .* to go\. The target is reached', on_the_way['message'])
    assert (there['code'], there['at_goal']) == ('REACHED', 'true')
    assert 'Moving' not in there['message']
    assert {told['at_goal'] for told in arm.told(first)} == {'false'}
    assert arm.steps() <= STEP * 1.01
    # On a busy machine poses from before the arrival may still be on their way.
    arm.wait(lambda: math.dist(arm.tip(), NEAR) <= 1e-6, 'the pose at the goal')
    assert list(arm.states[-1].velocity) == [0.0, 0.0]
    assert max(abs(v) for state in arm.states for v in state.velocity) > 0.5 * SPEED
    # Where it stands already, it is at once.
    again = arm.go(*NEAR)
    assert [told['at_goal'] for told in arm.told(again)] == ['true']


@needs_ruckig
def test_a_target_that_is_sent_again_and_again_leads_where_it_led_first(start: Any) -> None:
    """A redundant arm too, which has other poses for it from everywhere on its way."""
    more = {'joints': ['shoulder', 'elbow', 'wrist'], 'chain.wrist.length': 0.1}
    limits = {'chain.wrist.max_velocity': SPEED, 'chain.wrist.max_acceleration': 4.0}
    _, arm = start({**limited(max_acceleration=4.0), **more, **limits})
    first = arm.go(*FAR)
    arm.wait_for_arrival(first)
    arm.wait(lambda: not any(arm.states[-1].velocity), 'a standing arm')
    stood = list(arm.states[-1].position)
    sent: list[int] = []

    def is_there() -> bool:
        sent.append(arm.send(*NEAR))
        last = {pair.key: pair.value for pair in arm.statuses[-1].status[0].values}
        return bool(sent) and last['at_goal'] == 'true' and last['x'] == repr(NEAR[0])

    arm.wait(is_there, 'the arrival')
    arm.wait(lambda: not any(arm.states[-1].velocity), 'a standing arm')
    chain = Chain.from_lengths([0.3, 0.25, 0.1], limits=[(-2.6, 2.6), (-2.6, 2.6), None])
    alone = solve(chain, NEAR, start=stood)
    assert list(arm.states[-1].position) == pytest.approx(alone.q.tolist(), abs=1e-6)


def test_out_of_reach_it_is_on_the_way_to_the_closest_pose_or_brakes(start: Any) -> None:
    _, arm = start(limited())
    stamp = arm.go(0.2, 0.9)
    arm.wait_for_motion()
    assert arm.told(stamp)[0]['message'].startswith('Moving: ')
    assert arm.set({'unreachable': 'hold'}).successful
    arm.wait(lambda: arm.told(stamp)[-1]['message'].endswith('The arm holds.'), 'holding')
    arm.wait(lambda: not any(arm.states[-1].velocity), 'a standing arm')
    stands = arm.states[-1].position
    refused = arm.go(math.nan, 0.0)
    seen = len(arm.states)
    arm.wait(lambda: len(arm.states) > seen + 5, 'poses')
    assert arm.states[-1].position == stands
    assert arm.told(refused)[-1]['at_goal'] == 'false'
    assert arm.set({'unreachable': 'closest'}).successful
    arm.wait(lambda: arm.told(stamp)[-1]['message'].endswith('The arm goes there.'), 'the arrival')
    assert arm.told(stamp)[-1]['at_goal'] == 'true'
    assert arm.steps() <= STEP * 1.01


@needs_ruckig
def test_limits_change_in_mid_motion(start: Any) -> None:
    _, arm = start(limited(max_acceleration=4.0))
    stamp = arm.go(*FAR)
    arm.wait(lambda: max(map(abs, arm.states[-1].velocity)) > 0.5, 'speed')
    assert arm.set(
        {f'chain.{joint}.max_velocity': 0.1 for joint in ('shoulder', 'elbow')}
    ).successful
    arm.wait(lambda: 0.0 < max(map(abs, arm.states[-1].velocity)) <= 0.1 + 1e-9, 'the new limit')
    assert arm.steps() <= STEP * 1.01
    # Without limits the arm is there at once.
    taken = ('max_velocity', 'max_acceleration')
    assert arm.set(
        {f'chain.{j}.{t}': None for j in ('shoulder', 'elbow') for t in taken}
    ).successful
    arm.wait_for_arrival(stamp)
    seen = len(arm.states)
    arm.wait(lambda: len(arm.states) > seen + 1, 'poses')
    assert math.dist(arm.tip(), FAR) <= 1e-6
    assert list(arm.states[-1].velocity) == []


def test_what_needs_ruckig_says_so(
    ros_node: Any, start_process: Any, spin_until: Any, tmp_path: Path
) -> None:
    """At the start-up and at run time; velocity limits do not."""
    file = tmp_path / 'arm.yaml'
    arguments = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    hidden = f'{os.environ.get("IK2D_WITHOUT", "")} ruckig'
    path = os.pathsep.join(filter(None, [str(ROOT / 'test/without'), os.environ.get('PYTHONPATH')]))
    environment = {'IK2D_WITHOUT': hidden, 'PYTHONPATH': path}
    file.write_text(yaml_of(limited(max_acceleration=4.0)))
    process = start_process(*arguments, env=environment)
    assert process.wait() == 1
    words = ["'chain.shoulder.max_acceleration' is 4.0", 'needs the Python package ruckig', 'pip']
    assert [word for word in words if word not in process.stderr] == []
    assert 'Traceback' not in process.output
    file.write_text(yaml_of(limited()))
    start_process(*arguments, env=environment)
    arm = Arm(ros_node, spin_until)
    arm.connect()
    result = arm.set({'chain.elbow.max_jerk': 9.0})
    assert not result.successful
    assert "'chain.elbow.max_jerk' is 9.0, which needs the Python package ruckig" in result.reason
    arm.wait_for_arrival(arm.go(*NEAR))


@needs_ruckig
def test_it_ends_in_mid_motion_without_a_word(start: Any) -> None:
    process, arm = start(limited(max_acceleration=4.0, max_jerk=40.0))
    arm.go(*FAR)
    arm.wait_for_motion()
    before = process.stderr
    assert process.stop(signal.SIGINT) == 0
    assert process.stderr == before


# Time

MILLISECOND = 10**6
DAY = 86_400 * 10**9  # ns: where simulated time begins


class Simulation:
    """A clock that runs in strides, and the poses that come of each."""

    def __init__(self, arm: Arm) -> None:
        self.arm, self.now = arm, DAY

    def run(self, stride: int, predicate: Callable[[], Any], what: str) -> None:
        """Let it run until a condition holds; each stride (ns) has time to be seen."""
        deadline = time.monotonic() + DEFAULT_TIMEOUT
        while not predicate():
            assert time.monotonic() < deadline, f'no sign of {what}'
            self.now += stride
            self.arm.show(self.now)
            seen, patience = len(self.arm.states), time.monotonic() + 0.2
            while len(self.arm.states) == seen and time.monotonic() < patience:
                self.arm.spin()

    def rest(self) -> None:
        """Let time stand still until nothing has changed for a while."""
        deadline = time.monotonic() + DEFAULT_TIMEOUT
        stood, since = self.arm.states[-1].position, time.monotonic()
        while time.monotonic() < since + 0.5:
            assert time.monotonic() < deadline, 'the arm never stands'
            self.arm.show(self.now)
            self.arm.spin(0.02)
            if self.arm.states[-1].position != stood:
                stood, since = self.arm.states[-1].position, time.monotonic()


def seconds_of(state: JointState) -> float:
    return state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec


def progress(states: Sequence[JointState]) -> list[float]:
    """How far the first joint still has to go at each pose, in rad."""
    goal = solve(CHAIN, FAR, start=(0.4, 0.8)).q[0]
    return [abs(goal - state.position[0]) for state in states]


def test_time_that_stands_runs_or_jumps_moves_the_arm_as_it_passes(start: Any) -> None:
    _, arm = start({**limited(), 'use_sim_time': True})
    clock = Simulation(arm)
    clock.run(20 * MILLISECOND, lambda: arm.states, 'poses')
    stamp = arm.go(*FAR)
    start_of_motion = len(arm.states)
    clock.run(20 * MILLISECOND, lambda: arm.has_moved(arm.states[start_of_motion:]), 'motion')
    # It stands still: so does the arm, and afterwards it does not make up for it.
    clock.rest()
    assert arm.told(stamp)[-1]['at_goal'] == 'false'
    assert progress(arm.states)[-1] > 0.1
    seen = len(arm.states)
    clock.run(20 * MILLISECOND, lambda: len(arm.states) > seen + 3, 'poses')
    # It jumps, forwards and back: the arm goes on as if it had not.
    for jump in (1000, -2000):
        clock.now += jump * 10**9
        seen = len(arm.states)
        clock.run(20 * MILLISECOND, lambda seen=seen: len(arm.states) > seen + 3, 'poses')
    assert arm.steps() <= 2.0 * STEP * 1.01
    # It strides: the arm moves as far as time goes.
    seen = len(arm.states)
    clock.run(100 * MILLISECOND, lambda: arm.told(stamp)[-1]['at_goal'] == 'true', 'arrival')
    for before, after in itertools.pairwise(arm.states[seen:]):
        elapsed = seconds_of(after) - seconds_of(before)
        longest = max(abs(a - b) for a, b in zip(after.position, before.position, strict=True))
        assert longest <= SPEED * elapsed * 1.01 + 1e-9
    assert arm.steps() > 4.0 * STEP
    left = progress(arm.states[start_of_motion:])
    assert left == sorted(left, reverse=True)
    assert math.dist(arm.tip(), FAR) <= 1e-6


def test_stamps_are_judged_by_simulated_time(start: Any) -> None:
    _, arm = start({**limited(), 'use_sim_time': True, 'target_timeout': 5.0})
    clock = Simulation(arm)
    clock.run(20 * MILLISECOND, lambda: arm.states, 'poses')
    now = clock.now // 10**9
    for offset, code in ((-9, 'STALE_TARGET'), (1, 'REACHED'), (9, 'STALE_TARGET')):
        stamp = arm.send(*NEAR, stamp=now + offset)
        arm.wait(lambda stamp=stamp: arm.told(stamp), 'a status')
        assert arm.told(stamp)[-1]['code'] == code
    # What was in the future once is not any more.
    clock.now += 9 * 10**9
    seen = len(arm.states)
    clock.run(20 * MILLISECOND, lambda: len(arm.states) > seen, 'poses')
    arm.statuses.clear()
    arm.send(*NEAR, stamp=now + 9)
    arm.wait(lambda: arm.told(now + 9), 'a status')
    assert arm.told(now + 9)[0]['code'] == 'REACHED'
