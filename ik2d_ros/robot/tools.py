"""Joints that are part of a tool at the end of an arm, or of a linkage beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ik2d_ros.robot.model import Robot, RobotJoint

_JAW = re.compile(r'finger|jaw|claw|thumb|knuckle', re.IGNORECASE)
_GRIPPER = re.compile(rf'grip|{_JAW.pattern}', re.IGNORECASE)
_FIXED = re.compile(r'fixed', re.IGNORECASE)
_WHEEL = re.compile(r'wheel|tire|tyre', re.IGNORECASE)


def tool_word(robot: Robot, joint: RobotJoint) -> str:
    """Return what a joint is part of: gripper, wheel or linkage; empty if it is of none.

    A joint that another one beside it follows is a gripper's, and so is the one that follows; but
    beside a joint that carries the rest of an arm, it is a linkage's, such as a balancer's. Two
    that slide beside one another at the end of an arm are jaws. Else the names tell, its own or
    that of the joint that it follows, as nothing else in the file does, unless they say the same
    of the whole arm, or it carries the whole gripper.
    """
    beside = [
        other
        for other in robot.below[joint.parent]
        if other is not joint and (_follows(joint, other) or _follows(other, joint))
    ]
    leader = joint if joint.mimic is None else robot.by_name[joint.mimic.joint]
    named = _word(joint) or _word(leader)
    word = 'gripper' if beside or _slides_as_jaw(robot, joint) else named
    if not word or _carries(robot, joint):
        return ''
    if beside:
        return 'linkage' if any(_carries(robot, other) for other in beside) else 'gripper'
    if word == 'gripper' and _carries_jaws(robot, joint):
        return ''
    others = [other for other in robot.upwards(joint.parent) if other.moves and not _word(other)]
    return word if len(others) > 1 else ''


def _follows(joint: RobotJoint, leader: RobotJoint) -> bool:
    return joint.mimic is not None and joint.mimic.joint == leader.name


def _slides_as_jaw(robot: Robot, joint: RobotJoint) -> bool:
    return joint.kind == 'prismatic' and any(
        other is not joint and other.kind == 'prismatic' and not _carries(robot, other)
        for other in robot.below[joint.parent]
    )


def _carries(robot: Robot, joint: RobotJoint) -> bool:
    """Return whether it carries joints that move by themselves and are of no tool."""
    return any(
        other.moves and other.mimic is None and not _word(other) for other in _behind(robot, joint)
    )


def _carries_jaws(robot: Robot, joint: RobotJoint) -> bool:
    """Return whether it carries joints beside one another that move by themselves: a gripper."""
    next_ones = _behind(robot, joint, past_moving=False)
    return sum(other.moves and not _follows(other, joint) for other in next_ones) > 1


def _word(joint: RobotJoint) -> str:
    # The joint before a fixed jaw is the wrist's: it carries the whole gripper.
    moves_jaw = _JAW.search(joint.child) and not _FIXED.search(joint.child)
    if moves_jaw or _GRIPPER.search(joint.name):
        return 'gripper'
    return 'wheel' if says_wheel(joint) else ''


def says_wheel(joint: RobotJoint) -> bool:
    """Return whether the names of a joint or of the link behind it tell of a wheel."""
    return _WHEEL.search(f'{joint.name} {joint.child}') is not None


def _behind(robot: Robot, joint: RobotJoint, past_moving: bool = True) -> Iterator[RobotJoint]:
    """Yield the joints that a joint carries; if asked to, none behind others that move."""
    waiting = [joint.child]
    while waiting:
        for other in robot.below[waiting.pop()]:
            yield other
            if past_moving or not other.moves:
                waiting.append(other.child)
