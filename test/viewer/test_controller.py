"""The viewer's logic alone; ``test_page.py`` tests it with the page and real nodes."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from harness import CONFIG
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.node.outcome import Level
from ik2d_ros.node.report import ReceivedStatus
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.viewer.controller import (
    ARM,
    DEMO,
    HOLD,
    Controller,
    GoHome,
    PublishPath,
    PublishTarget,
    SetParameter,
)
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.view import Area, Words

TWO_BONE = load_parameters(CONFIG / 'two_bone.yaml')
THREE_LINK = load_parameters(CONFIG / 'three_link.yaml')
TURNING = load_parameters(CONFIG / 'machines/arduinobot.yaml')
NAMES = TWO_BONE['joints']

triple = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
angles = st.floats(-math.pi, math.pi)

REQUESTS = (
    Request(Act.DRAG, (0.2, 0.1, 0.0)),
    Request(Act.TYPE, (0.1, 0.2)),
    Request(Act.HOME),
    Request(Act.PAUSE),
    Request(Act.SET, ('solver', 'ccd')),
    Request(Act.TURN, 0.4),
    Request(Act.KEEP_ANGLE, True),
    Request(Act.DRAW, True),
    Request(Act.FOLLOW),
    Request(Act.CLEAR),
)


def knowing(parameters):
    """A controller that has heard of an arm, and the arm."""
    controller = Controller('/ik2d')
    controller.on_arm(parameters)
    return controller, arm_from_parameters(parameters)


@pytest.fixture
def controller():
    return knowing(TWO_BONE)[0]


def status(code='REACHED', level=Level.OK, target=None, is_on_the_way=False):
    reachable = level is Level.OK
    return ReceivedStatus(code, 'because', level, reachable, is_on_the_way, target=target)


# --- the node comes and goes -----------------------------------------------------------------


def test_the_page_says_why_an_arm_is_not_valid():
    controller = Controller('/ik2d')
    controller.on_arm({'joints': ['a'], 'chain.a.length': -1.0})
    assert 'chain.a.length' in controller.view(0.0).words.text
    assert controller.view(0.0).settings is None


def test_an_area_is_shown_with_its_own_arm_only(controller):
    arm, area = controller.arm, Area(np.zeros((3, 2)), np.array([[0, 1, 2]]))
    controller.on_area(arm, area)
    assert controller.view(0.0).area is area
    controller.on_arm(THREE_LINK)
    controller.on_area(arm, area)  # the computation took its time
    assert controller.view(0.0).area is None


# --- positions -------------------------------------------------------------------------------


@pytest.mark.parametrize('bad', [math.nan, math.inf, 1e300, -1.1e9])
def test_positions_without_a_pose_are_not_shown(controller, bad):
    controller.on_positions(['wheel', *reversed(NAMES)], (9.0, 0.2, 0.1))
    for names, positions in ((NAMES, (bad, 0.2)), (NAMES[:1], (0.5,)), (NAMES, (0.5,)), ((), ())):
        controller.on_positions(names, positions)
        assert controller.view(0.0).positions == (0.1, 0.2)


# --- the target ------------------------------------------------------------------------------


@pytest.mark.parametrize('x', [math.nan, -math.inf])
def test_nothing_is_published_for_a_place_that_is_not_finite(controller, x):
    assert controller.answer(Request(Act.DRAG, (x, 0.1, 0.0)), 1.0) == ()
    assert controller.answer(Request(Act.TYPE, (0.1, x)), 1.0) == ()
    turning, arm = knowing(THREE_LINK)
    turning.on_positions(arm.names, arm.home)
    assert turning.answer(Request(Act.TURN, x), 1.0) == ()


def test_a_status_moves_the_target_but_not_right_after_the_user_did(controller):
    there, dragged = status(target=(0.3, 0.2, 0.1)), (0.1, 0.2, 0.3)
    controller.on_status(there, 1.0)
    controller.on_status(status('UNKNOWN_FRAME', Level.ERROR), 1.0)
    assert controller.view(1.0).target == there.target
    controller.answer(Request(Act.DRAG, dragged), 2.0)
    for later, target, is_held in ((0.9, dragged, True), (1.1, there.target, False)):
        controller.on_status(there, 2.0 + later * HOLD)
        view = controller.view(2.0 + later * HOLD)
        assert (view.target, view.is_held) == (target, is_held)


# --- settings and status ---------------------------------------------------------------------


def test_a_setting_is_shown_once_the_last_request_for_it_is_answered(controller):
    before = controller.view(0.0)
    (first,) = controller.answer(Request(Act.SET, ('tolerance', 1e-3)), 0.0)
    (second,) = controller.answer(Request(Act.SET, ('tolerance', 1e-4)), 0.0)
    controller.on_answer(first, None)
    assert 'tolerance' not in controller.view(0.0).settings
    controller.on_answer(second, None)
    assert controller.view(0.0).settings['tolerance'] == 1e-4
    (refused,) = controller.answer(Request(Act.SET, ('solver', 'two_bone')), 0.0)
    controller.on_answer(refused, 'not today')
    after = controller.view(0.0)
    assert (after.settings['solver'], after.refusal) == (before.settings['solver'], 'not today')
    assert after.settled != before.settled  # or else the page would not move the control back


def test_the_status_of_a_moving_arm_says_so_first_and_is_not_green(controller):
    moving = replace(status(is_on_the_way=True), message='Moving: 158 mm to go. It is there.')
    controller.on_status(moving, 0.0)
    words = controller.view(0.0).words
    assert words[:2] == ('Moving: 158 mm to go', 'REACHED: It is there.')
    assert words.colour != Level.OK.colour
    controller.on_status(replace(moving, path_progress=0.5), 0.0)
    assert controller.view(0.0).words.title == 'Moving: 50% of the path'
    controller.on_status(status(), 1.0)
    assert controller.view(1.0).words == Words('REACHED', 'because', Level.OK.colour)


# --- the tip angle ---------------------------------------------------------------------------


@given(q=st.tuples(*[angles] * 3), angle=angles)
def test_a_free_needle_shows_the_last_link_and_a_kept_one_the_angle_asked_for(q, angle):
    controller, arm = knowing(THREE_LINK)
    controller.on_positions(arm.names, q)
    joints = zip(arm.chain.joints, q, strict=True)
    heading = sum(joint.axis * p + joint.offset for joint, p in joints)
    view = controller.view(0.0)
    assert abs(math.remainder(view.angle - heading, math.tau)) <= 1e-12
    assert not view.is_kept

    # Before the first target, a turn makes the tip the target: else nothing would turn.
    turning, target = controller.answer(Request(Act.TURN, angle), 1.0)
    assert turning == SetParameter(ARM, 'tip_angle', angle)
    assert math.dist(target.point, arm.kinematics.forward(q)) <= 1e-9
    controller.on_answer(turning, None)
    view = controller.view(1.0 + 0.9 * HOLD)
    assert (view.angle, view.is_kept, view.is_turned) == (pytest.approx(angle), True, True)
    assert not controller.view(1.0 + 1.1 * HOLD).is_turned
    (free,) = controller.answer(Request(Act.KEEP_ANGLE, False), 2.0)
    assert math.isnan(free.value)
    controller.on_answer(free, None)
    assert not controller.view(2.0).is_kept
    assert 'tip_angle' in controller.view(2.0).settings  # nothing is pending, NaN or not


# --- a path that is drawn --------------------------------------------------------------------


def draw(controller, *points):
    """Drag a line; gives the commands."""
    commands = [*controller.answer(Request(Act.DRAW, True), 0.0)]
    for place in points[:-1]:
        commands += controller.answer(Request(Act.ADD_POINT, place), 0.0)
    return [*commands, *controller.answer(Request(Act.END_STROKE, points[-1]), 0.0)]


@given(points=st.lists(triple, min_size=2, max_size=6), share=st.floats(0.0, 1.0))
def test_a_path_is_coloured_up_to_the_first_point_that_is_not_reached(points, share):
    controller, _ = knowing(TURNING)
    commands = draw(controller, *points)
    path = controller.view(0.0).path.points
    if not commands:
        return
    strides = [math.dist(*ends) for ends in itertools.pairwise(path)]
    passed = np.concatenate([[0.0], np.cumsum(strides)])
    wanted = share * passed[-1]
    target = tuple(float(np.interp(wanted, passed, column)) for column in np.transpose(path))
    controller.on_verdict(status('JOINT_LIMIT', Level.WARN, target), path)
    drawn = controller.view(0.0).path
    assert drawn.verdict.code == 'JOINT_LIMIT'
    assert drawn.end <= wanted + 1e-6  # less where the path has been there before
    lines, colours = drawn.segments()
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    is_good = (colours[:, 0] == Level.OK.colour).all(axis=1)
    assert lengths.sum() == pytest.approx(sum(strides))
    assert lengths[is_good].sum() == pytest.approx(drawn.end, abs=1e-9)
    assert math.dist(lines[is_good][-1, 1], target) <= 1e-6

    controller.on_verdict(status('UNKNOWN_FRAME', Level.ERROR), path)
    assert controller.view(0.0).path.end == 0.0
    controller.on_verdict(status('REACHED'), path[:-1])  # of the path as it was
    assert controller.view(0.0).path.end == 0.0


def test_while_the_demo_changes_its_arm_the_status_says_which_one_it_starts():
    controller = Controller('/ik2d')
    controller.on_choice({'arm': 'two_bone', 'arms': ['two_bone', 'three_link']})
    controller.on_arm(TWO_BONE)
    asked = controller.answer(Request(Act.CHOOSE_ARM, 'three_link'), 0.0)
    assert asked == (SetParameter(DEMO, 'arm', 'three_link'),)
    controller.on_arm(None)
    assert controller.view(0.0).words[:2] == (
        'STARTING',
        '/ik2d is gone. The demo starts three_link, and this page reconnects by itself.',
    )


# --- all of it -------------------------------------------------------------------------------

events = st.one_of(
    st.sampled_from([None, TWO_BONE, THREE_LINK, TURNING, {}]).map(lambda arm: ('on_arm', arm)),
    st.sampled_from([None, {'paused': True}, {'paused': False}]).map(
        lambda given: ('on_demo', given)
    ),
    st.floats(-1.0, 1.0).map(lambda q: ('on_positions', NAMES, (q, -q))),
    st.booleans().map(lambda way: ('on_status', status(target=(1, 2, 3), is_on_the_way=way))),
    st.sampled_from(REQUESTS).map(lambda request: ('answer', request)),
    st.sampled_from([None, 'no']).map(lambda refusal: ('on_answer', refusal)),
)


@given(st.lists(events, max_size=30))
def test_any_order_of_events_leaves_something_to_show_and_asks_only_a_node_that_is_there(given_):
    controller, asked = Controller('/ik2d'), []
    for now, (event, *arguments) in enumerate(given_):
        if event == 'answer':
            commands = controller.answer(*arguments, float(now))
            asked += [each for each in commands if isinstance(each, SetParameter)]
            assert controller.view(0.0).settings is not None or commands == ()
            if commands and isinstance(commands[-1], (PublishTarget, PublishPath, GoHome)):
                assert controller.view(0.0).is_paused is not False  # the demo path makes way
        elif event == 'on_answer':
            if asked:
                controller.on_answer(asked.pop(0), *arguments)
        else:
            when = [float(now)] if event == 'on_status' else []
            getattr(controller, event)(*arguments, *when)
        view = controller.view(float(now))
        assert view.words.title
        assert (view.settings is None) == (view.words.title == 'NO NODE')
        assert view.positions is None or len(view.positions) == len(view.arm.names)
