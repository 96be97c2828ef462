"""What the page shows and what is asked of the nodes: the viewer's logic, alone."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import arm_from_parameters, load_parameters
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.node.outcome import Level
from ik2d_ros.viewer.controller import (
    ARM,
    DEMO,
    DRAG_SILENCE,
    FRAME_PERIOD,
    MEASURED_SILENCE,
    Controller,
    PublishTarget,
    SetParameter,
)
from ik2d_ros.viewer.requests import ChangeSetting, ChooseSource, Drag, GoHome
from ik2d_ros.viewer.view import DEMO_PATH, MOUSE, Area, Words

CONFIG = Path(__file__).resolve().parents[2] / 'config'
TWO_BONE = load_parameters(CONFIG / 'two_bone.yaml')
THREE_LINK = load_parameters(CONFIG / 'three_link.yaml')
NAMES = TWO_BONE['joints']

REQUESTS = (
    Drag('start', 0.1, 0.1),
    Drag('update', 0.2, 0.1),
    Drag('end', 0.2, 0.1),
    GoHome(),
    ChooseSource(DEMO_PATH),
    ChooseSource(MOUSE),
    ChangeSetting('solver', 'ccd'),
)


@pytest.fixture
def controller():
    """A controller that has heard of an arm."""
    known = Controller('/ik2d')
    known.hear_arm(TWO_BONE)
    return known


def targets(commands):
    return [command for command in commands if isinstance(command, PublishTarget)]


def settings(commands):
    return [command for command in commands if isinstance(command, SetParameter)]


# --- the node comes and goes -----------------------------------------------------------------


def test_without_a_node_it_says_what_it_waits_for_and_nothing_is_asked_for():
    controller = Controller('/left/ik2d')
    view = controller.view(0.0)
    assert '/left/ik2d' in view.words.text
    assert (view.settings, view.source, view.chain) == (None, None, None)
    for request in REQUESTS:
        assert controller.answer(request, 1.0) == ()
    controller.hear_positions(NAMES, (0.1, 0.2))
    controller.hear_place((1, 0), (0.1, 0.2), 1.0)
    assert controller.view(9.0).positions is None
    assert controller.view(9.0).handle is None


def test_a_node_without_an_arm_is_told_why():
    controller = Controller('/ik2d')
    controller.hear_arm({'joints': ['a'], 'chain.a.length': -1.0})
    assert 'chain.a.length' in controller.view(0.0).words.text
    assert controller.view(0.0).settings is None


def test_a_lost_arm_stands_still_and_comes_back_anew(controller):
    controller.hear_positions(NAMES, (0.1, 0.2))
    controller.hear_status('REACHED', 'fine', Level.OK)
    before = controller.view(0.0)
    controller.hear_arm(None)
    lost = controller.view(0.0)
    assert 'gone' in lost.words.text
    assert (lost.chain, lost.positions) == (before.chain, before.positions)
    assert lost.joints == ((), ())
    assert (lost.settings, lost.source) == (None, None)
    controller.hear_positions(NAMES, (0.3, 0.4))  # somebody else's
    assert controller.view(0.0).positions == before.positions

    controller.hear_arm(TWO_BONE)
    back = controller.view(0.0)
    assert back.chain == before.chain
    assert back.chain is not before.chain  # so that it is drawn anew
    assert back.positions is None
    assert back.words.title == 'READY'


def test_the_same_arm_read_again_is_not_drawn_again_but_another_one_is(controller):
    controller.hear_positions(NAMES, (0.1, 0.2))
    before = controller.view(0.0)
    controller.hear_arm({**TWO_BONE, 'solver': 'ccd'})
    assert controller.view(0.0).chain is before.chain
    assert controller.view(0.0).positions == before.positions
    assert controller.view(0.0).settings['solver'] == 'ccd'
    controller.hear_arm({**TWO_BONE, 'chain.elbow.length': 0.5})
    assert controller.view(0.0).chain is not before.chain
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


@pytest.mark.parametrize('bad', [math.nan, math.inf, 1e300, -1.1e9])
def test_positions_that_no_pose_can_be_computed_for_are_not_shown(controller, bad):
    controller.hear_positions(NAMES, (0.1, bad))
    assert controller.view(0.0).positions is None
    controller.hear_positions(NAMES, (0.1, 0.2))
    controller.hear_positions(NAMES, (bad, 0.2))
    assert controller.view(0.0).positions == (0.1, 0.2)


# --- what moves ------------------------------------------------------------------------------


def test_positions_of_other_joints_and_incomplete_ones_change_nothing(controller):
    controller.hear_positions(['wheel', *reversed(NAMES)], (9.0, 0.2, 0.1))
    assert controller.view(0.0).positions == (0.1, 0.2)
    controller.hear_positions(NAMES[:1], (0.5,))
    controller.hear_positions(NAMES, (0.5,))
    controller.hear_positions(NAMES, (0.5, math.nan))
    controller.hear_positions((), ())
    assert controller.view(0.0).positions == (0.1, 0.2)


def test_the_handle_waits_at_the_tip_until_somebody_says_where_the_target_is(controller):
    assert controller.view(0.0).handle is None
    controller.hear_positions(NAMES, (0.1, 0.2))
    tip = tuple(controller.chain.forward((0.1, 0.2))[-1])
    assert controller.view(0.0).handle == pytest.approx(tip)
    controller.hear_positions(NAMES, (0.3, 0.4))
    assert controller.view(0.0).handle == pytest.approx(tip)
    controller.hear_place((1, 0), (0.25, 0.15), 0.0)
    assert controller.view(0.0).handle == (0.25, 0.15)


def test_a_target_in_an_unknown_place_leaves_the_handle_where_it_is(controller):
    controller.hear_place((1, 0), (0.1, 0.2), 0.0)
    controller.hear_place((2, 0), None, 0.0)
    assert controller.view(0.0).handle == (0.1, 0.2)


def test_a_status_that_is_repeated_does_not_move_the_handle_back(controller):
    controller.hear_place((1, 0), (0.1, 0.2), 0.0)
    controller.answer(Drag('update', 0.3, 0.3), 1.0)
    controller.answer(Drag('end', 0.3, 0.3), 1.0)
    controller.hear_place((1, 0), (0.1, 0.2), 2.0)
    assert controller.view(2.0).handle == (0.3, 0.3)
    controller.hear_place((2, 0), (0.1, 0.2), 2.0)
    assert controller.view(2.0).handle == (0.1, 0.2)


def test_who_comes_late_sees_the_last_target_when_its_status_is_repeated():
    controller = Controller('/ik2d')
    controller.hear_place((1, 0), (0.1, 0.2), 0.0)  # in a plane that is not known yet
    controller.hear_arm(TWO_BONE)
    controller.hear_positions(NAMES, (0.1, 0.2))
    controller.hear_place((1, 0), (0.1, 0.2), 1.0)
    assert controller.view(1.0).handle == (0.1, 0.2)
    controller.hear_arm(THREE_LINK)
    controller.hear_place((1, 0), (0.1, 0.2), 1.0)
    assert controller.view(1.0).handle == (0.1, 0.2)


@given(st.lists(st.floats(0.0, 3.0 * FRAME_PERIOD), min_size=1, max_size=30))
def test_what_comes_too_fast_is_drawn_in_the_end(pauses):
    controller = Controller('/ik2d')
    controller.hear_arm(TWO_BONE)
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


@pytest.mark.parametrize('parameters', [TWO_BONE, THREE_LINK], ids=['flat', 'upright'])
@given(x=st.floats(-9.0, 9.0), y=st.floats(-9.0, 9.0))
def test_a_drag_publishes_its_place_in_the_plane_of_the_arm(parameters, x, y):
    controller = Controller('/ik2d')
    controller.hear_arm(parameters)
    arm = arm_from_parameters(parameters)
    assert controller.answer(Drag('start', 0.0, 0.0), 1.0) == ()
    (command,) = controller.answer(Drag('update', x, y), 1.0)
    plane = Plane.from_pose(arm.base_xyz, arm.base_rpy)
    assert command.frame == arm.base_frame
    assert plane.locate(command.point) == pytest.approx((x, y, 0.0), abs=1e-9)
    assert controller.answer(Drag('end', x, y), 1.0) == ()
    assert controller.view(1.0).handle == (x, y)


@pytest.mark.parametrize('place', [(math.nan, 0.1), (0.1, -math.inf)])
def test_a_drag_to_nowhere_publishes_nothing(controller, place):
    assert controller.answer(Drag('update', *place), 1.0) == ()


def test_home_sends_the_tip_to_its_start(controller):
    arm = arm_from_parameters(TWO_BONE)
    (command,) = controller.answer(GoHome(), 1.0)
    assert command.point[:2] == pytest.approx(arm.chain.forward(arm.home)[-1])
    assert controller.view(1.0).handle == pytest.approx(command.point[:2])


def test_a_handle_in_a_hand_is_left_alone_until_it_is_let_go(controller):
    controller.answer(Drag('start', 0.0, 0.0), 10.0)
    controller.answer(Drag('update', 0.1, 0.2), 10.0)
    controller.hear_place((1, 0), (0.3, 0.3), 10.1)
    assert controller.view(10.1).handle is None
    controller.answer(Drag('end', 0.1, 0.2), 10.2)
    assert controller.view(10.2).handle == (0.1, 0.2)
    controller.hear_place((2, 0), (0.3, 0.3), 10.2)
    assert controller.view(10.2).handle == (0.3, 0.3)


def test_a_hand_that_never_lets_go_is_forgotten_after_a_while(controller):
    controller.answer(Drag('update', 0.1, 0.2), 10.0)
    just_before, after = 10.0 + 0.999 * DRAG_SILENCE, 10.0 + 1.001 * DRAG_SILENCE
    assert controller.view(just_before).handle is None
    controller.hear_place((1, 0), (0.3, 0.3), after)
    assert controller.view(after).handle == (0.3, 0.3)


# --- the demo path ---------------------------------------------------------------------------


@pytest.mark.parametrize('request_', [Drag('update', 0.1, 0.1), GoHome()])
def test_the_demo_path_makes_way_for_a_hand_before_the_target_is_moved(controller, request_):
    controller.hear_demo({'paused': False})
    assert controller.view(0.0).source == DEMO_PATH
    first, second = controller.answer(request_, 0.0)
    assert first == SetParameter(DEMO, 'paused', True)
    assert isinstance(second, PublishTarget)
    assert controller.view(0.0).source == MOUSE
    assert settings(controller.answer(request_, 0.0)) == []  # once is enough


def test_the_demo_path_is_paused_and_goes_on_as_chosen(controller):
    assert controller.answer(ChooseSource(DEMO_PATH), 0.0) == ()  # there is none
    controller.hear_demo({'paused': True})
    for source, paused in ((DEMO_PATH, False), (MOUSE, True)):
        expected = SetParameter(DEMO, 'paused', paused)
        assert controller.answer(ChooseSource(source), 0.0) == (expected,)
        assert controller.view(0.0).source == source
    controller.hear_demo(None)
    assert controller.view(0.0).source is None
    controller.hear_demo({'paused': 'maybe'})
    assert controller.view(0.0).source is None


# --- settings --------------------------------------------------------------------------------


def test_a_setting_that_is_asked_for_is_nowhere_until_it_is_answered(controller):
    (command,) = controller.answer(ChangeSetting('solver', 'ccd'), 0.0)
    assert command == SetParameter(ARM, 'solver', 'ccd')
    assert 'solver' not in controller.view(0.0).settings
    controller.hear_answer(command, None)
    assert controller.view(0.0).settings['solver'] == 'ccd'
    assert controller.view(0.0).refusal == ''


def test_a_setting_that_is_refused_goes_back_and_says_why(controller):
    before = controller.view(0.0)
    (command,) = controller.answer(ChangeSetting('solver', 'two_bone'), 0.0)
    controller.hear_answer(command, 'not today')
    after = controller.view(0.0)
    assert after.settings == before.settings
    assert after.settled != before.settled  # or else the page would not move the control back
    assert after.refusal == 'not today'
    controller.hear_answer(command, None)
    assert controller.view(0.0).refusal == ''


def test_while_a_control_is_being_moved_only_the_last_answer_puts_it_in_place(controller):
    (first,) = controller.answer(ChangeSetting('tolerance', 1e-3), 0.0)
    (second,) = controller.answer(ChangeSetting('tolerance', 1e-4), 0.0)
    controller.hear_answer(first, None)
    assert 'tolerance' not in controller.view(0.0).settings
    controller.hear_answer(second, None)
    assert controller.view(0.0).settings['tolerance'] == 1e-4


def test_an_answer_that_comes_when_the_node_is_gone_changes_nothing(controller):
    (command,) = controller.answer(ChangeSetting('solver', 'ccd'), 0.0)
    controller.hear_arm(None)
    controller.hear_answer(command, None)
    assert controller.view(0.0).settings is None
    controller.hear_arm(TWO_BONE)
    assert controller.view(0.0).settings['solver'] == TWO_BONE['solver']


# --- the status ------------------------------------------------------------------------------


def test_a_status_is_told_in_its_colour_until_the_node_is_gone(controller):
    controller.hear_status('CODE', 'because', Level.ERROR)
    expected = Words('CODE', 'because', Level.ERROR.colour)
    assert controller.view(0.0).words == expected
    controller.hear_arm(TWO_BONE)
    assert controller.view(0.0).words == expected
    controller.hear_arm(None)
    controller.hear_arm(TWO_BONE)
    assert controller.view(0.0).words.title == 'READY'


# --- all of it -------------------------------------------------------------------------------

events = st.one_of(
    st.sampled_from([None, TWO_BONE, THREE_LINK, {}]).map(lambda given: ('hear_arm', given)),
    st.sampled_from([None, {'paused': True}, {'paused': False}]).map(
        lambda given: ('hear_demo', given)
    ),
    st.floats(-1.0, 1.0).map(lambda q: ('hear_positions', NAMES, (q, -q))),
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
            assert all(map(math.isfinite, sum((each.point for each in targets(commands)), ())))
        elif event == 'hear_answer':
            if asked:
                controller.hear_answer(asked.pop(0), *arguments)
        else:
            getattr(controller, event)(*arguments)
        view = controller.view(float(now))
        assert view.words.title
        assert (view.settings is None) == (view.words.title == 'NO NODE')
        if view.positions is not None:
            assert len(view.positions) == len(view.chain)
    for command in asked:
        controller.hear_answer(command, None)
    view = controller.view(0.0)
    assert view.settings is None or 'solver' in view.settings


# --- the measured arm ------------------------------------------------------------------------

pair = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


@given(pair, pair, pair)
def test_speed_and_lag_of_the_measured_tip(q, velocities, commanded):
    controller = Controller('/ik2d')
    controller.hear_arm(TWO_BONE)
    controller.hear_measured(['gripper', *NAMES], (9.0, *q), (9.0, *velocities), (), 1.0)
    measured = controller.view(1.0).measured
    assert measured.positions == q
    assert measured.efforts == (None, None)
    assert measured.lag is None
    forward, h = controller.chain.forward, 1e-6
    before, after = (forward(np.add(q, t * np.array(velocities)))[-1] for t in (-h, h))
    assert measured.speed == pytest.approx(math.dist(before, after) / (2.0 * h), abs=1e-6)

    controller.hear_positions(NAMES, commanded)
    controller.hear_measured(NAMES, q, (), (1.0, math.nan), 2.0)
    measured = controller.view(2.0).measured
    assert measured.speed is None
    assert measured.efforts == (1.0, None)
    assert measured.lag == pytest.approx(math.dist(forward(q)[-1], forward(commanded)[-1]))


def test_an_arm_that_is_no_longer_measured_is_not_shown(controller):
    controller.hear_measured(NAMES, (0.1, 0.2), (), (), 1.0)
    assert controller.view(1.0 + 0.9 * MEASURED_SILENCE).measured is not None
    assert controller.view(1.0 + 1.1 * MEASURED_SILENCE).measured is None
    controller.hear_measured(NAMES, (0.1, 0.2), (), (), 5.0)
    controller.hear_arm(None)
    assert controller.view(5.0).measured is None


@pytest.mark.parametrize(
    ('names', 'positions'),
    [
        (NAMES[:1], (0.1,)),
        (NAMES, (0.1,)),
        (NAMES, (0.1, math.nan)),
        (NAMES, (0.1, 1e300)),
        ((), ()),
    ],
)
def test_a_measurement_without_a_whole_pose_is_not_shown(controller, names, positions):
    controller.hear_measured(names, positions, (), (), 1.0)
    assert controller.view(1.0).measured is None
