"""The words for what came of solving a target; no ROS imports."""

from __future__ import annotations

import math

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.node.outcome import Code, length

MOST_STOPS = 10  # joints at their limits that a message names


def prepare_solver(arm: ArmDescription) -> None:
    """Make the tables of an arm's solver, so that no target waits for them."""
    solver = arm.chain.solver if arm.turntable is None else arm.kinematics.solver
    if not angle_refusal(arm.chain):
        solver.solver.prepare_angles()


def explain(solution: Solution, arm: ArmDescription, target: Vector) -> str:
    """Explain why, and by how much, a target is reached or not.

    Args:
        solution: the solver's answer.
        arm: the arm that it is for.
        target: x, y, z in m in the base frame.
    """
    code = Code.of(solution.status)
    if code.reachable:
        return code.words.format(error=length(solution.error))
    reach, sweep = arm.chain.reach, arm.kinematics.sweep
    met = sweep.met(target) if sweep else [arm.kinematics.plane.locate(target)[:2]]
    distances = [math.dist(place, arm.chain.tool) for place in met]
    distance = min(distances, key=lambda d: max(d - reach.outer, reach.inner - d))
    radius, beside = (sweep.distance(target), abs(sweep.d)) if sweep else (0.0, 0.0)
    return code.words_for(radius >= beside).format(
        solution=solution,
        error=length(solution.error),
        distance=distance,
        reach=reach,
        beyond=distance - reach.outer,
        inside=reach.inner - distance,
        stops=_stops(solution, arm),
        turntable=arm.turntable.name if arm.turntable else '',
        radius=radius,
        beside=beside,
        missing=beside - radius,
        angle_off=math.degrees(solution.angle_error),
    )


def _stops(solution: Solution, arm: ArmDescription) -> str:
    """List the joints at a limit, in brackets; empty for none."""
    joints = zip(arm.names, solution.q.tolist(), arm.limits, arm.units, strict=True)
    stops = [
        f'{name} at its {"smallest" if q == lower else "largest"} position, {q:.4g} {unit}'
        for name, q, (lower, upper), unit in joints
        if q in (lower, upper)
    ]
    more = [f'and {len(stops) - MOST_STOPS} more'] if len(stops) > MOST_STOPS else []
    return f' ({", ".join(stops[:MOST_STOPS] + more)})' if stops else ''
