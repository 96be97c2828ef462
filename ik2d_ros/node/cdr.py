"""CDR, the form in which all middleware of ROS sends messages: what is written and read here.

Little-endian throughout. To turn a message into its bytes, or back, rclpy makes an object of every
part of it; a node that answers thousands of targets a second does better without.
"""

from __future__ import annotations

import struct
from typing import Any

from rclpy.serialization import deserialize_message

HEAD = b'\0\1\0\0'
"""How messages begin that are little-endian; alignments count from after it."""

count = struct.Struct('<I').pack
_ENDS = tuple(bytes(4 - length % 4) for length in range(4))
"""What ends a string of a length modulo 4: a zero, and more up to a multiple of 4."""


def string(text: str) -> bytes:
    """Return a string's bytes, up to a multiple of 4."""
    data = text.encode()
    length = len(data)
    return count(length + 1) + data + _ENDS[length % 4]


def is_read_as(data: bytes, message: Any) -> bool:
    """Return whether the middleware reads bytes as a message: it might have a form of its own."""
    try:
        return bool(deserialize_message(data, type(message)) == message)
    except Exception:
        return False
