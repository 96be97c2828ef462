from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage

cdef double SLIDE, LARGEST_TURN, LIGHTLY, HEAVILY, NOTHING, TIED, NEAR, EASE, OFF_LIMITS, AT_LIMIT, STRAIGHT
cdef int BOTH, PATIENCE

cdef class Descent:
    cdef Linkage linkage
    cdef bint aimed, eased, any_tied
    cdef int movers, rounds
    cdef double angle, heading, off, twist
    cdef double complex tip, miss, pull, gap
    cdef double askew
    cdef double[ROOM] pose, step, wish, lag
    cdef bint[ROOM] held, tied, turning
    cdef double complex[ROOM] pivot, column
    cdef void aim(self, double angle) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef void put(self, double* pose) noexcept nogil
    cdef void forward(self, double* pose) noexcept nogil
    cdef double measure(self, double* pose, double complex target) noexcept nogil
    cdef double run(self, double complex target, int rounds, double enough) noexcept nogil
    cdef void find_columns(self) noexcept nogil
    cdef bint tie(self) noexcept nogil
    cdef double find_step(self, double damping) noexcept nogil
    cdef void find_pull(self, double damping) noexcept nogil
    cdef bint stop_at_limits(self) noexcept nogil
    cdef double pulled(self, int j) noexcept nogil
    cdef void leave(self, int j, double move) noexcept nogil
    cdef double ease(self, double damping, double largest) noexcept nogil
    cdef double wish_of(self, int j) noexcept nogil
    cdef void sweep(self, double complex target) noexcept nogil
    cdef double best(self, int j, double value) noexcept nogil
