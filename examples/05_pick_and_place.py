"""Pick a brick up from above and put it down elsewhere: each step prints its status.

The simulated SO-101 rolls its wrist, so that the jaws come along the sides of a brick at any angle.

Before, each in a terminal of its own (`pip install '.[ros,motion,sim]'`):
    SO101=config/machines/so101.yaml
    ik2d_sim --ros-args --params-file $SO101
    ik2d_node --controller arm_controller --ros-args --params-file $SO101 \
        -p use_measured_state:=true -p publish_joint_states:=false \
        -r measured_joint_states:=joint_states
"""

import math
import sys

import rclpy

from ik2d_ros.client import ArmClient, Outcome
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.orientation import Orientation, solve_oriented
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import load_arm

PICK, PLACE = (0.20, 0.08), (0.20, -0.08)  # x, y in m
TURN = [math.radians(float(each)) for each in sys.argv[1:3] or (30, -60)]  # the brick at both
ABOVE, DOWN = 0.08, 0.03  # z in m
SO101 = load_arm(find_config('so101')).kinematics


def carried_out(step: str, outcome: Outcome) -> None:
    """Print the outcome of a step, and end the program if it failed."""
    print(f'{step}: {outcome}')
    if not outcome:
        sys.exit(1)


def from_above(x: float, y: float, turn: float) -> Solution:
    """Return a pose with the tip down and the jaws along the sides of a brick, either way round."""
    found = []
    for way in (turn, turn + math.pi):
        axes = (0.0, 0.0, -1.0), (math.cos(way), math.sin(way), 0.0)
        found.append(solve_oriented(SO101, (x, y, DOWN), Orientation.of_tip(SO101, *axes)))
    reached = [each for each in found if each.status is Status.REACHED]
    return min(reached or found, key=lambda each: abs(each.q[-1]))


rclpy.init()
arm = ArmClient(rclpy.create_node('pick_and_place'))
carried_out('above', arm.go_to(*PICK, ABOVE))
carried_out('open', arm.go_to_pose('open'))
for place, turn, gripper in ((PICK, TURN[0], 0.2), (PLACE, TURN[1], 1.5)):
    pose = from_above(*place, turn)
    angle, roll = pose.angle, float(pose.q[-1])
    carried_out('above', arm.go_to(*place, ABOVE, angle=angle, roll=roll))
    carried_out('down', arm.go_to(*place, DOWN, angle=angle, roll=roll))
    carried_out('gripper', arm.hold({'gripper': gripper}))
    carried_out('up', arm.follow([(*place, DOWN), (*place, ABOVE)], angle))
carried_out('home', arm.home())
