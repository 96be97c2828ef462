"""The commands of several limbs as one, for a controller of all their joints; no ROS imports."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ik2d_ros.control.commands import Pose, command_pose
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.parameters.checks import listed

USUAL = 2
"""How many commands of a limb usually wait.

The timers of the limbs are not in step with the one that takes one command of each limb in every
period, so that up to two of a limb come in a period.
"""

MOST = 100
"""How many commands of a limb wait at most: seconds of a limb that commands at a higher rate."""


FORGOTTEN = 100
"""After how many periods without a command a limb's joints may be those of another limb: a single
message with wrong joints must not keep the right ones out for good."""


class Step(NamedTuple):
    """One command.

    Attributes:
        pose: (n,) rad by the controller's joints.
        span: s that the motion to this pose takes.
    """

    pose: Pose
    span: float


class Merging:
    """Takes one command of each limb per period, and holds what no limb commands.

    A limb's joint moves by one of the limb's own steps in each period, so that the motion keeps to
    the limb's limits.
    """

    def __init__(self, joints: Sequence[str], holds: Mapping[str, float]) -> None:
        """Start with no command.

        Args:
            joints: the controller's joints, in its order.
            holds: where joints are held as long as no limb commands them, in rad; NaN or missing
                means where they are measured when the first limb moves.
        """
        self._joints = tuple(joints)
        self._holds = {name: value for name, value in holds.items() if not math.isnan(value)}
        self._measured: dict[str, float] = {}
        self._commanded: dict[str, float] = {}
        self._waiting: dict[tuple[str, ...], deque[Step]] = {}
        self._silent: dict[tuple[str, ...], int] = {}  # periods since the last command
        self._is_begun = False

    def hold(self, holds: Mapping[str, float]) -> None:
        """Take over where joints are held."""
        self._holds = {name: value for name, value in holds.items() if not math.isnan(value)}

    def measure(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take note of where joints stand, until the first command; unusable values are ignored."""
        if self._is_begun:
            return
        for name, position in zip(names, positions, strict=False):
            if abs(position) <= LARGEST_POSITION:  # False for NaN
                self._measured[name] = position

    def hear(self, names: Sequence[str], positions: Sequence[float], span: float = 0.0) -> str:
        """Take a limb's command.

        Args:
            names: the limb's joints.
            positions: where it commands them, in rad.
            span: s that it gives them to get there.

        Returns:
            Why the command is refused; empty if it is not.
        """
        strangers = [name for name in names if name not in self._joints]
        if strangers:
            return (
                f"joints {listed(strangers)} are not the controller's; its joints are "
                f'{listed(self._joints)}'
            )
        if not names or len(names) != len(positions) or len(set(names)) < len(names):
            return 'a command must have one position for each joint'
        if not all(abs(position) <= LARGEST_POSITION for position in positions):
            return f'the positions of {listed(names)} are {list(positions)}; they must be finite'
        # The same joints in another order are the same limb.
        ordered, pose = zip(*sorted(zip(names, positions, strict=True)), strict=True)
        for limb in self._waiting:
            if limb != ordered and not set(limb).isdisjoint(ordered):
                return f'{listed(ordered)} has joints of the limb {listed(limb)}'
        waiting = self._waiting.setdefault(ordered, deque(maxlen=MOST))
        self._silent[ordered] = 0
        is_full = len(waiting) == MOST
        waiting.append(Step(pose, span))
        if is_full:
            return f'{listed(names)} are commanded at a higher rate than they are passed on'
        return ''

    @property
    def is_behind(self) -> bool:
        """Whether more commands wait than usual, as after a pause of this process."""
        return any(len(waiting) > USUAL for waiting in self._waiting.values())

    def missing(self) -> list[str]:
        """Return the joints whose positions are not known."""
        known = {*self._commanded, *self._holds, *self._measured}
        known |= {name for names, waiting in self._waiting.items() if waiting for name in names}
        return [name for name in self._joints if name not in known]

    def step(self) -> Step | None:
        """Let a period pass, and return what to command; None if there is nothing new.

        Nothing is commanded before the positions of all joints are known.
        """
        self._forget()
        if not any(self._waiting.values()) or self.missing():
            return None
        self._is_begun = True
        span = 0.0
        for names, waiting in self._waiting.items():
            if waiting:
                own = waiting.popleft()
                self._commanded.update(zip(names, own.pose, strict=True))
                span = max(span, own.span)
        pose = command_pose(self._joints, self._commanded, {**self._measured, **self._holds})
        return None if pose is None else Step(pose, span)

    def _forget(self) -> None:
        """Let a period pass without commands of the limbs of which none waits."""
        for names, waiting in [*self._waiting.items()]:
            self._silent[names] += not waiting
            if self._silent[names] > FORGOTTEN:
                del self._waiting[names], self._silent[names]
