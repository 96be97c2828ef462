"""Where the handle of an arm is: at its target, if that is known; no ROS or viser imports."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import isfinite

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import PlanePoint, Vector

Stamp = tuple[int, int]
Place = tuple[float, ...]

REMEMBERED = 100  # targets


class Target:
    """The target of one arm: (2,) in m in its plane, or (3,) in the base frame of an arm in space.

    A status says where the target is in the plane. That is all for an arm whose plane stands still.
    For one whose plane is carried, the plane is that of the solved pose, which is known only once
    the arm is there. So its targets are listened to as well, those in the base frame.
    """

    def __init__(self, arm: ArmDescription) -> None:
        """Start without a target.

        Args:
            arm: the arm.
        """
        self._arm = arm
        self.place: Place | None = None
        """Where it is; None if that is not known."""
        self._placed: tuple[Stamp, PlanePoint] | None = None
        self._point: PlanePoint | None = None  # in the plane as it is carried, which is to come
        self._own: deque[Vector] = deque(maxlen=REMEMBERED)
        self._heard: deque[Stamp] = deque(maxlen=REMEMBERED)

    def move(self, place: Vector) -> Vector:
        """Move it, and return it in the base frame to be published; both in m.

        Args:
            place: (x, y, 0) in the plane, or a point in the base frame for an arm in space.
        """
        x, y, _ = place
        self._point = None
        if self._arm.carrier is None:
            self.place = x, y
            return self._arm.kinematics.plane.point(x, y)
        self.place = place
        self._own.append(place)
        return place

    def home(self) -> Vector:
        """Return where the tip is at the start, as :meth:`move` takes it."""
        return self._tip(self._arm.home)

    def hear_positions(self, positions: Sequence[float]) -> None:
        """Take the commanded pose, (m,) positions; without a target it is at the tip."""
        if self.place is None:
            x, y, z = self._tip(positions)
            self.place = (x, y) if self._arm.carrier is None else (x, y, z)
        elif self._point is not None:
            self.place = self._arm.plane_at(positions).point(*self._point)

    def hear_place(
        self,
        stamp: Stamp,
        point: PlanePoint,
        at_goal: bool,
        positions: Sequence[float] | None,
        is_held: bool,
    ) -> None:
        """Take where a status says that it is.

        A status that is repeated does not move it, for it may be somewhere newer.

        Args:
            stamp: stamp of the status, by which a repeated one is known.
            point: in the plane; of an arm in space, as the solved pose carries it.
            at_goal: whether that is the commanded pose.
            positions: (m,) of the commanded pose; None if that is not known.
            is_held: whether someone drags it.
        """
        is_carried = self._arm.carrier is not None
        if is_carried and not at_goal:
            self._point = None
            return
        if (stamp, point) == self._placed:
            return
        self._placed = stamp, point
        if is_held:
            return
        if not is_carried:
            self.place = point.x, point.y
        elif stamp not in self._heard:
            self._point = point
            if positions is not None:
                self.place = self._arm.plane_at(positions).point(*point)

    def hear_target(self, stamp: Stamp, frame: str, point: Vector, is_held: bool) -> None:
        """Take a target on its way to the node.

        Args:
            stamp: its stamp.
            frame: its frame.
            point: x, y, z in m in the frame.
            is_held: whether someone drags the handle.
        """
        arm = self._arm
        if arm.carrier is None or frame not in ('', arm.base_frame):
            return
        if not all(map(isfinite, point)):
            return
        self._heard.append(stamp)
        if point not in self._own and not is_held:
            self.place, self._point = point, None

    def _tip(self, positions: Sequence[float]) -> Vector:
        if self._arm.carrier is None:
            x, y = self._arm.chain.forward(positions)[-1].tolist()
            return x, y, 0.0
        x, y, z = self._arm.kinematics.forward(positions).tolist()
        return x, y, z
