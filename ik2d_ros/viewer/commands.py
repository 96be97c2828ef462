"""What the viewer does to other nodes, as plain data; no ROS or viser imports."""

from __future__ import annotations

from dataclasses import dataclass

from ik2d_ros.kinematics.plane import Vector

ARM, DEMO = 'arm', 'demo'


@dataclass(frozen=True)
class PublishTarget:
    """Publish a target for the tip.

    Attributes:
        frame: frame of ``point``.
        point: position in m.
    """

    frame: str
    point: Vector


@dataclass(frozen=True)
class SetParameter:
    """Set a parameter of another node; the answer goes to :meth:`Controller.hear_answer`.

    Attributes:
        node: ARM or DEMO.
        name: name of the parameter.
        value: value of the parameter.
    """

    node: str
    name: str
    value: object


Command = PublishTarget | SetParameter
