"""Arms in space of every kind, and a forward kinematics of its own, for tests that state laws."""

import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from arms import LIMITS, bend_excess, headings, placed, random_chain, random_linkage, random_poses

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Arm, Chain, Lift, Plane, Roll, Status, Turntable, solve, solve_batch

TURNTABLES = ('free', 'half', 'turn', 'turns')


def random_arm(joints, kind, turntable, rng, beside=0.3, lean=0.0, chain=None):
    """An arm with plane and turntable anywhere, the plane up to ``beside`` reaches off the axis."""
    if chain is None:
        chain = random_chain(joints, rng, kind)
    size = chain.reach.outer
    plane = Plane.from_pose(rng.uniform(-1.0, 1.0, 3) * size, rng.uniform(-3.0, 3.0, 3))
    u, v, n = map(np.array, plane.axes)
    angle = rng.uniform(-math.pi, math.pi)
    axis = math.cos(angle) * u + math.sin(angle) * v + rng.uniform(-lean, lean) * n
    xyz = plane.origin + size * (
        rng.uniform(-0.3, 0.3) * u
        + rng.uniform(-0.3, 0.3) * v
        - rng.choice([0.0, rng.uniform(-beside, beside)]) * n
    )
    lower = rng.uniform(-2.5, 0.0)
    limits = {
        'free': (None, None),
        'half': (lower, lower + rng.uniform(0.3, 2.5)),
        'turn': (-3.2, 3.2),
        'turns': (-7.0, 7.0),
    }[turntable]
    return Arm(chain, plane, Turntable(tuple(xyz), tuple(axis * rng.uniform(0.1, 9.0)), *limits))


def with_slides(arm, rng):
    """The arm with one or two of its chain's joints prismatic."""
    joints, size = list(arm.chain.joints), arm.chain.reach.outer
    for k in rng.choice(len(joints), min(len(joints) - 1, int(rng.integers(1, 3))), replace=False):
        lower = rng.uniform(-0.5, 0.1) * size
        upper = lower + rng.uniform(0.05, 0.8) * size
        axis = int(rng.choice([-1, 1]))
        joints[k] = replace(joints[k], lower=lower, upper=upper, axis=axis, type='prismatic')
    return Arm(Chain(joints), arm.plane, arm.turntable)


def _chain(rng):
    return random_chain(int(rng.integers(2, 9)), rng, str(rng.choice([*LIMITS])))


def _lifted(rng):
    low = rng.uniform(-1.0, 0.0)
    lift = Lift(int(rng.choice([-1, 1])), low, low + rng.uniform(0.1, 1.0))
    return Arm(_chain(rng), random_arm(2, None, 'free', rng).plane, lift=lift)


def _turned(rng):
    kind, turntable = str(rng.choice([*LIMITS])), str(rng.choice(TURNTABLES))
    return random_arm(int(rng.integers(2, 7)), kind, turntable, rng, lean=4.9e-3)


# Arms of every kind, made from random numbers.
ARMS = {
    'no limits': lambda rng: Arm(random_chain(int(rng.integers(2, 9)), rng)),
    'limits': lambda rng: Arm(_chain(rng)),
    'slides': lambda rng: with_slides(Arm(_chain(rng)), rng),
    'linkage': lambda rng: Arm(random_linkage(rng)),
    'turntable': _turned,
    'turntable and slides': lambda rng: with_slides(_turned(rng), rng),
    'turntable and linkage': lambda rng: random_arm(
        0, None, str(rng.choice(TURNTABLES)), rng, chain=random_linkage(rng)
    ),
    'lift': _lifted,
    'roll': lambda rng: with_roll(ARMS[str(rng.choice(['limits', 'slides', 'lift']))](rng), rng),
    'turntable and roll': lambda rng: with_roll(_turned(rng), rng),
    'linkage and roll': lambda rng: with_roll(
        Arm(replace(random_linkage(rng), tool=(0.0, 0.0))), rng
    ),
}


