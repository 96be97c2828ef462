from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines

cdef double FAR

cdef class Walk:
    cdef Linkage linkage
    cdef Lines lines
    cdef int end, base
    cdef double found
    cdef double[ROOM] best, heading
    cdef double complex[ROOM] pivot, along
    cdef void set_end(self, int end) noexcept nogil
    cdef int first_line(self, int j) noexcept nogil
    cdef void walk(self, int j) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void set_out(self, int j, double complex pivot, double heading, double complex along) noexcept nogil
    cdef void hold(self, int j, int limit) noexcept nogil
    cdef bint follow(self, int f, int end, int line) noexcept nogil
    cdef double complex centre(self, int j) noexcept nogil
    cdef double complex way(self, int j) noexcept nogil
    cdef void keep(self, double cost) noexcept nogil
