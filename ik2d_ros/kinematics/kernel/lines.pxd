from cpython cimport array

from ik2d_ros.kinematics.kernel.linkage cimport doubles, integers

cdef class Lines:
    cdef object kept
    cdef readonly int count, deep
    cdef readonly double shortest
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
