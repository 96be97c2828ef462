"""Kinematics of chains in one plane, and of arms that carry the plane; no ROS needed."""

from __future__ import annotations

from ik2d_ros.kinematics.arguments import ArgumentError, ChainError, Ik2dError, UnitWarning
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.batch import solve_batch
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.joint import Joint, Lift, Roll, Turntable
from ik2d_ros.kinematics.kernel.annulus import Annulus
from ik2d_ros.kinematics.options import BENDS, SOLVERS
from ik2d_ros.kinematics.path import Path, solve_path
from ik2d_ros.kinematics.path_timing import TimedPath, timed
from ik2d_ros.kinematics.plane import Plane, Wall
from ik2d_ros.kinematics.solution import Batch, Solution, Status
from ik2d_ros.kinematics.solve import solve

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
    'Roll',
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
