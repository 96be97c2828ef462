from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.points cimport dot, phase, unit
from ik2d_ros.kinematics.kernel.walk cimport FAR, Walk

cdef double SAME, SAME_MOVE, ROUNDING

cdef class Closest(Walk):
    cdef double move
    cdef double complex target
    cdef void seek(self, double complex target) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void turn_to(self, int j, double complex ahead, int line) noexcept nogil
    cdef void slide_to(self, int j, double complex ahead, int line) noexcept nogil
    cdef void reach(self, double distance) noexcept nogil
