"""Entry point of ``ik2d_teleop``: the arm by keyboard or gamepad."""

from __future__ import annotations

import sys

from ik2d_ros.ros.process import main_of

main = main_of('teleop', 'TeleopNode')

if __name__ == '__main__':
    sys.exit(main())
