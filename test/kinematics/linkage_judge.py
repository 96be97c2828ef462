"""Chains with absolute joints by plain sums and SciPy: an independent judge for tests."""

import cmath
import math
import random
import warnings

import numpy as np
from scipy.optimize import LinearConstraint, minimize

from ik2d_ros.kinematics import Chain, Joint

WIDTHS = {'wide': 6.8, 'middling': 2.4, 'narrow': 0.2, 'a point': 0.0}


def headings(joints, q):
    """The directions of the link frames in rad, added up joint by joint."""
    found, heading = [], 0.0
    for j, (joint, position) in enumerate(zip(joints, q, strict=True)):
        own = joint.axis * position + joint.offset
        heading = own if joint.absolute or j == 0 else heading + own
        found.append(heading)
    return found


def aside(joint):
    """The direction of a link in its frame."""
    return cmath.phase(complex(*joint.link))


def tip(chain, q):
    """Where the tip is, as a complex number."""
    turned = zip(chain.joints, headings(chain.joints, q), strict=True)
    return complex(*chain.tool) + sum(complex(*j.link) * cmath.rect(1, h) for j, h in turned)


def bends(joints, q):
    """The angle from the link before to each link but the first."""
    ways = [h + aside(joint) for joint, h in zip(joints, headings(joints, q), strict=True)]
    return np.diff(ways)


def misses(chain, q):
    """How far a pose is outside of its limits: of positions at all, and of bends in rad."""
    outside = any(
        joint.lower is not None and not joint.lower <= position <= joint.upper
        for joint, position in zip(chain.joints, q, strict=True)
    )
    most = 0.0
    for joint, bend in zip(chain.joints[1:], bends(chain.joints, q), strict=True):
        if joint.min_bend is not None:
            half = 0.5 * (joint.max_bend - joint.min_bend)
            off = math.remainder(bend - joint.min_bend - half, math.tau)
            most = max(most, abs(off) - half)
    return math.inf if outside else most


def random_chain(seed, fewest=2):
    """A chain of 2 to 5 joints, some absolute, with limits of every kind about one pose."""
    rng = random.Random(seed)
    count = rng.randint(fewest, 5)
    pose = [rng.uniform(-3, 3) for _ in range(count)]
    joints = []
    for j in range(count):
        kind = rng.choice(['wide', 'middling', 'middling', 'narrow', 'a point', None])
        if kind == 'a point' and rng.random() < 0.8:
            kind = 'middling'
        width, at = WIDTHS.get(kind, 0.0), rng.random()
        length = rng.uniform(0.2, 1) * (rng.random() < 0.9)
        link = cmath.rect(length, rng.choice([0, 0, rng.uniform(-3, 3)]))
        fields = {
            'name': f'joint{j}',
            'link': (link.real, link.imag),
            'lower': kind and pose[j] - at * width,
            'upper': kind and pose[j] + (1 - at) * width,
            'offset': rng.choice([0, rng.uniform(-2, 2)]),
            'axis': rng.choice([1, -1]),
            'absolute': j > 0 and (j == 1 or rng.random() < 0.65),
        }
        joint = Joint(**fields)
        joints.append(joint)
        if joint.absolute and rng.random() < 0.6:
            bend = bends(joints, pose[: j + 1])[-1]
            width = rng.choice([0.2, 1.0, 2.5])
            ends = {
                'min_bend': bend - rng.random() * width,
                'max_bend': bend + rng.random() * width,
            }
            joints[-1] = Joint(**fields, **ends)
    return Chain(joints, tool=rng.choice([(0, 0), (0.3, -0.2)]))


def poses(chain, count, seed=0):
    """Poses (count, n) within all limits, a fifth of the joints at one of theirs."""
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(chain.lower), chain.lower, -4.0)
    high = np.where(np.isfinite(chain.upper), chain.upper, 4.0)
    q = rng.uniform(low, high, (count, len(chain)))
    at = rng.random(q.shape)
    q = np.where(at < 0.1, low, np.where(at > 0.9, high, q))
    settled = [chain.settled(pose) for pose in q.tolist()]
    assert all(misses(chain, pose) <= 1e-9 for pose in settled)
    return np.array(settled)


def closest(chain, point, count=8):
    """The least distance of the tip from a point that SciPy finds from as many poses."""
    return _best(chain, lambda q: abs(tip(chain, q) - point) ** 2, count) ** 0.5


def closest_angle(chain, point, angle, count=8):
    """The least angle in rad of the last link's frame off one, with the tip at a point."""

    def gap(q):
        there = tip(chain, q) - point
        return [there.real, there.imag]

    def off(q):
        return math.remainder(headings(chain.joints, q)[-1] - angle, math.tau) ** 2

    return _best(chain, off, count, [{'type': 'eq', 'fun': gap}]) ** 0.5


def _best(chain, cost, count, conditions=()):
    found = math.inf
    for q in poses(chain, count):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            answer = minimize(
                cost,
                q,
                bounds=[(low, high) for low, high in chain.limits],
                constraints=[*conditions, *_bend_limits(chain, q)],
                method='SLSQP',
                options={'ftol': 1e-16, 'maxiter': 200},
            )
        end = np.clip(answer.x, chain.lower, chain.upper)
        if misses(chain, end) <= 1e-9 and all(
            np.abs(c['fun'](end)).max() < 1e-7 for c in conditions
        ):
            found = min(found, cost(end))
    return found


def _bend_limits(chain, q):
    """The limits of bends, in the turns that a pose has."""
    rest = bends(chain.joints, np.zeros(len(chain)))
    rows = np.array([bends(chain.joints, unit) - rest for unit in np.eye(len(chain))]).T
    for joint, row, still in zip(chain.joints[1:], rows, rest, strict=True):
        if joint.min_bend is not None:
            middle = 0.5 * joint.min_bend + 0.5 * joint.max_bend
            turns = math.tau * round((row @ q + still - middle) / math.tau) - still
            yield LinearConstraint(row, joint.min_bend + turns, joint.max_bend + turns)
