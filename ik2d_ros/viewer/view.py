"""What the page shows, as plain data; no ROS or viser imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.arm.area import Points, Triangles
from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.node.outcome import Colour

Area = tuple[Points, Triangles]

DEMO_PATH, MOUSE = 'demo path', 'mouse'


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
        positions: (n,) joint positions in rad.
        efforts: (n,) efforts in N m; None where there is none.
        speed: of the tip, in m/s; None if it is not known.
        lag: distance from the measured tip to the commanded one, in m; None if that is not known.
    """

    positions: tuple[float, ...]
    efforts: tuple[float | None, ...]
    speed: float | None
    lag: float | None


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
        chain: the arm; None before the first. Another object is drawn again, even if equal.
        area: its reachable area; None while it is not known.
        positions: (n,) joint positions in rad; None while they are not known.
        measured: the measured arm; None while nothing is measured.
        handle: position of the handle in the plane, in m; None leaves it where it is, such as
            during a drag.
    """

    words: Words
    refusal: str = ''
    settings: Mapping[str, object] | None = None
    source: str | None = None
    settled: int = 0
    chain: Chain | None = None
    area: Area | None = field(default=None, compare=False)
    positions: tuple[float, ...] | None = None
    measured: Measured | None = None
    handle: tuple[float, float] | None = None

    @property
    def joints(self) -> tuple[Sequence[Joint], Sequence[float]]:
        """The content of the joint table; empty while there is no node."""
        if self.settings is None or self.chain is None or self.positions is None:
            return (), ()
        return self.chain.joints, self.positions
