"""What the page shows and what is asked of the nodes: the viewer's logic, alone."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moved_planes import LIFTING, SLIDING, TILTED, TURNING

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.node.outcome import Level
from ik2d_ros.node.report import ReceivedStatus
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.viewer.controller import (
    ARM,
    DEMO,
    FRAME_PERIOD,
    PATH,
    SETTLING,
    TURN_SILENCE,
    Controller,
    GoHome,
    PublishPath,
    PublishTarget,
    SetParameter,
    length,
)
from ik2d_ros.viewer.figure import ball_around
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.view import ANYWHERE, IN_PLANE, Area, Words

CONFIG = Path(__file__).resolve().parents[2] / 'config'
TWO_BONE = load_parameters(CONFIG / 'two_bone.yaml')
THREE_LINK = load_parameters(CONFIG / 'three_link.yaml')
NAMES = TWO_BONE['joints']
ARMS = {'flat': TWO_BONE, 'upright': THREE_LINK, 'turning': TURNING, 'lifting': LIFTING}
IN_SPACE = pytest.mark.parametrize(
    'parameters', [TURNING, TILTED, LIFTING, SLIDING], ids=['turning', 'tilted', 'lifting', 'slide']
)
EACH = pytest.mark.parametrize('parameters', ARMS.values(), ids=ARMS)

coordinate = st.floats(-3.0, 3.0)
triple = st.tuples(coordinate, coordinate, coordinate)

REQUESTS = (
    Request(Act.DRAG, (0.1, 0.1, 0.0), 'start'),
    Request(Act.DRAG, (0.2, 0.1, 0.0), 'update'),
    Request(Act.DRAG, (0.2, 0.1, 0.0), 'end'),
    Request(Act.TYPE, (0.1, 0.2)),
    Request(Act.HOME),
    Request(Act.PAUSE),
    Request(Act.SET, ('solver', 'ccd')),
    Request(Act.TURN, 0.4),
    Request(Act.KEEP_ANGLE, True),
)


def knowing(parameters):
    """A controller that has heard of an arm, and the arm."""
    controller = Controller('/ik2d')
    controller.hear_arm(parameters)
    return controller, arm_from_parameters(parameters)


@pytest.fixture
def controller():
    return knowing(TWO_BONE)[0]


def status(code='REACHED', level=Level.OK, target=None, is_on_the_way=False):
    reachable = level is Level.OK
    return ReceivedStatus(code, 'because', level, reachable, is_on_the_way, target=target)


def settings(commands):
    return [command for command in commands if isinstance(command, SetParameter)]


# --- the node comes and goes -----------------------------------------------------------------


def test_without_a_node_it_says_what_it_waits_for_and_nothing_is_asked_for():
    controller = Controller('/left/ik2d')
    view = controller.view(0.0)
    assert '/left/ik2d' in view.words.text
    assert (view.settings, view.is_paused, view.arm) == (None, None, None)
    for request in REQUESTS:
        assert controller.answer(request, 1.0) == ()
    controller.hear_positions(NAMES, (0.1, 0.2))
    controller.hear_status(status(target=(0.1, 0.2, 0.0)), 1.0)
    assert controller.view(9.0).positions is None
    assert controller.view(9.0).target is None


def test_a_node_without_an_arm_is_told_why():
    controller, _ = Controller('/ik2d'), None
    controller.hear_arm({'joints': ['a'], 'chain.a.length': -1.0})
    assert 'chain.a.length' in controller.view(0.0).words.text
    assert controller.view(0.0).settings is None


def test_a_lost_arm_stands_still_and_comes_back_anew(controller):
    controller.hear_positions(NAMES, (0.1, 0.2))
    controller.hear_status(status(), 0.0)
    before = controller.view(0.0)
    controller.hear_arm(None)
    lost = controller.view(0.0)
    assert 'gone' in lost.words.text
    assert (lost.arm, lost.positions) == (before.arm, before.positions)
    assert (lost.settings, lost.is_paused) == (None, None)
    controller.hear_positions(NAMES, (0.3, 0.4))  # somebody else's
    assert controller.view(0.0).positions == before.positions

    controller.hear_arm(TWO_BONE)
    back = controller.view(0.0)
    assert back.arm == before.arm
    assert back.arm is not before.arm  # so that it is drawn anew
    assert back.positions is None
    assert back.words.title == 'READY'


def test_the_same_arm_read_again_is_not_drawn_again_but_another_one_is(controller):
    controller.hear_positions(NAMES, (0.1, 0.2))
    before = controller.view(0.0)
    controller.hear_arm({**TWO_BONE, 'solver': 'ccd'})
    assert controller.view(0.0).arm is before.arm
    assert controller.view(0.0).positions == before.positions
    assert controller.view(0.0).settings['solver'] == 'ccd'
    controller.hear_arm({**TWO_BONE, 'chain.elbow.length': 0.5})
    assert controller.view(0.0).arm is not before.arm
    assert controller.view(0.0).positions is None


def test_an_area_is_shown_with_its_own_arm_only(controller):
    arm, area = controller.arm, Area(np.zeros((3, 2)), np.array([[0, 1, 2]]))
    assert controller.view(0.0).area is None
    controller.hear_area(arm, area)
    assert controller.view(0.0).area is area
    controller.hear_arm(THREE_LINK)
    assert controller.view(0.0).area is None
    controller.hear_area(arm, area)  # one that took its time
    assert controller.view(0.0).area is None


# --- what moves ------------------------------------------------------------------------------


@pytest.mark.parametrize('bad', [math.nan, math.inf, 1e300, -1.1e9])
def test_positions_that_no_pose_can_be_computed_for_are_not_shown(controller, bad):
    controller.hear_positions(['wheel', *reversed(NAMES)], (9.0, 0.2, 0.1))
    for names, positions in ((NAMES, (bad, 0.2)), (NAMES[:1], (0.5,)), (NAMES, (0.5,)), ((), ())):
        controller.hear_positions(names, positions)
        assert controller.view(0.0).positions == (0.1, 0.2)


@given(st.lists(st.floats(0.0, 3.0 * FRAME_PERIOD), min_size=1, max_size=30))
def test_what_comes_too_fast_is_drawn_in_the_end(pauses):
    controller, _ = knowing(TWO_BONE)
    now, drawn = 100.0, []
    for index, pause in enumerate(pauses):
        now += pause
        pose = 0.01 * index, 0.0
        controller.hear_positions(NAMES, pose)
        frame = controller.frame(now)
        if frame is not None:
            drawn.append(now)
            assert frame.positions == pose
        assert controller.view(now).positions == pose
    assert drawn[0] == 100.0 + pauses[0]
    assert all(b - a >= FRAME_PERIOD for a, b in itertools.pairwise(drawn))
    assert now - drawn[-1] <= FRAME_PERIOD or drawn[-1] == now


# --- the target ------------------------------------------------------------------------------


@EACH
@given(q=triple)
def test_the_handle_waits_at_the_tip_and_home_is_left_to_the_node(parameters, q):
    controller, arm = knowing(parameters)
    assert controller.view(0.0).target is None
    controller.hear_positions(arm.names, q)
    pose = q[: len(arm.names)]
    assert controller.view(0.0).target == pytest.approx(arm.kinematics.forward(pose))
    assert controller.answer(Request(Act.HOME), 1.0) == (GoHome(),)


@EACH
@given(place=triple)
def test_a_drag_publishes_its_place_and_a_click_nothing(parameters, place):
    controller, arm = knowing(parameters)
    assert controller.answer(Request(Act.DRAG, place, 'start'), 1.0) == ()
    (command,) = controller.answer(Request(Act.DRAG, place, 'update'), 1.0)
    assert command == PublishTarget(arm.base_frame, place)
    assert controller.view(1.0).is_held
    assert controller.answer(Request(Act.DRAG, place, 'end'), 1.0) == ()
    assert controller.view(1.0).target == place
    assert not controller.view(1.0).is_held


@given(place=triple)
def test_a_typed_target_is_in_the_plane_where_that_stands_still_else_in_space(place):
    controller, arm = knowing(THREE_LINK)
    (command,) = controller.answer(Request(Act.TYPE, place[:2]), 1.0)
    assert arm.kinematics.plane.locate(command.point) == pytest.approx((*place[:2], 0.0), abs=1e-9)
    controller, _ = knowing(TURNING)
    (command,) = controller.answer(Request(Act.TYPE, place), 1.0)
    assert command.point == place


@pytest.mark.parametrize('x', [math.nan, -math.inf])
def test_a_drag_to_nowhere_publishes_nothing(controller, x):
    assert controller.answer(Request(Act.DRAG, (x, 0.1, 0.0), 'update'), 1.0) == ()
    assert controller.answer(Request(Act.TYPE, (0.1, x)), 1.0) == ()


@EACH
def test_a_status_tells_where_the_target_is_but_not_right_after_a_move(parameters):
    controller, _ = knowing(parameters)
    controller.hear_status(status(target=(0.3, 0.2, 0.1)), 1.0)
    assert controller.view(1.0).target == (0.3, 0.2, 0.1)
    controller.hear_status(status('UNKNOWN_FRAME', Level.ERROR), 1.0)
    assert controller.view(1.0).target == (0.3, 0.2, 0.1)
    controller.answer(Request(Act.DRAG, (0.1, 0.2, 0.3), 'update'), 2.0)
    controller.hear_status(status(target=(0.3, 0.2, 0.1)), 2.0 + 0.9 * SETTLING)
    controller.answer(Request(Act.DRAG, (0.1, 0.2, 0.3), 'end'), 2.0 + 0.9 * SETTLING)
    assert controller.view(3.0).target == (0.1, 0.2, 0.3)
    controller.hear_status(status(target=(0.3, 0.2, 0.1)), 2.0 + 1.1 * SETTLING)
    assert controller.view(3.0).target == (0.3, 0.2, 0.1)


def test_the_way_to_drag_is_chosen_for_arms_in_space_only():
    controller, _ = knowing(TURNING)
    for way, expected in ((IN_PLANE, IN_PLANE), ('sideways', ANYWHERE), (ANYWHERE, ANYWHERE)):
        assert controller.answer(Request(Act.CHOOSE_DRAG, way), 0.0) == ()
        assert controller.view(0.0).drag == expected
    controller.hear_arm(TWO_BONE)
    assert controller.view(0.0).drag is None


# --- the demo path ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    'request_',
    [
        Request(Act.DRAG, (0.1, 0.1, 0.0), 'update'),
        Request(Act.TYPE, (0.1, 0.2)),
        Request(Act.HOME),
    ],
)
def test_the_demo_path_makes_way_for_a_hand_before_the_target_is_moved(controller, request_):
    controller.hear_demo({'paused': False})
    assert controller.view(0.0).is_paused is False
    first, second = controller.answer(request_, 0.0)
    assert first == SetParameter(PATH, 'paused', True)
    assert isinstance(second, (PublishTarget, GoHome))
    assert controller.view(0.0).is_paused is True
    assert settings(controller.answer(request_, 0.0)) == []  # once is enough


def test_the_demo_path_is_paused_and_goes_on(controller):
    assert controller.answer(Request(Act.PAUSE), 0.0) == ()  # there is none
    controller.hear_demo({'paused': True})
    for paused in (False, True):
        assert controller.answer(Request(Act.PAUSE), 0.0) == (SetParameter(PATH, 'paused', paused),)
        assert controller.view(0.0).is_paused is paused
    for nothing in (None, {'paused': 'maybe'}):
        controller.hear_demo(nothing)
        assert controller.view(0.0).is_paused is None


def test_the_arm_is_chosen_where_a_demo_can_show_others(controller):
    assert controller.answer(Request(Act.CHOOSE_ARM, 'so101'), 0.0) == ()
    controller.hear_choice({'arm': 'two_bone', 'arms': ['two_bone', 'so101']})
    view = controller.view(0.0)
    assert (view.arms, view.name) == (('two_bone', 'so101'), 'two_bone')
    assert controller.answer(Request(Act.CHOOSE_ARM, 'so101'), 0.0) == (
        SetParameter(DEMO, 'arm', 'so101'),
    )
    assert controller.view(0.0).name == 'so101'
    for nothing in (None, {'arm': 1, 'arms': [1]}, {'arm': 'x', 'arms': ['y']}, {'arms': 7}):
        controller.hear_choice(nothing)
        assert controller.view(0.0).arms == ()


# --- settings --------------------------------------------------------------------------------


def test_a_setting_that_is_asked_for_is_nowhere_until_it_is_answered(controller):
    (command,) = controller.answer(Request(Act.SET, ('solver', 'ccd')), 0.0)
    assert command == SetParameter(ARM, 'solver', 'ccd')
    assert 'solver' not in controller.view(0.0).settings
    controller.hear_answer(command, None)
    assert controller.view(0.0).settings['solver'] == 'ccd'
    assert controller.view(0.0).refusal == ''


def test_a_setting_that_is_refused_goes_back_and_says_why(controller):
    before = controller.view(0.0)
    (command,) = controller.answer(Request(Act.SET, ('solver', 'two_bone')), 0.0)
    controller.hear_answer(command, 'not today')
    after = controller.view(0.0)
    assert after.settings == before.settings
    assert after.settled != before.settled  # or else the page would not move the control back
    assert after.refusal == 'not today'
    controller.hear_answer(command, None)
    assert controller.view(0.0).refusal == ''


def test_while_a_control_is_being_moved_only_the_last_answer_puts_it_in_place(controller):
    (first,) = controller.answer(Request(Act.SET, ('tolerance', 1e-3)), 0.0)
    (second,) = controller.answer(Request(Act.SET, ('tolerance', 1e-4)), 0.0)
    controller.hear_answer(first, None)
    assert 'tolerance' not in controller.view(0.0).settings
    controller.hear_answer(second, None)
    assert controller.view(0.0).settings['tolerance'] == 1e-4


# --- the status ------------------------------------------------------------------------------


def test_a_status_is_told_in_its_colour_until_the_node_is_gone(controller):
    controller.hear_status(status('CODE', Level.ERROR), 0.0)
    expected = Words('CODE', 'because', Level.ERROR.colour)
    assert controller.view(0.0).words == expected
    controller.hear_arm(None)
    controller.hear_arm(TWO_BONE)
    assert controller.view(0.0).words.title == 'READY'


@EACH
def test_while_the_arm_is_under_way_that_is_said_first_and_not_in_green(parameters):
    controller, arm = knowing(parameters)
    tip = arm.kinematics.forward(arm.home)
    controller.hear_positions(arm.names, arm.home)
    target = tip[0] + 0.158, tip[1], tip[2]
    controller.hear_status(status(target=target, is_on_the_way=True), 0.0)
    words = controller.view(0.0).words
    assert words.title == 'Moving: 158 mm to go'
    assert words.text.startswith('REACHED: ')
    assert words.colour != Level.OK.colour
    # Where the arm is measured, that counts.
    measured = [q + 0.01 for q in arm.home]
    controller.hear_measured(arm.names, measured, (), (), 1.0)
    rest = math.dist(arm.kinematics.forward(measured), target)
    assert controller.view(1.0).words.title == f'Moving: {length(rest)} to go'
    controller.hear_status(status('TOO_FAR', Level.WARN, target, is_on_the_way=True), 1.0)
    assert controller.view(1.0).words.title == 'Moving to the closest pose'
    controller.hear_status(status(target=target), 1.0)
    assert controller.view(1.0).words == Words('REACHED', 'because', Level.OK.colour)


# --- all of it -------------------------------------------------------------------------------

events = st.one_of(
    st.sampled_from([None, TWO_BONE, THREE_LINK, TURNING, {}]).map(lambda arm: ('hear_arm', arm)),
    st.sampled_from([None, {'paused': True}, {'paused': False}]).map(
        lambda given: ('hear_demo', given)
    ),
    st.floats(-1.0, 1.0).map(lambda q: ('hear_positions', NAMES, (q, -q))),
    st.booleans().map(lambda way: ('hear_status', status(target=(1, 2, 3), is_on_the_way=way))),
    st.sampled_from(REQUESTS).map(lambda request: ('answer', request)),
    st.sampled_from([None, 'no']).map(lambda refusal: ('hear_answer', refusal)),
)


@given(st.lists(events, max_size=30))
def test_whatever_happens_in_whatever_order_there_is_something_to_show(given_events):
    controller, asked = Controller('/ik2d'), []
    for now, (event, *arguments) in enumerate(given_events):
        if event == 'answer':
            commands = controller.answer(*arguments, float(now))
            asked += settings(commands)
            is_there = controller.view(0.0).settings is not None
            assert is_there or commands == ()
        elif event == 'hear_answer':
            if asked:
                controller.hear_answer(asked.pop(0), *arguments)
        elif event == 'hear_status':
            controller.hear_status(*arguments, float(now))
        else:
            getattr(controller, event)(*arguments)
        view = controller.view(float(now))
        assert view.words.title
        assert (view.settings is None) == (view.words.title == 'NO NODE')
        if view.positions is not None:
            assert len(view.positions) == len(view.arm.names)


# --- the measured arm ------------------------------------------------------------------------


@EACH
@given(q=triple, velocities=triple, commanded=triple)
def test_speed_and_lag_of_the_measured_tip(parameters, q, velocities, commanded):
    controller, arm = knowing(parameters)
    q, velocities, commanded = (each[: len(arm.names)] for each in (q, velocities, commanded))
    forward, h = arm.kinematics.forward, 1e-6
    controller.hear_measured(['gripper', *arm.names], (9.0, *q), (9.0, *velocities), (), 1.0)
    measured = controller.view(1.0).measured
    assert measured.positions == q
    assert measured.efforts == (None,) * len(q)
    assert measured.lag is None
    before, after = (forward(np.add(q, t * np.array(velocities))) for t in (-h, h))
    assert measured.speed == pytest.approx(math.dist(before, after) / (2.0 * h), abs=1e-4)

    controller.hear_positions(arm.names, commanded)
    controller.hear_measured(arm.names, q, (), (1.0, math.nan), 2.0)
    measured = controller.view(2.0).measured
    assert measured.speed is None
    assert measured.efforts[:2] == (1.0, None)
    assert measured.lag == pytest.approx(math.dist(forward(q), forward(commanded)))


# --- the tip angle ---------------------------------------------------------------------------

Q = (0.3, 0.4, -0.2)
angles = st.floats(-math.pi, math.pi)


def turned(**changes):
    controller, arm = knowing({**THREE_LINK, **changes})
    controller.hear_positions(arm.names, Q)
    controller.hear_status(status(target=(0.1, 0.2, 0.3)), 0.0)
    return controller


def heading(q):
    """The direction of the last link frame's x-axis, from the parameters themselves."""
    return sum(
        THREE_LINK.get(f'chain.{name}.axis', 1) * position
        + THREE_LINK.get(f'chain.{name}.offset', 0.0)
        for name, position in zip(THREE_LINK['joints'], q, strict=True)
    )


