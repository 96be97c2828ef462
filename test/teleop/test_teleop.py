"""Keys and gamepads move the arm, and leaving stops it."""

from __future__ import annotations

import math
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, ROOT, load_configuration

from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.pilot.outcome import place_text
from ik2d_ros.teleop.hands import (
    GRIPPER,
    HELP,
    KEYS,
    NOTHING,
    TeleopSettings,
    keys_of,
    of_joy,
    turning,
)

SETTINGS = TeleopSettings()


def test_keys_ask_for_what_the_help_says() -> None:
    keys = keys_of('w\x1b[Ar1!o h?')
    assert keys == ['w', 'w', 'r', '1', '!', 'o', ' ', 'h', '?']
    hands = [KEYS.get(key, NOTHING) for key in keys]
    assert hands[0].linear == (1.0, 0.0, 0.0)
    assert hands[2].linear == (0.0, 0.0, 1.0)
    assert [hand.joints for hand in hands[3:6]] == [{0: 1.0}, {0: -1.0}, {GRIPPER: 1.0}]
    assert [hand.call for hand in hands[6:8]] == ['stop', 'home']
    assert hands[8] == NOTHING
    assert max(map(len, HELP.splitlines())) < 80, 'a terminal cuts it off'


def test_what_is_let_go_is_told_so_once() -> None:
    opening = KEYS['o'].after(KEYS['1'])
    assert opening.joints == {0: 0.0, GRIPPER: 1.0}
    assert KEYS['w'].after(opening).joints == {GRIPPER: 0.0}
    assert NOTHING.after(NOTHING.after(opening)) == NOTHING


@pytest.mark.parametrize('name', ['so101', 'px100', 'roarm_m2', 'three_link'])
@pytest.mark.parametrize('waist', [-1.2, 0.0, 0.4, 1.5])
def test_the_tip_angle_turns_wherever_the_waist_looks(name: str, waist: float) -> None:
    arm = load_configuration(find_config(name)).arm
    pose = (*([waist] * (arm.carrier is not None)), 0.8, 0.5, 0.2, 0.0)[: len(arm.names)]
    x, y, z = arm.kinematics.forward(pose).tolist()
    turned = np.array(turning(1.0, (x, y, z))) @ arm.plane_at(pose).axes[2]
    assert abs(turned) > 0.8
    assert np.isfinite(turning(1.0, (math.nan,) * 3)).all()


@pytest.mark.parametrize('axes', [[], [0.5], [0.2, -1.0, 0.0, 0.3, 0.7], [math.nan] * 5])
def test_a_gamepad_moves_nothing_without_the_button_that_enables_it(axes: list[float]) -> None:
    assert of_joy(axes, [1, 1, 0, 1, 0, 0], SETTINGS) == NOTHING
    assert of_joy(axes, [0, 0, 1, 0, 0, 1], SETTINGS).call == 'stop'
    hand = of_joy(axes, [0, 0, 0, 0, 0, 1], SETTINGS)
    assert all(map(math.isfinite, (*hand.linear, hand.turn)))
    assert any((*hand.linear, hand.turn)) == (len(axes) > 0 and not math.isnan(axes[0]))


@pytest.mark.ros
@pytest.mark.skipif(not HAS_ROS, reason='rclpy is not installed')
def test_keys_in_a_terminal_move_the_arm_and_leaving_stops_it(
    ros_environment: int, start_process: Any, ros_node: Any, spin_until: Any
) -> None:
    from sensor_msgs.msg import JointState

    poses = '-p', 'poses.bent.elbow:=1.2', '-p', 'poses.low.shoulder:=-0.5'
    start_process('node', '--ros-args', '--params-file', ROOT / 'config/two_bone.yaml', *poses)
    states: list[JointState] = []
    ros_node.create_subscription(JointState, 'joint_states', states.append, 10)
    spin_until(ros_node, lambda: states, what='joint_states')
    main, terminal = pty.openpty()
    teleop = subprocess.Popen(
        [sys.executable, '-m', 'ik2d_ros.programs', 'teleop'], stdin=terminal, stdout=terminal
    )
    spin_until(ros_node, lambda: ros_node.count_publishers('ik2d/jog'), what='the teleop')
    begin = [*states[-1].position]
    shown = b''

    def says(words: str) -> Callable[[], bool]:
        def is_there() -> bool:
            nonlocal shown
            while select.select([main], [], [], 0.0)[0]:
                shown += os.read(main, 4096)
            return words.encode() in shown

        return is_there

    arm = load_configuration(find_config('two_bone')).arm
    place = place_text(arm.kinematics.tip(arm.home))
    spin_until(ros_node, says(f'READY at {place} m'), what='where the tip is at rest')
    os.write(main, b'++-t')
    spin_until(ros_node, says('0.0625 m/s'), what='a speed')
    spin_until(ros_node, says("along the tip's axes"), what='axes of the tip')

    def has_moved() -> bool:
        os.write(main, b'1')
        time.sleep(0.02)
        return abs(states[-1].position[0] - begin[0]) > 0.05

    spin_until(ros_node, has_moved, what='a moved joint')
    for name, i, there in (('bent', 1, 1.2), ('low', 0, -0.5)):
        os.write(main, b'p')
        spin_until(ros_node, says(f'poses/{name}'), what='a named pose')
        spin_until(ros_node, lambda: states[-1].position[i] == there, what=f'the pose {name}')  # noqa: B023
    os.write(main, b'x')
    spin_until(ros_node, lambda: teleop.poll() is not None, what='the end of the teleop')
    assert teleop.returncode == 0
    count = len(states)

    def stands() -> bool:
        last = [message.position[0] for message in states[count:][-20:]]
        return len(last) == 20 and max(last) == min(last)

    spin_until(ros_node, stands, what='an arm at rest')
