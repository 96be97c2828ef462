"""Servos that hang off their commands, stick or lag: a motion does not begin lower for it."""

from __future__ import annotations

import math
from random import Random

import pytest
from flight import Flight
from node_client import THREE
from sizes import count

from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.request import Jog, JogJoints, Joints, Request, Stop

JOINTS = 'shoulder', 'elbow', 'wrist'
GRIPPER = 'gripper'
START = 0.4, 0.6, -0.5
SPEED = 1.5  # rad/s


class HangingFlight(Flight):
    """A pilot of an arm whose servos come to rest off their commands."""

    def __init__(self, seed: int, most: float) -> None:
        random = Random(seed)
        limits = {f'chain.{name}.max_velocity': SPEED for name in JOINTS}
        drive = {'use_measured_state': True, 'command_joints': [*JOINTS, GRIPPER]}
        super().__init__(configuration_from_parameters({**THREE, **limits, **drive}), [*START, 0.2])
        self.hangs = {i: random.uniform(-most, most) for i in range(len(self.true))}
        self.stick = random.choice([0.0, 0.3]) * most
        self.lag = random.choice([0.0, 0.02, 0.05])  # s, of first order


def asked(random: Random) -> list[tuple[Request, float]]:
    """What is asked again and again for so many s: there, and back."""
    kind, span = random.choice(['jog', 'joints', 'gripper', 'stop']), random.uniform(0.1, 0.3)
    if kind == 'stop':
        return [(Stop(), 0.02)]
    if kind == 'gripper':
        place = random.uniform(0.0, 0.5)
        return [(Joints((GRIPPER,), (q,)), 0.02) for q in (place, 0.2)]
    if kind == 'joints':
        speeds = tuple(random.uniform(-0.3, 0.3) for _ in JOINTS)
        back = tuple(-speed for speed in speeds)
        return [(JogJoints(JOINTS, each), span) for each in (speeds, back)]
    x, y = random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)
    return [(Jog((x, y, 0.0)), span), (Jog((-x, -y, 0.0)), span)]


@pytest.mark.parametrize('seed', range(count(1000, 3)))
def test_after_a_hundred_motions_an_arm_is_no_lower_than_it_hangs(seed: int) -> None:
    """Its tip is within twice its sag of one whose servos come exactly where they are commanded."""
    flights = hanging, exact = HangingFlight(seed, 0.05), HangingFlight(seed, 0.0)
    for flight in flights:
        flight.pass_time(0.4)
        flight.ask(Joints(JOINTS, START))
        flight.pass_time(1.0)
    random = Random(seed)
    for _ in range(100):
        pause = random.choice([0.02, 0.1, 0.2, 0.5])
        for request, span in asked(random):
            for flight in flights:
                flight.ask(request)
                flight.pass_time(span, None if span < 0.05 else request)
                flight.pass_time(pause)
    for flight in flights:
        flight.pass_time(2.0)
    arm, end = exact.pilot.configuration.arm, exact.pilot.supervisor.commanded
    hung = [q + hanging.hangs[i] for i, q in enumerate(end)]
    there, here, sagged = (arm.kinematics.tip(q[:3]) for q in (end, hanging.true, hung))
    sag = math.dist(sagged, there) + hanging.stick * arm.reach.outer
    assert math.dist(here, there) <= 2.0 * sag, (hanging.hangs, hanging.stick, hanging.lag)
    steps = [
        abs(q - p)
        for before, pose in zip(hanging.poses, hanging.poses[1:], strict=False)
        for q, p in zip(before, pose, strict=True)
    ]
    assert max(steps[3 * 30 :]) <= SPEED * hanging.dt + 1e-9


@pytest.mark.parametrize('pause', [0.04, 0.1, 0.2, 0.3])
def test_an_arm_that_sinks_as_its_controller_ends_is_begun_where_it_has_sunk_to(
    pause: float,
) -> None:
    """It is not on its way to the last command, however soon the next jog comes."""
    flight = HangingFlight(0, 0.0)
    flight.pass_time(0.4)
    flight.ask(Joints(JOINTS, START))
    flight.pass_time(0.06)
    flight.is_heard, flight.setpoints, flight.drifts = False, {}, {0: -0.3}
    flight.pass_time(0.1 + pause)
    flight.is_heard, flight.drifts = True, {}
    flight.ask(JogJoints(JOINTS[:1], (-0.1,)))
    flight.tick()
    (begun, *_), (true, *_) = flight.pilot.supervisor.start_pose, flight.true
    assert begun == pytest.approx(true, abs=0.02)