def asked(commands):
    """The tip angle that is asked of the node."""
    (command,) = commands
    assert (command.node, command.name) == (ARM, 'tip_angle')
    return command.value


@given(q=st.tuples(*[angles] * 3), angle=angles)
def test_a_free_needle_shows_the_last_link_and_a_kept_one_what_is_asked_for(q, angle):
    controller = turned()
    controller.hear_positions(THREE_LINK['joints'], q)
    tip = controller.view(0.0).tip
    assert abs(math.remainder(tip.angle - heading(q), 2.0 * math.pi)) <= 1e-12
    assert (tip.asked, tip.shown) == (None, tip.angle)
    assert turned(tip_angle=angle).view(0.0).tip.shown == pytest.approx(angle)


@given(angles)
def test_a_turn_asks_for_the_angle_and_the_switch_for_none(angle):
    controller = turned()
    assert asked(controller.answer(Request(Act.TURN, angle, 'update'), 1.0)) == angle
    controller.hear_answer(SetParameter(ARM, 'tip_angle', angle), None)
    assert controller.view(1.0).tip.asked == pytest.approx(angle)
    free = asked(controller.answer(Request(Act.KEEP_ANGLE, False), 2.0))
    assert math.isnan(free)
    controller.hear_answer(SetParameter(ARM, 'tip_angle', free), None)
    view = controller.view(2.0)
    assert view.tip.asked is None
    assert 'tip_angle' in view.settings  # nothing is pending, NaN or not


