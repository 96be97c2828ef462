"""A client that comes to the nodes of a soak, looks, asks, sends targets, and goes.

Subscribes and publishes with another mix of QoS each time. Ends by itself, or is ended.
"""

from __future__ import annotations

import contextlib
import random
import sys
import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseStamped
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

PAUSE = 0.1  # s between messages
ARMS = ('plane', 'turntable', 'left', 'right')


def profile(rng: random.Random) -> QoSProfile:
    """Return a QoS profile; not all of them fit."""
    return QoSProfile(
        depth=rng.choice((1, 10, 100)),
        reliability=rng.choice((ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)),
        durability=rng.choice((DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL)),
    )


def main() -> None:
    """Visit; arguments: a number, and how long in s."""
    number, seconds = int(sys.argv[1]), float(sys.argv[2])
    rng = random.Random(number)
    rclpy.init(args=[])
    node = rclpy.create_node(f'visitor_{number}')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    for arm in ARMS:
        for kind, topic in (
            (JointState, 'joint_states'),
            (DiagnosticArray, 'ik2d/status'),
            (MarkerArray, 'ik2d/markers'),
        ):
            node.create_subscription(kind, f'/{arm}/{topic}', lambda _: None, profile(rng))
    # Only to the node that answers all targets of all clients.
    targets = [
        (kind, node.create_publisher(kind, f'/plane/ik2d/{topic}', profile(rng)))
        for kind, topic in (
            (PointStamped, 'target'),
            (PoseStamped, 'target_pose'),
            (PointStamped, 'query'),
        )
    ]
    clients = [
        (kind.Request(), node.create_client(kind, f'/{rng.choice(ARMS)}/ik2d/{service}'))
        for kind, service in (
            (GetParameters, 'get_parameters'),
            (DescribeParameters, 'describe_parameters'),
            (ListParameters, 'list_parameters'),
        )
    ]
    for request, _ in clients[:2]:
        request.names = ['solver', 'publish_rate']
    end = time.monotonic() + seconds
    due = time.monotonic()
    while (now := time.monotonic()) < end:
        if now < due:
            executor.spin_once(timeout_sec=due - now)
            continue
        due = now + PAUSE
        kind, publisher = rng.choice(targets)
        message = kind()
        place = message.point if kind is PointStamped else message.pose.position
        place.x, place.z = rng.uniform(-0.7, 0.9), rng.uniform(-0.5, 1.0)
        publisher.publish(message)
        request, client = rng.choice(clients)
        if client.service_is_ready():
            client.call_async(request)
    rclpy.try_shutdown()


if __name__ == '__main__':
    with contextlib.suppress(ExternalShutdownException, KeyboardInterrupt):
        main()
