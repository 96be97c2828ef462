"""Arms with walls, and how far their pivots are from them, for tests that state laws."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from arms import placed
from space import ARMS, carried, of_chain, random_pose, rolled

from ik2d_ros.kinematics import Chain, Wall


def pivots(arm, q):
    """(n + 1, ..., 3) all pivots and the tip in the base frame; q is (..., m).

    A tool turns about one more, at the end of the last link.
    """
    chain, q = arm.chain, np.asarray(q)
    points = placed(chain, of_chain(arm, q))
    if any(chain.tool):
        points = np.concatenate([points[:-1], points[-1:] - complex(*chain.tool), points[-1:]])
    if arm.roll is None:
        return carried(arm, q, points, 0.0)
    beside = np.zeros(points.shape)
    points[-1], beside[-1] = rolled(arm, q, points[-1])
    return carried(arm, q, points, beside)


@lru_cache(1)
def moving(arm):
    """(p,) which pivots the limits of joints let move; the tip counts as one of them."""
    lower, upper = np.nan_to_num(np.array(arm.limits).T, posinf=3.0, neginf=-3.0)
    poses = np.random.default_rng(0).uniform(lower, upper, (8, len(lower)))
    moves = np.ptp(pivots(arm, poses), axis=1).max(axis=-1) > 1e-9 * arm.size
    moves[-1] = True
    return moves


def heights(arm, q, moves=None):
    """(w, p, ...) of the pivots that can move, and of the tip, above the walls in m."""
    points = pivots(arm, q)[moving(arm) if moves is None else moves]
    found = []
    for wall in arm.walls:
        normal = np.array(wall.normal) / np.linalg.norm(wall.normal)
        found.append(points @ normal - (wall.point @ normal + wall.clearance))
    return np.array(found)


def random_walls(arm, rng, pose, gap=0.3):
    """One to three walls with a pose on this side, by up to so many reaches."""
    walls = []
    for k in range(int(rng.integers(1, 4))):
        normal = rng.normal(size=3)
        if rng.random() < 0.2:  # at right angles to the plane, or parallel to it
            normal = np.array(arm.plane.axes[int(rng.integers(3))]) * rng.choice([-1.0, 1.0])
        normal /= np.linalg.norm(normal)
        low, clearance = (pivots(arm, pose) @ normal).min(), 0.1 * arm.size * rng.random()
        point = normal * (low - clearance - gap * arm.size * rng.random())
        walls.append(Wall(tuple(point), tuple(normal * rng.uniform(0.1, 9)), clearance, f'w{k}'))
    return walls


def random_walled(rng, kinds=tuple(ARMS), gap=0.3):
    """An arm of some kind with walls, and a pose that keeps off them."""
    arm = ARMS[str(rng.choice(kinds))](rng)
    pose = random_pose(arm, rng)
    return replace(arm, walls=random_walls(arm, rng, pose, gap)), pose


def with_fixed_joints(arm, pose, rng):
    """The arm with some of its first joints fixed in a pose, as limits can."""

    def fixed(part, q):
        return part and (replace(part, lower=q, upper=q) if rng.random() < 0.5 else part)

    joints = arm.chain.joints
    count = rng.integers(len(joints) + 1)
    joints = [*map(fixed, joints[:count], of_chain(arm, pose).tolist()), *joints[count:]]
    turntable, lift = (fixed(each, float(pose[0])) for each in (arm.turntable, arm.lift))
    chain = Chain(joints, tool=arm.chain.tool)
    return replace(arm, chain=chain, turntable=turntable, lift=lift)
