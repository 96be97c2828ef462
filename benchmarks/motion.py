"""How the arm moves, measured: ``make bench-motion``.

Random retargetings in mid-motion, a dragged handle, and the cost of a step; on the mover alone, and
through the node and the middleware. Ends with status 1 where a limit was exceeded, an arrival was
late or the handle was lost; processor times depend on the machine and judge nothing.
"""

from __future__ import annotations

import argparse
import bisect
import math
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from drag import Drag, drags
from driven import Node
from numpy.typing import NDArray
from tables import Bar, Report, Table, machine, show

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain
from ik2d_ros.motion.mover import Mover

RERUN = 'make bench-motion'
RATE = 50.0  # Hz
PERIOD = 1.0 / RATE
JOINTS = range(2, 8)
OVER = 1e-3  # of a limit, by which it may seem to be exceeded
OVER_STEP = 1e-2
LATE = 0.05  # of the optimum
LOST = 0.03  # of the reach
LONGEST = 60  # ticks until the next target


@dataclass
class Worst:
    """The worst that was seen, as shares of what is allowed; 1 is at the limit.

    Attributes:
        velocity: of the velocity limit, by first differences.
        acceleration: by second differences.
        jerk: by third differences; 0 without a limit.
        outside: rad beyond a position limit.
        late: by how much of the optimum an arrival came later, beyond one period.
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
        for i, joint in enumerate(arm.chain.joints):
            if joint.lower is not None and joint.upper is not None:
                beyond = np.maximum(joint.lower - poses[:, i], poses[:, i] - joint.upper)
                self.outside = max(self.outside, float(beyond.max()))

    @property
    def motion(self) -> float:
        """The worst of velocity, acceleration and jerk."""
        return max(self.velocity, self.acceleration, self.jerk)


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
    for joint, place in zip(arm.chain.joints, near, strict=True):
        if joint.lower is None or joint.upper is None:
            goal.append(place + rng.uniform(-math.pi, math.pi))
        elif rng.random() < 0.2:
            goal.append(rng.choice((joint.lower, joint.upper)))
        else:
            goal.append(rng.uniform(joint.lower, joint.upper))
    return goal


def optimum(mover: Mover, arm: ArmDescription, goal: Sequence[float]) -> float:
    """Return Ruckig's own time to a goal in s, deliberately not with the package's own code."""
    import ruckig

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
            # Half of them as if they came from a stream, which they do not.
            mover.aim(goal, rng.choice((None, rng.uniform(0.0, PERIOD))))
            ticks = 0
            while not mover.arrived and (k % 10 == 9 or ticks < rng.randint(1, LONGEST)):
                poses.append(mover.advance(PERIOD).positions)
                ticks += 1
            if mover.arrived and ticks:
                worst.late = max(worst.late, (ticks * PERIOD - PERIOD) / best - 1.0)
        worst.add_motion(arm, np.array(poses))
    return worst


RETARGETING = (
    'joints',
    'limits',
    'targets',
    'velocity',
    'acceleration',
    'jerk',
    'beyond a position limit',
    'latest arrival',
)


def row(joints: int, kind: str, count: int, worst: Worst, late: bool = True) -> list[str]:
    """Format the worst of some retargetings."""
    return [
        str(joints),
        kind,
        f'{count:,}',
        percent(worst.velocity),
        percent(worst.acceleration),
        percent(worst.jerk) if worst.jerk else '-',
        f'{max(worst.outside, 0.0):.0e} rad' if worst.outside > 0.0 else 'never',
        f'{100.0 * max(worst.late, 0.0):.2f} % late' if late else '-',
    ]


def percent(share: float) -> str:
    """Three digits after the point: what counts is whether it is above 100."""
    return f'{100.0 * share:.3f} %'


def retargetings(report: Report, count: int) -> None:
    """Add the table of the mover alone."""
    table = Table(
        'Retargeting in mid-motion, the mover alone',
        'Random arms and targets; the next target comes while the arm moves, after 1 to '
        f'{LONGEST} ticks of {1e3 * PERIOD:.0f} ms. Largest velocity, acceleration and jerk of the '
        "poses by finite differences, as a share of the joint's limit. Arrivals against Ruckig's "
        'own time from the same state, after the one period that a tick takes.',
        RETARGETING,
    )
    worst = Worst()
    each = math.ceil(count / (2 * len(JOINTS)))
    for joints in JOINTS:
        for with_jerk in (False, True):
            found = retarget(random.Random(joints), joints, with_jerk, each)
            kind = 'jerk' if with_jerk else 'acceleration'
            table.rows.append(row(joints, kind, each, found))
            worst = merged(worst, found)
    report.tables.append(table)
    total = f'{2 * each * len(JOINTS):,} retargetings of the mover'
    judge_motion(report, total, worst)
    judge(report, f"{total}: arrival at most 5 % after Ruckig's optimum", worst.late, LATE)


def merged(one: Worst, other: Worst) -> Worst:
    """Return the worst of both."""
    return Worst(
        *(max(a, b) for a, b in zip(vars(one).values(), vars(other).values(), strict=True))
    )


def judge_motion(report: Report, total: str, worst: Worst) -> None:
    """Add the demands on the motion of so many retargetings."""
    judge(report, f'{total}: no limit exceeded by 0.1 %', worst.motion - 1.0, OVER)
    judge(
        report,
        f'{total}: no step above max_velocity / publish_rate + 1 %',
        worst.velocity - 1.0,
        OVER_STEP,
    )


def judge(report: Report, demand: str, excess: float, allowed: float) -> None:
    """Add a demand, and a failure where it is not met."""
    met = excess <= allowed
    report.bars.append(Bar(demand, f'{100.0 * excess:+.3f} %', met))
    if not met:
        report.failures.append(demand)


def retargetings_of_the_node(report: Report, count: int, folder: Path) -> None:
    """Add the table of the node over the middleware."""
    table = Table(
        'Retargeting in mid-motion, through the node',
        'The same with points as targets, over the middleware; poses are those of joint_states. '
        'Where a tick was late by more than half a period, or its message was lost, the '
        'differences begin anew.',
        (*RETARGETING[:-1], 'poses', 'late or lost'),
    )
    worst = Worst()
    each = math.ceil(count / len(JOINTS))
    for joints in JOINTS:
        rng = random.Random(100 + joints)
        arm = random_arm(rng, joints, with_jerk=joints % 2 == 1)
        found, gaps = Worst(), 0
        with Node(arm, RATE, folder) as node:
            for _ in range(each):
                pose = random_goal(rng, arm, arm.home)
                x, y = arm.chain.forward(pose)[-1]
                node.send(float(x), float(y))
                node.spin(rng.uniform(0.02, 0.4))
            node.spin(1.0)
            stamps, poses = node.poses()
        parts = np.flatnonzero(np.diff(stamps) > 1.5 * PERIOD) + 1
        gaps = len(parts)
        for part in np.split(poses, parts):
            found.add_motion(arm, part)
        kind = 'jerk' if joints % 2 else 'acceleration'
        cells = row(joints, kind, each, found, late=False)[:-1]
        table.rows.append([*cells, f'{len(poses):,}', str(gaps)])
        worst = merged(worst, found)
    report.tables.append(table)
    total = f'{each * len(JOINTS):,} retargetings of the node'
    judge_motion(report, total, worst)


def dragging(report: Report, laps: float, folder: Path) -> None:
    """Add the table of the dragged handle."""
    table = Table(
        'A handle dragged along a circle',
        'Targets at 100 Hz, through the node, fast enough that the fastest joint moves at half of '
        'its velocity limit. The handle gathers speed over half a second. Distance from the '
        'commanded tip to the target last sent at the time of its stamp, as a share of the reach.',
        ('arm', 'limits', 'tip speed', 'largest', 'mean', 'poses'),
    )
    for drag in drags():
        with Node(drag.arm, RATE, folder) as node:
            largest, mean, poses = follow(node, drag, laps)
        table.rows.append(
            [
                drag.name,
                drag.limits,
                f'{drag.speed:.2f} m/s',
                f'{100.0 * largest:.2f} %',
                f'{100.0 * mean:.2f} %',
                f'{poses:,}',
            ]
        )
        met = largest <= LOST
        demand = f'dragged, {drag.name}, limits on {drag.limits}: within 3 % of the reach'
        report.bars.append(Bar(demand, f'{100.0 * largest:.2f} %', met))
        if not met:
            report.failures.append(demand)
    report.tables.append(table)


def follow(node: Node, drag: Drag, laps: float) -> tuple[float, float, int]:
    """Drag the handle, and return the largest and mean distance, and the number of poses."""
    node.send(*drag.target(0.0))
    node.spin_until_it_stands()
    node.forget()
    began = time.time()
    end = drag.duration(laps)
    sent: list[tuple[float, tuple[float, float]]] = []
    while (now := time.time() - began) < end:
        if len(sent) <= now * 100.0:
            sent += [(now, drag.target(now))] * (int(now * 100.0) + 1 - len(sent))
            node.send(*sent[-1][1])
        node.spin(0.001)
    stamps, poses = node.poses()
    times = [when for when, _ in sent]
    away = [
        math.dist(
            drag.arm.chain.forward(pose)[-1], sent[bisect.bisect(times, stamp - began) - 1][1]
        )
        for stamp, pose in zip(stamps.tolist(), poses, strict=True)
        if times[0] <= stamp - began < end
    ]
    reach = drag.arm.chain.reach.outer
    return max(away) / reach, float(np.mean(away)) / reach, len(away)


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
    parser.add_argument('--count', type=int, default=10_000, help='retargetings of the mover')
    parser.add_argument('--node-count', type=int, default=1_000, help='retargetings of the node')
    parser.add_argument('--laps', type=float, default=3.0, help='laps of the dragged handle')
    parser.add_argument('--write', type=Path, metavar='FILE', help='write the tables there too')
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        os.environ['ROS_LOG_DIR'] = directory
        verdicts = show(
            report,
            (
                lambda: retargetings(report, options.count),
                lambda: retargetings_of_the_node(report, options.node_count, folder),
                lambda: dragging(report, options.laps, folder),
                lambda: costs(report, 2_000),
            ),
        )
    if options.write:
        write(options.write, [verdicts, *report.tables])
    return 1 if report.failures else 0


MARK = '<!-- From here on written by `make bench-motion`. -->'


def write(file: Path, tables: Sequence[Table]) -> None:
    """Replace what comes after the mark in a page by the tables."""
    import ruckig

    top, mark, _ = file.read_text().partition(MARK)
    if not mark:
        sys.exit(f'{file} does not contain the line {MARK}')
    about = (
        f'Written from one run by `{RERUN} WRITE={file}`, on {machine()}, with Python '
        f'{platform.python_version()} and Ruckig {ruckig.__version__}.'
    )
    body = '\n'.join(table.markdown() for table in tables).rstrip()
    file.write_text(f'{top}{mark}\n\n{about}\n\n{body}\n')


if __name__ == '__main__':
    sys.exit(main())
