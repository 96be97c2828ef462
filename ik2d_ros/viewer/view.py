"""What the page shows, as plain data; no ROS or viser imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.region import Points, Triangles
from ik2d_ros.arm.swept import Body
from ik2d_ros.kinematics import Chain
from ik2d_ros.node.outcome import Colour

DEMO_PATH, MOUSE = 'demo path', 'mouse'
ANYWHERE, IN_PLANE = 'anywhere', 'in the plane'


class Area(NamedTuple):
    """What an arm can reach.

    Attributes:
        points: (k, 2) corners in m in the plane.
        triangles: (t, 3) indices into them.
        body: what turntable or lift make of it in space.
    """

    points: Points
    triangles: Triangles
    body: Body | None = None


class JointRow(NamedTuple):
    """A joint, as the panel shows it.

    Attributes:
        name: its name.
        limits: smallest and largest position, -inf and inf where there are none.
        unit: of its position: rad or m.
    """

    name: str
    limits: tuple[float, float]
    unit: str


@dataclass(frozen=True)
class Words:
    """The content of the status box.

    Attributes:
        title: short title, such as the status code.
        text: one or two sentences.
        colour: colour of the box and of the handle: red, green and blue up to 255.
    """

    title: str
    text: str
    colour: Colour


@dataclass(frozen=True)
class Measured:
    """The arm as it is measured, beside the commanded one.

    Attributes:
        positions: (m,) joint positions in rad, of joints that slide in m.
        efforts: (m,) efforts in N m, of joints that slide in N; None where there is none.
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
        asked: that is kept, in rad; None while it is free.
        error: of the solved pose, in rad; None if it is not known, or if none was asked for.
    """

    angle: float
    asked: float | None = None
    error: float | None = None

    @property
    def shown(self) -> float:
        """Where needle and slider stand, in rad."""
        return self.angle if self.asked is None else self.asked


@dataclass(frozen=True)
class View:
    """Everything that the page shows.

    Attributes:
        words: content of the status box.
        refusal: why a change was refused; empty for none.
        settings: parameters of the node by name, except those with a pending change, whose controls
            stay as they are; None while there is no node.
        source: DEMO_PATH or MOUSE; None while there is no node with demo targets.
        settled: number of answered changes. After each one the controls are reset to the node's
            values, because it may have been refused.
        arm: the arm; None before the first. Another object is drawn again, even if equal.
        area: its reachable area; None while it is not known.
        positions: (m,) joint positions; None while they are not known.
        measured: the measured arm; None while nothing is measured.
        handle: position of the handle in m: (2,) in the plane, or (3,) in the base frame for an arm
            in space. None leaves it where it is, such as during a drag.
        drag: how the handle of an arm in space is dragged: ANYWHERE or IN_PLANE; None in the plane.
        tip: the tip angle; None while it is not known, and for arms that cannot keep one.
        is_turned: whether someone turns it, so that needle and slider are left where they are.
    """

    words: Words
    refusal: str = ''
    settings: Mapping[str, object] | None = None
    source: str | None = None
    settled: int = 0
    arm: ArmDescription | None = None
    area: Area | None = field(default=None, compare=False)
    positions: tuple[float, ...] | None = None
    measured: Measured | None = None
    handle: tuple[float, ...] | None = None
    drag: str | None = None
    tip: TipAngle | None = None
    is_turned: bool = False

    @property
    def chain(self) -> Chain | None:
        """The chain of the arm."""
        return None if self.arm is None else self.arm.chain

    @property
    def joints(self) -> tuple[Sequence[JointRow], Sequence[float]]:
        """The content of the joint table; empty while there is no node."""
        if self.settings is None or self.arm is None or self.positions is None:
            return (), ()
        arm = self.arm
        rows = map(JointRow, arm.names, arm.limits, arm.units)
        return tuple(rows), self.positions
