from libc cimport math

from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM, JointTable
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.search cimport Search, Trial, Walk

cdef double WIDE

cdef class Meeting(Walk):
    cdef int mover
    cdef bint aimed
    cdef double zero, distance, bearing, angle, narrow
    cdef double complex goal, arc_middle, arc_end
    cdef void try_start(self, double complex target) noexcept nogil
    cdef void try_mover(self, int mover, double complex target) noexcept nogil
    cdef void set_mover(self, int mover, double complex target) noexcept nogil
    cdef void cut_circle(self, int j, int line, double complex centre, double radius, double complex foot, double complex along) noexcept nogil
    cdef void try_tip(self, int j, int line, double complex tip) noexcept nogil
    cdef bint swing_mover_to(self, double complex tip) noexcept nogil
    cdef void complete_pose(self) noexcept nogil

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
