"""The ROS node behind ``ik2d_teleop``: keys of the terminal, or a ``joy`` topic, jog the arm."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
import tty

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState, Joy
from std_srvs.srv import Trigger

from ik2d_ros.node.status import read
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS
from ik2d_ros.pilot.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.teleop.hands import HELP, KEYS, NOTHING, Hand, keys_of, of_joy
from ik2d_ros.teleop.parameters import PARAMETERS, TeleopSettings, settings_from_parameters

PERIOD = 1.0 / 30.0  # s between messages
HOLDING = 0.25  # s: a key that is held repeats within that, after a first pause
JOY_TIMEOUT = 0.5  # s without messages of the gamepad, after which it asks for nothing
ENDS = ('x', '\x04')  # the latter is Ctrl-D


class TeleopNode(ParameterNode[TeleopSettings]):
    """Jogs an arm, and shows its status in a line.

    Raises:
        ConfigError: a parameter is refused.
    """

    def __init__(self) -> None:
        """Read the parameters, and take the terminal if there is one."""
        super().__init__(
            'ik2d_teleop',
            PARAMETERS,
            settings_from_parameters,
            neighbours=[NODE_PARAMETERS, FLEET_PARAMETERS],
        )
        arm = self.settings.arm
        self._hand, self._until, self._was_moving = NOTHING, 0.0, False
        self._names: list[str] = []
        self._twists = self.create_publisher(TwistStamped, f'{arm}/jog', qos.LATEST)
        self._velocities = self.create_publisher(JointState, f'{arm}/jog_joints', qos.LATEST)
        self._calls = {
            name: self.create_client(Trigger, f'{arm}/{name}') for name in ('stop', 'home')
        }
        self.create_subscription(Joy, 'joy', self._on_joy, qos.LATEST_BEST_EFFORT)
        self.create_subscription(DiagnosticArray, f'{arm}/status', self._on_status, qos.EACH)
        self.create_subscription(JointState, 'joint_states', self._on_joints, qos.EACH)
        self._terminal = sys.stdin.fileno() if sys.stdin.isatty() else None
        if self._terminal is not None:
            self._before = termios.tcgetattr(self._terminal)
            tty.setcbreak(self._terminal)
            self._print(HELP, end='\n')
        self.create_timer(PERIOD, self._tick)
        self.get_logger().info(f'moves {arm} by keyboard and joy')

    def stop(self) -> bool:
        """Stop the arm, and give the terminal back; returns whether it was told."""
        if self._was_moving or self._hand is not NOTHING:
            self._hand, self._until = NOTHING, 0.0
            self._send(NOTHING)
        if self._terminal is not None:
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)
            self._terminal = None
        return True

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Go on with the new settings."""
        del effects

    def _on_joy(self, message: Joy) -> None:
        hand = of_joy(message.axes, message.buttons, self.settings)
        if hand.call and hand.call != self._hand.call:
            self._call(hand.call)
        self._hand, self._until = hand, time.monotonic() + JOY_TIMEOUT

    def _on_joints(self, message: JointState) -> None:
        if not self._names:
            numbers = ', '.join(f'{i} {name}' for i, name in enumerate(message.name[:9], 1))
            self._print(f'joints: {numbers}', end='\n')
        self._names = [*message.name]

    def _on_status(self, message: DiagnosticArray) -> None:
        report = read(message.status[0])
        self._print(f'{report.code}: {report.message}')

    def _tick(self) -> None:
        """Read keys, and send what hands ask for; a zero when they let go."""
        for key in self._keys():
            if key in ENDS:
                os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C
                return
            self._hand, self._until = KEYS.get(key, NOTHING), time.monotonic() + HOLDING
            if self._hand.call:
                self._call(self._hand.call)
        if time.monotonic() > self._until:
            self._hand = NOTHING
        self._send(self._hand)

    def _send(self, hand: Hand) -> None:
        if not hand.moves and not self._was_moving:
            return
        self._was_moving = hand.moves
        stamp, turning = self.get_clock().now().to_msg(), self.settings.joint_speed
        if hand.joints:
            names = [*self._names[:9], self.settings.gripper]
            message = JointState()
            message.header.stamp = stamp
            for which, share in hand.joints.items():
                if which < len(names) - 1:  # the last one is the gripper
                    message.name.append(names[which])
                    message.velocity.append(share * turning)
            self._velocities.publish(message)
            return
        twist = TwistStamped()
        twist.header.stamp = stamp
        linear, speed = twist.twist.linear, self.settings.tip_speed
        linear.x, linear.y, linear.z = (speed * share for share in hand.linear)
        twist.twist.angular.z = turning * hand.turn
        self._twists.publish(twist)

    def _call(self, name: str) -> None:
        client = self._calls[name]
        if client.service_is_ready():
            client.call_async(Trigger.Request())
        else:
            self._print(f'{self.settings.arm} offers no ~/{name}: is it running?')

    def _keys(self) -> list[str]:
        """Return the keys that were pressed since the last look."""
        terminal = self._terminal
        if terminal is None or not select.select([terminal], [], [], 0.0)[0]:
            return []
        return keys_of(os.read(terminal, 1024).decode(errors='replace'))

    def _print(self, text: str, end: str = '') -> None:
        """Show a line in place of the one before."""
        if self._terminal is not None:
            width = os.get_terminal_size(self._terminal).columns - 1
            sys.stdout.write(f'\r\x1b[K{printable(text)[:width]}{end}')
            sys.stdout.flush()
