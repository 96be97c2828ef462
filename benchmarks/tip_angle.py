"""Whether points are reached at tip angles wherever they can be, and how close the angle comes.

    python benchmarks/tip_angle.py [--slides] [--count 100000] [--alone 0.02] [--optimised 300]
        [--seed 1]

For chains of 3 to 10 joints, without limits and with random, narrow, one-sided, wide and mixed
ones, or with --slides of 3 to 8 joints of which one to three slide: points and angles of poses
inside the limits, a fifth of their joints at one, must be reached to 1e-9 of the reach and 1e-9
rad, by `solve_batch`, and a share of them by `solve`, too. At other angles the point must be
reached all the same, and no run of SciPy's may come closer to the angle.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))

from arms import random_chain
from limits import KINDS, drawn, with_slides

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch

JOINTS = range(3, 11)
SLIDING_JOINTS = range(3, 9)
EACH = 500  # Targets of a chain.
RUNS = 20  # Of the optimiser, for each target.
ENOUGH = 1e-9  # Reaches, and rad.


def free(count, rng):
    """No limits."""
    return [None] * count


def positions(chain, count, rng):
    """(count, n) positions inside the limits, a fifth of them at one."""
    return (drawn(chain, count, rng).T - chain.shifts) / chain.signs


def wrapped(angle):
    return np.abs(np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi)


def turns_of(chain):
    """(n,) by how much each joint turns the last link."""
    return np.array([0 if joint.type == 'prismatic' else joint.axis for joint in chain.joints])


def turned(chain, q):
    """Direction of the last link's frame in rad."""
    return q @ turns_of(chain) + sum(joint.offset for joint in chain.joints)


def missed(chain, q, targets, angles):
    """(m,) which poses are not at their targets and angles."""
    away = np.hypot(*(chain.forward(q)[:, -1] - targets).T) / chain.reach.outer
    off = wrapped(turned(chain, q) - angles)
    inside = (q >= chain.lower).all(axis=1) & (q <= chain.upper).all(axis=1)
    return ~((away <= ENOUGH) & (off <= ENOUGH) & inside)


def least_off_of_an_optimiser(chain, target, angle, rng):
    """The smallest distance from the angle that runs at the target come to, in rad."""
    low = np.where(np.isfinite(chain.lower), chain.lower, -10.0)
    high = np.where(np.isfinite(chain.upper), chain.upper, 10.0)
    turns, reach = turns_of(chain), chain.reach.outer
    offset = sum(joint.offset for joint in chain.joints)
    sign = np.array([joint.axis for joint in chain.joints])

    def point(q):
        return (chain.forward(q)[-1] - target) / reach

    def slopes(q):
        points = chain.forward(q)
        spans = (points[-1] - points[:-1]) / reach
        # A slide moves the tip along its link.
        bent = np.cumsum(q * turns + [joint.offset for joint in chain.joints])
        ways = bent + [math.atan2(joint.link[1], joint.link[0]) for joint in chain.joints]
        return np.where(
            turns == 0,
            sign * np.stack([np.cos(ways), np.sin(ways)]) / reach,
            sign * np.stack([-spans[:, 1], spans[:, 0]]),
        )

    best = math.inf
    for _ in range(RUNS):
        start = rng.uniform(low, high)
        # To the turn of the angle that is nearest to the start, as the slope does not see others.
        goal = angle + 2.0 * math.pi * round((start @ turns + offset - angle) / (2.0 * math.pi))

        def square(q, goal=goal):
            away = q @ turns + offset - goal
            return 0.5 * away * away, away * turns

        fit = minimize(
            square, start, jac=True, method='SLSQP',
            bounds=list(zip(low, high, strict=True)),
            constraints={'type': 'eq', 'fun': point, 'jac': slopes},
            options={'ftol': 1e-16, 'maxiter': 300},
        )  # fmt: skip
        if np.hypot(*point(np.clip(fit.x, low, high))) <= 1e-9:
            best = min(best, float(wrapped(fit.x @ turns + offset - angle)))
    return best


