"""What keys and gamepads say: velocities of tip and joints, and calls; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.teleop.parameters import TeleopSettings

TIP = {
    'w': (1, 0, 0),
    's': (-1, 0, 0),
    'a': (0, 1, 0),
    'd': (0, -1, 0),
    '\x1b[A': (1, 0, 0),
    '\x1b[B': (-1, 0, 0),
    '\x1b[D': (0, 1, 0),
    '\x1b[C': (0, -1, 0),
    'r': (0, 0, 1),
    'f': (0, 0, -1),
}
"""Directions of the tip in the base frame, by keys; the last ones are the arrows."""

TURNS = {'q': 1.0, 'e': -1.0}
JOINTS = {
    **{key: (i, 1.0) for i, key in enumerate('123456789')},
    **{key: (i, -1.0) for i, key in enumerate('!@#$%^&*(')},
}
GRIPPER = {'o': 1.0, 'c': -1.0}
CALLS = {' ': 'stop', 'h': 'home'}

HELP = (
    'w s a d or arrows: tip along x, y; r f: z; q e: tip angle; 1..9: joints, with shift back; '
    'o c: gripper; h: home; space: stop; x: end'
)


@dataclass(frozen=True)
class Hand:
    """What a hand asks for.

    Attributes:
        linear: x, y, z of the tip's velocity in m/s.
        turn: velocity of the tip angle in rad/s.
        joints: velocities of joints in rad/s, by the number of the joint, or ``gripper``.
        call: the service to call; empty for none.
    """

    linear: Vector = (0.0, 0.0, 0.0)
    turn: float = 0.0
    joints: Mapping[int | str, float] = field(default_factory=dict)
    call: str = ''

    @property
    def moves_tip(self) -> bool:
        """Whether the tip is to move."""
        return any((*self.linear, self.turn))


NOTHING = Hand()


def of_key(key: str, settings: TeleopSettings) -> Hand:
    """Return what a key asks for; nothing for an unknown one."""
    if key in TIP:
        x, y, z = (settings.tip_speed * part for part in TIP[key])
        return Hand((x, y, z))
    if key in TURNS:
        return Hand(turn=settings.joint_speed * TURNS[key])
    if key in JOINTS:
        number, sign = JOINTS[key]
        return Hand(joints={number: settings.joint_speed * sign})
    if key in GRIPPER:
        return Hand(joints={'gripper': settings.joint_speed * GRIPPER[key]})
    return Hand(call=CALLS.get(key, ''))


def of_joy(axes: Sequence[float], buttons: Sequence[int], settings: TeleopSettings) -> Hand:
    """Return what a gamepad asks for: only stop without the button that enables motion."""

    def axis(index: int) -> float:
        return axes[index] if 0 <= index < len(axes) and abs(axes[index]) > 0.05 else 0.0

    def is_down(index: int) -> bool:
        return 0 <= index < len(buttons) and bool(buttons[index])

    if is_down(settings.button_stop):
        return Hand(call='stop')
    if not is_down(settings.button_enable):
        return NOTHING
    if is_down(settings.button_home):
        return Hand(call='home')
    opening = is_down(settings.button_open) - is_down(settings.button_close)
    indices = settings.axis_x, settings.axis_y, settings.axis_z
    x, y, z = (settings.tip_speed * axis(index) for index in indices)
    joints: dict[int | str, float] = {'gripper': settings.joint_speed * opening} if opening else {}
    return Hand((x, y, z), settings.joint_speed * axis(settings.axis_angle), joints)


def keys_of(text: str) -> list[str]:
    """Return the keys of what a terminal sent, an arrow as one key."""
    keys, rest = [], text
    while rest:
        size = 3 if rest.startswith('\x1b[') else 1
        keys.append(rest[:size])
        rest = rest[size:]
    return keys
