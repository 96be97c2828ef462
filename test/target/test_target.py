"""The demo targets: the real node on the real middleware."""

from __future__ import annotations

import math
import signal
import time
from itertools import pairwise

import pytest
from harness import CONFIG, HAS_ROS, once
from node_client import Client

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.target.parameters import TargetSettings
from ik2d_ros.target.paths import point_at

if HAS_ROS:
    from geometry_msgs.msg import PointStamped, PoseStamped
    from nav_msgs.msg import Path as PathMessage
    from rclpy.qos import QoSProfile, ReliabilityPolicy

    BEST_EFFORT = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
    RELIABLE = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)

THREE_LINK = CONFIG / 'three_link.yaml'
CENTER, SIZE = TargetSettings.center, TargetSettings.size


class Targets(Client):
    """A running node, its messages, and its parameters."""

    def __init__(self, spin_until, process, topic, kind, qos):
        super().__init__(None, spin_until, '/ik2d_target')
        self.process, self.heard = process, []
        self.node.create_subscription(kind, topic, self.heard.append, qos)

    def collect(self, count, predicate=lambda _message: True):
        """The next ``count`` messages that fulfil the predicate."""
        self.heard.clear()
        return self.wait(
            lambda: (
                len(chosen := [m for m in self.heard if predicate(m)]) >= count and chosen[:count]
            ),
            f'{count} targets from {self.process.output}',
        )

    def change(self, **changes):
        """Set parameters as a whole."""
        return self.set({name.replace('__', '.'): value for name, value in changes.items()})


def arguments(**parameters):
    given = [('-p', f'{name.replace("__", ".")}:={value}') for name, value in parameters.items()]
    return ['-m', 'ik2d_ros.target', '--ros-args', *(part for pair in given for part in pair)]


@pytest.fixture
def target(start_process, ros, spin_until):
    """``target(*ros_arguments, topic, kind, qos, **parameters) -> Targets``."""
    started = []

    def start(*extra, topic='ik2d/target', kind=None, qos=None, **parameters):
        process = start_process(*arguments(**parameters), *extra)
        started.append(
            Targets(spin_until, process, topic, kind or PointStamped, qos or BEST_EFFORT)
        )
        return started[-1]

    yield start
    for each in started:
        each.close()


def xyz(message):
    return message.point.x, message.point.y, message.point.z


