"""With this folder on PYTHONPATH, the modules named in IK2D_WITHOUT are as if not installed.

In every process from its start on, so in those that a test starts, too.
"""

import os
import sys
from importlib.machinery import PathFinder

HIDDEN = frozenset(os.environ.get('IK2D_WITHOUT', '').split())


class HidingFinder(PathFinder):
    """Finds what there is, but for the hidden modules."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in HIDDEN:
            return None
        return super().find_spec(fullname, path, target)


sys.meta_path = [HidingFinder if finder is PathFinder else finder for finder in sys.meta_path]
