from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM
from ik2d_ros.kinematics.kernel.solver cimport Solver

cdef int FLAT
cdef double SHORTEST

cdef class Task

cdef class TargetSolver:
    cdef object lock
    cdef int joints
    cdef readonly int passes
    cdef readonly double x, y, error, angle, angle_error
    cdef double[ROOM] positions
    cdef void begin(self, int j, double position) noexcept nogil
    cdef int bring(self, double complex at, double z, double angle, double tolerance, double slack) noexcept nogil
    cdef void run(self, Task task, int first, int last)
    cdef void answer(self, Task task, int i) noexcept nogil

cdef class ChainSolver(TargetSolver):
    cdef object description
    cdef readonly Solver solver
    cdef readonly double size, aside
    cdef readonly double complex tool
    cdef double[ROOM] sign, shift, lower, upper, start
    cdef void begin(self, int j, double position) noexcept nogil
    cdef int bring(self, double complex at, double z, double angle, double tolerance, double slack) noexcept nogil
    cdef void place(self) noexcept nogil
    cdef double position(self, int j) noexcept nogil

cdef class Task:
    cdef readonly tuple answers
    cdef list arrays
    cdef bint aimed
    cdef int dimensions
    cdef Py_ssize_t stride
    cdef double tolerance, slack
    cdef double* target
    cdef double* start
    cdef double* angle
    cdef double* position
    cdef double* error
    cdef double* angle_error
    cdef int* status
