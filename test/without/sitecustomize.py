"""With this folder on PYTHONPATH, the modules named in IK2D_WITHOUT are as if not installed.

With IK2D_UNCOMPILED the kernel is as if it had not been compiled. In every process from its start
on, so in those that a test starts, too.
"""

import os
import sys
from importlib.machinery import FileFinder, PathFinder, SourceFileLoader

HIDDEN = frozenset(os.environ.get('IK2D_WITHOUT', '').split())


class HidingFinder(PathFinder):
    """Finds what there is, but for the hidden modules."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in HIDDEN:
            return None
        return super().find_spec(fullname, path, target)


sys.meta_path = [HidingFinder if finder is PathFinder else finder for finder in sys.meta_path]


def from_source(folder):
    """Finds the modules of the kernel as Python, though they are compiled."""
    if not folder.endswith('ik2d_ros/kinematics/kernel'):
        raise ImportError(folder)
    return FileFinder(folder, (SourceFileLoader, ['.py']))


if os.environ.get('IK2D_UNCOMPILED'):
    sys.path_hooks.insert(0, from_source)
