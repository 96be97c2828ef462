from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.descent cimport Descent
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM, JointTable
from ik2d_ros.kinematics.kernel.lines cimport Lines
from ik2d_ros.kinematics.kernel.search cimport Search, Trial

cdef int BUDGET, POINT_JOINTS, ANGLE_JOINTS, DESCENT_STEPS, POLISH_STEPS, RESTARTS, BEYOND, TURNS
cdef double POLISHED, ANNULUS_SLACK, BLAMED, REFINED, GOLDEN, LEAST_BEYOND

cdef class Solver:
    cdef object links
    cdef readonly list angle_lines
    cdef readonly JointTable table
    cdef readonly Lines lines
    cdef readonly Trial trial
    cdef Descent descent
    cdef Search at_point, closest_point, at_angle, closest_angle
    cdef public int method, most_passes
    cdef readonly bint is_ready_for_angles
    cdef readonly int enumerated_from, passes
    cdef readonly double inner, outer, error
    cdef double[ROOM] start, pose
    cdef void set_start(self, int j, double value) noexcept nogil
    cdef void begin(self, double angle) noexcept nogil
    cdef int solve_for_point(self, double complex target, double tolerance) noexcept nogil
    cdef int status_by_distance(self, double away, double tolerance) noexcept nogil
    cdef int status_of_miss(self, double away, double tolerance) noexcept nogil
    cdef int approach(self, double complex target, double enough) noexcept nogil
    cdef double decide(self, double complex target) noexcept nogil
    cdef double polish_found(self, Search search, double complex target, bint try_all) noexcept nogil
    cdef void take_closest(self, double complex target) noexcept nogil
    cdef int solve_for_angle(self, double complex target, double angle, double tolerance, double angle_tolerance) noexcept nogil
    cdef double take_closest_angle(self, double complex target, double angle) noexcept nogil
    cdef bint accept_nearby(self, double complex target, double angle, double tolerance, double angle_tolerance) noexcept nogil
    cdef bint is_near(self, double* pose, double complex target, double tolerance, double angle_tolerance) noexcept nogil
    cdef void restart(self, double complex target, double tolerance) noexcept nogil
    cdef double restart_at_angle(self, double complex target, double angle, double tolerance, double angle_tolerance) noexcept nogil
    cdef double turn_towards(self, double complex target, double angle, double tolerance, double off) noexcept nogil
    cdef bint set_restart(self, int i) noexcept nogil
    cdef void refine(self, double complex target) noexcept nogil
    cdef void take_if_closer(self, double* pose, double error) noexcept nogil
    cdef void replace_pose(self, double* pose, double error) noexcept nogil
    cdef double complex tip(self) noexcept nogil
    cdef double heading_error(self, double angle) noexcept nogil
