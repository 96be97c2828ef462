"""Handles at the ends of the links, by which an arm is designed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.kinds import arc
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.design import LENGTH, Edit
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.sheet import Sheet

RADIUS, HEIGHT = 0.035, 0.06  # reaches; above an arm in a plane, and its target


class Ends:
    """A disc at the end of each link; dragged, it gives the link another length."""

    def __init__(
        self,
        scene: Any,
        name: str,
        size: float,
        plane: Callable[[], Plane],
        on_request: Callable[[Request], None],
    ) -> None:
        """Start without discs.

        Args:
            scene: the viser scene.
            name: name of their node, on one whose x-y plane is the arm's.
            size: how far the arm reaches, in m.
            plane: returns the plane of the arm, in the base frame.
            on_request: called from another thread when one is dragged.
        """
        self._scene, self._name, self._size = scene, name, size
        self._plane, self._on_request = plane, on_request
        self._sheets: list[Sheet] = []
        self._begins: Sequence[Sequence[float]] = ()  # of the links
        self._slides: Sequence[float] = ()  # beyond their lengths

    def show(self, arm: ArmDescription, positions: Sequence[float], is_shown: bool) -> None:
        """Put them at the ends of the links at (m,) positions, or take them away."""
        if not is_shown:
            self._scene.remove_by_name(self._name)
            self._sheets = []
            return
        q = arm.in_plane(positions)
        (*self._begins, (x, y)), (dx, dy) = arm.chain.forward(q).tolist(), arm.chain.tool
        if not self._sheets:
            corners = arc(RADIUS * self._size, 0.0, math.tau)
            for i, joint in enumerate(arm.chain.joints):
                looks = {'color': drawing.END, 'opacity': 0.9, 'wireframe': False}
                sheet = Sheet(self._scene, f'{self._name}/{i}', corners, self._plane, **looks)
                slide = partial(self._drag, i, joint.name)
                sheet.on_drag(slide)
                self._sheets.append(sheet)
        self._slides = [
            p * (j.type == 'prismatic') for j, p in zip(arm.chain.joints, q, strict=True)
        ]
        for sheet, (u, v) in zip(self._sheets, [*self._begins[1:], (x - dx, y - dy)], strict=True):
            sheet.move((u, v, HEIGHT * self._size))

    def _drag(self, index: int, name: str, drag: tuple[str, Vector]) -> None:
        x, y, _ = self._plane().locate(drag[1])
        length = math.dist(self._begins[index], (x, y)) - self._slides[index]
        if math.isfinite(length):
            self._on_request(Request(Act.EDIT, Edit(LENGTH, name, length)))
