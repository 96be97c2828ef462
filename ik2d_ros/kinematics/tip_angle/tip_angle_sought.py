"""What is sought for targets at tip angles, and poses as they are found.

Arrays of poses have a column per pose. Lengths are in reaches, angles are bends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, Indices
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import LOOSE


class Begun(NamedTuple):
    """Poses before a joint has moved: (n, m) headings before each in rad, and where each is.

    Or (n, 1), where all start from the same one.
    """

    before: FloatArray
    pivots: ComplexArray

    def at(self, part: slice | Indices) -> Begun:
        """Return some of them."""
        if self.before.shape[1] == 1:
            return self
        return Begun(self.before[:, part], self.pivots[:, part])


class Sought(NamedTuple):
    """Targets, an element or a column each, and the starts, as poses if the angles matter.

    Also by how much distances may be missed, in reaches, and limits, in rad or reaches; and (m,)
    how far off, in rad, angles are that have been found, where only the closest is asked for: what
    is farther off need not be. And whether one pose is enough for each.
    """

    targets: ComplexArray
    headings: FloatArray
    starts: FloatArray
    begun: Begun | None = None
    near: float = 0.0
    loose: float = LOOSE
    best: FloatArray | None = None
    one: bool = False

    def at(self, part: slice | Indices) -> Sought:
        """Return some of them; of a slice, what is found is written to the same memory."""
        return self._replace(
            targets=self.targets[part],
            headings=self.headings[part],
            starts=self.starts[:, part],
            begun=self.begun and self.begun.at(part),
            best=None if self.best is None else self.best[part],
        )


# For which targets, (c,), (n, c) bends in rad, and (c,) by how far they were outside of limits.
Poses = tuple[Indices, FloatArray, FloatArray]


def no_poses(asked: Sought) -> Poses:
    """Return no poses for some targets."""
    return np.zeros(0, dtype=np.intp), np.zeros((len(asked.starts), 0)), np.zeros(0)


def joined(found: list[Poses]) -> Poses:
    """Return several as one."""
    which, bends, strayed = zip(*found, strict=True)
    return np.concatenate(which), np.concatenate(bends, axis=1), np.concatenate(strayed)
