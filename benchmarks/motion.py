"""How the arm moves, measured without ROS: ``make bench-motion``.

Random retargetings in mid-motion, and a handle dragged along a circle. Ends with status 1 if a
limit was exceeded, an arrival was late or the handle was lost.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence

import numpy as np
import ruckig
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, solve, solve_path
from ik2d_ros.motion.mover import Mover

PERIOD = 0.02  # s, of a tick
JOINTS = range(2, 8)
LONGEST = 60  # ticks until the next target

# A dragged handle: it accelerates for RAMP, until the fastest joint moves at SHARE of its limit.
RAMP, SHARE, TARGET_PERIOD = 0.5, 0.5, 0.01  # s, -, s
DRAG_LIMITS = [MotionLimits(2.0), MotionLimits(2.0, 8.0), MotionLimits(2.0, 20.0, 200.0)]
DRAGGED = [  # lengths, centre and radius of the circle, in m
    ([0.30, 0.25], (0.30, 0.10), 0.10),
    ([0.30, 0.25, 0.20], (0.40, 0.10), 0.12),
]


def random_arm(rng: random.Random, joints: int, with_jerk: bool) -> ArmDescription:
    """Return an arm of equal links, a fifth of its joints continuous."""
    limits = [
        None if rng.random() < 0.2 else (rng.uniform(-3.0, -0.2), rng.uniform(0.2, 3.0))
        for _ in range(joints)
    ]
    motion = tuple(
        MotionLimits(
            rng.uniform(0.3, 4.0),
            rng.uniform(1.0, 20.0),
            rng.uniform(10.0, 300.0) if with_jerk else None,
        )
        for _ in range(joints)
    )
    chain = Chain.from_lengths([1.0 / joints] * joints, limits=limits)
    return ArmDescription(chain=chain, home=(0.0,) * joints, motion=motion)


def random_goal(rng: random.Random, arm: ArmDescription, near: Sequence[float]) -> list[float]:
    """Return a pose, a fifth of its limited joints at a limit, others within half a turn."""
    goal = []
    for (lower, upper), place in zip(arm.limits, near, strict=True):
        if lower == -math.inf:
            goal.append(place + rng.uniform(-math.pi, math.pi))
        else:
            goal.append(rng.choice((lower, upper, *[rng.uniform(lower, upper)] * 8)))
    return goal


def optimum(mover: Mover, arm: ArmDescription, goal: Sequence[float]) -> float:
    """Return Ruckig's own time to a goal in s, without the package's code."""
    problem = ruckig.InputParameter(len(goal))
    problem.current_position = mover.state.positions
    problem.current_velocity = mover.state.velocities
    problem.target_position = goal
    problem.max_velocity = [m.velocity for m in arm.motion]
    problem.max_acceleration = [m.acceleration for m in arm.motion]
    problem.max_jerk = [m.jerk or math.inf for m in arm.motion]
    if arm.motion[0].jerk is not None:
        problem.current_acceleration = mover.state.accelerations
    trajectory = ruckig.Trajectory(len(goal))
    ruckig.Ruckig(len(goal)).calculate(problem, trajectory)
    return float(trajectory.duration)


def excess(arm: ArmDescription, poses: NDArray[np.float64]) -> tuple[float, float]:
    """Return how far (k, n) poses a period apart exceed limits on motion, as a share, and position.

    The first is by finite differences; the second in rad.
    """
    over = -math.inf
    for order, name in enumerate(('velocity', 'acceleration', 'jerk'), 1):
        limits = [getattr(m, name) or math.inf for m in arm.motion]
        found = np.abs(np.diff(poses, order, axis=0)) / PERIOD**order / np.array(limits)
        over = max(over, float(found.max()) - 1.0)
    lower, upper = np.array(arm.limits).T
    return over, float(np.maximum(lower - poses, poses - upper).max())


def retarget(rng: random.Random, joints: int, with_jerk: bool, count: int) -> tuple[float, ...]:
    """Move arms to ``count`` targets, each in the middle of the motion to the one before.

    Every tenth motion is run to its end; arms change every hundred.

    Returns:
        The most by which limits on motion and position were exceeded, and the latest arrival after
        the optimum and one period, as a share of the optimum.
    """
    worst = [(-math.inf,) * 3]
    for first in range(0, count, 100):
        arm, late = random_arm(rng, joints, with_jerk), -math.inf
        mover = Mover(arm)
        poses = [mover.state.positions] * 3
        for k in range(min(100, count - first)):
            goal = random_goal(rng, arm, mover.state.positions)
            best = optimum(mover, arm, goal)
            # Half of them look like targets of a stream, but are not.
            mover.aim(goal, rng.choice((None, rng.uniform(0.0, PERIOD))))
            ticks = 0
            while not mover.arrived and (k % 10 == 9 or ticks < rng.randint(1, LONGEST)):
                poses.append(mover.advance(PERIOD).positions)
                ticks += 1
            if mover.arrived and ticks:
                late = max(late, (ticks * PERIOD - PERIOD) / best - 1.0)
        worst.append((*excess(arm, np.array(poses)), late))
    return tuple(map(max, zip(*worst, strict=True)))


def dragged(
    lengths: Sequence[float], center: tuple[float, float], radius: float, motion: MotionLimits
) -> float:
    """Return the largest distance of the tip from a handle on a circle, in reaches.

    Targets come at 100 Hz, so fast that the fastest joint moves at half of its velocity limit.
    """
    chain = Chain.from_lengths(lengths, limits=[(-2.6, 2.6)] * len(lengths))

    def place(angle: float) -> tuple[float, float]:
        return center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)

    path = solve_path(chain, [place(angle) for angle in np.linspace(0.0, 2.0 * math.pi, 721)])
    rates = np.abs(np.diff(path.q, axis=0)).max(axis=1) / np.diff(path.length)  # rad/m
    speed = SHARE * (motion.velocity or math.inf) / float(rates.max())

    def handle(when: float) -> tuple[float, float]:
        ramp = min(when, RAMP)
        return place(speed / radius * (ramp * ramp / (2.0 * RAMP) + when - ramp))

    mover = Mover(ArmDescription(chain, tuple(path.q[0].tolist()), (motion,) * len(lengths)))
    away, sent = [], 0.0
    for tick in range(round(6.0 * math.pi * radius / speed / PERIOD)):
        before = tick * PERIOD
        while sent + TARGET_PERIOD < before + PERIOD:
            sent += TARGET_PERIOD
            goal = solve(chain, handle(sent), start=mover.state.positions).q
            mover.aim(goal.tolist(), sent - before)
        tip = chain.forward(mover.advance(PERIOD).positions)[-1]
        away.append(math.dist(tip, handle(sent)) / chain.reach.outer)
    return max(away)


def main() -> int:
    """Measure everything; return the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=10_000, help='retargetings')
    each = math.ceil(parser.parse_args().count / (2 * len(JOINTS)))
    worst = [
        retarget(random.Random(joints), joints, with_jerk, each)
        for joints in JOINTS
        for with_jerk in (False, True)
    ]
    over, outside, late = map(max, zip(*worst, strict=True))
    lost = max(dragged(*arm, limits) for arm in DRAGGED for limits in DRAG_LIMITS)
    what = f'{len(worst) * each:,} retargetings: '
    rows = [
        (what + 'beyond a limit on velocity, acceleration or jerk', over, 1e-3),
        (what + 'beyond a position limit (rad)', outside, 1e-9),
        (what + "arrival after Ruckig's optimum", late, 0.05),
        ('a dragged handle: distance of the tip (reaches)', lost, 0.03),
    ]
    print('| what | worst | allowed |\n| --- | --- | --- |')
    for name, measured, allowed in rows:
        print(f'| {name} | {measured:.2g} | {allowed:g} |')
    return int(any(measured > allowed for _, measured, allowed in rows))


if __name__ == '__main__':
    sys.exit(main())
