"""Designs of an arm: edits and undo."""

from __future__ import annotations

import math
import re

import pytest
from harness import load_configuration
from hypothesis import example, given
from hypothesis import strategies as st
from test_local import Alone

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.viewer.design import ADD, LENGTH, LOWER, REMOVE, UPPER, Edit, span
from ik2d_ros.viewer.handles import seats
from ik2d_ros.viewer.local import PERIOD
from ik2d_ros.viewer.view import Act, Request

ARMS = {
    name: load_completed(single_arms()[name])
    for name in ('two_bone', 'three_link', 'so101', 'mearm', 'telescope')
}
edits = st.lists(
    st.tuples(
        st.sampled_from([LENGTH, LOWER, UPPER, ADD, REMOVE]),
        st.integers(0, 9),
        st.floats(-4.0, 4.0),
    ),
    max_size=6,
)


@given(st.sampled_from([*single_arms()]), edits)
@example('two_bone', [(LOWER, 0, 2.049897529845919)])
@example('eezybotarm_mk1', [(LOWER, 1, 0.0)])  # its bend moves other joints
def test_each_edit_gives_an_arm_that_stands_within_its_limits_is_saved_and_can_be_undone(
    tmp_path_factory, name, given_
):
    """The file that is saved has the comments of the one that was read."""
    alone = Alone(name)
    alone.do(Request(Act.PAUSE))
    [*alone.run(PERIOD)]
    known = [alone.view.arm]
    for field, place, value in given_:
        before = alone.view
        joint = before.arm.chain.names[place % len(before.arm.chain)]
        alone.do(Request(Act.EDIT, Edit(field, joint, value)))
        *_, view = alone.run(PERIOD)
        for q, (lower, upper) in zip(view.positions, view.arm.limits, strict=True):
            assert lower <= q <= upper
        was = dict(zip(before.arm.names, before.positions, strict=True))
        now = dict(zip(view.arm.names, view.positions, strict=True))
        stays = view.arm.clamped([was.get(each, now[each]) for each in now])
        assert view.positions == pytest.approx(stays)  # as far as it can
        if view.refusal:
            assert view.arm == before.arm
        elif field == LENGTH:
            length = view.arm.chain.joints[place % len(view.arm.chain)].length
            assert length == pytest.approx(max(value, 0.0), abs=0.51e-3)
        elif field in (LOWER, UPPER):
            old, new = (span(each.arm, joint) for each in (before, view))
            wanted = min(value, old[1]) if field == LOWER else max(value, old[0])
            rounding = math.radians(0.05) + 0.51e-4  # to tenths of a degree, then to four digits
            assert new[field == UPPER] == pytest.approx(wanted, abs=rounding)
            assert len(str(new[field == UPPER])) < 8 or wanted in old
        elif field == ADD and view.arm.units[index := view.arm.names.index(joint)] == 'rad':
            assert view.arm.motion[index + 1].velocity == view.arm.motion[index].velocity
        known.append(view.arm)
    file = tmp_path_factory.mktemp('design') / 'arm.yaml'
    file.write_text(alone.view.design.file())
    assert load_configuration(file).arm == alone.view.arm
    before, after = (re.findall('#.*', each.read_text()) for each in (alone.path, file))
    is_removed = any(field == REMOVE for field, *_ in given_)  # with the comments in its lines
    assert after == ([each for each in before if each in after] if is_removed else before)
    while alone.view.design.before:
        before = alone.view.arm
        alone.do(Request(Act.UNDO_EDIT))
        assert alone.view.arm in known
    assert alone.view.arm == known[0]


def test_each_drag_is_undone_as_one_and_the_pose_of_the_demo_is_kept():
    alone = Alone()
    [*alone.run(1.0)]
    before, known = alone.view, []
    for field, values in ((LENGTH, (0.33, 0.34)), (LENGTH, (0.35, 0.36)), (UPPER, (2.5, 2.0002))):
        known.append(alone.view.arm)
        for value in values:
            alone.do(Request(Act.EDIT, Edit(field, 'elbow', value)))
        *_, view = alone.run(2.0)
    assert view.is_paused
    assert view.positions == pytest.approx(before.positions, abs=1e-9)
    for arm in known[::-1]:
        assert alone.view.design.before
        alone.do(Request(Act.UNDO_EDIT))
        assert alone.view.arm == arm
    assert not alone.view.design.before


@given(st.sampled_from([*ARMS]), st.data())
def test_a_limit_is_shown_where_it_brings_the_link_and_read_back_from_there(name, data):
    arm = arm_from_parameters(ARMS[name])
    q = [data.draw(st.floats(*limits)) for limits in arm.limits]
    index = data.draw(st.integers(0, len(arm.chain) - 1))
    seat = seats(arm, q, away=0.1)[index]
    place = arm.names.index(arm.chain.names[index])
    limits = arm.limits[place]
    position, near = (data.draw(st.floats(*limits)) for _ in range(2))
    x, y = seat.at(position)
    if (not seat.joint.slides and abs(position - near) < math.pi) or seat.joint.slides:
        assert seat.position(x, y, near) == pytest.approx(position)
    q[place] = position
    begin, end = arm.chain.forward(arm.in_plane(q))[index : index + 2]
    if index + 1 == len(arm.chain):
        end = end - arm.chain.tool
    along, shown = end - begin, (x, y) - begin
    if seat.joint.slides:
        shown = shown - along
        assert shown @ along == pytest.approx(0.0, abs=1e-9)
    elif seat.joint.length:
        assert shown == pytest.approx(0.1 * along / seat.joint.length)
