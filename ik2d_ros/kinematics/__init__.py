"""Kinematics of chains in one plane, and of arms that carry the plane; no ROS needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.carrier import Lift, Turntable
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError, ChainError, Ik2dError
from ik2d_ros.kinematics.joint import Joint
from ik2d_ros.kinematics.options import BENDS, SOLVERS
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.kinematics.reach import Annulus
from ik2d_ros.kinematics.solution import Batch, Solution, Status
from ik2d_ros.kinematics.solve import solve

if TYPE_CHECKING:
    from ik2d_ros.kinematics.batch import solve_batch

__all__ = [
    'BENDS',
    'SOLVERS',
    'Annulus',
    'ArgumentError',
    'Arm',
    'Batch',
    'Chain',
    'ChainError',
    'Ik2dError',
    'Joint',
    'Lift',
    'Plane',
    'Solution',
    'Status',
    'Turntable',
    'solve',
    'solve_batch',
]


def __getattr__(name: str) -> Any:
    """Load what solves many targets when it is first asked for: a node starts without it."""
    if name != 'solve_batch':
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from ik2d_ros.kinematics.batch import solve_batch  # noqa: PLC0415

    globals()[name] = solve_batch
    return solve_batch
