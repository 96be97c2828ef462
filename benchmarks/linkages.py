"""Looks for targets that random arms with absolute joints miss, and for closer poses by SciPy.

python benchmarks/linkages.py [--targets 100000] [--forbidden 10] [--arms 30]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'test' / 'kinematics'))

import linkage_judge as judge

from ik2d_ros.kinematics import Status, solve, solve_batch

NEAR = 1e-9  # rad, and reaches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--targets', type=int, default=10_000, help='tips of poses, for each arm')
    parser.add_argument('--forbidden', type=int, default=10, help='of each arm, against SciPy')
    parser.add_argument('--arms', type=int, default=30)
    given = parser.parse_args()
    missed = outside = farther = 0
    for seed in range(given.arms):
        chain, rng = judge.random_chain(seed), np.random.default_rng(seed)
        targets = chain.forward(judge.poses(chain, given.targets, seed))[:, -1]
        batch = solve_batch(chain, targets)
        missed += int((batch.status != Status.REACHED).sum())
        outside += sum(judge.misses(chain, q) > NEAR for q in batch.q.tolist())
        reach, left = chain.reach.outer, given.forbidden
        while left:
            target = complex(*chain.tool) + reach * complex(*rng.uniform(-1.1, 1.1, 2))
            answer = solve(chain, (target.real, target.imag))
            if answer.status is not Status.REACHED:
                left -= 1
                best = judge.closest(chain, target, 20)
                farther += answer.error > best + NEAR * reach
                outside += judge.misses(chain, answer.q) > NEAR
        print(f'{seed + 1} arms: {missed} missed, {outside} outside, {farther} farther', flush=True)


if __name__ == '__main__':
    main()
