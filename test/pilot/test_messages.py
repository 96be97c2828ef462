"""What each message does in each state of the arm: the table of doc/driving.md, cell by cell."""

from __future__ import annotations

import math
import re
from copy import deepcopy
from functools import cache
from random import Random

import numpy as np
import pytest
from flight import Flight, arm_of
from harness import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.control.settings import ControlSettings
from ik2d_ros.pilot.answer import Going
from ik2d_ros.pilot.outcome import length
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import (
    Enable,
    Home,
    Jog,
    JogJoints,
    Joints,
    NamedPose,
    Path,
    Point,
    Query,
    Request,
    Stop,
)
from ik2d_ros.planning.settings import Settings

DT = 0.02  # s
AWAY = (1.6, 0.8)  # rad; the arm begins at the pose where all is 0.3
LINE = np.array([(0.45, 0.25, 0.0), (0.3, 0.3, 0.0)])
MESSAGES: dict[str, tuple[Request, ...]] = {
    '`~/target`, `~/target_pose`, `~/path`, `~/path_poses`, `~/joint_target`': (
        Point((0.2, 0.4, 0.0)),
        Path(lambda: LINE[::-1]),
        Joints(('joint1',), (-0.5,)),
    ),
    '`~/joint_target` of held joints': (Joints(('grip',), (0.5,)),),
    '`~/home`, `~/poses/<name>`': (Home(),),
    '`~/jog`, `~/jog_joints`': (Jog((-0.05, 0.05, 0.0)), JogJoints(('joint1',), (0.2,))),
    '`~/jog_joints`, `~/poses/<name>` of held joints': (
        JogJoints(('grip',), (0.2,)),
        NamedPose('open'),
    ),
    '`~/query`, `~/query_path`': (Query(Point((0.2, 0.4, 0.0))),),
    '`~/stop`, `~/enable` (false)': (Stop(), Enable(False)),
}
ROWS = re.findall(
    r'^\| (`~/.*?) \|$',
    (ROOT / 'doc/driving.md').read_text().split('## What each message does')[1].split('##')[0],
    re.MULTILINE,
)
STATES = [
    ['no measurement'],
    ['standing', 'moving', 'path', 'jogging', 'fault'],
    ['silence', 'jump'],
    ['held back'],
    ['controller ended'],
    ['clock lost'],
]
LASTING = ('silence', 'jump', 'held back', 'controller ended')
CELLS = [
    (request, state, cell)
    for message, *cells in (re.split(r' \| ', row) for row in ROWS)
    for states, cell in zip(STATES, cells, strict=True)
    for state in states
    for request in MESSAGES[message]
]


@cache
def flight_in(state: str) -> Flight:
    """A world in a state of the table: many tests begin in a copy of it."""
    control = ControlSettings(
        use_measured_state=True,
        command_joints=('joint1', 'joint2', 'grip'),
        holds={'grip': 0.3},
        hold_limits={'grip': (0.0, 0.8)},
    )
    poses = {'open': {'grip': 0.7}}
    arm = arm_of((0.0, 0.0), MotionLimits(0.5))
    settings = Settings(path_speed=0.02, target_timeout=60.0)
    flight = Flight(Configuration(arm, settings, control, poses=poses), (0.3, 0.3, 0.3))
    flight.is_measured = state != 'no measurement'
    flight.pass_time(1.0 if flight.is_measured else 3.0)
    if not flight.is_measured:
        return flight
    if state == 'path':
        flight.ask(Path(lambda: LINE))
        while not flight.pilot.supervisor.arm_motion.trajectory_time:
            flight.pass_time(DT)
    elif state == 'jogging':
        flight.pass_time(0.5, Jog((0.0, -0.02, 0.0)))
    elif state != 'standing':
        flight.ask(Joints(('joint1', 'joint2'), AWAY))
        flight.pass_time(0.5)
    if state == 'fault':
        flight.is_stuck = True
        flight.pass_time(3.0)
        assert code_of(flight) == 'NOT_FOLLOWING'
        flight.is_stuck = False
        flight.pass_time(3.0)
    flight.clock_stands = state == 'clock lost'
    flight.is_stuck, flight.is_heard = state == 'held back', state != 'controller ended'
    flight.is_measured = state != 'silence'
    flight.measured = [q + 0.5 for q in flight.true] if state == 'jump' else None
    flight.pass_time(DT if flight.clock_stands else 3.0 * (state in LASTING) + DT)
    flight.told.clear()
    return flight


def code_of(flight: Flight) -> str:
    assert flight.pilot.last is not None
    return flight.pilot.last.report.code


def outcome_of(request: Request, state: str) -> str:
    """What a request does, in the table's words."""
    flight = deepcopy(flight_in(state))
    pilot, supervisor, before = flight.pilot, flight.pilot.supervisor, [*flight.true]
    is_jog, goal_count = isinstance(request, Jog | JogJoints), pilot.goal_count
    flight.ask(request)
    flight.pass_time(2.0 if state == 'held back' else 0.5, request if is_jog else None)
    queries = [told.report.code for told in flight.told if told.request.is_query]
    if queries:
        assert pilot.goal_count == goal_count
        return 'answered' if queries == ['REACHED'] else f'`{queries[-1]}`'
    if isinstance(request, Stop | Enable):
        flight.pass_time(2.0)
        assert supervisor.is_at_rest
        assert not supervisor.is_commanding
        assert pilot.is_disabled == isinstance(request, Enable)
        return 'stops'
    is_going = isinstance(pilot.answer, Going) and pilot.answer.target == request
    if is_going and flight.true[:2] != before[:2]:
        return 'jogs' if is_jog else 'goes'
    if pilot.goal_count > goal_count and flight.true[2] > before[2]:
        assert (flight.true[:2] == before[:2]) == (state in ('standing', 'fault'))
        return 'gripper goes'
    code, there = code_of(flight), [*flight.true]
    flight.clock_stands = flight.is_stuck = False  # all faults end
    flight.is_measured = flight.is_heard = True
    flight.measured = None
    flight.pass_time(5.0)
    return f'`{code}`' if flight.true == there else 'waits'


