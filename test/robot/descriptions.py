"""Small robot descriptions, and their forward kinematics without code of the package."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

import numpy as np
from public_machines import MACHINES, PublicRobot

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.robot.find import ImportOptions
from ik2d_ros.robot.importing import Imported, import_arm
from ik2d_ros.robot.urdf import read_robot

NOTHING = ImportOptions()
LIMIT = '<limit lower="-2" upper="2" velocity="3" effort="1"/>'


def attribute(text: str) -> str:
    return escape(text, {'"': '&quot;', '\n': '&#10;'})


def joint(
    name: str,
    parent: str,
    child: str,
    kind: str = 'revolute',
    xyz: Sequence[float] = (0, 0, 0),
    rpy: Sequence[float] = (0, 0, 0),
    axis: str = '0 1 0',
    limit: str = LIMIT,
    more: str = '',
) -> str:
    """A joint; its default limits are 2 rad or m to either side."""
    numbers = (' '.join(map(repr, map(float, values))) for values in (xyz, rpy))
    origin = '<origin xyz="{}" rpy="{}"/>'.format(*numbers)
    moves = f'<axis xyz="{axis}"/>{limit}' if kind != 'fixed' and axis else ''
    return (
        f'<joint name="{attribute(name)}" type="{kind}">'
        f'<parent link="{attribute(parent)}"/><child link="{attribute(child)}"/>'
        f'{origin}{moves}{more}</joint>'
    )


def fixed(parent: str, child: str, xyz: Sequence[float], rpy: Sequence[float] = (0, 0, 0)) -> str:
    return joint(f'{parent}_to_{child}', parent, child, 'fixed', xyz, rpy)


def robot(*joints: str, more: str = '', links: Sequence[str] = ()) -> str:
    """A robot of these joints, with the links that they are between."""
    named = re.findall(r'<(?:parent|child) link="([^"]*)"', ''.join(joints))
    text = ''.join(f'<link name="{link}"/>' for link in dict.fromkeys([*named, *links]))
    return f'<robot name="r">{text}{"".join(joints)}{more}</robot>'


ARM = (
    joint('shoulder', 'base', 'upper', xyz=(0.1, 0.0, 0.3)),
    joint('elbow', 'upper', 'fore', xyz=(0.3, 0.02, 0.0)),
    fixed('fore', 'tool', (0.2, 0.01, 0.05)),
)
"""A plain arm: two joints about y, and a tool."""

ROLL = joint('roll', 'fore', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
"""A joint behind it that turns about the forearm."""


def imported(
    text: str, tip: str = 'tool', options: ImportOptions = NOTHING, base: str = ''
) -> Imported:
    found = read_robot(text, 'r.urdf')
    return import_arm(found, base or found.root, tip, options)


def arm_of(result: Imported) -> ArmDescription:
    return arm_from_parameters(result.parameters)


def doubts(result: Imported) -> str:
    return '\n'.join(remark.text for remark in result.remarks if remark.doubt)


def difference(
    text: str,
    result: Imported,
    held: Mapping[str, float] | None = None,
    offset: Sequence[float] = (0, 0, 0),
    count: int = 20,
) -> float:
    """The largest distance between the arm's tip and the robot's, by Pinocchio, in m."""
    arm, known = arm_of(result), PublicRobot(text)
    base, tip = (str(result.parameters[frame]) for frame in ('base_frame', 'tip_frame'))
    rng = np.random.default_rng(7)
    spans = [(max(low, -math.pi), min(high, math.pi)) for low, high in arm.limits]
    worst = 0.0
    for _ in range(count):
        q = np.array([rng.uniform(low, high) for low, high in spans])
        pose = known.pose(base, tip, {**dict(zip(arm.names, q, strict=True)), **(held or {})})
        robot_tip = pose.act(np.array(offset, float))
        worst = max(worst, float(np.linalg.norm(robot_tip - arm.kinematics.forward(q))))
    return worst


class PublicLimb:
    """The forward kinematics of a limb of a shipped machine, by its public description."""

    def __init__(self, name: str, node: str) -> None:
        """Read the limb and the positions of its held joints."""
        limb = MACHINES[name][node]
        self.base, self._joints = limb['base'], limb['joints']
        links = [self.base, *map(str, range(1, len(self._joints))), 'tip']
        joints = [
            joint(name, *ends, kind, xyz, rpy, ' '.join(map(str, *axis or [()])))
            for ends, (name, kind, xyz, rpy, *axis) in zip(
                pairwise(links), self._joints, strict=True
            )
        ]
        self.text = robot(*joints)
        self._robot = PublicRobot(self.text)
        self._held, self._driven = limb['held'], limb.get('driven', {})

    def others(self, names: Sequence[str]) -> list[str]:
        """The joints on the way to the tip that are not these, and no part of a linkage."""
        moving = [name for name, kind, *_ in self._joints if kind != 'fixed']
        return [name for name in moving if name not in (*names, *self._driven)]

    def tip(self, positions: Mapping[str, float]) -> np.ndarray:
        """(3,) m: the tip in the base frame, for positions by joint; others are held or 0."""
        driven = {
            name: sum(times * positions[motor] for motor, times in motors.items())
            for name, motors in self._driven.items()
        }
        pose = self._robot.pose(self.base, 'tip', {**self._held, **positions, **driven})
        return np.array(pose.translation)
