from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM
from ik2d_ros.kinematics.kernel.solver cimport Solver

cdef int PLANAR, FEW, STEPS
cdef double AT_BASE

cdef class Task

cdef class TargetSolver:
    cdef object lock
    cdef int joints
    cdef readonly int passes
    cdef readonly double size, x, y, error, angle, angle_error
    cdef double speed, bow, largest
    cdef double[ROOM] positions
    cdef void set_start(self, int j, double position) noexcept nogil
    cdef int solve_target(self, double complex at, double z, double angle, double tolerance, double angle_tolerance) noexcept nogil
    cdef int status_at(self, int status, double tolerance, double angle_tolerance) noexcept nogil
    cdef int solve_long(self, double complex at, double z, double angle, double tolerance, double angle_tolerance) noexcept
    cdef void step_to(self, double complex at, double z, double angle, double tolerance) noexcept nogil
    cdef void measure_move(self, double* before, double* after, int first) noexcept nogil
    cdef void solve_rows(self, Task task, int first, int last)

cdef class ChainSolver(TargetSolver):
    cdef readonly Solver solver
    cdef readonly double aside
    cdef readonly double complex tool
    cdef double[ROOM] sign, shift, lower, upper, start
    cdef void step_in_plane(self, double complex target, double angle, double tolerance) noexcept nogil
    cdef double complex in_reaches(self, double complex at) noexcept nogil
    cdef double heading(self, double angle) noexcept nogil
    cdef void measure_errors(self, double complex at, double angle) noexcept nogil
    cdef void update_positions(self) noexcept nogil

cdef class CarriedSolver(TargetSolver):
    cdef readonly ChainSolver chain
    cdef readonly int first
    cdef double carrier_lower, carrier_upper, carrier_start
    cdef void place_pose(self, double position) noexcept nogil

cdef class LiftSolver(CarriedSolver):
    cdef double axis, off_plane
    cdef bint limited
    cdef double height(self, double z) noexcept nogil
    cdef void place_lift(self, double z) noexcept nogil

cdef class Task:
    cdef readonly tuple answers
    cdef list arrays
    cdef bint aimed
    cdef int dimensions
    cdef Py_ssize_t stride
    cdef double tolerance, angle_tolerance
    cdef double *target, *start, *angle, *position, *error, *angle_error
    cdef int *status
