"""The path of the demo: every shipped arm can follow it, within the motion limits of its file."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
import yaml
from flight import Flight
from harness import CONFIG, load_configuration

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Status, solve
from ik2d_ros.parameters.file import nodes_in
from ik2d_ros.pilot.request import Home, Joints, Point
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.target.demo_path import PARAMETERS, RATE, DemoPath, demo_path

MACHINES = sorted(CONFIG.glob('machines/*.yaml'))
FILES = [*sorted(CONFIG.glob('*.yaml')), *MACHINES]
WALLED = [file for file in FILES if 'walls' in file.read_text()]


def shipped(file) -> ArmDescription:
    nodes = nodes_in(file)
    return load_arm(file, nodes[0] if len(nodes) > 1 else 'ik2d')


@cache
def second_lap(arm):
    """The poses that answer its targets in the second lap, and their verdicts; the first one begins
    elsewhere. Each of them is solved from the one before."""
    written = yaml.safe_dump(demo_path(arm).parameters)  # as launch does for the node
    settings = PARAMETERS.judge(DemoPath)(yaml.safe_load(written))
    count = math.ceil(RATE * settings.period)
    q, answers = arm.home, []
    for step in range(2 * count):
        place = settings.place_after(step / (RATE * settings.period))
        answers.append(solve(arm.kinematics, place, start=q))
        q = answers[-1].q.tolist()
    last = answers[count:]
    return settings, np.array([each.q for each in last]), [each.status for each in last]


def other_limits(arm, seed):
    """Its motion limits made smaller, and some of its accelerations limited."""
    random = Random(seed)

    def limits(velocity):
        velocity = (velocity or 2.0) * random.uniform(0.1, 1.0)
        return MotionLimits(velocity, velocity / random.uniform(0.1, 1.0))

    return replace(arm, motion=tuple(limits(each.velocity) for each in arm.motion))


@pytest.mark.parametrize('seed', [None, 0])
def test_its_targets_can_be_followed_within_the_motion_limits_of_the_file(seed):
    """Of all files, or of one with other limits."""
    arms = map(shipped, FILES)
    if seed is not None:
        arms = [other_limits(shipped(Random(seed).choice(FILES)), seed)]
    for arm in arms:
        _, poses, _ = second_lap(arm)
        assert_is_within_limits(poses, arm)


def assert_is_within_limits(poses, arm):
    for joint, limits in zip(poses.T, arm.motion, strict=True):
        speeds = np.diff(joint) * RATE
        assert np.abs(speeds).max() <= (limits.velocity or math.inf)
        assert np.abs(np.diff(speeds)).max() * RATE <= (limits.acceleration or math.inf)


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_the_path_is_in_reach_and_in_space_goes_round_out_of_the_plane(file):
    arm = shipped(file)
    _, poses, verdicts = second_lap(arm)
    assert np.ptp(arm.kinematics.forward(poses), axis=0).max() > 0.15 * arm.chain.reach.outer
    if arm.carrier is None:  # its path is in the plane, and may leave the reach
        assert verdicts.count(Status.REACHED) >= 0.5 * len(verdicts)
        return
    assert {*verdicts} == {Status.REACHED}
    assert np.ptp(poses, axis=0)[0] > 0.005
    if arm.turntable is not None:  # seen from where the plane is seen at home
        assert np.abs(poses[:, 0] - arm.home[0]).max() < 1.2


@pytest.mark.parametrize('file', WALLED, ids=lambda file: file.stem)
def test_no_wall_of_a_shipped_machine_is_in_the_way_of_its_demo_its_home_or_its_poses(file):
    configuration = load_configuration(file)
    (demo, *_), flight = second_lap(configuration.arm), Flight(configuration)
    for step in range(90):
        flight.ask(Point(demo.place_after(step / 60)))
        flight.pass_time(demo.period / 60)
    for pose in configuration.poses.values():
        flight.ask(Joints(tuple(pose), tuple(pose.values())))
        flight.pass_time(6.0)
    flight.ask(Home())
    flight.pass_time(6.0)
    assert {told.report.code for told in flight.told} <= {'READY', 'REACHED'}
    assert flight.pilot.supervisor.planning_start == pytest.approx(configuration.arm.home, abs=1e-9)
