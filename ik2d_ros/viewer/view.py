"""What the page shows, as plain data; no ROS and no viser in here."""

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
    """What the status box says.

    Attributes:
        title: a word or two, such as the status code.
        text: a sentence or two.
        colour: of both and of the handle, as red, green and blue up to 255.
    """

    title: str
    text: str
    colour: Colour


@dataclass(frozen=True)
class View:
    """All that the page shows.

    Attributes:
        words: how things stand.
        refusal: why a change was refused; empty for nothing to say.
        settings: the parameters of the node, by name, but for those that somebody is just changing,
            whose controls stay where they are; None while there is no node.
        source: DEMO_PATH or MOUSE; None while nobody publishes demo targets.
        settled: how many changes that were asked for have been answered. After each one the
            controls go where they belong, for it may have been refused.
        chain: the arm; None before the first. It is drawn anew for another object, equal or not.
        area: what its tip reaches; None while that is not known.
        positions: (n,) of its joints in rad; None while they are not known.
        handle: where the handle is to be in the plane, in m; None leaves it where it is, such as
            in the hand of somebody who drags it.
    """

    words: Words
    refusal: str = ''
    settings: Mapping[str, object] | None = None
    source: str | None = None
    settled: int = 0
    chain: Chain | None = None
    area: Area | None = field(default=None, compare=False)
    positions: tuple[float, ...] | None = None
    handle: tuple[float, float] | None = None

    @property
    def joints(self) -> tuple[Sequence[Joint], Sequence[float]]:
        """What the table of joints holds: nothing while there is no node."""
        if self.settings is None or self.chain is None or self.positions is None:
            return (), ()
        return self.chain.joints, self.positions
