"""The links of an arm as they are drawn: the commanded arm, and its ghost as it is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Chain
from ik2d_ros.viewer import shapes
from ik2d_ros.viewer.drawing import (
    AT_LIMIT,
    FOOT,
    GHOST,
    JOINT,
    LIMIT,
    LINK,
    TIP,
    about_z,
    add_mesh,
    place,
    recolour,
)

GHOST_OPACITY = 0.45
GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
GHOST_WIDTH = 0.8  # in space, where there is no under: inside the arm
AT_LIMIT_WITHIN = 1e-4  # rad


class Figure:
    """The commanded arm; its links are nested nodes, which only turn when it moves."""

    def __init__(self, scene: Any, arm: ArmDescription) -> None:
        """Draw an arm at zero.

        Args:
            scene: the viser scene.
            arm: the arm.
        """
        self._scene, self._arm = scene, arm
        self._joints: list[Any] = []
        self._limits: list[Any] = []
        chain = arm.chain
        radii = shapes.radii(chain)
        name, position = '/arm', (0.0, 0.0, 0.0)
        self._root = scene.add_frame(name, show_axes=False)
        if arm.carrier is None:
            add_mesh(
                scene, '/arm/foot', shapes.disc(1.7 * radii[0], 0.25 * radii[0], 0.1 * radii[0]),
                FOOT, position=(0.0, 0.0, -0.9 * radii[0]),
            )  # fmt: skip
        for index, joint in enumerate(chain.joints):
            begin, end = radii[index], radii[index + 1]
            self._limits.append(self._add_limit(f'{name}/limit', chain, index, begin, position))
            name += f'/{index}'
            self._joints.append(scene.add_frame(name, show_axes=False, position=position))
            if joint.length > 0.0:
                direction = math.atan2(joint.link[1], joint.link[0])
                body = shapes.link(joint.length, begin, end)
                add_mesh(scene, f'{name}/link', body, LINK, wxyz=about_z(direction))
            height = (shapes.FLATNESS + 0.12) * begin
            add_mesh(scene, f'{name}/joint', shapes.disc(0.62 * begin, height, 0.12 * begin), JOINT)
            position = (*joint.link, 0.0)
        height = (shapes.FLATNESS + 0.12) * radii[-1]
        knob = shapes.disc(0.5 * radii[-1], height, 0.12 * radii[-1])
        add_mesh(scene, f'{name}/tip', knob, TIP, position=position)

    def show(self, positions: Sequence[float]) -> None:
        """Move it to (m,) positions."""
        _turn(self._arm, self._joints, positions)
        if self._arm.carrier is not None:
            place(self._root, self._arm.plane_at(positions))
        for limit, joint, q in zip(
            self._limits, self._arm.chain.joints, self._arm.in_plane(positions), strict=True
        ):
            if limit is not None and joint.lower is not None and joint.upper is not None:
                slack = min(q - joint.lower, joint.upper - q)
                recolour(limit, AT_LIMIT if slack <= AT_LIMIT_WITHIN else LIMIT)

    def _add_limit(
        self,
        name: str,
        chain: Chain,
        index: int,
        radius: float,
        position: tuple[float, float, float],
    ) -> Any:
        """Add the range of a joint, fixed to the link before it."""
        sector = shapes.sector(chain, index)
        if sector is None:
            return None
        mesh = shapes.band(0.0, 2.7 * radius, sector.begin, sector.end)
        x, y, _ = position
        is_flat = self._arm.carrier is None
        where = (x, y, -0.6 * radius if is_flat else 0.02 * radius)
        side = 'front' if is_flat else 'double'
        return add_mesh(self._scene, name, mesh, LIMIT, position=where, opacity=0.45, side=side)


class Ghost:
    """The measured arm, invisible at first."""

    def __init__(self, scene: Any, arm: ArmDescription, size: float) -> None:
        """Draw it.

        Args:
            scene: the viser scene.
            arm: the arm.
            size: how far it reaches, in m.
        """
        self._arm = arm
        self._joints: list[Any] = []
        is_flat = arm.carrier is None
        radii = [(1.0 if is_flat else GHOST_WIDTH) * radius for radius in shapes.radii(arm.chain)]
        name, position = '/ghost', (0.0, 0.0, GHOST_HEIGHT * size if is_flat else 0.0)
        self._root = scene.add_frame(name, show_axes=False, visible=False)
        for index, joint in enumerate(arm.chain.joints):
            name += f'/{index}'
            self._joints.append(scene.add_frame(name, show_axes=False, position=position))
            if joint.length > 0.0:
                body = shapes.link(joint.length, radii[index], radii[index + 1])
                turn = about_z(math.atan2(joint.link[1], joint.link[0]))
                add_mesh(scene, f'{name}/link', body, GHOST, wxyz=turn, opacity=GHOST_OPACITY)
            position = (*joint.link, 0.0)

    def show(self, positions: Sequence[float] | None) -> None:
        """Move it to (m,) positions; None hides it."""
        if self._root.visible != (positions is not None):
            self._root.visible = positions is not None
        if positions is None:
            return
        _turn(self._arm, self._joints, positions)
        if self._arm.carrier is not None:
            place(self._root, self._arm.plane_at(positions))


def _turn(arm: ArmDescription, frames: Sequence[Any], positions: Sequence[float]) -> None:
    for joint, frame, q in zip(arm.chain.joints, frames, arm.in_plane(positions), strict=True):
        frame.wxyz = about_z(joint.axis * q + joint.offset)
