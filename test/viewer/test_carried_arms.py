"""What the viewer makes of an arm whose plane is carried: handle, measurements, drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moved_planes import LIFTING, SLIDING, TILTED, TURNING

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.viewer import camera, drawing
from ik2d_ros.viewer.commands import PublishTarget
from ik2d_ros.viewer.controller import Controller
from ik2d_ros.viewer.requests import ChooseDrag, Drag, GoHome
from ik2d_ros.viewer.view import ANYWHERE, IN_PLANE

ARMS = pytest.mark.parametrize(
    'parameters', [TURNING, TILTED, LIFTING], ids=['turning', 'tilted', 'lifting']
)

coordinate = st.floats(-3.0, 3.0)
triple = st.tuples(coordinate, coordinate, coordinate)
angle = st.floats(-math.pi, math.pi)


def shown(parameters):
    controller = Controller('/ik2d')
    controller.hear_arm(parameters)
    return controller, arm_from_parameters(parameters)


# --- the handle ------------------------------------------------------------------------------


@ARMS
@given(place=triple)
def test_a_drag_publishes_its_place_in_space(parameters, place):
    controller, arm = shown(parameters)
    (command,) = controller.answer(Drag('update', *place), 1.0)
    assert command == PublishTarget(arm.base_frame, place)
    assert controller.answer(Drag('end', *place), 1.0) == ()
    assert controller.view(1.0).handle == place


@ARMS
@given(q=triple)
def test_the_handle_waits_at_the_tip_and_home_is_where_the_tip_begins(parameters, q):
    controller, arm = shown(parameters)
    controller.hear_positions(arm.names, q)
    assert controller.view(0.0).handle == pytest.approx(arm.kinematics.forward(q))
    (command,) = controller.answer(GoHome(), 1.0)
    assert command.point == pytest.approx(arm.kinematics.forward(arm.home))


@ARMS
@given(q=triple, target=triple)
def test_a_status_at_the_goal_tells_where_the_target_is_in_space(parameters, q, target):
    """Also if the pose that it is about comes after it."""
    controller, arm = shown(parameters)
    point = arm.plane_at(q).locate(target)
    controller.hear_positions(arm.names, (0.0, 0.0, 0.0))
    before = controller.view(0.0).handle
    controller.hear_place((1, 0), point, 0.0, at_goal=False)
    assert controller.view(0.0).handle == before
    controller.hear_place((2, 0), point, 0.0, at_goal=True)
    controller.hear_positions(arm.names, q)
    assert controller.view(0.0).handle == pytest.approx(target, abs=1e-9)


@ARMS
def test_a_target_in_the_base_frame_moves_the_handle_at_once(parameters):
    controller, arm = shown(parameters)
    for frame in ('', arm.base_frame):
        controller.hear_target((1, 0), frame, (0.1, 0.2, 0.3), 0.0)
        assert controller.view(0.0).handle == (0.1, 0.2, 0.3)
        controller.hear_target((2, 0), 'elsewhere', (0.4, 0.4, 0.4), 0.0)
        controller.hear_target((2, 0), frame, (0.4, math.nan, 0.4), 0.0)
        assert controller.view(0.0).handle == (0.1, 0.2, 0.3)
        controller.hear_target((3, 0), frame, (0.0, 0.0, 0.1), 0.0)


@ARMS
def test_what_the_page_published_itself_does_not_move_the_handle_back(parameters):
    controller, arm = shown(parameters)
    for phase, x in (('update', 0.1), ('update', 0.2), ('end', 0.2)):
        controller.answer(Drag(phase, x, 0.0, 0.1), 1.0)
    controller.hear_target((1, 0), arm.base_frame, (0.1, 0.0, 0.1), 1.1)
    assert controller.view(1.1).handle == (0.2, 0.0, 0.1)
    # Nor does the status of it, before the pose that it is about is heard.
    controller.hear_positions(arm.names, (0.0, 0.0, 0.0))
    controller.hear_place((1, 0), (0.3, 0.3, 0.0), 1.2, at_goal=True)
    assert controller.view(1.2).handle == (0.2, 0.0, 0.1)


@ARMS
def test_a_handle_in_a_hand_does_not_follow_other_targets(parameters):
    controller, arm = shown(parameters)
    controller.answer(Drag('update', 0.1, 0.0, 0.1), 10.0)
    controller.hear_target((1, 0), arm.base_frame, (0.3, 0.3, 0.3), 10.1)
    assert controller.view(10.1).handle is None
    controller.answer(Drag('end', 0.1, 0.0, 0.1), 10.2)
    assert controller.view(10.2).handle == (0.1, 0.0, 0.1)


def test_the_way_to_drag_is_chosen_for_arms_in_space_only():
    controller, _ = shown(TURNING)
    assert controller.view(0.0).drag == ANYWHERE
    assert controller.answer(ChooseDrag(IN_PLANE), 0.0) == ()
    assert controller.view(0.0).drag == IN_PLANE
    controller.answer(ChooseDrag('sideways'), 0.0)
    assert controller.view(0.0).drag == ANYWHERE
    flat = {name: value for name, value in TURNING.items() if 'turntable' not in name}
    controller.hear_arm(flat)
    assert controller.view(0.0).drag is None


# --- what is measured ------------------------------------------------------------------------


@pytest.mark.parametrize('parameters', [TURNING, TILTED, LIFTING, SLIDING])
@given(q=triple, velocities=triple, commanded=triple)
def test_speed_and_lag_of_the_tip_in_space(parameters, q, velocities, commanded):
    controller, arm = shown(parameters)
    forward, h = arm.kinematics.forward, 1e-6
    controller.hear_positions(arm.names, commanded)
    controller.hear_measured(arm.names, q, velocities, (), 1.0)
    measured = controller.view(1.0).measured
    before, after = (forward(np.add(q, t * np.array(velocities))) for t in (-h, h))
    assert measured.speed == pytest.approx(math.dist(before, after) / (2.0 * h), abs=1e-6)
    assert measured.lag == pytest.approx(math.dist(forward(q), forward(commanded)))


@ARMS
def test_the_panel_lists_all_joints_with_their_units(parameters):
    controller, arm = shown(parameters)
    controller.hear_positions(arm.names, (0.1, 0.2, 0.3))
    rows, positions = controller.view(0.0).joints
    assert positions == (0.1, 0.2, 0.3)
    assert [row.name for row in rows] == [arm.carrier.name, 'shoulder', 'elbow']
    assert [row.unit for row in rows] == ['m' if arm.lift else 'rad', 'rad', 'rad']
    assert rows[0].limits == (arm.carrier.lower, arm.carrier.upper)


# --- the drawing -----------------------------------------------------------------------------


def rotated(quaternion, vector):
    w, axis = quaternion[0], np.array(quaternion[1:])
    across = np.cross(axis, vector)
    return vector + 2.0 * w * across + 2.0 * np.cross(axis, across)


@given(angle, angle, angle)
def test_a_turn_takes_the_axes_to_those_of_a_frame(roll, pitch, yaw):
    frame = Plane.from_pose((0.0, 0.0, 0.0), (roll, pitch, yaw))
    turn = drawing.turn_of(frame)
    for unit, axis in zip(np.eye(3), frame.axes, strict=True):
        assert rotated(turn, unit) == pytest.approx(axis, abs=1e-6)


@given(triple)
def test_a_turn_takes_x_into_a_direction(direction):
    length = math.hypot(*direction)
    if length > 1e-3:
        turned = rotated(drawing.turn_towards(direction), np.array([1.0, 0.0, 0.0]))
        assert turned == pytest.approx(np.array(direction) / length, abs=1e-6)


@ARMS
def test_all_that_the_arm_reaches_is_in_sight(parameters):
    _, arm = shown(parameters)
    rng = np.random.default_rng(1)
    lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
    tips = arm.kinematics.tips(rng.uniform(lower, upper, (500, 3)))
    seen = camera.bounds(arm)
    assert np.linalg.norm(tips - seen.center, axis=1).max() < 1.1 * seen.radius
    assert seen.radius < 2.0 * np.linalg.norm(np.ptp(tips, axis=0))
