from libc cimport math

from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.walk cimport Walk

cdef class Meeting(Walk):
    cdef int mover
    cdef bint aimed
    cdef double before, gap, bearing, angle, narrow
    cdef double complex goal, middle, first, last
    cdef bint meet(self, double complex target, double angle, bint every, double enough) noexcept nogil
    cdef void stand(self, double complex target) noexcept nogil
    cdef void search(self, int mover, double complex target) noexcept nogil
    cdef void set_off(self, int mover, double complex target) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void bound_arc(self, int mover) noexcept nogil
    cdef bint may_reach(self, int j) noexcept nogil
    cdef bint may_meet(self, double complex centre, double radius) noexcept nogil
    cdef void meet_circle(self, int j, int line) noexcept nogil
    cdef void meet_rail(self, int j, int line) noexcept nogil
    cdef void close(self, int j, int line, double complex tip) noexcept nogil
    cdef bint bring(self, double complex tip) noexcept nogil
    cdef void take(self) noexcept nogil
    cdef bint turn_end(self) noexcept nogil