def nanoseconds(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def test_targets_lie_on_the_path_at_the_time_of_their_stamp(target):
    """Whatever the moment of the start: one offset in time explains all of them.

    At first in the plane of the arm of a file, x-z, with its shoulder at (0.10, 0, 0.25).
    """
    targets = target(
        *('-r', 'ik2d/target:=goal', '--params-file', THREE_LINK),
        topic='goal',
        center='[0.0, 0.0]',
        frame_id='map',
        sise=0.3,
    )
    for message in targets.collect(5):
        x, y, z = xyz(message)
        assert y == pytest.approx(0.0, abs=1e-12)
        assert math.dist((x, z), (0.10, 0.25)) == pytest.approx(SIZE)
    targets.process.wait_for_output("publishing circle at 20 Hz on /goal in frame 'map'")
    targets.process.wait_for_output("did you mean 'size'?")
    assert 'chain' not in targets.process.output
    level = {'base__xyz': [0.0] * 3, 'base__rpy': [0.0] * 3}
    assert targets.change(period=2, rate=100.0, center=[0.3, -0.1], size=0.2, **level).successful
    for path in ('circle', 'line', 'eight'):
        assert targets.change(path=path, frame_id=path).successful
        messages = targets.collect(60, lambda message, path=path: message.header.frame_id == path)
        stamps = [1e-9 * (nanoseconds(m) - nanoseconds(messages[0])) for m in messages]
        assert all(later > earlier for earlier, later in pairwise(stamps))

        def misfit(offset, path=path, messages=messages, stamps=stamps):
            return max(
                math.dist(xyz(m)[:2], point_at(path, s / 2.0 + offset, (0.3, -0.1), 0.2))
                for m, s in zip(messages, stamps, strict=True)
            )

        best = min(range(2000), key=lambda i: misfit(i / 2000))
        assert misfit(best / 2000) < 0.2 * math.tau * 1.5 / 2000
    assert targets.process.stop(signal.SIGINT) == 0


@once
def test_a_lap_is_sent_as_a_path_when_the_one_before_is_passed(target, start_process):
    node = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', THREE_LINK)
    process = start_process(*node, '-p', 'path_speed:=1.0')
    targets = target(
        topic='ik2d/path', kind=PathMessage, qos=RELIABLE, as_path=True, path='eight', size=0.05
    )
    first, second = targets.collect(2)
    places = [pose.pose.position for pose in first.poses]
    for lap, place in enumerate(places[:: len(places) // 4]):
        assert (place.x, place.y) == pytest.approx(point_at('eight', lap / 4, CENTER, 0.05))
    assert nanoseconds(second) - nanoseconds(first) > 0.2 * 10**9
    assert 'WARN' not in process.output


@once
def test_a_change_while_running_is_followed(target):
    targets = target(rate=0.01)
    assert targets.change(rate=50, path='random', period=0.5, seed=3).successful  # at once
    hops = list(dict.fromkeys(xyz(message)[:2] for message in targets.collect(20)))
    following = (point_at('random', (i + 0.5) / 5, CENTER, SIZE, 3) for i in range(500))
    assert all(hop in following for hop in hops)  # in this order; a slow machine may skip some
    assert targets.change(path='line', size=1, center=[5.0, 6.0], frame_id='map').successful
    messages = targets.collect(5, lambda message: message.header.frame_id == 'map')
    assert all(message.point.y == 6.0 and 4.0 <= message.point.x <= 6.0 for message in messages)
    assert targets.change(base__xyz=[0, 0, 1], base__rpy=[math.pi / 2, 0.0, 0.0]).successful
    message = targets.collect(1, lambda message: message.point.z > 6.0)[0]
    assert xyz(message)[1:] == pytest.approx((0.0, 7.0))

    # A pause stops the targets where they are.
    circle = {'path': 'circle', 'size': 0.2, 'period': 4.0, 'rate': 100.0}
    assert targets.change(**circle, frame_id='').successful
    targets.collect(5, lambda message: message.header.frame_id == '')
    assert targets.change(paused=True).successful
    # In half a second the path would go on by 0.16 m, with some 50 targets.
    begin, paused = time.monotonic(), targets.node.get_clock().now().nanoseconds
    targets.wait(lambda: time.monotonic() > begin + 0.5, 'half a second')
    assert max(map(nanoseconds, targets.heard)) <= paused  # all of them were on their way
    count, last = len(targets.heard), targets.heard[-1]
    assert targets.change(paused=False).successful
    targets.wait(lambda: len(targets.heard) > count, 'targets')
    assert math.dist(xyz(targets.heard[count]), xyz(last)) < 0.03
    assert targets.process.stop() == 0


@once
def test_targets_with_an_angle_are_poses_along_the_path(target):
    """Their x-axis is at the angle in the path's plane, and they come and go with the parameter."""
    rpy = (math.pi / 2.0, 0.0, 0.5)
    path = {'center': '[0.3, 0.1]', 'size': 0.2, 'base__rpy': list(rpy)}
    kind = PoseStamped if HAS_ROS else None
    targets = target(topic='ik2d/target_pose', kind=kind, angle=0.7, **path)
    plane = Plane.from_pose((0.0, 0.0, 0.0), rpy)
    expected = plane.point(math.cos(0.7), math.sin(0.7))
    for message in targets.collect(5):
        point, turn = message.pose.position, message.pose.orientation
        x, y, out = plane.locate((point.x, point.y, point.z))
        assert out == pytest.approx(0.0, abs=1e-12)
        assert math.dist((x, y), (0.3, 0.1)) == pytest.approx(0.2)
        frame = Plane.from_quaternion((0.0, 0.0, 0.0), (turn.x, turn.y, turn.z, turn.w))
        assert frame.axes[0] == pytest.approx(expected)
        assert message.header.stamp.sec > 0
    plain = []
    targets.node.create_subscription(PointStamped, 'ik2d/target', plain.append, BEST_EFFORT)
    assert targets.change(angle=math.nan).successful
    targets.wait(lambda: plain, 'targets without an angle')
    assert targets.change(angle=-1, frame_id='again').successful
    assert targets.collect(2, lambda message: message.header.frame_id == 'again')


@once
def test_the_target_of_another_node_stays_the_last_one(target):
    """A target of its own that is under way at that moment does not stay the last one."""
    targets = target(path='circle', rate=200.0, yields=True, qos=RELIABLE if HAS_ROS else None)
    others = targets.node.create_publisher(PointStamped, 'ik2d/target', 10)
    heard = targets.heard
    targets.wait(lambda: others.get_subscription_count() == 2, 'all to listen')
    for number in range(5):
        targets.collect(5)
        click = PointStamped()
        click.header.frame_id = 'base_link'
        click.header.stamp = targets.node.get_clock().now().to_msg()
        click.point.x = 7.0 + number
        others.publish(click)
        targets.wait(lambda click=click: heard.count(click) == 2, 'the click, said again')
        assert targets.get('paused') == [True]
        assert heard[-1] == click
        assert targets.change(paused=False).successful
