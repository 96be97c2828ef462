from libc cimport math

from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM, JointTable
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.meeting cimport Meeting
from ik2d_ros.kinematics.kernel.search cimport Search, Trial

cdef class MeetingOnTrack(Meeting):
    cdef int slide
    cdef double complex track, track_seen
    cdef void cross_track(self, int j, int line, double complex chord) noexcept nogil
    cdef void try_slide(self, int j, int line, double complex chord, double value) noexcept nogil

cdef class MeetingAtAngle(Search):
    cdef Lines lines
    cdef Meeting meeting
    cdef MeetingOnTrack on_track
    cdef bint try_all, goes_on
    cdef int[2] slide
    cdef double complex[2] track
    cdef bint try_joint(self, int j, double complex link_end, double heading, int free_slides) noexcept nogil
    cdef bint free_slide(self, int j, double complex link_end, double heading, int free_slides) noexcept nogil
    cdef bint turn_joint(self, int j, double complex pivot, double heading, int free_slides) noexcept nogil
    cdef bint reach_pivot(self, Meeting meeting, int j, double complex pivot, double heading) noexcept nogil
    cdef bint reach_by_slides(self, int j, double complex pivot, double heading) noexcept nogil

cdef class ClosestAngle(MeetingAtAngle):
    cdef Trial forward
    cdef int[ROOM] mirrored
    cdef double[ROOM] sign
