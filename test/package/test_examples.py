"""The examples run, and do what they say."""

from __future__ import annotations

import contextlib
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from feetech_bus import Bus
from harness import DRIVEN, ROOT, once, run_program
from node_client import values
from public_machines import PublicRobot

import ik2d_ros
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.from_urdf import load_arm

EXAMPLES = ROOT / 'examples'


def has_ended(process: Any) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.popen.wait(0.05)  # in which messages come, of which some are enough
    return not process.is_running()


def test_the_library_says_what_can_be_reached_and_followed() -> None:
    solved = run_program(sys.executable, EXAMPLES / '01_solve.py').stdout.splitlines()
    assert [line.split(': ')[1].split(',')[0] for line in solved[::2]] == [
        *('REACHED', 'TOO_FAR', 'JOINT_LIMIT')
    ]
    followed = run_program(sys.executable, EXAMPLES / '02_path.py').stdout.splitlines()
    assert ': REACHED after 0.320 m' in followed[0]
    assert ': TOO_FAR after ' in followed[-1]


FOLLOWER = """
class SO101FollowerConfig:
    def __init__(self, port, id, use_degrees): assert use_degrees

class SO101Follower:
    def __init__(self, config): self.pose = [10.0, float(os.environ['LIFT']), *[10.0] * 3]
    is_calibrated = property(lambda self: os.environ['LIFT'] != 'nan')
    def connect(self, calibrate): assert not calibrate
    def disconnect(self): print('off')
    def get_observation(self):
        return {f'{name}.pos': position for name, position in zip(NAMES, self.pose)}
    def send_action(self, action):
        self.pose = [action[f'{name}.pos'] for name in NAMES]
        print(*self.pose)
"""


def test_an_arm_is_moved_through_lerobot(tmp_path: Path) -> None:
    """Against a stand-in of its interface: motors are what nobody has here."""
    arm = ik2d_ros.load_arm('so101')
    (tmp_path / 'lerobot/robots').mkdir(parents=True)
    (tmp_path / 'lerobot/robots/so_follower.py').write_text(
        f'import os\nNAMES = {arm.names}{FOLLOWER}'
    )
    target, below = ('0.25', '0.05', '0.15'), ('0.25', '0.05', '-0.3')
    aside = [f'{value:.4f}' for value in arm.forward(np.radians([10.0, -95.0, *[10.0] * 3]))]
    moved, refused, outside, unknown = (
        run_program(
            *(sys.executable, EXAMPLES / '08_lerobot.py', 'port', 'id', *point),
            env={**os.environ, 'PYTHONPATH': str(tmp_path), 'LIFT': lift},
            input='\n',
        )
        for point, lift in ((target, '10'), (below, '10'), (aside, '-104'), (target, 'nan'))
    )
    *rows, last, _, off = moved.stdout.splitlines()
    poses = np.radians([[float(word) for word in row.split()] for row in rows])
    assert last.startswith('REACHED')
    assert off == 'off'
    assert poses[0] == pytest.approx(np.radians(10.0), abs=0.02)
    assert arm.forward(poses[-1]) == pytest.approx([*map(float, target)], abs=1e-4)
    assert np.abs(np.diff(poses, axis=0)).max() < 0.2  # a busy machine sends fewer
    assert re.search("BLOCKED after .* at wall 'table'", refused.stderr)
    assert 'it would jump' in outside.stderr
    assert "calibration of 'id'" in unknown.stderr
    assert {each.stdout for each in (refused, outside, unknown)} == {'off\n'}


@once
def test_programs_move_and_jog_the_arm_of_a_node(
    start_process: Callable[..., Any],
    ros_node: Any,
    statuses: list[Any],
    spin_until: Callable[..., Any],
) -> None:
    config = ROOT / 'config/two_bone.yaml'
    node = start_process('node', '--ros-args', '--params-file', config)
    node.wait_for_output('ready')
    example = start_process(sys.executable, EXAMPLES / '03_go_to.py')
    assert example.wait() == 0, example.output
    lines = example.stdout.splitlines()
    reasons = ['can be reached', 'is out of reach', 'can be reached']
    assert [line.split(') ')[1] for line in lines[:6:2]] == reasons
    codes = ['REACHED', 'TOO_FAR', *['REACHED'] * 3]
    assert [line.split(':')[0] for line in [*lines[1:6:2], *lines[6:]]] == codes
    example = start_process(sys.executable, EXAMPLES / '04_jog_circle.py')
    statuses.clear()
    for code in ('REACHED', 'READY'):
        spin_until(ros_node, lambda code=code: statuses and values(statuses[-1])['code'] == code)
    spin_until(ros_node, partial(has_ended, example), what='the end')
    assert 'let go' in example.output


