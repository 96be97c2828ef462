"""The content of the page, as plain data; no ROS or viser imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.joints import is_gripper
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer.design import Draft
from ik2d_ros.viewer.drawing import Mesh
from ik2d_ros.viewer.drawn_path import NO_PATH, DrawnPath
from ik2d_ros.viewer.requests import Act


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


@dataclass(frozen=True)
class View:
    """The content of the page.

    Attributes:
        words: content of the status box.
        refusal: why a change was refused; empty for none.
        settings: parameters of the node by name, without those whose change is pending: their
            controls stay as they are; None while there is no node.
        settled: number of answered changes. After each the controls are reset to the node's values,
            because it may have been refused.
        is_paused: whether the demo path is paused; None if there is none.
        arms: names of the arms that can be shown in place of this one; empty for none.
        name: name of the arm that is shown; empty if nobody knows it.
        arm: the arm; None before the first.
        version: number of the arm; the same while it is designed.
        area: its reachable area, in the plane; None while unknown.
        positions: (m,) joint positions; None while unknown.
        measured: (m,) measured positions; None while nothing is measured.
        target: in m in the base frame; the tip without one, None if that is unknown.
        in_hand: what someone moves, and is left where it is: the target's handle (DRAG), slider and
            needle of the tip angle (TURN), the design (EDIT), or the slider of the joint of this
            name.
        angle: the tip angle that is kept, else that of the positions, in rad; None while unknown,
            and for arms that cannot keep one.
        is_kept: whether the tip angle is kept.
        poses: names of the node's named poses.
        held: limits of the joints that are held, by name; those without limits are left out.
        held_at: their positions, as far as they are known.
        is_new: whether nobody has moved the target yet.
        path: the path that is drawn.
        is_drawing: whether the mouse draws a path instead of dragging the target.
        design: the design of the arm; None if the page cannot change it.
    """

    words: Words
    refusal: str = ''
    settings: Mapping[str, object] | None = None
    settled: int = 0
    is_paused: bool | None = None
    arms: tuple[str, ...] = ()
    name: str = ''
    arm: ArmDescription | None = None
    version: int = 0
    area: Mesh | None = None
    positions: tuple[float, ...] | None = None
    measured: tuple[float, ...] | None = None
    target: Vector | None = None
    in_hand: Act | str | None = None
    angle: float | None = None
    is_kept: bool = False
    poses: tuple[str, ...] = ()
    held: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    held_at: Mapping[str, float] = field(default_factory=dict)
    is_new: bool = False
    path: DrawnPath = NO_PATH
    is_drawing: bool = False
    design: Draft | None = None

    @property
    def opening(self) -> float | None:
        """How far the gripper is open, from 0 to 1; None if there is none, or nobody knows."""
        for name, (lower, upper) in self.held.items():
            if is_gripper(name) and name in self.held_at and upper > lower:
                return min(max((self.held_at[name] - lower) / (upper - lower), 0.0), 1.0)
        return None
