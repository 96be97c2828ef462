"""Random arms of every kind, targets for them, and an independent forward kinematics.

Arms are plain numbers here: processes with different versions of the package build them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
PI = math.pi
Joints = list[dict[str, Any]]  # Keywords of `Joint`.

KINDS = (
    *('free', 'symmetric', 'asymmetric', 'narrow', 'elbow', 'half', 'right', 'wide', 'two turns'),
    *('mixed', 'mixed', 'mixed'),
)


@dataclass(frozen=True)
class Case:
    """A chain or an arm, and its targets.

    Attributes:
        seed: its number.
        joints: of the chain.
        carrier: limits of a turntable about z, and how far beside it the upright plane stands;
            None for none.
        targets: (m, 2) or (m, 3) in m.
        starts: (m, n) positions; None for the default.
        angles: (m,) tip angles in rad; None for any.
        known: (m,) whether a pose within the limits reaches the target, at the angle.
        reach: in m, limits ignored.
        tolerance: in m; in rad a reach is 1.
    """

    seed: int
    joints: Joints
    carrier: dict[str, Any] | None
    targets: FloatArray
    starts: FloatArray | None
    angles: FloatArray | None
    known: NDArray[np.bool_]
    reach: float
    tolerance: float

    def limits(self) -> FloatArray:
        """Return (m, 2) limits of all joints."""
        before = [] if self.carrier is None else [self.carrier]
        pairs = [(joint.get('lower'), joint.get('upper')) for joint in [*before, *self.joints]]
        return np.array([(-np.inf, np.inf) if low is None else (low, up) for low, up in pairs])

    def forward(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return tips (m, 2) or (m, 3) in m and headings (m,) in rad."""
        return forward(self.built(), q)

    def first(self, rows: Any) -> Case:
        """Return the case with some of its targets."""
        starts, angles = self.starts, self.angles
        return replace(
            self,
            targets=self.targets[rows],
            starts=None if starts is None else starts[rows],
            angles=None if angles is None else angles[rows],
            known=self.known[rows],
        )

    def built(self) -> Any:
        """Return the chain or the arm."""
        from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Turntable

        chain = Chain([Joint(f'j{i}', **joint) for i, joint in enumerate(self.joints)])
        if self.carrier is None:
            return chain
        plane = Plane.from_pose((0.0, self.carrier['beside'], 0.0), (0.5 * PI, 0.0, 0.0))
        limits = {name: self.carrier[name] for name in ('lower', 'upper')}
        return Arm(chain, plane, Turntable(**limits))

    def asked(self) -> dict[str, Any]:
        """Return the keywords of `solve_batch`."""
        asked: dict[str, Any] = {'tolerance': self.tolerance, 'start': self.starts}
        if self.angles is not None:
            asked |= {'angle': self.angles, 'angle_tolerance': self.tolerance / self.reach}
        return asked

    def asked_singly(self) -> list[tuple[Any, dict[str, Any]]]:
        """Return each target, and the keywords of `solve` for it."""
        near = {name: one for name, one in self.asked().items() if 'tolerance' in name}
        columns = {'start': self.starts, 'angle': self.angles}
        given = {name: column.tolist() for name, column in columns.items() if column is not None}
        return [
            (tuple(target), near | {name: column[k] for name, column in given.items()})
            for k, target in enumerate(self.targets.tolist())
        ]


