from libc cimport math

from ik2d_ros.kinematics.kernel.linkage cimport ROOM, SLACK, Linkage, doubles, integers
from ik2d_ros.kinematics.kernel.points cimport near_zero, phase, unit

cdef double TINY, TOUCHING, SAME, SAME_MOVE, WRONG_SIDE, FAR, TAU
cdef int FIXED, MOVER, LINE, AIMED

cdef class FaceTable:
    cdef int count
    cdef object kept
    cdef int* first
    cdef int* kinds
    cdef double* place
    cdef double* aimed
    cdef double* size
    cdef double* direction
    cdef double* span
    cdef double* turns

cdef class FaceTables:
    cdef object links
    cdef readonly int deep
    cdef FaceTable points, angles
    cdef double low, high
    cpdef void prepare_angles(self)

cdef class Faces:
    cdef Linkage linkage
    cdef readonly FaceTables tables
    cdef FaceTable table
    cdef int side
    cdef double found, move, moved, wanted, started
    cdef double[4] headings
    cdef double[ROOM] heading, best, kept
    cdef bint meet(self, double complex target, bint every) noexcept nogil
    cdef bint meet_at(self, double complex target, double angle, bint every) noexcept nogil
    cdef void seek(self, double complex target, double enough) noexcept nogil
    cdef void seek_angle(self, double complex target, double angle, double enough) noexcept nogil
    cdef double complex place(self, int face) noexcept nogil
    cdef void close(self, int face, double complex gap, int begin) noexcept nogil
    cdef void lean(self, int face, int begin, double mover, double line) noexcept nogil
    cdef bint fit(self, int face, int begin) noexcept nogil
    cdef void keep_move(self) noexcept nogil
    cdef void keep_closest(self, double distance) noexcept nogil
    cdef void keep_angle(self) noexcept nogil
    cdef void keep(self, double cost) noexcept nogil
    cdef bint is_on_side(self) noexcept nogil
