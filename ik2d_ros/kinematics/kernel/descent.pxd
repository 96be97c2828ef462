from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM, JointTable
from ik2d_ros.kinematics.kernel.search cimport Trial

cdef double SLIDE, LARGEST_TURN, LIGHT, HEAVY, NEAR, EASED_MOVE, PREFERENCE, AT_LIMIT, STRAIGHT, NO_ZERO, TIED
cdef int PATIENCE

cdef class Descent:
    cdef Trial trial
    cdef JointTable table
    cdef bint aimed, eased, any_tied
    cdef int moving_count, iterations
    cdef double radian, angle, heading, heading_miss, whole_heading_miss, twist
    cdef double complex tip, miss, whole_miss, pull
    cdef double[ROOM] pose, step, preferred, lag
    cdef bint[ROOM] is_fixed, tied, turning
    cdef double complex[ROOM] pivot, column
    cdef void set_angle(self, double angle) noexcept nogil
    cdef void set_pose(self, double* pose) noexcept nogil
    cdef void forward(self, double* pose) noexcept nogil
    cdef void find_columns(self) noexcept nogil
    cdef double measure_error(self, double* pose, double complex target) noexcept nogil
    cdef double descend_to(self, double complex target, int iterations, double enough) noexcept nogil
    cdef double find_step(self, double damping) noexcept nogil
    cdef void find_multipliers(self, double damping) noexcept nogil
    cdef bint stop_at_limits(self) noexcept nogil
    cdef bint tie_bends(self) noexcept nogil
    cdef double free_step(self, int j) noexcept nogil
    cdef void take_off_miss(self, int j, double move) noexcept nogil
    cdef double ease_step(self, double damping, double largest) noexcept nogil
    cdef double preferred_move(self, int j) noexcept nogil
    cdef double sweep_to(self, double complex target, int iterations, double enough) noexcept nogil
    cdef double sweep_joints(self, double complex target) noexcept nogil
    cdef double best_allowed(self, int j, double value) noexcept nogil
