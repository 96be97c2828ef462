"""Ways beside walls: nothing is stuck on a wall, and few ways are missed that there are."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy.ndimage import label
from sizes import count
from space import described, random_pose
from walled import heights, random_walled, random_walls

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm, Chain, Plane, Status, Turntable, Wall, solve, solve_path
from ik2d_ros.pilot.answer import Answer, Situation
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.plan import plan_target
from ik2d_ros.pilot.request import Point
from ik2d_ros.planning.settings import Settings

CELLS = {2: 240, 3: 80}  # of a joint's range, for arms of so many joints
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))


def on_the_tip(arm: Arm, pose: np.ndarray, rng: np.random.Generator, gap: float) -> Arm | None:
    """The arm beside one wall of any tilt and clearance, so far in m below the tip, the lowest."""
    normal = rng.normal(size=3)
    if len(arm) == len(arm.chain):
        normal -= (normal @ arm.plane.axes[2]) * np.array(arm.plane.axes[2])
    normal /= np.linalg.norm(normal)
    clearance = rng.choice([0.0, 0.05 * arm.size])
    aside = rng.normal(size=3) * arm.size
    aside -= (aside @ normal) * normal
    point = arm.forward(pose) - (clearance + gap) * normal + aside
    wall = Wall(tuple(point), tuple(normal), clearance)
    walled = Arm(arm.chain, arm.plane, arm.turntable, arm.lift, [wall])
    lowest = heights(walled, pose)[0]
    return walled if lowest.min() >= lowest[-1] - 1e-12 else None


def answered(arm: Arm, start: np.ndarray, target: np.ndarray) -> Answer:
    description = described(arm, start.tolist(), [MotionLimits(2.0)] * len(arm))
    situation = Situation(tuple(start.tolist()))
    return plan_target(
        Point(tuple(target.tolist())), situation, Configuration(description, Settings())
    )


def test_an_arm_on_a_wall_goes_wherever_it_could_from_just_above_it() -> None:
    tried = stuck = 0
    for seed in range(count(3000, 15)):
        rng = np.random.default_rng(seed)
        arm, pose = random_walled(rng, ['limits', 'turntable', 'no limits'])
        on_wall, above = (
            on_the_tip(arm, pose, np.random.default_rng(seed), gap) for gap in (0.0, 1e-4)
        )
        if on_wall is None or above is None:
            continue
        targets = np.array([arm.forward(random_pose(arm, rng)) for _ in range(4)])
        wall, normal = on_wall.walls[0], np.array(on_wall.walls[0].normal)
        flat = targets - ((targets - wall.point) @ normal - wall.clearance)[:, None] * normal
        for target in [*targets, *flat]:
            found, other = (answered(each, pose, target) for each in (on_wall, above))
            if other.report.code == 'REACHED':
                tried += 1
                stuck += found.report.code != 'REACHED'
    assert tried > 20
    assert stuck <= 0.02 * tried, (stuck, tried)


def test_a_path_on_a_wall_can_be_followed_where_one_just_above_it_can() -> None:
    tried = ended = 0
    for seed in range(count(3000, 40)):
        rng = np.random.default_rng(seed)
        joints, tilt = int(rng.integers(2, 6)), rng.uniform(-3.0, 3.0)
        chain = Chain.from_lengths(rng.uniform(0.1, 0.3, joints), limits=[(-2.8, 2.8)] * joints)
        normal, along = (np.array([np.sin(a), np.cos(a), 0.0]) for a in (tilt, tilt + 0.5 * np.pi))
        clearance, size = rng.choice([0.0, 0.02]), chain.size
        foot = -rng.uniform(0.05, 0.6) * size * normal
        walled = Arm(
            chain, walls=[Wall(tuple(foot - clearance * normal), tuple(normal), clearance)]
        )
        points = foot + rng.uniform(-0.8, 0.8, (2, 1)) * size * along
        begin = solve(walled, points[0])
        if begin.status is not Status.REACHED:
            continue
        above = solve_path(walled, points + 0.9e-4 * normal, start=begin.q)
        if above.status is Status.REACHED:
            path = solve_path(walled, points, start=begin.q)
            tried += 1
            ended += path.status is not Status.REACHED
            if len(path.q):
                assert heights(walled, path.q).min() >= -1e-9 * size
    assert tried > 15
    assert ended <= 0.02 * tried, (ended, tried)


@lru_cache(1)
def regions(arm: Arm) -> np.ndarray:
    """The regions of a grid over all joints on this side of the walls, by number; 0 elsewhere."""
    axes = [np.linspace(*ends, CELLS[len(arm)]) for ends in arm.limits]
    grid = np.stack(np.meshgrid(*axes, indexing='ij'), axis=-1)
    return label(heights(arm, grid).min(axis=(0, 1)) > 0.006 * arm.size)[0]


def are_connected(arm: Arm, start: np.ndarray, goal: np.ndarray) -> bool:
    """Whether a grid over all joints leads from one pose to another on this side of the walls."""
    shares = (np.array([start, goal]) - arm.lower) / (arm.upper - arm.lower)
    begin, end = regions(arm)[tuple(np.rint(shares * (CELLS[len(arm)] - 1)).astype(int).T)]
    return bool(begin and begin == end)


@pytest.mark.parametrize('turntable', [None, Turntable(lower=-2.5, upper=2.5)])
def test_few_ways_are_missed(turntable: Turntable | None) -> None:
    """Of targets with a clear pose to which a way leads, one in a hundred is BLOCKED at most."""
    tried = missed = 0
    for seed in range(count(2000, 30)):
        rng = np.random.default_rng(seed)
        limits = np.array([-1.0, 1.0]) * rng.uniform(0.5, 3.0, (2, 2))
        chain = Chain.from_lengths(rng.uniform(0.1, 0.3, 2), limits=limits.tolist())
        bare = Arm(chain, UPRIGHT, turntable)
        arm = replace(bare, walls=random_walls(bare, rng, random_pose(bare, rng)))
        poses = [random_pose(arm, rng) for _ in range(40)]
        poses = [q for q in poses if heights(arm, q).min() > 0.01 * arm.size]
        for start, goal in zip(poses[::2], poses[1::2], strict=False):
            found = answered(arm, start, arm.forward(goal))
            tried += 1
            missed += found.report.code == 'BLOCKED' and are_connected(arm, start, goal)
    assert tried > 50
    assert missed <= 0.01 * tried, (missed, tried)
