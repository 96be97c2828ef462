"""What the node uses of tf2_ros, for where that is not installed; for use by its tests only.

Transforms come as geometry_msgs/TransformStamped, for tf2_msgs is not installed then either, and
lead from one frame to its parent, not along chains.
"""

from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time


class LookupException(Exception):  # noqa: N818
    pass


class ExtrapolationException(Exception):  # noqa: N818
    pass


class Buffer:
    def __init__(self):
        self.fixed, self.moving = {}, {}

    def clear(self):
        self.moving.clear()

    def lookup_transform(self, target_frame, source_frame, time):
        frames = target_frame, source_frame
        if frames in self.fixed:
            return self.fixed[frames]
        known = self.moving.get(frames)
        if not known:
            raise LookupException(f'"{source_frame}" passed to lookupTransform does not exist. ')
        latest = max(known)
        if time.nanoseconds > latest:
            raise ExtrapolationException('Lookup would require extrapolation into the future.')
        return known[min(known, key=lambda stamp: abs(stamp - (time.nanoseconds or latest)))]


class TransformListener:
    def __init__(self, buffer, node):
        self.buffer = buffer
        kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(TransformStamped, '/tf', self.hear, 100)
        node.create_subscription(TransformStamped, '/tf_static', self.hear_fixed, kept)

    def hear(self, message):
        frames = message.header.frame_id, message.child_frame_id
        stamp = Time.from_msg(message.header.stamp).nanoseconds
        self.buffer.moving.setdefault(frames, {})[stamp] = message

    def hear_fixed(self, message):
        self.buffer.fixed[message.header.frame_id, message.child_frame_id] = message
