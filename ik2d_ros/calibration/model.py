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
from ik2d_ros.kinematics.plane import Plane

FITS = ('offsets', 'lengths', 'base')
"""What can be fitted: zeros of joints, lengths of links, the pose of the base."""

TRAVELS = 'travels'
"""What explains a misfit: how much farther than commanded joints go."""

ANGLE, SHARE = 0.1, 0.1
"""Steps of changes: rad, and shares of a length or of the reach. Within one, tips move nearly in
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
    """A number of an arm, and how a calibration changes it.

    Attributes:
        fit: of ``FITS``, or ``TRAVELS``; empty if it is never fitted.
        name: its parameter, or what it is in words.
        unit: rad or m; empty for a travel.
        before: its value in the file; the length of a link vector.
        step: by how much it grows with each unit of the change, in rad or m.
    """

    fit: str
    name: str
    unit: str
    before: float
    step: float


@dataclass(frozen=True)
class Model:
    """An arm, and (n,) changes of its numbers in steps: 0 where it is as in its file.

    There is one for the zero of each joint, for its travel and for the length of each link; then
    those for a motion of the base, a rotation vector and a shift. Numbers for which a file has no
    parameter have one, too.

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
        """The numbers that change, in the order of the changes."""
        arm, far = self.arm, SHARE * self.reach
        zeros, lengths = [], []
        for joint in arm.chain.joints:
            prefix = f'chain.{joint.name}'
            field = 'link' if self.parameters.get(f'{prefix}.link') else 'length'
            length = Change('', f'{prefix}.{field}', 'm', joint.length, SHARE * joint.length)
            is_before_roll = arm.roll is not None and joint is arm.chain.joints[-1]
            if joint.slides:  # its zero is its length
                zeros.append(length._replace(fit='offsets', step=joint.axis * far))
            else:
                step = joint.axis * ANGLE
                zeros.append(Change('offsets', f'{prefix}.offset', 'rad', joint.offset, step))
                if joint.length > 0.0 and not is_before_roll:
                    length = length._replace(fit='lengths')
            lengths.append(length)
        if arm.carrier:
            step = ANGLE if arm.carrier.unit == 'rad' else far
            name = f"zero of joint '{arm.carrier.name}'"
            zeros.insert(0, Change('offsets', name, arm.carrier.unit, 0.0, step))
        if arm.roll:
            zeros.append(Change('', arm.roll.name, 'rad', 0.0, ANGLE))
        travels = [Change(TRAVELS, name, '', 1.0, SHARE) for name in arm.names]
        turns = [
            Change('base', f'turn of the base about {axis}', 'rad', 0.0, ANGLE) for axis in 'xyz'
        ]
        shifts = [
            Change('base', f'base.xyz[{i}]', 'm', at, far) for i, at in enumerate(arm.base_xyz)
        ]
        return *zeros, *travels, *lengths, *turns, *shifts

    def indices(self, fits: Sequence[str]) -> NDArray[np.intp]:
        """Return the indices (f,) of the changes of some ``FITS``."""
        return np.flatnonzero([change.fit in fits for change in self.changes])

    @cached_property
    def steps(self) -> FloatArray:
        """The steps of the changes, (n,)."""
        return np.array([change.step for change in self.changes])

    @cached_property
    def turns(self) -> NDArray[np.bool_]:
        """Which changes are angles of joints, which nothing bounds, (n,)."""
        return np.array([c.fit == 'offsets' and c.unit == 'rad' for c in self.changes])

    def wrapped(self, x: FloatArray) -> FloatArray:
        """Return changes (n,) with the angles of joints within half a turn."""
        half = math.pi / ANGLE
        return np.where(self.turns, np.remainder(x + half, 2.0 * half) - half, x)

    def values(self, x: FloatArray) -> FloatArray:
        """Return the numbers after changes (n,), in rad or m."""
        return np.array([change.before for change in self.changes]) + self.steps * x

    def tips(self, x: FloatArray, q: FloatArray) -> FloatArray:
        """Return the tips (k, 3) in m at positions (k, m), after changes (n,)."""
        joints, space = q.shape[1], self.arm.kinematics
        zeros, travels, lengths, base = np.split(x, [joints, 2 * joints, -6])
        positions = [*((1.0 + SHARE * travels) * q + np.abs(self.steps[:joints]) * zeros).T]
        points = space.points(positions)
        links = pairwise(complex(0.0) + x + 1j * y for x, y, _ in points)
        factors = [*(1.0 + SHARE * lengths), 1.0]  # and of the tool
        tip = sum((end - begin) * by for (begin, end), by in zip(links, factors, strict=False))
        place = space.placed(np.real(tip), np.imag(tip), positions[0], points[-1][2])
        return self._moved(np.stack(place, axis=-1), base)

    def distances(self, x: FloatArray, points: Points) -> FloatArray:
        """Return how far the tips are from measured ones, (k,) in m, after changes (n,)."""
        return np.asarray(np.linalg.norm(self.tips(x, points.q) - points.tips, axis=1))

    def _moved(self, points: FloatArray, base: FloatArray) -> FloatArray:
        """Return points (k, 3) after a motion (6,) of the base."""
        turn, shift = ANGLE * base[:3], SHARE * self.reach * base[3:]
        half = 0.5 * float(np.linalg.norm(turn))
        x, y, z = (0.5 * np.sinc(half / math.pi) * turn).tolist()
        axes = Plane.from_quaternion((0.0, 0.0, 0.0), (x, y, z, math.cos(half))).axes
        moved: FloatArray = (points - self.arm.base_xyz) @ axes + self.arm.base_xyz + shift
        return moved

    def written(self, x: FloatArray) -> dict[str, object]:
        """Return the parameters of the arm after changes (n,)."""
        arm, base, new = self.arm, x[-6:], dict[str, Any](self.parameters)
        for index in np.flatnonzero(x):
            change, value = self.changes[index], float(self.values(x)[index])
            old = new.get(change.name)
            if change.unit == 'm':
                value = max(value, SHORTEST)
            if change.name.startswith('chain.'):
                new[change.name] = value
            if isinstance(old, Sequence):  # a link vector
                along = [part / change.before for part in old] if change.before else [1.0, 0.0]
                new[change.name] = [value * part for part in along]
        plane = arm.kinematics.carried_plane(float(x[0] * self.steps[0]) if arm.carrier else 0.0)
        if plane != arm.kinematics.carried_plane(0.0) or base.any():
            ends = np.array([plane.origin, *np.add(plane.origin, plane.axes)])
            origin, *axes = self._moved(ends, base)
            new['base.xyz'] = origin.tolist()
            new['base.rpy'] = [*plane._replace(axes=tuple((axes - origin).tolist())).rpy()]
        if arm.turntable and base.any():
            ends = np.array([arm.turntable.xyz, np.add(arm.turntable.xyz, arm.turntable.axis)])
            origin, end = self._moved(ends, base)
            new |= {'turntable.xyz': origin.tolist(), 'turntable.axis': (end - origin).tolist()}
        return new
