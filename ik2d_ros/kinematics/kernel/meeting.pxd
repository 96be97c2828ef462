from libc cimport math

from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.search cimport Trial, Walk

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
