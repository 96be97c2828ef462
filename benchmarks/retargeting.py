"""Random retargetings in mid-motion."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain
from ik2d_ros.motion.mover import Mover

RATE = 50.0  # Hz
PERIOD = 1.0 / RATE
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


def merged(one: Worst, other: Worst) -> Worst:
    """Return the worst of both."""
    return Worst(
        *(max(a, b) for a, b in zip(vars(one).values(), vars(other).values(), strict=True))
    )