def test_before_the_first_target_a_turn_makes_the_tip_the_target():
    controller, arm = knowing(THREE_LINK)
    controller.hear_positions(arm.names, Q)
    turning, target = controller.answer(Request(Act.TURN, 0.7), 1.0)
    assert turning == SetParameter(ARM, 'tip_angle', 0.7)
    assert math.dist(target.point, arm.kinematics.forward(Q)) <= 1e-9
    controller.hear_answer(turning, None)
    assert asked(controller.answer(Request(Act.TURN, 0.8), 1.0)) == 0.8


def test_the_needle_is_left_alone_until_it_is_let_go_or_forgotten():
    controller = turned()
    controller.answer(Request(Act.TURN, 0.0, 'start'), 1.0)
    controller.answer(Request(Act.TURN, 0.1, 'update'), 1.5)
    assert controller.view(1.5 + 0.9 * TURN_SILENCE).is_turned
    assert not controller.view(1.5 + 1.1 * TURN_SILENCE).is_turned
    controller.answer(Request(Act.TURN, 0.2, 'end'), 9.0)
    assert not controller.view(9.0).is_turned


def test_an_arm_of_two_joints_has_no_tip_angle_and_nobody_turns_to_nowhere(controller):
    controller.hear_positions(NAMES, (0.1, 0.2))
    assert controller.view(0.0).tip is None
    for request in (Request(Act.TURN, 0.1), Request(Act.KEEP_ANGLE, True)):
        assert controller.answer(request, 1.0) == ()
    assert turned().answer(Request(Act.TURN, math.nan), 1.0) == ()


