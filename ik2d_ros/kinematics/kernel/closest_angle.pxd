from cpython cimport array
from libc cimport math

from ik2d_ros.kinematics.kernel.linkage cimport ROOM, SLACK, Linkage, doubles, integers
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.points cimport near_zero, phase, unit
from ik2d_ros.kinematics.kernel.walk cimport FAR, Walk

cdef double TOUCHING, PARALLEL, QUARTER

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

cdef class ClosestAngle(Walk):
    cdef Tails tails
    cdef bint crowded
    cdef double wanted
    cdef double complex target
    cdef void seek(self, double complex target, double angle) noexcept nogil
    cdef bint visit(self, int f) noexcept nogil
    cdef void visit_lines(self, int f, int g) noexcept nogil
    cdef void turn_line(self, int f, int g, int line, int tail) noexcept nogil
    cdef void put_line(self, int f, int g, int line, int tail, double complex chord) noexcept nogil
    cdef void slide_line(self, int f, int g, int line, int tail) noexcept nogil
    cdef void put_rail(self, int f, int g, int line, int tail, double value, double complex rest) noexcept nogil
    cdef void cross(self, int f, int g, int line, int tail, double quarter) noexcept nogil
    cdef void put_crossed(self, int f, int g, int line, int tail, double quarter, double shift, double complex tip) noexcept nogil
    cdef void move_alone(self, int f, int tail) noexcept nogil
    cdef void visit_tails(self, int f) noexcept nogil
    cdef void turn_tail(self, int f, int tail) noexcept nogil
    cdef void put_tail(self, int f, int tail, double shift) noexcept nogil
    cdef void slide_tail(self, int f, int tail) noexcept nogil
    cdef bint is_closer(self, double heading) noexcept nogil
    cdef bint follow_tail(self, int g, int tail) noexcept nogil
    cdef double complex tip(self, int tail) noexcept nogil
