"""An arm in this process, in place of its node and of demo targets: a pilot that obeys the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.pilot.clock import Now
from ik2d_ros.pilot.outcome import Report
from ik2d_ros.pilot.parameters import PARAMETERS, configuration_from_parameters
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import Joints, Path, Point
from ik2d_ros.pilot.status import REPEAT_PERIOD
from ik2d_ros.pilot.waiting import Worker
from ik2d_ros.robot.from_urdf import load_completed, save_completed
from ik2d_ros.target.demo_path import DemoGripper, DemoPath, demo_path
from ik2d_ros.viewer.controller import ARM, Command, Controller, Redesign, SetParameter, ShowArm

PERIOD = 0.025  # s between ticks
LONGEST = 0.1  # s that the arm's time goes on between two looks at the clock
DRIVING = {'use_measured_state': False, 'command_out_type': ''}  # there is no robot


class LocalArm:
    """An arm that does what the page asks, and tells its controller what a node would."""

    def __init__(
        self,
        path: FilePath,
        node: str,
        parameters: Mapping[str, object],
        controller: Controller,
        tell: Callable[[Report], object],
        now: Now,
    ) -> None:
        """Start to follow a demo path, and tell each status.

        The parameters are those of a node in a file; a design is saved as this file was written.

        Raises:
            ConfigError: a parameter is refused.
        """
        self.name = self._own = path.stem
        self._controller, self._tell = controller, tell
        self._worker, self._judging = Worker(), deque[Pilot]()
        self._first, self._is_paused = parameters, False
        self._seen = self._steady = self._repeated_at = now.steady
        shipped = {each: (file, 'ik2d') for each, file in single_arms().items()}
        self._files = {self.name: (path, node)} | shipped | {self.name: (path, node)}
        self._path: DemoPath | None = None  # of the demo, once it is needed
        self._begin(parameters, now)

    def _begin(
        self, parameters: Mapping[str, object], now: Now, pose: Mapping[str, float] | None = None
    ) -> None:
        """Begin with another arm, where a pose by joints and its limits allow it, or else home."""
        configuration = configuration_from_parameters({**parameters, **DRIVING})
        arm = configuration.arm
        known = {**dict(zip(arm.names, arm.home, strict=True)), **(pose or {})}
        home = arm.clamped([known[name] for name in arm.names])
        self._parameters, self._laps, self._path = parameters, 0.0, None
        self._pilot = Pilot(replace(configuration, arm=replace(arm, home=home)), now)
        self._gripper = DemoGripper(configuration.control.hold_limits)
        self._controller.on_choice(self.name, [*self._files])
        self._controller.on_arm(parameters, partial(_saved, *self._files[self.name]))
        self._controller.on_demo({'paused': self._is_paused})

    def _own_time(self, now: Now) -> Now:
        """Return the arm's present: its own robot stands still while this process does."""
        self._steady += min(now.steady - self._seen, LONGEST)
        self._seen = now.steady
        return now._replace(steady=self._steady)

    def carry_out(self, command: Command, now: Now) -> None:
        """Do what the page asks."""
        now = self._own_time(now)
        if isinstance(command, Redesign):
            arm, supervisor = self._pilot.configuration.arm, self._pilot.supervisor
            pose = dict(zip(arm.names, supervisor.planning_start, strict=True))
            self._begin(command.parameters, now, pose)
            return
        if isinstance(command, ShowArm):
            self.name = command.name
            is_first = self.name == self._own
            self._begin(self._first if is_first else load_completed(*self._files[self.name]), now)
            return
        if not isinstance(command, SetParameter):
            self._pilot.ask(command, now)
            return
        refusal = None
        if command.node == ARM:
            parameters = {**self._parameters, command.name: command.value}
            effects = PARAMETERS.effects(self._parameters, parameters)
            try:
                configuration = configuration_from_parameters({**parameters, **DRIVING})
                self._pilot.configure(configuration, effects, now)
                self._parameters = parameters
            except ConfigError as error:
                refusal = str(error)
        else:
            self._is_paused = bool(command.value)
        self._controller.on_answer(command, refusal)

    def tick(self, now: Now) -> None:
        """Go on, and tell what comes of it; call this every ``PERIOD``."""
        pilot, controller, here = self._pilot, self._controller, now.steady
        now = self._own_time(now)
        if not self._is_paused:
            self._path = self._path or demo_path(pilot.configuration.arm)
            self._laps += PERIOD / self._path.period
            pilot.ask(Point(self._path.place_after(self._laps)), now)
            for joint, position in self._gripper.goals(self._laps).items():
                pilot.ask(Joints((joint,), (position,)), now)
        if (done := self._worker.take()) is not None:
            result, error = done
            self._judging.popleft().finish(result, now)
            if error is not None:
                raise error
        while pilot.answer_next(now):
            pass
        pilot.tick(now, now.clock, PERIOD)
        if pilot.supervisor.is_under_way and here - self._repeated_at >= REPEAT_PERIOD:
            self._repeated_at = here
            pilot.repeat(now)
        if (job := pilot.job(now)) is not None:
            self._worker.add(job)
            self._judging.append(pilot)
        controller.on_positions(pilot.configuration.arm.names, pilot.supervisor.planning_start)
        while pilot.updates:
            told = pilot.updates.popleft()
            if not told.request.is_query:
                controller.on_status(told.report, here)
                controller.on_held(pilot.supervisor.auxiliary_positions)
                self._tell(told.report)
            elif isinstance(path := told.request.target, Path):
                controller.on_verdict(told.report, path)


def _saved(path: FilePath, node: str, parameters: Mapping[str, object]) -> str:
    """Return the text of a parameter file with other parameters."""
    try:
        return save_completed(path, node, parameters)
    except ConfigError:  # it is gone, or was a pipe
        return as_file(parameters)
