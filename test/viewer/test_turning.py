"""The tip angle on the page: what is shown of it, and what is asked of the node for it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import load_parameters
from ik2d_ros.node.answer import ready
from ik2d_ros.node.outcome import Level
from ik2d_ros.viewer.commands import ARM, PublishTarget, SetParameter
from ik2d_ros.viewer.controller import Controller
from ik2d_ros.viewer.requests import KeepAngle, Turn
from ik2d_ros.viewer.turning import HELD

CONFIG = Path(__file__).resolve().parents[2] / 'config'
THREE_LINK = load_parameters(CONFIG / 'three_link.yaml')
NAMES = THREE_LINK['joints']
Q = (0.3, 0.4, -0.2)
angles = st.floats(-math.pi, math.pi)


def known(**changes):
    """A controller that has heard of an arm and its pose."""
    controller = Controller('/ik2d')
    controller.hear_arm({**THREE_LINK, **changes})
    controller.hear_positions(NAMES, Q)
    return controller


def heading(q):
    """The direction of the last link frame's x-axis, from the parameters themselves."""
    return sum(
        THREE_LINK.get(f'chain.{name}.axis', 1) * position
        + THREE_LINK.get(f'chain.{name}.offset', 0.0)
        for name, position in zip(NAMES, q, strict=True)
    )


def apart(one, other):
    return abs(math.remainder(one - other, 2.0 * math.pi))


def asked(commands):
    """The tip angle that is asked of the node."""
    (command,) = commands
    assert (command.node, command.name) == (ARM, 'tip_angle')
    return command.value


@given(st.tuples(*[angles] * 3))
def test_a_free_needle_shows_where_the_last_link_points(q):
    controller = known()
    controller.hear_positions(NAMES, q)
    tip = controller.view(0.0).tip
    assert apart(tip.angle, heading(q)) <= 1e-12
    assert tip.asked is None
    assert tip.shown == tip.angle


@given(angles)
def test_a_kept_needle_shows_what_is_asked_for(angle):
    controller = known(tip_angle=angle)
    controller.hear_angle(0.25)
    tip = controller.view(0.0).tip
    assert (tip.shown, tip.error) == (pytest.approx(angle), 0.25)
    assert apart(tip.angle, heading(Q)) <= 1e-12


@given(angles)
def test_a_turn_asks_for_the_angle_and_the_switch_for_none(angle):
    controller = known()
    assert asked(controller.answer(Turn(angle, 'update'), 1.0)) == angle
    controller.hear_answer(SetParameter(ARM, 'tip_angle', angle), None)
    assert controller.view(1.0).tip.asked == pytest.approx(angle)
    free = asked(controller.answer(KeepAngle(False), 2.0))
    assert math.isnan(free)
    controller.hear_answer(SetParameter(ARM, 'tip_angle', free), None)
    view = controller.view(2.0)
    assert view.tip.asked is None
    assert 'tip_angle' in view.settings  # nothing is pending, NaN or not


def test_before_the_first_target_a_turn_makes_the_tip_the_target():
    controller = known()
    code = ready().code
    controller.hear_status(code.name, ready().message, code.level)
    turned, target = controller.answer(Turn(0.7), 1.0)
    assert turned == SetParameter(ARM, 'tip_angle', 0.7)
    assert isinstance(target, PublishTarget)
    arm = controller.arm
    assert math.dist(target.point, arm.kinematics.forward(Q)) <= 1e-9
    controller.hear_answer(turned, None)
    controller.hear_status('REACHED', 'There.', Level.OK)
    assert asked(controller.answer(Turn(0.8), 1.0)) == 0.8


def test_the_switch_keeps_the_angle_that_is_there():
    controller = known()
    assert apart(asked(controller.answer(KeepAngle(True), 1.0)), heading(Q)) <= 1e-12


def test_while_one_angle_is_under_way_the_last_of_the_others_waits():
    controller = known()
    first = controller.answer(Turn(0.1), 1.0)
    for angle in (0.2, 0.3, 0.4):
        assert controller.answer(Turn(angle), 1.0) == ()
    (following,) = controller.hear_answer(first[0], None)
    assert following == SetParameter(ARM, 'tip_angle', 0.4)
    assert controller.hear_answer(following, None) == ()
    assert asked(controller.answer(Turn(0.5), 1.0)) == 0.5


def test_a_refused_angle_does_not_stop_the_next_one():
    controller = known()
    (first,) = controller.answer(Turn(0.1), 1.0)
    assert controller.hear_answer(first, 'not so') == ()
    assert controller.view(1.0).refusal == 'not so'
    assert controller.view(1.0).tip.asked is None
    assert asked(controller.answer(Turn(0.2), 1.0)) == 0.2


def test_the_needle_is_left_alone_until_it_is_let_go_or_forgotten():
    controller = known()
    controller.answer(Turn(0.0, 'start'), 1.0)
    assert controller.view(1.0).is_turned
    controller.answer(Turn(0.1, 'update'), 1.5)
    assert controller.view(1.5 + 0.9 * HELD).is_turned
    assert not controller.view(1.5 + 1.1 * HELD).is_turned
    controller.answer(Turn(0.2, 'update'), 9.0)
    controller.answer(Turn(0.2, 'end'), 9.0)
    assert not controller.view(9.0).is_turned


@pytest.mark.parametrize('angle', [math.nan, math.inf, -math.inf])
def test_a_turn_to_nowhere_asks_for_nothing(angle):
    assert known().answer(Turn(angle), 1.0) == ()


def test_an_arm_of_two_joints_has_no_tip_angle_to_keep():
    parameters = load_parameters(CONFIG / 'two_bone.yaml')
    controller = Controller('/ik2d')
    controller.hear_arm(parameters)
    controller.hear_positions(parameters['joints'], (0.1, 0.2))
    assert controller.view(0.0).tip is None
    for request in (Turn(0.1), KeepAngle(True)):
        assert controller.answer(request, 1.0) == ()


def test_without_a_node_nothing_is_asked_for_and_what_waited_is_forgotten():
    controller = known()
    controller.answer(Turn(0.1), 1.0)
    controller.answer(Turn(0.2), 1.0)
    controller.hear_arm(None)
    assert controller.view(1.0).tip is None
    assert controller.answer(Turn(0.3), 1.0) == ()
    assert controller.hear_answer(SetParameter(ARM, 'tip_angle', 0.1), 'gone') == ()
    controller.hear_arm(THREE_LINK)
    controller.hear_positions(NAMES, Q)
    assert asked(controller.answer(Turn(0.4), 2.0)) == 0.4
