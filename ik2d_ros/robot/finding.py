"""The arm between two links of a robot: its joints, what they do, and its plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import MOST_LIMITED_JOINTS as MOST_JOINTS
from ik2d_ros.parameters.checks import ConfigError, closest, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.axes import STILL
from ik2d_ros.robot.choice import NOTHING_CHOSEN, Choice
from ik2d_ros.robot.geometry import Geometry, flatten, in_plane
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.roles import Roles, find_roles, set_aside
from ik2d_ros.robot.route import Route, all_positions, check_link, find_route, followed, place


@dataclass(frozen=True, eq=False)
class Found:
    """The joints of an arm and its plane, before its limits are looked at.

    Attributes:
        route: from base to tip.
        roles: what the joints do.
        geometry: the plane and the link vectors.
        positions: where the other joints are held, in rad or m.
        offset: (3,) m, where the tip is in the tip link.
        tip: (3,) m, where it is in the base link.
    """

    route: Route
    roles: Roles
    geometry: Geometry
    positions: Mapping[str, float]
    offset: FloatArray
    tip: FloatArray

    @property
    def ends_on_axis(self) -> bool:
        """Whether the last joint turns the tip on the spot."""
        last = self.roles.chain[-1].joint
        return last.turns and float(np.abs(self.geometry.links[-1]).max()) < STILL

    @property
    def moves_nothing(self) -> bool:
        """Whether no joint in the plane, nor a lift, moves the tip."""
        still = float(np.abs(self.geometry.links).max()) < STILL
        return still and not self.roles.slides and self.roles.lift is None


def find_arm(robot: Robot, base: str, tip: str, choice: Choice = NOTHING_CHOSEN) -> Found:
    """Find the joints of an arm and its plane.

    Raises:
        ConfigError: there is no arm of a supported kind between base and tip.
    """
    check_names(robot, base, choice)
    check_link(robot, tip, choice.wording.tip)
    route = find_route(robot, base, tip)
    count = sum(joint.moves for joint in route.joints)
    if count > MOST_JOINTS:
        raise ConfigError(
            f'{count} joints move between base and tip; it must be at most {MOST_JOINTS}'
        )
    aside = set_aside(robot, route.joints, choice)
    positions = all_positions(robot, choice.hold)
    for joint in route.joints:
        if joint.mimic is not None and joint.name not in aside:
            first, _, _ = followed(robot, joint)
            if first not in route.joints:
                positions[joint.name] = 0.0  # it counts as free
    placed, pose = place(route, positions)
    offset = np.array(choice.tip if len(choice.tip) == 3 else (0.0, 0.0, 0.0))
    point = pose[:3, 3] + pose[:3, :3] @ offset
    roles = find_roles(robot, placed, point, aside, choice)
    if len(choice.tip) == 2:
        x, y = in_plane(roles.normal)
        point = point + choice.tip[0] * x + choice.tip[1] * y
        offset = pose[:3, :3].T @ (point - pose[:3, 3])
    return Found(route, roles, flatten(robot, roles, point, choice), positions, offset, point)


def check_names(robot: Robot, base: str, choice: Choice) -> None:
    """Check that the robot has the base and the joints that the user names.

    Raises:
        ConfigError: it has not.
    """
    check_link(robot, base, choice.wording.base)
    for name in (*choice.hold, *choice.limits, *choice.velocities):
        if name not in robot.by_name:
            raise ConfigError(
                f"there is no joint '{printable(name)}'; joints are "
                f'{listed(robot.by_name)}{closest(name, robot.by_name)}'
            )
