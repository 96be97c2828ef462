"""The links of a robot that an arm may end in, where the user names none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ik2d_ros.parameters.checks import MOST_ITEMS, ConfigError, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.choice import NOTHING_CHOSEN, Choice
from ik2d_ros.robot.finding import Found, check_names, find_arm
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.route import find_route
from ik2d_ros.robot.tools import says_wheel, tool_word

MOST_ENDS = 100  # of a robot; each is tried
LONGEST = 2000  # joints to all of them together

# How unlikely a tip is: what carries a tool, or the wheel itself, which is better than a link whose
# origin is on the axis of the joint before, or that nothing moves, as a head that pans and tilts.
_CARRIER, _HUB, _TOOLLESS, _ON_AXIS, _STANDS = 1, 2, 4, 8, 16

# Links that carry no tool: a sensor, or a body by which collisions are found.
_NO_TOOL = re.compile(r'camera|imu|lidar|laser|sensor|optical|collision|_sc$', re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A link that an arm may end in.

    Attributes:
        tip: its name.
        joints: names of the arm's joints.
        rank: how unlikely it is meant: 0 is best.
        before: name of the last joint before it that moves.
    """

    tip: str
    joints: tuple[str, ...]
    rank: int
    before: str


@dataclass(frozen=True)
class Search:
    """What the ends of a robot were found to be.

    Attributes:
        found: the tips that an arm could have.
        refused: why no arm leads to others, by link.
    """

    found: list[Candidate]
    refused: dict[str, ConfigError]


def search_ends(robot: Robot, base: str, choice: Choice = NOTHING_CHOSEN) -> Search:
    """Return which ends of a robot are tips that an arm from a base link could have.

    Behind a gripper's jaw, the link that carries the gripper counts as the end, and so does a wheel
    at its hub. Of the tips to which the same joints lead, only the likeliest are returned, and none
    on the way to another.

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
    ends = dict(pair for leaf in leaves for pair in _ends(robot, base, leaf))
    alone = sum(tool != _HUB for tool in ends.values()) == 1
    found: dict[str, Candidate] = {}
    refused: dict[str, ConfigError] = {}
    for end, tool in ends.items():
        try:
            arm = find_arm(robot, base, end, choice)
        except ConfigError as error:
            if alone and tool != _HUB:
                raise  # there is no other, so this is what to mend
            if _moving(robot, base, end) > 1:
                refused[end] = error
            continue
        joints = [joint.name for joint in arm.roles.by_prefix.values()]
        if len(joints) > 1 and end not in found and not _is_wheel(arm):
            no_tool = _NO_TOOL.search(end) is not None
            rank = _ON_AXIS * arm.ends_on_axis + _TOOLLESS * no_tool + tool
            rank += _STANDS * arm.moves_nothing
            before = next(joint.name for joint in robot.upwards(end) if joint.moves)
            found[end] = Candidate(end, tuple(joints), rank, before)
    best: dict[tuple[str, ...], int] = {}
    for one in found.values():
        best[one.joints] = min(one.rank, best.get(one.joints, one.rank))
    likely = [one for one in found.values() if one.rank == best[one.joints]]
    return Search(
        [one for one in likely if not any(_hides(other, one) for other in likely)], refused
    )


def _hides(other: Candidate, one: Candidate) -> bool:
    """Return whether a tip is on the way to another, which a tool is not to a camera beside it."""
    beside = other.before == one.before and other.rank & _TOOLLESS > one.rank & _TOOLLESS
    return set(one.joints) < set(other.joints) and not beside


def _moving(robot: Robot, base: str, end: str) -> int:
    """Return how many joints move between two links; 0 if none of them turns."""
    joints = find_route(robot, base, end).joints
    return sum(joint.moves for joint in joints) if any(joint.turns for joint in joints) else 0


def _is_wheel(arm: Found) -> bool:
    """Return whether it is a wheel that is steered or sprung: one other joint moves its hub."""
    joints = arm.roles.by_prefix.values()
    return len(joints) == 2 and arm.ends_on_axis and says_wheel(arm.roles.chain[-1].joint)


def _ends(robot: Robot, base: str, leaf: str) -> Iterator[tuple[str, int]]:
    """Yield the links where an arm to a leaf may end, and how unlikely a tool makes each."""
    end, tool, hub = leaf, 0, ''
    for joint in robot.upwards(leaf):
        if joint.child == base:
            break
        word = tool_word(robot, joint) if joint.moves else ''
        if word:
            end, tool = joint.parent, _CARRIER
        if word == 'wheel':
            hub = joint.child
    yield end, tool
    if hub:
        yield hub, _HUB


def the_tip(robot: Robot, base: str, choice: Choice = NOTHING_CHOSEN) -> str:
    """Return the only link that an arm from a base link can end in.

    Raises:
        ConfigError: there is none, or there are several; the message lists them.
    """
    search = search_ends(robot, base, choice)
    found, refused = [one for one in search.found if one.rank < _STANDS], search.refused
    found = found or search.found
    if len(found) == 1:
        return found[0].tip
    if not found:
        why = f'; name its end with {choice.wording.tip} to see why'
        if refused:
            longest = max(refused, key=lambda end: _moving(robot, base, end))
            why = f"; on the way to '{printable(longest)}', {refused[longest]}"
        raise ConfigError(
            f"found no planar arm of two joints or more behind '{printable(base)}'{why}"
        )
    shown = [
        f'{printable(one.tip)} ({", ".join(map(printable, one.joints))})'
        for one in found[:MOST_ITEMS]
    ]
    more = ', ...' if len(found) > MOST_ITEMS else ''
    none = f'; none leads to {listed(refused)}: name one of these to see why' if refused else ''
    raise ConfigError(
        f'the arm can end in several links: choose with {choice.wording.tip}: '
        f'{", ".join(shown)}{more}{none}'
    )
