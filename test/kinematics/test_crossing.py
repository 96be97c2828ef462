"""Motions beside walls: what is said to keep off keeps off, wherever one looks."""

import numpy as np
import pytest
from arms import random_poses
from walled import heights, random_walled

from ik2d_ros.kinematics.crossing import crossing, crossing_between, floors, gaps_of, keep_off

LOOKS = np.linspace(0.0, 1.0, 1001)[:, None]


def clear_poses(arm, rng):
    return [pose for pose in random_poses(arm, 30, rng) if arm.is_clear(pose.tolist())]


@pytest.mark.parametrize('seed', range(60))
def test_joints_that_move_evenly_keep_off_or_are_said_not_to(seed):
    rng = np.random.default_rng(seed)
    arm, start = random_walled(rng)
    for goal in clear_poses(arm, rng):
        found = crossing_between(arm, start.tolist(), goal.tolist())
        lowest = heights(arm, start + LOOKS * (goal - start)).min() / arm.size
        assert found is not None or lowest >= -1e-9
        if found is not None:
            assert lowest <= 1e-4, 'it keeps off'
            assert heights(arm, np.array(found)).min() <= 1e-2 * arm.size
        start = goal


@pytest.mark.parametrize('seed', range(60))
def test_joints_that_brake_each_at_its_own_time_keep_off_or_are_said_not_to(seed):
    rng = np.random.default_rng(seed)
    arm, start = random_walled(rng)
    for pose in [start, *clear_poses(arm, rng)]:
        speeds, ends = rng.normal(size=len(arm)), rng.uniform(0.0, 0.6, len(arm))

        def motion(time, pose=pose, speeds=speeds, ends=ends):
            left = np.maximum(1.0 - time / ends, 0.0)
            return pose + 0.5 * speeds * ends * (1.0 - left**2), speeds * left, speeds * left

        clearances = np.array(arm.clearances(pose))
        least = floors(arm, clearances)
        travel = 0.5 * np.abs(speeds * ends) @ arm.levers
        found = crossing(arm, motion, 0.6, least, clearances - least, travel)
        times = 0.6 * LOOKS
        positions, velocities, _ = motion(times)
        lowest = heights(arm, positions).min() / arm.size
        moves, gaps = 6e-4 * velocities, gaps_of(arm, positions, least)
        is_clear = keep_off(arm, gaps[:, :-1], gaps[:, 1:], moves[:-1], moves[1:]).all()
        assert lowest >= -1e-9 or not (found is None or is_clear)
        assert lowest <= 1e-4 or (found is None and is_clear)
