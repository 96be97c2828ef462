"""One world in virtual time: a pilot, the time, and a robot that follows unless something fails.

Laws of control, pilot and walls let things happen in it, and judge what is told and commanded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.pilot import Job, Pilot
from ik2d_ros.pilot.request import Joints, Missing, Reply, Request
from ik2d_ros.pilot.status import StatusUpdate


def arm_of(
    home: Sequence[float],
    motion: MotionLimits,
    lengths: Sequence[float] = (0.3, 0.25),
    limit: float = 2.6,
    **more: object,
) -> ArmDescription:
    """An arm whose joints have the same limits, in rad; the rest are its other fields."""
    chain = Chain.from_lengths(lengths, limits=[(-limit, limit)] * len(lengths))
    return ArmDescription(chain, tuple(home), (motion,) * len(home), **more)


class Flight:
    """A pilot, the time, a robot with servos, and what was told and commanded.

    A tick is made of steps, which tests override to let more happen.

    Attributes:
        time: steady, in s; clock: of the arm, in ns.
        samples: how often the robot measures in a tick.
        true: where the robot's joints are; empty for an arm that is where it is commanded.
        measured: what the robot measures, if not where it is.
        others: where joints are that the pilot does not command, by name.
        setpoints: where servos still go, by the joint's index; the others hold nothing.
        lag: s by which servos are late, of first order; exact ones are at their setpoints at once.
        hangs: rad by which joints come to rest off their setpoints, by index.
        stick: rad by which no servo moves its joint.
        drifts: rad/s at which gravity or hands move joints, by index; their servos do not.
        held: joints that something holds, by index; they go to their setpoints afterwards.
        fastest: rad/s that weak servos go at most, by index.
        frames: in the base frame, by name.
        job_time: s that each job takes; job: the one being done; works: while it does.
        is_measured, is_stuck, is_heard, clock_stands: what goes on, or has failed.
        is_simulated: whether the arm's clock is that of a simulation.
    """

    is_simulated = False

    def __init__(
        self,
        configuration: Configuration,
        true: Sequence[float] = (),
        dt: float = 0.02,
        time: float = 100.0,
    ) -> None:
        """Begin at some time in s, with ``dt`` s from tick to tick."""
        self.time, self.dt, self.samples, self.true = time, dt, 1, [*true]
        self.measured: Sequence[float] | None = None
        self.others: dict[str, float] = {}
        self.setpoints: dict[int, float] = {}
        self.lag = self.stick = 0.0
        self.hangs: dict[int, float] = {}
        self.drifts: dict[int, float] = {}
        self.held: set[int] = set()
        self.fastest: dict[int, float] = {}
        self.is_measured, self.is_heard = bool(true), True
        self.is_stuck = self.clock_stands = False
        self.job_time, self.job_end, self.works = 0.0, 0.0, False
        self.job: Job | None = None
        self.frames: dict[str, Plane] = {}
        self.pilot = Pilot(configuration, self.now, self.frame)
        self.told: list[StatusUpdate] = []
        self.problems: list[str] = []  # of measurements
        self.poses: list[tuple[float, ...]] = []

    @property
    def clock(self) -> int:
        return 0 if self.clock_stands else round(self.time * BILLION)

    @property
    def now(self) -> Now:
        return Now(self.clock, self.time, self.is_simulated or self.clock_stands)

    @property
    def codes(self) -> list[str]:
        """Of the statuses so far."""
        return [told.report.code for told in self.told]

    @property
    def tip(self) -> np.ndarray:
        """(3,) where the tip is commanded to be, in the base frame."""
        arm = self.pilot.configuration.arm
        return arm.kinematics.forward(self.pilot.supervisor.commanded[: len(arm.names)])

    def frame(self, name: str, *_: object) -> Plane | Missing:
        return self.frames.get(name, Missing('it is unknown'))

    def ask(self, request: Request) -> Reply:
        return self.pilot.ask(request, self.now)

    def pass_time(self, seconds: float, again: Request | None = None) -> None:
        """Tick, with measurements before; before each, ask for something again."""
        for _ in range(round(seconds / self.dt)):
            self.tick(again)

    def tick(self, again: Request | None = None) -> None:
        for sample in range(self.samples):
            self.time += self.dt / self.samples
            if again is not None and sample == 0:
                self.ask(again)
            self.move(self.dt / self.samples)
            self.measure()
        if self.clock_stands:  # a tick does not look then
            self.pilot.look(self.now)
        self.serve()
        fault = '' if self.is_heard else 'it is gone'
        self.pilot.tick(self.now, round(self.time * BILLION), self.dt, fault)
        self.command()
        self.note()

    def measure(self) -> None:
        """Let the robot say where its joints are."""
        if self.is_measured:
            said = self.said()
            self.problems += self.pilot.measure([*said], [*said.values()], self.now)

    def said(self) -> dict[str, float]:
        """What is measured, by the names of joints."""
        positions = zip(self.pilot.supervisor.names, self.measured or self.true, strict=True)
        return {**dict(positions), **self.others}

    def serve(self) -> None:
        """Let the pilot answer all that wait."""
        now = self.now
        while self.pilot.answer_next(now):
            pass
        if self.job is None:
            self.job, self.job_end = self.pilot.job(now), self.time + self.job_time
        if self.job is not None and self.time >= self.job_end:
            self.works = True
            result = self.job()
            self.job, self.works = None, False
            self.pilot.finish(result, self.now)

    def command(self) -> None:
        """Let the servos take their command."""
        if self.true and self.pilot.supervisor.is_commanding and not self.is_stuck:
            self.setpoints = dict(enumerate(self.pilot.supervisor.commanded))
            if not self.lag:  # else it takes them time
                self.move(0.0)

    def move(self, span: float) -> None:
        """Let the joints move for a span in s."""
        share = 1.0 - math.exp(-span / self.lag) if self.lag else 1.0
        self.true = [*self.true]
        for i, velocity in self.drifts.items():
            self.put(i, self.true[i] + velocity * span)
        for i in {*self.setpoints} - self.held:
            there = self.setpoints[i] + self.hangs.get(i, 0.0)
            way = there - self.true[i]
            most = self.fastest[i] * span if i in self.fastest else math.inf
            is_there = share == 1.0 and abs(way) <= most
            if i not in self.drifts and abs(way) > self.stick:
                step = min(max(share * way, -most), most)
                self.put(i, there if is_there else self.true[i] + step)
            if is_there:
                del self.setpoints[i]

    def put(self, i: int, position: float) -> None:
        """Let a joint be somewhere."""
        self.true[i] = position

    def note(self) -> None:
        """Take what the pilot says, and where it commands the arm to be."""
        self.poses.append(self.pilot.supervisor.arm_motion.state.positions)
        self.told += self.pilot.updates
        self.pilot.updates.clear()

    def go(self, pose: Sequence[float]) -> None:
        """Let the arm go to a pose, and stand there."""
        self.ask(Joints(self.pilot.configuration.arm.names, tuple(pose)))
        self.land()
        assert self.poses[-1] == pytest.approx(pose, abs=1e-9)

    def land(self, again: Request | None = None) -> None:
        """Let time pass until the joints have stood for 1.5 seconds, or for half a minute."""
        for _ in range(20):
            before = self.pilot.supervisor.commanded
            self.pass_time(1.5, again)
            if self.pilot.supervisor.commanded == before:
                break
