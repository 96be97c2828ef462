from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport ChainSolver, TargetSolver
from ik2d_ros.kinematics.kernel.solver cimport Solver

cdef double SAME, EXACT, ROUNDING, SHORTEST, BESIDE

cdef class TurntableSolver(TargetSolver):
    cdef object carried
    cdef readonly ChainSolver chain
    cdef readonly Solver solver
    cdef double complex base, along, sideways, place
    cdef double lean, upright, beside, lower, upper, farthest, rise
    cdef double wish, slack, upwards, same
    cdef bint pointing, missed, stopped
    cdef double radius, bearing, height, start, across, ahead, front, back
    cdef double square, move
    cdef void begin(self, int j, double position) noexcept nogil
    cdef int bring(self, double complex at, double z, double angle, double tolerance, double slack) noexcept nogil
    cdef double wish_at(self, double turn) noexcept nogil
    cdef double off_at(self, double turn) noexcept nogil
    cdef void aim(self, double complex place, double height) noexcept nogil
    cdef double complex flat(self, double out, double across) noexcept nogil
    cdef double complex seen(self, double turn) noexcept nogil
    cdef double aside(self, double turn) noexcept nogil
    cdef double floor(self, double turn) noexcept nogil
    cdef double beyond(self, double away) noexcept nogil
    cdef double square_at(self, double turn, double complex target) noexcept nogil
    cdef double miss(self, double turn) noexcept nogil
    cdef double turn_to(self, double complex tip) noexcept nogil
    cdef double allowed(self, double turn) noexcept nogil
    cdef void meet(self, double wanted, double ahead, double tolerance) noexcept nogil
    cdef bint is_better(self, double off, double move) noexcept nogil
    cdef double move_to(self, double turn) noexcept nogil
    cdef void keep(self, double turn, double move) noexcept nogil
    cdef int why_not(self) noexcept nogil
    cdef void search(self) noexcept nogil
    cdef void between(self, double low, double at_low, double high, double at_high) noexcept nogil
    cdef bint is_less(self, double square) noexcept nogil
    cdef double bound(self, double low, double at_low, double high, double at_high) noexcept nogil
    cdef double probe(self, double turn) noexcept nogil
    cdef double solve_at(self, double turn) noexcept nogil
    cdef void settle(self, double turn) noexcept nogil
