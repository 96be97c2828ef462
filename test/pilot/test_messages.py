"""What each message does in each state of the arm: the table of docs/driving.md, cell by cell."""

from __future__ import annotations

import re

import numpy as np
import pytest
from harness import ROOT

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive
from ik2d_ros.kinematics import Chain
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import Configuration, Settings
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import (
    Enable,
    Home,
    Jog,
    JogJoints,
    Joints,
    Path,
    Point,
    Query,
    Request,
    Stop,
)

DT = 0.02  # s
AWAY = (1.6, 0.8)  # rad; the arm begins at the pose where all is 0.3
LINE = np.array([(0.45, 0.25, 0.0), (0.3, 0.3, 0.0)])
HELD = Joints(('grip',), (0.5,))
MESSAGES: dict[str, Request] = {
    '`~/target`, `~/target_pose`': Point((0.2, 0.4, 0.0)),
    '`~/path`, `~/path_poses`': Path(lambda: LINE[::-1]),
    '`~/joint_target`': Joints(('joint1',), (-0.5,)),
    '`~/joint_target` of held joints': HELD,
    '`~/home`, `~/poses/<name>`': Home(),
    '`~/jog`': Jog((-0.05, 0.05, 0.0)),
    '`~/jog_joints`': JogJoints(('joint1',), (0.2,)),
    '`~/query`, `~/query_path`': Query(Point((0.2, 0.4, 0.0))),
    '`~/stop`': Stop(),
    '`~/enable` (false)': Enable(False),
}
ROWS = re.findall(
    r'^\| (`~/.*?) \|$',
    (ROOT / 'docs/driving.md').read_text().split('## What each message does')[1].split('##')[0],
    re.MULTILINE,
)
STATES = ['no measurement', 'standing', 'moving', 'path', 'jogging', 'fault', 'clock lost']
CELLS = [
    (message, state, cell)
    for message, *cells in (re.split(r' \| ', row) for row in ROWS)
    for state, cell in zip(STATES, cells, strict=True)
]


class Flight:
    """A pilot and a measured arm, which follows unless it is stuck."""

    def __init__(self) -> None:
        chain = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
        arm = ArmDescription(chain, (0.0, 0.0), (MotionLimits(0.5),) * 2)
        drive = Drive(
            use_measured_state=True,
            command_joints=('joint1', 'joint2', 'grip'),
            holds={'grip': 0.3},
            hold_limits={'grip': (0.0, 0.8)},
        )
        self.time, self.clock_stands, self.is_stuck, self.is_measured = 100.0, False, False, False
        self.true = [0.3, 0.3, 0.3]
        self.queries: list[str] = []
        self.pilot = Pilot(Configuration(arm, Settings(path_speed=0.02), drive), self.now)

    @property
    def now(self) -> Now:
        clock = 0 if self.clock_stands else round(self.time * BILLION)
        return Now(clock, self.time, is_simulated=self.clock_stands)

    def ask(self, request: Request) -> None:
        self.pilot.ask(request, self.now)

    def pass_time(self, seconds: float, again: Request | None = None) -> None:
        pilot = self.pilot
        for _ in range(round(seconds / DT)):
            self.time += DT
            if again is not None:
                self.ask(again)
            if self.is_measured:
                pilot.measure(('joint1', 'joint2', 'grip'), self.true, self.now)
            pilot.look(self.now)
            while pilot.answer_next(self.now):
                pass
            if (job := pilot.job(self.now)) is not None:
                pilot.finish(job(), self.now)
            pilot.tick(self.now, round(self.time * BILLION), DT)
            if pilot.supervisor.is_commanding and not self.is_stuck:
                self.true = [*pilot.supervisor.commanded]
            while pilot.told:
                told = pilot.told.popleft()
                self.queries += [told.report.code] * told.is_query

    def bring_to(self, state: str) -> None:
        if state == 'no measurement':
            self.pass_time(3.0)
            return
        self.is_measured = True
        self.pass_time(1.0)
        if state == 'path':
            self.ask(Path(lambda: LINE))
            while not self.pilot.supervisor.arm.way_time:
                self.pass_time(DT)
        elif state == 'jogging':
            self.pass_time(0.5, Jog((0.0, -0.02, 0.0)))
        elif state != 'standing':
            self.ask(Joints(('joint1', 'joint2'), AWAY))
            self.pass_time(0.5)
        if state == 'fault':
            self.is_stuck = True
            self.pass_time(3.0)
            assert self.code == 'NOT_FOLLOWING'
            self.is_stuck = False
            self.pass_time(3.0)
        self.clock_stands = state == 'clock lost'
        self.pass_time(DT)

    @property
    def code(self) -> str:
        assert self.pilot.last is not None
        return self.pilot.last.report.code


def outcome_of(message: str, state: str) -> str:
    """What a message does, in the table's words."""
    flight, request = Flight(), MESSAGES[message]
    flight.bring_to(state)
    pilot, supervisor = flight.pilot, flight.pilot.supervisor
    is_jog, before, departures = (
        isinstance(request, Jog | JogJoints),
        [*flight.true],
        pilot.departures,
    )
    flight.ask(request)
    flight.pass_time(0.5, request if is_jog else None)
    if flight.queries:
        assert pilot.departures == departures
        return 'answered' if flight.queries == ['REACHED'] else f'`{flight.queries[-1]}`'
    if isinstance(request, Stop | Enable):
        flight.pass_time(2.0)
        assert supervisor.is_at_rest
        assert not supervisor.is_commanding
        assert pilot.is_disabled == isinstance(request, Enable)
        return 'stops'
    if pilot.answer is not None and pilot.answer.target == request and pilot.answer.goes:
        assert flight.true[:2] != before[:2]
        return 'jogs' if is_jog else 'goes'
    if request == HELD and not flight.clock_stands and flight.is_measured:
        return 'gripper goes' if flight.true[2] > before[2] else 'gripper stands'
    code, there = flight.code, [*flight.true]
    flight.clock_stands, flight.is_measured = False, True
    flight.pass_time(5.0)
    if code == 'NO_STATE' and flight.true != there:
        return 'waits'
    assert flight.true[:2] == there[:2]
    return f'`{code}`'


@pytest.mark.parametrize(('message', 'state', 'cell'), CELLS)
def test_a_message_does_what_the_table_says(message: str, state: str, cell: str) -> None:
    assert outcome_of(message, state) == cell


def test_the_table_has_every_message() -> None:
    assert {message for message, *_ in CELLS} == {*MESSAGES}
