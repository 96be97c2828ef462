"""The content of the page, as plain data; no ROS or viser imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ik2d_ros.arm.body import Body
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.region import Points, Triangles
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer.drawn_path import DrawnPath

ANYWHERE, IN_PLANE = 'anywhere', 'in the plane'


@dataclass(frozen=True, eq=False)
class Area:
    """The points that an arm can reach.

    Attributes:
        points: (k, 2) corners in m in the plane.
        triangles: (t, 3) indices into them.
        body: the area swept by turntable or lift.
    """

    points: Points
    triangles: Triangles
    body: Body | None = None


class Words(NamedTuple):
    """The content of the status box.

    Attributes:
        title: a few words, such as the status code.
        text: one or two sentences.
        colour: colour of the box and of the handle: red, green and blue up to 255.
    """

    title: str
    text: str
    colour: Colour


class Measured(NamedTuple):
    """The arm as it is measured, beside the commanded one.

    Attributes:
        positions: (m,) joint positions in rad, of joints that slide in m.
        efforts: (m,) efforts in N m, of joints that slide in N; None if unknown.
        speed: of the tip, in m/s; None if it is not known.
        lag: distance from the measured tip to the commanded one, in m; None if that is not known.
    """

    positions: tuple[float, ...]
    efforts: tuple[float | None, ...]
    speed: float | None
    lag: float | None


class TipAngle(NamedTuple):
    """The tip angle, as the page shows it.

    Attributes:
        angle: of the commanded pose, in rad.
        asked: the angle that is kept, in rad; None while it is free.
    """

    angle: float
    asked: float | None = None

    @property
    def shown(self) -> float:
        """Where needle and slider stand, in rad."""
        return self.angle if self.asked is None else self.asked


@dataclass(frozen=True)
class View:
    """The content of the page.

    Attributes:
        words: content of the status box.
        refusal: why a change was refused; empty for none.
        settings: parameters of the node by name, except those with a pending change, whose controls
            stay as they are; None while there is no node.
        settled: number of answered changes. After each one the controls are reset to the node's
            values, because it may have been refused.
        is_paused: whether the demo path is paused; None where there is none.
        arms: names of the arms that the demo can show; empty where there is no demo.
        name: name of the arm that the demo shows.
        arm: the arm; None before the first. Another object is drawn again, even if equal.
        area: its reachable area; None while it is not known.
        positions: (m,) joint positions; None while they are not known.
        measured: the measured arm; None while nothing is measured.
        target: the target in m in the base frame; the tip while there is none, None if that is not
            known.
        is_held: whether someone drags the target: its handle is left where it is.
        drag: how the handle of an arm in space is dragged: ANYWHERE or IN_PLANE; None in the plane.
        tip: the tip angle; None while it is not known, and for arms that cannot keep one.
        is_turned: whether someone turns it: needle and slider are left where they are.
        path: the path that is drawn; None where there is none.
        is_drawing: whether the mouse draws a path instead of dragging the target.
    """

    words: Words
    refusal: str = ''
    settings: Mapping[str, object] | None = None
    settled: int = 0
    is_paused: bool | None = None
    arms: tuple[str, ...] = ()
    name: str = ''
    arm: ArmDescription | None = None
    area: Area | None = None
    positions: tuple[float, ...] | None = None
    measured: Measured | None = None
    target: Vector | None = None
    is_held: bool = False
    drag: str | None = None
    tip: TipAngle | None = None
    is_turned: bool = False
    path: DrawnPath | None = None
    is_drawing: bool = False