@once
def test_something_is_picked_and_placed(
    start_process: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    from sensor_msgs.msg import JointState

    pytest.importorskip('mujoco', reason='mujoco is not installed')
    config = ROOT / 'config/machines/so101.yaml'
    grips: list[float] = []
    states: list[dict[str, float]] = []

    def take(state: JointState) -> None:
        grips.append(state.position[5])
        states.append(dict(zip(state.name, state.position, strict=True)))

    ros_node.create_subscription(JointState, 'joint_states', take, 1)
    start_process('sim', '--ros-args', '--params-file', config)
    spin_until(ros_node, lambda: grips, what='the simulated arm')
    fast = ('-p', 'hold_velocity:=5.0', '-p', 'path_speed:=0.5')
    node = start_process('node', *DRIVEN, '--params-file', config, *fast)
    node.wait_for_output('ready')
    for _ in range(3):
        grips.clear()
        states.clear()
        turn = random.uniform(-180.0, 180.0)
        example = start_process(sys.executable, EXAMPLES / '05_pick_and_place.py', str(turn), '40')
        spin_until(ros_node, partial(has_ended, example), what='the end', timeout=120.0)
        if not any(code in example.output for code in ('NO_STATE', 'NOT_FOLLOWING')):
            break  # else a busy machine has stopped the simulation for a while: a fault
    assert example.wait() == 0, example.output
    steps = [line.split(': ')[:2] for line in example.stdout.splitlines()]
    assert [step for step, _ in steps].count('gripper') == 2
    assert {code for _, code in steps} == {'REACHED'}
    opened = next(i for i, grip in enumerate(grips) if grip > 1.7)
    closed = next(i for i, grip in enumerate(grips) if i > opened and grip < 0.25)
    assert max(grips[closed:]) > 1.4
    # Where the jaws truly are as they close: above the brick, along its sides.
    arm = load_arm(config)
    jaws = PublicRobot(urdf_of(arm)).pose(arm.base_frame, 'tip', states[closed])
    down, side = jaws.rotation.T[:2]
    assert jaws.translation == pytest.approx((0.20, 0.08, 0.03), abs=0.005)
    assert down[2] < -math.cos(math.radians(3.0))
    brick = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    assert abs(float(side[:2] @ brick)) > math.cos(math.radians(3.0)), turn


@once
def test_servos_are_moved_over_their_bus(
    start_process: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any], tmp_path: Path
) -> None:
    """Torque with the first command, none after the end, nothing for one from afar."""
    pytest.importorskip('scservo_sdk', reason='ftservo-python-sdk is not installed')
    from sensor_msgs.msg import JointState

    from ik2d_ros.client import ArmClient

    file = yaml.safe_load((EXAMPLES / '06_so101_servos.yaml').read_text())
    file['servos']['elbow_flex'] |= {'zero': 2000, 'sense': -1}
    bus = Bus({servo['id']: servo['zero'] + 7 for servo in file['servos'].values()})
    file['port'] = bus.port
    (tmp_path / 'servos.yaml').write_text(yaml.safe_dump(file))
    states: list[JointState] = []
    ros_node.create_subscription(JointState, 'joint_states', states.append, 10)
    driver = start_process(
        sys.executable, EXAMPLES / '06_feetech_driver.py', tmp_path / 'servos.yaml'
    )
    spin_until(ros_node, lambda: states, what='measured joints')
    assert dict(zip(states[0].name, states[0].position, strict=True)) == {
        name: pytest.approx(servo['sense'] * 7 * math.tau / 4096)
        for name, servo in file['servos'].items()
    }
    commands = ros_node.create_publisher(JointState, 'joint_command', 10)
    far = JointState(name=['shoulder_pan'], position=[1.0])
    wait = partial(spin_until, ros_node)

    def is_refused() -> bool:
        commands.publish(far)
        return 'no torque: shoulder_pan' in driver.output

    wait(is_refused, what='the refusal')
    assert bus.torque == {0}

    config = ROOT / 'config/machines/so101.yaml'
    remapped = ('-r', 'joint_states:=joint_command', '-r', 'measured_joint_states:=joint_states')
    arguments = ('--params-file', config, '-p', 'use_measured_state:=true', *remapped)
    node = start_process('node', '--ros-args', *arguments)
    node.wait_for_output('ready')
    assert bus.torque == {0}
    arm = ArmClient(ros_node)
    # Again, until node and driver have found each other, and where a busy machine delays the bus.
    wait(lambda: arm.go_to(0.25, 0.1, 0.15), what='the arm')
    assert bus.torque == {1}
    wait(lambda: arm.hold({'gripper': 1.0}), what='the gripper')
    opened = (bus.positions[6] - file['servos']['gripper']['zero']) / 4096 * math.tau
    assert opened == pytest.approx(1.0, abs=0.02)
    arm.destroy()
    assert driver.stop() == 0, driver.output
    assert bus.torque == {0}
