from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport ChainSolver, TargetSolver

cdef double PLANE_TOLERANCE

cdef class LiftSolver(TargetSolver):
    cdef readonly ChainSolver chain
    cdef readonly int first
    cdef double axis, lower, upper, beside
    cdef bint limited
    cdef void set_start(self, int j, double position) noexcept nogil
    cdef int solve_target(self, double complex at, double z, double angle, double tolerance, double angle_tolerance) noexcept nogil
    cdef void step_to(self, double complex at, double z, double angle, double tolerance) noexcept nogil
    cdef double height(self, double z) noexcept nogil
    cdef void place_pose(self, double z) noexcept nogil
    cdef int status_of_miss(self, int status) noexcept nogil
    cdef void measure_move(self, double* before, double* after, int first) noexcept nogil
