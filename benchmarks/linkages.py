"""Looks for targets that random arms with absolute joints miss, and for wrong distances.

python benchmarks/linkages.py [--targets 100000] [--forbidden 10] [--arms 30]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'test'))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'test' / 'kinematics'))

from arms import bend_excess, random_linkage, random_poses
from judge import closest

from ik2d_ros.kinematics import Status, solve, solve_batch

NEAR = 1e-9  # rad, and reaches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--targets', type=int, default=10_000, help='tips of poses, for each arm')
    parser.add_argument('--forbidden', type=int, default=10, help='of each arm, for the judge')
    parser.add_argument('--arms', type=int, default=30)
    given = parser.parse_args()
    missed = outside = wrong = 0
    for seed in range(given.arms):
        rng = np.random.default_rng(seed)
        chain = random_linkage(rng)
        targets = chain.forward(random_poses(chain, given.targets, rng))[:, -1]
        batch = solve_batch(chain, targets)
        missed += int((batch.status != Status.REACHED).sum())
        outside += sum(bend_excess(chain, q) > NEAR for q in batch.q.tolist())
        reach, left = chain.reach.outer, given.forbidden
        while left:
            x, y = reach * rng.uniform(-1.1, 1.1, 2) + chain.tool
            answer = solve(chain, (x, y))
            if answer.status is not Status.REACHED:
                left -= 1
                wrong += abs(answer.error - closest(chain, x, y)) > NEAR * reach
                outside += bend_excess(chain, answer.q) > NEAR
        print(f'{seed + 1} arms: {missed} missed, {outside} outside, {wrong} wrong', flush=True)


if __name__ == '__main__':
    main()
