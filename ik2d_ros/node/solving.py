"""Solving with the node's settings, and the words for what came of it; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Chain, Solution, solve
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import Options, angle_in, angle_refusal, solve_pointing
from ik2d_ros.node.outcome import Code
from ik2d_ros.node.parameters import Settings

# What the kinematics load with the first target that needs it.
_FOR_SPACE = 'space.in_space', 'space.on_lift'
_FOR_ANGLES = 'tip_angle.tip_angle_in_plane', 'tip_angle.tip_angle_in_space'

MOST_STOPS = 10  # joints at their limits that a message names


def load_solvers(arm: ArmDescription) -> None:
    """Load what an arm may need for its targets, and what most do not, so that no target waits."""
    names: tuple[str, ...] = () if arm.carrier is None else _FOR_SPACE
    if not angle_refusal(arm.chain):
        names += _FOR_ANGLES
    for name in names:
        import_module(f'ik2d_ros.kinematics.{name}')


def solve_with(
    settings: Settings,
    arm: ArmDescription,
    target: Vector,
    start: Sequence[float],
    direction: Vector | None = None,
) -> Solution:
    """Solve a target with the node's settings.

    A target for an arm without turntable and lift is projected into its plane first; tip and error
    are then those in the plane.

    Args:
        settings: how to answer targets.
        arm: the arm.
        target: x, y, z in m in the base frame.
        start: (m,) positions to move from.
        direction: unit vector in the base frame, where the tip is to point, projected into the
            plane; None for the angle of the settings.
    """
    angle = None
    if direction is not None:
        if arm.turntable is not None:
            return solve_pointing(arm.kinematics, target, direction, _options(settings, start))
        angle = angle_in(arm.kinematics.plane, direction)
    if arm.carrier is not None:
        return solve_chain(settings, arm.kinematics, target, start, angle)
    x, y, _ = arm.kinematics.plane.locate(target)
    return solve_chain(settings, arm.chain, (x, y), start, angle)


def solve_chain(
    settings: Settings,
    chain: Chain | Arm,
    target: Sequence[float],
    start: Sequence[float],
    angle: float | None = None,
) -> Solution:
    """Solve a target for a chain in its plane, or an arm, with the node's settings.

    Args:
        settings: how to answer targets.
        chain: the chain or the arm.
        target: x, y in m in the plane, or x, y, z in the base frame.
        start: (n,) positions to move from.
        angle: the tip angle in rad; None for that of the settings.
    """
    if angle is None:
        angle = settings.angle
    return solve(chain, target, angle=angle, **_options(settings, start))


def _options(settings: Settings, start: Sequence[float]) -> Options:
    return {
        'solver': settings.solver,
        'start': start,
        'bend': settings.bend,
        'tolerance': settings.tolerance,
        'max_iterations': settings.max_iterations,
        'angle_tolerance': settings.angle_tolerance,
    }


def explain(solution: Solution, arm: ArmDescription, target: Vector) -> str:
    """Explain why, and by how much, a target is reached or not.

    Args:
        solution: the solver's answer.
        arm: the arm that it is for.
        target: x, y, z in m in the base frame.
    """
    code = Code.of(solution.status)
    if code.reachable:  # nearly always, and what follows takes as long as solving
        return code.words.format(solution=solution)
    reach, sweep = arm.chain.reach, arm.kinematics.sweep
    met = sweep.met(target) if sweep else [arm.kinematics.plane.locate(target)[:2]]
    distances = [math.hypot(x, y) for x, y in met]
    distance = min(distances, key=lambda d: max(d - reach.outer, reach.inner - d))
    radius, beside = (sweep.distance(target), abs(sweep.d)) if sweep else (0.0, 0.0)
    return code.words_for(radius >= beside).format(
        solution=solution,
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
