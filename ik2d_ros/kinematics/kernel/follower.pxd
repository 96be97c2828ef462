from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport TargetSolver
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM

cdef int SAFETY, PLANAR, STRETCH
cdef double LARGEST_MOVE, LEAST_STRAIN, GIVEN_UP, WITHIN

cdef class Course:
    cdef readonly tuple answers
    cdef list arrays
    cdef readonly int count, most, tried
    cdef readonly bint ended
    cdef readonly double at
    cdef bint aimed
    cdef int point_count, dimensions, joints, row
    cdef double tolerance, angle_tolerance, line_tolerance, least, step
    cdef double* place_of
    cdef double* coordinate
    cdef double* angle
    cdef double* place
    cdef double* position

cdef class Follower:
    cdef TargetSolver solver
    cdef double x, y, z, wanted, angle_error, angle_error_ahead
    cdef double[ROOM] pose, ahead
    cdef void take_steps(self, Course course) noexcept nogil
    cdef void take_pose(self, Course course, double place) noexcept nogil
    cdef double try_step(self, Course course, double place) noexcept nogil
    cdef double try_any_angle(self, Course course, double place) noexcept nogil
    cdef double try_decision(self, Course course, double place) noexcept nogil
    cdef void locate_target(self, Course course, double place) noexcept nogil
    cdef double coordinate_at(self, Course course, double share, int axis) noexcept nogil
    cdef double step_at(self, Course course, double angle) noexcept nogil
    cdef double strain_ahead(self, Course course, double off) noexcept nogil
    cdef double strain(self, double line_tolerance) noexcept nogil
