from libc cimport math


from ik2d_ros.kinematics.kernel cimport points

cdef enum:
    ROOM = 130

cdef double WRONG_SIDE

cdef class Linkage:
    cdef readonly int count, leading
    cdef bint[ROOM] slides, free, absolute, any_turn
    cdef readonly bint linked
    cdef bint bent
    cdef double[ROOM] least, most, gap, fewest, utmost
    cdef double[ROOM] fixed, lower, upper, start, trial
    cdef int[ROOM] limits
    cdef double heading, moved
    cdef double complex pivot
    cdef double[2 * ROOM] limit, bend, length
    cdef double complex[2 * ROOM] turn
    cdef bint fit(self, int j, double value) noexcept nogil
    cdef bint bends_to(self, int j, double bend) noexcept nogil
    cdef double bend_at(self, int j, double bend) noexcept nogil
    cdef bint bend_back(self, double* pose) noexcept nogil
    cdef bint wind(self, int begin) noexcept nogil
    cdef double least_gain(self, int j) noexcept nogil
    cdef double largest_gain(self, int j) noexcept nogil
    cdef double nearest(self, int j, double value) noexcept nogil
    cdef void stand(self, int count) noexcept nogil
    cdef void rest(self, int first) noexcept nogil
    cdef double move(self, int count) noexcept nogil
    cdef void copy(self, double* pose, double* to) noexcept nogil

cdef class Search:
    cdef Linkage linkage
    cdef int side, movers
    cdef double found, move, moved
    cdef double[ROOM] best
    cdef bint meet(self, double complex target, double angle, bint every, double enough) noexcept nogil
    cdef void seek(self, double complex target, double enough) noexcept nogil
    cdef void seek_angle(self, double complex target, double angle, double enough) noexcept nogil
    cdef void keep(self, double cost) noexcept nogil
    cdef void keep_move(self) noexcept nogil
    cdef void keep_closest(self, double distance) noexcept nogil
    cdef bint is_on_side(self) noexcept nogil