@pytest.mark.parametrize(('asked', 'state', 'cell'), CELLS)
def test_a_message_does_what_the_table_says(asked: Request, state: str, cell: str) -> None:
    assert outcome_of(asked, state) == cell


def test_the_table_has_every_message() -> None:
    assert {re.split(r' \| ', row)[0] for row in ROWS} == {*MESSAGES}


NAMES = st.sampled_from(['joint1', 'joint2', 'joint3', 'grip', 'nobody', '\x1b[31m']) | st.text(
    max_size=3
)


@given(
    st.sampled_from([Joints, JogJoints]),
    st.lists(NAMES, max_size=4),
    st.lists(st.floats() | st.floats(-1.0, 1.0), max_size=4),
)
def test_names_and_numbers_that_cannot_be_meant_are_refused_and_move_nothing(
    kind: type[Joints | JogJoints], names: list[str], values: list[float]
) -> None:
    is_meant = {*names} <= {'joint1', 'joint2', 'grip'} and len({*names}) == len(values) > 0
    assume(not (is_meant and all(map(math.isfinite, values))))
    flight = deepcopy(flight_in('standing'))
    before = [*flight.true]
    flight.ask(kind((*names,), (*values,)))
    flight.pass_time(DT)
    assert code_of(flight) == 'INVALID_TARGET'
    assert '?.' not in flight.told[-1].report.message
    assert flight.true == before


@pytest.mark.parametrize('seed', range(60))
def test_a_request_during_a_jump_moves_the_arm_once_that_is_over(seed: int) -> None:
    random, flight = Random(seed), deepcopy(flight_in('standing'))
    jump = random.choice([-1.0, 1.0]) * random.uniform(0.3, 3.0)
    joint, was = random.randrange(2), [*flight.true]
    flight.measured = [q + jump * (i == joint) for i, q in enumerate(was)]
    flight.pass_time(random.randint(1, 3) * DT)
    kinds = [Point((0.3, 0.2, 0.0)), Joints(('joint2',), (0.8,)), Jog((0.05, 0.0, 0.0)), Home()]
    request, lasts = random.choice([*kinds, Path(lambda: LINE)]), random.random() < 0.5
    flight.ask(request)
    again = request if isinstance(request, Jog) else None
    flight.pass_time(0.3 if lasts else DT, again)
    assert flight.true == was
    flight.measured = None
    flight.pass_time(0.5, again)
    assert (flight.true == was) == lasts or again


@pytest.mark.parametrize('seed', range(10))
def test_a_target_is_reached_when_the_arm_is_there_and_can_be_before_and_after(seed: int) -> None:
    """After: while others have moved a resting arm away; far away, the target is forgotten."""
    random, flight = Random(seed), deepcopy(flight_in('standing'))
    flight.ask(Point((random.uniform(0.25, 0.4), random.uniform(0.1, 0.3), 0.0)))
    flight.pass_time(0.3)
    told = flight.told[-1].report
    flight.land()
    arrived = flight.told[-1].report
    is_far = seed % 2 == 1
    way = random.choice([-1.0, 1.0]) * (random.uniform(0.2, 0.6) if is_far else 0.08)
    for _ in range(100):
        flight.true[0] += 0.01 * way
        flight.pass_time(DT)
    flight.pass_time(1.5)
    flight.pilot.repeat(flight.now)
    dragged = flight.pilot.updates[-1].report
    if is_far:
        assert (dragged.code, dragged.at_goal) == ('READY', False)
        return
    tip = flight.pilot.configuration.arm.kinematics.tip
    assert dragged.measured_error == pytest.approx(math.dist(tip(flight.true[:2]), told.target))
    for report, is_there in ((told, False), (arrived, True), (dragged, False)):
        assert report.code == 'REACHED'
        assert report.at_goal == is_there
        words = 'is' if is_there else 'can be'
        error = report.measured_error if is_there else report.error
        assert f'The target {words} reached, to {length(error)}.' in report.message
    assert 'off its goal' in dragged.message


def test_an_arm_whose_tip_is_there_is_not_there_before_its_joints() -> None:
    """The last link has no length: its joint turns the tip where it is."""
    arm = arm_of((0.0, 0.5, 0.0), MotionLimits(0.5), [0.3, 0.25, 0.0])
    flight = Flight(Configuration(arm, Settings()))
    flight.ask(Joints(('joint3',), (1.0,)))
    flight.pass_time(0.5)
    flight.pilot.repeat(flight.now)
    moving = flight.pilot.updates[-1].report
    assert moving.moving
    assert moving.message.startswith('Moving: the tip is there. ')
    flight.land()
    assert flight.told[-1].report.at_goal