def some_chain(joints, slides, kind, rng):
    """A random chain, some of its joints prismatic."""
    chain = random_chain(joints, rng, KINDS_TOO[kind](joints, rng))
    return with_slides(chain, slides, rng) if slides else chain


def reached(joints, slides, kind, count, share, rng):
    """How many of targets by FK are missed or unproven in a batch and alone, of how many."""
    done = lost = unproven = tried = lost_alone = 0
    spent = 0.0
    while done < count:
        m = min(EACH, count - done)
        chain: Chain = some_chain(joints, slides, kind, rng)
        poses, starts = positions(chain, m, rng), positions(chain, m, rng)
        targets = chain.forward(poses)[:, -1]
        angles = turned(chain, poses)
        near = {'tolerance': ENOUGH * chain.reach.outer, 'angle_tolerance': ENOUGH}
        began = time.process_time()
        batch = solve_batch(chain, targets, start=starts, angle=angles, **near)
        spent += time.process_time() - began
        lost += int((missed(chain, batch.q, targets, angles) | (batch.status != 0)).sum())
        unproven += int((~batch.proven).sum())
        some = rng.random(m) < share
        if some.any():
            alone = np.array(
                [
                    solve(chain, target, start=start, angle=angle, **near).q
                    for target, start, angle in zip(
                        targets[some], starts[some], angles[some], strict=True
                    )
                ]
            )
            lost_alone += int(missed(chain, alone, targets[some], angles[some]).sum())
        done, tried = done + m, tried + int(some.sum())
    return lost + unproven, lost_alone, tried, spent / count


def forbidden(joints, slides, kind, count, rng):
    """How much farther from the angle than the optimiser's best targets are, in rad, at most."""
    compared, worst, unreached, unproven = 0, -math.inf, 0, 0
    for _ in range(100 * count):
        if compared >= count:
            break
        chain: Chain = some_chain(joints, slides, kind, rng)
        pose = positions(chain, 1, rng)[0]
        target, angle = chain.forward(pose)[-1], float(rng.uniform(-math.pi, math.pi))
        solution = solve(chain, target, angle=angle)
        unreached += solution.error > ENOUGH * chain.reach.outer and (
            solution.status is not Status.REACHED
        )
        unproven += not solution.proven
        if solution.status is Status.TIP_ANGLE:
            compared += 1
            best = least_off_of_an_optimiser(chain, target, angle, rng)
            worst = max(worst, solution.angle_error - best)
    return compared, worst, unreached, unproven


KINDS_TOO = {**KINDS, 'none': free}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        '--count', type=int, default=100_000, help='targets for each kind of limits'
    )
    parser.add_argument('--alone', type=float, default=0.02, help='share of them solved alone, too')
    parser.add_argument('--optimised', type=int, default=300, help='other angles to compare')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--slides', action='store_true', help='one to three joints slide')
    parser.add_argument('--joints', type=int, nargs='*')
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    rows = [(joints, 0, kind) for joints in arguments.joints or JOINTS for kind in KINDS_TOO]
    if arguments.slides:
        joints = arguments.joints or SLIDING_JOINTS
        rows = [(n, slides, kind) for n in joints for slides in (1, 2, 3) for kind in KINDS_TOO]
    for joints, slides, kind in rows:
        count = -(-arguments.count // len(KINDS_TOO))
        if joints == max(JOINTS):
            count = -(-count // 10)
        lost, lost_alone, tried, spent = reached(joints, slides, kind, count, arguments.alone, rng)
        compared, worst, unreached, unproven = forbidden(
            joints, slides, kind, -(-arguments.optimised // len(rows)), rng
        )
        print(
            f'{joints} joints, {slides} sliding, {kind}: {count:,} by FK, {lost} missed, '
            f'{1e6 * spent:.1f} us each; {lost_alone} of {tried} alone missed; '
            f'{compared} at other angles: {worst:.1e} rad farther, {unreached} points not reached, '
            f'{unproven} not proven',
            flush=True,
        )


if __name__ == '__main__':
    main()
