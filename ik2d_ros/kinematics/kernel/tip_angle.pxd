from ik2d_ros.kinematics.kernel.crossing cimport Crossing
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, SLACK, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.meeting cimport Meeting
from ik2d_ros.kinematics.kernel.points cimport unit

cdef double PARALLEL
cdef int THREE

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
