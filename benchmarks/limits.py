"""Whether the proof within limits keeps what it says: nothing missed, nothing closer.

    python benchmarks/limits.py [--slides] [--count 1000000] [--optimised 300] [--seed 1]

For chains of 3 to 8 joints, or with --slides of 2 to 6 of which one or two slide, with random,
narrow, one-sided, wide and mixed limits: targets that are tips of poses inside the limits, a fifth
of their joints at one, must be reached to 1e-9 of the reach; and no run of SciPy's may come closer
to a target that is forbidden.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))

from arms import LIMITS, random_chain, random_limits

from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.links import Links, spans_of, tips
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.proof.proof_many import decide_many

JOINTS = range(3, 9)
SLIDING_JOINTS = range(2, 7)
EACH = 2000  # Targets of a chain.
RUNS = 50  # Of the optimiser, for each target.
ENOUGH = 1e-9  # Reaches.


def narrow(count, rng):
    """Ranges of 0.01 to 0.3 rad."""
    middle, half = rng.uniform(-2.0, 2.0, count), rng.uniform(0.005, 0.15, count)
    return list(zip(middle - half, middle + half, strict=True))


def mixed(count, rng):
    """Each joint's range of another kind."""
    kinds = rng.choice(sorted(LIMITS), count)
    return [random_limits(kind, count, rng)[i] for i, kind in enumerate(kinds)]


KINDS = {
    **{name: lambda count, rng, name=name: random_limits(name, count, rng) for name in LIMITS},
    'very narrow': narrow,
    'all kinds': mixed,
}


def with_slides(chain, count, rng):
    """The same with some of its joints prismatic, of wide strokes and of narrow ones."""
    sliding = rng.choice(len(chain), count, replace=False)
    lower = rng.uniform(-1.5, 1.0, len(chain))
    stroke = rng.choice([0.01, 0.1, 0.5, 2.0], len(chain))
    return Chain(
        [
            replace(joint, lower=lower[i], upper=lower[i] + stroke[i], type='prismatic')
            if i in sliding
            else joint
            for i, joint in enumerate(chain.joints)
        ]
    )


def drawn(chain, count, rng):
    """(n, count) bends inside the limits, a fifth of them at one."""
    lower, upper = np.array(chain.bend_limits).T[:, :, None]
    low, high = (
        np.where(np.isfinite(lower), lower, -np.pi),
        np.where(np.isfinite(upper), upper, np.pi),
    )
    bends = rng.uniform(low, high, (len(chain), count))
    ends = np.where(rng.random(bends.shape) < 0.5, low, high)
    return np.where(rng.random(bends.shape) < 0.2, ends, bends)


def closest_of_an_optimiser(links, target, rng):
    """The smallest distance that bounded quasi-Newton runs come to, in reaches."""
    low = np.where(np.isfinite(links.lower), links.lower, -10.0)[:, 0]
    high = np.where(np.isfinite(links.upper), links.upper, 10.0)[:, 0]

    def half_square(bends):
        spans = spans_of(links, np.array([target]), bends[:, None])
        return 0.5 * spans.error[0] ** 2, -spans.pull[:, 0]

    fits = [
        minimize(
            half_square, rng.uniform(low, high), jac=True, method='L-BFGS-B',
            bounds=list(zip(low, high, strict=True)),
            options={'ftol': 1e-15, 'gtol': 1e-11, 'maxiter': 500},
        )
        for _ in range(RUNS)
    ]  # fmt: skip
    return math.sqrt(2.0 * min(fit.fun for fit in fits))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--slides', action='store_true', help='one or two joints slide')
    parser.add_argument('--count', type=int, default=1_000_000, help='targets to reach')
    parser.add_argument('--optimised', type=int, default=300, help='forbidden ones to compare')
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    rows = [(joints, 0, kind) for joints in JOINTS for kind in KINDS]
    if arguments.slides:
        rows = [(n, slides, kind) for n in SLIDING_JOINTS for slides in (1, 2) for kind in KINDS]
    each = -(-arguments.count // len(rows))
    compared = -(-arguments.optimised // len(rows))
    tried = missed = forbidden = 0
    worst, farther = 0.0, -math.inf
    for joints, slides, kind in rows:
        done, optimised = 0, 0
        while done < each:
            count = min(EACH, each - done)
            chain: Chain = random_chain(joints, rng, KINDS[kind](joints, rng))
            if slides:
                chain = with_slides(chain, slides, rng)
            proof, links = proof_of(chain), Links.of(chain)
            targets, starts = tips(links, drawn(chain, count, rng)), drawn(chain, count, rng)
            error = np.abs(tips(links, decide_many(proof, targets, starts).bends) - targets)
            done, tried, missed = done + count, tried + count, missed + int((error > ENOUGH).sum())
            worst = max(worst, error.max())
            anywhere = np.sqrt(rng.random(20)) * np.exp(2j * np.pi * rng.random(20))
            found = decide_many(proof, anywhere, starts[:, :20])
            away = np.abs(tips(links, found.bends) - anywhere)
            for k in np.flatnonzero(~found.reached):
                if optimised < compared:
                    best = closest_of_an_optimiser(links, anywhere[k], rng)
                    farther, optimised = max(farther, away[k] - best), optimised + 1
        forbidden += optimised
        sliding = f', {slides} sliding' if slides else ''
        print(f'{joints} joints{sliding}, {kind}: {tried:,} targets, {missed} missed', flush=True)
    print(f'{tried:,} targets by FK: {missed} missed, worst error {worst:.1e} of the reach')
    print(f'{forbidden} forbidden ones: at most {farther:.1e} farther than the best of {RUNS} runs')


if __name__ == '__main__':
    main()
