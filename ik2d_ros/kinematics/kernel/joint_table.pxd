from libc cimport math

from ik2d_ros.kinematics.kernel cimport points

cdef enum:
    ROOM = 130

cdef class JointTable:
    cdef readonly int count, leading_count
    cdef bint[ROOM] slides, movable, absolute, any_turn, limits_bend
    cdef readonly bint linked
    cdef bint limits_bends
    cdef double[ROOM] fixed, lower, upper, least_bend, most_bend, least_heading, most_heading
    cdef int[ROOM] limit_count
    cdef double[2 * ROOM] limit, limit_bend, limit_length
    cdef double complex[2 * ROOM] limit_rotation
    cdef double clamp_value(self, int j, double value) noexcept nogil
    cdef bint allows_bend(self, int j, double bend, double slack) noexcept nogil
    cdef double clamp_bend(self, int j, double bend) noexcept nogil
    cdef bint clamp_bends(self, double* pose) noexcept nogil
    cdef void copy_pose(self, double* pose, double* to) noexcept nogil
