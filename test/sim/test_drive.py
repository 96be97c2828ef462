"""A pilot drives the arm in physics, in virtual time: a short form of benchmarks/drive.py."""

from __future__ import annotations

import numpy as np
import pytest
from flight import Flight
from harness import CONFIG

from ik2d_ros.control.commands import TrajectoryStream
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.request import Path
from ik2d_ros.sim.parameters import settings_from_parameters
from ik2d_ros.sim.robot import SimulatedRobot


class Drive(Flight):
    """A pilot, and a simulated robot that it measures and commands through a controller."""

    def __init__(self, name: str, parameters: dict[str, float]) -> None:
        pytest.importorskip('mujoco', reason='mujoco is not installed')
        given = {**load_parameters(CONFIG / f'{name}.yaml'), **parameters}
        settings = settings_from_parameters(given)
        given = {name: given[name] for name in given if not name.startswith('initial')}
        self.robot, self.starts = SimulatedRobot(settings), 0
        self.stream, self.chain = TrajectoryStream(settings.joints), settings.arm.chain
        configuration = configuration_from_parameters({**given, 'use_measured_state': True})
        super().__init__(configuration, self.robot.positions.tolist())
        self.is_stuck = True  # physics alone moves it

    def fly(self, seconds: float) -> np.ndarray:
        """Let time pass, and return where the measured tip was in the plane, (k, 2)."""
        poses, robot = [], self.robot
        for _ in range(round(seconds / self.dt)):
            self.measured = robot.positions.tolist()
            self.pass_time(self.dt)
            now = round(self.time * BILLION)
            if self.pilot.supervisor.is_commanding:
                assert self.send(now)
            for cycle in range(round(self.dt * BILLION / robot.cycle)):
                assert robot.pass_cycle(now + cycle * robot.cycle)
                poses.append(robot.positions)
        return self.chain.forward(np.array(poses))[:, -1]

    def send(self, now: int) -> bool:
        """Command the robot; return whether its controller accepts that."""
        supervisor = self.pilot.supervisor
        if supervisor.start_count != self.starts:
            self.starts = supervisor.start_count
            self.stream.begin(supervisor.start_pose, now)
        trajectory = self.stream.go_on(supervisor.commanded, self.pilot.pose_after, now)
        return self.robot.controller.take(trajectory, now)


# "ik", without lifting the pen, in m.
_XS = (0.28, 0.28, 0.28, 0.32, 0.32, 0.32, 0.36, 0.33, 0.36)
_YS = (0.05, 0.12, 0.05, 0.05, 0.15, 0.09, 0.12, 0.0975, 0.05)
NAME = np.stack([_XS, _YS], axis=1)


def test_a_name_is_written_to_a_millimetre() -> None:
    limits = {f'chain.{each}.max_acceleration': 5.0 for each in ('shoulder', 'elbow')}
    drive = Drive('two_bone', limits)
    drive.ask(Path(lambda: np.pad(NAME, ((0, 0), (0, 1)))))
    for _ in range(50):  # to its beginning
        if drive.told and drive.told[-1].report.path_progress > 0.0:
            break
        drive.fly(0.1)
    tips = drive.fly(20.0)
    assert drive.told[-1].report.path_progress == 1.0
    lines = np.diff(NAME, axis=0)
    away = tips[:, None] - NAME[:-1]
    share = np.clip((away * lines).sum(axis=-1) / (lines**2).sum(axis=-1), 0.0, 1.0)
    distances = np.linalg.norm(away - share[..., None] * lines, axis=-1).min(axis=1)
    assert distances.max() < 1e-3
