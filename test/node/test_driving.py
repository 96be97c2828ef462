"""The node drives a robot: measured pose in, commands out, over the real middleware."""

from __future__ import annotations

import itertools
import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from harness import HAS_ROS, once, resent
from node_client import TWO, Client, new_context, tip

from ik2d_ros.control.settings import ARRAY, TRAJECTORY

if HAS_ROS:
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray
    from std_srvs.srv import SetBool, Trigger
    from trajectory_msgs.msg import JointTrajectory

EVERY = 1000  # messages that may wait: none is lost
RATE = 50.0
MOST_LOST = 0.5  # s that a command may come late, on a busy machine: after more the arm stops
JOINTS = ['shoulder', 'elbow']
SPEED = 1.0


def speeds(limit: float) -> dict[str, object]:
    return {f'chain.{joint}.max_velocity': limit for joint in JOINTS}


ARM: Mapping[str, object] = {
    **TWO,
    **speeds(SPEED),
    'publish_rate': RATE,
    'use_measured_state': True,
    'publish_joint_states': False,
}
WITH_GRIPPER: Mapping[str, object] = {**ARM, 'command_joints': ['elbow', 'gripper', 'shoulder']}
DRIVEN: Mapping[str, object] = {**ARM, 'command_out_type': ARRAY}
SLOW = speeds(0.3)
NEAR = (0.3, 0.2)


class Robot(Client):
    """A controller and the servos behind it, and a client of the node.

    Attributes:
        measured: where the joints stand, in rad.
        commands: the positions commanded so far, by joint.
        is_measuring: whether the measured positions are published.
    """

    def __init__(self, *client: Any, measured: Mapping[str, float]) -> None:
        super().__init__(*client, name='robot')
        self.measured = dict(measured)
        self.commands: list[dict[str, float]] = []
        self.is_measuring = True
        self._measured = self.node.create_publisher(JointState, '/measured_joint_states', 10)
        self.node.create_timer(0.02, self._tick)

    def obey(self, kind: str, joints: Sequence[str]) -> None:
        """Take the commands for a controller with these joints."""
        topic = f'{self.name}/command'
        self._joints = tuple(joints)
        message = JointTrajectory if kind == TRAJECTORY else Float64MultiArray
        self.taken = self.node.create_subscription(message, topic, self._on_command, EVERY)

    def _on_command(self, message: Any) -> None:
        is_array = isinstance(message, Float64MultiArray)
        positions = message.data if is_array else message.points[-1].positions
        self.commands.append(dict(zip(self._joints, positions, strict=True)))

    def _tick(self) -> None:
        for name, position in self.command.items():
            self.measured[name] += 0.5 * (position - self.measured[name])
        if self.is_measuring:
            names = [*self.measured][::-1]
            positions = [self.measured[name] for name in names]
            self._measured.publish(JointState(name=names, position=positions))

    def aim(self, point: tuple[float, float]) -> None:
        """Send a target, once the node listens."""
        self.wait(self.inputs[0].get_subscription_count, 'the subscription of targets')
        self.send((*point, 0.0), stamp=0)

    def go(self, point: tuple[float, float]) -> None:
        """Send a target until it is heard, and wait until the arm stands there."""
        send = resent(lambda: self.aim(point))
        self.wait(lambda: send() or self.is_at(point), f'the arm at {point}')

    def is_at(self, point: tuple[float, float]) -> bool:
        said = self.status
        if (said['code'], said['at_goal']) != ('REACHED', 'true'):
            return False
        return all(
            math.dist(tip((pose['shoulder'], pose['elbow'])), point) < 1e-3
            for pose in (self.measured, self.command)
        )

    @property
    def command(self) -> dict[str, float]:
        return self.commands[-1] if self.commands else self.measured


@pytest.fixture
def robot(ros_environment: int, spin_until: Any) -> Iterator[Robot]:
    """A robot far from home, with a gripper that does not stand at 0."""
    with new_context() as context:
        measured = {'shoulder': 1.0, 'elbow': -1.2, 'gripper': 0.7}
        robot = Robot(context, spin_until, measured=measured)
        yield robot
        robot.close()


def set_out(robot: Robot, parameters: Mapping[str, object]) -> None:
    """Begin to move from NEAR, or to it."""
    assert robot.set(parameters).successful
    count = len(robot.commands)
    goal = (0.3, -0.2) if robot.is_at(NEAR) else NEAR
    send = resent(lambda: robot.aim(goal))
    robot.wait(lambda: send() or len(robot.commands) > count + 5, 'a motion')


