from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport CarriedSolver

cdef double PLANE_TOLERANCE

cdef class LiftSolver(CarriedSolver):
    cdef double axis, off_plane
    cdef bint limited
    cdef int solve_target(self, double complex at, double z, double angle, double tolerance, double angle_tolerance) noexcept nogil
    cdef void step_to(self, double complex at, double z, double angle, double tolerance) noexcept nogil
    cdef double height(self, double z) noexcept nogil
    cdef void place_lift(self, double z) noexcept nogil
    cdef int status_of_miss(self, int status) noexcept nogil
    cdef void measure_move(self, double* before, double* after, int first) noexcept nogil
