"""The viewer's logic alone; ``test_page.py`` tests it with the page and real nodes."""

from __future__ import annotations

import math

import pytest
from harness import CONFIG
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.pilot.outcome import NO_PLACE, Level, Report
from ik2d_ros.pilot.request import Joints, Query
from ik2d_ros.viewer.controller import HOLD, Controller, SetParameter
from ik2d_ros.viewer.view import POINTS, Act, Request
from ik2d_ros.viewer.view import Requests as Queue

TWO_BONE = load_parameters(CONFIG / 'two_bone.yaml')
THREE_LINK = load_parameters(CONFIG / 'three_link.yaml')
TURNING = load_parameters(CONFIG / 'machines/arduinobot.yaml')
NAMES = TWO_BONE['joints']

angles = st.floats(-math.pi, math.pi)

REQUESTS = (
    Request(Act.DRAG, (0.2, 0.1, 0.0)),
    Request(Act.TARGET, (0.1, 0.2, 0.0)),
    Request(Act.HOME),
    Request(Act.STOP),
    Request(Act.MOVE_JOINT, (NAMES[0], 0.4)),
    Request(Act.PAUSE),
    Request(Act.SET, ('solver', 'ccd')),
    Request(Act.TURN, 0.4),
    Request(Act.KEEP_ANGLE, True),
    Request(Act.DRAW, True),
    *(Request(act, (0.3, 0.1, 0.0)) for act in POINTS),
    Request(Act.ADD_POINT, (0.2, 0.2, 0.0)),
    Request(Act.UNDO),
    Request(Act.FOLLOW),
    Request(Act.CLEAR),
)


def knowing(parameters):
    """A controller that has heard of an arm, and the arm."""
    controller = Controller('/ik2d')
    controller.on_arm(parameters)
    return controller, arm_from_parameters(parameters)


def status(code='REACHED', level=Level.OK, target=NO_PLACE, moving=False):
    reachable = level is Level.OK
    return Report(code, level, reachable, 'because', target=target, moving=moving)


def test_a_status_moves_the_target_but_not_right_after_the_user_did():
    controller, _ = knowing(TWO_BONE)
    there, dragged = status(target=(0.3, 0.2, 0.1)), (0.1, 0.2, 0.3)
    controller.on_status(there, 1.0)
    controller.on_status(status('UNKNOWN_FRAME', Level.ERROR), 1.0)
    assert controller.view(1.0).target == there.target
    controller.answer(Request(Act.DRAG, dragged), 2.0)
    for later, target, hand in ((0.9, dragged, Act.DRAG), (1.1, there.target, None)):
        controller.on_status(there, 2.0 + later * HOLD)
        view = controller.view(2.0 + later * HOLD)
        assert (view.target, view.in_hand) == (target, hand)


@given(st.sampled_from([*NAMES, 'jaw', 'roll']), st.floats(-4.0, 4.0))
def test_a_joint_stays_within_its_limits_and_takes_the_handle_along_unless_it_is_held(name, q):
    held = {'command_joints': [*NAMES, 'jaw', 'roll'], 'hold_limits.jaw': [-0.2, 1.7]}
    controller, arm = knowing({**TWO_BONE, **held})
    controller.on_demo({'paused': False})
    controller.on_positions(NAMES, arm.home)
    controller.on_held({'jaw': (0.3, q)})
    controller.on_status(status(target=(0.1, 0.2, 0.0)), 0.0)
    commands = controller.answer(Request(Act.MOVE_JOINT, (name, q)), 0.1)
    limits = {**dict(zip(NAMES, arm.limits, strict=True)), 'jaw': (-0.2, 1.7)}
    view, tip = controller.view(0.1), arm.kinematics.forward(arm.home).tolist()
    assert (view.held, view.held_at) == ({'jaw': (-0.2, 1.7)}, {'jaw': 0.3})
    assert view.target == pytest.approx(tip if name in NAMES else (0.1, 0.2, 0.0))
    assert view.is_paused == (name in NAMES)
    if name in limits:  # else nobody knows where it may go
        lower, upper = limits[name]
        assert commands[-1] == Joints((name,), (min(max(q, lower), upper),))
        assert (view.in_hand, controller.view(0.2 + HOLD).in_hand) == (name, None)
    else:
        assert commands == ()


def is_motion(command):
    return not isinstance(command, (SetParameter, Query))


places = st.tuples(*[st.floats(-1.0, 1.0)] * 3)


@given(st.lists(st.sampled_from(REQUESTS), max_size=30))
def test_of_requests_that_wait_the_last_of_each_kind_and_all_points_are_taken_in_order(given_):
    rung, waiting = [], Queue(lambda: rung.append(True))
    for request in given_:
        waiting.put(request)
    taken = waiting.take()
    assert len(rung) == (given_ != [])
    assert {each.act for each in taken} == {each.act for each in given_}
    for act in {each.act for each in given_}:
        of_it = [each for each in given_ if each.act is act]
        kept = [each for each in taken if each.act is act]
        assert kept == (list(dict.fromkeys(of_it[::-1]))[::-1] if act in POINTS else of_it[-1:])
    assert [*taken] == sorted(taken, key=lambda each: len(given_) - given_[::-1].index(each))


steps = st.tuples(st.sampled_from([*POINTS]), places) | st.just((Act.UNDO, None))


@given(st.lists(steps, max_size=30))
def test_each_step_of_drawing_can_be_undone_and_strokes_go_on_from_the_end(given_):
    controller, _ = knowing(TWO_BONE)
    controller.answer(Request(Act.DRAW, True), 0.0)
    known = [()]  # the paths that can be gone back to
    for act, value in (*given_, (Act.CLEAR, None)):
        before = controller.view(0.0).path.points
        commands = controller.answer(Request(act, value), 0.0)
        points = controller.view(0.0).path.points
        if act is Act.UNDO:
            assert points == (known.pop() if len(known) > 1 else ())
        elif act is Act.CLEAR:
            assert points == ()
        else:
            assert points in (before, (*before, value))  # it goes on where the path ends
            if points != before and (act is Act.ADD_POINT or not before):
                known.append(before)
        is_judged = any(isinstance(each, Query) for each in commands)
        assert not is_judged or commands[0].target.points().tolist() == [*map(list, points)]
        assert is_judged == (len(points) > 1 and act is not Act.DRAW_ON)
        follow = controller.answer(Request(Act.FOLLOW), 0.0)
        assert (len(points) > 1) == any(map(is_motion, follow))


events = st.one_of(
    st.sampled_from([None, TWO_BONE, THREE_LINK, TURNING, {}]).map(lambda arm: ('on_arm', arm)),
    st.sampled_from([None, {'paused': True}, {'paused': False}]).map(
        lambda given: ('on_demo', given)
    ),
    st.floats(-1.0, 1.0).map(lambda q: ('on_positions', NAMES, (q, -q))),
    st.booleans().map(lambda way: ('on_status', status(target=(1, 2, 3), moving=way))),
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
            if commands and is_motion(commands[-1]):
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
