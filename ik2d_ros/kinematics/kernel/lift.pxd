from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport ChainSolver, TargetSolver

cdef class LiftSolver(TargetSolver):
    cdef readonly ChainSolver chain
    cdef readonly int first
    cdef double axis, lower, upper
    cdef bint limited
    cdef void begin(self, int j, double position) noexcept nogil
    cdef int bring(self, double complex at, double z, double angle, double tolerance, double slack) noexcept nogil
    cdef double height(self, double z) noexcept nogil
    cdef int why_not(self, int status) noexcept nogil