def with_roll(arm, rng):
    """The arm with a roll, the tip up to a tenth of a reach beside its axis, or on it."""
    link, size = complex(*arm.chain.joints[-1].link), arm.size
    turn, (x, y), tip_z = rng.uniform(-3.0, 3.0), rng.uniform(-0.1, 0.1, 2) * size, 0.0
    if rng.random() < 0.3:
        turn, (x, y) = math.atan2(link.imag, link.real), (0.0, 0.0)
    else:
        tip_z = rng.choice([0.0, rng.uniform(-0.1, 0.1) * size])
    lower = rng.uniform(-3.0, 1.0)
    limits = (None, None) if rng.random() < 0.3 else (lower, lower + rng.uniform(0.5, 5.0))
    axis = rng.uniform(0.1, 9.0) * np.array([math.cos(turn), math.sin(turn)])
    return replace(arm, roll=Roll(tuple(axis), (x, y), tip_z, *limits))


def of_chain(arm, q):
    """(..., n) the part of positions (..., m) that are the chain's."""
    first = 0 if arm is getattr(arm, 'chain', arm) else int(is_carried(arm))
    return q[..., first : first + len(getattr(arm, 'chain', arm))]


def is_carried(arm):
    """Whether a turntable or a lift carries the plane."""
    return arm.turntable is not None or arm.lift is not None


def described(arm: Arm, home=None, motion=()) -> ArmDescription:
    """The description of an arm of the library, by default at home where it is closest to 0."""
    home = (0.0,) * len(arm) if home is None else tuple(map(float, home))
    return ArmDescription(
        arm.chain,
        home,
        tuple(motion) or (MotionLimits(),) * len(home),
        base_xyz=arm.plane.origin,
        base_rpy=arm.plane.rpy(),
        turntable=arm.turntable,
        lift=arm.lift,
        walls=tuple(arm.walls),
        roll=arm.roll,
    )


def random_pose(arm, rng):
    """(m,) inside the limits, within a turn where there are none."""

    def one(lower, upper, most):
        return rng.uniform(*((lower, upper) if math.isfinite(lower) else (-most, most)))

    first = [one(*arm.limits[0], math.pi)] if is_carried(arm) else []
    pose = [*first, *random_poses(arm.chain, 1, rng)[0]]
    return np.array(pose if arm.roll is None else [*pose, one(*arm.limits[-1], 3.0)])


def both(arm, target, start=None, **options):
    """The answers to a target, alone and in a batch."""
    batch = solve_batch(arm, [target], start=start, **options)
    return solve(arm, target, start=start, **options), answers_of(batch)[0]


def answers_of(batch):
    """The answers of a batch, one by one, with the fields of a solution that it has."""
    names = ('q', 'error', 'status', 'proven', 'angle_error', 'roll_error')
    rows = zip(*(getattr(batch, name) for name in names), strict=True)
    return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in rows]


def check_answer(
    arm, target, found, angle=None, tolerance=1e-6, angle_tolerance=1e-3, roll=None, **_
):
    """What an answer says of its pose is true, and the pose keeps to all limits, to the bit."""
    chain = getattr(arm, 'chain', arm)
    offset = 0.0 if arm is chain else np.linalg.norm(arm.plane.origin)
    chain_pose = of_chain(arm, found.q)
    assert np.isfinite(found.q).all()
    assert (arm.lower <= found.q).all()
    assert (found.q <= arm.upper).all()
    assert bend_excess(chain, chain_pose) <= 1e-9
    there = tip(arm, found.q)
    slack = 1e-12 * (chain.reach.outer + math.hypot(*target) + offset)
    assert found.error == pytest.approx(math.dist(there, target), abs=slack)
    heading = headings(chain, chain_pose)[-1]
    if hasattr(found, 'tip'):
        assert abs(math.remainder(found.angle - heading, math.tau)) <= 1e-9
        assert -math.pi < found.angle <= math.pi
        rounding = 1e-12 * (chain.reach.outer or 1.0) if arm is chain else 1e-2 * slack
        assert found.tip == pytest.approx(there, abs=slack)
        assert found.error == pytest.approx(math.dist(found.tip, target), rel=0.0, abs=rounding)
    off = 0.0 if angle is None else abs(math.remainder(angle - heading, math.tau))
    assert found.angle_error == pytest.approx(off, abs=1e-9)
    is_there = found.error <= tolerance
    is_right = angle is None or found.angle_error <= angle_tolerance
    if roll is not None:
        off = abs(math.remainder(roll - found.q[-1], math.tau))
        assert found.roll_error == pytest.approx(off, abs=1e-9)
        assert off == 0.0 or not arm.lower[-1] <= roll <= arm.upper[-1] or arm.roll.continuous
        is_right = is_right and found.roll_error <= angle_tolerance
    assert (found.status == Status.REACHED) == (is_there and is_right)
    assert found.status != Status.TIP_ANGLE or is_there
    assert not (found.status == Status.NOT_CONVERGED and found.proven)


