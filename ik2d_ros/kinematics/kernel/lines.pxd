from ik2d_ros.kinematics.kernel cimport buffers, points

cdef class Lines:
    cdef readonly int enumerated_from
    cdef list arrays
    cdef int *first_row, *first
    cdef double *span, *direction, *ahead, *aside, *values, *nearest, *farthest, *centre
    cdef double *radius
