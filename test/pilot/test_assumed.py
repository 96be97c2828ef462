"""Joints that are not the arm's, but between base and tip."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random

import numpy as np
import pytest
from descriptions import PublicLimb, imported
from flight import Flight
from harness import examples, load_configuration
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from public_machines import LIMBS, PublicRobot, file_of
from random_robots import Machine, machines

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import Configuration, configuration_from_parameters
from ik2d_ros.pilot.request import Jog, JogJoints, Joints, Path, Point, Request, Stop
from ik2d_ros.pilot.status import StateWatch
from ik2d_ros.robot.find import ImportOptions

PERIOD = 0.02  # s
ARM = ['shoulder', 'elbow']
TWO: dict[str, object] = {
    'joints': ARM,
    'assumes.roll': 0.0,
    'use_measured_state': True,
    **{f'chain.{name}.{key}': 0.3 for name in ARM for key in ('length', 'max_velocity')},
}
LINE = np.array([[0.3, 0.2, 0.0], [0.3, 0.25, 0.0]])
LIMITS, TURNS = [-20.0, 20.0], range(-3, 4)
positions = st.floats(-3.0, 3.0)


def fault(measured: list[float | None], **parameters: object) -> str:
    """What is wrong after the forearm's roll was measured so, message by message."""
    configuration = configuration_from_parameters({**TWO, **parameters})
    watch = StateWatch(configuration, Supervisor(configuration.commanded_joints, is_measured=True))
    for number, position in enumerate(measured):
        now = Now(round(PERIOD * number * BILLION), PERIOD * number)
        names = [*ARM, 'roll'] if position is not None else ARM
        watch.measure(names, [0.0, 0.0, position][: len(names)], now)
    return watch.state_fault


@given(
    *(positions, positions, st.sampled_from([0.02, 0.3])),
    *(st.integers(-2, 2), st.booleans(), st.booleans()),
)
def test_one_that_stands_elsewhere_is_named_with_both_angles(
    assumed: float, measured: float, tolerance: float, turns: int, exactly: bool, is_limited: bool
) -> None:
    measured = assumed if exactly else measured
    told = measured + turns * math.tau
    values: dict[str, object] = {'assumes.roll': assumed, 'goal_tolerance': tolerance}
    if is_limited:  # such as one that slides
        values['hold_limits.roll'] = LIMITS
    words = fault([told] * 50, **values)
    apart = min(abs(told - assumed - turn * math.tau) for turn in ([0] if is_limited else TURNS))
    if abs(apart - tolerance) > 1e-9:
        assert bool(words) == (apart > tolerance)
    if words:
        assert f"'roll' is at {told:.5g} rad" in words
        assert f'at {assumed:.5g} (assumes.roll)' in words


@given(positions, st.one_of(positions, st.just(math.nan)))
def test_the_node_may_take_it_there_but_nowhere_else(measured: float, held: float) -> None:
    commanded = {'command_joints': [*ARM, 'roll'], 'hold.roll': held}
    if abs(held) > 0.02:
        with pytest.raises(ConfigError, match=r"'hold.roll' .* must be NaN, or 0, as"):
            fault([measured], **commanded)
    else:
        assert bool(fault([measured] * 50, **commanded)) == (
            abs(measured) > 0.02 and math.isnan(held)
        )


@pytest.mark.parametrize('is_limited', [False, True])
@pytest.mark.parametrize('seed', range(10))
def test_a_joint_goes_to_the_nearest_turn_only_if_it_has_no_limits(
    seed: int, is_limited: bool
) -> None:
    """So a slide goes to its position, however far away."""
    random = Random(seed)
    start, needed = random.uniform(-16.0, 16.0), random.uniform(-3.0, 3.0)
    values: dict[str, object] = {'command_joints': [*ARM, 'roll'], 'assumes.roll': needed}
    values |= {'hold_limits.roll': LIMITS} if is_limited else {}
    configuration = configuration_from_parameters({**TWO, **values, 'hold_velocity': 10.0})
    flight = Flight(configuration, [0.3, 0.8, start])
    flight.pass_time(0.4)  # until it is measured
    assert flight.ask(Joints(('roll',), (needed,))).success
    flight.pass_time(3.0)
    turns = 0 if is_limited else round((start - needed) / math.tau)
    assert flight.true[2] == pytest.approx(needed + turns * math.tau)


