from libc cimport math

from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage, Search
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.meeting cimport Meeting

cdef class Crossing(Meeting):
    cdef int slide
    cdef double complex slid, toward
    cdef void stand(self, double complex place) noexcept nogil
    cdef void search(self, int mover, double complex place) noexcept nogil
    cdef bint visit(self, int j) noexcept nogil
    cdef void cross(self, int j, int line, double complex chord) noexcept nogil
    cdef void shift(self, int j, int line, double complex chord, double shift) noexcept nogil

cdef class MeetingAtAngle(Search):
    cdef Lines lines
    cdef Meeting meeting
    cdef Crossing crossing
    cdef bint every, all_held
    cdef int[2] slide
    cdef double complex[2] toward
    cdef bint meet(self, double complex target, double angle, bint every, double enough) noexcept nogil
    cdef bint hold(self, int j, double complex place, double heading, int slides) noexcept nogil
    cdef bint let_slide(self, int j, double complex place, double heading, int slides) noexcept nogil
    cdef bint turn(self, int j, double complex pivot, double heading, int slides) noexcept nogil
    cdef bint bring(self, Meeting meeting, int j, double complex pivot, double heading) noexcept nogil
    cdef bint bring_by_slides(self, int j, double complex pivot, double heading) noexcept nogil

cdef class ClosestAngle(MeetingAtAngle):
    cdef Linkage forward
    cdef int[ROOM] place
    cdef double[ROOM] sign
    cdef void seek_angle(self, double complex target, double angle, double enough) noexcept nogil
