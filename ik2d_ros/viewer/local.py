"""An arm in this process, in place of its node and of demo targets: a pilot that obeys the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.pilot.clock import Now, Stamp
from ik2d_ros.pilot.parameters import PARAMETERS, configuration_from_parameters
from ik2d_ros.pilot.pilot import Pilot, Told
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import Path, Point
from ik2d_ros.pilot.worker import Worker
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.target.parameters import settings_from_parameters
from ik2d_ros.target.paths import point_at
from ik2d_ros.viewer.controller import ARM, DEMO, Command, Controller, SetParameter

PERIOD = 0.025  # s between ticks
DRIVING = {'use_measured_state': False, 'command_out_type': ''}  # there is no robot


class LocalArm:
    """An arm that does what the page asks, and tells its controller what a node would."""

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, object],
        controller: Controller,
        tell: Callable[[Report, Stamp], object],
        now: Now,
    ) -> None:
        """Start to follow a demo path.

        Args:
            name: of the arm.
            parameters: of its node.
            controller: the page's.
            tell: called with each status and its stamp.
            now: the time.

        Raises:
            ConfigError: a parameter is refused.
        """
        self.name = name
        self._controller, self._tell = controller, tell
        self._worker, self._judging = Worker(), deque[Pilot]()
        self._is_paused = False
        self._begin(parameters, now)

    def _begin(self, parameters: Mapping[str, object], now: Now) -> None:
        configuration = configuration_from_parameters({**parameters, **DRIVING})
        self._parameters, self._laps = parameters, 0.0
        self._pilot = Pilot(configuration, now)
        self._path = settings_from_parameters(demo_parameters(configuration.arm))
        arms = [*dict.fromkeys([self.name, *single_arms()])]
        self._controller.on_choice({'arm': self.name, 'arms': arms})
        self._controller.on_arm(parameters)
        self._controller.on_demo({'paused': self._is_paused})

    def carry_out(self, command: Command, now: Now) -> None:
        """Do what the page asks."""
        if not isinstance(command, SetParameter):
            self._pilot.ask(command, now)
            return
        refusal = None
        try:
            self._set(command, now)
        except ConfigError as error:
            refusal = str(error)
        self._controller.on_answer(command, refusal)

    def _set(self, command: SetParameter, now: Now) -> None:
        if command.node == ARM:
            parameters = {**self._parameters, command.name: command.value}
            configuration = configuration_from_parameters({**parameters, **DRIVING})
            effects = PARAMETERS.effects(self._parameters, parameters)
            self._pilot.configure(configuration, effects, now)
            self._parameters = parameters
        elif command.node == DEMO:
            self.name = str(command.value)
            self._begin(load_completed(single_arms()[self.name]), now)
        else:
            self._is_paused = bool(command.value)

    def tick(self, now: Now) -> None:
        """Go on, and tell what comes of it; call this every ``PERIOD``."""
        pilot, controller = self._pilot, self._controller
        if not self._is_paused:
            self._laps += PERIOD / self._path.period
            pilot.ask(Point(self._target()), now)
        if (done := self._worker.take()) is not None:
            result, error = done
            self._judging.popleft().finish(result, now)
            if error is not None:
                raise error
        while pilot.answer_next(now):
            pass
        pilot.tick(now, now.clock, PERIOD)
        if (job := pilot.job(now)) is not None:
            self._worker.add(job)
            self._judging.append(pilot)
        controller.on_positions(pilot.configuration.arm.names, pilot.supervisor.start())
        while pilot.told:
            self._pass_on(pilot.told.popleft(), now)

    def _pass_on(self, told: Told, now: Now) -> None:
        if not told.is_query:
            self._controller.on_status(told.report, now.steady)
            self._controller.on_held({name: q for name, (q, _) in told.held.items()})
            self._tell(told.report, told.stamp)
        elif told.answer is not None and isinstance(told.answer.target, Path):
            self._controller.on_verdict(told.report, told.answer.target)

    def _target(self) -> tuple[float, float, float]:
        path = self._path
        place = point_at(path.path, self._laps, path.center, path.size)
        return Plane.from_pose(path.base_xyz, path.base_rpy).point(*place)
