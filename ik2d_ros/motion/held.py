"""A joint that is commanded beside the arm, such as a gripper's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.motion.state import MotionState


class Holding(NamedTuple):
    """How a joint is held.

    Attributes:
        name: its name.
        position: where it is held; NaN for where it is measured first.
        ends: its smallest and largest position.
        speed: the most at which it goes there.
        is_assumed: whether the tip depends on it being there: each motion takes it back, and
            without limits by the shortest way, as whole turns are the same.
    """

    name: str
    position: float
    ends: tuple[float, float]
    speed: float
    is_assumed: bool = False


class HeldJoint:
    """Goes where it is held, or at a velocity, at one speed at most; the (1,) positions are its.

    Without limits on acceleration it is at rest from command to command.

    Attributes:
        state: the last command.
    """

    is_smooth = False

    def __init__(self, holding: Holding) -> None:
        """Start where it is held."""
        self._holding = holding
        self._hold = self._goal = holding.position
        self._first = math.nan  # where it was measured first
        self._velocity: float | None = None  # at which it is jogged
        self.state = MotionState.at_rest(self.goal)

    @property
    def name(self) -> str:
        """Its name."""
        return self._holding.name

    @property
    def goal(self) -> tuple[float]:
        """(1,) where it is going."""
        return (self._known(self._goal),)

    @property
    def arrived(self) -> bool:
        """Whether it stands where it was going."""
        return self._velocity is None and self.state.positions == self.goal

    @property
    def is_asked(self) -> bool:
        """Whether it is to move."""
        return self._velocity is not None or self.state.positions != (
            self._known(self.destination),
        )

    @property
    def destination(self) -> float:
        """Where the next motion takes it, in the nearest turn if all are the same; or NaN."""
        hold = self._first if math.isnan(self._hold) else self._hold
        lower, upper = self._holding.ends
        if not self._holding.is_assumed or upper - lower < math.inf or math.isnan(hold):
            return hold
        return hold + math.tau * round((self.state.positions[0] - hold) / math.tau)

    def configure(self, holding: Holding) -> bool:
        """Take over other settings; return whether it is held elsewhere for that."""
        before, self._holding = self._holding.position, holding
        moves = str(holding.position) != str(before)  # also of NaN
        if moves:
            self.ask(holding.position)
        return moves

    def measure(self, position: float) -> None:
        """Take the position that was measured first."""
        self._first = position

    def ask(self, position: float) -> None:
        """Be held elsewhere, from when it sets out."""
        self._hold, self._velocity = position, None

    def steer(self, velocity: float) -> None:
        """Be held where a velocity leads; 0 for where it is held already."""
        self._velocity = velocity or None

    def set_out(self) -> None:
        """Go where it is held."""
        self._goal = self.destination

    def stay(self) -> None:
        """Be held where it was going last; nothing else that was asked counts."""
        position = self._holding.position
        is_needed = self._holding.is_assumed and not math.isnan(position)
        self.ask(position if is_needed else self._goal)

    def halt(self) -> None:
        """Stand, and be held there."""
        self.place(self.state.positions)
        self.stay()

    def aim(self, goal: Sequence[float]) -> None:
        """Go elsewhere for now."""
        (self._goal,) = goal

    def place(self, positions: Sequence[float]) -> None:
        """Stand somewhere for now."""
        self.aim(positions)
        self.state = MotionState.at_rest(positions)

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp a position to the limits."""
        (q,), (lower, upper) = positions, self._holding.ends
        return (min(max(q, lower), upper),)

    def wait(self, dt: float, elapsed: float = 0.0) -> None:
        """Stand for so many s, and keep the goal."""

    def advance(self, dt: float, elapsed: float = 0.0) -> None:
        """Go on for so many s."""
        del elapsed
        if self.arrived or not dt > 0.0:
            return
        (q,), (goal,), (lower, upper) = self.state.positions, self.goal, self._holding.ends
        velocity, most = self._velocity, self._holding.speed * dt
        if velocity is not None:  # beyond a limit it goes no further out
            goal = min(max(q + velocity * dt, min(lower, q)), max(upper, q))
        q = goal if abs(goal - q) <= most else q + math.copysign(most, goal - q)
        self.state = MotionState.at_rest((q,))
        if velocity is not None:
            self._goal = self._hold = q

    def _known(self, position: float) -> float:
        if math.isnan(position):
            return 0.0 if math.isnan(self._first) else self._first
        return position
