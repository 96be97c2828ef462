"""What keys and gamepads say: shares of the speeds of tip and joints, and calls; no ROS imports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.teleop.parameters import TeleopSettings

HELP = (
    'w s a d or arrows: tip along x, y; r f: z; q e: tip angle; 1..9: joints, with shift back; '
    'o c: gripper; h: home; space: stop; x: end'
)
GRIPPER = -1  # in place of a joint's number


@dataclass(frozen=True)
class Hand:
    """What a hand asks for.

    Attributes:
        linear: x, y, z of the tip's velocity, in shares of ``tip_speed``.
        turn: velocity of the tip angle, in shares of ``joint_speed``.
        joints: velocities of joints, in the same, by the number of the joint, or ``GRIPPER``.
        call: the service to call; empty for none.
    """

    linear: Vector = (0.0, 0.0, 0.0)
    turn: float = 0.0
    joints: Mapping[int, float] = field(default_factory=dict)
    call: str = ''

    @property
    def moves(self) -> bool:
        """Whether anything is to move."""
        return any((*self.linear, self.turn, *self.joints.values()))


NOTHING = Hand()
ARROWS = {'\x1b[A': 'w', '\x1b[B': 's', '\x1b[D': 'a', '\x1b[C': 'd'}
KEYS = {
    'w': Hand((1.0, 0.0, 0.0)),
    's': Hand((-1.0, 0.0, 0.0)),
    'a': Hand((0.0, 1.0, 0.0)),
    'd': Hand((0.0, -1.0, 0.0)),
    'r': Hand((0.0, 0.0, 1.0)),
    'f': Hand((0.0, 0.0, -1.0)),
    'q': Hand(turn=1.0),
    'e': Hand(turn=-1.0),
    **{key: Hand(joints={i: 1.0}) for i, key in enumerate('123456789')},
    **{key: Hand(joints={i: -1.0}) for i, key in enumerate('!@#$%^&*(')},
    'o': Hand(joints={GRIPPER: 1.0}),
    'c': Hand(joints={GRIPPER: -1.0}),
    ' ': Hand(call='stop'),
    'h': Hand(call='home'),
}


def keys_of(text: str) -> list[str]:
    """Return the keys of what a terminal sent, arrows as the keys that do the same."""
    return [ARROWS.get(key, key) for key in re.findall(r'\x1b\[.|.', text, re.DOTALL)]


def of_joy(axes: Sequence[float], buttons: Sequence[int], settings: TeleopSettings) -> Hand:
    """Return what a gamepad asks for: only stop without the button that enables motion."""

    def axis(index: int) -> float:
        return axes[index] if 0 <= index < len(axes) and abs(axes[index]) > 0.05 else 0.0

    def is_down(index: int) -> bool:
        return 0 <= index < len(buttons) and bool(buttons[index])

    if is_down(settings.button_stop):
        return KEYS[' ']
    if not is_down(settings.button_enable):
        return NOTHING
    if is_down(settings.button_home):
        return KEYS['h']
    opening = is_down(settings.button_open) - is_down(settings.button_close)
    linear = axis(settings.axis_x), axis(settings.axis_y), axis(settings.axis_z)
    return Hand(linear, axis(settings.axis_angle), {GRIPPER: opening} if opening else {})
