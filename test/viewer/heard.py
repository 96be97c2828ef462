"""The messages of nodes, for tests of the page."""

from __future__ import annotations

import math
import threading

from space import tip


class Heard:
    """Everything published in a namespace, received by a thread of its own."""

    def __init__(self, namespace=''):
        import rclpy
        from geometry_msgs.msg import PointStamped
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.qos import QoSProfile, ReliabilityPolicy
        from sensor_msgs.msg import JointState

        reliable = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
        self.targets, self.poses = [], []
        self.node = rclpy.create_node('prober')
        self.node.create_subscription(
            PointStamped, f'{namespace}/ik2d/target', self.targets.append, reliable
        )
        self.node.create_subscription(
            JointState, f'{namespace}/joint_states', self.poses.append, reliable
        )
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.is_over = False
        self.thread.start()

    def spin(self):
        while not self.is_over:
            self.executor.spin_once(timeout_sec=0.05)

    def is_told(self, *place):
        """Whether the last target is at (x, y) or (x, y, z), in m."""
        if not self.targets:
            return False
        point = self.targets[-1].point
        return math.dist((point.x, point.y, point.z)[: len(place)], place) <= 1e-6

    def end(self):
        self.is_over = True
        self.thread.join()
        self.node.destroy_node()

    def tip(self, arm):
        """(x, y) of this arm's tip; nan, which is close to nothing, before its first pose."""
        positions = self.positions(arm)
        if positions is None:
            return math.nan, math.nan
        return arm.kinematics.plane.locate(tip(arm.kinematics, positions))[:2]

    def positions(self, arm):
        """The last (m,) positions of all of this arm's joints; None before the first."""
        last = self.poses[-1] if self.poses else None
        return tuple(last.position) if last and tuple(last.name) == arm.names else None
