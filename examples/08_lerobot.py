"""Move an SO-101 to a point through LeRobot, without ROS: on Linux, macOS and Windows.

The arm goes there slowly along a straight line, or a sentence says why it does not. It needs
LeRobot (0.4.4), and the port and the id of `lerobot-calibrate`. Not yet tested on a real motor:
keep away on the first run. Torque stays on until you press Enter.

python 08_lerobot.py /dev/tty.usbmodem58760431541 my_follower 0.25 0.0 0.15
"""

import argparse
import math
import sys
import time

from ik2d_ros import load_arm
from ik2d_ros.kinematics import Status, solve_path, timed

parser = argparse.ArgumentParser(description='Move an SO-101 to a point through LeRobot.')
parser.add_argument('port', help='the port, as of lerobot-find-port')
parser.add_argument('id', help='the robot.id that lerobot-calibrate was given')
parser.add_argument('target', nargs=3, type=float, help='x, y and z in m, in base_link')
parser.add_argument('--arm', default='so101', help='its parameter file, such as a calibrated one')
given = parser.parse_args()
arm = load_arm(given.arm)

# It takes seconds to import.
from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig  # noqa: E402

LIFT = 'Lift the arm by hand into a half-bent pose inside its limits, and start again.'
FARTHEST = math.radians(2.0)  # from the measured pose to the first one of the motion


def measured() -> list[float]:
    """Return the measured positions in rad."""
    found = robot.get_observation()
    return [math.radians(found[f'{name}.pos']) for name in arm.names]


robot = SO101Follower(SO101FollowerConfig(port=given.port, id=given.id, use_degrees=True))
robot.connect(calibrate=False)  # else an unknown id begins a calibration, which writes to servos
try:
    if not robot.is_calibrated:
        sys.exit(f"The servos do not have LeRobot's calibration of '{given.id}': is the id right?")
    q = measured()
    path = solve_path(arm, [arm.forward(q), given.target], start=q)
    if path.status is not Status.REACHED:
        contact = path.missed.contact
        wall = f" at wall '{contact.wall}'" if contact else ''
        way = f'{path.end:.3f} m of {path.total:.3f} m'
        sys.exit(f'{path.status.name} after {way}{wall}. {LIFT if not path.end else ""}')
    motion = timed(path, [(0.5, 1.0)] * len(q), speed=0.05)  # rad/s, rad/s^2, m/s
    if max(abs(a - b) for a, b in zip(motion.at(0.0)[0], q, strict=True)) > FARTHEST:
        sys.exit(f'The arm is outside its limits: it would jump. {LIFT}')
    begin = time.monotonic()
    while (passed := time.monotonic() - begin) < motion.duration + 0.5:
        positions = motion.at(passed)[0].tolist()
        robot.send_action(
            {f'{name}.pos': math.degrees(q) for name, q in zip(arm.names, positions, strict=True)}
        )
        time.sleep(0.02)
    print(f'{path.status.name}: the tip is measured at {arm.forward(measured()).round(4).tolist()}')
    input('Hold the arm, and press Enter: torque goes off.\n')
finally:
    robot.disconnect()
