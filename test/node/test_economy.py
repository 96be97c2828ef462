"""The node does no more than somebody looks at, and makes nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st

if HAS_ROS:
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.serialization import deserialize_message, serialize_message
    from sensor_msgs.msg import JointState

    from ik2d_ros.kinematics.plane import PlanePoint
    from ik2d_ros.node.arm_node import ArmNode
    from ik2d_ros.node.outcome import Code
    from ik2d_ros.node.pose_message import PoseMessage
    from ik2d_ros.node.report import Report
    from ik2d_ros.node.status_message import StatusMessage
    from ik2d_ros.ros.stamps import Stamp

ARM = """
/**:
  ros__parameters:
    joints: [a, b]
    publish_rate: 0.5  # so that no tick falls into a test unasked
    chain: {a: {length: 0.3}, b: {length: 0.25}}
"""
numbers = st.floats(-1e3, 1e3)


def received(message: Any) -> Any:
    """What a subscriber gets."""
    return deserialize_message(serialize_message(message), type(message))


texts = st.text(st.characters(blacklist_characters='\0', blacklist_categories=['Cs']))


def test_the_bytes_of_a_pose_are_those_of_its_message(ros_packages: None) -> None:
    names = st.lists(texts, max_size=9)
    numbers = st.floats()

    @given(names, st.integers(0, 2**31 * 10**9 - 1), st.data())
    def law(joints: list[str], time: int, data: st.DataObject) -> None:
        message, size = PoseMessage(joints), len(joints)
        poses = st.lists(numbers, min_size=size, max_size=size)
        positions, velocities = data.draw(poses), data.draw(st.one_of(poses, st.just([])))
        sent = message.filled(time, positions, velocities)
        assert isinstance(sent, bytes)
        expected = message.message(time, positions, velocities)
        got = deserialize_message(sent, JointState)
        # Not their ==, for which NaN is unlike itself.
        assert repr(got) == repr(received(expected)) == repr(expected)
        assert got.header.stamp.sec * 10**9 + got.header.stamp.nanosec == time
        assert (list(got.name), repr([*got.position])) == (joints, repr(positions))
        assert repr([*got.velocity]) == repr(velocities)

    law()


def test_the_bytes_of_a_status_are_those_of_its_message(ros_packages: None) -> None:
    times = st.builds(Stamp, st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**32 - 1))
    many = st.floats()
    reports = st.builds(
        Report,
        code=st.sampled_from(Code),
        message=texts,
        point=st.builds(PlanePoint, many, many, many),
        error=many,
        at_goal=st.booleans(),
        solver=texts,
        iterations=st.integers(0, 10**9),
        solve_time=many,
        proven=st.booleans(),
        angle=many,
        angle_error=many,
    )

    @given(texts, texts, reports, times, texts)
    def law(node: str, frame: str, report: Report, stamp: Stamp, text: str) -> None:
        message = StatusMessage(node, frame)
        sent = message.of(report, stamp, text)
        assert isinstance(sent, bytes)
        expected = message.message(report, stamp, text)
        assert deserialize_message(sent, DiagnosticArray) == received(expected) == expected

    law()


class Bench:
    """A node in this process, and a count of the poses and statuses that it fills from then on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.node: Any = ArmNode()
        self.filled = {PoseMessage: 0, StatusMessage: 0}
        self._count(PoseMessage, 'filled', monkeypatch)
        self._count(StatusMessage, 'of', monkeypatch)
        self.prober = rclpy.create_node('prober')
        self.executor = SingleThreadedExecutor()
        for node in (self.node, self.prober):
            self.executor.add_node(node)

    def _count(self, kind: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        original = getattr(kind, name)

        def count(*arguments: Any) -> Any:
            self.filled[kind] += 1
            return original(*arguments)

        monkeypatch.setattr(kind, name, count)

    def send(self, x: float) -> None:
        """Hand a target to the node as the middleware does."""
        message = PointStamped()
        message.point.x, message.point.y = x, 0.2
        self.node._incoming._on_target(serialize_message(message))

    def listen(self, kind: Any, topic: str) -> list[Any]:
        heard: list[Any] = []
        self.prober.create_subscription(kind, topic, heard.append, 10)
        return heard


@pytest.fixture
def bench(ros_environment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    file = tmp_path / 'arm.yaml'
    file.write_text(ARM)
    rclpy.init(args=['--ros-args', '--params-file', str(file)])
    try:
        bench = Bench(monkeypatch)
        yield bench
        bench.executor.shutdown()
        bench.node.destroy_node()
        bench.prober.destroy_node()
    finally:
        rclpy.try_shutdown()


def test_no_pose_is_made_that_nobody_hears(bench: Bench, spin_until: Any) -> None:
    bench.send(0.3)
    bench.node._driver._tick()
    bench.node._incoming._on_query(serialize_message(PointStamped()))
    assert bench.filled[PoseMessage] == 0
    # For the target, as that is kept for those who come later; none for the query.
    assert bench.filled[StatusMessage] == 1
    poses = bench.listen(JointState, 'joint_states')

    def is_heard() -> bool:
        bench.send(0.31)
        return bool(poses)

    spin_until(bench.executor, is_heard, what='a pose')
    assert bench.filled[PoseMessage] >= len(poses)


def test_a_tick_right_after_a_target_says_nothing_new(bench: Bench, spin_until: Any) -> None:
    bench.listen(JointState, 'joint_states')
    publisher = bench.node._driver._outputs._joint_states
    spin_until(bench.executor, publisher.get_subscription_count, what='a subscriber')
    before = bench.filled[PoseMessage]
    bench.send(0.3)
    bench.node._driver._tick()
    assert bench.filled[PoseMessage] == before + 1
    # Without a target, a tick tells the pose again.
    bench.node._driver._answered_at -= 10**10
    bench.node._driver._tick()
    assert bench.filled[PoseMessage] == before + 2
