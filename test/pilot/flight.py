"""A pilot in virtual time, and an arm that follows its commands unless something holds it."""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import Missing, Reply, Request
from ik2d_ros.pilot.telling import Told


class Flight:
    """A pilot, the time, and what was told and commanded.

    Attributes:
        measured: what the robot measures, if not where it is.
        others: where joints are that the pilot does not command, by name.
        frames: in the base frame, by name.
        is_measured, is_stuck, is_heard, clock_stands: what goes on, or has failed.
    """

    def __init__(
        self, configuration: Configuration, true: Sequence[float] = (), dt: float = 0.02
    ) -> None:
        """Begin with an arm that is somewhere; one that nobody measures is where it is commanded.

        Args:
            configuration: of the pilot.
            true: where the robot's joints are; none for an arm that is not measured.
            dt: s from tick to tick.
        """
        self.time, self.dt, self.true = 100.0, dt, [*true]
        self.measured: Sequence[float] | None = None
        self.others: dict[str, float] = {}
        self.is_measured, self.is_heard = bool(true), True
        self.is_stuck = self.clock_stands = False
        self.frames: dict[str, Plane] = {}
        self.pilot = Pilot(configuration, self.now, self.frame)
        self.told: list[Told] = []
        self.poses: list[tuple[float, ...]] = []

    @property
    def now(self) -> Now:
        clock = 0 if self.clock_stands else round(self.time * BILLION)
        return Now(clock, self.time, is_simulated=self.clock_stands)

    def frame(self, name: str, *_: object) -> Plane | Missing:
        return self.frames.get(name, Missing('it is unknown'))

    def ask(self, request: Request) -> Reply:
        return self.pilot.ask(request, self.now)

    def pass_time(self, seconds: float, again: Request | None = None) -> None:
        """Tick, with measurements before; before each, ask for something again."""
        pilot = self.pilot
        for _ in range(round(seconds / self.dt)):
            self.time += self.dt
            now = self.now
            if again is not None:
                self.ask(again)
            if self.is_measured:
                names = *pilot.supervisor.names, *self.others
                positions = *(self.measured or self.true), *self.others.values()
                pilot.measure(names, positions, now)
            if self.clock_stands:  # a tick does not look then
                pilot.look(now)
            while pilot.answer_next(now):
                pass
            if (job := pilot.job(now)) is not None:
                pilot.finish(job(), now)
            pilot.tick(now, round(self.time * BILLION), self.dt, self.is_heard)
            if self.true and pilot.supervisor.is_commanding and not self.is_stuck:
                self.true = [*pilot.supervisor.commanded]
            self.poses.append(pilot.supervisor.arm.state.positions)
            self.told += pilot.told
            pilot.told.clear()

    def land(self, again: Request | None = None) -> None:
        """Let time pass until the joints have stood for two seconds, or for half a minute."""
        for _ in range(15):
            before = self.pilot.supervisor.commanded
            self.pass_time(2.0, again)
            if self.pilot.supervisor.commanded == before:
                break
