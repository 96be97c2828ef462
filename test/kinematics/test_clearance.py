"""Motions beside walls: what is said to keep off keeps off, wherever one looks."""

from itertools import pairwise

import numpy as np
import pytest
from arms import random_poses
from walled import heights, random_walled

from ik2d_ros.kinematics.clearance import BETWEEN_COMMANDS, PLANNED, Stop, StopCheck, collisions

SHARES = np.linspace(0.0, 1.0, 1001)[:, None]


def clear_poses(arm, rng):
    return [pose for pose in random_poses(arm, 30, rng) if arm.is_clear(pose.tolist())]


@pytest.mark.parametrize('seed', range(60))
def test_planned_motions_keep_off_or_are_said_not_to(seed):
    rng = np.random.default_rng(seed)
    arm, start = random_walled(rng)
    poses = np.array([start, *clear_poses(arm, rng)])
    begins, moves = poses[:-1], np.diff(poses, axis=0)
    for bends in (None, 0.3 * rng.normal(size=moves.shape)):
        changes = np.zeros_like(moves) if bends is None else bends

        def lowest(k, shares, changes=changes):
            path = begins[k] + shares * (moves[k] + 0.5 * shares * changes[k])
            return heights(arm, path).min() / arm.size

        for k, (clear, across) in enumerate(np.transpose(collisions(arm, begins, moves, bends))):
            if across < np.inf:
                assert lowest(k, SHARES) <= 1e-4, 'it keeps off'
                assert lowest(k, across) < 0.0
            assert lowest(k, min(clear, 1.0) * SHARES) >= -2.0 * PLANNED


@pytest.mark.parametrize('seed', range(60))
def test_stops_of_joints_that_brake_each_at_its_own_time_keep_off_or_are_said_not_to(seed):
    """At each command to rounding; between two, as joints move evenly, by next to nothing."""
    rng = np.random.default_rng(seed)
    arm, start = random_walled(rng)
    for pose in [start, *clear_poses(arm, rng)]:
        speeds, ends = rng.normal(size=len(arm)), rng.uniform(0.0, 0.6, len(arm))
        step = float(rng.uniform(0.005, 0.1))

        def positions(time, pose=pose, speeds=speeds, ends=ends):
            left = np.maximum(1.0 - time / ends, 0.0)
            return (pose + 0.5 * speeds * ends * (1.0 - left**2)).tolist()

        sizes = np.abs(speeds)
        bounds = sizes.tolist(), (sizes / ends).tolist()
        stop = Stop(positions, 0.6, (0.5 * sizes * ends).tolist(), lambda each=bounds: each)
        before = (pose - 0.1 * step * rng.normal(size=len(arm))).tolist()
        check = StopCheck.at(arm, before)
        found = check.collision(before, pose.tolist(), stop, step)
        commands = np.array([before, *map(positions, np.arange(0.0, 0.6 + step, step))])
        between = np.array([a + SHARES[::50] * (b - a) for a, b in pairwise(commands)])
        least = np.minimum(heights(arm, np.array(before)), 0.0)[..., None]
        lowest = (heights(arm, commands) - least).min()
        lowest_between = (heights(arm, between) - least[..., None]).min()
        if found is None:
            assert lowest >= -1e-9 * arm.size
            assert lowest_between >= -BETWEEN_COMMANDS * min(1.0, arm.size)
        else:
            assert min(lowest, lowest_between) <= 1e-9 * arm.size
