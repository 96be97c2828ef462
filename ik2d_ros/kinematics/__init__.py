"""Planar kinematics: chains of revolute joints in one plane, forward and inverse; no ROS needed."""

from ik2d_ros.kinematics.batch import Batch, solve_batch
from ik2d_ros.kinematics.chain import Chain, Joint
from ik2d_ros.kinematics.errors import ArgumentError, ChainError, Ik2dError
from ik2d_ros.kinematics.reach import Annulus
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.solve import BENDS, SOLVERS, solve

__all__ = [
    'BENDS',
    'SOLVERS',
    'Annulus',
    'ArgumentError',
    'Batch',
    'Chain',
    'ChainError',
    'Ik2dError',
    'Joint',
    'Solution',
    'Status',
    'solve',
    'solve_batch',
]
