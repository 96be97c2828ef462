"""Arms and poses of every kind, for tests that state laws."""

import cmath
import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Joint

SPECIAL_LIMITS = math.pi * np.array(
    [(0.5, 0.5), (0.0, 0.0), (-0.5, 0.5), (0.0, 1.0), (-1.0, 0.5), (-1.0, 1.0), (-2.0, 2.0)]
)
"""In rad: one point, right and straight angles, one turn, two."""


def any_limits(rng):
    """Limits of a joint that turns: any, special ones, or none."""
    if rng.random() < 0.4:
        return None, None
    if rng.random() < 0.5:
        return SPECIAL_LIMITS[rng.integers(len(SPECIAL_LIMITS))].tolist()
    lower = rng.uniform(-3.0, 2.5)
    return lower, lower + rng.choice([rng.uniform(0.0, 3.0), rng.uniform(3.0, 8.0)])


def any_joint(name, rng, slides, limited, shortest, bent):
    """A joint of :func:`chains`; its link leads straight on, or is ``bent``, too."""
    length = rng.choice([shortest, 1.0, rng.uniform(max(shortest, 0.05), 2.0)], p=[0.1, 0.3, 0.6])
    direction, offset = bent * rng.integers(0, 2, 2) * rng.uniform(-math.pi, math.pi, 2)
    link = (length * math.cos(direction), length * math.sin(direction))
    kind, ends = 'revolute', any_limits(rng) if limited else (None, None)
    if rng.random() < slides:
        lower = rng.choice([-1.0, 0.0, rng.uniform(-2.0, 1.0)])
        kind, ends = 'prismatic', (lower, lower + rng.choice([0.0, 1.0, rng.uniform(0.01, 2.0)]))
    return Joint(name, link, *ends, offset, int(rng.choice([-1, 1])), kind)


SOME_JOINTS = st.integers(1, 6)


def chains(joints=SOME_JOINTS, slides=0.0, limited=True, shortest=0.0):
    """Any chains, also of links in one line or without length, and of joints that cannot move.

    Args:
        joints: how many.
        slides: share of joints that slide.
        limited: whether some joints that turn have limits.
        shortest: length of links in m, at least.
    """

    def made(count, seed):
        rng = np.random.default_rng(seed)
        how = slides, limited, shortest, rng.random() < 0.7
        return Chain([any_joint(f'j{i}', rng, *how) for i in range(count)])

    found = st.builds(made, joints, st.integers(0, 2**32 - 1))
    # Not where a link and its slide cancel, but for rounding.
    return found.filter(lambda chain: not 0.0 < chain.reach.outer < 1e-9)


@st.composite
def poses(draw, chain):
    """Poses inside the limits, often with joints at a limit."""
    q = []
    for lower, upper in chain.limits:
        low, high = (lower, upper) if math.isfinite(lower) else (-math.pi, math.pi)
        q.append(draw(st.one_of(st.floats(low, high), st.sampled_from([low, high]))))
    return np.array(q)


def _asymmetric(count, rng):
    lower = rng.uniform(-2.5, 0.5, count)
    return list(zip(lower, lower + rng.uniform(0.5, 3.0, count), strict=True))


def _narrow(count, rng):
    middle, half = rng.uniform(-1.5, 1.5, count), rng.uniform(0.02, 0.4, count)
    return list(zip(middle - half, middle + half, strict=True))


LIMITS = {
    'symmetric': lambda count, rng: [(-2.6, 2.6)] * count,
    'asymmetric': _asymmetric,
    'narrow': _narrow,
    'one-sided': lambda count, rng: [(-3.0, 3.0)] + [(0.0, 2.6)] * (count - 1),
    'mixed': lambda count, rng: [None if rng.random() < 0.5 else (-1.0, 1.5) for _ in range(count)],
    'wide': lambda count, rng: [(-6.0, 6.0)] * count,
}


def random_chain(count, rng, kind=None):
    """A chain with random link vectors, offsets and senses, and limits of a kind or none."""
    limits = LIMITS[kind](count, rng) if kind else [None] * count
    directions = rng.choice([0.0, 1.0], count) * rng.uniform(-math.pi, math.pi, count)
    sizes = rng.uniform(0.2, 1.0, count)
    return Chain(
        [
            Joint(
                f'j{i}',
                (sizes[i] * math.cos(directions[i]), sizes[i] * math.sin(directions[i])),
                *(limits[i] or (None, None)),
                offset=rng.choice([0.0, rng.uniform(-math.pi, math.pi)]),
                axis=int(rng.choice([-1, 1])),
            )
            for i in range(count)
        ]
    )


