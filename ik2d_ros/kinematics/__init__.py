"""Kinematics of chains in one plane, and of arms that carry the plane; no ROS needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ik2d_ros.kinematics.arguments import ArgumentError, ChainError, Ik2dError
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.joint import Joint, Lift, Turntable
from ik2d_ros.kinematics.kernel.annulus import Annulus
from ik2d_ros.kinematics.options import BENDS, SOLVERS
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.kinematics.solution import Batch, Solution, Status
from ik2d_ros.kinematics.solve import solve
from ik2d_ros.kinematics.suspicion import UnitWarning
from ik2d_ros.kinematics.walls import Wall

if TYPE_CHECKING:
    from ik2d_ros.kinematics.batch import solve_batch
    from ik2d_ros.kinematics.path import Path, solve_path
    from ik2d_ros.kinematics.path_timing import TimedPath, timed

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
    'Path',
    'Plane',
    'Solution',
    'Status',
    'TimedPath',
    'Turntable',
    'UnitWarning',
    'Wall',
    'solve',
    'solve_batch',
    'solve_path',
    'timed',
]

_LATER = {
    'solve_batch': 'batch',
    'Path': 'path',
    'solve_path': 'path',
    'TimedPath': 'path_timing',
    'timed': 'path_timing',
}


def __getattr__(name: str) -> Any:
    """Load the code for many targets on first use: a node starts without it."""
    if name not in _LATER:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    found = getattr(import_module(f'{__name__}.{_LATER[name]}'), name)
    globals()[name] = found
    return found
