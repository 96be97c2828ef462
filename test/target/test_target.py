"""The demo targets: their paths, and the real node on the real middleware."""

from __future__ import annotations

import math
import signal
from itertools import pairwise

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st
from node_client import Client

from ik2d_ros.target.demo_path import SHAPES, DemoPath

if HAS_ROS:
    from geometry_msgs.msg import PointStamped
    from visualization_msgs.msg import InteractiveMarkerFeedback

UPRIGHT = (0.5 * math.pi, 0.0, 0.0)
PATH = DemoPath('eight', 2.0, (0.4, 0.0, 0.15), UPRIGHT, 0.2)
LAP = 2000  # samples of one lap


@given(
    path=st.sampled_from(SHAPES),
    laps=st.floats(-1e4, 1e4),
    center=st.tuples(*[st.floats(-10.0, 10.0)] * 3),
    size=st.floats(0.0, 10.0),
)
def test_a_path_is_bounded_by_its_size_and_in_its_plane(path, laps, center, size):
    place = DemoPath(path, 8.0, center, UPRIGHT, size).place_after(laps)
    assert math.dist(place, center) <= size * (1 + 1e-12) + 1e-13
    assert place[1] == pytest.approx(center[1], abs=1e-12)


def test_a_circle_is_round_a_line_straight_and_an_eight_crosses_itself():
    circle, line, eight = (
        [DemoPath(path, center=(0.0,) * 3, size=1.0).place_after(i / LAP) for i in range(LAP)]
        for path in ('circle', 'line', 'eight')
    )
    assert all(math.hypot(*p) == pytest.approx(1.0) for p in circle)
    assert all(y == 0.0 for _, y, _ in line)
    assert sum(math.hypot(*p) < 1e-9 for p in eight) == 2


class Targets(Client):
    """A running node, its messages, and its parameters."""

    def __init__(self, spin_until, process):
        super().__init__(None, spin_until, '/ik2d_target')
        self.process, self.heard = process, []
        self.node.create_subscription(PointStamped, 'goal', self.heard.append, 500)

    def collect(self, count):
        """The next ``count`` messages."""
        self.heard.clear()
        return self.wait(
            lambda: len(self.heard) >= count and self.heard[:count],
            f'{count} targets from {self.process.output}',
        )


@pytest.fixture
def targets(start_process, ros, spin_until):
    """Targets on a path in the x-z plane."""
    given = {**PATH.parameters, 'sise': 0.3}
    process = start_process(
        *('target', '--ros-args', '-r', 'ik2d/target:=goal'),
        *(word for name, value in given.items() for word in ('-p', f'{name}:={value}')),
    )
    found = Targets(spin_until, process)
    yield found
    found.close()


def place(message):
    return message.point.x, message.point.y, message.point.z


def seconds(message):
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def test_targets_lie_on_the_path_at_the_time_of_their_stamp(targets):
    """Whatever the moment of the start: one offset in time explains all of them."""
    messages = targets.collect(60)
    times = [seconds(message) - seconds(messages[0]) for message in messages]
    assert all(later > earlier for earlier, later in pairwise(times))

    def misfit(offset):
        return max(
            math.dist(place(message), PATH.place_after(time / PATH.period + offset))
            for message, time in zip(messages, times, strict=True)
        )

    assert misfit(min((i / LAP for i in range(LAP)), key=misfit)) < PATH.size * math.tau * 1.5 / LAP
    targets.process.wait_for_output("did you mean 'size'?")
    assert targets.process.stop(signal.SIGINT) == 0


def test_the_target_of_another_node_stays_the_last_one_until_the_path_goes_on(targets):
    """A target of its own that is under way at that moment does not stay the last one."""
    others = targets.node.create_publisher(PointStamped, 'goal', 10)
    heard = targets.heard
    targets.wait(lambda: others.get_subscription_count() == 2, 'all to listen')
    for number in range(5):
        last = targets.collect(5)[-1]
        click = PointStamped()
        click.header.frame_id = 'base_link'
        click.header.stamp = targets.node.get_clock().now().to_msg()
        click.point.x = 7.0 + number
        others.publish(click)
        targets.wait(lambda click=click: heard.count(click) == 2, 'the click, said again')
        assert targets.get('paused') == [True]
        assert heard[-1] == click
        heard.clear()
        assert targets.set({'paused': False}).successful
        targets.wait(lambda: heard, 'targets')
        assert math.dist(place(heard[0]), place(last)) < PATH.size  # it goes on where it was


def test_the_handle_ends_the_path(targets):
    hand = targets.node.create_publisher(InteractiveMarkerFeedback, 'ik2d/handle/feedback', 10)
    targets.wait(hand.get_subscription_count, 'the subscription of the handle')
    hand.publish(InteractiveMarkerFeedback(event_type=InteractiveMarkerFeedback.MOUSE_DOWN))
    targets.process.wait_for_output('paused: the handle is in use')
    assert targets.get('paused') == [True]
