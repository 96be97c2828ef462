from cpython cimport array
from libc cimport math

from ik2d_ros.kinematics.kernel.closest cimport Closest
from ik2d_ros.kinematics.kernel.descent cimport Descent
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.meeting cimport Meeting
from ik2d_ros.kinematics.kernel.points cimport clamp, phase

cdef int REACHED, TOO_FAR, TOO_NEAR, JOINT_LIMIT, NOT_CONVERGED, TIP_ANGLE
cdef int DESCENT, SWEEPS, MEETING, ROUNDS, RESTARTS
cdef double EXACT, FARTHEST, GOLDEN, TAU

cdef class Solver:
    cdef object links
    cdef readonly Linkage linkage
    cdef readonly Lines lines
    cdef Descent descent
    cdef Meeting meeting
    cdef Closest nearest
    cdef public int method, most
    cdef readonly int passes
    cdef readonly double inner, outer, error
    cdef double[ROOM] start, pose
    cdef void begin(self, int j, double value) noexcept nogil
    cdef int point(self, double complex target, double tolerance) noexcept nogil
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
    cdef void search(self, double complex target, double tolerance) noexcept nogil
    cdef double spread(self, int i, int j) noexcept nogil