def test_neither_silence_nor_one_wrong_sample_is_a_fault() -> None:
    assert not fault([None] * 50)
    assert not fault([0.0] * 50 + [1.2])
    assert fault([0.0] * 50 + [1.2] * 50)


@pytest.mark.parametrize('request_', [Jog((0.05, 0.0, 0.0)), Path(lambda: LINE)])
@pytest.mark.parametrize('seed', range(5))
def test_no_line_begins_before_a_joint_has_turned_that_carries_the_tip(
    request_: Request, seed: int
) -> None:
    away = Random(seed).uniform(0.2, 1.5)
    roll = {'command_joints': [*ARM, 'roll'], 'hold.roll': 0.0}
    flight = Flight(configuration_from_parameters({**TWO, **roll}), [0.5, 1.0, away])
    flight.pass_time(0.4)
    flight.ask(request_)
    flight.pass_time(0.2)
    assert flight.true == [0.5, 1.0, away]
    assert flight.told[-1].report.code == 'NO_STATE'
    assert 'send it there first (~/joint_target)' in flight.told[-1].report.message
    flight.ask(Joints(('roll',), (0.0,)))
    flight.pass_time(away / 0.5 + 0.5)
    flight.pass_time(0.2, Jog((0.05, 0.0, 0.0)))
    assert flight.true[:2] != [0.5, 1.0]


class Robot(Flight):
    """An arm with such joints, and where its tip truly is, by another forward kinematics."""

    def __init__(
        self,
        configuration: Configuration,
        tip: Callable[[Mapping[str, float]], np.ndarray],
        random: Random,
    ) -> None:
        control, arm = configuration.control, configuration.arm
        self.needed, self.random, self.true_tip = dict(control.assumes), random, tip
        pose = [
            self.needed.get(name, 0.0)
            + (name in self.needed) * random.choice([0.0, random.uniform(-1.0, 1.0)])
            + math.tau * random.randint(-1, 1) * (name not in control.hold_limits)
            for name in control.holds
        ]
        super().__init__(configuration, [*self.pose(arm), *pose])
        self.returns = {name for name, q in control.holds.items() if not math.isnan(q)}
        self.endless = {name for name in self.needed if name not in control.hold_limits}
        self.size = 10.0 * arm.reach.outer

    def pose(self, arm: ArmDescription) -> list[float]:
        ends = [(max(lower, -2.0), min(upper, 2.0)) for lower, upper in arm.limits]
        return [self.random.uniform(*each) for each in ends]

    @property
    def where(self) -> dict[str, float]:
        return dict(zip(self.pilot.supervisor.names, self.true, strict=True))

    def off(self, name: str) -> float:
        return abs(math.remainder(self.where[name] - self.needed[name], math.tau))

    def is_there(self, name: str) -> bool:
        """Whether a joint is where it is needed, or was asked to be next to that."""
        return self.off(name) <= self.tolerance

    def run(self, seconds: float) -> None:
        """Let time pass; what is told is true at each tick."""
        for _ in range(round(seconds / self.dt)):
            before = self.where
            self.tick()
            report = self.told[-1].report
            if report.at_goal and all(map(math.isfinite, report.target)):
                off = math.dist(self.true_tip(self.where), report.target)
                assert off <= report.error + self.tolerance * self.size
            for name in self.needed:
                if self.where[name] != before[name]:
                    is_there, farthest = self.is_there(name), abs(before[name] - self.needed[name])
                    assert report.moving or is_there
                    is_closer = self.off(name) < farthest + 1e-9
                    assert is_closer or is_there or name not in self.returns

    @property
    def tolerance(self) -> float:
        return self.pilot.configuration.control.following.goal_tolerance

    def target(self) -> Point:
        arm = self.pilot.configuration.arm
        x, y, z = arm.kinematics.tip(self.pose(arm))
        return Point((x, y, z))

    def request(self) -> Request:
        name = self.random.choice([*self.needed])
        away = self.needed[name] + self.random.choice([0.0, self.random.uniform(-2.0, 2.0)])
        push = tuple(self.random.gauss(0.0, 0.1) for _ in range(3))
        joint = self.pilot.configuration.arm.names[0]
        requests = [
            *(self.target(), self.target(), Joints((name,), (away,)), Stop()),
            *(Jog((push[0], push[1], push[2])), JogJoints((name,), (push[0],))),
            Joints((joint, name), (0.1, self.needed[name])),
        ]
        return self.random.choice(requests)

    def turn_by_hand(self) -> None:
        """Move such a joint as hands do, smoothly and while the arm is at rest."""
        place = self.pilot.supervisor.names.index(self.random.choice([*self.needed]))
        way = self.random.choice([-0.008, 0.008])
        for _ in range(self.random.randrange(100)):
            if not self.pilot.supervisor.is_commanding:
                self.true[place] += way
            self.pass_time(self.dt)

    def check(self) -> None:
        self.pass_time(0.4)  # until it is measured
        for _ in range(6):
            if self.random.random() < 0.2:
                self.turn_by_hand()
            self.ask(self.request())
            self.run(self.random.uniform(0.1, 1.5))
        self.ask(Stop())
        self.run(2.0)
        start = self.where
        self.ask(Joints((*self.needed,), (*self.needed.values(),)))
        self.run(10.0)
        for name in self.needed:
            assert self.off(name) <= 1e-9
            way = abs(self.where[name] - start[name])
            assert name not in self.endless or way <= math.pi + 1e-9
        self.ask(self.target())
        self.run(6.0)
        report = self.told[-1].report
        assert report.at_goal or report.moving
        assert report.code in ('REACHED', 'BLOCKED')


