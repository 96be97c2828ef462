from cpython cimport array

cdef inline double* doubles(array.array numbers, list arrays):
    arrays.append(numbers)
    return numbers.data.as_doubles

cdef inline int* integers(array.array numbers, list arrays):
    arrays.append(numbers)
    return numbers.data.as_ints
