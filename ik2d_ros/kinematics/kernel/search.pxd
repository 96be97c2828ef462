from libc cimport math

from ik2d_ros.kinematics.kernel cimport points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM, JointTable
from ik2d_ros.kinematics.kernel.lines cimport Lines

cdef double WRONG_SIDE

cdef class Trial:
    cdef JointTable table
    cdef double[ROOM] start, pose
    cdef double heading, moved, slack
    cdef readonly int budget
    cdef double complex pivot
    cdef bint spend(self, int work) noexcept nogil
    cdef bint set_joint(self, int j, double value) noexcept nogil
    cdef void start_first(self, int count) noexcept nogil
    cdef void start_from(self, int first) noexcept nogil
    cdef double largest_move(self, int count) noexcept nogil

cdef class Search:
    cdef Trial trial
    cdef JointTable table
    cdef int side, counted
    cdef double best_cost, best_move, best_moved
    cdef double[ROOM] best
    cdef bint find_pose(self, double complex target, double angle, bint try_all, double below) noexcept nogil
    cdef void find_closest(self, double complex target, double below) noexcept nogil
    cdef void find_closest_angle(self, double complex target, double angle, double below) noexcept nogil
    cdef void keep_trial(self, double cost) noexcept nogil
    cdef void keep_smaller_move(self) noexcept nogil
    cdef double cost_of_move(self, int count) noexcept nogil
    cdef void keep_closer(self, double distance) noexcept nogil
    cdef bint bends_to_side(self) noexcept nogil

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