# --- a path that is drawn ----------------------------------------------------------------------


def draw(controller, *points, is_on=True):
    """Drag a line; gives the commands."""
    commands = [*controller.answer(Request(Act.DRAW, is_on), 0.0)]
    phases = ['start', *['update'] * (len(points) - 2), 'end']
    for place, phase in zip(points, phases, strict=True):
        commands += controller.answer(Request(Act.ADD_POINT, place, phase), 0.0)
    return commands


LINE = (0.4, 0.0, 0.0), (0.4, 0.2, 0.0), (0.8, 0.2, 0.0)


def test_a_line_is_judged_at_its_end_followed_when_asked_for_and_cleared(controller):
    controller.hear_demo({'paused': False})
    frame = controller.arm.base_frame
    assert draw(controller, *LINE, is_on=False) == []
    assert controller.view(0.0).path is None
    assert draw(controller, *LINE) == [PublishPath(frame, LINE, moves=False)]
    assert controller.view(0.0).path.points == LINE
    assert controller.view(0.0).path.verdict is None
    (judged,) = controller.answer(Request(Act.ADD_POINT, (0.8, 0.0, 0.0), 'end'), 0.0)  # a click
    assert judged.points == (*LINE, (0.8, 0.0, 0.0))
    follow = controller.answer(Request(Act.FOLLOW), 0.0)
    assert follow == (
        SetParameter(PATH, 'paused', True),
        PublishPath(frame, judged.points, moves=True),
    )
    assert controller.answer(Request(Act.CLEAR), 0.0) == ()
    assert controller.view(0.0).path is None
    assert controller.answer(Request(Act.FOLLOW), 0.0) == ()


