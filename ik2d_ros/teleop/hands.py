"""What keys and gamepads say: shares of speeds, and calls; and the parameters; no ROS imports."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import POSITIVE, Text, Whole
from ik2d_ros.parameters.table import Table, rows_of, setting

HELP = """\
w s, a d  tip along x, y (or arrows)   1..9    joints, with shift back
r f       tip along z                  o c     gripper
q e       tip angle                    + -     faster, slower
t         along axes of base or tip    h home, p next pose, space stop, x end"""
GRIPPER = -1  # in place of a joint's number


@dataclass(frozen=True)
class TeleopSettings:
    """How the arm is moved by hand; the rows say what each is."""

    arm: str = setting('ik2d', Text(), "The arm's node", None)
    gripper: str = setting('gripper', Text(), "The gripper's joint", None)
    tip_frame: str = setting('tip', Text(), 'Frame in TF whose axes key t takes')
    tip_speed: float = setting(0.05, POSITIVE, 'Speed of the tip', unit='m/s')
    joint_speed: float = setting(0.5, POSITIVE, 'Speed of joints, tip angle', unit='rad/s')
    axis_x: int = setting(1, Whole(least=-1), 'Axis of the gamepad for x; -1: none')
    axis_y: int = setting(0, Whole(least=-1), 'Axis for y')
    axis_z: int = setting(4, Whole(least=-1), 'Axis for z')
    axis_angle: int = setting(3, Whole(least=-1), 'Axis for the tip angle')
    button_enable: int = setting(5, Whole(least=0), 'Button that must be held for any motion')
    button_open: int = setting(1, Whole(least=-1), 'Button that opens the gripper')
    button_close: int = setting(0, Whole(least=-1), 'Button that closes it')
    button_stop: int = setting(2, Whole(least=-1), 'Button that stops the arm')
    button_home: int = setting(3, Whole(least=-1), 'Button that sends it home')


PARAMETERS = Table(rows_of(TeleopSettings))


class Hand(NamedTuple):
    """What a hand asks for.

    Attributes:
        linear: x, y, z of the tip's velocity, in shares of ``tip_speed``.
        turn: velocity of the tip angle, in shares of ``joint_speed``.
        joints: velocities of joints, in the same, by the number of the joint, or ``GRIPPER``.
        call: the service to call; empty for none.
    """

    linear: Vector = (0.0, 0.0, 0.0)
    turn: float = 0.0
    joints: Mapping[int, float] = {}
    call: str = ''

    def after(self, last: Hand) -> Hand:
        """Return the same, with a zero for each joint that only the last hand moved."""
        let_go = {i: 0.0 for i, share in last.joints.items() if share}
        return self._replace(joints={**let_go, **self.joints})


NOTHING = Hand()
SPEED_FACTORS = {'+': 1.25, '=': 1.25, '-': 0.8, '_': 0.8}
SLOWEST, FASTEST = 0.01, 10.0  # in shares of the speeds
ARROWS = {'\x1b[A': 'w', '\x1b[B': 's', '\x1b[D': 'a', '\x1b[C': 'd'}
WAYS = (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)
KEYS = {
    **{key: Hand(way) for key, way in zip('wsadrf', WAYS, strict=True)},
    **{key: Hand(turn=turn) for key, turn in (('q', 1.0), ('e', -1.0))},
    **{key: Hand(joints={i: 1.0}) for i, key in enumerate('123456789')},
    **{key: Hand(joints={i: -1.0}) for i, key in enumerate('!@#$%^&*(')},
    'o': Hand(joints={GRIPPER: 1.0}),
    'c': Hand(joints={GRIPPER: -1.0}),
    **{key: Hand(call=name) for key, name in ((' ', 'stop'), ('h', 'home'))},
}


def keys_of(text: str) -> list[str]:
    """Return the keys of what a terminal sent, arrows as the keys that do the same."""
    return [ARROWS.get(key, key) for key in re.findall(r'\x1b\[.|.', text, re.DOTALL)]


def of_joy(axes: Sequence[float], buttons: Sequence[int], settings: TeleopSettings) -> Hand:
    """Return what a gamepad asks for: only stop without the button that enables motion."""
    shares = {i: share for i, share in enumerate(axes) if abs(share) > 0.05}
    down = {i for i, button in enumerate(buttons) if button}
    if settings.button_stop in down:
        return KEYS[' ']
    if settings.button_enable not in down:
        return NOTHING
    if settings.button_home in down:
        return KEYS['h']
    opening = (settings.button_open in down) - (settings.button_close in down)
    along = settings.axis_x, settings.axis_y, settings.axis_z
    x, y, z, turn = (shares.get(i, 0.0) for i in (*along, settings.axis_angle))
    return Hand((x, y, z), turn, {GRIPPER: opening} if opening else {})


def turning(turn: float, place: Vector) -> Vector:
    """Return the angular velocity that turns a tip at a place, in a level or an upright plane."""
    x, y, _ = place
    away = math.hypot(x, y)  # NaN where it is not known
    return (-turn * y / away, turn * x / away, turn) if away > 0.0 else (0.0, 0.0, turn)
