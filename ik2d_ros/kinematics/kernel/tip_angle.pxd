from libc cimport math

from ik2d_ros.kinematics.kernel.linkage cimport ROOM, SLACK, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.meeting cimport Meeting
from ik2d_ros.kinematics.kernel.points cimport dot, norm, phase, unit
from ik2d_ros.kinematics.kernel.walk cimport FAR, Walk

cdef double TOUCHING, PARALLEL
cdef int THREE

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

cdef class MeetingAtAngle:
    cdef Linkage linkage
    cdef Lines lines
    cdef Meeting meeting
    cdef Crossing crossing
    cdef bint every
    cdef bint meet(self, int j, double complex place, double heading) noexcept nogil
    cdef bint turn(self, int j, double complex place, double heading) noexcept nogil
    cdef bint cross(self, int j, double complex place, double heading, int slide, double complex toward) noexcept nogil
    cdef bint pair(self, int j, double complex place, double heading, int slide, double complex toward, int other, double complex across) noexcept nogil
    cdef bint close_pair(self, int j, double complex place, double heading, int slide, double complex toward, int other, double complex across) noexcept nogil
    cdef void take(self, double* pose) noexcept nogil
