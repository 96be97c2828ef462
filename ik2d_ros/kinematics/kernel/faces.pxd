from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.linkage cimport ROOM, Linkage, Search

cdef int FIXED, MOVER, LINE, AIMED, NONE

cdef class Faces(Search):
    cdef int deep, count, begin, mover
    cdef bint aimed
    cdef double wanted, started
    cdef int end_count
    cdef double* ends
    cdef list arrays
    cdef double complex gap
    cdef int[ROOM] stops, kind
    cdef double[2 * ROOM] stop
    cdef double[4] headings
    cdef double[ROOM] bent, turn, span, kept
    cdef double complex[ROOM] fixed, moving, pointing
    cdef bint meet(self, double complex target, double angle, bint every, double enough) noexcept nogil
    cdef void seek(self, double complex target, double enough) noexcept nogil
    cdef void seek_angle(self, double complex target, double angle, double enough) noexcept nogil
    cdef void set_out(self, int begin, int mover, double complex gap) noexcept nogil
    cdef void start_run(self, int first) noexcept nogil
    cdef void grow(self, int first, int end, double complex chord) noexcept nogil
    cdef void lay(self, int first, int end, double complex chord) noexcept nogil
    cdef bint is_carried(self, int first, int end) noexcept nogil
    cdef void put(self, int first, int end, int kind, double heading, double complex chord) noexcept nogil
    cdef bint may_hold(self, int j) noexcept nogil
    cdef void point(self, double complex ahead) noexcept nogil
    cdef void close(self, double complex ahead) noexcept nogil
    cdef void lean(self, double mover, double line) noexcept nogil
    cdef bint fit(self) noexcept nogil
