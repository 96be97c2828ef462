"""The node drives a robot: measured pose in, commands out, over the real middleware.

The robot is a simple servo in this process. Every command that it gets is held to the strict rules
of a sender.
"""

from __future__ import annotations

import itertools
import math
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness import HAS_ROS
from node_client import Client, new_context, parameter_file
from node_client import tip as tip_of
from strict import Stance, array_fault, trajectory_fault
from transforms import Transforms, with_tf

from ik2d_ros.sim.controllers import read_trajectory

if HAS_ROS:
    import rclpy
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray
    from std_srvs.srv import Trigger
    from trajectory_msgs.msg import JointTrajectory

    EVERY = QoSProfile(depth=1000)

TRAJECTORY, ARRAY = 'trajectory_msgs/JointTrajectory', 'std_msgs/Float64MultiArray'
SPEED, RATE = 4.0, 50.0


def speeds(limit: float) -> dict[str, object]:
    return {f'chain.{joint}.max_velocity': limit for joint in ('shoulder', 'elbow')}


ARM: Mapping[str, object] = {
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': -2.6,
    'chain.shoulder.max_position': 2.6,
    'chain.elbow.length': 0.25,
    'chain.elbow.min_position': -2.6,
    'chain.elbow.max_position': 2.6,
    **speeds(SPEED),
    'publish_rate': RATE,
    'use_measured_state': True,
    'publish_joint_states': False,
}
WITH_GRIPPER: Mapping[str, object] = {**ARM, 'command_joints': ['elbow', 'gripper', 'shoulder']}
NEAR, OTHER = (0.3, 0.2), (0.1, -0.35)
LATEST_TICK = 5  # periods that a command may come late, on a busy machine


