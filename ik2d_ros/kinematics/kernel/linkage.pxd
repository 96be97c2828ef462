from cpython cimport array
from libc cimport math

from ik2d_ros.kinematics.kernel.points cimport clamp, near_zero, unit

cdef enum:
    ROOM = 257

cdef double SLACK, TAU

cdef double* doubles(array.array values)
cdef int* integers(array.array values)

cdef class Linkage:
    cdef readonly int count
    cdef bint[ROOM] slides, free, absolute
    cdef readonly bint linked
    cdef bint bent
    cdef double[ROOM] least, most
    cdef double[ROOM] fixed, lower, upper, start, trial
    cdef int[ROOM] limits
    cdef double heading, moved
    cdef double complex pivot
    cdef double[2 * ROOM] limit, bend, length
    cdef double complex[2 * ROOM] turn
    cdef bint fit(self, int j, double value) noexcept nogil
    cdef bint bends_to(self, int j, double bend) noexcept nogil
    cdef double bend_at(self, int j, double bend) noexcept nogil
    cdef bint bend_back(self, double* pose) noexcept nogil
    cdef double nearest(self, int j, double value) noexcept nogil
    cdef void stand(self, int count) noexcept nogil
    cdef double move(self, int count) noexcept nogil
