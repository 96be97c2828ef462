"""The views of an arm in the terminal: each thing is where it is, and in the picture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from carried import carried
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from space import tip

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.demo.monitor import SentPose, SentStatus, judge
from ik2d_ros.demo.picture import BLANK, CYAN, FIRST_BRAILLE, Room, draw, picture
from ik2d_ros.demo.scenes import Scene, scenes
from ik2d_ros.kinematics import Chain, Lift, Turntable
from ik2d_ros.node.outcome import Level

RED = '31'
STATUS = SentStatus(0, 0, 'REACHED', '', Level.OK, True)
NOWHERE = (math.nan, math.nan, math.nan)
PLANAR = ArmDescription(Chain.from_lengths([0.3, 0.25]), (0.0, 0.0), (MotionLimits(),) * 2)
INSIDE = 1e-9  # of the reach

angles = st.floats(-3.2, 3.2)
coordinates = st.floats(-2.0, 2.0)


def with_carrier(joint, **fields):
    kind = 'lift' if isinstance(joint, Lift) else 'turntable'
    three = {'home': (0.0,) * 3, 'motion': (MotionLimits(),) * 3}
    return replace(PLANAR, **three, **fields, **{kind: joint})


# Upright behind a waist 0.05 m beside its axis, and level on a lift.
WAIST = with_carrier(
    Turntable(name='waist'), base_xyz=(0.02, 0.05, 0.1), base_rpy=(math.pi / 2.0, 0.0, 0.0)
)
SCARA = with_carrier(Lift(-1, 0.0, 0.3, 'z_axis'), base_xyz=(0.1, -0.2, 0.4))


def scenes_at(arm, positions, target=NOWHERE):
    pose = SentPose(0, dict(zip(arm.names, positions, strict=True)))
    return scenes(arm, judge(arm, target, pose, STATUS))


def dots_of(rows, colour):
    """The dots (k, 2) of a colour in a picture: columns, and rows from above."""
    bits = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 1): 4, (1, 2): 5, (0, 3): 6, (1, 3): 7}
    return np.array(
        [
            (2 * column + x, 4 * row + y)
            for row, cells in enumerate(rows)
            for column, (character, of_cell) in enumerate(cells)
            if of_cell == colour and character >= FIRST_BRAILLE
            for (x, y), bit in bits.items()
            if (ord(character) - ord(FIRST_BRAILLE)) >> bit & 1
        ],
        dtype=float,
    ).reshape(-1, 2)


def distance_on_page(view, rows, colour, place):
    """How far the nearest dot of a colour is from a place (2,) on the page, in dots."""
    width, height = 2 * len(rows[0]), 4 * len(rows)
    (x, y), (left, low), (right, high) = place, view.low, view.high
    step = max((right - left) / (width - 1), (high - low) / (height - 1))
    column = 0.5 * (width - 1) + (x - 0.5 * (left + right)) / step
    row = 0.5 * (height - 1) - (y - 0.5 * (low + high)) / step
    return np.abs(dots_of(rows, colour) - (column, row)).max(axis=1).min()


@given(st.tuples(angles, angles, angles), st.tuples(coordinates, coordinates, coordinates))
def test_a_waist_is_shown_in_its_plane_and_from_above(positions, target):
    plane, above = scenes_at(WAIST, positions, target)
    x, y, z = tip(WAIST.kinematics, np.array(positions))
    assert above.title == 'from above: x, y'
    assert above.arm[-1] == pytest.approx([x, y], abs=1e-9)
    assert above.target == pytest.approx(target[:2], abs=1e-9)
    assert plane.title == 'in its plane: out, z'
    assert plane.arm[-1][1] == pytest.approx(z, abs=1e-9)
    # What is beside the axis does not count as out from it.
    assert math.hypot(plane.arm[-1][0], 0.05) == pytest.approx(math.hypot(x, y), abs=1e-9)
    assert plane.target[1] == pytest.approx(target[2], abs=1e-9)
    along = np.array([math.cos(positions[0]), math.sin(positions[0])])
    assert plane.target[0] == pytest.approx(along @ target[:2], abs=1e-9)
    # One of the lines from the axis points where the turntable does.
    rays = [line[1] - line[0] for line in above.guides if len(line) == 2]
    assert max(along @ ray / math.hypot(*ray) for ray in rays) == pytest.approx(1.0)


@given(
    st.tuples(st.floats(0.0, 0.3), angles, angles),
    st.tuples(coordinates, coordinates, coordinates),
)
def test_a_scara_is_shown_from_above_and_from_the_side(positions, target):
    plane, side = scenes_at(SCARA, positions, target)
    x, y, z = tip(SCARA.kinematics, np.array(positions))
    assert plane.arm[-1] == pytest.approx([x, y], abs=1e-9)
    assert plane.target == pytest.approx(target[:2], abs=1e-9)
    assert side.title == 'from the side: x, z'
    assert side.arm[-1] == pytest.approx([x, z], abs=1e-9)
    assert side.target == pytest.approx([target[0], target[2]], abs=1e-9)
    assert plane.title == 'from above: x, y'
    # The arm stands on its mast, and its limits are lines.
    assert side.arm[:2] == pytest.approx(np.array([(0.1, 0.4), (0.1, 0.4 - positions[0])]))
    assert sorted(line[0][1] for line in side.guides) == pytest.approx([0.1, 0.4])


@given(st.data())
@settings(max_examples=50)
def test_the_arm_is_within_what_is_shown_and_where_that_is_stays(data):
    arm = data.draw(carried(PLANAR))
    assume(arm.carrier is not None)
    lower, upper = arm.limits[0]
    shares = st.floats(0.0, 1.0)
    before = (
        data.draw(angles)
        if math.isinf(lower)
        else min(upper, lower + data.draw(shares) * (upper - lower))
    )
    q = (before, data.draw(angles), data.draw(angles))
    size = arm.chain.reach.outer + max(map(abs, (*arm.base_xyz, *q)))
    is_endless = arm.lift is not None and math.isinf(lower)
    for now, at_home in zip(scenes_at(arm, q), scenes_at(arm, arm.home), strict=True):
        assert (now.arm >= now.low - INSIDE * size).all()
        assert (now.arm <= now.high + INSIDE * size).all()
        if not is_endless:
            assert (now.low, now.high) == (
                pytest.approx(at_home.low, abs=INSIDE),
                pytest.approx(at_home.high, abs=INSIDE),
            )


@given(
    st.sampled_from([PLANAR, WAIST, SCARA]),
    st.tuples(st.floats(0.0, 0.3), angles, angles),
    st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(0.2, 0.3)),
    st.integers(6, 60),
    st.integers(6, 60),
)
@settings(max_examples=30)
def test_the_dots_are_where_the_tip_and_the_target_are(arm, q, target, columns, rows):
    positions = q[-len(arm.names) :]
    for with_target, without in zip(
        scenes_at(arm, positions, target), scenes_at(arm, positions), strict=True
    ):
        cells = draw(without, Room(columns, rows), RED)
        assert distance_on_page(without, cells, CYAN, without.arm[-1]) <= 0.5 + 1e-6
        assert not len(dots_of(cells, RED))
        cells = draw(with_target, Room(columns, rows), RED)
        assert distance_on_page(with_target, cells, RED, with_target.target) <= 0.5 + 1e-6


@given(
    st.sampled_from([PLANAR, WAIST, SCARA]),
    st.integers(0, 200),
    st.integers(0, 80),
    st.tuples(*[st.one_of(st.floats(), coordinates)] * 3),
)
@settings(max_examples=50)
def test_a_picture_fits_its_room(arm, columns, rows, target):
    views = scenes_at(arm, arm.home, target)
    cells = picture(views, Room(columns, rows), RED)
    assert len(cells) <= rows
    assert len({len(row) for row in cells}) <= 1
    assert all(len(row) <= columns for row in cells)
    if columns >= 24 and rows >= 16:  # both views
        text = '\n'.join(''.join(character for character, _ in row) for row in cells)
        assert all(view.title[:11] in text for view in views)


@given(st.floats(0.5, 2.0), st.floats(0.5, 2.0), st.integers(30, 200), st.integers(12, 80))
def test_two_views_are_beside_or_below_each_other_where_they_get_larger(
    width, height, columns, most
):
    views = [
        Scene(title, np.zeros(2), np.array([width, height]), [], np.zeros((1, 2)), np.zeros(2))
        for title in ('A', 'B')
    ]
    rows = [
        ''.join(character for character, _ in row)
        for row in picture(views, Room(columns, most), RED)
    ]
    beside = min((columns - 1) / (2 * width), 2 * (most - 1) / height)
    below = min(columns / width, (most - 2) / height)
    assume(abs(beside - below) > 1e-6 * beside)
    both = [number for number, row in enumerate(rows) if 'A' in row or 'B' in row]
    assert (len(both) == 1) == (beside > below)
    assert 'A' in rows[0]
    assert 'B' in rows[both[-1]]


def test_where_there_is_hardly_any_room_only_the_plane_is_shown():
    views = scenes_at(WAIST, WAIST.home, (0.1, 0.2, 0.3))
    cells = picture(views, Room(12, 6), RED)
    assert ''.join(character for character, _ in cells[0]).strip().startswith('in its')
    assert not any(character == 'm' for row in cells for character, _ in row)
    assert picture(views, Room(0, 0), RED) == []
    assert BLANK[0] == ' '
