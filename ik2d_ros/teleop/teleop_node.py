"""The ROS node behind ``ik2d_teleop``: keys of the terminal, or a ``joy`` topic, jog the arm."""

from __future__ import annotations

import math
import os
import select
import signal
import sys
import termios
import time
import tty
from collections import deque

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState, Joy
from std_srvs.srv import Trigger

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.node.status import read
from ik2d_ros.parameters.checks import printable
from ik2d_ros.pilot.outcome import NO_PLACE, place_text
from ik2d_ros.pilot.parameters import OF_ANY_NODE
from ik2d_ros.ros import qos
from ik2d_ros.ros.other_nodes import READ_PERIOD, Parameters, RemoteParameters
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.teleop import hands
from ik2d_ros.teleop.hands import NOTHING, Hand, TeleopSettings

PERIOD = 1.0 / 30.0  # s between messages
HOLDING = 0.25  # s: a key that is held repeats within that, after a first pause
JOY_TIMEOUT = 0.5  # s without messages of the gamepad, after which it asks for nothing


class TeleopNode(ParameterNode[TeleopSettings]):
    """Jogs an arm, and shows its status in a line."""

    ignored = OF_ANY_NODE

    def __init__(self) -> None:
        """Read the parameters, and take the terminal if there is one."""
        super().__init__('ik2d_teleop', hands.PARAMETERS, hands.PARAMETERS.judge(TeleopSettings))
        arm = self.settings.arm
        self._hand, self._sent, self._until = NOTHING, NOTHING, 0.0
        self._names, self._place = list[str](), NO_PLACE  # of the joints, and of the tip
        self._speed, self._along_tip = 1.0, False  # share of the speeds; whether tip's axes count
        self._arm: ArmDescription | None = None
        self._remote = RemoteParameters(self, arm, self._on_parameters)
        self._twists = self.create_publisher(TwistStamped, f'{arm}/jog', qos.LATEST)
        self._velocities = self.create_publisher(JointState, f'{arm}/jog_joints', qos.LATEST)
        self._calls = {x: self.create_client(Trigger, f'{arm}/{x}') for x in ('stop', 'home')}
        self._poses = deque[str]()  # the calls of named poses, the next one first
        self.create_subscription(Joy, 'joy', self._on_joy, qos.LATEST_BEST_EFFORT)
        self.create_subscription(DiagnosticArray, f'{arm}/status', self._on_status, qos.EACH)
        self.create_subscription(JointState, 'joint_states', self._on_joints, qos.EACH)
        self._terminal = sys.stdin.fileno() if sys.stdin.isatty() else None
        if self._terminal is not None:
            self._before = termios.tcgetattr(self._terminal)
            tty.setcbreak(self._terminal)
            print(hands.HELP)
        self.create_timer(PERIOD, self._tick)
        self.poll_every(READ_PERIOD, self._remote.tick)
        self.get_logger().info(f'moves {arm} by keyboard and joy')

    def stop(self) -> bool:
        """Stop the arm, and give the terminal back; returns whether it was told."""
        self._send(NOTHING)
        if self._terminal is not None:
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)
            self._terminal = None
        return True

    def _on_joy(self, message: Joy) -> None:
        hand = hands.of_joy(message.axes, message.buttons, self.settings)
        if hand.call and hand.call != self._hand.call:
            self._call(hand.call)
        self._hand, self._until = hand, time.monotonic() + JOY_TIMEOUT

    def _on_parameters(self, parameters: Parameters | None) -> None:
        self._arm = arm_from_parameters(parameters) if parameters else None
        for name in parameters or ():
            call = '/'.join(name.split('.')[:2])
            if name.startswith('poses.') and call not in self._calls:
                self._calls[call] = self.create_client(Trigger, f'{self.settings.arm}/{call}')
                self._poses.append(call)

    def _on_joints(self, message: JointState) -> None:
        if not self._names:
            numbered = ', '.join(map('{} {}'.format, range(1, 10), message.name))
            self._print(f'joints: {numbered}', end='\n')
        self._names = [*message.name]
        joints = dict(zip(message.name, message.position, strict=False))
        if self._arm is not None and {*self._arm.names} <= {*joints}:
            self._place = self._arm.kinematics.tip([joints[name] for name in self._arm.names])

    def _on_status(self, message: DiagnosticArray) -> None:
        report = read(message.status[0])
        where = '' if math.isnan(self._place[0]) else f' at {place_text(self._place)} m'
        self._print(f'{report.code}{where}: {report.message}')

    def _tick(self) -> None:
        """Read keys, and send what hands ask for; a zero when they let go."""
        for key in self._keys():
            if key in ('x', '\x04'):  # Ctrl-D
                os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C
                return
            if key in hands.SPEED_FACTORS:
                speed = self._speed * hands.SPEED_FACTORS[key]
                self._speed = min(max(speed, hands.SLOWEST), hands.FASTEST)
                self._print(f'{self._speed * self.settings.tip_speed:.3g} m/s', end='\n')
            if key == 't':
                self._along_tip = not self._along_tip
                self._print(f"along the {'tip' if self._along_tip else 'base'}'s axes", end='\n')
            if key == 'p' and self._poses:
                self._print(self._poses[0], end='\n')
                self._call(self._poses[0])
                self._poses.rotate(-1)
            self._hand, self._until = hands.KEYS.get(key, NOTHING), time.monotonic() + HOLDING
            if self._hand.call:
                self._call(self._hand.call)
        self._send(self._hand if time.monotonic() <= self._until else NOTHING)

    def _send(self, hand: Hand) -> None:
        """Jog what the hand moves, with a zero for what only the last one moved."""
        settings, last = self.settings, self._sent
        tip_speed, speed = self._speed * settings.tip_speed, self._speed * settings.joint_speed
        self._sent = hand = hand.after(last)
        stamp = self.get_clock().now().to_msg()
        if any((*hand.linear, hand.turn, *last.linear, last.turn)):
            twist = TwistStamped()
            twist.header.stamp, linear, angular = stamp, twist.twist.linear, twist.twist.angular
            linear.x, linear.y, linear.z = (tip_speed * share for share in hand.linear)
            place = self._place
            if self._along_tip and any(hand.linear):
                twist.header.frame_id, place = settings.tip_frame, NO_PLACE
            angular.x, angular.y, angular.z = hands.turning(speed * hand.turn, place)
            self._twists.publish(twist)
        names = {**dict(enumerate(self._names[:9])), hands.GRIPPER: settings.gripper}
        shares = {names[i]: share for i, share in hand.joints.items() if i in names}
        if shares:
            jog = JointState(name=[*shares], velocity=[speed * each for each in shares.values()])
            jog.header.stamp = stamp
            self._velocities.publish(jog)

    def _call(self, name: str) -> None:
        client = self._calls[name]
        if client.service_is_ready():
            client.call_async(Trigger.Request())
        else:
            self._print(f'{self.settings.arm} offers no ~/{name}: is it running?')

    def _keys(self) -> list[str]:
        if self._terminal is None or not select.select([self._terminal], [], [], 0.0)[0]:
            return []
        return hands.keys_of(os.read(self._terminal, 1024).decode(errors='replace'))

    def _print(self, text: str, end: str = '') -> None:
        if self._terminal is not None:
            width = os.get_terminal_size(self._terminal).columns - 1
            print(f'\r\x1b[K{printable(text)[: None if end else width]}', end=end, flush=True)
