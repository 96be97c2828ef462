from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport CarriedSolver
from ik2d_ros.kinematics.kernel.solver cimport Solver

cdef double COARSE, RESOLUTION, RADIUS_ROUNDING, SHORTEST_PROJECTION, NORMAL
cdef int MOST_FOLLOWED

cdef class TurntableSolver(CarriedSolver):
    cdef readonly Solver solver
    cdef double complex base, along, sideways, target
    cdef double lean, upright, offset, farthest, origin, upwards, wanted, angle_tolerance
    cdef double target_height, radius, bearing, height, across, out, front, back, resolution
    cdef double best_square, best_move
    cdef bint pointing, never_in_plane, undecided
    cdef void set_target(self, double complex target, double height) noexcept nogil
    cdef double wanted_at(self, double turn) noexcept nogil
    cdef double angle_error_at(self, double turn) noexcept nogil
    cdef double complex in_plane(self, double out, double across) noexcept nogil
    cdef double complex target_at(self, double turn) noexcept nogil
    cdef double plane_distance(self, double turn) noexcept nogil
    cdef double annulus_distance(self, double away) noexcept nogil
    cdef double tip_error(self, double turn) noexcept nogil
    cdef double clamp_turn(self, double turn) noexcept nogil
    cdef void solve_at_turn(self, double exact, double out, double tolerance) noexcept nogil
    cdef bint is_better(self, double angle_error, double move) noexcept nogil
    cdef double move_to(self, double turn) noexcept nogil
    cdef void keep_pose(self, double turn, double move) noexcept nogil
    cdef int status_of_miss(self) noexcept nogil
    cdef void search_turns(self) noexcept nogil
    cdef bint is_closer(self, double square) noexcept nogil
    cdef void search_between(self, double low, double at_low, double high, double at_high) noexcept nogil
    cdef double bound_between(self, double low, double at_low, double high, double at_high) noexcept nogil
    cdef double bound_or_solve(self, double turn) noexcept nogil
    cdef double solve_closest(self, double turn) noexcept nogil
    cdef void refine(self, double turn) noexcept nogil