class Robot(Client):
    """A controller and the servos behind it, and a client of the node.

    Attributes:
        measured: where the joints stand, in rad.
        commands: the positions commanded so far, by joint.
        commanded_at: when the last one came, in s.
        faults: what was wrong with them.
        is_measuring: whether the measured positions are published.
        is_active: whether the servos go where they are commanded.
    """

    def __init__(self, context: Any, spin_until: Callable[..., Any], **measured: float) -> None:
        super().__init__(context, spin_until, name='robot')
        self.measured = dict(measured)
        self.commands: list[dict[str, float]] = []
        self.faults: list[str] = []
        self.is_measuring = self.is_active = True
        self._released, self.commanded_at = 0, time.monotonic()
        self._recent = deque([self.measured], maxlen=25)
        self._measured = self.node.create_publisher(JointState, '/measured_joint_states', 10)
        self.node.create_timer(0.02, self._tick)

    def obey(self, kind: str, joints: Sequence[str], topic: str = '/ik2d/command') -> None:
        """Take the commands for a controller with these joints."""
        self._joints = tuple(joints)
        message = JointTrajectory if kind == TRAJECTORY else Float64MultiArray
        self._taken = self.node.create_subscription(message, topic, self._on_command, EVERY)

    def leave(self) -> None:
        """Take no more commands, like a controller that has ended."""
        self.node.destroy_subscription(self._taken)

    def _on_command(self, message: Any) -> None:
        joints = self._joints
        is_array = isinstance(message, Float64MultiArray)
        before = Stance(
            joints=joints,
            period=(LATEST_TICK if is_array else 1) / RATE,
            limits={'shoulder': (-2.6, 2.6), 'elbow': (-2.6, 2.6)},
            max_velocity={'shoulder': SPEED, 'elbow': SPEED},
            last=self.commands[-1] if self.commands else {},
        )
        # The node has measured some time ago.
        stances = [replace(before, measured=measured) for measured in self._recent]
        if is_array:
            faults = [array_fault(message.data, stance) for stance in stances]
            command = dict(zip(joints, message.data, strict=True))
        else:
            trajectory = read_trajectory(message)
            faults = [trajectory_fault(trajectory, stance, self.now()) for stance in stances]
            command = dict(zip(joints, trajectory.points[-1].positions, strict=True))
        if all(faults):
            self.faults += faults[-1:]
        self.commands.append(command)
        self.commanded_at = time.monotonic()

    def _tick(self) -> None:
        if self.is_active and len(self.commands) > self._released:
            for name, position in self.commands[-1].items():
                self.measured[name] += 0.5 * (position - self.measured[name])
        self._recent.append(dict(self.measured))
        if self.is_measuring:
            pairs = list(self.measured.items())[::-1]
            self.measure([name for name, _ in pairs], [position for _, position in pairs])

    def measure(self, names: list[str], positions: list[float]) -> None:
        """Publish measured positions, however wrong."""
        self._measured.publish(JointState(name=names, position=positions))

    def move_by_hand(self, **positions: float) -> None:
        """Let go of the joints until the next command, and move them."""
        self._released = len(self.commands)
        self.measured |= positions

    def has_told(self, **positions: float) -> bool:
        """Whether joints have been measured at positions for a while."""
        return len(self._recent) > 5 and all(
            measured[name] == position
            for measured in list(self._recent)[-5:]
            for name, position in positions.items()
        )

    def aim(self, point: tuple[float, float]) -> None:
        """Send a target, once the node listens."""
        self.wait(self.inputs[0].get_subscription_count, 'the subscription of targets')
        self.send((*point, 0.0), stamp=0)

    def go(self, point: tuple[float, float]) -> None:
        """Send a target until it is heard, and wait until the arm stands there."""
        sent = -math.inf

        def is_there() -> bool:
            nonlocal sent
            if time.monotonic() - sent > 1.0:
                sent = time.monotonic()
                self.aim(point)
            return self.is_at(point)

        self.wait(is_there, f'the arm at {point}')

    def idle(self, seconds: float) -> None:
        """Let time pass, while messages arrive."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, f'the end of {seconds} s')

    def is_at(self, point: tuple[float, float]) -> bool:
        said = self.status
        if (said['code'], said['at_goal']) != ('REACHED', 'true'):
            return False
        return all(math.dist(tip(pose), point) < 1e-3 for pose in (self.measured, self.command))

    @property
    def command(self) -> dict[str, float]:
        return self.commands[-1] if self.commands else self.measured


def tip(positions: Mapping[str, float]) -> tuple[float, float]:
    return tip_of((positions['shoulder'], positions['elbow']))


@pytest.fixture
def robot(ros_environment: int, spin_until: Any) -> Iterator[Robot]:
    """A robot far from home, with a gripper that does not stand at 0."""
    with new_context() as context:
        robot = Robot(context, spin_until, shoulder=1.0, elbow=-1.2, gripper=0.7)
        yield robot
        robot.close()


@pytest.fixture
def start(start_process: Any, tmp_path: Path) -> Callable[..., Any]:
    """``start(parameters) -> process`` of the node, ready."""

    def start_node(
        parameters: Mapping[str, object], program: Sequence[str] = ('-m', 'ik2d_ros.node')
    ) -> Any:
        file = parameter_file(tmp_path / 'arm.yaml', parameters)
        process = start_process(*program, '--ros-args', '--params-file', file, env=with_tf())
        process.wait_for_output('ready')
        return process

    return start_node


def assert_begins_at(command: Mapping[str, float], **positions: float) -> None:
    """The first command is one step from where the joints stand."""
    for name, position in positions.items():
        assert abs(command[name] - position) <= SPEED * LATEST_TICK / RATE


@pytest.mark.parametrize('kind', [TRAJECTORY, ARRAY])
def test_a_robot_is_driven_from_where_it_stands(
    robot: Robot, start: Callable[..., Any], kind: str
) -> None:
    robot.is_measuring = False
    robot.obey(kind, ['elbow', 'gripper', 'shoulder'])
    # At first, a robot that gets no processor for 0.25 s is not what this is about.
    tolerant = {'following_tolerance': 10.0, 'hold_velocity': 5.0}
    process = start({**WITH_GRIPPER, **tolerant, 'command_out_type': kind})
    robot.wait_until_told('NO_STATE', 'no position of shoulder, elbow, gripper was received')
    assert robot.status['level'] == '2'

    # Useless messages, and one with a part of the joints: the target waits.
    robot.wait(robot._measured.get_subscription_count, 'the subscription of measurements')
    robot.aim(NEAR)
    robot.wait_until_told('NO_STATE', 'shoulder, elbow, gripper', 'The arm holds.')

    def measure_badly() -> None:
        robot.measure(['elbow', 'shoulder', 'wheel'], [-1.2, math.nan, math.nan])
        robot.measure(['elbow', 'shoulder'], [-1.2])
        robot.measure([], [])

    timer = robot.node.create_timer(0.05, measure_badly)
    robot.wait_until_told('NO_STATE', 'no position of shoulder, gripper was received')
    robot.node.destroy_timer(timer)
    assert robot.commands == []

    # Now that the pose is known, the target that waits is answered, from there.
    robot.is_measuring = True
    robot.wait(lambda: robot.is_at(NEAR), 'the arm at the target that waited')
    assert_begins_at(robot.commands[0], shoulder=1.0, elbow=-1.2)
    assert {command['gripper'] for command in robot.commands} == {0.7}
    robot.wait(lambda: float(robot.status['measured_error']) < 1e-3, 'the measured tip there')
    assert process.output.count('is nan') == 1

    # At the goal there is silence; moved by hand, the arm goes on from where it is.
    assert robot.set({'following_tolerance': 0.1}).successful
    count = len(robot.commands)
    robot.move_by_hand(shoulder=-1.5, elbow=1.0)
    robot.wait(lambda: robot.has_told(shoulder=-1.5, elbow=1.0), 'the measured pose to be told')
    robot.idle(0.2)
    assert len(robot.commands) == count
    robot.go(OTHER)
    assert_begins_at(robot.commands[count], shoulder=-1.5, elbow=1.0)

    # A target is told again, though nothing moves.
    count = len(robot.commands)
    robot.aim(OTHER)
    robot.wait(lambda: len(robot.commands) > count, 'the command for a repeated target')

    # The other joint is held where the parameter says, from then on.
    assert robot.set({'hold.gripper': 0.2}).successful
    robot.wait(lambda: robot.command['gripper'] == 0.2, 'the command for the gripper')
    assert robot.set({'hold.gripper': math.nan}).successful
    robot.wait(lambda: robot.command['gripper'] == 0.7, 'the first measured position')
    assert robot.faults == []
    assert robot.joint_states == []


@pytest.mark.parametrize('kind', [TRAJECTORY, ARRAY])
def test_a_path_is_driven_along_and_ends_with_the_measurements(
    robot: Robot, start: Callable[..., Any], kind: str
) -> None:
    robot.obey(kind, ['shoulder', 'elbow'])
    start({**ARM, 'command_out_type': kind, 'path_speed': 0.4})
    robot.wait_until_told('READY')  # a path is lost if it is sent before both sides are matched
    path = [(*NEAR, 0.0), (NEAR[0], 0.0, 0.0)]
    robot.send_path(path)
    robot.wait(lambda: robot.is_at((NEAR[0], 0.0)), 'the end of the path')
    assert robot.status['path_progress'] == '1.0'
    tips = [tip(command) for command in robot.commands]
    first = min(range(len(tips)), key=lambda i: math.dist(tips[i], NEAR))
    assert max(abs(x - NEAR[0]) for x, _ in tips[first:]) < 1.1e-4
    heights = [y for _, y in tips[first:]]
    assert heights == sorted(heights, reverse=True)

    assert robot.set({'path_speed': 0.1}).successful
    robot.send_path(path)
    robot.wait(lambda: 0.1 < float(robot.status['path_progress']) < 0.9, 'half of the path')
    robot.is_measuring = False
    robot.wait_until_told('NO_STATE', 'for more than 0.5 s')
    robot.is_measuring = True
    robot.wait_until_told('READY')
    assert_nothing_moves(robot)
    assert 0.01 < tip(robot.command)[1] < 0.19
    assert_it_moves(robot)
    assert robot.faults == []


def test_a_motion_that_has_waited_starts_where_the_arm_is_by_then(
    robot: Robot, start: Callable[..., Any]
) -> None:
    start({**ARM, 'command_out_type': ARRAY})
    robot.wait_until_told('READY')
    robot.aim(NEAR)
    robot.wait_until_told('REACHED', 'Moving: ')
    robot.idle(0.2)
    robot.move_by_hand(shoulder=-1.0)
    robot.obey(ARRAY, ['shoulder', 'elbow'])
    robot.wait(lambda: robot.is_at(NEAR), 'the arm at its target')
    assert_begins_at(robot.commands[0], shoulder=-1.0, elbow=-1.2)
    assert robot.faults == []


SLOW = speeds(0.3)


@pytest.fixture
def moving(robot: Robot, start: Callable[..., Any]) -> Callable[..., Any]:
    """``moving(kind, **parameters) -> process`` of a node that moves the robot slowly to NEAR."""

    def begin(
        kind: str,
        topic: str = '/ik2d/command',
        program: Sequence[str] = ('-m', 'ik2d_ros.node'),
        **parameters: object,
    ) -> Any:
        robot.obey(kind, ['shoulder', 'elbow'], topic)
        commands = {'command_out_type': kind, 'command_out_topic': topic}
        process = start({**ARM, **SLOW, **commands, **parameters}, program)
        robot.wait_until_told('READY')
        robot.aim(NEAR)
        robot.wait(lambda: len(robot.commands) > 5, 'a motion')
        return process

    return begin


def assert_nothing_moves(robot: Robot) -> None:
    """But for the last commands, with which the arm is told to be where it is."""
    begin = time.monotonic()
    robot.wait(
        lambda: time.monotonic() - max(robot.commanded_at, begin) > 0.4, 'an end of the commands'
    )
    count = len(robot.commands)
    robot.idle(0.4)
    assert len(robot.commands) == count


def assert_it_moves(robot: Robot) -> None:
    """For a new target, which may have to be sent again."""
    count = len(robot.commands)
    robot.wait(lambda: robot.aim(OTHER) or len(robot.commands) > count + 5, 'a motion')


@pytest.mark.parametrize('is_away', [True, False])
def test_a_controller_that_went_and_came_back_moves_for_a_new_target_only(
    robot: Robot, moving: Callable[..., Any], is_away: bool
) -> None:
    """Also one that was unloaded and loaded again between two looks."""
    topic = '/robot/joint_trajectory'
    onlooker = rclpy.create_node('onlooker', context=robot.node.context)
    onlooker.create_subscription(JointTrajectory, topic, lambda _: None, EVERY)
    process = moving(TRAJECTORY, topic)
    robot.leave()
    if not is_away:
        robot.obey(TRAJECTORY, ['shoulder', 'elbow'], topic)
    robot.wait(lambda: 'has ended or restarted' in process.output, 'a warning')
    robot.wait_until_told('NOT_FOLLOWING', 'controller has ended')
    assert robot.status['level'] == '2'
    assert_nothing_moves(robot)
    count = len(robot.commands)
    robot.move_by_hand(shoulder=0.5)
    if is_away:
        robot.obey(TRAJECTORY, ['shoulder', 'elbow'], topic)
    robot.idle(1.5)  # until the controller is known to hear
    assert len(robot.commands) == count
    assert robot.set(speeds(SPEED)).successful
    robot.go(NEAR)
    assert robot.commands[count]['shoulder'] == pytest.approx(0.5, abs=0.1)
    assert robot.faults == []


def test_a_target_after_the_measurements_have_stopped_is_not_kept(
    robot: Robot, start: Callable[..., Any]
) -> None:
    """Also before anything was commanded: only one before the first measurement waits."""
    robot.obey(ARRAY, ['shoulder', 'elbow'])
    start({**ARM, 'command_out_type': ARRAY})
    robot.wait_until_told('READY')
    robot.is_measuring = False
    robot.wait_until_told('NO_STATE', 'for more than 0.5 s')
    robot.aim(NEAR)
    robot.wait(lambda: robot.status['target_x'] == repr(NEAR[0]), 'the refusal')
    assert robot.status['code'] == 'NO_STATE'
    robot.is_measuring = True
    robot.wait_until_told('READY')
    robot.idle(1.5)  # until the controller is known to hear
    assert robot.commands == []
    assert_it_moves(robot)


def fail(robot: Robot, code: str) -> None:
    """Let the arm be stopped by a fault, which then is over."""
    robot.is_active, robot.is_measuring = code != 'NOT_FOLLOWING', code != 'NO_STATE'
    robot.wait_until_told(code)
    robot.is_active = robot.is_measuring = True
    robot.wait(lambda: robot.has_told(**robot.measured), 'the measured pose to be told')


PATIENT = """
import pathlib, time
from ik2d_ros.node import __main__, arm_node

