"""A joint that is commanded together with the arm, such as a gripper's; no ROS imports."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from ik2d_ros.motion.limits import Limits
from ik2d_ros.motion.motion import Motion, at_rest

_GRIPPER = re.compile('grip|jaw|claw|finger|hand')


def is_gripper(name: str) -> bool:
    """Return whether the name of a joint says that it is a gripper's."""
    return bool(_GRIPPER.search(name.lower()))


class Hold(NamedTuple):
    """How an auxiliary joint is held.

    Attributes:
        name: its name.
        position: where it is held; NaN for where it is measured first.
        limits: the limits of its motion.
        is_assumed: whether the tip depends on it being there: each motion takes it back, and
            without limits by the shortest way, as whole turns are the same.
    """

    name: str
    position: float
    limits: Limits
    is_assumed: bool = False


@dataclass(frozen=True)
class AuxiliaryJoint:
    """An auxiliary joint, and what it does when it sets out.

    Attributes:
        hold: how it is held.
        motion: its motion.
        position: where it goes; NaN for where it is measured first.
        velocity: at which it is jogged, in rad/s; 0 if it is not.
        first: where it was measured first; NaN if it never was.
    """

    hold: Hold
    motion: Motion
    position: float
    velocity: float = 0.0
    first: float = math.nan

    @classmethod
    def of(cls, hold: Hold) -> AuxiliaryJoint:
        """Return the joint that is held, or is at 0 until it is measured first."""
        start = 0.0 if math.isnan(hold.position) else hold.position
        return cls(hold, at_rest(hold.limits, (start,)), hold.position)

    def held_as(self, hold: Hold) -> AuxiliaryJoint:
        """Return the joint held in another way; elsewhere, if that has changed."""
        there = replace(self, hold=hold, motion=self.motion.with_limits(hold.limits))
        is_same = str(hold.position) == str(self.hold.position)  # also of NaN
        return there if is_same else there.held_at(hold.position)

    def held_at(self, position: float) -> AuxiliaryJoint:
        """Return the joint held elsewhere."""
        return replace(self, position=position, velocity=0.0)

    def jogged(self, velocity: float) -> AuxiliaryJoint:
        """Return the joint held where a velocity leads; with 0, where a jog has led."""
        here = self.held_at(self.motion.goal[0]) if self.velocity else self
        return replace(here, velocity=velocity)

    def stopped(self) -> AuxiliaryJoint:
        """Return the joint held where it is going; nothing else that was asked counts."""
        position = self.hold.position
        is_unknown = math.isnan(position) and math.isnan(self.first)
        is_fixed = is_unknown or (self.hold.is_assumed and not math.isnan(position))
        return self.held_at(position if is_fixed else self.motion.goal[0])

    def measured_first(self, position: float) -> AuxiliaryJoint:
        """Return the joint when it is measured for the first time."""
        is_there = math.isnan(self.hold.position)
        motion = self.motion.to((position,)) if is_there else self.motion
        return replace(self, motion=motion, first=position)

    @property
    def is_asked(self) -> bool:
        """Whether it is to move."""
        return self.velocity != 0.0 or self.motion.state.positions != (self.destination,)

    @property
    def setting_out(self) -> AuxiliaryJoint:
        """The joint on its way to where it is held."""
        if self.velocity:
            return replace(self, motion=self.motion.at((self.velocity,)))
        is_known = not math.isnan(goal := self.destination)
        return replace(self, motion=self.motion.to((goal,))) if is_known else self

    @property
    def destination(self) -> float:
        """Where the next motion takes it, in the nearest turn if all count; or NaN."""
        position = self.first if math.isnan(self.position) else self.position
        lower, upper = self.hold.limits.positions[0]
        if not self.hold.is_assumed or upper - lower < math.inf or math.isnan(position):
            return position
        return position + math.tau * round((self.motion.state.positions[0] - position) / math.tau)
