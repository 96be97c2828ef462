"""A joint that is commanded together with the arm, such as a gripper's; no ROS imports."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from ik2d_ros.motion.limits import Limits
from ik2d_ros.motion.motion import Motion, at_rest

_GRIPPER = re.compile('grip|jaw|claw|finger|hand')


def is_gripper(name: str) -> bool:
    """Return whether the name of a joint says that it is a gripper's."""
    return bool(_GRIPPER.search(name.lower()))


@dataclass(frozen=True)
class AuxiliaryJoint:
    """An auxiliary joint, and what it does when it sets out.

    Attributes:
        name: its name.
        default: where it is held if nothing else is asked; NaN for where it is measured first.
        is_assumed: whether the tip depends on it being there: each motion takes it back, and
            without limits by the shortest way, as whole turns are the same.
        motion: its motion.
        position: where it goes; NaN before it is known.
        velocity: at which it is jogged, in rad/s; 0 if it is not.
        first: where it was measured first; NaN if it never was.
    """

    name: str
    default: float
    is_assumed: bool
    motion: Motion
    position: float
    velocity: float = 0.0
    first: float = math.nan

    @classmethod
    def of(cls, name: str, default: float, is_assumed: bool, limits: Limits) -> AuxiliaryJoint:
        """Return the joint that is held, or is at 0 until it is measured first."""
        start = 0.0 if math.isnan(default) else default
        return cls(name, default, is_assumed, at_rest(limits, (start,)), default)

    def held_as(self, new: AuxiliaryJoint) -> AuxiliaryJoint:
        """Return the joint held as a new one is: elsewhere, if that has another default."""
        motion = self.motion.with_limits(new.motion.limits)
        there = replace(self, default=new.default, motion=motion)
        if str(new.default) == str(self.default):  # also of NaN
            return there
        return there.held_at(self.first if math.isnan(new.default) else new.default)

    def held_at(self, position: float) -> AuxiliaryJoint:
        """Return the joint held elsewhere."""
        return replace(self, position=position, velocity=0.0)

    def jogged(self, velocity: float) -> AuxiliaryJoint:
        """Return the joint held where a velocity leads; with 0, where a jog has led."""
        here = self.held_at(self.motion.goal[0]) if self.velocity else self
        return replace(here, velocity=velocity)

    def stopped(self) -> AuxiliaryJoint:
        """Return the joint held where it is going; nothing else that was asked counts."""
        if math.isnan(self.position):
            return self.held_at(self.position)
        is_fixed = self.is_assumed and not math.isnan(self.default)
        return self.held_at(self.default if is_fixed else self.motion.goal[0])

    def measured_first(self, position: float) -> AuxiliaryJoint:
        """Return the joint when it is measured for the first time: there, if nothing was asked."""
        here = replace(self, first=position)
        if not math.isnan(self.position):
            return here
        return replace(here, position=position, motion=self.motion.to((position,)))

    @property
    def is_asked(self) -> bool:
        """Whether it is to move."""
        return self.velocity != 0.0 or self.motion.state.positions != (self.destination,)

    @property
    def setting_out(self) -> AuxiliaryJoint:
        """The joint on its way to where it is held."""
        if self.velocity:
            return replace(self, motion=self.motion.at_velocities((self.velocity,)))
        is_known = not math.isnan(goal := self.destination)
        return replace(self, motion=self.motion.to((goal,))) if is_known else self

    @property
    def destination(self) -> float:
        """Where the next motion takes it, in the nearest turn if all count; or NaN."""
        lower, upper = self.motion.limits.positions[0]
        if not self.is_assumed or upper - lower < math.inf or math.isnan(self.position):
            return self.position
        turns = round((self.motion.state.positions[0] - self.position) / math.tau)
        return self.position + math.tau * turns
