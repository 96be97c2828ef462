"""Requests of the page: only the last one of each kind waits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.viewer.requests import Act, Request, Requests

places = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
phases = st.sampled_from(['start', 'update', 'end'])
requests = st.one_of(
    st.builds(Request, st.sampled_from([Act.DRAG, Act.ADD_POINT]), places, phases),
    st.just(Request(Act.HOME)),
    st.just(Request(Act.PAUSE)),
    st.builds(
        Request,
        st.just(Act.SET),
        st.tuples(st.sampled_from(['solver', 'bend']), st.sampled_from(['a', 'b'])),
    ),
)


def kind(request):
    """What replaces each other; every point of a path counts."""
    if request.act is Act.ADD_POINT:
        return request
    return request.act, request.phase, request.value[0] if request.act is Act.SET else None


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
    waiting.put(Request(Act.HOME))
    assert len(rings) == min(len(given_requests), 1) + 1  # it rings again for later ones
