from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.descent cimport Descent
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage, Search
from ik2d_ros.kinematics.kernel.lines cimport Lines

cdef int ROUNDS, RESTARTS, TWO, THREE, POLISH
cdef double EXACT, CREEP, ROUNDING, BLAMED, GOLDEN

cdef class Solver:
    cdef object links, angle_lines
    cdef readonly Linkage linkage
    cdef readonly Lines lines
    cdef Descent descent
    cdef Search meeting, nearest, at_angle, closest_angle
    cdef public int method, side, most
    cdef readonly int deep, passes
    cdef readonly double inner, outer, error
    cdef double[ROOM] start, pose
    cdef void begin(self, int j, double value) noexcept nogil
    cdef void set_out(self, double angle) noexcept nogil
    cdef int point(self, double complex target, double tolerance) noexcept nogil
    cdef int point_at(self, double complex target, double angle, double tolerance, double slack) noexcept nogil
    cdef int outside(self, double away, double tolerance) noexcept nogil
    cdef int judge(self, double away, double tolerance) noexcept nogil
    cdef int approach(self, double complex target, double enough) noexcept nogil
    cdef bint decides_at_once(self) noexcept nogil
    cdef void descend(self, double complex target, double enough) noexcept nogil
    cdef double sweep(self, double complex target, double enough) noexcept nogil
    cdef double decide(self, double complex target) noexcept nogil
    cdef double meet(self, Search search, double complex target, bint every) noexcept nogil
    cdef void closest(self, double complex target) noexcept nogil
    cdef double turn_closest(self, double complex target, double angle) noexcept nogil
    cdef bint give_way(self, double complex target, double angle, double tolerance, double slack) noexcept nogil
    cdef double search_at(self, double complex target, double angle, double tolerance, double slack) noexcept nogil
    cdef void search(self, double complex target, double tolerance) noexcept nogil
    cdef bint begin_again(self, int i, double complex target) noexcept nogil
    cdef void settle(self, double complex target) noexcept nogil
    cdef double spread(self, int i, int j) noexcept nogil
    cdef void take(self, double* pose, double error) noexcept nogil
    cdef double complex tip(self) noexcept nogil
    cdef double off(self, double angle) noexcept nogil
