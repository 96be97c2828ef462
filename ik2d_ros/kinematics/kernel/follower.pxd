from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.chain_solver cimport ChainSolver, TargetSolver
from ik2d_ros.kinematics.kernel.lift cimport LiftSolver
from ik2d_ros.kinematics.kernel.linkage cimport ROOM
from ik2d_ros.kinematics.kernel.solver cimport Solver
from ik2d_ros.kinematics.kernel.turntable cimport TurntableSolver

cdef int ROUNDS, EVEN, TURNS
cdef double LARGEST, NOTHING, MISSED, WITHIN

cdef class Course:
    cdef readonly tuple answers
    cdef list arrays
    cdef readonly int count, most, turns
    cdef readonly bint ended
    cdef readonly double at
    cdef bint aimed
    cdef int points, dimensions, joints, row
    cdef double tolerance, slack, aside, least, step
    cdef double* place_of
    cdef double* point
    cdef double* angle
    cdef double* place
    cdef double* position

cdef class Follower:
    cdef ChainSolver chain
    cdef Solver solver
    cdef TargetSolver whole
    cdef TurntableSolver turntable
    cdef LiftSolver lift
    cdef bint turns, lifts
    cdef int first
    cdef double x, y, z, wish, off, off_ahead
    cdef double[ROOM] q, ahead
    cdef void run(self, Course course) noexcept nogil
    cdef void arrive(self, Course course, double place) noexcept nogil
    cdef void aim(self, Course course, double place) noexcept nogil
    cdef double go(self, Course course, double place) noexcept nogil
    cdef double give_way(self, Course course, double place) noexcept nogil
    cdef double move(self, Course course, double angle) noexcept nogil
    cdef void descend(self, double complex target, double angle, double enough) noexcept nogil
    cdef double jump(self, Course course, double place) noexcept nogil
    cdef double judge(self, Course course, double error, double off) noexcept nogil
    cdef double strain(self, double aside) noexcept nogil
