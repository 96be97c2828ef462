"""Requests of the page: however many come, one of each kind waits, and it is the last one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.viewer.requests import ChangeSetting, Drag, GoHome, PauseDemo, Requests

places = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
requests = st.one_of(
    st.builds(Drag, st.sampled_from(['start', 'update', 'end']), places),
    st.just(GoHome()),
    st.just(PauseDemo()),
    st.builds(ChangeSetting, st.sampled_from(['solver', 'bend']), st.sampled_from(['a', 'b'])),
)


def kind(request):
    fixed = getattr(request, 'phase', None), getattr(request, 'name', None)
    return type(request), *fixed


@given(st.lists(requests, max_size=30))
def test_the_last_of_each_kind_is_taken_in_the_order_of_coming(given_requests):
    rings = []
    waiting = Requests(lambda: rings.append(None))
    for request in given_requests:
        waiting.put(request)
    taken = waiting.take()
    last = {kind(request): index for index, request in enumerate(given_requests)}
    assert taken == tuple(given_requests[index] for index in sorted(last.values()))
    assert len(rings) == min(len(given_requests), 1)
    assert waiting.take() == ()


def test_it_rings_again_for_what_comes_after_all_was_taken():
    rings = []
    waiting = Requests(lambda: rings.append(None))
    for count in (1, 2, 3):
        waiting.put(GoHome())
        waiting.put(GoHome())
        assert len(rings) == count
        assert waiting.take() == (GoHome(),)
