"""Batches in parts: nothing is left out or done twice, and no error is lost."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics.parts import equal_part, in_parts
from ik2d_ros.kinematics.tuning import THREADS


@given(count=st.integers(0, 1000), size=st.integers(1, 400))
def test_each_is_in_one_part(count, size):
    filled = np.zeros(count, dtype=int)

    def fill(part):
        assert part.stop - part.start <= size
        filled[part] += 1

    in_parts(fill, count, size)
    assert (filled == 1).all()


@given(count=st.integers(0, 10**7), lines=st.integers(1, 10**5))
def test_parts_are_as_many_for_each_thread_and_no_larger_than_they_may_be(count, lines):
    most = 8 * lines
    size = equal_part(count, most)
    assert 1 <= size <= most
    if count > most:
        assert size % 8 == 0  # Each begins where a cache line does.
        # As many for each thread, but where a line more in each makes up for some of them.
        fewest = THREADS * -(-count // (THREADS * most))
        assert -(-count // size) <= fewest
        assert size * fewest < count + 8 * fewest


@pytest.mark.parametrize('which', range(THREADS))
def test_an_error_in_any_thread_is_raised(which):
    threads, all_at_work = [], threading.Barrier(THREADS)

    def fill(part):
        if threading.get_ident() not in threads:
            threads.append(threading.get_ident())
            all_at_work.wait(10.0)
        if threading.get_ident() == threads[which]:
            raise ZeroDivisionError(part)

    with pytest.raises(ZeroDivisionError):
        in_parts(fill, 1000, 1)


def test_no_thread_warns_of_what_overflows():
    def fill(part):
        np.multiply(np.full(part.stop - part.start, 1e300), 1e300)

    with np.errstate(all='raise'):
        in_parts(fill, 1000, 10)
