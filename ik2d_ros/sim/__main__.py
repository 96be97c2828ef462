"""Entry point of ``ik2d_sim``: the arm in physics, behind a controller."""

from __future__ import annotations

import sys

from ik2d_ros.ros.process import main_of

main = main_of('sim', 'SimNode')

if __name__ == '__main__':
    sys.exit(main())
