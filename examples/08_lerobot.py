"""Move an SO-101 to a point through LeRobot, without ROS: on Linux, macOS and Windows.

The arm goes there slowly along a straight line, or a sentence says why it cannot. It needs
`pip install "lerobot[feetech]"` (0.4.4) and a calibrated follower. No motor was tried: keep away on
the first run. At the end torque goes off: hold the arm.

python3 08_lerobot.py /dev/tty.usbmodem58760431541 0.25 0.0 0.15
"""

import math
import sys
import time

from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig

from ik2d_ros import load_arm
from ik2d_ros.kinematics import Status, solve_path, timed

port, *target = sys.argv[1], *map(float, sys.argv[2:5])  # m, in base_link
arm = load_arm('so101')
robot = SO101Follower(SO101FollowerConfig(port=port, id='follower', use_degrees=True))
robot.connect()
try:
    measured = robot.get_observation()
    q = [math.radians(measured[f'{name}.pos']) for name in arm.names]
    tip = arm.forward(q)
    path = solve_path(arm, [tip, target], start=q)
    if path.status is not Status.REACHED:
        sys.exit(f'{path.status.name} after {path.end:.3f} m of {path.total:.3f} m')
    motion = timed(path, [(0.5, 1.0)] * len(q), speed=0.05)  # rad/s, rad/s^2, m/s
    begin = time.monotonic()
    while (passed := time.monotonic() - begin) < motion.duration + 0.5:
        positions = motion.at(passed)[0].tolist()
        robot.send_action(
            {f'{name}.pos': math.degrees(q) for name, q in zip(arm.names, positions, strict=True)}
        )
        time.sleep(0.02)
    print(f'{path.status.name}: the tip is at {arm.forward(positions).round(4).tolist()}')
finally:
    robot.disconnect()
