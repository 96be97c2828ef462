"""How the arm moves, measured: ``make bench-motion``.

Random retargetings in mid-motion, a handle dragged through the node and the middleware, and the
cost of a step. Ends with status 1 where a limit was exceeded, an arrival was late or the handle was
lost; processor times depend on the machine and judge nothing.
"""

from __future__ import annotations

import argparse
import bisect
import math
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from drag import Drag, drags
from driven import Node
from retargeting import (
    LONGEST,
    PERIOD,
    RATE,
    Worst,
    merged,
    random_arm,
    random_goal,
    retarget,
)
from tables import Bar, Report, Table, show

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.motion.mover import Mover

JOINTS = range(2, 8)
OVER = 1e-3  # of a limit, by which it may seem to be exceeded
LATE = 0.05  # of the optimum
LOST = 0.03  # of the reach


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


def row(joints: int, kind: str, count: int, worst: Worst) -> list[str]:
    """Format the worst of some retargetings."""
    return [
        str(joints),
        kind,
        f'{count:,}',
        percent(worst.velocity),
        percent(worst.acceleration),
        percent(worst.jerk) if worst.jerk else '-',
        f'{max(worst.outside, 0.0):.0e} rad' if worst.outside > 0.0 else 'never',
        f'{100.0 * max(worst.late, 0.0):.2f} % late',
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
    judge(report, f'{total}: no limit exceeded by 0.1 %', worst.motion - 1.0, OVER)
    judge(report, f"{total}: arrival at most 5 % after Ruckig's optimum", worst.late, LATE)


def judge(report: Report, demand: str, excess: float, allowed: float) -> None:
    """Add a demand, and a failure where it is not met."""
    met = excess <= allowed
    report.bars.append(Bar(demand, f'{100.0 * excess:+.3f} %', met))
    if not met:
        report.failures.append(demand)


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
    parser.add_argument('--laps', type=float, default=3.0, help='laps of the dragged handle')
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        os.environ['ROS_LOG_DIR'] = directory
        show(
            report,
            (
                lambda: retargetings(report, options.count),
                lambda: dragging(report, options.laps, folder),
                lambda: costs(report, 2_000),
            ),
        )
    return 1 if report.failures else 0


if __name__ == '__main__':
    sys.exit(main())
