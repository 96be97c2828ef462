"""An arm as a function of the numbers that a calibration may change; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.plane import Plane, combined

FITS = ('offsets', 'lengths', 'base')
"""What can be fitted: zeros of joints, lengths of links, the pose of the base."""

TRAVELS = 'travels'
"""What explains a misfit: how much farther than commanded joints go."""

ANGLE, SHARE = 0.1, 0.1
"""Steps of changes, in rad and in shares of a length or of the reach: tips nearly move linearly."""


class Change(NamedTuple):
    """A number of an arm, and how a calibration changes it.

    Attributes:
        fit: of ``FITS``, or ``TRAVELS``; empty if it is never fitted.
        name: its parameter, or what it is in words; of a travel, the joint.
        unit: rad or m; empty for a travel.
        before: its value in the file; the length of a link vector.
        step: by how much it grows with each unit of the change, in rad or m.
    """

    fit: str
    name: str
    unit: str
    before: float
    step: float


class Number(NamedTuple):
    """A fitted number, and half of its interval of 95 %: inf if the points do not determine it."""

    change: Change
    after: float
    uncertainty: float


class Calibration(NamedTuple):
    """What measured points say about an arm.

    Attributes:
        parameters: those that fit the points, and of these the ones next to the file.
        numbers: the fitted ones. If such an arm does not fit the points, as joints go another way
            than commanded: how far these seem to go, in parts of that.
        before: (k,) distance in m of each measured tip from that of the file.
        after: (k,) the same from that of the fitted arm.
    """

    parameters: dict[str, object]
    numbers: list[Number]
    before: FloatArray
    after: FloatArray


class Model:
    """An arm, and (n,) changes of its numbers in steps: 0 where it is as in its file.

    There is one for the zero of each joint, for its travel and for the length of each link; then
    those for a motion of the base, a rotation vector and a shift.

    Attributes:
        reach: how far the arm of the file reaches, in m.
        changes: the numbers that change, (n,).
        fits: what they belong to, (n,).
        turns: which are zeros of joints in rad, (n,).
        steps: their steps, (n,).
    """

    def __init__(self, parameters: Mapping[str, object]) -> None:
        """Describe the arm of parameters, by flat dotted name."""
        self._parameters = parameters
        self.arm = arm = arm_from_parameters(parameters)
        self.reach = arm.reach.outer or 1.0
        zeros, lengths, far = [], [], SHARE * self.reach
        if arm.carrier:
            step = ANGLE if arm.carrier.unit == 'rad' else far
            name = f"zero of joint '{arm.carrier.name}'"
            zeros.append(Change('offsets', name, arm.carrier.unit, 0.0, step))
        for joint in arm.chain.joints:
            name = f'chain.{joint.name}'
            field = 'link' if parameters.get(f'{name}.link') else 'length'
            length = Change('', f'{name}.{field}', 'm', joint.length, SHARE * joint.length)
            if joint.slides:  # its zero is its length
                zeros.append(length._replace(fit='offsets', step=joint.axis * far))
            else:
                step = joint.axis * ANGLE
                zeros.append(Change('offsets', f'{name}.offset', 'rad', joint.offset, step))
                if joint.length > 0.0 and not (arm.roll and joint is arm.chain.joints[-1]):
                    length = length._replace(fit='lengths')
            lengths.append(length)
        if arm.roll:
            zeros.append(Change('', arm.roll.name, 'rad', 0.0, ANGLE))
        travels = [Change(TRAVELS, name, '', 1.0, SHARE) for name in arm.names]
        base = [Change('base', f'turn of the base about {a}', 'rad', 0.0, ANGLE) for a in 'xyz']
        base += [Change('base', f'base.xyz[{i}]', 'm', arm.base_xyz[i], far) for i in range(3)]
        self.changes = [*zeros, *travels, *lengths, *base]
        self.fits = np.array([change.fit for change in self.changes])
        self.turns = (self.fits == 'offsets') & [change.unit == 'rad' for change in self.changes]
        self.steps = np.array([change.step for change in self.changes])

    def wrapped(self, x: FloatArray) -> FloatArray:
        """Return changes (n,) with the zeros of joints within half a turn."""
        half = math.pi / ANGLE
        return np.where(self.turns, np.remainder(x + half, 2.0 * half) - half, x)

    def values(self, x: FloatArray) -> list[float]:
        """Return the numbers after changes (n,), in rad or m."""
        moves = (self.steps * x).tolist()
        return [change.before + by for change, by in zip(self.changes, moves, strict=True)]

    def tips(self, x: FloatArray, q: FloatArray) -> FloatArray:
        """Return the tips (..., k, 3) in m at positions (k, m), after changes (..., n)."""
        joints, space = q.shape[1], self.arm.kinematics
        zeros, travels, lengths, base = np.split(x[..., None, :], [joints, 2 * joints, -6], -1)
        turned = (1.0 + SHARE * travels) * q + np.abs(self.steps[:joints]) * zeros
        positions = [*np.moveaxis(turned, -1, 0)]
        points = space.points(positions)
        links = pairwise(complex(0.0) + x + 1j * y for x, y, _ in points)
        factors = [*np.moveaxis(1.0 + SHARE * lengths, -1, 0), 1.0]  # and of the tool
        tip = sum((end - begin) * by for (begin, end), by in zip(links, factors, strict=False))
        place = space.placed(np.real(tip), np.imag(tip), positions[0], points[-1][2])
        tips: FloatArray = np.stack(place, axis=-1)
        if base.any():
            motions = [self._motion(row) for row in base.reshape(-1, 6)]
            origins = np.reshape([motion.origin for motion in motions], (*x.shape[:-1], 1, 3))
            axes = np.reshape([motion.axes for motion in motions], (*x.shape[:-1], 3, 3))
            tips = origins + tips @ axes
        return tips

    def _motion(self, base: FloatArray) -> Plane:
        """Return where a motion (6,) of the base takes the base frame."""
        turn, shift = ANGLE * base[:3], SHARE * self.reach * base[3:]
        half = 0.5 * float(np.linalg.norm(turn))
        x, y, z = (0.5 * np.sinc(half / math.pi) * turn).tolist()
        turned = Plane.from_quaternion((0.0, 0.0, 0.0), (x, y, z, math.cos(half)))
        x, y, z = (self.arm.base_xyz + shift - turned.point(*self.arm.base_xyz)).tolist()
        return turned._replace(origin=(x, y, z))

    def written(self, x: FloatArray) -> dict[str, object]:
        """Return the parameters of the arm after changes (n,)."""
        arm, new, motion = self.arm, dict(self._parameters), self._motion(x[-6:])
        for change, value in zip(self.changes, self.values(x), strict=True):
            if change.name.startswith('chain.') and value != change.before:
                new[change.name] = max(value, 0.0) if change.unit == 'm' else value
        for joint in arm.chain.joints:
            name = f'chain.{joint.name}.link'
            if isinstance(size := new.get(name), float):
                new[name] = [size * math.cos(joint.direction), size * math.sin(joint.direction)]
        carried = float(x[0] * self.steps[0]) if arm.carrier else 0.0
        if carried or x[-6:].any():
            plane = arm.kinematics.carried_plane(carried)
            a, b, c = (combined(motion.axes, *axis) for axis in plane.axes)
            new['base.xyz'] = [*motion.point(*plane.origin)]
            new['base.rpy'] = [*plane._replace(axes=(a, b, c)).rpy()]
        if arm.turntable and x[-6:].any():
            new['turntable.xyz'] = [*motion.point(*arm.turntable.xyz)]
            new['turntable.axis'] = [*combined(motion.axes, *arm.turntable.axis)]
        return new
