"""One world in virtual time: a pilot, the time, and an arm that follows unless something holds it.

Laws of control, pilot and walls let things happen in it, and judge what is told and commanded.
"""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import Missing, Reply, Request
from ik2d_ros.pilot.status import StatusUpdate


class Flight:
    """A pilot, the time, and what was told and commanded.

    A tick is made of steps, which tests override to let more happen.

    Attributes:
        time: steady, in s; clock: of the arm, in ns.
        true: where the robot's joints are; empty for an arm that is where it is commanded.
        measured: what the robot measures, if not where it is.
        others: where joints are that the pilot does not command, by name.
        frames: in the base frame, by name.
        is_measured, is_stuck, is_heard, clock_stands: what goes on, or has failed.
    """

    def __init__(
        self,
        configuration: Configuration,
        true: Sequence[float] = (),
        dt: float = 0.02,
        time: float = 100.0,
    ) -> None:
        """Begin with an arm that is somewhere; one that nobody measures is where it is commanded.

        Args:
            configuration: of the pilot.
            true: where the robot's joints are; none for an arm that is not measured.
            dt: s from tick to tick.
            time: at the start in s.
        """
        self.time, self.dt, self.true = time, dt, [*true]
        self.measured: Sequence[float] | None = None
        self.others: dict[str, float] = {}
        self.is_measured, self.is_heard = bool(true), True
        self.is_stuck = self.clock_stands = False
        self.frames: dict[str, Plane] = {}
        self.pilot = Pilot(configuration, self.now, self.frame)
        self.told: list[StatusUpdate] = []
        self.poses: list[tuple[float, ...]] = []

    @property
    def clock(self) -> int:
        return 0 if self.clock_stands else round(self.time * BILLION)

    @property
    def now(self) -> Now:
        return Now(self.clock, self.time, is_simulated=self.clock_stands)

    def frame(self, name: str, *_: object) -> Plane | Missing:
        return self.frames.get(name, Missing('it is unknown'))

    def ask(self, request: Request) -> Reply:
        return self.pilot.ask(request, self.now)

    def pass_time(self, seconds: float, again: Request | None = None) -> None:
        """Tick, with measurements before; before each, ask for something again."""
        for _ in range(round(seconds / self.dt)):
            self.tick(again)

    def tick(self, again: Request | None = None) -> None:
        self.time += self.dt
        if again is not None:
            self.ask(again)
        self.measure()
        if self.clock_stands:  # a tick does not look then
            self.pilot.look(self.now)
        self.serve()
        self.pilot.tick(self.now, round(self.time * BILLION), self.dt, self.is_heard)
        self.move()
        self.note()

    def measure(self) -> None:
        """Let the robot say where its joints are."""
        if self.is_measured:
            names = *self.pilot.supervisor.names, *self.others
            positions = *(self.measured or self.true), *self.others.values()
            self.pilot.measure(names, positions, self.now)

    def serve(self) -> None:
        """Let the pilot answer all that wait."""
        while self.pilot.answer_next(self.now):
            pass
        if (job := self.pilot.job(self.now)) is not None:
            self.pilot.finish(job(), self.now)

    def move(self) -> None:
        """Let the robot follow its command."""
        if self.true and self.pilot.supervisor.is_commanding and not self.is_stuck:
            self.true = [*self.pilot.supervisor.commanded]

    def note(self) -> None:
        """Take what the pilot says, and where it commands the arm to be."""
        self.poses.append(self.pilot.supervisor.arm.state.positions)
        self.told += self.pilot.updates
        self.pilot.updates.clear()

    def land(self, again: Request | None = None) -> None:
        """Let time pass until the joints have stood for two seconds, or for half a minute."""
        for _ in range(15):
            before = self.pilot.supervisor.commanded
            self.pass_time(2.0, again)
            if self.pilot.supervisor.commanded == before:
                break