def random_poses(chain, count, rng, corners=0.2):
    """(count, n) poses inside the limits; some of them with many joints at a limit."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -math.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, math.pi)
    q = rng.uniform(lower, upper, (count, len(chain)))
    ends = np.where(rng.random(q.shape) < 0.5, lower, upper)
    at_limit = (rng.random(count) < corners)[:, None] & (rng.random(q.shape) < 0.7)
    q = np.where(at_limit, ends, q)
    return chain.project_poses(q)


def in_annulus(chain, count, rng, inner=0.0, outer=1.0):
    """(count, 2) targets, uniform over the annulus or a share of its width."""
    near, far = chain.reach
    low, high = near + inner * (far - near), near + outer * (far - near)
    radius = np.sqrt(rng.uniform(low * low, high * high, count))
    angle = rng.uniform(-math.pi, math.pi, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def by_joint(q):
    """(n, ...) positions (..., n), plain numbers of one pose: they take less time than arrays."""
    q = np.asarray(q)
    return q.transpose(-1, *range(q.ndim - 1)) if q.ndim > 1 else q.tolist()


def headings(chain, q):
    """(n, ...) directions of the link frames in rad, added up joint by joint; q is (..., n)."""
    found, heading = [], 0.0
    for joint, position in zip(chain.joints, by_joint(q), strict=True):
        own = joint.offset + (0.0 if joint.slides else joint.axis * position)
        heading = own if joint.absolute else heading + own
        found.append(heading)
    return found


def placed(chain, q):
    """(n + 1, ...) joints and tip as complex numbers, one link after the other; q is (..., n)."""
    positions, by = by_joint(q), cmath if np.ndim(q) == 1 else np
    points = [0j * positions[0]]
    for joint, position, heading in zip(chain.joints, positions, headings(chain, q), strict=True):
        link = complex(*joint.link)
        if joint.slides:
            link = link + joint.axis * position * (link / abs(link) if link else 1.0)
        points.append(points[-1] + link * by.exp(1j * heading))
    points[-1] = points[-1] + complex(*chain.tool)
    return np.array(points)


def bend_excess(chain, q):
    """By how many rad a pose is outside of the limits of bends."""
    before, most = 0.0, 0.0
    rows = zip(chain.joints, headings(chain, q), turns_of_bends(chain), strict=True)
    for joint, heading, turns in rows:
        way = heading + math.atan2(joint.link[1], joint.link[0])
        if joint.min_bend is not None:
            half = 0.5 * (joint.max_bend - joint.min_bend)
            off = way - before - joint.min_bend - half
            off = math.remainder(off, math.tau) if turns is None else off + math.tau * turns
            most = max(most, abs(off) - half)
        before = way
    return most


FEWEST_FIRST = sorted(range(-400, 401), key=abs)


@lru_cache(1)
def turns_of_bends(chain):
    """Whole turns to add to the difference of two links' directions for the bend that limits bound.

    None where a joint on the way is continuous. Else the fewest with which any positions do.
    """
    found, low, high, before = [], 0.0, 0.0, 0.0
    for joint in chain.joints:
        ends = (0.0,) if joint.slides else joint.limits
        ends = sorted(joint.offset + joint.axis * end for end in ends)
        if joint.absolute:
            way = math.atan2(joint.link[1], joint.link[0])
            gaps = ends[0] + way - before - high, ends[-1] + way - before - low
            low = high = 0.0
            turns = None
            if joint.min_bend is not None and math.isfinite(gaps[1] - gaps[0]):
                turns = next(
                    (
                        turns
                        for turns in FEWEST_FIRST
                        if gaps[0] + math.tau * turns <= joint.max_bend + 1e-9
                        and gaps[1] + math.tau * turns >= joint.min_bend - 1e-9
                    ),
                    0,
                )
        else:
            turns = 0
        found.append(turns)
        low, high = low + ends[0], high + ends[-1]
        before = math.atan2(joint.link[1], joint.link[0])
    return found


def random_linkage(rng, fewest=2):
    """A chain of 2 to 5 joints, some absolute, with limits of every kind about one pose."""
    count = int(rng.integers(fewest, 6))
    pose, joints = rng.uniform(-3.0, 3.0, count), []
    for j in range(count):
        width = rng.choice([6.8, 2.4, 2.4, 0.2, 0.0, math.nan], p=[0.2, 0.2, 0.2, 0.2, 0.05, 0.15])
        length, at = rng.uniform(0.2, 1.0) * (rng.random() < 0.9), rng.random()
        direction = rng.choice([0.0, rng.uniform(-3.0, 3.0)])
        free = math.isnan(width)
        joint = Joint(
            f'joint{j}',
            (length * math.cos(direction), length * math.sin(direction)),
            None if free else pose[j] - at * width,
            None if free else pose[j] + (1.0 - at) * width,
            float(rng.choice([0.0, rng.uniform(-2.0, 2.0)])),
            int(rng.choice([1, -1])),
            absolute=bool(j > 0 and (j == 1 or rng.random() < 0.65)),
        )
        joints.append(joint)
        if joint.absolute and rng.random() < 0.6:
            ways = headings(Chain(joints), pose[: j + 1])[-2:]
            ways = [
                way + math.atan2(*k.link[::-1]) for way, k in zip(ways, joints[-2:], strict=True)
            ]
            low, high = np.array([-1.0, 1.0]) * rng.choice([0.2, 1.0, 2.5]) * rng.random(2)
            bend = ways[1] - ways[0]
            joints[-1] = replace(joint, min_bend=bend + low, max_bend=bend + high)
    return Chain(joints, tool=(0.0, 0.0) if rng.random() < 0.5 else (0.3, -0.2))
