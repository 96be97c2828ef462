"""The links of a chain in many poses at once, in NumPy: where they end, and how joints move them.

Arrays have a column per pose, so that one joint of all poses lies together in memory. Lengths are
in units of the chain's reach, angles are bends (see :mod:`.chain`), points are complex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import cosines_and_sines
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import fixed_array, links_many, spans_many
from ik2d_ros.kinematics.tuning import LIGHTLY


class Links(NamedTuple):
    """Links and limits of a chain as columns.

    Attributes:
        lengths: (n, 1) lengths of the links, in reaches.
        lower: (n, 1) smallest bends in rad, -inf for continuous joints.
        upper: (n, 1) largest bends in rad, inf for continuous joints.
        fixed: (n, 1) bends in rad of prismatic joints, NaN for revolute ones; or None.
    """

    lengths: FloatArray
    lower: FloatArray
    upper: FloatArray
    fixed: FloatArray | None = None

    @property
    def free(self) -> bool:
        """Whether no joint has limits."""
        return not np.isfinite(self.lower).any()

    @property
    def turning(self) -> tuple[bool, ...]:
        """(n,) which joints are revolute."""
        if self.fixed is None:
            return (True,) * len(self.lengths)
        return tuple(np.isnan(self.fixed[:, 0]).tolist())

    def before(self, joint: int) -> Links:
        """Return those before a joint, in reaches of the whole chain."""
        fixed = None if self.fixed is None else self.fixed[:joint]
        return Links(self.lengths[:joint], self.lower[:joint], self.upper[:joint], fixed)

    @classmethod
    def of(cls, chain: Chain) -> Links:
        """Return the links and limits of a chain."""
        lower, upper = np.array(chain.bend_limits).T[:, :, None]
        fixed = None if chain.fixed_bends is None else fixed_array(chain.fixed_bends)[:, None]
        return cls(np.array(chain.unit_lengths)[:, None], lower, upper, fixed)


class Spans(NamedTuple):
    """Where the tips are, seen from the joints, and where the targets are, seen from the tips.

    Attributes:
        sx: (n, m) from each joint to the tip, in reaches, along x; of a prismatic joint its
            direction turned back by a right angle, so that both kinds move the tip by it turned.
        sy: (n, m) the same along y.
        ex: (m,) from each tip to its target, in reaches, along x.
        ey: (m,) the same along y.
    """

    sx: FloatArray
    sy: FloatArray
    ex: FloatArray
    ey: FloatArray

    @property
    def error(self) -> FloatArray:
        """(m,) distances from the target."""
        away: FloatArray = np.sqrt(self.ex * self.ex + self.ey * self.ey)
        return away

    @property
    def pull(self) -> FloatArray:
        """(n, m) by how much each bend lowers half the squared distance: ``cross(s, e)``."""
        fall: FloatArray = self.sx * self.ey - self.sy * self.ex
        return fall

    def smallest_turns(self, damping: FloatArray) -> FloatArray:
        """Return the least turns (n, m) in rad that bring the tips onto the targets.

        Joints that do not count have spans of 0.
        """
        sx, sy, x, y = self
        xx, yy, xy = (sx * sx).sum(axis=0), (sy * sy).sum(axis=0), (sx * sy).sum(axis=0)
        extra = (damping + LIGHTLY) * (xx + yy)
        xx += extra
        yy += extra
        determinant = xx * yy - xy * xy
        # All joints may be under the tip, but for what is too little to square.
        determinant[determinant == 0.0] = np.inf
        ux = (xx * x + xy * y) / determinant
        uy = (xy * x + yy * y) / determinant
        turns: FloatArray = sx * uy - sy * ux
        return turns

    def idle_turns(self, wishes: FloatArray) -> FloatArray:
        """Return the wishes (n, m) in rad less their part that moves the tips, to first order."""
        undamped = np.zeros(wishes.shape[1])
        idle: FloatArray = wishes - self.moving(wishes).smallest_turns(undamped)
        return idle

    def moving(self, turns: FloatArray) -> Spans:
        """Return the spans to where turns (n, m) in rad bring the tips, to first order."""
        return self._replace(ex=-(self.sy * turns).sum(axis=0), ey=(self.sx * turns).sum(axis=0))

    def holding(self, held: NDArray[np.bool_], made: FloatArray) -> Spans:
        """Return the spans where held joints do not count, and some have made turns (n, m)."""
        moved = self.moving(made)
        return Spans(
            np.where(held, 0.0, self.sx),
            np.where(held, 0.0, self.sy),
            self.ex - moved.ex,
            self.ey - moved.ey,
        )

    def at(self, chosen: NDArray[np.intp]) -> Spans:
        """Return the spans of some columns."""
        return Spans(*(array.take(chosen, axis=-1) for array in self))

    def put(self, chosen: NDArray[np.intp], other: Spans) -> None:
        """Replace the spans of some columns."""
        for array, values in zip(self, other, strict=True):
            array[..., chosen] = values


def spans_of(links: Links, targets: ComplexArray, bends: FloatArray) -> Spans:
    """Return how the tips move, and where the targets (m,) are from there."""
    lengths, turns = links_many(links.fixed, links.lengths, bends)
    cosines, sines = cosines_and_sines(sums(turns))
    # From each joint to the tip: sums of the links from there on.
    sx = sums((lengths * cosines)[::-1])[::-1]
    sy = sums((lengths * sines)[::-1])[::-1]
    ex, ey = targets.real - sx[0], targets.imag - sy[0]
    sx, sy = spans_many(links.fixed, (sx, sy), (cosines, sines))
    return Spans(sx, sy, ex, ey)


def sums(rows: FloatArray) -> FloatArray:
    """Return (n, m) the sums of the first rows, of one, two and so on.

    As :func:`numpy.cumsum` has them, which goes down column by column: for thousands that takes ten
    times as long.
    """
    total = np.empty(rows.shape)
    total[0] = rows[0]
    for i in range(1, len(rows)):
        np.add(total[i - 1], rows[i], out=total[i])
    return total


def units(angles: FloatArray) -> ComplexArray:
    """Return the unit numbers at angles in rad."""
    numbers = np.empty(angles.shape, dtype=np.complex128)
    numbers.real, numbers.imag = cosines_and_sines(angles)
    return numbers


def points_of(links: Links, bends: FloatArray) -> ComplexArray:
    """Return (n + 1, m) the joints and, last, the tips, in reaches, for (n, m) bends in rad."""
    points = np.zeros((len(bends) + 1, bends.shape[1]), dtype=np.complex128)
    lengths, turns = links_many(links.fixed, links.lengths, bends)
    np.cumsum(lengths * units(np.cumsum(turns, axis=0)), axis=0, out=points[1:])
    return points


def tips(links: Links, bends: FloatArray) -> ComplexArray:
    """Return (m,) where the tips are, in reaches, for (n, m) bends in rad."""
    lengths, turns = links_many(links.fixed, links.lengths, bends)
    angles = np.cumsum(turns, axis=0)
    cosines, sines = cosines_and_sines(angles)
    tip: ComplexArray = (lengths * cosines).sum(axis=0) + 1j * (lengths * sines).sum(axis=0)
    return tip
