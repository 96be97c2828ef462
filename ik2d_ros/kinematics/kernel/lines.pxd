from ik2d_ros.kinematics.kernel cimport points

cdef class Lines:
    cdef readonly int count, deep
    cdef int[::1] base
    cdef int[::1] first
    cdef double[::1] span
    cdef double[::1] direction
    cdef double[::1] heading
    cdef double[::1] values
    cdef double[::1] nearest
    cdef double[::1] farthest
    cdef double[::1] centre
    cdef double[::1] radius
