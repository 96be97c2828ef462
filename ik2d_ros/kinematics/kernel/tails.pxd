from cpython cimport array

from ik2d_ros.kinematics.kernel.linkage cimport doubles, integers

cdef class Tails:
    cdef object kept
    cdef readonly double shortest
    cdef int* first
    cdef int* sliding
    cdef int* slide
    cdef double* along
    cdef double* beside
    cdef double* heading
    cdef double* toward
    cdef double* values