def test_before_a_path_is_drawn_answers_to_others_change_nothing(controller):
    controller.hear_verdict(status(), ())
    assert controller.view(0.0).path is None


def test_points_that_say_nothing_new_are_left_out(controller):
    bad = (math.nan, 0.0, 0.0), (math.inf, 0.1, 0.0)
    assert draw(controller, LINE[0], LINE[0], (0.4, 1e-5, 0.0), *bad) == []
    assert controller.view(0.0).path.points == LINE[:1]


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
    controller.hear_verdict(status('JOINT_LIMIT', Level.WARN, target), path)
    drawn = controller.view(0.0).path
    assert drawn.verdict.code == 'JOINT_LIMIT'
    assert drawn.end <= wanted + 1e-6  # less where the path has been there before
    lines, colours = drawn.segments()
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    is_good = (colours[:, 0] == Level.OK.colour).all(axis=1)
    assert lengths.sum() == pytest.approx(sum(strides))
    assert lengths[is_good].sum() == pytest.approx(drawn.end, abs=1e-9)
    assert math.dist(lines[is_good][-1, 1], target) <= 1e-6

    controller.hear_verdict(status('REACHED'), path)
    _, colours = controller.view(0.0).path.segments()
    assert (colours == Level.OK.colour).all()
    controller.hear_verdict(status('UNKNOWN_FRAME', Level.ERROR), path)
    assert controller.view(0.0).path.end == 0.0
    controller.hear_verdict(status('REACHED'), path[:-1])  # of the path as it was
    assert controller.view(0.0).path.end == 0.0


def test_while_a_path_is_followed_its_progress_is_told(controller):
    controller.hear_positions(NAMES, (0.1, 0.2))
    moving = replace(
        status(target=(0.4, 0.2, 0.0), is_on_the_way=True),
        message='Moving: 1.5 m to go. All 2.6 m of the path can be followed.',
        path_progress=0.42,
    )
    controller.hear_status(moving, 0.0)
    words = controller.view(0.0).words
    assert words.title == 'Moving: 42% of the path'
    assert words.text == 'REACHED: All 2.6 m of the path can be followed.'


# --- the view of an arm in space -------------------------------------------------------------


@IN_SPACE
@given(q=triple)
def test_all_that_the_arm_reaches_is_in_sight(parameters, q):
    arm = arm_from_parameters(parameters)
    center, radius = ball_around(arm)
    lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
    tip = arm.kinematics.forward(np.clip(q, lower, upper))
    assert math.dist(tip, center) <= radius * (1.0 + 1e-9)
