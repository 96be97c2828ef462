"""How much longer a target takes where many arms get theirs in turn than for one arm alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from tables import Bar, Report, Table, number

from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Solution, Status, Turntable, solve

MOST_TIMES = 1.5
FLEET = 32
JOINTS = 4
UPRIGHT = Plane.from_pose((0.05, 0.02, 0.1), (0.5 * math.pi, 0.0, 0.0))
LIMITS = -0.6, 0.8  # rad
NEAR = 0.1  # m; the limits allow no tip so near to the base.

# Takes the number of an arm and a random number; solves for it.
Task = Callable[[int, float], Solution]


def fleets(report: Report, quick: bool) -> None:
    """Measure targets that limits forbid: they need what is known of an arm beforehand."""
    rounds = 3 if quick else 30
    chains = [
        Chain([Joint(f'arm{arm}_{joint}', (0.3, 0.0), *LIMITS) for joint in range(JOINTS)])
        for arm in range(FLEET)
    ]
    arms = [Arm(chain, UPRIGHT, Turntable(lower=-2.0, upper=2.0)) for chain in chains]
    table = Table(
        'Many arms in turn: times one arm',
        f'{FLEET} arms of {JOINTS} joints within limits that are alike but for the names of their '
        'joints; each gets a target that limits forbid, then the next one. Processor time over '
        'that of as many targets for one of them. In brackets, microseconds for a target.',
        ('targets', 'in turn'),
    )
    tasks: dict[str, Task] = {
        'in the plane': lambda arm, share: solve(chains[arm], (NEAR, NEAR * share)),
        'at a tip angle': lambda arm, share: solve(chains[arm], (NEAR, NEAR * share), angle=1.0),
        'in space': lambda arm, share: solve(arms[arm], (NEAR, NEAR * share, 0.2)),
    }
    for name, task in tasks.items():
        in_turn, alone = _measured(task, rounds)
        table.rows.append((name, f'{number(in_turn / alone)} ({number(1e6 * in_turn)})'))
        report.bars.append(
            Bar(
                f'{FLEET} arms in turn, forbidden targets {name}: at most {MOST_TIMES:g} times '
                'one arm',
                f'{number(in_turn / alone)} times',
                in_turn <= MOST_TIMES * alone,
            )
        )
    report.tables.append(table)


def _measured(task: Task, rounds: int) -> tuple[float, float]:
    """Return the times of a target for arms in turn, and for one arm, in s."""
    for arm in range(FLEET):  # What is kept of each is made.
        if task(arm, 0.5).status is not Status.JOINT_LIMIT:
            raise AssertionError('the benchmark needs targets that limits forbid')
    spent = {FLEET: 0.0, 1: 0.0}
    for share in np.random.default_rng(1).uniform(0.0, 1.0, rounds).tolist():
        for count in spent:
            begun = time.thread_time()
            for arm in range(FLEET):
                task(arm % count, share)
            spent[count] += time.thread_time() - begun
    in_turn, alone = (each / (rounds * FLEET) for each in spent.values())
    return in_turn, alone
