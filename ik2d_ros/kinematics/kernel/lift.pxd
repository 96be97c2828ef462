from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport CarriedSolver

cdef class LiftSolver(CarriedSolver):
    cdef double axis, off_plane
    cdef bint limited
    cdef double height(self, double z) noexcept nogil
    cdef void place_lift(self, double z) noexcept nogil
