"""The commanded pose on its way to the solved one."""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.motion.state import MotionState


class Mover:
    """Moves the commanded pose to the solved one.

    It has no clock: whoever owns it says how much time has passed.

    Attributes:
        state: what was commanded last.
        goal: (n,) rad, the pose that it goes to.
    """

    def __init__(self, arm: ArmDescription) -> None:
        """Start at rest, at the arm's home."""
        self._arm = arm
        self.state = MotionState.at_rest(arm.home)
        self.goal = self.state.positions

    @property
    def arrived(self) -> bool:
        """Whether the arm is at the goal, at rest."""
        return self.state.positions == self.goal and self.state.is_at_rest

    def configure(self, arm: ArmDescription) -> None:
        """Take over an arm with the same joints and other limits."""
        self._arm = arm
        self.place(arm.clamped(self.state.positions))

    def aim(self, goal: Sequence[float]) -> None:
        """Go to another pose, from the present state.

        Args:
            goal: (n,) rad, inside the limits.
        """
        self.place(goal)

    def advance(self, dt: float) -> MotionState:  # noqa: ARG002  # nothing takes time yet
        """Return the state some time later.

        Args:
            dt: s; 0 and less is no time.
        """
        return self.state

    def place(self, positions: Sequence[float]) -> None:
        """Put the arm at rest somewhere, which is then its goal.

        Args:
            positions: (n,) rad; may be outside the limits.
        """
        self.state = MotionState.at_rest(positions)
        self.goal = self.state.positions

    def halt(self) -> None:
        """Brake as fast as the limits allow; the goal is where the arm stops."""
        self.place(self.state.positions)
