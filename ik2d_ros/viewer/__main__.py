"""Entry point of ``ik2d_viewer``: the arm on a page in the browser."""

from __future__ import annotations

import sys

from ik2d_ros.ros.process import main_of

main = main_of('viewer', 'ViewerNode')

if __name__ == '__main__':
    sys.exit(main())
