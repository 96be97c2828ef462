from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport TargetSolver
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM

cdef int SAFETY, STRETCH
cdef double LARGEST_MOVE, LEAST_STRAIN, GIVEN_UP, WITHIN

cdef class Course:
    cdef readonly tuple answers
    cdef list arrays
    cdef readonly int count, most, tried
    cdef readonly bint ended
    cdef readonly double at
    cdef bint aimed
    cdef int point_count, dimensions, joints, passed
    cdef double tolerance, angle_tolerance, line_tolerance, least, step
    cdef double* place_of
    cdef double* coordinate
    cdef double* angle
    cdef double* place
    cdef double* position

cdef class Follower:
    cdef TargetSolver solver
    cdef double wanted, angle_error, angle_error_ahead
    cdef double[3] point
    cdef double[ROOM] pose, ahead
    cdef void take_steps(self, Course course) noexcept nogil
    cdef void take_pose(self, Course course, double place) noexcept nogil
    cdef void locate_target(self, Course course, double place) noexcept nogil
    cdef double step_at_any_angle(self, Course course) noexcept nogil
    cdef double decide_ahead(self, Course course) noexcept nogil
    cdef double step_at(self, Course course, double angle) noexcept nogil
    cdef double strain_ahead(self, Course course, double off) noexcept nogil
    cdef double strain(self, double line_tolerance) noexcept nogil
