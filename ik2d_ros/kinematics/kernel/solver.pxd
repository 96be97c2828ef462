from cpython cimport array
from libc cimport math

from ik2d_ros.kinematics.kernel.closest cimport Closest
from ik2d_ros.kinematics.kernel.closest_angle cimport ClosestAngle
from ik2d_ros.kinematics.kernel.descent cimport RADIAN, Descent
from ik2d_ros.kinematics.kernel.faces cimport Faces, FaceTables
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.meeting cimport Meeting
from ik2d_ros.kinematics.kernel.tip_angle cimport MeetingAtAngle
from ik2d_ros.kinematics.kernel.points cimport clamp, near_zero, phase, unit

cdef int REACHED, TOO_FAR, TOO_NEAR, JOINT_LIMIT, NOT_CONVERGED, TIP_ANGLE
cdef int DESCENT, SWEEPS, MEETING, ROUNDS, RESTARTS, TWO, THREE, POLISH
cdef double PRECISE, EXACT, CREEP, ROUNDING, FARTHEST, GOLDEN, TAU

cdef class Solver:
    cdef object links, angle_tables
    cdef FaceTables tables
    cdef Faces faces, faces_at
    cdef readonly Linkage linkage
    cdef readonly Lines lines
    cdef Descent descent
    cdef Meeting meeting
    cdef Closest nearest
    cdef readonly MeetingAtAngle at_angle
    cdef ClosestAngle closest_angle
    cdef public int method, side, most
    cdef readonly int passes
    cdef readonly double inner, outer, error
    cdef double[ROOM] start, pose
    cdef void begin(self, int j, double value) noexcept nogil
    cdef int point(self, double complex target, double tolerance) noexcept nogil
    cdef int point_at(self, double complex target, double angle, double tolerance, double slack) noexcept nogil
    cdef double descend_at(self, double complex target, double angle, int rounds, double enough) noexcept nogil
    cdef double decide_at(self, double complex target, double angle) noexcept nogil
    cdef bint give_way(self, double complex target, double angle, double tolerance, double slack) noexcept nogil
    cdef double search_at(self, double complex target, double angle, double tolerance, double slack) noexcept nogil
    cdef int approach_at(self, double complex target, double angle, double enough) noexcept nogil
    cdef double turn_closest(self, double complex target, double angle) noexcept nogil
    cdef double seek_angle(self, double complex target, double angle, double enough) noexcept nogil
    cdef bint moves_both(self) noexcept nogil
    cdef int judge(self, double away, double tolerance) noexcept nogil
    cdef void set_out(self) noexcept nogil
    cdef int outside(self, double away, double tolerance) noexcept nogil
    cdef int approach(self, double complex target, double tolerance) noexcept nogil
    cdef void descend(self, double complex target, double tolerance) noexcept nogil
    cdef double sweep(self, double complex target, double enough) noexcept nogil
    cdef bint decide(self, double complex target, double tolerance) noexcept nogil
    cdef double closest(self, double complex target) noexcept nogil
    cdef double complex tip(self) noexcept nogil
    cdef double heading(self) noexcept nogil
    cdef void take(self, double* pose, double error) noexcept nogil
    cdef void settle(self, double complex target) noexcept nogil
    cdef void search(self, double complex target, double tolerance) noexcept nogil
    cdef double spread(self, int i, int j) noexcept nogil
