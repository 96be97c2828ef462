from libc cimport math

from ik2d_ros.kinematics.kernel cimport codes, points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage, Search

cdef int FIXED, MOVER, LINE, AIMED

cdef class FaceTable:
    cdef int count
    cdef int[::1] first
    cdef int[::1] kinds
    cdef double[::1] place
    cdef double[::1] aimed
    cdef double[::1] size
    cdef double[::1] direction
    cdef double[::1] span
    cdef double[::1] turns

cdef class FaceTables:
    cdef object links
    cdef readonly int deep
    cdef FaceTable points, angles
    cdef double low, high
    cpdef void prepare_angles(self)

cdef class Faces(Search):
    cdef readonly FaceTables tables
    cdef FaceTable table
    cdef double wanted, started
    cdef double[4] headings
    cdef double[ROOM] heading, kept
    cdef bint meet(self, double complex target, double angle, bint every, double enough) noexcept nogil
    cdef void seek(self, double complex target, double enough) noexcept nogil
    cdef void seek_angle(self, double complex target, double angle, double enough) noexcept nogil
    cdef double complex place(self, int face) noexcept nogil
    cdef void close(self, int face, double complex gap, int begin) noexcept nogil
    cdef void lean(self, int face, int begin, double mover, double line) noexcept nogil
    cdef bint fit(self, int face, int begin) noexcept nogil
    cdef void keep_angle(self) noexcept nogil
