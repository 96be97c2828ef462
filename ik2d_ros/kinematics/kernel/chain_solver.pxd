from cpython cimport array
from libc cimport math

from ik2d_ros.kinematics.kernel.linkage cimport ROOM, doubles, integers
from ik2d_ros.kinematics.kernel.points cimport clamp, near_zero
from ik2d_ros.kinematics.kernel.solver cimport NOT_CONVERGED, REACHED, TIP_ANGLE, Solver

cdef double TAU, NO_ANGLE, SHORTEST

cdef class Task

cdef class BatchSolver:
    cdef object lock
    cdef void run(self, Task task, int first, int last)
    cdef void answer(self, Task task, int i) noexcept nogil

cdef class ChainSolver(BatchSolver):
    cdef object description
    cdef readonly Solver solver
    cdef readonly double size, aside
    cdef readonly double complex tool
    cdef double[ROOM] sign, shift, lower, upper, start
    cdef readonly double x, y, error, angle, angle_error
    cdef double[ROOM] positions
    cdef void begin(self, int j, double position) noexcept nogil
    cdef int reach(self, double x, double y, double angle, double tolerance, double slack) noexcept nogil
    cdef void place(self) noexcept nogil
    cdef double position(self, int j) noexcept nogil
    cpdef void choose(self, int method, int side, int most)
    cdef void answer(self, Task task, int i) noexcept nogil

cdef class Task:
    cdef readonly tuple answers
    cdef object given
    cdef bint aimed
    cdef Py_ssize_t stride
    cdef double tolerance, slack
    cdef double* target
    cdef double* start
    cdef double* angle
    cdef double* position
    cdef double* error
    cdef double* angle_error
    cdef int* status
