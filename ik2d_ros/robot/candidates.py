"""The links of a robot that an arm may end in, where the user names none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from ik2d_ros.parameters.checks import MOST_ITEMS, ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.choice import NOTHING_CHOSEN, Choice
from ik2d_ros.robot.finding import Found, check_names, find_arm
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.tools import says_wheel, tool_word

MOST_ENDS = 100  # of a robot; each is tried
LONGEST = 2000  # joints to all of them together

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
    leaves = list(islice(robot.ends(base), MOST_ENDS + 1))
    length = sum(joint.moves for leaf in leaves for joint in robot.upwards(leaf))
    if len(leaves) > MOST_ENDS or length > LONGEST:
        raise ConfigError(
            f'the robot has too many ends to try them all: choose one with {choice.wording.tip}'
        )
    ends = dict(_end(robot, base, leaf) for leaf in leaves)
    found: dict[str, Candidate] = {}
    for end, carries in ends.items():
        try:
            arm = find_arm(robot, base, end, choice)
        except ConfigError:
            if len(ends) == 1:
                raise  # there is no other, so this is what to mend
            continue
        joints = [joint.name for joint in arm.roles.by_prefix.values()]
        if len(joints) > 1 and end not in found and not _is_wheel(arm):
            rank = 4 * arm.ends_on_axis + 2 * (_SENSOR.search(end) is not None) + carries
            found[end] = Candidate(end, tuple(joints), rank)
    best: dict[tuple[str, ...], int] = {}
    for one in found.values():
        best[one.joints] = min(one.rank, best.get(one.joints, one.rank))
    return [
        one
        for one in found.values()
        if one.rank == best[one.joints] and not any(set(one.joints) < set(other) for other in best)
    ]


def _is_wheel(arm: Found) -> bool:
    """Return whether it is a wheel that is steered or sprung: one other joint moves its hub."""
    joints = arm.roles.by_prefix.values()
    return len(joints) == 2 and arm.ends_on_axis and says_wheel(arm.roles.chain[-1].joint)


def _end(robot: Robot, base: str, leaf: str) -> tuple[str, bool]:
    """Return the link where an arm to a leaf ends, and whether it carries a tool."""
    end, carries = leaf, False
    for joint in robot.upwards(leaf):
        if joint.child == base:
            break
        if joint.moves and tool_word(robot, joint):
            end, carries = joint.parent, True
    return end, carries


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
            f'with {choice.wording.tip} to see why'
        )
    shown = [
        f'{printable(one.tip)} ({", ".join(map(printable, one.joints))})'
        for one in found[:MOST_ITEMS]
    ]
    more = ', ...' if len(found) > MOST_ITEMS else ''
    raise ConfigError(
        f'the arm can end in several links: choose with {choice.wording.tip}: '
        f'{", ".join(shown)}{more}'
    )