# To shrink such machines takes minutes, and explains nothing.
@settings(max_examples=examples(10), phases=[Phase.reuse, Phase.generate])
@given(machines(), st.randoms(use_true_random=False))
def test_what_is_told_is_true_of_the_whole_robot(made: Machine, random: Random) -> None:
    """Wherever the joints are that are not the arm's: at the goal, the tip is at its target."""
    for name in made.hold:
        if random.random() < 0.3:
            made.joints[name] = made.joints[name].replace('"revolute"', '"continuous"')
    result = imported(made.text, made.tip, ImportOptions(hold=made.hold, tip=made.offset))
    parameters = dict(result.parameters)
    assume(any(f'assumes.{name}' in parameters for name in made.hold))
    for name in made.hold:
        if random.random() < 0.3:
            del parameters[f'hold.{name}']  # then the node takes it there if it is asked to
    configuration = configuration_from_parameters(
        {**parameters, 'use_measured_state': True, 'goal_tolerance': 1e-3, 'hold_velocity': 1.0}
    )
    known, base = PublicRobot(made.text), str(parameters['base_frame'])

    def tip(positions: Mapping[str, float]) -> np.ndarray:
        pose = known.pose(base, str(parameters['tip_frame']), {**made.hold, **positions})
        return np.array(pose.act(np.array(made.offset)))

    Robot(configuration, tip, random).check()


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_shipped_machines_assume_the_joints_that_move_their_tips(name: str, node: str) -> None:
    limb, random = PublicLimb(name, node), Random(name)
    configuration = load_configuration(file_of(name), {'use_measured_state': True}, node)
    robot = Robot(configuration, limb.tip, random)
    pose = dict(zip(configuration.arm.names, robot.pose(configuration.arm), strict=True))
    for joint in limb.others(configuration.arm.names):
        moved = math.dist(limb.tip(pose), limb.tip({**pose, joint: 0.5}))
        assert (joint in robot.needed) == (moved > 1e-6), joint
    if robot.needed:
        robot.check()
