"""Jog the tip along a circle for ten seconds, and let go: the arm brakes by itself.

Before, in a terminal of its own (without a ROS installation: `pip install ".[ros]"` in the clone):
    ik2d_node --ros-args --params-file config/two_bone.yaml
"""

import math
import time

import rclpy
from geometry_msgs.msg import TwistStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy

SPEED, PERIOD = 0.05, 5.0  # m/s, s for a turn

rclpy.init()
node = rclpy.create_node('jog_circle')
quality = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
jogs = node.create_publisher(TwistStamped, 'ik2d/jog', quality)
while not jogs.get_subscription_count():
    rclpy.spin_once(node, timeout_sec=0.1)
began = time.monotonic()
while (passed := time.monotonic() - began) < 2.0 * PERIOD:
    message = TwistStamped()
    message.header.stamp = node.get_clock().now().to_msg()
    message.twist.linear.x = SPEED * math.cos(math.tau * passed / PERIOD)
    message.twist.linear.y = -SPEED * math.sin(math.tau * passed / PERIOD)
    jogs.publish(message)
    time.sleep(0.05)  # the arm needs a message every 0.2 s
print('let go')
rclpy.shutdown()
