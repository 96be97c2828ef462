"""Telling ROS why a node could not start: in its log file, and on ``/rosout``."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from functools import partial

import rclpy
from builtin_interfaces.msg import Time
from rcl_interfaces.msg import Log
from rclpy.duration import Duration
from rclpy.exceptions import ParameterException
from rclpy.logging import LoggingSeverity, get_logger
from rclpy.node import Node
from rclpy.utilities import try_shutdown

from ik2d_ros.ros import qos
from ik2d_ros.ros.startup_errors import without_parameters

# So often it is looked whether anybody listens: less often while no other node is known. Looks are
# counted, not time, so that a busy machine, which is slower to discover others, gets more of it.
LOOKS, LOOKS_ALONE = 40, 15
TIME_BETWEEN_LOOKS = 0.01  # s
ACKNOWLEDGEMENT_TIME = 1.0  # s, at most, if somebody is there


def record(program: str, reason: str) -> None:
    """Tell why a node could not start; the terminal gets its own message.

    Args:
        program: name of the program.
        reason: why it could not start.
    """
    _write(program, reason)
    # What fails here must not hide the reason: a signal may shut ROS down meanwhile.
    with contextlib.suppress(Exception):
        _publish(program.removesuffix('_node'), reason)


def record_uninitialised(program: str, reason: str, arguments: Sequence[str]) -> None:
    """Tell the same where ROS could not be initialised because of its parameters.

    Args:
        program: name of the program.
        reason: why it could not start.
        arguments: the command line; the node's name and its namespace may be there.
    """
    with contextlib.suppress(Exception):
        rclpy.init(args=without_parameters(arguments))
        try:
            record(program, reason)
        finally:
            try_shutdown()


def _write(program: str, reason: str) -> None:
    """Write to ROS's log file."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {number: os.dup(number) for number in (1, 2)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        # ROS writes every message to both file and terminal.
        for number in kept:
            os.dup2(nowhere, number)
        # Not the logger of a node, which would also publish it.
        get_logger(f'{program}.start').fatal(reason)
    finally:
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)


def _publish(name: str, reason: str) -> None:
    """Publish on ``/rosout``, and wait until it is heard if anybody listens.

    A node's own logger cannot be waited for, and the node that failed may be there in part only.
    """
    node = _node(name)
    try:
        publisher = node.create_publisher(Log, '/rosout', qos.LATEST_KEPT)
        own = node.get_name(), node.get_namespace()
        looks = 0
        while not publisher.get_subscription_count():
            looks += 1
            is_alone = {*node.get_node_names_and_namespaces()} <= {own}
            if looks > (LOOKS_ALONE if is_alone else LOOKS):
                return
            time.sleep(TIME_BETWEEN_LOOKS)
        seconds, nanoseconds = divmod(time.time_ns(), 10**9)
        message = Log(
            stamp=Time(sec=seconds, nanosec=nanoseconds),
            level=int(LoggingSeverity.FATAL),
            name=node.get_logger().name,
            msg=reason,
        )
        publisher.publish(message)
        publisher.wait_for_all_acked(Duration(seconds=ACKNOWLEDGEMENT_TIME))
    finally:
        node.destroy_node()


def _node(name: str) -> Node:
    """Return a node that does nothing, with the name that the command line gives it."""
    build = partial(Node, name, enable_rosout=False, start_parameter_services=False)
    try:
        return build()
    except ParameterException:  # use_sim_time is what was refused
        return build(use_global_arguments=False)
