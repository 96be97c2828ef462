"""Pick something up at one place and put it down at another, with the simulated SO-101.

Before, each in a terminal of its own (`pip install '.[ros,motion,sim]'`):
    SO101=config/machines/so101.yaml
    ik2d_sim --ros-args --params-file $SO101
    ik2d_node --controller arm_controller --ros-args --params-file $SO101 \
        -p use_measured_state:=true -p publish_joint_states:=false \
        -r measured_joint_states:=joint_states
"""

import sys

import rclpy

from ik2d_ros.client import ArmClient, Outcome

PICK, PLACE = (0.25, 0.10), (0.25, -0.10)  # x, y in m
ABOVE, DOWN = 0.15, 0.05  # z in m


def carried_out(step: str, outcome: Outcome) -> None:
    """Print what came of a step, and end the program if it failed."""
    print(f'{step}: {outcome}')
    if not outcome:
        sys.exit(1)


rclpy.init()
arm = ArmClient(rclpy.create_node('pick_and_place'))
carried_out('above', arm.go_to(*PICK, ABOVE))
carried_out('open', arm.go_to_pose('open'))
for place, gripper in ((PICK, 0.2), (PLACE, 1.5)):
    carried_out('above', arm.go_to(*place, ABOVE))
    carried_out('down', arm.go_to(*place, DOWN))
    carried_out('gripper', arm.hold({'gripper': gripper}))
    carried_out('up', arm.follow([(*place, DOWN), (*place, ABOVE)]))
carried_out('home', arm.home())
