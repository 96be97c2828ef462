"""How the arm moves, measured without ROS: ``make bench-motion``.

Random retargetings in mid-motion, a handle dragged along a circle, and the cost of a step. Ends
with status 1 where a limit was exceeded, an arrival was late or the handle was lost. Processor
times depend on the machine and judge nothing.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import ruckig
from numpy.typing import NDArray
from tables import Bar, Report, Table, show

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, solve, solve_path
from ik2d_ros.motion.mover import Mover

PERIOD = 0.02  # s, of a tick
JOINTS = range(2, 8)
LONGEST = 60  # ticks until the next target
OVER = 1e-3  # of a limit, by which it may seem to be exceeded
LATE = 0.05  # of the optimum
LOST = 0.03  # of the reach

# A dragged handle: it gathers speed over RAMP, until the fastest joint moves at SHARE of its limit.
RAMP, SHARE, TARGET_PERIOD = 0.5, 0.5, 0.01  # s, -, s
DRAG_LIMITS = {
    'velocity': MotionLimits(2.0),
    'acceleration': MotionLimits(2.0, 8.0),
    'jerk': MotionLimits(2.0, 20.0, 200.0),
}
DRAGGED = {  # lengths, centre and radius of the circle, in m
    'two links': ([0.30, 0.25], (0.30, 0.10), 0.10),
    'three links': ([0.30, 0.25, 0.20], (0.40, 0.10), 0.12),
}


@dataclass
class Worst:
    """The largest values, as shares of the limits; 1 is at the limit.

    Attributes:
        velocity: by first differences.
        acceleration: by second differences.
        jerk: by third differences; 0 without a limit.
        outside: rad beyond a position limit.
        late: delay of an arrival after the optimum and one period, as a share of the optimum.
    """

    velocity: float = 0.0
    acceleration: float = 0.0
    jerk: float = 0.0
    outside: float = 0.0
    late: float = 0.0

    def add_motion(self, arm: ArmDescription, poses: NDArray[np.float64]) -> None:
        """Add (k, n) rad, a period apart."""
        for order, name in enumerate(('velocity', 'acceleration', 'jerk'), 1):
            limits = [getattr(m, name) for m in arm.motion]
            if None not in limits and len(poses) > order:
                found = np.abs(np.diff(poses, order, axis=0)) / PERIOD**order / np.array(limits)
                setattr(self, name, max(getattr(self, name), float(found.max())))
        lower, upper = np.array(arm.limits).T
        self.outside = max(self.outside, float(np.maximum(lower - poses, poses - upper).max()))

    def cells(self) -> list[str]:
        """Format it for a row of the table; three digits show whether it is above 100 %."""
        return [
            *(f'{100.0 * share:.3f} %' for share in (self.velocity, self.acceleration)),
            f'{100.0 * self.jerk:.3f} %' if self.jerk else '-',
            f'{self.outside:.0e} rad' if self.outside > 0.0 else 'never',
            f'{100.0 * self.late:.2f} % late',
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


def retarget(rng: random.Random, joints: int, with_jerk: bool, count: int) -> Worst:
    """Move an arm to ``count`` targets, each in the middle of the motion to the one before.

    Every tenth is run to its end; arms change every hundred.
    """
    worst = Worst()
    for first in range(0, count, 100):
        arm = random_arm(rng, joints, with_jerk)
        mover = Mover(arm)
        poses = [mover.state.positions] * 3
        for k in range(min(100, count - first)):
            goal = random_goal(rng, arm, mover.state.positions)
            best = optimum(mover, arm, goal)
            # Half of them as targets of a stream, though they are random.
            mover.aim(goal, rng.choice((None, rng.uniform(0.0, PERIOD))))
            ticks = 0
            while not mover.arrived and (k % 10 == 9 or ticks < rng.randint(1, LONGEST)):
                poses.append(mover.advance(PERIOD).positions)
                ticks += 1
            if mover.arrived and ticks:
                worst.late = max(worst.late, (ticks * PERIOD - PERIOD) / best - 1.0)
        worst.add_motion(arm, np.array(poses))
    return worst


def retargetings(report: Report, count: int) -> None:
    """Add the table of retargetings."""
    table = Table(
        'Retargeting in mid-motion',
        'Random arms and targets; the next target comes while the arm moves, after 1 to '
        f'{LONGEST} ticks of {1e3 * PERIOD:.0f} ms. Largest velocity, acceleration and jerk of the '
        "poses by finite differences, as a share of the joint's limit. Arrivals against Ruckig's "
        'own time from the same state, after the one period that a tick takes.',
        ('joints', 'limits', 'targets', 'velocity', 'acceleration', 'jerk', 'outside', 'latest'),
    )
    worst: list[Worst] = []
    each = math.ceil(count / (2 * len(JOINTS)))
    for joints in JOINTS:
        for with_jerk in (False, True):
            worst.append(retarget(random.Random(joints), joints, with_jerk, each))
            kind = 'jerk' if with_jerk else 'acceleration'
            table.rows.append([str(joints), kind, f'{each:,}', *worst[-1].cells()])
    report.tables.append(table)
    total, most = f'{each * len(worst):,} retargetings', Worst(*np.max([*map(astuple, worst)], 0))
    over = max(most.velocity, most.acceleration, most.jerk) - 1.0
    judge(report, f'{total}: no limit exceeded by 0.1 %', over, OVER)
    judge(report, f"{total}: arrival at most 5 % after Ruckig's optimum", most.late, LATE)


def judge(report: Report, demand: str, excess: float, allowed: float) -> None:
    """Add a demand, and a failure where it is not met."""
    met = excess <= allowed
    report.bars.append(Bar(demand, f'{100.0 * excess:+.3f} %', met))
    if not met:
        report.failures.append(demand)


def dragging(report: Report, laps: float) -> None:
    """Add the table of the dragged handle."""
    table = Table(
        'A handle dragged along a circle',
        'Targets at 100 Hz, fast enough that the fastest joint moves at half of its velocity '
        'limit. The handle gathers speed over half a second. Distance from the commanded tip to '
        'the last target at each tick, as a share of the reach.',
        ('arm', 'limits', 'tip speed', 'largest', 'mean', 'poses'),
    )
    for name in DRAGGED:
        for limits in DRAG_LIMITS:
            speed, away = dragged(name, limits, laps)
            shares = [f'{100.0 * share:.2f} %' for share in (max(away), np.mean(away))]
            table.rows.append([name, limits, f'{speed:.2f} m/s', *shares, f'{len(away):,}'])
            demand = f'dragged, {name}, limits on {limits}: within 3 % of the reach'
            judge(report, demand, max(away), LOST)
    report.tables.append(table)


def dragged(name: str, limits: str, laps: float) -> tuple[float, list[float]]:
    """Return the speed of the handle in m/s, and how far the tip is from it, in reaches."""
    (lengths, (x, y), radius), motion = DRAGGED[name], DRAG_LIMITS[limits]
    chain = Chain.from_lengths(lengths, limits=[(-2.6, 2.6)] * len(lengths))

    def place(angle: float) -> tuple[float, float]:
        return x + radius * math.cos(angle), y + radius * math.sin(angle)

    path = solve_path(chain, [place(angle) for angle in np.linspace(0.0, 2.0 * math.pi, 721)])
    rates = np.abs(np.diff(path.q, axis=0)).max(axis=1) / np.diff(path.length)  # rad/m
    speed = SHARE * (motion.velocity or math.inf) / float(rates.max())

    def handle(when: float) -> tuple[float, float]:
        ramp = min(when, RAMP)
        return place(speed / radius * (ramp * ramp / (2.0 * RAMP) + when - ramp))

    mover = Mover(ArmDescription(chain, tuple(path.q[0].tolist()), (motion,) * len(lengths)))
    away, sent = [], 0.0
    for tick in range(round(laps * 2.0 * math.pi * radius / speed / PERIOD)):
        before = tick * PERIOD
        while sent + TARGET_PERIOD < before + PERIOD:
            sent += TARGET_PERIOD
            goal = solve(chain, handle(sent), start=mover.state.positions).q
            mover.aim(goal.tolist(), sent - before)
        tip = chain.forward(mover.advance(PERIOD).positions)[-1]
        away.append(math.dist(tip, handle(sent)) / chain.reach.outer)
    return speed, away


def costs(report: Report, steps: int) -> None:
    """Add the table of processor times."""
    table = Table(
        'Processor time of a step',
        f'One call of Mover.advance, while each target comes after {LONGEST // 4} ticks.',
        ('joints', 'limits', 'half of the steps', '99 of 100', 'longest'),
    )
    for joints in (2, 7, 32, 256):
        for kind in ('velocity', 'acceleration', 'jerk'):
            rng = random.Random(joints)
            arm = random_arm(rng, joints, with_jerk=kind == 'jerk')
            if kind == 'velocity':
                motion = tuple(MotionLimits(m.velocity) for m in arm.motion)
                arm = ArmDescription(arm.chain, arm.home, motion)
            mover, times = Mover(arm), []
            for step in range(steps):
                if step % (LONGEST // 4) == 0:
                    mover.aim(random_goal(rng, arm, mover.state.positions))
                before = time.thread_time_ns()
                mover.advance(PERIOD)
                times.append((time.thread_time_ns() - before) * 1e-3)
            cells = [f'{t:,.0f} us' for t in np.percentile(times, [50, 99, 100])]
            table.rows.append([str(joints), kind, *cells])
    report.tables.append(table)


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=10_000, help='retargetings')
    parser.add_argument('--laps', type=float, default=3.0, help='laps of the dragged handle')
    options = parser.parse_args()
    report = Report()
    show(
        report,
        (
            lambda: retargetings(report, options.count),
            lambda: dragging(report, options.laps),
            lambda: costs(report, 2_000),
        ),
    )
    return 1 if report.failures else 0


if __name__ == '__main__':
    sys.exit(main())
