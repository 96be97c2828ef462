"""Joints that are part of a tool at the end of an arm: the jaws of a gripper, a wheel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ik2d_ros.robot.model import Robot, RobotJoint

_JAW = re.compile(r'finger|jaw|claw|thumb|knuckle', re.IGNORECASE)
_GRIPPER = re.compile(rf'grip|{_JAW.pattern}', re.IGNORECASE)
_WHEEL = re.compile(r'wheel|tire|tyre', re.IGNORECASE)


def tool_word(robot: Robot, joint: RobotJoint) -> str:
    """Return what tool a joint is part of: gripper or wheel; empty if it is of none.

    A joint that another one beside it follows is a gripper's, and so is the one that follows. Else
    the names tell, as nothing else in the file does, unless they say the same of the whole arm.
    """
    for other in robot.below[joint.parent]:
        for one, leader in ((joint, other), (other, joint)):
            if one.mimic is not None and one.mimic.joint == leader.name and one is not leader:
                return 'gripper'
    word = _word(joint)
    if not word:
        return ''
    if any(
        other.moves and other.mimic is None and not _word(other) for other in _behind(robot, joint)
    ):
        return ''  # it carries the tool
    others = [other for other in robot.upwards(joint.parent) if other.moves and not _word(other)]
    return word if len(others) > 1 else ''


def _word(joint: RobotJoint) -> str:
    if _GRIPPER.search(joint.name) or _JAW.search(joint.child):
        return 'gripper'
    return 'wheel' if _WHEEL.search(f'{joint.name} {joint.child}') else ''


def _behind(robot: Robot, joint: RobotJoint) -> Iterator[RobotJoint]:
    waiting = [joint.child]
    while waiting:
        for other in robot.below[waiting.pop()]:
            yield other
            waiting.append(other.child)
