from libc cimport math

from ik2d_ros.kinematics.kernel.linkage cimport ROOM, SLACK, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.points cimport dot, norm, phase, unit
from ik2d_ros.kinematics.kernel.walk cimport FAR, Walk

cdef double TOUCHING, PARALLEL, SAME_MOVE, WRONG_SIDE

cdef class Meeting(Walk):
    cdef int mover, side
    cdef bint aimed
    cdef double gap, bearing, angle, moved
    cdef double narrow
    cdef double complex goal, middle, first, last
    cdef bint meet(self, double complex target, bint every) noexcept nogil
    cdef void stand(self, double complex target) noexcept nogil
    cdef void look(self, int mover, double complex target) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void bound_arc(self, int mover) noexcept nogil
    cdef bint may_meet(self, double complex centre, double radius) noexcept nogil
    cdef bint may_reach(self, int j) noexcept nogil
    cdef void meet_circle(self, int j, int line) noexcept nogil
    cdef void meet_rail(self, int j, int line) noexcept nogil
    cdef void close(self, int j, int line, double complex tip) noexcept nogil
    cdef void reach(self, double complex tip) noexcept nogil
    cdef bint turn_end(self) noexcept nogil
    cdef bint is_on_side(self) noexcept nogil
