from libc cimport math

from ik2d_ros.kinematics.kernel cimport buffers, codes, points
from ik2d_ros.kinematics.kernel.joint_table cimport ROOM
from ik2d_ros.kinematics.kernel.search cimport Search, Trial

cdef int FACE, FIXED, MOVER, LINE, AIMED, KINDS, NONE

cdef class Faces(Search):
    cdef int enumerated_from, count, first_link, mover, bound_count
    cdef bint aimed
    cdef double closest_to, mover_start, span
    cdef double* bounds
    cdef list arrays
    cdef double complex target, mover_chord
    cdef int[ROOM] bend_stop_count, heading_stop_count, kind
    cdef double[2 * ROOM] bend_stop, heading_stop
    cdef double[4] headings
    cdef double[ROOM] heading_in_run, offset, kept, least_gain, largest_gain, fewest, most
    cdef double complex[ROOM][4] chords
    cdef void try_faces(self, int first, int mover, double complex target) noexcept nogil
    cdef void start_run(self, int first) noexcept nogil
    cdef void grow_run(self, int first, int after, double complex chord) noexcept nogil
    cdef void add_run(self, int first, int after, double complex chord) noexcept nogil
    cdef void fix_run(self, int first, int after, int kind, double heading, double complex chord) noexcept nogil
    cdef bint limits_allow(self, int j) noexcept nogil
    cdef void point_span(self, double complex ahead) noexcept nogil
    cdef void close_triangle(self, double complex ahead) noexcept nogil
    cdef void try_headings(self, double mover, double line) noexcept nogil
    cdef bint set_joints(self) noexcept nogil
    cdef bint choose_whole_turns(self) noexcept nogil
