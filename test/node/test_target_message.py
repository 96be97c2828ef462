"""The bytes of targets are read as rclpy reads them."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st

if HAS_ROS:
    from geometry_msgs.msg import PointStamped, PoseStamped
    from rclpy.serialization import deserialize_message, serialize_message

    from ik2d_ros.node.target_message import Asked, Reader, _content

pytestmark = pytest.mark.usefixtures('ros_packages')

# Any text that a message can hold.
texts = st.text(st.characters(blacklist_characters='\0', blacklist_categories=['Cs']))
frames = st.one_of(texts, texts.map(lambda text: 1000 * text), st.just('base_link'))
seconds, nanoseconds = st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**32 - 1)


def kinds() -> list[tuple[Any, int]]:
    """The types that are read, and how many numbers each has."""
    return [(PointStamped, 3), (PoseStamped, 7)]


def message_of(kind: Any, frame: str, sec: int, nanosec: int, numbers: list[float]) -> Any:
    message = kind()
    message.header.frame_id = frame
    message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
    point = message.point if kind is PointStamped else message.pose.position
    point.x, point.y, point.z = numbers[:3]
    if kind is PoseStamped:
        turn = message.pose.orientation
        turn.x, turn.y, turn.z, turn.w = numbers[3:]
    return message


def same(one: Asked, other: Asked) -> bool:
    """Whether two are the same to the bit, NaN included."""
    return repr(one) == repr(other)


@given(frames, seconds, nanoseconds, st.lists(st.floats(), min_size=7, max_size=7))
def test_a_target_is_read_as_it_was_sent(
    frame: str, sec: int, nanosec: int, numbers: list[float]
) -> None:
    for kind, count in kinds():
        asked = Reader(kind).read(
            serialize_message(message_of(kind, frame, sec, nanosec, numbers[:count]))
        )
        assert (asked.frame_id, *asked.stamp) == (frame, sec, nanosec)
        assert repr([*asked.point, *(asked.orientation or ())]) == repr(numbers[:count])


def test_what_the_middleware_sends_takes_no_turn_by_rclpy(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = [(kind, count, Reader(kind)) for kind, count in kinds()]

    def refuse(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr('ik2d_ros.node.target_message.deserialize_message', refuse)
    for frame in ('', 'base_link', 'übergroß'):
        for kind, count, reader in readers:
            message = message_of(kind, frame, 1, 2, [0.5] * count)
            assert same(reader.read(serialize_message(message)), _content(message))


def check_against_rclpy(kind: Any, data: bytes, before: bytes) -> None:
    """Check that bytes are read as rclpy reads them, or refused as it refuses them.

    By a reader that has read nothing yet, and by one that has read other bytes before.
    """
    fresh, used = readers = Reader(kind), Reader(kind)
    used.read(before)
    try:
        expected = _content(deserialize_message(data, kind))
    except Exception as error:
        for reader in readers:
            with pytest.raises(type(error)):
                reader.read(data)
    else:
        assert same(fresh.read(data), expected)
        assert same(used.read(data), expected)


def test_bytes_that_end_too_early_are_refused_as_rclpy_does() -> None:
    for kind, count in kinds():
        whole = serialize_message(message_of(kind, 'a frame', 1, 2, [0.25] * count))
        for size in range(len(whole) + 1):
            check_against_rclpy(kind, whole[:size], whole)


@given(st.data())
def test_bytes_of_any_kind_are_read_as_rclpy_reads_them(data: st.DataObject) -> None:
    for kind, count in kinds():
        whole = serialize_message(message_of(kind, 'a frame', 1, 2, [0.25] * count))
        check_against_rclpy(kind, data.draw(mutations(whole)), whole)


def mutations(whole: bytes) -> st.SearchStrategy[bytes]:
    """Bytes like those of a message, and others."""
    lengths = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 64))
    return st.one_of(
        st.binary(max_size=100),
        st.tuples(st.binary(max_size=60), st.integers(0, 60)).map(
            lambda part: whole[: part[1]] + part[0] + whole[part[1] + len(part[0]) :]
        ),
        lengths.map(lambda length: whole[:12] + struct.pack('<I', length) + whole[16:]),
        st.binary(max_size=20).map(lambda rest: whole + rest),
    )


@given(st.lists(st.tuples(frames, st.floats()), min_size=2, max_size=5))
def test_one_message_after_the_other_is_read_whoever_sent_it(sent: list[tuple[str, float]]) -> None:
    for kind, count in kinds():
        reader = Reader(kind)
        for number, (frame, value) in enumerate(sent):
            message = message_of(kind, frame, number, 2, [value] * count)
            assert same(reader.read(serialize_message(message)), _content(message))


def test_big_endian_bytes_are_read_too() -> None:
    data = b'\0\0\0\0' + struct.pack('>iI', 7, 8) + struct.pack('>I2s2x3d', 2, b'a\0', 1, 2, 3)
    asked = Reader(PointStamped).read(data)
    assert (asked.frame_id, *asked.stamp, *asked.point) == ('a', 7, 8, 1.0, 2.0, 3.0)
