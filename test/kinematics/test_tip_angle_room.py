"""What three joints of which one slides can span, in the room that is left to them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics.tip_angle.tip_angle_room import room

angles = st.floats(-4.0, 4.0)


def ranges(lowest, highest, width):
    return st.tuples(st.floats(lowest, highest), st.floats(0.0, width)).map(
        lambda each: (each[0], each[0] + each[1])
    )


TURNS = st.one_of(ranges(-4.0, 4.0, 7.0), st.just((-math.inf, math.inf)))
STROKES = ranges(-1.0, 1.0, 1.0)
VECTORS = st.builds(lambda length, angle: length * np.exp(1j * angle), st.floats(0.0, 1.0), angles)


def within(data, limits):
    lower, upper = (min(max(each, -10.0), 10.0) for each in limits)
    return lower + data.draw(st.floats(0.0, 1.0)) * (upper - lower)


@pytest.mark.parametrize('slide', [0, 2])
@given(turning=TURNS, stroke=STROKES, between=VECTORS, way=angles, lead=angles, data=st.data())
def test_a_slide_at_an_end_has_room_for_what_it_spans(
    slide, turning, stroke, between, way, lead, data
):
    kinds = slide != 0, True, slide != 2
    limits = [(-math.inf, math.inf)] * 3
    limits[1], limits[slide] = turning, stroke
    ways, leads = np.zeros((3, 1), complex), np.zeros((3, 1))
    ways[slide], leads[slide] = np.exp(1j * way), lead
    bend, moved = within(data, turning), within(data, stroke)
    # From the heading before the slide, or from that of the last link.
    turned = lead + bend if slide == 0 else -lead - bend
    point = between * np.exp(1j * turned) + moved * ways[slide, 0]
    seen = point * ways[slide, 0].conjugate()
    left = room(kinds, limits, np.array([between]), ways, leads)
    place = np.array([seen.real, seen.imag])
    assert np.all((left.least[:, 0] - 1e-9 <= place) & (place <= left.most[:, 0] + 1e-9))


@given(turning=TURNS, stroke=STROKES, between=VECTORS, way=angles, lead=angles, data=st.data())
def test_a_slide_between_joints_has_room_for_what_they_span(
    turning, stroke, between, way, lead, data
):
    limits = [turning, stroke, (-math.inf, math.inf)]
    ways, leads = np.zeros((3, 1), complex), np.zeros((3, 1))
    ways[1], leads[0] = np.exp(1j * way), lead
    shape = between + within(data, stroke) * ways[1, 0]
    point = shape * np.exp(1j * (lead + within(data, turning)))
    left = room((True, False, True), limits, np.array([between]), ways, leads)
    (near, first), (far, last) = left.least[:, 0], left.most[:, 0]
    assert near - 1e-9 <= abs(point) <= far + 1e-9
    if math.isfinite(last - first) and abs(point) > 1e-6:
        off = math.remainder(np.angle(point) - 0.5 * (first + last), math.tau)
        assert abs(off) <= 0.5 * (last - first) + 1e-9
