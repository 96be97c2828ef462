"""An arm as a function of the numbers that a calibration may change; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.kinematics.arguments import FloatArray

FITS = ('offsets', 'lengths', 'base')
"""What can be fitted: zeros of joints, lengths of links, the pose of the base."""

TRAVELS = 'travels'
"""What explains a misfit: how much farther than told joints go."""

ANGLE, SHARE = 0.1, 0.1
"""Units of changes: rad, and shares of a length or of the reach. Within one, tips move nearly in
proportion."""

SHORTEST = 1e-6  # m, of a link


class Points(NamedTuple):
    """Measured points.

    Attributes:
        q: (k, m) positions that the driver reports, in rad or m.
        tips: (k, 3) where the tip was, in m in the base frame.
        dimensions: how many of the coordinates were measured: 2 in the plane, 3 in space.
    """

    q: FloatArray
    tips: FloatArray
    dimensions: int

    def only(self, rows: Any) -> Points:
        """Return some of the points."""
        return self._replace(q=self.q[rows], tips=self.tips[rows])


class Change(NamedTuple):
    """What a number of a calibration changes.

    Attributes:
        fit: of ``FITS``, or ``TRAVELS``.
        name: the parameter that it changes, or what it changes in words.
        unit: of that: rad or m.
        before: that in the file; the length of a link vector.
        sense: by how much it grows with the number.
    """

    fit: str
    name: str
    unit: str
    before: float = 0.0
    sense: float = 1.0


@dataclass(frozen=True)
class Model:
    """An arm, and (n,) changes of it: 0 where it is as in its file.

    For each joint what is added to its position, then how much farther than told it goes, as a
    part; for each link the logarithm by which it is longer; and a motion of the base, a rotation
    vector in rad and a shift in m. What no parameter can tell has a change all the same.

    Attributes:
        parameters: of the arm, by flat dotted name.
    """

    parameters: Mapping[str, object]

    @cached_property
    def arm(self) -> ArmDescription:
        """The arm of the file."""
        return arm_from_parameters(self.parameters)

    @cached_property
    def reach(self) -> float:
        """How far the arm reaches, in m."""
        return self.arm.reach.outer or 1.0

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What each number changes; those that cannot be fitted are for nothing."""
        arm = self.arm
        zeros, lengths = [], []
        for joint in arm.chain.joints:
            prefix = f'chain.{joint.name}.'
            link = f'{prefix}{"link" if self.parameters.get(f"{prefix}link") else "length"}'
            length = Change('lengths', link, 'm', joint.length)
            is_before_roll = arm.roll is not None and joint is arm.chain.joints[-1]
            if joint.slides:  # its zero is its length
                zeros.append(length._replace(fit='offsets', sense=joint.axis))
            else:
                offset = f'{prefix}offset'
                zeros.append(Change('offsets', offset, 'rad', joint.offset, joint.axis))
            can = joint.length > 0.0 and not (joint.slides or is_before_roll)
            lengths.append(length if can else length._replace(fit=''))
        if arm.carrier:
            name = f"zero of joint '{arm.carrier.name}'"
            zeros.insert(0, Change('offsets', name, arm.carrier.unit))
        if arm.roll:
            zeros.append(Change('', arm.roll.name, 'rad'))
        travels = [Change(TRAVELS, name, '', 1.0) for name in arm.names]
        turns = [Change('base', f'turn of the base about {axis}', 'rad') for axis in 'xyz']
        shifts = [Change('base', f'base.xyz[{i}]', 'm', at) for i, at in enumerate(arm.base_xyz)]
        return *zeros, *travels, *lengths, *turns, *shifts

    def indices(self, fits: Sequence[str]) -> NDArray[np.intp]:
        """Return the indices (f,) of the changes of some ``FITS``."""
        return np.flatnonzero([change.fit in fits for change in self.changes])

    @cached_property
    def units(self) -> FloatArray:
        """The units of the changes, (n,)."""
        sizes = {'rad': ANGLE, 'm': SHARE * self.reach, '': SHARE}
        units = [sizes[change.unit] for change in self.changes]
        return np.where(self.stretches, SHARE, units)

    @cached_property
    def turns(self) -> NDArray[np.bool_]:
        """Which changes are angles of joints, which nothing bounds, (n,)."""
        return np.array([c.fit == 'offsets' and c.unit == 'rad' for c in self.changes])

    @cached_property
    def stretches(self) -> NDArray[np.bool_]:
        """Which changes are those of lengths, (n,)."""
        return np.array([change.fit == 'lengths' for change in self.changes])

    def _parts(self, x: FloatArray) -> list[FloatArray]:
        """Return changes (..., n) by kind: zeros, travels, lengths, and the base's, kind first."""
        joints, links = len(self.arm.names), len(self.arm.chain)
        ends = np.cumsum([joints, joints, links])
        return np.split(np.moveaxis(x, -1, 0)[..., None], ends)

    def tips(self, x: FloatArray, q: FloatArray) -> FloatArray:
        """Return the tips (..., k, 3) in m at positions (k, m), for changes (..., n)."""
        zeros, travels, lengths, base = self._parts(x)
        positions = [each + (1.0 + t) * z for z, t, each in zip(q.T, travels, zeros, strict=True)]
        points = self.arm.kinematics.points(positions)
        links = pairwise(complex(0.0) + x + 1j * y for x, y, _ in points)
        factors = [*np.exp(lengths), 1.0]  # and of the tool
        tip = sum((end - begin) * by for (begin, end), by in zip(links, factors, strict=False))
        place = np.real(tip), np.imag(tip), positions[0], points[-1][2]
        return np.moveaxis(self._moved(np.stack(self.arm.kinematics.placed(*place)), base), 0, -1)

    def distances(self, x: FloatArray, points: Points) -> FloatArray:
        """Return how far the tips are from measured ones, (k,) in m, for changes (n,)."""
        return np.asarray(np.linalg.norm(self.tips(x, points.q) - points.tips, axis=1))

    def _moved(self, points: FloatArray, base: FloatArray) -> FloatArray:
        """Return points (3, ...) after a motion (6, ...) of the base."""
        if not base.any():
            return points
        origin = np.reshape(self.arm.base_xyz, (3, *[1] * (points.ndim - 1)))
        turn, angle = base[:3], np.sqrt((base[:3] ** 2).sum(0))
        once = np.cross(turn, points - origin, axis=0)
        twice = np.cross(turn, once, axis=0) * 0.5 * np.sinc(0.5 * angle / math.pi) ** 2
        moved: FloatArray = points + base[3:] + once * np.sinc(angle / math.pi) + twice
        return moved

    def growth(self, x: FloatArray) -> FloatArray:
        """Return by how much what changes (n,) change grows with them, (n,)."""
        return np.where(self.stretches, self.values(x), [change.sense for change in self.changes])

    def values(self, x: FloatArray) -> FloatArray:
        """Return what changes (n,) change, after them: (n,) parameters in rad or m."""
        before, senses = np.array([(change.before, change.sense) for change in self.changes]).T
        return np.where(self.stretches, before * np.exp(x * self.stretches), before + senses * x)

    def written(self, x: FloatArray) -> dict[str, object]:
        """Return the parameters of the arm after changes (n,)."""
        arm, new = self.arm, dict[str, Any](self.parameters)
        for change, value, by in zip(
            self.changes, self.values(x).tolist(), x.tolist(), strict=True
        ):
            old = new.get(change.name)
            if by and isinstance(old, Sequence):
                new[change.name] = [value / change.before * part for part in old]
            elif by and change.name.startswith('chain.'):
                new[change.name] = max(value, SHORTEST) if change.unit == 'm' else value
        base = self._parts(x)[3]
        plane = arm.kinematics.carried_plane(float(x[0]) if arm.carrier else 0.0)
        if plane != arm.kinematics.carried_plane(0.0) or base.any():
            ends = np.transpose([plane.origin, *np.add(plane.origin, plane.axes)])
            origin, *axes = self._moved(ends, base).T
            new['base.xyz'] = origin.tolist()
            new['base.rpy'] = [*plane._replace(axes=tuple((axes - origin).tolist())).rpy()]
        if arm.turntable and base.any():
            ends = np.transpose([arm.turntable.xyz, np.add(arm.turntable.xyz, arm.turntable.axis)])
            origin, end = self._moved(ends, base).T
            new |= {'turntable.xyz': origin.tolist(), 'turntable.axis': (end - origin).tolist()}
        return new
