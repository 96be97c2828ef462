from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport TargetSolver
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM

cdef int SAFETY, STRETCH
cdef double LARGEST_MOVE, LEAST_STRAIN, GIVEN_UP, WITHIN, AIM, AIM_SMALLER, MOST_GROWTH
cdef double LEAST_SHRINKAGE, MOST_SHRINKAGE, LAST_REST, SHORT

cdef class Follower:
    cdef TargetSolver solver
    cdef readonly tuple answers
    cdef list arrays
    cdef readonly int count, most, tried
    cdef readonly bint ended
    cdef bint aimed
    cdef int point_count, dimensions, passed
    cdef double at, step, least, tolerance, angle_tolerance, line_tolerance
    cdef double wanted, angle_error, angle_error_ahead
    cdef double *place_of, *coordinate, *angle, *place, *position
    cdef double[3] point
    cdef double[ROOM] pose, ahead
    cdef void take_steps(self) noexcept nogil
    cdef void take_pose(self, double place) noexcept nogil
    cdef void locate_target(self, double place) noexcept nogil
    cdef double step_at_any_angle(self) noexcept nogil
    cdef double solve_at(self, double angle) noexcept nogil
    cdef double step_at(self, double angle) noexcept nogil
    cdef double strain_ahead(self, double off) noexcept nogil
