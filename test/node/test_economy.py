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
    from builtin_interfaces.msg import Time
    from geometry_msgs.msg import PointStamped
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.serialization import deserialize_message, serialize_message
    from sensor_msgs.msg import JointState

    from ik2d_ros.node.arm_node import ArmNode
    from ik2d_ros.node.outcome import Code
    from ik2d_ros.node.report import Report
    from ik2d_ros.node.reused import PoseMessage, StatusMessage

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


def test_one_message_serves_for_all_poses(ros_packages: None) -> None:
    message = PoseMessage(['a', 'b'])
    poses = st.tuples(numbers, numbers)

    @given(st.integers(0, 2**31 * 10**9 - 1), poses, st.one_of(poses, st.just(())))
    def law(time: int, positions: tuple[float, ...], velocities: tuple[float, ...]) -> None:
        filled = message.filled(time, positions, velocities)
        assert filled is message.filled(time, positions, velocities)
        got = received(filled)
        assert got.header.stamp.sec * 10**9 + got.header.stamp.nanosec == time
        assert (list(got.name), tuple(got.position)) == (['a', 'b'], positions)
        assert tuple(got.velocity) == velocities

    law()


def test_one_message_serves_for_all_reports(ros_packages: None) -> None:
    message = StatusMessage('/ns/ik2d', 'base')
    reports = st.builds(
        Report, code=st.sampled_from(Code), message=st.text('abc'), error=numbers, solver=st.text()
    )

    @given(reports, st.text('abc'), st.integers(-(2**31), 2**31 - 1))
    def law(report: Report, text: str, second: int) -> None:
        filled = message.filled(report, Time(sec=second), text)
        assert filled is message.filled(report, Time(sec=second), text)
        got = received(filled)
        (status,) = got.status
        assert (got.header.frame_id, got.header.stamp.sec) == ('base', second)
        assert (status.name, status.hardware_id) == ('ns/ik2d: reachability', '/ns/ik2d')
        assert (status.level, status.message) == (bytes([report.code.level]), text)
        said = [(pair.key, pair.value.replace('\0', '')) for pair in status.values]
        assert said == [(key, value.replace('\0', '')) for key, value in report.values()]

    law()


class Bench:
    """A node in this process, and a count of the poses and statuses that it fills."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.filled = {PoseMessage: 0, StatusMessage: 0}
        for kind in self.filled:
            self._count(kind, monkeypatch)
        self.node: Any = ArmNode()
        self.prober = rclpy.create_node('prober')
        self.executor = SingleThreadedExecutor()
        for node in (self.node, self.prober):
            self.executor.add_node(node)

    def _count(self, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        original = kind.filled

        def count(*arguments: Any) -> Any:
            self.filled[kind] += 1
            return original(*arguments)

        monkeypatch.setattr(kind, 'filled', count)

    def send(self, x: float) -> None:
        """Hand a target to the node as the middleware does."""
        message = PointStamped()
        message.point.x, message.point.y = x, 0.2
        self.node._on_target(message)

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
    bench.node._on_query(PointStamped())
    assert bench.filled[PoseMessage] == 0
    # At the start and for the target: these are kept for those who come later. None for the query.
    assert bench.filled[StatusMessage] == 2
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
