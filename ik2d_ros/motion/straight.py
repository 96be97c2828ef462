"""Motion within limits on velocity alone: straight from pose to pose, all joints in step."""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.motion.state import MotionState


def stepped(
    state: MotionState, goal: Sequence[float], motion: Sequence[MotionLimits], dt: float
) -> MotionState:
    """Return the state after a step towards a goal.

    The joint that needs longest moves at its limit, the others as much slower as makes them arrive
    with it; those without a limit keep step.

    Args:
        state: where the step begins.
        goal: (n,) rad.
        motion: limits of the joints.
        dt: s, > 0.
    """
    way = [g - p for g, p in zip(goal, state.positions, strict=True)]
    duration = max(
        abs(w) / m.velocity if m.velocity is not None else 0.0
        for w, m in zip(way, motion, strict=True)
    )
    if duration <= dt:
        return MotionState.at_rest(goal)
    velocities = tuple(w / duration for w in way)
    return MotionState(
        tuple(p + v * dt for p, v in zip(state.positions, velocities, strict=True)),
        velocities,
        (0.0,) * len(velocities),
    )
