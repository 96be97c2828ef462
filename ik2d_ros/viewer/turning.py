"""The tip angle on the page: what is shown of it, and what is asked of the node for it.

The angle is the node's parameter ``tip_angle``, so it holds for whatever moves the target. While
one value is on its way to the node, later ones wait, and the last of them follows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.viewer.requests import KeepAngle, Turn
from ik2d_ros.viewer.view import TipAngle

ANGLE_PARAMETER = 'tip_angle'
HELD = 1.0  # s for which needle and slider are left alone after a turn that has no end


def can_keep_angle(arm: ArmDescription) -> bool:
    """Return whether an arm has the joints to reach a target at a tip angle."""
    return not angle_refusal(arm.chain)


def shown_angle(
    arm: ArmDescription, settings: Mapping[str, object], positions: Sequence[float]
) -> TipAngle | None:
    """Return what the page shows of the tip angle.

    Args:
        arm: the arm.
        settings: parameters of the node by name.
        positions: (m,) of the commanded pose.
    """
    if not can_keep_angle(arm):
        return None
    angle = arm.chain.tip_angle(arm.in_plane(positions))
    asked = settings.get(ANGLE_PARAMETER)
    if not isinstance(asked, float) or math.isnan(asked):
        return TipAngle(angle)
    return TipAngle(angle, math.remainder(asked, 2.0 * math.pi))


class Turning:
    """Which angle is asked of the node."""

    def __init__(self) -> None:
        """Start with nothing asked for."""
        self._is_waiting = False
        self._next: float | None = None
        self._turned_at = -math.inf

    def is_held(self, now: float) -> bool:
        """Return whether someone turns the angle."""
        return now - self._turned_at < HELD

    def asked(self, request: Turn | KeepAngle, shown: TipAngle, now: float) -> float | None:
        """Return the angle to set for a request, NaN for none; None if there is nothing to set.

        Args:
            request: the request.
            shown: the tip angle on the page.
            now: the time in s.
        """
        if isinstance(request, KeepAngle):
            angle = shown.angle if request.is_on else math.nan
        else:
            self._turned_at = -math.inf if request.phase == 'end' else now
            angle = request.angle
            if request.phase == 'start' or not math.isfinite(angle):
                return None
        if self._is_waiting:
            self._next = angle
            return None
        self._is_waiting = True
        return angle

    def answered(self) -> float | None:
        """Take the node's answer, and return the angle to set next; None if there is none."""
        following, self._next = self._next, None
        self._is_waiting = following is not None
        return following
