"""The links of a robot that an arm may end in, where the user names none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ik2d_ros.parameters.checks import MOST_ITEMS, ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.axes import STILL
from ik2d_ros.robot.choice import NOTHING_CHOSEN, Choice
from ik2d_ros.robot.finding import check_names, find_arm
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.tools import tool_word

MOST_ENDS = 100  # of a robot; each is tried

_SENSOR = re.compile(r'camera|imu|lidar|laser|sensor|optical', re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A link that an arm may end in.

    Attributes:
        tip: its name.
        joints: names of the arm's joints.
        rank: how unlikely it is meant: 0 is best.
    """

    tip: str
    joints: tuple[str, ...]
    rank: int


def candidates(robot: Robot, base: str, choice: Choice = NOTHING_CHOSEN) -> list[Candidate]:
    """Return the tips that an arm from a base link could have: at the ends of the robot.

    Behind a gripper's jaw, the link that carries the gripper counts as the end. Of the tips to
    which the same joints lead, only the likeliest are returned, and none on the way to another.

    Raises:
        ConfigError: there is only one end, and no arm leads there; or there are too many.
    """
    check_names(robot, base, choice)
    ends = dict(islice(_ends(robot, base), MOST_ENDS + 1))
    if len(ends) > MOST_ENDS:
        raise ConfigError(f'the robot has more than {MOST_ENDS} ends: choose one with --tip')
    found: dict[str, Candidate] = {}
    for end, carries in ends.items():
        try:
            arm = find_arm(robot, base, end, choice)
        except ConfigError:
            if len(ends) == 1:
                raise  # there is no other, so this is what to mend
            continue
        roles = arm.roles
        joints = [one.joint.name for one in (roles.turntable, roles.lift, *roles.planar) if one]
        if len(joints) > 1 and end not in found:
            still = max(map(abs, arm.geometry.links[-1])) < STILL
            rank = 4 * still + 2 * (_SENSOR.search(end) is not None) + carries
            found[end] = Candidate(end, tuple(joints), rank)
    best: dict[tuple[str, ...], int] = {}
    for one in found.values():
        best[one.joints] = min(one.rank, best.get(one.joints, one.rank))
    return [
        one
        for one in found.values()
        if one.rank == best[one.joints] and not any(set(one.joints) < set(other) for other in best)
    ]


def _ends(robot: Robot, base: str) -> Iterator[tuple[str, bool]]:
    """Yield links at the ends, and whether each is the carrier of a tool rather than a leaf."""
    for leaf in robot.ends(base):
        end, carries = leaf, False
        for joint in robot.upwards(leaf):
            if joint.child == base:
                break
            if joint.moves and tool_word(robot, joint):
                end, carries = joint.parent, True
        yield end, carries


def the_tip(robot: Robot, base: str, choice: Choice = NOTHING_CHOSEN) -> str:
    """Return the only link that an arm from a base link can end in.

    Raises:
        ConfigError: there is none, or there are several; the message lists them.
    """
    found = candidates(robot, base, choice)
    if len(found) == 1:
        return found[0].tip
    if not found:
        raise ConfigError(
            f"found no planar arm of two joints or more behind '{printable(base)}'; name its end "
            'with --tip to see why'
        )
    shown = [
        f'{printable(one.tip)} ({", ".join(map(printable, one.joints))})'
        for one in found[:MOST_ITEMS]
    ]
    more = ', ...' if len(found) > MOST_ITEMS else ''
    raise ConfigError(
        f'the arm can end in several links: choose with --tip: {", ".join(shown)}{more}'
    )
