"""Whether the outline of the area of reach is right, and what it costs (docs/solvers.md, 8).

python benchmarks/outline.py [--count N] [--slides] [--first SEED]

Random chains of 2 to 7 joints with limits of eight characters. Of each, tips of poses and random
points are inside the outline exactly if `solve_batch` reaches them, unless they are nearer to it
than 2e-5 of the reach; every corner is reached to 1e-9 of the reach.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'test'))
from arms import LIMITS, random_chain, random_limits, random_poses

from ik2d_ros.arm.core import core_of
from ik2d_ros.arm.outline import Segments, distances, inside
from ik2d_ros.arm.polygons import polygons
from ik2d_ros.kinematics import Chain, solve_batch
from ik2d_ros.kinematics.proof.edge_loops import edge_loops
from ik2d_ros.kinematics.proof.proof import proof_of

NEAR = 2e-5  # reaches
CHORD = 1e-5  # reaches
EXACT = 1e-9  # reaches


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=200, help='chains')
    parser.add_argument('--first', type=int, default=0, help='seed of the first')
    parser.add_argument('--slides', action='store_true', help='one or two joints slide')
    options = parser.parse_args()
    times: dict[int, list[float]] = {}
    wrong = 0
    for seed in range(options.first, options.first + options.count):
        rng = np.random.default_rng(seed)
        chain = core_of(random_one(rng, options.slides)).chain
        if chain is None or len(chain) < 2 or proof_of(chain) is None:
            continue
        begun = time.perf_counter()
        loops = edge_loops(chain)
        times.setdefault(len(chain), []).append(time.perf_counter() - begun)
        complaint = faults(chain, loops, rng)
        if complaint:
            wrong += 1
            print(f'seed {seed}, {len(chain)} joints: {complaint}')
    for count, taken in sorted(times.items()):
        print(
            f'{count} joints: {len(taken)} chains, {1e3 * float(np.median(taken)):.1f} ms in the '
            f'median, {1e3 * max(taken):.0f} ms at most'
        )
    print(f'{wrong} wrong')
    return 1 if wrong else 0


def random_one(rng: np.random.Generator, slides: bool) -> Chain:
    count = int(rng.integers(2, 8))
    kind = rng.choice([*LIMITS, 'tiny', 'right angles'])
    if kind == 'tiny':
        middle, half = rng.uniform(-2.0, 2.0, count), 10.0 ** rng.uniform(-4.0, -1.0, count)
        limits = list(zip(middle - half, middle + half, strict=True))
    elif kind == 'right angles':
        turns = rng.integers([[0], [1]], [[3], [4]], (2, count)) * [[-0.5], [0.5]] * math.pi
        limits = list(zip(*turns, strict=True))
    else:
        limits = random_limits(kind, count, rng)
    if rng.random() < 0.3:
        chain = Chain.from_lengths(rng.choice([1.0, 0.5], count).tolist(), limits)
    else:
        chain = random_chain(count, rng, limits)
    joints = list(chain.joints)
    for index in rng.choice(count, rng.integers(1, 3), replace=False) if slides else ():
        lower = float(rng.choice([-0.5, 0.0, 0.2]))
        stroke = float(rng.choice([0.5, 1.0, rng.uniform(0.01, 2.0)]))
        joints[index] = replace(joints[index], type='prismatic', lower=lower, upper=lower + stroke)
    return Chain(joints)


def faults(chain: Chain, loops: list | None, rng: np.random.Generator) -> str:
    if not loops:
        return 'left open' if loops is None else 'none'
    size = chain.reach.outer
    corners = [np.stack([each.real, each.imag], axis=1) for each in polygons(loops, CHORD)]
    sides = Segments(
        np.concatenate(corners), np.concatenate([np.roll(each, -1, axis=0) for each in corners])
    )
    tips = chain.forward(random_poses(chain, 300, rng))[:, -1] / size
    places = np.concatenate([tips, rng.uniform(-1.05, 1.05, (400, 2))])
    reached = solve_batch(chain, size * places, tolerance=EXACT * size).error <= EXACT * size
    away = distances(sides, places[inside(sides, places) != reached]).max(initial=0.0)
    some = size * np.concatenate(corners)[:: 1 + len(sides.begin) // 500]
    missed = solve_batch(chain, some, tolerance=1e-3 * EXACT * size).error.max() / size
    complaints = [f'off by {away:.0e} reaches'] if away > NEAR else []
    complaints += [f'a corner is missed by {missed:.0e} reaches'] if missed > EXACT else []
    return ', '.join(complaints)


if __name__ == '__main__':
    sys.exit(main())
