"""Which tuned numbers of the solvers matter: each halved and doubled, by itself.

    python benchmarks/tuning.py [--count 300] [--only NAME]

Prints for each the share of targets reached, the time of a solve beside that with the number as it
is (interleaved), and the jumps along paths within limits. A number that matters in no column
within a factor of two might as well be another one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))

from arms import in_annulus, random_limits, random_poses

from ik2d_ros.kinematics import Chain, Status, solve

# Where each is defined; whoever imports it by name gets the changed one, too.
NUMBERS = {
    'ccd': ('_LATE', '_FEWEST', '_MOST', 'PAIRS'),
    'hybrid': ('NEAR', 'FINE', 'LITTLE', 'DEVIOUS'),
    'stages': ('ENOUGH',),
    'stepping': (
        'LARGEST_TURN', 'ENOUGH', 'LIGHTLY', 'EASE', '_RETURNS', '_RETURN', '_BACK', '_LOOSE',
        'OFF_LIMITS', 'STRAIGHTEN', 'AT_LIMIT',
    ),
}  # fmt: skip
SHARES = ('DEVIOUS', 'ENOUGH')  # Of an error: what they leave of 1 is halved, or goes half way up.
CHAINS = ((3, None), (6, None), (3, 'symmetric'), (6, 'symmetric'), (6, 'one-sided'))
STEPS = 120  # Of a path.
JUMP = 0.5  # rad in a step; a smooth path of so many steps needs less.


def problems(count, rng):
    """Chains with targets and starts, far from one another."""
    for joints, kind in CHAINS:
        limits = random_limits(kind, joints, rng) if kind else None
        chain = Chain.from_lengths([1.0 / joints] * joints, limits)
        tips = chain.forward(random_poses(chain, count, rng))[:, -1]
        yield (
            chain,
            in_annulus(chain, count, rng) if kind is None else tips,
            random_poses(chain, count, rng),
        )


def paths():
    """Chains with limits, and the points of a path for each."""
    lap = np.linspace(0.0, 2.0 * np.pi, STEPS, endpoint=False)
    circle = np.stack([0.55 + 0.2 * np.cos(lap), 0.2 * np.sin(lap)], axis=1)
    eight = np.stack([0.5 + 0.3 * np.sin(lap), 0.2 * np.sin(2.0 * lap)], axis=1)
    for joints in (4, 6):
        for limits in ([(-2.0, 2.0)] * joints, [(-3.1, 3.1), *[(0.0, 2.6)] * (joints - 1)]):
            for points in (circle, eight):
                yield Chain.from_lengths([1.0 / joints] * joints, limits), points


def measured(given, ways):
    """Seconds, targets reached and jumps."""
    began = time.process_time()
    reached = jumps = 0
    for chain, targets, starts in given:
        for solver in ('hybrid', 'ccd'):
            for target, start in zip(targets, starts, strict=True):
                answer = solve(chain, target, solver, start, tolerance=1e-9)
                reached += answer.status is Status.REACHED
    for chain, points in ways:
        q = solve(chain, points[0], tolerance=1e-9).q
        for point in points:
            after = solve(chain, point, start=q, tolerance=1e-9).q
            jumps += np.abs(after - q).max() > JUMP
            q = after
    return time.process_time() - began, reached, int(jumps)


def put(module, name, value):
    """Change a number wherever it is known by its name, and return what it was."""
    before = getattr(sys.modules[f'ik2d_ros.kinematics.{module}'], name)
    for path, loaded in list(sys.modules.items()):
        if path.startswith('ik2d_ros.kinematics.') and loaded.__dict__.get(name) == before:
            own = any(name in names for m, names in NUMBERS.items() if path.endswith(f'.{m}'))
            if path.endswith(f'.{module}') or not own:
                setattr(loaded, name, value)
    sys.modules['ik2d_ros.kinematics.ccd'].pace.cache_clear()
    return before


def changed(name, value, factor):
    """Return half or double the value; of a share, what it leaves of 1."""
    if name in SHARES:
        return 1.0 - (1.0 - value) * factor if factor < 1.0 else max(0.0, 1.0 - (1.0 - value) * 2.0)
    return max(1, round(value * factor)) if isinstance(value, int) else value * factor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=300, help='targets of each chain')
    parser.add_argument('--only', default='', metavar='NAME')
    arguments = parser.parse_args()
    given = list(problems(arguments.count, np.random.default_rng(1)))
    ways = list(paths())
    every = 2 * sum(len(targets) for _, targets, _ in given)
    print(f'as it is: {measured(given, ways)[1:]} of {every} reached, and jumps')
    for module, names in NUMBERS.items():
        for name in names:
            if arguments.only not in name:
                continue
            value = getattr(sys.modules[f'ik2d_ros.kinematics.{module}'], name)
            for factor in (0.5, 2.0):
                new = changed(name, value, factor)
                usual, _, _ = measured(given, ways)
                put(module, name, new)
                took, reached, jumps = measured(given, ways)
                put(module, name, value)
                print(
                    f'{module}.{name} {value:g} -> {new:g}: {reached} reached, {jumps} jumps, '
                    f'{took / usual:.2f} times the time',
                    flush=True,
                )


if __name__ == '__main__':
    main()