def forward(arm: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return tips (..., 2) or (..., 3) in m, and headings (...,) in rad; without the solvers' code.

    Args:
        arm: a `Chain` or an `Arm`.
        q: (..., n) positions.
    """
    chain = getattr(arm, 'chain', arm)
    tip, heading = np.zeros(q.shape[:-1], dtype=complex), np.zeros(q.shape[:-1])
    own_positions = np.moveaxis(q[..., len(arm) - len(chain) :], -1, 0)
    for joint, position in zip(chain.joints, own_positions, strict=True):
        link = complex(*joint.link)
        unit = link / abs(link) if link else 1.0
        slides = joint.type == 'prismatic'
        own = joint.offset + (0.0 if slides else joint.axis * position)
        heading = own if joint.absolute else heading + own
        tip += (link + (joint.axis * position * unit if slides else 0.0)) * np.exp(1j * heading)
    tip += complex(*chain.tool)
    if arm is chain:
        return np.stack([tip.real, tip.imag], axis=-1), heading
    x, y, normal = map(np.array, arm.plane.axes)
    points = arm.plane.origin + tip.real[..., None] * x + tip.imag[..., None] * y
    if arm.lift is not None:
        points = points + q[..., :1] * (arm.lift.axis * normal)
    elif arm.turntable is not None:
        axis, away = np.array(arm.turntable.axis), points - arm.turntable.xyz
        cos, sin = np.cos(q[..., :1]), np.sin(q[..., :1])
        along = (away @ axis)[..., None] * axis
        turned = along + cos * (away - along) + sin * np.cross(axis, away)
        points = arm.turntable.xyz + turned
    return points, heading


def limits_of(rng: np.random.Generator, kind: str) -> tuple[float, float] | None:
    """Return limits in rad of a kind; None for none."""
    if kind == 'mixed':
        kind = str(rng.choice(['free', 'symmetric', 'narrow', 'elbow', 'half', 'point', 'wide']))
    middle, half = rng.uniform(-2.0, 2.0), rng.uniform(0.3, 2.0)
    narrow = rng.uniform(0.01, 0.4)
    return {
        'free': None,
        'symmetric': (-half, half),
        '120 deg': (-2 * PI / 3, 2 * PI / 3),
        'asymmetric': (middle - half, middle + half),
        'narrow': (middle - narrow, middle + narrow),
        'elbow': (0.0, half + 1.0),
        'half': (-PI, PI),
        'right': (-0.5 * PI, 0.5 * PI),
        'point': (middle, middle),
        'wide': (-half - 2.8, half + 2.8),
        'two turns': (-2 * PI, 2 * PI),
    }[kind]


def random_joints(
    rng: np.random.Generator, count: int, kind: str, slides: float = 0.0, plain: bool = True
) -> Joints:
    """Return joints with limits of a kind; not plain: some of no length, or all of the same."""
    sizes = 10.0 ** rng.uniform(-1.0, 0.0, count)
    if not plain:
        sizes = np.full(count, 0.5) if rng.random() < 0.25 else sizes
        sizes = np.where(rng.random(count) < 0.3, 0.0, sizes) if rng.random() < 0.25 else sizes
    joints = []
    for size in sizes:
        direction = rng.choice([0.0, rng.uniform(-PI, PI)])
        link = (float(size * math.cos(direction)), float(size * math.sin(direction)))
        pair, sliding = limits_of(rng, kind), rng.random() < slides
        if sliding:
            low = rng.uniform(-0.5, 0.3)
            pair = (low, low + rng.choice([0.0, rng.uniform(0.02, 0.8)], p=[0.05, 0.95]))
        lower, upper = (None, None) if pair is None else map(float, pair)
        joints.append(
            {
                'link': link,
                'lower': lower,
                'upper': upper,
                'offset': float(rng.choice([0.0, rng.uniform(-PI, PI)])),
                'axis': int(rng.choice([-1, 1])),
                'type': 'prismatic' if sliding else 'revolute',
            }
        )
    return joints


def scaled(joints: Joints, scale: float) -> Joints:
    """Return joints of another size."""
    grown = []
    for joint in joints:
        some = {'link': (joint['link'][0] * scale, joint['link'][1] * scale)}
        if joint['type'] == 'prismatic':
            some |= {'lower': joint['lower'] * scale, 'upper': joint['upper'] * scale}
        grown.append(joint | some)
    return grown


def random_carrier(rng: np.random.Generator, scale: float = 1.0) -> dict[str, Any]:
    """Return a turntable, for a plane that contains its axis or not."""
    pair = limits_of(rng, str(rng.choice(['free', 'symmetric', 'wide', 'asymmetric'])))
    lower, upper = (None, None) if pair is None else map(float, pair)
    beside = float(rng.choice([0.0, rng.uniform(-0.3, 0.3) * scale]))
    return {'lower': lower, 'upper': upper, 'beside': beside}


def poses(rng: np.random.Generator, limits: ArrayLike, count: int) -> FloatArray:
    """Return poses within limits, a fifth with most joints at one; within a turn without any."""
    lower, upper = np.where(np.isfinite(limits), limits, [-PI, PI]).T
    q = rng.uniform(lower, upper, (count, len(lower)))
    ends = np.where(rng.random(q.shape) < 0.5, lower, upper)
    cornered = (rng.random(count) < 0.2)[:, None] & (rng.random(q.shape) < 0.7)
    return np.where(cornered, ends, q)


def ask(
    rng: np.random.Generator,
    joints: Joints,
    carrier: dict[str, Any] | None,
    count: int,
    angled: bool = False,
    known: float = 0.6,
    seed: int = 0,
) -> Case:
    """Ask an arm for targets: a share of them tips of poses, the others anywhere."""
    strokes = [
        max(abs(joint['lower']), abs(joint['upper'])) if joint['type'] == 'prismatic' else 0.0
        for joint in joints
    ]
    reach = sum(math.hypot(*j['link']) + s for j, s in zip(joints, strokes, strict=True)) or 1.0
    empty = np.empty((0, 2))
    case = Case(seed, joints, carrier, empty, None, None, np.empty(0, dtype=bool), reach, 0.0)
    limits = case.limits()
    targets, angles = case.forward(poses(rng, limits, count))
    is_known = rng.random(count) < known
    near = rng.random(count) < 0.3
    dimensions = targets.shape[1]
    anywhere = rng.normal(size=targets.shape)
    anywhere *= (rng.random(count) ** (1 / dimensions) / np.linalg.norm(anywhere, axis=1))[:, None]
    if carrier is not None:
        anywhere *= 1.1 * (1 + abs(carrier['beside']) / reach)
    moved = targets + 10.0 ** rng.uniform(-6, -1, (count, 1)) * reach * anywhere
    others = np.where(near[:, None], moved, 1.05 * reach * anywhere)
    if angled:
        others = np.where(rng.random(count)[:, None] < 0.7, targets, others)
        away = np.where(near, 10.0 ** rng.uniform(-6, 0, count), rng.uniform(-PI, PI, count))
        angles = np.where(is_known, angles, angles + away)
    return replace(
        case,
        targets=np.where(is_known[:, None], targets, others),
        starts=poses(rng, limits, count) if rng.random() < 0.6 else None,
        angles=np.remainder(angles + PI, 2 * PI) - PI if angled else None,
        known=is_known,
        tolerance=reach * 10.0 ** rng.uniform(-9.0, -4.0),
    )


def random_case(subject: str, seed: int, count: int) -> Case:
    """Return a chain or an arm of any kind, some targets that it can reach, and others.

    Args:
        subject: ``plane``, ``angle`` or ``space``.
        seed: number of the case.
        count: number of targets.
    """
    rng = np.random.default_rng([seed, len(subject)])
    fewest, most = {'plane': (2, 12), 'angle': (3, 10), 'space': (2, 8)}[subject]
    size = int(rng.integers(fewest, most + 1))
    slides = 0.4 if rng.random() < 0.3 else 0.0
    joints = random_joints(rng, size, str(rng.choice(KINDS)), slides, plain=False)
    scale = 10.0 ** rng.uniform(-3.0, 3.0)
    carrier = random_carrier(rng, scale) if subject == 'space' else None
    if size > 10 and any(joint['lower'] is not None for joint in joints):
        count = max(1, count // 10)  # A search, which takes long.
    return ask(rng, scaled(joints, scale), carrier, count, subject == 'angle', seed=seed)
