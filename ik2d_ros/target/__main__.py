"""Entry point of ``ik2d_target``: demo targets for the node, on a path."""

from __future__ import annotations

import sys

from ik2d_ros.ros.process import main_of

main = main_of('target', 'TargetNode')

if __name__ == '__main__':
    sys.exit(main())
