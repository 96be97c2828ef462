from cpython cimport array
from libc cimport math

from ik2d_ros.kinematics.kernel.points cimport clamp, unit

cdef enum:
    ROOM = 257

cdef double SLACK, TAU

cdef double* doubles(array.array values)
cdef int* integers(array.array values)

cdef class Linkage:
    cdef readonly int count
    cdef bint[ROOM] slides, free
    cdef double[ROOM] fixed, lower, upper, start, trial
    cdef int[ROOM] limits
    cdef double heading, moved
    cdef double complex pivot
    cdef double[2 * ROOM] limit, bend, length
    cdef double complex[2 * ROOM] turn
    cdef bint fit(self, int j, double value) noexcept nogil
    cdef double nearest(self, int j, double value) noexcept nogil
    cdef void stand(self, int count) noexcept nogil
    cdef double move(self, int count) noexcept nogil
