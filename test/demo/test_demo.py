"""The demo itself, as a person runs it: real processes, real middleware, a real terminal."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from harness import DEFAULT_TIMEOUT, once, wait_until, without
from marked import Mark

from ik2d_ros import cli
from ik2d_ros.demo import children as children_module
from ik2d_ros.demo import session as demo
from ik2d_ros.demo.children import Child, ended_after


@pytest.fixture
def running_demo(ros_environment, start_process):
    """A demo that has printed its first line, and the mark of all that it starts."""
    mark = Mark()
    process = start_process('-m', 'ik2d_ros.cli', 'demo', '--view', 'terminal', env=mark.env)
    process.wait_for_output(' target ')
    assert len(mark.processes()) == 3
    return process, mark


def booked(summary):
    """Number of targets by code in a summary."""
    rows = re.findall(r'^  ([A-Z_]+) +(\d+)', summary, re.MULTILINE)
    return {code: int(count) for code, count in rows}


def test_a_lap_shows_reached_targets_and_those_at_a_limit(running_demo):
    process, mark = running_demo
    # Ctrl-C in a terminal reaches the demo alone, which ends the others in order.
    processes = mark.processes()
    assert {os.getpgid(each) for each in processes} == {*processes}
    for code in ('REACHED', 'JOINT_LIMIT'):  # lap after lap: on a busy machine targets are lost
        process.wait_for_output(f' s  {code} ')
    assert process.stop(signal.SIGTERM) == 0
    assert process.stderr == ''
    mark.assert_ended()
    *lines, summary = re.split(r'^(?=two_bone:)', process.stdout, flags=re.MULTILINE)
    counts = booked(summary)
    overtaken = 'NOT_CONVERGED'  # by newer targets, on a busy machine
    assert {*counts} - {overtaken} == {'REACHED', 'JOINT_LIMIT'}
    assert f'two_bone: {sum(counts.values())} answers' in summary
    told = re.findall(r'^ *(\d+\.\d) s  (\w+) ', ''.join(lines), re.MULTILINE)
    for (before, code), (after, other) in pairwise(told):  # few, but one for every change
        assert code != other or float(after) - float(before) > 0.5


@once
def test_an_arm_in_physics_is_driven(ros_environment, start_process):
    for package in ('mujoco', 'ruckig'):
        pytest.importorskip(package, reason=f'{package} is not installed')
    process = start_process(
        *('-m', 'ik2d_ros.cli', 'demo', '--robot', 'sim'),
        *('--view', 'terminal', '--duration', '3', 'three_link'),
    )
    assert process.wait() == 0, process.output
    assert process.stderr == ''
    assert 'REACHED' in booked(process.stdout)


@once
@pytest.mark.parametrize(
    ('arguments', 'missing', 'words'),
    [
        (['--robot', 'sim', '--view', 'terminal'], 'mujoco ruckig', 'pip install mujoco ruckig'),
        ([], 'viser', 'pip install viser'),
    ],
)
def test_it_says_what_to_install_and_what_else_can_be_done(
    ros_environment, start_process, arguments, missing, words
):
    process = start_process('-m', 'ik2d_ros.cli', 'demo', *arguments, env=without(missing))
    assert process.wait() == 1
    assert words in process.stderr
    assert '--view terminal' in process.stderr
    assert 'Traceback' not in process.output


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--port', '65536'], ['--port', '65536']),
        (['go2'], ['--node /', 'make demo: ARM_NODE=/']),  # a robot with several legs
    ],
)
def test_wrong_arguments_are_told_with_what_is_right(capsys, arguments, words):
    with contextlib.suppress(SystemExit):
        assert cli.main(['demo', *arguments]) == 2
    said = capsys.readouterr().err
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize('deaf', [False, True])
def test_no_child_is_left_even_if_it_ignores_signals(monkeypatch, tmp_path, deaf):
    """Also by itself: when the demo dies, the kernel ends its children anyway."""
    monkeypatch.setattr(children_module, 'PATIENCE', 0.2 if deaf else DEFAULT_TIMEOUT)
    numbers = 'signal.SIGINT, signal.SIGTERM' if deaf else ''
    program = (
        f'import signal, time\nfor number in [{numbers}]: signal.signal(number, signal.SIG_IGN)\n'
        "print('here', flush=True)\ntime.sleep(600)"
    )
    child = Child('sleeper', ['-c', program], tmp_path / 'log')
    with ended_after([child]):
        wait_until(lambda: 'here' in child.log)
        assert child.failure() is None
    assert child.process.poll() == (-signal.SIGKILL if deaf else -signal.SIGINT)


@once
def test_children_die_with_it_even_when_it_is_killed(running_demo):
    process, mark = running_demo
    process.popen.kill()
    process.wait()
    mark.assert_ended()


@once
def test_the_death_of_a_child_is_reported_with_its_last_output(running_demo):
    process, mark = running_demo
    command = {pid: Path(f'/proc/{pid}/cmdline').read_text() for pid in mark.processes()}
    node = next(pid for pid, words in command.items() if 'ik2d_ros.node' in words)
    os.kill(node, signal.SIGKILL)
    assert process.wait() == 1
    assert 'ik2d demo: ik2d_node ended by SIGKILL' in process.stderr
    assert 'ready' in process.stderr  # what the node had logged
    assert 'Traceback' not in process.output
    mark.assert_ended()


@once
def test_it_ends_when_its_output_is_closed(ros_environment, start_process):
    demo = f'{sys.executable} -m ik2d_ros.cli demo --view terminal'
    process = start_process('bash', '-c', f'{demo} | head -n 1; exit ${{PIPESTATUS[0]}}')
    assert process.wait() == 128 + signal.SIGPIPE
    assert process.stderr == ''


@once
def test_silence_is_a_failure_that_shows_what_the_nodes_have_said(
    monkeypatch, capsys, ros_environment
):
    monkeypatch.setattr(demo, 'PATIENCE', 0.0)
    assert cli.main(['demo', '--view', 'terminal']) == 1
    said = capsys.readouterr().err
    assert 'ik2d demo: no answer to a target for 0 s' in said
    assert 'ik2d_node: ' in said


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ({}, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}),
        (
            {'ROS_DISTRO': 'humble'},
            {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_LOCALHOST_ONLY': '1'},
        ),
        ({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}, {}),
        ({'ROS_LOCALHOST_ONLY': '0'}, {}),
        ({'ROS_STATIC_PEERS': 'robot'}, {}),
    ],
)
def test_it_stays_on_this_machine_unless_told_otherwise(before, after):
    environment = dict(before)
    demo.keep_local(environment)
    assert environment == before | after
