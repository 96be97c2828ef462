"""Move the arm of a running node: a status for each target, and the arm at rest after the last.

Before, in a terminal of its own (without a ROS installation: `pip install ".[ros]"` in the clone):
    ik2d_node --ros-args --params-file config/two_bone.yaml
"""

import rclpy

from ik2d_ros.client import ArmClient

rclpy.init()
arm = ArmClient(rclpy.create_node('go_to'))
for target in ((0.3, 0.2), (0.5, 0.4), (0.4, -0.1)):
    print(target, 'can be reached' if arm.can_reach(*target) else 'is out of reach')
    print(arm.go_to(*target))
print(arm.move_joints({'elbow': 0.4}))
print(arm.home())
rclpy.shutdown()
