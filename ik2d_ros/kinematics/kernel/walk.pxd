from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.search cimport Search, Trial

cdef class Walk(Search):
    cdef Lines lines
    cdef int end, row
    cdef double[ROOM] heading
    cdef double complex[ROOM] pivot, along
    cdef void set_end(self, int end) noexcept nogil
    cdef void walk(self, int j) noexcept nogil
    cdef bint may_improve(self, int j) noexcept nogil
    cdef void try_end(self) noexcept nogil
    cdef void try_line(self, int j, int line) noexcept nogil
    cdef void place_joint(self, int j, double complex pivot, double heading, double complex along) noexcept nogil
    cdef bint point_line(self, int j, int line, double complex ahead) noexcept nogil
    cdef bint set_line(self, int f, int line) noexcept nogil
    cdef double complex disc_centre(self, int j) noexcept nogil
    cdef double complex slide_direction(self, int j) noexcept nogil

cdef class Closest(Walk):
    cdef double complex target