def turned(points, origin, axis, angle):
    """Points (..., 3) after rotations (...,) about an axis through a point: Rodrigues' formula."""
    x, y, z = axis = np.divide(axis, math.hypot(*axis))
    away = points - np.asarray(origin)
    cos = np.cos(angle)
    found = away * cos[..., None]
    found += ((away @ axis) * (1.0 - cos))[..., None] * axis + np.asarray(origin)
    # The cross product with the axis as a matrix: np.cross takes much longer.
    across = away @ np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    found += across * np.sin(angle)[..., None]
    return found


def tip(arm, q):
    """(..., 2) or (..., 3) the tip, link after link, turned about the axis that the arm was given.

    A chain is in its plane; q is (..., n).
    """
    chain, q = getattr(arm, 'chain', arm), np.asarray(q)
    end = placed(chain, of_chain(arm, q))[-1]
    if arm is chain:
        return np.stack([end.real, end.imag], axis=-1)
    return carried(arm, q, *rolled(arm, q, end))


def rolled(arm, q, end):
    """(...,) where a roll brings the tip from the chain's end in the plane, and how far beside."""
    if arm.roll is None:
        return end, 0.0
    origin, axis = (*arm.roll.origin, 0.0), (*arm.roll.axis, 0.0)
    link = arm.chain.joints[-1].link
    there = turned(np.array([*link, arm.roll.tip_z]), origin, axis, q[..., -1])
    off = (there[..., :2] - link) @ np.array([1.0, 1j])
    return end + off * np.exp(1j * headings(arm.chain, of_chain(arm, q))[-1]), there[..., 2]


def carried(arm, q, points, beside):
    """(..., 3) points in or beside the plane, complex numbers, where turntable or lift bring it."""
    x, y, normal = np.array(arm.plane.axes)
    there = np.asarray(points)[..., None].view(float) @ np.array([x, y])
    there += arm.plane.origin + np.multiply.outer(beside, normal)
    if arm.turntable is not None:
        return turned(there, arm.turntable.xyz, arm.turntable.axis, q[..., 0])
    return there if arm.lift is None else there + q[..., :1] * arm.lift.axis * normal


def with_slopes(function, q):
    """What a function returns for a pose (n,), (..., k) for poses (..., n), and its derivatives."""
    here, *beside = function(np.vstack([q, q + 1e-7 * np.eye(len(q))]))
    return here, (np.array(beside) - here).T / 1e-7


def closest_of_an_optimiser(arm, target, rng, roll=0.0, runs=8):
    """The smallest distance that an optimiser comes to from some poses; a roll stays as it is."""
    from scipy.optimize import minimize  # slow to load, and most who import this do without

    lower, upper, size = arm.lower.copy(), arm.upper.copy(), arm.size
    if getattr(arm, 'roll', None) is not None:
        lower[-1] = upper[-1] = roll

    def square(q):
        return np.sum(((tip(arm, q) - target) / size) ** 2, axis=-1)

    options = {'jac': True, 'bounds': [*zip(lower, upper, strict=True)], 'options': {'ftol': 1e-14}}
    starts = np.clip(random_poses(arm, runs, rng), lower, upper)
    found = [minimize(partial(with_slopes, square), q, method='SLSQP', **options) for q in starts]
    return size * math.sqrt(min(each.fun for each in found))
