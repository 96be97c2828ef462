from ik2d_ros.kinematics.kernel cimport buffers, points

cdef class Lines:
    cdef readonly int count, deep
    cdef list arrays
    cdef int* base
    cdef int* first
    cdef double* span
    cdef double* direction
    cdef double* heading
    cdef double* values
    cdef double* nearest
    cdef double* farthest
    cdef double* centre
    cdef double* radius
