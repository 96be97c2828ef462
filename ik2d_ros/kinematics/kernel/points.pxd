from libc cimport math

cdef double TAU, FAR, SLACK, TOUCHING, TINY, PARALLEL, SAME_DISTANCE, SAME_MOVE, FARTHEST
cdef double DESCENT_TOLERANCE, PLANE_TOLERANCE, RADIAN

cdef double clamp(double x, double low, double high) noexcept nogil
cdef bint is_within(double angle, double low, double high, double slack) noexcept nogil
cdef double turned_within(double angle, double low, double high) noexcept nogil
cdef double whole_turns_up(double angle, double slack) noexcept nogil
cdef double whole_turns_down(double angle, double slack) noexcept nogil
cdef double near_zero(double angle) noexcept nogil
cdef double complex unit(double heading) noexcept nogil
cdef double phase(double complex z) noexcept nogil
cdef double dot(double complex a, double complex b) noexcept nogil
cdef double complex apex(double base, double first, double second) noexcept nogil
cdef double squared_length(double complex z) noexcept nogil
