from ik2d_ros.kinematics.kernel cimport buffers, points

cdef class Lines:
    cdef readonly int enumerated_from
    cdef list arrays
    cdef int* first_row
    cdef int* first
    cdef double* span
    cdef double* direction
    cdef double* ahead
    cdef double* aside
    cdef double* values
    cdef double* nearest
    cdef double* farthest
    cdef double* centre
    cdef double* radius
