from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage, Search
from ik2d_ros.kinematics.kernel.lines cimport Lines

cdef class Walk(Search):
    cdef Lines lines
    cdef int end, base
    cdef double[ROOM] heading
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

cdef class Closest(Walk):
    cdef double complex target
    cdef void seek(self, double complex target, double enough) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void turn_to(self, int j, double complex ahead, int line) noexcept nogil
    cdef void slide_to(self, int j, double complex ahead, int line) noexcept nogil
    cdef void reach(self, double distance) noexcept nogil
