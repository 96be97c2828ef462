from libc cimport math

from ik2d_ros.kinematics.kernel.linkage cimport ROOM, SLACK, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.points cimport dot, norm, phase, unit
from ik2d_ros.kinematics.kernel.walk cimport FAR, Walk

cdef double TOUCHING, PARALLEL

cdef class Crossing(Walk):
    cdef int mover, slide
    cdef double heading_there
    cdef double complex place, toward
    cdef bint meet(self, double complex place, double heading, int slide, double complex toward) noexcept nogil
    cdef void stand(self, double complex place, double heading, double complex toward) noexcept nogil
    cdef void look(self, int mover, double complex place, double heading, double complex toward) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void cross(self, int j, int line, double complex chord) noexcept nogil
    cdef void close(self, int j, int line, double complex chord, double shift) noexcept nogil
    cdef bint turn_there(self, int j, int line, double complex chord, double before) noexcept nogil