def test_a_robot_is_driven_from_where_it_stands(robot: Robot, start: Callable[..., Any]) -> None:
    robot.is_measuring = False
    robot.obey(TRAJECTORY, ['elbow', 'gripper', 'shoulder'])
    # At first, a robot that gets no processor for 0.25 s is not what this is about.
    tolerant = {'following_tolerance': 10.0, 'hold_velocity': 5.0}
    process, _ = start({**WITH_GRIPPER, **tolerant, 'command_out_type': TRAJECTORY})
    robot.wait_until_told('NO_STATE', 'no valid position of shoulder, elbow, gripper was received')
    assert robot.status['level'] == '2'
    robot.aim(NEAR)
    robot.wait_until_told('NO_STATE', 'The arm holds.')
    assert robot.commands == []

    # Now that the pose is known, the target that waits is answered, from there.
    robot.is_measuring = True
    robot.wait(lambda: robot.is_at(NEAR), 'the arm at the target that waited')
    for name, position in (('shoulder', 1.0), ('elbow', -1.2)):
        assert abs(robot.commands[0][name] - position) <= SPEED * MOST_LOST
    assert {command['gripper'] for command in robot.commands} == {0.7}
    robot.wait(lambda: float(robot.status['measured_error']) < 1e-3, 'the measured tip there')

    # The other joint is held where the parameter says, from then on.
    assert robot.set({'hold.gripper': 0.2}).successful
    robot.wait(lambda: robot.command['gripper'] == 0.2, 'the command for the gripper')
    assert robot.joint_states == []

    # A motion ends with the controller.
    set_out(robot, {**SLOW, 'hold_velocity': 0.5})
    robot.node.destroy_subscription(robot.taken)
    robot.wait_until_told('NOT_FOLLOWING', 'controller has ended')
    robot.wait(lambda: 'has ended or restarted' in process.output, 'a line in the log')


SMOOTH = {
    'chain.shoulder.max_acceleration': 0.6,
    'chain.elbow.max_acceleration': 0.6,
    **speeds(0.25),
}


def wait_until_braked(robot: Robot) -> None:
    """Wait for the last commands, which get slower until they stand."""

    def steps() -> list[float]:
        ends = [command['shoulder'] for command in robot.commands[-5:]]
        return [abs(b - a) for a, b in itertools.pairwise(ends)]

    allowed = 0.6 / RATE**2 * (1.0 + 1e-3)
    robot.wait(lambda: steps()[-1] <= allowed, 'the last command')
    assert all(after - before <= allowed for before, after in itertools.pairwise(steps()))


def test_a_signal_brakes_it_before_the_node_ends(robot: Robot, start: Callable[..., Any]) -> None:
    pytest.importorskip('ruckig', reason='ruckig is not installed')
    robot.obey(ARRAY, JOINTS)
    process, _ = start(DRIVEN)
    robot.wait_until_told('READY')
    set_out(robot, SMOOTH)
    before = process.stderr
    process.popen.send_signal(signal.SIGTERM)
    robot.wait(lambda: not process.is_running(), 'the end of the node')
    assert process.wait() == 0
    assert process.stderr == before
    wait_until_braked(robot)


def test_the_arm_is_handed_over_once_nothing_more_is_commanded(
    robot: Robot, start: Callable[..., Any]
) -> None:
    """Until it has braked, no other service waits; what another client then commands stays."""
    pytest.importorskip('ruckig', reason='ruckig is not installed')
    robot.obey(ARRAY, JOINTS)
    start(DRIVEN)
    robot.wait_until_told('READY')
    assert robot.status['commanding'] == 'false'
    # Of two answers that are there, the executor takes that of the first client.
    stop = robot.node.create_client(Trigger, f'{robot.name}/stop')
    enable = robot.node.create_client(SetBool, f'{robot.name}/enable')
    for client in (stop, enable):  # both are found before the arm moves: it brakes in a moment
        robot.wait(client.service_is_ready, 'the services')
    set_out(robot, SMOOTH)
    assert robot.status['commanding'] == 'true'
    asked_at, count = time.monotonic(), len(robot.commands)
    over = enable.call_async(SetBool.Request(data=False))
    stopped = stop.call_async(Trigger.Request())
    assert robot.wait(lambda: stopped.done() and stopped.result(), 'the arm to stop').success
    assert not over.done()
    answer = robot.wait(lambda: over.done() and over.result(), 'the arm to be handed over')
    assert answer.success
    assert len(robot.commands) > count + 2
    assert time.monotonic() - asked_at > 0.1
    wait_until_braked(robot)
    robot.wait(lambda: robot.status['commanding'] == 'false', 'the status')

    count = len(robot.commands)
    other = robot.node.create_publisher(Float64MultiArray, f'{robot.name}/command', 10)
    robot.wait(other.get_subscription_count, 'the controller')
    other.publish(Float64MultiArray(data=[0.9, -1.1]))
    robot.wait(lambda: abs(robot.measured['shoulder'] - 0.9) < 1e-3, 'the goal of another client')
    end = time.monotonic() + 0.3
    robot.wait(lambda: time.monotonic() > end, 'time to pass')
    assert len(robot.commands) == count + 1

    # It is taken back where the other client has left it.
    taken = robot.call(SetBool, 'enable', data=True)
    assert 'shoulder 0.9, elbow -1.1' in taken.message
    robot.go(NEAR)
    assert robot.commands[count + 1]['shoulder'] == pytest.approx(0.9, abs=0.01)


@once
def test_joint_states_are_a_command_too(robot: Robot, start: Callable[..., Any]) -> None:
    """A driver may take them: all of its joints, and none before there is something to do."""
    start({**WITH_GRIPPER, 'publish_joint_states': True, 'hold.gripper': 0.5})
    robot.wait_until_told('READY')
    assert robot.joint_states == []
    robot.aim(NEAR)
    state = robot.wait(lambda: robot.joint_states and robot.joint_states[0], 'joint_states')
    assert list(state.name) == ['elbow', 'gripper', 'shoulder']
    assert 0.5 <= state.position[1] <= 0.7  # it goes there like a joint
    assert abs(state.position[2] - 1.0) <= SPEED * MOST_LOST