judge, file = arm_node.answer_path, pathlib.Path({!r})

def judge_later(*given, **how):
    while not file.exists():
        time.sleep(0.01)
    return judge(*given, **how)

arm_node.answer_path = judge_later
__main__.main()
"""


@pytest.mark.parametrize('code', ['NOT_FOLLOWING', 'NO_STATE'])
def test_a_path_that_is_judged_during_a_fault_is_forgotten(
    robot: Robot, moving: Callable[..., Any], tmp_path: Path, code: str
) -> None:
    is_due = tmp_path / 'due'
    moving(ARRAY, program=[sys.executable, '-c', PATIENT.format(str(is_due))])
    path = robot.send_path([(*NEAR, 0.0), (*OTHER, 0.0)])
    robot.send_path([(*NEAR, 0.0), (*OTHER, 0.0)], query=True)  # which is judged after it
    fail(robot, code)
    is_due.touch()
    robot.wait(lambda: robot.answers, 'an end of the judging')
    assert_nothing_moves(robot)
    assert robot.told(path)[0]['code'] == code
    assert_it_moves(robot)
    assert robot.faults == []


@pytest.mark.parametrize(('code', 'patience'), [('NOT_FOLLOWING', 60.0), ('NO_STATE', 0.0)])
def test_a_target_that_waited_for_its_frame_during_a_fault_is_forgotten(
    robot: Robot, moving: Callable[..., Any], code: str, patience: float
) -> None:
    """Also one that was refused for the time being."""
    moving(ARRAY, tf_timeout=patience)
    transforms = Transforms(robot.node)
    target = robot.send((*NEAR, 0.0), 'late')
    robot.wait(transforms.are_heard, 'the subscription of transforms')
    if not patience:
        robot.wait_for(target, 'UNKNOWN_FRAME')
    fail(robot, code)
    assert robot.told(target)[-1]['code'] in (code, 'READY')
    transforms.place('late', 0.0, 0.0, 0.0)
    assert_nothing_moves(robot)
    assert_it_moves(robot)
    assert robot.faults == []


def test_it_is_at_its_goal_when_it_is_measured_there(
    robot: Robot, moving: Callable[..., Any]
) -> None:
    moving(ARRAY, following_tolerance=10.0)
    robot.is_active = False
    assert robot.set(speeds(SPEED)).successful
    robot.wait_until_told('REACHED', 'off its goal')
    assert robot.status['at_goal'] == 'false'
    assert float(robot.status['measured_error']) > 0.1
    robot.is_active = True
    robot.wait(lambda: robot.is_at(NEAR), 'the arm at its target')


SMOOTH = {
    'chain.shoulder.max_acceleration': 0.6,
    'chain.elbow.max_acceleration': 0.6,
    **speeds(0.25),
}


def assert_braked(robot: Robot) -> None:
    """The last commands get slower until they stand."""
    ends = [command['shoulder'] for command in robot.commands[-5:]]
    steps = [abs(b - a) for a, b in itertools.pairwise(ends)]
    allowed = 0.6 / RATE**2 * (1.0 + 1e-3)
    assert steps[-1] <= allowed
    assert all(after - before <= allowed for before, after in itertools.pairwise(steps))


def test_a_call_stops_it(robot: Robot, moving: Callable[..., Any]) -> None:
    pytest.importorskip('ruckig', reason='ruckig is not installed')
    moving(ARRAY, **SMOOTH)
    answer = robot.call(Trigger, 'stop')
    assert answer.success
    assert 'with its tip at' in answer.message
    robot.wait_until_told('READY')
    assert_nothing_moves(robot)
    assert_braked(robot)
    assert math.dist(tip(robot.command), NEAR) > 0.01
    assert_it_moves(robot)
    assert robot.faults == []


def test_a_call_sends_its_joints_home_from_a_known_pose_alone(
    robot: Robot, moving: Callable[..., Any]
) -> None:
    home = {'shoulder': 0.6, 'elbow': -1.2}
    moving(ARRAY, bend='positive', **{f'chain.{name}.home': q for name, q in home.items()})
    assert robot.set(speeds(SPEED)).successful
    assert robot.call(Trigger, 'home').success
    robot.wait(lambda: robot.command == pytest.approx(home), 'the arm at home')
    robot.wait_until_told('REACHED')
    robot.wait(lambda: robot.status['at_goal'] == 'true', 'its status')

    robot.is_measuring = False
    robot.wait_until_told('NO_STATE')
    answer = robot.call(Trigger, 'home')
    assert not answer.success
    assert answer.message.endswith('The arm holds.')
    robot.is_measuring = True
    robot.wait_until_told('READY')
    assert_nothing_moves(robot)
    assert robot.faults == []


def test_a_signal_brakes_it_before_the_node_ends(robot: Robot, moving: Callable[..., Any]) -> None:
    pytest.importorskip('ruckig', reason='ruckig is not installed')
    process = moving(ARRAY, **SMOOTH)
    before = process.stderr
    process.popen.send_signal(signal.SIGTERM)
    robot.wait(lambda: not process.is_running(), 'the end of the node')
    assert process.wait() == 0
    assert process.stderr == before
    assert_braked(robot)
    assert robot.faults == []


def test_joint_states_are_a_command_too(robot: Robot, start: Callable[..., Any]) -> None:
    """A driver may take them: all of its joints, and none before there is something to do."""
    parameters = {**WITH_GRIPPER, 'publish_joint_states': True, 'hold.gripper': 0.5}
    start(parameters)
    robot.wait_until_told('READY')
    assert robot.joint_states == []
    robot.aim(NEAR)
    state = robot.wait(lambda: robot.joint_states and robot.joint_states[0], 'joint_states')
    assert list(state.name) == ['elbow', 'gripper', 'shoulder']
    assert 0.5 <= state.position[1] <= 0.7  # it goes there like a joint
    assert abs(state.position[2] - 1.0) <= SPEED * LATEST_TICK / RATE
