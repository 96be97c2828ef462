"""Paths: judged as a whole, followed at a speed, and what ends them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from node_client import CHAIN, TWO, Client, values

from ik2d_ros.pilot.answer import Situation
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.path_answer import answer_path
from ik2d_ros.pilot.request import Path

SPEED, TOLERANCE = 0.2, 1e-4
LIMITS = {
    f'chain.{joint}.{limit}': value
    for joint in ('shoulder', 'elbow')
    for limit, value in (('max_velocity', 3.0), ('max_acceleration', 20.0))
}
LINE = [(0.3, 0.2, 0.0), (0.35, 0.0, 0.0), (0.3, -0.2, 0.0)]


@pytest.fixture
def drawing(arm: Client) -> Callable[..., Client]:
    """``drawing(changes) -> Client`` of a node that follows paths."""
    rate = {'publish_rate': 100.0, 'path_speed': SPEED, 'path_tolerance': TOLERANCE}
    return lambda **changes: arm.move_within({**LIMITS, **rate, **changes})


@pytest.mark.parametrize(
    'name',
    ['path_speed', 'path_tolerance', 'chain.elbow.max_velocity', 'chain.elbow.max_acceleration'],
)
def test_a_path_is_answered_with_finite_poses_however_little_is_allowed(name: str) -> None:
    configuration = configuration_from_parameters({**TWO, name: 1e-300})
    situation = Situation(configuration.arm.home)
    result = answer_path(Path(lambda: np.array(LINE[:2])), situation, configuration)
    assert result.report.code == ('NOT_CONVERGED' if name == 'path_tolerance' else 'REACHED')
    assert result.judged is not None
    way = result.judged.way
    assert np.isfinite([result.positions, *([way.start, way.end] if way else [])]).all()


def distances(points: np.ndarray, line: list[tuple[float, float, float]]) -> np.ndarray:
    """How far points are from the nearest of the lines between others."""
    found = []
    for a, b in zip(np.array(line)[:-1, :2], np.array(line)[1:, :2], strict=True):
        share = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        found.append(np.linalg.norm(points - a - share[:, None] * (b - a), axis=1))
    return np.min(found, axis=0)


def motion(client: Client) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The positions, velocities and tips of all messages that are kept."""
    q = np.array([message.position for message in client.joint_states])
    v = np.array([message.velocity for message in client.joint_states])
    return q, v, np.array([CHAIN.forward(each)[-1] for each in q])


def test_the_tip_follows_the_lines_at_its_speed(drawing: Callable[..., Client]) -> None:
    client = drawing()
    stamp = client.send_path(LINE)
    there = client.wait_for(stamp, 'REACHED', 'true')
    first, *_ = client.told(stamp)
    assert (first['at_goal'], first['path_progress'], first['proven']) == ('false', '0.0', 'true')
    assert 'All 412 mm of the path can be followed.' in first['message']
    assert [float(there[f'target_{axis}']) for axis in 'xyz'] == [0.3, -0.2, 0.0]
    assert float(there['path_progress']) == 1.0
    progress = [float(said['path_progress']) for said in client.told(stamp)]
    assert progress == sorted(progress)
    wait_for_tip(client, LINE[-1])
    _, v, tips = motion(client)
    begin = np.linalg.norm(tips - LINE[0][:2], axis=1).argmin()
    assert distances(tips[begin:], LINE).max() < TOLERANCE
    speeds = 100.0 * np.linalg.norm(np.diff(tips[begin:], axis=0), axis=1)
    assert speeds.max() < 1.01 * SPEED
    assert np.mean(speeds > 0.99 * SPEED) > 0.8
    assert np.abs(v).max() <= 3.0
    # By the time that passed: a busy client may miss a message.
    stamps = [each.header.stamp for each in client.joint_states[: len(v)]]
    passed = np.diff([each.sec + 1e-9 * each.nanosec for each in stamps])
    ticks = np.maximum(np.rint(passed / 0.01), 1.0)
    assert (np.abs(np.diff(v, axis=0)).max(axis=1) <= 20.0 * 0.01 * 1.001 * ticks).all()


def wait_for_tip(client: Client, point: tuple[float, float, float]) -> None:
    """The last pose may come after the status."""
    client.wait(lambda: math.dist(motion(client)[2][-1], point[:2]) < TOLERANCE, 'the last pose')


def test_bad_paths(arm: Client) -> None:
    assert arm.set({'plane_tolerance': 0.1}).successful
    before = arm.pose()

    def refuse(points: Any, words: str, code: str = 'INVALID_TARGET', frame: str = '') -> None:
        said = arm.wait_for(arm.send_path(points, frame), code)
        assert words in said['message']
        assert said['message'].endswith('The arm holds.')

    refuse([LINE[0]], 'number of points is 1; it must be 2 to 20,000')
    refuse([*LINE, (math.nan, 0, 0)], 'points[3, 0] is nan; all numbers must be finite')
    refuse(LINE, "'nowhere'", 'UNKNOWN_FRAME', 'nowhere')
    refuse([*LINE, (0.3, 0.0, 0.2)], '0.2 m out of the arm', 'OUT_OF_PLANE')
    assert arm.pose() == before
    said = answer_to(arm, [])
    assert said['code'] == 'INVALID_TARGET'
    assert 'number of points is 0; it must be 2 to 20,000' in said['message']


def answer_to(client: Client, path: Any) -> dict[str, str]:
    """Ask whether a path can be followed."""
    stamp = client.send_path(path, query=True)
    return client.wait(
        lambda: [values(m) for m in client.answers if m.header.stamp == stamp], 'an answer'
    )[0]


def test_a_path_of_many_points_keeps_nobody_waiting(arm: Client) -> None:
    angles = np.linspace(0.0, 400.0, 20_000)
    circle = np.stack([0.35 + 0.05 * np.cos(angles), 0.05 * np.sin(angles), 0.0 * angles], axis=1)
    asked = arm.send_path(circle, query=True)
    answers = []
    # Queries that come later are answered earlier.
    for _ in range(3):
        arm.ask((0.3, 0.2, 0.0), query=True)
        answers += [message for message in arm.answers if message.header.stamp == asked]
    assert not answers
    arm.wait(lambda: arm.answers[-1].header.stamp == asked, 'the answer for the path')
    assert values(arm.answers[-1])['code'] == 'REACHED'
